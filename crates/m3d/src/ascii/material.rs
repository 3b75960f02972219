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
use super::reader::Reader;
use super::token::{self, expected, line_end, row};
use super::writer::Writer;
use crate::consts::{PropertyId, PropertyKind};
use crate::error::{Error, Result};
use crate::list::push;
use crate::model::{Material, Property, Value};
use crate::wire::fail::{At, Here, Parsed};

impl Reader {
    /// Section `Material`.
    pub(crate) fn read_material<'a>(&mut self, head: &'a [u8], mut input: &'a [u8]) -> Parsed<'a, ()> {
        let (_, name) = self.rest(head).field("name")?;
        let mut material = Material { name, properties: Vec::new() };
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    push(&mut self.model.materials, material, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            let (rest, property) =
                self.read_property(start).index(material.properties.len()).field("properties")?;
            push(&mut material.properties, property, &mut self.budget).here(start)?;
            input = rest;
        }
    }

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
        let field = id.key().unwrap_or_default();
        let (rest, value) = match id.kind() {
            Some(PropertyKind::Map) => {
                let (rest, name) = self.rest(input).field(field)?;
                return Ok((rest, Property { id, value: Value::Map(name) }));
            }
            Some(PropertyKind::Color) => {
                token::color(input).field(field).map(|(rest, color)| (rest, Value::Color(color)))?
            }
            Some(PropertyKind::Byte) => {
                let (rest, number) = token::ranged(input, 0..=255, "a number of 0 to 255").field(field)?;
                (rest, Value::Byte(u8::try_from(number).unwrap_or(0)))
            }
            _ => number::read_f32(input, "a number")
                .field(field)
                .map(|(rest, number)| (rest, Value::Float(number)))?,
        };
        Ok((line_end(rest).field(field)?.0, Property { id, value }))
    }
}

impl Writer<'_> {
    /// Section `Material`.
    pub(crate) fn write_material(&mut self, material: &Material, place: usize) -> Result<()> {
        for (index, Property { id, value }) in material.properties.iter().enumerate() {
            match id.key() {
                Some(key) => self.put(key),
                None => {
                    self.extension(
                        || format!("materials[{place}].properties[{index}]"),
                        "a property without a keyword",
                    )?;
                    self.put("@");
                    self.unsigned(id.0.into());
                }
            }
            match (value, id.kind()) {
                (Value::Map(name), Some(PropertyKind::Map)) => {
                    // What begins with a sign would be bytes.
                    if !name.is_empty() && id.key().is_none() {
                        self.put(" ");
                        self.string(name, Place::Row);
                    } else {
                        self.rest(name);
                    }
                }
                (Value::Color(color), Some(PropertyKind::Color)) => {
                    self.put(" ");
                    self.color(*color);
                }
                (Value::Float(number), Some(PropertyKind::Float)) => {
                    self.put(" ");
                    self.f32(*number);
                }
                (Value::Byte(number), Some(PropertyKind::Byte)) => {
                    self.put(" ");
                    self.unsigned((*number).into());
                }
                (Value::Other(bytes), None) => {
                    self.put(" ");
                    self.hex_row(bytes);
                }
                _ => {
                    return Err(Error::unwritable(
                        format!("materials[{place}].properties[{index}]"),
                        "a value of another kind than its property has",
                    ));
                }
            }
            self.line();
        }
        Ok(())
    }

    /// `#` and all bytes in one row.
    pub(crate) fn hex_row(&mut self, bytes: &[u8]) {
        use std::io::Write as _;
        self.put("#");
        for byte in bytes {
            // Writing into a vector cannot fail.
            let _infallible = write!(self.out, "{byte:02x}");
        }
    }
}
