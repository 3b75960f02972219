//! Conversions from Rust types to values.

use crate::model::{Array, Binary, Date, Map, Text, Uri, Uuid, Value};

macro_rules! from {
    ($($kind:ty: |$value:ident| $into:expr),+ $(,)?) => {$(
        impl From<$kind> for Value {
            #[inline]
            fn from($value: $kind) -> Self {
                $into
            }
        }
    )+};
}

from! {
    bool: |value| Self::Boolean(value),
    i8: |value| Self::Integer(value.into()),
    i16: |value| Self::Integer(value.into()),
    u16: |value| Self::Integer(value.into()),
    i32: |value| Self::Integer(value),
    f32: |value| Self::Real(value.into()),
    f64: |value| Self::Real(value),
    Uuid: |value| Self::Uuid(value),
    Date: |value| Self::Date(value),
    std::time::SystemTime: |value| Self::Date(value.into()),
    Uri: |value| Self::Uri(value),
    Binary: |value| Self::Binary(value),
    Vec<u8>: |value| Self::Binary(Binary(value)),
    &[u8]: |value| Self::Binary(Binary(value.to_vec())),
    &str: |value| Self::String(value.into()),
    String: |value| Self::String(value.into()),
    &String: |value| Self::String(value.into()),
    Text: |value| Self::String(value),
    bstr::BString: |value| Self::String(value.into()),
    &bstr::BStr: |value| Self::String(value.into()),
    Array: |value| Self::Array(value),
    Map: |value| Self::Map(value),
    &[Value]: |value| Self::Array(value.to_vec().into()),
    Vec<Value>: |value| Self::Array(value.into()),
    (): |_nothing| Self::Undef,
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Undef, Into::into)
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(values: [V; N]) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

/// A vector, a slice or an array of bytes becomes a binary, not an array of integers.
impl<const N: usize> From<[u8; N]> for Value {
    fn from(bytes: [u8; N]) -> Self {
        Self::Binary(Binary(bytes.to_vec()))
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Self {
        Self::Binary(Binary(bytes.to_vec()))
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::Array(values.into_iter().collect())
    }
}
