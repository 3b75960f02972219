//! The properties of chunk `MTRL`: 1 byte which, then its value.
//!
//! A property of 128 and more has a `si_t`, the name of a texture. Of one below that which nobody
//! knows the length is unknown too: the rest of the chunk is kept as it is.

use bstr::BString;
use geom::Rgba8;

use super::fail::{At, Parsed};
use super::reader::Reader;
use super::record::Field;
use super::sink::Sink;
use crate::consts::{PropertyId, PropertyKind, Types};
use crate::error::Result;
use crate::model::{Property, Value};

impl Field for Property {
    fn least(_: Types) -> usize {
        1
    }

    fn read<'a>(reader: &mut Reader<'a>, input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, id) = u8::read(reader, input).field("id")?;
        let id = PropertyId(id);
        let (input, value) = match id.kind() {
            Some(PropertyKind::Color) => {
                Rgba8::read(reader, input).map(|(rest, it)| (rest, Value::Color(it)))
            }
            Some(PropertyKind::Float) => f32::read(reader, input).map(|(rest, it)| (rest, Value::Float(it))),
            Some(PropertyKind::Byte) => u8::read(reader, input).map(|(rest, it)| (rest, Value::Byte(it))),
            Some(PropertyKind::Map) => BString::read(reader, input).map(|(rest, it)| (rest, Value::Map(it))),
            None => Vec::read(reader, input).map(|(rest, it)| (rest, Value::Other(it))),
        }
        .field("value")?;
        Ok((input, Self { id, value }))
    }

    fn write<'m>(&'m self, sink: &mut impl Sink<'m>) -> Result<()> {
        sink.put(&[self.id.0]);
        self.writable()?;
        match &self.value {
            Value::Color(value) => value.write(sink),
            Value::Float(value) => value.write(sink),
            Value::Byte(value) => value.write(sink),
            Value::Map(value) => value.write(sink),
            Value::Other(value) => value.write(sink),
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.value, Value::Other(_))
    }
}
