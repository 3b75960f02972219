//! The shapes of parts, in a cube from -0.5 to 0.5 that the size of a part scales.

use geom::TriMesh;
use glam::{Vec2, Vec3};

use super::truss::Truss;

/// A shape without a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Shape {
    Block,
    Ball,
    /// The axis is x.
    CylinderX,
    /// The axis is y.
    CylinderY,
    /// An upright cylinder with rounded edges.
    Head,
    Wedge,
    CornerWedge,
    Truss(Truss),
}

/// A face of a part, by its number in `Enum.NormalId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Face(pub(super) u32);

/// The corners of a face, seen from outside: the top left, bottom left, bottom right and top right of its
/// image.
pub(super) fn quad(face: Face) -> [Vec3; 4] {
    let (normal, right, down) = face.axes();
    let corner = |u: f32, v: f32| (normal + right * u + down * v) * 0.5;
    [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)]
}

impl Face {
    pub(super) const FRONT: Self = Self(5);

    /// The normal, and the directions in which an image's u and v grow.
    pub(super) fn axes(self) -> (Vec3, Vec3, Vec3) {
        match self.0 {
            0 => (Vec3::X, Vec3::NEG_Z, Vec3::NEG_Y),
            1 => (Vec3::Y, Vec3::NEG_X, Vec3::NEG_Z),
            2 => (Vec3::Z, Vec3::X, Vec3::NEG_Y),
            3 => (Vec3::NEG_X, Vec3::Z, Vec3::NEG_Y),
            4 => (Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z),
            _ => (Vec3::NEG_Z, Vec3::NEG_X, Vec3::NEG_Y),
        }
    }

    /// The mesh of a flat side, with the texture coordinates of an image that covers the face once.
    pub(super) fn mesh(self, corners: &[Vec3]) -> TriMesh {
        let mut mesh = TriMesh::default();
        polygon(&mut mesh, self, corners);
        mesh
    }
}

