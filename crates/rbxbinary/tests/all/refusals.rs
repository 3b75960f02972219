//! Every error of an edit with its text. The document must be the same before and after.

use crate::common::{
    advised, chunk, end, header, inst, interleaved, one_column, part, place, prnt, prop, refused, string,
};
use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::errors::{ErrorKind, Problem};
use rbxbinary::geom::Vec3;
use rbxbinary::parts::{Column, Strings};
use rbxbinary::types::CFrame;
use rbxbinary::{Document, InstanceId, NewInstance, Result, Value};
use testkit::fixture;

/// A part with all properties that the parts of the place store.
fn whole(name: &str) -> NewInstance {
    part(name).property("Anchored", true).property("Size", Vec3::default())
}

/// The id of an instance that was removed from the document.
fn removed(document: &mut Document) -> InstanceId {
    let id = document.insert(None, NewInstance::new("Gone")).unwrap();
    document.remove(id).unwrap();
    id
}

type Edit<'a> = &'a dyn Fn(&mut Document) -> Result<()>;

const ELSEWHERE: &str = "(it was removed, or belongs to another document)";

#[test]
fn properties_that_are_not_stored() {
    let d = &mut place();
    let door = d.find("Workspace/Door").unwrap();
    let text = "no instance of Part stores the property \"CanCollide\" \
                (Document::add_property adds it to every instance) in Workspace/Door.CanCollide";
    refused(d, |d| EditOptions::new().set(d, door, "CanCollide", true), text);
    let text =
        "no instance of Part stores the property \"Nane\" (did you mean \"Name\"?) in Workspace/Door.Nane";
    refused(d, |d| d.set(door, "Nane", "x").map(drop), text);
    let text = "the class already stores the property (Document::set changes its values, unless they are \
                malformed) in Part.Size";
    refused(d, |d| d.add_property("Part", "Size", Vec3::default()), text);
}

#[test]
fn values_that_do_not_fit() {
    let mut document = place();
    let gone = removed(&mut document);
    let d = &mut document;
    let door = d.find("Workspace/Door").unwrap();
    // An insertion that fails after some of its columns.
    let text = "expected Vector3, found Float32 1.0 in Part.Size";
    let new = part("x").property("Anchored", true).property("Size", 1.0_f32);
    refused(d, |d| d.insert(None, new), text);
    let text = "expected Bool, found Ref in Part.Anchored";
    let new = part("x").label("x").reference("Anchored", "x").property("Size", Vec3::default());
    refused(d, |d| d.insert(None, new), text);
    // References to a removed instance: filled in, and given to existing instances.
    let dangling = "the value refers to an instance that is not in the document";
    let text = format!("{dangling} in Part.To");
    let to_gone = |_: &_, _: &_| Some(gone.into());
    let others = EditOptions::new().others(Others::With(&to_gone));
    refused(d, |d| others.insert(d, None, whole("x").property("To", None::<InstanceId>)), text);
    let fill = EditOptions::new().fill(Fill::With(&to_gone));
    let new = NewInstance::new("ObjectValue").property("Name", "x");
    refused(d, |d| fill.insert(d, None, new), format!("{dangling} in ObjectValue.Value"));
    // The second column of a new class fails, and then one of a second new class: neither class stays.
    let text = format!("{dangling} in Other.B");
    let other = || NewInstance::new("Other").property("B", gone);
    let new = NewInstance::new("New").property("A", Value::SharedString("new".into())).child(other());
    refused(d, |d| d.insert(None, new), &text);
    let options = EditOptions::new().others(Others::Neutral).fill(Fill::Like(door));
    refused(d, |d| options.insert(d, None, part("x").property("Extra", "y").child(other())), text);
}

