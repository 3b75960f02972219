//! Conversions between the two forms of Roblox documents: what the other form cannot store is refused, or listed.

use super::xml::{document, field, item, with_id};
use crate::Ask as _;
use crate::instance;
use rbxbinary::parts::{Column, Referent};
use rbxbinary::{Document, Value};
use rezkit::{ConvertOptions, Edit, EditOptions, ErrorKind, Opened};

fn open(bytes: impl AsRef<[u8]>) -> Opened<'static> {
    crate::open(bytes, "a")
}

fn part(properties: &str) -> Vec<u8> {
    document(&with_id("a", item("Part", "P", properties, "")))
}

/// The losses of a conversion to the other form, each with its kind; and the error without permission to lose anything.
fn losses(bytes: &[u8]) -> (Vec<String>, Option<String>) {
    let to = if bytes.starts_with(b"<roblox!") { "rbxmx" } else { "rbxm" };
    let made = open(bytes).convert(Some(to), "", &ConvertOptions::new().allow_loss(true)).expect("converted");
    let losses = made.losses.iter().map(|loss| format!("{}: {loss}", loss.kind.label())).collect();
    let refused = open(bytes).convert(Some(to), "", &ConvertOptions::new()).err();
    let reason = |error: rezkit::Error| {
        assert_eq!(error.kind(), ErrorKind::Unwritable);
        assert!(!error.path().is_empty(), "{error}");
        error.reason().to_owned()
    };
    (losses, refused.map(reason))
}

