//! Numbers as text.

use crate::text::out::Out;

/// Reads a real of notation or XML, which must be all of the text: a sign, digits with a point anywhere or nowhere, an
/// exponent; or `nan` or `inf` in upper or lower case.
pub(crate) fn real(text: &[u8]) -> Option<f64> {
    let (negative, word) = match text {
        [b'-', word @ ..] => (true, word),
        [b'+', word @ ..] => (false, word),
        word => (false, word),
    };
    let value = if word.eq_ignore_ascii_case(b"nan") {
        f64::NAN
    } else if word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity") {
        f64::INFINITY
    } else {
        return decimal(text);
    };
    Some(if negative { -value } else { value })
}

/// Reads a decimal number, after white space; `None` for words.
pub(crate) fn finite(text: &[u8]) -> Option<f64> {
    decimal(text.trim_ascii_start())
}

fn decimal(text: &[u8]) -> Option<f64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    // fast_float also takes words and a second sign.
    let first = text.strip_prefix(b"-").unwrap_or(text).first()?;
    (first.is_ascii_digit() || *first == b'.').then(|| fast_float2::parse(text).ok())?
}

/// Formats a number as C's `%lg` does: six digits, with an exponent if it is below -4 or above 5.
pub(crate) fn six_digits(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent {
        -4..=5 => {
            let places = usize::try_from(5_i32.saturating_sub(exponent)).unwrap_or(0);
            short(&format!("{value:.places$}"))
        }
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", short(digits), exponent.unsigned_abs())
        }
    }
}

/// Reads a real at the beginning of a text: the text after it, and the real.
#[inline(always)]
pub(crate) fn real_prefix(text: &[u8]) -> Option<(&[u8], f64)> {
    let unsigned = match text {
        [b'-' | b'+', unsigned @ ..] => unsigned,
        unsigned => unsigned,
    };
    match unsigned.first()? {
        b'0'..=b'9' | b'.' => {
            let digits = text.strip_prefix(b"+").unwrap_or(text);
            let (value, len) = fast_float2::parse_partial::<f64, _>(digits).ok()?;
            let rest = digits.get(len..)?;
            // Refuses an exponent without digits and a second point.
            (!matches!(rest.first(), Some(b'e' | b'E' | b'.'))).then_some((rest, value))
        }
        _ => {
            let end = unsigned.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(unsigned.len());
            let len = text.len().saturating_sub(unsigned.len()).saturating_add(end);
            let (word, rest) = text.split_at_checked(len)?;
            Some((rest, real(word)?))
        }
    }
}

/// Reads a length like C's `strtol`: decimal, hexadecimal after `0x`, or octal after `0`. With `strict`, only decimal
/// digits are allowed.
pub(crate) fn length(text: &[u8], strict: bool) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    if strict {
        return text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    }
    let text = text.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    if text.starts_with('+') {
        return None;
    }
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

/// Appends an integer.
#[inline(always)]
pub(crate) fn write_integer(value: i32, out: &mut Out) {
    out.byte_if(value < 0, b'-');
    let value = value.unsigned_abs();
    let (high, low) = (value / 100_000_000, value % 100_000_000);
    if high > 0 {
        significant(high, out);
        out.all(&(eight_digits(low) | ZEROS).to_le_bytes());
    } else {
        significant(low, out);
    }
}

/// The digit 0 eight times.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Writes a number of up to eight digits, without leading zeros.
#[inline(always)]
fn significant(value: u32, out: &mut Out) {
    let digits = eight_digits(value);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    let text = (digits | ZEROS).unbounded_shr(zeros.saturating_mul(8));
    out.piece(8_usize.saturating_sub(zeros as usize), |space| *space = text.to_le_bytes());
}

/// The eight digits of a number below 100,000,000, the first in the lowest byte. Three steps compute them side by side
/// in one word: each splits every number into two with half of its digits.
#[inline(always)]
fn eight_digits(value: u32) -> u64 {
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    // Divides numbers below 10,000 by 100, then numbers below 100 by 10, by multiplication and a shift.
    let high = (fours.wrapping_mul(10_486) >> 20) & 0x7f_0000_007f;
    let twos = high | fours.wrapping_sub(high.wrapping_mul(100)) << 16;
    let high = (twos.wrapping_mul(103) >> 10) & 0x0f_000f_000f_000f;
    high | twos.wrapping_sub(high.wrapping_mul(10)) << 8
}

/// Appends a real with the fewest digits that are read back as the same bits. NaN keeps its
/// sign and loses its payload, which has no text form.
#[inline]
pub(crate) fn write_real(value: f64, out: &mut Out) {
    if value.is_finite() {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value).as_bytes();
        out.few(text.strip_suffix(b".0").unwrap_or(text));
        return;
    }
    out.slice(match (value.is_nan(), value.is_sign_negative()) {
        (true, false) => b"nan",
        (true, true) => b"-nan",
        (false, false) => b"inf",
        (false, true) => b"-inf",
    });
}
