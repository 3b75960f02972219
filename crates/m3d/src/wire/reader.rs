//! The state while chunks are read: the widths, the strings, the colours, and the budget.

use std::collections::HashSet;

use bstr::BStr;
use geom::Rgba8;
use nom::number::complete::{le_f32, le_f64, le_u8, le_u16};

use super::colors::color_at;
use super::names::string_at;
use super::width::{coord8, coord16, sized};
use crate::consts::{TypeField, Types};
use crate::model::{ChunkKind, Outside};
use geom::wire::{Budget, Parsed};

#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) types: Types,
    pub(crate) strings: &'a [u8],
    pub(crate) palette: Vec<Rgba8>,
    pub(crate) budget: Budget,
    /// Which kinds of chunks were read.
    pub(crate) seen: [bool; ChunkKind::ALL.len()],
    /// Whether the palette has no duplicates.
    is_plain: bool,
    /// The content of the chunk, and its index.
    pub(crate) data: &'a [u8],
    pub(crate) chunk: usize,
    /// The number of bytes of the chunk up to the last value that can be written in another way.
    pub(crate) choices: usize,
    pub(crate) outside_names: Option<Outside>,
    pub(crate) outside_colors: Option<Outside>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(types: Types, strings: &'a [u8], palette: Vec<Rgba8>, budget: Budget) -> Self {
        let mut colors = HashSet::new();
        Self {
            types,
            strings,
            is_plain: palette.iter().all(|color| colors.insert(color)),
            palette,
            budget,
            seen: [false; ChunkKind::ALL.len()],
            data: &[],
            chunk: 0,
            choices: 0,
            outside_names: None,
            outside_colors: None,
        }
    }

    /// Records that a value that can be written in another way ends before `rest`.
    #[inline]
    pub(crate) fn choice(&mut self, rest: &[u8]) {
        self.choices = self.data.len().saturating_sub(rest.len());
    }

    /// The name at an offset. `plain` is the offset as a plain number, in which the two highest values do not mean -1
    /// and -2.
    pub(crate) fn name(&mut self, index: u32, plain: u32, rest: &[u8]) -> &'a BStr {
        self.choice(rest);
        if plain as usize >= self.strings.len() && plain != 0 {
            note(&mut self.outside_names, self.chunk, plain);
        }
        string_at(self.strings, index)
    }

    /// The colour of an index of `size` bytes.
    #[inline]
    pub(crate) fn color(&mut self, index: u32, size: usize, rest: &[u8]) -> Rgba8 {
        let is_outside = index as usize >= self.palette.len();
        if is_outside || !self.is_plain {
            self.choice(rest);
        }
        // An index of all ones usually means no colour.
        if is_outside && index != if size == 1 { 0xff } else { 0xffff } {
            note(&mut self.outside_colors, self.chunk, index);
        }
        color_at(&self.palette, index)
    }

    /// An unsigned number, such as a count; 0 if it has no width.
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

fn note(outside: &mut Option<Outside>, chunk: usize, first: u32) {
    let outside = outside.get_or_insert(Outside { chunk, first, count: 0 });
    outside.count = outside.count.saturating_add(1);
}
