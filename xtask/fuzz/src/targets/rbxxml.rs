use rbxxml::{Document, ReadOptions};

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
    model::differential(data, |file| options().read(file));
}

/// Every public function of a document.
fn everything(document: Document) {
    let _findings = rbxxml::check(&document);
    let _nowhere = document.find("Workspace/Part.Part");
    let copy = document.clone();
    let mut merged = document;
    let _merged = merged.merge(copy, None);
    let ids: Vec<_> = merged.items().map(|(id, _)| id).take(8).collect();
    for &id in &ids {
        let _moved = merged.reparent(id, ids[0]);
        let _set = merged.set(id, "Name", "x");
    }
    for id in ids {
        let _removed = merged.remove(id);
    }
    let _written = rbxxml::to_vec(&merged);
}
