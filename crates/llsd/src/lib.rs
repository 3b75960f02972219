//! LLSD.
//!
//! # The format
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
