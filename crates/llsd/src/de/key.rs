//! Keys of maps and names of variants: text, from which numbers are read if a type requires them.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use serde::de::value::{StrDeserializer, UnitDeserializer};
use serde::de::{self, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::de::visit::{bytes, text};
use crate::model::Value;
use crate::model::serde::{VALUE, hand_over};
use geom::wire::{Error, Result};

/// A key.
pub(super) struct Key<'de>(pub(super) Cow<'de, BStr>);

impl Key<'_> {
    fn parse<T: std::str::FromStr>(&self, expected: &dyn de::Expected) -> Result<T> {
        let parsed = self.0.to_str().ok().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| Error::invalid_value(Unexpected::Bytes(&self.0), expected))
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident),+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let value = self.parse(&visitor)?;
            visitor.$visit(value)
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Key<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        text(self.0, visitor)
    }

    parsed! {
        deserialize_bool visit_bool,
        deserialize_i8 visit_i8, deserialize_i16 visit_i16, deserialize_i32 visit_i32,
        deserialize_i64 visit_i64, deserialize_i128 visit_i128,
        deserialize_u8 visit_u8, deserialize_u16 visit_u16, deserialize_u32 visit_u32,
        deserialize_u64 visit_u64, deserialize_u128 visit_u128,
        deserialize_f32 visit_f32, deserialize_f64 visit_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match name {
            VALUE => {
                let value = Value::String(self.0.into());
                hand_over(value, || visitor.visit_newtype_struct(UnitDeserializer::new()))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let name = self.0.to_str().map_err(|_| Error::invalid_value(Unexpected::Bytes(&self.0), &visitor))?;
        visitor.visit_enum(StrDeserializer::new(name))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        bytes(self.0, visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
