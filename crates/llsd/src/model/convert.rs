//! The viewer's conversions of values to other types. They never fail: a meaningless value gives the
//! default.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

use crate::model::{Date, Uri, Uuid, Value};
use crate::text::{date, number, uuid};

/// The viewer's conversions, which never fail:
///
/// | from | boolean | integer | real | string | other |
/// |---|---|---|---|---|---|
/// | undef | false | 0 | 0 | empty | null UUID, 1970, empty |
/// | boolean | itself | 0 or 1 | 0 or 1 | `true` or empty | |
/// | integer | not 0 | itself | exact | decimal | |
/// | real | neither 0 nor NaN | truncated; NaN is 0 | itself | 6 digits | |
/// | string | not empty | its real, truncated | its number, or 0 | itself | UUID, date, URI: read, or the default |
/// | UUID, URI | false | 0 | 0 | text | |
/// | date | false | seconds | seconds | ISO 8601 | |
/// | binary | false | 0 | 0 | empty | |
/// | array, map | not empty | 0 | 0 | empty | |
impl Value {
    /// As a boolean. Every string except the empty one is true, even `"false"`.
    pub fn to_boolean(&self) -> bool {
        match self {
            Self::Boolean(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Real(value) => *value != 0.0 && !value.is_nan(),
            Self::String(text) => !text.is_empty(),
            Self::Array(_) | Self::Map(_) => !self.is_empty(),
            _ => false,
        }
    }

    /// As an integer. Values out of range give the nearest integer.
    #[allow(clippy::cast_possible_truncation, reason = "cutting is what the viewer does")]
    pub fn to_integer(&self) -> i32 {
        self.to_real() as i32
    }

    /// As a real.
    pub fn to_real(&self) -> f64 {
        match self {
            Self::Boolean(value) => f64::from(u8::from(*value)),
            Self::Integer(value) => f64::from(*value),
            Self::Real(value) => *value,
            Self::String(text) => number::finite(text.as_bytes()).unwrap_or(0.0),
            Self::Date(date) => date.secs(),
            _ => 0.0,
        }
    }

    /// As a string. Reals are written with six digits; [`std::fmt::Display`] gives all of them.
    pub fn to_text(&self) -> Cow<'_, BStr> {
        let text = match self {
            Self::String(text) => return Cow::Borrowed(text),
            Self::Uri(Uri(text)) => return Cow::Borrowed(text),
            Self::Boolean(true) => return Cow::Borrowed(b"true".as_bstr()),
            Self::Integer(value) => value.to_string(),
            Self::Real(value) => number::six_digits(*value),
            Self::Uuid(value) => value.to_string(),
            Self::Date(value) => value.to_string(),
            _ => return Cow::Borrowed(b"".as_bstr()),
        };
        Cow::Owned(BString::from(text))
    }

    /// As a UUID: the value itself, or a string that is the text of one; otherwise the null UUID.
    pub fn to_uuid(&self) -> Uuid {
        match self {
            Self::Uuid(value) => *value,
            Self::String(text) => uuid::parse(text.as_bytes()).map_or(Uuid::NULL, Uuid),
            _ => Uuid::NULL,
        }
    }

    /// As a date: the value itself, or a string that is the text of one; otherwise the start of 1970.
    pub fn to_date(&self) -> Date {
        match self {
            Self::Date(value) => *value,
            Self::String(text) => date::parse(text.as_bytes(), false).map_or(Date::EPOCH, Date),
            _ => Date::EPOCH,
        }
    }

    /// As a URI: the text of a URI or a string; otherwise empty.
    pub fn to_uri(&self) -> Cow<'_, BStr> {
        match self {
            Self::Uri(Uri(text)) | Self::String(text) => Cow::Borrowed(text),
            _ => Cow::Borrowed(b"".as_bstr()),
        }
    }

    /// As bytes: those of a binary; empty for everything else. The bytes of a string are in
    /// [`Value::to_text`].
    pub fn to_binary(&self) -> &[u8] {
        match self {
            Self::Binary(bytes) => bytes,
            _ => &[],
        }
    }
}
