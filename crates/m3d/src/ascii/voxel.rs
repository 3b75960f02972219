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
use super::reader::{Reader, Section};
use super::token::{self, at_line_end, expected, is_end, line_end, newline, rows, skip_blanks};
use super::writer::Writer;
use crate::error::Result;
use crate::list::push;
use crate::model::{Voxel, VoxelBlock, VoxelItem, VoxelType};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `VoxTypes`.
    pub(crate) fn read_voxel_types<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, ()> {
        rows(input, |start| {
            let place = self.model.voxel_types.len();
            let (rest, kind) = self.read_voxel_type(start, place).index(place)?;
            push(&mut self.model.voxel_types, kind, &mut self.budget).here(start)?;
            Ok((rest, ()))
        })
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
            let (rest, name) = self.name(input).field("name")?;
            kind.name = name;
            let (rest, skin) = self.voxel_skin(rest, place).field("skin")?;
            (input, kind.skin) = (skip_blanks(rest), skin);
        }
        if let [b'{', rest @ ..] = input {
            input = skip_blanks(rest);
            while !input.starts_with(b"}") {
                let read = self.read_item(input);
                input = skip_blanks(self.add(&mut kind.items, read).field("items")?.0);
            }
            input = input.get(1..).unwrap_or_default();
        }
        Ok((line_end(input)?.0, kind))
    }

    fn read_item<'a>(&mut self, input: &'a [u8]) -> Parsed<'a, VoxelItem> {
        let (rest, count) = token::ranged(input, 0..=65535, "`}` or how many, 0 to 65535").field("count")?;
        let (rest, name) = self.name(rest).field("name")?;
        Ok((rest, VoxelItem { count: u16::try_from(count).unwrap_or(0), name }))
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
        let most = filled.saturating_add(width);
        let mut input = start;
        loop {
            input = skip_blanks(input);
            if let Some(rest) = newline(input) {
                return Ok((rest, ()));
            }
            if block.voxels.len() >= most {
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
    }
}

impl Section for VoxelBlock {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let (_, name) = reader.rest(head).field("name")?;
        let mut block = Self { name, ..Self::default() };
        let mut layers = 0_usize;
        let (rest, ()) = rows(input, |start| {
            let word = token::token(start, "").map_or((start, &[] as &[u8]), |word| word);
            match word {
                (rest, b"uncertain") => read_uncertainty(rest, &mut block),
                (mut rest, b"pos") => {
                    for coordinate in &mut block.position {
                        (rest, *coordinate) = token::int(rest, "a position in voxels").field("position")?;
                    }
                    line_end(rest).field("position")
                }
                (mut rest, b"dim") => {
                    for extent in &mut block.size {
                        (rest, *extent) = token::unsigned(rest, "a size in voxels").field("size")?;
                    }
                    line_end(rest).field("size")
                }
                (rest, b"layer") => {
                    if !block.voxels.is_empty() && block.voxels.len() != voxels_of(&block, layers) {
                        return Err(expected(start, "as many rows in a layer as `dim` wants"));
                    }
                    layers = layers.saturating_add(1);
                    line_end(rest)
                }
                _ => reader.read_row(start, &mut block, layers).field("voxels"),
            }
        })?;
        Ok((rest, block))
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        self.writable()?;
        writer.head(&self.name);
        if self.uncertainty != 0 || self.group != 0 {
            // Tenths are enough for 255 steps. Rounded up, they are right for readers that round and for
            // those that cut off.
            let tenths = u32::from(self.uncertainty).saturating_mul(1000).saturating_add(254) / 255;
            writer.put("uncertain ");
            #[allow(clippy::cast_precision_loss, reason = "at most 1000")]
            writer.f32(tenths as f32 / 10.0);
            if self.group != 0 {
                writer.put(" ");
                writer.unsigned(self.group.into());
            }
            writer.line();
        }
        if self.position != [0; 3] {
            writer.put("pos");
            for coordinate in self.position {
                writer.put(" ");
                writer.int(coordinate.into());
            }
            writer.line();
        }
        writer.put("dim");
        for extent in self.size {
            writer.put(" ");
            writer.unsigned(extent);
        }
        writer.line();
        let [width, _, depth] = self.size.map(|extent| extent as usize);
        for (index, row) in self.voxels.chunks(width.max(1)).enumerate() {
            if index.checked_rem(depth) == Some(0) {
                writer.put("layer");
                writer.line();
            }
            for (place, &voxel) in row.iter().enumerate() {
                if place != 0 {
                    writer.put(" ");
                }
                match voxel {
                    Voxel::UNSET => writer.put("."),
                    Voxel::CLEAR => writer.put("-"),
                    Voxel(id) => writer.unsigned(id.into()),
                }
            }
            writer.line();
        }
        Ok(())
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
    let (rest, percent) = number::read_f32(input, "a percentage").field("uncertainty")?;
    if !(0.0..=100.0).contains(&percent) {
        return Err(expected(input, "a percentage")).field("uncertainty");
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
            kind.writable().index(place)?;
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
                self.skin(kind.skin, false).field("skin").index(place)?;
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
}
