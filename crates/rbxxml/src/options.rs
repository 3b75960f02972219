//! How to read and how to write.

use std::borrow::Cow;
use std::io::{Read, Write};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::{Document, KeyHash};
use crate::wire::{self, Limits};

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
    max_bytes: u64,
    max_nodes: u32,
    max_depth: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, max_nodes: u32::MAX, max_depth: u32::MAX }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate: 1 GiB unless set. That is the model, which takes about half
    /// the size of a file that Studio wrote, one value at a time while it is parsed, and a copy of a
    /// file in which something must be put right. The names of elements that are open, and of the
    /// attributes of one tag, come beside it: at most five times the size of the file.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// How many nodes (elements, the texts in them and between them, comments, instructions) the parser
    /// may find: 4,294,967,295 unless set, since `max_bytes` looks after memory.
    /// A server that wants to limit the time that a read takes sets this, or looks at the file's size.
    pub fn max_nodes(mut self, max_nodes: u32) -> Self {
        self.max_nodes = max_nodes;
        self
    }

    /// How deep items may nest: without a limit unless set, since nothing in this crate recurses.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Reads a document.
    ///
    /// # Errors
    /// Where the bytes are no XML, the root is not `roblox`, or a value cannot be understood: with
    /// line, column, item and property. Where a limit is reached. `Unsupported` for a document type
    /// declaration, for UTF-16 and for a binary file.
    pub fn read(&self, bytes: &[u8]) -> Result<Document> {
        if bytes.starts_with(crate::consts::BINARY) {
            let what = "binary model: this crate reads XML (rbxbinary reads it)".into();
            return Err(Error::new(ErrorKind::Unsupported(what), "").at(0, Some(bytes)));
        }
        let Self { max_bytes, max_nodes, max_depth } = *self;
        wire::read(bytes, Limits { max_bytes, max_nodes, max_depth })
    }

    /// Reads a document from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Document> {
        self.read(&read_all(reader, self.max_bytes)?)
    }
}

/// What becomes of characters that XML 1.0 cannot hold: control characters but tab, line feed and
/// carriage return, U+FFFE and U+FFFF, and bytes that are no UTF-8.
///
/// Text that stood so in the file that was read, and was not edited, is written as it stood in any
/// case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Illegal {
    /// They are an error that says where they stand.
    #[default]
    Refuse,
    /// Characters are written as references, `&#1;`, and bytes as they are. This crate reads both,
    /// and so did Studio; a strict XML parser does not.
    Escape,
}

/// How to write a document.
///
/// ```
/// use rbxxml::{Document, Illegal, Item, WriteOptions};
///
/// # fn main() -> rbxxml::Result<()> {
/// let mut document = Document::new();
/// document.insert(None, Item::new("Folder").with("Name", "bell\u{7}"))?;
/// assert!(rbxxml::to_vec(&document).is_err());
/// let bytes = WriteOptions::new().illegal(Illegal::Escape).write(&document)?;
/// assert_eq!(rbxxml::from_slice(&bytes)?, document);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    illegal: Illegal,
    keys: Option<KeyHash>,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// What becomes of characters that XML cannot hold. They are refused unless set.
    pub fn illegal(mut self, illegal: Illegal) -> Self {
        self.illegal = illegal;
        self
    }

    /// Keys all shared strings anew, from their bytes. Unless set they keep the keys that they have,
    /// which are Studio's for those that [`Document::share`] added.
    pub fn keys(mut self, hash: KeyHash) -> Self {
        self.keys = Some(hash);
        self
    }

    /// The document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where something would not come back as it is: a character that
    /// XML cannot hold, a referent that means none, an unknown type whose text is no XML.
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        let mut document = Cow::Borrowed(document);
        if let Some(hash) = self.keys {
            document.to_mut().rekey(hash);
        }
        wire::write(&document, self.illegal)
    }

    /// Writes the document into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, document: &Document) -> Result<()> {
        Ok(writer.write_all(&self.write(document)?)?)
    }
}
