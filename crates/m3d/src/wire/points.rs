//! Chunks `TMAP` and `VRTS`: texture coordinates and vertices.
//!
//! | `TMAP` record | `VRTS` record |
//! |---|---|
//! | `vc_t` u, v | `vc_t` x, y, z, w |
//! | | `ci_t` colour, if `ci_t` has a width |
//! | | `sk_t` skin, if `sk_t` has a width |
//!
//! | `vc_t` | texture coordinate | vertex |
//! |---|---|---|
//! | 0 | u8 / 255 | i8 / 127 |
//! | 1 | u16 / 65535 | i16 / 32767 |
//! | 2 | f32 | f32 |
//! | 3 | f64 | f64 |

use geom::Rgba8;

use super::reader::Reader;
use super::record::Field;
use super::width::{coord8, coord16, records, sized, wide8, wide16};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::model::{SkinId, TexCoords, Vertices};
use geom::wire::{ErrorKind, Here, Parsed, Result, after};

/// Converts the bytes of `N` numbers at an offset in each record with `value`.
#[inline(always)]
fn column<'a, const N: usize, const S: usize, T: Copy + 'a>(
    data: &'a [u8],
    stride: usize,
    offset: usize,
    value: impl Fn([u8; S]) -> T + Copy + 'a,
) -> impl Iterator<Item = [T; N]> + Clone + 'a {
    data.chunks_exact(stride.max(1)).map(move |record| {
        let part = record.get(offset..).and_then(|rest| rest.as_chunks().0.first_chunk());
        part.unwrap_or(&[[0; S]; N]).map(value)
    })
}

/// Coordinates as floats, and as doubles if floats do not represent all of them. Texture coordinates are unsigned.
type Numbers<T, const N: usize> = (Vec<T>, Vec<[f64; N]>);

impl Reader<'_> {
    fn read_numbers<const N: usize, const SIGNED: bool, T: From<[f32; N]>>(
        &mut self,
        data: &[u8],
        stride: usize,
    ) -> Result<Numbers<T, N>, ErrorKind> {
        let count = data.len().checked_div(stride).unwrap_or(0);
        let (mut floats, mut precise) = (self.budget.vec(count)?, Vec::new());
        let byte = |[q]: [u8; 1]| if SIGNED { coord8(q) } else { f32::from(q) / 255.0 };
        let short = |q| {
            let q = u16::from_le_bytes(q);
            if SIGNED { coord16(q) } else { f32::from(q) / 65535.0 }
        };
        match self.types.get(TypeField::Coord) {
            0 => floats.extend(column(data, stride, 0, byte).map(T::from)),
            1 => floats.extend(column(data, stride, 0, short).map(T::from)),
            2 => floats.extend(column(data, stride, 0, f32::from_le_bytes).map(T::from)),
            _ => {
                #[allow(clippy::cast_possible_truncation, reason = "the float is the rounded double")]
                let round = |value: f64| value as f32;
                let exact = |value: f64| f64::from(round(value)).to_bits() == value.to_bits();
                let values = column(data, stride, 0, f64::from_le_bytes);
                floats.extend(values.clone().map(|value: [f64; N]| T::from(value.map(round))));
                if !values.clone().all(|value| value.into_iter().all(exact)) {
                    precise = self.budget.vec(count)?;
                    precise.extend(values);
                }
            }
        }
        Ok((floats, precise))
    }

    /// The colours; an empty column if no vertex has one.
    fn read_colors(&mut self, data: &[u8], stride: usize, offset: usize) -> Result<Vec<Rgba8>, ErrorKind> {
        let size = self.types.size(TypeField::Color);
        let mut colors = self.budget.vec(data.len().checked_div(stride).unwrap_or(0))?;
        if size == 4 {
            colors.extend(column(data, stride, offset, |byte: [u8; 1]| byte[0]).map(Rgba8::from));
        } else {
            for record in data.chunks_exact(stride.max(1)) {
                let index = sized(size, after(record, offset)).map_or(0, |(_, index)| index);
                colors.push(self.color(index, size, &[]));
            }
        }
        let any = colors.iter().any(|&color| color != Rgba8::default());
        Ok(if any { colors } else { Vec::new() })
    }

    /// The skins; an empty column if no vertex has one.
    fn read_skins(&mut self, data: &[u8], stride: usize, offset: usize) -> Result<Vec<SkinId>, ErrorKind> {
        let mut skins = self.budget.vec(data.len().checked_div(stride).unwrap_or(0))?;
        let skin = |[id]: [u32; 1]| SkinId(id);
        match self.types.size(TypeField::Skin) {
            1 => skins.extend(column(data, stride, offset, |[q]| wide8(q)).map(skin)),
            2 => skins.extend(column(data, stride, offset, |q| wide16(u16::from_le_bytes(q))).map(skin)),
            _ => skins.extend(column(data, stride, offset, u32::from_le_bytes).map(skin)),
        }
        let any = skins.iter().any(|skin| !skin.is_none());
        Ok(if any { skins } else { Vec::new() })
    }
}

impl Field for TexCoords {
    fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8]) -> Parsed<'a, Self> {
        let stride = [reader.types.size(TypeField::Coord); 2].iter().sum();
        let (tail, whole) = records(data, stride)?;
        let (uvs, precise) = reader.read_numbers::<2, false, _>(whole, stride).here(data)?;
        Ok((tail, Self { uvs, precise }))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        let mut precise = self.precise.iter();
        for uv in &self.uvs {
            writer.numbers("tex_coords.uvs", false, uv.to_array(), precise.next());
        }
        Ok(())
    }
}

impl Field for Vertices {
    fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8]) -> Parsed<'a, Self> {
        let size: usize = [reader.types.size(TypeField::Coord); 4].iter().sum();
        let color = reader.types.size(TypeField::Color);
        let skin = reader.types.size(TypeField::Skin);
        let stride = [size, color, skin].iter().sum();
        let (tail, whole) = records(data, stride)?;
        let mut all = Self::default();
        (all.coords, all.precise) = reader.read_numbers::<4, true, _>(whole, stride).here(data)?;
        if color != 0 {
            all.colors = reader.read_colors(whole, stride, size).here(data)?;
        }
        if skin != 0 {
            all.skins = reader.read_skins(whole, stride, [size, color].iter().sum()).here(data)?;
        }
        Ok((tail, all))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        let mut precise = self.precise.iter();
        let mut colors = self.colors.iter();
        let mut skins = self.skins.iter();
        for coord in &self.coords {
            writer.numbers("vertices.coords", true, coord.to_array(), precise.next());
            writer.color(colors.next().copied().unwrap_or_default());
            writer.index(TypeField::Skin, skins.next().copied().unwrap_or(SkinId::NONE).0);
        }
        Ok(())
    }
}
