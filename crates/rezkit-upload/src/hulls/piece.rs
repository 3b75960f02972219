//! A closed surface cut by planes along the axes. The cuts are not closed with triangles, since volumes are computed
//! without them.

use std::collections::HashMap;

use glam::DVec3;

use crate::bvh::Bvh;
use rezkit_scene::hull::Hull;

/// The number of corners of a hull while pieces are compared.
const CORNERS: usize = 64;

/// The part of a solid in a box.
pub(super) struct Piece {
    points: Vec<DVec3>,
    triangles: Vec<Triangle>,
    /// The planes that bound the piece, below and above along each axis.
    planes: [[Option<f64>; 2]; 3],
    /// The corners of the box of these planes that are inside of the solid.
    corners: Vec<DVec3>,
    pub(super) volume: f64,
}

#[derive(Clone, Copy)]
struct Triangle {
    points: [u32; 3],
    /// Whether the triangle is a part of the surface. Others close holes, and their points are not used for the hull.
    is_real: bool,
}

const NO: u32 = u32::MAX;

impl Piece {
    pub(super) fn new(corners: &[[DVec3; 3]], closing: &[[DVec3; 3]]) -> Self {
        let mut points = Vec::new();
        let mut index_of: HashMap<[u64; 3], u32> = HashMap::new();
        let mut index = |point: DVec3| {
            *index_of.entry(point.to_array().map(f64::to_bits)).or_insert_with(|| {
                points.push(point);
                points.len() as u32 - 1
            })
        };
        let real = corners.iter().map(|corners| (corners, true));
        let triangles = real
            .chain(closing.iter().map(|corners| (corners, false)))
            .map(|(corners, is_real)| Triangle { points: corners.map(&mut index), is_real })
            .collect();
        Self { triangles, points, planes: [[None; 2]; 3], corners: Vec::new(), volume: 0.0 }.measured()
    }

    /// Sets the volume, computed as the flux of (x, 0, 0) out of the surface. There is no flux through the planes
    /// across the other axes, nor through the lower plane, from which x is counted.
    fn measured(mut self) -> Self {
        let [[x0, x1], ..] = self.planes;
        let x0 = x0.or(self.points.first().map(|point| point.x)).unwrap_or_default();
        let flow = |triangle: &Triangle| {
            let [a, b, c] = triangle.points.map(|point| self.points[point as usize]);
            ((b - a).cross(c - a).x * 0.5) * ((a.x + b.x + c.x) / 3.0 - x0)
        };
        let surface: f64 = self.triangles.iter().map(flow).sum();
        let above = x1.map_or(0.0, |x1| (x1 - x0) * self.area(x1));
        self.volume = (surface + above).max(0.0);
        self
    }

