//! What a rewrite needs and the model does not say.

use bstr::BString;
use geom::Rgba8;

use super::TextLayout;
use crate::consts::Types;

/// How the file was laid out, so that what nobody edited comes back as it was.
///
/// The default is what a new file wants: compressed, the usual order, the smallest widths. A part
/// that does not fit the model any more is passed over.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// How the text was laid out, for a model that was read from one: it is written as text again.
    pub text: Option<TextLayout>,
    /// The chunks are not compressed.
    pub raw: bool,
    /// The widths of the header, with the bits that nobody uses.
    pub types: Option<Types>,
    /// The order of the chunks. The nth entry of a kind is the nth of its list in the model.
    pub chunks: Vec<ChunkKind>,
    /// The string table, with the strings that nobody names.
    pub strings: BString,
    /// Where names are not at their first offset in the table, counted over all names of the file in
    /// their order.
    pub name_runs: Vec<RawRun>,
    /// The colours of chunk `CMAP`, with those that nobody uses.
    pub palette: Vec<Rgba8>,
    /// Where colours are not the first of the palette with that value, counted over all colours of
    /// the file in their order.
    pub color_runs: Vec<RawRun>,
    /// Shape commands below 128 that are written in two bytes, counted over all commands.
    pub long_commands: Vec<u32>,
    /// Voxel data whose run lengths are not what this crate would choose: the block, and its data.
    pub voxel_data: Vec<(u32, Vec<u8>)>,
    /// Bytes at the end of a chunk that are no record: the place of the chunk, and the bytes.
    pub tails: Vec<(u32, Vec<u8>)>,
    /// The size that the file states where it is not its size, and what that was.
    pub wrong_size: Option<WrongSize>,
    /// Bytes after the chunk `OMD3`.
    pub trailing: Vec<u8>,
    /// Bytes after the compressed stream.
    pub behind_stream: Vec<u8>,
}

/// Values of the file that are not the ones that this crate would choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RawRun {
    /// The first of them.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// The value in the file.
    pub value: u32,
}

/// A wrong size in the file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WrongSize {
    /// What the header states.
    pub stated: u32,
    /// How many bytes the file had.
    pub actual: u64,
}

/// The kinds of chunks after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ChunkKind {
    /// `CMAP`, at most once.
    Palette,
    /// `TMAP`, at most once.
    TexCoords,
    /// `VRTS`, at most once.
    Vertices,
    /// `BONE`, at most once.
    Skeleton,
    /// `MTRL`.
    Material,
    /// `PROC`.
    Procedural,
    /// `MESH`.
    Mesh,
    /// `VOXT`, at most once.
    VoxelTypes,
    /// `VOXD`.
    Voxels,
    /// `SHPE`.
    Shape,
    /// `LBLS`.
    Labels,
    /// `ACTN`.
    Action,
    /// `ASET`.
    Asset,
    /// A chunk that is kept as it is.
    Extra,
}

impl ChunkKind {
    /// Where in the model the content of such a chunk is.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Palette => "layout.palette",
            Self::TexCoords => "tex_coords",
            Self::Vertices => "vertices",
            Self::Skeleton => "bones",
            Self::Material => "materials",
            Self::Procedural => "procedurals",
            Self::Mesh => "meshes",
            Self::VoxelTypes => "voxel_types",
            Self::Voxels => "voxel_blocks",
            Self::Shape => "shapes",
            Self::Labels => "labels",
            Self::Action => "actions",
            Self::Asset => "assets",
            Self::Extra => "extras",
        }
    }

    /// Every kind, in the usual order.
    pub const ALL: [Self; 14] = [
        Self::Palette,
        Self::TexCoords,
        Self::Vertices,
        Self::Skeleton,
        Self::Material,
        Self::Procedural,
        Self::Mesh,
        Self::VoxelTypes,
        Self::Voxels,
        Self::Shape,
        Self::Labels,
        Self::Action,
        Self::Asset,
        Self::Extra,
    ];
}
