//! Paths of many instances.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rbxcore::parts::path::push;
use rbxcore::{Dom, InstanceId};

use crate::view::{View as _, children_of};
use geom::wire::{Budget, Result};

/// The length in bytes of the longest path that is shown. Longer ones are shown as a length and a hash, since any
/// number of values can refer to an instance with a long path.
const SHOWN: usize = 1000;

/// The bytes that the tables take for an instance, and the allocator for a path.
const NOTED: usize = 160;

/// The paths of instances. A path costs only its text, since indices among siblings and lengths of paths are computed
/// once for all.
#[derive(Debug)]
pub struct Paths<'a> {
    document: &'a dyn Dom,
    numbers: HashMap<InstanceId, usize>,
    /// The parents whose children are numbered; `None` for the roots.
    done: HashSet<Option<InstanceId>>,
    /// The length of an instance's path, without escapes, and its hash.
    measured: HashMap<InstanceId, (usize, u64)>,
    /// The last path that was shown: a list of findings has many of one instance.
    last: Option<(InstanceId, String)>,
}

impl<'a> Paths<'a> {
    /// The paths of a document.
    pub fn new(document: &'a dyn Dom) -> Self {
        Self { document, numbers: HashMap::new(), done: HashSet::new(), measured: HashMap::new(), last: None }
    }

    /// Whether the document has an instance.
    pub fn has(&self, id: InstanceId) -> bool {
        self.document.contains(id)
    }

    /// The path as a value that refers to the instance is shown and compared.
    pub fn shown(&mut self, id: InstanceId) -> String {
        if let Some((_, path)) = self.last.as_ref().filter(|(last, _)| *last == id) {
            return path.clone();
        }
        let path = match self.measure(id) {
            (length, hash) if length > SHOWN => {
                format!("a path too long to show ({length} bytes, hash {hash:016x})")
            }
            (length, _) => self.text(id, length),
        };
        self.last = Some((id, path.clone()));
        path
    }

    /// The path of an instance.
    ///
    /// # Errors
    /// If the path takes more than is left: in a chain of instances, each path is longer than the last.
    pub fn of(&mut self, id: InstanceId, budget: &mut Budget) -> Result<String> {
        let (length, _) = self.measure(id);
        budget.charge((length + NOTED) as u64, "the paths of the instances")?;
        budget.work(length as u64 * 64, "the paths of the instances")?;
        Ok(self.text(id, length))
    }

    /// The path of an instance that was measured.
    fn text(&self, id: InstanceId, length: usize) -> String {
        let above = std::iter::successors(Some(id), |&id| self.document.parent(id));
        let steps: Vec<_> = above.collect();
        let mut path = Vec::with_capacity(length);
        for &id in steps.iter().rev() {
            let is_first = path.is_empty();
            push(&mut path, self.document.name_of(id).as_bytes(), self.number(id), is_first);
        }
        String::from_utf8(path).unwrap_or_default()
    }

    /// The index of an instance among the siblings of its name.
    fn number(&self, id: InstanceId) -> usize {
        self.numbers.get(&id).copied().unwrap_or_default()
    }

    fn measure(&mut self, id: InstanceId) -> (usize, u64) {
        let (mut steps, mut at, mut path) = (Vec::new(), Some(id), (0, 0));
        while let Some(id) = at {
            if let Some(&known) = self.measured.get(&id) {
                path = known;
                break;
            }
            steps.push(id);
            at = self.document.parent(id);
            if self.done.insert(at) {
                let mut next: HashMap<&[u8], usize> = HashMap::new();
                let siblings = children_of(self.document, at);
                for sibling in siblings {
                    let number = next.entry(self.document.label(sibling)).or_default();
                    if *number > 0 {
                        self.numbers.insert(sibling, *number);
                    }
                    *number += 1;
                }
            }
        }
        for &id in steps.iter().rev() {
            let (step, mut hash) = (self.document.name_of(id), DefaultHasher::new());
            (path.1, &step, self.number(id)).hash(&mut hash);
            let index = match self.number(id) {
                0 if !step.is_empty() => 0,
                number => 3 + number.checked_ilog10().unwrap_or_default() as usize,
            };
            path = (path.0 + step.len() + index + 1, hash.finish());
            self.measured.insert(id, path);
        }
        path
    }
}
