//! One set of calls for documents of both forms.

#![allow(clippy::unwrap_used, reason = "what is not there fails the test")]

use crate::Ask as _;

use crate::xml::{self, cframe, field, tree, vector};
use rezkit::Document;
use rezkit::formats::roblox::{InstanceId, Value};
use rezkit::{ConvertOptions, ErrorKind, Fill, ReadOptions};

/// A folder with two references, and a door.
fn content() -> Vec<u8> {
    let refer = |to: &str| field("Ref", "Value", to);
    let turned = cframe("CFrame", [1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let door = turned + &vector("size", [4.0, 5.0, 6.0]) + &field("bool", "Anchored", true);
    tree(&format!(
        "Folder#a|Box\n  ObjectValue#b|One|{}\n  ObjectValue#c|Two|{}\nPart#d|Door|{door}",
        refer("a"),
        refer("null")
    ))
}

/// The same content as XML and in the binary form.
fn both() -> [Document; 2] {
    let mut xml = crate::open(content(), "box.rbxmx");
    let binary = crate::open(xml.made("box.rbxm"), "box.rbxm");
    [xml, binary].map(as_document)
}

fn as_document(opened: rezkit::Opened<'_>) -> Document {
    Document::of(opened.into_content()).unwrap()
}

fn names(document: &Document, ids: impl Iterator<Item = InstanceId>) -> Vec<String> {
    ids.map(|id| document.name(id).unwrap().to_string()).collect()
}

/// The value that a document stores.
fn get(document: &Document, id: InstanceId, property: &str) -> Option<Value> {
    rbxdocument::effective::stored(&**document, id, property)
}

#[test]
fn both_forms_are_one_tree() {
    for document in both() {
        assert_eq!(names(&document, document.instances()), ["Box", "One", "Two", "Door"]);
        assert_eq!(names(&document, document.roots()), ["Box", "Door"]);
        let group = document.find("Box").unwrap();
        let two = document.find_in(group, "Two").unwrap();
        assert_eq!((document.path(two).unwrap(), document.parent(two)), ("Box/Two".into(), Some(group)));
        assert_eq!(document.class(two).unwrap(), "ObjectValue");
        let one = document.find("Box/One").unwrap();
        assert_eq!(get(&document, one, "Value"), Some(Value::Ref(Some(group))));
        assert_eq!(get(&document, two, "Value"), Some(Value::Ref(None)));
        assert_eq!(get(&document, two, "Nothing"), None);
    }
}

#[test]
fn an_edit_changes_no_other_copy() {
    for before in both() {
        let mut document = before.clone();
        let (group, door) = (document.find("Box").unwrap(), document.find("Door").unwrap());
        document.set(door, "Anchored", &false.into(), Fill::Refuse).unwrap();
        let named = [("Name".to_owned(), "New".into())];
        let (new, filled) = document.insert(Some(group), "Folder", &named, Fill::Refuse).unwrap();
        assert!(filled.is_empty());
        document.reparent(door, Some(new)).unwrap();
        assert_eq!(document.path(door).unwrap(), "Box/New/Door");
        assert_eq!(document.remove(new).unwrap(), 2);
        assert!(!document.contains(door));
        let error = document.set(door, "Anchored", &true.into(), Fill::Refuse).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert_eq!(get(&before, door, "Anchored"), Some(true.into()));
        assert_eq!((document.len(), before.len()), (3, 4));
        assert!(document.content().is_same(&document.content()));
    }
}

#[test]
fn an_instance_that_was_removed_is_none() {
    for document in both() {
        let mut changed = document.clone();
        let id = changed.find("Box/One").unwrap();
        changed.remove(id).unwrap();
        assert!(
            !changed.contains(id) && changed.children(id).next().is_none() && changed.parent(id).is_none()
        );
        assert!(changed.remove(id).is_err());
        let named = [("Value".to_owned(), Value::Ref(Some(id)))];
        assert!(changed.insert(None, "ObjectValue", &named, Fill::Refuse).is_err());
    }
}

/// A new place has services, as in Studio.
#[test]
fn an_empty_document_gets_instances() {
    for xml in [false, true] {
        let mut document = Document::empty(xml);
        assert!(document.is_empty());
        let (workspace, _) = document.insert(None, "Workspace", &[], Fill::Defaults).unwrap();
        let size = [("Size".to_owned(), Value::Vector3([1.0, 2.0, 3.0].into()))];
        let (part, filled) = document.insert(Some(workspace), "Part", &size, Fill::Defaults).unwrap();
        assert!(filled.is_empty());
        assert_eq!(get(&document, part, "size"), Some(size[0].1.clone()));
        document.insert(Some(workspace), "Part", &[], Fill::Defaults).unwrap();
        let again = ReadOptions::new().open_content(document.content(), "", ()).to_vec().expect("written");
        let again = as_document(crate::open(again, ""));
        assert_eq!(again.len(), 3);
        if let (Document::Binary(again), false) = (&again, xml) {
            assert!(
                again.classes().iter().any(|class| class.name == "Workspace"
                    && class.format == rbxbinary::parts::ClassFormat::SERVICE)
            );
        }
    }
}

/// The default size and colour of parts, and number 23 of the palette, Bright blue: 13, 105, 172.
#[test]
fn values_that_are_not_stored_are_defaults_or_come_from_older_forms() {
    let item = "<Item class=\"Part\"><Properties><int name=\"BrickColor\">23</int></Properties></Item>";
    let xml = xml::document(&(xml::item("Part", "A", "", "") + item));
    let document = as_document(crate::open(xml, "parts.rbxmx"));
    let [default, older] = document.by_class("Part").collect::<Vec<_>>()[..] else { panic!("two parts") };
    for (id, property, value) in [
        (default, "Size", Value::Vector3([4.0, 1.2, 2.0].into())),
        (default, "Name", "A".into()),
        (older, "Name", "Part".into()),
        (older, "Color", rbxbinary::types::Color3uint8 { r: 13, g: 105, b: 172 }.into()),
    ] {
        assert_eq!(document.effective(id, property).unwrap(), value, "{property}");
    }
    for (property, why) in [
        ("Sise", "Sise: property name looks like a misspelling of Size"),
        ("Disabled", "Part has no stored property Disabled"),
    ] {
        let error = document.effective(older, property).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Argument, why.to_owned()));
    }
}

