//! [format]: crate::_format
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | task | items |
//! |---|---|
//! | read and write | [`from_slice`], [`from_reader`], [`to_vec`], [`to_writer`], [`ReadOptions`], [`WriteOptions`] |
//! | inspect | [`detect`], [`chunks`] |
//! | convert | [`Mesh::to_version`], [`Mesh::from_tri_mesh`], [`Mesh::to_tri_mesh`] |
//! | make a skin | [`Mesh::set_skin`], [`Mesh::from_skinned_tri_mesh`], [`Bone::from_inverse_bind`] |
//! | use a skin | [`Mesh::skin`], [`Bone::bind_pose`], [`Bone::inverse_bind_pose`] |
//! | animate a face | [`Facs::transform`], [`Facs::from_poses`], [`Facs::add_two_pose`] |
//! | find violated rules | [`check`], [`errors::RULES`] |
//!
//! # Memory
//!
//! A mesh compressed with Draco can be much larger than its file, since equal points can take no bytes at all; only
//! [`ReadOptions::max_bytes`] limits it. A server that reads untrusted files should set this option. A file of 7.00 as
//! Roblox writes it, with plain positions and texture coordinates, takes less than twelve times its size and 96 KiB.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod chunks;
mod consts;
mod convert;
mod edit;
mod model;
mod options;
mod read;
mod transcode;
mod view;
mod wire;
mod write;

pub use bstr;
pub use check::check;
pub use chunks::{Chunks, RawChunk};
pub use consts::{BONES_PER_SUBSET, ChunkTag, LodType, NO_BONE, Version};
pub use edit::SkinChange;
pub use geom;
pub use geom::wire::{Error, Result};
pub use model::{
    Bone, BoneNames, Chunk, DracoStream, Envelope, Facs, Layout, Lods, Mesh, Names, NormalGrid, Payload,
    Pose, QuantizedMatrix, Samples, Subset, Tangent, Transforms, UnknownFacs, Vertex, Visibility,
};
pub use options::{LodChoice, ReadOptions, WriteOptions};
pub use transcode::Dropped;
pub use view::{Influence, Skin};

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

geom::wire::verbs!(Mesh, "a mesh");

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}

/// Detects the version of a mesh from its first line alone; `None` if the bytes are not a mesh, or if the version
/// is unknown.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    read::detect(bytes)
}

/// Lists the chunks of a mesh of 6.00 or 7.00, without decoding them.
///
/// ```
/// # fn main() -> rbxmesh::Result<()> {
/// # let bytes = b"version 7.00\nLODS\0\0\0\0\x01\0\0\0\x07\0\0\0\0\0\x01\0\0\0\0more";
/// for chunk in rbxmesh::chunks(bytes)? {
///     let chunk = chunk?;
///     println!("{:?} {}: {} bytes at {}", chunk.tag, chunk.version, chunk.payload.len(), chunk.range.start);
/// }
/// # assert_eq!(rbxmesh::chunks(bytes)?.count(), 1);
/// # assert_eq!(rbxmesh::chunks(bytes)?.next().unwrap()?.range, 13..36);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the bytes are not a mesh, or if the version has no chunks. An item is an error if a known chunk is truncated.
pub fn chunks(bytes: &[u8]) -> Result<Chunks<'_>> {
    Chunks::new(bytes)
}
