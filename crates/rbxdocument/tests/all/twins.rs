//! Models and places that Studio saved both as binary and as XML. They are equal value by value, after they are read
//! and after the same edits.

use std::collections::{BTreeMap, HashMap};

use rbxcore::{CFrame, EditOptions};
use rbxdocument::{Dom, InstanceId, Value, from_slice};

use crate::common::named;

/// A value in a form that both crates share.
#[derive(Debug)]
enum Neutral {
    /// Floats, of which XML keeps six digits.
    Rough(Vec<f32>),
    /// Everything else, as both crates print it.
    Exact(String),
}

impl PartialEq for Neutral {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rough(a), Self::Rough(b)) => {
                let same = |(a, b): (&f32, &f32)| {
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= b.abs() * 1e-5
                };
                a.len() == b.len() && a.iter().zip(b).all(same)
            }
            (Self::Exact(a), Self::Exact(b)) => a == b,
            _ => false,
        }
    }
}

/// In the path of an instance that Studio only stores in binary files.
const SELECTION: &str = "Instance:FilteredSelection";

/// Each instance, by its path in classes and names, and the values of its properties.
type Tree = BTreeMap<String, Neutral>;

fn tree(document: &dyn Dom) -> Tree {
    let mut paths: HashMap<InstanceId, String> = HashMap::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for id in document.instances() {
        let above = document.parent(id).map_or("", |parent| &*paths[&parent]);
        let class = document.class(id).unwrap();
        let path = format!("{above}/{class}:{}", document.name(id).unwrap_or_default());
        let count = counts.entry(path.clone()).or_default();
        *count += 1;
        paths.insert(id, format!("{path}[{count}]"));
    }
    let mut tree = Tree::new();
    // Studio only stores its selection in binary files.
    for (&id, path) in paths.iter().filter(|(_, path)| !path.contains(SELECTION)) {
        tree.insert(path.clone(), Neutral::Exact("an instance".into()));
        tree.extend(
            document
                .properties(id)
                .map(|(name, value)| (format!("{path}.{name}"), neutral(value.to_value(), &paths))),
        );
    }
    tree
}

fn neutral(value: Value, paths: &HashMap<InstanceId, String>) -> Neutral {
    // An asset that is not defined is empty.
    if matches!(&value, Value::Unknown(unknown) if &*unknown.tag == "NetAssetRef") {
        return Neutral::Exact("[]".into());
    }
    // Binary files do not distinguish the types of strings.
    if let Some(bytes) = value.as_bytes() {
        return Neutral::Exact(format!("{bytes:?}"));
    }
    if let Some(path) = value.as_instance().map(|id| &paths[&id]).filter(|path| !path.contains(SELECTION)) {
        return Neutral::Exact(format!("to {path}"));
    }
    if let Some(integer) = value.as_i64() {
        return Neutral::Exact(integer.to_string());
    }
    match &value {
        Value::BrickColor(color) => Neutral::Exact(color.0.to_string()),
        Value::NumberRange(range) => Neutral::Rough(vec![range.min, range.max]),
        Value::NumberSequence(sequence) => {
            Neutral::Rough(sequence.keypoints.iter().flat_map(|k| [k.time, k.value, k.envelope]).collect())
        }
        Value::ColorSequence(sequence) => {
            let all = sequence.keypoints.iter();
            Neutral::Rough(all.flat_map(|k| [k.time, k.color.r, k.color.g, k.color.b, k.envelope]).collect())
        }
        // A reference to an instance that only the binary file contains is null in XML.
        Value::Ref(_) => Neutral::Exact("null".into()),
        // In rotations of binary files, -0 becomes 0.
        value => Neutral::Exact(format!("{value:?}").replace("-0.0", "0.0")),
    }
}

