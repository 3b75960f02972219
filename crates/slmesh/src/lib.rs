//! [format]: crate::_format
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | task | items |
//! |---|---|
//! | read and write | [`from_slice`], [`from_reader`], [`to_vec`], [`to_writer`], [`ReadOptions`], [`WriteOptions`] |
//! | inspect block by block | [`detect`], [`open`], [`View::lod`], [`View::chunks`] |
//! | get triangles | [`Asset::lod`], [`Submesh::to_tri_mesh`] |
//! | make an asset | [`Builder`] |
//! | read the uploader's files | [`Slm`] |
//! | read and write animations | [`motion`] |
//! | find mistakes | [`check`], [`errors::RULES`], [`joints`] |
#![cfg_attr(docsrs, feature(doc_cfg))]

mod build;
mod check;
mod consts;
mod model;
pub mod motion;
mod open;
mod options;
mod read;
mod wire;
mod write;

use std::io::{Read, Write};

pub use build::{Builder, Part};
pub use check::is_degenerate;
pub use consts::{
    Kind, Lod, MAX_FACE_TRIANGLES, MAX_FACES, MAX_HEADER, MAX_HULL_POINTS, MAX_HULLS, MAX_JOINTS,
    MAX_POSITION, MAX_VERSION, MAX_VERTICES, NO_JOINT, joints,
};
pub use geom;
pub use geom::wire::{Error, Result};
pub use llsd;
pub use model::{
    Asset, Convex, CostData, Domain, Havok, Instance, Kept, Layout, Level, MassProps, Mopp, OtherBlock, Skin,
    Slm, Submesh, VertexWeights,
};
pub use open::{Chunk, View};
pub use options::{ReadOptions, WriteOptions};

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

geom::wire::verbs!(Asset, "an asset");

/// Detects the kind of a file from its first map: that of an asset has the offset and the size of at least one known
/// block, and the block follows the map; that of a `.slm` file has arrays of meshes and instances. `None` for anything
/// else, including other LLSD. The first 4,096 bytes of an asset suffice.
pub fn detect(bytes: &[u8]) -> Option<Kind> {
    wire::header::detect(bytes)
}

/// Reads the header of an asset; blocks are inflated and decoded on demand.
///
/// # Errors
/// As [`ReadOptions::open`].
pub fn open(bytes: &[u8]) -> Result<View<'_>> {
    ReadOptions::new().open(bytes)
}

/// The blocks of an asset as stored in the file, in header order, without inflating them.
///
/// # Errors
/// If the header cannot be read. An item is an error if its block lies outside the file or overlaps another.
pub fn chunks(bytes: &[u8]) -> Result<impl Iterator<Item = Result<Chunk<'_>>>> {
    Ok(open(bytes)?.chunks())
}

/// Every rule of the format, of the uploader and of the simulator that the asset violates: one finding per rule,
/// with the first violation, the limit, and the number of violations.
///
/// A program may refuse an asset because of an error. Warnings occur in uploaded assets too.
pub fn check(asset: &Asset) -> Vec<errors::Finding> {
    check::check(asset, write::header(asset))
}

impl Slm {
    /// Every rule that the fields of the file violate. The meshes are not checked: each is an asset, for
    /// [`check`](fn@check).
    pub fn check(&self) -> Vec<errors::Finding> {
        check::check_slm(self)
    }

    /// Reads a file with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm`].
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        ReadOptions::new().read_slm(bytes)
    }

    /// Reads a file from a reader, to its end, with the default options.
    ///
    /// # Errors
    /// As [`ReadOptions::read_slm_from`].
    pub fn from_reader(reader: impl Read) -> Result<Self> {
        ReadOptions::new().read_slm_from(reader)
    }

    /// Returns the file; unchanged unless it was edited.
    ///
    /// # Errors
    /// As [`WriteOptions::write_slm`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        WriteOptions::new().write_slm(self)
    }

    /// Writes the file to a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write_slm_to`].
    pub fn to_writer(&self, writer: impl Write) -> Result<()> {
        WriteOptions::new().write_slm_to(writer, self)
    }
}

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}
