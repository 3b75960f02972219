//! Edits: each changes only what it names, and a refused edit changes nothing.

use crate::common::{chunk, end, header, inst, part, prnt, prop, refused, string};
use rbxbinary::geom::Vec3;
use rbxbinary::{
    BrickColor, CFrame, ClassFormat, Color3uint8, Column, Content, Document, EditOptions, Fill, InstanceId,
    NewInstance, Others, UDim2, UniqueId, Value, ValueRef,
};
use testkit::{Sample, corpus, fixture};

fn open(name: &str) -> Document {
    rbxbinary::from_slice(&fixture("rbxbinary", name)).unwrap()
}

fn place() -> Document {
    open("place.rbxl")
}

/// Writes a document and reads it again; the result must break no rule.
fn again(document: &Document) -> Document {
    let again = rbxbinary::from_slice(&rbxbinary::to_vec(document).unwrap()).unwrap();
    let findings = rbxbinary::check(&again);
    // Except that neutral values can be out of range, such as a size of zero, and that `types.rbxm` has odd sequences.
    let allowed = ["metadata-chunk", "ranges", "sequences", "color-envelopes"];
    let allowed = allowed.map(|rule| format!("rbxbinary.{rule}"));
    assert!(
        findings.iter().all(|finding| allowed.iter().any(|rule| rule == finding.rule.id)),
        "{findings:?}"
    );
    // Instances keep their referents.
    let referents = |document: &Document| -> Vec<_> {
        document.instances().map(|id| document.referent(id).unwrap()).collect()
    };
    assert_eq!(referents(&again), referents(document));
    // Children come before their parent.
    let parents = again.parents();
    for (row, parent) in parents.parents.iter().enumerate().filter(|(_, parent)| !parent.is_null()) {
        assert!(parents.children.iter().position(|child| child == parent).unwrap() > row);
    }
    drop(parents);
    // The tree and the values are the same.
    assert_eq!(describe(&again), describe(document));
    again
}

/// All instances with all their values; references are paths.
fn describe(document: &Document) -> Vec<String> {
    let value = |value: ValueRef<'_>| match value.as_instance() {
        Some(id) => document.path(id).unwrap().to_string(),
        None => format!("{value:?}"),
    };
    let describe = |id| {
        let mut values: Vec<String> =
            document.properties(id).map(|(name, of)| format!("{name}={}", value(of))).collect();
        values.sort();
        format!("{} {} {values:?}", document.class(id).unwrap(), document.path(id).unwrap())
    };
    document.instances().map(describe).collect()
}

fn paths(document: &Document) -> Vec<String> {
    document.instances().map(|id| document.path(id).unwrap().to_string()).collect()
}

/// Two parts, `A` and `B`, with property names as in real files.
fn parts() -> (Document, InstanceId, InstanceId) {
    let mut document = Document::new();
    let color = Color3uint8::new(163, 162, 165);
    let part = |name| part(name).property("size", Vec3::new(4.0, 1.0, 2.0)).property("Color3uint8", color);
    document.insert(None, part("A")).unwrap();
    document.insert(None, part("B")).unwrap();
    let document = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    let (a, b) = (document.find("A").unwrap(), document.find("B").unwrap());
    (document, a, b)
}

#[test]
fn setting() {
    let mut document = place();
    let door = document.find("Workspace/Door").unwrap();
    document.set(door, "Anchored", false).unwrap();
    document.set(door, "Name", "Gate").unwrap();
    // Only values change: every other chunk keeps its content and its position.
    let written = rbxbinary::to_vec(&document).unwrap();
    let contents = |bytes: &[u8]| -> Vec<_> {
        rbxbinary::chunks(bytes).unwrap().map(|chunk| chunk.unwrap().data().unwrap().to_vec()).collect()
    };
    let (old, new) = (contents(&fixture("rbxbinary", "place.rbxl")), contents(&written));
    assert_eq!(old.len(), new.len());
    assert_eq!(old.iter().zip(&new).filter(|(old, new)| old != new).count(), 2);
    let document = rbxbinary::from_slice(&written).unwrap();
    let gate = document.find("Workspace/Gate").unwrap();
    assert_eq!(document.get(gate, "Anchored").unwrap().as_bool(), Some(false));
    // Services are still marked, and the one below another instance is not.
    let marks: Vec<_> = document.classes().iter().map(|class| class.markers.clone()).collect();
    assert_eq!(marks[..2], [vec![1], vec![1, 0]]);
}

