//! The basic shapes of prims: a profile that is moved along a path.

use std::f64::consts::{PI, TAU};

use geom::TriMesh;
use glam::{DQuat, DVec2, DVec3};

use super::xml::Element;

/// The number of steps around a circle.
const ROUND: usize = 24;

/// The parameters of a basic shape, in the units of scripts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prim {
    profile: u8,
    hole: u8,
    path: u8,
    /// Begin and end of the profile and of the path.
    cut: [f64; 2],
    dimple: [f64; 2],
    hollow: f64,
    twist: [f64; 2],
    scale: DVec2,
    shear: DVec2,
    taper: DVec2,
    radius: f64,
    revolutions: f64,
    skew: f64,
}

const LINE: u8 = 0x10;
const FLEXIBLE: u8 = 0x80;

impl Prim {
    /// The shape of a part, from the fields of its element `Shape`.
    pub(super) fn new(shape: &Element) -> Self {
        let number = |name: &str| shape.number(name).unwrap_or(0.0);
        let byte = |name: &str| number(name).clamp(0.0, 255.0) as u8;
        // Bytes that are signed numbers.
        let signed = |name: &str| {
            let number = number(name);
            (if number > 127.0 { number - 256.0 } else { number }).clamp(-128.0, 127.0) / 100.0
        };
        let profile = byte("ProfileCurve");
        let fraction = |name: &str| (number(name) / 50_000.0).clamp(0.0, 1.0);
        let scale = |name: &str| (200.0 - shape.number(name).unwrap_or(100.0)).clamp(0.0, 200.0) / 100.0;
        Self {
            profile: profile & 15,
            hole: profile & 0xf0,
            path: byte("PathCurve"),
            cut: [fraction("ProfileBegin"), 1.0 - fraction("ProfileEnd")],
            dimple: [fraction("PathBegin"), 1.0 - fraction("PathEnd")],
            hollow: fraction("ProfileHollow").min(0.99),
            twist: [signed("PathTwistBegin"), signed("PathTwist")],
            scale: DVec2::new(scale("PathScaleX"), scale("PathScaleY")),
            shear: DVec2::new(signed("PathShearX"), signed("PathShearY")),
            taper: DVec2::new(signed("PathTaperX"), signed("PathTaperY")),
            radius: signed("PathRadiusOffset"),
            revolutions: 1.0 + number("PathRevolutions").clamp(0.0, 200.0) * 0.015,
            skew: signed("PathSkew"),
        }
    }

    /// Whether the shape is known: a circle, a square, a triangle or half a circle, along a line or a circle.
    pub(super) fn is_known(&self) -> bool {
        self.profile <= 5
    }

    fn is_line(&self) -> bool {
        self.path == LINE || self.path == FLEXIBLE
    }

    /// The outline of the profile.
    fn outline(&self) -> Polygon {
        match self.profile {
            1 => Polygon { sides: 4, start: -0.375, share: 1.0, size: 0.5_f64.sqrt() },
            2..=4 => Polygon { sides: 3, start: 0.0, share: 1.0, size: 0.5 },
            5 => Polygon { sides: ROUND, start: 0.5, share: 0.5, size: 0.5 },
            _ => Polygon { sides: ROUND, start: 0.0, share: 1.0, size: 0.5 },
        }
    }

    /// The border of the hole, which begins in the direction in which the outline does.
    fn hole(&self) -> Polygon {
        let outline = self.outline();
        let sides = match (self.hole, self.profile) {
            (0x10, _) => ROUND,
            (0x20, 5) => 2,
            (0x20, _) => 4,
            (0x30, _) => 3,
            _ => outline.sides,
        };
        // The corners of half a hexagon are a little further away than those of a circle.
        let size = match (sides, self.profile) {
            (2 | 4, _) => 0.5_f64.sqrt(),
            (3, 5) => 0.525,
            _ => 0.5,
        };
        Polygon { sides, size: size * self.hole_size(), ..outline }
    }

    /// The size of the hole, and of the texture in it.
    fn hole_size(&self) -> f64 {
        // A triangle does not fill the square around it.
        if (2..=4).contains(&self.profile) { self.hollow / 2.0 } else { self.hollow }
    }

