//! Vectors with space to grow, so that the first edit of a document that was read or copied does not move whole
//! vectors.

use std::ops::{Deref, DerefMut};

/// The capacity for `count` elements: a sixteenth more. It saturates, since no vector is that long.
pub const fn with_spare(count: usize) -> usize {
    count.saturating_add(count / 16)
}

/// A copy with space to grow.
pub fn copy<T: Clone>(values: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(with_spare(values.len()));
    copy.extend_from_slice(values);
    copy
}

/// A vector that is cloned with space to grow.
#[derive(Debug, Default)]
pub struct Spare<T>(pub Vec<T>);

impl<T: Clone> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self(copy(self))
    }
}

impl<T> Deref for Spare<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Spare<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}
