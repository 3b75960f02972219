//! Values of LLSD in serde. The serializer and deserializer of this crate keep every type; with others, values have
//! the nearest form that serde has.

use std::cell::RefCell;
use std::fmt;

use ::serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Serialize, Serializer};

use crate::consts::MAX_SERDE_DEPTH;
use crate::model::{Array, Binary, Date, Map, Text, Uri, Uuid, Value};
use crate::text::{date, unlike, uuid};

/// Names of newtypes by which the serializer and deserializer of this crate recognize its types. Others treat them as
/// ordinary newtypes.
pub(crate) const UUID: &str = "$llsd::Uuid";
pub(crate) const DATE: &str = "$llsd::Date";
pub(crate) const URI: &str = "$llsd::Uri";
pub(crate) const TEXT: &str = "$llsd::Text";
pub(crate) const VALUE: &str = "$llsd::Value";

thread_local! {
    /// A value that the deserializer of this crate passes to `Value`: serde has no way to pass one.
    static HANDED: RefCell<Option<Value>> = const { RefCell::new(None) };
}

/// Stores a value in `HANDED` while `then` runs.
pub(crate) fn hand_over<T>(value: Value, then: impl FnOnce() -> T) -> T {
    HANDED.set(Some(value));
    let result = then();
    HANDED.take();
    result
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.serialize_newtype_struct(TEXT, &Bytes(self.as_bytes())),
        }
    }
}

/// Serializes a slice as bytes, not as a sequence, which is serde's default.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Reads text or bytes in any of the forms in which formats store them.
struct AnyBytes(&'static str);

impl<'de> Visitor<'de> for AnyBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }

    fn visit_string<E>(self, text: String) -> Result<Vec<u8>, E> {
        Ok(text.into_bytes())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Vec<u8>, A::Error> {
        let mut all = Vec::new();
        while let Some(byte) = bytes.next_element()? {
            all.push(byte);
        }
        Ok(all)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Vec<u8>, D::Error> {
        inner.deserialize_any(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_string(AnyBytes("a string")).map(Self::from)
    }
}

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(AnyBytes("bytes")).map(Self)
    }
}

impl Serialize for Uri {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(URI, &self.0)
    }
}

/// Reads a newtype, or its content alone if the format does not keep newtypes.
macro_rules! newtype {
    ($type:ident, $name:ident, $expecting:literal, $inner:expr) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Newtype;

                impl<'de> Visitor<'de> for Newtype {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<$type, D::Error> {
                        let read: fn(D) -> Result<$type, D::Error> = $inner;
                        read(inner)
                    }
                }

                deserializer.deserialize_newtype_struct($name, Newtype)
            }
        }
    };
}

newtype!(Uri, URI, "a URI", |inner| Text::deserialize(inner).map(Uri));
newtype!(Uuid, UUID, "a UUID", |inner| match inner.is_human_readable() {
    true => inner.deserialize_any(Scalar("a UUID")).and_then(Scalar::uuid),
    false => inner.deserialize_bytes(Scalar("a UUID")).and_then(Scalar::uuid),
});
newtype!(Date, DATE, "a date", |inner| match inner.is_human_readable() {
    true => inner.deserialize_any(Scalar("a date")).and_then(Scalar::date),
    false => inner.deserialize_f64(Scalar("a date")).and_then(Scalar::date),
});

impl Serialize for Uuid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.serialize_newtype_struct(UUID, &self.to_string()),
            false => serializer.serialize_newtype_struct(UUID, &Bytes(&self.0)),
        }
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_string();
        // A date without a text form, or whose text is read back as other bits, is written as a number.
        let exact = text.parse().is_ok_and(|date: Self| date.0.to_bits() == self.0.to_bits());
        match serializer.is_human_readable() && exact {
            true => serializer.serialize_newtype_struct(DATE, &text),
            false => serializer.serialize_newtype_struct(DATE, &self.0),
        }
    }
}

/// A UUID or a date in the form that a format stores.
enum Found {
    Bytes(Vec<u8>),
    Number(f64),
}

