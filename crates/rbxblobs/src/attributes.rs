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

use crate::bytes::{Bytes, Layout, put_count, put_floats, put_string};
use crate::field::{Field, MAX_DEPTH, records};
use geom::wire::{Error, ErrorKind, Result};

/// Names and values in the order of the file, mostly sorted by name: the bytes of the property
/// `AttributesSerialize`, and of others with the same layout. An empty property has no attributes.
///
/// The length of a value of an unknown type is not known, so the entries after it cannot be read: the last entry is
/// then an [`Attribute::Unknown`] with all the bytes that follow.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Attributes(pub Vec<(BString, Attribute)>);

macro_rules! attributes {
    ($($(#[$doc:meta])* $id:literal $name:ident($kind:ty) $text:literal;)+) => {
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
            $($(#[$doc])* $name($kind),)+
            /// A value of an unknown type, with all bytes after its type.
            Unknown(Unknown),
        }

        impl Attribute {
            /// The number of the type.
            pub fn type_id(&self) -> u8 {
                match self {
                    $(Self::$name(_) => $id,)+
                    Self::Unknown(unknown) => unknown.type_id,
                }
            }

            /// The name of the type.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $text,)+
                    Self::Unknown(_) => "unknown",
                }
            }

            fn read_as(type_id: u8, bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
                Ok(match type_id {
                    $($id => Self::$name(Field::read(bytes, depth)?),)+
                    other => return Err(bytes.unsupported(format!("attribute type {other:#04x}"))),
                })
            }
        }

        /// Stored as the number of the type, and the value.
        impl Field for Attribute {
            const LEAST: usize = 1;

            fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
                let type_id = bytes.u8()?;
                Self::read_as(type_id, bytes, depth)
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                out.push(self.type_id());
                match self {
                    $(Self::$name(value) => value.write(out),)+
                    // A reader could not find the end of the value.
                    Self::Unknown(_) => {
                        let what = "a value of an unknown type, unless it is the last attribute \
                                    (readers could not find where it ends)";
                        Err(Error::unwritable("attributes", what))
                    }
                }
            }
        }
    };
}
attributes! {
    /// No value: a hole in an array.
    0x01 Nil([u8; 0]) "nil";
    0x02 String(BString) "string";
    0x03 Bool(bool) "bool";
    0x04 Int32(i32) "int32";
    0x05 Float32(f32) "float32";
    0x06 Float64(f64) "float64";
    0x07 Array(Vec<Attribute>) "array";
    0x08 Table(Vec<(BString, Attribute)>) "table";
    0x09 UDim(UDim) "u_dim";
    0x0a UDim2([UDim; 2]) "u_dim2";
    /// The origin and the direction.
    0x0b Ray([f32; 6]) "ray";
    /// Bits 0 to 5: right, top, back, left, bottom, front.
    0x0c Faces(u32) "faces";
    /// Bits 0 to 2: X, Y, Z.
    0x0d Axes(u32) "axes";
    0x0e BrickColor(u32) "brick_color";
    0x0f Color3([f32; 3]) "color3";
    0x10 Vector2([f32; 2]) "vector2";
    0x11 Vector3([f32; 3]) "vector3";
    0x12 Vector2int16([i16; 2]) "vector2int16";
    0x13 Vector3int16([i16; 3]) "vector3int16";
    0x14 CFrame(CFrame) "c_frame";
    0x15 Enum(EnumItem) "enum";
    0x17 NumberSequence(Vec<NumberKeypoint>) "number_sequence";
    0x19 ColorSequence(Vec<ColorKeypoint>) "color_sequence";
    /// The smallest and the largest number.
    0x1b NumberRange([f32; 2]) "number_range";
    /// The smallest and the largest x and y.
    0x1c Rect([f32; 4]) "rect";
    0x1d PhysicalProperties(PhysicalProperties) "physical_properties";
    0x1e Color3uint8([u8; 3]) "color3uint8";
    /// The smallest and the largest corner.
    0x1f Region3([f32; 6]) "region3";
    /// The smallest and the largest corner.
    0x20 Region3int16([i16; 6]) "region3int16";
    0x21 Font(Font) "font";
    0x22 SecurityCapabilities(i64) "security_capabilities";
    /// The position, and the left and the right tangent.
    0x23 Path2DControlPoint([[UDim; 2]; 3]) "path2d_control_point";
    0x24 TweenInfo(TweenInfo) "tween_info";
    /// The referent of an instance in the same binary file; -1 for none. In XML, a property of type `Ref` has the
    /// reference instead; its name is `__attrRef_` and the name of the attribute.
    0x25 Ref(i32) "ref";
}

