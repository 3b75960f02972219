//! One set of calls for documents of both forms, and their properties as columns.

#![allow(clippy::unwrap_used, reason = "what is not there fails the test")]

use std::sync::Arc;

use rezkit::kinds::roblox::{Column, ColumnData, Document, InstanceId, Value};
use rezkit::{ConvertOptions, ErrorKind, Fill, open};

const XML: &str = r#"<roblox version="4">
<Item class="Folder" referent="a"><Properties><string name="Name">Box</string></Properties>
<Item class="ObjectValue" referent="b"><Properties><string name="Name">One</string><Ref name="Value">a</Ref></Properties></Item>
<Item class="ObjectValue" referent="c"><Properties><string name="Name">Two</string><Ref name="Value">null</Ref></Properties></Item>
</Item>
<Item class="Part" referent="d"><Properties><string name="Name">Door</string>
<CoordinateFrame name="CFrame"><X>1</X><Y>2</Y><Z>3</Z><R00>0</R00><R01>0</R01><R02>1</R02><R10>0</R10><R11>1</R11>
<R12>0</R12><R20>-1</R20><R21>0</R21><R22>0</R22></CoordinateFrame>
<Vector3 name="size"><X>4</X><Y>5</Y><Z>6</Z></Vector3><bool name="Anchored">true</bool></Properties></Item>
</roblox>"#;

/// The same content as XML and in the binary form.
fn both() -> [Document; 2] {
    let mut xml = open(XML.into(), "box.rbxmx", ()).unwrap();
    let made = xml.convert(Some("rbxm"), "box.rbxm", &ConvertOptions::new()).unwrap();
    let binary = open(made.files[0].bytes.clone(), "box.rbxm", ()).unwrap();
    [xml.into_asset(), binary.into_asset()].map(|asset| Document::of(asset).unwrap())
}

fn names(document: &Document, ids: &[InstanceId]) -> Vec<String> {
    ids.iter().map(|&id| document.name(id).unwrap().into_owned()).collect()
}

fn column<'a>(columns: &'a [Column], name: &str) -> &'a Column {
    columns.iter().find(|column| column.name == name).unwrap()
}

#[test]
fn both_forms_are_one_tree() {
    for document in both() {
        assert_eq!(names(&document, &document.instances()), ["Box", "One", "Two", "Door"]);
        assert_eq!(names(&document, &document.roots()), ["Box", "Door"]);
        let group = document.find(None, "Box").unwrap();
        let two = document.find(Some(group), "Two").unwrap();
        assert_eq!((document.path(two).unwrap(), document.parent(two)), ("Box/Two".to_owned(), Some(group)));
        assert_eq!(document.class(two).unwrap(), "ObjectValue");
        let one = document.find(None, "Box/One").unwrap();
        assert_eq!(document.get(one, "Value"), Some(Value::Ref(Some(group))));
        assert_eq!(document.get(two, "Value"), Some(Value::Ref(None)));
        assert_eq!(document.get(two, "Nothing"), None);
    }
}

#[test]
fn an_edit_changes_no_other_copy() {
    for before in both() {
        let mut document = before.clone();
        let (group, door) = (document.find(None, "Box").unwrap(), document.find(None, "Door").unwrap());
        document.set(door, "Anchored", &false.into(), Fill::Refuse).unwrap();
        let named = [("Name".to_owned(), "New".into())];
        let (new, filled) = document.insert(Some(group), "Folder", &named, Fill::Refuse).unwrap();
        assert!(filled.is_empty());
        document.reparent(door, Some(new)).unwrap();
        assert_eq!(document.path(door).unwrap(), "Box/New/Door");
        assert_eq!(document.remove(new).unwrap(), 2);
        assert!(!document.contains(door));
        assert_eq!(
            document.set(door, "Anchored", &true.into(), Fill::Refuse).unwrap_err().kind(),
            ErrorKind::Argument
        );
        assert_eq!(before.get(door, "Anchored"), Some(true.into()));
        assert_eq!((document.len(), before.len()), (3, 4));
        assert!(Arc::strong_count(&document.asset()) == 2);
    }
}

