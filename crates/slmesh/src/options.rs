//! How to read and how to write.

use std::io::{Read, Write};

use crate::error::Result;
use crate::limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, read_all};
use crate::model::Asset;
use crate::slm::Slm;
use crate::view::View;
use crate::wire;

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

    /// How many bytes a read may allocate, what it inflates included: 1 GiB unless set. A block may
    /// inflate to a thousand times its size: a server that reads what others send lowers this.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// How many values may stand in one another in the header and in each block: 128 unless set. The
    /// viewer uses 96 for blocks, and known ones take five.
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

    /// Reads an asset and decodes all of its blocks.
    ///
    /// # Errors
    /// Where the header is no map of binary LLSD; where a block lies outside of the file or over
    /// another one, does not inflate, or breaks the format in a way that leaves no meaning (weights
    /// that end in the middle of a vertex, hulls of more points than there are); and where a limit
    /// is reached. The path begins with the block's name, and the offset counts in what it inflates
    /// to; for a block that ends beyond the file it is the end of the file.
    pub fn read(&self, bytes: &[u8]) -> Result<Asset> {
        self.open(bytes)?.to_asset()
    }

    /// Reads an asset from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Asset> {
        self.read(&read_all(reader, self.max_bytes)?)
    }

    /// Reads the header alone; each block is inflated and decoded when it is asked for.
    ///
    /// # Errors
    /// Where the header is no map of binary LLSD, and where a limit is reached.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<View<'a>> {
        wire::open(bytes, self, &mut wire::Limits::new(self))
    }

    /// Reads a `.slm` file and decodes all assets in it.
    ///
    /// # Errors
    /// Where the file is no map of binary LLSD, as [`ReadOptions::read`] for an asset in it, and
    /// where a limit is reached.
    pub fn read_slm(&self, bytes: &[u8]) -> Result<Slm> {
        wire::read_slm(bytes, self)
    }
}

/// How to write an asset: with what nobody edited as it was, unless asked otherwise.
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

    /// How hard blocks are compressed, 0 (not at all) to 9: 9 unless set, as the viewer does. More than
    /// 9 is 9.
    pub fn level(mut self, level: u8) -> Self {
        self.level = level.min(9);
        self
    }

    /// Lays the file out anew: every block is compressed again, in the viewer's order, without gaps,
    /// stray bytes or a deprecated prefix. Off unless set.
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

    /// The asset as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, for what the format cannot hold: hulls of no or more than 256
    /// points, a joint behind the last of a vertex, offsets of more than 31 bits, two blocks of one
    /// name.
    pub fn write(&self, asset: &Asset) -> Result<Vec<u8>> {
        wire::write(asset, self)
    }

    /// Writes the asset into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, asset: &Asset) -> Result<()> {
        Ok(writer.write_all(&self.write(asset)?)?)
    }

    /// A `.slm` file.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn write_slm(&self, slm: &Slm) -> Result<Vec<u8>> {
        wire::write_slm(slm, self)
    }
}
