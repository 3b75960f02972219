//! Columns: the values of one property for all instances of a class.

use geom::{Quat, Vec2, Vec3};

use super::rows::{At, Mismatch, Rows, Sink, Source};
use super::strings::Strings;
use super::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, Faces, FontStyle, NumberRange,
    NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Vector2int16,
    Vector3int16,
};
use super::value::{CFrameQuat, ValueRef};
use super::{Referent, rotation};
use crate::consts::{TypeId, types};

macro_rules! column {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty) $by_ref:ty => $value:ty;)+) => {
        /// The values of a property, one per instance of the class.
        ///
        /// A chunk whose type is not known, or whose values do not fill it in the way that this crate knows, is
        /// kept as it is, as `Unknown`.
        #[derive(Clone, Debug, Default, PartialEq)]
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
                    $(Self::$name(rows) => rows.remove_row(row),)+
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
    /// Puts a value into a row. A value of a type that the column's can represent exactly is converted.
    pub(crate) fn put(&mut self, at: At, value: ValueRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
        let type_id = self.type_id().ok_or(Mismatch::Unknown)?;
        let value = if value.type_id() == type_id { value } else { exactly(type_id, value)? };
        self.put_same(at, value, sink)
    }

    /// Whether a value goes into such a column, as far as its type tells.
    pub(crate) fn accepts(&self, value: ValueRef<'_>) -> Result<(), Mismatch> {
        match (self, self.type_id()) {
            (Self::Unknown { .. }, _) | (_, None) => Err(Mismatch::Unknown),
            (_, Some(type_id)) if value.type_id() == type_id => Ok(()),
            (_, Some(type_id)) => exactly(type_id, value).map(|_| ()),
        }
    }

    /// The same column with other referents and indices of shared strings; `None` where it has neither.
    pub(crate) fn renumbered(
        &self,
        referent: &dyn Fn(Referent) -> Referent,
        shared: &dyn Fn(SharedIndex) -> SharedIndex,
    ) -> Option<Self> {
        Some(match self {
            Self::Ref(values) => Self::Ref(values.iter().map(|&value| referent(value)).collect()),
            Self::SharedString(values) => {
                Self::SharedString(values.iter().map(|&value| shared(value)).collect())
            }
            Self::Content(contents) => {
                let mut contents = contents.clone();
                for entry in &mut contents.entries {
                    if let ContentEntry::Object(object) = entry {
                        *object = referent(*object);
                    }
                }
                contents.external.iter_mut().for_each(|object| *object = referent(*object));
                Self::Content(contents)
            }
            _ => return None,
        })
    }
}

/// A value of another type that is exactly the same: a string of another kind, a wider number, a narrower one
/// that loses nothing.
fn exactly(type_id: TypeId, value: ValueRef<'_>) -> Result<ValueRef<'_>, Mismatch> {
    Ok(match (type_id, value) {
        (TypeId::STRING, ValueRef::Bytecode(text) | ValueRef::SharedString(text)) => ValueRef::String(text),
        (TypeId::BYTECODE, ValueRef::String(text) | ValueRef::SharedString(text)) => ValueRef::Bytecode(text),
        (TypeId::SHARED_STRING, ValueRef::String(text) | ValueRef::Bytecode(text)) => {
            ValueRef::SharedString(text)
        }
        (TypeId::INT64, ValueRef::Int32(value)) => ValueRef::Int64(value.into()),
        (TypeId::INT32, ValueRef::Int64(value)) => {
            ValueRef::Int32(i32::try_from(value).map_err(|_| Mismatch::Type)?)
        }
        (TypeId::FLOAT64, ValueRef::Float32(value)) => ValueRef::Float64(value.into()),
        (TypeId::FLOAT32, ValueRef::Float64(value)) => {
            ValueRef::Float32(narrow(value).ok_or(Mismatch::Type)?)
        }
        (TypeId::FLOAT64, ValueRef::Int32(value)) => ValueRef::Float64(value.into()),
        (TypeId::FLOAT64, ValueRef::Int64(value)) => ValueRef::Float64(float(value).ok_or(Mismatch::Type)?),
        (TypeId::FLOAT32, ValueRef::Int32(value)) => {
            ValueRef::Float32(narrow(value.into()).ok_or(Mismatch::Type)?)
        }
        (TypeId::FLOAT32, ValueRef::Int64(value)) => {
            ValueRef::Float32(float(value).and_then(narrow).ok_or(Mismatch::Type)?)
        }
        (TypeId::ENUM, ValueRef::Int32(value)) => {
            ValueRef::Enum(u32::try_from(value).map_err(|_| Mismatch::Type)?)
        }
        (TypeId::BRICK_COLOR, ValueRef::Int32(value)) => {
            ValueRef::BrickColor(BrickColor(u32::try_from(value).map_err(|_| Mismatch::Type)?))
        }
        (TypeId::INT32, ValueRef::BrickColor(value)) => {
            ValueRef::Int32(i32::try_from(value.0).map_err(|_| Mismatch::Type)?)
        }
        (TypeId::OPTIONAL_CFRAME, ValueRef::CFrame(value)) => ValueRef::OptionalCFrame(Some(value)),
        _ => return Err(Mismatch::Type),
    })
}

/// The number in 32 bits, where that loses nothing.
#[allow(clippy::cast_possible_truncation, reason = "compared with the value in the next line")]
fn narrow(value: f64) -> Option<f32> {
    let narrow = value as f32;
    (f64::from(narrow).to_bits() == value.to_bits()).then_some(narrow)
}

/// The integer as a float, where that loses nothing: all of up to 53 bits.
fn float(value: i64) -> Option<f64> {
    (value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS).then_some(value as f64)
}

/// The index of a shared string in [`crate::Document::shared_strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct SharedIndex(pub u32);

/// Rotations and positions, and the form of each rotation in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrames {
    /// The values.
    pub values: Vec<CFrame>,
    /// The id of each rotation as the file has it, 0 for a matrix. Where one is missing, or is not that of the
    /// value's rotation any more, the shortest exact form is written.
    pub ids: Vec<u8>,
}

