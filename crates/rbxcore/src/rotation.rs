//! The rotations that a CFrame can store as an id of one byte.

use geom::{Mat3, Quat};

/// The rotation whose matrix is the identity.
#[doc(hidden)]
pub const IDENTITY: u8 = 0x02;

/// The components that Roblox writes as −0, for each of these rotations: bit 0 is the first of the row-major
/// components.
const NEGATIVE_ZEROS: [(u8, u16); 9] = [
    (0x06, 1 << 2),
    (0x0a, 1 << 5),
    (0x11, 1 << 8),
    (0x15, 1 << 8),
    (0x18, 1 << 2 | 1 << 8),
    (0x19, 1 << 2),
    (0x1c, 1 << 2 | 1 << 5),
    (0x20, 1 << 5),
    (0x23, 1 << 5 | 1 << 8),
];

/// The unit vector with a number: 0 to 5 for +X +Y +Z −X −Y −Z.
fn axis(number: u8) -> [f32; 3] {
    let sign = if number < 3 { 1.0 } else { -1.0 };
    std::array::from_fn(|place| if place == usize::from(number % 3) { sign } else { 0.0 })
}

/// The numbers of the first two columns (see [`axis`]) of the rotation with an id; `None` if there is no such rotation.
#[doc(hidden)]
#[inline]
pub fn axes(id: u8) -> Option<(u8, u8)> {
    let index = id.checked_sub(1).filter(|&index| index < 36)?;
    let (first, second) = (index / 6, index % 6);
    (first % 3 != second % 3).then_some((first, second))
}

/// The axis-aligned rotation with an id, one of 24 that files store in one byte; `None` for 0 and for ids that name
/// none.
///
/// An id is 6 times the number of the first column plus the number of the second plus 1, with +X +Y +Z −X −Y −Z
/// numbered 0 to 5.
pub fn matrix(id: u8) -> Option<Mat3> {
    let (first, second) = axes(id)?;
    let (x, y) = (axis(first), axis(second));
    let third = |a: usize, b: usize| x[a] * y[b] - x[b] * y[a];
    let z = [third(1, 2), third(2, 0), third(0, 1)];
    let negative = NEGATIVE_ZEROS.iter().find(|(of, _)| *of == id).map_or(0, |&(_, bits)| bits);
    let mut rows = [0.0; 9];
    for (place, component) in rows.iter_mut().enumerate() {
        let value = [x, y, z][place % 3][place / 3];
        // Sums of products leave zeros of either sign; only Roblox's may remain.
        *component = match value {
            0.0 if negative & 1 << place != 0 => -0.0,
            0.0 => 0.0,
            other => other,
        };
    }
    Some(Mat3::from_rows(rows))
}

/// The rotation as a unit quaternion, for the ids of [`matrix`].
#[doc(hidden)]
pub fn quaternion(id: u8) -> Option<Quat> {
    let [a, b, c, d, e, f, g, h, i] = matrix(id)?.to_rows();
    // The square of each component follows from the diagonal. The greatest component (the last of equal ones) gives the
    // signs of the others. In axis-aligned rotations, the components after it are 0.
    let squares = [1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i];
    let sums = [[0.0; 4], [b + d, 0.0, 0.0, 0.0], [c + g, f + h, 0.0, 0.0], [h - f, c - g, d - b, 0.0]];
    let greatest = (0..4).max_by(|&p, &q| f32::total_cmp(&squares[p], &squares[q]))?;
    let root = squares[greatest].sqrt();
    let parts: [f32; 4] = std::array::from_fn(|place| match place == greatest {
        true => root / 2.0,
        false => sums[greatest][place] / (2.0 * root),
    });
    Some(Quat::from(parts))
}

/// Whether two matrices are equal bit by bit: −0 is not 0.
fn same(a: &Mat3, b: &Mat3) -> bool {
    a.to_rows().map(f32::to_bits) == b.to_rows().map(f32::to_bits)
}

/// Whether an id can represent a matrix: 0 for any matrix, an unknown id for the identity.
#[doc(hidden)]
pub fn fits(id: u8, rotation: &Mat3) -> bool {
    id == 0 || same(&matrix(id).unwrap_or(Mat3::IDENTITY), rotation)
}

/// The id of an axis-aligned rotation; `None` for every other matrix. Zeros of both signs are equal.
pub fn id(rotation: &Mat3) -> Option<u8> {
    // Most matrices have a component other than 0 and ±1, and are rejected here.
    let rows = rotation.to_rows();
    if rows.iter().any(|&part| part != 0.0 && part != 1.0 && part != -1.0) {
        return None;
    }
    let number = |column: [f32; 3]| {
        let place = column.iter().position(|&part| part != 0.0)?;
        u8::try_from(place + if column[place] < 0.0 { 3 } else { 0 }).ok()
    };
    let id = 6 * number(rotation.x_axis.to_array())? + number(rotation.y_axis.to_array())? + 1;
    matrix(id).is_some_and(|known| known.to_rows() == rows).then_some(id)
}

/// The id of a matrix that can be stored as an id without changing a bit.
pub fn find(rotation: &Mat3) -> Option<u8> {
    id(rotation).filter(|&id| fits(id, rotation))
}

#[cfg(test)]
#[path = "../tests/inside/rotation.rs"]
mod tests;
