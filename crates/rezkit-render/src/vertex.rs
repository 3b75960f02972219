//! The corners of triangles on their way to the picture.

use glam::Vec3;

/// A corner in camera space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) at: Vec3,
    pub(crate) normal: Vec3,
    pub(crate) uv: [f32; 2],
    pub(crate) color: [f32; 4],
    /// The position in the picture; `None` outside the guard band.
    pub(crate) screen: Option<Point>,
}

/// A point of the picture in units of 1/256 of a pixel, and the reciprocal of its distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) nearness: f32,
}

impl Vertex {
    pub(crate) fn new(at: Vec3, normal: Vec3, uv: [f32; 2], color: [f32; 4]) -> Self {
        Self { at, normal, uv, color, screen: None }
    }

    /// The corner at the fraction `at` between two corners.
    pub(crate) fn mixed(&self, other: &Self, at: f64) -> Self {
        let part = at as f32;
        let between = |from: f32, to: f32| from + (to - from) * part;
        Self {
            at: mixed(self.at, other.at, at),
            normal: self.normal + (other.normal - self.normal) * part,
            uv: [0, 1].map(|axis| between(self.uv[axis], other.uv[axis])),
            color: [0, 1, 2, 3].map(|axis| between(self.color[axis], other.color[axis])),
            screen: None,
        }
    }
}

/// The point at the fraction `at` between two points, computed without overflow.
pub(crate) fn mixed(from: Vec3, to: Vec3, at: f64) -> Vec3 {
    (from.as_dvec3() * (1.0 - at) + to.as_dvec3() * at).as_vec3()
}
