//! `PhysicsGrid`: which blocks of terrain have a surface or are solid. A block is a cube of 8 voxels along each edge.
//! The lists follow from the voxels.

use std::collections::HashMap;

use super::grid::{self, Coordinates};
use super::smooth_grid::{SmoothGrid, VOXELS};
use crate::bytes::{Bytes, Layout};
use geom::wire::{Error, Result};

/// The number of voxels along an edge of a block.
const BLOCK: i32 = 8;

/// Three lists of blocks: the bytes of the property `PhysicsGrid`. Each list is sorted by x, then y, then z.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PhysicsGrid {
    /// Blocks in which or beside which there is a voxel other than air, and which are not in `solid`.
    pub surface: Vec<Coordinates>,
    /// Empty in every known file; its meaning is not known.
    pub second: Vec<Coordinates>,
    /// Blocks in which and beside which every voxel is solid.
    pub solid: Vec<Coordinates>,
}

impl Layout for PhysicsGrid {
    const NAME: &'static str = "PhysicsGrid";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        match bytes.array()? {
            [2, 3] => {}
            [version, edge] => {
                return Err(bytes.unsupported(format!(
                    "version {version} with blocks of 2^{edge} voxels per axis (expected version 2 with \
                     2^3 voxels)"
                )));
            }
        }
        let mut list = || -> Result<Vec<Coordinates>> {
            let count = u32::from_be_bytes(bytes.array()?);
            let count = bytes.fits(count.into(), 12)?;
            let (mut blocks, mut last) = (bytes.vec(count)?, [0; 3]);
            for _ in 0..count {
                last = grid::read(bytes, last)?;
                blocks.push(last);
            }
            Ok(blocks)
        };
        Ok(Self { surface: list()?, second: list()?, solid: list()? })
    }
}

impl PhysicsGrid {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If a list has more blocks than 32 bits can count.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = vec![2, 3];
        for blocks in [&self.surface, &self.second, &self.solid] {
            let count = u32::try_from(blocks.len())
                .map_err(|_| Error::unwritable("PhysicsGrid", "a list of more than 4294967295 blocks"))?;
            out.extend_from_slice(&count.to_be_bytes());
            let mut last = [0; 3];
            for &block in blocks {
                grid::write(&mut out, last, block);
                last = block;
            }
        }
        Ok(out)
    }

    /// Computes the grid of these voxels. For every real file, it equals the stored grid.
    ///
    /// # Errors
    /// If a chunk is so far from the origin that the coordinates of its voxels do not fit into 32 bits.
    pub fn of(terrain: &SmoothGrid) -> Result<Self> {
        const EDGE_VOXELS: i32 = 32;
        // For each block with a voxel other than air in it or beside it, the number of solid voxels in it and beside
        // it.
        let mut blocks: HashMap<Coordinates, u32> = HashMap::new();
        for chunk in &terrain.chunks {
            let far = |&axis: &i32| axis.unsigned_abs() > (i32::MAX / EDGE_VOXELS - 1) as u32;
            if chunk.position.iter().any(far) {
                return Err(Error::invalid_argument(
                    "chunks",
                    format!("the voxel coordinates of the chunk at {:?} exceed 32 bits", chunk.position),
                ));
            }
            for (index, voxel) in (0_i32..).zip(chunk.voxels()).take(VOXELS) {
                if voxel.material == 0 {
                    continue;
                }
                let [x, y, z] = chunk.position.map(|axis| axis * EDGE_VOXELS);
                let at = [x + index % 32, y + index / 1024, z + index / 32 % 32];
                let solid = u32::from(voxel.material >= 2);
                let [xs, ys, zs] = at.map(windows);
                for x in xs.clone() {
                    for y in ys.clone() {
                        for z in zs.clone() {
                            *blocks.entry([x, y, z]).or_default() += solid;
                        }
                    }
                }
            }
        }
        let all = ((BLOCK + 2) * (BLOCK + 2) * (BLOCK + 2)) as u32;
        let mut grid = Self::default();
        for (block, solid) in blocks {
            if solid == all { &mut grid.solid } else { &mut grid.surface }.push(block);
        }
        grid.surface.sort_unstable();
        grid.solid.sort_unstable();
        Ok(grid)
    }
}

/// The blocks that have a voxel coordinate in them or beside them, at a distance of one voxel.
fn windows(voxel: i32) -> std::ops::RangeInclusive<i32> {
    let block = voxel.div_euclid(BLOCK);
    match voxel.rem_euclid(BLOCK) {
        0 => block - 1..=block,
        7 => block..=block + 1,
        _ => block..=block,
    }
}

#[cfg(test)]
#[path = "../../tests/inside/physics_grid.rs"]
mod tests;
