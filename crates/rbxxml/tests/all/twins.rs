//! Models and places that Studio saved both as binary and as XML. They are equal value by value, after they are read
//! and after the same edits, whose code is written once for both crates.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};

use rbxxml::{CFrame, Dom, EditOptions, ErrorKind, InstanceId, NewInstance, Result, Value};
use testkit::{Sample, corpus};

/// A value in a form that both crates share.
#[derive(Clone, Debug)]
enum Neutral {
    /// The bytes of a string of any type, since binary files do not distinguish these, or of a URI.
    Bytes(Vec<u8>),
    /// An integer, or the number of a palette colour.
    Integer(i64),
    /// Floats, of which XML keeps six digits.
    Rough(Vec<f32>),
    /// The instance to which a reference leads.
    Instance(String),
    /// Everything else, as both crates print it.
    Other(String),
}

impl PartialEq for Neutral {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Rough(a), Self::Rough(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= b.abs() * 1e-5)
            }
            (Self::Instance(a), Self::Instance(b)) | (Self::Other(a), Self::Other(b)) => a == b,
            // A reference to an instance that only the binary file contains is null in XML.
            (Self::Instance(a), Self::Other(b)) | (Self::Other(b), Self::Instance(a)) => {
                a.contains("FilteredSelection") && b.contains("None")
            }
            _ => false,
        }
    }
}

/// The properties of each instance, by its path in classes and names.
type Tree = BTreeMap<String, BTreeMap<String, Neutral>>;

/// Reads a document of either form.
fn read(bytes: &[u8]) -> Box<dyn Dom> {
    match rbxbinary::detect(bytes) {
        Some(_) => Box::new(rbxbinary::from_slice(bytes).unwrap()),
        None => Box::new(rbxxml::from_slice(bytes).unwrap()),
    }
}

/// Writes the document and reads it again, which must give the same tree.
fn written(document: &dyn Dom) -> Box<dyn Dom> {
    let any: &dyn Any = document;
    let bytes = match any.downcast_ref() {
        Some(document) => rbxbinary::to_vec(document).unwrap(),
        None => rbxxml::to_vec(any.downcast_ref().unwrap()).unwrap(),
    };
    let again = read(&bytes);
    assert_eq!(tree(&*again), tree(document));
    again
}

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
    let value = |value: Value| neutral(value, &paths);
    let instance = |(id, path): (&InstanceId, &String)| {
        let properties = document.properties(*id);
        let properties = properties.map(|(name, of)| (name.to_string(), value(of.to_value())));
        (path.clone(), properties.collect::<BTreeMap<_, _>>())
    };
    let tree = paths.iter().map(instance);
    // Studio only stores its selection in binary files.
    tree.filter(|(path, _)| !path.contains("Instance:FilteredSelection")).collect()
}

fn neutral(value: Value, paths: &HashMap<InstanceId, String>) -> Neutral {
    // An asset that is not defined is empty.
    if matches!(&value, Value::Unknown(unknown) if &*unknown.tag == "NetAssetRef") {
        return Neutral::Bytes(Vec::new());
    }
    if let Some(bytes) = value.as_bytes() {
        return Neutral::Bytes(bytes.to_vec());
    }
    if let Some(id) = value.as_instance() {
        return Neutral::Instance(paths[&id].clone());
    }
    if let Some(integer) = value.as_i64() {
        return Neutral::Integer(integer);
    }
    match &value {
        Value::BrickColor(color) => Neutral::Integer(i64::from(color.0)),
        Value::NumberRange(range) => Neutral::Rough(vec![range.min, range.max]),
        Value::NumberSequence(sequence) => {
            Neutral::Rough(sequence.keypoints.iter().flat_map(|k| [k.time, k.value, k.envelope]).collect())
        }
        Value::ColorSequence(sequence) => {
            let all = sequence.keypoints.iter();
            Neutral::Rough(all.flat_map(|k| [k.time, k.color.r, k.color.g, k.color.b, k.envelope]).collect())
        }
        // In rotations of binary files, -0 becomes 0.
        value => Neutral::Other(format!("{value:?}").replace("-0.0", "0.0")),
    }
}

