//! Magics, names of chunks, types and kinds of compression.

use std::fmt;

/// The first bytes of every file: `<roblox!`, six bytes that show damage in transit, and the version.
pub(crate) const MAGIC: &[u8; 8] = b"<roblox!";

/// The six bytes behind the magic.
pub(crate) const SIGNATURE: &[u8; 6] = b"\x89\xff\r\n\x1a\n";

/// What the END chunk holds.
pub(crate) const END_MAGIC: &[u8; 9] = b"</roblox>";

/// The first bytes of a zstd frame, by which a compressed chunk is told from an LZ4 block.
pub(crate) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The version of the format, of which there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Version(pub u16);

impl Version {
    /// The only one known.
    pub const V0: Self = Self(0);
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of a chunk: four bytes, of which the last may be zero.
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
    /// Who is whose child.
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

/// How a chunk is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Compression {
    /// Not at all.
    None,
    /// An LZ4 block. What Studio writes.
    #[default]
    Lz4,
    /// A zstd frame. What Roblox sends since 2025.
    Zstd,
}

/// Whether the instances of a class are services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ClassFormat(pub u8);

impl ClassFormat {
    /// No service.
    pub const REGULAR: Self = Self(0);
    /// A service: each instance has a marker.
    pub const SERVICE: Self = Self(1);
}

/// Declares the types of values.
macro_rules! types {
    ($($(#[$doc:meta])* $constant:ident = $id:literal, $name:ident;)+) => {
        /// The type of a column.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct TypeId(pub u8);

        impl TypeId {
            $($(#[$doc])* pub const $constant: Self = Self($id);)+

            /// Every type that is known, in order.
            pub const ALL: &[Self] = &[$(Self::$constant),+];

            /// The name that Roblox gives it; `None` where it is not known.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$constant => Some(stringify!($name)),)+
                    _ => None,
                }
            }
        }
    };
}

types! {
    /// Bytes that are usually text.
    STRING = 0x01, String;
    /// True or false.
    BOOL = 0x02, Bool;
    /// 32 bits with a sign.
    INT32 = 0x03, Int32;
    /// A number of 32 bits.
    FLOAT32 = 0x04, Float32;
    /// A number of 64 bits.
    FLOAT64 = 0x05, Float64;
    /// A share and pixels.
    UDIM = 0x06, UDim;
    /// The same along each axis.
    UDIM2 = 0x07, UDim2;
    /// A point and a direction.
    RAY = 0x08, Ray;
    /// A set of faces.
    FACES = 0x09, Faces;
    /// A set of axes.
    AXES = 0x0a, Axes;
    /// A colour's number.
    BRICK_COLOR = 0x0b, BrickColor;
    /// A colour of three numbers.
    COLOR3 = 0x0c, Color3;
    /// Two numbers.
    VECTOR2 = 0x0d, Vector2;
    /// Three numbers.
    VECTOR3 = 0x0e, Vector3;
    /// Two numbers of 16 bits.
    VECTOR2_INT16 = 0x0f, Vector2int16;
    /// A rotation matrix and a position.
    CFRAME = 0x10, CFrame;
    /// A quaternion and a position.
    CFRAME_QUAT = 0x11, CFrameQuat;
    /// An enum's item.
    ENUM = 0x12, Enum;
    /// An instance.
    REF = 0x13, Ref;
    /// Three numbers of 16 bits.
    VECTOR3_INT16 = 0x14, Vector3int16;
    /// Numbers over time.
    NUMBER_SEQUENCE = 0x15, NumberSequence;
    /// Colours over time.
    COLOR_SEQUENCE = 0x16, ColorSequence;
    /// From one number to another.
    NUMBER_RANGE = 0x17, NumberRange;
    /// A rectangle.
    RECT = 0x18, Rect;
    /// How a part behaves in the simulation.
    PHYSICAL_PROPERTIES = 0x19, PhysicalProperties;
    /// A colour of three bytes.
    COLOR3_UINT8 = 0x1a, Color3uint8;
    /// 64 bits with a sign.
    INT64 = 0x1b, Int64;
    /// A place in the table of shared strings.
    SHARED_STRING = 0x1c, SharedString;
    /// Compiled code.
    BYTECODE = 0x1d, Bytecode;
    /// A rotation matrix and a position, or none.
    OPTIONAL_CFRAME = 0x1e, OptionalCFrame;
    /// An identifier.
    UNIQUE_ID = 0x1f, UniqueId;
    /// A typeface.
    FONT = 0x20, Font;
    /// 64 bits.
    SECURITY_CAPABILITIES = 0x21, SecurityCapabilities;
    /// An asset.
    CONTENT = 0x22, Content;
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
