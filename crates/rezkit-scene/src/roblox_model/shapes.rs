//! Recognises meshes that are exactly the shape of a part.

use std::collections::{HashMap, HashSet};

use geom::TriMesh;
use glam::{Mat4, Vec3};

/// The shape of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Block,
    Wedge,
    CornerWedge,
    /// The axis is x.
    Cylinder,
    Ball,
}

/// A mesh that is the shape of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub(super) shape: Shape,
    /// The matrix from the cube of length 1 around the shape to the mesh.
    frame: Mat4,
}

/// The largest deviation, relative to the size of the mesh.
const NEAR: f32 = 1e-4;
/// The fewest corners of the circle of a cylinder: with fewer, its sides are more than 1.3 % of the radius inside of it.
const ROUND: usize = 20;
/// The most triangles of a mesh that is examined: a finer ball has no use.
const MOST: usize = 20_000;

impl Solid {
    /// The shape that a mesh is, if it is one.
    pub(super) fn of(mesh: &TriMesh) -> Option<Self> {
        let bounds = mesh.bounds()?;
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vec3::from(corner.to_array()));
        let size = max - min;
        if mesh.triangles.len() > MOST || !size.is_finite() || size.min_element() <= 0.0 {
            return None;
        }
        // In the cube of length 1 around the origin, so that the axes can have different units.
        let scaled = |at: geom::Vec3| (Vec3::from(at.to_array()) - (min + max) * 0.5) / size;
        let (points, triangles) = welded(mesh, scaled)?;
        let volume = closed_volume(&points, &triangles)?;
        let of_scaled = Mat4::from_translation((min + max) * 0.5) * Mat4::from_scale(size);
        let solid = |shape, frame: Mat4| Some(Self { shape, frame });
        match points.len() {
            0..5 => None,
            // These are right-angled in the mesh, not in the cube.
            5..=8 => {
                let points: Vec<Vec3> = points.iter().map(|at| of_scaled.transform_point3(*at)).collect();
                let volume = volume * size.x * size.y * size.z;
                let shape = match points.len() {
                    5 => Shape::CornerWedge,
                    6 => Shape::Wedge,
                    _ => Shape::Block,
                };
                let frame = right_angled(shape, &points)?;
                let part = match shape {
                    Shape::CornerWedge => 1.0 / 3.0,
                    Shape::Wedge => 0.5,
                    _ => 1.0,
                };
                let is_whole = (volume - part * frame.determinant()).abs() <= 10.0 * NEAR * volume;
                is_whole.then(|| solid(shape, frame)).flatten()
            }
            _ if is_ball(&points, volume) => solid(Shape::Ball, of_scaled),
            _ => {
                let axis = (0..3).find(|&axis| is_cylinder(&points, volume, axis))?;
                // The axis of the shape is x.
                let turn = match axis {
                    0 => Mat4::IDENTITY,
                    1 => Mat4::from_cols(
                        Vec3::Y.extend(0.0),
                        Vec3::NEG_X.extend(0.0),
                        glam::Vec4::Z,
                        glam::Vec4::W,
                    ),
                    _ => Mat4::from_cols(
                        Vec3::Z.extend(0.0),
                        glam::Vec4::Y,
                        Vec3::NEG_X.extend(0.0),
                        glam::Vec4::W,
                    ),
                };
                solid(Shape::Cylinder, of_scaled * turn)
            }
        }
    }

    /// The size, and the frame without a scale, of the shape that is placed by a matrix; `None` if no part has this form.
    pub(super) fn placed(&self, world: Mat4) -> Option<(Vec3, Mat4)> {
        let matrix = world * self.frame;
        let [mut x, mut y, mut z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
        if matrix.determinant() < 0.0 {
            // Each shape is its own mirror image.
            match self.shape {
                Shape::CornerWedge => (x, z) = (-z, -x),
                Shape::Cylinder => y = -y,
                _ => x = -x,
            }
        }
        let size = Vec3::new(x.length(), y.length(), z.length());
        let near = |a: f32, b: f32| (a - b).abs() <= 10.0 * NEAR * a.max(b);
        let is_round = match self.shape {
            Shape::Ball => near(size.x, size.y) && near(size.y, size.z),
            Shape::Cylinder => near(size.y, size.z),
            _ => true,
        };
        let axes = [x / size.x, y / size.y, z / size.z];
        let is_square = [(0, 1), (1, 2), (2, 0)].into_iter().all(|(a, b)| axes[a].dot(axes[b]).abs() <= NEAR);
        let [x, y, z] = axes.map(|axis| axis.extend(0.0));
        let frame = Mat4::from_cols(x, y, z, matrix.w_axis);
        (is_round && is_square && size.min_element() > 0.0 && frame.is_finite()).then_some((size, frame))
    }
}

