//! [format]: crate::_format
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | task | items |
//! |---|---|
//! | read and write | [`from_slice`], [`from_reader`], [`to_vec`], [`to_writer`], [`ReadOptions`], [`WriteOptions`] |
//! | inspect | [`detect`], [`chunks`] |
//! | find an instance | [`Document::find`](crate::Dom#method.find), [`Document::by_class`](crate::Dom#method.by_class), [`Document::roots`](crate::Dom#method.roots), [`Document::children`](crate::Dom#method.children) |
//! | inspect an instance | [`Document::get`](crate::Dom#method.get), [`Document::properties`](crate::Dom#method.properties), [`Document::name`](crate::Dom#method.name), [`Document::path`](crate::Dom#method.path) |
//! | edit | [`Document::set`](crate::Dom#method.set), [`Document::insert`](crate::Dom#method.insert), [`Document::remove`](crate::Dom#method.remove), [`Document::reparent`](crate::Dom#method.reparent) |
//! | from another document | [`Document::copy_from`](crate::Dom#method.copy_from), [`Document::merge`](crate::Dom#method.merge) |
//! | fill in what is missing | [`EditOptions`](edit::EditOptions), [`Fill`](edit::Fill) |
//! | find violated rules | [`check`], [`errors::RULES`] |
//!
//! | chunk | content | in the model |
//! |---|---|---|
//! | META | keys and values | [`Document::metadata`] |
//! | SSTR | shared strings | [`Document::shared_strings`] |
//! | INST | a class and its instances | [`Class`](parts::Class) |
//! | PROP | one property of all instances of a class | [`Property`](parts::Property), [`Column`](parts::Column) |
//! | PRNT | the parent of each instance | [`Document::parents`], [`Document::children`](crate::Dom#method.children) |
//! | SIGN | signatures | [`Document::signatures`], unparsed |
//! | END | the end | kept as it is, and written last |
//! | any other | unknown | [`Document::unknown_chunks`], kept in its place |
//!
//! # An instance like another one
//!
//! ```
//! # fn main() -> rbxbinary::Result<()> {
//! use rbxbinary::{Document, NewInstance};
//! use rbxbinary::edit::{EditOptions, Fill};
//!
//! # let mut place = Document::new();
//! # let part = NewInstance::new("Part").property("Name", "Door").property("Anchored", false);
//! # let workspace = NewInstance::new("Workspace").service(true).property("Name", "Workspace").child(part);
//! # place.insert(None, workspace)?;
//! # let bytes = rbxbinary::to_vec(&place)?;
//! let mut place = rbxbinary::from_slice(&bytes)?;
//! let door = place.find("Workspace/Door").unwrap();
//! place.set(door, "Anchored", true)?;
//! place.insert(door, NewInstance::new("StringValue").property("Name", "Code").property("Value", "1234"))?;
//!
//! // Another part, which takes the values of the door for the properties that it lacks.
//! let workspace = place.parent(door);
//! let frame = NewInstance::new("Part").property("Name", "Frame");
//! let edited = EditOptions::new().fill(Fill::Like(door)).insert(&mut place, workspace, frame)?;
//! assert_eq!(edited.filled[0].to_string(), "Part.Anchored = Bool(true) in 1 instance");
//! let bytes = rbxbinary::to_vec(&place)?;
//!
//! let place = rbxbinary::from_slice(&bytes)?;
//! let code = place.find("Workspace/Door/Code").unwrap();
//! assert_eq!(place.get(code, "Value").unwrap().as_str(), Some("1234"));
//! assert!(rbxbinary::check(&place).is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Ten thousand parts
//!
//! With the feature `classes`, a new instance takes the names and values that scripts use, and stores them as Studio
//! does: `Size` as `size`, `Transparency` as a 32-bit float, `Color` in three bytes, `Material` as an item of its enum.
//!
//! ```
//! # #[cfg(feature = "classes")]
//! # fn main() -> rbxbinary::Result<()> {
//! use rbxbinary::geom::{CFrame, Mat3, Vec3};
//! use rbxbinary::{Document, Metadata, NewInstance};
//! use rbxbinary::types::Color3;
//!
//! let mut floor = NewInstance::new("Model").property("Name", "Floor");
//! for number in 0..10_000_u16 {
//!     let (x, z) = (f32::from(number % 100), f32::from(number / 100));
//!     let tile = NewInstance::new("Part")
//!         .property("Name", format!("Tile {number}"))
//!         .property("Anchored", true)
//!         .property("CFrame", CFrame { position: Vec3::new(4.0 * x, 0.0, 4.0 * z), rotation: Mat3::IDENTITY })
//!         .property("Size", Vec3::new(4.0, 1.0, 4.0))
//!         .property("Color", Color3::new(x / 99.0, 0.5, z / 99.0))
//!         .property("Material", 272)
//!         .property("Transparency", 0.25);
//!     floor = floor.child(tile);
//! }
//! let mut document = Document::new();
//! document.insert(None, floor)?;
//! document.metadata_mut().push(Metadata::new("ExplicitAutoJoints", "true"));
//! assert!(rbxbinary::check(&document).is_empty());
//! let bytes = rbxbinary::to_vec(&document)?; // a file: floor.rbxm
//! # let read = rbxbinary::from_slice(&bytes)?;
//! # let tile = read.find("Floor/Tile 9999").unwrap();
//! # assert_eq!(read.get(tile, "Transparency").unwrap().as_f32(), Some(0.25));
//! # assert_eq!(read.get(tile, "Material").unwrap().as_enum(), Some(272));
//! # assert_eq!(read.get(tile, "size").unwrap().as_vector3(), Some(Vec3::new(4.0, 1.0, 4.0)));
//! # assert_eq!(read.children(read.find("Floor").unwrap()).count(), 10_000);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "classes"))]
//! # fn main() {}
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod consts;
pub mod edit;
mod model;
mod options;
mod read;
mod view;
mod wire;
mod write;

