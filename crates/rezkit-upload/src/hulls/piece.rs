//! A closed surface cut by planes.

use std::collections::HashMap;

use glam::{DMat3, DVec3};

use super::frame::NEAR;
use super::surface::cones;
use crate::bvh::Bvh;
use rezkit_scene::hull::{Hull, tetrahedron};

/// The number of corners of a hull while pieces are compared.
const CORNERS: usize = 64;

/// A plane: the points whose product with the normal is a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) at: f64,
}

impl Plane {
    /// The plane across an axis.
    pub(super) fn across(axis: usize, at: f64) -> Self {
        let mut normal = DVec3::ZERO;
        normal[axis] = 1.0;
        Self { normal, at }
    }

    pub(super) fn height(self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.at
    }
}

/// The part of a solid between planes.
pub(super) struct Piece {
    points: Vec<DVec3>,
    triangles: Vec<Triangle>,
    /// The planes that bound the piece; it is below each of them.
    planes: Vec<Plane>,
    /// The points inside of the solid in which three planes meet.
    corners: Vec<DVec3>,
    /// Points that are not farther from a plane are in it.
    near: f64,
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
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let near = (high - low).max_element().max(0.0) * NEAR * 0.5;
        let from = points.first().copied().unwrap_or_default();
        let mut piece =
            Self { triangles, points, planes: Vec::new(), corners: Vec::new(), near, volume: 0.0 };
        piece.measure(from);
        piece
    }

    /// Sets the volume. A surface that ends in a plane is measured from a point of this plane.
    fn measure(&mut self, from: DVec3) {
        let volume = |triangle: &Triangle| {
            tetrahedron(triangle.points.map(|point| self.points[point as usize] - from))
        };
        self.volume = self.triangles.iter().map(volume).sum::<f64>().max(0.0);
    }

    /// Closes the surface where a plane cut it: from each edge of the cut to one point of the cut.
    pub(super) fn closed(mut self) -> Self {
        let triangles: Vec<[u32; 3]> = self.triangles.iter().map(|triangle| triangle.points).collect();
        self.triangles
            .extend(cones(&triangles).into_iter().map(|points| Triangle { points, is_real: false }));
        self
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

    /// The corners of the triangles of the surface.
    pub(super) fn surface(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        let real = self.triangles.iter().filter(|each| each.is_real);
        real.map(|triangle| triangle.points.map(|point| self.points[point as usize]))
    }

    pub(super) fn hull(&self, tolerance: f64) -> Option<Hull> {
        Hull::around(&self.points(), CORNERS, tolerance)
    }

    pub(super) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The parts of the piece below and above a plane, without triangles in it.
    pub(super) fn cut(&self, plane: Plane, solid: &Bvh) -> [Self; 2] {
        let height = |point: &DVec3| {
            let height = plane.height(*point);
            if height.abs() <= self.near { 0.0 } else { height }
        };
        let heights: Vec<f64> = self.points.iter().map(height).collect();
        let sides = |triangle: &Triangle| {
            let heights = triangle.points.map(|point| heights[point as usize]);
            [heights.iter().any(|height| *height < 0.0), heights.iter().any(|height| *height > 0.0)]
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
            let [low, high] = [edge >> 32, edge & u64::from(u32::MAX)].map(|point| point as usize);
            let share = heights[low] / (heights[low] - heights[high]);
            self.points[low].lerp(self.points[high], share)
        };
        let (mut cut, mut numbers): (Vec<DVec3>, _) = (Vec::new(), vec![0; across.len()]);
        for edges in across.chunk_by(|a, b| a.0 == b.0) {
            edges.iter().for_each(|edge| numbers[edge.1 as usize] = cut.len() as u32);
            cut.push(place(edges[0].0));
        }
        let met = self.met(plane, solid);
        [0, 1].map(|side| {
            let (mut index_of, mut numbers) = (vec![NO; self.points.len()], numbers.iter());
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let above = self.corners.iter().filter(|corner| plane.height(**corner) * sign > self.near);
            let mut half = Self {
                points: cut.clone(),
                triangles: Vec::new(),
                planes: self.planes.clone(),
                corners: above.chain(&met).copied().collect(),
                near: self.near,
                volume: 0.0,
            };
            half.planes.push(Plane { normal: plane.normal * -sign, at: plane.at * -sign });
            for triangle in &self.triangles {
                let found = sides(triangle);
                if !found[side] {
                    // The points of a triangle across the plane are numbered for both sides.
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
            half.measure(plane.normal * plane.at);
            half
        })
    }

    /// The points inside of the solid in which a plane meets two planes of the piece.
    fn met(&self, plane: Plane, solid: &Bvh) -> Vec<DVec3> {
        let mut found: Vec<DVec3> = Vec::new();
        for (number, one) in self.planes.iter().enumerate() {
            for two in &self.planes[..number] {
                let matrix = DMat3::from_cols(plane.normal, one.normal, two.normal).transpose();
                if matrix.determinant().abs() < 1e-6 {
                    continue;
                }
                let point = matrix.inverse() * DVec3::new(plane.at, one.at, two.at);
                let is_in = self.planes.iter().all(|plane| plane.height(point) <= self.near);
                let is_new = |point: DVec3| found.iter().all(|other| other.distance(point) > self.near);
                if is_in && is_new(point) && solid.is_inside(point) {
                    found.push(point);
                }
            }
        }
        found
    }
}
