//! `ClusterGridV3`: the cells of terrain before 2015, in chunks of 32 by 16 by 32 cells.
//!
//! | bytes | what |
//! |---|---|
//! | 3 × i16 | the position of the chunk along x, y and z, in chunks |
//! | runs | the shape of each cell: a byte, and a count |
//! | runs | the material of each cell: a byte, and a count |
//!
//! A count is a byte, or `ff` and a big-endian u16. The cells come along x first, then z, then y, and the runs of a chunk have
//! 16,384 of them.

use std::collections::BTreeMap;

use super::smooth_grid::{Chunk, SmoothGrid, VOXELS, Voxel};
use crate::ReadOptions;
use crate::bytes::{Bytes, Layout};
use geom::wire::{Budget, Error, Loss, Result};

/// The number of cells of a chunk.
pub const CELLS: usize = 32 * 16 * 32;

/// The byte of a cell without a shape: air or, with a number in its other bits, water.
const NO_SHAPE: u8 = 5;

/// The material of water and of air.
const WATER: u8 = 17;

/// The names of the materials of cells, by number.
pub const CELL_MATERIALS: [&str; 18] = [
    "Empty",
    "Grass",
    "Sand",
    "Brick",
    "Granite",
    "Asphalt",
    "Iron",
    "Aluminum",
    "Gold",
    "WoodPlank",
    "WoodLog",
    "Gravel",
    "CinderBlock",
    "MossyStone",
    "Cement",
    "RedPlastic",
    "BluePlastic",
    "Water",
];

/// The material of voxels that looks most like each material of cells.
const SMOOTH: [u8; 18] = [0, 2, 6, 5, 8, 16, 3, 4, 6, 7, 7, 14, 22, 17, 4, 11, 9, 1];

/// The material of cells that looks most like each material of voxels.
const CELL: [u8; 23] = [0, 17, 1, 4, 14, 3, 2, 9, 4, 16, 7, 2, 11, 5, 11, 15, 5, 13, 16, 1, 7, 14, 12];

/// The terrain of a place before 2015: the bytes of the property `ClusterGridV3`. A cell measures 4 studs, like a voxel of
/// today, and has the same position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ClusterGrid {
    /// The chunks, in any order.
    pub chunks: Vec<CellChunk>,
}

/// A box of cells, as runs of equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CellChunk {
    /// The position, in chunks.
    pub position: [i16; 3],
    /// The shapes: a byte, of which the bits 3 to 5 are the shape and the bits 6 and 7 its rotation, and the number of its
    /// repetitions.
    pub shapes: Vec<(u8, u16)>,
    /// The materials, by their number in [`CELL_MATERIALS`], and the number of their repetitions.
    pub materials: Vec<(u8, u16)>,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The byte of its shape.
    pub shape: u8,
    /// The number of its material in [`CELL_MATERIALS`].
    pub material: u8,
}

impl Cell {
    /// The number of its shape: 0 for a block, 1 for a wedge, 2 for a corner wedge, 3 for an inverse corner wedge, 4 for a
    /// wedge that lies on its side, 5 for none.
    pub fn block(self) -> u8 {
        self.shape >> 3 & 7
    }

    /// Its rotation about y, in quarter turns; of water, a part of its direction.
    pub fn rotation(self) -> u8 {
        self.shape >> 6
    }

    /// Whether it is water: a cell without a shape that states a force.
    pub fn is_water(self) -> bool {
        self.block() == NO_SHAPE && self.shape & 0xc7 != 0
    }

    /// Whether it is air.
    pub fn is_empty(self) -> bool {
        self.shape == NO_SHAPE << 3 || self.material == 0
    }

    /// The voxel that looks most like it.
    pub fn to_voxel(self) -> Voxel {
        if self.is_empty() {
            return Voxel::default();
        }
        if self.is_water() {
            return Voxel::full(1);
        }
        let material = SMOOTH.get(usize::from(self.material)).copied().unwrap_or(3);
        // The volume of the shape: half of a block, a sixth, and five sixths.
        let occupancy = match self.block() {
            1 | 4 => Some(128),
            2 => Some(43),
            3 => Some(213),
            _ => None,
        };
        Voxel { material, occupancy, water: None }
    }
}

/// What cells cannot represent of voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostVoxels {
    /// The number of voxels that are not air, and outside of the space of old terrain.
    pub outside: usize,
    /// The number of voxels that are partly full: at least half of them becomes a block, less becomes air.
    pub partly: usize,
    /// The number of voxels of materials that no material of cells is named like.
    pub materials: usize,
}

impl CellChunk {
    /// All cells, in the order of the file.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let each = |runs: &'_ [(u8, u16)]| {
            runs.iter()
                .flat_map(|&(value, count)| std::iter::repeat_n(value, count.into()))
                .collect::<Vec<_>>()
        };
        let materials = each(&self.materials);
        each(&self.shapes).into_iter().zip(materials).map(|(shape, material)| Cell { shape, material })
    }
}

impl SmoothGrid {
    /// The voxels that a property of the form before 2015 has (`ClusterGridV3`, `ClusterGridV2`), and what that changes.
    ///
    /// # Errors
    /// If the cells cannot be read, or take more memory than is left.
    pub fn from_cells(bytes: &[u8], budget: &mut Budget) -> Result<(Self, Loss)> {
        const WHAT: &str = "the terrain";
        budget.work(bytes.len() as u64 * 16, WHAT)?;
        let cells: ClusterGrid = ReadOptions::new().max_bytes(budget.left()).read(bytes)?;
        budget.charge(cells.chunks.len() as u64 * 400_000, WHAT)?;
        let what =
            "terrain of the form before 2015: its materials become those of today, and its wedges rounded";
        Ok((cells.to_smooth(), Loss::approximated("", what).id("roblox.terrain-look")))
    }
}

