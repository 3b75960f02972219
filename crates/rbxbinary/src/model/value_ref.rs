//! Values by reference: what a column gives without copying.

use bstr::{BStr, BString, ByteSlice};
use geom::{Vec2, Vec3};

use super::Referent;
use super::value::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray,
    Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Value, Vector2int16, Vector3int16,
};
use crate::consts::TypeId;

/// A typeface, by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FontRef<'a> {
    /// As [`Font::family`].
    pub family: &'a BStr,
    /// As [`Font::weight`].
    pub weight: u16,
    /// As [`Font::style`].
    pub style: FontStyle,
    /// As [`Font::cached_face_id`].
    pub cached_face_id: &'a BStr,
}

/// An asset, by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentRef<'a> {
    /// None.
    None,
    /// An address.
    Uri(&'a BStr),
    /// An object of the document.
    Object(Referent),
}

/// Declares `ValueRef` and its conversions: the types that are copied, and those that are borrowed.
macro_rules! value_ref {
    (
        copied { $($copied:ident($kind:ty) = $copied_id:ident,)+ }
        borrowed { $($borrowed:ident($by_ref:ty) = $borrowed_id:ident, |$of:ident| $owned:expr, |$from:ident| $back:expr;)+ }
    ) => {
        /// A value of any type, by reference. The variants are those of [`Value`].
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the variants are those of Value, one by one")]
        pub enum ValueRef<'a> {
            $($copied($kind),)+
            $($borrowed($by_ref),)+
        }

        impl ValueRef<'_> {
            /// The type.
            pub fn type_id(&self) -> TypeId {
                match self {
                    $(Self::$copied(_) => TypeId::$copied_id,)+
                    $(Self::$borrowed(_) => TypeId::$borrowed_id,)+
                }
            }

            /// A copy that borrows nothing.
            pub fn to_owned(&self) -> Value {
                match *self {
                    $(Self::$copied(value) => Value::$copied(value),)+
                    $(Self::$borrowed($of) => Value::$borrowed($owned),)+
                }
            }
        }

        impl Value {
            /// The same value by reference.
            pub fn as_ref(&self) -> ValueRef<'_> {
                match self {
                    $(Self::$copied(value) => ValueRef::$copied(*value),)+
                    $(Self::$borrowed($from) => ValueRef::$borrowed($back),)+
                }
            }

            /// The type.
            pub fn type_id(&self) -> TypeId {
                self.as_ref().type_id()
            }
        }
    };
}