/// A file with a part that has a property of this type and these bytes.
fn column(name: &[u8], type_id: u8, values: &[u8]) -> Vec<u8> {
    let string = |text: &[u8]| [&u32::try_from(text.len()).expect("short").to_le_bytes()[..], text].concat();
    let chunk = |name: &[u8; 4], data: &[u8]| {
        let len = u32::try_from(data.len()).expect("short").to_le_bytes();
        [name, &[0; 4][..], &len, &[0; 4], data].concat()
    };
    let prop = [&[0; 4][..], &string(name), &[type_id], values].concat();
    [
        &b"<roblox!\x89\xff\r\n\x1a\n\0\0\x01\0\0\0\x01\0\0\0"[..],
        &[0; 8],
        &chunk(b"INST", &[&[0; 4][..], &string(b"Part"), &[0, 1, 0, 0, 0, 0, 0, 0, 0]].concat()),
        &chunk(b"PROP", &prop),
        &chunk(b"PRNT", &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        &chunk(b"END\0", b"</roblox>"),
    ]
    .concat()
}

fn bytes_of(document: &Document) -> Vec<u8> {
    rbxbinary::to_vec(document).expect("written")
}

#[test]
fn xml_drops_nothing_silently() {
    let dropped = |path: &str, what: &str| {
        let refused = format!("the conversion would lose content: {path}: {what}");
        (vec![format!("dropped: {path}: {what}")], Some(refused))
    };
    let frame = [&[1][..], &[0; 12]].concat();
    let external = [&[0; 4][..], &[0; 8], &[1, 0, 0, 0], &[0, 0, 0, 14]].concat();
    for (name, type_id, values, path, what) in [
        (&b"A"[..], 0x1c, &[0, 0, 0, 3][..], "Part.A", "a reference to a shared string that does not exist"),
        (b"A", 0x10, &frame, "Part.A", "a rotation with an unknown id; replaced by the identity rotation"),
        (b"A", 0x22, &external, "Part.A", "XML cannot store references to external objects"),
        (b"A", 0x77, b"abc", "Part.A", "the values are malformed or of an unknown type"),
    ] {
        assert_eq!(losses(&column(name, type_id, values)), dropped(path, what));
    }
    let to_nothing = column(b"A", 0x13, &[0, 0, 0, 14]);
    let text = "changed: Part.A: a reference to an instance that does not exist; replaced by null";
    assert_eq!(losses(&to_nothing), (vec![text.to_owned()], None));
    // A quarter turn about y, and the position 1, 0, 0.
    let half = 0.5_f32.sqrt();
    let turn = [0.0, half, 0.0, half].map(f32::to_le_bytes);
    let quat = column(b"CFrame", 0x11, &[&[0][..], turn.as_flattened(), &[0x7f, 0, 0, 0], &[0; 8]].concat());
    let text = "changed: Part.CFrame: a CFrameQuat becomes a CFrame, whose rotation is a matrix";
    assert_eq!(losses(&quat), (vec![text.to_owned()], None));
    let xml = String::from_utf8(open(&quat).made("a.rbxmx")).expect("text");
    assert!(xml.contains("<CoordinateFrame name=\"CFrame\">") && xml.contains("<X>1</X>"), "{xml}");
    let (listed, refused) = losses(&column(b"\xff", 0x02, &[1]));
    let text = "changed: Part.\u{fffd}: invalid UTF-8 and characters that XML forbids are replaced by U+FFFD";
    assert_eq!(listed, [text]);
    assert!(refused.expect("refused").ends_with("these names and values: Part.\u{fffd}"));
}

/// XML stores the properties of each instance, so two chunks of one class with different columns can be converted.
#[test]
fn two_chunks_of_a_class() {
    let mut document = Document::new();
    for class in ["A", "B"] {
        document.insert(None, instance(class, class)).expect("inserted");
    }
    document.add_property("B", "X", true).expect("added");
    document.columns_mut().classes[1].name = "A".into();
    let made = open(bytes_of(&document)).made("a.rbxmx");
    let xml = rbxxml::from_slice(&made).expect("readable");
    let get = |name| xml.get(xml.find(name).expect("there"), "X").map(|value| value.to_value());
    assert_eq!((get("A"), get("B")), (None, Some(true.into())));
}

/// The error of one edit, without the number of its line.
fn refused(bytes: &[u8], edit: &str) -> String {
    let edits = Edit::parse(edit).expect("an edit");
    open(bytes).edit(&edits, &mut (), &EditOptions::new()).expect_err("refused").to_string()
}

#[test]
fn refusals_name_the_instance_and_what_is_wrong() {
    let xml = part("");
    for (edit, expected) in [
        ("set P.Anchord true", "P.Anchord: property name looks like a misspelling of Anchored"),
        ("set P.Foo 3", "P.Foo: Part has no stored property Foo"),
        ("add Part \"\" Foo=3", "Part.Foo: Part has no stored property Foo"),
        ("move P P", "P: "),
    ] {
        let error = refused(&xml, edit);
        assert!(error.contains(expected), "{error}");
        assert_eq!(refused(&open(&xml).made("a.rbxm"), edit), error);
    }
    let edit = Edit::Set { path: "P.".into(), value: "x".into(), kind: None };
    let error = open(&xml).edit(&[edit], &mut (), &EditOptions::new()).expect_err("refused").to_string();
    assert!(error.contains("the property name is empty"), "{error}");
    let raw = column(b"Anchored", 0x02, &[1, 1]);
    let error = refused(&raw, "set Part.Anchored true");
    let undecoded = "Part.Anchored: the values of this property cannot be decoded";
    assert!(error.contains(undecoded), "{error}");
    // Neither is the default printed, nor is a property that the class table lacks unknown.
    let (opened, path) = (open(&raw), "Part.Anchored");
    let look = rezkit::tree::resolve(&*opened.tree(), path, &mut |_| panic!("a value")).expect_err("refused");
    assert!(look.to_string().contains("of this property cannot be decoded"), "{look}");
    let later = column(b"Later", 0x23, &[1]);
    let error = refused(&later, "set Part.Later 5");
    assert!(error.contains("Part.Later: the values of this property cannot be decoded"), "{error}");
}

/// A new instance is a service if the existing ones of its class are.
#[test]
fn services_follow_the_existing_ones() {
    let mut opened = open(crate::binary_of([instance("Workspace", "W")]));
    opened
        .edit(&Edit::parse("add Workspace").expect("an edit"), &mut (), &EditOptions::new())
        .expect("added");
    let document = rbxbinary::from_slice(&opened.written()).expect("readable");
    assert_eq!((document.classes()[0].format.0, document.len()), (0, 2));
}

/// The attributes after one of an unknown type cannot be distinguished from its value, so they are not removed with it.
#[test]
fn attributes_of_unknown_types_and_equal_names() {
    let model =
        |blob: &[u8]| crate::binary_of([instance("Folder", "f").property("AttributesSerialize", blob)]);
    let unknown = model(b"\x02\0\0\0\x01\0\0\0A\x77abc\x01\0\0\0B\x03\x01");
    for edit in [
        "set f.AttributesSerialize -A",
        "set f.AttributesSerialize +A=1",
        "set f.AttributesSerialize.A 1 float64",
    ] {
        let error = refused(&unknown, edit);
        let expected = "cannot change the attribute A: the length of its unknown type 0x77 is unknown, so the \
                        1 attribute after it would be removed, too";
        assert!(error.contains(expected), "{error}");
    }
    // Of two values with one name, the last one counts.
    let mut twice = open(model(b"\x02\0\0\0\x01\0\0\0A\x03\x01\x01\0\0\0A\x03\0"));
    assert_eq!(twice.text("f.AttributesSerialize.A"), "false");
    let found = twice.check(&[], None).expect("checked");
    let found = found.iter().find(|found| found.rule == "roblox.attribute-names").expect("found");
    assert_eq!(found.path, "f.AttributesSerialize.A");
}

/// A referent that an earlier version of the file had.
#[test]
fn a_null_reference_is_no_change() {
    let mut document = Document::new();
    document.insert(None, instance("A", "a")).expect("inserted");
    document.add_property("A", "To", Value::Ref(None)).expect("added");
    let Some(Column::Ref(all)) = document.column_mut(0, "To") else { panic!("no column") };
    assert_eq!(all[..], [Referent::NULL]);
    assert_eq!(losses(&bytes_of(&document)), (vec![], None));
}

/// Two lists of instances of one class, whose values have two types: XML stores both.
#[test]
fn two_types_of_a_binary_document_are_kept_in_xml() {
    let mut document = Document::new();
    let thing = |name: &str, value: Value| instance("Qwertyuiop", name).property("P", value);
    document.insert(None, thing("A", 5.into())).expect("inserted");
    let mut other = Document::new();
    other.insert(None, thing("B", true.into())).expect("inserted");
    let mut class = other.columns_mut().classes.remove(0);
    let columns = document.columns_mut();
    class.id = 1;
    class.referents[0] = Referent(9);
    columns.classes.push(class);
    columns.parents.children.push(Referent(9));
    columns.parents.parents.push(Referent::NULL);
    let text = String::from_utf8(open(bytes_of(&document)).made("a.rbxmx")).expect("text");
    for element in [field("int", "P", 5), field("bool", "P", true)] {
        assert!(text.contains(&element), "{text}");
    }
}

/// The bytes of an asset in an old file are lost in a binary file.
#[test]
fn bytes_in_place_of_an_address() {
    let (losses, refused) = losses(&part("<Content name=\"Texture\"><binary>aGk=</binary></Content>"));
    let what = "P: the binary format cannot store the unknown element <binary> in the property \"Texture\"";
    assert_eq!(losses, [format!("dropped: {what}")]);
    assert!(refused.is_some_and(|reason| reason.contains("the conversion would lose content")));
}

/// A colour that is inserted into a document that stores colours with a byte per channel.
#[test]
fn a_colour_that_an_insertion_rounds_is_listed() {
    let model = |value: Value| crate::binary_of([instance("Qwertyuiop", "T").property("C", value)]);
    let bytes = model(rbxbinary::types::Color3::new(0.123, 0.0, 1.0).into());
    let mut opened = crate::open(model(rbxbinary::types::Color3uint8::new(1, 2, 3).into()), "a.rbxm");
    let edits = rezkit::Edit::parse("insert m.rbxm").expect("an edit");
    let mut models = |_: &rezkit::Reference, _: u64| Ok(Some(bytes.clone()));
    let edited = opened.edit(&edits, &mut models, &EditOptions::new()).expect("inserted");
    let losses = crate::texts(&edited.losses);
    let what = "m.rbxm: Qwertyuiop.C: stored with the type Color3uint8, like the values of other instances of the \
                class; this changes the value";
    assert_eq!(losses, [what]);
}
