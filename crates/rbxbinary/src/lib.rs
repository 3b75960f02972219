//! Roblox binary places and models, read and written without loss, column by column.
//!
//! | file | what it is | read | written |
//! |---|---|---|---|
//! | `.rbxl` | a place | yes | yes |
//! | `.rbxm` | a model | yes | yes |
//!
//! | chunk | holds | in the model |
//! |---|---|---|
//! | META | keys and values | [`Document::metadata`] |
//! | SSTR | shared strings | [`Document::shared_strings`] |
//! | INST | a class and its instances | [`Class`] |
//! | PROP | one property of all instances of a class | [`Property`], [`Column`] |
//! | PRNT | who is whose child | [`Document::parents`], [`Tree`] |
//! | SIGN | signatures | [`Document::signatures`], as they are |
//! | END | the end | [`Layout`] |
//! | any other | whatever it may be | [`Layout`], in its place |
//!
//! | compression | read | written |
//! |---|---|---|
//! | none | yes | yes |
//! | LZ4 | yes | yes |
//! | zstd | yes | yes; as fast as LZ4, and no smaller |
//!
//! Every type of value is known, 0x01 to 0x22; the columns of one that is not are kept as bytes. No
//! database of classes is needed: a document says what it holds.
//!
//! ```
//! # fn main() -> rbxbinary::Result<()> {
//! use rbxbinary::{Document, NewInstance};
//!
//! # let mut place = Document::new();
//! # let workspace = place.insert(None, NewInstance::new("Workspace").service(true).property("Name", "Workspace"))?;
//! # place.insert(Some(workspace), NewInstance::new("Part").property("Name", "Door").property("Anchored", false))?;
//! # let bytes = rbxbinary::to_vec(&place)?;
//! let mut place = rbxbinary::from_slice(&bytes)?;
//! let door = place.tree().find("Workspace/Door").unwrap().referent();
//! place.set(door, "Anchored", true)?;
//! place.insert(Some(door), NewInstance::new("StringValue").property("Name", "Code").property("Value", "1234"))?;
//! let bytes = rbxbinary::to_vec(&place)?;
//!
//! let place = rbxbinary::from_slice(&bytes)?;
//! let tree = place.tree();
//! let code = tree.find("Workspace/Door/Code").unwrap();
//! assert_eq!(code.get("Value").unwrap().as_str(), Some("1234"));
//! assert!(rbxbinary::check(&place).is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! What nobody edited comes back as it was: the same chunks in the same order and frames, and the
//! same bytes once decompressed; with [`ReadOptions::keep_compressed`], the same bytes altogether.
//!
//! # Safety and limits
//!
//! No `unsafe`. No input makes this crate panic or loop, neither reading nor walking the tree goes
//! deeper on the stack for a deeper tree, and a length or count that the input cannot fill is an error
//! before anything is allocated for it. LZ4 and zstd can grow a small file to a large one: a read
//! takes no more than [`ReadOptions::max_bytes`], of which decompressed chunks are a part.
//!
//! # The format
#![doc = include_str!("../FORMAT.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod consts;
mod edit;
mod error;
mod finding;
mod limits;
mod model;
mod options;
#[cfg(feature = "serde")]
mod text;
mod tree;
mod wire;

use std::io::{Read, Write};

pub use bstr;
pub use check::check;
pub use consts::{ChunkName, ClassFormat, Compression, TypeId, Version};
pub use edit::NewInstance;
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Severity};
pub use geom;
pub use model::{
    Axes, BrickColor, CFrame, CFrameQuat, CFrameQuats, CFrames, Chunk, Class, Color3, Color3uint8,
    ColorSequence, ColorSequenceKeypoint, Column, Content, ContentEntry, ContentRef, Contents,
    CustomPhysicalProperties, Document, Faces, Font, FontRef, FontStyle, Fonts, Header, Layout, Metadata,
    Name, NumberRange, NumberSequence, NumberSequenceKeypoint, OptionalCFrames, Parents, Part,
    PhysicalColumn, PhysicalProperties, Property, RawChunk, Ray, Rect, Referent, SecurityCapabilities,
    Sequences, SharedString, Strings, UDim, UDim2, UniqueId, Value, ValueRef, Vector2int16, Vector3int16,
};
pub use options::{ReadOptions, WriteOptions};
pub use tree::{Descendants, Instance, Tree};
pub use wire::{Chunks, RawFrame};

/// The version of a binary Roblox file, from its first 16 bytes; `None` where it is none. The XML
/// form, which begins with `<roblox` and another byte behind it, is none.
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

/// Reads a document from everything that a reader holds, with the default options.
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Document> {
    ReadOptions::new().read_from(reader)
}

/// Writes a document, each chunk compressed as it was.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(document: &Document) -> Result<Vec<u8>> {
    WriteOptions::new().write(document)
}

/// Writes a document, each chunk compressed as it was, into a writer.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_writer(writer: impl Write, document: &Document) -> Result<()> {
    WriteOptions::new().write_to(writer, document)
}

/// The chunks of a file, in order, without decompressing any.
///
/// ```
/// # fn main() -> rbxbinary::Result<()> {
/// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
/// for chunk in rbxbinary::chunks(&bytes)? {
///     let chunk = chunk?;
///     println!("{} at {:#x}: {} bytes of {}", chunk.name, chunk.range.start, chunk.stored.len(), chunk.len);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Where the header is none. A chunk that is cut short is an error of the iterator, and its last item.
pub fn chunks(bytes: &[u8]) -> Result<Chunks<'_>> {
    Chunks::new(bytes)
}
