//! Broken input: no panic, no loop, and no more memory than allowed.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use rbxbinary::{Compression, ReadOptions, WriteOptions};
use testkit::Hostile;

/// What the reads below may allocate for the model.
const ALLOWED: u64 = 4 << 20;

fn all(bytes: &[u8]) -> Result<(), String> {
    let text = |error: rbxbinary::Error| error.to_string();
    let read = |bytes: &[u8]| ReadOptions::new().max_bytes(ALLOWED).read(bytes);
    for chunk in rbxbinary::chunks(bytes).map_err(text)? {
        let _ = chunk.map_err(text)?;
    }
    let document = read(bytes).map_err(text)?;
    let findings = rbxbinary::check(&document);
    assert!(findings.iter().all(|finding| finding.count > 0));
    // What was read can be written, and reads as the same.
    let written = rbxbinary::to_vec(&document).map_err(|error| panic!("{error}")).map_err(text)?;
    let again = read(&written).unwrap_or_else(|error| panic!("what was written does not read: {error}"));
    assert!(rbxbinary::to_vec(&again).unwrap() == written);

    // Every instance is in the tree once, and all of it can be looked at.
    let tree = document.tree();
    assert_eq!(tree.descendants().count(), document.instance_count());
    for instance in tree.descendants() {
        let _ = (instance.name(), instance.class_name(), instance.parent());
        let _ = instance.properties().filter(|(_, value)| value.is_some()).count();
    }
    let first = tree.descendants().next().map(|instance| instance.referent());

    // And it can be edited and brought in order.
    let mut edited = document.clone();
    if let Some(first) = first {
        let _ = edited.set(first, "Name", "other");
        let _ = edited.insert(Some(first), rbxbinary::NewInstance::new("Folder").property("Name", "new"));
        let _ = edited.reparent(first, None);
        let _ = edited.merge(&document, Some(first));
        let _ = edited.remove(first);
    }
    edited.normalize();
    for compression in [Compression::None, Compression::Zstd] {
        let bytes = WriteOptions::new().compression(compression).write(&edited).unwrap();
        let again = rbxbinary::from_slice(&bytes).unwrap_or_else(|error| panic!("in order: {error}"));
        let rules = [
            "a referent is that of one instance",
            "an instance has a row among the parents",
            "no instance is its own ancestor",
            "a parent is an instance",
            "a child is an instance",
            "an instance has one parent",
            "a reference leads to an instance",
            "a shared string is in the table",
            "the header says how many instances there are",
            "a class has an id of its own",
        ];
        for finding in rbxbinary::check(&again) {
            assert!(!rules.contains(&finding.rule), "{finding}");
        }
    }
    Ok(())
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxbinary",
    read: &all,
    only_read: &|bytes| ReadOptions::new().max_bytes(ALLOWED).read(bytes).is_ok(),
    // The model and decompressed chunks within what is allowed, vectors that grow by doubling,
    // and the tables of zstd.
    bound: &|_| 2 * ALLOWED + (1 << 20),
    mutations: 10_000,
    counts: true,
};

#[test]
fn every_truncation_and_many_mutations() {
    HOSTILE.run();
}

#[test]
fn chunks_twice_missing_and_in_any_order() {
    HOSTILE.rearranged(&|bytes| {
        let chunks = rbxbinary::chunks(bytes).into_iter().flatten();
        chunks.map_while(Result::ok).map(|chunk| chunk.range).collect()
    });
}

#[test]
fn a_full_disk_is_an_error() {
    testkit::full_disks("rbxbinary", &|bytes, disk| {
        let document = rbxbinary::from_slice(bytes).ok()?;
        let written = rbxbinary::to_writer(disk, &document);
        if let Err(error) = &written {
            assert!(matches!(error.kind(), rbxbinary::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