/// A property with two types, in one instance or in two.
#[test]
fn one_property_of_two_types() {
    let d = &mut place();
    let text = "expected String, found Int32 1 in New.A";
    let new = NewInstance::new("New").property("A", "x").child(NewInstance::new("New").property("A", 1));
    refused(d, |d| d.insert(None, new), text);
    let id = d.insert(None, NewInstance::new("New").property("A", 1).property("A", "x")).unwrap();
    assert_eq!(d.get(id, "A").unwrap().as_str(), Some("x"));
    // The class has instances, which lack the property.
    let new = || whole("x").property("A", 1).property("A", "x");
    let text = "property values are missing in existing instances (set EditOptions::others): Part.A";
    refused(d, |d| d.insert(None, new()), text);
    let one = |_: &_, _: &_| Some(Value::Int32(1));
    let others = EditOptions::new().others(Others::With(&one));
    let text = "expected String, found Int32 1 in Part.A";
    refused(d, |d| others.insert(d, None, new()), text);
    let id = EditOptions::new().others(Others::Neutral).insert(d, None, new()).unwrap().instances[0];
    assert_eq!(d.get(id, "A").unwrap().as_str(), Some("x"));
    let written = rbxbinary::from_slice(&rbxbinary::to_vec(d).unwrap()).unwrap();
    assert_eq!(written.len(), d.len());
}

#[test]
fn values_that_would_be_filled_in() {
    let mut document = place();
    let gone = removed(&mut document);
    let d = &mut document;
    let like = EditOptions::new().fill(Fill::Like(gone));
    let missing = format!("the document has no instance {gone:?} {ELSEWHERE}");
    refused(d, |d| like.insert(d, None, part("x")), missing);
    let error = d.insert(None, part("x")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(Problem::MissingValues(_))), "{error}");
    let workspace = d.find("Workspace").unwrap();
    let lacking = |names: &str| {
        format!("property values are missing in new instances (set EditOptions::fill): {names}")
    };
    let text = lacking("Part.Anchored, Part.Size");
    refused(d, |d| d.insert(None, part("x")), &text);
    // Filled in like an instance of another class, and by a function that returns `None`.
    let like = EditOptions::new().fill(Fill::Like(workspace));
    refused(d, |d| like.insert(d, None, part("x")), &text);
    let nothing = |_: &_, _: &_| None;
    let fill = EditOptions::new().fill(Fill::With(&nothing)).others(Others::With(&nothing));
    refused(d, |d| fill.insert(d, None, part("x")), &text);
    let mut bare = Document::new();
    bare.insert(None, part("x")).unwrap();
    refused(d, |d| d.merge(None, &bare), &text);
    let top = bare.roots().next().unwrap();
    refused(d, |d| d.copy_from(None, &bare, top), text);
    // A function that returns another type: for a stored property, and for a property of a new class.
    let text = "expected Bool, found Int32 7 in Part.Anchored";
    let number = |_: &_, _: &_| Some(Value::Int32(7));
    let fill = EditOptions::new().fill(Fill::With(&number));
    refused(d, |d| fill.insert(d, None, part("x").property("Size", Vec3::default())), text);
    let new = || NewInstance::new("New").child(NewInstance::new("New").property("A", true));
    refused(d, |d| d.insert(None, new()), lacking("New.A"));
    let text = "expected Bool, found Int32 7 in New.A";
    refused(d, |d| fill.insert(d, None, new()), text);
    // Existing instances lack the new property.
    let text = "property values are missing in existing instances (set EditOptions::others): Part.CanCollide";
    let new = || whole("x").property("CanCollide", true);
    refused(d, |d| d.insert(None, new()), text);
    refused(d, |d| EditOptions::new().others(Others::With(&nothing)).insert(d, None, new()), text);
    let text = "expected Bool, found Int32 7 in Part.CanCollide";
    refused(d, |d| EditOptions::new().others(Others::With(&number)).insert(d, None, new()), text);
    let many = (0..10).fold(NewInstance::new("Many"), |new, number| new.property(format!("P{number}"), 1));
    d.insert(None, many).unwrap();
    let names = (0..10).map(|number| format!("Many.P{number}")).collect::<Vec<_>>().join(", ");
    refused(d, |d| d.insert(None, NewInstance::new("Many")), lacking(&names));
}

