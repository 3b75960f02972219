//! Broken input: no panic, no endless loop, and no more memory than allowed.

use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::errors::ErrorKind;
use rbxbinary::{Compression, Document, NewInstance, ReadOptions, WriteOptions};
use testkit::Hostile;

/// The limit of memory for the model, in the reads below.
const ALLOWED: u64 = 4 << 20;

fn all(bytes: &[u8]) -> Result<(), String> {
    let text = |error: rbxbinary::Error| error.to_string();
    let read = |bytes: &[u8]| ReadOptions::new().max_bytes(ALLOWED).read(bytes);
    for chunk in rbxbinary::chunks(bytes).map_err(text)? {
        let _ = chunk.map_err(text)?;
    }
    let document = read(bytes).map_err(text)?;
    let findings = rbxbinary::check(&document);
    assert!(findings.iter().all(|finding| rbxbinary::errors::RULES.contains(&finding.rule)));
    // What was read can be written, and is read as an equal document.
    let written = rbxbinary::to_vec(&document).map_err(|error| panic!("{error}")).map_err(text)?;
    let again = read(&written).unwrap_or_else(|error| panic!("what was written does not read: {error}"));
    assert!(again == document && rbxbinary::to_vec(&again).unwrap() == written);

    // Every instance is in the tree once, and all of its values can be read.
    assert_eq!(document.instances().count(), document.len());
    for id in document.instances() {
        let _ = (document.name(id), document.class(id), document.parent(id));
        let _ = document.properties(id).count();
    }

    // The document can be edited. A refused edit changes nothing, and an edited document is written as a valid file.
    let mut edited = document.clone();
    let first = document.instances().next();
    edit(&mut edited, |document| document.merge(first, &again).map(|_| ()));
    if let Some(first) = first {
        edit(&mut edited, |document| document.set(first, "Name", "other").map(drop));
        let new = NewInstance::new("Folder").property("Name", "new");
        edit(&mut edited, |document| document.insert(first, new.clone()).map(|_| ()));
        let like = EditOptions::new().fill(Fill::Like(first)).others(Others::Neutral);
        edit(&mut edited, |document| like.merge(document, first, &again).map(|_| ()));
        edit(&mut edited, |document| document.reparent(first, None));
        edit(&mut edited, |document| document.remove(first).map(|_| ()));
    }
    for compression in [Compression::None, Compression::Zstd] {
        let bytes = match WriteOptions::new().compression(compression).write(&edited) {
            Ok(bytes) => bytes,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Unwritable(_)), "{error}");
                continue;
            }
        };
        let again = rbxbinary::from_slice(&bytes).unwrap_or_else(|error| panic!("edited: {error}"));
        assert_eq!(again.instances().count(), edited.len());
        // No edit breaks a rule that the document did not break before.
        let rules =
            ["referents", "parent-rows", "cycles", "parents", "references", "shared-strings", "class-ids"];
        for finding in rbxbinary::check(&again) {
            let is_new = findings.iter().all(|before| before.rule.id != finding.rule.id);
            assert!(!is_new || !rules.contains(&&finding.rule.id["rbxbinary.".len()..]), "{finding}");
        }
    }
    Ok(())
}

/// Edits a document. If the edit is refused, the document must be unchanged.
fn edit(document: &mut Document, edit: impl FnOnce(&mut Document) -> rbxbinary::Result<()>) {
    let before = document.clone();
    if edit(document).is_err() {
        assert!(*document == before);
    }
}

const HOSTILE: Hostile<'_> = Hostile {
    name: "rbxbinary",
    read: &all,
    only_read: &|bytes| ReadOptions::new().max_bytes(ALLOWED).read(bytes).is_ok(),
    // The limit for the model and decompressed chunks, twice that for vectors that grow by doubling, and the tables of
    // zstd.
    bound: &|_| 2 * ALLOWED + (1 << 20),
    mutations: 500,
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
            assert!(matches!(error.kind(), rbxbinary::errors::ErrorKind::Io(_)), "{error}");
        }
        Some(written.is_ok())
    });
}
