//! The surface in a chunk: a vertex in each cell that it crosses, and a quad around each edge that it crosses.

use std::collections::BTreeMap;

use geom::{TriMesh, Vec3};

use super::AIR;
use super::cells::{Rings, ends, rings};
use super::flat::{self, Quad};
use super::samples::{HALF, Kind, Sample, Samples};
use crate::terrain::grid::Coordinates;
use crate::terrain::smooth_grid::EDGE;
use geom::wire::Budget;
use geom::wire::ErrorKind;

/// The number of samples of neighbouring chunks on each side of a chunk: one for the cells at the border, one for the
/// cells beside those, and one for the neighbours of their samples.
const BORDER: usize = 3;

/// A chunk with its border. A row of samples is along x; the row at (y, z) has the index z + `width` * y.
pub(super) struct Net {
    /// The distance between samples, in studs.
    scale: f32,
    /// The number of samples of a chunk along an axis.
    edge: usize,
    /// The number of samples along an axis, including the border.
    width: usize,
    samples: Vec<Sample>,
    /// For each row, a bit for each sample that is inside.
    rows: Vec<u64>,
    /// The first vertex and the rings of each crossed cell.
    cells: Vec<(u32, Rings)>,
    /// The coordinates of the sample at index 0.
    origin: [i32; 3],
    /// Along each axis, the index of the first sample whose edges belong to this chunk: the first one of the chunk or,
    /// if there is no chunk before it, the sample before that.
    first: [usize; 3],
    vertices: Vec<[Vec3; 2]>,
    quads: Vec<Quad>,
    triangles: Vec<([u32; 3], u8)>,
    slots: Vec<u32>,
    /// The index of each vertex in the mesh of a material.
    indices: Vec<u32>,
}

