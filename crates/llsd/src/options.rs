//! How to read and how to write.

use std::io::{Read, Write};

use crate::consts::Encoding;
use crate::document::Document;
use crate::error::Result;
use crate::event::Reader;
use crate::limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, read_all};
use crate::model::Value;
use crate::wire::{self, Header};
use crate::write::{self, Writer};

/// Which of two entries with the same key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duplicates {
    /// The first: the rule of binary and notation in the viewer.
    First,
    /// The last, at the place of the first: the rule of XML in the viewer.
    Last,
    /// Neither: two are an error.
    Error,
}

/// How to read.
///
/// ```
/// use llsd::{Encoding, ReadOptions};
///
/// // A value without a header, somewhere in another file.
/// let bytes = b"i\0\0\0\x07 and more";
/// let (value, used) = ReadOptions::new().encoding(Encoding::Binary).max_depth(96).read_used(bytes)?;
/// assert_eq!((value.as_integer(), used), (7, 5));
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
    max_depth: u32,
    strict: bool,
    duplicates: Option<Duplicates>,
    encoding: Option<Encoding>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            max_depth: DEFAULT_MAX_DEPTH,
            strict: false,
            duplicates: None,
            encoding: None,
        }
    }
}

impl ReadOptions {
    /// The defaults: the encoding found by its header, tolerant as the viewer, 128 values deep.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate for what it reads: 1 GiB unless set. Whatever it is, no
    /// more is allocated for a count than the input can fill.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// How many values may stand in one another, the innermost scalar included: 128 unless set. The
    /// viewer uses 96 for what it finds compressed in an asset.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Whether everything malformed is an error. Off unless set: then what the viewer reads is read
    /// as the viewer reads it. The tables in [the format's page](crate#the-format) say what this
    /// is about.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Which of two entries with the same key counts. Unless set the viewer's rule: the first in
    /// binary and notation, the last in XML.
    pub fn duplicates(mut self, duplicates: Duplicates) -> Self {
        self.duplicates = Some(duplicates);
        self
    }

    /// Reads this encoding, from the first byte on, instead of looking for a header.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    pub(crate) fn byte_limit(&self) -> u64 {
        self.max_bytes
    }

    pub(crate) fn depth_limit(&self) -> u32 {
        self.max_depth
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    pub(crate) fn rule(&self, encoding: Encoding) -> Duplicates {
        self.duplicates.unwrap_or(match encoding {
            Encoding::Xml => Duplicates::Last,
            Encoding::Binary | Encoding::Notation => Duplicates::First,
        })
    }

    /// The encoding, and where the value begins.
    pub(crate) fn place(&self, bytes: &[u8]) -> (Encoding, usize) {
        match self.encoding {
            Some(encoding) => (encoding, 0),
            None => wire::split(bytes),
        }
    }

    /// Reads a value. What stands behind it is not looked at.
    ///
    /// # Errors
    /// Where the value is malformed in a way that has no meaning, or at all when reading strictly;
    /// where the input ends too early; where a limit is reached. The error has the offset, in text
    /// the line and column, and the path of keys.
    pub fn read(&self, bytes: &[u8]) -> Result<Value> {
        self.read_used(bytes).map(|(value, _)| value)
    }

    /// Reads a value, and says how many bytes it took, the header included: for values that stand
    /// inside other files or one behind the other.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn read_used(&self, bytes: &[u8]) -> Result<(Value, usize)> {
        let (encoding, start) = self.place(bytes);
        wire::read(bytes, start, encoding, self)
    }

    /// Reads a value with the header and whatever else is needed to write the file again.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn read_document(&self, bytes: &[u8]) -> Result<Document> {
        Document::read(bytes, self)
    }

    /// Reads a value from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Value> {
        self.read(&read_all(reader, self.max_bytes)?)
    }

    /// Reads a value piece by piece.
    ///
    /// # Errors
    /// None yet; what is wrong with the input is told when it is reached.
    pub fn events<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>> {
        Reader::new(bytes, self)
    }
}

/// What becomes of characters that XML has no way to say: control characters but tab, line feed and
/// carriage return, U+FFFE and U+FFFF, and bytes that are no UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Controls {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
}

/// How to write: binary with the viewer's header, unless asked otherwise.
///
/// ```
/// use llsd::{Encoding, Header, Value, WriteOptions};
///
/// let value = Value::from([1, 2]);
/// let text = WriteOptions::new().encoding(Encoding::Notation).header(Header::None).write(&value)?;
/// assert_eq!(text, b"[i1,i2]");
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    pub(crate) encoding: Encoding,
    pub(crate) header: Header,
    pub(crate) indent: bool,
    pub(crate) words: bool,
    pub(crate) controls: Controls,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The encoding; binary unless set.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// The header; the viewer's unless set.
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Whether XML and notation are indented, with an entry on each line. Off unless set.
    pub fn indent(mut self, indent: bool) -> Self {
        self.indent = indent;
        self
    }

    /// Whether XML and notation say `true` and `false` instead of `1` and `0`. Off unless set.
    pub fn words(mut self, words: bool) -> Self {
        self.words = words;
        self
    }

    /// What becomes of characters that XML cannot hold. Refused unless set.
    pub fn controls(mut self, controls: Controls) -> Self {
        self.controls = controls;
        self
    }

    /// The value as a document.
    ///
    /// # Errors
    /// `Unwritable`, with the path, for what the encoding cannot hold: characters that XML does not
    /// know, dates that are no point in time in the two text encodings, lengths over 31 bits.
    pub fn write(&self, value: &Value) -> Result<Vec<u8>> {
        write::value(value, self)
    }

    /// Writes the value into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, value: &Value) -> Result<()> {
        Ok(writer.write_all(&self.write(value)?)?)
    }

    /// A writer that takes a document piece by piece.
    pub fn events(&self) -> Writer {
        Writer::new(self)
    }
}
