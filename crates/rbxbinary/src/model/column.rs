//! Columns: the values of one property for all instances of a class.

use geom::{Mat3, Quat, Vec2, Vec3};

use super::list::{Sequences, Strings};
use super::value::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequenceKeypoint, Faces, FontStyle,
    NumberRange, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2,
    UniqueId, Vector2int16, Vector3int16,
};
use super::{Referent, rotation};
use crate::consts::TypeId;

/// The types whose columns are one vector: variant, element, type, and the neutral value.
macro_rules! plain_columns {
    ($then:ident) => {
        $then! {
            /// True or false.
            Bool(bool) = BOOL, false;
            /// 32 bits with a sign.
            Int32(i32) = INT32, 0;
            /// Numbers of 32 bits.
            Float32(f32) = FLOAT32, 0.0;
            /// Numbers of 64 bits.
            Float64(f64) = FLOAT64, 0.0;
            /// Shares and pixels.
            UDim(UDim) = UDIM, Default::default();
            /// Shares and pixels along each axis.
            UDim2(UDim2) = UDIM2, Default::default();
            /// Points and directions.
            Ray(Ray) = RAY, Default::default();
            /// Sets of faces.
            Faces(Faces) = FACES, Default::default();
            /// Sets of axes.
            Axes(Axes) = AXES, Default::default();
            /// Numbers of colours.
            BrickColor(BrickColor) = BRICK_COLOR, super::BrickColor::MEDIUM_STONE_GREY;
            /// Colours of three numbers.
            Color3(Color3) = COLOR3, Default::default();
            /// Two numbers each.
            Vector2(Vec2) = VECTOR2, Default::default();
            /// Three numbers each.
            Vector3(Vec3) = VECTOR3, Default::default();
            /// Two numbers of 16 bits each.
            Vector2int16(Vector2int16) = VECTOR2_INT16, Default::default();
            /// Items of enums.
            Enum(u32) = ENUM, 0;
            /// Instances.
            Ref(Referent) = REF, Referent::NULL;
            /// Three numbers of 16 bits each.
            Vector3int16(Vector3int16) = VECTOR3_INT16, Default::default();
            /// Ranges.
            NumberRange(NumberRange) = NUMBER_RANGE, Default::default();
            /// Rectangles.
            Rect(Rect) = RECT, Default::default();
            /// Colours of three bytes.
            Color3uint8(Color3uint8) = COLOR3_UINT8, Default::default();
            /// 64 bits with a sign.
            Int64(i64) = INT64, 0;
            /// Identifiers.
            UniqueId(UniqueId) = UNIQUE_ID, Default::default();
            /// 64 bits each.
            SecurityCapabilities(SecurityCapabilities) = SECURITY_CAPABILITIES, Default::default();
        }
    };
}
pub(super) use plain_columns;

