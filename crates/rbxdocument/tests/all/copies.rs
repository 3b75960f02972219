//! New instances, copies and merges.

use rbxcore::{Content, EditOptions, SharedBytes, UniqueId};
use rbxdocument::attributes::Attribute;
use rbxdocument::attributes::{attribute, attributes, remove_attribute, set_attribute, set_tags, tags};
use rbxdocument::view::View as _;
use rbxdocument::{Dom, InstanceId, NewInstance, Value, from_slice};
use testkit::Sample;

use crate::common::{
    Edit, again, all_refused, any, both, by_form, describe, files, findings, named, names, place, refused,
    target, unique,
};

both! {
    children_with_references labels copying_a_subtree merging metadata_is_merged
    a_duplicate_keeps_references_to_the_outside unique_ids_stay_unique unique_ids_are_free_again
    attributes_of_copies_refer_to_copies attributes_and_tags
    unique_ids_end shared_strings_are_stored_once
}

fn children_with_references(document: &mut dyn Dom) {
    let [workspace, _, door, _] = place(document);
    let weld = |name: &str| named("Weld", name);
    let gate = named("Model", "Gate")
        .reference("PrimaryPart", "left")
        .child(weld("Weld").reference("Part0", "left").property("Part1", door))
        .child(named("Folder", "Left").label("left").child(named("Folder", "a").child(named("Folder", "b"))))
        .child(weld("Other").property("Part0", door).reference("Part1", "left").child(named("Folder", "c")));
    let gate = document.insert(workspace, gate).unwrap();
    for document in [any(document), again(document)] {
        let find = |path: &str| document.find(path);
        let (left, door) = (find("Workspace/Gate/Left"), find(r"Workspace/a\/b/Part"));
        let gate = find("Workspace/Gate").unwrap();
        assert_eq!(target(&*document, gate, "PrimaryPart"), left);
        for (weld, to) in [("Weld", [left, door]), ("Other", [door, left])] {
            let weld = document.find_in(gate, weld).unwrap();
            assert_eq!(["Part0", "Part1"].map(|property| target(&*document, weld, property)), to);
        }
        // Children keep their order and their descendants.
        let below: Vec<_> = document.descendants(gate).map(|id| document.name(id).unwrap()).collect();
        assert_eq!(below, ["Weld", "Left", "a", "b", "Other", "c"]);
        assert_eq!(document.children(gate).count(), 3);
        assert!(find("Workspace/Gate/Left/a/b").is_some() && find("Workspace/Gate/Other/c").is_some());
    }
    assert_eq!(document.children(workspace).last(), Some(gate));
}

