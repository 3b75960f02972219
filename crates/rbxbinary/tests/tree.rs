//! The tree and its edits.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use common::{chunk, end, header, inst, prnt, prop, string};
use rbxbinary::geom::Vec3;
use rbxbinary::{
    CFrame, Class, ClassFormat, Column, Content, Document, ErrorKind, Font, NewInstance, ReadOptions,
    Referent, UDim2, Value, ValueRef, WriteOptions,
};
use testkit::fixture;

fn place() -> Document {
    rbxbinary::from_slice(&fixture("rbxbinary", "place.rbxl")).unwrap()
}

/// Written, read again, and without a fault.
fn again(document: &Document) -> Document {
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(document).unwrap()).unwrap();
    let findings = rbxbinary::check(&again);
    assert!(findings.iter().all(|finding| finding.rule == "a model has a META chunk"), "{findings:?}");
    // Referents are dense, in the order of the tree; ids of classes are dense, in the file's order.
    let order: Vec<i32> = again.tree().descendants().map(|instance| instance.referent().0).collect();
    assert_eq!(order, (0..i32::try_from(order.len()).unwrap()).collect::<Vec<_>>());
    assert!(again.classes.iter().zip(0..).all(|(class, id)| class.id == id));
    // Children come before their parent.
    for (row, parent) in again.parents.parents.iter().enumerate().filter(|(_, parent)| !parent.is_null()) {
        assert!(again.parents.children.iter().position(|child| child == parent).unwrap() > row);
    }
    again
}

fn names(document: &Document) -> Vec<String> {
    document.tree().descendants().map(|instance| instance.name().to_string()).collect()
}

#[test]
fn walking() {
    let document = place();
    let tree = document.tree();
    let roots: Vec<_> = tree.roots().map(|root| root.class_name().to_string()).collect();
    assert_eq!(roots, ["Workspace", "Lighting"]);
    assert_eq!(tree.len(), 5);
    let door = tree.find("Workspace/Door").unwrap();
    assert_eq!((door.name().to_string(), door.class_name().to_string()), ("Door".into(), "Part".into()));
    assert_eq!(door.parent().unwrap().class_name(), "Workspace");
    assert_eq!(door.get("Anchored").unwrap().as_bool(), Some(true));
    assert_eq!(door.get("Size"), Some(ValueRef::Vector3(Vec3::new(4.0, 1.0, 2.0))));
    assert_eq!(door.get("Nothing"), None);
    let properties: Vec<_> = door.properties().map(|(name, _)| name.to_string()).collect();
    assert_eq!(properties, ["Name", "Anchored", "Size"]);
    let target = tree.by_class("ObjectValue").next().unwrap();
    assert_eq!(tree.get(target.get("Value").unwrap().as_referent().unwrap()), Some(door));
    let workspace = tree.find_first_child("Workspace").unwrap();
    assert_eq!(workspace.find_first_child("Inner").unwrap().class_name(), "Lighting");
    assert_eq!(workspace.find("Inner"), workspace.find_first_child("Inner"));
    assert_eq!(workspace.children().len(), 3);
    assert_eq!(workspace.descendants().count(), 3);
    assert!(tree.find("Workspace/Nobody").is_none() && tree.get(Referent(99)).is_none());
    assert!(tree.get(Referent::NULL).is_none());
}

#[test]
fn a_path_tries_all_of_the_same_name() {
    let mut document = Document::new();
    let folder = |name: &str| NewInstance::new("Folder").property("Name", name);
    let first = document.insert(None, folder("A")).unwrap();
    let second = document.insert(None, folder("A")).unwrap();
    document.insert(Some(first), folder("B")).unwrap();
    let wanted = document.insert(Some(second), folder("C")).unwrap();
    assert_eq!(document.tree().find("A/C").unwrap().referent(), wanted);
}