    /// The fractions of the outline at which it and the hole have points, for each side.
    fn sides(&self) -> Vec<Vec<f64>> {
        let [begin, end] = self.cut;
        let sides = self.outline().sides;
        let count = if sides == ROUND { 1 } else { sides };
        let is_twisted = self.twist[0] != self.twist[1];
        let is_fine = sides == ROUND || self.hollow > 0.0 && self.hole().sides != sides || is_twisted;
        let steps = if is_fine { ROUND / count } else { 1 };
        let side = |side: usize| -> Vec<f64> {
            let at = |step: usize| (side * steps + step) as f64 / (count * steps) as f64;
            let mut points: Vec<f64> =
                (0..=steps).map(|step| at(step).clamp(begin, end.max(begin))).collect();
            points.dedup_by(|a, b| *a - *b < 1e-6);
            points
        };
        (0..count).map(side).filter(|side| side.len() > 1).collect()
    }

    /// Where a point of the profile is at a fraction of the path.
    fn place(&self, point: DVec2, at: f64) -> DVec3 {
        let mix = |from: f64, to: f64, at: f64| from + (to - from) * at;
        if self.is_line() {
            let begin = DVec2::new((2.0 - self.scale.x).min(1.0), (2.0 - self.scale.y).min(1.0));
            let size = begin.lerp(self.scale.min(DVec2::ONE), at);
            let turn = DQuat::from_rotation_z(PI * mix(self.twist[0], self.twist[1], at));
            let shift = DVec3::new(self.shear.x * at, self.shear.y * at, at - 0.5);
            return turn * (point * size).extend(0.0) + shift;
        }
        let size = DVec2::new(self.scale.x * (1.0 - self.skew.abs()), self.scale.y);
        let tapered = |taper: f64| {
            let [begin, end] = if taper < 0.0 { [1.0 + taper, 1.0] } else { [1.0, 1.0 - taper] };
            mix(begin, end, at)
        };
        let size = size * DVec2::new(tapered(self.taper.x), tapered(self.taper.y));
        let radius = 0.5 * (1.0 - self.scale.y);
        let radius = match self.radius > 0.0 {
            true => mix(radius, radius * (1.0 - self.radius), at),
            false => mix(radius * (1.0 + self.radius), radius, at),
        };
        let angle = TAU * self.revolutions * at;
        let (sin, cos) = (angle.sin() * radius, angle.cos() * radius);
        let shift = DVec3::new(
            self.shear.x * sin + mix(-self.skew, self.skew, at) * 0.5,
            cos + self.shear.y * sin,
            sin,
        );
        let turn = DQuat::from_rotation_x(angle)
            * DQuat::from_rotation_z(TAU * mix(self.twist[0], self.twist[1], at) - PI);
        turn * (point * size).extend(0.0) + shift
    }

    /// Whether the path has no ends, as after one turn around a circle; the viewer closes several turns too.
    fn is_ring(&self) -> bool {
        !self.is_line()
            && self.dimple == [0.0, 1.0]
            && self.skew == 0.0
            && self.radius == 0.0
            && self.twist[0] == self.twist[1]
            && self.taper == DVec2::ZERO
    }

    /// The faces in the order of the viewer: the end of the path, the sides, the hole, the beginning of the path, and both
    /// sides of a cut. The shape fills a cube of 1 m, z up.
    pub(super) fn faces(&self) -> Vec<TriMesh> {
        let [from, to] = self.dimple;
        let is_twisted = self.twist[0] != self.twist[1] || self.shear != DVec2::ZERO;
        let steps = match (self.is_line(), is_twisted) {
            (true, false) => 1,
            (true, true) => ROUND / 2,
            (false, _) => {
                ((ROUND as f64 * self.revolutions * (to - from)).ceil() as usize).clamp(2, 4 * ROUND)
            }
        };
        let path: Vec<f64> = (0..=steps).map(|at| from + (to - from) * at as f64 / steps as f64).collect();
        let (outline, hole) = (self.outline(), self.hole());
        let sides = self.sides();
        // A texture is as wide as an uncut side.
        let count = if outline.sides == ROUND { 1.0 } else { outline.sides as f64 };
        let side_line = |side: &Vec<f64>| -> Vec<(DVec2, f64)> {
            let left = (side[0] * count + 1e-6).floor();
            side.iter().map(|&at| (outline.point(at), at * count - left)).collect()
        };
        let all: Vec<f64> = sides.iter().flatten().copied().collect();
        // Without a hole, this is the middle.
        let [outer, inner] =
            [outline, hole].map(|of| all.iter().map(|&fraction| of.point(fraction)).collect::<Vec<_>>());
        let mut faces = Vec::new();
        let has_ends = !self.is_ring();
        if has_ends {
            faces.push(self.end(&outer, &inner, to, true));
        }
        faces.extend(sides.iter().map(|side| self.wall(&side_line(side), &path)));
        if self.hollow > 0.0 {
            let size = self.hole_size();
            let back: Vec<_> = inner.iter().copied().zip(all.iter().map(|at| at * size)).rev().collect();
            faces.push(self.wall(&back, &path));
        }
        if has_ends {
            faces.push(self.end(&outer, &inner, from, false));
        }
        // Half a circle is open if it has a hole; as a sphere, its sides are on the axis. The viewer draws none of a half
        // cylinder without a hole either, which would be open.
        let is_half = self.profile == 5 && (self.hollow > 0.0 || self.is_line());
        let is_open = self.cut != [0.0, 1.0] || is_half;
        if let (true, [first, .., last], [begin, .., end]) = (is_open, &outer[..], &inner[..]) {
            faces.push(self.wall(&[(*begin, 0.0), (*first, 1.0)], &path));
            faces.push(self.wall(&[(*last, 0.0), (*end, 1.0)], &path));
        }
        faces
    }

