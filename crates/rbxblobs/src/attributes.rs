//! `AttributesSerialize`, and other properties with the same layout: names and values.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bstr::{BString, ByteSlice};
use rbxcore::geom::{Mat3, Vec2, Vec3};
use rbxcore::parts::attributes::{MAX_DEPTH, Type};
use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
    CustomPhysicalProperties, Faces, Font, FontStyle, Kind, NumberRange, NumberSequence,
    NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, Value,
    ValueRef, Vector2int16, Vector3int16, rotation,
};

use crate::bytes::{Bytes, Layout, put_count, put_floats, put_string};
use crate::field::{Field, records};
use geom::wire::{Error, ErrorKind, Result};

/// Names and values in the order of the file, mostly sorted by name: the bytes of the property
/// `AttributesSerialize`, and of others with the same layout. An empty property has no attributes.
///
/// The length of a value of an unknown type is not known, so the entries after it cannot be read: the last entry is
/// then an [`Attribute::Unknown`] with all the bytes that follow.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Attributes(pub Vec<(BString, Attribute)>);

/// The value of an attribute.
///
/// The types that properties also have are a [`Value`]. Of these, attributes store: `String`, `Bool`, `Int32`, `Float32`,
/// `Float64`, `UDim`, `UDim2`, `Ray`, `Faces`, `Axes`, `BrickColor`, `Color3`, `Color3uint8`, `Vector2`, `Vector3`,
/// `Vector2int16`, `Vector3int16`, `CFrame`, `NumberSequence`, `ColorSequence`, `NumberRange`, `Rect`,
/// `PhysicalProperties` that are not the default, `Font` and `SecurityCapabilities`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names of Roblox's types")]
pub enum Attribute {
    /// No value: a hole in an array.
    Nil,
    Array(Vec<Self>),
    Table(Vec<(BString, Self)>),
    Enum(EnumItem),
    /// The smallest and the largest corner.
    Region3([Vec3; 2]),
    /// The smallest and the largest corner.
    Region3int16([Vector3int16; 2]),
    /// The position, and the left and the right tangent.
    Path2DControlPoint([UDim2; 3]),
    TweenInfo(TweenInfo),
    /// The referent of an instance in the same binary file; -1 for none. In XML, a property of type `Ref` has the
    /// reference instead; its name is `__attrRef_` and the name of the attribute.
    Ref(i32),
    /// A CFrame along the axes whose rotation is stored as a matrix. Roblox stores the id of such a rotation, and so does
    /// a [`Value::CFrame`].
    Matrix(Box<CFrame>),
    /// A value of an unknown type, with all bytes after its type.
    Unknown(Unknown),
    /// A type that properties also have.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Value(Value),
}

/// Whether attributes can have values of a type.
pub(crate) fn has(kind: Kind) -> bool {
    Type::of_kind(kind).is_some()
}

impl Attribute {
    /// The number of the type; `None` for a value of a type that only properties have.
    pub fn type_id(&self) -> Option<u8> {
        let of = match self {
            Self::Nil => Type::Nil,
            Self::Array(_) => Type::Array,
            Self::Table(_) => Type::Table,
            Self::Matrix(_) => Type::CFrame,
            Self::Enum(_) => Type::Enum,
            Self::Region3(_) => Type::Region3,
            Self::Region3int16(_) => Type::Region3int16,
            Self::Path2DControlPoint(_) => Type::Path2DControlPoint,
            Self::TweenInfo(_) => Type::TweenInfo,
            Self::Ref(_) => Type::Ref,
            Self::Unknown(unknown) => return Some(unknown.type_id),
            Self::Value(value) => Type::of_kind(value.kind()?)?,
        };
        Some(of.id())
    }