/// Regression: `set` with a name that is not stored added a column, and damaged all other instances.
#[test]
fn a_property_that_is_not_stored_is_refused_with_the_closest_that_is() {
    let (mut document, a, b) = parts();
    let size = Vec3::new(1.0, 1.0, 1.0);
    if cfg!(not(feature = "classes")) {
        refused(
            &mut document,
            |d| d.set(a, "Size", size),
            "no instance of Part stores the property \"Size\" (did you mean \"size\"?) in A.Size",
        );
        let text =
            "no instance of Part stores the property \"Color\" (did you mean \"Color3uint8\"?) in A.Color";
        refused(&mut document, |d| d.set(a, "Color", Color3uint8::new(0, 0, 0)), text);
    }
    let text = "no instance of Part stores the property \"Nane\" (did you mean \"Name\"?) in A.Nane";
    refused(&mut document, |d| d.set(a, "Nane", "x"), text);
    let text = "no instance of Part stores the property \"CanCollide\" \
                (Document::add_property adds it to every instance) in A.CanCollide";
    refused(&mut document, |d| d.set(a, "CanCollide", false), text);
    // `add_property` adds a column, with a value for all instances.
    document.add_property("Part", "CanCollide", true).unwrap();
    document.set(a, "CanCollide", false).unwrap();
    let text = "the class already stores the property (Document::set changes its values, unless they are \
                malformed) in Part.CanCollide";
    refused(&mut document, |d| d.add_property("Part", "CanCollide", true), text);
    refused(
        &mut document,
        |d| d.add_property("Nothing", "A", true),
        "the document has no instance of the class Nothing (check the spelling) in Nothing",
    );
    let read = again(&document);
    let get = |name| read.get(read.find(name).unwrap(), "CanCollide").unwrap().as_bool();
    assert_eq!((get("A"), get("B")), (Some(false), Some(true)));
    assert_eq!(document.get(b, "size").unwrap().as_vector3(), Some(Vec3::new(4.0, 1.0, 2.0)));
    document.remove_property("Part", "CanCollide").unwrap();
    assert_eq!(document.get(a, "CanCollide"), None);
    let text = "no instance of Part stores the property \"CanCollide\" in Part.CanCollide";
    refused(&mut document, |d| d.remove_property("Part", "CanCollide"), text);
    again(&document);
}

/// Several properties are removed at once; if one cannot be, none is.
#[test]
fn properties_are_removed_together() {
    let (mut document, a, _) = parts();
    document.add_property("Part", "One", 1).unwrap();
    document.add_property("Part", "Two", 2).unwrap();
    let text = "no instance of Part stores the property \"Nothing\" in Part.Nothing";
    refused(&mut document, |d| d.remove_properties("Part", ["One", "Nothing"]), text);
    document.remove_properties("Part", ["Two", "size", "Two"]).unwrap();
    assert_eq!((document.get(a, "Two"), document.get(a, "size")), (None, None));
    assert_eq!(document.get(a, "One").unwrap().as_i32(), Some(1));
    again(&document);
}

/// Adding properties to a class keeps its index of columns: four times as many properties take about four times the
/// memory.
#[test]
fn many_properties_are_added() {
    let taken = |count: usize| {
        let (mut document, ..) = parts();
        let add = || (0..count).for_each(|at| document.add_property("Part", format!("P{at}"), true).unwrap());
        testkit::measure(add).bytes_total
    };
    let (few, many) = (taken(200), taken(800));
    assert!(many < few * 5, "{few} bytes for 200, {many} for 800");
}

/// A value of another type is refused, unless it converts exactly.
#[test]
fn values_of_another_type() {
    let mut document = Document::new();
    let new = NewInstance::new("Thing")
        .property("Wide", 1.0_f64)
        .property("Narrow", 1.0_f32)
        .property("Long", 1_i64)
        .property("Short", 1_i32)
        .property("Enum", Value::Enum(1))
        .property("Color", BrickColor(1))
        .property("Text", "a")
        .property("Flag", true)
        .property("Shared", Value::SharedString("b".into()))
        .property("Frame", None::<CFrame>);
    let thing = document.insert(None, new).unwrap();
    let shared = document.shared_strings().len();
    for (property, value) in [
        ("Narrow", Value::Float64(1e300)),
        ("Narrow", Value::Int32(i32::MAX)),
        ("Wide", Value::Int64(i64::MAX)),
        ("Short", Value::Int64(i64::MAX)),
        ("Enum", Value::Int32(-1)),
        ("Flag", "yes".into()),
        ("Flag", 1.into()),
        ("Short", true.into()),
        ("Text", 1.into()),
        ("Frame", Vec3::default().into()),
    ] {
        let stored = rbxbinary::TypeId::of_value(&document.get(thing, property).unwrap()).unwrap();
        // The debug form `Int32(7)` without the parentheses.
        let given = match value.as_f64().is_some() || value.as_i64().is_some() {
            true => format!("{value:?}").replace('(', " ").replace(')', ""),
            false => rbxbinary::TypeId::of_value(&value.as_ref()).unwrap().to_string(),
        };
        let text = format!("expected {stored}, found {given} in Thing.{property}");
        refused(&mut document, |d| d.set(thing, property, &value), text);
    }
    for (property, value) in [
        ("Wide", Value::Float32(0.1)),
        ("Narrow", Value::Float64(0.1)),
        ("Narrow", Value::Int32(-7)),
        ("Wide", Value::Int64(1 << 53)),
        ("Long", Value::Int32(-7)),
        ("Short", Value::Int64(-7)),
        ("Enum", Value::Int32(256)),
        ("Color", Value::Int32(194)),
        ("Text", Value::SharedString("shared".into())),
        ("Shared", "plain".into()),
        ("Frame", CFrame::new(1.0, 2.0, 3.0).into()),
    ] {
        document.set(thing, property, value).unwrap();
    }
    let get = |name| document.get(thing, name).unwrap().to_value();
    assert_eq!(get("Wide"), Value::Float64(9_007_199_254_740_992.0));
    assert_eq!(get("Narrow"), Value::Float32(-7.0));
    assert_eq!(get("Long"), Value::Int64(-7));
    assert_eq!(get("Short"), Value::Int32(-7));
    assert_eq!(get("Enum"), Value::Enum(256));
    assert_eq!(get("Color"), Value::BrickColor(BrickColor(194)));
    assert_eq!(get("Text"), Value::String("shared".into()));
    assert_eq!(get("Shared"), Value::SharedString("plain".into()));
    assert_eq!(get("Frame"), Value::from(Some(CFrame::new(1.0, 2.0, 3.0))));
    assert_eq!(document.shared_strings().len(), shared + 1);
    // Values of new instances are converted, too: 0.5 is an f64.
    let like = EditOptions::new().fill(Fill::Like(thing));
    let new = NewInstance::new("Thing").property("Narrow", 0.5);
    let new = like.insert(&mut document, None, new).unwrap().instances[0];
    assert_eq!(document.get(new, "Narrow"), Some(ValueRef::Float32(0.5)));
    again(&document);
}