fn refused<T>(document: &mut dyn Dom, edit: impl FnOnce(&mut dyn Dom) -> Result<T>) {
    let before = tree(document);
    let error = edit(document).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    assert_eq!(tree(document), before, "{error}");
}

fn add_root(document: &mut dyn Dom, name: &str) {
    document.insert(None, NewInstance::new("EqualRoot").property("Name", name)).unwrap();
}

/// Edits of every kind with two instances, neither of which is below the other.
fn edit(document: &mut dyn Dom, one: &str, other: &str) {
    let [one, other] = [one, other].map(|path| document.find(path).unwrap());
    assert_eq!(document.find(document.path(one).unwrap()), Some(one));
    // Instances that only binary files have would use some of the new unique ids.
    let extra = |id: &InstanceId| document.name(*id).is_some_and(|name| name == "FilteredSelection");
    let extra: Vec<_> = document.instances().filter(extra).collect();
    document.remove_all(extra).unwrap();
    let source = document.copy();

    // Edits of values.
    let properties: Vec<_> =
        document.properties(one).map(|(name, value)| (name.to_owned(), value.to_value())).collect();
    for (name, value) in properties {
        if let Some(flag) = value.as_bool() {
            document.set(one, &name, !flag).unwrap();
            refused(document, |document| document.set(one, &name, "yes"));
        } else if value.as_f32().is_some() {
            document.set(one, &name, 0.25).unwrap();
            document.set(one, &name, 3).unwrap();
            refused(document, |document| document.set(one, &name, 1e300));
        } else if value.as_cframe().is_some() {
            document.set(one, &name, CFrame::new(1.0, 2.0, 3.0)).unwrap();
        }
    }
    document.set(one, "Name", "re/named[1]").unwrap();

    // New instances of classes that no file contains.
    let folder = NewInstance::new("EqualFolder")
        .property("Name", "new")
        .child(NewInstance::new("EqualValue").property("Name", "a").label("a").property("To", one))
        .child(NewInstance::new("EqualValue").property("Name", "b").reference("To", "a"));
    let parent = document.parent(other);
    let folder = document.insert(parent, folder).unwrap();
    document.add_property("EqualValue", "Number", 0.5_f32).unwrap();
    let below = document.find_in(folder, "b").unwrap();
    document.set(below, "Number", 0.75).unwrap();
    document.add_property("EqualValue", "Short", "x").unwrap();
    document.remove_property("EqualValue", "Short").unwrap();
    refused(document, |document| document.remove_property("EqualValue", "Short"));
    refused(document, |document| document.insert(folder, NewInstance::new("A").reference("B", "c")));

    // Moves, copies and removals.
    let child = document.children(folder).next();
    refused(document, |document| document.reparent(folder, child));
    document.reparent(one, folder).unwrap();
    let copy = document.copy_from(folder, &*source, other).unwrap();
    document.set(copy, "Name", "copy").unwrap();
    let kept = EditOptions::new().keep_unique_ids(true).copy_from(document, folder, &*source, one);
    document.set(kept.unwrap().instances[0], "Name", "kept").unwrap();
    let merged = document.merge(folder, &*source).unwrap();
    assert_eq!(merged.len(), source.roots().count());
    document.remove(other).unwrap();
    assert!(!document.contains(other));
    refused(document, |document| document.remove(other));
    let all: Vec<_> = document.by_class("EqualValue").skip(1).collect();
    assert_eq!(document.remove_all(all).unwrap(), 1);
}

/// A copy within a document keeps references to other instances, as `Clone` does in Roblox.
fn duplicate(document: &mut dyn Dom) {
    let named = |class: &str, name: &str| NewInstance::new(class).property("Name", name);
    let target = document.insert(None, named("Part", "target")).unwrap();
    let value = named("ObjectValue", "value").property("Value", Value::Ref(Some(target)));
    let inner = named("ObjectValue", "inner").reference("Value", "model");
    let model = named("Model", "model").label("model").child(value).child(inner);
    let model = document.insert(None, model).unwrap();
    // The parent of the copy is in the original.
    let copy = document.duplicate(model, model).unwrap();
    assert_eq!(document.find("model/model"), Some(copy));
    let refers = |document: &dyn Dom, path: &str| {
        let id = document.find(path).unwrap();
        document.get(id, "Value").unwrap().as_instance()
    };
    assert_eq!(refers(document, "model/model/value"), Some(target));
    assert_eq!(refers(document, "model/model/inner"), Some(copy));
    assert_eq!(refers(document, "model/inner"), Some(model));
    assert_eq!(document.len(), 7);
    document.remove(model).unwrap();
    assert!(document.duplicate(model, None).is_err() && document.len() == 1);
}

