//! Values as text: a word, or numbers separated by commas.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use bstr::BString;
use geom::Mat3;
use geom::wire::{Error, Result};

use crate::kind::Kind;
use crate::types::{
    Axes, BrickColor, Color3uint8, Faces, Font, FontStyle, PhysicalProperties, SecurityCapabilities, UDim,
    UDim2, UniqueId, Vector2int16, Vector3int16,
};
use crate::value::{CFrameQuat, Content, ContentRef, Value, ValueRef};

impl Value {
    /// Parses a value of a type from text, as [`ValueRef::to_text`] writes it.
    ///
    /// | type | text |
    /// |---|---|
    /// | UDim, UDim2 | scale, offset; twice |
    /// | CFrame, OptionalCFrame | x, y, z; then the matrix row by row, unless there is no rotation; or `none` |
    /// | CFrameQuat | x, y, z; then x, y, z, w of the quaternion |
    /// | NumberSequence | time, value, envelope; … |
    /// | ColorSequence | time, red, green, blue, envelope; … |
    /// | Font | family, weight, style, and optionally the cached face |
    /// | PhysicalProperties | `default`, or density, friction, elasticity, their two weights, acoustic absorption |
    /// | Faces, Axes | the sum of their bits |
    /// | UniqueId | 32 hexadecimal digits |
    /// | strings of any kind | the text itself |
    /// | Content | an address; `none` or nothing |
    ///
    /// # Errors
    /// If the text is not a value of the type; if it is a `Ref`, which has no text.
    pub fn parse(kind: Kind, text: &str) -> Result<Self> {
        let found =
            floats_of(kind, text).or_else(|| word_of(kind, text)).or_else(|| structure_of(kind, text));
        let Some((value, expected)) = found else {
            let what = format!("values of the type {} cannot be set from text", kind.name());
            return Err(Error::invalid_argument("", what));
        };
        value.ok_or_else(|| Error::invalid_argument("", format!("expected {expected}, found `{text}`")))
    }
}

/// The number of floats of each keypoint of a type that has some.
fn of_key(kind: Kind) -> Option<usize> {
    match kind {
        Kind::NumberSequence => Some(3),
        Kind::ColorSequence => Some(5),
        _ => None,
    }
}

