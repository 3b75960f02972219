//! Fits points to others, with which they are paired.

use glam::{DMat4, DVec4, Quat, Vec3};

/// The size and the orientation of a rig, relative to the avatar's skeleton.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) scale: f32,
    pub(super) turn: Quat,
}

/// The scale and rotation that bring the first points of the pairs closest to the second (Horn 1987). A rotation that
/// the points do not determine, such as one about the line on which all of them are, is omitted.
pub(super) fn fitted(pairs: &[(Vec3, Vec3)]) -> Option<Fit> {
    let count = pairs.len().max(1) as f32;
    let sum = pairs.iter().fold((Vec3::ZERO, Vec3::ZERO), |(a, b), (c, d)| (a + *c, b + *d));
    let centred = pairs.iter().map(|(from, to)| (*from - sum.0 / count, *to - sum.1 / count));
    let centred: Vec<(Vec3, Vec3)> = centred.collect();
    let [from, to] = [|pair: &(Vec3, Vec3)| pair.0, |pair: &(Vec3, Vec3)| pair.1]
        .map(|of| centred.iter().map(|pair| of(pair).length_squared()).sum::<f32>());
    let scale = (to / from).sqrt();
    if !(from > 1e-6 && scale.is_finite() && scale > 1e-6) {
        return None;
    }
    let size = (from * to).sqrt();
    let s = |row: usize, column: usize| {
        let product = |(from, to): &(Vec3, Vec3)| f64::from(from[row]) * f64::from(to[column]);
        let sum: f64 = centred.iter().map(product).sum();
        // So little prefers small rotations only where the points allow several.
        sum / f64::from(size) + if row == column { 1e-6 } else { 0.0 }
    };
    let [xx, xy, xz] = [s(0, 0), s(0, 1), s(0, 2)];
    let [yx, yy, yz] = [s(1, 0), s(1, 1), s(1, 2)];
    let [zx, zy, zz] = [s(2, 0), s(2, 1), s(2, 2)];
    let rows = [
        [xx + yy + zz, yz - zy, zx - xz, xy - yx],
        [yz - zy, xx - yy - zz, xy + yx, zx + xz],
        [zx - xz, xy + yx, yy - xx - zz, yz + zy],
        [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ];
    // Repeated squaring of the matrix leaves the eigenvector of its greatest eigenvalue.
    let mut matrix = DMat4::from_cols_array_2d(&rows) + DMat4::from_diagonal(DVec4::splat(4.0));
    for _ in 0..32 {
        let greatest = matrix.to_cols_array().into_iter().fold(0.0_f64, |most, n| most.max(n.abs()));
        matrix *= 1.0 / greatest;
        matrix = matrix * matrix;
    }
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis];
    let longest = columns.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
    let [w, x, y, z] = longest.normalize_or_zero().as_vec4().to_array();
    let turn = Quat::from_xyzw(x, y, z, w);
    turn.is_normalized().then_some(Fit { scale, turn: if w < 0.0 { -turn } else { turn } })
}

#[cfg(test)]
#[path = "../../tests/inside/slmesh_fitted.rs"]
mod tests;
