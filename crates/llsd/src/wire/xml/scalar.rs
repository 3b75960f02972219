//! Reads the texts of scalars, as the viewer does or strictly.

use std::borrow::Cow;

use crate::model::{Date, Scalar, Uuid};
use crate::text::base::{decode16, decode64, decode85};
use crate::text::{date, number, unlike, uuid};
use crate::wire::xml::token::{Base, Tag};

/// The value of an element's text; the error is what is wrong with the text.
pub(super) fn parse<'a>(
    tag: Tag,
    text: Cow<'a, [u8]>,
    strict: bool,
) -> Result<Scalar<'a>, Cow<'static, str>> {
    Ok(match tag {
        Tag::String => Scalar::String(bstr(text)),
        Tag::Uri => Scalar::Uri(bstr(text)),
        Tag::Boolean => match &*text {
            b"1" | b"true" => Scalar::Boolean(true),
            b"" | b"0" | b"false" => Scalar::Boolean(false),
            _ if strict => return Err(unlike("a boolean (1, true, 0 or false)", &text).into()),
            _ => Scalar::Boolean(false),
        },
        Tag::Integer => match integer(&text, strict) {
            Some(value) => Scalar::Integer(value),
            None => return Err(unlike("a 32-bit integer", &text).into()),
        },
        Tag::Real if strict && text.is_empty() => Scalar::Real(0.0),
        Tag::Real => match number::real(if strict { text.trim_ascii() } else { text.trim_ascii_start() }) {
            Some(value) => Scalar::Real(value),
            None if strict => return Err(unlike("only a number such as 0.5", &text).into()),
            None => Scalar::Real(0.0),
        },
        Tag::Uuid => match uuid::parse(&text) {
            Some(bytes) => Scalar::Uuid(Uuid(bytes)),
            None if strict && !text.is_empty() => return Err(unlike(uuid::FORM, &text).into()),
            None => Scalar::Uuid(Uuid::NULL),
        },
        Tag::Date => match date::parse(&text, strict) {
            Some(secs) => Scalar::Date(Date(secs)),
            None if strict && !text.is_empty() => return Err(unlike(date::FORM, &text).into()),
            None => Scalar::Date(Date::EPOCH),
        },
        Tag::Binary(base) => {
            let bytes = match base {
                Base::B64 => decode64(&text, strict).ok_or("malformed base64")?,
                Base::B16 => decode16(&text).ok_or("malformed base16")?,
                Base::B85 => decode85(&text).ok_or("malformed base85")?,
                Base::Other if strict => {
                    return Err("unknown encoding of <binary> (expected base64, base16 or base85)".into());
                }
                Base::Other => return Ok(Scalar::Undef),
            };
            Scalar::Binary(Cow::Owned(bytes.into()))
        }
        _ if strict && !text.trim_ascii().is_empty() => {
            return Err("<undef> contains text, but must be empty".into());
        }
        _ => Scalar::Undef,
    })
}

#[inline]
pub(super) fn bstr(text: Cow<'_, [u8]>) -> Cow<'_, bstr::BStr> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(bstr::BStr::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}

/// Reads an integer as C's `sscanf` reads `%d`: the digits at the beginning, of whose number the lower 32 bits are
/// kept. If there are no digits, a real is read and truncated.
fn integer(text: &[u8], strict: bool) -> Option<i32> {
    if strict {
        let text = text.trim_ascii();
        let digits = text.strip_prefix(b"+").unwrap_or(text);
        let text = std::str::from_utf8(if digits.starts_with(b"-") { text } else { digits }).ok()?;
        return if text.is_empty() { Some(0) } else { text.parse().ok() };
    }
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let len = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    #[allow(clippy::cast_possible_truncation, reason = "as C does it")]
    if len == 0 {
        return Some(number::finite(text).unwrap_or(0.0) as i32);
    }
    // The number saturates at the limits of 64 bits; its lower half is kept.
    let value = digits.iter().take(len).fold(0_i64, |sum, digit| {
        let digit = i64::from(digit.wrapping_sub(b'0'));
        let sum = sum.saturating_mul(10);
        if negative { sum.saturating_sub(digit) } else { sum.saturating_add(digit) }
    });
    #[allow(clippy::cast_possible_truncation, reason = "as C does it")]
    Some(value as i32)
}
