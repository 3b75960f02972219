//! What every chunk needs while it is read: the widths, the strings, the colours and what may still
//! be allocated.

use bstr::BString;
use geom::Rgba8;
use nom::bytes::complete::take;
use nom::number::complete::{le_f32, le_f64, le_u8, le_u16, le_u32};

use super::colors::Palette;
use super::fail::{Fail, Here, Parsed};
use super::names::Names;
use crate::consts::{TypeField, Types};
use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::list::push;
use crate::model::{BoneId, ChunkKind, RawRun, ShapeId, SkinId, TexCoordId, VertexId};

/// The state of a read.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) types: Types,
    pub(crate) names: Names<'a>,
    pub(crate) palette: Palette,
    pub(crate) budget: Budget,
    /// Which of the chunks that may be there only once were.
    pub(crate) seen: [bool; ChunkKind::ALL.len()],
    pub(crate) name_runs: Runs,
    pub(crate) color_runs: Runs,
    /// How many shape commands were read, and which of them were longer than they had to be.
    pub(crate) commands: u32,
    pub(crate) long_commands: Vec<u32>,
}

/// Collects values that are not the ones that a writer would choose.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    pub(crate) next: u64,
    pub(crate) runs: Vec<RawRun>,
}

impl Runs {
    /// Counts one value. What the file has is kept where it differs from the writer's choice.
    #[inline]
    pub(crate) fn add(&mut self, value: u32, chosen: u32, budget: &mut Budget) -> Result<(), ErrorKind> {
        let place = self.next;
        self.next = place.saturating_add(1);
        if value == chosen { Ok(()) } else { self.keep(place, value, budget) }
    }

    fn keep(&mut self, place: u64, value: u32, budget: &mut Budget) -> Result<(), ErrorKind> {
        match self.runs.last_mut() {
            Some(last) if last.value == value && last.first.saturating_add(last.count) == place => {
                last.count = last.count.saturating_add(1);
            }
            _ => push(&mut self.runs, RawRun { first: place, count: 1, value }, budget)?,
        }
        Ok(())
    }
}

/// An index of one byte: the two highest values are -1 and -2.
#[inline(always)]
pub(crate) fn wide8(value: u8) -> u32 {
    if value < 254 { u32::from(value) } else { u32::from(value) | 0xffff_ff00 }
}

/// An index of two bytes: the two highest values are -1 and -2.
#[inline(always)]
pub(crate) fn wide16(value: u16) -> u32 {
    if value < 65534 { u32::from(value) } else { u32::from(value) | 0xffff_0000 }
}

