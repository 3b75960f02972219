//! Typed indices. The format's two reserved values, -1 and -2, are named constants here, whatever the width of the
//! index in a file.

/// Declares an index type.
macro_rules! ids {
    ($($(#[$doc:meta])+ $name:ident)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// No index: -1 in the file.
            pub const NONE: Self = Self(u32::MAX);
            /// The other reserved value, -2 in the file.
            pub const RESERVED: Self = Self(u32::MAX - 1);

            /// The index in the list, `None` for the reserved values.
            #[inline]
            pub const fn get(self) -> Option<usize> {
                if self.0 < Self::RESERVED.0 { Some(self.0 as usize) } else { None }
            }

            /// The id of an index in a list; [`Self::NONE`] if the index has more than 32 bits.
            #[inline]
            pub fn new(index: usize) -> Self {
                u32::try_from(index).map_or(Self::NONE, Self)
            }

            /// Whether this is [`Self::NONE`].
            #[inline]
            pub const fn is_none(self) -> bool {
                self.0 == Self::NONE.0
            }
        }

        impl std::fmt::Display for $name {
            /// The index; -1 and -2 for the reserved values.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.get() {
                    Some(index) => index.fmt(f),
                    None => self.0.cast_signed().fmt(f),
                }
            }
        }

        /// As [`Display`](std::fmt::Display): the index; -1 and -2 for the reserved values.
        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_i64(number(self.0))
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                let number = i64::deserialize(from)?;
                let what = "expected an index (0 or more), -1 (none) or -2 (reserved), found";
                index(number).map(Self).ok_or_else(|| serde::de::Error::custom(format!("{what} {number}")))
            }
        }

        impl Default for $name {
            /// [`Self::NONE`].
            fn default() -> Self {
                Self::NONE
            }
        }

        impl From<u32> for $name {
            #[inline]
            fn from(value: u32) -> Self {
                Self(value)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

ids! {
    /// An index in [`Model::vertices`](crate::Model::vertices).
    VertexId
    /// An index in [`Model::tex_coords`](crate::Model::tex_coords).
    TexCoordId
    /// An index in [`Model::bones`](crate::Model::bones).
    BoneId
    /// An index in [`Model::skins`](crate::Model::skins), or [`SkinId::QUATERNION`].
    SkinId
    /// An index in [`Model::materials`](crate::Model::materials).
    MaterialId
    /// An index in [`Model::shapes`](crate::Model::shapes).
    ShapeId
}

/// The number of an index: -1 and -2 for the reserved values.
#[cfg(feature = "serde")]
fn number(index: u32) -> i64 {
    if index < VertexId::RESERVED.0 { index.into() } else { index.cast_signed().into() }
}

/// The index with a number.
#[cfg(feature = "serde")]
fn index(number: i64) -> Option<u32> {
    match i32::try_from(number) {
        Ok(number @ (-1 | -2)) => Some(number.cast_unsigned()),
        _ => u32::try_from(number).ok(),
    }
}

impl SkinId {
    /// The vertex is not a point: its four numbers are the quaternion of a bone. -2 in the file.
    pub const QUATERNION: Self = Self::RESERVED;
}
