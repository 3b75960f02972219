//! The surface of terrain as triangles, made by naive surface nets: each cell of eight samples that the surface crosses
//! gets a vertex.

mod cells;
mod flat;
mod net;
mod samples;

use std::collections::BTreeMap;

use geom::{TriMesh, Vec3};

use super::grid::Coordinates;
use super::smooth_grid::{Chunk, MATERIALS, SmoothGrid};
use crate::options::ReadOptions;
use geom::wire::Budget;
use geom::wire::{Error, ErrorKind, Result};
use net::Net;
use samples::{Kind, Sample, Samples};

/// The possible steps of a surface, the finest first: the number of voxels along an edge of a sample.
pub const STEPS: [u32; 4] = [1, 2, 4, 8];

/// The maximum distance of a chunk from the origin that the engine allows along an axis, in chunks.
const FARTHEST: u32 = 262_144;

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

/// Calls a function for each chunk in or near which there can be a surface, with its samples and those around it.
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
    let mut chunks: Vec<&Chunk> = grid.chunks.iter().collect();
    // If two chunks are at the same position, the later one counts.
    chunks.reverse();
    chunks.sort_by_key(|chunk| chunk.position);
    chunks.dedup_by_key(|chunk| chunk.position);
    if let Some(far) =
        chunks.iter().find(|chunk| chunk.position.iter().any(|at| at.unsigned_abs() > FARTHEST))
    {
        let what =
            format!("the chunk at {:?} is more than {FARTHEST} chunks away from the origin", far.position);
        return Err(Error::invalid_argument("chunks", what));
    }
    budget.take(Net::size(step)).map_err(limit)?;
    let mut net = Net::new(step);
    let mut window: BTreeMap<Coordinates, Samples> = BTreeMap::new();
    let mut coming = chunks.iter().peekable();
    for Chunk { position, .. } in &chunks {
        // Chunks that are more than one layer away along x are not needed any more, or not yet.
        while window.first_key_value().is_some_and(|(first, _)| first[0] < position[0] - 1) {
            let gone = window.pop_first();
            budget.give_back(gone.map_or(0, |(_, samples)| samples.size()));
        }
        while let Some(next) = coming.next_if(|next| next.position[0] <= position[0] + 1) {
            budget.take(Samples::most(next, step)).map_err(limit)?;
            let samples = Samples::of(next, step);
            budget.give_back(Samples::most(next, step) - samples.size());
            window.insert(next.position, samples);
        }
        if net.fill(*position, |position| window.get(&position)) {
            chunk(&mut net, budget).map_err(limit)?;
        }
    }
    Ok(())
}

/// The samples at a position without a chunk.
const AIR: Samples = Samples::Uniform(Sample::AIR);