#[test]
fn setting() {
    let mut document = place();
    let door = document.tree().find("Workspace/Door").unwrap().referent();
    document.set(door, "Anchored", false).unwrap();
    document.set(door, "Name", "Gate").unwrap();
    document.set(door, "Transparency", 0.5_f32).unwrap();
    let document = again(&document);
    let tree = document.tree();
    let gate = tree.find("Workspace/Gate").unwrap();
    assert_eq!(gate.get("Anchored").unwrap().as_bool(), Some(false));
    assert_eq!(gate.get("Transparency"), Some(ValueRef::Float32(0.5)));
    // Services are still marked, and the one below is not.
    let marks: Vec<_> = document.classes.iter().map(|class| class.markers.clone()).collect();
    assert_eq!(marks[..2], [vec![1], vec![1, 0]]);
}

#[test]
fn a_refused_edit_changes_nothing() {
    let document = place();
    let mut edited = document.clone();
    let door = Referent(2);
    let error = edited.set(door, "Anchored", "yes").unwrap_err();
    assert_eq!(error.to_string(), "cannot write a String where the column holds Bool in Part.Anchored");
    assert!(matches!(error.kind(), ErrorKind::Unwritable(_)));
    let error = edited.set(Referent(99), "Name", "x").unwrap_err();
    assert_eq!(error.to_string(), "cannot write an instance that is not in the document in 99");
    let new = || NewInstance::new("Part").property("Name", "x").property("Size", 1.0_f32);
    assert_eq!(edited.insert(None, new()).unwrap_err().path(), "Part.Size");
    assert!(edited.insert(Some(Referent(99)), NewInstance::new("Part")).is_err());
    assert!(edited.remove(Referent(99)).is_err());
    let error = edited.reparent(Referent(0), Some(door)).unwrap_err();
    assert_eq!(error.to_string(), "cannot write an instance under itself in 0");
    assert!(edited.reparent(door, Some(door)).is_err());
    assert!(edited.merge(&document, Some(Referent(99))).is_err());
    assert_eq!(edited, document);
}

#[test]
fn values_that_a_column_can_hold_exactly() {
    let mut document = Document::new();
    let new = NewInstance::new("Thing")
        .property("Wide", 1.0_f64)
        .property("Narrow", 1.0_f32)
        .property("Long", 1_i64)
        .property("Short", 1_i32)
        .property("Text", "a")
        .property("Shared", Value::SharedString("b".into()));
    let thing = document.insert(None, new).unwrap();
    document.set(thing, "Wide", 0.1_f32).unwrap();
    document.set(thing, "Narrow", 0.5_f64).unwrap();
    document.set(thing, "Long", -7_i32).unwrap();
    document.set(thing, "Short", -7_i64).unwrap();
    document.set(thing, "Text", Value::SharedString("shared".into())).unwrap();
    document.set(thing, "Shared", "plain").unwrap();
    assert_eq!(document.get(thing, "Wide"), Some(ValueRef::Float64(f64::from(0.1_f32))));
    assert_eq!(document.get(thing, "Narrow"), Some(ValueRef::Float32(0.5)));
    assert_eq!(document.get(thing, "Long").unwrap().as_i64(), Some(-7));
    assert_eq!(document.get(thing, "Short").unwrap().as_i64(), Some(-7));
    assert_eq!(document.get(thing, "Text"), Some(ValueRef::String("shared".into())));
    assert_eq!(document.get(thing, "Shared"), Some(ValueRef::SharedString("plain".into())));
    // What would lose something is refused.
    assert!(document.set(thing, "Narrow", 0.1_f64).is_err());
    assert!(document.set(thing, "Short", i64::MAX).is_err());
}

