//! Options of merges, and decisions about conflicts.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// One of the two documents that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The document that is kept where nothing is decided.
    Ours,
    /// The other one.
    Theirs,
}

/// Options of [`merge`](super::merge).
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MergeOptions {
    prefer: Option<Side>,
    decisions: HashMap<String, Side>,
    /// The paths of the conflicts that a decision resolved.
    resolved: Arc<Mutex<HashSet<String>>>,
    pub(crate) markers: bool,
    pub(crate) unrelated: bool,
    pub(crate) max_bytes: u64,
}

impl MergeOptions {
    /// The defaults: what both changed differently is a conflict.
    pub fn new() -> Self {
        Self { max_bytes: geom::wire::DEFAULT_MAX_BYTES, ..Self::default() }
    }

    /// The side that resolves all conflicts without a decision of their own.
    pub fn prefer(mut self, side: Side) -> Self {
        self.prefer = Some(side);
        self
    }

    /// Settles the conflict with a path, as [`Conflict::path`](super::Conflict::path) gives it.
    pub fn decide(mut self, path: impl Into<String>, side: Side) -> Self {
        self.decisions.insert(path.into(), side);
        self
    }

    /// Whether scripts of which both changed the same lines get both, marked as Git marks them. Such a script does not
    /// run. Off by default.
    pub fn markers(mut self, markers: bool) -> Self {
        self.markers = markers;
        self
    }

    /// Whether documents that have nearly nothing in common are merged. Off by default.
    pub fn unrelated(mut self, unrelated: bool) -> Self {
        self.unrelated = unrelated;
        self
    }

    /// The memory that the merge may take, in bytes.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Whether documents that have nearly nothing in common are merged.
    pub fn is_unrelated(&self) -> bool {
        self.unrelated
    }

    /// The memory that the merge may take, in bytes.
    pub fn memory(&self) -> u64 {
        self.max_bytes
    }

    /// The decision about the path of a conflict, if there is one.
    pub fn decision(&self, path: &str) -> Option<Side> {
        let Some(decided) = self.decisions.get(path) else { return self.prefer };
        self.resolved.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Some(*decided)
    }

    /// The same options, for one merge.
    pub fn fresh(&self) -> Self {
        Self { resolved: Arc::default(), ..self.clone() }
    }

    /// The paths of the decisions that resolved no conflict.
    pub fn unused(&self) -> Vec<&str> {
        let resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unused: Vec<_> =
            self.decisions.keys().filter(|path| !resolved.contains(*path)).map(String::as_str).collect();
        unused.sort_unstable();
        unused
    }
}
