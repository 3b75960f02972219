//! Voxels: a palette of types and blocks of them.

use bstr::BString;
use geom::Rgba8;

use super::SkinId;
use geom::wire::{Error, Problem, Refuse as _, Result};

/// The maximum size to which [`VoxelBlock::set`] extends a list of voxels: 1 GiB.
const MAX_VOXELS: usize = 1 << 29;

/// A voxel of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Voxel(pub u16);

impl Voxel {
    /// Not set: placing the block leaves this cell of the world unchanged. -1 in the file.
    pub const UNSET: Self = Self(u16::MAX);
    /// Cleared: placing the block empties this cell of the world. -2 in the file.
    pub const CLEAR: Self = Self(u16::MAX - 1);

    /// The index of its type in [`Model::voxel_types`](crate::Model::voxel_types); `None` for [`Voxel::UNSET`] and
    /// [`Voxel::CLEAR`].
    #[inline]
    pub const fn kind(self) -> Option<usize> {
        if self.0 < Self::CLEAR.0 { Some(self.0 as usize) } else { None }
    }
}

impl Default for Voxel {
    /// [`Voxel::UNSET`].
    fn default() -> Self {
        Self::UNSET
    }
}

/// A type of voxels: a record of chunk `VOXT`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoxelType {
    /// Its colour; all zero is no colour.
    pub color: Rgba8,
    /// Its name, or that of a material; may be empty.
    pub name: BString,
    /// If bit 7 is unset, the quarter turns around y (bits 0 and 1), z (2 and 3) and x (4 and 5). If bit 7 is set,
    /// programs define bits 0 to 5. Bit 6 belongs to the shape and is unset here.
    pub rotation: u8,
    /// Which parts of the cube are filled, 0 to 511: 0 is the whole cube; FORMAT.md lists the others.
    pub shape: u16,
    /// The bones that move voxels of this type.
    pub skin: SkinId,
    /// The items that a voxel of this type contains.
    pub items: Vec<VoxelItem>,
}

impl VoxelType {
    /// Fails if the formats cannot represent the type.
    pub(crate) fn writable(&self) -> Result<()> {
        match (self.has_shape(), self.has_rotation()) {
            (false, _) => {
                let what = format!("the voxel shape {} (expected at most 511)", self.shape);
                Err(Error::unwritable("shape", what))
            }
            (_, false) => {
                let rotation = self.rotation;
                let what =
                    format!("the rotation {rotation:#x}, whose bit 6 is set (set bit 8 of `shape` instead)");
                Err(Error::unwritable("rotation", what))
            }
            _ => Ok(()),
        }
    }

    /// Whether the shape has at most nine bits.
    pub(crate) fn has_shape(&self) -> bool {
        self.shape <= 0x1ff
    }

    /// Whether the rotation leaves the bit that belongs to the shape unset.
    pub(crate) fn has_rotation(&self) -> bool {
        self.rotation & 0x40 == 0
    }
}

/// An item that a voxel contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoxelItem {
    /// How many of it there are.
    pub count: u16,
    /// The name of a type of voxels or of a material.
    pub name: BString,
}

/// A block of voxels: chunk `VOXD`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoxelBlock {
    /// Its name; may be empty.
    pub name: BString,
    /// The position of its corner: x, y, z in voxels; y 0 is the ground.
    pub position: [i32; 3],
    /// Its size: x, y, z in voxels.
    pub size: [u32; 3],
    /// The probability that the block is left out: 0 never, 255 always.
    pub uncertainty: u8,
    /// Exactly one block of a group is used; 0 is no group.
    pub group: u8,
    /// The voxels: layers from below, in a layer the rows from the far end, in a row the voxels from the left. Voxels
    /// beyond the end of this list are not set.
    pub voxels: Vec<Voxel>,
}

impl VoxelBlock {
    /// Fails if the list has more voxels than the block.
    pub(crate) fn writable(&self) -> Result<()> {
        let volume = self.volume().unwrap_or(usize::MAX);
        let more =
            || Error::unwritable("voxels", Problem::too_many("voxels", self.voxels.len(), volume as u64));
        (self.voxels.len() <= volume).then_some(()).ok_or_else(more)
    }

    /// The number of voxels in the block, `None` if it is more than a `usize`.
    pub fn volume(&self) -> Option<usize> {
        let [x, y, z] = self.size.map(|extent| extent as usize);
        x.checked_mul(y)?.checked_mul(z)
    }

    /// The voxel at coordinates counted from the block's corner; [`Voxel::UNSET`] outside the block.
    pub fn get(&self, x: u32, y: u32, z: u32) -> Voxel {
        self.index(x, y, z).and_then(|index| self.voxels.get(index)).copied().unwrap_or(Voxel::UNSET)
    }

    /// Sets the voxel at coordinates counted from the block's corner.
    ///
    /// # Errors
    /// If the coordinates are outside the block, and if the list would exceed 2^29 voxels (1 GiB).
    pub fn set(&mut self, x: u32, y: u32, z: u32, voxel: Voxel) -> Result<()> {
        let index = self.index(x, y, z).ok_or_else(|| {
            let what = format!("position [{x}, {y}, {z}] is outside the block (size: {:?})", self.size);
            Error::invalid_argument("voxels", what)
        })?;
        if index >= self.voxels.len() {
            if index >= MAX_VOXELS {
                return Err(Problem::too_many("voxels", index.saturating_add(1), MAX_VOXELS as u64))
                    .argument("voxels");
            }
            self.voxels.resize(index + 1, Voxel::UNSET);
        }
        self.voxels[index] = voxel;
        Ok(())
    }

    fn index(&self, x: u32, y: u32, z: u32) -> Option<usize> {
        let [w, h, d] = self.size;
        if x >= w || y >= h || z >= d {
            return None;
        }
        let layer = (y as usize).checked_mul(d as usize)?.checked_add(z as usize)?;
        layer.checked_mul(w as usize)?.checked_add(x as usize)
    }
}
