//! Attributes: columns of one value per point.

use std::borrow::Cow;

use nom::Parser;
use nom::error::context;
use nom::number::complete::{i8 as le_i8, le_f32, le_i32, le_u8};

use crate::wire::draco::bits::{read_varint, write_varint};
use crate::wire::draco::symbols;
use crate::wire::record::take_records;
use geom::wire::{At, Budget, Fail, Here, Parsed, after};

/// Purposes of attributes.
pub(crate) const POSITION: u8 = 0;
pub(crate) const NORMAL: u8 = 1;
pub(crate) const COLOR: u8 = 2;
pub(crate) const TEX_COORD: u8 = 3;
pub(crate) const GENERIC: u8 = 4;

/// Types of values.
pub(crate) const U8: u8 = 2;
pub(crate) const F32: u8 = 9;

/// Codings of values.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const INTEGER: u8 = 1;
pub(crate) const QUANTIZED: u8 = 2;
const NORMALS: u8 = 3;

/// Predictions, and the transform of the difference from the prediction.
const NONE: i8 = -2;
const DIFFERENCE: i8 = 0;
const WRAP: i8 = 1;

/// The declaration of an attribute, before the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    pub(crate) kind: u8,
    pub(crate) data: u8,
    pub(crate) width: u8,
    pub(crate) normalized: u8,
    pub(crate) id: u32,
    pub(crate) coding: u8,
}

impl Attribute {
    /// | size | what |
    /// |---|---|
    /// | 1 | purpose: 0 position, 1 normal, 2 colour, 3 texture coordinate, 4 other |
    /// | 1 | type: 1 i8, 2 u8, 3 i16, 4 u16, 5 i32, 6 u32, 7 i64, 8 u64, 9 f32, 10 f64, 11 bool |
    /// | 1 | the number of values per point |
    /// | 1 | whether integers are fractions from 0 to 1 |
    /// | varint | an id that no other attribute has |
    ///
    /// The coding follows later.
    pub(crate) fn read(start: &[u8]) -> Parsed<'_, Self> {
        let (input, [kind, data, width, normalized]) = read_array(start)?;
        let (input, id) = context("id", read_varint).parse(input)?;
        if size_of_data(data) == 0 {
            let what = format!("Draco data type {data} (expected 1 to 11)");
            return Err(Fail::unsupported(after(start, 1), what)).field("type");
        }
        if width == 0 {
            let what = "expected 1 or more components per vertex, found 0";
            return Err(Fail::invalid(after(start, 2), what)).field("width");
        }
        Ok((input, Self { kind, data, width, normalized, id, coding: 0 }))
    }

    /// Reads how the values are stored.
    pub(crate) fn read_coding<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, ()> {
        let (input, [coding]) = read_array(start)?;
        match coding {
            PLAIN => {}
            INTEGER if matches!(self.data, 1..=6) => {}
            QUANTIZED if self.data == F32 => {}
            INTEGER | QUANTIZED => {
                let encoding = if coding == INTEGER { "integer" } else { "quantization" };
                let what = format!(
                    "Draco attribute encoding {coding} ({encoding}) cannot store values of type {}",
                    name_of_data(self.data)
                );
                return Err(Fail::invalid(start, what));
            }
            NORMALS => {
                let what = "Draco attribute encoding 3, quantized normals (encode the mesh again without it)";
                return Err(Fail::unsupported(start, what));
            }
            other => {
                let what = format!("Draco attribute encoding {other} (expected 0 to 2)");
                return Err(Fail::unsupported(start, what));
            }
        }
        self.coding = coding;
        Ok((input, ()))
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.kind, self.data, self.width, self.normalized]);
        write_varint(self.id, out);
    }

    /// The size of the plain values of a point, in bytes.
    pub(crate) fn plain_size(&self) -> usize {
        // At most 8 × 255.
        size_of_data(self.data).wrapping_mul(self.width.into())
    }
}

fn read_array<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    match input.split_first_chunk() {
        Some((array, rest)) => Ok((rest, *array)),
        None => Err(Fail::end(input)),
    }
}