#[test]
fn inserting_fills_the_columns() {
    let mut document = place();
    let workspace = document.tree().find("Workspace").unwrap().referent();
    let wall = NewInstance::new("Part")
        .property("Name", "Wall")
        .property("Archivable", false)
        .fill("Archivable", true)
        .property("CanCollide", true)
        .fill("Anchored", true);
    let wall = document.insert(Some(workspace), wall).unwrap();
    assert_eq!(document.get(wall, "Name").unwrap().as_str(), Some("Wall"));
    let script = NewInstance::new("Script").property("Name", "Main").property("Source", "print(1)");
    document.insert(Some(wall), script).unwrap();
    let sound = NewInstance::new("SoundService").service(true).property("Name", "SoundService");
    document.insert(None, sound).unwrap();
    let document = again(&document);
    let tree = document.tree();
    let (door, wall) = (tree.find("Workspace/Door").unwrap(), tree.find("Workspace/Wall").unwrap());
    // A column that is new: the value that was given for the others, or the neutral one.
    assert_eq!(door.get("Archivable").unwrap().as_bool(), Some(true));
    assert_eq!(wall.get("Archivable").unwrap().as_bool(), Some(false));
    assert_eq!(door.get("CanCollide").unwrap().as_bool(), Some(false));
    // A column that was there: the value that was given for it, or the neutral one.
    assert_eq!(wall.get("Anchored").unwrap().as_bool(), Some(true));
    assert_eq!(wall.get("Size"), Some(ValueRef::Vector3(Vec3::default())));
    assert_eq!(tree.find("Workspace/Wall/Main").unwrap().get("Source").unwrap().as_str(), Some("print(1)"));
    assert_eq!(tree.roots().last().unwrap().class_name(), "SoundService");
    let service = document.class("SoundService").unwrap();
    assert_eq!((service.format, service.markers.as_slice()), (ClassFormat::SERVICE, &[1][..]));
}

#[test]
fn every_type_has_a_neutral_value() {
    let mut document = rbxbinary::from_slice(&fixture("rbxbinary", "types.rbxm")).unwrap();
    let new = document.insert(None, NewInstance::new("Thing")).unwrap();
    for property in &document.classes[0].properties {
        assert_eq!(property.column.len(), Some(4), "{}", property.name);
    }
    let get = |name: &str| document.get(new, name).unwrap().to_owned();
    assert_eq!(get("Int32"), Value::Int32(0));
    assert_eq!(get("Ref"), Value::Ref(Referent::NULL));
    assert_eq!(get("CFrame"), Value::CFrame(CFrame::IDENTITY));
    assert_eq!(get("OptionalCFrame"), Value::OptionalCFrame(None));
    assert_eq!(get("SharedString"), Value::SharedString("".into()));
    assert_eq!(get("UDim2"), Value::UDim2(UDim2::default()));
    assert_eq!(get("Font"), Value::Font(Font { weight: 400, ..Font::default() }));
    assert_eq!(get("Content"), Value::Content(Content::None));
    again(&document);
}

