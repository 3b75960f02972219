//! Values of every type, owned and by reference.

use bstr::{BStr, BString, ByteSlice};
use geom::{Mat3, Quat, Vec2, Vec3};

use crate::bytes::Text;
use crate::id::InstanceId;
use crate::kind::{Kind, types};
use crate::same::Same;
use crate::shared_bytes::SharedBytes;
use crate::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, EnumItem, Faces, Font, FontStyle,
    NumberRange, NumberSequence, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId,
    Vector2int16, Vector3int16,
};
use geom::wire::by_bits;

/// A rotation as a quaternion and a position. Files are rarely seen to have one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrameQuat {
    /// The position, in studs.
    pub position: Vec3,
    /// The rotation.
    pub rotation: Quat,
}

/// An asset: nothing, an address, or an instance of the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Content {
    /// Nothing.
    #[default]
    None,
    /// An address, such as `rbxassetid://1`.
    Uri(Text),
    /// An instance of the document, or null.
    Object(Option<InstanceId>),
}

/// A value that only XML can have, kept as text: an element of a type that is not known, a malformed value such as
/// `<int>x</int>`, a key of a shared string that the document does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unknown {
    /// The element's tag.
    pub tag: Box<str>,
    /// The XML between its tags. It is written unchanged.
    pub xml: Text,
}

/// An asset, by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentRef<'a> {
    /// Nothing.
    None,
    /// An address.
    Uri(&'a BStr),
    /// An instance of the document, or null.
    Object(Option<InstanceId>),
}

/// A typeface, by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FontRef<'a> {
    /// Like [`Font::family`].
    pub family: &'a BStr,
    /// Like [`Font::weight`].
    pub weight: u16,
    /// Like [`Font::style`].
    pub style: FontStyle,
    /// Like [`Font::cached_face_id`].
    pub cached_face_id: &'a BStr,
}

by_bits!(==: ContentRef<'_>, FontRef<'_>, Text, Unknown);

by_bits! { fields: CFrameQuat { position, rotation } }

/// Converts an owned value to its form by reference, and back.
trait Borrowed<'a>: Sized {
    type Owned;
    fn of(owned: &'a Self::Owned) -> Self;
    fn into_owned(self) -> Self::Owned;
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
macro_rules! copied {
    ($($kind:ty),+; $($boxed:ty),+) => {
        borrowed! {
            $($kind = $kind: |owned| *owned, |value| value;)+
            $($boxed = Box<$boxed>: |owned| **owned, |value| Box::new(value);)+
        }
    };
}
copied! {
    bool, i32, i64, u32, f32, f64, UDim, UDim2, Faces, Axes, BrickColor, Color3, Color3uint8, Vec2, Vec3, Vector2int16,
    Vector3int16, Option<InstanceId>, NumberRange, Rect, UniqueId, SecurityCapabilities;
    CFrame, CFrameQuat, Ray, PhysicalProperties
}
borrowed! {
    &'a BStr = Text: |owned| owned, |text| text.into();
    &'a SharedBytes = SharedBytes: |owned| owned, |bytes| bytes.clone();
    &'a NumberSequence = Box<NumberSequence>: |owned| owned, |sequence| Box::new(sequence.clone());
    &'a ColorSequence = Box<ColorSequence>: |owned| owned, |sequence| Box::new(sequence.clone());
    &'a Unknown = Box<Unknown>: |owned| owned, |unknown| Box::new(unknown.clone());
    Option<CFrame> = Option<Box<CFrame>>: |owned| owned.as_deref().copied(), |frame| frame.map(Box::new);
    FontRef<'a> = Box<Font>: |owned| FontRef {
        family: owned.family.as_bstr(),
        weight: owned.weight,
        style: owned.style,
        cached_face_id: owned.cached_face_id.as_bstr(),
    }, |font| Box::new(Font {
        family: font.family.to_owned(),
        weight: font.weight,
        style: font.style,
        cached_face_id: font.cached_face_id.to_owned(),
    });
    ContentRef<'a> = Content: |owned| match owned {
        Content::None => Self::None,
        Content::Uri(uri) => Self::Uri(uri),
        Content::Object(id) => Self::Object(*id),
    }, |content| match content {
        ContentRef::None => Content::None,
        ContentRef::Uri(uri) => Content::Uri(uri.into()),
        ContentRef::Object(id) => Content::Object(id),
    };
}

