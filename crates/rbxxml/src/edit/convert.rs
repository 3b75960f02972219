//! Values of one type as another: exactly, and the nearest float or colour.

use bstr::ByteSlice as _;

use crate::model::{BrickColor, Color3, Color3uint8, Content, Property, Text, Value};

/// A value for a property that has one already, or why it cannot be one.
pub(super) fn to_old(value: Value, old: &Property) -> Result<Value, String> {
    // An empty asset is written the same way in both types.
    let empty = match &old.value {
        Value::Content(Content::None) => true,
        Value::ContentId(uri) => uri.is_empty(),
        _ => false,
    };
    match value {
        Value::Content(_) | Value::ContentId(_) if empty => Ok(value),
        value => to_kind(value, old.value.kind(), old.name.as_bytes()),
    }
}

/// Roblox names properties of the newer type of content `…Content`.
fn asset(uri: Text, name: &[u8]) -> Value {
    match name.contains_str("Content") {
        true => Value::Content(Content::Uri(uri)),
        false => Value::ContentId(uri),
    }
}

/// A value as one of a type, or why it cannot be one.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "compared afterwards")]
pub(super) fn to_kind(value: Value, kind: &str, name: &[u8]) -> Result<Value, String> {
    if value.kind() == kind {
        return Ok(value);
    }
    let integer = value.as_i64();
    let converted = match (&value, kind) {
        (Value::Int32(_) | Value::Int64(_), "int64") => integer.map(Value::Int64),
        (Value::Int64(n), "int") => i32::try_from(*n).ok().map(Value::Int32),
        (Value::Int32(_) | Value::Int64(_), "float") => {
            integer.filter(|&n| i128::from(n) == (n as f32) as i128).map(|n| Value::Float32(n as f32))
        }
        (Value::Int32(_) | Value::Int64(_), "double") => {
            integer.filter(|&n| i128::from(n) == (n as f64) as i128).map(|n| Value::Float64(n as f64))
        }
        (Value::Float32(n), "double") => Some(Value::Float64(f64::from(*n))),
        // The nearest: `0.1` is meant to be what Studio makes of it.
        (Value::Float64(n), "float") => {
            (n.is_finite() == (*n as f32).is_finite()).then_some(Value::Float32(*n as f32))
        }
        (Value::Color3uint8(color), "Color3") => Some(Color3::from(*color).into()),
        (Value::Color3(color), "Color3uint8") => Color3uint8::try_from(*color).ok().map(Value::from),
        (Value::ContentId(uri), "Content") if !uri.is_empty() => Some(Content::Uri(uri.clone()).into()),
        (Value::ContentId(_), "Content") => Some(Content::None.into()),
        (Value::Content(Content::Uri(uri)), "ContentId") => Some(Value::ContentId(uri.clone())),
        (Value::Content(Content::None), "ContentId") => Some(Value::ContentId(Text::default())),
        (Value::Int32(n), "token") => u32::try_from(*n).ok().map(Value::Enum),
        (Value::Int32(n), "BrickColor") => Some(BrickColor(n.cast_unsigned()).into()),
        (Value::BrickColor(color), "int") => Some(Value::Int32(color.0.cast_signed())),
        (Value::CFrame(frame), "OptionalCoordinateFrame") => Some(Value::OptionalCFrame(Some(frame.clone()))),
        (Value::String(text), "ProtectedString") => Some(Value::ProtectedString(text.clone())),
        (Value::String(text), "BinaryString") => Some(Value::BinaryString(text.clone())),
        (Value::String(uri), "ContentId" | "Content") => Some(asset(uri.clone(), name)),
        _ => None,
    };
    converted.ok_or_else(|| format!("the property is a {kind}, and the value a {}", value.kind()))
}