#[test]
fn an_instance_that_was_removed_is_none() {
    for document in both() {
        let mut changed = document.clone();
        let id = changed.find(None, "Box/One").unwrap();
        changed.remove(id).unwrap();
        assert!(!changed.contains(id) && changed.children(id).is_empty() && changed.parent(id).is_none());
        assert_eq!(changed.remove(id).unwrap_err().kind(), ErrorKind::Argument);
        let named = [("Value".to_owned(), Value::Ref(Some(id)))];
        assert!(changed.insert(None, "ObjectValue", &named, Fill::Refuse).is_err());
    }
}

#[test]
fn columns_have_a_row_for_each_instance() {
    for document in both() {
        let columns = document.columns(&document.by_class("Part"), true, 1 << 20).unwrap().into_vec();
        assert_eq!(column(&columns, "size").data, ColumnData::F32(vec![4.0, 5.0, 6.0]));
        assert_eq!(column(&columns, "size").shape, [3]);
        assert_eq!(column(&columns, "Anchored").data, ColumnData::Bool(vec![true]));
        let frame = column(&columns, "CFrame");
        let rows = [0., 0., 1., 1., 0., 1., 0., 2., -1., 0., 0., 3., 0., 0., 0., 1.];
        assert_eq!((frame.data.clone(), frame.shape), (ColumnData::F32(rows.to_vec()), &[4, 4][..]));

        let columns = document.columns(&document.by_class("ObjectValue"), true, 1 << 20).unwrap().into_vec();
        // The values are indices of instances: the folder is the first one.
        assert_eq!(column(&columns, "Value").data, ColumnData::I64(vec![0, -1]));
        let names = ColumnData::Bytes { offsets: vec![0, 3, 6], bytes: b"OneTwo".to_vec() };
        assert_eq!(column(&columns, "Name").data, names);
        assert!(columns.iter().all(|column| column.present.is_empty()));

        assert!(
            document.columns(&document.by_class("Nothing"), true, 1 << 20).unwrap().into_vec().is_empty()
        );
        assert_eq!(
            document.columns(&document.by_class("Part"), true, 10).unwrap_err().kind(),
            ErrorKind::Limit
        );
    }
}

#[test]
fn columns_of_named_properties() {
    for document in both() {
        let names = ["Size", "Position", "Nothing", "ClassName"].map(str::to_owned);
        let columns = document.columns_of(&document.by_class("Part"), &names, 1 << 20).unwrap().into_vec();
        let found: Vec<_> = columns.iter().map(|column| (&*column.name, column.kind)).collect();
        assert_eq!(found, [("Size", "Vector3"), ("Position", "Vector3"), ("ClassName", "String")]);
        assert_eq!(column(&columns, "Size").data, ColumnData::F32(vec![4.0, 5.0, 6.0]));
        assert_eq!(column(&columns, "Position").data, ColumnData::F32(vec![1.0, 2.0, 3.0]));
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
        assert_eq!(document.get(part, "size"), Some(size[0].1.clone()));
        document.insert(Some(workspace), "Part", &[], Fill::Defaults).unwrap();
        let again = open(document.asset().write(&rezkit::WriteOptions::new()).unwrap(), "", ()).unwrap();
        let again = Document::of(again.into_asset()).unwrap();
        assert_eq!(again.len(), 3);
        if let (Document::Binary(again), false) = (&again, xml) {
            assert!(again.classes().iter().any(|class| class.name == "Workspace" && class.format == rbxbinary::ClassFormat::SERVICE));
        }
    }
}

