//! The header of 2.00 to 5.00: the sizes of records and the counts of everything that follows.
//!
//! | 2.00 | 3.0x | 4.0x, 5.00 |
//! |---|---|---|
//! | u16 size of header | u16 size of header | u16 size of header |
//! | u8 size of vertex | u8 size of vertex | u16 kind of levels |
//! | u8 size of face | u8 size of face | u32 vertices |
//! | u32 vertices | u16 size of a level's offset | u32 faces |
//! | u32 faces | u16 offsets of levels | u16 offsets of levels |
//! | | u32 vertices | u16 bones |
//! | | u32 faces | u32 size of bone names |
//! | | | u16 subsets |
//! | | | u8 high quality levels |
//! | | | u8 unknown |
//! | | | 5.00: u32 format of FACS |
//! | | | 5.00: u32 size of FACS |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16, le_u32};

use crate::consts::Version;
use crate::error::{Error, Result};
use crate::wire::fail::{At, Fail, Parsed};

/// What the header of any version says; zero where the version does not.
#[derive(Debug, Default)]
pub(crate) struct Header<'a> {
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
    pub(crate) extra: &'a [u8],
}

impl<'a> Header<'a> {
    pub(crate) fn read(start: &'a [u8], version: Version) -> Parsed<'a, Self> {
        let (input, size) = context("size", le_u16).parse(start)?;
        let known = version.header_len();
        let Some(extra) = usize::from(size).checked_sub(known) else {
            return Err(Fail::invalid(start, format!("header size {size} is less than {known}")))
                .field("size");
        };
        let (input, mut header) = match version {
            Version::V2_00 => Self::read_v2(input),
            Version::V3_00 | Version::V3_01 => Self::read_v3(input),
            _ => Self::read_v4(input, version),
        }?;
        let (input, extra) = context("extra", take(extra)).parse(input)?;
        header.extra = extra;
        Ok((input, header))
    }

    fn read_v2(input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, vertex_size) = context("vertex_size", le_u8).parse(input)?;
        let (input, face_size) = context("face_size", le_u8).parse(input)?;
        let (input, vertices) = context("vertices", le_u32).parse(input)?;
        let (input, faces) = context("faces", le_u32).parse(input)?;
        Ok((input, Self { vertex_size, face_size, vertices, faces, ..Self::default() }))
    }

    fn read_v3(input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, vertex_size) = context("vertex_size", le_u8).parse(input)?;
        let (input, face_size) = context("face_size", le_u8).parse(input)?;
        let (input, lod_size) = context("lod_size", le_u16).parse(input)?;
        let (input, lod_offsets) = context("lod_offsets", le_u16).parse(input)?;
        let (input, vertices) = context("vertices", le_u32).parse(input)?;
        let (input, faces) = context("faces", le_u32).parse(input)?;
        Ok((
            input,
            Self { vertex_size, face_size, lod_size, lod_offsets, vertices, faces, ..Self::default() },
        ))
    }

    fn read_v4(input: &'a [u8], version: Version) -> Parsed<'a, Self> {
        let (input, lod_kind) = context("lod_kind", le_u16).parse(input)?;
        let (input, vertices) = context("vertices", le_u32).parse(input)?;
        let (input, faces) = context("faces", le_u32).parse(input)?;
        let (input, lod_offsets) = context("lod_offsets", le_u16).parse(input)?;
        let (input, bones) = context("bones", le_u16).parse(input)?;
        let (input, bone_names) = context("bone_names", le_u32).parse(input)?;
        let (input, subsets) = context("subsets", le_u16).parse(input)?;
        let (input, high_quality) = context("high_quality", le_u8).parse(input)?;
        let (input, reserved) = context("reserved", le_u8).parse(input)?;
        let mut header = Self {
            vertex_size: 40,
            face_size: 12,
            lod_size: 4,
            lod_kind,
            vertices,
            faces,
            lod_offsets,
            bones,
            bone_names,
            subsets,
            high_quality,
            reserved,
            ..Self::default()
        };
        if !version.has_facs() {
            return Ok((input, header));
        }
        let (input, facs_format) = context("facs_format", le_u32).parse(input)?;
        let (input, facs_len) = context("facs_len", le_u32).parse(input)?;
        (header.facs_format, header.facs_len) = (facs_format, facs_len);
        Ok((input, header))
    }

    pub(crate) fn write(&self, version: Version, out: &mut Vec<u8>) -> Result<()> {
        let size = u16::try_from(version.header_len().saturating_add(self.extra.len())).map_err(|_| {
            Error::unwritable("layout.header_extra", "more bytes than a header of 65535 can hold")
        })?;
        out.extend(size.to_le_bytes());
        match version {
            Version::V2_00 | Version::V3_00 | Version::V3_01 => {
                out.extend([self.vertex_size, self.face_size]);
                if version.has_lods() {
                    out.extend(self.lod_size.to_le_bytes());
                    out.extend(self.lod_offsets.to_le_bytes());
                }
                out.extend(self.vertices.to_le_bytes());
                out.extend(self.faces.to_le_bytes());
            }
            _ => {
                out.extend(self.lod_kind.to_le_bytes());
                out.extend(self.vertices.to_le_bytes());
                out.extend(self.faces.to_le_bytes());
                out.extend(self.lod_offsets.to_le_bytes());
                out.extend(self.bones.to_le_bytes());
                out.extend(self.bone_names.to_le_bytes());
                out.extend(self.subsets.to_le_bytes());
                out.extend([self.high_quality, self.reserved]);
                if version.has_facs() {
                    out.extend(self.facs_format.to_le_bytes());
                    out.extend(self.facs_len.to_le_bytes());
                }
            }
        }
        out.extend_from_slice(self.extra);
        Ok(())
    }
}
