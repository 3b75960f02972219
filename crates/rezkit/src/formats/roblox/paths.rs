//! Paths of many instances.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rezkit_core::{Budget, Result};

use super::Instances;
use crate::tree;

/// The paths of instances: which of the siblings of one name an instance is, is counted once for all of them.
pub(super) struct Paths<'a, D: Instances> {
    document: &'a D,
    numbers: HashMap<D::Id, usize>,
    /// The parents whose children are numbered; `None` for the roots.
    done: HashSet<Option<D::Id>>,
}

impl<'a, D: Instances> Paths<'a, D> {
    pub(super) fn new(document: &'a D) -> Self {
        Self { document, numbers: HashMap::new(), done: HashSet::new() }
    }

    /// For people, one at a time.
    pub(super) fn shown(&mut self, id: D::Id) -> String {
        self.of(id, &mut Budget::new(u64::MAX)).unwrap_or_default()
    }

    /// # Errors
    /// Where the texts of the paths take more than is left: in a chain of instances, each is longer than the last.
    pub(super) fn of(&mut self, id: D::Id, budget: &mut Budget) -> Result<String> {
        let (mut steps, mut at, mut length) = (Vec::new(), Some(id), 0);
        while let Some(id) = at {
            at = self.document.above(id);
            if self.done.insert(at) {
                let mut counts: HashMap<Cow<'_, str>, usize> = HashMap::new();
                let siblings = at.map_or_else(|| self.document.top(), |parent| self.document.below(parent));
                for sibling in siblings {
                    let count = counts.entry(self.document.step_of(sibling)).or_default();
                    if *count > 0 {
                        self.numbers.insert(sibling, *count);
                    }
                    *count += 1;
                }
            }
            length += self.document.step_of(id).len() + 1;
            steps.push(id);
        }
        budget.take(length as u64, "the paths of the instances")?;
        let number = |id| self.numbers.get(&id).copied().unwrap_or_default();
        let add = |path: String, id| tree::join(&path, &self.document.step_of(id), number(id));
        Ok(steps.into_iter().rev().fold(String::new(), add))
    }
}