/// The size of a value in bytes; 0 if the type is not known.
fn size_of_data(data: u8) -> usize {
    match data {
        1 | 2 | 11 => 1,
        3 | 4 => 2,
        5 | 6 | 9 => 4,
        7 | 8 | 10 => 8,
        _ => 0,
    }
}

/// The name of a known type, as in `DT_FLOAT32` of Draco.
pub(crate) fn name_of_data(data: u8) -> &'static str {
    match data {
        1 => "int8",
        2 => "uint8",
        3 => "int16",
        4 => "uint16",
        5 => "int32",
        6 => "uint32",
        7 => "int64",
        8 => "uint64",
        9 => "float32",
        10 => "float64",
        11 => "bool",
        _ => "unknown",
    }
}

/// The values of an attribute, as stored in the stream.
#[derive(Debug)]
pub(crate) enum Values<'a> {
    Plain(&'a [u8]),
    /// Signed integers, as their bits.
    Integers(Vec<u32>),
}

/// Reads the values, but not the scale of a quantised attribute, which follows the values of all attributes. Integers
/// reuse the memory of `spare`.
pub(crate) fn read_values<'a>(
    start: &'a [u8],
    attribute: &Attribute,
    points: usize,
    spare: &mut Vec<u32>,
    budget: &mut Budget,
) -> Parsed<'a, Values<'a>> {
    match attribute.coding {
        PLAIN => {
            let (rest, bytes) = take_records(start, points, attribute.plain_size())?;
            Ok((rest, Values::Plain(bytes)))
        }
        _ => read_integers(start, attribute, points, spare, budget),
    }
}

/// | size | what |
/// |---|---|
/// | 1 | prediction: −2 none, 0 the values of the point before |
/// | 1 | with a prediction: the transform of the difference: 1 wrapped around |
/// | 1 | whether symbols follow |
/// | ... | symbols; or a byte with the size of an integer, and the integers |
/// | 4 + 4 | with a prediction: the least and the greatest value, i32 |
fn read_integers<'a>(
    start: &'a [u8],
    attribute: &Attribute,
    points: usize,
    spare: &mut Vec<u32>,
    budget: &mut Budget,
) -> Parsed<'a, Values<'a>> {
    let (input, prediction) = context("prediction", le_i8).parse(start)?;
    let (input, predicted) = match prediction {
        NONE => (input, false),
        DIFFERENCE => (context("transform", read_transform).parse(input)?.0, true),
        other => {
            return Err(Fail::unsupported(
                start,
                format!(
                    "Draco prediction method \"{}\" (encode the attribute without prediction, or with the \
                     method \"difference\")",
                    prediction_name(other)
                ),
            ))
            .field("prediction");
        }
    };
    let width = usize::from(attribute.width);
    // Charged component by component in 64 bits, so that a size beyond any memory exceeds the limit.
    (0..width).try_for_each(|_| budget.take_values::<u32>(points)).here(start)?;
    let count = points.checked_mul(width).ok_or_else(|| Fail::end_of(start))?;
    let (input, compressed) = context("compressed", le_u8).parse(input)?;
    let mut most = u32::MAX;
    let (input, mut symbols) = match compressed {
        0 => read_uncompressed(input, count)?,
        _ => {
            let mut values = std::mem::take(spare);
            if values.capacity() < count {
                // The smaller vector is freed first.
                drop(values);
                values = Vec::with_capacity(count);
            }
            values.resize(count, 0);
            let (input, largest) = symbols::read(input, &mut values, width, budget)?;
            most = largest;
            (input, values)
        }
    };
    let input = match predicted {
        true => {
            let (input, wrap) = context("wrap", Wrap::read).parse(input)?;
            match width {
                _ if !wrap.spans(&symbols, most) => wrap.undo_any(&mut symbols, width),
                1 => wrap.undo::<1>(&mut symbols),
                2 => wrap.undo::<2>(&mut symbols),
                3 => wrap.undo::<3>(&mut symbols),
                4 => wrap.undo::<4>(&mut symbols),
                _ => wrap.undo_any(&mut symbols, width),
            }
            input
        }
        false => {
            symbols.iter_mut().for_each(|symbol| *symbol = signed(*symbol).cast_unsigned());
            input
        }
    };
    Ok((input, Values::Integers(symbols)))
}

