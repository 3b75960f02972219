//! Magic bytes, names of chunks, kinds of compression, and the table of types.

use std::fmt;

use rbxcore::{Kind, Value, ValueRef};

/// The first eight bytes of every file.
pub(crate) const MAGIC: &[u8; 8] = b"<roblox!";

/// The six bytes after the magic, which reveal a file that was damaged by a text-mode transfer.
pub(crate) const SIGNATURE: &[u8; 6] = b"\x89\xff\r\n\x1a\n";

/// The content of the END chunk.
pub(crate) const END_MAGIC: &[u8; 9] = b"</roblox>";

/// The first bytes of a zstd frame, which distinguish it from an LZ4 block.
pub(crate) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The version of the format. Only one is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Version(pub u16);

impl Version {
    /// The only known version.
    pub const V0: Self = Self(0);
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of a chunk: four bytes; a shorter name ends with zeros.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ChunkName(pub [u8; 4]);

impl ChunkName {
    /// Metadata: keys and values.
    pub const META: Self = Self(*b"META");
    /// Shared strings.
    pub const SSTR: Self = Self(*b"SSTR");
    /// A class and its instances.
    pub const INST: Self = Self(*b"INST");
    /// A property of a class: a column.
    pub const PROP: Self = Self(*b"PROP");
    /// The parent of each instance.
    pub const PRNT: Self = Self(*b"PRNT");
    /// Signatures.
    pub const SIGN: Self = Self(*b"SIGN");
    /// The end.
    pub const END: Self = Self(*b"END\0");
}

impl fmt::Display for ChunkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        write!(f, "{}", self.0.get(..end).unwrap_or_default().escape_ascii())
    }
}

impl fmt::Debug for ChunkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkName({self})")
    }
}

/// The compression of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    None,
    /// An LZ4 block. What Studio writes.
    #[default]
    Lz4,
    /// A zstd frame. What Roblox sends since 2025.
    Zstd,
}

/// The format of a class in an INST chunk: whether its instances are services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ClassFormat(pub u8);

impl ClassFormat {
    /// Not a service.
    pub const REGULAR: Self = Self(0);
    /// A service: each instance has a marker.
    pub const SERVICE: Self = Self(1);
}

/// The table of types: id, constant, name, and the list of a column's values. All code that depends on the type of a
/// column is generated from it. To add a type, add a line here and implement `Wire` for its list.
macro_rules! types {
    ($then:ident) => {
        $then! {
            /// Bytes that are usually text.
            0x01 STRING String(Strings);
            /// True or false.
            0x02 BOOL Bool(Vec<bool>);
            /// A signed 32-bit integer.
            0x03 INT32 Int32(Vec<i32>);
            /// A 32-bit float.
            0x04 FLOAT32 Float32(Vec<f32>);
            /// A 64-bit float.
            0x05 FLOAT64 Float64(Vec<f64>);
            /// A length: a fraction of the parent's length, plus a number of pixels.
            0x06 UDIM UDim(Vec<UDim>);
            /// A length along each axis.
            0x07 UDIM2 UDim2(Vec<UDim2>);
            /// A point and a direction.
            0x08 RAY Ray(Vec<Ray>);
            /// A set of faces of a box.
            0x09 FACES Faces(Vec<Faces>);
            /// A set of axes.
            0x0a AXES Axes(Vec<Axes>);
            /// A colour by its number in Roblox's palette.
            0x0b BRICK_COLOR BrickColor(Vec<BrickColor>);
            /// A colour, usually 0 to 1 per component.
            0x0c COLOR3 Color3(Vec<Color3>);
            /// Two floats.
            0x0d VECTOR2 Vector2(Vec<Vec2>);
            /// Three floats.
            0x0e VECTOR3 Vector3(Vec<Vec3>);
            /// Two 16-bit integers.
            0x0f VECTOR2_INT16 Vector2int16(Vec<Vector2int16>);
            /// A rotation and a position.
            0x10 CFRAME CFrame(Vec<CFrame>);
            /// A rotation as a quaternion and a position. No known real file has one.
            0x11 CFRAME_QUAT CFrameQuat(Vec<CFrameQuat>);
            /// The number of an enum's item.
            0x12 ENUM Enum(Vec<u32>);
            /// An instance of the document, or null.
            0x13 REF Ref(Vec<Referent>);
            /// Three 16-bit integers.
            0x14 VECTOR3_INT16 Vector3int16(Vec<Vector3int16>);
            /// Numbers over time.
            0x15 NUMBER_SEQUENCE NumberSequence(Vec<NumberSequence>);
            /// Colours over time.
            0x16 COLOR_SEQUENCE ColorSequence(Vec<ColorSequence>);
            /// From one number to another.
            0x17 NUMBER_RANGE NumberRange(Vec<NumberRange>);
            /// A rectangle.
            0x18 RECT Rect(Vec<Rect>);
            /// The physical behaviour of a part.
            0x19 PHYSICAL_PROPERTIES PhysicalProperties(Vec<PhysicalProperties>);
            /// A colour of three bytes.
            0x1a COLOR3_UINT8 Color3uint8(Vec<Color3uint8>);
            /// A signed 64-bit integer.
            0x1b INT64 Int64(Vec<i64>);
            /// Bytes that several instances share.
            0x1c SHARED_STRING SharedString(Vec<SharedIndex>);
            /// Compiled code, which should never be run.
            0x1d BYTECODE Bytecode(Box<Strings>);
            /// A rotation and a position, or nothing.
            0x1e OPTIONAL_CFRAME OptionalCFrame(Vec<Option<CFrame>>);
            /// An identifier that no two instances should share.
            0x1f UNIQUE_ID UniqueId(Vec<UniqueId>);
            /// A typeface.
            0x20 FONT Font(Box<Fonts>);
            /// The permissions of a script, one bit each.
            0x21 SECURITY_CAPABILITIES SecurityCapabilities(Vec<SecurityCapabilities>);
            /// An asset: nothing, an address, or an instance of the document.
            0x22 CONTENT Content(Box<Contents>);
        }
    };
}
pub(crate) use types;