    /// Roblox's name of the type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Array(_) => "Array",
            Self::Table(_) => "Table",
            Self::Matrix(_) => "CFrame",
            Self::Enum(_) => "Enum",
            Self::Region3(_) => "Region3",
            Self::Region3int16(_) => "Region3int16",
            Self::Path2DControlPoint(_) => "Path2DControlPoint",
            Self::TweenInfo(_) => "TweenInfo",
            Self::Ref(_) => "Ref",
            Self::Unknown(_) => "unknown",
            Self::Value(value) => value.kind().map_or("unknown", Kind::name),
        }
    }

    /// The value, if properties have the type, too.
    pub fn value(&self) -> Option<ValueRef<'_>> {
        match self {
            Self::Value(value) => Some(value.as_ref()),
            Self::Matrix(frame) => Some(ValueRef::CFrame(**frame)),
            _ => None,
        }
    }

    fn read_as(type_id: u8, bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let unsupported = |bytes: &mut Bytes<'_>, what: &str| Err(bytes.unsupported(what.to_owned()));
        let Some(of) = Type::of(type_id) else {
            return unsupported(bytes, &format!("attribute type {type_id:#04x}"));
        };
        Ok(match of {
            Type::Nil => Self::Nil,
            Type::Array => Self::Array(Field::read(bytes, depth)?),
            Type::Table => Self::Table(Field::read(bytes, depth)?),
            Type::CFrame => {
                let position = Vec3::from_array(bytes.floats()?);
                let id = bytes.u8()?;
                let rotation = match id {
                    0 => Mat3::from_rows(bytes.floats()?),
                    id => match rotation::matrix(id) {
                        Some(matrix) => matrix,
                        None => return unsupported(bytes, &format!("rotation id {id:#04x}")),
                    },
                };
                let frame = CFrame { position, rotation };
                match id == 0 && rotation::find(&rotation).is_some() {
                    true => Self::Matrix(Box::new(frame)),
                    false => Self::Value(frame.into()),
                }
            }
            Type::Enum => Self::Enum(Field::read(bytes, depth)?),
            Type::Region3 => {
                let [x, y, z, a, b, c] = bytes.floats()?;
                Self::Region3([Vec3 { x, y, z }, Vec3 { x: a, y: b, z: c }])
            }
            Type::Region3int16 => Self::Region3int16(Field::read(bytes, depth)?),
            Type::Path2DControlPoint => Self::Path2DControlPoint(Field::read(bytes, depth)?),
            Type::TweenInfo => Self::TweenInfo(Field::read(bytes, depth)?),
            Type::Ref => Self::Ref(Field::read(bytes, depth)?),
            Type::String => Value::from(bytes.string()?).into(),
            Type::Bool => Value::Bool(Field::read(bytes, depth)?).into(),
            Type::Int32 => Value::Int32(Field::read(bytes, depth)?).into(),
            Type::Float32 => Value::Float32(Field::read(bytes, depth)?).into(),
            Type::Float64 => Value::Float64(Field::read(bytes, depth)?).into(),
            Type::UDim => Value::UDim(Field::read(bytes, depth)?).into(),
            Type::UDim2 => Value::UDim2(Field::read(bytes, depth)?).into(),
            Type::Faces => Value::Faces(Faces(read_bits(bytes, depth)?)).into(),
            Type::Axes => Value::Axes(Axes(read_bits(bytes, depth)?)).into(),
            Type::BrickColor => Value::BrickColor(BrickColor(Field::read(bytes, depth)?)).into(),
            Type::Vector2 => Value::Vector2(Vec2::from_array(bytes.floats()?)).into(),
            Type::Vector3 => Value::Vector3(Vec3::from_array(bytes.floats()?)).into(),
            Type::Vector3int16 => Value::Vector3int16(Field::read(bytes, depth)?).into(),
            Type::Ray
            | Type::Color3
            | Type::Vector2int16
            | Type::NumberSequence
            | Type::ColorSequence
            | Type::NumberRange
            | Type::Rect
            | Type::PhysicalProperties
            | Type::Color3uint8
            | Type::Font
            | Type::SecurityCapabilities => Self::Value(read_fields(of, bytes, depth)?),
        })
    }
}

/// A set of axes or faces, as a number.
fn read_bits(bytes: &mut Bytes<'_>, depth: u32) -> Result<u8> {
    let bits = u32::read(bytes, depth)?;
    u8::try_from(bits).map_err(|_| bytes.unsupported("set with unknown bits".to_owned()))
}