    /// The area in which the upper plane along x cuts the solid, computed in the same way from the edges in the plane.
    fn area(&self, x1: f64) -> f64 {
        let [_, [y0, y1], [z0, z1]] = self.planes;
        let first = self.points.first().copied().unwrap_or_default();
        let (y0, z0) = (y0.unwrap_or(first.y), z0.unwrap_or(first.z));
        let (mut area, mut length) = (0.0, 0.0);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.points.map(|point| self.points[point as usize]);
            // The cut passes the edges in the opposite direction.
            for [to, from] in [[a, b], [b, c], [c, a]] {
                if from.x != x1 || to.x != x1 {
                    continue;
                }
                area += ((from.y + to.y) * 0.5 - y0) * (to.z - from.z);
                // If the edges meet the upper plane along y, the border continues in it.
                length += if Some(from.y) == y1 { from.z - z0 } else { 0.0 };
                length -= if Some(to.y) == y1 { to.z - z0 } else { 0.0 };
            }
        }
        let Some(y1) = y1 else { return area };
        let corner = z1.filter(|z1| self.corners.contains(&DVec3::new(x1, y1, *z1)));
        area + (y1 - y0) * (length + corner.map_or(0.0, |z1| z1 - z0))
    }

    /// The points that the hull encloses.
    pub(super) fn points(&self) -> Vec<DVec3> {
        let mut is_real = vec![false; self.points.len()];
        for triangle in self.triangles.iter().filter(|triangle| triangle.is_real) {
            triangle.points.into_iter().for_each(|point| is_real[point as usize] = true);
        }
        let points = self.points.iter().zip(is_real).filter(|(_, is_real)| *is_real);
        points.map(|(point, _)| *point).chain(self.corners.iter().copied()).collect()
    }

    /// The positions of edges across an axis, with their lengths.
    pub(super) fn edges(&self, axis: usize) -> Vec<(f64, f64)> {
        let mut found = Vec::new();
        for triangle in self.triangles.iter().filter(|each| each.is_real) {
            let [a, b, c] = triangle.points.map(|point| self.points[point as usize]);
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if from[axis] == to[axis] {
                    found.push((from[axis], from.distance(to)));
                }
            }
        }
        found
    }

    pub(super) fn hull(&self, tolerance: f64) -> Option<Hull> {
        Hull::around(&self.points(), CORNERS, tolerance)
    }

    pub(super) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The parts of the piece below and above a plane.
    pub(super) fn cut(&self, axis: usize, at: f64, solid: &Bvh) -> [Self; 2] {
        let heights: Vec<f64> = self.points.iter().map(|point| point[axis] - at).collect();
        let sides = |triangle: &Triangle| {
            let heights = triangle.points.map(|point| heights[point as usize]);
            // A triangle in the plane is in neither part.
            let is_in = heights == [0.0; 3];
            [
                !is_in && heights.iter().any(|height| *height < 0.0),
                !is_in && heights.iter().any(|height| *height > 0.0),
            ]
        };
        // The edges across the plane, and the point of each in the plane, which both triangles of the edge share.
        let mut across: Vec<(u64, u32)> = Vec::new();
        for triangle in self.triangles.iter().filter(|triangle| sides(triangle) == [true; 2]) {
            let [a, b, c] = triangle.points;
            let edges = [[a, b], [b, c], [c, a]].into_iter();
            let crosses = |edge: &[u32; 2]| heights[edge[0] as usize] * heights[edge[1] as usize] < 0.0;
            for [from, to] in edges.filter(crosses) {
                across.push((u64::from(from.min(to)) << 32 | u64::from(from.max(to)), across.len() as u32));
            }
        }
        across.sort_unstable();
        let place = |edge: u64| {
            let [low, high] =
                [edge >> 32, edge & u64::from(u32::MAX)].map(|point| self.points[point as usize]);
            let mut point = low + (high - low) * ((at - low[axis]) / (high[axis] - low[axis]));
            point[axis] = at;
            point
        };
        let (mut cut, mut numbers): (Vec<DVec3>, _) = (Vec::new(), vec![0; across.len()]);
        for edges in across.chunk_by(|a, b| a.0 == b.0) {
            edges.iter().for_each(|edge| numbers[edge.1 as usize] = cut.len() as u32);
            cut.push(place(edges[0].0));
        }
        [0, 1].map(|side| {
            let (mut index_of, mut numbers) = (vec![NO; self.points.len()], numbers.iter());
            let mut half = Self {
                points: cut.clone(),
                triangles: Vec::new(),
                planes: self.planes,
                corners: Vec::new(),
                volume: 0.0,
            };
            let sign = if side == 0 { -1.0 } else { 1.0 };
            for triangle in &self.triangles {
                let found = sides(triangle);
                if !found[side] {
                    continue;
                }
                let mut polygon = [0; 4];
                let mut count = 0;
                let mut add = |index: u32| {
                    polygon[count] = index;
                    count += 1;
                };
                for corner in 0..3 {
                    let [from, to] = [triangle.points[corner], triangle.points[(corner + 1) % 3]];
                    let [a, b] = [from, to].map(|point| heights[point as usize] * sign);
                    if a >= 0.0 {
                        let index = &mut index_of[from as usize];
                        if *index == NO {
                            *index = half.points.len() as u32;
                            half.points.push(self.points[from as usize]);
                        }
                        add(*index);
                    }
                    if a * b < 0.0 {
                        add(numbers.next().copied().unwrap_or_default());
                    }
                }
                let is_real = triangle.is_real;
                let triangle =
                    |last| Triangle { points: [polygon[0], polygon[last - 1], polygon[last]], is_real };
                half.triangles.extend((2..count).map(triangle));
            }
            half.planes[axis][1 - side] = Some(at);
            half.corners = half.inner_corners(solid);
            half.measured()
        })
    }

    fn inner_corners(&self, solid: &Bvh) -> Vec<DVec3> {
        let mut corners = Vec::new();
        for number in 0..8 {
            let plane = |axis: usize| self.planes[axis][number >> axis & 1];
            if let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(plane) {
                let corner = DVec3::new(x, y, z);
                if solid.is_inside(corner) {
                    corners.push(corner);
                }
            }
        }
        corners
    }
}
