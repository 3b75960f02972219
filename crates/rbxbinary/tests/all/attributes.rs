//! References in attributes: a copy refers to the copy, also behind values of types that are not known yet.

use rbxbinary::edit::EditOptions;
use rbxbinary::parts::Referent;
use rbxbinary::{Document, InstanceId, NewInstance, Value, from_slice, to_vec};

/// Attributes `A`, with the given bytes of a type and a value, and `B`, a reference.
fn attributes(first: &[u8], to: i32) -> Value {
    let mut bytes = b"\x02\0\0\0\x01\0\0\0A".to_vec();
    bytes.extend_from_slice(first);
    bytes.extend_from_slice(b"\x01\0\0\0B\x25");
    bytes.extend_from_slice(&to.to_le_bytes());
    Value::BinaryString(bytes.into())
}

/// A model of a part, and a folder whose attributes refer to it.
fn model(first: &[u8]) -> (Document, InstanceId, InstanceId) {
    let mut document = Document::new();
    let folder = NewInstance::new("Folder").property("Name", "F");
    let folder = folder.property("AttributesSerialize", attributes(first, -1));
    let part = NewInstance::new("Part").property("Name", "P");
    let model = NewInstance::new("Model").property("Name", "M").child(part).child(folder);
    let model = document.insert(None, model).unwrap();
    let (part, folder) = (document.find("M/P").unwrap(), document.find("M/F").unwrap());
    let to = document.referent(part).unwrap();
    document.set(folder, "AttributesSerialize", attributes(first, to.0)).unwrap();
    (document, model, folder)
}

/// Cameras, one of which has the number that the reference has in the model.
fn cameras() -> Document {
    let mut document = Document::new();
    for name in ["0", "1", "2", "3", "4"] {
        document.insert(None, NewInstance::new("Camera").property("Name", name)).unwrap();
    }
    document
}

fn stored(document: &Document) -> Vec<u8> {
    let folder = document.find("M/F").unwrap();
    document.get(folder, "AttributesSerialize").unwrap().as_bytes().unwrap().to_vec()
}

/// The instance to which the last four bytes refer.
fn target(document: &Document) -> Option<InstanceId> {
    let number = *stored(document).last_chunk().unwrap();
    document.by_referent(Referent(i32::from_le_bytes(number)))
}

#[test]
fn of_known_types() {
    let matrix = [b"\x14".as_slice(), &[0; 49]].concat();
    let one: &[u8] = b"\x1d\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    for first in
        [b"\x03\x01".as_slice(), b"\x02\x01\0\0\0%", b"\x14\0\0\0\0\0\0\0\0\0\0\0\0\x02", &matrix, one]
    {
        let (source, model, _) = model(first);
        let mut document = cameras();
        document.copy_from(None, &source, model).unwrap();
        assert_eq!(target(&document), document.find("M/P"), "{first:?}");
    }
}

/// The end of such a value is not known, so what is behind it cannot be changed.
#[test]
fn of_unknown_types() {
    let physical = b"\x1d\0".as_slice();
    let rotation = b"\x14\0\0\0\0\0\0\0\0\0\0\0\0\xff";
    for first in [b"\x30\x01\x02\x03\x04".as_slice(), physical, rotation] {
        let (mut source, model, folder) = model(first);
        let options = EditOptions::new().cut_attributes(true);
        let mut document = cameras();
        let before = document.clone();
        let error = document.copy_from(None, &source, model).unwrap_err();
        assert_eq!(error.path(), "Folder.AttributesSerialize");
        assert!(document.merge(None, &source).is_err());
        assert_eq!(document, before);
        let edited = options.copy_from(&mut document, None, &source, model).unwrap();
        let cut: Vec<_> = edited.cut.iter().map(ToString::to_string).collect();
        assert_eq!(cut, ["Folder.AttributesSerialize of 1 instance"]);
        assert_eq!(stored(&document), b"");
        // Attributes before it stay.
        let both = [b"\x03\x00".as_slice(), b"\x01\0\0\0C", first].concat();
        let mut three = attributes(&both, 1).as_bytes().unwrap().to_vec();
        three[0] = 3;
        source.set(folder, "AttributesSerialize", Value::BinaryString(three.into())).unwrap();
        let mut document = cameras();
        options.merge(&mut document, None, &source).unwrap();
        assert_eq!(stored(&document), b"\x01\0\0\0\x01\0\0\0A\x03\x00");
        // A number that no instance has is no reference: null, and a text with `%`.
        source.set(folder, "AttributesSerialize", attributes(first, -1)).unwrap();
        let mut document = cameras();
        document.copy_from(None, &source, model).unwrap();
        assert_eq!(stored(&document), stored(&source));
    }
}

/// No new instance gets the number that an attribute of an unknown type may refer to.
#[test]
fn new_instances() {
    let (mut document, _, folder) = model(b"\x30\x01\x02\x03\x04");
    let next = document.instances().filter_map(|id| document.referent(id)).map(|to| to.0).max().unwrap() + 1;
    document.set(folder, "AttributesSerialize", attributes(b"\x30\x01\x02\x03\x04", next)).unwrap();
    let mut document = from_slice(&to_vec(&document).unwrap()).unwrap();
    document.insert(None, NewInstance::new("Camera").property("Name", "0")).unwrap();
    assert_eq!(target(&document), None);
}
