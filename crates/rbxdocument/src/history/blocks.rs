//! Terrain as parts.

use std::collections::HashMap;

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

/// The boxes that look most like terrain: cells of `step` voxels along each axis that are at least half full, or that have a
/// floor with nothing below, so that flat ground has no holes; those of one material joined as far as possible within a
/// chunk.
pub(super) fn blocks(grid: &SmoothGrid, step: u32, budget: &mut Budget) -> Result<Vec<Block>> {
    let step = (1..=32).contains(&step).then_some(step as usize).filter(|step| step.is_power_of_two());
    let (step, mut found) = (step.unwrap_or(1), Vec::new());
    let edge = EDGE / step;
    let mut all = Vec::new();
    for chunk in grid.chunks.iter().filter(|chunk| !chunk.is_far()) {
        budget.work(1 << 17, WHAT)?;
        budget.charge(2 * (edge * edge * edge) as u64 + 64, WHAT)?;
        let voxels: Vec<(u8, u8)> = chunk.voxels().map(|voxel| (voxel.material, voxel.filled())).collect();
        let mut cells = vec![Cell::default(); edge * edge * edge];
        for (index, cell) in cells.iter_mut().enumerate() {
            let [x, z, y] = [index % edge, index / edge % edge, index / edge / edge].map(|at| at * step);
            let columns = (0..step * step).map(|at| {
                let at = [x + at % step, z + at / step];
                let below = move |up| at[0] + EDGE * (at[1] + EDGE * (y + up));
                (0..step).map(below).filter_map(|at| voxels.get(at).copied())
            });
            *cell = Cell::of(columns, step as u64);
        }
        all.push((chunk.position, cells));
    }
    // From below, so that what is below a cell is known.
    all.sort_by_key(|(position, _)| position[1]);
    let mut tops: HashMap<[i32; 3], Vec<bool>> = HashMap::new();
    for (position, cells) in all {
        let below = position[1].checked_sub(1).and_then(|y| tops.get(&[position[0], y, position[2]]));
        let mut under = below.cloned().unwrap_or_else(|| vec![false; edge * edge]);
        let mut materials = vec![0; cells.len()];
        for (index, cell) in cells.iter().enumerate() {
            let is_on = &mut under[index % (edge * edge)];
            materials[index] = if cell.most == 0 && !*is_on { cell.floor } else { cell.most };
            *is_on = materials[index] != 0;
        }
        tops.insert(position, under);
        let corner = position.map(|at| at.saturating_mul(whole(EDGE)));
        let first = found.len();
        joined(&mut materials, edge, &mut found);
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

/// The materials of the voxels of a cell; 0 for none.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// That of most of it, if at least half of it is full.
    most: u8,
    /// That of most of it, if at least half of its columns have a voxel.
    floor: u8,
}

impl Cell {
    fn of(columns: impl Iterator<Item = impl Iterator<Item = (u8, u8)>>, step: u64) -> Self {
        let (mut solid, mut water, mut of_material) = (0_u64, 0_u64, [0_u64; 64]);
        let (mut on_solid, mut on_any) = (0_u64, 0_u64);
        for column in columns {
            let before = (solid, solid + water);
            for (material, filled) in column {
                match material {
                    0 => {}
                    WATER => water += u64::from(filled),
                    _ => {
                        solid += u64::from(filled);
                        of_material[usize::from(material & 63)] += u64::from(filled);
                    }
                }
            }
            on_solid += u64::from(solid - before.0 >= 128);
            on_any += u64::from(solid + water - before.1 >= 128);
        }
        let most = (2..64).max_by_key(|&material| (of_material[usize::from(material)], 64 - material));
        let named = |is_solid: bool, is_any: bool| match (is_solid, is_any) {
            (true, _) => most.unwrap_or(0),
            (false, true) if water > 0 => WATER,
            _ => 0,
        };
        let is_half = |filled: u64| 2 * filled >= 255 * step.pow(3);
        let is_floor = |columns: u64| 2 * columns >= step.pow(2);
        Self {
            most: named(is_half(solid), is_half(solid + water)),
            floor: named(is_floor(on_solid), is_floor(on_any)),
        }
    }
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
