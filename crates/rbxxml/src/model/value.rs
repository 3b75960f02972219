//! Values of every type.

use bstr::{BStr, BString};
use geom::{Vec2, Vec3};

use super::same::{Same, equal};
use super::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, EnumItem, Faces, Font, InstanceId, Name,
    NumberRange, NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, Text, UDim, UDim2,
    UniqueId, Vector2int16, Vector3int16,
};
use crate::consts::types;

/// Makes the type from the table: what a value is, and the tag of its element.
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident($kind:ty) $tag:ident $(as $written:ident)?
        = $form:ident $(($($how:path),+))?;)+) => {
        /// A value of any type, 24 bytes wide: what is larger is in a box. `==` compares numbers by their bits: NaN equals
        /// itself, and -0.0 is not 0.0.
        ///
        /// | variant | element |
        /// |---|---|
        /// | `String`, `ProtectedString`, `BinaryString` | the same |
        /// | `Bool`, `Int32`, `Int64`, `Float32`, `Float64`, `Enum` | `bool`, `int`, `int64`, `float`, `double`, `token` |
        /// | `BrickColor` | `BrickColor`; Studio writes such a value as `int`, which reads as `Int32` |
        /// | `CFrame`, `OptionalCFrame`, `Rect` | `CoordinateFrame`, `OptionalCoordinateFrame`, `Rect2D` |
        /// | `ContentId`, `Content` | both `Content` |
        /// | all others | the same |
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Value {
            $($(#[$doc])* $name($kind),)+
            /// An element of a type that this crate does not know, or whose content is not of its type's form.
            Unknown(Box<Unknown>),
        }

        impl Value {
            /// The tags of all types.
            pub(crate) const TAGS: &[&str] = &[$(stringify!($tag)),+];

            /// The type: the tag, except for the two types that share one.
            pub(crate) fn kind(&self) -> &str {
                match self {
                    $(Self::$name(_) => stringify!($tag),)+
                    Self::Unknown(unknown) => &unknown.tag,
                }
            }
        }

        impl PartialEq for Value {
            fn eq(&self, other: &Self) -> bool {
                match self {
                    $(Self::$name(this) => matches!(other, Self::$name(that) if this.same(that)),)+
                    Self::Unknown(this) => matches!(other, Self::Unknown(that) if this == that),
                }
            }
        }
    };
}
types!(values);

/// An element of a type that this crate does not know, or a malformed value such as `<int>x</int>`, kept
/// as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unknown {
    /// The element's tag.
    pub tag: Name,
    /// What is between its tags, as XML. It is written as it is.
    pub xml: Text,
}

/// An asset: nothing, an address, or an instance of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Content {
    /// Nothing.
    #[default]
    None,
    /// An address, such as `rbxassetid://1`.
    Uri(Text),
    /// An instance of the document, or null.
    Object(Option<InstanceId>),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Value>() == 24);

equal!(Text, Name, Content);

/// Values of these variants, else `None`.
macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident -> $kind:ty: $($pattern:pat => $value:expr),+;)+) => {
        impl Value {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                Some(match self { $($pattern => $value,)+ _ => return None })
            })+
        }
    };
}
accessors! {
    /// Whether it is true.
    as_bool -> bool: Self::Bool(value) => *value;
    /// A signed integer of 32 bits.
    as_i32 -> i32: Self::Int32(value) => *value;
    /// A signed integer.
    as_i64 -> i64: Self::Int32(value) => (*value).into(), Self::Int64(value) => *value;
    /// A number of 32 bits.
    as_f32 -> f32: Self::Float32(value) => *value;
    /// A number that 64 bits represent exactly.
    as_f64 -> f64:
        Self::Float32(value) => (*value).into(), Self::Float64(value) => *value, Self::Int32(value) => (*value).into();
    /// The number of an enum's item.
    as_enum -> u32: Self::Enum(value) => *value;
    /// The bytes of a string of any type, or the address of an asset.
    as_bytes -> &[u8]:
        Self::String(text) | Self::ProtectedString(text) | Self::BinaryString(text) => text.as_ref(),
        Self::ContentId(uri) | Self::Content(Content::Uri(uri)) => uri.as_ref();
    /// Two numbers.
    as_vector2 -> Vec2: Self::Vector2(value) => *value;
    /// Three numbers.
    as_vector3 -> Vec3: Self::Vector3(value) => *value;
    /// A colour of either type.
    as_color3 -> Color3: Self::Color3(value) => *value, Self::Color3uint8(value) => (*value).into();
    /// A length along each axis.
    as_udim2 -> UDim2: Self::UDim2(value) => *value;
    /// A rotation and a position.
    as_cframe -> CFrame: Self::CFrame(value) | Self::OptionalCFrame(Some(value)) => **value;
    /// An identifier that no two instances should share.
    as_unique_id -> UniqueId: Self::UniqueId(value) => *value;
    /// The instance that a `Ref`, or a `Content` of an object, refers to; `None` where that is null.
    as_instance -> InstanceId: Self::Ref(Some(to)) | Self::Content(Content::Object(Some(to))) => *to;
    /// The key of a shared string or an asset from the net.
    as_shared_key -> &Name: Self::SharedString(key) | Self::NetAssetRef(key) => key;
}

impl Value {
    /// The tag of the element that Studio writes for such a value.
    pub fn tag(&self) -> &str {
        match self {
            Self::ContentId(_) => "Content",
            _ => self.kind(),
        }
    }

    /// An owned copy of the value.
    #[must_use]
    pub fn to_value(&self) -> Self {
        self.clone()
    }

    /// The text of a string of any type, or the address of an asset, where it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()?).ok()
    }

    /// The reference in the value, to change.
    pub(crate) fn reference_mut(&mut self) -> Option<&mut Option<InstanceId>> {
        match self {
            Self::Ref(to) | Self::Content(Content::Object(to)) => Some(to),
            _ => None,
        }
    }
}

/// Values become a `Value` without naming the variant.
macro_rules! into_value {
    ($($name:ident: $($kind:ty),+;)+) => {$($(
        impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Self::$name(value.into())
            }
        }
    )+)+};
}
into_value! {
    String: &str, String, &BStr, &[u8], Vec<u8>, BString, Text;
    Bool: bool;
    Int32: i32;
    Int64: i64;
    Float32: f32;
    Float64: f64;
    Vector2: Vec2;
    Vector3: Vec3;
    Ref: InstanceId, Option<InstanceId>;
}

/// The same for types that have the name of their variant.
macro_rules! into_value_of_the_name {
    ($($name:ident),+ $(,)?) => { into_value! { $($name: $name;)+ } };
}
into_value_of_the_name! {
    BrickColor, Color3, Color3uint8, Vector2int16, Vector3int16, UDim, UDim2, CFrame, Ray, Rect, Axes, Faces,
    NumberRange, NumberSequence, ColorSequence, PhysicalProperties, Font, UniqueId, SecurityCapabilities, Content,
    Unknown,
}

impl From<Option<CFrame>> for Value {
    fn from(value: Option<CFrame>) -> Self {
        Self::OptionalCFrame(value.map(Box::new))
    }
}

impl From<EnumItem> for Value {
    fn from(EnumItem(number): EnumItem) -> Self {
        Self::Enum(number)
    }
}

/// A string of bytes, such as `b"\0\x01"`.
impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&Self> for Value {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}
