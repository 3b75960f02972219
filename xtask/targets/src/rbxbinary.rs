use rbxbinary::{Document, EditOptions, Fill, NewInstance, Others, ReadOptions};

use super::{MAX_BYTES, examine, model};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(document) = options().read(data) {
        everything(document);
    }
    if let Ok(chunks) = rbxbinary::chunks(data) {
        let _walked = chunks.count();
    }
}

/// What is read comes back byte for byte.
pub(super) fn kept(data: &[u8]) {
    let Ok(document) = options().read(data) else { return };
    let written =
        rbxbinary::to_vec(&document).unwrap_or_else(|error| panic!("read but not written: {error}"));
    assert!(written == data, "other bytes came back");
}

pub(super) fn model(data: &[u8]) {
    if let Some(document) = model::hostile(data, |file| options().read(file)) {
        everything(document);
    }
}

pub(super) fn differential(data: &[u8]) {
    if let Some(document) = model::hostile(data, |file| options().read(file)) {
        model::reads_back(&document, |file| options().read(file), rbxbinary::to_vec);
    }
}

/// Every public function of a document.
pub fn everything(document: Document) {
    let _findings = rbxbinary::check(&document);
    let ids: Vec<_> = document.instances().take(8).collect();
    let _properties: usize = document.instances().map(|id| document.properties(id).count()).sum();
    for &id in &ids {
        let path = document.path(id).expect("it is there");
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
    let mut edited = document.clone();
    let _merged = edited.merge(None, &document);
    let fill = EditOptions::new().fill(Fill::Neutral).others(Others::Neutral);
    for &id in &ids {
        let _copied = fill.copy_from(&mut edited, id, &document, id);
        let _inserted = fill.insert(&mut edited, id, NewInstance::new("Part").property("Name", "new"));
        let _named = edited.set(id, "Name", "other");
        let _moved = edited.reparent(id, ids.first().copied());
    }
    let _added = edited.add_property("Part", "Other", 1);
    let _gone = edited.remove_properties("Part", ["Other", "Name"]);
    let _written = rbxbinary::to_vec(&edited);
    let _removed = edited.remove_all(ids);
    if let Ok(written) = rbxbinary::to_vec(&edited) {
        let again = rbxbinary::from_slice(&written).expect("what was written is read");
        assert_eq!(again.instances().count(), edited.len());
    }
}
