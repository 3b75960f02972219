//! [format]: crate::_format
//! [text]: crate::_format_text
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | task | items |
//! |---|---|
//! | read a file, binary or text | [`from_slice`], [`from_reader`], [`from_str`]; limits: [`ReadOptions`] |
//! | write it | [`to_vec`], [`to_writer`], [`to_string`]; another variant or precision: [`WriteOptions`] |
//! | triangles | [`Model::to_tri_mesh`]; by material, with joints and weights: [`Model::material_groups`] |
//! | animation | [`Model::action`], [`Model::pose`], [`Model::bone_matrices`], [`Model::inverse_bind_matrices`] |
//! | textures | [`Model::textures`], [`Model::texture`] |
//! | voxels | [`Model::voxel_mesh`]; with the polygons: [`Model::scene`] |
//! | create a model | [`Model::from_tri_mesh`], [`Builder`] |
//! | find rule violations | [`check`](fn@check), [`errors::RULES`] |
//! | inspect the chunks | [`payload`], [`chunks`] |
//!
//! # One unit, one direction
//!
//! [`Model`] has the numbers of the file: coordinates in units of the bounding cube, v upwards. Everything computed
//! from it (triangles, poses, matrices, voxels, annotations) is in metres ([`Model::scale_or_one`]
//! applied), right-handed with y up, with triangles counter-clockwise and v **downwards**, as images are stored.
//! [`Builder`] and [`Model::from_tri_mesh`] take the same units and directions.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod ascii;
mod build;
mod check;
mod consts;
mod edit;
mod hash;
mod model;
mod options;
mod read;
mod view_budget;
mod views;
mod wire;
mod write;

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}
#[cfg(any(doc, doctest))]
#[doc = include_str!("../FORMAT-ASCII.md")]
pub mod _format_text {}

use std::borrow::Cow;

pub use bstr;
pub use build::{Builder, identifier};
pub use check::check;
pub use consts::{ArgKind, CommandId, PropertyId, PropertyKind, Tag, TypeField, Types, Variant};
pub use geom;
pub use geom::wire::{Error, Result};
pub use model::{
    Action, Arg, Asset, Bone, BoneId, ChunkKind, Command, CornerParts, Corners, Extra, Frame, Label,
    LabelGroup, Layout, Material, MaterialId, Mesh, MeshRecord, Model, Polygon, Polygons, Procedural,
    Property, Shape, ShapeId, Skin, SkinId, TexCoordId, TexCoords, Transform, Value, VertexId, Vertices,
    Voxel, VoxelBlock, VoxelItem, VoxelType,
};
pub use options::{Coordinates, ReadOptions, ViewOptions, WriteOptions};
pub use read::detect;
pub use views::{AfterLast, Annotation, BonePose, Group, Pose, Scene, Texture};
pub use wire::{Chunk, Chunks};
#[doc(hidden)]
pub use {model::exact_numbers, view_budget::ViewBudget, view_budget::product};

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

geom::wire::verbs!(Model, "a model");

/// Reads a model from a text, with the default options.
///
/// # Errors
/// As [`ReadOptions::read`], with line and column.
#[allow(clippy::should_implement_trait, reason = "one of the verbs, not a method")]
pub fn from_str(text: &str) -> Result<Model> {
    read::text(text)
}

/// Writes a model as a text.
///
/// # Errors
/// As [`WriteOptions::write`], and if an unknown section is not UTF-8.
pub fn to_string(model: &Model) -> Result<String> {
    let text = WriteOptions::new().variant(Variant::Ascii).write(model)?;
    if let Ok(text) = String::from_utf8(text) {
        return Ok(text);
    }
    // Kept rows may have names that are not UTF-8: if these rows are written again, the names are escaped.
    String::from_utf8(ascii::write(model, true, geom::wire::DEFAULT_MAX_BYTES)?)
        .map_err(|_| Error::unwritable("layout.text", errors::Problem::Utf8))
}

/// The payload of a binary file: its chunks from `HEAD` on, inflated if they are compressed, with the
/// default limit.
///
/// # Errors
/// As [`ReadOptions::payload`].
pub fn payload(bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    ReadOptions::new().payload(bytes)
}

/// The chunks of a [`payload`], or of a whole file that is not compressed, without reading their content.
/// The last one is `OMD3`.
///
/// # Errors
/// If the bytes are a file whose chunks are compressed. Each item is an error if a chunk is truncated.
pub fn chunks(payload: &[u8]) -> Result<Chunks<'_>> {
    Chunks::new(payload)
}
