//! Model 3D.

mod ascii;
mod build;
mod check;
mod chunks;
mod consts;
mod error;
mod finding;
mod limits;
mod model;
mod options;
mod shapes;
mod views;
mod wire;

use std::borrow::Cow;
use std::io::{Read, Write};

pub use bstr;
pub use build::{Builder, identifier};
pub use check::check;
pub use chunks::{Chunk, Chunks};
pub use consts::{ArgKind, CommandId, PropertyId, PropertyKind, Tag, TypeField, Types, Variant};
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Severity};
pub use geom;
pub use model::{
    Action, Arg, Asset, Bone, BoneId, ChunkKind, Command, CornerParts, Extra, FaceId, Frame, Label,
    LabelGroup, Layout, Material, MaterialId, Mesh, MeshRecord, Model, Polygon, Polygons, Procedural,
    Property, RawRun, SectionKind, Shape, ShapeId, Skin, SkinId, TexCoordId, TexCoords, TextLayout,
    TextSection, Transform, Value, VertexId, Vertices, Voxel, VoxelBlock, VoxelItem, VoxelType, WrongSize,
};
pub use options::{Coordinates, ReadOptions, WriteOptions};
pub use shapes::{Curve, Evaluated, LeftOut, ShapeOptions, Surface};
pub use views::{AfterLast, BonePose, Group, Pose};

/// The variant of a model, from its first bytes alone; `None` where this is no model.
pub fn detect(bytes: &[u8]) -> Option<Variant> {
    wire::detect(bytes)
}

/// Reads a model with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Model> {
    ReadOptions::new().read(bytes)
}

/// Reads a model from a text, with the default options.
///
/// # Errors
/// As [`ReadOptions::read`]; they say the line and the column.
#[allow(clippy::should_implement_trait, reason = "a verb of the house, not a method")]
pub fn from_str(text: &str) -> Result<Model> {
    ascii::read(text.as_bytes(), limits::DEFAULT_MAX_BYTES)
}

/// Writes a model as a text.
///
/// # Errors
/// As [`WriteOptions::write`], and where a section that this crate does not know is not UTF-8.
pub fn to_string(model: &Model) -> Result<String> {
    let text = WriteOptions::new().variant(Variant::Ascii).write(model)?;
    String::from_utf8(text).map_err(|_| Error::unwritable("layout.text", "what is not UTF-8 as a string"))
}

/// Reads a model from everything that a reader holds, with the default options.
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Model> {
    ReadOptions::new().read_from(reader)
}

/// The payload of a binary file: its chunks from `HEAD` on, inflated where they are compressed.
///
/// # Errors
/// As [`ReadOptions::read`], of what stands before the chunks.
pub fn payload(bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    wire::payload(bytes, limits::DEFAULT_MAX_BYTES)
}

/// Walks along the chunks of a [`payload`], without reading what is in them. Ends behind `OMD3`, or
/// with an error.
pub fn chunks(payload: &[u8]) -> Chunks<'_> {
    Chunks::new(payload)
}

/// Writes a model as it was read: compressed or not, with the same widths where they hold it.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(model: &Model) -> Result<Vec<u8>> {
    WriteOptions::new().write(model)
}

/// Writes a model, as it was read, into a writer.
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, model: &Model) -> Result<()> {
    WriteOptions::new().write_to(writer, model)
}