#[test]
fn every_value_can_be_set_and_removed() {
    let mut document = rbxbinary::from_slice(&fixture("rbxbinary", "types.rbxm")).unwrap();
    let values = |document: &Document, row: i32| -> Vec<Value> {
        let tree = document.tree();
        tree.get(Referent(row)).unwrap().properties().map(|(_, value)| value.unwrap().to_owned()).collect()
    };
    let names: Vec<_> = document.classes[0].properties.iter().map(|property| property.name.clone()).collect();
    let (second, third) = (values(&document, 1), values(&document, 2));
    for (name, value) in names.iter().zip(&second) {
        document.set(Referent(2), name, value.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let text = |values: &[Value]| format!("{values:?}");
    assert_eq!(text(&values(&document, 2)), text(&second));
    for (name, value) in names.iter().zip(&third) {
        document.set(Referent(1), name, value.clone()).unwrap();
    }
    assert_eq!(text(&values(&document, 1)), text(&third));
    // The other rows stay as they are where one goes.
    document.remove(Referent(1)).unwrap();
    let mut left = second.clone();
    for value in &mut left {
        // A reference to what was removed.
        match value {
            Value::Content(content @ Content::Object(_)) => *content = Content::Object(Referent::NULL),
            Value::Ref(referent) if *referent == Referent(1) => *referent = Referent::NULL,
            _ => {}
        }
    }
    assert_eq!(text(&values(&document, 2)), text(&left));
    again(&document);
}

#[test]
fn removing_takes_everything_below() {
    let mut document = place();
    let target = document.tree().find("Workspace/Target").unwrap().referent();
    document.remove(Referent(2)).unwrap();
    assert_eq!(document.get(target, "Value"), Some(ValueRef::Ref(Referent::NULL)));
    assert!(document.tree().by_class("Part").next().is_none());
    // A class without instances goes.
    let left = again(&document);
    assert!(left.class("Part").is_none());
    assert_eq!(names(&left), ["Workspace", "Target", "Inner", "Lighting"]);
    assert_eq!(document.remove(Referent(0)).unwrap(), 3);
    assert_eq!(names(&again(&document)), ["Lighting"]);
    assert_eq!(document.remove(Referent(1)).unwrap(), 1);
    assert!(again(&document).classes.is_empty());
}

#[test]
fn reparenting() {
    let mut document = place();
    let (workspace, lighting) = (Referent(0), Referent(1));
    document.reparent(Referent(2), Some(lighting)).unwrap();
    document.reparent(lighting, Some(workspace)).unwrap();
    document.reparent(Referent(4), None).unwrap();
    let document = again(&document);
    assert_eq!(names(&document), ["Workspace", "Target", "Lighting", "Door", "Inner"]);
    assert_eq!(document.tree().find("Workspace/Lighting/Door").unwrap().class_name(), "Part");
    assert_eq!(document.class("Lighting").unwrap().markers, [0, 1]);
}

#[test]
fn merging() {
    let mut document = place();
    let types = rbxbinary::from_slice(&fixture("rbxbinary", "types.rbxm")).unwrap();
    let shared = rbxbinary::from_slice(&fixture("rbxbinary", "shared.rbxm")).unwrap();
    let workspace = document.tree().find("Workspace").unwrap().referent();
    let roots = document.merge(&types, Some(workspace)).unwrap();
    assert_eq!(roots.len(), 1);
    document.merge(&shared, Some(roots[0])).unwrap();
    document.merge(&place(), None).unwrap();
    let merged = again(&document);
    assert_eq!(merged.instance_count(), 5 + 3 + 3 + 5);
    // Shared strings that several had are there once.
    assert_eq!(merged.shared_strings.len(), 2);
    let tree = merged.tree();
    let thing = tree.by_class("Thing").next().unwrap();
    assert_eq!(thing.parent().unwrap().name(), "Workspace");
    // References lead where they led before.
    let object = thing.children().nth(1).unwrap();
    assert_eq!(tree.get(thing.get("Ref").unwrap().as_referent().unwrap()), Some(object));
    assert_eq!(object.get("Ref").unwrap().as_referent(), Some(thing.referent()));
    let mesh = tree.by_class("MeshPart").next().unwrap();
    assert_eq!(mesh.get("PhysicalConfigData").unwrap().as_str(), Some("two"));
    assert_eq!(mesh.parent().unwrap().get("Tags").unwrap().as_str(), Some("one"));
    // One class per name, all columns as long as it.
    let (parts, doors) = (merged.class("Part").unwrap(), tree.by_class("Part").count());
    assert_eq!((parts.referents.len(), doors), (2, 2));
    let targets: Vec<_> = tree.by_class("ObjectValue").collect();
    for target in targets {
        let door = tree.get(target.get("Value").unwrap().as_referent().unwrap()).unwrap();
        assert_eq!((door.name().to_string(), door.parent()), ("Door".into(), target.parent()));
    }
}

#[test]
fn merging_classes_that_differ() {
    let make = |name: &str, value: Value| {
        let mut document = Document::new();
        document
            .insert(None, NewInstance::new("Thing").property("Name", name).property(name, value))
            .unwrap();
        document
    };
    // A column that only one of them has is filled.
    let mut document = make("A", Value::Bool(true));
    document.merge(&make("B", Value::Int32(7)), None).unwrap();
    let merged = again(&document);
    assert_eq!(merged.classes.len(), 1);
    assert_eq!(merged.tree().find("A").unwrap().get("B"), Some(ValueRef::Int32(0)));
    assert_eq!(merged.tree().find("B").unwrap().get("A"), Some(ValueRef::Bool(false)));
    // Columns of different types cannot be one.
    let mut document = make("A", Value::Bool(true));
    document.merge(&make("A", Value::Int32(7)), None).unwrap();
    let merged = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(merged.classes.len(), 2);
    let values: Vec<_> = merged.tree().roots().map(|root| root.get("A").unwrap().to_owned()).collect();
    assert_eq!(values, [Value::Bool(true), Value::Int32(7)]);
}

#[test]
fn columns_of_unknown_values_are_left_alone() {
    let file = [
        header(1, 2),
        chunk(b"INST", &inst(0, "Thing", &[0, 1])),
        chunk(b"PROP", &prop(0, "Name", 1, &[string(b"a"), string(b"b")].concat())),
        chunk(b"PROP", &prop(0, "Later", 0x23, b"both values")),
        chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
        end(),
    ]
    .concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    let error = document.remove(Referent(0)).unwrap_err();
    assert_eq!(error.to_string(), "cannot write a part of a column of unknown values in Thing.Later");
    // A new instance of that class becomes one of its own, of the same name.
    let new = document.insert(None, NewInstance::new("Thing").property("Name", "c")).unwrap();
    document.set(Referent(0), "Name", "changed").unwrap();
    assert_eq!(document.classes.len(), 2);
    let merged = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(names(&merged), ["changed", "b", "c"]);
    assert!(
        matches!(merged.classes[0].property("Later"), Some(Column::Unknown { bytes, .. }) if **bytes == *b"both values")
    );
    document.remove(new).unwrap();
    assert_eq!(again_unknown(&document), ["changed", "b"]);
}

fn again_unknown(document: &Document) -> Vec<String> {
    names(&rbxbinary::from_slice(&rbxbinary::to_vec(document).unwrap()).unwrap())
}

#[test]
fn built_by_hand() {
    // Plain data, without a layout: it is written as Studio would.
    let mut document = Document::new();
    document.metadata.push(rbxbinary::Metadata { key: "ExplicitAutoJoints".into(), value: "true".into() });
    document.classes.push(Class {
        name: "Folder".into(),
        referents: vec![Referent(0), Referent(1)],
        properties: vec![rbxbinary::Property {
            name: "Name".into(),
            column: Column::String(["Outer", "Inner"].into_iter().collect()),
        }],
        ..Class::default()
    });
    document.parents.children = vec![Referent(1), Referent(0)];
    document.parents.parents = vec![Referent(0), Referent::NULL];
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let chunks: Vec<_> =
        rbxbinary::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap().name.to_string()).collect();
    assert_eq!(chunks, ["META", "INST", "PROP", "PRNT", "END"]);
    let read = rbxbinary::from_slice(&bytes).unwrap();
    assert!(rbxbinary::check(&read).is_empty());
    assert_eq!(read.tree().find("Outer/Inner").unwrap().referent(), Referent(1));
    // A column of another length is refused, with its name.
    document.classes[0].referents.push(Referent(2));
    let error = rbxbinary::to_vec(&document).unwrap_err();
    assert_eq!(error.to_string(), "cannot write 2 values for 3 instances in Folder.Name");
}

#[test]
fn reading_in_part() {
    let bytes = fixture("rbxbinary", "place.rbxl");
    let names = ReadOptions::new().filter(|class, property| class == "Part" && property == "Name");
    for bytes in [
        bytes.clone(),
        packed(&bytes, rbxbinary::Compression::Lz4),
        packed(&bytes, rbxbinary::Compression::Zstd),
    ] {
        let document = names.read(&bytes).unwrap();
        assert_eq!(document.instance_count(), 5);
        assert_eq!(document.tree().by_class("Part").next().unwrap().name(), "Door");
        let columns: Vec<_> = document.classes.iter().map(|class| class.properties.len()).collect();
        assert_eq!(columns, [0, 0, 1, 0]);
        let error = rbxbinary::to_vec(&document).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot write a document that was read with a filter"),
            "{error}"
        );
        let part = WriteOptions::new().allow_loss(true).write(&document).unwrap();
        assert_eq!(rbxbinary::from_slice(&part).unwrap().tree().find("").unwrap().class_name(), "Workspace");
    }
    // A filter that wants everything leaves nothing out.
    let all = ReadOptions::new().filter(|_, _| true).read(&bytes).unwrap();
    assert_eq!(all, rbxbinary::from_slice(&bytes).unwrap());
}

