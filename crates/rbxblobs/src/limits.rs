//! How much memory a read may take. The same file in every format crate; `cargo xtask tidy` keeps it so.
#![allow(dead_code, reason = "one file for all crates: not each of them needs every helper")]

use std::io::Read;

use crate::error::{Error, ErrorKind, Limit, Result};

/// The default of `ReadOptions::max_bytes`: 1 GiB, about a hundred times what the largest known file
/// of these formats takes. A server lowers it.
pub(crate) const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// The default of `ReadOptions::max_depth`: real files nest some twenty levels deep.
pub(crate) const DEFAULT_MAX_DEPTH: u32 = 128;

/// What is left of `max_bytes`: every allocation whose size comes from the input, or from a model that
/// something is computed from, is taken from it first.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    allowed: u64,
    left: u64,
}

impl Budget {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self { allowed: max_bytes, left: max_bytes }
    }

    /// What is left.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Takes `bytes` from what is left.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), ErrorKind> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ErrorKind::Limit(Limit { name: "max_bytes", allowed: self.allowed })),
        }
    }

    /// Gives back what was taken for something that is no longer there.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes).min(self.allowed);
    }

    /// An empty vector with space for `count` values, taken from what is left.
    pub(crate) fn vec<T>(&mut self, count: usize) -> Result<Vec<T>, ErrorKind> {
        self.take((count as u64).saturating_mul(size_of::<T>() as u64))?;
        Ok(Vec::with_capacity(count))
    }

    /// A copy of the bytes, taken from what is left.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> Result<Vec<u8>, ErrorKind> {
        self.take(bytes.len() as u64)?;
        Ok(bytes.to_vec())
    }
}

impl Budget {
    /// Everything that a reader returns, taken from what is left: the input counts as what is made of it.
    pub(crate) fn read_all(&mut self, mut reader: impl Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut part = [0; 8192];
        loop {
            let count = match reader.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            self.extend(&mut bytes, part.get(..count).unwrap_or_default())
                .map_err(|kind| Error::new(kind, ""))?;
        }
    }

    /// Appends to a vector whose capacity was taken from what is left. While it grows, the old and the
    /// new memory are both there and both count; near the limit it grows by what is left only.
    pub(crate) fn extend(&mut self, bytes: &mut Vec<u8>, more: &[u8]) -> Result<(), ErrorKind> {
        let length = bytes.len().saturating_add(more.len());
        if length > bytes.capacity() {
            let old = bytes.capacity();
            let wanted = old.saturating_mul(2).max(length).max(1 << 16) as u64;
            let capacity = wanted.min(self.left).max(length as u64);
            self.take(capacity)?;
            let mut grown = Vec::with_capacity(usize::try_from(capacity).unwrap_or(usize::MAX));
            grown.extend_from_slice(bytes);
            *bytes = grown;
            self.give_back(old as u64);
        }
        bytes.extend_from_slice(more);
        Ok(())
    }
}
