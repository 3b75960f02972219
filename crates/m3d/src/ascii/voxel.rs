//! Sections `VoxTypes` and `Voxel`.
//!
//! | `VoxTypes` row | |
//! |---|---|
//! | `#AABBGGRR[/rotation[/shape]] [name] [bone[:weight] …] [{ count name … }]` | a type: rotation and shape are hexadecimal, `-` is no name |
//!
//! | `Voxel` row | what |
//! |---|---|
//! | `uncertain percent [group]` | how likely the block is left out |
//! | `pos x y z` | where it begins |
//! | `dim w h d` | how large it is |
//! | `layer` | the next layer, from below |
//! | w voxels | a row of the layer, from the far end: indices, `.` is not set, `-` is cleared |

use super::number;
use super::reader::Reader;
use super::token::{self, at_line_end, expected, is_end, line_end, row, skip_blanks};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{Voxel, VoxelBlock, VoxelItem, VoxelType};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `VoxTypes`.
    pub(crate) fn read_voxel_types<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => return Ok((rest, ())),
            };
            let place = self.model.voxel_types.len();
            let (rest, kind) = self.read_voxel_type(start, place).index(place)?;
            push(&mut self.model.voxel_types, kind, &mut self.budget).here(start)?;
            input = rest;
        }
    }

    fn read_voxel_type<'a>(&mut self, start: &'a [u8], place: usize) -> Parsed<'a, VoxelType> {
        let mut kind = VoxelType::default();
        let mut input;
        (input, kind.color) = token::color(start).field("color")?;
        if let [b'/', rest @ ..] = input {
            input = rest;
            if input.first().is_some_and(|&byte| byte != b'/' && !is_end(byte)) {
                let (rest, rotation) =
                    hex_up_to(input, 0xff, "a rotation as hexadecimal byte").field("rotation")?;
                // Bit 6 belongs to the shape, as in the binary format.
                kind.shape = (rotation & 0x40) << 2;
                kind.rotation = u8::try_from(rotation & 0xbf).unwrap_or(0);
                input = rest;
            }
            if let [b'/', rest @ ..] = input
                && rest.first().is_none_or(|&byte| is_end(byte))
            {
                input = rest;
            } else if let [b'/', rest @ ..] = input {
                let (rest, shape) = hex_up_to(rest, 0x1ff, "a shape of 0 to 1ff").field("shape")?;
                kind.shape |= shape;
                input = rest;
            }
        }
        if input.first().is_some_and(|&byte| !is_end(byte)) {
            return Err(expected(input, "a blank or the end of the line"));
        }
        input = skip_blanks(input);
        if !at_line_end(input) && !input.starts_with(b"{") {
            let (rest, name) = self.token(input, "a name").field("name")?;
            let dash = input.starts_with(b"-") && name == "-";
            kind.name = if dash { Default::default() } else { name };
            let (rest, skin) = self.voxel_skin(rest, place).field("skin")?;
            (input, kind.skin) = (skip_blanks(rest), skin);
        }
        if let [b'{', rest @ ..] = input {
            input = rest;
            loop {
                let start = skip_blanks(input);
                if let [b'}', rest @ ..] = start {
                    input = rest;
                    break;
                }
                let (rest, item) = self.read_item(start).index(kind.items.len()).field("items")?;
                push(&mut kind.items, item, &mut self.budget).here(start)?;
                input = rest;
            }
        }
        Ok((line_end(input)?.0, kind))
    }

    fn read_item<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, VoxelItem> {
        let (rest, count) = token::ranged(input, 0..=65535, "`}` or how many, 0 to 65535").field("count")?;
        let start = skip_blanks(rest);
        let (rest, name) = self.token(start, "a name").field("name")?;
        let dash = start.starts_with(b"-") && name == "-";
        let name = if dash { Default::default() } else { name };
        Ok((rest, VoxelItem { count: u16::try_from(count).unwrap_or(0), name }))
    }

    /// Section `Voxel`.
    pub(crate) fn read_voxels<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let (_, name) = self.rest(head).field("name")?;
        let mut block = VoxelBlock { name, ..VoxelBlock::default() };
        let mut layers = 0_usize;
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    push(&mut self.model.voxel_blocks, block, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            let word = token::token(start, "").map_or((start, &[] as &[u8]), |word| word);
            input = match word {
                (rest, b"uncertain") => read_uncertainty(rest, &mut block)?.0,
                (rest, b"pos") => {
                    let mut input = rest;
                    for coordinate in &mut block.position {
                        const RANGE: std::ops::RangeInclusive<i64> = -0x8000_0000..=0x7fff_ffff;
                        let (rest, value) =
                            token::ranged(input, RANGE, "a position in voxels").field("pos")?;
                        (input, *coordinate) = (rest, i32::try_from(value).unwrap_or(0));
                    }
                    line_end(input).field("pos")?.0
                }
                (rest, b"dim") => {
                    let mut input = rest;
                    for extent in &mut block.size {
                        (input, *extent) = token::unsigned(input, "a size in voxels").field("dim")?;
                    }
                    line_end(input).field("dim")?.0
                }
                (rest, b"layer") => {
                    if !block.voxels.is_empty() && block.voxels.len() != voxels_of(&block, layers) {
                        return Err(expected(start, "as many rows in a layer as `dim` wants"));
                    }
                    layers = layers.saturating_add(1);
                    line_end(rest)?.0
                }
                _ => self.read_row(start, &mut block, layers).field("voxels")?.0,
            };
        }
    }

    /// A row of voxels. Only the last one may be short: so no row allocates what it does not say.
    fn read_row<'a>(&mut self, start: &'a [u8], block: &mut VoxelBlock, layers: usize) -> Parsed<'a, ()> {
        const WHAT: &str = "a voxel: an index below 65534, `.` or `-`";
        let width = block.size.first().map_or(0, |&width| width as usize);
        let filled = block.voxels.len();
        if !matches!(start.first(), Some(b'0'..=b'9' | b'.' | b'-')) {
            return Err(expected(start, "`uncertain`, `pos`, `dim`, `layer` or a row of voxels"));
        }
        if width == 0 || filled >= voxels_of(block, layers) {
            return Err(expected(start, "`layer`, and no more rows than `dim` allows"));
        }
        if filled.checked_rem(width) != Some(0) {
            return Err(expected(start, "an empty line after a row of fewer voxels than `dim` wants"));
        }
        let mut input = start;
        while !at_line_end(input) {
            input = skip_blanks(input);
            if block.voxels.len().saturating_sub(filled) >= width {
                return Err(expected(input, "no more voxels in a row than `dim` allows"));
            }
            let (rest, voxel) = match input {
                [b'.', rest @ ..] => (rest, Voxel::UNSET),
                [b'-', rest @ ..] if rest.first().is_none_or(|&byte| is_end(byte)) => (rest, Voxel::CLEAR),
                _ => match token::index(input, WHAT)? {
                    (rest, u32::MAX) => (rest, Voxel::UNSET),
                    (rest, id) if id == u32::MAX.wrapping_sub(1) => (rest, Voxel::CLEAR),
                    (rest, id) => match u16::try_from(id) {
                        Ok(id) if id < Voxel::CLEAR.0 => (rest, Voxel(id)),
                        _ => return Err(expected(input, WHAT)),
                    },
                },
            };
            if rest.first().is_some_and(|&byte| !is_end(byte)) {
                return Err(expected(input, WHAT));
            }
            push(&mut block.voxels, voxel, &mut self.budget).here(input)?;
            input = rest;
        }
        line_end(input)
    }
}

