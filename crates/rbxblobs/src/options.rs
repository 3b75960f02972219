//! How to read.

use geom::wire::DEFAULT_MAX_BYTES;

/// How to read a blob.
///
/// ```
/// # fn example(bytes: &[u8]) -> rbxblobs::Result<()> {
/// let terrain: rbxblobs::SmoothGrid = rbxblobs::ReadOptions::new().max_bytes(64 << 20).read(bytes)?;
/// # Ok(())
/// # }
/// ```
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

    /// How many bytes a read may allocate: 1 GiB unless set.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    pub(crate) fn byte_limit(&self) -> u64 {
        self.max_bytes
    }
}