/// Pairs of files: the name, the XML and the binary file.
fn twins() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let stem = |name: &str, format: &str| {
        name.split_once(&format!("__{format}.")).map_or_else(|| name.to_owned(), |(stem, _)| stem.to_owned())
    };
    let binary = corpus("rbxbinary").into_iter().map(|Sample { name, bytes }| (stem(&name, "binary"), bytes));
    let binary: HashMap<String, Vec<u8>> = binary.collect();
    let xml = corpus("rbxxml").into_iter().map(|Sample { name, bytes }| (stem(&name, "xml"), bytes));
    xml.filter_map(|(name, xml)| Some((name.clone(), xml, binary.get(&name)?.clone()))).collect()
}

/// The number of equal values; panics with the list of those that differ.
fn compare(name: &str, binary: &Tree, xml: &Tree) -> usize {
    let mut values = 0;
    let mut differing = Vec::new();
    for path in binary.keys().filter(|path| !xml.contains_key(*path)) {
        differing.push(format!("{path}: not in the XML file"));
    }
    for (path, properties) in xml {
        let Some(others) = binary.get(path) else {
            differing.push(format!("{path}: not in the binary file"));
            continue;
        };
        for (property, value) in properties {
            // A part that was dragged between the two saves.
            let dragged = name.ends_with("default-inserted-part") && property == "CFrame";
            if others.get(property) != Some(value) && !dragged {
                differing.push(format!("{path}.{property}: {value:?} and {:?}", others.get(property)));
            }
            values += 1;
        }
        for property in others.keys().filter(|property| !properties.contains_key(*property)) {
            differing.push(format!("{path}.{property}: not in the XML file"));
        }
    }
    assert!(differing.is_empty(), "{name}: {} differ, {:.3000}", differing.len(), differing.join("\n"));
    values
}

#[test]
fn twins_agree_before_and_after_edits() {
    let twins = twins();
    let (mut values, mut after, mut edited) = (0, 0, 0);
    for (name, xml, binary) in &twins {
        let (mut xml, mut binary) = (read(xml), read(binary));
        values += compare(name, &tree(&*binary), &tree(&*xml));
        // Two instances, neither of which is below the other.
        let paths: Vec<String> = xml
            .instances()
            .map(|id| xml.path(id).unwrap().to_string())
            .filter(|path| !path.contains('[') && binary.find(path).is_some())
            .collect();
        let below = |a: &str, b: &str| a.starts_with(&format!("{b}/"));
        let apart = |a: &&String| paths.iter().any(|b| a != &b && !below(a, b) && !below(b, a));
        let Some(one) = paths.iter().find(apart).or(paths.first()) else { continue };
        let other = paths.iter().rev().find(|b| *b != one && !below(one, b) && !below(b, one));
        let other = match other {
            Some(path) => path,
            None => {
                add_root(&mut *xml, "another root");
                add_root(&mut *binary, "another root");
                "another root"
            }
        };
        edit(&mut *xml, one, other);
        edit(&mut *binary, one, other);
        after += compare(name, &tree(&*binary), &tree(&*xml));
        let (xml, binary) = (written(&*xml), written(&*binary));
        compare(name, &tree(&*binary), &tree(&*xml));
        edited += 1;
    }
    println!("{} twins, {values} values; {edited} edited, {after} values", twins.len());
    assert!(twins.is_empty() || (twins.len() == 54 && edited == 54), "{} and {edited}", twins.len());
}

#[test]
fn a_duplicate_keeps_references_to_the_outside() {
    duplicate(&mut rbxbinary::Document::new());
    duplicate(&mut rbxxml::Document::new());
}