/// Missing values are only filled in on request, and then listed.
#[test]
fn filling_in() {
    let (mut document, a, b) = parts();
    let like = EditOptions::new().fill(Fill::Like(a));
    let edited = like.insert(&mut document, None, part("C")).unwrap();
    let filled: Vec<_> = edited.filled.iter().map(ToString::to_string).collect();
    assert_eq!(
        filled,
        [
            "Part.size = Vector3(Vec3 { x: 4.0, y: 1.0, z: 2.0 }) in 1 instance",
            "Part.Color3uint8 = Color3uint8(Color3uint8 { r: 163, g: 162, b: 165 }) in 1 instance",
        ]
    );
    let c = edited.instances[0];
    assert_eq!(document.get(c, "size"), document.get(a, "size"));
    // Filled in by a function, which can return `None`.
    let size = |_: &_, property: &bstr::BStr| (property == "size").then(|| Vec3::new(1.0, 1.0, 1.0).into());
    let with = EditOptions::new().fill(Fill::With(&size));
    let text = "property values are missing in new instances (set EditOptions::fill): Part.Color3uint8";
    refused(&mut document, |d| with.insert(d, None, part("D")), text);
    // A new column: existing instances get a value, or the column is left out.
    let new = || part("D").property("CanCollide", true);
    let edited = like.others(Others::LeaveOut).insert(&mut document, None, new()).unwrap();
    assert_eq!(edited.left_out[0].to_string(), "Part.CanCollide of 1 instance");
    assert_eq!(document.get(edited.instances[0], "CanCollide"), None);
    let yes = |_: &_, _: &_| Some(Value::Bool(true));
    let edited = like.others(Others::With(&yes)).insert(&mut document, None, new()).unwrap();
    assert_eq!(edited.filled.last().unwrap().to_string(), "Part.CanCollide = Bool(true) in 4 instances");
    assert_eq!(document.get(b, "CanCollide").unwrap().as_bool(), Some(true));
    // A function that returns a value of another type.
    let wrong = |_: &_, _: &_| Some(Value::Bool(true));
    let text = "expected Vector3, found Bool in Part.size";
    refused(&mut document, |d| EditOptions::new().fill(Fill::With(&wrong)).insert(d, None, part("E")), text);
    let edited = EditOptions::new().fill(Fill::Neutral).insert(&mut document, None, part("E")).unwrap();
    assert_eq!(document.get(edited.instances[0], "Color3uint8").unwrap().as_color3uint8().unwrap().g, 162);
    assert_eq!(edited.filled.len(), 3);
    again(&document);
}

#[test]
fn nested_children_with_references() {
    let mut document = place();
    let workspace = document.find("Workspace").unwrap();
    let door = document.find("Workspace/Door").unwrap();
    let model = NewInstance::new("Model")
        .property("Name", "Gate")
        .reference("PrimaryPart", "left")
        .child(
            NewInstance::new("Weld")
                .property("Name", "Weld")
                .reference("Part0", "left")
                .property("Part1", door),
        )
        .child(part("Left").label("left").property("Anchored", true).property("Size", Vec3::default()))
        .child(
            NewInstance::new("Weld")
                .property("Name", "Other")
                .property("Part0", door)
                .reference("Part1", "left"),
        );
    let model = document.insert(workspace, model).unwrap();
    let left = document.find("Workspace/Gate/Left").unwrap();
    assert_eq!(document.get(model, "PrimaryPart").unwrap().as_instance(), Some(left));
    let weld = document.find_in(model, "Weld").unwrap();
    assert_eq!(document.get(weld, "Part0").unwrap().as_instance(), Some(left));
    assert_eq!(document.get(weld, "Part1").unwrap().as_instance(), Some(door));
    let names: Vec<_> = document.children(model).map(|id| document.name(id).unwrap().to_string()).collect();
    assert_eq!(names, ["Weld", "Left", "Other"]);
    let document = again(&document);
    let weld = document.find("Workspace/Gate/Weld").unwrap();
    assert_eq!(document.get(weld, "Part1").unwrap().as_instance(), document.find("Workspace/Door"));
}

#[test]
fn services() {
    let mut document = place();
    let sound = NewInstance::new("SoundService").service(true).property("Name", "SoundService");
    document.insert(None, sound).unwrap();
    let document = again(&document);
    let service = document.classes().iter().find(|class| class.name == "SoundService").unwrap();
    assert_eq!((service.format, service.markers.as_slice()), (ClassFormat::SERVICE, &[1][..]));
}