fn labels(document: &mut dyn Dom) {
    place(document);
    let weld = || NewInstance::new("Weld").reference("Part0", "nobody");
    let twice = || NewInstance::new("A").label("x").child(NewInstance::new("B").label("x"));
    let text = "no new instance has the label \"nobody\" (set it with NewInstance::label) in Weld.Part0";
    let same = by_form(document, "the label", "the same label");
    let edits: [(Edit<'_>, String); 3] = [
        (&|d| d.insert(None, weld()).map(drop), text.into()),
        // The second class of an insertion is refused after the first one was added.
        (&|d| d.insert(None, named("Door", "x").child(weld())).map(drop), text.into()),
        (&|d| d.insert(None, twice()).map(drop), format!("two new instances have {same} \"x\"")),
    ];
    all_refused(document, edits);
}

/// References within a copy lead to copies, and others become null.
fn copying_a_subtree(document: &mut dyn Dom) {
    let [workspace, model, part, lighting] = place(document);
    document.add_property("Door", "Outside", lighting).unwrap();
    document.add_property("Lighting", "Adornee", part).unwrap();
    document.add_property("Door", "Asset", Content::Object(Some(model))).unwrap();
    let source = document.copy();
    let alone = document.copy_from(None, &*source, part).unwrap();
    assert_eq!(document.get(alone, "Outside"), Some(Value::Ref(None).as_ref()));
    let copy = document.copy_from(lighting, &*source, model).unwrap();
    assert_eq!(names(document), ["Workspace", "a/b", "Part", "Lighting", "a/b", "Part", "Part"]);
    let copied = document.children(copy).next().unwrap();
    assert_eq!(target(document, copy, "PrimaryPart"), Some(copied));
    assert_eq!(document.get(copied, "Outside"), Some(Value::Ref(None).as_ref()));
    assert_eq!(target(document, copied, "Asset"), Some(copy));
    assert_eq!(target(document, part, "Outside"), Some(lighting));
    again(document);
    // Into another document, below another copy.
    let mut other = document.empty();
    let first = other.copy_from(None, &*source, lighting).unwrap();
    assert_eq!(other.get(first, "Adornee"), Some(Value::Ref(None).as_ref()));
    let copy = other.copy_from(first, &*source, workspace).unwrap();
    assert_eq!(names(&*other), ["Lighting", "Workspace", "a/b", "Part"]);
    assert_eq!(other.parent(copy), Some(first));
    again(&*other);
    let empty = document.empty();
    refused(document, |document| document.copy_from(None, &*empty, model));
}

fn merging(document: &mut dyn Dom) {
    let [workspace, model, part, lighting] = place(document);
    document.add_property("Door", "Outside", lighting).unwrap();
    let source = document.copy();
    let roots = document.merge(model, &*source).unwrap();
    assert_eq!((roots.len(), document.len()), (2, 8));
    assert!(document.children(model).eq([part, roots[0], roots[1]]));
    let merged = document.find_in(roots[0], r"a\/b/Part").unwrap();
    assert_eq!(target(document, document.parent(merged).unwrap(), "PrimaryPart"), Some(merged));
    assert_eq!(target(document, merged, "Outside"), Some(roots[1]));
    assert_eq!(target(document, part, "Outside"), Some(lighting));
    assert_eq!(document.merge(None, &*source).unwrap().len(), 2);
    assert_eq!((document.roots().count(), document.by_class("Door").count()), (4, 3));
    again(document);
    let edited = EditOptions::new().merge(document, workspace, &*source).unwrap();
    assert_eq!((edited.instances.len(), document.len()), (2, 16));
    assert!(edited.filled.is_empty() && edited.left_out.is_empty());
    let other: Box<dyn Dom> =
        by_form(document, Box::new(rbxxml::Document::new()) as _, Box::new(rbxbinary::Document::new()) as _);
    let error = refused(document, |document| document.merge(None, &*other)).to_string();
    assert!(error.starts_with("the two documents have different forms, binary and XML"), "{error}");
}

/// Everything in a file is merged into an empty document, and then a second time.
#[test]
fn files_are_merged() {
    let mut tried = 0;
    for Sample { name, bytes } in files() {
        let Ok(document) = from_slice(&bytes) else { continue };
        let mut copy = document.empty();
        if copy.merge(None, &*document).is_err() {
            assert!(
                !name.contains('/') || name.starts_with("broken") || name.starts_with("crashes"),
                "{name}"
            );
            continue;
        }
        tried += 1;
        if document.len() < 5000 {
            let read = from_slice(&any(&*copy).to_vec().unwrap()).unwrap();
            for (copied, original) in describe(&*read).iter().zip(&describe(&*document)) {
                assert!(copied == original, "{name}: {copied} is not {original}");
            }
        }
        copy.merge(None, &*document).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(copy.len(), 2 * document.len(), "{name}");
        let found = findings(&*copy);
        assert!(!found.iter().any(|found| found.starts_with("unique-ids")), "{name}: {found:?}");
    }
    assert!(tried > 10, "{tried}");
}

fn metadata_is_merged(document: &mut dyn Dom) {
    let with = |pairs: &[(&str, &str)]| {
        let mut document = document.empty();
        let pairs = pairs.iter().map(|&(key, value)| (key.into(), value.into())).collect();
        document.set_metadata(pairs).unwrap();
        document
    };
    let mut document = with(&[("a", "1"), ("b", "2")]);
    document.merge(None, &*with(&[("b", "2"), ("c", "3")])).unwrap();
    assert!(any(&*document) == any(&*with(&[("a", "1"), ("b", "2"), ("c", "3")])));
    assert_eq!(again(&*document).metadata(), document.metadata());
    let text = "expected the same value in both documents, found \"1\" and \"2\" \
                (make them equal before merging) in metadata.";
    let differs = with(&[("d", "1"), ("a", "2")]);
    let error = refused(&mut *document, |document| document.merge(None, &*differs));
    assert_eq!(error.to_string(), format!("{text}a"));
}

/// A copy within a document keeps references to other instances, as `Clone` does in Roblox.
fn a_duplicate_keeps_references_to_the_outside(document: &mut dyn Dom) {
    let door = document.insert(None, named("Part", "target")).unwrap();
    let value = named("ObjectValue", "value").property("Value", Value::Ref(Some(door)));
    let inner = named("ObjectValue", "inner").reference("Value", "model");
    let model = named("Model", "model").label("model").child(value).child(inner);
    let model = document.insert(None, model).unwrap();
    // The parent of the copy is in the original.
    let copy = document.duplicate(model, model).unwrap();
    assert_eq!(document.find("model/model"), Some(copy));
    for (path, to) in [
        ("model/model/value", door),
        ("model/model/inner", copy),
        ("model/value", door),
        ("model/inner", model),
    ] {
        assert_eq!(target(document, document.find(path).unwrap(), "Value"), Some(to), "{path}");
    }
    assert_eq!(document.len(), 7);
    again(document);
    document.remove(model).unwrap();
    assert!(document.duplicate(model, None).is_err() && document.len() == 1);
}

/// References in attributes are copied like those in properties.
fn attributes_of_copies_refer_to_copies(document: &mut dyn Dom) {
    let door = document.insert(None, named("Part", "door")).unwrap();
    let model = document.insert(None, named("Model", "model").child(named("Part", "part"))).unwrap();
    let part = document.find("model/part").unwrap();
    for (name, to) in [("Inside", part), ("Outside", door)] {
        set_attribute(document, model, name, Value::Ref(Some(to))).unwrap();
    }
    set_attribute(document, model, "Health", 5.0).unwrap();
    let to = |document: &dyn Dom, id, name| match attribute(document, id, name).unwrap() {
        Some(Attribute::Value(Value::Ref(to))) => to,
        other => panic!("{other:?}"),
    };
    let copy = document.duplicate(model, None).unwrap();
    let inner = document.find("model[1]/part").unwrap();
    for (id, part) in [(model, part), (copy, inner)] {
        assert_eq!(to(document, id, "Inside"), Some(part));
        assert_eq!(to(document, id, "Outside"), Some(door));
        assert_eq!(attribute(document, id, "Health").unwrap(), Some(5.0.into()));
    }
    let read = again(document);
    let copy = read.find("model[1]").unwrap();
    assert_eq!(to(&*read, copy, "Inside"), read.find("model[1]/part"));
    assert_eq!(to(&*read, copy, "Outside"), read.find("door"));
    // In another document, what is not copied does not exist.
    let mut other = read.empty();
    let alone = other.copy_from(None, &*read, copy).unwrap();
    assert_eq!(to(&*other, alone, "Outside"), None);
    assert_eq!(to(&*other, alone, "Inside"), other.find("model/part"));
}

/// Attributes and tags are set, changed and removed, also if the class stores none yet.
fn attributes_and_tags(document: &mut dyn Dom) {
    let part = document.insert(None, named("Part", "part")).unwrap();
    let other = document.insert(None, named("Part", "other")).unwrap();
    set_attribute(document, part, "b", "text").unwrap();
    set_attribute(document, part, "a", true).unwrap();
    set_attribute(document, part, "r", Value::Ref(Some(other))).unwrap();
    set_tags(document, part, ["Red", "Blue"]).unwrap();
    let all = [("a", true.into()), ("b", "text".into()), ("r", Value::Ref(Some(other)).into())];
    let all = all.map(|(name, value): (&str, Attribute)| (name.into(), value));
    assert_eq!(attributes(document, part).unwrap(), all);
    assert_eq!(tags(document, part).unwrap(), ["Red", "Blue"]);
    assert!(attributes(document, other).unwrap().is_empty() && tags(document, other).unwrap().is_empty());
    // A value replaces one of another kind.
    set_attribute(document, part, "b", Value::Ref(Some(part))).unwrap();
    set_attribute(document, part, "a", 2.0).unwrap();
    remove_attribute(document, part, "r").unwrap();
    let read = again(document);
    let part = read.find("part").unwrap();
    assert_eq!(attribute(&*read, part, "a").unwrap(), Some(2.0.into()));
    assert_eq!(attribute(&*read, part, "b").unwrap(), Some(Value::Ref(Some(part)).into()));
    let none = by_form(document, None, Some(Value::Ref(None).into()));
    assert_eq!(attribute(&*read, part, "r").unwrap(), none);
    let error = remove_attribute(document, other, "a").unwrap_err();
    assert_eq!(error.path(), "a");
}

fn part(id: UniqueId) -> NewInstance {
    NewInstance::new("Part").property("UniqueId", id)
}

fn unique_id(document: &dyn Dom, id: InstanceId) -> UniqueId {
    document.get(id, "UniqueId").unwrap().as_unique_id().unwrap()
}

/// The indices of the unique ids of all instances.
fn indices(document: &dyn Dom) -> Vec<u32> {
    let of = |id| match unique_id(document, id) {
        nil if nil.is_nil() => 0,
        id => {
            assert_eq!(id, unique(id.index));
            id.index
        }
    };
    document.instances().map(of).collect()
}

/// Regression: copies had the unique ids of their originals.
fn unique_ids_stay_unique(document: &mut dyn Dom) {
    document.insert(None, part(unique(1)).child(part(unique(5))).child(part(unique(0)))).unwrap();
    for _ in 0..2 {
        document.insert(None, part(UniqueId::default())).unwrap();
    }
    let source = document.copy();
    let top = source.roots().next().unwrap();
    document.merge(None, &*source).unwrap();
    document.copy_from(None, &*source, top).unwrap();
    // Ids of copies continue after the greatest one. Zero means that there is no id, and stays.
    assert_eq!(indices(document), [1, 5, 0, 0, 0, 6, 7, 8, 0, 0, 9, 10, 11]);
    again(document);
    // Ids can be kept on request.
    let mut kept = source.copy();
    let edited = EditOptions::new().keep_unique_ids(true).copy_from(&mut *kept, None, &*source, top).unwrap();
    assert_eq!(unique_id(&*kept, edited.instances[0]), unique(1));
    assert_eq!(indices(&*kept), [1, 5, 0, 0, 0, 1, 5, 0]);
    let found = findings(&*kept);
    assert!(found.len() == 1 && found[0].starts_with("unique-ids") && found[0].ends_with("(3)"), "{found:?}");
}

/// A unique id that no instance has any more can be used again, after each kind of edit; one that was set is taken.
fn unique_ids_are_free_again(document: &mut dyn Dom) {
    let mut source = document.empty();
    let original = source.insert(None, part(unique(1))).unwrap();
    let copied = |document: &mut dyn Dom| {
        let copy = document.copy_from(None, &*source, original).unwrap();
        (copy, unique_id(document, copy).index)
    };
    let (first, index) = copied(document);
    assert_eq!(index, 1);
    document.remove(first).unwrap();
    let (first, index) = copied(document);
    assert_eq!(index, 1);
    let (second, index) = copied(document);
    assert_eq!(index, 2);
    document.set(first, "UniqueId", unique(9)).unwrap();
    assert_eq!([copied(document).1, copied(document).1], [1, 10]);
    document.remove(second).unwrap();
    document.remove_property("Part", "UniqueId").unwrap();
    document.add_property("Part", "UniqueId", unique(4)).unwrap();
    // In XML, the greatest index that there was counts.
    assert_eq!([copied(document).1, copied(document).1], [1, by_form(document, 5, 11)]);
    // The ids of other classes count, too, as soon as their property is added, and until it is removed.
    let mut other = document.empty();
    for class in ["Door", "Case"] {
        other.insert(None, NewInstance::new(class)).unwrap();
    }
    other.add_property("Door", "UniqueId", unique(1)).unwrap();
    assert_eq!(copied(&mut *other).1, 2);
    other.add_property("Case", "UniqueId", unique(3)).unwrap();
    assert_eq!(copied(&mut *other).1, 4);
    other.remove_property("Door", "UniqueId").unwrap();
    assert_eq!(copied(&mut *other).1, 1);
    // A refused edit uses no ids.
    let mut refusing = source.copy();
    refusing.set(original, "UniqueId", unique(3)).unwrap();
    let broken = part(unique(1)).reference("A", "nowhere");
    refused(&mut *refusing, |document| document.insert(None, broken));
    assert_eq!(copied(&mut *refusing).1, 1);
}

/// After the greatest index, the random part changes.
fn unique_ids_end(document: &mut dyn Dom) {
    document.insert(None, part(unique(u32::MAX))).unwrap();
    let source = document.copy();
    for _ in 0..20 {
        document.merge(None, &*source).unwrap();
    }
    let ids = document.instances().map(|id| unique_id(document, id));
    assert_eq!(ids.collect::<std::collections::HashSet<_>>().len(), 21);
}

/// Equal shared bytes are stored once, also in the document into which they are copied.
fn shared_strings_are_stored_once(document: &mut dyn Dom) {
    let thing = |bytes: SharedBytes| NewInstance::new("Thing").property("Data", Value::SharedString(bytes));
    let bytes = SharedBytes::from("bytes");
    for bytes in [&bytes, &bytes, &"bytes".into()] {
        document.insert(None, thing(bytes.clone())).unwrap();
    }
    let source = document.copy();
    document.merge(None, &*source).unwrap();
    let mut other = document.empty();
    other.merge(None, &*source).unwrap();
    other.copy_from(None, &*source, source.roots().next().unwrap()).unwrap();
    for document in [&*document, &*other] {
        assert_eq!(document.shared_len(), 1);
        for id in document.instances() {
            let value = document.get(id, "Data").unwrap().to_value();
            assert!(std::sync::Arc::ptr_eq(value.as_shared().unwrap().as_arc(), bytes.as_arc()));
        }
    }
    let first = document.roots().next().unwrap();
    document.set(first, "Data", Value::SharedString("others".into())).unwrap();
    assert_eq!(again(document).shared_len(), 2);
    document.set(first, "Data", Value::SharedString(bytes.clone())).unwrap();
    assert_eq!(document.get(first, "Data").unwrap().as_bytes(), Some(&b"bytes"[..]));
    again(document);
}

/// A model enters in the form that the document uses: a new column would change its other instances.
#[test]
fn a_model_enters_in_the_form_of_the_document() {
    let as_given = EditOptions::new().as_given(true);
    let mut document = rbxbinary::Document::new();
    let old = NewInstance::new("MeshPart").property("Name", "Old").property("MeshId", "rbxassetid://1");
    let old = as_given.insert(&mut document, None, old).unwrap().instances[0];
    let mut model = rbxbinary::Document::new();
    let uri = Value::Content(Content::Uri("rbxassetid://2".into()));
    let new = NewInstance::new("MeshPart").property("Name", "New").property("MeshContent", uri.clone());
    as_given.insert(&mut model, None, new).unwrap();
    let mut budget = geom::wire::Budget::new(1 << 24);
    let graft = |document: &mut rbxbinary::Document, model: &rbxbinary::Document, budget: &mut _| {
        rbxdocument::graft::graft(document, None, &**model, false, budget).unwrap()
    };
    let before: Vec<_> = names_and_values(&document, old);
    let made = graft(&mut document, &model, &mut budget);
    assert_eq!(names_and_values(&document, old), before);
    assert_eq!(made.filled.len(), 0);
    let new = made.roots[0];
    assert_eq!(document.value(new, "MeshId"), Some(Value::from("rbxassetid://2")));
    let losses: Vec<_> = made.losses.iter().map(ToString::to_string).collect();
    assert_eq!(losses, ["MeshPart.MeshContent: stored under the name MeshId, as in the document"]);
    // One that has no older form gets the column.
    let mut model = rbxbinary::Document::new();
    let object = Value::Content(Content::Object(None));
    let new = NewInstance::new("MeshPart").property("Name", "New").property("MeshContent", object);
    as_given.insert(&mut model, None, new).unwrap();
    graft(&mut document, &model, &mut budget);
    assert!(document.get(old, "MeshContent").is_some());
    // And a document of today keeps its form.
    let mut document = rbxbinary::Document::new();
    let new = NewInstance::new("MeshPart").property("Name", "Now").property("MeshContent", uri);
    as_given.insert(&mut document, None, new.clone()).unwrap();
    as_given.insert(&mut model, None, new).unwrap();
    let made = graft(&mut document, &model, &mut budget);
    assert!(made.roots.iter().all(|root| document.value(*root, "MeshId").is_none()));
}

/// The properties of an instance as text.
fn names_and_values(document: &dyn Dom, id: InstanceId) -> Vec<String> {
    document.values(id).into_iter().map(|(name, value)| format!("{name} {value:?}")).collect()
}

/// Copies enter documents of the other form, with what they cannot keep listed.
#[test]
fn copies_cross_between_the_forms() {
    let options = rbxdocument::convert::ConvertOptions::new();
    let copied = |source: &mut dyn Dom, into: &mut dyn Dom| {
        let [_, _, door, _] = place(source);
        let weld = named("Weld", "Hinge").property("Part0", door).property("C0", geom_frame());
        let wall = named("Part", "Wall").property("size", geom::Vec3::new(1.0, 2.0, 3.0));
        let house = named("Model", "House").child(weld).child(wall);
        let top = EditOptions::defaults().insert(source, None, house).unwrap().instances[0];
        let part = source.find("House/Wall").unwrap();
        let done = rbxdocument::state::copy_from(into, None, source, top, &options).unwrap();
        let losses: Vec<_> = done.losses.iter().map(|loss| loss.id).collect();
        assert!(losses.iter().any(|id| id.contains("reference")), "{:?}", done.losses);
        let wall = into.find("House/Wall").unwrap();
        assert_eq!(into.get(wall, "Size"), source.get(part, "Size"));
        let hinge = into.find("House/Hinge").unwrap();
        assert_eq!(into.get(hinge, "Part0").and_then(|value| value.as_instance()), None);
        assert_eq!(into.get(hinge, "C0").and_then(|value| value.as_cframe()), Some(geom_frame()));
        let count = into.len();
        let done = rbxdocument::state::insert(into, Some(wall), source, &options).unwrap();
        assert_eq!((into.len(), done.roots.len()), (count + source.len(), source.roots().count()));
    };
    copied(&mut rbxbinary::Document::new(), &mut rbxxml::Document::new());
    copied(&mut rbxxml::Document::new(), &mut rbxbinary::Document::new());
}

fn geom_frame() -> rbxcore::CFrame {
    let position = geom::Vec3::new(1.0, 2.0, 3.0);
    rbxcore::CFrame { position, ..rbxcore::CFrame::default() }
}
