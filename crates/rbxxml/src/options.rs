//! How to read and how to write.

use crate::model::KeyHash;
use geom::wire::DEFAULT_MAX_BYTES;

/// How to read a document.
///
/// ```
/// # fn main() -> rbxxml::Result<()> {
/// # let bytes = br#"<roblox version="4"></roblox>"#;
/// let document = rbxxml::ReadOptions::new().max_bytes(16 << 20).max_nodes(100_000).read(bytes)?;
/// # assert!(document.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    pub(crate) max_bytes: u64,
    pub(crate) max_nodes: u32,
    pub(crate) max_depth: u32,
    pub(crate) keep_source: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, max_nodes: u32::MAX, max_depth: u32::MAX, keep_source: true }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of bytes that the read may allocate: 1 GiB by default. This covers the document, which takes
    /// about half of the size of a file that Studio wrote, the kept bytes of the file, and temporary memory.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Whether to keep the bytes of the file, so that each element that no edit touches is written back unchanged.
    /// On by default. A program that never writes the document saves that memory by switching it off; if it writes
    /// the document after all, everything is written as Studio does, without comments and unknown elements. The
    /// bytes of a file of 4 GiB or more are never kept.
    pub fn keep_source(mut self, keep: bool) -> Self {
        self.keep_source = keep;
        self
    }

    /// The number of elements, comments, CDATA sections and processing instructions that the file may contain:
    /// 4,294,967,295 by default, since `max_bytes` limits memory. A server that wants to limit the time of a read
    /// sets this, or checks the file's size.
    pub fn max_nodes(mut self, max_nodes: u32) -> Self {
        self.max_nodes = max_nodes;
        self
    }

    /// The maximum nesting of instances: unlimited by default, since nothing in this crate recurses.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }
}

/// What to do with characters that XML 1.0 cannot represent: control characters except tab, line feed and carriage
/// return, U+FFFE and U+FFFF, and bytes that are not UTF-8.
///
/// Unedited text from the file is always written back unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Illegal {
    /// They are an error with the path of the value.
    #[default]
    Refuse,
    /// Characters are written as references, `&#1;`, and bytes as they are. This crate reads both,
    /// and so did Studio; a strict XML parser does not.
    Escape,
}

/// How to write a document.
///
/// ```
/// use rbxxml::{Document, Illegal, NewInstance, WriteOptions};
///
/// # fn main() -> rbxxml::Result<()> {
/// let mut document = Document::new();
/// document.insert(None, NewInstance::new("Folder").property("Name", "bell\u{7}"))?;
/// assert!(rbxxml::to_vec(&document).is_err());
/// let bytes = WriteOptions::new().illegal(Illegal::Escape).write(&document)?;
/// assert_eq!(rbxxml::from_slice(&bytes)?, document);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    pub(crate) illegal: Illegal,
    pub(crate) keys: Option<KeyHash>,
    pub(crate) max_bytes: Option<u64>,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// What to do with characters that XML cannot represent. Refused by default.
    pub fn illegal(mut self, illegal: Illegal) -> Self {
        self.illegal = illegal;
        self
    }

    /// Recomputes the keys of all shared strings from their bytes. By default, shared strings keep their keys,
    /// which are Studio's for those added by [`Document::share`](crate::Document::share).
    pub fn keys(mut self, hash: KeyHash) -> Self {
        self.keys = Some(hash);
        self
    }

    /// The maximum size of the file, not counting the last instance: each line of an instance is indented by its
    /// depth, so a small document of a thousand levels is a large file. Unlimited by default.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = Some(max_bytes);
        self
    }
}
