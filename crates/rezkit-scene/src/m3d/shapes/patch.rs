//! Bézier and B-spline curves and surfaces through rational control points.

use geom::{TriMesh, Vec2};

use super::basis::{Basis, Weights};
use super::divide::{Fineness, U, V};
use super::space::{Point, add, cross, float, scale, sub, unit};
use super::{Stop, charge};
use m3d::ErrorKind;
use m3d::{ViewBudget, product};

/// A control point: its position and weight, and the texture coordinate and normal of the surface at it, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    pub(super) point: Point,
    pub(super) weight: f64,
    pub(super) uv: Option<[f64; 2]>,
    pub(super) normal: Option<Point>,
}

/// The point of a curve; `None` if the weights do not determine one.
fn curve_at(controls: &[Control], weights: &Weights) -> Option<Point> {
    let mut sum = [0.0; 3];
    let mut total = 0.0;
    for (control, value) in controls.get(weights.first..)?.iter().zip(&weights.values) {
        sum = add(sum, scale(control.point, control.weight * value));
        total += control.weight * value;
    }
    let point = scale(sum, 1.0 / total);
    point.iter().all(|part| part.is_finite()).then_some(point)
}

/// The values of the parameter: each span is divided into equal pieces, whose number `pieces` returns for its ends.
fn steps(
    breaks: &[f64],
    work: &ViewBudget,
    pieces: impl Fn(f64, f64) -> Result<u32, ErrorKind>,
) -> Result<Vec<f64>, ErrorKind> {
    let mut steps = Vec::from_iter(breaks.first().copied());
    for span in breaks.windows(2) {
        let [from, to] = [span[0], span[1]];
        let count = pieces(from, to)?;
        work.steps(count.into())?;
        for piece in 1..count {
            work.push(&mut steps, from + (to - from) * f64::from(piece) / f64::from(count))?;
        }
        work.push(&mut steps, to)?;
    }
    Ok(steps)
}

pub(super) fn curve(
    controls: &[Control],
    basis: &Basis,
    range: (f64, f64),
    fineness: Fineness<'_>,
) -> Result<Vec<Point>, Stop> {
    let work = fineness.work;
    // A point that the weights do not determine is an error later, where it is created; here, any point will do.
    let at = |u: f64| curve_at(controls, &basis.at(u)).unwrap_or_default();
    let steps = steps(&basis.breaks(range), work, |from, to| {
        let curve = |part: f64| at(from + (to - from) * part);
        fineness.of_span(U, basis.degree(), basis.cost(), &[&curve])
    })?;
    work.steps(product([basis.cost(), steps.len() as u64]))?;
    work.values::<Point>(steps.len() as u64)?;
    let points: Option<Vec<Point>> = steps.iter().map(|&u| curve_at(controls, &basis.at(u))).collect();
    Ok(points.ok_or(WEIGHTS)?)
}

const WEIGHTS: &str =
    "the weights of control points sum to 0, or a control point has infinite or NaN numbers";

type Ranges = [(f64, f64); 2];

/// A surface: control points in rows along u; the rows follow each other along v.
pub(super) struct Patch<'a> {
    pub(super) controls: &'a [Control],
    pub(super) u: Basis,
    pub(super) v: Basis,
}

struct At {
    point: Point,
    uv: [f64; 2],
    normal: Point,
    /// The direction across the surface, by its derivatives with respect to u and v.
    across: Point,
}

