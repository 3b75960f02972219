//! The filters of a view, which are applied after its stream is read.

/// A vector of length 1 from its octahedral coordinates: x, y, and the value of 1.
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

/// Three components; the fourth number has the index of the omitted one and the value of 1.
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

/// A 24-bit integer, and a power of 2 in the highest byte.
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
mod tests {
    use super::super::streams::{attributes, tests::hex};
    use super::*;

    #[test]
    fn filters() {
        fn all<const N: usize>(stream: &str, filter: fn(&mut [u8; N]), stride: usize) -> Vec<u8> {
            let stream = hex(stream);
            let count = if stride == 16 { 2 } else { 4 };
            let mut values = attributes(&stream, count, stride).unwrap();
            values.as_chunks_mut().0.iter_mut().for_each(filter);
            values
        }
        let stream = "a0013f0000006cea91013f00000091c358000103000000fe0000000000000000000000000000000000000000000000000000000000007f00";
        assert_eq!(all(stream, octahedral_8, 4), hex("00007f004c9a0000b749b60000dc867f"));
        let stream = "a0013f000000da7cf3013f000000061118013f000000dc31a7013f000000091419000001010000000103000000fe00000000000000\
                      000000000000000000000000000000000000000000ff070000";
        assert_eq!(
            all(stream, octahedral_16, 8),
            hex("00000000ff7f0000c54c95990000000023b6dd4907b6000000002fdc1e85ff7f")
        );
        let stream = "a0013f000000b26f41013d0000000b0e013f000000b1c717013f0000000a0511013f000000b115c8013f0000000a1108013f000000\
                      05060500000000000000000000000000000000000000000000000000000000000000ff07";
        assert_eq!(
            all(stream, quaternion, 8),
            hex("000000000000ff7f0f4006c0fa3ffa3fc70c9a199fd9b5766566000033b30000")
        );
        let stream = "a000000001300000004001300000008201300000002a0001300000004000013000000050012000000001300000004000000001300000\
                      004000000000000000000000000000000000000000f4001000f400d8fff4000000f4";
        assert_eq!(
            all(stream, exponential, 16),
            hex("000000000000803f000020c00000000000000000000415500000000000000000")
        );
        let stream = "a1ff007e024b00fd7d4d0083fd4b007d7ebd00000000000000000000000000000000000000407fc1ff00";
        assert_eq!(all(stream, color_8, 4), hex("fe0100ff00fe00804180bfff1a34e640"));
        let stream = "a1ffff00fe02cb0007000400fdfdcd000f0704000302cb00160d05000201020005060900000000000000000000000000000004ff0701fcff0f0100";
        assert_eq!(
            all(stream, color_16, 8),
            hex("efff10000000ffff0000efff0000088014400880fbbfffffa21943336ee60440")
        );
        // Without any bit there is no colour.
        let mut nothing = [9, 1, 1, 0];
        color_8(&mut nothing);
        assert_eq!(nothing, [0; 4]);
    }
}
