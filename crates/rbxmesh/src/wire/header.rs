//! The header of 2.00 to 5.00: the sizes of records, and the counts of the parts that follow.

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;

use crate::consts::HeaderForm;
use crate::wire::record::{Field, Implied, record};
use geom::wire::{At, Error, Fail, Parsed, Result};

/// The header of any version. Fields that a version lacks have the value that its files imply.
#[derive(Debug)]
pub(crate) struct Header {
    /// The size of the header itself.
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

impl Default for Header {
    fn default() -> Self {
        Self {
            size: 0,
            vertex_size: 40,
            face_size: 12,
            lod_size: 4,
            lod_kind: 0,
            vertices: 0,
            faces: 0,
            lod_offsets: 0,
            bones: 0,
            bone_names: 0,
            subsets: 0,
            high_quality: 1,
            reserved: 0,
            facs_format: 1,
            facs_len: 0,
        }
    }
}

record!(Header2 of Header after Implied<Header> {
    size: u16,
    vertex_size: u8,
    face_size: u8,
    vertices: u32,
    faces: u32,
});

record!(Header3 of Header after Implied<Header> {
    size: u16,
    vertex_size: u8,
    face_size: u8,
    lod_size: u16,
    lod_offsets: u16,
    vertices: u32,
    faces: u32,
});

record!(Header4 of Header after Implied<Header> {
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
});

record!(Header5 of Header after Header4 { facs_format: u32, facs_len: u32 });

/// A layout of the header, for reading and writing.
struct Layout {
    read: for<'a> fn(&'a [u8]) -> Parsed<'a, Header>,
    append: fn(&Header, &mut Vec<u8>),
    size: usize,
}

impl Layout {
    const fn new<T: Field<Value = Header>>() -> Self {
        Self { read: T::read, append: T::append, size: T::SIZE }
    }

    const fn of(form: HeaderForm) -> Self {
        match form {
            HeaderForm::V2 => Self::new::<Header2>(),
            HeaderForm::V3 => Self::new::<Header3>(),
            HeaderForm::V4 => Self::new::<Header4>(),
            HeaderForm::V5 => Self::new::<Header5>(),
        }
    }
}

impl Header {
    /// Reads the header, and returns the bytes after its known part.
    pub(crate) fn read(start: &[u8], form: HeaderForm) -> Parsed<'_, (Self, &[u8])> {
        let Layout { read, size: known, .. } = Layout::of(form);
        let (input, header) = read(start)?;
        let Some(extra) = usize::from(header.size).checked_sub(known) else {
            let what = format!("expected a header size of {known} bytes or more, found {}", header.size);
            return Err(Fail::invalid(start, what)).field("size");
        };
        let (input, extra) = context("extra", take(extra)).parse(input)?;
        Ok((input, (header, extra)))
    }

    /// Writes the header with its size, and the bytes after its known part.
    pub(crate) fn write(mut self, form: HeaderForm, extra: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let Layout { append, size: known, .. } = Layout::of(form);
        let size = known.checked_add(extra.len()).and_then(|size| u16::try_from(size).ok());
        self.size = size.ok_or_else(|| {
            let what = format!(
                "{} extra header bytes (expected at most {}, since a header has at most 65535 bytes)",
                extra.len(),
                usize::from(u16::MAX).saturating_sub(known)
            );
            Error::unwritable("layout.header_extra", what)
        })?;
        append(&self, out);
        out.extend_from_slice(extra);
        Ok(())
    }
}
