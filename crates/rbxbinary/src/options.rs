//! Options for reading and writing.

use std::fmt;
use std::sync::Arc;

use bstr::BStr;

use crate::consts::Compression;
use geom::wire::{DEFAULT_MAX_BYTES, options};

type Wanted = dyn Fn(&BStr, &BStr) -> bool + Send + Sync;

/// The function of `ReadOptions::filter`.
#[derive(Clone)]
pub(crate) struct Filter(pub(crate) Arc<Wanted>);

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filter")
    }
}

options! {
    /// Options for reading a document.
    ///
    /// ```
    /// # fn main() -> rbxbinary::Result<()> {
    /// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
    /// // The names of all parts, and nothing else.
    /// let options = rbxbinary::ReadOptions::new()
    ///     .max_bytes(64 << 20)
    ///     .filter(|class, property| class == "Part" && property == "Name");
    /// let document = options.read(&bytes)?;
    /// # assert_eq!(document.len(), 0);
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate: for the model with its index, for decompressed chunks, and for
        /// the kept bytes of the file. 1 GiB by default, about ten times as much as the largest known places need. What
        /// a read leaves of it is the limit of the values that later edits fill in: see [`Document::set_max_bytes`].
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// Whether to keep the bytes of the file, so that each chunk that no edit touches is written back unchanged. On
        /// by default. Switching it off saves memory in a program that does not write the document; if it does, every
        /// chunk is compressed again.
        keep_source: bool = true;
        + filter: Option<Filter> = None;
    }
}

impl ReadOptions {
    /// Selects the columns to read, by the name of the class and of the property. The others are skipped; the
    /// document can then be written only with [`WriteOptions::allow_loss`]. Classes, instances and their parents
    /// are always read.
    ///
    /// Of a skipped column that is compressed with LZ4, only the first bytes are decompressed.
    pub fn filter(mut self, filter: impl Fn(&BStr, &BStr) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Filter(Arc::new(filter)));
        self
    }
}

options! {
    /// Options for writing a document.
    ///
    /// The chunks of a document that was read are written unchanged, except for those that an edit touches: the changed
    /// columns; if instances were added or removed, the INST and the columns of their classes; if the tree changed, the
    /// PRNT. Signatures are dropped after an edit. Instances and classes keep their numbers; new ones get free numbers.
    /// References to removed instances become null, and shared strings used only by removed instances are emptied. A
    /// rewritten chunk is compressed like the chunk of the same kind whose length is nearest.
    ///
    /// A document that was not read from a file is written in Studio's order. Each chunk is compressed with LZ4 if that
    /// makes it shorter.
    ///
    /// ```
    /// use rbxbinary::{Compression, Document, WriteOptions};
    ///
    /// # fn main() -> rbxbinary::Result<()> {
    /// let mut document = Document::new();
    /// document.insert(None, rbxbinary::NewInstance::new("Folder").property("Name", "Sounds"))?;
    /// let bytes = WriteOptions::new().compression(Compression::Zstd).write(&document)?;
    /// assert!(rbxbinary::from_slice(&bytes)?.find("Sounds").is_some());
    /// # Ok(())
    /// # }
    /// ```
    WriteOptions {
        /// Compresses every chunk except the END in this way. By default, chunks keep their compression.
        ///
        /// Studio writes LZ4, and every program reads it. Zstd is written in the frames that Roblox uses: a single
        /// segment with the size of the content.
        compression: Compression => Option<Compression> = None;
        /// How long zstd searches, 1 to 22, if a chunk is compressed with it: 3 by default. Only the time of writing grows.
        level: u32 = 3;
        /// Whether a document that was read with a filter may be written without the skipped columns. Off by default.
        allow_loss: bool = false;
        /// The maximum size of the file in bytes, including twice the content of its longest chunk. Unlimited by default.
        max_bytes: u64 => Option<u64> = None;
    }
}
