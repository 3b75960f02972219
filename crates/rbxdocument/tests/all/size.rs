//! What takes the bytes of a file.

use rbxdocument::size::{Size, measure};
use rbxdocument::{NewInstance, from_slice};

use crate::common::files;

fn sum<T>(all: &[T], of: impl Fn(&T) -> u64) -> u64 {
    all.iter().map(of).sum()
}

/// The parts of a file add up to it, and those of instances and properties to their chunks.
fn adds_up(name: &str, bytes: &[u8], size: &Size) {
    assert_eq!(size.bytes, bytes.len() as u64, "{name}");
    assert_eq!(sum(&size.parts, |part| part.bytes), size.bytes, "{name}: {:?}", size.parts);
    assert_eq!(sum(&size.parts, |part| part.content), size.content, "{name}");
    let part = |wanted: &str| sum(&size.parts, |part| if part.name == wanted { part.bytes } else { 0 });
    let of_instances = sum(&size.instances, |of| of.own);
    let is_binary = size.parts.iter().any(|part| part.name == "header");
    if is_binary {
        assert_eq!(sum(&size.properties, |of| of.bytes), part("PROP"), "{name}");
        assert_eq!(
            sum(&size.shared, |of| of.bytes),
            if size.shared.is_empty() { 0 } else { part("SSTR") },
            "{name}"
        );
        if !size.instances.is_empty() {
            // Classes without instances and chunks of no class belong to none.
            assert!(of_instances <= part("PROP") + part("INST") + part("PRNT"), "{name}");
        }
    } else {
        assert_eq!(of_instances, part("instances"), "{name}");
    }
    let document = from_slice(bytes).unwrap();
    let roots: u64 =
        size.instances.iter().filter(|of| document.parent(of.id).is_none()).map(|of| of.total).sum();
    assert_eq!(roots, of_instances, "{name}");
}

#[test]
fn parts_add_up_to_the_file() {
    for file in files() {
        let Ok(size) = measure(&file.bytes, 1 << 30) else {
            assert!(from_slice(&file.bytes).is_err(), "{}", file.name);
            continue;
        };
        adds_up(&file.name, &file.bytes, &size);
    }
}

/// A longer search takes fewer bytes, and the file has the same content.
#[test]
fn a_higher_level_is_smaller() {
    let (mut low, mut high) = (0, 0);
    for file in files() {
        let Ok(document) = rbxbinary::from_slice(&file.bytes) else { continue };
        let options = rbxbinary::WriteOptions::new().compression(rbxbinary::Compression::Zstd);
        let Ok(small) = options.clone().level(19).write(&document) else { continue };
        let Ok(large) = options.write(&document) else { continue };
        low += large.len();
        high += small.len();
        assert!(rbxbinary::from_slice(&small).unwrap() == document, "{}", file.name);
        if let Ok(size) = measure(&file.bytes, 1 << 30)
            && size.parts.iter().all(|part| part.name != "bytes behind the end")
        {
            // What is stated is what is written, but for the END, which is never compressed.
            let stated = size.compressed.iter().find(|of| of.name == "zstd:19").unwrap().bytes;
            assert!(stated.abs_diff(small.len() as u64) <= 64, "{}: {stated}, {}", file.name, small.len());
        }
    }
    assert!(high < low, "{high} bytes at level 19, {low} at 3");
}

/// What each attribute takes, and whether a script contains its name, between characters that are of no name.
#[test]
fn attributes_that_no_script_names_are_known() {
    let mut document = rbxbinary::Document::new();
    let source = "if door:GetAttribute(\"Open\") then print(door:GetAttribute('Max.Speed'), Healthy) end";
    let script = NewInstance::new("Script").property("Name", "Script").property("Source", source);
    document.insert(None, script).unwrap();
    let folders = ["One", "Two"]
        .map(|name| document.insert(None, NewInstance::new("Folder").property("Name", name)).unwrap());
    for id in folders {
        rbxdocument::attributes::set_attribute(&mut *document, id, "Open", true).unwrap();
        if id == folders[0] {
            rbxdocument::attributes::set_attribute(&mut *document, id, "Health", "x".repeat(50)).unwrap();
            rbxdocument::attributes::set_attribute(&mut *document, id, "Max.Speed", 1.0).unwrap();
        }
    }
    let size = measure(&rbxbinary::to_vec(&document).unwrap(), 1 << 30).unwrap();
    let found: Vec<_> =
        size.attributes.iter().map(|of| (of.name.to_string(), of.count, of.content, of.is_named)).collect();
    // A length and a name, a type, and the value: a text with its length, a boolean, or eight bytes.
    let wanted = [("Health", 1, 65, false), ("Max.Speed", 1, 22, true), ("Open", 2, 20, true)];
    let wanted: Vec<_> = wanted
        .into_iter()
        .map(|(name, count, bytes, named)| (name.to_owned(), count, bytes, named))
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn what_is_large_is_named() {
    let source = "print('a long line that two scripts have') ".repeat(4);
    let mut document = rbxbinary::Document::new();
    for name in ["One", "Two"] {
        let script = NewInstance::new("Script").property("Name", name).property("Source", &source);
        document.insert(None, script).unwrap();
    }
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let size = measure(&bytes, 1 << 30).unwrap();
    adds_up("made", &bytes, &size);
    assert_eq!(size.properties[0].name, "Script.Source");
    assert_eq!(size.instances[0].source, Some(source.len() as u64));
    let [found] = &size.duplicates[..] else { panic!("{:?}", size.duplicates) };
    assert_eq!(
        (found.count, found.len, &*found.property, &*found.path),
        (2, source.len() as u64, "Script.Source", "One")
    );
}
