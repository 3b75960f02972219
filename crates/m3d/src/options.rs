//! How to read and how to write.

use std::io::Read;

use crate::error::Result;
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::Model;
use crate::wire;

/// How to read a model.
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate for the inflated payload and the model: 1 GiB unless set,
    /// some hundred times what the largest known model takes.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Reads a model.
    ///
    /// # Errors
    /// Where the bytes are no model, end too early or break the format in a way that leaves no
    /// meaning, and where `max_bytes` is reached.
    pub fn read(&self, bytes: &[u8]) -> Result<Model> {
        wire::read(bytes, self.max_bytes)
    }

    /// Reads a model from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Model> {
        self.read(&read_all(reader, self.max_bytes)?)
    }
}
