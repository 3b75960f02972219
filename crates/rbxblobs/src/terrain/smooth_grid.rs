//! `SmoothGrid`: the voxels of terrain, in chunks of 32 voxels along each edge.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::grid::{self, Coordinates};
use crate::bytes::{Bytes, Layout};
use geom::wire::{Error, Result};

/// The number of voxels along an edge of a chunk. A voxel measures 4 studs, a chunk 128 studs.
pub const EDGE: usize = 32;
/// The same, for positions.
const SIDE: i32 = 32;
/// The number of voxels of a chunk.
pub const VOXELS: usize = EDGE * EDGE * EDGE;

/// The maximum distance of a chunk from the origin that the engine allows along an axis, in chunks.
pub const FARTHEST: u32 = 262_144;

/// The names of the materials, by number.
pub const MATERIALS: [&str; 23] = [
    "Air",
    "Water",
    "Grass",
    "Slate",
    "Concrete",
    "Brick",
    "Sand",
    "WoodPlanks",
    "Rock",
    "Glacier",
    "Snow",
    "Sandstone",
    "Mud",
    "Basalt",
    "Ground",
    "CrackedLava",
    "Asphalt",
    "Cobblestone",
    "Ice",
    "LeafyGrass",
    "Salt",
    "Limestone",
    "Pavement",
];

/// The voxels of a place: the bytes of the property `SmoothGrid`. Chunks are sorted by x, then y, then z.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SmoothGrid {
    /// The chunks that are not empty.
    pub chunks: Vec<Chunk>,
}

/// A cube of voxels, as runs of equal voxels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Chunk {
    /// The position, in chunks.
    pub position: Coordinates,
    /// The runs: a voxel, and the number of its repetitions, along x first, then z, then y. A run has at most
    /// 256 voxels, and all runs together have [`VOXELS`].
    pub runs: Vec<(Voxel, u16)>,
}

/// A voxel; by default, air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Voxel {
    /// The number of the material in [`MATERIALS`], at most 63.
    pub material: u8,
    /// The fill level, 0 to 255; `None` if it is not stored, which means full, or empty for air.
    pub occupancy: Option<u8>,
    /// The amount of water in addition to the material, 0 to 255; `None` if it is not stored.
    pub water: Option<u8>,
}

impl Voxel {
    /// A full voxel of a material, or air.
    pub fn full(material: u8) -> Self {
        Self { material, occupancy: None, water: None }
    }

    /// The fill level, 0 to 255.
    pub fn filled(self) -> u8 {
        self.occupancy.unwrap_or(if self.material == 0 { 0 } else { 255 })
    }
}

/// The index of a voxel in its chunk; along each axis, only the position in the chunk counts.
fn index_of([x, y, z]: [i32; 3]) -> usize {
    let [x, y, z] = [x, y, z].map(|at| at.rem_euclid(SIDE).unsigned_abs() as usize);
    x + EDGE * z + EDGE * EDGE * y
}

/// Equal voxels in a row as runs.
fn runs_of(voxels: &[Voxel]) -> Vec<(Voxel, u16)> {
    let mut runs: Vec<(Voxel, u16)> = Vec::new();
    for &voxel in voxels {
        match runs.last_mut() {
            Some((last, count)) if *last == voxel && voxel.water.is_none() && *count < 256 => *count += 1,
            _ => runs.push((voxel, 1)),
        }
    }
    runs
}

impl Chunk {
    /// A chunk of these voxels; `None` if all are air.
    pub(super) fn of(position: Coordinates, voxels: &[Voxel]) -> Option<Self> {
        let runs = runs_of(voxels);
        let is_air = runs.iter().all(|(voxel, _)| *voxel == Voxel::default());
        (!is_air).then_some(Self { position, runs })
    }

    /// Whether the chunk is farther from the origin than the engine allows: more than [`FARTHEST`] chunks along an axis.
    pub fn is_far(&self) -> bool {
        self.position.iter().any(|at| at.unsigned_abs() > FARTHEST)
    }

    /// All voxels. The voxel at (x, y, z) has the index x + 32 z + 1024 y.
    pub fn voxels(&self) -> impl Iterator<Item = Voxel> + '_ {
        self.runs.iter().flat_map(|&(voxel, count)| std::iter::repeat_n(voxel, count.into()))
    }
}

