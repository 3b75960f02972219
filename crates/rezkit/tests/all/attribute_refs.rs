//! Attributes that refer to instances stay true in every way that a document goes.

use rbxbinary::{Document, InstanceId, NewInstance, Referent, Value};
use rezkit::Opened;

/// A folder `f` with the attributes `a`, 1.5, and `b`, a reference to the part `p`, as the page of facts has them; the
/// numbers of the file are others than those of any document that it goes into.
fn model(referents: [i32; 2]) -> Vec<u8> {
    let mut document = Document::new();
    let part = NewInstance::new("Part").property("Name", "p");
    let folder =
        NewInstance::new("Folder").property("Name", "f").property("AttributesSerialize", blob(referents[1]));
    document.insert(None, folder.child(part)).expect("a document");
    let columns = document.columns_mut();
    for (class, referent) in columns.classes.iter_mut().zip(referents) {
        class.referents[0] = Referent(referent);
    }
    (columns.parents.children, columns.parents.parents) =
        (vec![Referent(referents[1]), Referent(referents[0])], vec![Referent(referents[0]), Referent::NULL]);
    rbxbinary::to_vec(&document).expect("a document")
}

fn blob(referent: i32) -> Value {
    let mut blob = b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0b\x25".to_vec();
    blob.extend(referent.to_le_bytes());
    Value::from(blob)
}

/// The path of the instance that the attribute `b` of the instance `f` refers to, by the bytes alone.
fn target(bytes: &[u8]) -> Option<String> {
    let document = rbxbinary::from_slice(bytes).expect("a document");
    let all: Vec<InstanceId> =
        document.instances().filter(|&id| document.name(id).expect("a document") == "f").collect();
    let [folder] = all[..] else { panic!("{} folders", all.len()) };
    let value = document.get(folder, "AttributesSerialize").expect("a document").to_value();
    let blob = value.as_bytes().expect("a document");
    assert!(blob.starts_with(b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0b\x25"), "{blob:?}");
    let referent = Referent(i32::from_le_bytes(*blob.last_chunk().expect("a document")));
    (!referent.is_null()).then(|| {
        document.path(document.by_referent(referent).expect("a document")).expect("a document").to_string()
    })
}

fn open(name: &str, bytes: &[u8]) -> Opened<'static> {
    rezkit::open(bytes.to_vec(), name, ()).expect("a document")
}

#[test]
fn they_are_copied_and_removed() {
    let model = rbxbinary::from_slice(&model([7, 3])).expect("a document");
    let mut place = Document::new();
    for number in 0..5 {
        place
            .insert(None, NewInstance::new("Part").property("Name", format!("other{number}")))
            .expect("a document");
    }
    let mut merged = place.clone();
    merged.merge(None, &model).expect("a document");
    assert_eq!(target(&rbxbinary::to_vec(&merged).expect("a document")).expect("a document"), "f/p");
    // Without its target it refers to nothing, and to no other instance.
    let part = merged.find("f/p").expect("a document");
    merged.remove(part).expect("a document");
    let bytes = rbxbinary::to_vec(&merged).expect("a document");
    assert_eq!(target(&bytes), None);
    let mut merged = rbxbinary::from_slice(&bytes).expect("a document");
    merged.insert(None, NewInstance::new("Part").property("Name", "new")).expect("a document");
    assert_eq!(target(&rbxbinary::to_vec(&merged).expect("a document")), None);
    // One that points nowhere is found, and no new instance gets its number.
    let folder = merged.find("f").expect("a document");
    merged.set(folder, "AttributesSerialize", blob(1000)).expect("a document");
    let mut dangling =
        rbxbinary::from_slice(&rbxbinary::to_vec(&merged).expect("a document")).expect("a document");
    let findings = rbxbinary::check(&dangling);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxbinary.references"), "{findings:?}");
    for _ in 0..2000 {
        let id = dangling.insert(None, NewInstance::new("Part").property("Name", "x")).expect("a document");
        assert_ne!(dangling.referent(id), Some(Referent(1000)));
    }
}

#[test]
fn they_go_through_both_forms() {
    let model = model([7, 3]);
    let mut opened = open("model.rbxm", &model);
    let options = rezkit::ConvertOptions::new();
    let xml = opened.convert(None, "model.rbxmx", &options).expect("a document").files.remove(0).bytes;
    let text = String::from_utf8(xml.clone()).expect("a document");
    // The number alone is left among the attributes.
    assert!(text.contains("AQAAAAEAAABhBgAAAAAAAPg/<"), "{text}");
    let reference =
        text.split("__attrRef_b\">").nth(1).expect("a document").split('<').next().expect("a document");
    let part = text
        .split("class=\"Part\" referent=\"")
        .nth(1)
        .expect("a document")
        .split('"')
        .next()
        .expect("a document");
    assert_eq!(reference, part);
    let mut opened = open("model.rbxmx", &xml);
    let binary = opened.convert(None, "model.rbxm", &options).expect("a document").files.remove(0).bytes;
    assert_eq!(target(&binary).expect("a document"), "f/p");
    // As another program writes it: with a count of all attributes.
    let all = text.replace("AQAAAAEAAABhBgAAAAAAAPg/<", "AgAAAAEAAABhBgAAAAAAAPg/<");
    let mut opened = open("model.rbxmx", all.as_bytes());
    let binary = opened.convert(None, "model.rbxm", &options).expect("a document").files.remove(0).bytes;
    assert_eq!(target(&binary).expect("a document"), "f/p");
}
