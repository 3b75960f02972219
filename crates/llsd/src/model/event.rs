//! A document as events: what the readers yield and the writers take.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::model::{Date, Uuid, Value};

/// A piece of a document. Text and bytes that are in the input as they are, are borrowed from there;
/// what was escaped or encoded is owned.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// No value.
    Undef,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i32),
    /// A floating-point number.
    Real(f64),
    /// A UUID.
    Uuid(Uuid),
    /// A string.
    String(Cow<'a, BStr>),
    /// A point in time.
    Date(Date),
    /// The name of a resource.
    Uri(Cow<'a, BStr>),
    /// Bytes.
    Binary(Cow<'a, BStr>),
    /// An array begins; with the number of its values, if that is known and can be true.
    StartArray(Option<usize>),
    /// The array ends.
    EndArray,
    /// A map begins; with the number of its entries, if that is known and can be true.
    StartMap(Option<usize>),
    /// A key; its value follows.
    Key(Cow<'a, BStr>),
    /// The map ends.
    EndMap,
}

impl Event<'_> {
    /// How the event changes the depth: 1 where a container begins, -1 where it ends.
    pub(crate) fn step(&self) -> i64 {
        match self {
            Self::StartArray(_) | Self::StartMap(_) => 1,
            Self::EndArray | Self::EndMap => -1,
            _ => 0,
        }
    }

    /// Whether a value of `depth` levels, counted with [`Event::step`], is complete with this event.
    pub(crate) fn completes(&self, depth: i64) -> bool {
        depth <= 0 && !matches!(self, Self::Key(_))
    }

    /// The value of a scalar; `None` for everything else.
    #[cfg(feature = "serde")]
    pub(crate) fn scalar(&self) -> Option<Value> {
        Some(match self {
            Self::Undef => Value::Undef,
            Self::Boolean(value) => Value::Boolean(*value),
            Self::Integer(value) => Value::Integer(*value),
            Self::Real(value) => Value::Real(*value),
            Self::Uuid(value) => Value::Uuid(*value),
            Self::String(text) => Value::String(text.as_ref().into()),
            Self::Date(value) => Value::Date(*value),
            Self::Uri(text) => Value::Uri(text.as_ref().into()),
            Self::Binary(bytes) => Value::Binary(bytes.as_bytes().into()),
            _ => return None,
        })
    }
}

/// A scalar, or the beginning of a container.
impl<'a> From<&'a Value> for Event<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Undef => Self::Undef,
            Value::Boolean(value) => Self::Boolean(*value),
            Value::Integer(value) => Self::Integer(*value),
            Value::Real(value) => Self::Real(*value),
            Value::Uuid(value) => Self::Uuid(*value),
            Value::String(value) => Self::String(Cow::Borrowed(value)),
            Value::Date(value) => Self::Date(*value),
            Value::Uri(value) => Self::Uri(Cow::Borrowed(&value.0)),
            Value::Binary(value) => Self::Binary(Cow::Borrowed(value.0.as_bstr())),
            Value::Array(values) => Self::StartArray(Some(values.len())),
            Value::Map(map) => Self::StartMap(Some(map.len())),
        }
    }
}
