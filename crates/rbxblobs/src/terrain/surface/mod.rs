//! The surface of terrain as triangles, made by naive surface nets: each cell of eight samples that the surface crosses
//! gets a vertex.

mod cells;
mod flat;
mod net;
mod samples;

use std::collections::BTreeMap;

use geom::{TriMesh, Vec3};

use super::grid::Coordinates;
use super::smooth_grid::{Chunk, FARTHEST, MATERIALS, SmoothGrid};
use crate::options::ReadOptions;
use geom::wire::Budget;
use geom::wire::{Error, ErrorKind, Result};
use net::Net;
use samples::{Kind, Sample, Samples, Side};

/// The possible steps of a surface, the finest first: the number of voxels along an edge of a sample.
pub const STEPS: [u32; 4] = [1, 2, 4, 8];

/// The surface of a material, as triangles.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Surface {
    /// The number of the material in [`MATERIALS`]; 1 is water.
    pub material: u8,
    /// The triangles, in studs along the axes of the world, counter-clockwise seen from outside, with normals. Vertices
    /// between materials and at the borders of chunks occur repeatedly, with equal positions and normals.
    pub mesh: TriMesh,
}

impl Surface {
    /// The name of the material.
    pub fn name(&self) -> &'static str {
        name(self.material)
    }

    /// The area, in square studs.
    pub fn area(&self) -> f64 {
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| self.mesh.positions[corner as usize]);
        self.mesh.triangles.iter().map(|triangle| area(corners(triangle))).sum()
    }
}

/// The name of a material by its number; `Unknown` if no material has it.
pub fn name(material: u8) -> &'static str {
    MATERIALS.get(usize::from(material)).copied().unwrap_or("Unknown")
}

fn area([a, b, c]: [Vec3; 3]) -> f64 {
    let cross = (b - a).cross(c - a);
    f64::from(cross.dot(cross).sqrt()) / 2.0
}

/// The size of the surfaces of a terrain.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// The number of triangles.
    pub triangles: u64,
    /// The area of each material by its number, in square studs.
    pub areas: BTreeMap<u8, f64>,
}

impl SmoothGrid {
    /// The surfaces of the solid materials and of the water: a mesh for each material that occurs, in the order of
    /// their numbers. The solid surfaces together are closed, and so is that of the water: each edge belongs to exactly
    /// two triangles, in opposite directions. A flat rectangle uses only the vertices around it and one in the middle.
    /// A layer of voxels that is thinner than a step is kept. A surface has the material that is seen from outside.
    ///
    /// This allocates the memory of the surfaces, and of the voxels of three layers of chunks along x.
    ///
    /// # Errors
    /// If the step is not in [`STEPS`], if a chunk is farther from the origin than the engine allows, and if
    /// [`ReadOptions::max_bytes`] is reached.
    pub fn surface(&self, step: u32, options: &ReadOptions) -> Result<Vec<Surface>> {
        let mut budget = Budget::new(options.max_bytes);
        let mut surfaces: BTreeMap<u8, TriMesh> = BTreeMap::new();
        walk(self, step, &mut budget, &mut |net, budget| {
            for kind in [Kind::Solid, Kind::Water] {
                if net.find(kind) {
                    net.build(kind);
                    net.append(&mut surfaces, budget)?;
                }
            }
            Ok(())
        })?;
        Ok(surfaces.into_iter().map(|(material, mesh)| Surface { material, mesh }).collect())
    }

    /// The number of triangles of all surfaces and the area of each material, without keeping the triangles.
    ///
    /// # Errors
    /// As [`SmoothGrid::surface`].
    pub fn measure(&self, step: u32, options: &ReadOptions) -> Result<Measured> {
        let (mut measured, mut budget) = (Measured::default(), Budget::new(options.max_bytes));
        walk(self, step, &mut budget, &mut |net, _| {
            for kind in [Kind::Solid, Kind::Water] {
                if net.find(kind) {
                    net.build(kind);
                    measured.triangles += net.triangles().len() as u64;
                    for (material, [a, b, c]) in net.triangles() {
                        let cross = (b - a).cross(c - a);
                        *measured.areas.entry(material).or_default() +=
                            f64::from(cross.dot(cross).sqrt()) / 2.0;
                    }
                }
            }
            Ok(())
        })?;
        Ok(measured)
    }

