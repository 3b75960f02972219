//! Writes numbers as C's `%d`, `%.9g`, `%.17g` and `%.6g` print them, always rounded correctly.

use geom::wire::after;

/// The powers of ten that leave space for the 24 bits of a float in 128 bits.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const POWERS: [u128; 30] = {
    let mut powers = [1_u128; 30];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Writes the digits of an integer.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "20 digits hold every u64")]
pub(crate) fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    while at == digits.len() || value > 0 {
        at -= 1;
        digits[at] = b'0' + (value % 10).to_le_bytes()[0];
        value /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Writes an integer with its sign.
pub(crate) fn signed(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    unsigned(out, value.unsigned_abs());
}

/// Writes NaN and infinities as Studio does. Returns whether it wrote one.
fn special(out: &mut Vec<u8>, nan: bool, infinite: bool, negative: bool) -> bool {
    match (nan, infinite, negative) {
        (true, ..) => out.extend_from_slice(b"NAN"),
        (_, true, false) => out.extend_from_slice(b"INF"),
        (_, true, true) => out.extend_from_slice(b"-INF"),
        _ => return false,
    }
    true
}

/// Writes `%.9g`, which is enough to read back every 32-bit float.
#[inline]
pub(crate) fn float(out: &mut Vec<u8>, value: f32) {
    float_g(out, value, 9);
}

/// Writes `%.6g` if that reads back as the same number, otherwise `%.9g`, as in sequences and ranges.
pub(crate) fn short_float(out: &mut Vec<u8>, value: f32) {
    let start = out.len();
    float_g(out, value, 6);
    let written = after(out, start);
    let back: Option<f32> = fast_float2::parse(written).ok();
    if back.map(f32::to_bits) != Some(value.to_bits()) && !value.is_nan() && value.is_finite() {
        out.truncate(start);
        float_g(out, value, 9);
    }
}

/// Writes `%.{digits}g` of a float.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an integer below 2^24")]
fn float_g(out: &mut Vec<u8>, value: f32, digits: u32) {
    let size = value.abs();
    if size < 1e6 && size.trunc() == size {
        // Integers of up to six digits are their own shortest form.
        if value.is_sign_negative() {
            out.push(b'-');
        }
        return unsigned(out, u64::from(size as u32));
    }
    if special(out, value.is_nan(), value.is_infinite(), value < 0.0) {
        return;
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    match exact(size, digits) {
        Some((whole, exponent)) => general(out, whole, exponent, digits),
        None => slow(out, f64::from(size), digits),
    }
}

/// The first `digits` digits of a positive number, rounded half to even from its exact value, and the exponent of the
/// first digit. `None` for numbers far from 1, if the computation does not fit into 128 bits.
#[allow(clippy::indexing_slicing, reason = "the index is from a checked range")]
#[allow(clippy::arithmetic_side_effects, reason = "the ranges are beside each step")]
fn exact(size: f32, digits: u32) -> Option<(u64, i32)> {
    let bits = size.to_bits();
    let (mantissa, power) = match bits >> 23 {
        0 => return None,
        biased => (u128::from(bits & 0x7f_ffff | 0x80_0000), i32::try_from(biased).ok()? - 150),
    };
    // The number is mantissa * 2^power, with power from -149 to 104 and a mantissa of 24 bits.
    if !(-100..=24).contains(&power) {
        return None;
    }
    // The exponent from log10(2). It is at most one too low, which the comparison below corrects.
    let mut exponent = ((power + 23) * 1233) >> 12;
    let digits = i32::try_from(digits).ok()?;
    loop {
        // The number times this power of ten has `digits` digits before the point.
        let scale = digits - 1 - exponent;
        let (whole, half) = if scale >= 0 {
            let scaled = mantissa * POWERS.get(usize::try_from(scale).ok()?)?;
            if power >= 0 {
                (scaled << power, std::cmp::Ordering::Less)
            } else {
                let shift = power.unsigned_abs();
                let rest = scaled & ((1 << shift) - 1);
                (scaled >> shift, rest.cmp(&(1 << (shift - 1))))
            }
        } else if power >= 0 {
            let divisor = POWERS.get(usize::try_from(-scale).ok()?)?;
            let scaled = mantissa << power;
            (scaled / divisor, (scaled % divisor * 2).cmp(divisor))
        } else {
            // Ten digits before the point and a fraction.
            let divisor = POWERS.get(usize::try_from(-scale).ok()?)? << power.unsigned_abs();
            (mantissa / divisor, (mantissa % divisor * 2).cmp(&divisor))
        };
        let limit = POWERS[usize::try_from(digits).ok()?];
        if whole >= limit {
            exponent += 1;
            continue;
        }
        let up = match half {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => whole & 1 == 1,
            std::cmp::Ordering::Less => false,
        };
        let whole = whole + u128::from(up);
        return match whole == limit {
            true => Some((u64::try_from(limit / 10).ok()?, exponent + 1)),
            false => Some((u64::try_from(whole).ok()?, exponent)),
        };
    }
}

/// Writes `%.17g`, which is enough to read back every 64-bit float.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an integer below 2^53")]
pub(crate) fn double(out: &mut Vec<u8>, value: f64) {
    if special(out, value.is_nan(), value.is_infinite(), value < 0.0) {
        return;
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let size = value.abs();
    if size < 1e15 && size.trunc() == size {
        return unsigned(out, size as u64);
    }
    slow(out, size, 17);
}

/// Writes any positive number, with the exact digits of the standard library.
fn slow(out: &mut Vec<u8>, size: f64, digits: u32) {
    let text = format!("{size:.*e}", digits.saturating_sub(1) as usize);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let whole = mantissa.bytes().filter(u8::is_ascii_digit);
    let whole = whole.fold(0_u64, |whole, digit| whole.wrapping_mul(10).wrapping_add(u64::from(digit & 15)));
    general(out, whole, exponent.parse().unwrap_or(0), digits);
}

/// Writes digits, given with the exponent of the first one, in the layout of `%g`.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "at most 20 digits, and exponents of 3"
)]
fn general(out: &mut Vec<u8>, mut whole: u64, exponent: i32, digits: u32) {
    let mut count = digits as usize;
    while count > 1 && whole.is_multiple_of(10) {
        whole /= 10;
        count -= 1;
    }
    let mut text = [b'0'; 20];
    let mut left = whole;
    for digit in text[..count].iter_mut().rev() {
        *digit = b'0' + (left % 10).to_le_bytes()[0];
        left /= 10;
    }
    let text = &text[..count];
    let plain = -4..i32::try_from(digits).unwrap_or(9);
    if !plain.contains(&exponent) {
        out.push(text[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&text[1..]);
        }
        out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
        if exponent.unsigned_abs() < 10 {
            out.push(b'0');
        }
        return unsigned(out, u64::from(exponent.unsigned_abs()));
    }
    match usize::try_from(exponent) {
        Ok(point) if point + 1 >= count => {
            out.extend_from_slice(text);
            out.resize(out.len() + point + 1 - count, b'0');
        }
        Ok(point) => {
            out.extend_from_slice(&text[..=point]);
            out.push(b'.');
            out.extend_from_slice(&text[point + 1..]);
        }
        Err(_) => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + exponent.unsigned_abs() as usize - 1, b'0');
            out.extend_from_slice(text);
        }
    }
}

/// Writes bytes as hexadecimal digits in lower case.
#[allow(clippy::indexing_slicing, reason = "four bits into a table of sixteen")]
pub(crate) fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        let digits = b"0123456789abcdef";
        out.extend_from_slice(&[digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
#[path = "../../tests/inside/format.rs"]
mod tests;
