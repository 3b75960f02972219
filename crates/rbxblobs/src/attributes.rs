//! `AttributesSerialize`, and blobs of the same layout: names and values.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing))]

use bstr::{BString, ByteSlice};

use crate::bytes::{Bytes, Layout, put_count, put_floats, put_string};
use crate::error::{Error, Result};

/// Names and values in the file's order, which is mostly that of the names: the bytes of the property
/// `AttributesSerialize`, and of others with the same layout. No bytes are no attributes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Attributes(pub Vec<(BString, Attribute)>);

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(tag = "type", content = "value", rename_all = "snake_case")
)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of Roblox's types")]
pub enum Attribute {
    String(BString),
    Bool(bool),
    Int32(i32),
    Float32(f32),
    Float64(f64),
    /// Only an empty one is known: how elements are stored is not.
    EmptyArray,
    UDim(UDim),
    UDim2([UDim; 2]),
    BrickColor(u32),
    Color3([f32; 3]),
    Vector2([f32; 2]),
    Vector3([f32; 3]),
    CFrame {
        position: [f32; 3],
        /// The number of an axis-aligned rotation, 0 where the matrix is stored.
        rotation_id: u8,
        /// By rows; `None` where `rotation_id` names it.
        rotation: Option<[f32; 9]>,
    },
    Enum {
        name: BString,
        value: u32,
    },
    NumberSequence(Vec<NumberKeypoint>),
    ColorSequence(Vec<ColorKeypoint>),
    NumberRange([f32; 2]),
    /// The smallest and the largest x and y.
    Rect([f32; 4]),
    Font {
        weight: u16,
        style: u8,
        family: BString,
        cached_face: BString,
    },
}

/// A fraction and an offset in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(missing_docs, reason = "the names of Roblox's type")]
pub struct UDim {
    pub scale: f32,
    pub offset: i32,
}

/// A point of a number sequence; here, other than in a property's own column, the envelope is first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(missing_docs, reason = "the names of Roblox's type")]
pub struct NumberKeypoint {
    pub envelope: f32,
    pub time: f32,
    pub value: f32,
}

/// A point of a colour sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(missing_docs, reason = "the names of Roblox's type")]
pub struct ColorKeypoint {
    pub envelope: f32,
    pub time: f32,
    pub color: [f32; 3],
}

impl Layout for Attributes {
    const NAME: &'static str = "attributes";

    /// An unknown type is an error: its values have no length, so nothing after it can be found.
    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        if bytes.left() == 0 {
            return Ok(Self::default());
        }
        let count = bytes.count(5)?;
        let mut attributes = bytes.vec(count)?;
        for _ in 0..count {
            let name = bytes.string()?;
            attributes.push((name, Attribute::read(bytes)?));
        }
        Ok(Self(attributes))
    }
}

impl Attributes {
    /// The bytes of the property; none where there are no attributes.
    ///
    /// # Errors
    /// Where a count does not fit 32 bits, or a CFrame has both a matrix and the number of a rotation,
    /// or neither.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if self.0.is_empty() {
            return Ok(out);
        }
        put_count(&mut out, self.0.len())?;
        for (name, attribute) in &self.0 {
            put_string(&mut out, name)?;
            attribute.write(&mut out)?;
        }
        Ok(out)
    }

    /// The value of a name.
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<&Attribute> {
        self.0.iter().find(|(known, _)| known == name.as_ref()).map(|(_, value)| value)
    }

    /// Sets the value of a name; a new name goes where the order of the names has it.
    pub fn set(&mut self, name: impl AsRef<[u8]>, value: Attribute) {
        let name = name.as_ref().as_bstr();
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => {
                let index = self.0.partition_point(|(known, _)| known.as_bstr() < name);
                self.0.insert(index, (name.to_owned(), value));
            }
        }
    }
}