/// How many voxels so many layers hold.
fn voxels_of(block: &VoxelBlock, layers: usize) -> usize {
    let [width, height, depth] = block.size.map(|extent| extent as usize);
    width.saturating_mul(depth).saturating_mul(layers.min(height))
}

fn hex_up_to<'a>(input: &'a [u8], most: u16, what: &str) -> Parsed<'a, u16> {
    let (rest, value) = token::hex(input, what)?;
    match u16::try_from(value) {
        Ok(value) if value <= most => Ok((rest, value)),
        _ => Err(expected(input, what)),
    }
}

fn read_uncertainty<'a>(input: &'a [u8], block: &mut VoxelBlock) -> Parsed<'a, ()> {
    let input = skip_blanks(input);
    let (rest, percent) = number::read_f32(input, "a percentage").field("uncertain")?;
    if !(0.0..=100.0).contains(&percent) {
        return Err(expected(input, "a percentage")).field("uncertain");
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255, cut off as the SDK does"
    )]
    let uncertainty = (f64::from(percent) * 255.0 / 100.0 + 1e-4) as u8;
    block.uncertainty = uncertainty;
    if at_line_end(rest) {
        return line_end(rest);
    }
    let (rest, group) = token::ranged(rest, 0..=255, "a group, 0 to 255").field("group")?;
    block.group = u8::try_from(group).unwrap_or(0);
    line_end(rest)
}