fn packed(bytes: &[u8], compression: rbxbinary::Compression) -> Vec<u8> {
    let document = rbxbinary::from_slice(bytes).unwrap();
    WriteOptions::new().compression(compression).write(&document).unwrap()
}

#[test]
fn compressed_bytes_are_kept_if_asked() {
    let bytes = fixture("rbxbinary", "mixed.rbxm");
    let mut document = ReadOptions::new().keep_compressed(true).read(&bytes).unwrap();
    assert!(rbxbinary::to_vec(&document).unwrap() == bytes);
    assert_eq!(rbxbinary::from_slice(&bytes).unwrap().layout.compressed.len(), 0);
    // They are not written where they no longer say what the model says.
    document.set(Referent(0), "Name", "changed").unwrap();
    let changed = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(changed.tree().roots().next().unwrap().name(), "changed");
    // And another compression is another compression.
    let none = WriteOptions::new().compression(rbxbinary::Compression::None).write(&document).unwrap();
    let mut chunks = rbxbinary::chunks(&none).unwrap().map(Result::unwrap);
    assert!(chunks.all(|chunk| chunk.compression == rbxbinary::Compression::None));
}

#[test]
fn signatures_do_not_outlive_an_edit() {
    let mut document = rbxbinary::from_slice(&fixture("rbxbinary", "unknown.rbxm")).unwrap();
    assert!(document.signatures.is_some());
    document.set(Referent(0), "Name", "x").unwrap();
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(again.signatures, None);
    // What is not known stays, but for a column of no class.
    let raw: Vec<_> = again.layout.raw.iter().map(|chunk| chunk.name.to_string()).collect();
    assert_eq!(raw, ["NEW", "NIL", "META"]);
}