macro_rules! type_id {
    ($($(#[$doc:meta])* $id:literal $constant:ident $name:ident($column:ty);)+) => {
        /// The type of a column.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct TypeId(pub u8);

        impl TypeId {
            $($(#[$doc])* pub const $constant: Self = Self($id);)+

            /// Every known type, in order.
            pub const ALL: &[Self] = &[$(Self::$constant),+];

            /// Roblox's name of the type; `None` if the type is unknown.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$constant => Some(stringify!($name)),)+
                    _ => None,
                }
            }

            /// The type of the values of a column; `None` if it is not known.
            pub fn kind(self) -> Option<Kind> {
                Some(match self {
                    $(Self::$constant => Kind::$name,)+
                    _ => return None,
                })
            }

            /// The type of a column that stores values of this type; `None` if no column can.
            pub fn of(kind: Kind) -> Option<Self> {
                Some(match kind {
                    $(Kind::$name => Self::$constant,)+
                    Kind::ProtectedString | Kind::BinaryString | Kind::ContentId => Self::STRING,
                    Kind::NetAssetRef => Self::SHARED_STRING,
                    _ => return None,
                })
            }
        }
    };
}
types!(type_id);

impl TypeId {
    /// The type of a column that stores this value; `None` for a value that only XML can have.
    pub fn of_value(value: &ValueRef<'_>) -> Option<Self> {
        value.kind().and_then(Self::of)
    }

    /// Whether Roblox reads a property of this type also from values of another type, as files of other years store them.
    #[doc(hidden)]
    pub fn reads_too(self, found: Self) -> bool {
        const PAIRS: [(TypeId, TypeId); 7] = [
            (TypeId::STRING, TypeId::SHARED_STRING),
            (TypeId::SHARED_STRING, TypeId::STRING),
            (TypeId::INT64, TypeId::INT32),
            (TypeId::INT32, TypeId::INT64),
            (TypeId::COLOR3_UINT8, TypeId::COLOR3),
            (TypeId::BRICK_COLOR, TypeId::INT32),
            (TypeId::CFRAME, TypeId::CFRAME_QUAT),
        ];
        PAIRS.contains(&(self, found))
    }

    /// The neutral value of the type, as [`Value::neutral`]; `None` if the type is unknown.
    pub fn neutral(self) -> Option<Value> {
        self.kind().map(Value::neutral)
    }
}

impl fmt::Display for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}

impl fmt::Debug for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeId({self})")
    }
}
