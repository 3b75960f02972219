//! Floating-point numbers.
//!
//! A number of up to nine digits is a float, since no float needs more. A number of ten or more digits, including
//! trailing zeros, is a double. Readers that ignore this rule read the same numbers.

use std::io::Write as _;

use super::token::{digits, expected, is_end, skip_blanks};
use geom::wire::{Parsed, after};

const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const WHOLE_POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads a short number without an exponent. Its digits and the power of ten are exact as doubles, so one division
/// rounds correctly. Rounding the result to a float errs only if it lies exactly in the middle between two floats.
/// `None` in that case and for other forms, which [`long`] reads.
#[inline(always)]
pub(crate) fn short(input: &[u8]) -> Option<(&[u8], f32)> {
    let negative = input.first() == Some(&b'-');
    let input = input.get(usize::from(negative)..)?;
    let (len, mut value) = digits(*input.first_chunk()?);
    if !(1..8).contains(&len) {
        return None;
    }
    let mut rest = input.get(len as usize..)?;
    let mut places = 0;
    if let [b'.', fraction @ ..] = rest {
        let (len, more) = digits(*fraction.first_chunk()?);
        value = value.wrapping_mul(*WHOLE_POWERS.get(len as usize)?).wrapping_add(more);
        rest = fraction.get(len as usize..)?;
        places = len;
        if let [digit @ b'0'..=b'9', after @ ..] = rest {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit ^ b'0'));
            (rest, places) = (after, 9);
        }
    }
    // The next byte must end the number, and ten digits are a double.
    if value >= 1_000_000_000 || !matches!(rest, [b' ' | b'\n' | b'\r' | b'\t', ..]) {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "exact below 10^9")]
    let number = value as f64 / POWERS.get(places as usize)?;
    let bits = number.to_bits();
    if bits & 0x1fff_ffff == 0x1000_0000 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "rounded to a float")]
    let number = number as f32;
    Some((rest, f32::from_bits(number.to_bits() | u32::from(negative) << 31)))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) float: f32,
    pub(crate) double: f64,
    /// Whether the text has no more digits than a float needs.
    pub(crate) is_float: bool,
}

impl Number {
    fn float(float: f32) -> Self {
        Self { float, double: f64::from(float), is_float: true }
    }

    fn double(double: f64) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "the double is kept if a float does not hold it")]
        let float = double as f32;
        Self { float, double, is_float: f64::from(float).to_bits() == double.to_bits() }
    }
}

#[cold]
pub(crate) fn long<'a>(input: &'a [u8], what: &str) -> Parsed<'a, Number> {
    let len = input.iter().position(|&byte| is_end(byte) || byte == b']').unwrap_or(input.len());
    let (token, rest) = input.split_at(len);
    let (negative, unsigned) = match token {
        [b'-', unsigned @ ..] => (true, unsigned),
        [b'+', unsigned @ ..] => (false, unsigned),
        _ => (false, token),
    };
    let payload = unsigned.strip_prefix(b"nan(").and_then(|rest| rest.strip_suffix(b")"));
    let number = if let Some(payload) = payload {
        not_a_number(payload)
    } else if matches!(unsigned.first(), Some(b'-' | b'+')) {
        None
    } else if is_double(unsigned) {
        fast_float2::parse(unsigned).ok().map(Number::double)
    } else {
        fast_float2::parse(unsigned).ok().map(Number::float)
    };
    match number {
        Some(Number { float, double, is_float }) if negative => {
            Ok((rest, Number { float: -float, double: -double, is_float }))
        }
        Some(number) => Ok((rest, number)),
        None => Err(expected(input, what)),
    }
}

/// Reads any number, after blanks.
pub(crate) fn read<'a>(input: &'a [u8], what: &str) -> Parsed<'a, Number> {
    let input = skip_blanks(input);
    match short(input) {
        Some((rest, number)) => Ok((rest, Number::float(number))),
        None => long(input, what),
    }
}

/// Whether a number has more digits than a float can use.
fn is_double(number: &[u8]) -> bool {
    let mantissa = number.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
    mantissa.filter(|byte| byte.is_ascii_digit()).skip_while(|&&byte| byte == b'0').count() > 9
}

/// Reads the bits of a float (8 hexadecimal digits) or of a double (16) that is NaN.
fn not_a_number(payload: &[u8]) -> Option<Number> {
    let bits = u64::from_str_radix(std::str::from_utf8(payload).ok()?, 16).ok()?;
    let number = match payload.len() {
        8 => Number::float(f32::from_bits(u32::try_from(bits).ok()?)),
        16 => Number::double(f64::from_bits(bits)),
        _ => return None,
    };
    number.double.is_nan().then_some(number)
}

/// The sign of a NaN; formatting other numbers writes it already.
fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "" }
}

/// A byte (255 is 1) in thousandths, which are precise enough. They are rounded up, so that both readers that round and
/// readers that truncate get the byte back.
#[allow(clippy::cast_precision_loss, reason = "at most 1000")]
pub(crate) fn thousandths(byte: u8) -> f32 {
    u32::from(byte).wrapping_mul(1000).div_ceil(255) as f32
}

/// The shortest text that reads as the same float.
pub(crate) fn write_f32(number: f32, out: &mut Vec<u8>) {
    let size = number.abs();
    // Writing into a vector cannot fail.
    let _infallible = match number.to_bits() & 0x7fff_ffff {
        0x7fc0_0000 => write!(out, "{}nan", sign(number.is_sign_negative())),
        bits if number.is_nan() => write!(out, "{}nan({bits:08x})", sign(number.is_sign_negative())),
        _ if size == 0.0 || size.is_infinite() || (1e-4..1e8).contains(&size) => write!(out, "{number}"),
        _ => write!(out, "{number:e}"),
    };
}

/// The shortest text that reads as the same double: that of the float if it is equal, and at least ten digits
/// otherwise.
pub(crate) fn write_f64(number: f64, out: &mut Vec<u8>) {
    #[allow(clippy::cast_possible_truncation, reason = "asked whether it is equal to the double")]
    let float = number as f32;
    if f64::from(float).to_bits() == number.to_bits() {
        return write_f32(float, out);
    }
    let start = out.len();
    let _infallible = match number.abs() {
        size if size.is_nan() => {
            write!(out, "{}nan({:016x})", sign(number.is_sign_negative()), size.to_bits())
        }
        1e-4..1e15 => write!(out, "{number}"),
        _ => write!(out, "{number:e}"),
    };
    if !number.is_nan() && !is_double(after(out, start)) {
        out.truncate(start);
        let _infallible = write!(out, "{number:.9e}");
    }
}