#[test]
fn every_type_has_a_neutral_value() {
    let mut document = open("types.rbxm");
    let neutral = EditOptions::new().fill(Fill::Neutral);
    let edited = neutral.insert(&mut document, None, NewInstance::new("Thing")).unwrap();
    assert_eq!(edited.filled.len(), document.classes()[0].properties.len());
    let new = edited.instances[0];
    let get = |name: &str| document.get(new, name).unwrap().to_value();
    assert_eq!(get("Int32"), Value::Int32(0));
    assert_eq!(get("Ref"), Value::Ref(None));
    assert_eq!(get("CFrame"), Value::from(CFrame::IDENTITY));
    assert_eq!(get("OptionalCFrame"), Value::OptionalCFrame(None));
    assert_eq!(get("SharedString"), Value::SharedString("".into()));
    assert_eq!(get("UDim2"), Value::UDim2(UDim2::default()));
    assert_eq!(get("Content"), Value::Content(Content::None));
    again(&document);
}

#[test]
fn every_value_can_be_set_and_removed() {
    let mut document = open("types.rbxm");
    let ids: Vec<_> = document.instances().collect();
    let values = |document: &Document, id| -> Vec<(String, Value)> {
        document.properties(id).map(|(name, value)| (name.to_string(), value.to_value())).collect()
    };
    let (second, third) = (values(&document, ids[1]), values(&document, ids[2]));
    for (name, value) in &second {
        document.set(ids[2], name, value).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert_eq!(values(&document, ids[2]), second);
    for (name, value) in &third {
        document.set(ids[1], name, value).unwrap();
    }
    assert_eq!(values(&document, ids[1]), third);
    // If a row is removed, the others keep their values, and references to the removed instance become null.
    document.remove(ids[1]).unwrap();
    let gone = Some(ids[1]);
    let left: Vec<_> = second
        .into_iter()
        .map(|(name, value)| match value {
            Value::Content(Content::Object(id)) if id == gone => (name, Content::Object(None).into()),
            Value::Ref(id) if id == gone => (name, Value::Ref(None)),
            value => (name, value),
        })
        .collect();
    assert_eq!(values(&document, ids[2]), left);
    again(&document);
}

#[test]
fn removing_takes_everything_below() {
    let mut document = place();
    let [workspace, door, target] =
        ["Workspace", "Workspace/Door", "Workspace/Target"].map(|path| document.find(path).unwrap());
    assert_eq!(document.remove(door).unwrap(), 1);
    assert!(
        !document.contains(door) && document.path(door).is_none() && document.get(door, "Name").is_none()
    );
    assert_eq!(document.get(target, "Value"), Some(ValueRef::Ref(None)));
    assert_eq!(document.by_class("Part").next(), None);
    // A class without instances is removed.
    let left = again(&document);
    assert!(!left.classes().iter().any(|class| class.name == "Part"));
    assert_eq!(paths(&left), ["Workspace", "Workspace/Target", "Workspace/Inner", "Lighting"]);
    // An instance below another one that is removed, in either order; and one that is given twice.
    let mut other = document.clone();
    assert_eq!(other.remove_all([target, workspace, target]).unwrap(), 3);
    assert_eq!(paths(&again(&other)), ["Lighting"]);
    assert_eq!(document.remove_all([workspace, target]).unwrap(), 3);
    assert_eq!(paths(&again(&document)), ["Lighting"]);
    let lighting = document.find("Lighting").unwrap();
    assert_eq!(document.remove(lighting).unwrap(), 1);
    assert!(again(&document).classes().is_empty());
    // The class can be added again, with other properties.
    document.insert(None, NewInstance::new("Part").property("Other", 1)).unwrap();
    again(&document);
}

/// A handle never refers to another instance.
#[test]
fn handles_stay() {
    let mut document = place();
    let door = document.find("Workspace/Door").unwrap();
    let first = document.roots().next().unwrap();
    let mut all: std::collections::HashSet<_> = document.instances().collect();
    for _ in 0..100 {
        let id = document.insert(first, NewInstance::new("Folder").property("Name", "x")).unwrap();
        assert!(all.insert(id));
        assert_eq!(document.name(door).unwrap(), "Door");
        document.remove(id).unwrap();
    }
    assert_eq!(document.len(), 5);
    again(&document);
}

#[test]
fn reparenting() {
    let mut document = place();
    let find = |document: &Document, path: &str| document.find(path).unwrap();
    let (workspace, lighting) = (find(&document, "Workspace"), find(&document, "Lighting"));
    let (door, inner) = (find(&document, "Workspace/Door"), find(&document, "Workspace/Inner"));
    document.reparent(door, lighting).unwrap();
    document.reparent(lighting, workspace).unwrap();
    document.reparent(inner, None).unwrap();
    // To the parent that it already has: it becomes the last child.
    document.reparent(door, lighting).unwrap();
    let document = again(&document);
    let expected =
        ["Workspace", "Workspace/Target", "Workspace/Lighting", "Workspace/Lighting/Door", "Inner"];
    assert_eq!(paths(&document), expected);
    let lighting = document.classes().iter().find(|class| class.name == "Lighting").unwrap();
    assert_eq!(lighting.markers, [0, 1]);
}

#[test]
fn merging() {
    let mut document = place();
    let (types, shared) = (open("types.rbxm"), open("shared.rbxm"));
    let workspace = document.find("Workspace").unwrap();
    let roots = document.merge(workspace, &types).unwrap();
    assert_eq!(roots.len(), 1);
    document.merge(roots[0], &shared).unwrap();
    document.merge(None, &place()).unwrap();
    // The metadata of the models are merged, too.
    assert_eq!(document.metadata().len(), types.metadata().len().max(shared.metadata().len()));
    let merged = again(&document);
    assert_eq!(merged.len(), 5 + 3 + 3 + 5);
    // Equal shared strings are stored once.
    assert_eq!(merged.shared_strings().len(), 2);
    let thing = merged.by_class("Thing").next().unwrap();
    assert_eq!(merged.parent(thing), merged.find("Workspace"));
    // References lead to the same instances as before.
    let object = merged.children(thing).nth(1).unwrap();
    assert_eq!(merged.get(thing, "Ref").unwrap().as_instance(), Some(object));
    assert_eq!(merged.get(object, "Ref").unwrap().as_instance(), Some(thing));
    let mesh = merged.by_class("MeshPart").next().unwrap();
    assert_eq!(merged.get(mesh, "PhysicalConfigData").unwrap().as_str(), Some("two"));
    let above = merged.parent(mesh).unwrap();
    assert_eq!(merged.get(above, "Tags").unwrap().as_str(), Some("one"));
    assert_eq!(merged.by_class("Part").count(), 2);
    for target in merged.by_class("ObjectValue") {
        let door = merged.get(target, "Value").unwrap().as_instance().unwrap();
        assert_eq!(
            (merged.name(door).unwrap().to_string(), merged.parent(door)),
            ("Door".into(), merged.parent(target))
        );
    }
}

#[test]
fn copying_a_subtree() {
    let source = place();
    let mut document = Document::new();
    let target = source.find("Workspace/Target").unwrap();
    // The instance that it refers to is not copied.
    let copy = document.copy_from(None, &source, target).unwrap();
    assert_eq!(document.get(copy, "Value"), Some(ValueRef::Ref(None)));
    let workspace = document.copy_from(copy, &source, source.find("Workspace").unwrap()).unwrap();
    let [target, door] = ["Target", "Door"].map(|name| document.find_in(workspace, name).unwrap());
    assert_eq!(document.get(target, "Value").unwrap().as_instance(), Some(door));
    assert_eq!(document.len(), 5);
    again(&document);
}

#[test]
fn merging_classes_that_differ() {
    let make = |name: &str, value: Value| {
        let mut document = Document::new();
        let new = NewInstance::new("Thing").property("Name", name).property(name, value);
        document.insert(None, new).unwrap();
        document
    };
    let (a, b) = (make("A", Value::Bool(true)), make("B", Value::Int32(7)));
    let text = "property values are missing in new instances (set EditOptions::fill and EditOptions::others): Thing.A; \
                in existing instances: Thing.B";
    let mut document = a.clone();
    refused(&mut document, |d| d.merge(None, &b), text);
    let options = EditOptions::new().fill(Fill::Neutral).others(Others::Neutral);
    let edited = options.merge(&mut document, None, &b).unwrap();
    let filled: Vec<_> = edited.filled.iter().map(ToString::to_string).collect();
    assert_eq!(filled, ["Thing.A = Bool(false) in 1 instance", "Thing.B = Int32(0) in 1 instance"]);
    let merged = again(&document);
    assert_eq!(merged.classes().len(), 1);
    assert_eq!(merged.get(merged.find("A").unwrap(), "B"), Some(ValueRef::Int32(0)));
    let mut document = a.clone();
    let left = EditOptions::new().fill(Fill::Neutral).others(Others::LeaveOut);
    let edited = left.merge(&mut document, None, &b).unwrap();
    assert_eq!(edited.left_out[0].to_string(), "Thing.B of 1 instance");
    assert_eq!(again(&document).classes()[0].properties.len(), 2);
    // Properties with the same name and different types cannot be merged.
    let text = "expected Bool, found Int32 7 in Thing.A";
    refused(&mut a.clone(), |d| d.merge(None, &make("A", Value::Int32(7))), text);
}

/// Regression: copies had the unique ids of their originals.
#[test]
fn copies_get_unique_ids_of_their_own() {
    let id = |index| UniqueId { random: 7, time: 8, index };
    let thing = |index| NewInstance::new("Thing").property("UniqueId", id(index));
    let mut document = Document::new();
    document.insert(None, thing(1).child(thing(5)).child(thing(0))).unwrap();
    let zeros = NewInstance::new("Thing").property("UniqueId", UniqueId::default());
    document.insert(None, zeros.clone()).unwrap();
    document.insert(None, zeros).unwrap();
    let source = document.clone();
    document.merge(None, &source).unwrap();
    let top = source.roots().next().unwrap();
    document.copy_from(None, &source, top).unwrap();
    let unique_ids = |document: &Document| {
        let findings = rbxbinary::check(document);
        findings
            .into_iter()
            .find(|finding| finding.rule.id == "rbxbinary.unique-ids")
            .map(|finding| finding.count)
    };
    assert_eq!(unique_ids(&document), None);
    // Ids of copies continue after the greatest one. Zero means that there is no id, and stays.
    let indices: Vec<u32> = document
        .instances()
        .map(|id| document.get(id, "UniqueId").unwrap().as_unique_id().unwrap())
        .map(|unique| if unique.is_nil() { 0 } else { unique.index })
        .collect();
    assert_eq!(indices, [1, 5, 0, 0, 0, 6, 7, 8, 0, 0, 9, 10, 11]);
    again(&document);
    // Ids can be kept on request. An instance that is filled like another one gets a new id.
    let mut kept = source.clone();
    EditOptions::new().keep_unique_ids(true).copy_from(&mut kept, None, &source, top).unwrap();
    assert_eq!(unique_ids(&kept), Some(3));
    let mut like = source.clone();
    let options = EditOptions::new().fill(Fill::Like(like.roots().next().unwrap()));
    options.insert(&mut like, None, NewInstance::new("Thing")).unwrap();
    assert_eq!(unique_ids(&like), None);
}

/// If setting a value fails because its row is missing, the shared string is not added either.
#[test]
fn a_refused_shared_string_is_not_kept() {
    let mut document = Document::new();
    let thing = |text: &str| NewInstance::new("Thing").property("Data", Value::SharedString(text.into()));
    document.insert(None, thing("a")).unwrap();
    let second = document.insert(None, thing("b")).unwrap();
    if let Some(Column::SharedString(rows)) = document.columns_mut().classes[0].property_mut("Data") {
        rows.pop();
    }
    let text = "the PROP chunk has no value for this instance in Thing[1].Data";
    refused(&mut document, |d| d.set(second, "Data", Value::SharedString("c".into())), text);
    assert_eq!(document.shared_strings().len(), 2);
}

/// A unique id that no instance has any more can be used again, after each kind of edit.
#[test]
fn unique_ids_are_free_again() {
    let id = |index| UniqueId { random: 7, time: 8, index };
    let thing = || NewInstance::new("Thing").property("UniqueId", id(1));
    let mut source = Document::new();
    let original = source.insert(None, thing()).unwrap();
    let copied = |document: &mut Document| {
        let copy = document.copy_from(None, &source, original).unwrap();
        (copy, document.get(copy, "UniqueId").unwrap().as_unique_id().unwrap())
    };
    let mut document = Document::new();
    let (first, unique) = copied(&mut document);
    assert_eq!(unique, id(1));
    document.remove(first).unwrap();
    let (first, unique) = copied(&mut document);
    assert_eq!(unique, id(1));
    let (second, unique) = copied(&mut document);
    assert_eq!(unique, id(2));
    document.set(first, "UniqueId", id(9)).unwrap();
    assert_eq!(copied(&mut document).1, id(1));
    assert_eq!(copied(&mut document).1, id(10));
    document.remove(second).unwrap();
    document.remove_property("Thing", "UniqueId").unwrap();
    document.add_property("Thing", "UniqueId", id(4)).unwrap();
    assert_eq!(copied(&mut document).1, id(1));
    assert_eq!(copied(&mut document).1, id(5));
    // This includes the ids of a removed property.
    let mut other = Document::new();
    other.insert(None, thing()).unwrap();
    let name = NewInstance::new("Other").property("UniqueId", id(1));
    let mut named = Document::new();
    let named_id = named.insert(None, name).unwrap();
    let first = other.copy_from(None, &named, named_id).unwrap();
    assert_eq!(other.get(first, "UniqueId").unwrap().as_unique_id(), Some(id(2)));
    other.remove_property("Thing", "UniqueId").unwrap();
    let second = other.copy_from(None, &named, named_id).unwrap();
    assert_eq!(other.get(second, "UniqueId").unwrap().as_unique_id(), Some(id(1)));
    // A refused edit uses no ids.
    let mut refused = source.clone();
    refused.set(original, "UniqueId", id(3)).unwrap();
    let other = NewInstance::new("Thing").property("UniqueId", id(1)).reference("A", "nowhere");
    refused.insert(None, other).unwrap_err();
    assert_eq!(copied(&mut refused).1, id(1));
}

/// Regression: a merge ignored that the other document is partial, and dropped external objects.
#[test]
fn what_cannot_be_merged_is_refused() {
    let bytes = fixture("rbxbinary", "place.rbxl");
    let only_names = rbxbinary::ReadOptions::new().filter(|_, property| property == "Name");
    let mut document = Document::new();
    document.merge(None, &only_names.read(&bytes).unwrap()).unwrap();
    assert!(rbxbinary::to_vec(&document).is_err() && document.is_partial());
    let mut source = Document::new();
    source.insert(None, NewInstance::new("Thing").property("Value", Content::None)).unwrap();
    if let Some(Column::Content(contents)) = source.columns_mut().classes[0].property_mut("Value") {
        contents.external.push(rbxbinary::Referent(0));
    }
    let text = "cannot copy instances: found references to external objects of unknown meaning (to drop them, \
                convert the source document to XML and back with the option allow_loss or --allow-loss) in \
                Thing.Value";
    refused(&mut Document::new(), |d| d.merge(None, &source), text);
    // An edit of the document itself keeps the external objects.
    let thing = source.roots().next().unwrap();
    source.set(thing, "Value", Content::Uri("x".into())).unwrap();
    let read = again(&source);
    let Some(Column::Content(contents)) = read.classes()[0].property("Value") else { panic!() };
    assert_eq!(contents.external, [rbxbinary::Referent(0)]);
}

/// If two classes have the same name, new instances go into the one that has instances, with the columns of that class.
/// A column without a type is not filled in, and cannot be set.
#[test]
fn where_new_instances_go() {
    let mut untyped = 1_u32.to_le_bytes().to_vec();
    untyped.extend(string(b"Nothing"));
    let file = [
        header(2, 1),
        chunk(b"INST", &inst(0, "Thing", &[])),
        chunk(b"INST", &inst(1, "Thing", &[0])),
        chunk(b"PROP", &prop(1, "Name", 1, &string(b"a"))),
        chunk(b"PROP", &untyped),
        chunk(b"PRNT", &prnt(&[0], &[-1])),
        end(),
    ]
    .concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    document.insert(None, NewInstance::new("Thing").property("Name", "b")).unwrap();
    assert_eq!(document.classes().iter().map(|class| class.referents.len()).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(document.classes()[1].property("Nothing"), Some(&Column::Untyped));
    let read = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(paths(&read), ["a", "b"]);
    let new = NewInstance::new("Thing").property("Name", "c").property("Nothing", true);
    let before = rbxbinary::to_vec(&document).unwrap();
    let error = document.insert(None, new).unwrap_err().to_string();
    assert!(error.contains("Thing.Nothing"), "{error}");
    assert_eq!(rbxbinary::to_vec(&document).unwrap(), before);
}

/// Regression, found by fuzzing: edited documents get new class ids, and a column of a missing class could match one.
#[test]
fn a_column_without_a_class_does_not_get_one() {
    let file = [
        header(2, 2),
        chunk(b"INST", &inst(0, "Thing", &[0])),
        chunk(b"INST", &inst(7, "Other", &[1])),
        chunk(b"PROP", &prop(0, "Name", 1, &string(b"a"))),
        chunk(b"PROP", &prop(7, "Name", 1, &string(b"b"))),
        chunk(b"PROP", &prop(1, "Orphan", 1, &string(b"c"))),
        chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
        end(),
    ]
    .concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(rbxbinary::to_vec(&document).unwrap(), file);
    let first = document.roots().next().unwrap();
    let text = "the document cannot be edited: it has a PROP chunk whose class id belongs to no class \
                (convert the document to XML and back, with the option allow_loss or --allow-loss, which drops the \
                chunk and all else that XML cannot store)";
    refused(&mut document, |d| d.set(first, "Name", "changed"), text);
    // A direct change of the columns must not give it a class either.
    document.columns_mut().classes[1].id = 1;
    let error = rbxbinary::to_vec(&document).unwrap_err().to_string();
    assert!(
        error.contains(
            "a PROP chunk that belonged to no class: its class id, 1, is now that of the class Other (give"
        ),
        "{error}"
    );
}

/// Regression, found by fuzzing: unknown bytes that are valid values of their type were written, and read as values.
#[test]
fn unknown_values_stay_unknown() {
    let file = [
        header(1, 1),
        chunk(b"INST", &inst(0, "Thing", &[0])),
        chunk(b"PROP", &prop(0, "Flag", 2, &[1, 0])),
        chunk(b"PRNT", &prnt(&[0], &[-1])),
        end(),
    ]
    .concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(rbxbinary::to_vec(&document).unwrap(), file);
    let Some(Column::Unknown { bytes, .. }) = document.columns_mut().classes[0].property_mut("Flag") else {
        panic!("two flags of one instance")
    };
    *bytes = [1].into();
    let error = rbxbinary::to_vec(&document).unwrap_err().to_string();
    assert!(error.contains("Thing.Flag") && error.contains("Bool"), "{error}");
}

#[test]
fn what_a_copy_and_a_merge_make_untrue() {
    let bytes = fixture("rbxbinary", "place.rbxl");
    let place = rbxbinary::from_slice(&bytes).unwrap();
    let partial =
        rbxbinary::ReadOptions::new().filter(|_, property| property == "Name").read(&bytes).unwrap();
    // A copy from a partial document makes the target partial, which stays so.
    let mut document = Document::new();
    document.copy_from(None, &partial, partial.roots().next().unwrap()).unwrap();
    assert!(document.is_partial());
    let mut copies = Document::new();
    copies.copy_from(None, &place, place.roots().next().unwrap()).unwrap();
    assert!(!copies.is_partial());
    let neutral = EditOptions::new().others(Others::Neutral);
    neutral.copy_from(&mut document, None, &place, place.roots().next().unwrap()).unwrap();
    assert!(document.is_partial());
    // A signature covers the whole file, including metadata. So a merge that adds metadata removes it.
    let signature = chunk(b"SIGN", b"signed");
    let mut signed = rbxbinary::from_slice(&[&bytes[..32], &signature, &bytes[32..]].concat()).unwrap();
    signed.merge(None, &Document::new()).unwrap();
    assert_eq!(signed.signatures(), Some(&b"signed"[..]));
    let mut metadata = Document::new();
    metadata.metadata_mut().push(rbxbinary::Metadata { key: "Key".into(), value: "value".into() });
    signed.merge(None, &metadata).unwrap();
    assert_eq!(signed.signatures(), None);
    assert_eq!(again(&signed).metadata().last().unwrap().value, "value");
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
    let ids: Vec<_> = document.instances().collect();
    document.set(ids[0], "Name", "changed").unwrap();
    let read = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(paths(&read), ["changed", "b"]);
    let later = read.classes()[0].property("Later");
    assert!(matches!(later, Some(Column::Unknown { bytes, .. }) if **bytes == *b"both values"));
    assert_eq!(document.remove_all(ids).unwrap(), 2);
}

/// Regression: a second SIGN and a second PRNT chunk stayed after an edit, although they were no longer valid.
#[test]
fn chunks_that_an_edit_makes_untrue() {
    let file = |more: &[u8]| {
        [
            header(1, 2),
            chunk(b"INST", &inst(0, "Thing", &[0, 1])),
            chunk(b"PROP", &prop(0, "Name", 1, &[string(b"a"), string(b"b")].concat())),
            chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
            more.to_vec(),
            chunk(b"NEW\0", b"kept"),
            end(),
        ]
        .concat()
    };
    let open = |more: &[u8]| rbxbinary::from_slice(&file(more)).unwrap();
    let first = |document: &Document| document.roots().next().unwrap();
    let mut document = open(&[chunk(b"SIGN", b"one"), chunk(b"SIGN", b"two")].concat());
    assert!(document.signatures().is_some());
    let id = first(&document);
    document.set(id, "Name", "x").unwrap();
    assert_eq!(document.signatures(), None);
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let names: Vec<_> =
        rbxbinary::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap().name.to_string()).collect();
    assert_eq!(names, ["INST", "PROP", "PRNT", "NEW", "END"]);
}

/// Unusual referents are supported.
#[test]
fn referents_of_any_kind() {
    let referents = [i32::MAX, i32::MIN, 7];
    let file = [
        header(1, 3),
        chunk(b"INST", &inst(0, "Thing", &referents)),
        chunk(b"PRNT", &prnt(&referents, &[-1, i32::MAX, i32::MIN])),
        end(),
    ]
    .concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    let top = document.roots().next().unwrap();
    // After the greatest referent follows the least, which is used already.
    let id = document.insert(top, NewInstance::new("Thing")).unwrap();
    assert_eq!(document.referent(id), Some(rbxbinary::Referent(i32::MIN + 1)));
    assert_eq!(document.descendants(top).count(), 3);
    again(&document);
}

/// After an edit of a real file, all other values are equal.
#[test]
fn real_files_are_edited() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let document = rbxbinary::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Merged into an empty document, and then a second time.
        let mut copy = Document::new();
        copy.merge(None, &document).unwrap_or_else(|error| panic!("{name}: {error}"));
        if document.len() < 5000 {
            for (copied, original) in describe(&again(&copy)).iter().zip(&describe(&document)) {
                assert!(copied == original, "{name}: {copied} is not {original}");
            }
        }
        copy.merge(None, &document).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(copy.len(), 2 * document.len(), "{name}");
        let unique = |finding: &rbxbinary::Finding| finding.rule.id == "rbxbinary.unique-ids";
        assert!(!rbxbinary::check(&copy).iter().any(unique), "{name}");
    }
}

