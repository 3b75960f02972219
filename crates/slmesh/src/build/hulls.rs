//! The points of hulls.

use geom::Vec3;

use crate::consts::MAX_HULL_POINTS;
use crate::model::Domain;

/// The corners of a box.
#[allow(clippy::cast_possible_truncation, reason = "the ends were of 32 bits")]
pub(super) fn corners(bounds: Option<Domain<3>>) -> Vec<Vec3> {
    let Domain { min, max } = bounds.unwrap_or(Domain::HALF);
    let corner = |corner: usize| {
        let end = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Vec3::new(end(0) as f32, end(1) as f32, end(2) as f32)
    };
    (0..8).map(corner).collect()
}

/// The points in sixteen bits, reduced if they are more than a hull may have.
pub(super) fn quantized(points: &[Vec3], domain: &Domain<3>) -> Vec<[u16; 3]> {
    let mut quantized: Vec<[u16; 3]> = points.iter().map(|p| domain.quantize_f32(p.to_array())).collect();
    if quantized.len() > MAX_HULL_POINTS {
        quantized.sort_unstable();
        quantized.dedup();
    }
    if quantized.len() > MAX_HULL_POINTS {
        quantized = extremes(&quantized);
    }
    quantized
}

/// The farthest point in each of 256 directions, spread evenly over a sphere (a Fibonacci lattice). The directions are
/// those of the quantized space: the domain only stretches it, which keeps points of the hull on the hull.
fn extremes(points: &[[u16; 3]]) -> Vec<[u16; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let direction = |index: usize| {
        let z = 1.0 - (2.0 * index as f64 + 1.0) / MAX_HULL_POINTS as f64;
        let (radius, angle) = ((1.0 - z * z).sqrt(), golden * index as f64);
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let mut found: Vec<[u16; 3]> = (0..MAX_HULL_POINTS)
        .map(direction)
        .filter_map(|[x, y, z]| {
            let along = |p: &[u16; 3]| x * f64::from(p[0]) + y * f64::from(p[1]) + z * f64::from(p[2]);
            points.iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied()
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
