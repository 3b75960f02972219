//! A closed surface cut by planes along the axes.

use glam::DVec3;

use super::hull::{Hull, tetrahedron};
use crate::bvh::Bvh;

/// How many corners a hull has while pieces are compared.
const CORNERS: usize = 64;

/// The part of a solid in a box.
#[derive(Clone)]
pub(super) struct Piece {
    triangles: Vec<Triangle>,
    /// The planes that cut it out, along each axis below and above.
    planes: [[Option<f64>; 2]; 3],
    /// The corners of the box that are inside of the solid.
    corners: Vec<DVec3>,
    pub(super) volume: f64,
}

#[derive(Clone, Copy)]
struct Triangle {
    corners: [DVec3; 3],
    /// Whether it is a part of the surface. Others close a cut: they begin at one point of its plane, whichever sides
    /// that makes them have, so that signed volumes are right and no point of theirs is one of the hull.
    is_real: bool,
}

impl Piece {
    pub(super) fn new(corners: &[[DVec3; 3]], closing: &[[DVec3; 3]]) -> Self {
        let real = corners.iter().map(|&corners| Triangle { corners, is_real: true });
        let triangles: Vec<Triangle> =
            real.chain(closing.iter().map(|&corners| Triangle { corners, is_real: false })).collect();
        let volume = triangles.iter().map(|triangle| tetrahedron(triangle.corners)).sum::<f64>().max(0.0);
        Self { triangles, planes: [[None; 2]; 3], corners: Vec::new(), volume }
    }

    /// The points that its hull is around.
    pub(super) fn points(&self) -> Vec<DVec3> {
        let real = self.triangles.iter().filter(|triangle| triangle.is_real);
        let mut points: Vec<DVec3> =
            real.flat_map(|triangle| triangle.corners).chain(self.corners.iter().copied()).collect();
        let key = |point: &DVec3| point.to_array().map(f64::to_bits);
        points.sort_unstable_by_key(key);
        points.dedup();
        points
    }

    /// Where the surface has edges across an axis, with their lengths.
    pub(super) fn edges(&self, axis: usize) -> Vec<(f64, f64)> {
        let mut found = Vec::new();
        for [a, b, c] in self.triangles.iter().filter(|each| each.is_real).map(|each| each.corners) {
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

    /// Below a plane and above it.
    pub(super) fn cut(&self, axis: usize, at: f64, solid: &Bvh) -> [Self; 2] {
        let side = || Self { triangles: Vec::new(), planes: self.planes, corners: Vec::new(), volume: 0.0 };
        let mut sides = [side(), side()];
        for triangle in &self.triangles {
            let heights = triangle.corners.map(|corner| corner[axis] - at);
            // What is in the plane is what closes the cut.
            if heights == [0.0; 3] {
                continue;
            }
            if heights.iter().all(|height| *height <= 0.0) {
                sides[0].triangles.push(*triangle);
            } else if heights.iter().all(|height| *height >= 0.0) {
                sides[1].triangles.push(*triangle);
            } else {
                split(triangle, axis, at, &mut sides);
            }
        }
        let [low, high] = &mut sides;
        (low.planes[axis][1], high.planes[axis][0]) = (Some(at), Some(at));
        for side in &mut sides {
            side.close(axis, at);
            side.volume = side.signed_volume();
            side.corners = side.inner_corners(solid);
        }
        sides
    }

    /// Closes what is cut open.
    fn close(&mut self, axis: usize, at: f64) {
        let is_on = |point: DVec3| point[axis] == at;
        let edges = |triangle: &Triangle| {
            let [a, b, c] = triangle.corners;
            [[a, b], [b, c], [c, a]].into_iter().filter(move |[from, to]| is_on(*from) && is_on(*to))
        };
        let edges: Vec<[DVec3; 2]> = self.triangles.iter().flat_map(edges).collect();
        let Some(&[apex, _]) = edges.first() else { return };
        let closing = edges.into_iter().filter(|[from, to]| *from != apex && *to != apex && from != to);
        self.triangles
            .extend(closing.map(|[from, to]| Triangle { corners: [to, from, apex], is_real: false }));
    }

    fn signed_volume(&self) -> f64 {
        let origin = self.triangles.first().map_or(DVec3::ZERO, |triangle| triangle.corners[0]);
        let volume = |triangle: &Triangle| tetrahedron(triangle.corners.map(|corner| corner - origin));
        self.triangles.iter().map(volume).sum::<f64>().max(0.0)
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

/// A triangle on both sides of a plane, as triangles on one.
fn split(triangle: &Triangle, axis: usize, at: f64, sides: &mut [Piece; 2]) {
    for (side, sign) in sides.iter_mut().zip([-1.0, 1.0]) {
        let mut polygon: [DVec3; 4] = [DVec3::ZERO; 4];
        let mut count = 0;
        for corner in 0..3 {
            let [from, to] = [triangle.corners[corner], triangle.corners[(corner + 1) % 3]];
            let [a, b] = [from, to].map(|point| (point[axis] - at) * sign);
            if a >= 0.0 {
                polygon[count] = from;
                count += 1;
            }
            if a * b < 0.0 {
                // From the lower end, so that both triangles of an edge have one point.
                let (low, high) = if from[axis] < to[axis] { (from, to) } else { (to, from) };
                let mut point = low + (high - low) * ((at - low[axis]) / (high[axis] - low[axis]));
                point[axis] = at;
                polygon[count] = point;
                count += 1;
            }
        }
        for last in 2..count {
            let corners = [polygon[0], polygon[last - 1], polygon[last]];
            side.triangles.push(Triangle { corners, is_real: triangle.is_real });
        }
    }
}
