use rbxxml::{Document, NewInstance, ReadOptions};

use super::{MAX_BYTES, examine, model};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(document) = options().read(data) {
        everything(document);
    }
}

pub(super) fn model(data: &[u8]) {
    if let Some(document) = model::hostile(data, |file| options().read(file)) {
        everything(document);
    }
}

pub(super) fn differential(data: &[u8]) {
    if let Some(document) = model::hostile(data, |file| options().read(file)) {
        model::reads_back(&document, |file| options().read(file), rbxxml::to_vec);
    }
}

/// Every public function of a document.
pub fn everything(document: Document) {
    let _findings = rbxxml::check(&document);
    let _nowhere = document.find("Workspace/Part[1]");
    let copy = document.clone();
    let mut merged = document;
    let _merged = merged.merge(None, &copy);
    let ids: Vec<_> = merged.instances().take(8).collect();
    for &id in &ids {
        assert_eq!(merged.path(id).and_then(|path| merged.find(path)), Some(id));
        let _moved = merged.reparent(id, ids[0]);
        let _set = merged.set(id, "Name", "x");
        let _added = merged.set(id, "New", ids[0]);
        let _inserted = merged.insert(id, NewInstance::new("Part").property("Name", "x"));
        let _copied = merged.copy_from(id, &copy, id);
    }
    let _added = merged.add_property("Part", "Other", 1);
    let _removed =
        (merged.remove_properties("Part", ["Other", "size"]), merged.remove_property("Part", "Name"));
    for id in ids {
        let _removed = merged.remove(id);
    }
    // What is written is read as it was.
    if let Ok(written) = rbxxml::WriteOptions::new().illegal(rbxxml::Illegal::Escape).write(&merged) {
        assert!(rbxxml::from_slice(&written).expect("it was written") == merged, "another document");
    }
}