/// Equal shared bytes are one allocation, also in the document into which they are copied.
#[test]
fn shared_bytes_are_not_copied() {
    let bytes = rbxbinary::SharedBytes::from("bytes");
    let thing = || NewInstance::new("Thing").property("Data", Value::SharedString(bytes.clone()));
    let (mut document, mut other) = (Document::new(), Document::new());
    for _ in 0..3 {
        document.insert(None, thing()).unwrap();
    }
    // Equal bytes in another allocation become the same shared string.
    document
        .insert(None, NewInstance::new("Thing").property("Data", Value::SharedString("bytes".into())))
        .unwrap();
    other.merge(None, &document).unwrap();
    for document in [&document, &other] {
        assert_eq!(document.shared_strings().len(), 1);
        assert!(std::sync::Arc::ptr_eq(document.shared_strings()[0].bytes.as_arc(), bytes.as_arc()));
    }
    // Known allocations stay valid after an edit.
    let first = other.roots().next().unwrap();
    other.set(first, "Data", Value::SharedString("others".into())).unwrap();
    other.set(first, "Data", Value::SharedString(bytes.clone())).unwrap();
    assert_eq!(other.get(first, "Data").unwrap().as_bytes(), Some(&b"bytes"[..]));
}

/// A document equals the one that is read back, even after instances were removed.
#[test]
fn a_document_without_removed_instances_equals_the_one_that_is_read_back() {
    let mut document = Document::new();
    let named = |class: &str, name: &str| NewInstance::new(class).property("Name", name);
    let target = document.insert(None, named("Part", "target")).unwrap();
    document.insert(None, named("Part", "other")).unwrap();
    let value = named("ObjectValue", "value").property("Value", target);
    document.insert(None, value).unwrap();
    let shared = named("Model", "shared").property("Shared", Value::SharedString(vec![7; 40].into()));
    document.insert(None, shared).unwrap();
    let document = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    for name in ["target", "other", "value", "shared"] {
        let mut edited = document.clone();
        let id = edited.find(name).unwrap();
        edited.remove(id).unwrap();
        assert_ne!(edited, document, "{name}");
        assert_eq!(rbxbinary::from_slice(&rbxbinary::to_vec(&edited).unwrap()).unwrap(), edited, "{name}");
    }
}