impl Writer<'_> {
    /// Section `VoxTypes`.
    pub(crate) fn write_voxel_types(&mut self) -> Result<()> {
        use std::io::Write as _;
        for (place, kind) in self.model.voxel_types.iter().enumerate() {
            let unwritable =
                |field, what| Err(Error::unwritable(format!("voxel_types[{place}].{field}"), what));
            if kind.rotation & 0x40 != 0 {
                return unwritable("rotation", "bit 6, which belongs to the shape");
            }
            if kind.shape > 0x1ff {
                return unwritable("shape", "a shape above 511");
            }
            self.color(kind.color);
            // Writing into a vector cannot fail.
            let _infallible = match (kind.rotation, kind.shape) {
                (0, 0) => Ok(()),
                (rotation, 0) => write!(self.out, "/{rotation:02x}"),
                (0, shape) => write!(self.out, "//{shape:03x}"),
                (rotation, shape) => write!(self.out, "/{rotation:02x}/{shape:03x}"),
            };
            if !kind.name.is_empty() || !kind.skin.is_none() || !kind.items.is_empty() {
                self.put(" ");
                self.token(&kind.name);
            }
            if !kind.skin.is_none() {
                self.skin(kind.skin, false, || format!("voxel_types[{place}].skin"))?;
            }
            if !kind.items.is_empty() {
                self.put(" {");
                for item in &kind.items {
                    self.put(" ");
                    self.unsigned(item.count.into());
                    self.put(" ");
                    self.token(&item.name);
                }
                self.put(" }");
            }
            self.line();
        }
        Ok(())
    }

    /// Section `Voxel`.
    pub(crate) fn write_voxels(&mut self, block: &VoxelBlock, place: usize) -> Result<()> {
        if block.uncertainty != 0 || block.group != 0 {
            // Tenths are enough for 255 steps. Rounded up, they are right for readers that round and for
            // those that cut off.
            let tenths = u32::from(block.uncertainty).saturating_mul(1000).saturating_add(254) / 255;
            self.put("uncertain ");
            #[allow(clippy::cast_precision_loss, reason = "at most 1000")]
            self.f32(tenths as f32 / 10.0);
            if block.group != 0 {
                self.put(" ");
                self.unsigned(block.group.into());
            }
            self.line();
        }
        if block.position != [0; 3] {
            self.put("pos");
            for coordinate in block.position {
                self.put(" ");
                self.int(coordinate.into());
            }
            self.line();
        }
        self.put("dim");
        for extent in block.size {
            self.put(" ");
            self.unsigned(extent);
        }
        self.line();
        if block.voxels.len() > voxels_of(block, usize::MAX) {
            return Err(Error::unwritable(
                format!("voxel_blocks[{place}].voxels"),
                "more voxels than its size has",
            ));
        }
        let [width, _, depth] = block.size.map(|extent| extent as usize);
        for (index, row) in block.voxels.chunks(width.max(1)).enumerate() {
            if index.checked_rem(depth) == Some(0) {
                self.put("layer");
                self.line();
            }
            for (place, &voxel) in row.iter().enumerate() {
                if place != 0 {
                    self.put(" ");
                }
                match voxel {
                    Voxel::UNSET => self.put("."),
                    Voxel::CLEAR => self.put("-"),
                    Voxel(id) => self.unsigned(id.into()),
                }
            }
            self.line();
        }
        Ok(())
    }
}
