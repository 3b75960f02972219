//! Roblox models and places in XML, `.rbxmx` and `.rbxlx`, read, edited and written without loss: what nobody
//! edited comes back byte for byte, whichever program wrote it, and an edit changes its own lines only.
//!
//! | what | read | written |
//! |---|---|---|
//! | files of Studio, version 4, every type of property | yes | yes, as Studio does |
//! | types and elements that this crate does not know, malformed values | as text | as they were |
//! | files of other programs and written by hand: any indentation, comments, order, quotes | yes | as they were |
//! | legacy files: packed colours, `nil`, old exponents, control characters, bytes that are not UTF-8 | yes | as they were |
//! | document types (DTD), encodings other than UTF-8, binary files | no | |
//!
//! ```
//! # fn main() -> rbxxml::Result<()> {
//! use rbxxml::{Document, NewInstance, Value};
//!
//! # let mut place = Document::new();
//! # let part = NewInstance::new("Part").property("Name", "Door").property("Anchored", false);
//! # let workspace = NewInstance::new("Workspace").service(true).property("Name", "Workspace").child(part);
//! # place.insert(None, workspace)?;
//! # let bytes = rbxxml::to_vec(&place)?;
//! let mut place = rbxxml::from_slice(&bytes)?;
//! assert_eq!(rbxxml::to_vec(&place)?, bytes);
//!
//! let door = place.find("Workspace/Door").unwrap();
//! place.set(door, "Anchored", true)?;
//! place.insert(door, NewInstance::new("StringValue").property("Name", "Code").property("Value", "1234"))?;
//! // The type of a property never changes in passing.
//! assert!(place.set(door, "Anchored", "yes").is_err());
//!
//! let place = rbxxml::from_slice(&rbxxml::to_vec(&place)?)?;
//! assert_eq!(place.get(place.find("Workspace/Door").unwrap(), "Anchored"), Some(&Value::Bool(true)));
//! let code = place.find("Workspace/Door/Code").unwrap();
//! assert_eq!(place.get(code, "Value").unwrap().as_str(), Some("1234"));
//! assert!(rbxxml::check(&place).is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # What an edit leaves alone
//!
//! The writer writes what Studio does. While a file is read, each element of it is compared with what the writer
//! would make of it; only where they differ is the text kept, beside the value, and every edit of the value drops
//! it. Comments and unknown elements stay where they are, whatever is added or removed around them. Files that
//! Studio wrote keep nearly nothing, and a document that is built by hand needs none of it.
//!
//! # Safety and limits
//!
//! No `unsafe` in this crate. Nothing recurses over the depth of a document: a million instances in one another are
//! read, written, cloned, compared and dropped. Below 256 levels the indentation grows no more.
//!
//! A file is scanned once, tag by tag, and each value becomes a part of the document before the next one is read:
//! a read takes little more than the document that it gives, half of the size of a file that Studio wrote, and never
//! more than [`ReadOptions::max_bytes`], the input of [`from_reader`] included. The worst that was found is 55 times the
//! size of the file, for properties of four bytes each. Document types are refused, so that no entity can grow, and
//! the number of elements can be limited ([`ReadOptions::max_nodes`]). A prefix is a part of a name and need not be
//! declared; everything after the last tag is passed over.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod consts;
mod edit;
mod error;
mod finding;
mod limits;
mod model;
mod names;
mod options;
mod path;
mod read;
#[cfg(feature = "serde")]
mod text;
mod wire;
mod write;

use std::io::{Read, Write};

pub use bstr;
pub use check::{RULES, check};
pub use consts::Version;
pub use edit::{EditOptions, Edited, Fill, Filled, LeftOut, Others, ValueOf};
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Rule, Severity};
pub use geom;
pub use model::{
    Axes, BrickColor, CFrame, Children, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Descendants, Document, External, Faces, Font, FontStyle, InstanceId, KeyHash,
    Layout, Metadata, Name, NewInstance, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, SharedString, Text, UDim, UDim2, UniqueId, Unknown,
    Value, Vector2int16, Vector3int16,
};
pub use options::{Illegal, ReadOptions, WriteOptions};
pub use read::detect;

/// The format of the files: elements, text, numbers, types.
#[cfg(any(doc, doctest))]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
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

/// Reads a document from everything that a reader gives, with the default options.
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
/// As [`WriteOptions::write`], and `Unwritable` where it contains bytes that are not UTF-8.
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
