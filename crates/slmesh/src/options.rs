//! How to read and how to write.

use geom::wire::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH};

/// How to read an asset.
///
/// ```
/// # fn example(bytes: &[u8]) -> slmesh::Result<()> {
/// let asset = slmesh::ReadOptions::new().max_bytes(64 << 20).read(bytes)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
    max_depth: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, max_depth: DEFAULT_MAX_DEPTH }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of bytes that a read may allocate, including inflated blocks, and the input if it comes from a
    /// reader: 1 GiB by default. A block may inflate to a thousand times its size: a server that reads untrusted
    /// files lowers this.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// The maximum nesting of values in the header and in each block: 128 by default. The viewer uses 96 for
    /// blocks, and known ones need five.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    pub(crate) fn byte_limit(&self) -> u64 {
        self.max_bytes
    }

    pub(crate) fn depth_limit(&self) -> u32 {
        self.max_depth
    }
}

/// How to write an asset: unedited parts unchanged, unless set otherwise.
///
/// ```
/// # fn example(asset: &slmesh::Asset) -> slmesh::Result<()> {
/// let bytes = slmesh::WriteOptions::new().fresh(true).level(6).write(asset)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WriteOptions {
    level: u8,
    fresh: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { level: 9, fresh: false }
    }
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The compression level of blocks, 0 (none) to 9: 9 by default, as in the viewer. More than 9 is 9.
    pub fn level(mut self, level: u8) -> Self {
        self.level = level.min(9);
        self
    }

    /// Ignores the original layout: every block is compressed again, in the viewer's order, without gaps, stray
    /// bytes or a deprecated prefix. Off by default.
    pub fn fresh(mut self, fresh: bool) -> Self {
        self.fresh = fresh;
        self
    }

    pub(crate) fn compression(&self) -> u8 {
        self.level
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }
}