/// Edits of every kind with two instances, neither of which is below the other.
fn edit(document: &mut dyn Dom, one: &str, other: &str) {
    let [one, other] = [one, other].map(|path| document.find(path).unwrap());
    // Instances that only binary files have would use some of the new unique ids.
    let extra = |id: &InstanceId| document.name(*id).is_some_and(|name| name == "FilteredSelection");
    let extra: Vec<_> = document.instances().filter(extra).collect();
    document.remove_all(extra).unwrap();
    let source = document.copy();

    let properties: Vec<_> =
        document.properties(one).map(|(name, value)| (name.to_owned(), value.to_value())).collect();
    for (name, value) in properties {
        if let Some(flag) = value.as_bool() {
            document.set(one, &name, !flag).unwrap();
        } else if value.as_f32().is_some() {
            document.set(one, &name, 0.25).unwrap();
            document.set(one, &name, 3).unwrap();
        } else if value.as_cframe().is_some() {
            document.set(one, &name, CFrame::new(1.0, 2.0, 3.0)).unwrap();
        }
    }
    document.set(one, "Name", "re/named[1]").unwrap();

    // New instances of classes that no file contains.
    let folder = named("EqualFolder", "new")
        .child(named("EqualValue", "a").label("a").property("To", one))
        .child(named("EqualValue", "b").reference("To", "a"));
    let folder = document.insert(document.parent(other), folder).unwrap();
    document.add_property("EqualValue", "Number", 0.5_f32).unwrap();
    let below = document.find_in(folder, "b").unwrap();
    document.set(below, "Number", 0.75).unwrap();

    // Moves, copies and removals.
    document.reparent(one, folder).unwrap();
    let copy = document.copy_from(folder, &*source, other).unwrap();
    document.set(copy, "Name", "copy").unwrap();
    let kept = EditOptions::new().keep_unique_ids(true).copy_from(document, folder, &*source, one);
    document.set(kept.unwrap().instances[0], "Name", "kept").unwrap();
    document.merge(folder, &*source).unwrap();
    document.remove(other).unwrap();
    let all: Vec<_> = document.by_class("EqualValue").skip(1).collect();
    assert_eq!(document.remove_all(all).unwrap(), 1);
}

/// The number of equal values; panics with the list of those that differ.
fn compare(name: &str, binary: &Tree, xml: &Tree) -> usize {
    // A part that was dragged between the two saves.
    let dragged = |at: &str| name.contains("default-inserted-part__") && at.ends_with(".CFrame");
    let differing: Vec<_> = binary
        .keys()
        .chain(xml.keys())
        .filter(|at| binary.get(*at) != xml.get(*at) && !dragged(at))
        .collect();
    let show = |at: &&String| format!("{at}: {:?} and {:?}\n", binary.get(*at), xml.get(*at));
    let shown: String = differing.iter().take(20).map(show).collect();
    assert!(differing.is_empty(), "{name}: {} differ\n{shown}", differing.len());
    xml.len()
}

#[test]
fn twins_agree_before_and_after_edits() {
    let mut twins = testkit::twins();
    // The two files of the others were not saved at the same time.
    twins.retain(|(name, ..)| name.contains("__binary."));
    let (mut values, mut after) = (0, 0);
    for (name, binary, xml) in &twins {
        let (mut binary, mut xml) = (from_slice(binary).unwrap(), from_slice(xml).unwrap());
        values += compare(name, &tree(&*binary), &tree(&*xml));
        // Two instances, neither of which is below the other.
        let paths: Vec<String> = xml
            .instances()
            .map(|id| xml.path(id).unwrap().to_string())
            .filter(|path| !path.contains('[') && binary.find(path).is_some())
            .collect();
        let below = |a: &str, b: &str| a.starts_with(&format!("{b}/"));
        let apart = |a: &str, b: &str| a != b && !below(a, b) && !below(b, a);
        let one = paths.iter().find(|a| paths.iter().any(|b| apart(a, b))).or(paths.first()).unwrap();
        let other = paths.iter().rev().find(|b| apart(one, b)).map_or("another root", |path| path);
        for document in [&mut binary, &mut xml] {
            if document.find(other).is_none() {
                document.insert(None, named("EqualRoot", other)).unwrap();
            }
            edit(&mut **document, one, other);
        }
        after += compare(name, &tree(&*binary), &tree(&*xml));
        for document in [binary, xml] {
            let read = from_slice(&document.to_vec().unwrap()).unwrap();
            assert_eq!(tree(&*read), tree(&*document), "{name}");
        }
    }
    println!("{} twins, {values} values, after edits {after}", twins.len());
    assert!(twins.is_empty() || twins.len() == 54, "{}", twins.len());
}
