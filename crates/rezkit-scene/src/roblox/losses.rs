//! The losses that a builder lists, and the error that stops it.

use std::borrow::Cow;

use super::builder::Builder;
use rezkit_core::{Error, Loss};

impl Builder<'_> {
    /// Takes memory for what is drawn; returns whether there is enough. If not, the drawing stops with that error.
    pub(super) fn take(&mut self, bytes: usize, what: &str) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.budget.take(bytes as u64, what).err();
        }
        self.stopped.is_none()
    }

    /// The number of losses with a text.
    pub(super) fn count_of(&self, what: &str) -> usize {
        self.losses.get(what).map_or(0, |loss| loss.count)
    }

    /// Lists an omission that occurs `count` times, if it does; the first occurrence is at an instance.
    #[track_caller]
    pub(super) fn lose_many(&mut self, index: usize, id: &'static str, what: String, count: usize) {
        if count > 0 {
            self.list(index, Loss::new("", what).id(id).times(count));
        }
    }

    /// Lists an omission.
    #[track_caller]
    pub(super) fn lose(&mut self, index: usize, id: &'static str, what: impl Into<Cow<'static, str>>) {
        self.list(index, Loss::new("", what).id(id));
    }

    /// Lists an omission with its cause.
    #[track_caller]
    pub(super) fn lose_because(&mut self, index: usize, id: &'static str, what: &str, error: &Error) {
        let what = if what.is_empty() { error.to_string() } else { format!("{what}: {error}") };
        self.listed.insert(index);
        let tree = self.tree;
        self.add(Loss::new("", what).id(id).because(error.is_limit()), || tree.path(index));
    }

    /// Lists an approximation.
    #[track_caller]
    pub(super) fn approximate(&mut self, index: usize, id: &'static str, what: impl Into<Cow<'static, str>>) {
        self.list(index, Loss::approximated("", what).id(id));
    }

    /// Lists an approximation that occurs `count` times, if it does.
    #[track_caller]
    pub(super) fn approximate_many(
        &mut self,
        index: usize,
        id: &'static str,
        what: &'static str,
        count: usize,
    ) {
        if count > 0 {
            self.list(index, Loss::approximated("", what).id(id).times(count));
        }
    }

    /// Lists a file that was not found.
    #[track_caller]
    pub(super) fn miss(&mut self, index: usize, id: &'static str, what: String) {
        self.list(index, Loss::missing("", what).id(id));
    }

    /// Lists a loss of an instance.
    pub(super) fn list(&mut self, index: usize, loss: Loss) {
        let tree = self.tree;
        self.listed.insert(index);
        self.add(loss, || tree.path(index));
    }

    /// Lists the losses of another document that is stored in an instance.
    pub(super) fn list_below(&mut self, index: usize, losses: Vec<Loss>) {
        let tree = self.tree;
        for loss in losses {
            let below = loss.path.clone();
            self.add(loss, || format!("{}/{below}", tree.path(index)));
        }
    }

    /// Adds a loss to those with the same text; the first has its path.
    fn add(&mut self, loss: Loss, path: impl FnOnce() -> String) {
        match self.losses.get_mut(&loss.what) {
            Some(known) => known.count += loss.count,
            None => _ = self.losses.insert(loss.what.clone(), loss.below(|_| path())),
        }
    }
}