struct Scalar(&'static str);

impl Scalar {
    fn uuid<E: de::Error>(found: Found) -> Result<Uuid, E> {
        let bytes = match found {
            Found::Bytes(bytes) => bytes,
            Found::Number(number) => {
                return Err(E::custom(format_args!("expected a UUID, found the number {number}")));
            }
        };
        if let Ok(bytes) = bytes.as_slice().try_into() {
            return Ok(Uuid(bytes));
        }
        uuid::parse(&bytes).map(Uuid).ok_or_else(|| E::custom(unlike(uuid::FORM, &bytes)))
    }

    fn date<E: de::Error>(found: Found) -> Result<Date, E> {
        match found {
            Found::Number(secs) => Ok(Date(secs)),
            Found::Bytes(text) => {
                date::parse(&text, true).map(Date).ok_or_else(|| E::custom(unlike(date::FORM, &text)))
            }
        }
    }
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<Found, E> {
        Ok(Found::Bytes(text.as_bytes().to_vec()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Found, E> {
        Ok(Found::Bytes(bytes.to_vec()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Found, E> {
        Ok(Found::Number(number))
    }

    #[allow(clippy::cast_precision_loss, reason = "seconds: years in the billions")]
    fn visit_i64<E>(self, number: i64) -> Result<Found, E> {
        Ok(Found::Number(number as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "seconds: years in the billions")]
    fn visit_u64<E>(self, number: u64) -> Result<Found, E> {
        Ok(Found::Number(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, bytes: A) -> Result<Found, A::Error> {
        AnyBytes(self.0).visit_seq(bytes).map(Found::Bytes)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Undef => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i32(*value),
            Self::Real(value) => serializer.serialize_f64(*value),
            Self::Uuid(value) => value.serialize(serializer),
            Self::String(value) => value.serialize(serializer),
            Self::Date(value) => value.serialize(serializer),
            Self::Uri(value) => value.serialize(serializer),
            Self::Binary(value) => value.serialize(serializer),
            Self::Array(value) => value.serialize(serializer),
            Self::Map(value) => value.serialize(serializer),
        }
    }
}

thread_local! {
    /// The current nesting depth of serialization.
    static DEPTH: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Runs `then` one container deeper; fails beyond the maximum depth for serde.
fn deeper<T, E: serde::ser::Error>(then: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let depth = DEPTH.get();
    if depth >= MAX_SERDE_DEPTH {
        return Err(E::custom(
            "arrays and maps are nested more than 256 levels deep (the maximum with serde)",
        ));
    }
    DEPTH.set(depth + 1);
    let result = then();
    DEPTH.set(depth);
    result
}

impl Serialize for Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        deeper(|| serializer.collect_seq(self))
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        deeper(|| serializer.collect_map(self.iter().map(|(key, value)| (key, value))))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AnyValue(0).deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Array {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Array(array) => Ok(array),
            other => Err(de::Error::custom(format_args!(
                "expected an array, found a value of type {}",
                other.type_name()
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(AnyValue(0))? {
            Value::Map(map) => Ok(map),
            other => Err(de::Error::custom(format_args!(
                "expected a map, found a value of type {}",
                other.type_name()
            ))),
        }
    }
}

/// Reads a value from any form that a format stores. Has the number of containers around it.
#[derive(Clone, Copy)]
struct AnyValue(u32);

impl AnyValue {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        match self.0 < MAX_SERDE_DEPTH {
            true => Ok(Self(self.0 + 1)),
            false => Err(E::custom(
                "arrays and maps are nested more than 256 levels deep (the maximum with serde)",
            )),
        }
    }
}

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE, self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an LLSD value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        match HANDED.take() {
            Some(value) => Ok(value),
            None => inner.deserialize_any(self),
        }
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Undef)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Undef)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        self.deserialize(inner)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.visit_i128(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.visit_i128(value.into())
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        match i32::try_from(value) {
            Ok(value) => Ok(value.into()),
            // A real of 2^127 saturates when it is converted back, so that the largest value would seem exact.
            Err(_) if value == value as f64 as i128 && value != i128::MAX => Ok((value as f64).into()),
            Err(_) => Err(E::custom(format_args!(
                "expected a number that a 32-bit integer or a real represents exactly, found {value}"
            ))),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut array = Array::new();
        while let Some(value) = values.next_element_seed(inner)? {
            array.push(value);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut all: Vec<(Text, Value)> = Vec::new();
        while let Some(key) = entries.next_key()? {
            all.push((key, entries.next_value_seed(inner)?));
        }
        Ok(all.into_iter().collect::<Map>().into())
    }
}
