//! Model 3D, the whole binary format and its text variant, read and written without loss.
//!
//! | chunk | what it is | read | written |
//! |---|---|---|---|
//! | `PRVW` | a preview, PNG | yes | yes |
//! | `HEAD` | scale, thirteen widths, names | yes | yes |
//! | `CMAP` `TMAP` `VRTS` | colours, texture coordinates, vertices: int8, int16, float, double | yes | yes |
//! | `BONE` | bones, skins of 1, 2, 4 and 8 weights | yes | yes |
//! | `MTRL` | materials: every property and map | yes | yes |
//! | `PROC` | scripts | yes | yes |
//! | `MESH` | points, lines, polygons of up to 15 corners, parameters | yes | yes |
//! | `VOXT` `VOXD` | types of voxels with items, blocks of runs | yes | yes |
//! | `SHPE` | shapes: every command with its arguments | yes | yes |
//! | `LBLS` | annotations | yes | yes |
//! | `ACTN` | animations | yes | yes |
//! | `ASET` | files inside the file | yes | yes |
//! | others | kept in their place | yes | yes |
//!
//! One [`Model`] says what a model is; what a rewrite needs besides is kept in [`Model::layout`], so that a
//! file that nobody edited comes back byte for byte (compressed files after decompression).
//!
//! ```
//! # fn main() -> m3d::Result<()> {
//! # let bytes = b"3DMO\x20\0\0\0HEAD\x14\0\0\0\0\0\x80\x3f\xc0\xcf\xff\x03dot\0OMD3";
//! let mut model = m3d::from_slice(bytes)?;
//! println!("{}: {} vertices, {} faces", model.name, model.vertices.len(), model.face_count());
//! for action in &model.actions {
//!     let pose = model.pose(action, 500.0);
//!     let _matrices = model.skinning_matrices(&pose);
//! }
//! model.author = "somebody".into();
//! let bytes = m3d::WriteOptions::new().raw(true).write(&model)?;
//! # assert_eq!(m3d::from_slice(&bytes)?.author, "somebody");
//! # Ok(())
//! # }
//! ```
//!
//! The same model is read from and written as text; [`from_slice`] tells by the content, [`to_vec`] writes what was
//! read, and [`from_str`], [`to_string`] and [`WriteOptions::variant`] are explicit:
//!
//! ```
//! # fn main() -> m3d::Result<()> {
//! let model = m3d::from_str("3dmodel 1\ndot\nMIT\nme\n\nVertex\n0 0 0 1 #ff0000ff\n\nEnd\n")?;
//! let binary = m3d::WriteOptions::new().variant(m3d::Variant::Binary).write(&model)?;
//! let text = m3d::to_string(&m3d::from_slice(&binary)?)?;
//! assert!(text.contains("Vertex\n0 0 0 1 #ff0000ff\n"));
//! # Ok(())
//! # }
//! ```
//!
//! # Safety and limits
//!
//! No `unsafe`. No input makes this crate panic or loop. Every allocation whose size the input says is taken from
//! [`ReadOptions::max_bytes`] before it is made: inflating, voxels, repeated arguments, names that are used again and
//! again. While a list or the inflated payload grows, the old one is there besides the new: up to half as much again.
//!
//! # The format
#![doc = include_str!("../FORMAT.md")]
//!
//! # The text variant
#![doc = include_str!("../FORMAT-ASCII.md")]
//!
//! # Shapes, evaluated
#![doc = include_str!("../SHAPES.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

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

/// Walks along the chunks of a [`payload`], or of a whole file that is not compressed, without reading
/// what is in them. Ends behind `OMD3`, or with an error, as at the stream of a compressed file.
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
