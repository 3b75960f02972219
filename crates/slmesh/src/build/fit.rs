//! Fits positions into the domain.

use geom::{Mat4, Vec3};

use super::faces::Face;
use crate::consts::MAX_POSITION;
use crate::model::{Domain, Skin, from_mat4, to_mat4};
use geom::wire::{Error, Result};

/// With `normalize`, scales the faces, the hull points and the skin to fit and returns the previous size of the model;
/// otherwise refuses a model that does not fit.
pub(super) fn fit(
    normalize: bool,
    faces: &mut [&mut Face],
    points: Vec<&mut Vec3>,
    skin: Option<&mut Skin>,
) -> Result<Option<[f64; 3]>> {
    let positions = faces.iter().flat_map(|face| &face.positions).chain(points.iter().map(|point| &**point));
    let Some(domain) = Domain::around(positions.map(|point| point.to_array())) else { return Ok(None) };
    if !normalize {
        let reach = domain.min.iter().chain(&domain.max).fold(0.0_f64, |far, end| far.max(end.abs()));
        if reach > MAX_POSITION {
            let what = format!(
                "a position is {reach} from the origin along an axis, but at most {MAX_POSITION} is allowed \
                 (use Builder::normalize to scale the model)"
            );
            return Err(Error::invalid_argument("positions", what));
        }
        return Ok(None);
    }
    let center: [f64; 3] = std::array::from_fn(|axis| f64::midpoint(domain.min[axis], domain.max[axis]));
    let size: [f64; 3] = std::array::from_fn(|axis| match domain.max[axis] - domain.min[axis] {
        width if width > 0.0 => width,
        _ => 1.0,
    });
    #[allow(clippy::cast_possible_truncation, reason = "positions have 32 bits")]
    let fitted = |point: &mut Vec3| {
        let from = point.to_array().map(f64::from);
        *point = Vec3::from(std::array::from_fn(|axis| ((from[axis] - center[axis]) / size[axis]) as f32));
    };
    // Normals are multiplied by the size, since positions are divided by it. In a cube, those of about the length 1 keep
    // their bits, since they would be rounded again.
    let is_cube = size.iter().all(|axis| (axis - size[0]).abs() <= 1e-6 * size[0]);
    #[allow(clippy::cast_possible_truncation, reason = "normals have 32 bits")]
    let lean = |normal: &mut Vec3| {
        let [x, y, z] = normal.to_array().map(f64::from);
        if is_cube && (0.98..=1.02).contains(&(x * x + y * y + z * z)) {
            return;
        }
        let leant = [x * size[0], y * size[1], z * size[2]];
        let length = leant.iter().map(|n| n * n).sum::<f64>().sqrt();
        if length > 0.0 && length.is_finite() {
            *normal = leant.map(|n| (n / length) as f32).into();
        }
    };
    for face in faces {
        face.positions.iter_mut().for_each(fitted);
        face.normals.iter_mut().for_each(lean);
    }
    points.into_iter().for_each(fitted);
    if let Some(skin) = skin {
        let [sx, sy, sz] = size;
        let [tx, ty, tz] = center;
        let back = [sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, tx, ty, tz, 1.0];
        let shape = skin.bind_shape_matrix.map_or(Mat4::IDENTITY, to_mat4);
        skin.bind_shape_matrix = Some(from_mat4(shape * to_mat4(back)));
    }
    Ok(Some(size))
}