/// A value with fields, or several numbers.
fn read_fields(of: Type, bytes: &mut Bytes<'_>, depth: u32) -> Result<Value> {
    Ok(match of {
        Type::Ray => {
            let [x, y, z, a, b, c] = bytes.floats()?;
            Value::from(Ray { origin: Vec3 { x, y, z }, direction: Vec3 { x: a, y: b, z: c } })
        }
        Type::Color3 => {
            let [r, g, b] = bytes.floats()?;
            Value::Color3(Color3 { r, g, b })
        }
        Type::Vector2int16 => {
            let [x, y] = Field::read(bytes, depth)?;
            Value::Vector2int16(Vector2int16 { x, y })
        }
        Type::NumberSequence => {
            let keys: Vec<NumberKeypoint> = Field::read(bytes, depth)?;
            let key =
                |NumberKeypoint { envelope, time, value }| NumberSequenceKeypoint { time, value, envelope };
            Value::from(NumberSequence { keypoints: keys.into_iter().map(key).collect() })
        }
        Type::ColorSequence => {
            let keys: Vec<ColorKeypoint> = Field::read(bytes, depth)?;
            let key = |ColorKeypoint { envelope, time, color: [r, g, b] }| ColorSequenceKeypoint {
                time,
                color: Color3 { r, g, b },
                envelope,
            };
            Value::from(ColorSequence { keypoints: keys.into_iter().map(key).collect() })
        }
        Type::NumberRange => {
            let [min, max] = bytes.floats()?;
            Value::NumberRange(NumberRange { min, max })
        }
        Type::Rect => {
            let [x, y, z, w] = bytes.floats()?;
            Value::Rect(Rect { min: Vec2 { x, y }, max: Vec2 { x: z, y: w } })
        }
        Type::PhysicalProperties => {
            let custom = bytes.u8()?;
            if custom != 1 {
                let what = format!("PhysicalProperties value: its first byte is {custom} (expected 1)");
                return Err(bytes.unsupported(what));
            }
            let [density, friction, elasticity, a, b, absorption] = bytes.floats()?;
            let of = CustomPhysicalProperties {
                density,
                friction,
                elasticity,
                friction_weight: a,
                elasticity_weight: b,
                acoustic_absorption: Some(absorption),
            };
            Value::from(PhysicalProperties::Custom(of))
        }
        Type::Color3uint8 => {
            let [r, g, b] = Field::read(bytes, depth)?;
            Value::Color3uint8(Color3uint8 { r, g, b })
        }
        Type::Font => {
            let Typeface { weight, style, family, cached_face } = Field::read(bytes, depth)?;
            let style = FontStyle(style);
            Value::from(Font { family, weight, style, cached_face_id: cached_face })
        }
        Type::SecurityCapabilities => {
            let bits: i64 = Field::read(bytes, depth)?;
            Value::SecurityCapabilities(SecurityCapabilities(bits.cast_unsigned()))
        }
        other => return Err(bytes.unsupported(format!("{other:?} with fields"))),
    })
}

/// Stored as the number of the type, and the value.
impl Field for Attribute {
    const LEAST: usize = 1;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let type_id = bytes.u8()?;
        Self::read_as(type_id, bytes, depth)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let refused = |what: String| Err(Error::unwritable("attributes", what));
        let Some(type_id) = self.type_id() else {
            return refused(format!("a value of the type {}", self.type_name()));
        };
        out.push(type_id);
        match self {
            Self::Nil => Ok(()),
            Self::Array(values) => values.write(out),
            Self::Table(values) => values.write(out),
            Self::Enum(item) => item.write(out),
            Self::Region3(corners) => {
                corners.iter().for_each(|corner| put_floats(out, &corner.to_array()));
                Ok(())
            }
            Self::Region3int16(corners) => corners.write(out),
            Self::Path2DControlPoint(points) => points.write(out),
            Self::TweenInfo(info) => info.write(out),
            Self::Ref(referent) => referent.write(out),
            Self::Matrix(frame) => {
                put_frame(out, frame, 0);
                Ok(())
            }
            // A reader could not find the end of the value.
            Self::Unknown(_) => refused(
                "a value of an unknown type, unless it is the last attribute (readers could not find where it ends)"
                    .to_owned(),
            ),
            Self::Value(value) => put_value(out, value.as_ref()),
        }
    }
}

/// A position, the id of a rotation, and the matrix if the id is 0.
fn put_frame(out: &mut Vec<u8>, frame: &CFrame, id: u8) {
    put_floats(out, &frame.position.to_array());
    out.push(id);
    if id == 0 {
        put_floats(out, &frame.rotation.to_rows());
    }
}

