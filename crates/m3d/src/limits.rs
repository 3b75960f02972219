//! What a read may take. The same file in every format crate; `cargo xtask tidy` keeps it so.
#![allow(dead_code, reason = "one file for all crates: not each of them needs every limit")]

use std::io::Read;

use crate::error::{Error, ErrorKind, Limit, Result};

/// The default of `ReadOptions::max_bytes`: 1 GiB, some hundred times what the largest known file of
/// these formats takes, and still no danger to the machine that reads it. A server lowers it.
pub(crate) const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// The default of `ReadOptions::max_depth`: real files nest some twenty levels deep.
pub(crate) const DEFAULT_MAX_DEPTH: u32 = 128;

/// What is left of `ReadOptions::max_bytes`: every allocation whose size comes from the input is
/// taken from it first.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    allowed: u64,
    left: u64,
}

impl Budget {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self { allowed: max_bytes, left: max_bytes }
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

    /// An empty vector with room for `count` values, taken from what is left.
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

/// Everything that a reader holds, at most `max_bytes`.
pub(crate) fn read_all(reader: impl Read, max_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(Error::new(ErrorKind::Limit(Limit { name: "max_bytes", allowed: max_bytes }), ""));
    }
    Ok(bytes)
}
