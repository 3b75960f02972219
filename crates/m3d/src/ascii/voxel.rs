//! Sections `VoxTypes` and `Voxel`.
//!
//! | `VoxTypes` row | |
//! |---|---|
//! | `#AABBGGRR[/rotation[/shape]] [name] [bone[:weight] …] [{ count name … }]` | a type: rotation and shape are hexadecimal, `-` is no name |
//!
//! | `Voxel` row | what |
//! |---|---|
//! | `uncertain percent [group]` | the probability that the block is left out |
//! | `pos x y z` | the position of the block |
//! | `dim w h d` | the size of the block |
//! | `layer` | begins the next layer; the lowest is the first |
//! | w voxels | a row of the layer, from the far end: an index for each, `.` if not set, `-` if cleared |

use super::number::thousandths;
use super::reader::{Read, Reader, Section};
use super::token::{self, at_line_end, expected, is_end, newline, skip_blanks};
use super::writer::Writer;
use crate::model::{SectionKind, SkinId, TextLayout, Voxel, VoxelBlock, VoxelItem, VoxelType};
use geom::wire::{At, Counted, Fail, Result};

impl Section for Vec<VoxelType> {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        while reader.row() {
            reader.entry(self, read_type)?;
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        use std::io::Write as _;
        for (index, kind) in self.iter().enumerate() {
            kind.writable().index(index)?;
            writer.color(kind.color);
            // Writing into a vector cannot fail.
            let _infallible = match (kind.rotation, kind.shape) {
                (0, 0) => Ok(()),
                (rotation, 0) => write!(writer.out, "/{rotation:02x}"),
                (0, shape) => write!(writer.out, "//{shape:03x}"),
                (rotation, shape) => write!(writer.out, "/{rotation:02x}/{shape:03x}"),
            };
            if !kind.name.is_empty() || !kind.skin.is_none() || !kind.items.is_empty() {
                writer.token(&kind.name);
            }
            writer.voxel_skin(kind.skin).index(index)?;
            if !kind.items.is_empty() {
                writer.put(" {");
                for item in &kind.items {
                    writer.put(" ");
                    writer.unsigned(item.count.into());
                    writer.token(&item.name);
                }
                writer.put(" }");
            }
            writer.line();
        }
        Ok(())
    }
}

fn read_type<'a>(reader: &mut Reader<'a>) -> Read<'a, VoxelType> {
    let mut kind = VoxelType { color: reader.color().field("color")?, ..VoxelType::default() };
    if let [b'/', rest @ ..] = reader.input {
        reader.input = rest;
        if rest.first().is_some_and(|&byte| byte != b'/' && !is_end(byte)) {
            let rotation =
                hex_up_to(reader, 0xff, "a hexadecimal rotation from 0 to ff").field("rotation")?;
            // Bit 6 belongs to the shape, as in the binary format.
            kind.shape = (rotation & 0x40) << 2;
            kind.rotation = (rotation & 0xbf).to_le_bytes()[0];
        }
        if let [b'/', rest @ ..] = reader.input {
            reader.input = rest;
            if rest.first().is_some_and(|&byte| !is_end(byte)) {
                kind.shape |= hex_up_to(reader, 0x1ff, "a hexadecimal shape from 0 to 1ff").field("shape")?;
            }
        }
    }
    if reader.input.first().is_some_and(|&byte| !is_end(byte)) {
        return Err(reader.expected("a space or the end of the line"));
    }
    reader.input = skip_blanks(reader.input);
    if !at_line_end(reader.input) && !reader.input.starts_with(b"{") {
        kind.name = reader.name().field("name")?;
        kind.skin = reader.skin().field("skin")?.unwrap_or(SkinId::NONE);
    }
    if reader.sign(b'{') {
        while !reader.sign(b'}') {
            reader.entry(&mut kind.items, read_item).field("items")?;
        }
    }
    reader.line_end()?;
    Ok(kind)
}

fn read_item<'a>(reader: &mut Reader<'a>) -> Read<'a, VoxelItem> {
    let count = reader.int(0..=65535, "`}` or an item count from 0 to 65535").field("count")?;
    reader.input = skip_blanks(reader.input);
    if reader.input.starts_with(b"}") {
        return Err(reader.expected("the name of an item")).field("name");
    }
    Ok(VoxelItem { count, name: reader.name().field("name")? })
}

impl Reader<'_> {
    /// Records a `layer` row after the last layer of the block that is read.
    fn surplus_layer(&mut self) {
        let TextLayout { sections, surplus_layers, .. } = &mut self.layout;
        let blocks = || sections.iter().filter(|section| section.kind == SectionKind::Voxels).count();
        let (_, count) = surplus_layers.get_or_insert_with(|| (blocks().saturating_sub(1), 0));
        *count = count.saturating_add(1);
    }
}

fn hex_up_to<'a>(reader: &mut Reader<'a>, most: u16, what: &str) -> Read<'a, u16> {
    let start = reader.input;
    let value = reader.parse(|input| token::hex(input, what))?;
    u16::try_from(value).ok().filter(|&value| value <= most).ok_or_else(|| expected(start, what))
}

