//! A curve as something that can be seen.

use geom::{TriMesh, Vec3};

use super::Curve;
use super::patch::grid;
use super::space::{Point, across, add, cross, dot, float, scale, sub, unit};

impl Curve {
    /// A tube along the curve, open at its ends: so that a curve can be shown like a surface. `sides` is
    /// at least 3. Empty where the curve has no length.
    pub fn tube(&self, radius: f32, sides: u32) -> TriMesh {
        let mut points: Vec<Point> =
            self.points.iter().map(|point| point.to_array().map(f64::from)).collect();
        points.dedup();
        let sides = sides.clamp(3, 1024);
        let mut mesh = TriMesh::default();
        let directions: Vec<Point> =
            points.windows(2).map(|pair| unit(sub(pair[1], pair[0])).unwrap_or([0.0, 0.0, 1.0])).collect();
        let Some(&first) = directions.first() else { return mesh };
        // One direction across the curve is carried along it, so that the tube does not twist.
        let mut side = across(first);
        for (place, &point) in points.iter().enumerate() {
            let before = directions[place.saturating_sub(1)];
            let behind = *directions.get(place).unwrap_or(&before);
            let along = unit(add(before, behind)).unwrap_or(behind);
            side = unit(sub(side, scale(along, dot(side, along)))).unwrap_or(across(along));
            let up = cross(along, side);
            for step in 0..=sides {
                let (sin, cos) =
                    (std::f64::consts::TAU * f64::from(step % sides) / f64::from(sides)).sin_cos();
                let out = add(scale(side, cos), scale(up, sin));
                mesh.positions.push(float(add(point, scale(out, f64::from(radius)))));
                mesh.normals.push(float(out));
            }
        }
        mesh.triangles = grid(sides as usize + 1, points.len());
        mesh
    }

    /// How long the polyline is.
    pub fn length(&self) -> f32 {
        let sub = |a: Vec3, b: Vec3| Vec3::new(b.x - a.x, b.y - a.y, b.z - a.z);
        self.points.windows(2).map(|pair| sub(pair[0], pair[1]).length()).sum()
    }
}
