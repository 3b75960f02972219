//! A document becomes what a `WeakDom` has, and nothing else changes.
#![cfg(feature = "weak")]

use rbx_dom_weak::types::{self, Variant};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use rbxdocument::weak::{apply, to_weak};
use rbxdocument::{AnyDocument, NewInstance, Value, from_slice};

use super::weak::{content, samples};

/// A document of either form with two folders, of which one has a part.
fn documents() -> [AnyDocument; 2] {
    let part = || NewInstance::new("Part").property("Name", "Wall").property("Anchored", false);
    let folder = |name: &str| NewInstance::new("Folder").property("Name", name);
    [rbxbinary::Document::new().into(), AnyDocument::from(rbxxml::Document::new())].map(|mut document| {
        document.insert(None, folder("A").child(part())).expect("inserted");
        document.insert(None, folder("B")).expect("inserted");
        from_slice(&document.to_vec().expect("written")).expect("readable")
    })
}

#[test]
fn values_instances_and_order() {
    for mut document in documents() {
        let (mut weak, _) = to_weak(&*document);
        let &[a, b] = weak.root().children() else { panic!("two folders") };
        let wall = weak.get_by_ref(a).expect("there").children()[0];
        weak.get_by_ref_mut(wall).expect("there").properties.insert("Anchored".into(), true.into());
        weak.get_by_ref_mut(wall).expect("there").name = "Door".to_owned();
        weak.transfer_within(wall, b);
        weak.insert(b, InstanceBuilder::new("StringValue").with_name("Note").with_property("Value", "new"));
        weak.destroy(a);
        assert!(apply(&mut *document, &weak).expect("applied").is_empty());
        let mut paths: Vec<_> = document.paths().map(|(_, path)| path.to_string()).collect();
        paths.sort();
        assert_eq!(paths, ["B", "B/Door", "B/Note"]);
        let [door, note] = ["B/Door", "B/Note"].map(|path| document.find(path).expect("there"));
        assert_eq!(document.get(door, "Anchored").and_then(|value| value.as_bool()), Some(true));
        assert_eq!(document.get(note, "Value").map(|value| value.to_value()), Some(Value::from("new")));
    }
}

/// Comments, white space, and what rbx-dom cannot hold stay where only another value changes.
#[test]
fn other_bytes_stay() {
    let text = "<roblox version=\"4\">\n<!-- a comment --><Item class=\"Part\"  referent=\"a\"><Properties>\n\
                <string name=\"Name\">Wall</string> <float name=\"Transparency\">0.50</float>\n\
                <Unheard name=\"Odd\">x</Unheard></Properties></Item></roblox>\n";
    let mut document = rbxxml::from_str(text).expect("readable");
    let (mut weak, lost) = to_weak(&document);
    assert_eq!(lost.len(), 1, "{lost:?}");
    apply(&mut document, &weak).expect("applied");
    assert_eq!(rbxxml::to_string(&document).expect("written"), text);
    let wall = weak.root().children()[0];
    weak.get_by_ref_mut(wall).expect("there").properties.insert("Transparency".into(), 1.0_f32.into());
    apply(&mut document, &weak).expect("applied");
    assert_eq!(rbxxml::to_string(&document).expect("written"), text.replace("0.50", "1"));
}

/// References between instances are those of the `WeakDom`, also to new instances.
#[test]
fn references() {
    for mut document in documents() {
        let (mut weak, _) = to_weak(&*document);
        let b = weak.root().children()[1];
        let target = weak.insert(b, InstanceBuilder::new("Part").with_name("Target"));
        let to = Variant::Ref(target);
        weak.insert(b, InstanceBuilder::new("ObjectValue").with_name("Pointer").with_property("Value", to));
        apply(&mut *document, &weak).expect("applied");
        let [pointer, target] = ["B/Pointer", "B/Target"].map(|path| document.find(path).expect("there"));
        assert_eq!(document.get(pointer, "Value").and_then(|value| value.as_instance()), Some(target));
    }
}

#[test]
fn what_no_file_stores_is_listed() {
    for mut document in documents() {
        let (mut weak, _) = to_weak(&*document);
        let part = InstanceBuilder::new("Part")
            .with_property("Position", Variant::Vector3(types::Vector3::new(1.0, 2.0, 3.0)));
        weak.insert(weak.root_ref(), part);
        let losses = apply(&mut *document, &weak).expect("applied");
        assert_eq!(losses.len(), 1, "{losses:?}");
        assert_eq!(losses[0].path, "Part.Position");
    }
}

/// What a `WeakDom` says about a document changes none of its bytes.
#[test]
fn nothing_changes_by_itself() {
    for sample in ["rbxbinary", "rbxxml"].into_iter().flat_map(samples) {
        let Ok(mut document) = from_slice(&sample.bytes) else { continue };
        let Ok(before) = document.to_vec() else { continue };
        if document.editable().is_err() {
            continue;
        }
        let (weak, _) = to_weak(&*document);
        match apply(&mut *document, &weak) {
            Ok(losses) => assert!(losses.is_empty(), "{}: {losses:?}", sample.name),
            Err(error) => panic!("{}: {error}", sample.name),
        }
        assert!(document.to_vec().expect("written") == before, "{} changes", sample.name);
    }
}

/// Any document becomes any other one: each binary sample becomes the next one.
#[test]
fn one_document_becomes_another() {
    // In XML, a property that is not known may come back with another type: an int for a BrickColor.
    let read = samples("rbxbinary").filter_map(|sample| Some((from_slice(&sample.bytes).ok()?, sample.name)));
    let is_usable = |of: &AnyDocument| of.to_vec().is_ok() && of.editable().is_ok() && of.len() < 1000;
    let small = read.filter(|(document, _)| is_usable(document));
    let all: Vec<(AnyDocument, String)> =
        small.map(|(document, name)| (document, name.to_string())).collect();
    for pair in all.windows(2) {
        let [(one, from), (other, to)] = pair else { continue };
        let (weak, _) = to_weak(&**other);
        let mut made = one.clone();
        let losses = apply(&mut *made, &weak).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
        let made = from_slice(&made.to_vec().expect("written")).expect("readable");
        let (after, _) = to_weak(&*made);
        // What the form or the class table cannot give is listed.
        let differ = differ(&weak, &after);
        let is_listed = |name: &String| losses.iter().any(|loss| loss.path.ends_with(&format!(".{name}")));
        let silent: Vec<_> = differ.iter().filter(|(name, _)| !is_listed(name)).collect();
        assert!(silent.is_empty(), "{from} to {to}: {:.600}", format!("{silent:?}"));
    }
}

/// The names of the properties of a wanted `WeakDom` that another one has otherwise, and the values.
fn differ(wanted: &WeakDom, found: &WeakDom) -> Vec<(String, String)> {
    let classes =
        |weak: &WeakDom| weak.descendants().map(|of| (of.class, of.name.clone())).collect::<Vec<_>>();
    let (names, others) = (classes(wanted), classes(found));
    if names != others {
        return vec![("tree".to_owned(), format!("{names:.300?}, not {others:.300?}"))];
    }
    let mut all = Vec::new();
    // XML stores a text with characters that it does not have as bytes.
    let is_text = |value: &str| !value.starts_with("String") || !value.contains("\\u{");
    for ((wanted, found), (class, _)) in content(wanted).into_iter().zip(content(found)).zip(names) {
        for (name, value) in wanted.iter().filter(|(name, value)| found.get(*name) != Some(*value)) {
            if !is_text(value) {
                continue;
            }
            all.push((name.clone(), format!("{class} has {:.200?}, not {value:.200}", found.get(name))));
        }
    }
    all
}
