//! An edit only rewrites the chunks with values that it changes.

use std::collections::{HashMap, HashSet};

use rbxbinary::edit::{EditOptions, Fill, Others};
use rbxbinary::parts::Column;
use rbxbinary::{ChunkName, Compression, Document, InstanceId, NewInstance};
use testkit::{Sample, corpus, fixtures};

/// A chunk: its name; for INST and PROP, the class; for PROP, the property.
type Key = (String, String, String);

/// The chunks of `after` that `before` does not contain byte for byte.
fn rewritten(before: &[u8], after: &[u8]) -> Vec<Key> {
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for chunk in rbxbinary::chunks(before).unwrap() {
        *known.entry(&before[chunk.unwrap().range]).or_default() += 1;
    }
    let mut classes: HashMap<u32, String> = HashMap::new();
    let mut changed = Vec::new();
    for chunk in rbxbinary::chunks(after).unwrap().map(Result::unwrap) {
        let data = chunk.data().unwrap();
        let mut key: Key = (chunk.name.to_string(), String::new(), String::new());
        if [ChunkName::INST, ChunkName::PROP].contains(&chunk.name) {
            let id = u32::from_le_bytes(data[..4].try_into().unwrap());
            let len = u32::from_le_bytes(data[4..8].try_into().unwrap()) as usize;
            let name = String::from_utf8_lossy(&data[8..8 + len]).into_owned();
            if chunk.name == ChunkName::INST {
                classes.insert(id, name);
            } else {
                key.2 = name;
            }
            key.1 = classes[&id].clone();
        }
        match known.get_mut(&after[chunk.range]).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => changed.push(key),
        }
    }
    changed
}

fn edited(bytes: &[u8], edit: impl FnOnce(&mut Document)) -> Vec<Key> {
    let mut document = rbxbinary::from_slice(bytes).unwrap();
    edit(&mut document);
    let after = rbxbinary::to_vec(&document).unwrap();
    // The file is the edited document.
    let again = rbxbinary::from_slice(&after).unwrap();
    assert!(again.instances().count() == document.len() && again.parents() == document.parents());
    rewritten(bytes, &after)
}

/// The classes of an instance and of its descendants.
fn classes(document: &Document, id: InstanceId) -> HashSet<String> {
    let all = std::iter::once(id).chain(document.descendants(id));
    all.map(|id| document.class(id).unwrap().to_string()).collect()
}

/// An instance from the middle of the document, which has a parent.
fn some(document: &Document) -> Option<InstanceId> {
    let all: Vec<_> = document.instances().filter(|&id| document.parent(id).is_some()).collect();
    all.get(all.len() / 2).copied()
}

#[test]
fn an_edit_rewrites_only_what_it_changes() {
    let real = corpus("rbxbinary");
    let least = if real.is_empty() { 1 } else { 6 };
    let files = real.into_iter().chain(fixtures("rbxbinary"));
    let mut tried = 0;
    for Sample { name, bytes } in files {
        let Ok(document) = rbxbinary::from_slice(&bytes) else { continue };
        let Some(id) = some(&document)
            .filter(|_| document.clone().reparent(document.roots().next().unwrap(), None).is_ok())
        else {
            continue;
        };
        tried += 1;
        let defaults = || EditOptions::new().fill(Fill::Neutral).others(Others::Neutral);
        // A value: one column is rewritten.
        let class = document.class(id).unwrap().to_string();
        if document.get(id, "Name").is_some() {
            let column = ("PROP".to_owned(), class, "Name".to_owned());
            let keys = edited(&bytes, |document| document.set(id, "Name", "renamed").map(drop).unwrap());
            assert_eq!(keys, [column], "{name}");
        }
        // A new parent: the PRNT chunk is rewritten.
        let moved = edited(&bytes, |document| document.reparent(id, None).unwrap());
        assert!(
            moved.iter().all(|(chunk, ..)| ["PRNT", "INST"].contains(&chunk.as_str())),
            "{name}: {moved:?}"
        );
        assert!(moved.len() <= 2, "{name}: {moved:?}");
        // Insertions and removals: the chunks of the classes concerned and PRNT are rewritten.
        let within = |keys: &[Key], classes: &HashSet<String>, what: &str| {
            for (chunk, class, property) in keys {
                assert!(
                    chunk == "PRNT" || classes.contains(class),
                    "{name}, {what}: {chunk} {class}.{property}"
                );
            }
        };
        let folder = NewInstance::new("Folder").property("Name", "new");
        let mut keys = edited(&bytes, |document| drop(defaults().insert(document, id, folder).unwrap()));
        // The new instance can have a shared string that no other instance has.
        let folders = document.classes().iter().filter(|class| class.name == "Folder");
        let has_strings = |column: &Column| matches!(column, Column::SharedString(_));
        if folders.flat_map(|class| &class.properties).any(|property| has_strings(&property.column)) {
            keys.retain(|(chunk, ..)| chunk != "SSTR");
        }
        within(&keys, &HashSet::from(["Folder".to_owned()]), "insert");
        // A model of five instances.
        let mut model = Document::new();
        let part = |name: &str| NewInstance::new("Configuration").property("Name", name);
        model
            .insert(None, part("a").child(part("b")).child(part("c")).child(part("d").child(part("e"))))
            .unwrap();
        let keys = edited(&bytes, |document| drop(defaults().merge(document, id, &model).unwrap()));
        within(&keys, &HashSet::from(["Configuration".to_owned()]), "merge");
        // Columns with references to removed instances, and shared strings that only those used, change, too.
        let gone: HashSet<_> = std::iter::once(id).chain(document.descendants(id)).collect();
        let mut concerned = classes(&document, id);
        for other in document.instances() {
            for (_, value) in document.properties(other) {
                if value.as_instance().is_some_and(|id| gone.contains(&id)) {
                    concerned.insert(document.class(other).unwrap().to_string());
                }
            }
        }
        let mut keys = edited(&bytes, |document| assert!(document.remove(id).unwrap() > 0));
        keys.retain(|(chunk, ..)| chunk != "SSTR");
        within(&keys, &concerned, "remove");
    }
    assert!(tried >= least, "{tried} documents");
}

/// A rewritten chunk is compressed like the other chunks, even if it is short.
#[test]
fn rewritten_chunks_keep_their_compression() {
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        for Sample { name, bytes } in corpus("rbxbinary").into_iter().take(20) {
            let bytes = rbxbinary::WriteOptions::new()
                .compression(compression)
                .write(&rbxbinary::from_slice(&bytes).unwrap())
                .unwrap();
            let mut document = rbxbinary::from_slice(&bytes).unwrap();
            let forms = |bytes: &[u8]| -> HashMap<ChunkName, HashSet<u8>> {
                let mut forms: HashMap<_, HashSet<u8>> = HashMap::new();
                for chunk in rbxbinary::chunks(bytes).unwrap().map(Result::unwrap) {
                    forms.entry(chunk.name).or_default().insert(chunk.compression as u8);
                }
                forms
            };
            let before = forms(&bytes);
            let Some(id) = some(&document) else { continue };
            document.set(id, "Name", "renamed").unwrap();
            document.reparent(id, None).unwrap();
            let after = forms(&rbxbinary::to_vec(&document).unwrap());
            for (chunk, forms) in after {
                assert!(forms.is_subset(&before[&chunk]), "{name}: {chunk}");
            }
        }
    }
}
