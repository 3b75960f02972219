//! What is needed, besides the parts of the mesh, to write a file unchanged.

use std::sync::Arc;

use bstr::BString;

use crate::consts::{ChunkKind, Version};
use crate::model::{Chunk, DracoStream, NormalGrid};

/// The layout of the file, so that unedited parts are written back unchanged.
///
/// The default is the layout that current writers produce. Sizes, line ends and the order of names are chosen again if
/// they no longer fit the mesh. Bytes without a known meaning are never dropped silently: if they no longer fit,
/// writing fails; [`crate::Mesh::to_version`] drops and lists them.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// The first line ends with CR LF instead of LF.
    pub crlf: bool,
    /// 1.x: the text from the second line to the last number. Each vector of it is written again while it means the
    /// same.
    pub text: Arc<Vec<u8>>,
    /// 2.00 and 3.0x: the number of bytes of a vertex if it is not 40: 36 without a colour, as in old files; 32 also
    /// without a tangent; more than 40 in possible future files.
    pub vertex_size: Option<u8>,
    /// 2.00 and 3.0x: the number of bytes of a face if it is not 12.
    pub face_size: Option<u8>,
    /// 3.0x: the size of a level's offset if it is not 4 (only in files without offsets).
    pub lod_size: Option<u16>,
    /// From 3.00 on: the offsets of a single level if they are not `(0, faces)`; some real files have `(0, 0)`. Fewer
    /// than two offsets violate the format, and [`crate::Mesh::to_version`] replaces them.
    pub lod_offsets: Option<Vec<u32>>,
    /// The bytes of each vertex after the known ones.
    pub vertex_extra: Vec<u8>,
    /// The bytes of each face after its three indices.
    pub face_extra: Vec<u8>,
    /// The bytes of the header after the known ones.
    pub header_extra: Vec<u8>,
    /// 4.00 to 5.00: the last byte of the header, whose meaning is unknown; 63 in one real file.
    pub reserved: u8,
    /// Facial animation in an unknown form.
    pub facs_unknown: Option<UnknownFacs>,
    /// The table of bone names, unless it lists the names in the order of the bones.
    pub bone_names: Option<BoneNames>,
    /// 6.00 and 7.00: the chunks in the order of the file, unknown chunks with their content. If empty, the chunks that
    /// the mesh needs are written in the usual order.
    pub chunks: Vec<Chunk>,
    /// 7.00: the stream that contains the vertices and faces, written back unless they are edited.
    pub draco: Option<DracoStream>,
    /// 7.00: the grid of the normals in the stream. If every normal is on the grid, the normals are written as
    /// steps of it, otherwise as floats. [`crate::Mesh::round_normals`] creates one.
    pub normal_grid: Option<NormalGrid>,
    /// The bytes after the known content of the file.
    pub trailing: Vec<u8>,
}

/// A table of bone names that differs from what a writer would build from the names alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoneNames {
    /// The table as stored in the file.
    pub bytes: BString,
    /// The offset of each bone's name in the table.
    pub offsets: Vec<u32>,
}

/// A block of facial animation whose format is not 1, or which has a matrix of an unknown version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnknownFacs {
    /// The format in the header of 5.00. In 6.00 and 7.00, chunks store no format, so this is 1.
    pub format: u32,
    /// The block.
    pub bytes: Vec<u8>,
}

/// The fields of a vertex that a file of 2.00 or 3.0x has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VertexForm {
    /// Up to the texture coordinate.
    Plain,
    /// Up to the tangent.
    Tangents,
    /// All fields.
    Colors,
}

impl VertexForm {
    pub(crate) const fn size(self) -> u8 {
        match self {
            Self::Plain => 32,
            Self::Tangents => 36,
            Self::Colors => 40,
        }
    }

    /// The form with the most fields that fits into vertices of `size` bytes; `None` if no form does.
    pub(crate) fn within(size: u8) -> Option<Self> {
        [Self::Colors, Self::Tangents, Self::Plain].into_iter().find(|form| form.size() <= size)
    }
}

/// The number of extra bytes per record; `None` if the length of `extra` does not match the number of records.
fn extra_of_each(size: Option<u8>, known: u8, records: usize, extra: &[u8]) -> Option<u8> {
    let each = size.and_then(|size| size.checked_sub(known)).unwrap_or(0);
    if usize::from(each).checked_mul(records) == Some(extra.len()) {
        return Some(each);
    }
    extra.is_empty().then_some(0)
}

impl Layout {
    /// The fields of a vertex in the file: all of them, unless its vertices are smaller.
    pub(crate) fn vertex_form(&self) -> VertexForm {
        self.vertex_size.and_then(VertexForm::within).unwrap_or(VertexForm::Colors)
    }

    /// The number of extra bytes per vertex; `None` if the extra bytes do not fit the vertices.
    pub(crate) fn vertex_extra_each(&self, vertices: usize) -> Option<u8> {
        extra_of_each(self.vertex_size, self.vertex_form().size(), vertices, &self.vertex_extra)
    }

    /// The number of extra bytes per face; `None` if the extra bytes do not fit the faces.
    pub(crate) fn face_extra_each(&self, faces: usize) -> Option<u8> {
        extra_of_each(self.face_size, 12, faces, &self.face_extra)
    }

    /// The index of the chunk that contains this part of the mesh: the first with its name and a known version.
    pub(crate) fn slot(&self, kind: ChunkKind) -> Option<usize> {
        self.chunks.iter().position(|chunk| chunk.kind() == Some(kind))
    }

    /// Whether vertices and faces are compressed in a file of 6.00 or 7.00: as in the original file; for a new mesh,
    /// only in 7.00.
    pub(crate) fn compresses(&self, version: Version) -> bool {
        let chunk = self.slot(ChunkKind::Core).map(|slot| &self.chunks[slot]);
        chunk.map_or(version == Version::V7_00, |chunk| chunk.version == 2)
    }
}