/// The size of a type, in bytes.
fn width<T>(_: &T) -> usize {
    size_of::<T>()
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident $tag:literal $by_ref:ty => $value:ty;)+) => {
        /// A value of any type, 24 bytes wide: larger values are in a box. `==` compares numbers by their bits: NaN equals
        /// itself, and -0.0 is not 0.0.
        ///
        /// A binary file stores several of these types as one: `ProtectedString`, `BinaryString` and `ContentId` as a
        /// `String`, `NetAssetRef` as a `SharedString`. XML distinguishes them.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Value {
            $($(#[$doc])* $name($value),)+
            /// A value that only XML can have.
            Unknown(Box<Unknown>),
        }

        /// A value of any type, by reference. The variants are those of [`Value`].
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum ValueRef<'a> {
            $($(#[$doc])* $name($by_ref),)+
            /// A value that only XML can have.
            Unknown(&'a Unknown),
        }

        impl PartialEq for ValueRef<'_> {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$name(this), Self::$name(that)) => this.same(that),)+
                    (Self::Unknown(this), Self::Unknown(that)) => this == that,
                    _ => false,
                }
            }
        }

        impl Value {
            /// The `Default` value of the type: zero, false, empty or null.
            fn zero(kind: Kind) -> Self {
                match kind {
                    $(Kind::$name => Self::$name(Default::default()),)+
                }
            }

            /// The type; `None` for [`Value::Unknown`].
            pub fn kind(&self) -> Option<Kind> {
                Some(match self {
                    $(Self::$name(_) => Kind::$name,)+
                    Self::Unknown(_) => return None,
                })
            }

            /// The same value by reference.
            pub fn as_ref(&self) -> ValueRef<'_> {
                match self {
                    $(Self::$name(value) => ValueRef::$name(Borrowed::of(value)),)+
                    Self::Unknown(value) => ValueRef::Unknown(value),
                }
            }
        }

        impl<'a> ValueRef<'a> {
            /// The type; `None` for [`ValueRef::Unknown`].
            pub fn kind(&self) -> Option<Kind> {
                Some(match self {
                    $(Self::$name(_) => Kind::$name,)+
                    Self::Unknown(_) => return None,
                })
            }

            /// The approximate memory of the value in a column, in bytes.
            #[doc(hidden)]
            pub fn memory(&self) -> usize {
                let own = match self {
                    $(Self::$name(value) => width(value),)+
                    Self::Unknown(_) => 0,
                };
                own + match self {
                    Self::SharedString(_) => 0,
                    Self::NumberSequence(value) => size_of_val(&*value.keypoints),
                    Self::ColorSequence(value) => size_of_val(&*value.keypoints),
                    _ => self.as_bytes().map_or(0, <[u8]>::len),
                }
            }

            /// A copy that borrows nothing.
            pub fn to_value(&self) -> Value {
                match *self {
                    $(Self::$name(value) => Value::$name(Borrowed::into_owned(value)),)+
                    Self::Unknown(value) => Value::Unknown(Borrowed::into_owned(value)),
                }
            }
        }
    };
}
types!(values);

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Value>() == 24);

