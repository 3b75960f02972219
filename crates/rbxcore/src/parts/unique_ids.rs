//! The unique ids of a document's instances: Studio crashes if two are equal.

use std::collections::HashMap;

use crate::types::UniqueId;

/// The number of instances with each unique id. The id of zeros means no id, and is not counted.
#[derive(Clone, Debug, Default)]
pub struct UniqueIds {
    counts: HashMap<UniqueId, u32>,
    /// The greatest `index` of any id.
    greatest: u32,
}

impl UniqueIds {
    /// Counts the id of one more instance.
    pub fn add(&mut self, id: UniqueId) {
        if !id.is_nil() {
            *self.counts.entry(id).or_default() += 1;
            self.greatest = self.greatest.max(id.index);
        }
    }

    /// Counts the id of one instance less.
    pub fn remove(&mut self, id: UniqueId) {
        if let Some(count) = self.counts.get_mut(&id) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&id);
            }
        }
    }

    /// The same id if no instance has it; otherwise the id with another index.
    pub fn fresh(&mut self, mut id: UniqueId) -> UniqueId {
        while self.counts.contains_key(&id) {
            self.greatest = self.greatest.wrapping_add(1);
            id.index = self.greatest;
            // All indices have been tried: continue with the next random number.
            id.random = id.random.wrapping_add(u64::from(id.index == 0));
        }
        id
    }
}

impl FromIterator<UniqueId> for UniqueIds {
    fn from_iter<I: IntoIterator<Item = UniqueId>>(ids: I) -> Self {
        let mut all = Self::default();
        ids.into_iter().for_each(|id| all.add(id));
        all
    }
}
