//! The axes of a shape: along its large faces, so that a result does not depend on how the shape is turned.

use glam::{DMat3, DVec3};

/// The number of faces that are tried as directions.
const TRIED: usize = 64;
/// The cosine of the angle up to which normals have one direction, and its sine.
const ONE: f64 = 0.9999;
const ACROSS: f64 = 0.0142;
/// The share of the surface that must have one direction, so that the shape has faces along it.
const FACES: f64 = 0.08;
/// The distance of points that have one coordinate, as a fraction of the extent.
pub(super) const NEAR: f64 = 2e-5;

/// A shape in its own axes.
pub(super) struct Frame {
    axes: DMat3,
    origin: DVec3,
    /// For each axis, the coordinates that are one, as their least and greatest, and the one that replaces them.
    steps: [Vec<[f64; 3]>; 3],
}

impl Frame {
    pub(super) fn new(corners: &[[DVec3; 3]], most: f64) -> Self {
        let origin = corners.iter().flatten().copied().reduce(DVec3::min).unwrap_or_default();
        let axes = axes(corners);
        let mut frame = Self { axes, origin, steps: Default::default() };
        let turned: Vec<DVec3> = corners.iter().flatten().map(|&point| frame.turned(point)).collect();
        let low = turned.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = turned.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let near = ((high - low).max_element() * NEAR).min(most);
        frame.steps = [0, 1, 2].map(|axis| {
            let mut all: Vec<f64> = turned.iter().map(|point| point[axis]).collect();
            all.sort_unstable_by(f64::total_cmp);
            let mut steps: Vec<[f64; 3]> = Vec::new();
            for at in all {
                match steps.last_mut().filter(|[first, ..]| at - *first <= near) {
                    Some([first, last, middle]) => (*last, *middle) = (at, (*first + at) * 0.5),
                    None => steps.push([at; 3]),
                }
            }
            steps
        });
        frame
    }

    fn turned(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.origin)
    }

    /// Triangles in these axes, without those that become lines.
    pub(super) fn inner(&self, corners: &[[DVec3; 3]]) -> Vec<[DVec3; 3]> {
        let snapped = |point: DVec3| {
            let turned = self.turned(point);
            let place = |axis: usize| {
                let (steps, at) = (&self.steps[axis], turned[axis]);
                let after = steps.partition_point(|[first, ..]| *first <= at);
                let step = after.checked_sub(1).map(|step| steps[step]);
                step.filter(|[_, last, _]| at <= *last).map_or(at, |[.., middle]| middle)
            };
            DVec3::new(place(0), place(1), place(2))
        };
        let inner = corners.iter().map(|corners| corners.map(snapped));
        inner.filter(|[a, b, c]| a != b && b != c && c != a).collect()
    }

    pub(super) fn outer(&self, point: DVec3) -> DVec3 {
        self.axes * point + self.origin
    }
}

/// Directions with weights.
type Weighted = Vec<(DVec3, f64)>;

/// The direction with the greatest weight, and this weight.
fn strongest(list: &Weighted) -> Option<(DVec3, f64)> {
    let all: f64 = list.iter().map(|(_, weight)| weight).sum();
    // Each of the tried directions stands for the same part of the weight.
    let (mut tried, mut sum): (Vec<DVec3>, f64) = (Vec::new(), 0.0);
    for &(direction, weight) in list {
        sum += weight;
        if sum * TRIED as f64 >= all * (tried.len() as f64 + 0.5) {
            tried.push(direction);
        }
    }
    let along = |direction: DVec3| -> f64 {
        let near = list.iter().filter(|(other, _)| other.dot(direction).abs() > ONE);
        near.map(|(_, weight)| weight).sum()
    };
    let mut best: Option<(DVec3, f64)> = None;
    for direction in tried {
        let weight = along(direction);
        if best.is_none_or(|(_, most)| weight > most * 1.001) {
            best = Some((direction, weight));
        }
    }
    let (direction, weight) = best?;
    let near = list.iter().filter(|(other, _)| other.dot(direction).abs() > ONE);
    let mean: DVec3 = near.map(|(other, weight)| *other * weight * other.dot(direction).signum()).sum();
    Some((mean.try_normalize()?, weight))
}

