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
    /// The number of corners of the circle of a cylinder.
    sides: usize,
}

/// The largest deviation, relative to the size of the mesh.
const NEAR: f32 = 1e-4;
/// The largest deviation that a tolerance allows, relative to the size of the mesh.
const LOOSEST: f32 = 0.05;
/// The fewest corners of the circle of a cylinder: with fewer, its sides are more than 1.3 % of the radius inside of it.
const ROUND: usize = 20;
/// The most triangles of a mesh that is examined: a finer ball has no use.
const MOST: usize = 20_000;

impl Solid {
    /// The shape that a mesh is, if it is one. `within` is the deviation that is allowed, relative to the largest side of
    /// the mesh, which [`within`](Self::within) then measures; without it, the shape is exact.
    pub(super) fn of(mesh: &TriMesh, within: Option<f32>) -> Option<Self> {
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
        let solid = |shape, frame: Mat4| Some(Self { shape, frame, sides: (points.len() / 2).max(3) });
        let near = within.unwrap_or(NEAR).clamp(1e-6, LOOSEST);
        match points.len() {
            0..5 => None,
            // These are right-angled in the mesh, not in the cube.
            5..=8 => {
                let points: Vec<Vec3> = points.iter().map(|at| of_scaled.transform_point3(*at)).collect();
                let near = within.map(|_| near);
                let volume = volume * size.x * size.y * size.z;
                let shape = match points.len() {
                    5 => Shape::CornerWedge,
                    6 => Shape::Wedge,
                    _ => Shape::Block,
                };
                let frame = right_angled(shape, &points, near)?;
                let part = match shape {
                    Shape::CornerWedge => 1.0 / 3.0,
                    Shape::Wedge => 0.5,
                    _ => 1.0,
                };
                let most = 10.0 * near.unwrap_or(NEAR) * volume;
                let is_whole = (volume - part * frame.determinant()).abs() <= most;
                is_whole.then(|| solid(shape, frame)).flatten()
            }
            _ if is_ball(&points, volume, near) => solid(Shape::Ball, of_scaled),
            _ => {
                let axis = (0..3).find(|&axis| is_cylinder(&points, (volume, near), axis))?;
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

    /// As [`placed`](Self::placed), if no point of the mesh is farther than this many studs from the part.
    pub(super) fn within(&self, mesh: &TriMesh, world: Mat4, studs: f32) -> Option<(Vec3, Mat4)> {
        let (size, frame) = self.placed(world).or_else(|| self.squared(world))?;
        let (local, half) = (frame.inverse() * world, size * 0.5);
        let farthest = |points: &mut dyn Iterator<Item = f32>| points.fold(0.0, f32::max);
        let at = |index: u32| {
            let point = mesh.positions.get(index as usize).map(|at| Vec3::from(at.to_array()));
            local.transform_point3(point.unwrap_or_default())
        };
        let mut corners = mesh.triangles.iter().flatten().map(|index| at(*index));
        let deviation = match self.shape {
            Shape::Ball => {
                let middles = mesh.triangles.iter().map(|of| of.map(at).into_iter().sum::<Vec3>() / 3.0);
                farthest(&mut corners.chain(middles).map(|point| (point.length() - half.x).abs()))
            }
            Shape::Cylinder => {
                let flat = half.y * (1.0 - libm::cosf(std::f32::consts::PI / self.sides as f32));
                let off = |point: Vec3| {
                    let across = libm::hypotf(point.y, point.z);
                    (point.x.abs() - half.x).abs().max(across.min((across - half.y).abs()))
                };
                farthest(&mut corners.map(off)).max(flat)
            }
            shape => {
                let own: Vec<Vec3> = shape.corners().iter().map(|corner| *corner * half).collect();
                let off = |point: Vec3| {
                    own.iter().map(|corner| corner.distance(point)).fold(f32::INFINITY, f32::min)
                };
                farthest(&mut corners.by_ref().map(off))
            }
        };
        (deviation <= studs).then_some((size, frame))
    }

    /// The size and the frame of the nearest part if the axes are not quite at right angles, or a circle is not quite round.
    fn squared(&self, world: Mat4) -> Option<(Vec3, Mat4)> {
        let matrix = world * self.frame;
        let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
        let mut size = Vec3::new(x.length(), y.length(), z.length());
        match self.shape {
            Shape::Ball => size = Vec3::splat(size.element_sum() / 3.0),
            Shape::Cylinder => (size.y, size.z) = ((size.y + size.z) * 0.5, (size.y + size.z) * 0.5),
            _ => {}
        }
        let x = x.try_normalize()?;
        let y = (y - x * x.dot(y)).try_normalize()?;
        let frame = Mat4::from_cols(x.extend(0.0), y.extend(0.0), x.cross(y).extend(0.0), matrix.w_axis);
        let is_part = matrix.determinant() > 0.0 && size.min_element() > 0.0 && frame.is_finite();
        is_part.then_some((size, frame))
    }
}

impl Shape {
    /// The corners of a block or a wedge in the cube from -1 to 1.
    fn corners(self) -> &'static [Vec3] {
        const fn at(x: f32, y: f32, z: f32) -> Vec3 {
            Vec3::new(x, y, z)
        }
        const BLOCK: [Vec3; 8] = [
            at(-1.0, -1.0, -1.0),
            at(1.0, -1.0, -1.0),
            at(-1.0, -1.0, 1.0),
            at(1.0, -1.0, 1.0),
            at(-1.0, 1.0, 1.0),
            at(1.0, 1.0, 1.0),
            at(-1.0, 1.0, -1.0),
            at(1.0, 1.0, -1.0),
        ];
        const CORNER: [Vec3; 5] = [BLOCK[0], BLOCK[1], BLOCK[2], BLOCK[3], BLOCK[7]];
        match self {
            Self::Wedge => &BLOCK[..6],
            Self::CornerWedge => &CORNER,
            _ => &BLOCK,
        }
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
fn right_angled(shape: Shape, points: &[Vec3], within: Option<f32>) -> Option<Mat4> {
    let size = points.iter().map(|at| at.distance(points[0])).fold(0.0, f32::max);
    let near = within.unwrap_or(NEAR) * size;
    let has = |at: Vec3| points.iter().any(|point| point.distance(at) <= near);
    let mut best: Option<(f32, Mat4)> = None;
    // A corner with three edges at right angles, in each order.
    for (at, &corner) in points.iter().enumerate() {
        let others: Vec<Vec3> =
            (0..).zip(points).filter(|(other, _)| *other != at).map(|(_, point)| *point - corner).collect();
        let square = |a: Vec3, b: Vec3| {
            let (a_length, b_length) = (a.length(), b.length());
            let most = match within {
                None => NEAR * a_length * b_length,
                Some(_) => near * a_length.max(b_length),
            };
            a.dot(b).abs() <= most
        };
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
fn is_ball(points: &[Vec3], volume: f32, near: f32) -> bool {
    /// The least share of the volume of a ball: one of 20 segments and 10 rings has 0.9596, one of 16 and 8 has 0.9374.
    const SHARE: f32 = 0.95;
    points.len() >= 26
        && volume >= SHARE * std::f32::consts::PI / 6.0
        && points.iter().all(|at| (at.length() - 0.5).abs() <= near.max(NEAR * 10.0))
}

/// Whether points of the cube of length 1 are those of a cylinder of this volume.
fn is_cylinder(points: &[Vec3], (volume, near): (f32, f32), axis: usize) -> bool {
    let most = near.max(NEAR * 10.0);
    let near = |a: f32, b: f32| (a - b).abs() <= most;
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
