//! How to read and how to write.

use std::fmt;
use std::sync::Arc;

use bstr::BStr;

use crate::consts::Compression;
use crate::limits::DEFAULT_MAX_BYTES;

/// Whether a column is wanted: of the class, of the property.
type Filter = dyn Fn(&BStr, &BStr) -> bool + Send + Sync;

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
/// # assert_eq!(document.len(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct ReadOptions {
    pub(crate) max_bytes: u64,
    pub(crate) keep_compressed: bool,
    pub(crate) filter: Option<Arc<Filter>>,
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

    /// How many bytes the read may allocate: for the model with the index that walking and editing need, and for
    /// decompressed chunks; with `from_reader`, for the input too. 1 GiB unless set, some ten times what the
    /// largest known places take.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Whether the compressed bytes of each chunk are kept in the layout, so that what was not edited
    /// is written with the very same bytes. Off unless set: another compressor makes other bytes of the same
    /// content.
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
}

/// How to write a document: each chunk compressed as it was, new ones with LZ4, unless asked
/// otherwise.
///
/// An unedited document is written chunk by chunk as it was, and so is one in which values were set, except references and
/// shared strings: without signatures. Where more was edited, it is written as Studio writes: referents from 0
/// upwards, each instance before its children; ids of classes from 0 upwards, no class without instances; children
/// before their parent in the PRNT; shared strings once, and only those that are used; references to what is not
/// there null; no signatures.
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
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    pub(crate) compression: Option<Compression>,
    pub(crate) allow_loss: bool,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How every chunk but the END is compressed; as it was unless set.
    ///
    /// LZ4 is what Studio writes and what every program reads. Zstd is written as Roblox frames it: one segment with
    /// the size of the content.
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
}