records! {
    /// A fraction and an offset in pixels.
    #[derive(Copy, Default)]
    UDim { scale: f32, offset: i32 }
    /// An item of an enumeration.
    EnumItem { name: BString, value: u32 }
    /// A keypoint of a number sequence. The envelope comes first, unlike in a column of type NumberSequence.
    #[derive(Copy)]
    NumberKeypoint { envelope: f32, time: f32, value: f32 }
    /// A keypoint of a colour sequence.
    #[derive(Copy)]
    ColorKeypoint { envelope: f32, time: f32, color: [f32; 3] }
    /// A typeface.
    Font { weight: u16, style: u8, family: BString, cached_face: BString }
    /// The physical behaviour of a part.
    #[derive(Copy)]
    PhysicalProperties {
        /// Always 1.
        custom: One,
        density: f32,
        friction: f32,
        elasticity: f32,
        friction_weight: f32,
        elasticity_weight: f32,
        acoustic_absorption: f32,
    }
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

/// A position and a rotation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CFrame {
    /// The position, in studs.
    pub position: [f32; 3],
    /// The id of an axis-aligned rotation; 0 if the matrix is stored.
    pub rotation_id: u8,
    /// The matrix row by row; `None` if `rotation_id` is not 0.
    pub rotation: Option<[f32; 9]>,
}

/// A byte that is always 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct One;

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

impl Field for One {
    const LEAST: usize = 1;

    fn read(bytes: &mut Bytes<'_>, _: u32) -> Result<Self> {
        match bytes.u8()? {
            1 => Ok(Self),
            other => Err(bytes
                .unsupported(format!("PhysicalProperties value: its first byte is {other} (expected 1)"))),
        }
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(1);
        Ok(())
    }
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

impl Field for CFrame {
    const LEAST: usize = 13;

    fn read(bytes: &mut Bytes<'_>, _: u32) -> Result<Self> {
        let position = bytes.floats()?;
        let rotation_id = bytes.u8()?;
        let rotation = if rotation_id == 0 { Some(bytes.floats()?) } else { None };
        Ok(Self { position, rotation_id, rotation })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.rotation.is_some() != (self.rotation_id == 0) {
            let what = match self.rotation_id {
                0 => "a CFrame with the rotation id 0 but without a rotation matrix".to_owned(),
                id => format!("a CFrame with a rotation matrix and the rotation id {id} (expected the id 0)"),
            };
            return Err(Error::unwritable("attributes", what));
        }
        put_floats(out, &self.position);
        out.push(self.rotation_id);
        put_floats(out, self.rotation.as_ref().map_or(&[], |rotation| rotation));
        Ok(())
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
    /// If a count does not fit into 32 bits, if a CFrame has both a matrix and the id of a rotation, or neither, and if
    /// a value of an unknown type is not the last.
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
            match index_of.entry(name.as_ref().into()) {
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
        let mut added = self.0.split_off(old);
        added.sort_by(|one, next| one.0.cmp(&next.0));
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

macro_rules! from {
    ($($type:ty: |$value:ident| $into:expr;)+) => {
        $(impl From<$type> for Attribute {
            fn from($value: $type) -> Self {
                $into
            }
        })+
    };
}
from! {
    bool: |value| Self::Bool(value);
    i32: |value| Self::Int32(value);
    f32: |value| Self::Float32(value);
    f64: |value| Self::Float64(value);
    &str: |value| Self::String(value.into());
    String: |value| Self::String(value.into());
    BString: |value| Self::String(value);
    geom::Vec2: |value| Self::Vector2(value.to_array());
    geom::Vec3: |value| Self::Vector3(value.to_array());
    geom::UDim: |value| Self::UDim(value.into());
    geom::UDim2: |value| Self::UDim2([value.x.into(), value.y.into()]);
    geom::CFrame: |value| Self::CFrame(value.into());
}

impl From<geom::UDim> for UDim {
    fn from(geom::UDim { scale, offset }: geom::UDim) -> Self {
        Self { scale, offset }
    }
}

/// Stores the matrix.
impl From<geom::CFrame> for CFrame {
    fn from(geom::CFrame { position, rotation }: geom::CFrame) -> Self {
        Self { position: position.to_array(), rotation_id: 0, rotation: Some(rotation.to_rows()) }
    }
}