/// The default size and colour of parts, and number 23 of the palette, Bright blue: 13, 105, 172.
#[test]
fn values_that_are_not_stored_are_defaults_or_come_from_older_forms() {
    let xml = r#"<roblox version="4">
<Item class="Part" referent="0"><Properties><string name="Name">A</string></Properties></Item>
<Item class="Part" referent="1"><Properties><int name="BrickColor">23</int></Properties></Item>
</roblox>"#;
    let document = Document::of(open(xml.into(), "parts.rbxmx", ()).unwrap().into_asset()).unwrap();
    let columns = document.columns(&document.by_class("Part"), false, 1 << 20).unwrap().into_vec();
    assert_eq!(column(&columns, "size").data, ColumnData::F32(vec![4.0, 1.2, 2.0, 4.0, 1.2, 2.0]));
    assert_eq!(column(&columns, "Anchored").data, ColumnData::Bool(vec![false, false]));
    let colors = column(&columns, "Color3uint8");
    assert_eq!(colors.data, ColumnData::U8(vec![163, 162, 165, 13, 105, 172]));
    assert!(colors.present.is_empty());
    let stored = document.columns(&document.by_class("Part"), true, 1 << 20).unwrap().into_vec();
    assert_eq!(stored.iter().map(|column| &*column.name).collect::<Vec<_>>(), ["Name", "BrickColor"]);

    let [default, older] = document.by_class("Part")[..] else { panic!("two parts") };
    for (id, property, value) in [
        (default, "Size", Value::Vector3([4.0, 1.2, 2.0].into())),
        (default, "Name", "A".into()),
        (older, "Name", "Part".into()),
        (older, "Color", rbxbinary::Color3uint8 { r: 13, g: 105, b: 172 }.into()),
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
    let mut xml = open(XML.into(), "box.rbxmx", ()).unwrap();
    let binary = xml.convert(Some("rbxm"), "box.rbxm", &ConvertOptions::new()).unwrap();
    for mut opened in [xml, open(binary.files[0].bytes.clone(), "box.rbxm", ()).unwrap()] {
        for output in ["a.rbxm", "a.rbxmx", "a.rbxlx"] {
            let made = opened.convert(None, output, &options).unwrap();
            let made = open(made.files[0].bytes.clone(), output, ()).unwrap();
            let document = Document::of(made.into_asset()).unwrap();
            assert_eq!(names(&document, &document.instances()), ["Box", "One", "Two"], "{output}");
        }
        let mut wrong = options.clone();
        wrong.scene.path = Some("Bax".to_owned());
        assert_eq!(opened.convert(None, "a.rbxm", &wrong).unwrap_err().kind(), ErrorKind::Argument);
    }
    let mut llsd = open(b"<llsd><integer>1</integer></llsd>".to_vec(), "a.xml", ()).unwrap();
    assert_eq!(llsd.convert(Some("binary"), "a", &options).unwrap_err().kind(), ErrorKind::Argument);
}

/// The bytes of the attributes are those of Roblox: the number of attributes, then for each its name, the byte of its
/// type (3 for a boolean, 6 for a double, 0x11 for a Vector3) and the value.
#[test]
fn attributes_and_tags_are_set() {
    for mut document in both() {
        let door = document.find(None, "Door").unwrap();
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
        let stored = document.get(door, "AttributesSerialize").unwrap();
        assert_eq!(stored.as_bytes(), Some(&*blob));
        let to = document.find(None, "Box").unwrap();
        document.set_attribute(door, "To", Some(&Value::Ref(Some(to)).into())).unwrap();
        let attributes = document.attributes(door).unwrap();
        assert_eq!(
            attributes.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
            ["At", "Count", "Open", "To"]
        );

        assert!(document.tags(door).unwrap().is_empty());
        document.set_tags(door, vec!["Lava".into(), "Hot".into()]).unwrap();
        assert_eq!(document.get(door, "Tags").unwrap().as_bytes(), Some(&b"Lava\0Hot"[..]));
        assert_eq!(document.tags(door).unwrap(), ["Lava", "Hot"]);
    }
}

#[test]
fn properties_that_files_store_elsewhere_are_refused() {
    for mut document in both() {
        let door = document.find(None, "Door").unwrap();
        let before = document.properties(door);
        for (property, why) in [
            ("Position", "files store Part.Position in CFrame (set CFrame)"),
            ("Parent", "the parent is not stored as a property (move the instance)"),
        ] {
            let value = Value::Vector3([1.0, 2.0, 3.0].into());
            let error = document.set(door, property, &value, Fill::Defaults).unwrap_err();
            assert_eq!((error.kind(), error.reason()), (ErrorKind::Argument, why));
            let named = [(property.to_owned(), value)];
            assert_eq!(document.insert(None, "Part", &named, Fill::Defaults).unwrap_err().reason(), why);
        }
        assert_eq!(document.properties(door), before);
        if matches!(document, Document::Binary(_)) {
            let error = document.insert(None, "Part", &[], Fill::Refuse).unwrap_err();
            assert_eq!((error.kind(), error.missing()[0].of), (ErrorKind::Incomplete, 2));
        }
    }
}

/// Folder is an Instance; Part is a BasePart and a PVInstance, as Model.
#[test]
fn instances_of_derived_classes_are_found() {
    for document in both() {
        let names = |class: &str| names(&document, &document.is_a(class));
        assert_eq!(names("BasePart"), ["Door"]);
        assert_eq!(names("ValueBase"), ["One", "Two"]);
        assert_eq!(names("Instance"), ["Box", "One", "Two", "Door"]);
        assert!(names("Model").is_empty());
        let all = document.columns(&document.is_a("Instance"), false, 1 << 20).unwrap().into_vec();
        assert_eq!(column(&all, "Anchored").present, [false, false, false, true]);
        assert_eq!(
            column(&all, "Name").data,
            ColumnData::Bytes { offsets: vec![0, 3, 6, 9, 13], bytes: b"BoxOneTwoDoor".to_vec() }
        );
    }
}

/// Number 21 of the palette is Bright red: 196, 40, 28. XML stores the properties of each instance, so nothing is filled
/// in there.
#[test]
fn a_property_that_no_instance_stores_is_set_with_values_for_the_others() {
    let xml = r#"<roblox version="4">
<Item class="Part" referent="0"><Properties><int name="BrickColor">21</int></Properties></Item>
<Item class="Part" referent="1"><Properties><int name="BrickColor">21</int></Properties></Item>
</roblox>"#;
    let mut opened = open(xml.into(), "parts.rbxmx", ()).unwrap();
    let binary = opened.convert(Some("rbxm"), "parts.rbxm", &ConvertOptions::new()).unwrap();
    let binary = open(binary.files[0].bytes.clone(), "parts.rbxm", ()).unwrap();
    let half = Value::Float32(0.5);
    let mut document = Document::of(binary.into_asset()).unwrap();
    let [a, b] = document.by_class("Part")[..] else { panic!("two parts") };
    for fill in [Fill::Refuse, Fill::Neutral] {
        // A colour has no neutral value, but all other parts store an older form.
        let mut copy = document.clone();
        let color: Value = rbxbinary::Color3uint8 { r: 0, g: 0, b: 255 }.into();
        let losses = copy.set(a, "Color", &color, fill).unwrap();
        assert_eq!(losses.iter().map(|loss| &*loss.path).collect::<Vec<_>>(), ["Part.Color3uint8"]);
        assert_eq!(copy.get(a, "Color"), Some(color));
        let red: Value = rbxbinary::Color3uint8 { r: 196, g: 40, b: 28 }.into();
        assert_eq!(copy.get(b, "Color"), Some(red));
    }
    let error = document.set(a, "Transparency", &half, Fill::Refuse).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incomplete);
    assert_eq!(document.get(a, "Transparency"), None);
    let losses = document.set(a, "Transparency", &half, Fill::Defaults).unwrap();
    assert_eq!((losses.len(), losses[0].count), (1, 1));
    assert_eq!(document.get(a, "Transparency"), Some(half.clone()));
    assert_eq!(document.get(b, "Transparency"), Some(Value::Float32(0.0)));

    let mut document = Document::of(opened.into_asset()).unwrap();
    let [a, b] = document.by_class("Part")[..] else { panic!("two parts") };
    assert!(document.set(a, "Transparency", &half, Fill::Refuse).unwrap().is_empty());
    assert_eq!(document.get(b, "Transparency"), None);
}

