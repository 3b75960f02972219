//! Free ids and referents for new classes and instances.

use std::collections::HashSet;

use super::{Index, NONE};
use crate::model::{Class, Referent};

impl Index {
    /// An id that no class has or had.
    pub(crate) fn reserve_class(&mut self, classes: &[Class]) -> u32 {
        let taken = self.class_ids.get_or_insert_with(|| classes.iter().map(|class| class.id).collect());
        while !taken.insert(self.next_class) {
            self.next_class = self.next_class.wrapping_add(1);
        }
        self.next_class
    }

    /// Referents that no instance has or had; `None` if `count` more instances, each perhaps of a new class, are more
    /// than 32 bits can count.
    pub(crate) fn reserve(
        &mut self,
        count: usize,
        referred: impl FnOnce() -> HashSet<Referent>,
    ) -> Option<Vec<Referent>> {
        self.has_space_for(count).then_some(())?;
        let _ = self.referred.get_or_insert_with(referred);
        let first = self.next_referent;
        let referents: Option<Vec<_>> = (0..count).map(|_| self.next_free()).collect();
        if referents.is_none() {
            self.next_referent = first;
        }
        referents
    }

    /// Like [`reserve`](Self::reserve), for one referent.
    pub(crate) fn reserve_one(&mut self, referred: impl FnOnce() -> HashSet<Referent>) -> Option<Referent> {
        self.has_space_for(1).then_some(())?;
        let _ = self.referred.get_or_insert_with(referred);
        self.next_free()
    }

    fn has_space_for(&self, count: usize) -> bool {
        u32::try_from(self.nodes.len().max(self.classes.len()) + count).is_ok_and(|most| most < NONE)
    }

    fn next_free(&mut self) -> Option<Referent> {
        loop {
            let referent = Referent(self.next_referent?);
            if referent.is_null() {
                self.next_referent = None;
                return None;
            }
            // The greatest referent is followed by the negative ones.
            self.next_referent = Some(referent.0.checked_add(1).unwrap_or(i32::MIN));
            // A new instance must not become the target of a dangling reference.
            let is_referred = self.referred.as_ref().is_some_and(|referred| referred.contains(&referent));
            if self.lookup.get(referent).is_none() && !is_referred {
                return Some(referent);
            }
        }
    }
}
