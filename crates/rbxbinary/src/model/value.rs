//! Values of every type, and the same by reference: what a column gives without copying.

use bstr::{BStr, BString, ByteSlice};
use geom::{Quat, Vec2, Vec3};

use super::InstanceId;
use super::same::{Same, equal};
use super::shared_bytes::SharedBytes;
use super::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, EnumItem, Faces, Font, FontStyle,
    NumberRange, NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId,
    Vector2int16, Vector3int16,
};
use crate::consts::{TypeId, types};

/// A rotation as a quaternion and a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrameQuat {
    /// The position, in studs.
    pub position: Vec3,
    /// The rotation.
    pub rotation: Quat,
}

/// An asset: nothing, an address, or an object of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Nothing.
    #[default]
    None,
    /// An address, such as `rbxassetid://1`.
    Uri(BString),
    /// An object of the document, or null.
    Object(Option<InstanceId>),
}

/// An asset, by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentRef<'a> {
    /// Nothing.
    None,
    /// An address.
    Uri(&'a BStr),
    /// An object of the document, or null.
    Object(Option<InstanceId>),
}

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

equal!(ContentRef<'_>, FontRef<'_>);

impl Same for CFrameQuat {
    fn same(&self, other: &Self) -> bool {
        self.position.same(&other.position) && self.rotation.same(&other.rotation)
    }
}

/// What a value is by reference, and back.
trait Borrowed<'a>: Sized {
    type Owned;
    fn of(owned: &'a Self::Owned) -> Self;
    fn into_owned(self) -> Self::Owned;
}

macro_rules! copied {
    ($($kind:ty),+ $(,)?) => {$(
        impl<'a> Borrowed<'a> for $kind {
            type Owned = Self;
            fn of(owned: &'a Self) -> Self { *owned }
            fn into_owned(self) -> Self { self }
        }
    )+};
}
copied! {
    bool, i32, i64, u32, f32, f64, UDim, UDim2, Ray, Faces, Axes, BrickColor, Color3, Color3uint8, Vec2, Vec3,
    Vector2int16, Vector3int16, CFrame, CFrameQuat, Option<CFrame>, Option<InstanceId>, NumberRange, Rect,
    PhysicalProperties, UniqueId, SecurityCapabilities,
}

macro_rules! borrowed {
    ($($by_ref:ty = $kind:ty: |$owned:ident| $of:expr, |$borrowed:ident| $into:expr;)+) => {$(
        impl<'a> Borrowed<'a> for $by_ref {
            type Owned = $kind;
            fn of($owned: &'a $kind) -> Self { $of }
            fn into_owned(self) -> $kind { let $borrowed = self; $into }
        }
    )+};
}
borrowed! {
    &'a BStr = BString: |owned| owned.as_bstr(), |text| text.to_owned();
    &'a SharedBytes = SharedBytes: |owned| owned, |bytes| bytes.clone();
    &'a NumberSequence = NumberSequence: |owned| owned, |sequence| sequence.clone();
    &'a ColorSequence = ColorSequence: |owned| owned, |sequence| sequence.clone();
    FontRef<'a> = Font: |owned| FontRef {
        family: owned.family.as_bstr(),
        weight: owned.weight,
        style: owned.style,
        cached_face_id: owned.cached_face_id.as_bstr(),
    }, |font| Font {
        family: font.family.to_owned(),
        weight: font.weight,
        style: font.style,
        cached_face_id: font.cached_face_id.to_owned(),
    };
    ContentRef<'a> = Content: |owned| match owned {
        Content::None => Self::None,
        Content::Uri(uri) => Self::Uri(uri.as_bstr()),
        Content::Object(id) => Self::Object(*id),
    }, |content| match content {
        ContentRef::None => Content::None,
        ContentRef::Uri(uri) => Content::Uri(uri.to_owned()),
        ContentRef::Object(id) => Content::Object(id),
    };
}

macro_rules! values {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty) $by_ref:ty => $value:ty;)+) => {
        /// A value of any type. `==` compares numbers by their bits: NaN equals itself, and -0.0 is not 0.0.
        ///
        /// Some of Roblox's types have no variant, because this format stores them as another: a `ContentId`
        /// and the source of a script are a `String`, a `NetAssetRef` is a `SharedString`.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Value {
            $($(#[$doc])* $name($value),)+
        }

        /// A value of any type, by reference. The variants are those of [`Value`].
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum ValueRef<'a> {
            $($(#[$doc])* $name($by_ref),)+
        }

        impl PartialEq for ValueRef<'_> {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$name(this), Self::$name(that)) => this.same(that),)+
                    _ => false,
                }
            }
        }

        impl Value {
            fn zero(type_id: TypeId) -> Option<Self> {
                Some(match type_id {
                    $(TypeId::$constant => Self::$name(Default::default()),)+
                    _ => return None,
                })
            }
        }

        impl<'a> ValueRef<'a> {
            /// The type.
            pub fn type_id(&self) -> TypeId {
                match self { $(Self::$name(_) => TypeId::$constant,)+ }
            }

            /// A copy that borrows nothing.
            pub fn to_value(&self) -> Value {
                match *self { $(Self::$name(value) => Value::$name(Borrowed::into_owned(value)),)+ }
            }

            fn of(value: &'a Value) -> Self {
                match value { $(Value::$name(value) => Self::$name(Borrowed::of(value)),)+ }
            }
        }
    };
}
types!(values);

