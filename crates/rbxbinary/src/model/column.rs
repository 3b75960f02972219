//! Columns: the values of one property for all instances of a class.

use bstr::BStr;
use geom::{Vec2, Vec3};

use super::Referent;
use super::lists::{Contents, Fonts, SharedIndex};
use super::rows::{At, Lists, Mismatch, Rows, Sink, Source};
use super::same::Same;
use super::shared_bytes::SharedBytes;
use super::strings::Strings;
use super::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, Faces, NumberRange, NumberSequence,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
#[cfg(feature = "classes")]
use super::value::Value;
use super::value::{CFrameQuat, ContentRef, ValueRef};
use crate::consts::{TypeId, types};

macro_rules! column {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty) $by_ref:ty => $value:ty;)+) => {
        /// The values of a property, one per instance of the class.
        ///
        /// A chunk whose type is not known, or whose values do not fill it in the way that this crate knows, is
        /// kept as it is, as `Unknown`.
        #[derive(Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Column {
            $($(#[$doc])* $name($column),)+
            /// Values of a type that is not known, or that could not be told apart: the bytes after the type.
            Unknown {
                /// The type.
                type_id: TypeId,
                /// The bytes after it.
                bytes: Box<[u8]>,
            },
            /// The chunk ends after the name of the property; Roblox ignores it.
            #[default]
            Untyped,
        }

        impl Clone for Column {
            fn clone(&self) -> Self {
                match self {
                    $(Self::$name(rows) => Self::$name(rows.copy().into()),)+
                    Self::Unknown { type_id, bytes } => {
                        Self::Unknown { type_id: *type_id, bytes: bytes.clone() }
                    }
                    Self::Untyped => Self::Untyped,
                }
            }
        }

        /// Equal where the values are, bit for bit, whatever their form in the file is.
        impl PartialEq for Column {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$name(this), Self::$name(that)) => this.same(that),)+
                    (
                        Self::Unknown { type_id, bytes },
                        Self::Unknown { type_id: other_id, bytes: other_bytes },
                    ) => type_id == other_id && bytes == other_bytes,
                    (this, that) => matches!((this, that), (Self::Untyped, Self::Untyped)),
                }
            }
        }

        impl Column {
            /// An empty column of a type; `None` where the type is not known.
            pub fn new(type_id: TypeId) -> Option<Self> {
                Some(match type_id {
                    $(TypeId::$constant => Self::$name(Default::default()),)+
                    _ => return None,
                })
            }

            /// The type; `None` where the chunk has none.
            pub fn type_id(&self) -> Option<TypeId> {
                Some(match self {
                    $(Self::$name(_) => TypeId::$constant,)+
                    Self::Unknown { type_id, .. } => *type_id,
                    Self::Untyped => return None,
                })
            }

            /// How many values there are; `None` where they cannot be told apart.
            #[allow(clippy::len_without_is_empty, reason = "not every column has a length")]
            pub fn len(&self) -> Option<usize> {
                Some(match self {
                    $(Self::$name(rows) => rows.count(),)+
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }

            /// The value in a row. `None` where there is no such row, where the values cannot be told apart, and
            /// where a shared string is not in the document's table.
            pub(crate) fn value<'a>(&'a self, row: usize, source: &Source<'a>) -> Option<ValueRef<'a>> {
                Some(match self {
                    $(Self::$name(rows) => ValueRef::$name(rows.value(row, source)?),)+
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }

            /// Puts a value of the column's own type into a row.
            fn put_same(&mut self, at: At, value: ValueRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
                match (self, value) {
                    $((Self::$name(rows), ValueRef::$name(value)) => rows.put(at, value, sink),)+
                    (Self::Unknown { .. }, _) => Err(Mismatch::Unknown),
                    _ => Err(Mismatch::Type),
                }
            }

            /// Removes a row; the last one takes its index.
            pub(crate) fn swap_remove(&mut self, row: usize) {
                match self {
                    $(Self::$name(rows) => rows.remove_row(row, rows.count()),)+
                    Self::Unknown { .. } | Self::Untyped => {}
                }
            }
        }
    };
}
types!(column);

// A column is small, for there are many: what needs more than one vector is in a box.
const _: () = assert!(size_of::<Column>() <= 32);

impl Column {
    /// Puts a value into a row. A value of another type is converted, where it can be.
    pub(crate) fn put(&mut self, at: At, value: ValueRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
        let type_id = self.type_id().ok_or(Mismatch::Unknown)?;
        if let Some(bytes) = shared(type_id, value) {
            return self.put_same(at, ValueRef::SharedString(&bytes), sink);
        }
        self.put_same(at, converted(type_id, value).ok_or(Mismatch::Type)?, sink)
    }
}

/// A string of another kind as a shared one.
fn shared(type_id: TypeId, value: ValueRef<'_>) -> Option<SharedBytes> {
    match value {
        ValueRef::String(text) | ValueRef::Bytecode(text) if type_id == TypeId::SHARED_STRING => {
            Some(text.into())
        }
        _ => None,
    }
}

/// As [`converted`], and a string of another kind as a shared one.
#[cfg(feature = "classes")]
pub(crate) fn converted_value(type_id: TypeId, value: ValueRef<'_>) -> Option<Value> {
    let shared = shared(type_id, value).map(Value::SharedString);
    shared.or_else(|| converted(type_id, value).map(|value| value.to_value()))
}

/// A value as one of another type that borrows as it does: a string of another kind, a wider number, a narrower one that loses nothing; the
/// nearest float of 32 bits, the nearest colour of bytes.
pub(crate) fn converted(type_id: TypeId, value: ValueRef<'_>) -> Option<ValueRef<'_>> {
    let text = match value {
        ValueRef::String(text) | ValueRef::Bytecode(text) => Some(text),
        ValueRef::SharedString(bytes) => Some(&**bytes),
        _ => None,
    };
    let integer = value.as_i64();
    match (type_id, value) {
        _ if type_id == value.type_id() => Some(value),
        (TypeId::STRING, ValueRef::Content(ContentRef::Uri(uri))) => Some(ValueRef::String(uri)),
        (TypeId::STRING, ValueRef::Content(ContentRef::None)) => Some(ValueRef::String(BStr::new(""))),
        (TypeId::STRING, _) => text.map(ValueRef::String),
        (TypeId::BYTECODE, _) => text.map(ValueRef::Bytecode),
        (TypeId::CONTENT, ValueRef::String(uri)) => Some(ValueRef::Content(match uri.is_empty() {
            true => ContentRef::None,
            false => ContentRef::Uri(uri),
        })),
        (TypeId::INT64, _) => integer.map(ValueRef::Int64),
        (TypeId::INT32, ValueRef::BrickColor(color)) => i32::try_from(color.0).ok().map(ValueRef::Int32),
        (TypeId::INT32, _) => integer.and_then(|value| i32::try_from(value).ok()).map(ValueRef::Int32),
        (TypeId::FLOAT64, _) => integer.map_or_else(|| value.as_f64(), float).map(ValueRef::Float64),
        (TypeId::FLOAT32, _) => match integer {
            Some(value) => float(value).filter(|&value| f64::from(narrow(value)) == value).map(narrow),
            None => {
                value.as_f64().filter(|value| value.is_finite() == narrow(*value).is_finite()).map(narrow)
            }
        }
        .map(ValueRef::Float32),
        (TypeId::ENUM, ValueRef::Int32(value)) => u32::try_from(value).ok().map(ValueRef::Enum),
        (TypeId::BRICK_COLOR, ValueRef::Int32(value)) => {
            u32::try_from(value).ok().map(BrickColor).map(ValueRef::BrickColor)
        }
        (TypeId::COLOR3, ValueRef::Color3uint8(color)) => Some(ValueRef::Color3(color.into())),
        (TypeId::COLOR3_UINT8, ValueRef::Color3(color)) => {
            Color3uint8::try_from(color).ok().map(ValueRef::Color3uint8)
        }
        (TypeId::OPTIONAL_CFRAME, ValueRef::CFrame(value)) => Some(ValueRef::OptionalCFrame(Some(value))),
        _ => None,
    }
}

/// The nearest number of 32 bits, which is infinite beyond the greatest.
#[allow(clippy::cast_possible_truncation, reason = "the nearest is wanted")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// The integer as a float, where that loses nothing: all of up to 53 bits.
fn float(value: i64) -> Option<f64> {
    (value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS).then_some(value as f64)
}