impl Attribute {
    /// Reads the byte of the type and the value.
    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let udim = |bytes: &mut Bytes<'_>| -> Result<UDim> {
            Ok(UDim { scale: bytes.f32()?, offset: bytes.i32()? })
        };
        Ok(match bytes.u8()? {
            0x02 => Self::String(bytes.string()?),
            0x03 => match bytes.u8()? {
                0 => Self::Bool(false),
                1 => Self::Bool(true),
                other => return Err(bytes.invalid(format!("a bool of {other}"))),
            },
            0x04 => Self::Int32(bytes.i32()?),
            0x05 => Self::Float32(bytes.f32()?),
            0x06 => Self::Float64(f64::from_le_bytes(bytes.array()?)),
            0x07 => match bytes.u32()? {
                0 => Self::EmptyArray,
                _ => return Err(bytes.unsupported("array with elements: their layout is not known")),
            },
            0x09 => Self::UDim(udim(bytes)?),
            0x0a => Self::UDim2([udim(bytes)?, udim(bytes)?]),
            0x0e => Self::BrickColor(bytes.u32()?),
            0x0f => Self::Color3(bytes.floats()?),
            0x10 => Self::Vector2(bytes.floats()?),
            0x11 => Self::Vector3(bytes.floats()?),
            0x14 => {
                let position = bytes.floats()?;
                let rotation_id = bytes.u8()?;
                let rotation = if rotation_id == 0 { Some(bytes.floats()?) } else { None };
                Self::CFrame { position, rotation_id, rotation }
            }
            0x15 => Self::Enum { name: bytes.string()?, value: bytes.u32()? },
            0x17 => {
                let count = bytes.count(12)?;
                let mut keypoints = bytes.vec(count)?;
                for _ in 0..count {
                    let [envelope, time, value] = bytes.floats()?;
                    keypoints.push(NumberKeypoint { envelope, time, value });
                }
                Self::NumberSequence(keypoints)
            }
            0x19 => {
                let count = bytes.count(20)?;
                let mut keypoints = bytes.vec(count)?;
                for _ in 0..count {
                    let [envelope, time] = bytes.floats()?;
                    keypoints.push(ColorKeypoint { envelope, time, color: bytes.floats()? });
                }
                Self::ColorSequence(keypoints)
            }
            0x1b => Self::NumberRange(bytes.floats()?),
            0x1c => Self::Rect(bytes.floats()?),
            0x21 => Self::Font {
                weight: u16::from_le_bytes(bytes.array()?),
                style: bytes.u8()?,
                family: bytes.string()?,
                cached_face: bytes.string()?,
            },
            other => return Err(bytes.unsupported(format!("attribute of type {other:#04x}"))),
        })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(self.type_id());
        match self {
            Self::String(string) => put_string(out, string)?,
            Self::Bool(value) => out.push(u8::from(*value)),
            Self::Int32(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::Float32(value) => put_floats(out, &[*value]),
            Self::Float64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Self::EmptyArray => out.extend_from_slice(&[0; 4]),
            Self::UDim(udim) => put_udim(out, *udim),
            Self::UDim2(udims) => udims.iter().for_each(|udim| put_udim(out, *udim)),
            Self::BrickColor(number) => out.extend_from_slice(&number.to_le_bytes()),
            Self::Color3(floats) | Self::Vector3(floats) => put_floats(out, floats),
            Self::Vector2(floats) | Self::NumberRange(floats) => put_floats(out, floats),
            Self::CFrame { position, rotation_id, rotation } => {
                if rotation.is_some() != (*rotation_id == 0) {
                    let what = "a CFrame that needs either a matrix or the number of a rotation";
                    return Err(Error::unwritable("attributes", what));
                }
                put_floats(out, position);
                out.push(*rotation_id);
                put_floats(out, rotation.as_ref().map_or(&[], |rotation| rotation));
            }
            Self::Enum { name, value } => {
                put_string(out, name)?;
                out.extend_from_slice(&value.to_le_bytes());
            }
            Self::NumberSequence(keypoints) => {
                put_count(out, keypoints.len())?;
                for NumberKeypoint { envelope, time, value } in keypoints {
                    put_floats(out, &[*envelope, *time, *value]);
                }
            }
            Self::ColorSequence(keypoints) => {
                put_count(out, keypoints.len())?;
                for ColorKeypoint { envelope, time, color } in keypoints {
                    put_floats(out, &[*envelope, *time]);
                    put_floats(out, color);
                }
            }
            Self::Rect(floats) => put_floats(out, floats),
            Self::Font { weight, style, family, cached_face } => {
                out.extend_from_slice(&weight.to_le_bytes());
                out.push(*style);
                put_string(out, family)?;
                put_string(out, cached_face)?;
            }
        }
        Ok(())
    }

    fn type_id(&self) -> u8 {
        match self {
            Self::String(_) => 0x02,
            Self::Bool(_) => 0x03,
            Self::Int32(_) => 0x04,
            Self::Float32(_) => 0x05,
            Self::Float64(_) => 0x06,
            Self::EmptyArray => 0x07,
            Self::UDim(_) => 0x09,
            Self::UDim2(_) => 0x0a,
            Self::BrickColor(_) => 0x0e,
            Self::Color3(_) => 0x0f,
            Self::Vector2(_) => 0x10,
            Self::Vector3(_) => 0x11,
            Self::CFrame { .. } => 0x14,
            Self::Enum { .. } => 0x15,
            Self::NumberSequence(_) => 0x17,
            Self::ColorSequence(_) => 0x19,
            Self::NumberRange(_) => 0x1b,
            Self::Rect(_) => 0x1c,
            Self::Font { .. } => 0x21,
        }
    }

    /// The name of the type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Bool(_) => "bool",
            Self::Int32(_) => "int32",
            Self::Float32(_) => "float32",
            Self::Float64(_) => "float64",
            Self::EmptyArray => "empty_array",
            Self::UDim(_) => "u_dim",
            Self::UDim2(_) => "u_dim2",
            Self::BrickColor(_) => "brick_color",
            Self::Color3(_) => "color3",
            Self::Vector2(_) => "vector2",
            Self::Vector3(_) => "vector3",
            Self::CFrame { .. } => "c_frame",
            Self::Enum { .. } => "enum",
            Self::NumberSequence(_) => "number_sequence",
            Self::ColorSequence(_) => "color_sequence",
            Self::NumberRange(_) => "number_range",
            Self::Rect(_) => "rect",
            Self::Font { .. } => "font",
        }
    }

    /// A value of a type from its text: a word, or numbers with commas between them.
    ///
    /// # Errors
    /// Where the text is not of the type, or values of that type have no such text.
    pub fn parse(text: &str, type_name: &str) -> Result<Self> {
        let wrong = || Error::invalid_argument("", format!("{text:?} is not a {type_name}"));
        let floats = |count: usize| -> Result<Vec<f32>> {
            let floats: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
            floats.filter(|floats| floats.len() == count).ok_or_else(wrong)
        };
        let array = |floats: Vec<f32>| floats.try_into().map_err(|_| wrong());
        Ok(match type_name {
            "string" => Self::String(text.into()),
            "bool" => Self::Bool(text.parse().map_err(|_| wrong())?),
            "int32" => Self::Int32(text.parse().map_err(|_| wrong())?),
            "float32" => Self::Float32(text.parse().map_err(|_| wrong())?),
            "float64" => Self::Float64(text.parse().map_err(|_| wrong())?),
            "brick_color" => Self::BrickColor(text.parse().map_err(|_| wrong())?),
            "color3" => Self::Color3(array(floats(3)?)?),
            "vector3" => Self::Vector3(array(floats(3)?)?),
            "vector2" => Self::Vector2(floats(2)?.try_into().map_err(|_| wrong())?),
            "number_range" => Self::NumberRange(floats(2)?.try_into().map_err(|_| wrong())?),
            "rect" => Self::Rect(floats(4)?.try_into().map_err(|_| wrong())?),
            _ => {
                return Err(Error::invalid_argument("", format!("a {type_name} cannot be set from a text")));
            }
        })
    }
}

