//! What every chunk needs while it is read: the widths, the strings, the colours, what may still be
//! allocated, and what the file has otherwise than a writer would choose.

use nom::number::complete::{le_f32, le_f64, le_u8, le_u16};

use super::colors::Palette;
use super::names::Names;
use super::number::{coord8, coord16, sized};
use crate::consts::{TypeField, Types};
use crate::model::{ChunkKind, Kept, KeptKind};
use geom::wire::{Budget, ErrorKind, Parsed};

#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) types: Types,
    pub(crate) names: Names<'a>,
    pub(crate) palette: Palette,
    pub(crate) budget: Budget,
    /// Which of the chunks that may be there only once were.
    pub(crate) seen: [bool; ChunkKind::ALL.len()],
    pub(crate) kept: Vec<Kept>,
    /// Which chunk this is, and how many values of it were counted.
    pub(crate) chunk: u32,
    pub(crate) counted: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn begin(&mut self, chunk: usize) {
        (self.chunk, self.counted) = (u32::try_from(chunk).unwrap_or(u32::MAX), 0);
    }

    /// Counts a value that another writer may choose otherwise.
    pub(crate) fn count_value(&mut self) -> u32 {
        let first = self.counted;
        self.counted = first.saturating_add(1);
        first
    }

    /// Keeps a value as the file has it.
    pub(crate) fn keep_one(&mut self, what: KeptKind, first: u32, bytes: &[u8]) -> Result<(), ErrorKind> {
        let bytes = self.budget.copy(bytes)?;
        self.keep(what, first, 1, bytes)
    }

    /// Keeps values as the file has them, together with those just before them: of one kind, all in a chunk are as long.
    pub(crate) fn keep(
        &mut self,
        what: KeptKind,
        first: u32,
        count: u32,
        bytes: Vec<u8>,
    ) -> Result<(), ErrorKind> {
        let budget = &mut self.budget;
        match self.kept.last_mut() {
            Some(last)
                if (last.chunk, last.what, last.first.saturating_add(last.count))
                    == (self.chunk, what, first) =>
            {
                budget.reserve(&mut last.bytes, bytes.len())?;
                last.bytes.extend_from_slice(&bytes);
                budget.give_back(bytes.len() as u64);
                last.count = last.count.saturating_add(count);
                Ok(())
            }
            _ => budget.push(&mut self.kept, Kept { chunk: self.chunk, what, first, count, bytes }),
        }
    }

    /// A number without a sign, such as a count; 0 where it has no width.
    pub(crate) fn plain(&self, field: TypeField, input: &'a [u8]) -> Parsed<'a, u32> {
        sized(self.types.size(field), input)
    }

    pub(crate) fn coord(&self, input: &'a [u8]) -> Parsed<'a, f64> {
        match self.types.get(TypeField::Coord) {
            0 => le_u8(input).map(|(input, q)| (input, f64::from(coord8(q)))),
            1 => le_u16(input).map(|(input, q)| (input, f64::from(coord16(q)))),
            2 => le_f32(input).map(|(input, value)| (input, f64::from(value))),
            _ => le_f64(input),
        }
    }
}
