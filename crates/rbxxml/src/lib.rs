//! Roblox models and places in XML, `.rbxmx` and `.rbxlx`, read and written without loss: what nobody
//! edited comes back byte for byte, whoever wrote it, and an edit changes its own lines only.
//!
//! | what | read | written |
//! |---|---|---|
//! | files of Studio, version 4, every type of property | yes | yes, as Studio does |
//! | types and elements that this crate does not know | as text | as they stood |
//! | files of other tools and of hands: any indentation, comments, order, quotes | yes | as they stood |
//! | legacy files: packed colours, `nil`, old exponents, control characters, bytes that are no UTF-8 | yes | as they stood |
//! | document types (DTD), UTF-16, binary files | no | |
//!
//! ```
//! # fn main() -> rbxxml::Result<()> {
//! # let text = "<roblox version=\"4\">\n\t<Item class=\"Workspace\">\n\t\t<Properties>\n\t\t\t<string name=\"Name\">Workspace</string>\n\t\t</Properties>\n\t</Item>\n</roblox>";
//! # let bytes = text.as_bytes();
//! use rbxxml::{Item, Value};
//!
//! let mut document = rbxxml::from_slice(bytes)?;
//! assert_eq!(rbxxml::to_vec(&document)?, bytes);
//!
//! let workspace = document.find("Workspace").expect("a place has one");
//! let part = document.insert(workspace, Item::new("Part").with("Name", "Baseplate"))?;
//! document.set(part, "Anchored", true)?;
//! document.set(part, "size", rbxxml::geom::Vec3::new(512.0, 20.0, 512.0))?;
//! assert_eq!(document.get(part, "Anchored"), Some(&Value::Bool(true)));
//! for (_, item) in document.items() {
//!     println!("{} {:?}", item.class, item.name());
//! }
//! let text = rbxxml::to_string(&document)?;
//! # assert!(text.contains("\t\t\t\t<bool name=\"Anchored\">true</bool>"));
//! # Ok(())
//! # }
//! ```
//!
//! # What an edit leaves alone
//!
//! The writer writes what Studio does. While a file is read, each piece of it is compared with what the
//! writer would make of it; only where they differ is the text kept, in [`Document::layout`] and
//! [`Item::layout`], with a hash of what it says. When the document is written and a piece still says
//! the same, the text is used; where it was edited, it is dropped. Files that Studio wrote keep nearly
//! nothing, and a model that is built by hand needs none of it.
//!
//! # Safety and limits
//!
//! No `unsafe`. Nothing recurses over the depth of a document: a million items in one another are read,
//! written, cloned, compared and dropped. A document that is deeper than 256 levels is written without
//! indentation, which would grow with the square of its depth.
//!
//! quick-xml parses, one value at a time: what it found becomes a part of the model before it goes on, so
//! that a read holds little more than the document that it gives, half the size of a file that Studio
//! wrote. The worst that was found is 71 times, for properties of four bytes each. Document types are
//! refused, so that no entity can grow, and the number of nodes can be limited
//! ([`ReadOptions::max_nodes`]). What XML does not allow and old files hold is put right in a copy, where
//! there is any: control characters, bytes that are no UTF-8, references to either, `&` that stands
//! alone, white space in front of a declaration. A prefix is part of a name and need not be declared;
//! nothing is looked at behind the last tag. Values, errors and the text that is
//! kept are those of the file, not of the copy.
//!
//! # The format
#![doc = include_str!("../FORMAT.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

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
