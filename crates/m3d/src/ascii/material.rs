//! Section `Material`, with the material's name: one property per row.
//!
//! | row | what |
//! |---|---|
//! | `key #AABBGGRR` | a colour |
//! | `key number` | a number |
//! | `map_key name` | a texture |

use super::name::Place;
use super::reader::{Read, Reader, Section};
use super::token::expected;
use super::writer::Writer;
use crate::consts::{PropertyId, PropertyKind};
use crate::model::{Material, Property, Value};
use geom::wire::{At, Result};

impl Section for Material {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        self.name = reader.rest().field("name")?;
        while reader.row() {
            reader.entry(&mut self.properties, read_property).field("properties")?;
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.head(&self.name);
        for (index, property) in self.properties.iter().enumerate() {
            writer.property(property).index(index).field("properties")?;
        }
        Ok(())
    }
}

fn read_property<'a>(reader: &mut Reader<'a>) -> Read<'a, Property> {
    const WHAT: &str = "a material property such as `Kd` or `map_Kd`";
    let start = reader.input;
    let key = reader.token(WHAT)?;
    // The SDK also wrote `map_map_N`.
    let short = key.strip_prefix(b"map_").filter(|rest| rest.starts_with(b"map_")).unwrap_or(key);
    let Some(id) = std::str::from_utf8(short).ok().and_then(PropertyId::from_key) else {
        return Err(expected(start, WHAT));
    };
    let value = match id.kind() {
        Some(PropertyKind::Map) => {
            return Ok(Property { id, value: Value::Map(reader.rest().field("value")?) });
        }
        Some(PropertyKind::Color) => reader.color().map(Value::Color),
        Some(PropertyKind::Byte) => reader.int(0..=255, "a whole number from 0 to 255").map(Value::Byte),
        _ => reader.number("a number").map(|number| Value::Float(number.float)),
    };
    let value = value.field("value")?;
    reader.line_end().field("value")?;
    Ok(Property { id, value })
}

impl Writer<'_> {
    fn property(&mut self, property: &Property) -> Result<()> {
        property.writable()?;
        let Property { id, value } = property;
        self.keyword(id.key(), "an unknown material property")?;
        self.put(" ");
        match value {
            // The SDK stops if the name is missing.
            Value::Map(name) if name.is_empty() => self.string(name, Place::Row),
            Value::Map(name) => self.string(name, Place::Rest),
            Value::Color(color) => self.color(*color),
            Value::Float(number) => self.f32(*number),
            Value::Byte(number) => self.unsigned((*number).into()),
            // A property with a keyword has a known value.
            Value::Other(_) => {}
        }
        self.line();
        Ok(())
    }
}
