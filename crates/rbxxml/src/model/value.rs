//! Values of every type.

use bstr::{BStr, BString};
use geom::{Vec2, Vec3};

use super::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, Faces, Font, InstanceId, Name, NumberRange,
    NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, Text, UDim, UDim2, UniqueId,
    Vector2int16, Vector3int16,
};

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
    /// Bytes that are usually text.
    String(Text),
    /// Bytes that are usually the source of a script.
    ProtectedString(Text),
    /// Any bytes, base64 in the file.
    BinaryString(Text),
    /// True or false.
    Bool(bool),
    /// A signed integer of 32 bits.
    Int32(i32),
    /// A signed integer of 64 bits.
    Int64(i64),
    /// A number of 32 bits.
    Float32(f32),
    /// A number of 64 bits.
    Float64(f64),
    /// The number of an enum's item; `-1` in a file is `u32::MAX` here.
    Enum(u32),
    /// A colour by its number in Roblox's palette, under a tag of its own.
    BrickColor(BrickColor),
    /// A colour, 0 to 1 per component, which may be more.
    Color3(Color3),
    /// A colour of three bytes.
    Color3uint8(Color3uint8),
    /// Two numbers.
    Vector2(Vec2),
    /// Three numbers.
    Vector3(Vec3),
    /// Two integers of 16 bits.
    Vector2int16(Vector2int16),
    /// Three integers of 16 bits.
    Vector3int16(Vector3int16),
    /// A length as a share of the parent's and pixels.
    UDim(UDim),
    /// A length along each axis.
    UDim2(UDim2),
    /// A rotation and a position.
    CFrame(Box<CFrame>),
    /// A rotation and a position, or nothing.
    OptionalCFrame(Option<Box<CFrame>>),
    /// A point and a direction.
    Ray(Box<Ray>),
    /// A rectangle.
    Rect(Rect),
    /// A set of axes.
    Axes(Axes),
    /// A set of faces of a box.
    Faces(Faces),
    /// From one number to another.
    NumberRange(NumberRange),
    /// Numbers over time.
    NumberSequence(Box<NumberSequence>),
    /// Colours over time.
    ColorSequence(Box<ColorSequence>),
    /// How a part behaves in the simulation.
    PhysicalProperties(Box<PhysicalProperties>),
    /// A typeface.
    Font(Box<Font>),
    /// An identifier that no two instances should share.
    UniqueId(UniqueId),
    /// What a script may do, one bit each.
    SecurityCapabilities(SecurityCapabilities),
    /// An asset: nothing, an address, or an instance of the document.
    Content(Content),
    /// An asset by its address, or empty: the older kind of content, with `url` in place of `uri`.
    ContentId(Text),
    /// An instance of the document, or null. Once that instance is removed, the reference is null.
    Ref(Option<InstanceId>),
    /// The key of one of [`Document::shared_strings`](crate::Document::shared_strings).
    SharedString(Name),
    /// The same for an asset from the net.
    NetAssetRef(Name),
    /// An element of a type that this crate does not know, or whose content is not of its type's form.
    Unknown(Box<Unknown>),
}

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

impl Value {
    /// The tag of the element that Studio writes for such a value.
    pub fn tag(&self) -> &str {
        match self {
            Self::String(_) => "string",
            Self::ProtectedString(_) => "ProtectedString",
            Self::BinaryString(_) => "BinaryString",
            Self::Bool(_) => "bool",
            Self::Int32(_) => "int",
            Self::Int64(_) => "int64",
            Self::Float32(_) => "float",
            Self::Float64(_) => "double",
            Self::Enum(_) => "token",
            Self::BrickColor(_) => "BrickColor",
            Self::Color3(_) => "Color3",
            Self::Color3uint8(_) => "Color3uint8",
            Self::Vector2(_) => "Vector2",
            Self::Vector3(_) => "Vector3",
            Self::Vector2int16(_) => "Vector2int16",
            Self::Vector3int16(_) => "Vector3int16",
            Self::UDim(_) => "UDim",
            Self::UDim2(_) => "UDim2",
            Self::CFrame(_) => "CoordinateFrame",
            Self::OptionalCFrame(_) => "OptionalCoordinateFrame",
            Self::Ray(_) => "Ray",
            Self::Rect(_) => "Rect2D",
            Self::Axes(_) => "Axes",
            Self::Faces(_) => "Faces",
            Self::NumberRange(_) => "NumberRange",
            Self::NumberSequence(_) => "NumberSequence",
            Self::ColorSequence(_) => "ColorSequence",
            Self::PhysicalProperties(_) => "PhysicalProperties",
            Self::Font(_) => "Font",
            Self::UniqueId(_) => "UniqueId",
            Self::SecurityCapabilities(_) => "SecurityCapabilities",
            Self::Content(_) | Self::ContentId(_) => "Content",
            Self::Ref(_) => "Ref",
            Self::SharedString(_) => "SharedString",
            Self::NetAssetRef(_) => "NetAssetRef",
            Self::Unknown(unknown) => &unknown.tag,
        }
    }

