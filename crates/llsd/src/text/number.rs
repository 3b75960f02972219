//! Numbers as text.

use crate::text::base::put;

/// A real as notation and XML have it: a sign, digits with a point anywhere or nowhere, an exponent;
/// or `nan`, `inf` in any case. All of the text.
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

/// A number with nothing but white space before it.
pub(crate) fn finite(text: &[u8]) -> Option<f64> {
    decimal(text.trim_ascii_start())
}

fn decimal(text: &[u8]) -> Option<f64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    // What fast_float takes besides are words and a second sign.
    let first = text.strip_prefix(b"-").unwrap_or(text).first()?;
    (first.is_ascii_digit() || *first == b'.').then(|| fast_float2::parse(text).ok())?
}

/// As C's `%lg` prints it: six digits, with an exponent where it is below -4 or above 5.
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

/// A real at the beginning of a text, and what stands behind it.
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
            // An exponent without digits, a second point.
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

/// A length as C's `strtol` reads it: decimal, or hexadecimal behind `0x`, or octal behind `0`.
/// `strict`: decimal digits alone.
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
#[inline]
pub(crate) fn write_integer(value: i32, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 11];
    let mut left = value.unsigned_abs();
    let mut at = digits.len();
    loop {
        at = at.saturating_sub(1);
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0'.wrapping_add(u8::try_from(left % 10).unwrap_or(0));
        }
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        at = at.saturating_sub(1);
        if let Some(sign) = digits.get_mut(at) {
            *sign = b'-';
        }
    }
    put(digits.get(at..).unwrap_or_default(), out);
}

/// Appends a real with the fewest digits that read as the same bits. What is no number keeps its
/// sign and loses its payload, for which no text has a place.
#[inline]
pub(crate) fn write_real(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value).as_bytes();
        put(text.strip_suffix(b".0").unwrap_or(text), out);
        return;
    }
    out.extend_from_slice(match (value.is_nan(), value.is_sign_negative()) {
        (true, false) => b"nan",
        (true, true) => b"-nan",
        (false, false) => b"inf",
        (false, true) => b"-inf",
    });
}
