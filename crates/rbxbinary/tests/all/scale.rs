//! The cost of edits and the memory of reads. The documents are so large that the test would take hours if each edit
//! depended on their size.

use crate::common::{chunk, end, header, inst, prop, string};
use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::errors::ErrorKind;
use rbxbinary::{Document, InstanceId, NewInstance, ReadOptions, Value};
use testkit::measure;

const COUNT: usize = 150_000;

fn part(name: String) -> NewInstance {
    NewInstance::new("Part").property("Name", name).property("Tags", Value::SharedString("".into()))
}

/// Instances of one class in one folder.
fn flat(count: usize) -> (Document, InstanceId, Vec<InstanceId>) {
    let mut document = Document::new();
    let folder = document.insert(None, NewInstance::new("Folder").property("Name", "All")).unwrap();
    let parts = (0..count).map(|number| document.insert(folder, part(format!("Part{number}"))).unwrap());
    let parts = parts.collect();
    (document, folder, parts)
}

#[test]
fn as_many_edits_as_instances() {
    let (mut document, folder, parts) = flat(COUNT);
    let other = document.insert(None, NewInstance::new("Folder").property("Name", "Other")).unwrap();
    // Replace each name and each shared string by another one of the same length.
    for (number, &part) in parts.iter().enumerate() {
        document.set(part, "Name", format!("{number:020}")).unwrap();
        document.set(part, "Tags", format!("{number:020}")).unwrap();
    }
    for &part in &parts {
        document.reparent(part, other).unwrap();
    }
    assert_eq!((document.children(folder).count(), document.children(other).count()), (0, COUNT));
    let like = EditOptions::new().fill(Fill::Like(parts[0]));
    for &part in parts.iter().skip(COUNT / 2) {
        let new = NewInstance::new("Part").property("Name", "new");
        like.insert(&mut document, part, new).unwrap();
    }
    // Half of the instances one by one, the others at once.
    for &part in parts.iter().take(COUNT / 2) {
        assert_eq!(document.remove(part).unwrap(), 1);
    }
    assert_eq!(document.remove_all(parts.into_iter().skip(COUNT / 2)).unwrap(), 2 * (COUNT - COUNT / 2));
    assert_eq!(document.len(), 2);
    let written = rbxbinary::to_vec(&document).unwrap();
    assert_eq!(rbxbinary::from_slice(&written).unwrap().len(), 2);
}

#[test]
fn merging_many_of_everything() {
    let count = COUNT / 10;
    let all = EditOptions::new().fill(Fill::Neutral).others(Others::LeaveOut);
    // Classes with one instance each.
    let mut classes = Document::new();
    for number in 0..count {
        classes.insert(None, NewInstance::new(format!("Class{number}")).property("Name", "x")).unwrap();
    }
    // One class with many properties.
    let wide = (0..count).fold(NewInstance::new("Wide"), |new, number| {
        new.property(format!("Property{number}"), number as f64)
    });
    let mut properties = Document::new();
    properties.insert(None, wide).unwrap();
    // Fonts, bytecode, and shared strings of the same length.
    let mut strings = Document::new();
    for number in 0..count {
        let new = NewInstance::new("Thing")
            .property(
                "Font",
                rbxbinary::types::Font { family: format!("{number}").into(), ..Default::default() },
            )
            .property("Code", Value::Bytecode(format!("{number}").into()))
            .property("Shared", Value::SharedString(format!("{number:09}").into()));
        strings.insert(None, new).unwrap();
    }
    let mut document = Document::new();
    for _ in 0..2 {
        for source in [&classes, &properties, &strings] {
            all.merge(&mut document, None, source).unwrap();
        }
    }
    assert_eq!(document.len(), 2 * (2 * count + 1));
    assert_eq!(document.shared_strings().len(), count);
    let top = document.by_class("Wide").next().unwrap();
    for number in 0..count {
        document.set(top, format!("Property{number}"), -1.0_f64).unwrap();
    }
    let written = rbxbinary::to_vec(&document).unwrap();
    assert_eq!(rbxbinary::from_slice(&written).unwrap().len(), document.len());
}

/// Columns without values are skipped once, and not once for each instance.
#[test]
fn many_columns_without_values() {
    let count = 200_000;
    let mut file =
        [header(1, count), chunk(b"INST", &inst(0, "A", &(0..count).collect::<Vec<_>>()))].concat();
    for number in 0..count {
        let name = string(number.to_string().as_bytes());
        file.extend(chunk(b"PROP", &[&0_u32.to_le_bytes()[..], &name].concat()));
    }
    file.extend(end());
    let document = rbxbinary::from_slice(&file).unwrap();
    let values: usize = document.instances().map(|id| document.properties(id).count()).sum();
    assert_eq!((document.len(), values), (200_000, 0));
}

/// No read takes more memory than `max_bytes`, whatever the file contains many of.
#[test]
fn max_bytes_is_kept() {
    let many = |one: &dyn Fn(u32) -> Vec<u8>| -> Vec<u8> { (0..20_000).flat_map(one).collect() };
    let values = 1_u32.to_le_bytes();
    let files = [
        (
            "properties",
            [
                chunk(b"INST", &inst(0, "A", &[0])),
                many(&|n| chunk(b"PROP", &prop(0, &format!("{n}"), 2, &[1]))),
            ]
            .concat(),
        ),
        (
            "strings",
            [
                chunk(b"INST", &inst(0, "A", &[0])),
                many(&|n| chunk(b"PROP", &prop(0, &format!("{n}"), 1, &[0; 4]))),
            ]
            .concat(),
        ),
        (
            "sequences",
            [
                chunk(b"INST", &inst(0, "A", &[0])),
                many(&|n| chunk(b"PROP", &prop(0, &format!("{n}"), 0x15, &[&values[..], &[0; 12]].concat()))),
            ]
            .concat(),
        ),
        ("classes", many(&|n| chunk(b"INST", &inst(n, &format!("{n}"), &[n.cast_signed()])))),
        ("unknown chunks", many(&|_| chunk(b"WHAT", b"x"))),
        ("instances", chunk(b"INST", &inst(0, "A", &(0..500_000).collect::<Vec<_>>()))),
    ];
    for (name, body) in files {
        let file = [header(0, 0), body, end()].concat();
        let walk = |options: &ReadOptions| -> Result<usize, rbxbinary::Error> {
            // `instances` builds the index.
            options.read_from(&file[..]).map(|document| document.instances().count())
        };
        let mut count = 0;
        let needed = measure(|| count = walk(&ReadOptions::new()).unwrap()).bytes_max;
        assert!(count < 1_000_000);
        for part in [1, 2, 4, 10] {
            let max_bytes = (needed / part) as u64;
            let mut result = None;
            let taken = measure(|| result = Some(walk(&ReadOptions::new().max_bytes(max_bytes))));
            if let Err(error) = result.unwrap() {
                assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{name}: {error}");
            }
            let taken = taken.bytes_max as u64;
            assert!(taken <= max_bytes + (256 << 10), "{name}: {taken} bytes where {max_bytes} are allowed");
        }
    }
}