/// A CFrame is three numbers of a position and nine of a rotation: 1,000 of them take at least 48 kB.
#[test]
fn values_that_take_more_memory_than_is_left() {
    let d = &mut Document::new();
    for _ in 0..1000 {
        d.insert(None, part("x")).unwrap();
    }
    let limit = |error: rbxbinary::Error| matches!(error.kind(), ErrorKind::Limit(_));
    let new = || part("x").property("CFrame", CFrame::default());
    let defaults = EditOptions::new().others(Others::Neutral);
    d.set_max_bytes(48_000);
    let before = d.clone();
    assert!(limit(defaults.insert(d, None, new()).unwrap_err()));
    assert!(limit(d.add_property("Part", "CFrame", CFrame::default()).unwrap_err()));
    assert!(*d == before);
    // Each edit leaves less; the list is twice as large while it grows.
    d.set_max_bytes(150_000);
    defaults.insert(d, None, new()).unwrap();
    assert!(limit(d.add_property("Part", "Pivot", CFrame::default()).unwrap_err()));
    let bytes = rbxbinary::to_vec(d).unwrap();
    let options = rbxbinary::ReadOptions::new();
    let full =
        (10..30).map(|bits| 1_u64 << bits).find(|&most| options.clone().max_bytes(most).read(&bytes).is_ok());
    let mut read = options.max_bytes(full.unwrap()).read(&bytes).unwrap();
    let big = Value::from(vec![0_u8; 1 << 20]);
    assert!(limit(read.add_property("Part", "Big", big).unwrap_err()));
}

/// The error names the first missing values, and the list has all.
#[test]
fn however_many_are_missing() {
    let many = |from: u32, to: u32| {
        let new = (from..to)
            .fold(NewInstance::new("Many"), |new, number| new.property(format!("Property{number}"), 1));
        let mut document = Document::new();
        document.insert(None, new).unwrap();
        document
    };
    let (mut document, model) = (many(0, 100), many(100, 300));
    let error = document.merge(None, &model).unwrap_err().to_string();
    let text = "property values are missing in new instances (set EditOptions::fill and EditOptions::others): \
                Many.Property0, Many.Property1, Many.Property2, and 97 more; \
                in existing instances: \
                Many.Property100, Many.Property101, Many.Property102, and 197 more";
    assert_eq!(error, advised(text));
    let options = EditOptions::new();
    let missing = options.missing(&document, &model).unwrap();
    let new = NewInstance::new("Many").property("Property7", 1);
    assert_eq!(options.missing_for_insert(&document, new).unwrap().len(), 99);
    let (lacking, foreign): (Vec<_>, Vec<_>) = missing.iter().partition(|missing| !missing.is_foreign);
    let is_all = |of: &[&rbxbinary::edit::Missing], from: usize| {
        (from..).zip(of).all(|(number, of)| of.property == format!("Property{number}") && of.instances == 1)
    };
    assert!(lacking.len() == 100 && is_all(&lacking, 0) && foreign.len() == 200 && is_all(&foreign, 100));
}

#[test]
fn services() {
    let d = &mut place();
    let text = "expected a regular instance, because the existing instances of the class are not services \
                (call NewInstance::service(false)) in Part";
    refused(d, |d| d.insert(None, whole("x").service(true)), text);
    let mut other = Document::new();
    other.insert(None, NewInstance::new("Workspace").property("Name", "x")).unwrap();
    // A Workspace without service markers is merged into a class that has them.
    let options =
        EditOptions::new().fill(rbxbinary::edit::Fill::Neutral).others(rbxbinary::edit::Others::LeaveOut);
    options.merge(d, None, &other).unwrap();
    let d = rbxbinary::from_slice(&rbxbinary::to_vec(d).unwrap()).unwrap();
    let workspace = d.classes().iter().find(|class| class.name == "Workspace").unwrap();
    assert_eq!(
        (workspace.format, d.by_class("Workspace").count()),
        (rbxbinary::parts::ClassFormat::SERVICE, 2)
    );
}