impl Net {
    pub(super) fn new(step: u32) -> Self {
        let edge = EDGE / step as usize;
        let width = edge + 2 * BORDER;
        Self {
            scale: 4.0 * step as f32,
            edge,
            width,
            samples: vec![Sample::default(); width * width * width],
            rows: vec![0; width * width],
            cells: vec![(0, Rings::default()); width * width * width],
            origin: [0; 3],
            first: [BORDER; 3],
            vertices: Vec::new(),
            quads: Vec::new(),
            triangles: Vec::new(),
            slots: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// The maximum memory of a net in bytes, needed if all cells and all edges are crossed.
    pub(super) fn size(step: u32) -> u64 {
        let width = EDGE as u64 / u64::from(step) + 2 * BORDER as u64;
        let vertex = size_of::<[Vec3; 2]>() + size_of::<u32>();
        let quad = size_of::<Quad>() + 2 * size_of::<([u32; 3], u8)>();
        let cell = size_of::<Sample>() + size_of::<(u32, Rings)>() + size_of::<u32>();
        let of_a_cell = cell + 2 * (vertex + 3 * quad);
        width * width * width * of_a_cell as u64
    }

    /// Copies the samples of a chunk and of those around it.
    pub(super) fn fill<'a>(
        &mut self,
        position: Coordinates,
        chunk: impl Fn(Coordinates) -> Option<&'a Samples>,
    ) {
        let [edge, width] = [self.edge, self.width];
        let around = |x: i32, y: i32, z: i32| chunk([position[0] + x, position[1] + y, position[2] + z]);
        let mut chunks = [&AIR; 27];
        for (index, samples) in (0..27).zip(&mut chunks) {
            *samples = around(index % 3 - 1, index / 9 - 1, index / 3 % 3 - 1).unwrap_or(&AIR);
        }
        // The chunk (0 to 2) of a sample with a coordinate, and the position in that chunk.
        let split = |at: usize| ((at + edge - BORDER) / edge, (at + edge - BORDER) % edge);
        for y in 0..width {
            for z in 0..width {
                let ((chunk_y, in_y), (chunk_z, in_z)) = (split(y), split(z));
                let row = edge * (in_z + edge * in_y);
                let to = &mut self.samples[width * (z + width * y)..][..width];
                let (before, to) = to.split_at_mut(BORDER);
                let (own, after) = to.split_at_mut(edge);
                let first = 3 * (chunk_z + 3 * chunk_y);
                chunks[first].copy(row + edge - BORDER, before);
                chunks[first + 1].copy(row, own);
                chunks[first + 2].copy(row, after);
            }
        }
        let edge = i32::try_from(edge).unwrap_or(i32::MAX);
        self.origin = position.map(|at| at * edge - i32::try_from(BORDER).unwrap_or(0));
        // A voxel has no layers.
        if self.edge < EDGE {
            self.keep_layers();
        }
        let is_missing = [around(-1, 0, 0), around(0, -1, 0), around(0, 0, -1)].map(|chunk| chunk.is_none());
        self.first = is_missing.map(|missing| BORDER - usize::from(missing));
    }

    /// Keeps the layers that are thinner than a sample and have no inside sample beside them.
    fn keep_layers(&mut self) {
        let inner = 1..self.width - 1;
        for kind in [Kind::Solid, Kind::Water] {
            let mut kept = Vec::new();
            for y in inner.clone() {
                for z in inner.clone() {
                    for x in inner.clone() {
                        let index = self.index([x, y, z]);
                        let Some(axis) = self.samples[index].thin(kind) else { continue };
                        let beside = [1, self.width * self.width, self.width][axis];
                        let [before, after] = [index - beside, index + beside].map(|at| &self.samples[at]);
                        kept.push((index, !before.is_inside(kind) && !after.is_inside(kind)));
                    }
                }
            }
            for (index, is_kept) in kept {
                match is_kept {
                    true => self.samples[index].keep(kind),
                    false => self.samples[index].join(kind),
                }
            }
        }
    }

    /// Finds the inside samples; returns `false` if all samples are inside, or all are outside.
    pub(super) fn find(&mut self, kind: Kind) -> bool {
        let (mut any, mut all) = (false, true);
        let whole = (1 << self.width) - 1;
        for (row, samples) in self.rows.iter_mut().zip(self.samples.chunks_exact(self.width)) {
            *row = samples.iter().rev().fold(0, |row, sample| row << 1 | u64::from(sample.is_inside(kind)));
            any |= *row != 0;
            all &= *row == whole;
        }
        any && !all
    }

    /// The material and the corners of each triangle that was built.
    pub(super) fn triangles(&self) -> impl ExactSizeIterator<Item = (u8, [Vec3; 3])> + '_ {
        let corners = |corners: [u32; 3]| corners.map(|corner| self.vertices[corner as usize][0]);
        self.triangles.iter().map(move |&(triangle, material)| (material, corners(triangle)))
    }

    /// For each axis and row, calls a function with a bit for each sample at which a crossed edge along the axis
    /// begins.
    fn edges(&self, mut row: impl FnMut(usize, usize, usize, u64)) {
        let end = BORDER + self.edge;
        let bits = |first: usize| (1_u64 << end) - (1 << first);
        let at = |y: usize, z: usize| self.rows[z + self.width * y];
        for y in self.first[1]..end {
            for z in self.first[2]..end {
                let [own_y, own_z] = [y, z].map(|at| at >= BORDER);
                let here = at(y, z);
                if own_y && own_z {
                    row(0, y, z, (here ^ here >> 1) & bits(self.first[0]));
                }
                if own_z {
                    row(1, y, z, (here ^ at(y + 1, z)) & bits(BORDER));
                }
                if own_y {
                    row(2, y, z, (here ^ at(y, z + 1)) & bits(BORDER));
                }
            }
        }
    }

    /// The inside corners of a cell, a bit each.
    fn inside(&self, x: usize, y: usize, z: usize) -> u8 {
        let pair = |y: usize, z: usize| (self.rows[z + self.width * y] >> x & 3) as u8;
        pair(y, z) | pair(y + 1, z) << 2 | pair(y, z + 1) << 4 | pair(y + 1, z + 1) << 6
    }

