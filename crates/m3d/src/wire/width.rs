//! Reads and writes numbers in the widths that a header declares.

use crate::consts::{TypeField, Types};
use geom::wire::{Fail, Parsed, Problem, Refuse as _, Result, taken};

/// The width of a number: a fixed number of bytes, or a width that the header declares.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Width {
    Bytes(usize),
    Of(TypeField),
}

impl Width {
    pub(crate) const fn size(self, types: Types) -> usize {
        match self {
            Self::Bytes(size) => size,
            Self::Of(field) => types.size(field),
        }
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

/// An index of `size` bytes; -1 if the size is 0.
#[inline(always)]
pub(crate) fn sized_index(size: usize, input: &[u8]) -> Parsed<'_, u32> {
    match (size, input) {
        (0, _) => Ok((input, u32::MAX)),
        (1, [a, rest @ ..]) => Ok((rest, wide8(*a))),
        (2, [a, b, rest @ ..]) => Ok((rest, wide16(u16::from_le_bytes([*a, *b])))),
        (4, [a, b, c, d, rest @ ..]) => Ok((rest, u32::from_le_bytes([*a, *b, *c, *d]))),
        _ => Err(Fail::end(input)),
    }
}

/// An unsigned number of `size` bytes; 0 if the size is 0.
#[inline(always)]
pub(crate) fn sized(size: usize, input: &[u8]) -> Parsed<'_, u32> {
    match (size, input) {
        (0, _) => Ok((input, 0)),
        (1, [a, rest @ ..]) => Ok((rest, u32::from(*a))),
        (2, [a, b, rest @ ..]) => Ok((rest, u16::from_le_bytes([*a, *b]).into())),
        (4, [a, b, c, d, rest @ ..]) => Ok((rest, u32::from_le_bytes([*a, *b, *c, *d]))),
        _ => Err(Fail::end(input)),
    }
}

/// Orders indices by the width that they need: 0 for -1, which needs no width, 1 for -2, then the others.
#[inline(always)]
const fn rank(index: u32) -> u32 {
    let rank = index.wrapping_add(2);
    rank ^ (rank < 2) as u32
}

/// The least width of an index, as a need: 0 for no width, 1 for one byte, 2 for two bytes, 3 for four.
#[inline(always)]
pub(crate) const fn index_need(value: u32) -> u8 {
    plain_need(rank(value))
}

/// The least width of the greatest of many indices, as a need.
pub(crate) fn indices_need(values: impl Iterator<Item = u32>) -> u8 {
    plain_need(values.map(rank).fold(0, u32::max))
}

/// The least width of a count, as a need. In one and two bytes, the two highest values are avoided: other readers treat
/// them as -1 and -2. Saturating: the two highest counts need 32 bits anyway.
pub(crate) const fn count_need(value: u32) -> u8 {
    if value == 0 { 0 } else { plain_need(value.saturating_add(2)) }
}

/// The least width of a plain number, as a need.
pub(crate) const fn plain_need(value: u32) -> u8 {
    match value {
        0 => 0,
        1..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 3,
    }
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

/// A number in steps, and the value of these steps. Rounds half away from zero and clamps to the range of the
/// integer. The number 1 is 127 or 32767 steps if signed, 255 or 65535 if unsigned.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "at most 16 bits")]
#[inline(always)]
pub(crate) fn steps(bits: u8, signed: bool, value: f32) -> (i32, f32) {
    let (steps, least, most) = match (bits, signed) {
        (0, true) => (127.0, -128, 127),
        (0, false) => (255.0, 0, 255),
        (_, true) => (32767.0, -32768, 32767),
        (_, false) => (65535.0, 0, 65535),
    };
    // Exact as a double, and faster than `round`.
    let exact = f64::from(value) * f64::from(steps);
    let count = ((exact + 0.5_f64.copysign(exact)) as i32).clamp(least, most);
    (count, count as f32 / steps)
}

/// Whether a width represents a float exactly.
#[inline(always)]
pub(crate) fn is_exact_float(bits: u8, signed: bool, value: f32) -> bool {
    bits > 1 || steps(bits, signed, value).1.to_bits() == value.to_bits()
}

/// Whether a width represents a coordinate exactly.
#[allow(clippy::cast_possible_truncation, reason = "this is the rounding that is asked about")]
#[inline(always)]
pub(crate) fn is_exact(bits: u8, signed: bool, value: f64) -> bool {
    let short = value as f32;
    bits == 3 || f64::from(short).to_bits() == value.to_bits() && is_exact_float(bits, signed, short)
}

/// Whether a coordinate may be rounded to a width.
pub(crate) fn is_in_range(bits: u8, signed: bool, value: f64) -> bool {
    bits > 1 || (if signed { -1.0 } else { 0.0 }..=1.0).contains(&value)
}

/// The size of something, as declared in the file.
pub(crate) fn size32(bytes: usize) -> Result<u32> {
    Problem::fit("bytes", bytes, u32::MAX).unwritable("")
}

/// Writes a size into the four bytes reserved for it.
pub(crate) fn put_size(out: &mut [u8], at: usize, size: u32) {
    if let Some(bytes) = out.get_mut(at..).and_then(|out| out.first_chunk_mut()) {
        *bytes = size.to_le_bytes();
    }
}

/// Records of a fixed size up to the end of the chunk, and the bytes after the last whole one.
pub(crate) fn records(data: &[u8], size: usize) -> Parsed<'_, &[u8]> {
    let rest = if size == 0 { data } else { data.chunks_exact(size).remainder() };
    Ok((rest, taken(data, rest)))
}

/// A size of the file as a length in memory.
pub(crate) fn length(at: &[u8], value: u32) -> std::result::Result<usize, nom::Err<Fail<'_>>> {
    usize::try_from(value).map_err(|_| Fail::end(at))
}
