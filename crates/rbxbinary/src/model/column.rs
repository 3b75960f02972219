//! Columns: the values of one property for all instances of a class.

use geom::{Vec2, Vec3};
use rbxcore::same::Same;
use rbxcore::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, Faces, NumberRange,
    NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, ValueRef,
    Vector2int16, Vector3int16,
};

use super::Referent;
use super::lists::{Contents, Fonts, SharedIndex};
use super::pool::Pool;
use super::rows::{At, Lists, Mismatch, Rows, Sink, Source};
use super::strings::Strings;
use crate::consts::{TypeId, types};

macro_rules! column {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty);)+) => {
        /// The values of a property, one per instance of the class.
        ///
        /// Values of an unknown type, and values that are not as this crate expects them, are kept as
        /// `Unknown`.
        #[derive(Debug, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Column {
            $($(#[$doc])* $name($column),)+
            /// Values of an unknown type, and values that cannot be separated.
            Unknown {
                /// The type.
                type_id: TypeId,
                /// The bytes after the type.
                bytes: Box<[u8]>,
            },
            /// A chunk that ends after the name of the property. Roblox ignores it.
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

        /// Columns are equal if their values are, bit for bit, however the file stores them.
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
            /// An empty column of a type; `None` if the type is not known.
            pub fn new(type_id: TypeId) -> Option<Self> {
                Some(match type_id {
                    $(TypeId::$constant => Self::$name(Default::default()),)+
                    _ => return None,
                })
            }

            /// The type of the values; `None` for `Untyped`.
            pub fn type_id(&self) -> Option<TypeId> {
                Some(match self {
                    $(Self::$name(_) => TypeId::$constant,)+
                    Self::Unknown { type_id, .. } => *type_id,
                    Self::Untyped => return None,
                })
            }

            /// The number of values; `None` if they cannot be separated.
            #[allow(clippy::len_without_is_empty, reason = "not every column has a length")]
            pub fn len(&self) -> Option<usize> {
                Some(match self {
                    $(Self::$name(rows) => rows.count(),)+
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }

            /// The value in a row. `None` if the row does not exist, if the values cannot be separated, and if a
            /// shared string is not in the document's table.
            pub(crate) fn value<'a>(&'a self, row: usize, source: &Source<'a>) -> Option<ValueRef<'a>> {
                Some(match self {
                    $(Self::$name(rows) => ValueRef::$name(rows.value(row, source)?),)+
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }

            /// Stores a value of the column's own type in a row.
            fn put_same(&mut self, at: At, value: ValueRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
                match (self, value) {
                    $((Self::$name(rows), ValueRef::$name(value)) => rows.put(at, value, sink),)+
                    (Self::Unknown { .. }, _) => Err(Mismatch::Unknown),
                    _ => Err(Mismatch::Type),
                }
            }

            /// Allocates space for more rows.
            #[doc(hidden)]
            pub fn reserve(&mut self, more: usize) {
                match self {
                    $(Self::$name(rows) => rows.room(more),)+
                    Self::Unknown { .. } | Self::Untyped => {}
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

// Keep `Column` small: a place has tens of thousands of columns. Types with more than one vector are in a box.
const _: () = assert!(size_of::<Column>() <= 32);

impl Column {
    /// Adds a value, converted to the type of the column if that loses at most precision; returns whether it fits. References
    /// and shared strings, which depend on the document, do not.
    #[doc(hidden)]
    pub fn push(&mut self, value: ValueRef<'_>) -> bool {
        let kind = match &*self {
            Self::Ref(_) | Self::SharedString(_) => None,
            column => column.type_id().and_then(TypeId::kind),
        };
        let Some(value) = kind.and_then(|kind| value.converted(kind)) else { return false };
        let (strings, pool) = (&mut Vec::new(), &mut Pool::default());
        self.put_same(None, value, &mut Sink { strings, pool, referent: &|_| None }).is_ok()
    }

    /// Stores a value in a row. A value of another type is converted if possible.
    pub(crate) fn put(&mut self, at: At, value: ValueRef<'_>, sink: &mut Sink<'_>) -> Result<(), Mismatch> {
        let kind = self.type_id().ok_or(Mismatch::Unknown)?.kind().ok_or(Mismatch::Type)?;
        if let Some(value) = value.converted(kind) {
            return self.put_same(at, value, sink);
        }
        let shared = value.to_value().converted(kind).ok_or(Mismatch::Type)?;
        self.put_same(at, shared.as_ref(), sink)
    }
}