    /// Makes the vertices of all cells at edges of this chunk, the quads around crossed edges, and their triangles.
    pub(super) fn build(&mut self, kind: Kind) {
        self.vertices.clear();
        self.quads.clear();
        let end = BORDER + self.edge;
        for y in BORDER - 1..end {
            for z in BORDER - 1..end {
                let at = |y: usize, z: usize| self.rows[z + self.width * y];
                let rows = [at(y, z), at(y, z + 1), at(y + 1, z), at(y + 1, z + 1)];
                let any = rows.iter().fold(0, |any, row| any | row);
                let all = rows.iter().fold(u64::MAX, |all, row| all & row);
                let cells = (any | any >> 1) & !(all & all >> 1);
                let mut cells = cells & ((1 << end) - (1 << (BORDER - 1)));
                while cells != 0 {
                    let x = cells.trailing_zeros() as usize;
                    cells &= cells - 1;
                    self.cell(kind, [x, y, z]);
                }
            }
        }
        let mut quads = std::mem::take(&mut self.quads);
        self.edges(|axis, y, z, mut crossed| {
            while crossed != 0 {
                let x = crossed.trailing_zeros() as usize;
                crossed &= crossed - 1;
                quads.push(self.quad(kind, axis, [x, y, z]));
            }
        });
        self.quads = quads;
        flat::triangles(&self.quads, &self.vertices, self.width, &mut self.slots, &mut self.triangles);
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.width * (z + self.width * y)
    }

