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

use super::fail::{At, Here, Parsed};
use super::reader::{Reader, coord8, coord16, records, wide8, wide16};
use super::writer::{Writer, in_range, tex_coord_bytes};
use crate::consts::TypeField;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{SkinId, TexCoords, Vertices};
use crate::number::effective;

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

impl<'a> Reader<'a> {
    pub(crate) fn read_tex_coords(&mut self, data: &'a [u8]) -> Parsed<'a, TexCoords> {
        let bits = self.types.get(TypeField::Coord);
        let stride = self.types.size(TypeField::Coord).saturating_mul(2);
        let (tail, whole) = records(data, stride)?;
        let count = whole.len().checked_div(stride).unwrap_or(0);
        let mut all = TexCoords::default();
        if bits < 3 {
            all.uvs = self.budget.vec(count).here(data).field("tex_coords")?;
        }
        match bits {
            0 => all.uvs.extend(
                whole
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|&[u, v]| Vec2::from([u, v].map(|q| f32::from(q) / 255.0))),
            ),
            1 => all.uvs.extend(
                column(whole, 4, 0, |part: &[u8; 4]| {
                    numbers::<2, 2, f32>(part, |q| f32::from(u16::from_le_bytes(q)) / 65535.0)
                })
                .map(Vec2::from),
            ),
            2 => all.uvs.extend(
                column(whole, 8, 0, |part: &[u8; 8]| numbers::<2, 4, f32>(part, f32::from_le_bytes))
                    .map(Vec2::from),
            ),
            _ => {
                let values = whole.as_chunks::<16>().0.iter().map(|part| numbers(part, f64::from_le_bytes));
                (all.uvs, all.precise) =
                    doubles::<2, Vec2>(values, count, &mut self.budget).here(data).field("tex_coords")?;
            }
        }
        Ok((tail, all))
    }

    pub(crate) fn read_vertices(&mut self, data: &'a [u8]) -> Parsed<'a, Vertices> {
        let size = self.types.size(TypeField::Coord).saturating_mul(4);
        let color = self.types.size(TypeField::Color);
        let skin = self.types.size(TypeField::Skin);
        let stride = size.saturating_add(color).saturating_add(skin);
        let (tail, whole) = records(data, stride)?;
        let mut all = Vertices::default();
        let read = (|| {
            self.read_coords(whole, stride, &mut all)?;
            if color != 0 {
                self.read_colors(whole, stride, size, &mut all.colors)?;
            }
            if skin != 0 {
                self.read_skins(whole, stride, size.saturating_add(color), &mut all.skins)?;
            }
            Ok(())
        })();
        read.here(data).field("vertices")?;
        Ok((tail, all))
    }

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
        let mut read = self.budget.vec(data.len().checked_div(stride).unwrap_or(0))?;
        if size == 4 {
            read.extend(column(data, stride, offset, |&part: &[u8; 4]| Rgba8::from(part)));
            any = read.iter().any(|&color| color != Rgba8::default());
        } else {
            for record in data.chunks_exact(stride.max(1)) {
                let index = match record.get(offset..) {
                    Some([low, ..]) if size == 1 => u32::from(*low),
                    Some([low, high, ..]) => u32::from(u16::from_le_bytes([*low, *high])),
                    _ => 0,
                };
                let (color, chosen) = self.palette.resolve(index);
                self.color_runs.add(index, chosen, &mut self.budget)?;
                any |= color != Rgba8::default();
                read.push(color);
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

impl Writer<'_> {
    pub(crate) fn write_tex_coords(&mut self, all: &TexCoords) -> Result<()> {
        column_len(all.precise.len(), all.uvs.len(), "tex_coords.precise")?;
        let bits = self.types.get(TypeField::Coord);
        if bits == 2 && all.precise.is_empty() {
            for uv in &all.uvs {
                self.put([uv.x, uv.y].map(f32::to_le_bytes).as_flattened());
            }
            return Ok(());
        }
        let precise = all.precise.iter().map(Some).chain(std::iter::repeat(None));
        let mut holds = true;
        for (uv, precise) in all.uvs.iter().zip(precise) {
            let doubles = precise.map_or([None; 2], |precise| precise.map(Some));
            for (float, double) in [uv.x, uv.y].into_iter().zip(doubles) {
                let value = effective(float, double);
                let (bytes, len, exact) = tex_coord_bytes(bits, value);
                holds &= exact || self.round && in_range(bits, value) && (bits > 1 || value >= 0.0);
                self.put(bytes.get(..len).unwrap_or_default());
            }
        }
        if !holds {
            self.too_narrow(TypeField::Coord);
        }
        Ok(())
    }

    pub(crate) fn write_vertices(&mut self, all: &Vertices) -> Result<()> {
        column_len(all.precise.len(), all.len(), "vertices.precise")?;
        column_len(all.colors.len(), all.len(), "vertices.colors")?;
        column_len(all.skins.len(), all.len(), "vertices.skins")?;
        let bits = self.types.get(TypeField::Coord);
        let floats = bits == 2 && all.precise.is_empty();
        let color = self.types.size(TypeField::Color) != 0 || !all.colors.is_empty();
        let skin = self.types.size(TypeField::Skin);
        if floats && !color && skin == 0 && all.skins.is_empty() {
            for coord in &all.coords {
                self.put(coord.to_array().map(f32::to_le_bytes).as_flattened());
            }
            return Ok(());
        }
        let mut precise = all.precise.iter();
        let mut colors = all.colors.iter();
        let mut skins = all.skins.iter();
        for coord in &all.coords {
            let doubles = precise.next().map_or([None; 4], |precise| precise.map(Some));
            if floats {
                self.put(coord.to_array().map(f32::to_le_bytes).as_flattened());
            } else {
                for (float, double) in coord.to_array().into_iter().zip(doubles) {
                    self.coord(effective(float, double));
                }
            }
            if color {
                self.color(colors.next().copied().unwrap_or_default());
            }
            self.index(TypeField::Skin, skins.next().copied().unwrap_or_default().0);
        }
        Ok(())
    }
}

fn column_len(len: usize, wanted: usize, path: &'static str) -> Result<()> {
    match len == 0 || len == wanted {
        true => Ok(()),
        false => Err(Error::unwritable(path, format!("{len} entries for {wanted}"))),
    }
}
