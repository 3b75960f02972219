//! Terrain as a map of heights, and regions of terrain.

use std::collections::HashMap;

use super::grid::Coordinates;
use super::smooth_grid::{Chunk, EDGE, SmoothGrid, Voxel};
use geom::wire::{Budget, Error, Result};

/// A map of heights: 16 bits for each column of voxels, row by row. The columns of a row are along x, the rows along z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heights {
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub depth: usize,
    /// The heights: 65,535 is the highest.
    pub samples: Vec<u16>,
    /// The number of the material of each column in [`MATERIALS`](super::MATERIALS); 0 for none. If there are none at all,
    /// all columns have the material of the ground.
    pub materials: Vec<u8>,
}

/// Where a map of heights is, and of what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The position of its first column, and of the height 0, in voxels.
    pub origin: [i32; 3],
    /// The number of voxels of the greatest height.
    pub height: u32,
    /// The number of the material in [`MATERIALS`](super::MATERIALS).
    pub material: u8,
    /// The height up to which there is water above the ground, in voxels; 0 for none.
    pub water: u32,
}

impl Default for Ground {
    /// 64 voxels of grass, without water.
    fn default() -> Self {
        Self { origin: [0; 3], height: 64, material: 2, water: 0 }
    }
}

/// The edge of a chunk, for positions.
const SIDE: i32 = 32;

/// The position of a voxel by its index in a chunk.
fn place(chunk: Coordinates, index: usize) -> [i32; 3] {
    let local = [index % EDGE, index / (EDGE * EDGE), index / EDGE % EDGE];
    std::array::from_fn(|axis| chunk[axis].saturating_mul(SIDE).saturating_add(small(local[axis])))
}

fn small(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The maximum number of voxels along an axis of a map.
const MOST: u32 = 16_384;

impl Heights {
    /// The map with another number of columns and rows, between whose samples it is interpolated.
    #[must_use]
    pub fn resized(&self, width: usize, depth: usize) -> Self {
        if (width, depth) == (self.width, self.depth) || self.samples.is_empty() {
            return self.clone();
        }
        let at = |index: usize, to: usize, from: usize| {
            // The centres of the outermost samples are half a sample from the edge.
            let position =
                ((index as f64 + 0.5) * from as f64 / to as f64 - 0.5).clamp(0.0, (from - 1) as f64);
            let first = whole(position.floor());
            (first, (first + 1).min(from - 1), position - position.floor())
        };
        let (mut samples, mut materials) = (Vec::with_capacity(width * depth), Vec::new());
        for row in 0..depth {
            let (above, below, down) = at(row, depth, self.depth);
            for column in 0..width {
                let (left, right, along) = at(column, width, self.width);
                let sample = |row: usize, column: usize| f64::from(self.samples[row * self.width + column]);
                let mix = |row: usize| sample(row, left) * (1.0 - along) + sample(row, right) * along;
                let height = mix(above) * (1.0 - down) + mix(below) * down;
                samples.push(sixteen(height));
                // Of the nearest column.
                let (row, column) =
                    (if down < 0.5 { above } else { below }, if along < 0.5 { left } else { right });
                materials.extend(self.materials.get(row * self.width + column));
            }
        }
        Self { width, depth, samples, materials }
    }

    /// Terrain of these heights: full voxels, and at the top of each column one that is partly full.
    ///
    /// # Errors
    /// If the number of samples or of materials is not that of columns and rows, or the map is too large.
    pub fn to_grid(&self, ground: &Ground, budget: &mut Budget) -> Result<SmoothGrid> {
        let Ground { origin, height, water, .. } = *ground;
        let has_all = |len: usize| len == self.width.saturating_mul(self.depth);
        if !has_all(self.samples.len()) || !self.materials.is_empty() && !has_all(self.materials.len()) {
            return Err(Error::argument("a map of heights has one sample for each column of each row"));
        }
        let most = [self.width, self.depth].into_iter().max().unwrap_or_default();
        let is_far = origin.iter().any(|at| at.unsigned_abs() > MOST);
        if most > MOST as usize || height > MOST || water > MOST || is_far {
            return Err(Error::argument(format!(
                "a map of heights has at most {MOST} voxels along each axis"
            )));
        }
        let top = height.max(water).cast_signed();
        let range = |axis: usize, len: i32| {
            origin[axis].div_euclid(SIDE)..=(origin[axis] + len.max(1) - 1).div_euclid(SIDE)
        };
        let (width, depth) = (small(self.width), small(self.depth));
        let mut grid = SmoothGrid::default();
        for x in range(0, width) {
            for y in range(1, top) {
                for z in range(2, depth) {
                    budget.work(1 << 16, "the voxels of a map of heights")?;
                    let voxels = self.chunk(ground, [x, y, z]);
                    if let Some(chunk) = Chunk::of([x, y, z], &voxels) {
                        budget.charge(64 + 8 * chunk.runs.len() as u64, "the voxels of a map of heights")?;
                        grid.chunks.push(chunk);
                    }
                }
            }
        }
        Ok(grid)
    }

    /// The voxels of a chunk.
    fn chunk(&self, ground: &Ground, position: Coordinates) -> Vec<Voxel> {
        let mut voxels = vec![Voxel::default(); EDGE * EDGE * EDGE];
        for (index, voxel) in voxels.iter_mut().enumerate() {
            let at = place(position, index);
            let at: [i32; 3] = std::array::from_fn(|axis| at[axis] - ground.origin[axis]);
            let [Ok(x), Ok(y), Ok(z)] = at.map(usize::try_from) else { continue };
            let Some(&sample) =
                self.samples.get(z * self.width + x).filter(|_| x < self.width && z < self.depth)
            else {
                continue;
            };
            let own = self.materials.get(z * self.width + x).filter(|own| **own > 1);
            let material = own.copied().unwrap_or(ground.material);
            // In 1/255 of a voxel, as occupancies are stored.
            let steps = u64::from(sample) * u64::from(ground.height) * 255;
            let steps = (steps + 32_767) / 65_535;
            let left = steps.saturating_sub(255 * y as u64).min(255);
            *voxel = match u8::try_from(left) {
                Ok(255) => Voxel::full(material),
                Ok(0) | Err(_) if (y as u64) < u64::from(ground.water) => Voxel::full(1),
                Ok(0) | Err(_) => Voxel::default(),
                Ok(left) => Voxel { material, occupancy: Some(left), water: None },
            };
        }
        voxels
    }
}

fn whole(number: f64) -> usize {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the caller limits the number"
    )]
    {
        number as usize
    }
}

