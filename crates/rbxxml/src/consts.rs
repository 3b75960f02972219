//! Magic bytes, versions, the table of types, and constants of Studio's output.

use std::fmt;

use bstr::BStr;

/// The first bytes of a binary file, whose `!` distinguishes it from XML.
pub(crate) const BINARY: &[u8] = b"<roblox!";

/// The attributes of the element `roblox` that Studio writes, in its order.
pub(crate) const ATTRIBUTES: [(&str, &str); 4] = [
    ("xmlns:xmime", "http://www.w3.org/2005/05/xmlmime"),
    ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xsi:noNamespaceSchemaLocation", "http://www.roblox.com/roblox.xsd"),
    ("version", "4"),
];

/// Instances below this depth are not indented further: without a limit, the size of the indentation would grow with
/// the square of the depth.
pub(crate) const INDENTED_DEPTH: usize = 256;

/// The version of the format, always 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

impl Version {
    /// The only known version.
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

/// A character or byte that XML 1.0 cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotXml {
    /// A control character, U+FFFE or U+FFFF.
    Character(u32),
    /// A byte that is not UTF-8.
    Byte(u8),
}

impl NotXml {
    /// The first one in a text.
    pub(crate) fn find(text: &[u8]) -> Option<Self> {
        // Nearly every text is plain ASCII, which takes little time to verify.
        if text.iter().all(|&byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')) {
            return None;
        }
        let is_illegal = |&char: &char| matches!(char, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
        text.utf8_chunks().find_map(|chunk| {
            let character = chunk.valid().chars().find(is_illegal).map(|char| Self::Character(char.into()));
            character.or_else(|| chunk.invalid().first().copied().map(Self::Byte))
        })
    }
}

impl fmt::Display for NotXml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(code) => write!(f, "the character U+{code:04X}, which XML cannot represent"),
            Self::Byte(byte) => write!(f, "the byte {byte:#04x}, which is not UTF-8"),
        }
    }
}

/// The types of values. Calls a macro with a row for each: the variant, the tag of its element (and the tag to
/// write, if it differs), and how the element is read and written:
///
/// * `text(parse, write)`: as text, with these functions;
/// * `string(read, write)`: as bytes, with these functions;
/// * `parts`: as an element for each number, in `wire/component.rs`;
/// * `list`: as numbers with a space after each, in `wire/sequence.rs`;
/// * `own(module)`: with the functions `read` and `write` of a module;
/// * `value(module)`: like `own`, if `read` decides about the variant.
macro_rules! types {
    ($with:ident) => {
        $with! {
            Bool bool = text(number::boolean, Out::boolean);
            Enum token = text(number::uint32, Out::token);
            Float32 float = text(number::float, Out::float);
            Vector3 Vector3 = parts;
            String string = string(Cx::value, Out::text);
            CFrame CoordinateFrame = parts;
            Int32 int = text(number::int32, Out::integer);
            Color3 Color3 = own(color);
            Color3uint8 Color3uint8 = own(color_bytes);
            Int64 int64 = text(number::int64, Out::integer);
            Float64 double = text(number::double, Out::double);
            BinaryString BinaryString = string(binary, Out::binary);
            ProtectedString ProtectedString = string(Cx::value, Out::cdata);
            BrickColor BrickColor = text(brick_color, Out::brick_color);
            Vector2 Vector2 = parts;
            Vector2int16 Vector2int16 = parts;
            Vector3int16 Vector3int16 = parts;
            UDim UDim = parts;
            UDim2 UDim2 = parts;
            OptionalCFrame OptionalCoordinateFrame = own(optional);
            Ray Ray = parts;
            Rect Rect2D = parts;
            Axes Axes = parts;
            Faces Faces = parts;
            NumberRange NumberRange = list;
            NumberSequence NumberSequence = list;
            ColorSequence ColorSequence = list;
            PhysicalProperties PhysicalProperties = own(physical);
            Font Font = own(font);
            UniqueId UniqueId = text(unique_id, Out::unique_id);
            SecurityCapabilities SecurityCapabilities = text(capabilities, Out::capabilities);
            Content Content = value(content);
            ContentId ContentId as Content = value(uri);
            Ref Ref = own(reference);
            SharedString SharedString = own(shared);
            NetAssetRef NetAssetRef = own(shared);
        }
    };
}
pub(crate) use types;

macro_rules! tags {
    ($($name:ident $tag:ident $(as $written:ident)? = $form:ident $(($($how:path),+))?;)+) => {
        /// The tags of all types.
        pub(crate) const TAGS: &[&str] = &[$(stringify!($tag)),+];
    };
}
types!(tags);