/// The option path selects an instance and its descendants also if the document only gets another form.
#[test]
fn a_part_of_a_document_is_converted() {
    let mut options = ConvertOptions::new();
    options.scene.path = Some("Box".to_owned());
    let mut xml = crate::open(content(), "box.rbxmx");
    let binary = xml.made("box.rbxm");
    for mut opened in [xml, crate::open(binary, "box.rbxm")] {
        for output in ["a.rbxm", "a.rbxmx", "a.rbxlx"] {
            let made = opened.convert(None, output, &options).unwrap();
            let made = crate::open(&made.files[0].bytes, output);
            let document = as_document(made);
            assert_eq!(names(&document, document.instances()), ["Box", "One", "Two"], "{output}");
        }
        let mut wrong = options.clone();
        wrong.scene.path = Some("Bax".to_owned());
        assert_eq!(opened.convert(None, "a.rbxm", &wrong).unwrap_err().kind(), ErrorKind::Argument);
    }
    let mut llsd = crate::open(b"<llsd><integer>1</integer></llsd>", "a.xml");
    assert_eq!(llsd.convert(Some("binary"), "a", &options).unwrap_err().kind(), ErrorKind::Argument);
}

/// The bytes of the attributes are those of Roblox: the number of attributes, then for each its name, the byte of its
/// type (3 for a boolean, 6 for a double, 0x11 for a Vector3) and the value.
#[test]
fn attributes_and_tags_are_set() {
    for mut document in both() {
        let door = document.find("Door").unwrap();
        let mut set = |name: &str, value: Option<Value>| {
            document.set_attribute(door, name, value.map(Into::into).as_ref())
        };
        assert!(set("Open", Some(true.into())).unwrap().is_empty());
        set("Count", Some(Value::Int64(3))).unwrap();
        set("Gone", Some(Value::from("x"))).unwrap();
        set("Gone", None).unwrap();
        set("At", Some(Value::Vector3([1.0, 0.0, 0.0].into()))).unwrap();
        assert_eq!(set("Open", Some(Value::from("maybe"))).unwrap_err().kind(), ErrorKind::Argument);
        // Roblox sorts attributes by their names.
        let mut blob = b"\x03\0\0\0\x02\0\0\0At\x11\0\0\x80\x3f\0\0\0\0\0\0\0\0\x05\0\0\0Count\x06".to_vec();
        blob.extend(3_f64.to_le_bytes());
        blob.extend(b"\x04\0\0\0Open\x03\x01");
        let stored = get(&document, door, "AttributesSerialize").unwrap();
        assert_eq!(stored.as_bytes(), Some(&*blob));
        let to = document.find("Box").unwrap();
        document.set_attribute(door, "To", Some(&Value::Ref(Some(to)).into())).unwrap();
        let attributes = document.attributes(door).unwrap();
        let names: Vec<_> = attributes.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["At", "Count", "Open", "To"]);

        assert!(rbxdocument::attributes::tags(&*document, door).unwrap().is_empty());
        document.set_tags(door, vec!["Lava".into(), "Hot".into()]).unwrap();
        assert_eq!(get(&document, door, "Tags").unwrap().as_bytes(), Some(&b"Lava\0Hot"[..]));
        assert_eq!(rbxdocument::attributes::tags(&*document, door).unwrap(), ["Lava", "Hot"]);
    }
}