fn sixteen(number: f64) -> u16 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of 16-bit numbers")]
    {
        number.round() as u16
    }
}

/// The range of voxels of a map of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first position, in voxels.
    pub from: [i32; 3],
    /// The position after the last one.
    pub to: [i32; 3],
}

impl SmoothGrid {
    /// The box around all voxels that are neither air nor water; `None` if there are none.
    pub fn extent(&self) -> Option<Extent> {
        let (mut from, mut to) = ([i32::MAX; 3], [i32::MIN; 3]);
        for chunk in self.chunks.iter().filter(|chunk| !chunk.is_far()) {
            for (index, _) in chunk.voxels().enumerate().filter(|(_, voxel)| is_ground(*voxel)) {
                let at = place(chunk.position, index);
                for axis in 0..3 {
                    let at = at[axis];
                    (from[axis], to[axis]) = (from[axis].min(at), to[axis].max(at + 1));
                }
            }
        }
        (from[0] < to[0]).then_some(Extent { from, to })
    }

    /// The highest ground of each column in a range, as a map in which 65,535 is the top of the range. Caves and overhangs are
    /// not in it, and neither is water.
    ///
    /// # Errors
    /// If the range is empty or too large.
    pub fn heights(&self, extent: Extent, budget: &mut Budget) -> Result<Heights> {
        let size: [i64; 3] =
            std::array::from_fn(|axis| i64::from(extent.to[axis]) - i64::from(extent.from[axis]));
        if size.iter().any(|size| !(1..=i64::from(MOST)).contains(size)) {
            return Err(Error::argument(format!(
                "a map of heights has 1 to {MOST} voxels along each axis (here {}, {}, {})",
                size[0], size[1], size[2]
            )));
        }
        let [width, height, depth] = size.map(|size| usize::try_from(size).unwrap_or_default());
        budget.charge(8 * (width * depth) as u64, "a map of heights")?;
        // In 1/255 of a voxel.
        let mut tops = vec![(0_u32, 0_u8); width * depth];
        for chunk in &self.chunks {
            budget.work(1 << 16, "a map of heights")?;
            for (index, voxel) in chunk.voxels().enumerate().filter(|(_, voxel)| is_ground(*voxel)) {
                let at = place(chunk.position, index);
                let is_inside = (0..3).all(|axis| (extent.from[axis]..extent.to[axis]).contains(&at[axis]));
                if !is_inside {
                    continue;
                }
                let [x, y, z] = std::array::from_fn(|axis| (at[axis] - extent.from[axis]).unsigned_abs());
                let top = &mut tops[z as usize * width + x as usize];
                *top = (*top).max((255 * y + u32::from(voxel.filled()), voxel.material));
            }
        }
        let most = 255 * height as u64;
        let sample =
            |top: u32| u16::try_from((u64::from(top) * 65_535 + most / 2) / most).unwrap_or(u16::MAX);
        let samples = tops.iter().map(|(top, _)| sample(*top)).collect();
        Ok(Heights {
            width,
            depth,
            samples,
            materials: tops.into_iter().map(|(_, material)| material).collect(),
        })
    }