impl ClusterGrid {
    /// The voxels of today that look most like the cells. Wedges become partly full voxels.
    pub fn to_smooth(&self) -> SmoothGrid {
        // Two chunks of cells are in one of voxels.
        let mut made: BTreeMap<[i32; 3], Vec<Voxel>> = BTreeMap::new();
        for chunk in &self.chunks {
            let [x, y, z] = chunk.position.map(i32::from);
            let voxels =
                made.entry([x, y.div_euclid(2), z]).or_insert_with(|| vec![Voxel::default(); VOXELS]);
            let start = if y.rem_euclid(2) == 0 { 0 } else { CELLS };
            for (voxel, cell) in voxels[start..].iter_mut().zip(chunk.cells()) {
                *voxel = cell.to_voxel();
            }
        }
        let chunks = made.into_iter().filter_map(|(position, voxels)| Chunk::of(position, &voxels));
        SmoothGrid { chunks: chunks.collect() }
    }

    /// The cells that look most like voxels of today, and what they cannot represent. Old terrain has 512 by 64 by 512
    /// cells around the origin, from a height of 0 up.
    pub fn of_smooth(grid: &SmoothGrid) -> (Self, LostVoxels) {
        let (mut made, mut lost) = (Self::default(), LostVoxels::default());
        for chunk in &grid.chunks {
            let [x, y, z] = chunk.position;
            let is_inside = (-8..8).contains(&x) && (0..2).contains(&y) && (-8..8).contains(&z);
            if !is_inside {
                let runs = chunk.runs.iter().filter(|(voxel, _)| voxel.material != 0);
                lost.outside += runs.map(|(_, count)| usize::from(*count)).sum::<usize>();
                continue;
            }
            let cells: Vec<Cell> = chunk.voxels().map(|voxel| cell_of(voxel, &mut lost)).collect();
            for (half, cells) in (0..2).zip(cells.chunks(CELLS)) {
                if cells.iter().all(|cell| cell.is_empty()) {
                    continue;
                }
                let position = [x, 2 * y + half, z].map(|at| i16::try_from(at).unwrap_or_default());
                let shapes = runs_of(cells.iter().map(|cell| cell.shape));
                let materials = runs_of(cells.iter().map(|cell| cell.material));
                made.chunks.push(CellChunk { position, shapes, materials });
            }
        }
        (made, lost)
    }

    /// The bytes of the property.
    ///
    /// # Errors
    /// If the runs of a chunk do not have [`CELLS`] cells.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for (index, chunk) in self.chunks.iter().enumerate() {
            chunk.position.iter().for_each(|at| out.extend_from_slice(&at.to_le_bytes()));
            for runs in [&chunk.shapes, &chunk.materials] {
                let count: usize = runs.iter().map(|(_, count)| usize::from(*count)).sum();
                if count != CELLS {
                    let what = format!("a chunk of {count} cells (expected {CELLS})");
                    return Err(Error::unwritable(format!("chunks[{index}]"), what));
                }
                for &(value, count) in runs {
                    out.push(value);
                    match u8::try_from(count) {
                        Ok(count @ ..=254) => out.push(count),
                        _ => {
                            out.push(255);
                            out.extend_from_slice(&count.to_be_bytes());
                        }
                    }
                }
            }
        }
        Ok(out)
    }
}

fn cell_of(voxel: Voxel, lost: &mut LostVoxels) -> Cell {
    let air = Cell { shape: NO_SHAPE << 3, material: WATER };
    let (material, filled) = (voxel.material, voxel.filled());
    if material == 0 || filled == 0 {
        return air;
    }
    lost.partly += usize::from(filled < 255 && material != 1);
    if filled < 128 {
        return air;
    }
    let cell = CELL.get(usize::from(material)).copied().unwrap_or(4);
    let is_named = matches!(material, 1 | 2 | 5 | 6 | 7 | 16);
    lost.materials += usize::from(!is_named);
    match material {
        // Still water: the least number that is not air.
        1 => Cell { shape: NO_SHAPE << 3 | 1, material: WATER },
        _ => Cell { shape: 0, material: cell },
    }
}

fn runs_of(values: impl Iterator<Item = u8>) -> Vec<(u8, u16)> {
    let mut runs: Vec<(u8, u16)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs
}

impl Layout for ClusterGrid {
    const NAME: &'static str = "ClusterGrid";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let mut chunks = Vec::new();
        while bytes.left() > 0 {
            let position = [bytes.u16()?, bytes.u16()?, bytes.u16()?].map(u16::cast_signed);
            let (shapes, materials) = (read_runs(bytes)?, read_runs(bytes)?);
            bytes.push(&mut chunks, CellChunk { position, shapes, materials })?;
        }
        Ok(Self { chunks })
    }
}

fn read_runs(bytes: &mut Bytes<'_>) -> Result<Vec<(u8, u16)>> {
    let (mut runs, mut filled) = (Vec::new(), 0);
    while filled < CELLS {
        let value = bytes.u8()?;
        let count = match bytes.u8()? {
            255 => u16::from_be_bytes(bytes.array()?),
            count => count.into(),
        };
        if count == 0 {
            return Err(bytes.invalid("a run of no cells"));
        }
        filled += usize::from(count);
        bytes.push(&mut runs, (value, count))?;
    }
    match filled == CELLS {
        true => Ok(runs),
        false => Err(bytes.invalid("a run of cells continues beyond the end of its chunk")),
    }
}