impl<'a> Reader<'a> {
    /// An index; -1 where it has no width.
    #[inline]
    pub(crate) fn index(&self, field: TypeField, input: &'a [u8]) -> Parsed<'a, u32> {
        sized_index(self.types.size(field), input)
    }

    /// A count: never -1 or -2. 0 where it has no width.
    pub(crate) fn count(&self, field: TypeField, input: &'a [u8]) -> Parsed<'a, u32> {
        match self.types.size(field) {
            0 => Ok((input, 0)),
            1 => le_u8(input).map(|(input, value)| (input, u32::from(value))),
            2 => le_u16(input).map(|(input, value)| (input, u32::from(value))),
            _ => le_u32(input),
        }
    }

    pub(crate) fn vertex(&self, input: &'a [u8]) -> Parsed<'a, VertexId> {
        self.index(TypeField::Vertex, input).map(|(input, id)| (input, VertexId(id)))
    }

    pub(crate) fn tex_coord(&self, input: &'a [u8]) -> Parsed<'a, TexCoordId> {
        self.index(TypeField::TexCoord, input).map(|(input, id)| (input, TexCoordId(id)))
    }

    pub(crate) fn bone(&self, input: &'a [u8]) -> Parsed<'a, BoneId> {
        self.index(TypeField::Bone, input).map(|(input, id)| (input, BoneId(id)))
    }

    pub(crate) fn skin(&self, input: &'a [u8]) -> Parsed<'a, SkinId> {
        self.index(TypeField::Skin, input).map(|(input, id)| (input, SkinId(id)))
    }

    pub(crate) fn shape(&self, input: &'a [u8]) -> Parsed<'a, ShapeId> {
        self.index(TypeField::Shape, input).map(|(input, id)| (input, ShapeId(id)))
    }

    /// A name: its place in the string table, resolved. A place outside of the table is no name.
    pub(crate) fn name(&mut self, input: &'a [u8]) -> Parsed<'a, BString> {
        let (rest, offset) = self.index(TypeField::Name, input)?;
        let (name, chosen) = self.names.resolve(offset);
        self.name_runs.add(offset, chosen, &mut self.budget).here(input)?;
        self.budget.take(name.len() as u64).here(input)?;
        Ok((rest, name.into()))
    }

    /// A colour: an index into the palette, resolved, or the colour itself.
    pub(crate) fn color(&mut self, input: &'a [u8]) -> Parsed<'a, Rgba8> {
        let size = self.types.size(TypeField::Color);
        match size {
            0 => Ok((input, Rgba8::default())),
            4 => {
                let (rest, color) = le_u32(input)?;
                Ok((rest, Rgba8::from(color.to_le_bytes())))
            }
            _ => {
                let (rest, index) = self.count(TypeField::Color, input)?;
                let (color, chosen) = self.palette.resolve(index);
                self.color_runs.add(index, chosen, &mut self.budget).here(input)?;
                Ok((rest, color))
            }
        }
    }

    /// A coordinate.
    pub(crate) fn coord(&self, input: &'a [u8]) -> Parsed<'a, f64> {
        match self.types.get(TypeField::Coord) {
            0 => le_u8(input).map(|(input, q)| (input, f64::from(coord8(q)))),
            1 => le_u16(input).map(|(input, q)| (input, f64::from(coord16(q)))),
            2 => le_f32(input).map(|(input, value)| (input, f64::from(value))),
            _ => le_f64(input),
        }
    }
}

/// An index of a size; -1 where it has none.
pub(crate) fn sized_index(size: usize, input: &[u8]) -> Parsed<'_, u32> {
    match size {
        0 => Ok((input, u32::MAX)),
        1 => le_u8(input).map(|(input, value)| (input, wide8(value))),
        2 => le_u16(input).map(|(input, value)| (input, wide16(value))),
        _ => le_u32(input),
    }
}

/// The next index of a record, whose length was checked.
#[inline(always)]
pub(crate) fn next_index(size: usize, record: &mut &[u8]) -> u32 {
    let (value, rest) = match (size, *record) {
        (1, [a, rest @ ..]) => (wide8(*a), rest),
        (2, [a, b, rest @ ..]) => (wide16(u16::from_le_bytes([*a, *b])), rest),
        (4, [a, b, c, d, rest @ ..]) => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        (_, rest) => (u32::MAX, rest),
    };
    *record = rest;
    value
}

/// An int8 coordinate: 127 is 1.
#[inline(always)]
pub(crate) fn coord8(q: u8) -> f32 {
    f32::from(i8::from_le_bytes([q])) / 127.0
}

/// An int16 coordinate: 32767 is 1.
#[inline(always)]
pub(crate) fn coord16(q: u16) -> f32 {
    f32::from(i16::from_le_bytes(q.to_le_bytes())) / 32767.0
}

/// Records of a fixed size up to the end of the chunk, and the bytes after the last whole one.
pub(crate) fn records(data: &[u8], size: usize) -> Parsed<'_, &[u8]> {
    let whole = data.len().checked_div(size).unwrap_or(0).saturating_mul(size);
    take(whole)(data)
}

/// A size of the file as a length in memory.
pub(crate) fn length<'a>(at: &'a [u8], value: u32) -> Result<usize, nom::Err<Fail<'a>>> {
    usize::try_from(value).map_err(|_| Fail::end(at))
}
