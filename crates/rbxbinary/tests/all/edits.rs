//! Edits: each changes only what it names, and a refused edit changes nothing.

use crate::common::{chunk, end, header, inst, open, part, place, prnt, prop, refused, string};
use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::geom::Vec3;
use rbxbinary::parts::{ClassFormat, Column};
use rbxbinary::types::{CFrame, Color3uint8, Content, UDim2, UniqueId};
use rbxbinary::{Document, InstanceId, NewInstance, Value, ValueRef};
use testkit::fixture;

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
    // Children come before their parent.
    let parents = again.parents();
    for (row, parent) in parents.parents.iter().enumerate().filter(|(_, parent)| !parent.is_null()) {
        assert!(parents.children.iter().position(|child| child == parent).unwrap() > row);
    }
    drop(parents);
    // The tree, the values and the referents are the same.
    assert!(again == *document && paths(&again) == paths(document));
    again
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
    // An instance that is filled like another one gets a unique id of its own.
    document.add_property("Part", "UniqueId", UniqueId { random: 7, time: 8, index: 1 }).unwrap();
    let copy = like.insert(&mut document, None, part("D").property("CanCollide", true)).unwrap().instances[0];
    assert_eq!(document.get(copy, "UniqueId").unwrap().as_unique_id().unwrap().index, 2);
    document.remove_property("Part", "UniqueId").unwrap();
    let edited = EditOptions::new().fill(Fill::Neutral).insert(&mut document, None, part("E")).unwrap();
    assert_eq!(document.get(edited.instances[0], "Color3uint8").unwrap().as_color3uint8().unwrap().g, 162);
    assert_eq!(edited.filled.len(), 3);
    again(&document);
}

#[test]
fn services() {
    let mut document = place();
    let sound = NewInstance::new("SoundService").service(true).property("Name", "SoundService");
    document.insert(None, sound).unwrap();
    let mut document = again(&document);
    let service = document.classes().iter().find(|class| class.name == "SoundService").unwrap();
    assert_eq!((service.format, service.markers.as_slice()), (ClassFormat::SERVICE, &[1][..]));
    let marks: Vec<_> = document.classes().iter().map(|class| class.markers.clone()).collect();
    assert_eq!(marks[..2], [vec![1], vec![1, 0]]);
    // The marks follow the services to the root and below other instances.
    let [lighting, inner] = ["Lighting", "Workspace/Inner"].map(|path| document.find(path).unwrap());
    document.reparent(lighting, inner).unwrap();
    document.reparent(inner, None).unwrap();
    let document = again(&document);
    let lighting = document.classes().iter().find(|class| class.name == "Lighting").unwrap();
    assert_eq!(lighting.markers, [0, 1]);
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
    refused(&mut document, |d| d.set(second, "Data", Value::SharedString("c".into())).map(drop), text);
    assert_eq!(document.shared_strings().len(), 2);
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
        contents.external.push(rbxbinary::parts::Referent(0));
    }
    // An edit of the document itself keeps the external objects.
    let thing = source.roots().next().unwrap();
    source.set(thing, "Value", Content::Uri("x".into())).unwrap();
    let read = again(&source);
    let Some(Column::Content(contents)) = read.classes()[0].property("Value") else { panic!() };
    assert_eq!(contents.external, [rbxbinary::parts::Referent(0)]);
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
    assert!(document.editable().is_err());
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
    assert_eq!(document.referent(id), Some(rbxbinary::parts::Referent(i32::MIN + 1)));
    assert_eq!(document.descendants(top).count(), 3);
    again(&document);
}
