//! Options for reading.

use geom::wire::{DEFAULT_MAX_BYTES, options};

options! {
    /// Options for reading a blob.
    ///
    /// ```
    /// # fn example(bytes: &[u8]) -> rbxblobs::Result<()> {
    /// let terrain: rbxblobs::SmoothGrid = rbxblobs::ReadOptions::new().max_bytes(64 << 20).read(bytes)?;
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate: 1 GiB by default.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
    }
}