/// The axes of a shape as columns, right-handed.
fn axes(corners: &[[DVec3; 3]]) -> DMat3 {
    let mut normals: Weighted = corners
        .iter()
        .map(|[a, b, c]| (*b - *a).cross(*c - *a))
        .filter_map(|normal| Some((normal.try_normalize()?, normal.length())))
        .collect();
    geom::sort::by(&mut normals, |a, b| b.1.total_cmp(&a.1));
    let all: f64 = normals.iter().map(|(_, weight)| weight).sum();
    let Some((first, _)) = strongest(&normals).filter(|(_, weight)| *weight > all * FACES) else {
        return spread(corners);
    };
    normals.retain(|(normal, _)| normal.dot(first).abs() < ACROSS);
    let second = strongest(&normals).or_else(|| {
        // Without faces across the first ones, the axes are along edges.
        let edges = corners.iter().flat_map(|[a, b, c]| [*b - *a, *c - *b, *a - *c]);
        let flat = edges.map(|edge| edge - first * first.dot(edge));
        let mut flat: Weighted =
            flat.filter_map(|edge| Some((edge.try_normalize()?, edge.length()))).collect();
        geom::sort::by(&mut flat, |a, b| b.1.total_cmp(&a.1));
        strongest(&flat)
    });
    let Some((second, _)) = second else { return DMat3::IDENTITY };
    let second = (second - first * first.dot(second)).normalize_or_zero();
    nearly_upright([first, second, first.cross(second)])
}

/// The same axes, in the order and with the signs that are nearest to those of the scene: equal shapes that stand
/// straight are not turned.
fn nearly_upright(axes: [DVec3; 3]) -> DMat3 {
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];
    let near = |order: [usize; 3]| (0..3).map(|axis| axes[order[axis]][axis].abs()).sum::<f64>();
    let mut best = orders[0];
    for order in orders {
        if near(order) > near(best) + 1e-9 {
            best = order;
        }
    }
    let columns = [0, 1, 2].map(|axis| {
        let column = axes[best[axis]];
        if column[axis] < 0.0 { -column } else { column }
    });
    let turned = DMat3::from_cols(columns[0], columns[1], columns[2]);
    // Axes of a straight shape are exactly those of the scene.
    if (turned - DMat3::IDENTITY).to_cols_array().iter().all(|number| number.abs() < 1e-7) {
        return DMat3::IDENTITY;
    }
    if turned.determinant() < 0.0 { DMat3::from_cols(columns[0], columns[1], -columns[2]) } else { turned }
}

/// The axes of a round shape: those along which its surface is spread most and least.
fn spread(corners: &[[DVec3; 3]]) -> DMat3 {
    let weighted =
        || corners.iter().map(|[a, b, c]| ((*b - *a).cross(*c - *a).length(), (*a + *b + *c) / 3.0));
    let all: f64 = weighted().map(|(area, _)| area).sum();
    let center = weighted().map(|(area, middle)| middle * area).sum::<DVec3>() / all;
    let mut matrix = [[0.0; 3]; 3];
    for (area, middle) in weighted() {
        let from = middle - center;
        for (row, line) in matrix.iter_mut().enumerate() {
            for (column, sum) in line.iter_mut().enumerate() {
                *sum += from[row] * from[column] * area / all;
            }
        }
    }
    let size = matrix[0][0] + matrix[1][1] + matrix[2][2];
    if !(size.is_finite() && size > 0.0) {
        return DMat3::IDENTITY;
    }
    // Jacobi's method: rotations that remove one number beside the diagonal.
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for [p, q] in [[0, 1], [0, 2], [1, 2]].into_iter().cycle().take(24) {
        // A round shape is not turned because of rounding.
        if matrix[p][q].abs() < size * 1e-3 && (matrix[p][p] - matrix[q][q]).abs() < size * 1e-2 {
            continue;
        }
        let angle = 0.5 * (2.0 * matrix[p][q]).atan2(matrix[q][q] - matrix[p][p]);
        let (sin, cos) = angle.sin_cos();
        let (one, two) = (axes[p], axes[q]);
        (axes[p], axes[q]) = (one * cos - two * sin, one * sin + two * cos);
        for line in &mut matrix {
            (line[p], line[q]) = (line[p] * cos - line[q] * sin, line[p] * sin + line[q] * cos);
        }
        let (one, two) = (matrix[p], matrix[q]);
        for column in 0..3 {
            matrix[p][column] = one[column] * cos - two[column] * sin;
            matrix[q][column] = one[column] * sin + two[column] * cos;
        }
    }
    nearly_upright(axes)
}