    /// The type: the tag, but for the two types that share one.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::ContentId(_) => "ContentId",
            _ => self.tag(),
        }
    }

    /// An owned copy of the value.
    #[must_use]
    pub fn to_value(&self) -> Self {
        self.clone()
    }

    /// Whether it is true.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// A signed integer of 32 bits.
    pub fn as_i32(&self) -> Option<i32> {
        match *self {
            Self::Int32(value) => Some(value),
            _ => None,
        }
    }

    /// A signed integer.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Int32(value) => Some(value.into()),
            Self::Int64(value) => Some(value),
            _ => None,
        }
    }

    /// A number of 32 bits.
    pub fn as_f32(&self) -> Option<f32> {
        match *self {
            Self::Float32(value) => Some(value),
            _ => None,
        }
    }

    /// A number that 64 bits represent exactly.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Float32(value) => Some(value.into()),
            Self::Float64(value) => Some(value),
            Self::Int32(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The number of an enum's item.
    pub fn as_enum(&self) -> Option<u32> {
        match *self {
            Self::Enum(value) => Some(value),
            _ => None,
        }
    }

    /// The bytes of a string of any type, or the address of an asset.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::String(text) | Self::ProtectedString(text) | Self::BinaryString(text) => {
                Some(text.as_ref())
            }
            Self::ContentId(uri) | Self::Content(Content::Uri(uri)) => Some(uri.as_ref()),
            _ => None,
        }
    }

    /// The text of a string of any type, or the address of an asset, where it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()?).ok()
    }

    /// Two numbers.
    pub fn as_vector2(&self) -> Option<Vec2> {
        match *self {
            Self::Vector2(value) => Some(value),
            _ => None,
        }
    }

    /// Three numbers.
    pub fn as_vector3(&self) -> Option<Vec3> {
        match *self {
            Self::Vector3(value) => Some(value),
            _ => None,
        }
    }

    /// A colour of either type.
    pub fn as_color3(&self) -> Option<Color3> {
        match *self {
            Self::Color3(value) => Some(value),
            Self::Color3uint8(value) => Some(value.into()),
            _ => None,
        }
    }

    /// A length along each axis.
    pub fn as_udim2(&self) -> Option<UDim2> {
        match *self {
            Self::UDim2(value) => Some(value),
            _ => None,
        }
    }

    /// A rotation and a position.
    pub fn as_cframe(&self) -> Option<CFrame> {
        match self {
            Self::CFrame(value) | Self::OptionalCFrame(Some(value)) => Some(**value),
            _ => None,
        }
    }

    /// An identifier that no two instances should share.
    pub fn as_unique_id(&self) -> Option<UniqueId> {
        match *self {
            Self::UniqueId(value) => Some(value),
            _ => None,
        }
    }

    /// The instance that a `Ref`, or a `Content` of an object, refers to; `None` where that is null.
    pub fn as_instance(&self) -> Option<InstanceId> {
        match *self {
            Self::Ref(to) | Self::Content(Content::Object(to)) => to,
            _ => None,
        }
    }

    /// The key of a shared string or an asset from the net.
    pub fn as_shared_key(&self) -> Option<&Name> {
        match self {
            Self::SharedString(key) | Self::NetAssetRef(key) => Some(key),
            _ => None,
        }
    }

    /// The reference in the value, to change.
    pub(crate) fn reference_mut(&mut self) -> Option<&mut Option<InstanceId>> {
        match self {
            Self::Ref(to) | Self::Content(Content::Object(to)) => Some(to),
            _ => None,
        }
    }
}

macro_rules! into_value {
    ($($from:ty: $value:ident => $into:expr),+ $(,)?) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $into
            }
        }
    )+};
}
into_value! {
    &str: text => Self::String(text.into()),
    String: text => Self::String(text.into()),
    &BStr: text => Self::String(text.into()),
    &[u8]: bytes => Self::String(bytes.into()),
    Vec<u8>: bytes => Self::String(bytes.into()),
    BString: text => Self::String(text.into()),
    Text: text => Self::String(text),
    bool: value => Self::Bool(value),
    i32: value => Self::Int32(value),
    i64: value => Self::Int64(value),
    f32: value => Self::Float32(value),
    f64: value => Self::Float64(value),
    BrickColor: value => Self::BrickColor(value),
    Color3: value => Self::Color3(value),
    Color3uint8: value => Self::Color3uint8(value),
    Vec2: value => Self::Vector2(value),
    Vec3: value => Self::Vector3(value),
    Vector2int16: value => Self::Vector2int16(value),
    Vector3int16: value => Self::Vector3int16(value),
    UDim: value => Self::UDim(value),
    UDim2: value => Self::UDim2(value),
    CFrame: value => Self::CFrame(Box::new(value)),
    Option<CFrame>: value => Self::OptionalCFrame(value.map(Box::new)),
    Ray: value => Self::Ray(Box::new(value)),
    Rect: value => Self::Rect(value),
    Axes: value => Self::Axes(value),
    Faces: value => Self::Faces(value),
    NumberRange: value => Self::NumberRange(value),
    NumberSequence: value => Self::NumberSequence(Box::new(value)),
    ColorSequence: value => Self::ColorSequence(Box::new(value)),
    PhysicalProperties: value => Self::PhysicalProperties(Box::new(value)),
    Font: value => Self::Font(Box::new(value)),
    UniqueId: value => Self::UniqueId(value),
    SecurityCapabilities: value => Self::SecurityCapabilities(value),
    Content: value => Self::Content(value),
    InstanceId: id => Self::Ref(Some(id)),
    Option<InstanceId>: id => Self::Ref(id),
    Unknown: value => Self::Unknown(Box::new(value)),
}
