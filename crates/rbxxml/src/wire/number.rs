//! Numbers as text, as tolerant as Studio: spaces around them, a sign in front, infinities and what
//! is no number in any case and as old C libraries print them.

use crate::wire::parse::{Token, token};

/// The text without white space around it.
pub(crate) fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

/// A number of 32 bits.
#[inline]
pub(crate) fn float(text: &[u8]) -> Option<f32> {
    // The digits decide in 32 bits: through 64, a number could be rounded twice.
    match quick(text) {
        Some(value) => Some(value),
        None => match token(trim(text))? {
            Token::Number(digits) => fast_float2::parse(digits).ok(),
            Token::Infinite { negative: false } => Some(f32::INFINITY),
            Token::Infinite { negative: true } => Some(f32::NEG_INFINITY),
            Token::NotANumber => Some(f32::NAN),
        },
    }
}

/// One digit, which most numbers are.
#[inline]
fn quick(text: &[u8]) -> Option<f32> {
    match text {
        [digit @ b'0'..=b'9'] => Some(f32::from(digit & 15)),
        _ => None,
    }
}

/// A number of 64 bits.
pub(crate) fn double(text: &[u8]) -> Option<f64> {
    match token(trim(text))? {
        Token::Number(digits) => fast_float2::parse(digits).ok(),
        Token::Infinite { negative: false } => Some(f64::INFINITY),
        Token::Infinite { negative: true } => Some(f64::NEG_INFINITY),
        Token::NotANumber => Some(f64::NAN),
    }
}

/// A whole number within what an `i128` holds; also one that is written as `5.0` or `5e1`.
#[allow(clippy::cast_possible_truncation, reason = "whole and checked to be small enough")]
pub(crate) fn whole(text: &[u8]) -> Option<i128> {
    let text = trim(text);
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i128;
    for digit in digits {
        if !digit.is_ascii_digit() {
            let value = double(text)?;
            return (value.trunc() == value && value.abs() < 1e18).then_some(value as i128);
        }
        value = value.checked_mul(10)?.checked_add(i128::from(digit & 15))?;
    }
    Some(if negative { value.checked_neg()? } else { value })
}

/// A whole number of 32 bits with a sign; one above takes the sign's bit.
pub(crate) fn int32(text: &[u8]) -> Option<i32> {
    let value = whole(text)?;
    i32::try_from(value).ok().or_else(|| u32::try_from(value).ok().map(u32::cast_signed))
}

/// A whole number of 32 bits; one below zero wraps.
pub(crate) fn uint32(text: &[u8]) -> Option<u32> {
    let value = whole(text)?;
    u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned))
}

/// A whole number of 64 bits with a sign; one above takes the sign's bit.
pub(crate) fn int64(text: &[u8]) -> Option<i64> {
    let value = whole(text)?;
    i64::try_from(value).ok().or_else(|| u64::try_from(value).ok().map(u64::cast_signed))
}

/// A whole number of 64 bits; one below zero wraps.
pub(crate) fn uint64(text: &[u8]) -> Option<u64> {
    let value = whole(text)?;
    u64::try_from(value).ok().or_else(|| i64::try_from(value).ok().map(i64::cast_unsigned))
}

/// True or false, in any case, or 1 or 0.
pub(crate) fn boolean(text: &[u8]) -> Option<bool> {
    match trim(text) {
        text if text.eq_ignore_ascii_case(b"true") => Some(true),
        text if text.eq_ignore_ascii_case(b"false") => Some(false),
        b"1" => Some(true),
        b"0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerant() {
        for text in ["5", " 5 ", "+5", "5.0", "\n5\t", "0.5e1", "5e0", "5.", "5e+000"] {
            assert_eq!(float(text.as_bytes()), Some(5.0), "{text:?}");
            assert_eq!(double(text.as_bytes()), Some(5.0), "{text:?}");
            assert_eq!(int32(text.as_bytes()), Some(5), "{text:?}");
        }
        for text in ["INF", "inf", "+INF", " Inf ", "infinity", "1.#INF", "1.#INF00", "1#INF"] {
            assert_eq!(float(text.as_bytes()), Some(f32::INFINITY), "{text:?}");
        }
        for text in ["-INF", "-inf", "-1.#INF", "-Infinity"] {
            assert_eq!(double(text.as_bytes()), Some(f64::NEG_INFINITY), "{text:?}");
        }
        for text in ["NAN", "nan", "NaN", "-nan", "nan(ind)", "-nan(ind)", "nan(snan)", "-1.#IND", "1.#QNAN"]
        {
            assert!(float(text.as_bytes()).is_some_and(f32::is_nan), "{text:?}");
        }
        for text in ["", " ", "x", "5x", "5 5", "--5", "+-5", "0x10", "in", "1.#", "1e", "e5", ".", "nan("] {
            assert_eq!(float(text.as_bytes()), None, "{text:?}");
            assert_eq!(int32(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(float(b".5"), Some(0.5));
        assert_eq!(float(b"2.98023224e-008"), Some(2.980_232_2e-8));
        assert_eq!(float(b"1e999"), Some(f32::INFINITY));
        assert_eq!(int32(b"4294967295"), Some(-1));
        assert_eq!(int32(b"4294967296"), None);
        assert_eq!(uint32(b"-1"), Some(u32::MAX));
        assert_eq!(int64(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(uint64(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(uint64(b"18446744073709551616"), None);
        assert_eq!(int32(b"0.5"), None);
        assert_eq!([boolean(b" fAlSe "), boolean(b"TRUE"), boolean(b"yes")], [Some(false), Some(true), None]);
    }
}