/// What of a terrain has no effect, or an unknown meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Defects {
    /// The number of chunks whose position a later chunk has, too.
    pub repeated: usize,
    /// The number of chunks that are [too far](Chunk::is_far) away from the origin.
    pub far: usize,
    /// The numbers of the materials that are not in [`MATERIALS`], in ascending order.
    pub unknown: Vec<u8>,
}

impl SmoothGrid {
    /// The voxel at a position in voxels, of which each measures 4 studs; air outside of the chunks.
    pub fn get(&self, at: [i32; 3]) -> Voxel {
        let place = at.map(|at| at.div_euclid(SIDE));
        // Of two chunks at one position, the later one counts.
        let chunk = self.chunks.iter().rev().find(|chunk| chunk.position == place);
        chunk.and_then(|chunk| chunk.voxels().nth(index_of(at))).unwrap_or_default()
    }

    /// Calls `change` with the position and the value of each voxel from `from` up to, and without, `to`. Chunks are added
    /// where voxels are no longer air, and removed where all are. Other chunks, and chunks without a change, stay as they
    /// are stored. Parts that move collide with the terrain of the property `PhysicsGrid`, which
    /// [`PhysicsGrid::of`](super::PhysicsGrid::of) computes.
    ///
    /// ```
    /// use rbxblobs::terrain::{SmoothGrid, Voxel};
    ///
    /// let mut terrain = SmoothGrid::default();
    /// terrain.edit([-40, 0, -40], [40, 2, 40], |_, voxel| *voxel = Voxel::full(2)); // a meadow
    /// terrain.edit([0, 1, 0], [5, 2, 5], |_, voxel| *voxel = Voxel::default()); // a hole
    /// assert_eq!((terrain.get([-1, 1, 0]), terrain.get([4, 1, 4])), (Voxel::full(2), Voxel::default()));
    /// ```
    pub fn edit(&mut self, from: [i32; 3], to: [i32; 3], mut change: impl FnMut([i32; 3], &mut Voxel)) {
        if (0..3).any(|axis| from[axis] >= to[axis]) {
            return;
        }
        let known: HashMap<Coordinates, usize> =
            self.chunks.iter().enumerate().map(|(index, chunk)| (chunk.position, index)).collect();
        let (is_sorted, mut emptied) = (self.chunks.is_sorted_by_key(|chunk| chunk.position), HashSet::new());
        let chunks: [_; 3] =
            std::array::from_fn(|axis| from[axis].div_euclid(SIDE)..=(to[axis] - 1).div_euclid(SIDE));
        let range = |axis: usize, at: i32| {
            let first = at.saturating_mul(SIDE);
            from[axis].max(first)..to[axis].min(first.saturating_add(SIDE))
        };
        for (x, y, z) in product(&chunks) {
            let there = known.get(&[x, y, z]).copied();
            let mut voxels = match there {
                Some(index) => self.chunks[index].voxels().collect(),
                None => vec![Voxel::default(); VOXELS],
            };
            let mut is_changed = false;
            for (x, y, z) in product(&[range(0, x), range(1, y), range(2, z)]) {
                let voxel = &mut voxels[index_of([x, y, z])];
                let before = *voxel;
                change([x, y, z], voxel);
                is_changed |= *voxel != before;
            }
            if !is_changed {
                continue;
            }
            let runs = runs_of(&voxels);
            if runs.iter().all(|(voxel, _)| *voxel == Voxel::default()) {
                emptied.insert([x, y, z]);
            }
            match there {
                Some(index) => self.chunks[index].runs = runs,
                None => self.chunks.push(Chunk { position: [x, y, z], runs }),
            }
        }
        self.chunks.retain(|chunk| !emptied.contains(&chunk.position));
        if is_sorted {
            self.sort();
        }
    }

    pub(super) fn sort(&mut self) {
        self.chunks.sort_by_key(|chunk| chunk.position);
    }

