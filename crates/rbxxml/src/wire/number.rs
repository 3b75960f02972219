//! Numbers as text, as tolerant as Studio: spaces around them, a leading `+`, infinities and NaN in any case
//! and as old C libraries print them.

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
    /// Digits, after a `-` or nothing.
    Digits(&'a [u8]),
    /// An infinity or NaN.
    Special(f32),
}

/// A whole text that is a number.
#[inline]
fn token(text: &[u8]) -> Option<Token<'_>> {
    let digits = match text {
        [b'+', b'0'..=b'9' | b'.', ..] => after(text, 1),
        _ => text,
    };
    // Nearly always; only other beginnings need a grammar.
    match digits {
        [b'0'..=b'9' | b'.', ..] | [b'-', b'0'..=b'9' | b'.', ..] if !digits.contains(&b'#') => {
            Some(Token::Digits(digits))
        }
        _ => all_consuming(odd).parse(text).ok().map(|(_, token)| token),
    }
}

/// Infinity and NaN: `INF`, `nan(ind)`, `-1.#IND`, `1.#INF00`.
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

/// A 32-bit number.
#[inline]
pub(crate) fn float(text: &[u8]) -> Option<f32> {
    // One digit, like most numbers.
    if let [digit @ b'0'..=b'9'] = text {
        return Some(f32::from(digit & 15));
    }
    // Parsed as 32 bits: through 64, a number could be rounded twice.
    match token(text.trim_ascii())? {
        Token::Digits(digits) => fast_float2::parse(digits).ok(),
        Token::Special(value) => Some(value),
    }
}

/// A 64-bit number.
pub(crate) fn double(text: &[u8]) -> Option<f64> {
    match token(text.trim_ascii())? {
        Token::Digits(digits) => fast_float2::parse(digits).ok(),
        Token::Special(value) => Some(value.into()),
    }
}

/// An integer of up to 127 bits; also one that is written as `5.0` or `5e1`.
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

/// Integers of a size; one out of their range but within that of the other type of the size, signed or unsigned,
/// represents the same bits.
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

/// True or false, in any case, or 1 or 0.
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