/// The accessors of both forms: the value where it is of that type, or of one that it widens without loss.
macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident -> $kind:ty: $($pattern:pat => $value:expr),+;)+) => {
        impl<'a> ValueRef<'a> {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                Some(match *self { $($pattern => $value,)+ _ => return None })
            })+

            /// The text of a string of any kind or of an address, where it is UTF-8.
            pub fn as_str(&self) -> Option<&'a str> {
                self.as_bytes()?.to_str().ok()
            }
        }

        impl Value {
            $($(#[$doc])* #[allow(clippy::needless_lifetimes, reason = "some of them borrow")]
            pub fn $name<'a>(&'a self) -> Option<$kind> { self.as_ref().$name() })+

            /// The text of a string of any kind or of an address, where it is UTF-8.
            pub fn as_str(&self) -> Option<&str> {
                self.as_ref().as_str()
            }

            /// The same value by reference.
            pub fn as_ref(&self) -> ValueRef<'_> {
                ValueRef::of(self)
            }

            /// The type.
            pub fn type_id(&self) -> TypeId {
                self.as_ref().type_id()
            }
        }
    };
}
accessors! {
    /// The bytes of a string of any kind, or an address. Since 2026, Roblox stores some properties that were a
    /// `String`, such as `Tags`, as a `SharedString`.
    as_bytes -> &'a [u8]:
        Self::String(text) | Self::Bytecode(text) => text,
        Self::SharedString(bytes) => bytes,
        Self::Content(ContentRef::Uri(uri)) => uri;
    /// The value of a `Bool`.
    as_bool -> bool: Self::Bool(value) => value;
    /// The value of an `Int32`.
    as_i32 -> i32: Self::Int32(value) => value;
    /// The value of an `Int64` or an `Int32`.
    as_i64 -> i64: Self::Int64(value) => value, Self::Int32(value) => value.into();
    /// The value of a `Float32`.
    as_f32 -> f32: Self::Float32(value) => value;
    /// The value of a `Float64`, a `Float32` or an `Int32`.
    as_f64 -> f64:
        Self::Float64(value) => value, Self::Float32(value) => value.into(), Self::Int32(value) => value.into();
    /// The number of an enum's item.
    as_enum -> u32: Self::Enum(value) => value;
    /// The instance that a `Ref`, or a `Content` of an object, refers to; `None` also for null.
    as_instance -> InstanceId: Self::Ref(Some(id)) | Self::Content(ContentRef::Object(Some(id))) => id;
    /// The value of a `Vector2`.
    as_vector2 -> Vec2: Self::Vector2(value) => value;
    /// The value of a `Vector3`.
    as_vector3 -> Vec3: Self::Vector3(value) => value;
    /// The value of a `Color3`.
    as_color3 -> Color3: Self::Color3(value) => value;
    /// The value of a `Color3uint8`.
    as_color3uint8 -> Color3uint8: Self::Color3uint8(value) => value;
    /// The value of a `BrickColor`.
    as_brick_color -> BrickColor: Self::BrickColor(value) => value;
    /// The value of a `CFrame`, or of an `OptionalCFrame` that has one.
    as_cframe -> CFrame: Self::CFrame(value) | Self::OptionalCFrame(Some(value)) => value;
    /// The value of a `UDim`.
    as_udim -> UDim: Self::UDim(value) => value;
    /// The value of a `UDim2`.
    as_udim2 -> UDim2: Self::UDim2(value) => value;
    /// The value of a `UniqueId`.
    as_unique_id -> UniqueId: Self::UniqueId(value) => value;
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl CFrameQuat {
    /// No rotation, at the origin.
    pub const IDENTITY: Self = Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Quat::IDENTITY };
}

impl Value {
    /// The value of a type that means least: zero, false, empty, null, the identity; white, medium stone grey.
    /// `None` where the type is not known.
    pub fn neutral(type_id: TypeId) -> Option<Self> {
        const WHITE: Color3 = Color3::new(1.0, 1.0, 1.0);
        Some(match type_id {
            TypeId::BRICK_COLOR => Self::BrickColor(BrickColor::MEDIUM_STONE_GREY),
            TypeId::COLOR3 => Self::Color3(WHITE),
            TypeId::NUMBER_SEQUENCE => Self::NumberSequence(NumberSequence::constant(1.0)),
            TypeId::COLOR_SEQUENCE => Self::ColorSequence(ColorSequence::constant(WHITE)),
            TypeId::COLOR3_UINT8 => Self::Color3uint8(Color3uint8::new(163, 162, 165)),
            TypeId::FONT => Self::Font(Font {
                family: "rbxasset://fonts/families/SourceSansPro.json".into(),
                weight: 400,
                ..Font::default()
            }),
            _ => return Self::zero(type_id),
        })
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
    String: &str, String, BString, &BStr, &[u8], Vec<u8>;
    Bool: bool;
    Int32: i32;
    Int64: i64;
    Float32: f32;
    Float64: f64;
    Vector2: Vec2;
    Vector3: Vec3;
    OptionalCFrame: Option<CFrame>;
    Ref: InstanceId, Option<InstanceId>;
}

/// The same for types that have the name of their variant.
macro_rules! into_value_of_the_name {
    ($($name:ident),+ $(,)?) => { into_value! { $($name: $name;)+ } };
}
into_value_of_the_name! {
    UDim, UDim2, Ray, Faces, Axes, BrickColor, Color3, Color3uint8, Vector2int16, Vector3int16, CFrame, CFrameQuat,
    NumberSequence, ColorSequence, NumberRange, Rect, PhysicalProperties, UniqueId, Font, SecurityCapabilities,
    Content,
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        value.to_value()
    }
}