/// Documents for which the meaning of an edit would be unclear: no method edits them.
#[test]
fn documents_that_cannot_be_edited() {
    let file = |referents: [i32; 2], more: &[u8]| {
        let name = prop(0, "Name", 1, &[string(b"a"), string(b"b")].concat());
        let (class, parents) = (inst(0, "Thing", &referents), prnt(&referents, &[-1, -1]));
        let chunks = [chunk(b"INST", &class), chunk(b"PROP", &name), chunk(b"PRNT", &parents)].concat();
        [header(1, 2), chunks, more.to_vec(), end()].concat()
    };
    let source = place();
    let top = source.roots().next().unwrap();
    for (referents, more, why) in [
        (
            [0, 0],
            Vec::new(),
            "two instances have the referent 0 (convert the document to XML and back, which assigns \
             new referents)",
        ),
        (
            [0, -1],
            Vec::new(),
            "an instance of the class Thing has a null referent (convert the document to XML and back, \
             which assigns new referents)",
        ),
        (
            [0, 1],
            chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
            "it has a second PRNT chunk (convert the document to XML and back, with the option allow_loss \
             or --allow-loss, which drops the chunk and all else that XML cannot store)",
        ),
        (
            [0, 1],
            chunk(b"PROP", &prop(9, "Orphan", 2, &[1])),
            "it has a PROP chunk whose class id belongs to no class (convert the document to XML \
             and back, with the option allow_loss or --allow-loss, which drops the chunk and all else that XML cannot \
             store)",
        ),
    ] {
        let mut document = rbxbinary::from_slice(&file(referents, &more)).unwrap();
        let id = document.roots().next().unwrap();
        let edits: [Edit<'_>; 9] = [
            &|d| d.set(id, "Name", "x").map(drop),
            &|d| d.add_property("Thing", "A", 1),
            &|d| d.remove_property("Thing", "Name"),
            &|d| d.insert(id, NewInstance::new("Folder")).map(drop),
            &|d| d.remove(id).map(drop),
            &|d| d.remove_all([]).map(drop),
            &|d| d.reparent(id, None),
            &|d| d.copy_from(id, &source, top).map(drop),
            &|d| d.merge(None, &source).map(drop),
        ];
        for edit in edits {
            refused(&mut document, edit, format!("the document cannot be edited: {why}"));
        }
    }
}

/// Two things, in a file with these bytes after the content of its INST chunk, and with more chunks.
fn things(extra: &[u8], more: &[u8]) -> Document {
    let file = [
        header(1, 2),
        chunk(b"INST", &[&inst(0, "Thing", &[0, 1]), extra].concat()),
        chunk(b"PROP", &prop(0, "Name", 1, &[string(b"a"), string(b"b")].concat())),
        more.to_vec(),
        chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
        end(),
    ];
    rbxbinary::from_slice(&file.concat()).unwrap()
}

fn thing() -> NewInstance {
    NewInstance::new("Thing").property("Name", "c")
}

#[test]
fn columns_whose_values_cannot_be_told_apart() {
    let neutral = EditOptions::new().fill(Fill::Neutral);
    // A column of a future type, one that is too short for its type, and one without a type.
    let set = "cannot be decoded (to drop them, convert the document to XML and back with the option allow_loss \
               or --allow-loss) in a.Column";
    for (column, value, text) in [
        (prop(0, "Column", 0x23, b"x"), Value::Int32(1), "expected 0x23, found Int32 1 in a.Column".into()),
        (
            prop(0, "Column", 2, &[1]),
            Value::Bool(true),
            format!("cannot set a value: the values of the PROP chunk (type: Bool) {set}"),
        ),
        (
            [&[0; 4], &*string(b"Column")].concat(),
            Value::Bool(true),
            format!("cannot set a value: the values of the PROP chunk (type: unknown) {set}"),
        ),
    ] {
        let mut document = things(b"", &chunk(b"PROP", &column));
        let d = &mut document;
        let first = d.roots().next().unwrap();
        refused(d, |d| d.set(first, "Column", &value).map(drop), text);
        if matches!(d.classes()[0].property("Column"), Some(Column::Untyped)) {
            continue;
        }
        let what = "the PROP chunk has unknown or malformed values (to drop them, convert the";
        let back = "document to XML and back with the option allow_loss or --allow-loss) in Thing.Column";
        let text = format!("cannot remove only some instances of the class: {what} {back}");
        refused(d, |d| d.remove(first), text);
        let text = format!("cannot add instances: {what} {back}");
        refused(d, |d| neutral.insert(d, None, thing()), &text);
        refused(d, |d| d.merge(None, &things(b"", b"")), text);
        let source = d.clone();
        let text = format!("cannot copy instances: {what} source {back}");
        refused(&mut place(), |d| d.copy_from(None, &source, first), text);
    }
}

