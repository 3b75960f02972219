//! Chunk `MTRL`: a material.
//!
//! | size | what |
//! |---|---|
//! | `si_t` | name |
//! | each property | 1 byte which, then its value |
//!
//! A property of 128 and more has a `si_t`, the name of a texture. Of one below that which nobody
//! knows the length is unknown too: the rest of the chunk is kept as it is.

use bstr::ByteSlice;
use nom::number::complete::{le_f32, le_u8};

use super::fail::{At, Here, Parsed};
use super::reader::Reader;
use super::writer::Writer;
use crate::consts::{PropertyId, PropertyKind};
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{Material, Property, Value};

impl<'a> Reader<'a> {
    pub(crate) fn read_material(&mut self, data: &'a [u8]) -> Parsed<'a, Material> {
        let (mut input, name) = self.name(data).field("name")?;
        let mut properties = Vec::new();
        while !input.is_empty() {
            let (rest, property) =
                self.read_property_of_material(input).index(properties.len()).field("properties")?;
            push(&mut properties, property, &mut self.budget).here(input).field("properties")?;
            input = rest;
        }
        Ok((input, Material { name, properties }))
    }

    fn read_property_of_material(&mut self, start: &'a [u8]) -> Parsed<'a, Property> {
        let (input, id) = le_u8(start).field("id")?;
        let id = PropertyId(id);
        let (input, value) = match id.kind() {
            Some(PropertyKind::Color) => self.color(input).map(|(input, color)| (input, Value::Color(color))),
            Some(PropertyKind::Float) => le_f32(input).map(|(input, value)| (input, Value::Float(value))),
            Some(PropertyKind::Byte) => le_u8(input).map(|(input, value)| (input, Value::Byte(value))),
            Some(PropertyKind::Map) => self.name(input).map(|(input, name)| (input, Value::Map(name))),
            None => {
                let (rest, end) = input.split_at(input.len());
                Ok((end, Value::Other(self.budget.copy(rest).here(input)?)))
            }
        }
        .field("value")?;
        Ok((input, Property { id, value }))
    }
}

impl Writer<'_> {
    pub(crate) fn write_material(&mut self, material: &Material) -> Result<()> {
        self.name(material.name.as_bstr());
        let last = material.properties.len().saturating_sub(1);
        for (index, Property { id, value }) in material.properties.iter().enumerate() {
            self.put(&[id.0]);
            let what = match (id.kind(), value) {
                (Some(PropertyKind::Color), &Value::Color(color)) => {
                    self.color(color);
                    continue;
                }
                (Some(PropertyKind::Float), Value::Float(value)) => {
                    self.put(&value.to_le_bytes());
                    continue;
                }
                (Some(PropertyKind::Byte), &Value::Byte(value)) => {
                    self.put(&[value]);
                    continue;
                }
                (Some(PropertyKind::Map), Value::Map(name)) => {
                    self.name(name.as_bstr());
                    continue;
                }
                (None, Value::Other(bytes)) if index == last => {
                    self.put(bytes);
                    continue;
                }
                (None, Value::Other(_)) => "an unknown property that is not the last: its bytes have no end",
                (None, _) => "a value of a property that is not known",
                (Some(_), _) => "a value of another kind than the property has",
            };
            return Err(Error::unwritable(format!("properties[{index}]"), what));
        }
        Ok(())
    }
}
