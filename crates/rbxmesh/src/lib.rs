//! Roblox meshes of every version, read and written without loss.
//!
//! | version | what it is | read | written |
//! |---|---|---|---|
//! | 1.00, 1.01 | text, triangles without indices | yes | yes |
//! | 2.00 | vertices of 36 or 40 bytes, faces | yes | yes |
//! | 3.00, 3.01 | with levels of detail | yes | yes |
//! | 4.00, 4.01 | with bones, envelopes, subsets | yes | yes |
//! | 5.00 | with facial animation (FACS) | yes | yes |
//!
//! One model, [`Mesh`], says what a mesh is whatever its version; what a rewrite needs besides is kept
//! in [`Mesh::layout`], so that a file that nobody edited comes back byte for byte.
//!
//! ```
//! # fn main() -> rbxmesh::Result<()> {
//! # let bytes = b"version 1.01\n1\n[0,0,0][0,0,1][0,1,0][1,0,0][0,0,1][1,1,0][0,1,0][0,0,1][0,0,0]";
//! use rbxmesh::{Version, WriteOptions};
//!
//! let mut mesh = rbxmesh::from_slice(bytes)?;
//! println!("{}: {} vertices, {} faces", mesh.version, mesh.vertices.len(), mesh.faces.len());
//! for vertex in &mut mesh.vertices {
//!     vertex.position = vertex.position * 2.0;
//! }
//! let bytes = WriteOptions::new().version(Version::V2_00).write(&mesh)?;
//! # assert_eq!(rbxmesh::from_slice(&bytes)?.bounds(), mesh.bounds());
//! # Ok(())
//! # }
//! ```
//!
//! # Safety and limits
//!
//! No `unsafe`. No input makes this crate panic or loop, and a count that the input cannot fill is an
//! error before anything is allocated for it: a read takes at most four times the input, and never more
//! than [`ReadOptions::max_bytes`].
//!
//! # The format
#![doc = include_str!("../FORMAT.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod consts;
mod convert;
mod error;
mod finding;
mod limits;
mod model;
mod options;
mod views;
mod wire;

use std::io::{Read, Write};

pub use bstr;
pub use check::check;
pub use consts::{BONES_PER_SUBSET, LodType, NO_BONE, Version};
pub use convert::Dropped;
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Severity};
pub use geom;
pub use model::{
    Bone, BoneNames, Envelope, Facs, Layout, Lods, Mesh, Names, Pose, QuantizedMatrix, Samples, Subset,
    Tangent, Transforms, Vertex,
};
pub use options::{LodChoice, ReadOptions, WriteOptions};
pub use views::{BoneRef, Influence};

/// The version of a mesh, from its first line alone; `None` where this is no mesh, or of a version
/// that is not known.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    wire::detect(bytes)
}

/// Reads a mesh of any version with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Mesh> {
    ReadOptions::new().read(bytes)
}

/// Reads a mesh from everything that a reader holds, with the default options.
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Mesh> {
    ReadOptions::new().read_from(reader)
}

/// Writes a mesh as the version that it was read from.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(mesh: &Mesh) -> Result<Vec<u8>> {
    WriteOptions::new().write(mesh)
}

/// Writes a mesh, as the version that it was read from, into a writer.
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, mesh: &Mesh) -> Result<()> {
    WriteOptions::new().write_to(writer, mesh)
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