macro_rules! column {
    ($($(#[$doc:meta])* $name:ident($kind:ty) = $id:ident, $neutral:expr;)+) => {
        /// The values of a property, one per instance of the class.
        ///
        /// A chunk whose type is not known, or whose values do not fill it in the way that this
        /// crate knows, is kept as it stands, as `Unknown`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Column {
            $($(#[$doc])* $name(Vec<$kind>),)+
            /// Strings of bytes.
            String(Strings),
            /// Rotations and positions.
            CFrame(Box<CFrames>),
            /// Quaternions and positions.
            CFrameQuat(Box<CFrameQuats>),
            /// Numbers over time.
            NumberSequence(Box<Sequences<NumberSequenceKeypoint>>),
            /// Colours over time.
            ColorSequence(Box<Sequences<ColorSequenceKeypoint>>),
            /// How parts behave in the simulation.
            PhysicalProperties(Box<PhysicalColumn>),
            /// Places in [`crate::Document::shared_strings`].
            SharedString(Vec<u32>),
            /// Compiled code.
            Bytecode(Box<Strings>),
            /// Rotations and positions, or none.
            OptionalCFrame(Box<OptionalCFrames>),
            /// Typefaces.
            Font(Box<Fonts>),
            /// Assets.
            Content(Box<Contents>),
            /// Values of a type that is not known, or that could not be told apart: the bytes behind
            /// the type.
            Unknown {
                /// The type.
                type_id: TypeId,
                /// The bytes behind it.
                bytes: Box<[u8]>,
            },
            /// The chunk ends behind the name of the property; Roblox passes over it.
            Untyped,
        }

        impl Column {
            /// An empty column of a type; `None` where the type is not known.
            pub fn new(type_id: TypeId) -> Option<Self> {
                Some(match type_id {
                    $(TypeId::$id => Self::$name(Vec::new()),)+
                    TypeId::STRING => Self::String(Strings::new()),
                    TypeId::CFRAME => Self::CFrame(Box::default()),
                    TypeId::CFRAME_QUAT => Self::CFrameQuat(Box::default()),
                    TypeId::NUMBER_SEQUENCE => Self::NumberSequence(Box::default()),
                    TypeId::COLOR_SEQUENCE => Self::ColorSequence(Box::default()),
                    TypeId::PHYSICAL_PROPERTIES => Self::PhysicalProperties(Box::default()),
                    TypeId::SHARED_STRING => Self::SharedString(Vec::new()),
                    TypeId::BYTECODE => Self::Bytecode(Box::default()),
                    TypeId::OPTIONAL_CFRAME => Self::OptionalCFrame(Box::default()),
                    TypeId::FONT => Self::Font(Box::default()),
                    TypeId::CONTENT => Self::Content(Box::default()),
                    _ => return None,
                })
            }

            /// The type; `None` where the chunk has none.
            pub fn type_id(&self) -> Option<TypeId> {
                Some(match self {
                    $(Self::$name(_) => TypeId::$id,)+
                    Self::String(_) => TypeId::STRING,
                    Self::CFrame(_) => TypeId::CFRAME,
                    Self::CFrameQuat(_) => TypeId::CFRAME_QUAT,
                    Self::NumberSequence(_) => TypeId::NUMBER_SEQUENCE,
                    Self::ColorSequence(_) => TypeId::COLOR_SEQUENCE,
                    Self::PhysicalProperties(_) => TypeId::PHYSICAL_PROPERTIES,
                    Self::SharedString(_) => TypeId::SHARED_STRING,
                    Self::Bytecode(_) => TypeId::BYTECODE,
                    Self::OptionalCFrame(_) => TypeId::OPTIONAL_CFRAME,
                    Self::Font(_) => TypeId::FONT,
                    Self::Content(_) => TypeId::CONTENT,
                    Self::Unknown { type_id, .. } => *type_id,
                    Self::Untyped => return None,
                })
            }

            /// How many values there are; `None` where they cannot be told apart.
            #[allow(clippy::len_without_is_empty, reason = "not every column has a length")]
            pub fn len(&self) -> Option<usize> {
                Some(match self {
                    $(Self::$name(values) => values.len(),)+
                    Self::String(strings) => strings.len(),
                    Self::Bytecode(strings) => strings.len(),
                    Self::CFrame(frames) => frames.values.len(),
                    Self::CFrameQuat(frames) => frames.values.len(),
                    Self::NumberSequence(lists) => lists.len(),
                    Self::ColorSequence(lists) => lists.len(),
                    Self::PhysicalProperties(column) => column.values.len(),
                    Self::SharedString(places) => places.len(),
                    Self::OptionalCFrame(frames) => frames.present.len(),
                    Self::Font(fonts) => fonts.styles.len(),
                    Self::Content(contents) => contents.entries.len(),
                    Self::Unknown { .. } | Self::Untyped => return None,
                })
            }
        }
    };
}
plain_columns!(column);

// A column is small, for there are many: what needs more than one vector is behind a pointer.
const _: () = assert!(size_of::<Column>() <= 32);

impl Default for Column {
    fn default() -> Self {
        Self::Untyped
    }
}

/// Rotations and positions, and how each rotation stands in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrames {
    /// The values.
    pub values: Vec<CFrame>,
    /// The id of each rotation as the file has it, 0 for a matrix. Where one is missing, or does not
    /// stand for the value's rotation any more, the shortest form that says exactly that is written.
    pub ids: Vec<u8>,
}

/// Quaternions and positions, and how each rotation stands in the file.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrameQuats {
    /// The values.
    pub values: Vec<CFrameQuat>,
    /// The id of each rotation as the file has it, 0 for a quaternion. Where one is missing, or does
    /// not stand for the value's rotation any more, a quaternion is written.
    pub ids: Vec<u8>,
}

/// Rotations and positions that may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionalCFrames {
    /// The values; the identity, usually, where a value is absent.
    pub frames: CFrames,
    /// Whether each value is there.
    pub present: Vec<bool>,
}