/// A flat side of a shape: the faces whose image it may show, in the order of preference, and its corners.
pub(super) type Side = (&'static [Face], Vec<Vec3>);

/// Adds a flat polygon with its own vertices, and the texture coordinates of the image of a face.
fn polygon(mesh: &mut TriMesh, face: Face, corners: &[Vec3]) {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
    let (_, right, down) = face.axes();
    let start = mesh.positions.len() as u32;
    for corner in corners {
        mesh.positions.push(corner.to_array().into());
        mesh.normals.push(normal.to_array().into());
        mesh.uvs.push([0.5 + corner.dot(right), 0.5 + corner.dot(down)].into());
    }
    let last = start + corners.len() as u32 - 1;
    mesh.triangles.extend((start + 1..last).map(|index| [start, index, index + 1]));
}

/// The number of segments of a circle.
const SEGMENTS: u32 = 24;

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Block => "Block",
            Self::Ball => "Ball",
            Self::CylinderX => "Cylinder",
            Self::CylinderY => "CylinderMesh",
            Self::Head => "Head",
            Self::Wedge => "Wedge",
            Self::CornerWedge => "CornerWedge",
            Self::Truss(_) => "Truss",
        }
    }

    pub(super) fn mesh(self) -> TriMesh {
        let mut mesh = TriMesh::default();
        match self {
            Self::Truss(truss) => return truss.mesh(),
            Self::Ball => {
                let rings = SEGMENTS / 2;
                let profile = (0..=rings).map(|ring| {
                    let angle = std::f32::consts::PI * ring as f32 / rings as f32;
                    // At the lower pole, the computed sine is not exactly 0.
                    let radius = if ring == rings { 0.0 } else { libm::sinf(angle) };
                    let height = libm::cosf(angle);
                    (Vec2::new(radius, height) * 0.5, Vec2::new(radius, height))
                });
                revolve(&mut mesh, &profile.collect::<Vec<_>>());
            }
            Self::CylinderY | Self::CylinderX => {
                let flat = [(0.0, 0.5), (0.5, 0.5)].map(|(r, y)| (Vec2::new(r, y), Vec2::Y));
                let side = [(0.5, 0.5), (0.5, -0.5)].map(|(r, y)| (Vec2::new(r, y), Vec2::X));
                let bottom = [(0.5, -0.5), (0.0, -0.5)].map(|(r, y)| (Vec2::new(r, y), Vec2::NEG_Y));
                [flat, side, bottom].iter().for_each(|profile| revolve(&mut mesh, profile));
                if self == Self::CylinderX {
                    // A quarter turn about z: y becomes x.
                    for vector in mesh.positions.iter_mut().chain(&mut mesh.normals) {
                        let [x, y, z] = vector.to_array();
                        *vector = [y, -x, z].into();
                    }
                }
            }
            Self::Head => {
                let edge = 0.25_f32;
                let mut profile = vec![(Vec2::new(0.0, 0.5), Vec2::Y)];
                for (center, from) in [(0.5 - edge, 0.0_f32), (edge - 0.5, 0.5)] {
                    for step in 0..=6 {
                        let angle = std::f32::consts::PI * (from + step as f32 / 12.0);
                        let normal = Vec2::new(libm::sinf(angle), libm::cosf(angle));
                        profile.push((Vec2::new(0.5 - edge, center) + normal * edge, normal));
                    }
                }
                profile.push((Vec2::new(0.0, -0.5), Vec2::NEG_Y));
                revolve(&mut mesh, &profile);
            }
            Self::Block | Self::Wedge | Self::CornerWedge => {
                self.sides().iter().for_each(|(faces, corners)| polygon(&mut mesh, faces[0], corners));
            }
        }
        mesh
    }

    /// The sides of a shape that has only flat sides; none for other shapes. A slope shows the image of the vertical
    /// face that it replaces, or that of the top.
    pub(super) fn sides(self) -> Vec<Side> {
        const ALL: [&[Face]; 6] = [&[Face(0)], &[Face(1)], &[Face(2)], &[Face(3)], &[Face(4)], &[Face(5)]];
        let [a, b, c, d] = BOTTOM;
        let flat = |face: usize| (ALL[face], quad(ALL[face][0]).to_vec());
        match self {
            Self::Block => (0..6).map(flat).collect(),
            Self::Wedge => {
                let (left, right) = (Vec3::new(-0.5, 0.5, 0.5), Vec3::new(0.5, 0.5, 0.5));
                // The slope, from the upper edge at the back down to the lower edge at the front.
                let slope: Side = (&[Face(5), Face(1)], vec![right, b, a, left]);
                vec![flat(4), flat(2), slope, (ALL[3], vec![left, a, d]), (ALL[0], vec![right, c, b])]
            }
            Self::CornerWedge => {
                let apex = Vec3::new(0.5, 0.5, -0.5);
                vec![
                    flat(4),
                    (ALL[0], vec![apex, c, b]),
                    (ALL[5], vec![apex, b, a]),
                    (&[Face(2), Face(1)], vec![apex, d, c]),
                    (&[Face(3), Face(1)], vec![apex, a, d]),
                ]
            }
            _ => Vec::new(),
        }
    }
}

/// The lower corners: front left, front right, back right, back left; seen from above, with the front
/// (-z) at the bottom.
const BOTTOM: [Vec3; 4] = [
    Vec3::new(-0.5, -0.5, -0.5),
    Vec3::new(0.5, -0.5, -0.5),
    Vec3::new(0.5, -0.5, 0.5),
    Vec3::new(-0.5, -0.5, 0.5),
];

/// Adds the surface of revolution of a profile about y: its points (distance from the axis, height) with their normals,
/// from the top down.
fn revolve(mesh: &mut TriMesh, profile: &[(Vec2, Vec2)]) {
    let start = mesh.positions.len() as u32;
    let rows = profile.len() as u32;
    for segment in 0..=SEGMENTS {
        let angle = std::f32::consts::TAU * (segment % SEGMENTS) as f32 / SEGMENTS as f32;
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        for (row, (point, normal)) in profile.iter().enumerate() {
            mesh.positions.push([point.x * sin, point.y, point.x * cos].into());
            mesh.normals.push([normal.x * sin, normal.y, normal.x * cos].into());
            let u = segment as f32 / SEGMENTS as f32;
            mesh.uvs.push([u, row as f32 / (rows - 1) as f32].into());
        }
    }
    for segment in 0..SEGMENTS {
        for row in 0..rows - 1 {
            let upper = start + segment * rows + row;
            let (lower, across) = (upper + 1, upper + rows);
            // At the axis, one of the two triangles has no area.
            if profile[row as usize].0.x > 0.0 {
                mesh.triangles.push([upper, lower, across]);
            }
            if profile[row as usize + 1].0.x > 0.0 {
                mesh.triangles.push([lower, across + 1, across]);
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/inside/roblox_shapes.rs"]
mod tests;
