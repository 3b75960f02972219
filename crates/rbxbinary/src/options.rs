//! How to read and how to write.

use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;

use bstr::BStr;

use crate::consts::Compression;
use crate::error::{Error, Result};
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::Document;
use crate::wire::{self, Filter, Want};

/// How to read a document.
///
/// ```
/// # fn main() -> rbxbinary::Result<()> {
/// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
/// // The names of all parts, and nothing else.
/// let options = rbxbinary::ReadOptions::new()
///     .max_bytes(64 << 20)
///     .filter(|class, property| class == "Part" && property == "Name");
/// let document = options.read(&bytes)?;
/// # assert_eq!(document.instance_count(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
    keep_compressed: bool,
    filter: Option<Arc<Filter>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, keep_compressed: false, filter: None }
    }
}

impl fmt::Debug for ReadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_bytes, keep_compressed, filter } = self;
        f.debug_struct("ReadOptions")
            .field("max_bytes", max_bytes)
            .field("keep_compressed", keep_compressed)
            .field("filter", &filter.is_some())
            .finish()
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate, for the model and for decompressed chunks: 1 GiB unless
    /// set, some ten times what the largest known places take.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Whether the compressed bytes of each chunk are kept in the layout, so that what nobody edited
    /// is written with the very same bytes. Off unless set: another compressor says the same in
    /// other bytes.
    pub fn keep_compressed(mut self, keep: bool) -> Self {
        self.keep_compressed = keep;
        self
    }

    /// Which columns are read, asked with the name of the class and that of the property. The others
    /// are left out of the document, which then can be written only with
    /// [`WriteOptions::allow_loss`]. Classes, instances and their parents are always read.
    ///
    /// Of a column that is compressed with LZ4 and not wanted, only the first bytes are decompressed.
    pub fn filter(mut self, filter: impl Fn(&BStr, &BStr) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Arc::new(filter));
        self
    }

    /// Reads a document.
    ///
    /// # Errors
    /// Where the bytes are no binary Roblox file, end too early or break the format in a way that
    /// leaves no meaning, and where `max_bytes` is reached. The path names the chunk, and within a
    /// column the class and the property.
    pub fn read(&self, bytes: &[u8]) -> Result<Document> {
        let Self { max_bytes, keep_compressed, ref filter } = *self;
        wire::read(bytes, Want { max_bytes, keep_compressed, filter: filter.as_deref() })
    }

    /// Reads a document from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Document> {
        self.read(&read_all(reader, self.max_bytes)?)
    }
}

/// How to write a document: each chunk compressed as it was, new ones with LZ4, unless asked
/// otherwise.
///
/// A document that was edited through this crate is brought in order first, as
/// [`Document::normalize`] does; one that was not is written chunk by chunk as it was.
///
/// ```
/// use rbxbinary::{Compression, Document, WriteOptions};
///
/// # fn main() -> rbxbinary::Result<()> {
/// let mut document = Document::new();
/// document.insert(None, rbxbinary::NewInstance::new("Folder").property("Name", "Sounds"))?;
/// let bytes = WriteOptions::new().compression(Compression::Zstd).write(&document)?;
/// assert_eq!(rbxbinary::from_slice(&bytes)?.tree().find("Sounds").unwrap().class_name(), "Folder");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    compression: Option<Compression>,
    allow_loss: bool,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How every chunk but the END is compressed; as it was unless set.
    ///
    /// LZ4 is what Studio writes and what every program reads. Zstd is written as Roblox frames it, one
    /// segment with the size of the content, but without Huffman codes: as fast as LZ4, and no
    /// smaller.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Whether a document that was read with a filter may be written, without what was left out. Off
    /// unless set.
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }

    /// The document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where a column has more or fewer values than its class has
    /// instances, where a count does not fit, and where the document was read with a filter.
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        if document.layout.partial && !self.allow_loss {
            let what = "a document that was read with a filter, which left columns out";
            return Err(Error::unwritable("layout.partial", what));
        }
        if document.layout.edited {
            let mut ordered = document.clone();
            ordered.normalize();
            return wire::write(&ordered, self.compression);
        }
        wire::write(document, self.compression)
    }

    /// Writes the document into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, document: &Document) -> Result<()> {
        Ok(writer.write_all(&self.write(document)?)?)
    }
}
