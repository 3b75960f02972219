//! Keys of maps: text, and scalars with a plain text form.

use serde::ser::{self, Impossible, Serialize};

use geom::wire::{Error, Result};

/// A serializer that returns the bytes of a key.
pub(super) struct KeyText;

fn no_key<T>(what: &str) -> Result<T> {
    Err(Error::unwritable(
        "",
        format!("{what} as a map key (expected a string, a number, a boolean or a unit variant)"),
    ))
}

macro_rules! plain {
    ($($method:ident: $kind:ty),+) => {$(
        fn $method(self, value: $kind) -> Result<Vec<u8>> {
            Ok(value.to_string().into_bytes())
        }
    )+};
}

/// A value that cannot be a key.
macro_rules! no {
    ($($what:literal $(-> $compound:ident)?: $method:ident($($name:ident: $type:ty),*)),+) => {$(
        fn $method(self, $($name: $type),*) -> no!(@result $($compound)?) {
            no_key($what)
        }
    )+};
    (@result) => { Result<Vec<u8>> };
    (@result $compound:ident) => { Result<Self::$compound> };
}

impl ser::Serializer for KeyText {
    type Ok = Vec<u8>;
    type Error = Error;
    type SerializeSeq = Impossible<Vec<u8>, Error>;
    type SerializeTuple = Impossible<Vec<u8>, Error>;
    type SerializeTupleStruct = Impossible<Vec<u8>, Error>;
    type SerializeTupleVariant = Impossible<Vec<u8>, Error>;
    type SerializeMap = Impossible<Vec<u8>, Error>;
    type SerializeStruct = Impossible<Vec<u8>, Error>;
    type SerializeStructVariant = Impossible<Vec<u8>, Error>;

    plain! {
        serialize_bool: bool,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str
    }

    no! {
        "`None`": serialize_none(),
        "a unit": serialize_unit(),
        "a unit struct": serialize_unit_struct(_name: &'static str),
        "a sequence" -> SerializeSeq: serialize_seq(_len: Option<usize>),
        "a tuple" -> SerializeTuple: serialize_tuple(_len: usize),
        "a tuple" -> SerializeTupleStruct: serialize_tuple_struct(_name: &'static str, _len: usize),
        "a variant with content" -> SerializeTupleVariant:
            serialize_tuple_variant(_name: &'static str, _index: u32, _variant: &'static str, _len: usize),
        "a map" -> SerializeMap: serialize_map(_len: Option<usize>),
        "a struct" -> SerializeStruct: serialize_struct(_name: &'static str, _len: usize),
        "a variant with content" -> SerializeStructVariant:
            serialize_struct_variant(_name: &'static str, _index: u32, _variant: &'static str, _len: usize)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Vec<u8>> {
        Ok(value.to_vec())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<u8>> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Vec<u8>> {
        Ok(variant.as_bytes().to_vec())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Vec<u8>> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<Vec<u8>> {
        no_key("a variant with content")
    }
}
