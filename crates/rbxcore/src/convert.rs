//! Conversions of values between types that lose at most precision.

use bstr::BStr;

use crate::kind::Kind;
use crate::types::{BrickColor, Color3uint8};
use crate::value::{ContentRef, Value, ValueRef};

impl<'a> ValueRef<'a> {
    /// The value as another type, without copying: a string as another kind of string, an integer as a number that can
    /// hold it, a float as the nearest 32-bit float, a `Color3` as the nearest bytes. `None` if there is no such
    /// conversion.
    pub fn converted(self, to: Kind) -> Option<Self> {
        if self.kind() == Some(to) {
            return Some(self);
        }
        let text = || match self {
            Self::Content(_) if !matches!(to, Kind::String | Kind::ContentId) => None,
            Self::Content(ContentRef::None) => Some(BStr::new("")),
            _ => self.as_bytes().map(BStr::new),
        };
        let integer = self.as_i64();
        Some(match (to, self) {
            (Kind::String, _) => Self::String(text()?),
            (Kind::ProtectedString, _) => Self::ProtectedString(text()?),
            (Kind::BinaryString, _) => Self::BinaryString(text()?),
            (Kind::Bytecode, _) => Self::Bytecode(text()?),
            (Kind::ContentId, _) => Self::ContentId(text()?),
            (Kind::Content, Self::String(uri) | Self::ContentId(uri)) => {
                Self::Content(match uri.is_empty() {
                    true => ContentRef::None,
                    false => ContentRef::Uri(uri),
                })
            }
            (Kind::SharedString, Self::NetAssetRef(bytes)) => Self::SharedString(bytes),
            (Kind::NetAssetRef, Self::SharedString(bytes)) => Self::NetAssetRef(bytes),
            (Kind::Int64, _) => Self::Int64(integer?),
            (Kind::Int32, Self::BrickColor(color)) => Self::Int32(i32::try_from(color.0).ok()?),
            (Kind::Int32, _) => Self::Int32(i32::try_from(integer?).ok()?),
            (Kind::Float64, _) => Self::Float64(match integer {
                Some(value) => float(value)?,
                None => self.as_f64()?,
            }),
            (Kind::Float32, _) => Self::Float32(match integer {
                Some(value) => float(value).filter(|&value| f64::from(narrow(value)) == value).map(narrow)?,
                None => self
                    .as_f64()
                    .filter(|value| value.is_finite() == narrow(*value).is_finite())
                    .map(narrow)?,
            }),
            (Kind::Enum, Self::Int32(value)) => Self::Enum(u32::try_from(value).ok()?),
            (Kind::BrickColor, Self::Int32(value)) => {
                Self::BrickColor(BrickColor(u32::try_from(value).ok()?))
            }
            (Kind::Color3, Self::Color3uint8(color)) => Self::Color3(color.into()),
            (Kind::Color3uint8, Self::Color3(color)) => Self::Color3uint8(Color3uint8::nearest(color)),
            (Kind::CFrame, Self::OptionalCFrame(Some(value))) => Self::CFrame(value),
            (Kind::OptionalCFrame, Self::CFrame(value)) => Self::OptionalCFrame(Some(value)),
            _ => return None,
        })
    }
}

impl Value {
    /// Like [`ValueRef::converted`]; also converts a string of any kind to a shared string.
    pub fn converted(&self, to: Kind) -> Option<Self> {
        if let Some(value) = self.as_ref().converted(to) {
            return Some(value.to_value());
        }
        match (to, self) {
            (_, Self::Content(_)) => None,
            (Kind::SharedString, _) => Some(Self::SharedString(self.as_bytes()?.into())),
            (Kind::NetAssetRef, _) => Some(Self::NetAssetRef(self.as_bytes()?.into())),
            _ => None,
        }
    }
}

/// The nearest 32-bit float; infinite if the value is too large.
#[allow(clippy::cast_possible_truncation, reason = "the nearest is wanted")]
fn narrow(value: f64) -> f32 {
    value as f32
}

/// The integer as a float, if that loses nothing.
#[allow(clippy::cast_possible_truncation, reason = "a 64-bit float that was an i64 fits")]
fn float(value: i64) -> Option<f64> {
    let float = value as f64;
    (float as i128 == i128::from(value)).then_some(float)
}
