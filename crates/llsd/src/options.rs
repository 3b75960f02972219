//! How to read and how to write: fields and setters. What they do is in `read` and `write`.

use crate::consts::{Encoding, Header};
use crate::model::Duplicates;
use geom::wire::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH};

/// How to read.
///
/// ```
/// use llsd::{Encoding, ReadOptions};
///
/// // A value without a header, somewhere in another file.
/// let bytes = b"i\0\0\0\x07 and more";
/// let (value, used) = ReadOptions::new().encoding(Encoding::Binary).max_depth(96).read_used(bytes)?;
/// assert_eq!((value.as_integer(), used), (Some(7), 5));
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    pub(crate) max_bytes: u64,
    pub(crate) max_depth: u32,
    pub(crate) strict: bool,
    pub(crate) duplicates: Option<Duplicates>,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) coerce: bool,
    /// Whether what only a tolerant reader reads is noted.
    pub(crate) noting: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            max_depth: DEFAULT_MAX_DEPTH,
            strict: false,
            duplicates: None,
            encoding: None,
            coerce: false,
            noting: false,
        }
    }
}

impl ReadOptions {
    /// The defaults: the encoding found by its header, tolerant as the viewer, 128 values deep.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate, what is read from a `Read` included: 1 GiB unless set.
    /// Whatever it is, no more is allocated for a count than the input can fill.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// How many values may be nested, the innermost scalar included: 128 unless set. The viewer uses
    /// 96 for what is compressed in an asset.
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Whether everything malformed is an error. Off unless set: then what the viewer reads is read
    /// as the viewer reads it. The tables in [the format's page](crate::_format) list what this is
    /// about.
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

    /// Reads this encoding, whether the input has a header or not. A header that names another one is
    /// an error.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Whether serde's types get the viewer's conversions ([`crate::Value::to_integer`] and so on) where
    /// a scalar of another type is there: booleans from integers, numbers from strings, text from
    /// numbers. Off unless set: then such a scalar is an error. A [`crate::Value`] is read as it is.
    pub fn coerce(mut self, coerce: bool) -> Self {
        self.coerce = coerce;
        self
    }

    pub(crate) fn rule(&self, encoding: Encoding) -> Duplicates {
        self.duplicates.unwrap_or(match encoding {
            Encoding::Xml => Duplicates::Last,
            Encoding::Binary | Encoding::Notation => Duplicates::First,
        })
    }
}

/// What becomes of characters that XML cannot represent: control characters but tab, line feed and
/// carriage return, U+FFFE and U+FFFF, and bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Controls {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
}

/// How to write: binary with a header, unless asked otherwise.
///
/// ```
/// use llsd::{Encoding, Header, Value, WriteOptions};
///
/// let value = Value::from([1, 2]);
/// let text = WriteOptions::new().encoding(Encoding::Notation).header(Header::Viewer).write(&value)?;
/// assert_eq!(text, b"<? llsd/notation ?>\n[i1,i2]");
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

    /// The header; [`Header::Common`] unless set.
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Whether XML and notation are indented, with an entry on each line. Off unless set. Levels after
    /// the fortieth are not indented further.
    pub fn indent(mut self, indent: bool) -> Self {
        self.indent = indent;
        self
    }

    /// Whether XML and notation write `true` and `false` instead of `1` and `0`. Off unless set.
    pub fn words(mut self, words: bool) -> Self {
        self.words = words;
        self
    }

    /// What becomes of characters that XML cannot represent. Refused unless set.
    pub fn controls(mut self, controls: Controls) -> Self {
        self.controls = controls;
        self
    }
}
