//! Voxels: a palette of types and blocks of them.

use bstr::BString;
use geom::Rgba8;

use super::SkinId;

/// A voxel of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Voxel(pub u16);

impl Voxel {
    /// Not set: what stands in the world stays. -1 in the file.
    pub const UNSET: Self = Self(u16::MAX);
    /// Cleared: what stands in the world goes. -2 in the file.
    pub const CLEAR: Self = Self(u16::MAX - 1);

    /// The place of its type in [`Model::voxel_types`](crate::Model::voxel_types), `None` where it is
    /// not set or cleared.
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
    /// Its colour; all zero is none.
    pub color: Rgba8,
    /// Its name, or that of a material; may be empty.
    pub name: BString,
    /// Bit 7 unset: quarter turns around y (bits 0 and 1), z (2 and 3) and x (4 and 5). Bit 7 set:
    /// bits 0 to 5 are the program's own. Bit 6 belongs to the shape and is unset here.
    pub rotation: u8,
    /// Which parts of the cube are filled, 0 to 511; 0 is all.
    pub shape: u16,
    /// Which bones move it.
    pub skin: SkinId,
    /// What is inside.
    pub items: Vec<VoxelItem>,
}

/// What is inside a voxel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoxelItem {
    /// How many.
    pub count: u16,
    /// Of which voxel or material.
    pub name: BString,
}

/// A block of voxels: chunk `VOXD`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VoxelBlock {
    /// Its name; may be empty.
    pub name: BString,
    /// Where it begins: x, y, z in voxels; y 0 is the ground.
    pub position: [i32; 3],
    /// How large it is: x, y, z in voxels.
    pub size: [u32; 3],
    /// How likely it is left out: 0 never, 255 always.
    pub uncertainty: u8,
    /// Exactly one of the blocks of a group is taken; 0 is no group.
    pub group: u8,
    /// The voxels, layer by layer from below, in a layer row by row from the far end, in a row from
    /// the left. Those behind the end of this list are not set.
    pub voxels: Vec<Voxel>,
}

impl VoxelBlock {
    /// How many voxels the size holds, `None` where that is past what memory could.
    pub fn volume(&self) -> Option<usize> {
        let [x, y, z] = self.size.map(|extent| extent as usize);
        x.checked_mul(y)?.checked_mul(z)
    }

    /// The voxel at a place counted from the block's corner; not set outside.
    pub fn get(&self, x: u32, y: u32, z: u32) -> Voxel {
        self.place(x, y, z).and_then(|place| self.voxels.get(place)).copied().unwrap_or_default()
    }

    /// Sets the voxel at a place counted from the block's corner; false outside.
    pub fn set(&mut self, x: u32, y: u32, z: u32, voxel: Voxel) -> bool {
        let Some(place) = self.place(x, y, z) else { return false };
        if place >= self.voxels.len() {
            self.voxels.resize(place + 1, Voxel::UNSET);
        }
        self.voxels[place] = voxel;
        true
    }

    fn place(&self, x: u32, y: u32, z: u32) -> Option<usize> {
        let [w, h, d] = self.size;
        if x >= w || y >= h || z >= d {
            return None;
        }
        let layer = (y as usize).checked_mul(d as usize)?.checked_add(z as usize)?;
        layer.checked_mul(w as usize)?.checked_add(x as usize)
    }
}
