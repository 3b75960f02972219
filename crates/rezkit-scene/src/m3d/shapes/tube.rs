//! Converts a curve to a visible tube.

use geom::TriMesh;

use super::patch::grid;
use super::space::{Point, across, add, cross, dot, float, scale, sub, unit};
use super::{Curve, charge};
use m3d::{ErrorKind, Result, ViewBudget, ViewOptions, product};

impl Curve<'_> {
    /// A tube along the curve, open at its ends, so that a curve can be shown like a surface. `sides` is
    /// from 3 to 1024. Empty if the curve has no length.
    ///
    /// # Errors
    /// If it needs more memory or work than [`ViewOptions`] allow by default.
    // No budget: the defaults of `ViewOptions` apply.
    pub fn tube(&self, radius: f32, sides: u32) -> Result<TriMesh> {
        ViewOptions::new().run(|work| self.tube_within(radius, sides, work))
    }

    fn tube_within(&self, radius: f32, sides: u32, work: &ViewBudget) -> Result<TriMesh, ErrorKind> {
        let sides = sides.clamp(3, 1024);
        let count = product([self.points.len() as u64, u64::from(sides) + 1]);
        charge(work, count, product([count, 2]))?;
        work.values::<[Point; 2]>(self.points.len() as u64)?;
        let mut points: Vec<Point> =
            self.points.iter().map(|point| point.to_array().map(f64::from)).collect();
        points.dedup();
        let mut mesh = TriMesh::default();
        let directions: Vec<Point> =
            points.windows(2).map(|pair| unit(sub(pair[1], pair[0])).unwrap_or([0.0, 0.0, 1.0])).collect();
        let Some(&first) = directions.first() else { return Ok(mesh) };
        // One direction across the curve is carried along it, so that the tube does not twist.
        let mut side = across(first);
        // The directions before and after each point; at the ends, both are the same.
        let befores = std::iter::once(first).chain(directions.iter().copied());
        for ((index, &point), before) in points.iter().enumerate().zip(befores) {
            let after = *directions.get(index).unwrap_or(&before);
            let along = unit(add(before, after)).unwrap_or(after);
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
        Ok(mesh)
    }

    /// The length of the polyline.
    pub fn length(&self) -> f32 {
        self.points.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum()
    }
}
