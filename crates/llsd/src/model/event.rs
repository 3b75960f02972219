//! A document as events, which readers return and writers take.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::model::{Date, Uuid, Value};

/// A value that is not a container. Text and bytes are borrowed from the input, or owned if they were escaped or
/// encoded in it.
///
/// Reals and dates are compared by their bits.
#[derive(Clone, Debug)]
pub enum Scalar<'a> {
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
    /// A URI.
    Uri(Cow<'a, BStr>),
    /// Bytes.
    Binary(Cow<'a, BStr>),
}

impl Scalar<'_> {
    /// The name of the type: that of its XML element.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Undef => "undef",
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Real(_) => "real",
            Self::Uuid(_) => "uuid",
            Self::String(_) => "string",
            Self::Date(_) => "date",
            Self::Uri(_) => "uri",
            Self::Binary(_) => "binary",
        }
    }
}

impl PartialEq for Scalar<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Real(a), Self::Real(b)) | (Self::Date(Date(a)), Self::Date(Date(b))) => {
                a.to_bits() == b.to_bits()
            }
            (Self::Uuid(a), Self::Uuid(b)) => a == b,
            (Self::String(a), Self::String(b))
            | (Self::Uri(a), Self::Uri(b))
            | (Self::Binary(a), Self::Binary(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Scalar<'_> {}

impl From<Scalar<'_>> for Value {
    #[inline(always)]
    fn from(scalar: Scalar<'_>) -> Self {
        match scalar {
            Scalar::Undef => Self::Undef,
            Scalar::Boolean(value) => Self::Boolean(value),
            Scalar::Integer(value) => Self::Integer(value),
            Scalar::Real(value) => Self::Real(value),
            Scalar::Uuid(value) => Self::Uuid(value),
            Scalar::String(text) => Self::String(text.into()),
            Scalar::Date(value) => Self::Date(value),
            Scalar::Uri(text) => Self::Uri(text.into()),
            Scalar::Binary(bytes) => Self::Binary(Vec::from(bytes.into_owned()).into()),
        }
    }
}

/// Evaluates an expression with a value as a [`Scalar`], expanded for each type, or another one if it is a container.
macro_rules! scalar {
    ($value:expr, |$scalar:ident| $then:expr, _ => $other:expr) => {
        scalar!(@ $value, $scalar, $then, $other;
            Undef; Boolean(value) *value; Integer(value) *value; Real(value) *value; Uuid(value) *value;
            Date(value) *value; String(text) Cow::Borrowed(text); Uri(uri) Cow::Borrowed(&uri.0);
            Binary(bytes) Cow::Borrowed(bytes.0.as_bstr()))
    };
    (@ $value:expr, $scalar:ident, $then:expr, $other:expr;
        $($type:ident $(($part:ident) $make:expr)?);+) => {
        match $value {
            $(Value::$type $(($part))? => {
                let $scalar = Scalar::$type $(($make))?;
                $then
            })+
            Value::Array(_) | Value::Map(_) => $other,
        }
    };
}
pub(crate) use scalar;

impl Value {
    /// The value as a scalar; `None` for an array or a map.
    #[inline(always)]
    pub fn scalar(&self) -> Option<Scalar<'_>> {
        scalar!(self, |scalar| Some(scalar), _ => None)
    }
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A value that is not a container.
    Scalar(Scalar<'a>),
    /// An array begins. It has this many values; `None` if the number is unknown, as in XML and notation.
    StartArray(Option<usize>),
    /// The array ends.
    EndArray,
    /// A map begins. It has this many entries; `None` if the number is unknown, as in XML and notation.
    StartMap(Option<usize>),
    /// A key; its value follows.
    Key(Cow<'a, BStr>),
    /// The map ends.
    EndMap,
}

impl Event<'_> {
    /// The change of depth: 1 if a container begins, -1 if it ends, otherwise 0.
    pub(crate) fn step(&self) -> i64 {
        match self {
            Self::StartArray(_) | Self::StartMap(_) => 1,
            Self::EndArray | Self::EndMap => -1,
            Self::Scalar(_) | Self::Key(_) => 0,
        }
    }

    /// Whether this event completes a value. `depth` is the sum of [`Event::step`] over its events, including this one.
    pub(crate) fn completes(&self, depth: i64) -> bool {
        depth <= 0 && !matches!(self, Self::Key(_))
    }

    /// The name of the type that the event belongs to.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Scalar(scalar) => scalar.type_name(),
            Self::StartArray(_) | Self::EndArray => "array",
            Self::StartMap(_) | Self::EndMap | Self::Key(_) => "map",
        }
    }
}

impl<'a> From<Scalar<'a>> for Event<'a> {
    #[inline(always)]
    fn from(scalar: Scalar<'a>) -> Self {
        Self::Scalar(scalar)
    }
}

/// A scalar, or the beginning of a container.
impl<'a> From<&'a Value> for Event<'a> {
    fn from(value: &'a Value) -> Self {
        match (value.scalar(), value) {
            (Some(scalar), _) => Self::Scalar(scalar),
            (None, Value::Map(map)) => Self::StartMap(Some(map.len())),
            (None, _) => Self::StartArray(Some(value.len())),
        }
    }
}