    /// The number of chunks in or beside which there can be a surface: the time for a surface is proportional to it.
    pub fn crossed_chunks(&self) -> usize {
        let placed = placed(self);
        placed.iter().filter(|(position, (_, side))| is_crossed(&placed, **position, *side)).count()
    }

    /// The number of triangles of all surfaces, without keeping the triangles.
    ///
    /// # Errors
    /// As [`SmoothGrid::surface`].
    pub fn triangle_count(&self, step: u32, options: &ReadOptions) -> Result<u64> {
        Ok(self.measure(step, options)?.triangles)
    }

    /// The finest step whose surfaces have at most this number of triangles, or the coarsest step if none has so few.
    /// Also returns the sizes for each step from the finest to that one.
    ///
    /// # Errors
    /// As [`SmoothGrid::surface`].
    pub fn finest_step(&self, most_triangles: u64, options: &ReadOptions) -> Result<(u32, Vec<Measured>)> {
        let (mut found, mut measured) = (1, Vec::new());
        for step in STEPS {
            let of_step = self.measure(step, options)?;
            let is_enough = of_step.triangles <= most_triangles;
            measured.push(of_step);
            found = step;
            if is_enough {
                break;
            }
        }
        Ok((found, measured))
    }
}

/// The chunks by their positions, each with its side. If two chunks are at the same position, the later one counts.
type Placed<'a> = BTreeMap<Coordinates, (&'a Chunk, Option<Side>)>;

fn placed(grid: &SmoothGrid) -> Placed<'_> {
    grid.chunks.iter().map(|chunk| (chunk.position, (chunk, samples::side(chunk)))).collect()
}

/// The positions of a chunk and of those around it.
fn around(position: Coordinates) -> impl Iterator<Item = Coordinates> {
    (0..27).map(move |index| {
        let offset = [index % 3 - 1, index / 9 - 1, index / 3 % 3 - 1];
        std::array::from_fn(|axis| position[axis].saturating_add(offset[axis]))
    })
}

/// Whether there can be a surface in or beside a chunk: not if it and all chunks around it are on the same side.
fn is_crossed(placed: &Placed<'_>, position: Coordinates, side: Option<Side>) -> bool {
    let side_at = |at| placed.get(&at).map_or(Some(Side::default()), |(_, side)| *side);
    side.is_none() || around(position).any(|at| side_at(at) != side)
}

/// Calls a function for each chunk in or beside which there can be a surface, with its samples and those around it.
fn walk(
    grid: &SmoothGrid,
    step: u32,
    budget: &mut Budget,
    chunk: &mut dyn FnMut(&mut Net, &mut Budget) -> Result<(), ErrorKind>,
) -> Result<()> {
    if !STEPS.contains(&step) {
        let what = format!("expected one of the steps {STEPS:?} (in voxels), found {step}");
        return Err(Error::invalid_argument("step", what));
    }
    let limit = |kind| Error::new(kind, "terrain");
    budget.take(grid.chunks.len() as u64 * 64).map_err(limit)?;
    if let Some(far) = grid.chunks.iter().find(|chunk| chunk.is_far()) {
        let what = format!(
            "the chunk at {:?} is more than {FARTHEST} chunks away from the origin along an axis (remove it: Roblox \
             does not allow it)",
            far.position
        );
        return Err(Error::invalid_argument("chunks", what));
    }
    let placed = placed(grid);
    budget.take(Net::size(step)).map_err(limit)?;
    let mut net = Net::new(step);
    let mut window: BTreeMap<Coordinates, Samples> = BTreeMap::new();
    for (&position, &(_, side)) in &placed {
        if !is_crossed(&placed, position, side) {
            continue;
        }
        // Chunks that are more than one layer before this one along x are not needed any more.
        while window.first_key_value().is_some_and(|(first, _)| first[0] < position[0] - 1) {
            let gone = window.pop_first();
            budget.give_back(gone.map_or(0, |(_, samples)| samples.size()));
        }
        for at in around(position) {
            let Some((near, _)) = placed.get(&at).filter(|_| !window.contains_key(&at)) else { continue };
            budget.take(Samples::most(near, step)).map_err(limit)?;
            let samples = Samples::of(near, step);
            budget.give_back(Samples::most(near, step) - samples.size());
            window.insert(at, samples);
        }
        net.fill(position, |at| window.get(&at));
        chunk(&mut net, budget).map_err(limit)?;
    }
    Ok(())
}

/// The samples at a position without a chunk.
const AIR: Samples = Samples::Uniform(Sample::AIR);
