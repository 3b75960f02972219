//! The losses that a builder lists, and the error that stops it.

use std::borrow::Cow;

use super::builder::Builder;
use rezkit_core::{Loss, LossKind};

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
        self.losses.get(what).map_or(0, |(_, _, count)| *count)
    }

    /// Lists an omission that occurs `count` times, if it does; the first occurrence is at an instance.
    pub(super) fn lose_many(&mut self, index: usize, what: String, count: usize) {
        if count > 0 {
            self.list(LossKind::LeftOut, index, what.into(), count);
        }
    }

    /// Lists an omission.
    pub(super) fn lose(&mut self, index: usize, what: impl Into<Cow<'static, str>>) {
        self.list(LossKind::LeftOut, index, what.into(), 1);
    }

    /// Lists an approximation.
    pub(super) fn approximate(&mut self, index: usize, what: impl Into<Cow<'static, str>>) {
        self.list(LossKind::Approximated, index, what.into(), 1);
    }

    /// Lists an approximation that occurs `count` times, if it does.
    pub(super) fn approximate_many(&mut self, index: usize, what: &'static str, count: usize) {
        if count > 0 {
            self.list(LossKind::Approximated, index, what.into(), count);
        }
    }

    /// Lists a file that was not found.
    pub(super) fn miss(&mut self, index: usize, what: String) {
        self.list(LossKind::Missing, index, what.into(), 1);
    }

    pub(super) fn list(&mut self, kind: LossKind, index: usize, what: Cow<'static, str>, count: usize) {
        let tree = self.tree;
        self.listed.insert(index);
        self.list_at(kind, || tree.path(index), what, count);
    }

    /// Lists the losses of another document that is stored in an instance.
    pub(super) fn list_below(&mut self, index: usize, losses: Vec<Loss>) {
        let tree = self.tree;
        for Loss { kind, path, what, count, .. } in losses {
            self.list_at(kind, || format!("{}/{path}", tree.path(index)), what, count);
        }
    }

    fn list_at(
        &mut self,
        kind: LossKind,
        path: impl FnOnce() -> String,
        what: Cow<'static, str>,
        count: usize,
    ) {
        self.losses.entry(what).or_insert_with(|| (kind, path(), 0)).2 += count;
    }
}