/// Quaternions and positions, and the form of each rotation in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrameQuats {
    /// The values.
    pub values: Vec<CFrameQuat>,
    /// The id of each rotation as the file has it, 0 for a quaternion. Where one is missing, or is not that of
    /// the value's rotation any more, a quaternion is written.
    pub ids: Vec<u8>,
}

/// Rotations and positions that may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionalCFrames {
    /// The values; the identity, usually, where a value is absent.
    pub frames: CFrames,
    /// Whether each value is present.
    pub present: Vec<bool>,
}

/// How parts behave in the simulation, and the flags before each value.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicalColumn {
    /// The values.
    pub values: Vec<PhysicalProperties>,
    /// The flags before each: 1 for numbers of its own, 2 for the sixth of them. Studio also sets 2 where there
    /// are no numbers. Where flags are missing, or do not fit the value any more, those that do are written.
    pub flags: Vec<u8>,
}

/// Typefaces, component by component.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fonts {
    /// The assets of the families.
    pub families: Strings,
    /// How bold each is.
    pub weights: Vec<u16>,
    /// Upright or italic.
    pub styles: Vec<FontStyle>,
    /// The assets that Roblox took last; may be empty strings.
    pub cached_face_ids: Strings,
}

/// Assets.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contents {
    /// What each value is.
    pub entries: Vec<ContentEntry>,
    /// The addresses that entries refer to by their index.
    pub uris: Strings,
    /// A list of instances whose meaning is not known; empty in every real file.
    pub external: Vec<Referent>,
}

/// One asset of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContentEntry {
    /// Nothing.
    #[default]
    None,
    /// The address with this index in [`Contents::uris`].
    Uri(u32),
    /// An object of the document.
    Object(Referent),
}

impl CFrames {
    /// The id to write for a value: as it was, where that is still exact, else the shortest.
    pub(crate) fn id(&self, index: usize, value: &CFrame) -> u8 {
        match self.ids.get(index) {
            Some(&id) if rotation::fits(id, &value.rotation) => id,
            _ => rotation::find(&value.rotation).unwrap_or(0),
        }
    }
}

impl CFrameQuats {
    /// The id to write for a value.
    pub(crate) fn id(&self, index: usize, value: &CFrameQuat) -> u8 {
        let same = |a: Quat, b: Quat| a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits);
        let fits =
            |&id: &u8| id != 0 && same(rotation::quaternion(id).unwrap_or(Quat::IDENTITY), value.rotation);
        self.ids.get(index).copied().filter(fits).unwrap_or(0)
    }
}

impl PhysicalColumn {
    /// The flags before a value, where nothing is known of how it was written.
    pub(crate) fn natural_flags(value: &PhysicalProperties) -> u8 {
        match value {
            PhysicalProperties::Default => 2,
            PhysicalProperties::Custom(custom) if custom.acoustic_absorption.is_some() => 3,
            PhysicalProperties::Custom(_) => 1,
        }
    }

    /// The flags to write for a value: as they were, where they still fit, else what Studio writes.
    pub(crate) fn flag(&self, index: usize, value: &PhysicalProperties) -> u8 {
        let fits = |&flags: &u8| match value {
            PhysicalProperties::Default => flags == 0 || flags == 2,
            PhysicalProperties::Custom(_) => flags == Self::natural_flags(value),
        };
        self.flags.get(index).copied().filter(fits).unwrap_or(Self::natural_flags(value))
    }
}

impl Contents {
    /// The address of a `Uri` entry.
    pub fn uri(&self, index: u32) -> Option<&bstr::BStr> {
        self.uris.get(index as usize)
    }
}

/// Equal where the values are: addresses that no entry refers to are not compared.
impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        let same = |(this, that): (&ContentEntry, &ContentEntry)| match (*this, *that) {
            (ContentEntry::Uri(this), ContentEntry::Uri(that)) => self.uri(this) == other.uri(that),
            (this, that) => this == that,
        };
        self.external == other.external
            && self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&other.entries).all(same)
    }
}
