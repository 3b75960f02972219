//! LLSD, the data format of Second Life and OpenSimulator: binary, XML and notation, read and written
//! without loss.
//!
//! | encoding | what it is | read | written |
//! |---|---|---|---|
//! | binary | one marker byte a value, counts | yes | yes, byte for byte as it was read |
//! | XML | elements under `<llsd>`; base64, base16, base85 | yes | yes, with base64 |
//! | notation | short text: `{'a':i1}` | yes | yes |
//!
//! | to | use |
//! |---|---|
//! | read a value | [`from_slice`], [`read_binary`], [`read_xml`], [`read_notation`], [`ReadOptions`] |
//! | look into it | [`Value::get`], [`Value::find`], [`Value::set`], matching; the viewer's [`Value::as_integer`] … |
//! | write it | [`to_vec`], [`write_binary`], [`WriteOptions`] |
//! | rewrite a file | [`Document`], which keeps header and form |
//! | change the encoding | [`transcode`], without building a value |
//! | read and write piece by piece | [`Reader`], [`Writer`], [`Event`] |
//! | use your own types | `llsd::de` and `llsd::ser`, with the feature `serde` |
//! | find what others trip over | [`check`](fn@check) |
//!
//! ```
//! use llsd::{Encoding, Value};
//!
//! # fn main() -> llsd::Result<()> {
//! let text = b"<? llsd/notation ?>\n{'name':'cube','parts':[{'size':r0.5},{'size':r2}]}";
//! let mut value = llsd::from_slice(text)?;
//! assert_eq!(value.find("parts/1/size").map(Value::as_real), Some(2.0));
//! value.set("parts/0/size", 0.75);
//! let bytes = llsd::to_vec(&value, Encoding::Binary)?;
//! assert!(llsd::from_slice(&bytes)? == value);
//!
//! let error = llsd::from_slice(b"{'parts':[{'size':r0.5},\n{'size':x}]}").unwrap_err();
//! assert_eq!(error.to_string(), "no value: \"x\" in /parts/1/size at line 2, column 9");
//! # Ok(())
//! # }
//! ```
//!
//! Reading is as tolerant as the viewer, unless [`ReadOptions::strict`] asks for more; the tables below
//! say what that is.
//!
//! # Safety and limits
//!
//! No `unsafe`. No input makes this crate panic or loop, and none makes it overflow its stack: nothing
//! recurses over the input, neither reading and writing nor copying, comparing and dropping, so that
//! [`ReadOptions::max_depth`] can be raised to a million. A count that the input cannot fill is an error
//! before anything is allocated for it: a read takes at most 112 times the input (for a document of
//! nothing but the shortest values; real ones take two to four times), and never more than
//! [`ReadOptions::max_bytes`].
//!
//! # The format
#![doc = include_str!("../FORMAT.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod build;
mod check;
mod consts;
#[cfg(feature = "serde")]
pub mod de;
mod document;
mod error;
mod event;
mod finding;
mod keys;
mod limits;
mod model;
mod options;
#[cfg(feature = "serde")]
pub mod ser;
#[cfg(feature = "serde")]
mod serde_impls;
mod text;
mod transcode;
mod wire;
mod write;

use std::io::{Read, Write};

pub use bstr;
pub use check::check;
pub use consts::Encoding;
pub use document::{Document, Layout};
pub use error::{Error, ErrorKind, Limit, Result};
pub use event::{Event, Reader};
pub use finding::{Finding, Severity};
pub use model::{Array, Binary, Date, Map, Text, Uri, Uuid, Value};
pub use options::{Controls, Duplicates, ReadOptions, WriteOptions};
pub use transcode::transcode;
pub use wire::Header;
pub use write::Writer;

/// The encoding of a document, from its first bytes alone; `None` where they name none. Notation and
/// binary without a header cannot be told from other files.
pub fn detect(bytes: &[u8]) -> Option<Encoding> {
    wire::detect(bytes)
}

/// Reads a value in the encoding that its header names; without one XML where the first character is
/// `<`, and otherwise notation, never binary.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Value> {
    ReadOptions::new().read(bytes)
}

/// Reads a value from everything that a reader holds, as [`from_slice`].
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Value> {
    ReadOptions::new().read_from(reader)
}

/// Reads a binary value without a header.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn read_binary(bytes: &[u8]) -> Result<Value> {
    ReadOptions::new().encoding(Encoding::Binary).read(bytes)
}

/// Reads a value in XML; a header may be there or not.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn read_xml(bytes: &[u8]) -> Result<Value> {
    ReadOptions::new().encoding(Encoding::Xml).read(bytes)
}

/// Reads a value in notation without a header.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn read_notation(bytes: &[u8]) -> Result<Value> {
    ReadOptions::new().encoding(Encoding::Notation).read(bytes)
}

/// Writes a value in an encoding, with the viewer's header.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(value: &Value, encoding: Encoding) -> Result<Vec<u8>> {
    WriteOptions::new().encoding(encoding).write(value)
}

/// Writes a value in an encoding, with the viewer's header, into a writer.
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, value: &Value, encoding: Encoding) -> Result<()> {
    WriteOptions::new().encoding(encoding).write_to(writer, value)
}

/// Writes a value as binary without a header.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn write_binary(value: &Value) -> Result<Vec<u8>> {
    WriteOptions::new().header(Header::None).write(value)
}
