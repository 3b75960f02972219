//! Options for reading and writing.

use geom::wire::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, options};

options! {
    /// Options for reading an asset.
    ///
    /// ```
    /// # fn example(bytes: &[u8]) -> slmesh::Result<()> {
    /// let asset = slmesh::ReadOptions::new().max_bytes(64 << 20).read(bytes)?;
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate, including inflated blocks, and the input if it comes from a
        /// reader: 1 GiB by default. A block may inflate to a thousand times its size: set a lower limit on a server
        /// that reads untrusted files.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// The maximum nesting of values in the header and in each block: 128 by default. The viewer allows 96 in
        /// a block; known blocks need five.
        max_depth: u32 = DEFAULT_MAX_DEPTH;
    }
}

options! {
    /// Options for writing an asset. By default, unedited parts are written unchanged.
    ///
    /// ```
    /// # fn example(asset: &slmesh::Asset) -> slmesh::Result<()> {
    /// let bytes = slmesh::WriteOptions::new().fresh(true).level(6).write(asset)?;
    /// # Ok(())
    /// # }
    /// ```
    WriteOptions {
        /// The compression level of blocks, 0 (none) to 9: 9 by default, as in the viewer. A greater value means 9.
        level: u8 = 9;
        /// Ignores the original layout: every block is compressed again, in the viewer's order, without gaps, stray
        /// bytes or a deprecated prefix. Off by default.
        fresh: bool = false;
    }
}
