//! What a rewrite needs and the model does not say.

use bstr::BString;

use crate::model::{Chunk, DracoStream};

/// How the file was laid out, so that what nobody edited comes back as it was.
///
/// The default is what today's writers do. A part that does not fit the version that is written, or
/// the model any more, is left out; [`crate::WriteOptions::write_listing`] says which.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Layout {
    /// Lines end with CR LF instead of LF: the first in a binary file, all of them in 1.x.
    pub crlf: bool,
    /// 1.x: exponents have three digits (`1.2e-007`), as an old C library prints them, not two.
    pub long_exponents: bool,
    /// 1.x: the v of each vertex as it stands in the file, upwards. Turning it around and back loses
    /// bits; where `1 - v` still is the vertex's, this is written.
    pub texture_v: Vec<f32>,
    /// 2.00 and 3.0x: how many bytes a vertex has where it is not 40: 36 in old files, which have no
    /// colour; 32 without a tangent either; more than 40 in files to come.
    pub vertex_size: Option<u8>,
    /// 2.00 and 3.0x: how many bytes a face has where it is not 12.
    pub face_size: Option<u8>,
    /// 3.0x: the size of a level's offset where it is not 4 (only in files without levels).
    pub lod_size: Option<u16>,
    /// The bytes of each vertex behind those that are known.
    pub vertex_extra: Vec<u8>,
    /// The bytes of each face behind its three indices.
    pub face_extra: Vec<u8>,
    /// The bytes of the header behind those that are known.
    pub header_extra: Vec<u8>,
    /// 4.00 to 5.00: the header's last byte, which has no known meaning; 63 in one real file.
    pub reserved: u8,
    /// 5.00: the format of the facial animation where it is not 1.
    pub facs_format: Option<u32>,
    /// Facial animation of a format that this crate does not know, as it stands in the file.
    pub facs_unknown: Vec<u8>,
    /// The names of the bones where they do not stand one after the other in the bones' order.
    pub bone_names: Option<BoneNames>,
    /// 6.00 and 7.00: the chunks in their order, the unknown ones with all that they hold. Where this is
    /// empty, the chunks that the mesh needs are written in the usual order.
    pub chunks: Vec<Chunk>,
    /// 7.00: the stream that holds the vertices and faces, written again while nobody edited them.
    pub draco: Option<DracoStream>,
    /// Bytes behind the end.
    pub trailing: Vec<u8>,
}

/// A table of bone names that is not what a writer would make of the names alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoneNames {
    /// The table as it stands in the file.
    pub bytes: BString,
    /// Where in it each bone's name begins.
    pub offsets: Vec<u32>,
}

impl BoneNames {
    /// The name that begins at an offset and ends before the next zero byte, or at the end of the
    /// table; `None` where the offset is outside.
    pub(crate) fn name_at(table: &[u8], offset: u32) -> Option<&[u8]> {
        let rest = table.get(offset as usize..)?;
        rest.split(|&byte| byte == 0).next()
    }
}