fn put_udim(out: &mut Vec<u8>, UDim { scale, offset }: UDim) {
    put_floats(out, &[scale]);
    out.extend_from_slice(&offset.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_slice;

    /// The values of rbx-dom's documentation, as they are in real files.
    #[test]
    fn values_of_real_files() {
        let float = |bytes: [u8; 4]| f32::from_le_bytes(bytes);
        let cases: &[(&[u8], Attribute)] = &[
            (b"\x02\x0d\0\0\0Hello, world!", Attribute::String("Hello, world!".into())),
            (b"\x03\x01", Attribute::Bool(true)),
            (b"\x04\x03\0\0\0", Attribute::Int32(3)),
            (b"\x05\0\0\x80\x3f", Attribute::Float32(1.0)),
            (b"\x06\0\0\0\0\x80\x1c\xc8\x40", Attribute::Float64(12345.0)),
            (b"\x09\0\0\0\x3f\x64\0\0\0", Attribute::UDim(UDim { scale: 0.5, offset: 100 })),
            (b"\x0e\xec\x03\0\0", Attribute::BrickColor(1004)),
            (
                b"\x0f\xa3\xa2\x22\x3f\0\0\0\0\0\0\x80\x3f",
                Attribute::Color3([float([0xa3, 0xa2, 0x22, 0x3f]), 0.0, 1.0]),
            ),
            (b"\x10\0\0\x20\x41\0\0\x48\x42", Attribute::Vector2([10.0, 50.0])),
            (b"\x11\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", Attribute::Vector3([1.0, 2.0, 3.0])),
            (
                b"\x14\0\0\0\0\0\0\0\0\0\0\0\0\x02",
                Attribute::CFrame { position: [0.0; 3], rotation_id: 2, rotation: None },
            ),
            (b"\x1b\0\0\xa0\x40\0\0\x20\x41", Attribute::NumberRange([5.0, 10.0])),
        ];
        for (bytes, value) in cases {
            let blob = [b"\x01\0\0\0\x01\0\0\0A".as_slice(), bytes].concat();
            let read = from_slice::<Attributes>(&blob).expect("readable");
            assert_eq!(read.0, [("A".into(), value.clone())]);
            assert_eq!(read.to_vec().expect("written"), blob);
            let cut = &blob[..blob.len() - 1];
            assert!(from_slice::<Attributes>(cut).is_err(), "{value:?} cut");
        }
        // The blob of `folder-with-enum-attribute`.
        let blob = b"\x01\0\0\0\x0b\0\0\0AnEnumValue\x15\x08\0\0\0Material\0\x02\0\0";
        let read = from_slice::<Attributes>(blob).expect("readable");
        let value = Attribute::Enum { name: "Material".into(), value: 512 };
        assert_eq!(read.get("AnEnumValue"), Some(&value));
        assert_eq!(read.to_vec().expect("written"), blob);
    }

    #[test]
    fn what_cannot_be_read() {
        for (bytes, error) in [
            (&b"\x01\0\0\0"[..], "a count of 1 for 0 bytes in attributes at offset 0x4"),
            (b"\x01\0\0\0\0\0\0\0\x08", "unsupported attribute of type 0x08 in attributes at offset 0x9"),
            (b"\xff\xff\xff\xff\0\0\0\0", "a count of 4294967295 for 4 bytes in attributes at offset 0x4"),
            (b"\x01\0\0\0\0\0\0\0\x03\x01!", "1 more bytes than expected in attributes at offset 0xa"),
        ] {
            assert_eq!(from_slice::<Attributes>(bytes).expect_err("broken").to_string(), error);
        }
    }

    #[test]
    fn setting_keeps_the_order_of_names() {
        let mut attributes = Attributes::default();
        assert!(attributes.to_vec().expect("written").is_empty());
        for name in ["b", "a", "c", "b"] {
            attributes.set(name, Attribute::Bool(true));
        }
        let names: Vec<_> = attributes.0.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