    /// The defects of the chunks.
    pub fn defects(&self) -> Defects {
        let positions: HashSet<Coordinates> = self.chunks.iter().map(|chunk| chunk.position).collect();
        let materials: BTreeSet<u8> =
            self.chunks.iter().flat_map(|chunk| &chunk.runs).map(|(voxel, _)| voxel.material).collect();
        Defects {
            repeated: self.chunks.len() - positions.len(),
            far: self.chunks.iter().filter(|chunk| chunk.is_far()).count(),
            unknown: materials
                .into_iter()
                .filter(|&material| usize::from(material) >= MATERIALS.len())
                .collect(),
        }
    }
}

impl Layout for SmoothGrid {
    const NAME: &'static str = "SmoothGrid";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        match bytes.array()? {
            [1, 5] => {}
            [version, edge] => {
                return Err(bytes.unsupported(format!(
                    "version {version} with chunks of 2^{edge} voxels per axis (expected version 1 with \
                     2^5 voxels)"
                )));
            }
        }
        let (mut chunks, mut last) = (Vec::new(), [0; 3]);
        while bytes.left() > 0 {
            last = grid::read(bytes, last)?;
            let runs = read_runs(bytes)?;
            bytes.push(&mut chunks, Chunk { position: last, runs })?;
        }
        Ok(Self { chunks })
    }
}

impl SmoothGrid {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If the runs of a chunk do not have [`VOXELS`] voxels, or if a run or a material is out of range.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let (mut out, mut last) = (vec![1, 5], [0; 3]);
        for (index, chunk) in self.chunks.iter().enumerate() {
            grid::write(&mut out, last, chunk.position);
            last = chunk.position;
            let wrong = |what: String| Error::unwritable(format!("chunks[{index}]"), what);
            let mut count = 0;
            for &(voxel, run) in &chunk.runs {
                if !(1..=256).contains(&run) || voxel.material > 63 || (voxel.water.is_some() && run > 1) {
                    let water = if voxel.water.is_some() { " with a water level" } else { "" };
                    return Err(wrong(format!(
                        "a run of {run} voxels of material {}{water} (a material is at most 63; a run has \
                         1 to 256 voxels, or exactly 1 if it has a water level)",
                        voxel.material
                    )));
                }
                write_run(&mut out, voxel, run);
                count += usize::from(run);
            }
            if count != VOXELS {
                return Err(wrong(format!("a chunk of {count} voxels (expected {VOXELS})")));
            }
        }
        Ok(out)
    }
}

/// All positions in three ranges.
fn product<R: IntoIterator<Item = i32> + Clone>(ranges: &[R; 3]) -> impl Iterator<Item = (i32, i32, i32)> {
    let [x, y, z] = ranges.clone();
    x.into_iter().flat_map(move |x| {
        let z = z.clone();
        y.clone().into_iter().flat_map(move |y| z.clone().into_iter().map(move |z| (x, y, z)))
    })
}

fn read_runs(bytes: &mut Bytes<'_>) -> Result<Vec<(Voxel, u16)>> {
    let (mut runs, mut filled) = (Vec::new(), 0);
    while filled < VOXELS {
        let flag = bytes.u8()?;
        let occupancy = if flag & 0x40 == 0 { None } else { Some(bytes.u8()?) };
        let (mut more, mut water) = (0, None);
        if flag & 0x80 != 0 {
            more = bytes.u8()?;
            if more == 0 {
                water = Some(bytes.u8()?);
            }
        }
        let count = u16::from(more) + 1;
        filled += usize::from(count);
        bytes.push(&mut runs, (Voxel { material: flag & 0x3f, occupancy, water }, count))?;
    }
    match filled == VOXELS {
        true => Ok(runs),
        false => Err(bytes.invalid("a run of voxels continues beyond the end of its chunk")),
    }
}

fn write_run(out: &mut Vec<u8>, Voxel { material, occupancy, water }: Voxel, count: u16) {
    let more = u8::try_from(count - 1).unwrap_or(u8::MAX);
    let has_more = more > 0 || water.is_some();
    out.push(material | u8::from(occupancy.is_some()) << 6 | u8::from(has_more) << 7);
    out.extend(occupancy);
    out.extend(has_more.then_some(more));
    out.extend(water);
}

#[cfg(test)]
#[path = "../../tests/inside/smooth_grid.rs"]
mod tests;
