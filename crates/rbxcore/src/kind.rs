//! The table of types.

use std::fmt;

/// The types of values. Calls a macro with a row for each: the variant, the tag of its element in XML, a value by reference,
/// and a value.
macro_rules! types {
    ($then:ident) => {
        $then! {
            /// Bytes that are usually text.
            String "string" &'a BStr => Text;
            /// Bytes that are usually the source of a script.
            ProtectedString "ProtectedString" &'a BStr => Text;
            /// Any bytes.
            BinaryString "BinaryString" &'a BStr => Text;
            /// The address of an asset, or an empty string: the older form of `Content`.
            ContentId "ContentId" &'a BStr => Text;
            /// An asset: nothing, an address, or an instance of the document.
            Content "Content" ContentRef<'a> => Content;
            /// Bytes that instances share.
            SharedString "SharedString" &'a SharedBytes => SharedBytes;
            /// The bytes of an asset from the net, which instances share.
            NetAssetRef "NetAssetRef" &'a SharedBytes => SharedBytes;
            /// Compiled code, which should never be run. Only binary files have it.
            Bytecode "Bytecode" &'a BStr => Text;
            /// True or false.
            Bool "bool" bool => bool;
            /// A signed 32-bit integer.
            Int32 "int" i32 => i32;
            /// A signed 64-bit integer.
            Int64 "int64" i64 => i64;
            /// A 32-bit float.
            Float32 "float" f32 => f32;
            /// A 64-bit float.
            Float64 "double" f64 => f64;
            /// The number of an enum's item; `-1` in a file is `u32::MAX` here.
            Enum "token" u32 => u32;
            /// A colour by its number in Roblox's palette. Studio writes it as an `int` in XML.
            BrickColor "BrickColor" BrickColor => BrickColor;
            /// A colour, usually 0 to 1 per component.
            Color3 "Color3" Color3 => Color3;
            /// A colour of three bytes.
            Color3uint8 "Color3uint8" Color3uint8 => Color3uint8;
            /// Two floats.
            Vector2 "Vector2" Vec2 => Vec2;
            /// Three floats.
            Vector3 "Vector3" Vec3 => Vec3;
            /// Two 16-bit integers.
            Vector2int16 "Vector2int16" Vector2int16 => Vector2int16;
            /// Three 16-bit integers.
            Vector3int16 "Vector3int16" Vector3int16 => Vector3int16;
            /// A length: a fraction of the parent's length, plus a number of pixels.
            UDim "UDim" UDim => UDim;
            /// A length along each axis.
            UDim2 "UDim2" UDim2 => UDim2;
            /// A rotation and a position.
            CFrame "CoordinateFrame" CFrame => Box<CFrame>;
            /// A rotation as a quaternion and a position. Only binary files could have it, and none does.
            CFrameQuat "CFrameQuat" CFrameQuat => Box<CFrameQuat>;
            /// A rotation and a position, or nothing.
            OptionalCFrame "OptionalCoordinateFrame" Option<CFrame> => Option<Box<CFrame>>;
            /// A point and a direction.
            Ray "Ray" Ray => Box<Ray>;
            /// A rectangle.
            Rect "Rect2D" Rect => Rect;
            /// A set of axes.
            Axes "Axes" Axes => Axes;
            /// A set of faces of a box.
            Faces "Faces" Faces => Faces;
            /// From one number to another.
            NumberRange "NumberRange" NumberRange => NumberRange;
            /// Numbers over time.
            NumberSequence "NumberSequence" &'a NumberSequence => Box<NumberSequence>;
            /// Colours over time.
            ColorSequence "ColorSequence" &'a ColorSequence => Box<ColorSequence>;
            /// The physical behaviour of a part.
            PhysicalProperties "PhysicalProperties" PhysicalProperties => Box<PhysicalProperties>;
            /// A typeface.
            Font "Font" FontRef<'a> => Box<Font>;
            /// An identifier that no two instances should share.
            UniqueId "UniqueId" UniqueId => UniqueId;
            /// The permissions of a script, one bit each.
            SecurityCapabilities "SecurityCapabilities" SecurityCapabilities => SecurityCapabilities;
            /// An instance of the document, or null. Once that instance is removed, the reference is null.
            Ref "Ref" Option<InstanceId> => Option<InstanceId>;
        }
    };
}
pub(crate) use types;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $tag:literal $by_ref:ty => $value:ty;)+) => {
        /// The type of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $name,)+
        }

        impl Kind {
            /// Every type.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The tag of its element in XML. For `ContentId` and `BrickColor`, it is a name of its own: Studio writes
            /// them with the tags `Content` and `int`.
            pub fn tag(self) -> &'static str {
                match self {
                    $(Self::$name => $tag,)+
                }
            }

            /// Roblox's name of the type, such as `CFrame`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// The type with a name, in any case and with or without `_`, or with its name in Luau: `number`, `boolean`.
            pub fn named(name: &str) -> Option<Self> {
                let plain = name.to_ascii_lowercase().replace('_', "");
                match &*plain {
                    "number" | "double" => Some(Self::Float64),
                    "boolean" => Some(Self::Bool),
                    _ => Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(&plain)),
                }
            }

            /// The type with this [`Kind::tag`]; `None` if no type has it.
            pub fn of_tag(tag: &str) -> Option<Self> {
                Some(match tag {
                    $($tag => Self::$name,)+
                    _ => return None,
                })
            }
        }
    };
}
types!(kinds);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}