fn put_value(out: &mut Vec<u8>, value: ValueRef<'_>) -> Result<()> {
    match value {
        ValueRef::String(text) => return put_string(out, text),
        ValueRef::Bool(value) => return value.write(out),
        ValueRef::Int32(value) => return value.write(out),
        ValueRef::Float32(value) => return value.write(out),
        ValueRef::Float64(value) => return value.write(out),
        ValueRef::UDim(value) => return value.write(out),
        ValueRef::UDim2(value) => return value.write(out),
        ValueRef::BrickColor(color) => return color.0.write(out),
        ValueRef::Faces(faces) => return u32::from(faces.0).write(out),
        ValueRef::Axes(axes) => return u32::from(axes.0).write(out),
        ValueRef::Color3uint8(Color3uint8 { r, g, b }) => return [r, g, b].write(out),
        ValueRef::Vector2int16(Vector2int16 { x, y }) => return [x, y].write(out),
        ValueRef::Vector3int16(value) => return value.write(out),
        ValueRef::SecurityCapabilities(bits) => return bits.0.cast_signed().write(out),
        ValueRef::CFrame(frame) => put_frame(out, &frame, rotation::find(&frame.rotation).unwrap_or(0)),
        ValueRef::Ray(ray) => {
            put_floats(out, &ray.origin.to_array());
            put_floats(out, &ray.direction.to_array());
        }
        ValueRef::Color3(color) => put_floats(out, &[color.r, color.g, color.b]),
        ValueRef::Vector2(value) => put_floats(out, &value.to_array()),
        ValueRef::Vector3(value) => put_floats(out, &value.to_array()),
        ValueRef::NumberRange(range) => put_floats(out, &[range.min, range.max]),
        ValueRef::Rect(Rect { min, max }) => put_floats(out, &[min.x, min.y, max.x, max.y]),
        ValueRef::NumberSequence(sequence) => {
            put_count(out, sequence.keypoints.len())?;
            sequence.keypoints.iter().for_each(|key| put_floats(out, &[key.envelope, key.time, key.value]));
        }
        ValueRef::ColorSequence(sequence) => {
            put_count(out, sequence.keypoints.len())?;
            for key in &sequence.keypoints {
                put_floats(out, &[key.envelope, key.time, key.color.r, key.color.g, key.color.b]);
            }
        }
        ValueRef::PhysicalProperties(PhysicalProperties::Custom(of)) => {
            out.push(1);
            let absorption = of.acoustic_absorption.unwrap_or(1.0);
            let [a, b] = [of.friction_weight, of.elasticity_weight];
            put_floats(out, &[of.density, of.friction, of.elasticity, a, b, absorption]);
        }
        ValueRef::Font(font) => {
            font.weight.write(out)?;
            out.push(font.style.0);
            put_string(out, font.family)?;
            put_string(out, font.cached_face_id)?;
        }
        _ => {
            let kind = value.kind().map_or("unknown", Kind::name);
            let what = format!("a value of the type {kind}");
            return Err(Error::unwritable("attributes", what));
        }
    }
    Ok(())
}

records! {
    /// An item of an enumeration.
    EnumItem { name: BString, value: u32 }
    /// How a value changes over time.
    #[derive(Copy)]
    TweenInfo {
        /// The duration in seconds.
        time: f32,
        /// The delay in seconds.
        delay: f32,
        /// The number of repetitions; -1 for ever.
        repeats: i32,
        /// The number of an item of `EasingStyle`.
        style: u32,
        /// The number of an item of `EasingDirection`.
        direction: u32,
        reverses: bool,
    }
}

/// How values are stored whose fields properties have in another order.
#[allow(unreachable_pub, reason = "the macro declares public types")]
mod stored {
    use bstr::BString;

    use crate::field::records;

    records! {
        /// A keypoint of a number sequence.
        NumberKeypoint { envelope: f32, time: f32, value: f32 }
        /// A keypoint of a colour sequence.
        ColorKeypoint { envelope: f32, time: f32, color: [f32; 3] }
        /// A typeface.
        Typeface { weight: u16, style: u8, family: BString, cached_face: BString }
    }
}
use stored::{ColorKeypoint, NumberKeypoint, Typeface};

impl Field for UDim {
    const LEAST: usize = 8;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        Ok(Self { scale: Field::read(bytes, depth)?, offset: Field::read(bytes, depth)? })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        self.scale.write(out)?;
        self.offset.write(out)
    }
}

impl Field for UDim2 {
    const LEAST: usize = 16;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        Ok(Self { x: Field::read(bytes, depth)?, y: Field::read(bytes, depth)? })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        self.x.write(out)?;
        self.y.write(out)
    }
}

impl Field for Vector3int16 {
    const LEAST: usize = 6;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let [x, y, z] = Field::read(bytes, depth)?;
        Ok(Self { x, y, z })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        [self.x, self.y, self.z].write(out)
    }
}

/// A value of an unknown type, and all bytes after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Unknown {
    /// The number of the type.
    pub type_id: u8,
    /// The value, and all entries after it.
    pub bytes: BString,
    /// The number of entries after the value.
    pub more: u32,
}

/// Stored as the name, and the value.
impl Field for (BString, Attribute) {
    const LEAST: usize = 5;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        Ok((bytes.string()?, Attribute::read(bytes, depth)?))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_string(out, &self.0)?;
        self.1.write(out)
    }
}

