//! Section `Material` with its name: properties, one a row.
//!
//! | row | what |
//! |---|---|
//! | `key #AABBGGRR` | a colour |
//! | `key number` | a number |
//! | `map_key name` | a texture |
//! | `@id name` | ours: a texture of a property that nobody knows |
//! | `@id #bytes` | ours: a property that nobody knows, as bytes |

use super::name::Place;
use super::number;
use super::reader::{Reader, Section};
use super::token::{self, expected, line_end, rows};
use super::writer::Writer;
use crate::consts::{PropertyId, PropertyKind};
use crate::error::Result;
use crate::model::{Material, Property, Value};
use crate::wire::fail::{At, Parsed};

impl Section for Material {
    fn read<'a>(reader: &mut Reader, head: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let (_, name) = reader.rest(head).field("name")?;
        let mut material = Self { name, properties: Vec::new() };
        let (rest, ()) = rows(input, |start| {
            let read = reader.read_property(start);
            reader.add(&mut material.properties, read).field("properties")
        })?;
        Ok((rest, material))
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        writer.head(&self.name);
        for (index, property) in self.properties.iter().enumerate() {
            writer.property(property).index(index).field("properties")?;
        }
        Ok(())
    }
}

impl Reader {
    fn read_property<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, Property> {
        const WHAT: &str = "a property of a material, as `Kd` or `map_Kd`";
        let (input, key) = token::token(start, WHAT)?;
        if let Some(id) = key.strip_prefix(b"@") {
            self.layout.extensions = true;
            let (_, id) = token::ranged(id, 0..=255, "the number of a property, 0 to 255")?;
            let id = PropertyId(u8::try_from(id).unwrap_or(0));
            if let [b'#', bytes @ ..] = token::skip_blanks(input) {
                if id.kind().is_some() {
                    return Err(expected(start, "the number of a property that nobody knows"));
                }
                let mut value = Vec::new();
                let (rest, ()) = token::bytes(bytes, &mut value, &mut self.budget)?;
                return Ok((rest, Property { id, value: Value::Other(value) }));
            }
            if id.kind() != Some(PropertyKind::Map) {
                return Err(expected(token::skip_blanks(input), "`#` and bytes"));
            }
            let (rest, name) = self.rest(input)?;
            return Ok((rest, Property { id, value: Value::Map(name) }));
        }
        // The SDK also wrote `map_map_N`.
        let short = key.strip_prefix(b"map_").filter(|rest| rest.starts_with(b"map_")).unwrap_or(key);
        let Some(id) = std::str::from_utf8(short).ok().and_then(PropertyId::from_key) else {
            return Err(expected(start, WHAT));
        };
        let (rest, value) = self.read_value(id, input).field("value")?;
        Ok((rest, Property { id, value }))
    }

    fn read_value<'a>(&mut self, id: PropertyId, input: &'a [u8]) -> Parsed<'a, Value> {
        let (rest, value) = match id.kind() {
            Some(PropertyKind::Map) => return self.rest(input).map(|(rest, it)| (rest, Value::Map(it))),
            Some(PropertyKind::Color) => token::color(input).map(|(rest, it)| (rest, Value::Color(it))),
            Some(PropertyKind::Byte) => token::ranged(input, 0..=255, "a number of 0 to 255")
                .map(|(rest, it)| (rest, Value::Byte(u8::try_from(it).unwrap_or(0)))),
            _ => number::read_f32(input, "a number").map(|(rest, it)| (rest, Value::Float(it))),
        }?;
        Ok((line_end(rest)?.0, value))
    }
}

impl Writer<'_> {
    fn property(&mut self, property: &Property) -> Result<()> {
        property.writable()?;
        let Property { id, value } = property;
        match id.key() {
            Some(key) => self.put(key),
            None => {
                self.extension("a property without a keyword")?;
                self.put("@");
                self.unsigned(id.0.into());
            }
        }
        self.put(" ");
        match value {
            // The SDK stops where the name is missing. Without a key, what begins with a sign would be bytes.
            Value::Map(name) if name.is_empty() || id.key().is_none() => self.string(name, Place::Row),
            Value::Map(name) => self.string(name, Place::Rest),
            Value::Color(color) => self.color(*color),
            Value::Float(number) => self.f32(*number),
            Value::Byte(number) => self.unsigned((*number).into()),
            Value::Other(bytes) => self.hex_row(bytes),
        }
        self.line();
        Ok(())
    }
}