/// A part of another property changes that one, and the parent moves the instance; a new one has neither.
#[test]
fn properties_that_files_store_elsewhere_change_those() {
    for mut document in both() {
        let door = document.find("Door").unwrap();
        let values = |document: &Document| -> Vec<_> {
            document.properties(door).map(|(name, value)| (name.to_string(), value.to_value())).collect()
        };
        let before = values(&document);
        let at: Value = Value::Vector3([1.0, 2.0, 3.0].into());
        for (property, why) in [
            ("Position", "files store Part.Position in CFrame (set CFrame)"),
            ("Parent", "the parent is not stored as a property (move the instance)"),
        ] {
            let named = [(property.to_owned(), at.clone())];
            assert_eq!(document.insert(None, "Part", &named, Fill::Defaults).unwrap_err().reason(), why);
        }
        let error = document.set(door, "Parent", &at, Fill::Defaults).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Argument, "Parent"));
        assert_eq!(values(&document), before);
        document.set(door, "Position", &at, Fill::Defaults).unwrap();
        document.set(door, "Position.Y", &Value::Float32(5.0), Fill::Defaults).unwrap();
        let frame = get(&document, door, "CFrame").and_then(|value| value.as_ref().as_cframe()).unwrap();
        assert_eq!(frame.position.to_array(), [1.0, 5.0, 3.0]);
        assert!(!values(&document).iter().any(|(name, _)| name.starts_with("Position")));
        let to = document.find("Box").unwrap();
        document.set(door, "Parent", &Value::Ref(Some(to)), Fill::Defaults).unwrap();
        assert_eq!(document.path(door), Some("Box/Door".into()));
        if matches!(document, Document::Binary(_)) {
            let error = document.insert(None, "Part", &[], Fill::Refuse).unwrap_err();
            assert_eq!((error.kind(), error.missing()[0].of), (ErrorKind::Incomplete, 2));
        }
    }
}

/// In the palette, 21 is bright red (196 40 28). One radius of a corner became four.
#[test]
fn what_replaced_a_property_is_set() {
    for mut document in both() {
        let red: Value = rbxbinary::types::Color3uint8 { r: 196, g: 40, b: 28 }.into();
        let given = [("Color".to_owned(), rbxbinary::types::Color3uint8 { r: 0, g: 0, b: 255 }.into())];
        let part = document.insert(None, "SpawnLocation", &given, Fill::Defaults).unwrap().0;
        let losses = document
            .set(part, "BrickColor", &rbxbinary::types::BrickColor(21).into(), Fill::Defaults)
            .unwrap();
        assert_eq!(losses[0].what, "stored in Color3uint8, which replaces the property");
        assert_eq!((get(&document, part, "Color"), get(&document, part, "BrickColor")), (Some(red), None));
        let radius = |offset| Value::from(rbxcore::UDim { scale: 0.0, offset });
        let sides = ["TopLeft", "TopRight", "BottomLeft", "BottomRight"].map(|side| format!("{side}Radius"));
        let given = sides.clone().map(|name| (name, radius(1)));
        let corner = document.insert(None, "UICorner", &given, Fill::Defaults).unwrap().0;
        document.set(corner, "CornerRadius", &radius(9), Fill::Defaults).unwrap();
        assert!(sides.iter().all(|name| get(&document, corner, name) == Some(radius(9))));
    }
}