type Parsed = Option<(Option<Value>, &'static str)>;

/// A value that consists of floats, and what the type expects.
fn floats_of(kind: Kind, text: &str) -> Parsed {
    let expected = match kind {
        Kind::Float32 => "a number",
        Kind::Color3 => "three numbers from 0 to 1 (red, green, blue)",
        Kind::Vector2 => "two numbers (x, y)",
        Kind::Vector3 => "three numbers (x, y, z)",
        Kind::NumberRange => "two numbers (min, max)",
        Kind::Rect => "four numbers (min x, min y, max x, max y)",
        Kind::Ray => "six numbers (x, y, z of the origin, then x, y, z of the direction)",
        Kind::OptionalCFrame if text == "none" => return Some((Some(Value::OptionalCFrame(None)), "")),
        Kind::CFrame | Kind::OptionalCFrame => {
            "three numbers (x, y, z), or twelve numbers (x, y, z, then the rotation matrix row by row)"
        }
        Kind::CFrameQuat => {
            "three numbers (x, y, z), a semicolon, and four numbers (x, y, z, w of the quaternion)"
        }
        Kind::PhysicalProperties if text == "default" => {
            return Some((Some(PhysicalProperties::Default.into()), ""));
        }
        // Before the acoustic absorption was added, there were five numbers.
        Kind::PhysicalProperties if text.split(',').count() == 5 => {
            "five numbers (density, friction, elasticity, friction weight, elasticity weight)"
        }
        Kind::PhysicalProperties => {
            "six numbers (density, friction, elasticity, friction weight, elasticity weight, acoustic absorption)"
        }
        Kind::NumberSequence => {
            "one or more keypoints of three numbers (time, value, envelope), such as `0, 1, 0; 1, 0, 0`"
        }
        Kind::ColorSequence => {
            "one or more keypoints of five numbers (time, red, green, blue, envelope), such as \
             `0, 1, 1, 1, 0; 1, 1, 0, 0, 0`"
        }
        _ => return None,
    };
    let value = || {
        let is_of_keys = match of_key(kind) {
            Some(count) => text.split(';').all(|key| key.split(',').count() == count),
            None if kind == Kind::CFrameQuat => {
                text.split(';').map(|part| part.split(',').count()).eq([3, 4])
            }
            None => !text.contains(';'),
        };
        if !is_of_keys {
            return None;
        }
        let mut floats = text.split([',', ';']).map(float).collect::<Option<Vec<_>>>()?;
        if matches!(kind, Kind::CFrame | Kind::OptionalCFrame) && floats.len() == 3 {
            floats.extend(Mat3::IDENTITY.to_rows());
        }
        Value::from_floats(kind, &floats)
    };
    Some((value(), expected))
}

/// A value that is one word or consists of integers, and what the type expects.
fn word_of(kind: Kind, text: &str) -> Parsed {
    Some(match kind {
        Kind::Bool => (one(text).map(Value::Bool), "true or false"),
        Kind::Int32 => (one(text).map(Value::Int32), "a 32-bit integer"),
        Kind::Int64 => (one(text).map(Value::Int64), "a 64-bit integer"),
        Kind::Float64 => (double(text).map(Value::Float64), "a number"),
        Kind::Enum => {
            (one(text).map(Value::Enum), "the number of an enum item (the names of the items are unknown)")
        }
        Kind::BrickColor => {
            (one(text).map(|of| BrickColor(of).into()), "the number of a BrickColor, such as 194")
        }
        // Some programs write it as a signed number.
        Kind::SecurityCapabilities => {
            let bits = one(text).or_else(|| one(text).map(i64::cast_unsigned));
            (bits.map(|bits| SecurityCapabilities(bits).into()), "a 64-bit integer")
        }
        Kind::Faces => (
            one(text).filter(|bits| *bits < 64).map(|bits| Faces(bits).into()),
            "an integer from 0 to 63 (the sum of 1 for right, 2 for top, 4 for back, 8 for left, \
             16 for bottom, 32 for front)",
        ),
        Kind::Axes => (
            one(text).filter(|bits| *bits < 8).map(|bits| Axes(bits).into()),
            "an integer from 0 to 7 (the sum of 1 for x, 2 for y, 4 for z)",
        ),
        Kind::Color3uint8 => (
            all(text).map(|[r, g, b]| Color3uint8 { r, g, b }.into()),
            "three integers from 0 to 255 (red, green, blue)",
        ),
        Kind::Vector2int16 => {
            (all(text).map(|[x, y]| Vector2int16 { x, y }.into()), "two 16-bit integers (x, y)")
        }
        Kind::Vector3int16 => {
            (all(text).map(|[x, y, z]| Vector3int16 { x, y, z }.into()), "three 16-bit integers (x, y, z)")
        }
        Kind::UDim => (udims(text).map(|[of]| of.into()), "a number and an integer (scale, offset)"),
        Kind::UDim2 => (
            udims(text).map(|[x, y]| UDim2 { x, y }.into()),
            "four numbers (x scale, x offset, y scale, y offset; offsets are integers)",
        ),
        _ => return None,
    })
}

/// A value with parts of several kinds, and what the type expects.
fn structure_of(kind: Kind, text: &str) -> Parsed {
    Some(match kind {
        Kind::String => (Some(Value::from(text)), ""),
        Kind::ProtectedString => (Some(Value::ProtectedString(text.into())), ""),
        Kind::BinaryString => (Some(Value::BinaryString(text.into())), ""),
        Kind::Bytecode => (Some(Value::Bytecode(text.into())), ""),
        Kind::ContentId => (Some(Value::ContentId(text.into())), ""),
        Kind::SharedString => (Some(Value::SharedString(text.into())), ""),
        Kind::NetAssetRef => (Some(Value::NetAssetRef(text.into())), ""),
        Kind::Content if matches!(text, "" | "none") => (Some(Content::None.into()), ""),
        Kind::Content => (Some(Content::Uri(text.into()).into()), ""),
        Kind::Font => (
            font(text).map(Value::from),
            "`family, number of FontWeight, number of FontStyle`, such as \
             `rbxasset://fonts/families/Arial.json, 400, 0`",
        ),
        Kind::UniqueId => {
            let part = |range: std::ops::Range<usize>| text.get(range).filter(|_| text.len() == 32);
            let half = |range| u32::from_str_radix(part(range)?, 16).ok();
            let random = part(0..16).and_then(|part| u64::from_str_radix(part, 16).ok());
            let id = random.zip(half(16..24)).zip(half(24..32));
            let id = id.map(|((random, time), index)| UniqueId { random, time, index }.into());
            (id, "32 hexadecimal digits (16 for the random part, 8 for the time and 8 for the index)")
        }
        _ => return None,
    })
}

fn one<T: FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

/// Whether a number in a text is in the range of its type: an infinite one is only if the text names it.
#[doc(hidden)]
pub fn is_in_range(number: f64, text: &str) -> bool {
    !number.is_infinite() || !text.contains(|char: char| char.is_ascii_digit())
}

/// A number, or NaN with its bits: `NaN(0xffc00000)`.
fn float(text: &str) -> Option<f32> {
    let bits = || u32::from_str_radix(text.trim().strip_prefix("NaN(0x")?.strip_suffix(')')?, 16).ok();
    let number: Option<f32> = one(text).or_else(|| bits().map(f32::from_bits).filter(|float| float.is_nan()));
    number.filter(|&number| is_in_range(number.into(), text))
}

fn double(text: &str) -> Option<f64> {
    let bits = || u64::from_str_radix(text.trim().strip_prefix("NaN(0x")?.strip_suffix(')')?, 16).ok();
    let number: Option<f64> = one(text).or_else(|| bits().map(f64::from_bits).filter(|float| float.is_nan()));
    number.filter(|&number| is_in_range(number, text))
}

fn all<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    text.split(',').map(one).collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Pairs of a scale and an offset.
#[doc(hidden)]
pub fn udims<const N: usize>(text: &str) -> Option<[UDim; N]> {
    let parts: Vec<&str> = text.split(',').collect();
    let (pairs, []) = parts.as_chunks::<2>() else { return None };
    let udim = |[scale, offset]: &[&str; 2]| Some(UDim { scale: float(scale)?, offset: one(offset)? });
    pairs.iter().map(udim).collect::<Option<Vec<_>>>()?.try_into().ok()
}

fn font(text: &str) -> Option<Font> {
    let name = |text: &str| BString::from(text.trim().trim_matches('"'));
    let parts: Vec<&str> = text.split(',').collect();
    let (family, weight, style, face) = match parts.as_slice() {
        [family, weight, style] => (family, weight, style, ""),
        [family, weight, style, face] => (family, weight, style, *face),
        _ => return None,
    };
    let style = FontStyle(one(style)?);
    Some(Font { family: name(family), weight: one(weight)?, style, cached_face_id: name(face) })
}

/// Writes numbers, separated by commas.
struct Numbers(String);

impl Numbers {
    fn of(floats: &[f32]) -> String {
        let mut out = Self(String::new());
        floats.iter().for_each(|&float| out.float(float));
        out.0
    }

    fn next(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("; ") {
            self.0 += ", ";
        }
    }

    /// The shortest text that reads as the same bits.
    fn float(&mut self, float: f32) {
        self.next();
        _ = match float.is_nan() && float.to_bits() != f32::NAN.to_bits() {
            true => write!(self.0, "NaN({:#x})", float.to_bits()),
            false => write!(self.0, "{}", float_text(float)),
        };
    }

    fn udim(&mut self, UDim { scale, offset }: UDim) {
        self.float(scale);
        _ = write!(self.0, ", {offset}");
    }
}

/// The shortest text that reads as the same bits, with an exponent instead of many zeros.
#[doc(hidden)]
pub fn float_text<T: fmt::Display + fmt::LowerExp + Into<f64> + Copy>(value: T) -> String {
    let size = value.into().abs();
    match size == 0.0 || !size.is_finite() || (1e-5..1e16).contains(&size) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

/// Pairs of a scale and an offset, as [`udims`] reads them.
#[doc(hidden)]
pub fn udims_text(all: &[UDim]) -> String {
    let mut out = Numbers(String::new());
    all.iter().for_each(|&one| out.udim(one));
    out.0
}

/// Floats, separated by commas, each as the shortest text that reads as the same bits.
#[doc(hidden)]
pub fn floats_text(floats: &[f32]) -> String {
    Numbers::of(floats)
}

impl ValueRef<'_> {
    /// The value as text that [`Value::parse`] reads: numbers are written so that they are read as the same bits.
    /// `None` for strings of any kind, addresses and references, whose text is not that of their type.
    pub fn to_text(&self) -> Option<String> {
        Some(match *self {
            Self::Bool(value) => value.to_string(),
            Self::Int32(value) => value.to_string(),
            Self::Int64(value) => value.to_string(),
            Self::Enum(value) => value.to_string(),
            Self::BrickColor(color) => color.0.to_string(),
            Self::Faces(faces) => faces.0.to_string(),
            Self::Axes(axes) => axes.0.to_string(),
            Self::SecurityCapabilities(bits) => bits.0.to_string(),
            Self::Float64(value) => match value.is_nan() && value.to_bits() != f64::NAN.to_bits() {
                true => format!("NaN({:#x})", value.to_bits()),
                false => float_text(value),
            },
            Self::UDim(value) => udims_text(&[value]),
            Self::UDim2(value) => udims_text(&[value.x, value.y]),
            Self::Color3uint8(color) => format!("{}, {}, {}", color.r, color.g, color.b),
            Self::Vector2int16(value) => format!("{}, {}", value.x, value.y),
            Self::Vector3int16(value) => format!("{}, {}, {}", value.x, value.y, value.z),
            Self::OptionalCFrame(None) => "none".to_owned(),
            Self::PhysicalProperties(PhysicalProperties::Default) => "default".to_owned(),
            Self::UniqueId(id) => format!("{:016x}{:08x}{:08x}", id.random, id.time, id.index),
            Self::Font(font) => {
                format!("{:?}, {}, {}, {:?}", font.family, font.weight, font.style.0, font.cached_face_id)
            }
            Self::Content(ContentRef::None) => "none".to_owned(),
            Self::CFrameQuat(CFrameQuat { position, rotation }) => {
                format!("{}; {}", Numbers::of(&position.to_array()), Numbers::of(&rotation.to_array()))
            }
            value => {
                let floats = value.floats()?;
                let width = value.kind().and_then(of_key).unwrap_or(floats.len());
                floats.chunks(width).map(Numbers::of).collect::<Vec<_>>().join("; ")
            }
        })
    }
}