pub use bstr;
pub use check::check;
pub use consts::{ChunkName, Compression, Version};
pub use geom;
pub use geom::wire::{Error, Result};
pub use model::{Document, Metadata};
pub use options::{ReadOptions, WriteOptions};
#[cfg(feature = "classes")]
pub use rbxcore::classes;
pub use rbxcore::value_types as types;
pub use rbxcore::{Dom, InstanceId, NewInstance, Value, ValueRef};
pub use wire::frame::{Chunk, Chunks};
#[doc(hidden)]
pub use write::ChunkWriter;

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

/// The parts of a file that most programs do not touch: classes and their columns, referents, tables, types.
pub mod parts {
    pub use rbxcore::rotation;

    pub use crate::consts::{ClassFormat, TypeId};
    pub use crate::model::{
        Class, Column, ColumnsMut, ContentEntry, Contents, Fonts, Header, Name, Parents, Property, Referent,
        SharedIndex, SharedString, Strings, UnknownChunk,
    };
}

geom::wire::verbs!(Document, "a document");

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}

/// The version of a binary Roblox document, from its first 16 bytes; `None` for any other file, such as a document
/// in XML, whose `<roblox` is followed by another byte than `!`.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    wire::header::detect(bytes)
}

/// Iterates over the chunks of a file, in order, without decompressing any.
///
/// ```
/// # fn main() -> rbxbinary::Result<()> {
/// # let bytes = rbxbinary::to_vec(&rbxbinary::Document::new())?;
/// for chunk in rbxbinary::chunks(&bytes)? {
///     let chunk = chunk?;
///     println!("{} at {:#x}: {} bytes of {}", chunk.name, chunk.range.start, chunk.payload.len(), chunk.len);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the header is invalid. For a truncated chunk, the iterator returns an error as its last item.
pub fn chunks(bytes: &[u8]) -> Result<Chunks<'_>> {
    Ok(Chunks::new(bytes)?.1)
}

#[doc(hidden)]
/// The length that a chunk's content has as a zstd frame of a [level](WriteOptions::level).
pub fn zstd_len(content: &[u8], level: u32) -> u64 {
    wire::codec::Deflater::with_level(level).deflate(content, Compression::Zstd).len() as u64
}
