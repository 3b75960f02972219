//! What a rewrite needs and the model does not say.

use bstr::BString;
use geom::Rgba8;

use super::order::kinds;
use crate::consts::{Tag, Types};

/// How the file was laid out, so that what was not edited comes back as it was.
///
/// The default is what a new file wants: compressed, the usual order, the smallest widths. A part
/// that does not fit the model any more is skipped.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// How the text was laid out, for a model that was read from one: it is written as text again.
    pub text: Option<TextLayout>,
    /// The chunks are not compressed.
    pub raw: bool,
    /// The widths of the header, with the unused bits.
    pub types: Option<Types>,
    /// The order of the chunks. The nth entry of a kind is the nth of its list in the model.
    pub chunks: Vec<ChunkKind>,
    /// The string table, with the unused strings.
    pub strings: BString,
    /// The colours of chunk `CMAP`, with the unused ones.
    pub palette: Vec<Rgba8>,
    /// What the file has otherwise than this crate would choose, in the order of the file. It is written
    /// again where it still means what the model has.
    pub kept: Vec<Kept>,
    /// The size that the file states where it is not its size, and what that was.
    pub wrong_size: Option<WrongSize>,
    /// Bytes after the chunk `OMD3`.
    pub trailing: Vec<u8>,
    /// Bytes after the compressed stream.
    pub after_stream: Vec<u8>,
}

/// Bytes of the file that are not those that this crate would choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kept {
    /// The chunk: an index of [`Layout::chunks`].
    pub chunk: u32,
    /// What the bytes are.
    pub what: KeptKind,
    /// The first of them, counted over all names, colours, commands and voxel data of the chunk.
    pub first: u32,
    /// How many values these are; 0 for a tail.
    pub count: u32,
    /// The values as the file has them, each as long as the others.
    pub bytes: Vec<u8>,
}

impl Kept {
    /// How many bytes each value has; `None` for a tail.
    pub(crate) fn size(&self) -> Option<usize> {
        self.bytes.len().checked_div(self.count as usize)
    }

    /// The bytes of each value.
    pub fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.size().unwrap_or(self.bytes.len()).max(1))
    }
}

/// What bytes of a file are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum KeptKind {
    /// The offset of a name that is not the first in the string table.
    Name,
    /// The index of a colour that is not the first of the palette with that value.
    Color,
    /// A shape command below 128 in two bytes.
    Command,
    /// Voxel data with other run lengths.
    Voxels,
    /// The bytes at the end of a chunk that are no record.
    Tail,
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

kinds! {
    /// The kinds of chunks after the header.
    ChunkKind;
    /// The tag; an extra chunk has its own.
    pub(crate) tag: Tag;
    /// Whether a model has at most one.
    pub(crate) is_once;
    Palette Tag::PALETTE, "layout.palette", true, "`CMAP`, at most once.";
    TexCoords Tag::TEX_COORDS, "tex_coords", true, "`TMAP`, at most once.";
    Vertices Tag::VERTICES, "vertices", true, "`VRTS`, at most once.";
    Skeleton Tag::SKELETON, "bones", true, "`BONE`, at most once.";
    Material Tag::MATERIAL, "materials", false, "`MTRL`.";
    Procedural Tag::PROCEDURAL, "procedurals", false, "`PROC`.";
    Mesh Tag::MESH, "meshes", false, "`MESH`.";
    VoxelTypes Tag::VOXEL_TYPES, "voxel_types", true, "`VOXT`, at most once.";
    Voxels Tag::VOXELS, "voxel_blocks", false, "`VOXD`.";
    Shape Tag::SHAPE, "shapes", false, "`SHPE`.";
    Labels Tag::LABELS, "labels", false, "`LBLS`.";
    Action Tag::ACTION, "actions", false, "`ACTN`.";
    Asset Tag::ASSET, "assets", false, "`ASET`.";
    Extra Tag::NONE, "extras", false, "A chunk that is kept as it is.";
}

impl ChunkKind {
    pub(crate) fn of(tag: Tag) -> Self {
        Self::ALL.iter().copied().find(|kind| kind.tag() == tag).unwrap_or(Self::Extra)
    }
}

/// What a rewrite of a text needs and the model does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TextLayout {
    /// Lines end with CR LF.
    pub crlf: bool,
    /// There is a bone of weight 0 before each bone of a vertex and after each one of a type of voxels. The SDK
    /// skips every second token there, and reads no text with skins otherwise; to other readers such bones
    /// mean nothing. Texts of models that were not read from one have them.
    pub padded_skins: bool,
    /// Rows of bones in actions end with a blank, without which the SDK stops reading. Texts of models
    /// that were not read from one have it.
    pub padded_actions: bool,
    /// The text does not end with `End`.
    pub no_end: bool,
    /// The order of the sections, where it is not the usual one. The nth entry of a kind is the nth of
    /// its list in the model.
    pub sections: Vec<TextSection>,
    /// The sections that this crate does not know, from their keyword to the empty line.
    pub unknown: Vec<BString>,
    /// The file that section `Preview` names; where the text does not have its bytes too, the model
    /// has no preview.
    pub preview: BString,
    /// The bytes after `End`.
    pub trailing: BString,
}

/// A section of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TextSection {
    /// What its rows are.
    pub kind: SectionKind,
    /// What follows its keyword, where that is a comment.
    pub comment: BString,
}

kinds! {
    /// The kinds of sections.
    SectionKind;
    /// The keyword; empty for one that this crate does not know.
    pub keyword: &'static str;
    /// Whether a model has at most one such section; a second one continues the first.
    pub is_once;
    Preview "Preview", "preview", true, "`Preview`.";
    TexCoords "Textmap", "tex_coords", true, "`Textmap`.";
    Vertices "Vertex", "vertices", true, "`Vertex`.";
    Bones "Bones", "bones", true, "`Bones`.";
    Material "Material", "materials", false, "`Material`.";
    Procedural "Procedural", "procedurals", false, "`Procedural`.";
    Mesh "Mesh", "meshes", false, "`Mesh`.";
    VoxelTypes "VoxTypes", "voxel_types", true, "`VoxTypes`.";
    Voxels "Voxel", "voxel_blocks", false, "`Voxel`.";
    Shape "Shape", "shapes", false, "`Shape`.";
    Labels "Labels", "labels", false, "`Labels`.";
    Action "Action", "actions", false, "`Action`.";
    Assets "Assets", "assets", true, "`Assets`.";
    Extra "Extra", "extras", false, "`Extra`.";
    Unknown "", "layout.text.unknown", false, "A section that this crate does not know.";
}

impl SectionKind {
    /// Whether what follows its keyword is a comment, and not a name.
    pub(crate) const fn has_comment(self) -> bool {
        match self {
            Self::Preview | Self::TexCoords | Self::Vertices | Self::Bones | Self::VoxelTypes => true,
            Self::Procedural | Self::Mesh | Self::Assets => true,
            Self::Material | Self::Voxels | Self::Shape | Self::Labels | Self::Action => false,
            Self::Extra | Self::Unknown => false,
        }
    }
}