    /// Makes the vertices of a cell, one for each ring.
    #[allow(clippy::cast_precision_loss, reason = "samples are less than 2^24 from the origin")]
    fn cell(&mut self, kind: Kind, at: [usize; 3]) {
        let [x, y, z] = at;
        let rings = rings(self.inside(x, y, z), |face| {
            let mut beside = at;
            let axis = face / 2;
            beside[axis] = if face % 2 == 1 { at[axis] + 1 } else { at[axis] - 1 };
            self.inside(beside[0], beside[1], beside[2])
        });
        let samples: [&Sample; 8] = std::array::from_fn(|corner| {
            &self.samples[self.index([x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)])]
        });
        let value = |amount: u16| f32::from(amount) - f32::from(HALF) - 0.5;
        let values = samples.map(|sample| value(sample.amount(kind)));
        // The sum and the number of the crossings of each ring.
        let mut sums = [([0.0_f32; 3], 0.0_f32); 4];
        for edge in 0..12 {
            let [a, b] = ends(edge);
            if (values[a] > 0.0) == (values[b] > 0.0) {
                continue;
            }
            let (sum, count) = &mut sums[rings.of(edge) as usize];
            let [from, to] = [a, b].map(|end| value(samples[end].amount_along(kind, edge / 4)));
            for (axis, sum) in sum.iter_mut().enumerate() {
                *sum += if axis == edge / 4 { from / (from - to) } else { (a >> axis & 1) as f32 };
            }
            *count += 1.0;
        }
        let first = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        let index = self.index(at);
        // The mean lift of the layers below and above. Each is less than half a sample, so that vertices above one
        // another keep their order.
        let [low, high] = [0, 2].map(|level| {
            let inside = [0, 1, 4, 5]
                .map(|corner| samples[level | corner])
                .into_iter()
                .filter(|at| at.is_inside(kind));
            let (sum, count) = inside.fold((0.0, 0.0), |(sum, count), at| (sum + at.lift(kind), count + 1.0));
            if count > 0.0 { sum / count } else { 0.0 }
        });
        self.cells[index] = (first, rings);
        for (sum, count) in &sums[..usize::from(rings.count)] {
            let inner = sum.map(|sum| sum / count);
            let lift = [0.0, low + (high - low) * inner[1], 0.0];
            let position: [f32; 3] = std::array::from_fn(|axis| {
                let cell = self.origin[axis] as f32 + at[axis] as f32;
                (cell + 0.5 + inner[axis] + lift[axis]) * self.scale
            });
            self.vertices.push([position.into(), normal(&values, inner)]);
        }
    }

    /// The quad around a crossed edge.
    fn quad(&self, kind: Kind, axis: usize, at: [usize; 3]) -> Quad {
        let mut next = at;
        next[axis] += 1;
        let [from, to] = [at, next].map(|at| self.samples[self.index(at)]);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |du: usize, dv: usize| {
            let mut cell = at;
            cell[u] -= du;
            cell[v] -= dv;
            let (first, rings) = self.cells[self.index(cell)];
            first + rings.of(4 * axis + du + 2 * dv)
        };
        let is_turned = !from.is_inside(kind);
        let material = match (kind, is_turned) {
            (Kind::Water, _) => 1,
            (Kind::Solid, false) => from.material(&to, 2 * axis + 1),
            (Kind::Solid, true) => to.material(&from, 2 * axis),
        };
        Quad {
            corners: [corner(1, 1), corner(0, 1), corner(0, 0), corner(1, 0)],
            axis: u8::try_from(axis).unwrap_or(0),
            at: at.map(|at| u8::try_from(at).unwrap_or(0)),
            is_turned,
            material,
        }
    }

    /// Appends the triangles that were built to the meshes of their materials.
    pub(super) fn append(
        &mut self,
        surfaces: &mut BTreeMap<u8, TriMesh>,
        budget: &mut Budget,
    ) -> Result<(), ErrorKind> {
        let mut materials = [false; 256];
        self.triangles.iter().for_each(|&(_, material)| materials[usize::from(material)] = true);
        for material in (0..=u8::MAX).filter(|&material| materials[usize::from(material)]) {
            let mesh = surfaces.entry(material).or_default();
            let triangles = self.triangles.iter().filter(|triangle| triangle.1 == material);
            grow(&mut mesh.triangles, triangles.clone().count(), budget)?;
            self.indices.clear();
            self.indices.resize(self.vertices.len(), u32::MAX);
            let mut used = 0;
            for vertex in triangles.clone().flat_map(|triangle| triangle.0) {
                let index = &mut self.indices[vertex as usize];
                if *index == u32::MAX {
                    *index = 0;
                    used += 1;
                }
            }
            grow(&mut mesh.positions, used, budget)?;
            grow(&mut mesh.normals, used, budget)?;
            for ([position, normal], index) in self.vertices.iter().zip(&mut self.indices) {
                if *index == 0 {
                    *index = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
                    mesh.positions.push(*position);
                    mesh.normals.push(*normal);
                }
            }
            mesh.triangles
                .extend(triangles.map(|(triangle, _)| triangle.map(|vertex| self.indices[vertex as usize])));
        }
        Ok(())
    }
}

/// The direction in which the values decrease fastest, at a point of a cell.
fn normal(values: &[f32; 8], at: [f32; 3]) -> Vec3 {
    let slope: [f32; 3] = std::array::from_fn(|axis| {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let difference = |bu: usize, bv: usize| {
            let start = bu << u | bv << v;
            values[start] - values[start | 1 << axis]
        };
        let between = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let low = between(difference(0, 0), difference(1, 0), at[u]);
        let high = between(difference(0, 1), difference(1, 1), at[u]);
        between(low, high, at[v])
    });
    Vec3::from(slope).normalize().unwrap_or(Vec3::new(0.0, 1.0, 0.0))
}

/// Makes space for more values. While a vector grows, the old and the new memory both exist and are both charged.
fn grow<T>(values: &mut Vec<T>, more: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
    let wanted = values.len() + more;
    if wanted > values.capacity() {
        let size = |count: usize| (count * size_of::<T>()) as u64;
        let (old, new) = (values.capacity(), wanted.max(2 * values.capacity()));
        budget.take(size(new))?;
        values.reserve_exact(new - values.len());
        budget.give_back(size(old));
    }
    Ok(())
}
