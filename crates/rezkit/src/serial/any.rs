//! A value of any type that serde can serialize.

use std::borrow::Cow;
use std::fmt;

use bstr::ByteSlice as _;
use rbxcore::plain::float_text;
use rezkit_core::Counted;

/// The maximum length of a list of numbers that is shown in one line; longer lists of bytes are byte strings.
pub(super) const SHORT: usize = 16;

/// A value, or the requested part of it. Floats are stored as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Any {
    #[default]
    Nothing,
    Bool(bool),
    Byte(u8),
    Integer(i128),
    F32(u32),
    F64(u64),
    String(String),
    Bytes(Vec<u8>),
    /// The values, and the number of all of them.
    List(Vec<Any>, usize),
    /// The fields, and the number of all of them.
    Record(Vec<(Cow<'static, str>, Any)>, usize),
}

impl Any {
    /// Whether the value contains a text or a byte string.
    pub(crate) fn has_text(&self) -> bool {
        match self {
            Self::String(_) | Self::Bytes(_) => true,
            Self::List(values, _) => values.iter().any(Self::has_text),
            Self::Record(fields, _) => fields.iter().any(|(_, value)| value.has_text()),
            _ => false,
        }
    }

    /// Whether the value is a struct, whose fields have different names.
    pub(crate) fn is_struct(&self) -> bool {
        let Self::Record(fields, _) = self else { return false };
        fields.iter().all(|(name, _)| matches!(name, Cow::Borrowed(_)))
    }

    fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(..) | Self::Record(..) | Self::String(_) | Self::Bytes(_))
    }

    /// Whether the value is a record of the coordinates of a vector, or the components of a quaternion or a colour.
    fn is_vector(&self) -> bool {
        let Self::Record(fields, count) = self else { return false };
        let coordinate = |name: &str| matches!(name, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a");
        *count > 0
            && fields.len() == *count
            && fields.iter().all(|(name, value)| coordinate(name) && value.is_scalar())
    }

    pub(crate) fn kind(&self) -> Cow<'static, str> {
        match self {
            Self::Nothing => "nothing".into(),
            Self::Bool(_) => "bool".into(),
            Self::Byte(_) | Self::Integer(_) => "integer".into(),
            Self::F32(_) | Self::F64(_) => "number".into(),
            Self::String(_) => "string".into(),
            Self::Bytes(_) => "bytes".into(),
            Self::List(_, count) => Counted::new(*count, "values").to_string().into(),
            Self::Record(..) if self.is_vector() => "vector".into(),
            Self::Record(..) => "record".into(),
        }
    }

    /// Whether the value is shown in one line.
    pub(crate) fn is_value(&self) -> bool {
        match self {
            Self::List(values, count) => *count <= SHORT && values.iter().all(Self::is_scalar),
            Self::Record(..) => self.is_vector(),
            _ => true,
        }
    }
}

/// A value of one line.
impl fmt::Display for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Byte(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::F32(bits) => {
                let number = f32::from_bits(*bits);
                float(number, f)
            }
            Self::F64(bits) => {
                let number = f64::from_bits(*bits);
                float(number, f)
            }
            Self::String(text) => f.write_str(text),
            Self::Bytes(bytes) => bytes.as_bstr().fmt(f),
            Self::Nothing | Self::List(..) | Self::Record(..) => f.write_str("-"),
        }
    }
}

/// Writes a float; a NaN with unusual bits is written with them.
fn float<T: fmt::Display + fmt::LowerExp + Into<f64> + Copy>(
    value: T,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let number: f64 = value.into();
    match number.is_nan() && number.to_bits() != f64::NAN.to_bits() {
        true => write!(f, "NaN({:#x})", number.to_bits()),
        false => f.write_str(&float_text(value)),
    }
}
