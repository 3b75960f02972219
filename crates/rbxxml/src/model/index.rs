//! The names of a document: one copy of each name, with its uses.

use std::collections::hash_map::Entry;

use rbxcore::hash::NameMap;

use super::Name;

/// The index that means no instance, or no shared string.
pub(crate) const NONE: u32 = u32::MAX;

/// The names of a document, each with its uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(NameMap<Name, Uses>);

/// The uses of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uses {
    /// The first instance with this referent, which may have been removed.
    pub(crate) instance: u32,
    /// The last shared string with this key.
    pub(crate) shared: u32,
}

impl Default for Uses {
    fn default() -> Self {
        Self { instance: NONE, shared: NONE }
    }
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<Uses> {
        self.0.get(name).copied()
    }

    /// The document's copy of a name; `None` if it does not have the name.
    pub(crate) fn find(&self, name: &str) -> Option<&Name> {
        self.0.get_key_value(name).map(|(name, _)| name)
    }

    /// The uses of a name, which is added if it is new.
    pub(crate) fn uses(&mut self, name: &Name) -> &mut Uses {
        self.0.entry(name.clone()).or_default()
    }

    /// Records the referent of an instance; returns `false` if another instance had it first.
    pub(crate) fn name_instance(&mut self, referent: &Name, id: u32) -> bool {
        let first = &mut self.uses(referent).instance;
        let new = *first == NONE;
        if new {
            *first = id;
        }
        new
    }

    /// Records a new name as the referent of an instance; returns `false` if the document has the name already.
    pub(crate) fn claim(&mut self, name: Name, instance: u32) -> bool {
        match self.0.entry(name) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(Uses { instance, ..Uses::default() });
                true
            }
        }
    }

    pub(crate) fn insert(&mut self, name: Name) {
        self.0.entry(name).or_default();
    }

    /// The memory for a new name in bytes, and the part of it that is needed only while the table is copied to a larger
    /// one.
    pub(crate) fn cost(&self, name: &str) -> (usize, usize) {
        // The name, its two headers, and the rounding of the allocator.
        let name = name.len() + 64;
        if self.0.len() < self.0.capacity() {
            return (name, 0);
        }
        // Seven of eight buckets are used, and their number is a power of two.
        const BUCKET: usize = size_of::<(Name, Uses)>() + 1;
        let buckets = self.0.capacity().saturating_mul(8).div_ceil(7).next_power_of_two();
        let old = buckets * BUCKET;
        (name + old * 2 + 128, old)
    }
}

#[cfg(test)]
#[path = "../../tests/inside/index.rs"]
mod tests;
