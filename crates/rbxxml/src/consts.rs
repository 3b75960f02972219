//! Magics, versions and what Studio always writes.

use std::fmt;

use bstr::BStr;

/// The first bytes of a binary file: the ninth byte of `<roblox!` tells it from XML.
pub(crate) const BINARY: &[u8] = b"<roblox!";

/// The attributes that Studio writes, in its order.
pub(crate) const ATTRIBUTES: [(&str, &str); 4] = [
    ("xmlns:xmime", "http://www.w3.org/2005/05/xmlmime"),
    ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xsi:noNamespaceSchemaLocation", "http://www.roblox.com/roblox.xsd"),
    ("version", "4"),
];

/// The deepest level of instances that is indented further than the one above it: without an end, the
/// indentation alone would grow with the square of the depth.
pub(crate) const INDENTED_DEPTH: usize = 256;

/// The version of the format, which is 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

impl Version {
    /// The only version that is known to be written.
    pub const V4: Self = Self(4);

    pub(crate) fn from_text(text: &BStr) -> Option<Self> {
        std::str::from_utf8(text).ok()?.trim().parse().ok().map(Self)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({})", self.0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The types of values. Calls a macro with a row for each: the variant, what it contains, the tag of its element (and
/// that under which it is written, where that is another), and how the element is read and written:
///
/// * `text(parse, write)`: from and to text;
/// * `string(read, write)`: bytes;
/// * `parts`: an element for each number, in `wire/component.rs`;
/// * `list`: numbers with a space after each, in `wire/sequence.rs`;
/// * `own(module)`: by `read` and `write` of a module;
/// * `value(module)`: the same, where the element decides which variant it is.
macro_rules! types {
    ($with:ident) => {
        $with! {
            /// True or false.
            Bool(bool) bool = text(number::boolean, Out::boolean);
            /// The number of an enum's item; `-1` in a file is `u32::MAX` here.
            Enum(u32) token = text(number::uint32, Out::token);
            /// A number of 32 bits.
            Float32(f32) float = text(number::float, Out::float);
            /// Three numbers.
            Vector3(Vec3) Vector3 = parts;
            /// Bytes that are usually text.
            String(Text) string = string(Cx::value, Out::text);
            /// A rotation and a position.
            CFrame(Box<CFrame>) CoordinateFrame = parts;
            /// A signed integer of 32 bits.
            Int32(i32) int = text(number::int32, Out::integer);
            /// A colour, 0 to 1 per component, which may be more.
            Color3(Color3) Color3 = own(color);
            /// A colour of three bytes.
            Color3uint8(Color3uint8) Color3uint8 = own(color_bytes);
            /// A signed integer of 64 bits.
            Int64(i64) int64 = text(number::int64, Out::integer);
            /// A number of 64 bits.
            Float64(f64) double = text(number::double, Out::double);
            /// Any bytes, base64 in the file.
            BinaryString(Text) BinaryString = string(binary, Out::binary);
            /// Bytes that are usually the source of a script.
            ProtectedString(Text) ProtectedString = string(Cx::value, Out::cdata);
            /// A colour by its number in Roblox's palette, under a tag of its own.
            BrickColor(BrickColor) BrickColor = text(brick_color, Out::brick_color);
            /// Two numbers.
            Vector2(Vec2) Vector2 = parts;
            /// Two integers of 16 bits.
            Vector2int16(Vector2int16) Vector2int16 = parts;
            /// Three integers of 16 bits.
            Vector3int16(Vector3int16) Vector3int16 = parts;
            /// A length as a share of the parent's and pixels.
            UDim(UDim) UDim = parts;
            /// A length along each axis.
            UDim2(UDim2) UDim2 = parts;
            /// A rotation and a position, or nothing.
            OptionalCFrame(Option<Box<CFrame>>) OptionalCoordinateFrame = own(optional);
            /// A point and a direction.
            Ray(Box<Ray>) Ray = parts;
            /// A rectangle.
            Rect(Rect) Rect2D = parts;
            /// A set of axes.
            Axes(Axes) Axes = parts;
            /// A set of faces of a box.
            Faces(Faces) Faces = parts;
            /// From one number to another.
            NumberRange(NumberRange) NumberRange = list;
            /// Numbers over time.
            NumberSequence(Box<NumberSequence>) NumberSequence = list;
            /// Colours over time.
            ColorSequence(Box<ColorSequence>) ColorSequence = list;
            /// How a part behaves in the simulation.
            PhysicalProperties(Box<PhysicalProperties>) PhysicalProperties = own(physical);
            /// A typeface.
            Font(Box<Font>) Font = own(font);
            /// An identifier that no two instances should share.
            UniqueId(UniqueId) UniqueId = text(unique_id, Out::unique_id);
            /// What a script may do, one bit each.
            SecurityCapabilities(SecurityCapabilities) SecurityCapabilities = text(capabilities, Out::capabilities);
            /// An asset: nothing, an address, or an instance of the document.
            Content(Content) Content = value(content);
            /// An asset by its address, or empty: the older kind of content, with `url` in place of `uri`.
            ContentId(Text) ContentId as Content = value(uri);
            /// An instance of the document, or null. Once that instance is removed, the reference is null.
            Ref(Option<InstanceId>) Ref = own(reference);
            /// The key of one of [`Document::shared_strings`](crate::Document::shared_strings).
            SharedString(Name) SharedString = string(Cx::text_name, Out::text);
            /// The same for an asset from the net.
            NetAssetRef(Name) NetAssetRef = string(Cx::text_name, Out::text);
        }
    };
}
pub(crate) use types;
