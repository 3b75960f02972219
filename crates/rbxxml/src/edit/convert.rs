//! Conversion of values between types: exactly, or to the nearest float or colour.

use bstr::ByteSlice as _;

use crate::model::{BrickColor, Content, Kind, Property, Text, Value};

/// A value for an existing property, or why it does not fit.
pub(super) fn to_old(value: Value, old: &Property) -> Result<Value, String> {
    // An empty asset is written the same way in both types.
    let empty = match &old.value {
        Value::Content(Content::None) => true,
        Value::ContentId(uri) => uri.is_empty(),
        _ => false,
    };
    match value {
        Value::Content(_) | Value::ContentId(_) if empty => Ok(value),
        // Text that was not a value of its type is replaced by one.
        value => {
            let kind = old.value.kind().or_else(|| Kind::of_tag(old.value.tag()));
            to_kind(value, kind, old.name.as_bytes())
        }
    }
}

/// Roblox names properties of the newer type of content `…Content`.
fn asset(uri: &Text, name: &[u8]) -> Value {
    match name.contains_str("Content") {
        true => Value::Content(Content::Uri(uri.clone())),
        false => Value::ContentId(uri.clone()),
    }
}

/// A value converted to a type, or why it cannot be. `None` is an element of an unknown type.
pub(super) fn to_kind(value: Value, kind: Option<Kind>, name: &[u8]) -> Result<Value, String> {
    if value.kind() == kind {
        return Ok(value);
    }
    let converted = match (&value, kind) {
        (Value::String(uri), Some(Kind::ContentId | Kind::Content)) => Some(asset(uri, name)),
        (Value::BrickColor(color), Some(Kind::Int32)) => Some(Value::Int32(color.0.cast_signed())),
        (Value::Int32(number), Some(Kind::BrickColor)) => Some(BrickColor(number.cast_unsigned()).into()),
        (value, kind) => kind.and_then(|kind| value.converted(kind)),
    };
    converted.ok_or_else(|| {
        let expected = kind.map_or("a value of an unknown type", Kind::tag);
        let found = value.kind().map_or_else(|| value.tag(), |kind| kind.tag());
        format!("expected {expected}, found {found}")
    })
}

/// A value converted to the type in which files store a property of the class table.
#[cfg(feature = "classes")]
pub(super) fn to_stored(value: Value, property: rbxcore::classes::Property) -> Result<Value, String> {
    let kind = match (property.kind(), &value) {
        // Studio writes the number of the palette as an integer, and since 2026 tags as a shared string.
        (Kind::BrickColor, _) => Kind::Int32,
        (Kind::BinaryString, Value::SharedString(_)) => return Ok(value),
        (kind, _) => kind,
    };
    to_kind(value, Some(kind), property.name().as_bytes())
}