/// Declares accessors of both forms: the value if it has the type, or has a type that converts to it without loss.
macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident -> $kind:ty: $($pattern:pat => $value:expr),+;)+) => {
        impl<'a> ValueRef<'a> {
            $($(#[$doc])* pub fn $name(&self) -> Option<$kind> {
                Some(match *self { $($pattern => $value,)+ _ => return None })
            })+

            /// The text of a string of any kind or of an address, if it is UTF-8.
            pub fn as_str(&self) -> Option<&'a str> {
                self.as_bytes()?.to_str().ok()
            }
        }

        impl Value {
            $($(#[$doc])* #[allow(clippy::needless_lifetimes, reason = "some of them borrow")]
            #[inline]
            pub fn $name<'a>(&'a self) -> Option<$kind> { self.as_ref().$name() })+

            /// The text of a string of any kind or of an address, if it is UTF-8.
            pub fn as_str(&self) -> Option<&str> {
                self.as_ref().as_str()
            }
        }
    };
}
accessors! {
    /// The bytes of a string of any kind, or an address. Since 2026, Roblox stores some properties that were a
    /// string, such as `Tags`, as a `SharedString`.
    as_bytes -> &'a [u8]:
        Self::String(text) | Self::ProtectedString(text) | Self::BinaryString(text) | Self::Bytecode(text) => text,
        Self::ContentId(uri) | Self::Content(ContentRef::Uri(uri)) => uri,
        Self::SharedString(bytes) | Self::NetAssetRef(bytes) => bytes;
    /// The bytes of a `SharedString` or a `NetAssetRef`.
    as_shared -> &'a SharedBytes: Self::SharedString(bytes) | Self::NetAssetRef(bytes) => bytes;
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
    /// The instance that a `Ref`, or a `Content` of an instance, refers to; `None` also for null.
    as_instance -> InstanceId: Self::Ref(Some(id)) | Self::Content(ContentRef::Object(Some(id))) => id;
    /// The value of a `Vector2`.
    as_vector2 -> Vec2: Self::Vector2(value) => value;
    /// The value of a `Vector3`.
    as_vector3 -> Vec3: Self::Vector3(value) => value;
    /// The value of a `Vector2int16`.
    as_vector2int16 -> Vector2int16: Self::Vector2int16(value) => value;
    /// The value of a `Vector3int16`.
    as_vector3int16 -> Vector3int16: Self::Vector3int16(value) => value;
    /// The value of a `Color3`, or of a `Color3uint8` as a `Color3`.
    as_color3 -> Color3: Self::Color3(value) => value, Self::Color3uint8(value) => value.into();
    /// The value of a `Color3uint8`.
    as_color3uint8 -> Color3uint8: Self::Color3uint8(value) => value;
    /// The value of a `BrickColor`, which XML stores as an `Int32`.
    as_brick_color -> BrickColor:
        Self::BrickColor(value) => value, Self::Int32(value) => BrickColor(u32::try_from(value).ok()?);
    /// The value of a `CFrame`, of an `OptionalCFrame` that is not empty, or of a `CFrameQuat`.
    as_cframe -> CFrame:
        Self::CFrame(value) | Self::OptionalCFrame(Some(value)) => value,
        Self::CFrameQuat(value) => value.to_cframe();
    /// The value of a `UDim`.
    as_udim -> UDim: Self::UDim(value) => value;
    /// The value of a `UDim2`.
    as_udim2 -> UDim2: Self::UDim2(value) => value;
    /// The value of a `Ray`.
    as_ray -> Ray: Self::Ray(value) => value;
    /// The value of a `Rect`.
    as_rect -> Rect: Self::Rect(value) => value;
    /// The value of an `Axes`.
    as_axes -> Axes: Self::Axes(value) => value;
    /// The value of a `Faces`.
    as_faces -> Faces: Self::Faces(value) => value;
    /// The value of a `NumberRange`.
    as_number_range -> NumberRange: Self::NumberRange(value) => value;
    /// The value of a `NumberSequence`.
    as_number_sequence -> &'a NumberSequence: Self::NumberSequence(value) => value;
    /// The value of a `ColorSequence`.
    as_color_sequence -> &'a ColorSequence: Self::ColorSequence(value) => value;
    /// The value of a `PhysicalProperties`.
    as_physical_properties -> PhysicalProperties: Self::PhysicalProperties(value) => value;
    /// The value of a `Font`.
    as_font -> FontRef<'a>: Self::Font(value) => value;
    /// The value of a `SecurityCapabilities`.
    as_security_capabilities -> SecurityCapabilities: Self::SecurityCapabilities(value) => value;
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

    /// The same frame with a matrix; a rotation whose length is not 1 is normalized.
    pub fn to_cframe(self) -> CFrame {
        let Quat { x, y, z, w } = self.rotation;
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        let s = if s.is_finite() { s } else { 0.0 };
        let rotation = Mat3::from_rows([
            1.0 - s * (y * y + z * z),
            s * (x * y - z * w),
            s * (x * z + y * w),
            s * (x * y + z * w),
            1.0 - s * (x * x + z * z),
            s * (y * z - x * w),
            s * (x * z - y * w),
            s * (y * z + x * w),
            1.0 - s * (x * x + y * y),
        ]);
        CFrame { rotation, position: self.position }
    }
}

