//! [format]: crate::_format
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | task | items |
//! |---|---|
//! | read and write | [`from_slice`], [`from_str`], [`from_reader`], [`to_vec`], [`to_string`], [`to_writer`], [`ReadOptions`], [`WriteOptions`] |
//! | inspect | [`detect`] |
//! | find an instance | [`Document::find`](crate::Dom#method.find), [`Document::by_class`](crate::Dom#method.by_class), [`Document::roots`](crate::Dom#method.roots), [`Document::children`](crate::Dom#method.children) |
//! | inspect an instance | [`Document::get`](crate::Dom#method.get), [`Document::properties`](crate::Dom#method.properties), [`Document::name`](crate::Dom#method.name), [`Document::path`](crate::Dom#method.path) |
//! | edit | [`Document::set`](crate::Dom#method.set), [`Document::insert`](crate::Dom#method.insert), [`Document::remove`](crate::Dom#method.remove), [`Document::reparent`](crate::Dom#method.reparent) |
//! | from another document | [`Document::copy_from`](crate::Dom#method.copy_from), [`Document::merge`](crate::Dom#method.merge) |
//! | fill in what is missing | [`EditOptions`](edit::EditOptions), [`Fill`](edit::Fill) |
//! | find violated rules | [`check`], [`errors::RULES`] |
//!
//! # What an edit does not change
//!
//! A document keeps the bytes of the file, and the position of the element of each instance and property. An edit
//! touches the elements that it changes, and the elements that contain them. Writing copies every other element
//! unchanged, with comments, unknown elements and everything between elements; touched and new elements are written
//! as Studio does. If [`Document::layout`] has other line ends or indentation than the file, everything is written
//! as Studio does, without comments and unknown elements.
//!
//! # Memory
//!
//! A file is scanned once, tag by tag, and each value becomes a part of the document before the next one is read. A
//! read takes little more memory than the document, which is half of the size of a file that Studio wrote, and one copy
//! of the bytes of the file ([`ReadOptions::keep_source`]); but never more than [`ReadOptions::max_bytes`]. The worst
//! known case is 55 times the size of the file, for properties of four bytes each. Document types are refused, which
//! rules out entity expansion, and the number of elements can be limited ([`ReadOptions::max_nodes`]). A prefix is
//! part of a name and need not be declared. Everything after the end tag of `roblox` is kept, but not
//! parsed.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod consts;
pub mod edit;
mod model;
mod options;
mod read;
mod wire;
mod write;

pub use bstr;
pub use check::check;
pub use consts::Version;
pub use geom;
pub use geom::wire::{Error, Result};
pub use model::{Document, Metadata};
pub use options::{Illegal, ReadOptions, WriteOptions};
#[cfg(feature = "classes")]
pub use rbxcore::classes;
pub use rbxcore::value_types as types;
pub use rbxcore::{Dom, InstanceId, NewInstance, Value, ValueRef};
pub use read::detect;

/// Whether XML can represent bytes as text.
#[doc(hidden)]
pub fn is_text(bytes: &[u8]) -> bool {
    consts::NotXml::find(bytes).is_none()
}

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

/// The parts of a file that most programs do not touch: its layout, shared strings, names, unknown elements.
pub mod parts {
    pub use crate::model::{External, KeyHash, Layout, Name, SharedString, UnknownPart};
}

geom::wire::verbs!(Document, "a document");

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}

/// Reads a document from a string with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
#[allow(clippy::should_implement_trait, reason = "the name that text formats give this verb")]
pub fn from_str(text: &str) -> Result<Document> {
    from_slice(text.as_bytes())
}

/// Writes a document as a string.
///
/// # Errors
/// As [`WriteOptions::write`], and `Unwritable` if the file has bytes that are not UTF-8.
pub fn to_string(document: &Document) -> Result<String> {
    String::from_utf8(to_vec(document)?).map_err(|_| Error::unwritable("", errors::Problem::Utf8))
}
