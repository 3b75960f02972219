//! Options for reading and writing.

use std::fmt;
use std::sync::Arc;

use bstr::BStr;

use crate::consts::Compression;
use geom::wire::{DEFAULT_MAX_BYTES, options};

type Wanted = dyn Fn(&BStr, &BStr) -> bool + Send + Sync;

/// Whether to read a column, by class and property.
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
        /// The number of bytes that the read may allocate: for the model with the index for walking and editing, for
        /// decompressed chunks and for the kept bytes of the file. 1 GiB by default, about ten times what the largest
        /// known places take.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// Whether to keep the bytes of the file, so that each chunk that no edit touches is written back unchanged. On
        /// by default. A program that never writes the document saves that memory by switching it off; if it writes the
        /// document after all, every chunk is compressed again.
        keep_source: bool = true;
        + filter: Option<Filter> = None;
    }
}

impl ReadOptions {
    /// Selects the columns to read, by the name of the class and of the property. The others are skipped; the
    /// document can then be written only with [`WriteOptions::allow_loss`]. Classes, instances and their parents
    /// are always read.
    ///
    /// Of a skipped column compressed with LZ4, only the first bytes are decompressed.
    pub fn filter(mut self, filter: impl Fn(&BStr, &BStr) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Filter(Arc::new(filter)));
        self
    }
}

options! {
    /// Options for writing a document.
    ///
    /// A document that was read is written chunk by chunk unchanged. An edit rewrites the chunks that it touches,
    /// without signatures: the columns of the affected classes, their INST and, if the tree changed, the PRNT.
    /// Instances and classes keep their numbers, new ones get free numbers. References to removed instances become
    /// null, shared strings used only by removed instances are emptied. A rewritten chunk is compressed like the chunk
    /// of the same kind whose length is nearest to its own.
    ///
    /// A document that was not read from a file is written in Studio's order, with LZ4 if that is shorter.
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
        /// Compresses every chunk but the END this way. By default, chunks keep their compression.
        ///
        /// LZ4 is what Studio writes and what every program reads. Zstd is written as Roblox frames it: one segment with
        /// the size of the content.
        compression: Compression => Option<Compression> = None;
        /// Whether a document that was read with a filter may be written, without the skipped columns. Off by default.
        allow_loss: bool = false;
    }
}