/// How parts behave in the simulation, and which bits stand before each value.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicalColumn {
    /// The values.
    pub values: Vec<PhysicalProperties>,
    /// The bits before each: 1 for numbers of its own, 2 for the sixth of them. Studio also sets 2
    /// where there are no numbers. Where bits are missing, or do not fit the value any more, those
    /// that do are written.
    pub flags: Vec<u8>,
}

/// Typefaces, part by part.
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
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contents {
    /// What each value is.
    pub entries: Vec<ContentEntry>,
    /// The addresses that entries refer to by their place here.
    pub uris: Strings,
    /// A list of instances whose meaning is not known; empty in every real file.
    pub external: Vec<Referent>,
}

/// One asset of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContentEntry {
    /// None.
    #[default]
    None,
    /// The address with this index in [`Contents::uris`].
    Uri(u32),
    /// An object of the document.
    Object(Referent),
}

impl CFrames {
    /// The id to write for a value: as it was, where that still says it, else the shortest.
    pub(crate) fn id(&self, index: usize, value: &CFrame) -> u8 {
        match self.ids.get(index) {
            Some(&id) if rotation::fits(id, &value.rotation) => id,
            _ => rotation::find(&value.rotation).unwrap_or(0),
        }
    }

    /// Adds a value in its shortest form.
    pub fn push(&mut self, value: CFrame) {
        self.ids.resize(self.values.len(), 0);
        self.ids.push(rotation::find(&value.rotation).unwrap_or(0));
        self.values.push(value);
    }
}

impl CFrameQuats {
    /// The id to write for a value.
    pub(crate) fn id(&self, index: usize, value: &CFrameQuat) -> u8 {
        let fits = |&id: &u8| id != 0 && rotation::quaternion(id).unwrap_or(Quat::IDENTITY) == value.rotation;
        self.ids.get(index).copied().filter(fits).unwrap_or(0)
    }

    /// Adds a value.
    pub fn push(&mut self, value: CFrameQuat) {
        self.ids.resize(self.values.len(), 0);
        self.ids.push(0);
        self.values.push(value);
    }
}

impl CFrame {
    /// No rotation, at the origin.
    pub const IDENTITY: Self = Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Mat3::IDENTITY };
}

impl CFrameQuat {
    /// No rotation, at the origin.
    pub const IDENTITY: Self = Self { position: Vec3::new(0.0, 0.0, 0.0), rotation: Quat::IDENTITY };
}

impl PhysicalProperties {
    /// The bits that stand before the value, where nothing is known of how it was written.
    fn natural_flags(&self) -> u8 {
        match self {
            Self::Default => 2,
            Self::Custom(custom) if custom.acoustic_absorption.is_some() => 3,
            Self::Custom(_) => 1,
        }
    }
}

impl PhysicalColumn {
    /// The bits to write for a value: as they were, where they still fit, else what Studio writes.
    pub(crate) fn flag(&self, index: usize, value: &PhysicalProperties) -> u8 {
        let fits = |&flags: &u8| match value {
            PhysicalProperties::Default => flags & 1 == 0,
            PhysicalProperties::Custom(_) => flags == value.natural_flags(),
        };
        self.flags.get(index).copied().filter(fits).unwrap_or(value.natural_flags())
    }

    /// Adds a value as Studio writes it.
    pub fn push(&mut self, value: PhysicalProperties) {
        self.flags.resize(self.values.len(), 0);
        self.flags.push(value.natural_flags());
        self.values.push(value);
    }
}

impl Contents {
    /// The address of a `Uri` entry.
    pub fn uri(&self, place: u32) -> Option<&bstr::BStr> {
        self.uris.get(place as usize)
    }
}
