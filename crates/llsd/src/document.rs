//! A value with the file around it.

use crate::consts::Encoding;
use crate::error::Result;
use crate::model::Value;
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::{self, Header};

/// A value, and what a file holds besides: which encoding, which header, what stands behind. Writing
/// it again gives the bytes that were read, in binary always, as long as nobody changed the value.
///
/// ```
/// let bytes = b"<?llsd/binary?>\n{\0\0\0\x01'key'i\0\0\0\x07}";
/// let mut document = llsd::Document::from_slice(bytes)?;
/// assert_eq!(document.to_vec()?, bytes);
/// document.value.set("key", 8);
/// assert_eq!(document.to_vec()?, b"<?llsd/binary?>\n{\0\0\0\x01k\0\0\0\x03keyi\0\0\0\x08}");
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The value.
    pub value: Value,
    /// What the file says besides.
    pub layout: Layout,
}

/// What a rewrite of a file needs besides the value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// How the value is written.
    pub encoding: Encoding,
    /// The bytes before the value: a header, or an XML declaration, and white space.
    pub header: Vec<u8>,
    /// The bytes behind the value.
    pub trailing: Vec<u8>,
    odd: Option<Box<Odd>>,
}

/// A binary value in other bytes than this crate would write: strings between quotes, keys that stand
/// twice, negative counts.
#[derive(Clone, Debug, PartialEq)]
struct Odd {
    found: Vec<u8>,
    /// What would be written instead. As long as it would be, what was found is written.
    usual: Vec<u8>,
}

impl Document {
    /// A document with the viewer's header.
    pub fn new(value: impl Into<Value>, encoding: Encoding) -> Self {
        let header = Header::Viewer.bytes(encoding).to_vec();
        let trailing = if encoding == Encoding::Xml { b"\n".to_vec() } else { Vec::new() };
        Self { value: value.into(), layout: Layout { encoding, header, trailing, odd: None } }
    }

    /// Reads a document with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes, &ReadOptions::new())
    }

    pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Self> {
        let (encoding, start) = options.place(bytes);
        let (value, end) = wire::read(bytes, start, encoding, options)?;
        let start = if encoding == Encoding::Xml { start + declaration(&bytes[start..end]) } else { start };
        let (header, trailing) = (bytes[..start].to_vec(), bytes[end..].to_vec());
        let mut document = Self { value, layout: Layout { encoding, header, trailing, odd: None } };
        if encoding == Encoding::Binary {
            let (usual, found) = (document.bare()?, &bytes[start..end]);
            if usual != found {
                document.layout.odd = Some(Box::new(Odd { found: found.to_vec(), usual }));
            }
        }
        Ok(document)
    }

    /// The document as a file.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let Layout { header, trailing, odd, .. } = &self.layout;
        let value = self.bare()?;
        let value = match odd {
            Some(odd) if odd.usual == value => &odd.found,
            _ => &value,
        };
        Ok([header.as_slice(), value, trailing].concat())
    }

    /// The value alone, without a line feed behind it.
    fn bare(&self) -> Result<Vec<u8>> {
        let encoding = self.layout.encoding;
        let mut bytes = WriteOptions::new().encoding(encoding).header(Header::None).write(&self.value)?;
        if encoding == Encoding::Xml {
            bytes.pop();
        }
        Ok(bytes)
    }
}

/// How long an XML declaration, or a header that looks like one, is with the space around it.
fn declaration(bytes: &[u8]) -> usize {
    let text = bytes.trim_ascii_start();
    let close = if text.starts_with(b"<?") { memchr::memmem::find(text, b"?>") } else { None };
    let behind = close.map_or(text, |close| &text[close + 2..]);
    bytes.len() - behind.trim_ascii_start().len()
}