/// Known bytes of documents of 2026: 1.5, an array with a hole, a reference.
#[test]
fn attributes_are_values() {
    use base64::Engine as _;
    use rezkit::blobs::Attribute;
    let blob = b"\x02\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f\x01\0\0\0c\x07\x03\0\0\0\x06\0\0\0\0\0\0\xf8\x3f\x01\x03\x01";
    let blob = base64::prelude::BASE64_STANDARD.encode(blob);
    let xml = format!(
        "<roblox version=\"4\"><Item class=\"Part\" referent=\"0\"><Properties><string name=\"Name\">P</string>\
         <BinaryString name=\"AttributesSerialize\">{blob}</BinaryString><Ref name=\"__attrRef_d\">0</Ref></Properties></Item></roblox>"
    );
    let options = ConvertOptions::new().fill(Fill::Defaults);
    let mut opened = open(xml.into(), "a.rbxmx", ()).unwrap();
    let binary = opened.convert(None, "a.rbxm", &options).unwrap().files.remove(0).bytes;
    for opened in [opened, open(binary, "a.rbxm", ()).unwrap()] {
        let document = Document::of(opened.into_asset()).unwrap();
        let part = document.by_class("Part")[0];
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

/// In XML, instances of one class may have different properties, and a property may have different types.
#[test]
fn rows_without_a_value_are_marked() {
    let xml = r#"<roblox version="4">
<Item class="Odd" referent="0"><Properties><int name="A">1</int></Properties></Item>
<Item class="Odd" referent="1"><Properties><string name="B">text</string></Properties></Item>
<Item class="Odd" referent="2"><Properties><int name="A">3</int><float name="B">0.5</float></Properties></Item>
<Item class="Odd" referent="3"><Properties><int name="A">4</int><Ref name="C">2</Ref></Properties></Item>
<Item class="Odd" referent="4"><Properties><int name="A">5</int><Ref name="C">null</Ref></Properties></Item>
</roblox>"#;
    let document = Document::of(open(xml.into(), "odd.rbxmx", ()).unwrap().into_asset()).unwrap();
    let columns = document.columns(&document.by_class("Odd"), true, 1 << 20).unwrap().into_vec();
    let a = column(&columns, "A");
    assert_eq!(
        (a.data.clone(), a.present.clone()),
        (ColumnData::I32(vec![1, 0, 3, 4, 5]), vec![true, false, true, true, true])
    );
    let b = column(&columns, "B");
    let text = ColumnData::Bytes { offsets: vec![0, 0, 4, 4, 4, 4], bytes: b"text".to_vec() };
    assert_eq!((b.data.clone(), b.present.clone()), (text, vec![false, true, false, false, false]));
    let other = column(&columns, "B (Float32)");
    let numbers = ColumnData::F32(vec![0.0, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(
        (other.data.clone(), other.present.clone()),
        (numbers, vec![false, false, true, false, false])
    );
    let c = column(&columns, "C");
    let indices = ColumnData::I64(vec![-1, -1, -1, 2, -1]);
    assert_eq!((c.data.clone(), c.present.clone()), (indices, vec![false, false, false, true, true]));
}

#[test]
fn each_row_has_the_path_of_its_node() {
    use rezkit::tree;
    let item = |name: &str| {
        format!(r#"<Item class="Part"><Properties><string name="Name">{name}</string></Properties></Item>"#)
    };
    let text =
        format!(r#"<roblox version="4">{}{}{}{}</roblox>"#, item("a/b"), item("A"), item("A"), item("A[1]"));
    let model = open(text.into_bytes(), "rows.rbxmx", ()).unwrap();
    let list =
        open(b"<llsd><array><integer>7</integer><map/></array></llsd>".to_vec(), "rows.xml", ()).unwrap();
    for (opened, names) in [(&model, &["a/b", "A", "A", "A[1]"][..]), (&list, &["0", "1"])] {
        let root = opened.tree();
        let rows = tree::rows(&*root, "", 0, 9);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), names);
        assert_eq!(tree::rows(&*root, "", 1, 1), rows[1..2]);
        for (index, row) in rows.iter().enumerate() {
            let mut found = None;
            let there = tree::visit(&*root, &row.path, &mut |node| found = Some(node.name().into_owned()));
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
    let text = "<roblox version=\"4\"><Item class=\"UnionOperation\" referent=\"a\"><Properties>\
        <string name=\"Name\">A</string><NetAssetRef name=\"SolidMeshHolder\">aaaa</NetAssetRef>\
        <SharedString name=\"MeshData2\">bbbb</SharedString></Properties></Item><SharedStrings>\
        <SharedString md5=\"aaaa\">AQI=</SharedString><SharedString md5=\"bbbb\">AwQ=</SharedString></SharedStrings></roblox>";
    let mut bytes = text.as_bytes().to_vec();
    for form in ["rbxm", "rbxmx"] {
        let name = format!("a.{form}");
        let made = open(bytes, "a", ()).unwrap().convert(Some(form), &name, &ConvertOptions::new()).unwrap();
        bytes = made.files[0].bytes.clone();
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
        let found = rezkit::detect(text.as_bytes()).map(|found| found.kind.name);
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