    /// The surface that a line of the profile, with its texture coordinates, leaves along the path.
    fn wall(&self, line: &[(DVec2, f64)], path: &[f64]) -> TriMesh {
        let mut mesh = TriMesh::default();
        for &at in path {
            for (point, u) in line {
                mesh.positions.push(narrow(self.place(*point, at)));
                mesh.uvs.push([*u as f32, 1.0 - at as f32].into());
            }
        }
        let width = line.len() as u32;
        for row in 0..path.len() as u32 - 1 {
            for column in 0..width.saturating_sub(1) {
                let a = row * width + column;
                let (b, c, d) = (a + 1, a + width, a + width + 1);
                mesh.triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        finished(mesh)
    }

    /// The flat face at an end of the path.
    fn end(&self, outer: &[DVec2], inner: &[DVec2], at: f64, is_last: bool) -> TriMesh {
        let mut mesh = TriMesh::default();
        let hollow = self.hollow > 0.0;
        for (index, point) in outer.iter().enumerate() {
            for point in [*point, inner[index]] {
                mesh.positions.push(narrow(self.place(point, at)));
                let up = if is_last { point.y } else { -point.y };
                mesh.uvs.push([point.x as f32 + 0.5, 0.5 - up as f32].into());
            }
        }
        for index in 0..(outer.len() as u32).saturating_sub(1) {
            let [a, b, c, d] = [2 * index, 2 * index + 1, 2 * index + 2, 2 * index + 3];
            let both = if hollow { vec![[a, c, d], [a, d, b]] } else { vec![[a, c, b]] };
            mesh.triangles
                .extend(both.into_iter().map(|[a, b, c]| if is_last { [a, b, c] } else { [a, c, b] }));
        }
        finished(mesh)
    }
}

/// A regular polygon, or a part of one.
#[derive(Clone, Copy)]
struct Polygon {
    /// The number of sides of the part.
    sides: usize,
    /// The direction of the first corner, in turns.
    start: f64,
    /// The part of a turn.
    share: f64,
    /// The distance of the corners from the middle.
    size: f64,
}

impl Polygon {
    /// The point at a fraction of the sides, counter-clockwise.
    fn point(self, at: f64) -> DVec2 {
        let corner = |number: f64| {
            DVec2::from_angle(TAU * (self.start + self.share * number / self.sides as f64)) * self.size
        };
        let side = at * self.sides as f64;
        corner(side.floor()).lerp(corner(side.floor() + 1.0), side.fract())
    }
}

/// A mesh without triangles that are lines and vertices that no triangle uses, with normals.
fn finished(mesh: TriMesh) -> TriMesh {
    let mut made = TriMesh::default();
    let mut number = vec![None; mesh.positions.len()];
    for triangle in mesh.triangles {
        let [a, b, c] =
            triangle.map(|at| DVec3::from_array(mesh.positions[at as usize].to_array().map(f64::from)));
        if (b - a).cross(c - a).length() < 1e-9 {
            continue;
        }
        made.triangles.push(triangle.map(|at| {
            *number[at as usize].get_or_insert_with(|| {
                made.positions.push(mesh.positions[at as usize]);
                made.uvs.push(mesh.uvs[at as usize]);
                made.positions.len() as u32 - 1
            })
        }));
    }
    made.normals = made.area_weighted_normals();
    made
}

fn narrow(point: DVec3) -> geom::Vec3 {
    point.to_array().map(|axis| axis as f32).into()
}