fn read_transform(start: &[u8]) -> Parsed<'_, ()> {
    let (input, transform) = le_i8(start)?;
    let name: Cow<'_, str> = match transform {
        WRAP => return Ok((input, ())),
        -1 => "none".into(),
        0 => "delta".into(),
        2 => "octahedron".into(),
        3 => "canonicalized octahedron".into(),
        other => other.to_string().into(),
    };
    Err(Fail::unsupported(start, format!("Draco prediction transform \"{name}\" (expected \"wrap\")")))
}

fn prediction_name(prediction: i8) -> Cow<'static, str> {
    Cow::Borrowed(match prediction {
        1 => "parallelogram",
        2 => "multi parallelogram",
        3 => "texture coordinates (deprecated)",
        4 => "constrained multi parallelogram",
        5 => "texture coordinates",
        6 => "geometric normal",
        other => return Cow::Owned(other.to_string()),
    })
}

/// Reads integers of an explicit size, which represent symbols, too.
fn read_uncompressed(start: &[u8], count: usize) -> Parsed<'_, Vec<u32>> {
    let (input, size) = context("integer_size", le_u8).parse(start)?;
    let size = usize::from(size);
    if size > 4 {
        return Err(Fail::invalid(start, format!("expected at most 4 bytes per integer, found {size}")))
            .field("integer_size");
    }
    let (rest, bytes) = take_records(input, count, size)?;
    let values = match size {
        0 => vec![0; count],
        _ => bytes
            .chunks_exact(size)
            .map(|bytes| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
            .collect(),
    };
    Ok((rest, values))
}

/// Decodes zigzag: 0, 1, 2, 3 are 0, −1, 1, −2.
#[inline(always)]
fn signed(symbol: u32) -> i32 {
    (symbol >> 1).cast_signed() ^ (symbol & 1).cast_signed().wrapping_neg()
}

#[inline(always)]
fn unsigned(value: i32) -> u32 {
    (value << 1 ^ value >> 31).cast_unsigned()
}

/// The transform of differences that wrap around at the ends of the range of values, so that they need no more bits
/// than the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrap {
    least: i32,
    greatest: i32,
    /// The number of values in the range.
    size: i32,
}

impl Wrap {
    pub(crate) fn new(least: i32, greatest: i32) -> Option<Self> {
        let size = greatest.checked_sub(least)?.checked_add(1).filter(|&size| size > 0)?;
        Some(Self { least, greatest, size })
    }

    fn read(start: &[u8]) -> Parsed<'_, Self> {
        let (input, least) = le_i32(start)?;
        let (input, greatest) = le_i32(input)?;
        match Self::new(least, greatest) {
            Some(wrap) => Ok((input, wrap)),
            None => Err(Fail::invalid(
                start,
                match greatest < least {
                    true => format!("the maximum {greatest} is below the minimum {least}"),
                    false => format!(
                        "the minimum {least} and the maximum {greatest} are more than 2147483646 apart"
                    ),
                },
            )),
        }
    }

    /// Whether every symbol is a difference within the range, as in every valid stream.
    /// No symbol exceeds `largest`.
    pub(crate) fn spans(&self, symbols: &[u32], largest: u32) -> bool {
        let most = self.size.cast_unsigned().wrapping_sub(1).wrapping_mul(2);
        largest <= most || symbols.iter().all(|&symbol| symbol <= most)
    }

    /// Turns symbols into values modulo the size of the range, with as few dependent operations as possible. All
    /// symbols must be within the range; see [`Wrap::spans`].
    pub(crate) fn undo<const N: usize>(&self, symbols: &mut [u32]) {
        let first = 0.max(self.least).min(self.greatest).wrapping_sub(self.least);
        let mut before = [first; N];
        for symbols in symbols.as_chunks_mut::<N>().0 {
            for (before, symbol) in before.iter_mut().zip(symbols) {
                let difference = signed(*symbol);
                // The same difference as a step downwards, by at least one.
                let down = difference.wrapping_sub(self.size & !(difference >> 31));
                let sum = before.wrapping_add(down);
                *before = sum.wrapping_add(self.size & sum >> 31);
                *symbol = before.wrapping_add(self.least).cast_unsigned();
            }
        }
    }

    /// The value, from the previous one and the symbol of their difference.
    pub(crate) fn undo_one(&self, before: i32, symbol: u32) -> i32 {
        let value = before.max(self.least).min(self.greatest).wrapping_add(signed(symbol));
        if value > self.greatest {
            value.wrapping_sub(self.size)
        } else if value < self.least {
            value.wrapping_add(self.size)
        } else {
            value
        }
    }

    /// Turns symbols into values, even if some are outside the range.
    pub(crate) fn undo_any(&self, symbols: &mut [u32], width: usize) {
        let mut before = vec![0; width];
        for symbols in symbols.chunks_exact_mut(width.max(1)) {
            for (before, symbol) in before.iter_mut().zip(symbols) {
                *before = self.undo_one(*before, *symbol);
                *symbol = before.cast_unsigned();
            }
        }
    }

    /// The symbol of the difference between a value and the previous one.
    pub(crate) fn symbol(&self, before: i32, value: i32) -> u32 {
        let difference = value.wrapping_sub(before.max(self.least).min(self.greatest));
        // Half of the range upwards and half downwards; one more downwards if the size is even.
        let up = self.size.wrapping_sub(1) / 2;
        let down = (self.size / 2).wrapping_neg();
        unsigned(if difference > up {
            difference.wrapping_sub(self.size)
        } else if difference < down {
            difference.wrapping_add(self.size)
        } else {
            difference
        })
    }
}