impl Layout for Attributes {
    const NAME: &'static str = "attributes";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        if bytes.left() == 0 {
            return Ok(Self::default());
        }
        let count = bytes.count(5)?;
        let mut attributes = bytes.vec(count)?;
        for index in 0..count {
            let name = bytes.string()?;
            let type_id = bytes.u8()?;
            let rest = bytes.peek();
            let value = match Attribute::read_as(type_id, bytes, MAX_DEPTH) {
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                    bytes.charge(rest.len() as u64)?;
                    bytes.rest();
                    let more =
                        u32::try_from(count.saturating_sub(index)).unwrap_or(u32::MAX).saturating_sub(1);
                    attributes
                        .push((name, Attribute::Unknown(Unknown { type_id, bytes: rest.into(), more })));
                    break;
                }
                value => value?,
            };
            attributes.push((name, value));
        }
        Ok(Self(attributes))
    }
}

impl Attributes {
    /// The bytes of the property; empty if there are no attributes.
    ///
    /// # Errors
    /// If a count does not fit into 32 bits, if a value has a type that only properties have, and if a value of an unknown
    /// type is not the last.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let Some((last, others)) = self.0.split_last() else { return Ok(out) };
        let unknown = if let Attribute::Unknown(unknown) = &last.1 { Some(unknown) } else { None };
        let more = unknown.map_or(0, |unknown| unknown.more as usize);
        put_count(&mut out, self.0.len().saturating_add(more))?;
        others.iter().try_for_each(|entry| entry.write(&mut out))?;
        match unknown {
            None => last.write(&mut out)?,
            Some(unknown) => {
                put_string(&mut out, &last.0)?;
                out.push(unknown.type_id);
                out.extend_from_slice(&unknown.bytes);
            }
        }
        Ok(out)
    }

    /// The value of the attribute with a name; the last one if there are several.
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<&Attribute> {
        self.0.iter().rev().find(|(known, _)| known == name.as_ref()).map(|(_, value)| value)
    }

    /// Sets the value of the attribute with a name. A new one is inserted in the order of the names, but before a value
    /// of an unknown type.
    pub fn set(&mut self, name: impl AsRef<[u8]>, value: impl Into<Attribute>) {
        let (name, value) = (name.as_ref().as_bstr(), value.into());
        match self.0.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => {
                let is_before = |(known, value): &(BString, Attribute)| {
                    known.as_bstr() < name && !matches!(value, Attribute::Unknown(_))
                };
                let index = self.0.partition_point(is_before);
                self.0.insert(index, (name.to_owned(), value));
            }
        }
    }

    /// Removes the attribute with a name, and returns its value; the last one if there are several, all of which are
    /// removed. A value of an unknown type that contains the entries after it is not removed.
    pub fn remove(&mut self, name: impl AsRef<[u8]>) -> Option<Attribute> {
        let name = name.as_ref();
        let has_more = |value: &Attribute| matches!(value, Attribute::Unknown(unknown) if unknown.more > 0);
        let index = self.0.iter().rposition(|(known, value)| known == name && !has_more(value))?;
        let (_, value) = self.0.remove(index);
        self.0.retain(|(known, value)| known != name || has_more(value));
        Some(value)
    }
}

/// Sets attributes, like [`Attributes::set`], in one pass.
impl<N: AsRef<[u8]>> Extend<(N, Attribute)> for Attributes {
    fn extend<I: IntoIterator<Item = (N, Attribute)>>(&mut self, new: I) {
        let mut index_of: HashMap<BString, usize> =
            self.0.iter().enumerate().map(|(index, (name, _))| (name.clone(), index)).collect();
        let old = self.0.len();
        for (name, value) in new {
            self.put(&mut index_of, name.as_ref().into(), value);
        }
        self.arrange(old);
    }
}

// What is not generic is compiled once.
impl Attributes {
    fn put(&mut self, index_of: &mut HashMap<BString, usize>, name: BString, value: Attribute) {
        match index_of.entry(name) {
            Entry::Occupied(known) => {
                if let Some((_, old)) = self.0.get_mut(*known.get()) {
                    *old = value;
                }
            }
            Entry::Vacant(unknown) => {
                let name = unknown.key().clone();
                unknown.insert(self.0.len());
                self.0.push((name, value));
            }
        }
    }

    /// Sorts the attributes from an index on in among those before.
    fn arrange(&mut self, old: usize) {
        let mut added = self.0.split_off(old);
        geom::sort::by(&mut added, |one, next| one.0.cmp(&next.0));
        let mut added = added.into_iter().peekable();
        for (name, value) in std::mem::take(&mut self.0) {
            let is_unknown = matches!(value, Attribute::Unknown(_));
            while let Some(new) = added.next_if(|new| is_unknown || new.0 < name) {
                self.0.push(new);
            }
            self.0.push((name, value));
        }
        self.0.extend(added);
    }
}

impl<T: Into<Value>> From<T> for Attribute {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}