/// Folder is an Instance; Part is a BasePart and a PVInstance, as Model.
#[test]
fn instances_of_derived_classes_are_found() {
    for document in both() {
        let names = |class: &str| names(&document, document.by_base(class));
        assert_eq!(names("BasePart"), ["Door"]);
        assert_eq!(names("ValueBase"), ["One", "Two"]);
        assert_eq!(names("Instance"), ["Box", "One", "Two", "Door"]);
        assert!(names("Model").is_empty());
    }
}

/// Number 21 of the palette is Bright red: 196, 40, 28. XML stores the properties of each instance, so nothing is filled
/// in there.
#[test]
fn a_property_that_no_instance_stores_is_set_with_values_for_the_others() {
    let item = "<Item class=\"Part\"><Properties><int name=\"BrickColor\">21</int></Properties></Item>";
    let xml = xml::document(&item.repeat(2));
    let mut opened = crate::open(xml, "parts.rbxmx");
    let binary = opened.made("parts.rbxm");
    let binary = crate::open(&binary, "parts.rbxm");
    let half = Value::Float32(0.5);
    let mut document = as_document(binary);
    let [a, b] = document.by_class("Part").collect::<Vec<_>>()[..] else { panic!("two parts") };
    for fill in [Fill::Refuse, Fill::Neutral] {
        // A colour has no neutral value, but all other parts store an older form.
        let mut copy = document.clone();
        let color: Value = rbxbinary::types::Color3uint8 { r: 0, g: 0, b: 255 }.into();
        let losses = copy.set(a, "Color", &color, fill).unwrap();
        assert_eq!(losses.iter().map(|loss| &*loss.path).collect::<Vec<_>>(), ["Part.Color3uint8"]);
        assert_eq!(get(&copy, a, "Color"), Some(color));
        let red: Value = rbxbinary::types::Color3uint8 { r: 196, g: 40, b: 28 }.into();
        assert_eq!(get(&copy, b, "Color"), Some(red));
    }
    let error = document.set(a, "Transparency", &half, Fill::Refuse).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incomplete);
    assert_eq!(get(&document, a, "Transparency"), None);
    let losses = document.set(a, "Transparency", &half, Fill::Defaults).unwrap();
    assert_eq!((losses.len(), losses[0].count), (1, 1));
    assert_eq!(get(&document, a, "Transparency"), Some(half.clone()));
    assert_eq!(get(&document, b, "Transparency"), Some(Value::Float32(0.0)));

    let mut document = as_document(opened);
    let [a, b] = document.by_class("Part").collect::<Vec<_>>()[..] else { panic!("two parts") };
    assert!(document.set(a, "Transparency", &half, Fill::Refuse).unwrap().is_empty());
    assert_eq!(get(&document, b, "Transparency"), None);
}

/// Known bytes of documents of 2026: 1.5, an array with a hole, a reference.
#[test]
fn attributes_are_values() {
    use rezkit::blobs::Attribute;
    let blob = b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0c\x07\x03\0\0\0\x06\0\0\0\0\0\0\xf8\x3f\x01\x03\x01";
    let attributes = xml::binary("AttributesSerialize", blob) + &field("Ref", "__attrRef_d", "0");
    let xml = tree(&format!("Part#0|P|{attributes}"));
    let options = ConvertOptions::new().fill(Fill::Defaults);
    let mut opened = crate::open(xml, "a.rbxmx");
    let binary = opened.made_with("a.rbxm", &options).0;
    for opened in [opened, crate::open(binary, "a.rbxm")] {
        let document = as_document(opened);
        let part = document.by_class("Part").next().unwrap();
        let number = || Attribute::from(1.5);
        let attributes = document.attributes(part).unwrap();
        let [(a, first), (c, list), (d, reference)] = &attributes[..] else { panic!("{attributes:?}") };
        assert_eq!([a.as_str(), c.as_str(), d.as_str()], ["a", "c", "d"]);
        assert_eq!(*first, number());
        assert_eq!(*reference, Attribute::Value(Value::Ref(Some(part))));
        let Attribute::Array(list) = list else { panic!("{list:?}") };
        assert!(matches!(list[1], Attribute::Nil));
        assert_eq!([&list[0], &list[2]], [&number(), &Attribute::from(true)]);
    }
}

