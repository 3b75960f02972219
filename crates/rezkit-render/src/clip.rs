//! Clips triangles and lines to the view, so that coordinates are bounded.

use glam::Vec3;

use crate::camera::View;
use crate::vertex::{Vertex, mixed};

/// The distance of the guard band from the middle of the picture, in halves of the picture.
pub(crate) const GUARD: f32 = 4.0;
/// The maximum number of corners of a triangle that is cut by five planes.
const MAX_CORNERS: usize = 8;

/// A convex polygon.
pub(crate) struct Polygon {
    corners: [Vertex; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    pub(crate) fn corners(&self) -> &[Vertex] {
        &self.corners[..self.count]
    }

    fn push(&mut self, vertex: Vertex) {
        if let Some(corner) = self.corners.get_mut(self.count) {
            *corner = vertex;
            self.count += 1;
        }
    }
}

/// The distance of a point from each plane, positive inside: near, left, right, bottom and top. 64-bit floats do not
/// overflow.
fn distances(view: &View, guard: f32, point: Vec3) -> [f64; 5] {
    let [x, y, z] = point.to_array().map(f64::from);
    let [across, down] = view.tangents.map(|tangent| f64::from(tangent) * f64::from(guard) * -z);
    [-z - f64::from(view.near), across + x, across - x, down + y, down - y]
}

/// Whether a point is beyond the near plane and within the guard band.
pub(crate) fn is_inside(view: &View, point: Vec3) -> bool {
    distances(view, GUARD, point).iter().all(|&distance| distance >= 0.0)
}

/// The part of a triangle beyond the near plane and within the guard band; without corners if nothing remains. Its
/// points are finite.
pub(crate) fn triangle(view: &View, corners: [&Vertex; 3]) -> Polygon {
    let mut polygon = Polygon { corners: [*corners[0]; MAX_CORNERS], count: 0 };
    corners.into_iter().for_each(|corner| polygon.push(*corner));
    for plane in 0..5 {
        let whole = Polygon { corners: polygon.corners, count: polygon.count };
        polygon.count = 0;
        let Some(mut from) = whole.corners().last() else { break };
        let mut from_distance = distances(view, GUARD, from.at)[plane];
        for to in whole.corners() {
            let distance = distances(view, GUARD, to.at)[plane];
            if (distance >= 0.0) != (from_distance >= 0.0) {
                polygon.push(from.mixed(to, from_distance / (from_distance - distance)));
            }
            if distance >= 0.0 {
                polygon.push(*to);
            }
            (from, from_distance) = (to, distance);
        }
    }
    polygon
}

/// The part of a line in the picture.
pub(crate) fn line(view: &View, [from, to]: [Vec3; 2]) -> Option<[Vec3; 2]> {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (a, b) in distances(view, 1.0, from).into_iter().zip(distances(view, 1.0, to)) {
        let at = a / (a - b);
        match (a >= 0.0, b >= 0.0) {
            (false, false) => return None,
            (false, true) => start = start.max(at),
            (true, false) => end = end.min(at),
            (true, true) => {}
        }
    }
    (start <= end).then(|| [start, end].map(|at| mixed(from, to, at)))
}