#[test]
fn checking() {
    let rules = |document: &Document| -> Vec<&str> {
        rbxbinary::check(document).into_iter().map(|finding| finding.rule).collect()
    };
    let document = rbxbinary::from_slice(&fixture("rbxbinary", "parents.rbxm")).unwrap();
    let found = rules(&document);
    for rule in [
        "a referent is that of one instance",
        "a child is an instance",
        "a parent is an instance",
        "an instance has one parent",
        "no instance is its own ancestor",
        "an instance has a row among the parents",
    ] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    let found = rules(&rbxbinary::from_slice(&fixture("rbxbinary", "no_end.rbxm")).unwrap());
    assert_eq!(found, ["a file has a PRNT chunk", "a file ends with an END chunk"]);
    let found = rules(&rbxbinary::from_slice(&fixture("rbxbinary", "header.rbxm")).unwrap());
    for rule in ["the header says how many classes there are", "the header says how many instances there are"]
    {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    let found = rules(&rbxbinary::from_slice(&fixture("rbxbinary", "rotations.rbxm")).unwrap());
    assert_eq!(found, ["a rotation id stands for one of 24 rotations"]);
    assert!(rules(&place()).is_empty());
    let mut short = place();
    *short.classes[2].property_mut("Anchored").unwrap() = Column::Bool(Vec::new());
    assert_eq!(rules(&short), ["a column has a value for each instance of its class"]);
    let finding = &rbxbinary::check(&short)[0];
    assert_eq!((finding.path.as_str(), finding.what.as_str()), ("Part.Anchored", "0 values for 1 instances"));
}
