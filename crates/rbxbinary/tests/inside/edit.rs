//! Edits at the limits of a document's counts, which no test from outside can reach.

use crate::model::strings::MOST;
use crate::model::{Document, NewInstance, Value};
use geom::wire::Result;
use rbxcore::{EditOptions, Fill};

type Edit<'a> = &'a dyn Fn(&mut Document) -> Result<()>;

/// Each of these edits is refused and leaves the document unchanged.
fn refused(document: &mut Document, edits: &[Edit<'_>], text: &str) {
    for edit in edits {
        let before = document.clone();
        let error = edit(document).unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
        assert!(*document == before);
        assert!(crate::to_vec(document).unwrap() == crate::to_vec(&before).unwrap());
    }
}

#[test]
fn columns_of_4_gib() {
    let (some, large) = ("x".repeat(MOST / 4), "x".repeat(MOST));
    let thing = |name: &str| NewInstance::new("Thing").property("Other", 1).property("Name", name);
    let mut document = Document::new();
    let first = document.insert(None, thing(&some)).unwrap();
    document.insert(None, thing(&some)).unwrap();
    let source = document.clone();
    let value = |_: &_, _: &_| Some(Value::from(&*large));
    let fill = EditOptions::new().fill(Fill::With(&value));
    let edits: [Edit<'_>; 5] = [
        &|document| document.set(first, "Name", &*large).map(drop),
        &|document| document.add_property("Thing", "New", &*large),
        &|document| document.insert(None, thing("a").child(thing(&large))).map(drop),
        &|document| fill.insert(document, None, NewInstance::new("Thing").property("Other", 2)).map(drop),
        &|document| document.merge(None, &source).map(drop),
    ];
    refused(&mut document, &edits, "the values of this property would exceed 4 GiB in ");
    // Replaced strings free their space.
    for _ in 0..10 {
        document.set(first, "Name", &*some).unwrap();
    }
}

#[test]
fn all_referents_are_given() {
    let mut document = Document::new();
    let first = document.insert(None, NewInstance::new("Thing")).unwrap();
    let source = document.clone();
    document.parts().index.next_referent = Some(-2);
    document.insert(None, NewInstance::new("Thing")).unwrap();
    let edits: [Edit<'_>; 3] = [
        &|document| document.insert(first, NewInstance::new("New").property("Name", "x")).map(drop),
        &|document| document.copy_from(None, &source, first).map(drop),
        &|document| document.merge(None, &source).map(drop),
    ];
    refused(&mut document, &edits, "the document would have more than 4294967294 instances or classes");
}
