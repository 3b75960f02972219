//! Finds the instances of many edits by their paths.

use std::collections::HashMap;

use rbxcore::parts::path;
use rbxcore::{Dom, InstanceId};

use crate::view::{View as _, children_of};
use geom::plain::unescaped;
use geom::wire::Budget;

/// Finds instances by path. Each path takes time in proportion to the siblings on it, so after some paths the children of
/// the instances on them are indexed by name.
#[derive(Debug)]
pub struct Finder<E> {
    found: usize,
    /// The last instance that was added, which is the last child of its parent.
    last: Option<InstanceId>,
    /// The children of an instance by name, in order; `None` for the roots.
    levels: HashMap<Option<InstanceId>, HashMap<String, Vec<InstanceId>>>,
    /// Instances that keep their paths, whatever is edited.
    kept: HashMap<String, InstanceId>,
    /// The memory for the indices. Without enough of it, each path is found in time proportional to the siblings on it.
    budget: Budget,
    /// The error about a path that leads to nothing.
    nothing: fn(&dyn Dom, &str) -> E,
}

/// The number of paths that are found without an index.
const FEW: usize = 16;

impl<E> Finder<E> {
    /// Finds instances with indices of at most `max_bytes`; `nothing` is the error about a path that leads to nothing.
    pub fn new(max_bytes: u64, nothing: fn(&dyn Dom, &str) -> E) -> Self {
        Self {
            found: 0,
            last: None,
            levels: HashMap::new(),
            kept: HashMap::new(),
            budget: Budget::new(max_bytes),
            nothing,
        }
    }

    /// The instance at a path from the root.
    pub fn find(&mut self, document: &dyn Dom, path: &str) -> Option<InstanceId> {
        if let Some(&id) = self.kept.get(path) {
            return Some(id);
        }
        self.found += 1;
        // A name that is not UTF-8 has no path, but is indexed with replacement characters.
        if self.found <= FEW || path.contains(char::REPLACEMENT_CHARACTER) {
            return document.find(&*unescaped(path));
        }
        let mut found = None;
        for step in path::parse(unescaped(path).as_bytes())? {
            if !self.levels.contains_key(&found) && !self.index(document, found) {
                return document.find(&*unescaped(path));
            }
            let same = self.levels[&found].get(std::str::from_utf8(&step.name).ok()?)?;
            found = Some(*same.get(step.index)?);
        }
        found
    }

    /// The instance at a path from the root.
    ///
    /// # Errors
    /// If there is none.
    pub fn need(&mut self, document: &dyn Dom, path: &str) -> Result<InstanceId, E> {
        self.find(document, path).ok_or_else(|| self.missing(document, path))
    }

    /// The error about a path that leads to nothing.
    pub fn missing(&self, document: &dyn Dom, path: &str) -> E {
        (self.nothing)(document, path)
    }

    /// From now on, finds the instance at a path by this path, whatever is edited.
    pub fn keep(&mut self, document: &dyn Dom, path: &str) {
        if !self.kept.contains_key(path)
            && let Some(id) = self.find(document, path)
        {
            self.kept.insert(path.to_owned(), id);
        }
    }

    /// Indexes the children of an instance. Returns whether there is enough memory.
    fn index(&mut self, document: &dyn Dom, parent: Option<InstanceId>) -> bool {
        let children = children_of(document, parent);
        let mut level: HashMap<String, Vec<InstanceId>> = HashMap::new();
        for id in children {
            let name = document.name_of(id);
            if self.budget.take(name.len() as u64 + 160).is_err() {
                return false;
            }
            match level.get_mut(&*name) {
                Some(same) => same.push(id),
                None => drop(level.insert(name.into_owned(), vec![id])),
            }
        }
        self.levels.insert(parent, level);
        true
    }

    /// Notes an instance that is the last child of its parent now.
    pub fn added(&mut self, document: &dyn Dom, id: InstanceId) {
        self.last = Some(id);
        if let Some(level) = self.levels.get_mut(&document.parent(id)) {
            level.entry(document.name_of(id).into_owned()).or_default().push(id);
        }
    }

    /// Notes an instance whose parent or name is about to change.
    pub fn leaves(&mut self, document: &dyn Dom, id: InstanceId) {
        let level = self.levels.get_mut(&document.parent(id));
        if let Some(same) = level.and_then(|level| level.get_mut(&*document.name_of(id))) {
            same.retain(|&other| other != id);
        }
    }

    /// Notes the new name of an instance.
    pub fn renamed(&mut self, document: &dyn Dom, id: InstanceId) {
        let (parent, name) = (document.parent(id), document.name_of(id));
        let Some(level) = self.levels.get_mut(&parent) else { return };
        let same = level.entry(name.into_owned()).or_default();
        if same.is_empty() || self.last == Some(id) {
            same.push(id);
        } else {
            // Its position among the siblings with the same name is not known.
            self.levels.remove(&parent);
        }
    }

    /// Forgets all indices, and that an instance is the last child of its parent.
    pub fn clear(&mut self) {
        self.levels.clear();
        self.last = None;
    }
}
