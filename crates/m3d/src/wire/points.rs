//! Chunks `TMAP` and `VRTS`: texture coordinates and vertices.
//!
//! | `TMAP` record | `VRTS` record |
//! |---|---|
//! | `vc_t` u, v | `vc_t` x, y, z, w |
//! | | `ci_t` colour, where that has a width |
//! | | `sk_t` skin, where that has a width |
//!
//! | `vc_t` | texture coordinate | vertex |
//! |---|---|---|
//! | 0 | u8 / 255 | i8 / 127 |
//! | 1 | u16 / 65535 | i16 / 32767 |
//! | 2 | f32 | f32 |
//! | 3 | f64 | f64 |

use geom::{Rgba8, Vec2, Vec4};

use super::fail::{Here, Parsed};
use super::number::{coord8, coord16, records, wide8, wide16};
use super::reader::Reader;
use super::record::Field;
use super::sink::Sink;
use crate::consts::{TypeField, Types};
use crate::error::{ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{KeptKind, SkinId, TexCoords, Vertices};

/// The part of `N` bytes at a place in each record.
#[inline(always)]
fn column<'a, const N: usize, T>(
    data: &'a [u8],
    stride: usize,
    offset: usize,
    value: impl Fn(&[u8; N]) -> T + 'a,
) -> impl Iterator<Item = T> + 'a {
    data.chunks_exact(stride.max(1)).map(move |record| {
        let part = record.get(offset..).and_then(|rest| rest.first_chunk());
        value(part.unwrap_or(&[0; N]))
    })
}

/// An array of numbers from its bytes.
#[inline(always)]
fn numbers<const N: usize, const S: usize, T: Copy + Default>(
    bytes: &[u8],
    value: impl Fn([u8; S]) -> T,
) -> [T; N] {
    let mut numbers = [T::default(); N];
    for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<S>().0) {
        *number = value(*bytes);
    }
    numbers
}

/// Doubles as floats, and as they are where a float does not hold them.
fn doubles<const N: usize, T: From<[f32; N]>>(
    values: impl Iterator<Item = [f64; N]> + Clone,
    count: usize,
    budget: &mut Budget,
) -> Result<(Vec<T>, Vec<[f64; N]>), ErrorKind> {
    #[allow(clippy::cast_possible_truncation, reason = "the float is the rounded double")]
    let round = |value: f64| value as f32;
    let mut rounded = budget.vec(count)?;
    rounded.extend(values.clone().map(|value| T::from(value.map(round))));
    let exact = |value: f64| f64::from(round(value)).to_bits() == value.to_bits();
    let mut precise = Vec::new();
    if !values.clone().all(|value| value.into_iter().all(exact)) {
        precise = budget.vec(count)?;
        precise.extend(values);
    }
    Ok((rounded, precise))
}

impl Field for TexCoords {
    fn least(_: Types) -> usize {
        0
    }

    fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8]) -> Parsed<'a, Self> {
        let stride = reader.types.size(TypeField::Coord).saturating_mul(2);
        let (tail, whole) = records(data, stride)?;
        let count = whole.len().checked_div(stride).unwrap_or(0);
        let mut all = Self::default();
        let bits = reader.types.get(TypeField::Coord);
        if bits == 3 {
            let values = whole.as_chunks::<16>().0.iter().map(|part| numbers(part, f64::from_le_bytes));
            (all.uvs, all.precise) = doubles::<2, Vec2>(values, count, &mut reader.budget).here(data)?;
            return Ok((tail, all));
        }
        all.uvs = reader.budget.vec(count).here(data)?;
        let short = |q| f32::from(u16::from_le_bytes(q)) / 65535.0;
        match bits {
            0 => all.uvs.extend(
                whole.as_chunks::<2>().0.iter().map(|uv| Vec2::from(uv.map(|q| f32::from(q) / 255.0))),
            ),
            1 => all.uvs.extend(whole.as_chunks::<4>().0.iter().map(|uv| Vec2::from(numbers(uv, short)))),
            _ => all.uvs.extend(
                whole.as_chunks::<8>().0.iter().map(|uv| Vec2::from(numbers(uv, f32::from_le_bytes))),
            ),
        }
        Ok((tail, all))
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        self.writable()?;
        let mut precise = self.precise.iter();
        for uv in &self.uvs {
            sink.numbers(false, uv.to_array(), precise.next());
        }
        Ok(())
    }
}

impl Field for Vertices {
    fn least(_: Types) -> usize {
        0
    }

    fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8]) -> Parsed<'a, Self> {
        let size = reader.types.size(TypeField::Coord).saturating_mul(4);
        let color = reader.types.size(TypeField::Color);
        let skin = reader.types.size(TypeField::Skin);
        let stride = size.saturating_add(color).saturating_add(skin);
        let (tail, whole) = records(data, stride)?;
        let mut all = Self::default();
        let read = (|| {
            reader.read_coords(whole, stride, &mut all)?;
            if color != 0 {
                reader.read_colors(whole, stride, size, &mut all.colors)?;
            }
            if skin != 0 {
                reader.read_skins(whole, stride, size.saturating_add(color), &mut all.skins)?;
            }
            Ok(())
        })();
        read.here(data)?;
        Ok((tail, all))
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        self.writable()?;
        let mut precise = self.precise.iter();
        let mut colors = self.colors.iter();
        let mut skins = self.skins.iter();
        for coord in &self.coords {
            sink.numbers(true, coord.to_array(), precise.next());
            sink.color(colors.next().copied().unwrap_or_default());
            sink.index(TypeField::Skin, skins.next().copied().unwrap_or_default().0);
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn read_coords(&mut self, data: &[u8], stride: usize, all: &mut Vertices) -> Result<(), ErrorKind> {
        let count = data.len().checked_div(stride).unwrap_or(0);
        let bits = self.types.get(TypeField::Coord);
        if bits == 3 {
            let values = data.chunks_exact(stride).map(|record| numbers(record, f64::from_le_bytes));
            (all.coords, all.precise) = doubles::<4, Vec4>(values, count, &mut self.budget)?;
            return Ok(());
        }
        all.coords = self.budget.vec(count)?;
        match bits {
            0 => {
                all.coords.extend(column(data, stride, 0, |part: &[u8; 4]| part.map(coord8)).map(Vec4::from))
            }
            1 => all.coords.extend(
                column(data, stride, 0, |part: &[u8; 8]| {
                    numbers::<4, 2, f32>(part, |q| coord16(u16::from_le_bytes(q)))
                })
                .map(Vec4::from),
            ),
            _ => all.coords.extend(
                column(data, stride, 0, |part: &[u8; 16]| numbers::<4, 4, f32>(part, f32::from_le_bytes))
                    .map(Vec4::from),
            ),
        }
        Ok(())
    }

    /// The colours; no column where nobody has one.
    fn read_colors(
        &mut self,
        data: &[u8],
        stride: usize,
        offset: usize,
        colors: &mut Vec<Rgba8>,
    ) -> Result<(), ErrorKind> {
        let mut any = false;
        let size = self.types.size(TypeField::Color);
        let count = data.len().checked_div(stride).unwrap_or(0);
        let mut read = self.budget.vec(count)?;
        if size == 4 {
            read.extend(column(data, stride, offset, |&part: &[u8; 4]| Rgba8::from(part)));
            any = read.iter().any(|&color| color != Rgba8::default());
        } else {
            // From the first to the last that a writer would choose otherwise.
            let mut others: Option<(usize, usize)> = None;
            for (place, record) in data.chunks_exact(stride.max(1)).enumerate() {
                let index = match record.get(offset..) {
                    Some([low, ..]) if size == 1 => u32::from(*low),
                    Some([low, high, ..]) => u32::from(u16::from_le_bytes([*low, *high])),
                    _ => 0,
                };
                let (color, chosen) = self.palette.resolve(index);
                if index != chosen {
                    others = Some((others.map_or(place, |(first, _)| first), place));
                }
                any |= color != Rgba8::default();
                read.push(color);
            }
            if let Some((first, last)) = others {
                let mut bytes =
                    self.budget.vec(last.saturating_sub(first).saturating_add(1).saturating_mul(size))?;
                let records = data.chunks_exact(stride.max(1)).take(last.saturating_add(1)).skip(first);
                match size {
                    1 => bytes.extend(records.map(|record| record.get(offset).copied().unwrap_or(0))),
                    _ => bytes.extend(
                        records.filter_map(|record| record.get(offset..)?.first_chunk::<2>()).flatten(),
                    ),
                }
                let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
                let (first, last) = (number(first), number(last));
                self.keep(KeptKind::Color, first, last.saturating_sub(first).saturating_add(1), bytes)?;
            }
        }
        if any {
            *colors = read;
        }
        Ok(())
    }

    /// The skins; no column where nobody has one.
    fn read_skins(
        &mut self,
        data: &[u8],
        stride: usize,
        offset: usize,
        skins: &mut Vec<SkinId>,
    ) -> Result<(), ErrorKind> {
        let mut read = self.budget.vec(data.len().checked_div(stride).unwrap_or(0))?;
        match self.types.size(TypeField::Skin) {
            1 => read.extend(column(data, stride, offset, |&[q]: &[u8; 1]| SkinId(wide8(q)))),
            2 => read
                .extend(column(data, stride, offset, |&q: &[u8; 2]| SkinId(wide16(u16::from_le_bytes(q))))),
            _ => read.extend(column(data, stride, offset, |&q: &[u8; 4]| SkinId(u32::from_le_bytes(q)))),
        }
        if read.iter().any(|skin| !skin.is_none()) {
            *skins = read;
        }
        Ok(())
    }
}
