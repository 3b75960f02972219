//! Chunks `VOXT` and `VOXD`: types of voxels, and blocks of them.
//!
//! | `VOXT` record | `VOXD` |
//! |---|---|
//! | `ci_t` colour | `si_t` name |
//! | `si_t` name | `vd_t` position x, y, z (signed) |
//! | 1 rotation; bit 6 is bit 8 of the shape | `vd_t` size x, y, z (unsigned) |
//! | 1 shape | 1 uncertainty |
//! | 1 number of items | 1 group |
//! | `sk_t` skin, if `sk_t` has a width | runs of voxels up to the end of the chunk |
//! | each item: u16 count, `si_t` name | |

use bstr::BString;
use geom::Rgba8;
use nom::number::complete::le_u8;

use super::reader::Reader;
use super::record::Field;
use super::runs;
use super::width::{Width, plain_need};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::model::{SkinId, VoxelBlock, VoxelType};
use geom::wire::{At, Parsed, Result};

impl Field for VoxelType {
    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, color) = Rgba8::read(reader, input).field("color")?;
        let (input, name) = BString::read(reader, input).field("name")?;
        let (input, rotation) = le_u8(input).field("rotation")?;
        let (input, shape) = le_u8(input).field("shape")?;
        let (input, count) = le_u8(input).field("count").field("items")?;
        let (input, skin) = SkinId::read(reader, input).field("skin")?;
        let (input, items) = reader.list(input, count.into()).field("items")?;
        let shape = u16::from(shape) | u16::from(rotation & 0x40) << 2;
        Ok((input, Self { color, name, rotation: rotation & !0x40, shape, skin, items }))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        let [shape, high] = self.shape.to_le_bytes();
        self.writable()?;
        self.color.write(writer)?;
        self.name.write(writer).field("name")?;
        writer.put(&[self.rotation | high << 6, shape]);
        writer.count(Width::Bytes(1), self.items.len()).field("items")?;
        self.skin.write(writer)?;
        self.items.write(writer).field("items")
    }
}

impl Field for VoxelBlock {
    fn read<'a>(reader: &mut Reader<'a>, data: &'a [u8]) -> Parsed<'a, Self> {
        let (mut input, name) = BString::read(reader, data).field("name")?;
        let mut block = Self { name, ..Self::default() };
        for to in &mut block.position {
            let (rest, value) = reader.plain(TypeField::VoxelDim, input).field("position")?;
            let [a, b, ..] = value.to_le_bytes();
            *to = match reader.types.size(TypeField::VoxelDim) {
                1 => i8::from_le_bytes([a]).into(),
                2 => i16::from_le_bytes([a, b]).into(),
                _ => value.cast_signed(),
            };
            input = rest;
        }
        for to in &mut block.size {
            (input, *to) = reader.plain(TypeField::VoxelDim, input).field("size")?;
        }
        (input, block.uncertainty) = le_u8(input).field("uncertainty")?;
        (input, block.group) = le_u8(input).field("group")?;
        let size = reader.types.size(TypeField::Voxel);
        reader.choice(&[]);
        let volume = block.volume().unwrap_or(usize::MAX);
        block.voxels = runs::unpack(input, size, volume, &mut reader.budget).field("voxels")?.1;
        Ok((&[], block))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        self.writable()?;
        self.name.write(writer).field("name")?;
        for value in self.position {
            // The sign takes one bit: the range of one byte is -128 to 127.
            let need = plain_need(if value < 0 { !value } else { value }.cast_unsigned() << 1);
            writer.sized(TypeField::VoxelDim, value.cast_unsigned(), need.max((value != 0).into()));
        }
        for value in self.size {
            writer.sized(TypeField::VoxelDim, value, plain_need(value));
        }
        writer.put(&[self.uncertainty, self.group]);
        writer.voxels(&self.voxels, self.volume().unwrap_or(usize::MAX));
        Ok(())
    }
}
