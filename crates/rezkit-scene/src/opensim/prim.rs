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

    /// The name of the shape.
    pub(super) fn name(&self) -> Option<&'static str> {
        let is_line = self.path == LINE || self.path == FLEXIBLE;
        Some(match (self.profile, is_line) {
            (0, true) => "cylinder",
            (0, false) => "torus",
            (1, true) => "box",
            (1, false) => "tube",
            (2..=4, true) => "prism",
            (2..=4, false) => "ring",
            (5, false) => "sphere",
            _ => return None,
        })
    }

    /// The corners of a profile, counter-clockwise; `None` if it is round.
    fn polygon(&self) -> Option<Vec<DVec2>> {
        let around = |degrees: f64, size: f64| DVec2::from_angle(degrees.to_radians()) * size;
        match self.profile {
            1 => Some([-135.0, -45.0, 45.0, 135.0].map(|at| around(at, 0.5_f64.sqrt())).into()),
            2..=4 => Some([0.0, 120.0, 240.0].map(|at| around(at, 0.5)).into()),
            _ => None,
        }
    }

    /// The point of the outline at a fraction of it.
    fn outline(&self, at: f64) -> DVec2 {
        match self.polygon() {
            Some(corners) => {
                let side = (at * corners.len() as f64).min(corners.len() as f64 - 1e-9);
                let first = side.max(0.0) as usize;
                corners[first].lerp(corners[(first + 1) % corners.len()], side - first as f64)
            }
            None if self.profile == 5 => DVec2::from_angle(PI + PI * at) * 0.5,
            None => DVec2::from_angle(TAU * at) * 0.5,
        }
    }

    /// The border of the hole in the direction of a point of the outline.
    fn hole(&self, outline: DVec2) -> DVec2 {
        let direction = outline.normalize_or_zero();
        let distance = match self.hole {
            0x10 => 0.5,
            0x20 => 0.5_f64.sqrt() * 0.5 / direction.abs().max_element(),
            0x30 => {
                let angle = direction.to_angle().rem_euclid(TAU / 3.0) - TAU / 6.0;
                0.25 / angle.cos()
            }
            _ => return outline * self.hollow,
        };
        direction * (distance * self.hollow).min(outline.length())
    }

    /// The fractions of the outline at which it has points, for each side.
    fn sides(&self) -> Vec<Vec<f64>> {
        let [begin, end] = self.cut;
        let count = self.polygon().map_or(1, |corners| corners.len());
        let is_twisted = self.twist[0] != self.twist[1];
        let is_round = self.polygon().is_none() || self.hollow > 0.0 && self.hole != 0 || is_twisted;
        let steps = if is_round { ROUND / count } else { 1 };
        let side = |side: usize| -> Vec<f64> {
            let ends = [side, side + 1].map(|at| (at as f64 / count as f64).clamp(begin, end.max(begin)));
            if ends[1] - ends[0] < 1e-6 {
                return Vec::new();
            }
            (0..=steps).map(|at| ends[0] + (ends[1] - ends[0]) * at as f64 / steps as f64).collect()
        };
        (0..count).map(side).filter(|side| !side.is_empty()).collect()
    }

    /// Where a point of the profile is at a fraction of the path.
    fn place(&self, point: DVec2, at: f64) -> DVec3 {
        let mix = |from: f64, to: f64, at: f64| from + (to - from) * at;
        if self.path == LINE || self.path == FLEXIBLE {
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
            * DQuat::from_rotation_z(PI * mix(self.twist[0], self.twist[1], at) * 2.0);
        turn * (point * size).extend(0.0) + shift
    }

    /// Whether the path meets its beginning.
    fn is_ring(&self) -> bool {
        let is_even = self.revolutions == 1.0 && self.skew == 0.0 && self.radius == 0.0;
        self.path != LINE
            && self.path != FLEXIBLE
            && self.dimple == [0.0, 1.0]
            && is_even
            && self.twist[0] == self.twist[1]
            && self.taper == DVec2::ZERO
    }

    /// The faces in the order of the viewer: the end of the path, the sides, the hole, the beginning of the path, and both
    /// sides of a cut. The shape fills a cube of 1 m, z up.
    pub(super) fn faces(&self) -> Vec<TriMesh> {
        let [from, to] = self.dimple;
        let is_line = self.path == LINE || self.path == FLEXIBLE;
        let is_twisted = self.twist[0] != self.twist[1] || self.shear != DVec2::ZERO;
        let steps = match (is_line, is_twisted) {
            (true, false) => 1,
            (true, true) => ROUND / 2,
            (false, _) => {
                ((ROUND as f64 * self.revolutions * (to - from)).ceil() as usize).clamp(2, 4 * ROUND)
            }
        };
        let path: Vec<f64> = (0..=steps).map(|at| from + (to - from) * at as f64 / steps as f64).collect();
        let sides = self.sides();
        let outer: Vec<Vec<DVec2>> =
            sides.iter().map(|side| side.iter().map(|at| self.outline(*at)).collect()).collect();
        let all: Vec<DVec2> = outer.iter().flatten().copied().collect();
        let inner: Vec<DVec2> = all.iter().map(|point| self.hole(*point)).collect();
        let mut faces = Vec::new();
        let has_ends = !self.is_ring();
        if has_ends {
            faces.push(self.end(&all, &inner, to, true));
        }
        faces.extend(outer.iter().map(|side| self.wall(side, &path)));
        let is_hollow = self.hollow > 0.0;
        if is_hollow {
            let back: Vec<DVec2> = inner.iter().rev().copied().collect();
            faces.push(self.wall(&back, &path));
        }
        if has_ends {
            faces.push(self.end(&all, &inner, from, false));
        }
        let is_cut = self.cut != [0.0, 1.0];
        if let (true, Some(first), Some(last)) = (is_cut, all.first(), all.last()) {
            let middle = |point: &DVec2| if is_hollow { self.hole(*point) } else { DVec2::ZERO };
            faces.push(self.wall(&[middle(first), *first], &path));
            faces.push(self.wall(&[*last, middle(last)], &path));
        }
        faces
    }

    /// The surface that a line of the profile leaves along the path.
    fn wall(&self, line: &[DVec2], path: &[f64]) -> TriMesh {
        let mut mesh = TriMesh::default();
        for (row, &at) in path.iter().enumerate() {
            for (column, point) in line.iter().enumerate() {
                mesh.positions.push(narrow(self.place(*point, at)));
                let u = column as f32 / (line.len() - 1).max(1) as f32;
                mesh.uvs.push([u, 1.0 - row as f32 / (path.len() - 1) as f32].into());
            }
        }
        let width = line.len() as u32;
        for row in 0..path.len() as u32 - 1 {
            for column in 0..width.saturating_sub(1) {
                let a = row * width + column;
                let (b, c, d) = (a + 1, a + width, a + width + 1);
                // The half circle of a sphere moves in the other direction.
                match self.profile == 5 {
                    true => mesh.triangles.extend([[a, d, b], [a, c, d]]),
                    false => mesh.triangles.extend([[a, b, d], [a, d, c]]),
                }
            }
        }
        finished(mesh)
    }

    /// The flat face at an end of the path.
    fn end(&self, outer: &[DVec2], inner: &[DVec2], at: f64, is_last: bool) -> TriMesh {
        let mut mesh = TriMesh::default();
        let hollow = self.hollow > 0.0;
        for (index, point) in outer.iter().enumerate() {
            let pair = [*point, if hollow { inner[index] } else { DVec2::ZERO }];
            for point in pair {
                mesh.positions.push(narrow(self.place(point, at)));
                mesh.uvs.push([point.x as f32 + 0.5, 0.5 - point.y as f32].into());
            }
        }
        for index in 0..(outer.len() as u32).saturating_sub(1) {
            let [a, b, c, d] = [2 * index, 2 * index + 1, 2 * index + 2, 2 * index + 3];
            let both = if hollow { vec![[a, c, d], [a, d, b]] } else { vec![[a, c, b]] };
            let is_turned = is_last == (self.profile == 5);
            mesh.triangles
                .extend(both.into_iter().map(|[a, b, c]| if is_turned { [a, c, b] } else { [a, b, c] }));
        }
        finished(mesh)
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