#[test]
fn classes_with_bytes_of_unknown_meaning() {
    let mut document = things(b"more", b"");
    let d = &mut document;
    let first = d.roots().next().unwrap();
    let what = "the INST chunk of the class has bytes of unknown meaning (to drop them, convert the";
    let back = "document to XML and back with the option allow_loss or --allow-loss) in Thing";
    refused(d, |d| d.insert(None, thing()), format!("cannot add instances: {what} {back}"));
    let text = "cannot remove only some instances of the class: its INST chunk has bytes of unknown meaning \
                (to drop them, convert the document to XML and back with the option allow_loss or --allow-loss) in \
                Thing";
    refused(d, |d| d.remove(first), text);
    let source = d.clone();
    let text = format!("cannot copy instances: {what} source {back}");
    refused(&mut place(), |d| d.merge(None, &source), text);
    assert_eq!(d.remove_all(source.roots()).unwrap(), 2);
}

/// Columns that do not have one value for each instance, which only a direct change can cause.
#[test]
fn columns_of_another_length() {
    let mut document = things(b"", b"");
    let name = document.columns_mut().classes[0].property_mut("Name").unwrap();
    *name = Column::String(Strings::from_strings(["a"]).unwrap());
    let [first, second] = document.roots().collect::<Vec<_>>()[..] else { panic!() };
    let d = &mut document;
    let text = "the PROP chunk has no value for this instance in Thing.Name";
    refused(d, |d| d.set(second, "Name", "x").map(drop), text);
    refused(
        d,
        |d| d.insert(None, thing()),
        "the PROP chunk does not have one value per instance (values: 1; instances: 2) in Thing.Name",
    );
    refused(
        d,
        |d| d.remove(first),
        "the PROP chunk does not have one value per instance (values: 1; instances: 2) in Thing.Name",
    );
    let source = d.clone();
    let text = "cannot copy instances: the PROP chunk does not have one value per instance \
                (values: 1; instances: 2) in Thing.Name";
    refused(&mut place(), |d| d.merge(None, &source), text);
}

#[test]
fn other_documents_that_cannot_be_copied() {
    let refused = |source: &[u8], text: &str| {
        let source = rbxbinary::from_slice(source).unwrap();
        refused(&mut place(), |d| d.merge(None, &source), text);
    };
    refused(
        &fixture("rbxbinary", "unknown.rbxm"),
        "cannot insert the content of a document with the unknown or repeated chunk NEW (convert that document to XML \
         and back, with the option allow_loss or --allow-loss, which drops the chunk)",
    );
    let name = chunk(b"PROP", &prop(0, "Name", 1, &string(b"a")));
    let class = |id: i32| chunk(b"INST", &inst(id.cast_unsigned(), "Thing", &[id]));
    let twice = [header(1, 1), class(0), name.clone(), name, end()].concat();
    refused(
        &twice,
        "cannot copy instances: the source document has two PROP chunks for the property \
         (to keep only the last one, convert the source document to XML and back with the option allow_loss or \
         --allow-loss) in Thing.Name",
    );
    let classes = [header(2, 2), class(0), class(1), end()].concat();
    refused(
        &classes,
        "cannot copy instances: the source document has two INST chunks for the class \
         (convert the source document to XML and back, which merges them) in Thing",
    );
    let external = [interleaved(&[0]), vec![0; 8], vec![1, 0, 0, 0], interleaved(&[0])].concat();
    let text = "cannot copy instances: found references to external objects of unknown meaning (to drop them, \
                convert the source document to XML and back with the option allow_loss or --allow-loss) in \
                Thing.Value";
    refused(&one_column(1, 0x22, &external), text);
    let shared = one_column(1, 0x1c, &interleaved(&[5]));
    let text = "cannot copy instances: a value refers to a shared string or URI that the source document does not \
                contain (to drop such values, convert the source document to XML and back with the option allow_loss \
                or --allow-loss) in Thing.Value";
    refused(&shared, text);
}
