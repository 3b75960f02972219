//! A value with the file around it.

use crate::consts::{Encoding, Header};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Item, Text, Value, Walk};
use crate::options::{ReadOptions, WriteOptions};
use crate::read::ends;
use crate::wire::{self, header};

/// A value, and what a file has besides: which encoding, which header, what comes after the value.
/// Writing it again gives the bytes that were read, in every encoding, as long as the value is not
/// changed, for which a copy of it is kept; the header and what comes after the value stay also when it is.
///
/// ```
/// let bytes = b"<?llsd/binary?>\n{\0\0\0\x01'key'i\0\0\0\x07}";
/// let mut document = llsd::Document::from_slice(bytes)?;
/// assert_eq!(document.to_vec()?, bytes);
/// document.value.set("key", 8)?;
/// assert_eq!(document.to_vec()?, b"<?llsd/binary?>\n{\0\0\0\x01k\0\0\0\x03keyi\0\0\0\x08}");
/// # Ok::<(), llsd::Error>(())
/// ```
///
/// Documents are equal where their values are; [`Document::same_layout`] compares the rest.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The value.
    pub value: Value,
    /// What the file has besides.
    pub layout: Layout,
}

/// What a rewrite of a file needs besides the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How the value is written.
    pub encoding: Encoding,
    /// The bytes before the value: a byte order mark, a header, in XML everything before `<llsd>`.
    pub header: Vec<u8>,
    /// The bytes after the value.
    pub trailing: Vec<u8>,
    found: Option<Box<Found>>,
}

/// A value as it was read, and its bytes, which are written as long as it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    bytes: Vec<u8>,
    value: Value,
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        let Self { value, layout: _ } = self;
        *value == other.value
    }
}

impl Eq for Document {}

impl Document {
    /// A document with the header that every known reader reads.
    pub fn new(value: impl Into<Value>, encoding: Encoding) -> Self {
        let header = Header::Common.bytes(encoding).to_vec();
        let trailing = if encoding == Encoding::Xml { b"\n".to_vec() } else { Vec::new() };
        Self { value: value.into(), layout: Layout { encoding, header, trailing, found: None } }
    }

    /// Reads a document with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        ReadOptions::new().read_document(bytes)
    }

    /// Whether everything but the value is the same. Documents that are equal too, in the order of their
    /// keys and the bits of NaN, are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    /// The document as a file.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let Layout { encoding, header, trailing, found } = &self.layout;
        if let Some(found) = found.as_ref().filter(|found| found.value.identical(&self.value)) {
            return Ok([header.as_slice(), &found.bytes, trailing].concat());
        }
        let mut value = WriteOptions::new().encoding(*encoding).header(Header::None).write(&self.value)?;
        if *encoding == Encoding::Xml {
            // The line feed after it.
            value.pop();
        }
        Ok([header.as_slice(), &value, trailing].concat())
    }
}

impl ReadOptions {
    /// Reads a value with the header and whatever else is needed to write the file again.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn read_document(&self, bytes: &[u8]) -> Result<Document> {
        let start = header::split(bytes, self.encoding)?;
        let wire::Read { value, end, mut budget } =
            wire::read(bytes, start, self, Budget::new(self.max_bytes))?;
        ends(bytes, start, end, self)?;
        let whole = &bytes[start.at..end];
        let begin = start.at
            + if start.encoding == Encoding::Xml { prolog(whole) } else { space(whole, start.encoding) };
        let mut copy = |bytes| budget.copy(bytes).map_err(|kind| Error::new(kind, ""));
        let (header, bytes, trailing) =
            (copy(&bytes[..begin])?, copy(&bytes[begin..end])?, copy(&bytes[end..])?);
        budget.take(size(&value)).map_err(|kind| Error::new(kind, ""))?;
        let found = Some(Box::new(Found { bytes, value: value.clone() }));
        Ok(Document { value, layout: Layout { encoding: start.encoding, header, trailing, found } })
    }
}

/// What a copy of a value allocates.
fn size(value: &Value) -> u64 {
    let sizes = Walk::new(value).map(|item| match item {
        Item::Key(key) => Text::extra(key.len()),
        Item::Value(Value::String(text)) => Text::extra(text.len()),
        Item::Value(Value::Uri(uri)) => Text::extra(uri.0.len()),
        Item::Value(Value::Binary(bytes)) => bytes.len() as u64,
        // What is in it, and its place while it is copied.
        Item::Value(Value::Array(values)) => (size_of::<Value>() * values.len() + OPEN) as u64,
        Item::Value(Value::Map(map)) => (size_of::<(Text, Value)>() * map.len() + OPEN) as u64,
        Item::Value(_) | Item::EndArray | Item::EndMap => 0,
    });
    sizes.sum()
}

/// What an open container takes in the lists of a walk and of a copy, while they grow.
const OPEN: usize = 192;

/// How much white space is before a value of notation.
fn space(bytes: &[u8], encoding: Encoding) -> usize {
    let kept = if encoding == Encoding::Notation { bytes.trim_ascii_start() } else { bytes };
    bytes.len() - kept.len()
}

/// How long everything before `<llsd>` is, in XML that was read: declarations, comments, white space.
fn prolog(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest).trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', ..] => b"-->",
            _ => return bytes.len() - rest.len(),
        };
        match memchr::memmem::find(rest, end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => return bytes.len() - rest.len(),
        }
    }
}