/// Writes integers as predicted symbols, which [`read_integers`] reads.
pub(crate) fn write_integers(values: &[[i32; 4]], width: usize, out: &mut Vec<u8>) {
    out.extend([DIFFERENCE.to_le_bytes()[0], WRAP.to_le_bytes()[0], 1]);
    let (mut least, mut greatest) = (i32::MAX, i32::MIN);
    for value in values.iter().flat_map(|values| values.iter().take(width)) {
        (least, greatest) = (least.min(*value), greatest.max(*value));
    }
    let (least, greatest) = if values.is_empty() { (0, 0) } else { (least, greatest) };
    // The values are bytes or steps of at most 30 bits.
    let Some(wrap) = Wrap::new(least, greatest) else { return };
    let mut before = [0; 4];
    let mut symbols = Vec::with_capacity(values.as_flattened().len());
    for values in values {
        for (before, value) in before.iter_mut().zip(values).take(width) {
            symbols.push(wrap.symbol(*before, *value));
            *before = *value;
        }
    }
    symbols::write(&symbols, width, out);
    out.extend(least.to_le_bytes());
    out.extend(greatest.to_le_bytes());
}

/// The scale of a quantised attribute, which turns steps into values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale<'a> {
    /// The least value of each component, as the bytes of an f32 each.
    pub(crate) origin: &'a [u8],
    pub(crate) range: f32,
    pub(crate) bits: u8,
}

impl<'a> Scale<'a> {
    /// | size | what |
    /// |---|---|
    /// | 4 per component | the least value, f32 |
    /// | 4 | the range of values, the same for all components, f32 |
    /// | 1 | bits, 1 to 30 |
    pub(crate) fn read(start: &'a [u8], width: u8) -> Parsed<'a, Self> {
        let (input, origin) = take_records(start, width.into(), size_of::<f32>()).field("origin")?;
        let (input, range) = context("range", le_f32).parse(input)?;
        let (rest, bits) = context("bits", le_u8).parse(input)?;
        if !(1..=30).contains(&bits) {
            return Err(Fail::invalid(input, format!("expected 1 to 30 quantization bits, found {bits}")))
                .field("bits");
        }
        Ok((rest, Self { origin, range, bits }))
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.origin);
        out.extend(self.range.to_le_bytes());
        out.push(self.bits);
    }

    /// The least value of each of the first `N` components.
    pub(crate) fn origin<const N: usize>(&self) -> [f32; N] {
        let mut origin = [0.0; N];
        for (origin, bytes) in origin.iter_mut().zip(self.origin.as_chunks().0) {
            *origin = f32::from_le_bytes(*bytes);
        }
        origin
    }
}
