//! Merges of two documents that come from a third one.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rezkit_core::plain::Plain;

/// One of the two documents that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The document that is kept where nothing is decided.
    Ours,
    /// The other one.
    Theirs,
}

/// Options of [`Opened::merge`](crate::Opened::merge).
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
        Self { max_bytes: rezkit_core::DEFAULT_MAX_BYTES, ..Self::default() }
    }

    /// The side that resolves all conflicts without a decision of their own.
    pub fn prefer(mut self, side: Side) -> Self {
        self.prefer = Some(side);
        self
    }

    /// Settles the conflict with a path, as [`Conflict::path`] gives it.
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

    /// The decision about the path of a conflict, if there is one.
    pub(crate) fn decision(&self, path: &str) -> Option<Side> {
        let Some(decided) = self.decisions.get(path) else { return self.prefer };
        self.resolved.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Some(*decided)
    }

    /// The same options, for one merge.
    pub(crate) fn fresh(&self) -> Self {
        Self { resolved: Arc::default(), ..self.clone() }
    }

    /// The paths of the decisions that resolved no conflict.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unused: Vec<_> =
            self.decisions.keys().filter(|path| !resolved.contains(*path)).map(String::as_str).collect();
        unused.sort_unstable();
        unused
    }
}

/// What both documents changed differently.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Conflict {
    /// The path of the instance in the base, with the property if it is about one.
    pub path: String,
    /// What each of the two did.
    pub what: String,
    /// The value in the base, if the conflict is about a value.
    pub base: Option<String>,
    /// The value in ours, which the result has.
    pub ours: Option<String>,
    /// The value in theirs.
    pub theirs: Option<String>,
}

/// `Workspace/Part.Transparency: both changed it: base 0, ours 0.5, theirs 1`.
impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.what)?;
        let values = [("base", &self.base), ("ours", &self.ours), ("theirs", &self.theirs)];
        if values.iter().all(|(_, value)| value.is_none()) {
            return Ok(());
        }
        for (index, (name, value)) in values.into_iter().enumerate() {
            let value = value.as_deref().unwrap_or("(not stored)");
            let short: String = value.chars().take(100).collect();
            let more = if short.len() < value.len() { "…" } else { "" };
            write!(f, "{} {name} {}{more}", if index == 0 { ":" } else { "," }, Plain(short))?;
        }
        Ok(())
    }
}
