//! What every chunk needs while it is written: the widths, the strings, the colours, and which of the
//! widths turned out to be too narrow.

use bstr::BStr;
use geom::Rgba8;

use super::colors::ColorTable;
use super::names::{Cursor, NameTable};
use crate::consts::{Tag, TypeField, Types};
use crate::error::{Error, Result};

/// The state of a write.
#[derive(Debug)]
pub(crate) struct Writer<'m> {
    pub(crate) out: Vec<u8>,
    pub(crate) types: Types,
    pub(crate) names: &'m NameTable,
    pub(crate) name_cursor: Cursor,
    pub(crate) colors: ColorTable,
    /// Coordinates may be rounded to their width.
    pub(crate) round: bool,
    /// How many shape commands were written, and which of them want two bytes.
    pub(crate) commands: u32,
    pub(crate) long_commands: &'m [u32],
    narrow: u32,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(out: Vec<u8>, types: Types, names: &'m NameTable, colors: ColorTable) -> Self {
        Self {
            out,
            types,
            names,
            name_cursor: Cursor::default(),
            colors,
            round: false,
            commands: 0,
            long_commands: &[],
            narrow: 0,
        }
    }

    /// Notes that a width does not hold what must be written. The caller writes anything, and all is
    /// written again with another width.
    #[cold]
    pub(crate) fn too_narrow(&mut self, field: TypeField) {
        self.narrow |= 1 << field as u8;
    }

    /// The first width that is too narrow.
    pub(crate) fn narrow(&self) -> Option<TypeField> {
        TypeField::ALL.into_iter().find(|&field| self.narrow & 1 << field as u8 != 0)
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// An index: of -1 and -2 the lower bytes are what they are in every width.
    pub(crate) fn index(&mut self, field: TypeField, value: u32) {
        let size = self.types.size(field);
        if !index_fits(size, value) {
            self.too_narrow(field);
        }
        self.put(value.to_le_bytes().get(..size).unwrap_or_default());
    }

    /// A count. In one and two bytes the two highest are left alone: others take them for -1 and -2.
    pub(crate) fn count(&mut self, field: TypeField, len: usize, path: &'static str) -> Result<()> {
        let value = u32::try_from(len)
            .map_err(|_| Error::unwritable(path, format!("{len} of them: a count has 32 bits")))?;
        match self.types.size(field) {
            0 if value != 0 => self.too_narrow(field),
            size => {
                if size != 0 && !index_fits(size, value) {
                    self.too_narrow(field);
                }
                self.put(value.to_le_bytes().get(..size).unwrap_or_default());
            }
        }
        Ok(())
    }

    pub(crate) fn name(&mut self, name: &BStr) {
        let place = self.names.place(&mut self.name_cursor, name);
        self.index(TypeField::Name, place);
    }

    pub(crate) fn color(&mut self, color: Rgba8) {
        let size = self.types.size(TypeField::Color);
        match size {
            0 if color == Rgba8::default() => {}
            0 => self.too_narrow(TypeField::Color),
            4 => self.put(&color.to_array()),
            _ => match self.colors.index(color) {
                Some(index) if size != 1 || index < 256 => {
                    self.put(index.to_le_bytes().get(..size).unwrap_or_default());
                }
                _ => self.too_narrow(TypeField::Color),
            },
        }
    }

    pub(crate) fn coord(&mut self, value: f64) {
        let bits = self.types.get(TypeField::Coord);
        let (bytes, len, exact) = coord_bytes(bits, value);
        let rounded = self.round && in_range(bits, value);
        if !exact && !rounded {
            self.too_narrow(TypeField::Coord);
        }
        self.put(bytes.get(..len).unwrap_or_default());
    }

    /// A chunk: its head, what `body` writes, and the size once that is known.
    pub(crate) fn chunk(
        &mut self,
        tag: Tag,
        path: &'static str,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let start = self.out.len();
        self.put(&tag.0);
        self.put(&[0; 4]);
        body(self)?;
        let size = self.out.len().saturating_sub(start);
        let size = u32::try_from(size).map_err(|_| Error::unwritable(path, "a chunk of more than 4 GiB"))?;
        if let Some(place) = self.out.get_mut(start.saturating_add(4)..).and_then(|out| out.first_chunk_mut())
        {
            *place = size.to_le_bytes();
        }
        Ok(())
    }
}

/// Whether a width of so many bytes can represent an index.
#[inline(always)]
pub(crate) const fn index_fits(size: usize, value: u32) -> bool {
    match size {
        0 => value == u32::MAX,
        1 => value < 0xfe || value >= 0xffff_fffe,
        2 => value < 0xfffe || value >= 0xffff_fffe,
        _ => true,
    }
}

/// A coordinate in a width: the bytes, how many of them, and whether they are the value exactly.
#[allow(clippy::cast_possible_truncation, reason = "rounded and clamped, and then compared")]
#[inline]
pub(crate) fn coord_bytes(bits: u8, value: f64) -> ([u8; 8], usize, bool) {
    let mut bytes = [0; 8];
    let short = value as f32;
    let is_float = f64::from(short).to_bits() == value.to_bits();
    let mut put = |from: &[u8]| bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    let (len, exact) = match bits {
        0 => {
            let q = round(short, 127.0) as i8;
            put(&q.to_le_bytes());
            (1, is_float && (f32::from(q) / 127.0).to_bits() == short.to_bits())
        }
        1 => {
            let q = round(short, 32767.0) as i16;
            put(&q.to_le_bytes());
            (2, is_float && (f32::from(q) / 32767.0).to_bits() == short.to_bits())
        }
        2 => {
            put(&short.to_le_bytes());
            (4, is_float)
        }
        _ => {
            put(&value.to_le_bytes());
            (8, true)
        }
    };
    (bytes, len, exact)
}

/// A texture coordinate in a width: as [`coord_bytes`], but without a sign.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as above")]
#[inline]
pub(crate) fn tex_coord_bytes(bits: u8, value: f64) -> ([u8; 8], usize, bool) {
    let short = value as f32;
    let is_float = f64::from(short).to_bits() == value.to_bits();
    match bits {
        0 => {
            let q = round(short, 255.0) as u8;
            let exact = is_float && (f32::from(q) / 255.0).to_bits() == short.to_bits();
            ([q, 0, 0, 0, 0, 0, 0, 0], 1, exact)
        }
        1 => {
            let q = round(short, 65535.0) as u16;
            let [low, high] = q.to_le_bytes();
            let exact = is_float && (f32::from(q) / 65535.0).to_bits() == short.to_bits();
            ([low, high, 0, 0, 0, 0, 0, 0], 2, exact)
        }
        _ => coord_bytes(bits, value),
    }
}

/// A number in steps, half away from zero.
#[inline(always)]
fn round(value: f32, steps: f32) -> f32 {
    (value * steps).round()
}

/// Whether a coordinate may be rounded to a width.
pub(crate) fn in_range(bits: u8, value: f64) -> bool {
    match bits {
        0 | 1 => (-1.0..=1.0).contains(&value),
        _ => true,
    }
}