/// Reads a row of voxels. Only the last row may be short, so that no row allocates more than its text allows.
fn read_row<'a>(reader: &mut Reader<'a>, block: &mut VoxelBlock, layers: usize) -> Read<'a, ()> {
    const WHAT: &str = "a voxel (a type index below 65534, `.` or `-`)";
    let width = block.size.first().map_or(0, |&width| width as usize);
    let filled = block.voxels.len();
    if !matches!(reader.input.first(), Some(b'0'..=b'9' | b'.' | b'-')) {
        return Err(reader.expected("`uncertain`, `pos`, `dim`, `layer` or a row of voxels"));
    }
    if width == 0 || voxels_of(block, layers).is_some_and(|most| filled >= most) {
        let [_, height, depth] = block.size;
        let rows = Counted(depth.into(), "rows of voxels");
        return Err(reader.expected(&match (width, layers) {
            (0, _) => "`dim` with a width above 0 before the first row of voxels".to_owned(),
            (_, 0) => "`layer` before the first row of voxels".to_owned(),
            _ if layers < height as usize => format!("`layer` after {rows} (the depth in `dim`)"),
            _ => {
                let all = Counted(height.into(), "layers");
                format!("an empty line after the last row (`dim {width} {height} {depth}`: {all} of {rows})")
            }
        }));
    }
    if let Some(short) = filled.checked_rem(width).filter(|&short| short != 0) {
        let voxels = Counted::new(width, "voxels");
        let what = format!(
            "expected {voxels} in the row before this one (the width in `dim`; only the last row may be shorter), \
             found {short}"
        );
        return Err(Fail::invalid(reader.input, what));
    }
    let mut left = width;
    loop {
        let input = skip_blanks(reader.input);
        if let Some(rest) = newline(input) {
            reader.input = rest;
            return Ok(());
        }
        let Some(less) = left.checked_sub(1) else {
            let voxels = Counted::new(width, "voxels");
            return Err(expected(input, &format!("the end of the row after {voxels} (the width in `dim`)")));
        };
        left = less;
        let (rest, voxel) = match input {
            [b'.', rest @ ..] => (rest, Voxel::UNSET),
            [b'-', rest @ ..] if rest.first().is_none_or(|&byte| is_end(byte)) => (rest, Voxel::CLEAR),
            _ => match token::index(input, WHAT)? {
                (_, 0xfffe..0xffff_fffe) => return Err(expected(input, WHAT)),
                #[allow(clippy::cast_possible_truncation, reason = "-1 and -2 stay what they are")]
                (rest, id) => (rest, Voxel(id as u16)),
            },
        };
        if rest.first().is_some_and(|&byte| !is_end(byte)) {
            return Err(expected(input, WHAT));
        }
        reader.input = rest;
        reader.push(&mut block.voxels, voxel)?;
    }
}

impl Section for VoxelBlock {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.name = reader.rest().field("name")?;
        let mut layers = 0_usize;
        while reader.row() {
            let start = reader.input;
            if reader.word(b"uncertain") {
                read_uncertainty(reader, self)?;
            } else if reader.word(b"pos") {
                for coordinate in &mut self.position {
                    let range = i32::MIN.into()..=i32::MAX.into();
                    let what = "a position in voxels (a whole number from -2147483648 to 2147483647)";
                    *coordinate = reader.int(range, what).field("position")?;
                }
                reader.line_end().field("position")?;
            } else if reader.word(b"dim") {
                for extent in &mut self.size {
                    *extent = reader
                        .unsigned("a size in voxels (a whole number from 0 to 4294967295)")
                        .field("size")?;
                }
                reader.line_end().field("size")?;
            } else if reader.word(b"layer") {
                let [width, height, depth] = self.size;
                if layers != 0 && Some(self.voxels.len()) != voxels_of(self, layers) {
                    let (rows, row) = (Counted(depth.into(), "rows"), Counted(width.into(), "voxels"));
                    let what = format!("{rows} of {row} (the size in `dim`) before the next layer");
                    return Err(expected(start, &what));
                }
                if layers >= height as usize {
                    reader.surplus_layer();
                }
                layers = layers.saturating_add(1);
                reader.line_end()?;
            } else {
                read_row(reader, self, layers).field("voxels")?;
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        self.writable()?;
        writer.head(&self.name);
        if self.uncertainty != 0 || self.group != 0 {
            let percent = thousandths(self.uncertainty) / 10.0;
            match self.group {
                0 => writer.row(format_args!("uncertain {percent}")),
                group => writer.row(format_args!("uncertain {percent} {group}")),
            }
        }
        if self.position != [0; 3] {
            let [x, y, z] = self.position;
            writer.row(format_args!("pos {x} {y} {z}"));
        }
        let [width, height, depth] = self.size;
        writer.row(format_args!("dim {width} {height} {depth}"));
        for (index, row) in self.voxels.chunks(width.max(1) as usize).enumerate() {
            if index.checked_rem(depth as usize) == Some(0) {
                writer.row(format_args!("layer"));
            }
            for (index, &voxel) in row.iter().enumerate() {
                if index != 0 {
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

/// The number of voxels in a number of layers; `None` if it exceeds a `usize`.
fn voxels_of(block: &VoxelBlock, layers: usize) -> Option<usize> {
    let [width, height, depth] = block.size.map(|extent| extent as usize);
    width.checked_mul(depth)?.checked_mul(layers.min(height))
}

fn read_uncertainty<'a>(reader: &mut Reader<'a>, block: &mut VoxelBlock) -> Read<'a, ()> {
    let start = skip_blanks(reader.input);
    let percent = reader.number("a percentage from 0 to 100").field("uncertainty")?.float;
    if !(0.0..=100.0).contains(&percent) {
        return Err(expected(start, "a percentage from 0 to 100")).field("uncertainty");
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255, cut off as the SDK does"
    )]
    let uncertainty = (f64::from(percent) * 255.0 / 100.0 + 1e-4) as u8;
    block.uncertainty = uncertainty;
    if !at_line_end(reader.input) {
        block.group = reader.int(0..=255, "a group number from 0 to 255").field("group")?;
    }
    reader.line_end()
}