#[test]
fn each_row_has_the_path_of_its_node() {
    use rezkit::tree;
    let text = tree("Part|a/b\nPart|A\nPart|A\nPart|A[1]");
    let model = crate::open(text, "rows.rbxmx");
    let list = crate::open(b"<llsd><array><integer>7</integer><map/></array></llsd>", "rows.xml");
    for (opened, names) in [(&model, &["a/b", "A", "A", "A[1]"][..]), (&list, &["0", "1"])] {
        let root = opened.tree();
        let rows = tree::list(&*root, "", 0, 9);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), names);
        assert_eq!(tree::list(&*root, "", 1, 1), rows[1..2]);
        for (index, row) in rows.iter().enumerate() {
            let mut found = None;
            let there =
                tree::with_node(&*root, &row.path, &mut |node| found = Some(node.name().into_owned()));
            assert!(there.unwrap() && found.as_ref() == Some(&row.name));
            // No other row has the path.
            assert_eq!(rows.iter().position(|other| other.path == row.path), Some(index));
        }
    }
    let mut found = Vec::new();
    let more = |row: tree::Row| {
        found.push(row.path);
        found.len() < 2
    };
    assert!(!tree::find(&*model.tree(), "", "pART", &mut { more }).unwrap());
    assert_eq!(found, ["a\\/b", "A"]);
}

/// The binary form has one type for both elements.
#[test]
fn shared_strings_keep_their_element() {
    let holders = field("NetAssetRef", "SolidMeshHolder", "aaaa") + &field("SharedString", "MeshData2", "k");
    let shared = xml::with_shared(&xml::item("UnionOperation", "A", &holders, ""), [3, 4]);
    let other = "<SharedString md5=\"aaaa\">AQI=</SharedString></SharedStrings>";
    let mut bytes = String::from_utf8(shared).unwrap().replace("</SharedStrings>", other).into_bytes();
    for form in ["rbxm", "rbxmx"] {
        bytes = crate::open(bytes, "a").made(&format!("a.{form}"));
    }
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("<NetAssetRef name=\"SolidMeshHolder\">"), "{text}");
    assert!(text.contains("<SharedString name=\"MeshData2\">"), "{text}");
}

/// Notation without a header is recognized by its content, and JSON is not mistaken for it.
#[test]
fn bare_notation() {
    for (text, kind) in [
        ("{'a':i1}", Some("llsd-notation")),
        ("\n[i1, r2.5]", Some("llsd-notation")),
        ("{'a':[i1,{'b':", Some("llsd-notation")),
        ("{\"a\":1}", None),
        ("[1,0]", None),
        ("{'a':what}", None),
        ("{ return 1 }", None),
    ] {
        let found = rezkit::detect(text.as_bytes()).map(|found| found.file_type.name);
        assert_eq!(found, kind, "{text}");
    }
}

/// An open file can be moved to another thread, with the function that provides its files.
#[test]
fn an_open_file_can_be_sent_to_another_thread() {
    let obj = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n".to_vec();
    let library = "newmtl red\nKd 1 0 0\n".to_owned();
    let sources = move |_: &rezkit::Reference, _: u64| Ok(Some(library.clone().into_bytes()));
    let mut opened = rezkit::open(obj, "a.obj", sources).unwrap();
    let other = std::thread::spawn(move || opened.convert(None, "a.glb", &rezkit::ConvertOptions::new()));
    assert_eq!(other.join().unwrap().unwrap().losses, []);
}