impl Patch<'_> {
    fn at(&self, u: &Weights, v: &Weights) -> Option<At> {
        let width = self.u.points();
        // Sums of weighted points and of weights, each with its derivatives with respect to u and v.
        let (mut sums, mut totals) = ([[0.0; 3]; 3], [0.0; 3]);
        let (mut uv, mut normal) = ([0.0; 2], [0.0; 3]);
        for (row, (by_v, slope_v)) in v.values.iter().zip(&v.slopes).enumerate() {
            let start = (v.first + row) * width + u.first;
            let controls = self.controls.get(start..start + u.values.len())?;
            for (control, (by_u, slope_u)) in controls.iter().zip(u.values.iter().zip(&u.slopes)) {
                for (part, by) in [by_u * by_v, slope_u * by_v, by_u * slope_v].into_iter().enumerate() {
                    let by = by * control.weight;
                    sums[part] = add(sums[part], scale(control.point, by));
                    totals[part] += by;
                }
                let by = by_u * by_v * control.weight;
                if let Some([a, b]) = control.uv {
                    uv = [uv[0] + a * by, uv[1] + b * by];
                }
                if let Some(direction) = control.normal {
                    normal = add(normal, scale(direction, by));
                }
            }
        }
        let inverse = 1.0 / totals[0];
        let point = scale(sums[0], inverse);
        let slope = |part: usize| scale(sub(sums[part], scale(point, totals[part])), inverse);
        let finite = point.iter().all(|part| part.is_finite());
        finite.then(|| At {
            point,
            uv: uv.map(|part| part * inverse),
            normal: scale(normal, inverse),
            across: cross(slope(1), slope(2)),
        })
    }

    pub(super) fn mesh(&self, [range_u, range_v]: Ranges, fineness: Fineness<'_>) -> Result<TriMesh, Stop> {
        let work = fineness.work;
        let [breaks_u, breaks_v] = [self.u.breaks(range_u), self.v.breaks(range_v)];
        let weighted = (self.u.degree() as u64 + 1) * (self.v.degree() as u64 + 1);
        let cost = weighted * 4 + self.u.cost() + self.v.cost();
        let at = |[u, v]: [f64; 2]| self.at(&self.u.at(u), &self.v.at(v)).map_or([0.0; 3], |at| at.point);
        // Lines on the surface, by which its length and its bend along the other parameter are measured.
        let lines = |breaks: &[f64]| -> Vec<f64> {
            let middles = breaks.windows(2).map(|span| (span[0] + span[1]) / 2.0);
            breaks.iter().copied().chain(middles).take(8).collect()
        };
        let steps = |along: usize, basis: &Basis, breaks: &[f64], others: &[f64]| {
            steps(breaks, work, |from, to| {
                let curve = |&other: &f64| {
                    move |part: f64| {
                        let here = from + (to - from) * part;
                        at(if along == U { [here, other] } else { [other, here] })
                    }
                };
                let curves: Vec<_> = others.iter().map(curve).collect();
                let curves: Vec<&dyn Fn(f64) -> Point> = curves.iter().map(|curve| curve as _).collect();
                fineness.of_span(along, basis.degree(), cost, &curves)
            })
        };
        let steps_u = steps(U, &self.u, &breaks_u, &lines(&breaks_v))?;
        let steps_v = steps(V, &self.v, &breaks_v, &lines(&breaks_u))?;
        let (columns, rows) = (steps_u.len() as u64, steps_v.len() as u64);
        let points = product([columns, rows]);
        charge(work, points, product([points, 2]))?;
        work.steps(product([points, weighted]))?;
        let functions = (self.u.degree() as u64 + 1) * 16 + 64;
        work.bytes(product([columns, functions]))?;
        work.steps(product([columns, self.u.cost()]))?;
        work.steps(product([rows, self.v.cost()]))?;
        let weights_u: Vec<Weights> = steps_u.iter().map(|&u| self.u.at(u)).collect();
        let has_uv = self.controls.iter().all(|control| control.uv.is_some());
        let has_normal = self.controls.iter().all(|control| control.normal.is_some());
        let mut mesh = TriMesh::default();
        for &v in &steps_v {
            let weights_v = self.v.at(v);
            for weights_u in &weights_u {
                let At { point, uv, normal, across } = self.at(weights_u, &weights_v).ok_or(WEIGHTS)?;
                mesh.positions.push(float(point));
                if has_uv {
                    #[allow(clippy::cast_possible_truncation, reason = "meshes hold floats")]
                    mesh.uvs.push(Vec2::from(uv.map(|part| part as f32)));
                }
                let normal = if has_normal { unit(normal) } else { None };
                // If there is no direction, `fill_normals` computes one.
                mesh.normals.push(float(normal.or(unit(across)).unwrap_or([0.0; 3])));
            }
        }
        mesh.triangles = grid(steps_u.len(), steps_v.len());
        fill_normals(&mut mesh);
        Ok(mesh)
    }
}

/// The triangles of a grid of points, row by row. With u to the right and v upwards, they face the viewer.
pub(super) fn grid(columns: usize, rows: usize) -> Vec<[u32; 3]> {
    #[allow(clippy::cast_possible_truncation, reason = "ViewBudget counts less than 2^31 points")]
    let index = |column: usize, row: usize| (row * columns + column) as u32;
    let mut triangles = Vec::with_capacity(2 * (1..columns).len() * (1..rows).len());
    for row in 1..rows {
        for column in 1..columns {
            let [a, b] = [index(column - 1, row - 1), index(column, row - 1)];
            let [c, d] = [index(column, row), index(column - 1, row)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    triangles
}

/// Gives points without a normal, such as poles, the normal of the triangles around them.
fn fill_normals(mesh: &mut TriMesh) {
    if mesh.normals.iter().all(|normal| normal.length() > 0.5) {
        return;
    }
    let mut sums = vec![[0.0; 3]; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize].to_array().map(f64::from));
        let across = cross(sub(b, a), sub(c, a));
        for &index in triangle {
            sums[index as usize] = add(sums[index as usize], across);
        }
    }
    for (normal, sum) in mesh.normals.iter_mut().zip(sums) {
        if normal.length() <= 0.5 {
            *normal = float(unit(sum).unwrap_or([0.0, 0.0, 1.0]));
        }
    }
}