    /// The voxels of a range, moved by a number of voxels along each axis: what is cut out of one place to be
    /// [pasted](Self::paste) into another one.
    ///
    /// # Errors
    /// If the range is empty or too large.
    pub fn region(&self, extent: Extent, by: [i32; 3], budget: &mut Budget) -> Result<Self> {
        let is_wrong = (0..3).any(|axis| {
            let len = i64::from(extent.to[axis]) - i64::from(extent.from[axis]);
            !(1..=i64::from(MOST)).contains(&len) || by[axis].unsigned_abs() > 8 * MOST
        });
        if is_wrong {
            let what = format!("a region of terrain has 1 to {MOST} voxels along each axis");
            return Err(Error::argument(what));
        }
        let mut voxels: HashMap<Coordinates, Vec<Voxel>> = HashMap::new();
        for chunk in self.chunks.iter().filter(|chunk| !chunk.is_far()) {
            let is_apart = (0..3).any(|axis| {
                let first = chunk.position[axis] * SIDE;
                first >= extent.to[axis] || first + SIDE <= extent.from[axis]
            });
            if is_apart {
                continue;
            }
            budget.work(1 << 16, "a region of terrain")?;
            for (index, voxel) in chunk.voxels().enumerate().filter(|(_, voxel)| *voxel != Voxel::default()) {
                let at = place(chunk.position, index);
                if !(0..3).all(|axis| (extent.from[axis]..extent.to[axis]).contains(&at[axis])) {
                    continue;
                }
                let to: [i32; 3] = std::array::from_fn(|axis| at[axis] + by[axis]);
                let place = to.map(|at| at.div_euclid(SIDE));
                if !voxels.contains_key(&place) {
                    budget.charge((size_of::<Voxel>() * EDGE * EDGE * EDGE) as u64, "a region of terrain")?;
                }
                let chunk = voxels.entry(place).or_insert_with(|| vec![Voxel::default(); EDGE * EDGE * EDGE]);
                let [x, y, z] = to.map(|at| at.rem_euclid(SIDE).unsigned_abs() as usize);
                chunk[x + EDGE * z + EDGE * EDGE * y] = voxel;
            }
        }
        let mut grid = Self::default();
        grid.chunks.extend(voxels.iter().filter_map(|(place, voxels)| Chunk::of(*place, voxels)));
        grid.sort();
        Ok(grid)
    }

    /// Puts the voxels of another terrain that are not air in place of those here.
    ///
    /// # Errors
    /// If the chunks need more than the budget has left.
    pub fn paste(&mut self, other: &Self, budget: &mut Budget) -> Result<()> {
        let known: HashMap<Coordinates, usize> =
            self.chunks.iter().enumerate().map(|(index, chunk)| (chunk.position, index)).collect();
        for chunk in &other.chunks {
            budget.work(1 << 16, "the pasted terrain")?;
            let Some(&index) = known.get(&chunk.position) else {
                budget.charge(64 + 8 * chunk.runs.len() as u64, "the pasted terrain")?;
                self.chunks.push(chunk.clone());
                continue;
            };
            let mut voxels: Vec<Voxel> = self.chunks[index].voxels().collect();
            for (voxel, new) in voxels.iter_mut().zip(chunk.voxels()) {
                if new != Voxel::default() {
                    *voxel = new;
                }
            }
            if let Some(made) = Chunk::of(chunk.position, &voxels) {
                self.chunks[index] = made;
            }
        }
        self.sort();
        Ok(())
    }
}

fn is_ground(voxel: Voxel) -> bool {
    voxel.material >= 2 && voxel.filled() > 0
}