/// The distinct positions of a mesh, and its triangles with an area.
fn welded(mesh: &TriMesh, scaled: impl Fn(geom::Vec3) -> Vec3) -> Option<(Vec<Vec3>, Vec<[usize; 3]>)> {
    let (mut points, mut index_of, mut triangles) = (Vec::new(), HashMap::new(), Vec::new());
    for triangle in &mesh.triangles {
        let mut corners = [0; 3];
        for (corner, &index) in corners.iter_mut().zip(triangle) {
            let at = scaled(*mesh.positions.get(index as usize)?);
            let key = at.to_array().map(|part| (part / NEAR).round() as i32);
            *corner = *index_of.entry(key).or_insert_with(|| {
                points.push(at);
                points.len() - 1
            });
        }
        let [a, b, c] = corners;
        if a != b && b != c && c != a {
            triangles.push(corners);
        }
    }
    Some((points, triangles))
}

/// The volume of a closed surface whose triangles face outwards; `None` for any other one.
fn closed_volume(points: &[Vec3], triangles: &[[usize; 3]]) -> Option<f32> {
    let mut edges = HashSet::new();
    let mut volume = 0.0;
    for &[a, b, c] in triangles {
        if !(edges.insert((a, b)) && edges.insert((b, c)) && edges.insert((c, a))) {
            return None;
        }
        volume += points[a].dot(points[b].cross(points[c])) / 6.0;
    }
    let is_closed = edges.iter().all(|&(a, b)| edges.contains(&(b, a)));
    (is_closed && volume > 0.0).then_some(volume)
}

/// The matrix from the cube around a block, a wedge or a corner wedge with these corners. Of several, the one that turns
/// least.
fn right_angled(shape: Shape, points: &[Vec3]) -> Option<Mat4> {
    let size = points.iter().map(|at| at.distance(points[0])).fold(0.0, f32::max);
    let has = |at: Vec3| points.iter().any(|point| point.distance(at) <= NEAR * size);
    let mut best: Option<(f32, Mat4)> = None;
    // A corner with three edges at right angles, in each order.
    for (at, &corner) in points.iter().enumerate() {
        let others: Vec<Vec3> =
            (0..).zip(points).filter(|(other, _)| *other != at).map(|(_, point)| *point - corner).collect();
        let square = |a: Vec3, b: Vec3| a.dot(b).abs() <= NEAR * a.length() * b.length();
        for &u in &others {
            for &v in others.iter().filter(|v| square(u, **v)) {
                for &w in others.iter().filter(|w| square(u, **w) && square(v, **w)) {
                    let (expected, [x, y, z]): (&[Vec3], _) = match shape {
                        Shape::CornerWedge => (&[v + w], [-v, u, w]),
                        Shape::Wedge => (&[u + w, v + w], [w, u, -v]),
                        _ => (&[u + v, v + w, u + w, u + v + w], [u, v, w]),
                    };
                    let middle = corner + (u + v + w) * 0.5;
                    let frame =
                        Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), middle.extend(1.0));
                    if frame.determinant() <= 0.0 || !expected.iter().all(|point| has(corner + *point)) {
                        continue;
                    }
                    let turn = [x, y, z].map(|axis| axis.normalize_or_zero());
                    let upright = turn[0].x + turn[1].y + turn[2].z;
                    if best.is_none_or(|(most, _)| upright > most + 1e-3) {
                        best = Some((upright, frame));
                    }
                }
            }
        }
    }
    best.map(|(_, frame)| frame)
}

/// Whether points of the cube of length 1 are those of a ball of this volume.
fn is_ball(points: &[Vec3], volume: f32) -> bool {
    /// The least share of the volume of a ball: one of 20 segments and 10 rings has 0.9596, one of 16 and 8 has 0.9374.
    const SHARE: f32 = 0.95;
    points.len() >= 26
        && volume >= SHARE * std::f32::consts::PI / 6.0
        && points.iter().all(|at| (at.length() - 0.5).abs() <= NEAR * 10.0)
}

/// Whether points of the cube of length 1 are those of a cylinder of this volume.
fn is_cylinder(points: &[Vec3], volume: f32, axis: usize) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() <= NEAR * 10.0;
    let (mut corners, mut ends) = (0, 0);
    for at in points {
        let along = at[axis].abs();
        let mut flat = *at;
        flat[axis] = 0.0;
        if !near(along, 0.5) {
            return false;
        }
        match flat.length() {
            far if near(far, 0.5) => corners += 1,
            far if near(far, 0.0) => ends += 1,
            _ => return false,
        }
    }
    let count = corners / 2;
    // A regular polygon with this number of corners.
    let turn = std::f32::consts::TAU / count.max(1) as f32;
    let area = count as f32 / 8.0 * libm::sinf(turn);
    corners % 2 == 0 && count >= ROUND && ends <= 2 && near(volume, area)
}

#[cfg(test)]
#[path = "../../tests/inside/roblox_model_shapes.rs"]
mod tests;
