//! Parses numbers as tolerantly as Studio: with spaces around them, a leading `+`, and infinities and NaN in any case
//! or as old C libraries print them.

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while};
use nom::character::complete::{char, one_of};
use nom::combinator::{all_consuming, opt, value};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use geom::wire::after;

/// The forms of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    /// Digits, perhaps after a `-`.
    Digits(&'a [u8]),
    /// An infinity or NaN.
    Special(f32),
}

/// The form of a text that is a number; `None` if it is not one.
#[inline]
fn token(text: &[u8]) -> Option<Token<'_>> {
    let digits = match text {
        [b'+', b'0'..=b'9' | b'.', ..] => after(text, 1),
        _ => text,
    };
    // Nearly all numbers begin like this; only others need a grammar.
    match digits {
        [b'0'..=b'9' | b'.', ..] | [b'-', b'0'..=b'9' | b'.', ..] if !digits.contains(&b'#') => {
            Some(Token::Digits(digits))
        }
        _ => all_consuming(odd).parse(text).ok().map(|(_, token)| token),
    }
}

/// Parses infinity and NaN, such as `INF`, `nan(ind)`, `-1.#IND` and `1.#INF00`.
fn odd(input: &[u8]) -> IResult<&[u8], Token<'_>> {
    let (input, sign) = opt(one_of("+-")).parse(input)?;
    let infinite = Token::Special(if sign == Some('-') { f32::NEG_INFINITY } else { f32::INFINITY });
    let nan = Token::Special(f32::NAN);
    let mut zeros = take_while(|byte: u8| byte == b'0');
    let old = preceded(
        (char('1'), opt(char('.')), char('#')),
        alt((
            value(infinite, tag_no_case("INF")),
            value(nan, alt((tag_no_case("IND"), tag_no_case("QNAN"), tag_no_case("SNAN")))),
        )),
    );
    let payload = delimited(char('('), take_while(|byte: u8| byte != b')'), char(')'));
    let new = alt((
        value(infinite, alt((tag_no_case("infinity"), tag_no_case("inf")))),
        value(nan, (tag_no_case("nan"), opt(payload))),
    ));
    let (input, token) = alt((old, new)).parse(input)?;
    let (input, _) = zeros(input)?;
    Ok((input, token))
}

/// Parses a 32-bit float.
#[inline]
pub(crate) fn float(text: &[u8]) -> Option<f32> {
    // Most numbers have one digit.
    if let [digit @ b'0'..=b'9'] = text {
        return Some(f32::from(digit & 15));
    }
    // Parsed as 32 bits, since a number that is parsed as 64 bits could be rounded twice.
    match token(text.trim_ascii())? {
        Token::Digits(digits) => fast_float2::parse(digits).ok(),
        Token::Special(value) => Some(value),
    }
}

/// Parses a 64-bit float.
pub(crate) fn double(text: &[u8]) -> Option<f64> {
    match token(text.trim_ascii())? {
        Token::Digits(digits) => fast_float2::parse(digits).ok(),
        Token::Special(value) => Some(value.into()),
    }
}

/// Parses an integer of up to 127 bits, even if it is written like `5.0` or `5e1`.
#[allow(
    clippy::cast_possible_truncation,
    reason = "whole; beyond 127 bits the nearest, which is beyond every type"
)]
pub(crate) fn integer(text: &[u8]) -> Option<i128> {
    let text = text.trim_ascii();
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
            return (value.trunc() == value).then_some(value as i128);
        }
        value = value.checked_mul(10)?.checked_add(i128::from(digit & 15))?;
    }
    Some(if negative { value.checked_neg()? } else { value })
}

/// Declares parsers of integers of a size. A number out of range, but in the range of the other type of the same size
/// (signed or unsigned), gives the integer with the same bits.
macro_rules! integers {
    ($($name:ident: $kind:ident, $other:ident as $cast:ident;)+) => {$(
        pub(crate) fn $name(text: &[u8]) -> Option<$kind> {
            let value = integer(text)?;
            $kind::try_from(value).ok().or_else(|| $other::try_from(value).ok().map($other::$cast))
        }
    )+};
}
integers! {
    int32: i32, u32 as cast_signed;
    uint32: u32, i32 as cast_unsigned;
    int64: i64, u64 as cast_signed;
    uint64: u64, i64 as cast_unsigned;
}

/// Parses `true` or `false`, in any case, or 1 or 0.
pub(crate) fn boolean(text: &[u8]) -> Option<bool> {
    match text.trim_ascii() {
        text if text.eq_ignore_ascii_case(b"true") => Some(true),
        text if text.eq_ignore_ascii_case(b"false") => Some(false),
        b"1" => Some(true),
        b"0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
#[path = "../../tests/inside/number.rs"]
mod tests;
