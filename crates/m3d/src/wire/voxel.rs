//! Chunks `VOXT` and `VOXD`: types of voxels, and blocks of them.
//!
//! | `VOXT` record | `VOXD` |
//! |---|---|
//! | `ci_t` colour | `si_t` name |
//! | `si_t` name | `vd_t` position x, y, z (signed) |
//! | 1 rotation; bit 6 is bit 8 of the shape | `vd_t` size x, y, z (unsigned) |
//! | 1 shape | 1 uncertainty |
//! | 1 how many items | 1 group |
//! | `sk_t` skin, where that has a width | runs up to the end |
//! | each item: u16 count, `si_t` name | |
//!
//! A run is a byte and voxels (`vp_t`): with bit 7 unset, one more voxels than the byte; with bit
//! 7 set, one voxel that is there one more times than the lower seven bits.

use bstr::ByteSlice;
use nom::number::complete::{le_u8, le_u16};

use super::fail::{At, Fail, Here, Parsed};
use super::reader::{Reader, sized_index};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::list::{push, room};
use crate::model::{Voxel, VoxelBlock, VoxelItem, VoxelType};

impl<'a> Reader<'a> {
    pub(crate) fn read_voxel_types(&mut self, data: &'a [u8]) -> Parsed<'a, Vec<VoxelType>> {
        let mut types = Vec::new();
        let mut input = data;
        while !input.is_empty() {
            let (rest, voxel) = self.read_voxel_type(input).index(types.len()).field("voxel_types")?;
            push(&mut types, voxel, &mut self.budget).here(input).field("voxel_types")?;
            input = rest;
        }
        Ok((input, types))
    }

    fn read_voxel_type(&mut self, input: &'a [u8]) -> Parsed<'a, VoxelType> {
        let (input, color) = self.color(input).field("color")?;
        let (input, name) = self.name(input).field("name")?;
        let (input, rotation) = le_u8(input).field("rotation")?;
        let (input, shape) = le_u8(input).field("shape")?;
        let (input, count) = le_u8(input).field("items.count")?;
        let (mut input, skin) = self.skin(input).field("skin")?;
        let least = self.types.size(TypeField::Name).saturating_add(2);
        if usize::from(count) > input.len().checked_div(least).unwrap_or(0) {
            return Err(Fail::end(input)).field("items.count");
        }
        let mut items = self.budget.vec(count.into()).here(input).field("items")?;
        for index in 0..count {
            let (rest, count) = le_u16(input).field("count").index(index.into()).field("items")?;
            let (rest, name) = self.name(rest).field("name").index(index.into()).field("items")?;
            items.push(VoxelItem { count, name });
            input = rest;
        }
        let shape = u16::from(shape) | u16::from(rotation & 0x40) << 2;
        Ok((input, VoxelType { color, name, rotation: rotation & !0x40, shape, skin, items }))
    }

    /// A block, and its data where the run lengths are not what [`pack`] would choose.
    pub(crate) fn read_voxels(&mut self, data: &'a [u8]) -> Parsed<'a, (VoxelBlock, Option<Vec<u8>>)> {
        let (mut input, name) = self.name(data).field("name")?;
        let mut block = VoxelBlock { name, ..VoxelBlock::default() };
        for to in &mut block.position {
            let (rest, value) = self.signed_dim(input).field("position")?;
            (input, *to) = (rest, value);
        }
        for to in &mut block.size {
            let (rest, value) = self.count(TypeField::VoxelDim, input).field("size")?;
            (input, *to) = (rest, value);
        }
        let (input, uncertainty) = le_u8(input).field("uncertainty")?;
        let (input, group) = le_u8(input).field("group")?;
        (block.uncertainty, block.group) = (uncertainty, group);
        let size = self.types.size(TypeField::Voxel);
        let volume = block.volume().unwrap_or(usize::MAX);
        let (_, voxels) = unpack(input, size, volume, &mut self.budget).field("voxels")?;
        block.voxels = voxels;
        // Compared piece by piece: another copy could be larger than what was read.
        let mut left = Some(input);
        let fits = pack(&block.voxels, size, &mut |bytes| {
            left = left.and_then(|left| left.strip_prefix(bytes));
        });
        let same = fits && left == Some(&[]);
        let kept = if same { None } else { Some(self.budget.copy(input).here(input).field("voxels")?) };
        let (_, end) = input.split_at(input.len());
        Ok((end, (block, kept)))
    }

    fn signed_dim(&self, input: &'a [u8]) -> Parsed<'a, i32> {
        let (rest, value) = self.count(TypeField::VoxelDim, input)?;
        let [a, b, c, d] = value.to_le_bytes();
        Ok((
            rest,
            match self.types.size(TypeField::VoxelDim) {
                1 => i8::from_le_bytes([a]).into(),
                2 => i16::from_le_bytes([a, b]).into(),
                _ => i32::from_le_bytes([a, b, c, d]),
            },
        ))
    }
}

/// The voxels of runs, at most `volume`. Bytes without a width of voxels hold none.
pub(crate) fn unpack<'a>(
    data: &'a [u8],
    size: usize,
    volume: usize,
    budget: &mut Budget,
) -> Parsed<'a, Vec<Voxel>> {
    let mut voxels: Vec<Voxel> = Vec::new();
    let mut input = data;
    if size == 0 {
        return Ok((input, voxels));
    }
    while voxels.len() < volume
        && let Some((&magic, mut rest)) = input.split_first()
    {
        let count = usize::from(magic & 0x7f).saturating_add(1);
        let count = count.min(volume.saturating_sub(voxels.len()));
        room(&mut voxels, count, budget).here(input)?;
        if magic & 0x80 != 0 {
            let (behind, voxel) = read_voxel(rest, size)?;
            voxels.extend(std::iter::repeat_n(voxel, count));
            rest = behind;
        } else {
            for _ in 0..count {
                let (behind, voxel) = read_voxel(rest, size)?;
                voxels.push(voxel);
                rest = behind;
            }
        }
        input = rest;
    }
    Ok((input, voxels))
}

#[inline]
fn read_voxel(input: &[u8], size: usize) -> Parsed<'_, Voxel> {
    let (rest, value) = sized_index(size, input)?;
    #[allow(clippy::cast_possible_truncation, reason = "one or two bytes, and -1 and -2 stay what they are")]
    Ok((rest, Voxel(value as u16)))
}

/// The voxels as runs: alike ones, from two on, as one; false where a voxel does not fit the size.
pub(crate) fn pack(voxels: &[Voxel], size: usize, out: &mut dyn FnMut(&[u8])) -> bool {
    let mut fits = size != 0 || voxels.is_empty();
    let mut put = |out: &mut dyn FnMut(&[u8]), voxel: Voxel| match size {
        1 => {
            let [low, high] = voxel.0.to_le_bytes();
            fits &= voxel.0 >= Voxel::CLEAR.0 || (high == 0 && low < 254);
            out(&[low]);
        }
        _ => out(&voxel.0.to_le_bytes()),
    };
    // The first byte of a run is a count less one, and 128 voxels are the most.
    let mut literal: &[Voxel] = &[];
    let mut rest = voxels;
    loop {
        let run = rest.iter().take(128).take_while(|&voxel| Some(voxel) == rest.first()).count();
        if (run != 1 || literal.len() == 128) && !literal.is_empty() {
            out(&[u8::try_from(literal.len().saturating_sub(1)).unwrap_or(0)]);
            for &voxel in literal {
                put(out, voxel);
            }
            literal = &[];
        }
        let Some((&voxel, _)) = rest.split_first() else { break };
        if run == 1 {
            let before = voxels.len().saturating_sub(rest.len()).saturating_sub(literal.len());
            literal = voxels
                .get(before..)
                .and_then(|from| from.get(..literal.len().saturating_add(1)))
                .unwrap_or_default();
        } else {
            out(&[u8::try_from(run.saturating_sub(1)).unwrap_or(0) | 0x80]);
            put(out, voxel);
        }
        rest = rest.get(run..).unwrap_or_default();
    }
    fits
}

impl Writer<'_> {
    pub(crate) fn write_voxel_types(&mut self, types: &[VoxelType]) -> Result<()> {
        for (index, voxel) in types.iter().enumerate() {
            let error = |field: &str, what: &'static str| {
                Error::unwritable(format!("voxel_types[{index}].{field}"), what)
            };
            let [shape, high] = voxel.shape.to_le_bytes();
            if high > 1 {
                return Err(error("shape", "a shape past 511"));
            }
            if voxel.rotation & 0x40 != 0 {
                return Err(error("rotation", "bit 6, which belongs to the shape"));
            }
            let items =
                u8::try_from(voxel.items.len()).map_err(|_| error("items", "more than 255 of them"))?;
            self.color(voxel.color);
            self.name(voxel.name.as_bstr());
            self.put(&[voxel.rotation | high << 6, shape, items]);
            self.index(TypeField::Skin, voxel.skin.0);
            for item in &voxel.items {
                self.put(&item.count.to_le_bytes());
                self.name(item.name.as_bstr());
            }
        }
        Ok(())
    }

    /// A block. The data that was read is written where it still means the same voxels.
    pub(crate) fn write_voxels(&mut self, block: &VoxelBlock, kept: Option<&[u8]>) -> Result<()> {
        let volume = block.volume().unwrap_or(usize::MAX);
        if block.voxels.len() > volume {
            let what = format!("{} voxels in a block for {volume}", block.voxels.len());
            return Err(Error::unwritable("voxels", what));
        }
        self.name(block.name.as_bstr());
        let dim = self.types.size(TypeField::VoxelDim);
        for value in block.position {
            let fits = match dim {
                0 => value == 0,
                1 => i8::try_from(value).is_ok(),
                2 => i16::try_from(value).is_ok(),
                _ => true,
            };
            if !fits {
                self.too_narrow(TypeField::VoxelDim);
            }
            self.put(value.to_le_bytes().get(..dim).unwrap_or_default());
        }
        for value in block.size {
            let fits = match dim {
                0 => value == 0,
                1 => value < 256,
                2 => value < 65536,
                _ => true,
            };
            if !fits {
                self.too_narrow(TypeField::VoxelDim);
            }
            self.put(value.to_le_bytes().get(..dim).unwrap_or_default());
        }
        self.put(&[block.uncertainty, block.group]);
        let size = self.types.size(TypeField::Voxel);
        let mut budget = Budget::new(u64::MAX);
        let same = |kept: &&[u8]| {
            unpack(kept, size, volume, &mut budget).is_ok_and(|(_, voxels)| voxels == block.voxels)
        };
        match kept.filter(same) {
            Some(kept) => self.put(kept),
            None => {
                let out = &mut self.out;
                if !pack(&block.voxels, size, &mut |bytes| out.extend_from_slice(bytes)) {
                    self.too_narrow(TypeField::Voxel);
                }
            }
        }
        Ok(())
    }
}