value_ref! {
    copied {
        Bool(bool) = BOOL,
        Int32(i32) = INT32,
        Float32(f32) = FLOAT32,
        Float64(f64) = FLOAT64,
        UDim(UDim) = UDIM,
        UDim2(UDim2) = UDIM2,
        Ray(Ray) = RAY,
        Faces(Faces) = FACES,
        Axes(Axes) = AXES,
        BrickColor(BrickColor) = BRICK_COLOR,
        Color3(Color3) = COLOR3,
        Vector2(Vec2) = VECTOR2,
        Vector3(Vec3) = VECTOR3,
        Vector2int16(Vector2int16) = VECTOR2_INT16,
        CFrame(CFrame) = CFRAME,
        CFrameQuat(CFrameQuat) = CFRAME_QUAT,
        Enum(u32) = ENUM,
        Ref(Referent) = REF,
        Vector3int16(Vector3int16) = VECTOR3_INT16,
        NumberRange(NumberRange) = NUMBER_RANGE,
        Rect(Rect) = RECT,
        PhysicalProperties(PhysicalProperties) = PHYSICAL_PROPERTIES,
        Color3uint8(Color3uint8) = COLOR3_UINT8,
        Int64(i64) = INT64,
        OptionalCFrame(Option<CFrame>) = OPTIONAL_CFRAME,
        UniqueId(UniqueId) = UNIQUE_ID,
        SecurityCapabilities(SecurityCapabilities) = SECURITY_CAPABILITIES,
    }
    borrowed {
        String(&'a BStr) = STRING, |v| v.to_owned(), |v| v.as_bstr();
        SharedString(&'a BStr) = SHARED_STRING, |v| v.to_owned(), |v| v.as_bstr();
        Bytecode(&'a BStr) = BYTECODE, |v| v.to_owned(), |v| v.as_bstr();
        NumberSequence(&'a [NumberSequenceKeypoint]) = NUMBER_SEQUENCE,
            |v| NumberSequence { keypoints: v.to_vec() }, |v| &v.keypoints;
        ColorSequence(&'a [ColorSequenceKeypoint]) = COLOR_SEQUENCE,
            |v| ColorSequence { keypoints: v.to_vec() }, |v| &v.keypoints;
        Font(FontRef<'a>) = FONT, |v| v.to_owned(), |v| v.as_ref();
        Content(ContentRef<'a>) = CONTENT, |v| v.to_owned(), |v| v.as_ref();
    }
}

impl<'a> ValueRef<'a> {
    /// The bytes of a string, however the column stores it: since 2026 Roblox stores some properties
    /// that were a `String`, such as `Tags`, as a `SharedString`.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Self::String(bytes) | Self::SharedString(bytes) | Self::Bytecode(bytes) => Some(bytes),
            Self::Content(ContentRef::Uri(uri)) => Some(uri),
            _ => None,
        }
    }

    /// The text of a string, where it is one and is UTF-8.
    pub fn as_str(&self) -> Option<&'a str> {
        self.as_bytes()?.to_str().ok()
    }

    /// The number, where it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Float32(value) => Some(value.into()),
            Self::Float64(value) => Some(value),
            Self::Int32(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The whole number, where it is one.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Int32(value) => Some(value.into()),
            Self::Int64(value) => Some(value),
            Self::Enum(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The truth, where it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The instance that this refers to, where it is a reference that is not null.
    pub fn as_referent(&self) -> Option<Referent> {
        match *self {
            Self::Ref(referent) | Self::Content(ContentRef::Object(referent)) => referent.non_null(),
            _ => None,
        }
    }
}

impl FontRef<'_> {
    /// A copy that borrows nothing.
    pub fn to_owned(&self) -> Font {
        Font {
            family: BString::from(self.family),
            weight: self.weight,
            style: self.style,
            cached_face_id: BString::from(self.cached_face_id),
        }
    }
}

impl Font {
    /// The same by reference.
    pub fn as_ref(&self) -> FontRef<'_> {
        FontRef {
            family: self.family.as_bstr(),
            weight: self.weight,
            style: self.style,
            cached_face_id: self.cached_face_id.as_bstr(),
        }
    }
}

impl ContentRef<'_> {
    /// A copy that borrows nothing.
    pub fn to_owned(&self) -> Content {
        match *self {
            Self::None => Content::None,
            Self::Uri(uri) => Content::Uri(uri.to_owned()),
            Self::Object(referent) => Content::Object(referent),
        }
    }
}

impl Content {
    /// The same by reference.
    pub fn as_ref(&self) -> ContentRef<'_> {
        match self {
            Self::None => ContentRef::None,
            Self::Uri(uri) => ContentRef::Uri(uri.as_bstr()),
            Self::Object(referent) => ContentRef::Object(*referent),
        }
    }
}

/// Plain values become a `Value` without naming the variant.
macro_rules! into_value {
    ($($kind:ty => |$value:ident| $into:expr;)+) => {$(
        impl From<$kind> for Value {
            fn from($value: $kind) -> Self {
                $into
            }
        }
    )+};
}

into_value! {
    &str => |text| Self::String(text.into());
    String => |text| Self::String(text.into());
    BString => |bytes| Self::String(bytes);
    bool => |value| Self::Bool(value);
    i32 => |value| Self::Int32(value);
    i64 => |value| Self::Int64(value);
    f32 => |value| Self::Float32(value);
    f64 => |value| Self::Float64(value);
    UDim => |value| Self::UDim(value);
    UDim2 => |value| Self::UDim2(value);
    Color3 => |value| Self::Color3(value);
    Color3uint8 => |value| Self::Color3uint8(value);
    BrickColor => |value| Self::BrickColor(value);
    Vec2 => |value| Self::Vector2(value);
    Vec3 => |value| Self::Vector3(value);
    CFrame => |value| Self::CFrame(value);
    Referent => |value| Self::Ref(value);
    Font => |value| Self::Font(value);
    Content => |value| Self::Content(value);
}
