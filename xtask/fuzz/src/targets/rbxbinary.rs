use rbxbinary::{Document, ReadOptions};

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

/// With the compressed bytes kept, what is read comes back byte for byte.
pub(super) fn kept(data: &[u8]) {
    let Ok(document) = options().keep_compressed(true).read(data) else { return };
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
    model::differential(data, |file| options().read(file));
}

/// Every public function of a document.
fn everything(document: Document) {
    let _findings = rbxbinary::check(&document);
    let tree = document.tree();
    let referents: Vec<_> = tree.descendants().map(|instance| instance.referent()).take(8).collect();
    let _properties: usize = tree.descendants().map(|instance| instance.properties().count()).sum();
    let _nowhere = tree.find("Workspace/Part");
    let mut edited = document.clone();
    let _merged = edited.merge(&document, None);
    for &referent in &referents {
        let _moved = edited.reparent(referent, referents.first().copied());
    }
    for &referent in &referents {
        let _removed = edited.remove(referent);
    }
    edited.normalize();
    let _written = rbxbinary::to_vec(&edited);
}
