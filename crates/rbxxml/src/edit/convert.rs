//! Converts values between types, either exactly or to the nearest float or colour.

use bstr::ByteSlice as _;

use crate::consts::NotXml;
use crate::model::{BrickColor, Content, Kind, Property, Text, Value};
use geom::wire::Problem;

/// The properties that files store as bytes, even if these could be text.
const BYTES: [&[u8]; 9] = [
    b"AttributesSerialize",
    b"CollisionGroupData",
    b"MaterialColors",
    b"PhysicsGrid",
    b"PropertiesSerialize",
    b"SmoothGrid",
    b"Tags",
    b"ValuesAndTimes",
    b"WaveformData",
];

/// A value of a property whose type is not known, in a type that Studio writes and with which XML can represent it.
pub(super) fn to_new(value: Value, name: &[u8]) -> Value {
    match value {
        Value::BrickColor(color) => Value::Int32(color.0.cast_signed()),
        // Programs expect a string as the name.
        value if name == b"Name" => value,
        Value::String(bytes) if BYTES.contains(&name) || NotXml::find(&bytes).is_some() => {
            Value::BinaryString(bytes)
        }
        value => value,
    }
}

/// Converts a value to the type of an existing property; the error is why it does not fit.
pub(super) fn to_old(class: &str, value: Value, old: &Property) -> Result<Value, Problem> {
    // An empty asset is written the same way as `Content` and as `ContentId`.
    let empty = match &old.value {
        Value::Content(Content::None) => true,
        Value::ContentId(uri) => uri.is_empty(),
        _ => false,
    };
    match value {
        Value::Content(_) | Value::ContentId(_) if empty => Ok(value),
        Value::String(uri) if empty && uri.is_empty() => Ok(old.value.clone()),
        Value::String(uri) if matches!(&old.value, Value::Content(Content::Uri(_))) => {
            Ok(Value::Content(if uri.is_empty() { Content::None } else { Content::Uri(uri) }))
        }
        Value::String(uri) if !empty && matches!(old.value, Value::ContentId(_)) => Ok(Value::ContentId(uri)),
        // Text that was kept because it does not match its type is replaced by a value of this type.
        value => {
            let kind = old.value.kind().or_else(|| Kind::of_tag(old.value.tag()));
            to_kind(class, value, kind, old.name.as_bytes())
        }
    }
}

/// An asset as a `Content` or a `ContentId`, by the name of the property: only names of the newer type have `Content`.
fn asset(uri: &Text, name: &[u8]) -> Value {
    match name.contains_str("Content") {
        true => Value::Content(Content::Uri(uri.clone())),
        false => Value::ContentId(uri.clone()),
    }
}

/// Converts a value to a type; the error is the reason if that is impossible. `None` is the type of an unknown element.
#[cfg_attr(not(feature = "classes"), allow(unused_variables, reason = "for the class table"))]
pub(super) fn to_kind(class: &str, value: Value, kind: Option<Kind>, name: &[u8]) -> Result<Value, Problem> {
    if value.kind() == kind {
        return Ok(value);
    }
    #[cfg(feature = "classes")]
    let value = rbxcore::classes::named(class, name, value.as_ref(), kind)
        .map_err(|what| Problem::WrongType(what.into()))?
        .unwrap_or(value);
    let converted = match (&value, kind) {
        (Value::String(uri), Some(Kind::ContentId | Kind::Content)) => Some(asset(uri, name)),
        (Value::BrickColor(color), Some(Kind::Int32)) => Some(Value::Int32(color.0.cast_signed())),
        (Value::Int32(number), Some(Kind::BrickColor)) => Some(BrickColor(number.cast_unsigned()).into()),
        (value, kind) => kind.and_then(|kind| value.converted(kind)),
    };
    converted.ok_or_else(|| {
        let found = value.kind().map_or_else(|| value.tag(), |kind| kind.tag());
        let what = match kind {
            Some(kind) => format!("expected {}, found {found}", kind.tag()),
            None => format!(
                "a value of type {found} cannot replace the stored value, whose type is unknown (in Rust, call \
                 remove_property first)"
            ),
        };
        Problem::WrongType(what.into())
    })
}

/// Converts a value to the type with which files store a property of the class table.
#[cfg(feature = "classes")]
pub(super) fn to_stored(
    class: &str,
    value: Value,
    property: rbxcore::classes::Property,
) -> Result<Value, Problem> {
    let kind = match (property.kind(), &value) {
        // Studio writes a `BrickColor` as an integer and, since 2026, tags as a shared string.
        (Kind::BrickColor, _) => Kind::Int32,
        (Kind::BinaryString, Value::SharedString(_)) => return Ok(value),
        (kind, _) => kind,
    };
    to_kind(class, value, Some(kind), property.name().as_bytes())
}

/// The one property that has replaced another one, and the value in its form.
#[cfg(feature = "classes")]
pub(super) fn to_newer(
    class: &str,
    property: rbxcore::classes::Property,
    value: &Value,
) -> Option<(rbxcore::classes::Property, Value)> {
    let of = rbxcore::classes::class(class)?;
    let mut newer = property.replaced_by().filter_map(|name| of.property(name));
    let (newer, None) = (newer.next()?, newer.next()) else { return None };
    let named =
        rbxcore::classes::named(class, property.name().as_bytes(), value.as_ref(), Some(property.kind()));
    let old = named.ok()?.or_else(|| value.converted(property.kind()))?;
    Some((newer, rbxcore::classes::turn(property.kind(), newer.kind())?(old.as_ref())?))
}
