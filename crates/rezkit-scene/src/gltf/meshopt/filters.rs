//! The filters of a compressed view, which are applied after its stream is read.

/// A vector of length 1 from its octahedral coordinates x and y, and the number that represents 1. The result is
/// scaled by `most`.
fn unit([x, y, one]: [f32; 3], most: f32) -> [f32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let [x, y] = [x, y].map(|part| if part >= 0.0 { part + fold } else { part - fold });
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|part| (part * most / length).round())
}

pub(super) fn octahedral_8(value: &mut [u8; 4]) {
    let parts = [value[0], value[1], value[2]].map(|byte| f32::from(byte.cast_signed()));
    let [x, y, z] = unit(parts, 127.0).map(|part| (part as i8).cast_unsigned());
    value[..3].copy_from_slice(&[x, y, z]);
}

/// The four 16-bit numbers of a value.
fn words(value: &[u8; 8]) -> [i16; 4] {
    std::array::from_fn(|at| i16::from_le_bytes([value[at * 2], value[at * 2 + 1]]))
}

pub(super) fn octahedral_16(value: &mut [u8; 8]) {
    let [x, y, one, _] = words(value).map(f32::from);
    for (at, part) in unit([x, y, one], 32767.0).into_iter().enumerate() {
        value[at * 2..at * 2 + 2].copy_from_slice(&(part as i16).to_le_bytes());
    }
}

/// Decodes a quaternion from three components; the fourth number has the index of the omitted component, and the number
/// that represents 1.
pub(super) fn quaternion(value: &mut [u8; 8]) {
    let [x, y, z, last] = words(value);
    let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(|part| f32::from(part) * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let first = (last & 3) as usize;
    for (at, part) in [w, x, y, z].into_iter().enumerate() {
        let at = (first + at) % 4 * 2;
        value[at..at + 2].copy_from_slice(&((part * 32767.0).round() as i16).to_le_bytes());
    }
}

/// Decodes a float from a 24-bit integer and the exponent of a power of 2 in the highest byte.
pub(super) fn exponential(value: &mut [u8; 4]) {
    let bits = i32::from_le_bytes(*value);
    let number = f64::from((bits << 8) >> 8) * f64::from(bits >> 24).exp2();
    *value = (number as f32).to_le_bytes();
}

/// A colour from its luma, two differences (orange, green) and its alpha, whose highest bit gives the size of the numbers.
fn color([luma, orange, green, alpha]: [i32; 4], most: f32) -> [f32; 4] {
    let scale = (1 << (i32::BITS - alpha.leading_zeros())) - 1;
    let parts =
        [luma + orange - green, luma + green, luma - orange - green, (alpha << 1) & scale | alpha & 1];
    parts.map(|part| if scale == 0 { 0.0 } else { (part as f32 * most / scale as f32).round() })
}

pub(super) fn color_8(value: &mut [u8; 4]) {
    let [luma, orange, green, alpha] = *value;
    let signed = |byte: u8| i32::from(byte.cast_signed());
    *value = color([luma.into(), signed(orange), signed(green), alpha.into()], 255.0).map(|part| part as u8);
}

pub(super) fn color_16(value: &mut [u8; 8]) {
    let [luma, orange, green, alpha] = words(value);
    let unsigned = |word: i16| i32::from(word.cast_unsigned());
    let parts = color([unsigned(luma), orange.into(), green.into(), unsigned(alpha)], 65535.0);
    for (at, part) in parts.into_iter().enumerate() {
        value[at * 2..at * 2 + 2].copy_from_slice(&(part as u16).to_le_bytes());
    }
}

/// Streams that meshoptimizer 1 wrote, and the values that its own decoder reads.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
#[path = "../../../tests/inside/gltf_meshopt_filters.rs"]
mod tests;
