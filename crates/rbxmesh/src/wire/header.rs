//! The header of 2.00 to 5.00: the sizes of records and the counts of everything that follows.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;

use crate::consts::Version;
use crate::error::{Error, Result};
use crate::wire::fail::{At, Fail, Parsed};
use crate::wire::record::{Field as _, record};

/// The header of any version; what a version does not have is as its files imply.
#[derive(Debug)]
pub(crate) struct Header {
    /// Of the header itself.
    pub(crate) size: u16,
    pub(crate) vertex_size: u8,
    pub(crate) face_size: u8,
    pub(crate) lod_size: u16,
    pub(crate) lod_kind: u16,
    pub(crate) vertices: u32,
    pub(crate) faces: u32,
    pub(crate) lod_offsets: u16,
    pub(crate) bones: u16,
    pub(crate) bone_names: u32,
    pub(crate) subsets: u16,
    pub(crate) high_quality: u8,
    pub(crate) reserved: u8,
    pub(crate) facs_format: u32,
    pub(crate) facs_len: u32,
}

record!(Header2 of Header {
    size: u16,
    vertex_size: u8,
    face_size: u8,
    vertices: u32,
    faces: u32,
} else {
    lod_size: 4,
    lod_kind: 0,
    lod_offsets: 0,
    bones: 0,
    bone_names: 0,
    subsets: 0,
    high_quality: 1,
    reserved: 0,
    facs_format: 1,
    facs_len: 0,
});

record!(Header3 of Header {
    size: u16,
    vertex_size: u8,
    face_size: u8,
    lod_size: u16,
    lod_offsets: u16,
    vertices: u32,
    faces: u32,
} else {
    lod_kind: 0,
    bones: 0,
    bone_names: 0,
    subsets: 0,
    high_quality: 1,
    reserved: 0,
    facs_format: 1,
    facs_len: 0,
});

record!(Header4 of Header {
    size: u16,
    lod_kind: u16,
    vertices: u32,
    faces: u32,
    lod_offsets: u16,
    bones: u16,
    bone_names: u32,
    subsets: u16,
    high_quality: u8,
    reserved: u8,
} else {
    vertex_size: 40,
    face_size: 12,
    lod_size: 4,
    facs_format: 1,
    facs_len: 0,
});

record!(Header5 of Header {
    size: u16,
    lod_kind: u16,
    vertices: u32,
    faces: u32,
    lod_offsets: u16,
    bones: u16,
    bone_names: u32,
    subsets: u16,
    high_quality: u8,
    reserved: u8,
    facs_format: u32,
    facs_len: u32,
} else {
    vertex_size: 40,
    face_size: 12,
    lod_size: 4,
});

impl Header {
    /// The header, and the bytes after what is known of it.
    pub(crate) fn read(start: &[u8], version: Version) -> Parsed<'_, (Self, &[u8])> {
        let (input, header) = match version {
            Version::V2_00 => Header2::read(start),
            Version::V3_00 | Version::V3_01 => Header3::read(start),
            Version::V4_00 | Version::V4_01 => Header4::read(start),
            _ => Header5::read(start),
        }?;
        let known = version.header_len();
        let Some(extra) = usize::from(header.size).checked_sub(known) else {
            let what = format!("header size {} is less than {known}", header.size);
            return Err(Fail::invalid(start, what)).field("size");
        };
        let (input, extra) = context("extra", take(extra)).parse(input)?;
        Ok((input, (header, extra)))
    }

    /// The size of a header with so many extra bytes.
    pub(crate) fn size(version: Version, extra: usize) -> Result<u16> {
        let what = "more bytes than fit: a header has at most 65535";
        u16::try_from(version.header_len().saturating_add(extra))
            .map_err(|_| Error::unwritable("layout.header_extra", what))
    }

    pub(crate) fn write(&self, version: Version, extra: &[u8], out: &mut Vec<u8>) {
        match version {
            Version::V2_00 => Header2::append(self, out),
            Version::V3_00 | Version::V3_01 => Header3::append(self, out),
            Version::V4_00 | Version::V4_01 => Header4::append(self, out),
            _ => Header5::append(self, out),
        }
        out.extend_from_slice(extra);
    }
}