impl Value {
    /// The neutral value of a type: zero, false, empty, null or the identity; [`crate::Fill::Neutral`] lists the
    /// exceptions.
    pub fn neutral(kind: Kind) -> Self {
        const WHITE: Color3 = Color3::new(1.0, 1.0, 1.0);
        match kind {
            Kind::BrickColor => BrickColor::MEDIUM_STONE_GREY.into(),
            Kind::Color3 => WHITE.into(),
            Kind::NumberSequence => NumberSequence::constant(1.0).into(),
            Kind::ColorSequence => ColorSequence::constant(WHITE).into(),
            Kind::Color3uint8 => Color3uint8::new(163, 162, 165).into(),
            Kind::Font => Font {
                family: "rbxasset://fonts/families/SourceSansPro.json".into(),
                weight: 400,
                ..Font::default()
            }
            .into(),
            kind => Self::zero(kind),
        }
    }

    /// The tag of the element for such a value in XML; but Studio writes a `BrickColor` as an `int`.
    pub fn tag(&self) -> &str {
        match self {
            Self::Unknown(unknown) => &unknown.tag,
            Self::ContentId(_) => Kind::Content.tag(),
            value => value.kind().map_or("", Kind::tag),
        }
    }

    /// An owned copy of the value, as [`ValueRef::to_value`].
    #[must_use]
    pub fn to_value(&self) -> Self {
        self.clone()
    }

    /// The shared bytes in the value, to change.
    #[doc(hidden)]
    pub fn shared_mut(&mut self) -> Option<&mut SharedBytes> {
        match self {
            Self::SharedString(bytes) | Self::NetAssetRef(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The reference in the value, to change.
    #[doc(hidden)]
    pub fn reference_mut(&mut self) -> Option<&mut Option<InstanceId>> {
        match self {
            Self::Ref(to) | Self::Content(Content::Object(to)) => Some(to),
            _ => None,
        }
    }
}

/// Implements `From`, so that a value becomes a `Value` without naming the variant.
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
    String: &str, String, BString, &BStr, &[u8], Vec<u8>, Text;
    Bool: bool;
    Int32: i32;
    Int64: i64;
    Float32: f32;
    Float64: f64;
    Vector2: Vec2;
    Vector3: Vec3;
    Ref: InstanceId, Option<InstanceId>;
}

/// Like `into_value`, for types with the name of their variant.
macro_rules! into_value_of_the_name {
    ($($name:ident),+ $(,)?) => { into_value! { $($name: $name;)+ } };
}
into_value_of_the_name! {
    UDim, UDim2, Ray, Faces, Axes, BrickColor, Color3, Color3uint8, Vector2int16, Vector3int16, CFrame, CFrameQuat,
    NumberSequence, ColorSequence, NumberRange, Rect, PhysicalProperties, UniqueId, Font, SecurityCapabilities,
    Content, Unknown,
}

impl From<Option<CFrame>> for Value {
    fn from(frame: Option<CFrame>) -> Self {
        Self::OptionalCFrame(frame.map(Box::new))
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

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        value.to_value()
    }
}
