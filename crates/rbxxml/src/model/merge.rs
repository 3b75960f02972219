//! One document put into another.

use std::collections::{HashMap, HashSet};

use super::{Content, Document, ItemId, KeyHash, Name, Value};
use crate::error::Result;

/// What [`Document::merge`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The roots of the other document, in order, by their new names.
    pub roots: Vec<ItemId>,
    /// Referents of the other document that were taken, and what they became.
    pub renamed: Vec<(Name, Name)>,
}

impl Document {
    /// Puts the items of another document behind the children of a parent, or behind the roots, with
    /// the shared strings and metadata that they bring.
    ///
    /// Referents that are taken here get new names, and the values of the other document that point
    /// to them follow. A value that pointed to nothing there points to nothing here. Where both have
    /// metadata of a key, this document's stays.
    ///
    /// # Errors
    /// As [`Document::insert`]. Then nothing has changed.
    pub fn merge(&mut self, mut other: Self, parent: impl Into<Option<ItemId>>) -> Result<Merged> {
        let parent = parent.into();
        self.room_for(other.nodes.len(), parent)?;
        let renamed = self.rename_referents(&mut other);
        self.take_shared_strings(&mut other);
        for metadata in std::mem::take(&mut other.metadata) {
            if !self.metadata.iter().any(|there| there.key == metadata.key) {
                self.metadata.push(metadata);
            }
        }
        let order: Vec<ItemId> = other.items().map(|(id, _)| id).collect();
        let mut ids: HashMap<ItemId, ItemId> = HashMap::with_capacity(order.len());
        let mut roots = Vec::new();
        for id in order {
            let above = other.parent(id).and_then(|above| ids.get(&above).copied());
            let item = other.item_mut(id).map(std::mem::take).unwrap_or_default();
            let new = self.insert(above.or(parent), item)?;
            if above.is_none() {
                roots.push(new);
            }
            ids.insert(id, new);
        }
        Ok(Merged { roots, renamed })
    }

    fn rename_referents(&self, other: &mut Self) -> Vec<(Name, Name)> {
        let referents = |document: &Self| -> HashSet<Name> {
            document.items().filter_map(|(_, item)| item.referent.clone()).collect()
        };
        let (mine, theirs) = (referents(self), referents(other));
        let mut renamed: HashMap<Name, Name> = HashMap::new();
        let mut taken: HashSet<Name> = HashSet::new();
        for old in theirs.intersection(&mine) {
            let new = (0_u64..).map(|turn| fresh(old, turn));
            let new = new
                .into_iter()
                .find(|new| !mine.contains(new) && !theirs.contains(new) && !taken.contains(new));
            if let Some(new) = new {
                taken.insert(new.clone());
                renamed.insert(old.clone(), new);
            }
        }
        for node in &mut other.nodes {
            if let Some(new) = node.item.referent.as_ref().and_then(|old| renamed.get(old)) {
                node.item.referent = Some(new.clone());
            }
            for property in &mut node.item.properties {
                let (Value::Ref(to) | Value::Content(Content::Object(to))) = &mut property.value else {
                    continue;
                };
                if let Some(new) = to.as_ref().and_then(|old| renamed.get(old)) {
                    *to = Some(new.clone());
                } else if to.as_ref().is_some_and(|to| !theirs.contains(to) && mine.contains(to)) {
                    *to = None;
                }
            }
        }
        let mut renamed: Vec<_> = renamed.into_iter().collect();
        renamed.sort();
        renamed
    }

    /// Takes over the shared strings; one whose key stands for other bytes here gets a new key.
    fn take_shared_strings(&mut self, other: &mut Self) {
        let mut mine: HashMap<Name, Vec<u8>> = HashMap::new();
        for shared in &self.shared_strings {
            mine.insert(shared.key.clone(), shared.bytes.to_vec());
        }
        let mut keys: HashMap<Name, Name> = HashMap::new();
        for mut shared in std::mem::take(&mut other.shared_strings) {
            let clash = mine.get(&shared.key).is_some_and(|bytes| shared.bytes != *bytes);
            if clash {
                let new = KeyHash::Blake2b.key(shared.bytes.as_ref());
                keys.insert(std::mem::replace(&mut shared.key, new.clone()), new);
            }
            if !mine.contains_key(&shared.key) {
                mine.insert(shared.key.clone(), shared.bytes.to_vec());
                self.shared_strings.push(shared);
            }
        }
        other.replace_keys(&keys);
    }
}

/// A referent that looks as Studio's do, and follows from another one.
fn fresh(old: &Name, turn: u64) -> Name {
    use blake2::Digest as _;
    let mut hash = blake2::Blake2b::<blake2::digest::consts::U16>::new();
    hash.update(turn.to_le_bytes());
    hash.update(old.as_bytes());
    let digest: [u8; 16] = hash.finalize().into();
    format!("RBX{:032X}", u128::from_be_bytes(digest)).into()
}
