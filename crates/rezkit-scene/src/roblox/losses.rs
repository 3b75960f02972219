//! The losses that a builder lists.

use std::borrow::Cow;

use super::builder::Builder;
use rezkit_core::LossKind;

impl Builder<'_> {
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

    /// Lists a file that was not found.
    pub(super) fn miss(&mut self, index: usize, what: String) {
        self.list(LossKind::Missing, index, what.into(), 1);
    }

    pub(super) fn list(&mut self, kind: LossKind, index: usize, what: Cow<'static, str>, count: usize) {
        let tree = self.tree;
        self.losses.entry(what).or_insert_with(|| (kind, tree.path(index), 0)).2 += count;
    }
}
