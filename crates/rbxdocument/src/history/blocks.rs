//! Terrain as parts.

use rbxblobs::SmoothGrid;
use rbxblobs::terrain::EDGE;

use crate::Result;
use crate::errors::Budget;

/// The material of water.
pub(super) const WATER: u8 = 1;

/// A box of voxels of one material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The first corner, in voxels.
    pub(super) from: [i32; 3],
    /// Its length along each axis, in voxels.
    pub(super) size: [i32; 3],
    pub(super) material: u8,
}

/// The boxes that look most like terrain: cells of `step` voxels along each axis that are at least half full, those of one
/// material joined as far as possible within a chunk.
pub(super) fn blocks(grid: &SmoothGrid, step: u32, budget: &mut Budget) -> Result<Vec<Block>> {
    let step = (1..=32).contains(&step).then_some(step as usize).filter(|step| step.is_power_of_two());
    let (step, mut found) = (step.unwrap_or(1), Vec::new());
    let edge = EDGE / step;
    for chunk in grid.chunks.iter().filter(|chunk| !chunk.is_far()) {
        budget.work(1 << 17, WHAT)?;
        let voxels: Vec<(u8, u8)> = chunk.voxels().map(|voxel| (voxel.material, voxel.filled())).collect();
        let mut cells = vec![0; edge * edge * edge];
        for (index, cell) in cells.iter_mut().enumerate() {
            let [x, z, y] = [index % edge, index / edge % edge, index / edge / edge].map(|at| at * step);
            let inside = (0..step * step * step).filter_map(|at| {
                let at = [x + at % step, z + at / step % step, y + at / step / step];
                voxels.get(at[0] + EDGE * (at[1] + EDGE * at[2])).copied()
            });
            *cell = material(inside, (step * step * step) as u64);
        }
        let corner = chunk.position.map(|at| at.saturating_mul(whole(EDGE)));
        let first = found.len();
        joined(&mut cells, edge, &mut found);
        budget.charge(64 * (found.len() - first) as u64, WHAT)?;
        for block in &mut found[first..] {
            block.from =
                std::array::from_fn(|axis| corner[axis].saturating_add(block.from[axis] * whole(step)));
            block.size = block.size.map(|size| size * whole(step));
        }
    }
    Ok(found)
}

const WHAT: &str = "the terrain as parts";

/// The material of most of a cell; 0 if less than half of it is full.
fn material(voxels: impl Iterator<Item = (u8, u8)>, count: u64) -> u8 {
    let (mut solid, mut water, mut of_material) = (0_u64, 0_u64, [0_u64; 64]);
    for (material, filled) in voxels {
        match material {
            0 => {}
            WATER => water += u64::from(filled),
            _ => {
                solid += u64::from(filled);
                of_material[usize::from(material & 63)] += u64::from(filled);
            }
        }
    }
    let half = count * 255 / 2;
    if solid > half {
        let most = (2..64).max_by_key(|&material| (of_material[usize::from(material)], 64 - material));
        return most.unwrap_or(0);
    }
    if water > 0 && solid + water > half { WATER } else { 0 }
}

/// Takes boxes out of cells, along x, then z, then y.
fn joined(cells: &mut [u8], edge: usize, found: &mut Vec<Block>) {
    for start in 0..cells.len() {
        let material = cells[start];
        if material == 0 {
            continue;
        }
        let [x, z, y] = [start % edge, start / edge % edge, start / edge / edge];
        let row = |z: usize, y: usize, len: usize| {
            let first = x + edge * (z + edge * y);
            first..first + len
        };
        let is_free = |cells: &[u8], z: usize, y: usize, len: usize| {
            cells[row(z, y, len)].iter().all(|cell| *cell == material)
        };
        let width = cells[row(z, y, edge - x)].iter().take_while(|cell| **cell == material).count();
        let depth = (z..edge).take_while(|&z| is_free(cells, z, y, width)).count();
        let height = (y..edge).take_while(|&y| (z..z + depth).all(|z| is_free(cells, z, y, width))).count();
        for y in y..y + height {
            for z in z..z + depth {
                cells[row(z, y, width)].fill(0);
            }
        }
        let (from, size) = ([x, y, z], [width, height, depth]);
        found.push(Block { from: from.map(whole), size: size.map(whole), material });
    }
}

/// A number of voxels within a chunk.
fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
