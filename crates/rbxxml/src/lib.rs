//! Roblox models and places in XML, `.rbxmx` and `.rbxlx`, read and written without loss.

mod check;
mod consts;
mod error;
mod finding;
mod limits;
mod model;
mod options;
mod wire;

use std::io::{Read, Write};

pub use bstr;
pub use check::check;
pub use consts::Version;
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Severity};
pub use geom;
pub use model::{
    Axes, BrickColor, CFrame, Children, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Descendants, Document, Faces, Font, FontStyle, Item, ItemId, ItemLayout,
    KeyHash, Layout, Merged, Metadata, Name, NumberRange, NumberSequence, NumberSequenceKeypoint, Part,
    PhysicalProperties, Property, Raw, Ray, Rect, SecurityCapabilities, SharedString, Text, UDim, UDim2,
    UniqueId, Unknown, Value, Vector2int16, Vector3int16,
};
pub use options::{Illegal, ReadOptions, WriteOptions};

/// The version of a document, from its first tag alone; 0 where that says none. `None` where this is
/// no document in XML: a binary one begins with `<roblox!`.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    wire::detect(bytes)
}

/// Reads a document with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Document> {
    ReadOptions::new().read(bytes)
}

/// Reads a document from a string with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
#[allow(clippy::should_implement_trait, reason = "the name that text formats give this verb")]
pub fn from_str(text: &str) -> Result<Document> {
    from_slice(text.as_bytes())
}

/// Reads a document from everything that a reader holds, with the default options.
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Document> {
    ReadOptions::new().read_from(reader)
}

/// Writes a document.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(document: &Document) -> Result<Vec<u8>> {
    WriteOptions::new().write(document)
}

/// Writes a document as a string.
///
/// # Errors
/// As [`WriteOptions::write`], and `Unwritable` where it holds bytes that are no UTF-8.
pub fn to_string(document: &Document) -> Result<String> {
    String::from_utf8(to_vec(document)?)
        .map_err(|_| Error::unwritable("", "a string: there are bytes that are not UTF-8"))
}

/// Writes a document into a writer.
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, document: &Document) -> Result<()> {
    WriteOptions::new().write_to(writer, document)
}
