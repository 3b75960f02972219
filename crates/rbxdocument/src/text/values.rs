//! Values from texts.

use rbxbinary::parts::TypeId;
use rbxblobs::Attribute;
use rbxcore::{BrickColor, CFrame, Kind, Value};

use crate::colors::{brick_color, color};
use geom::wire::{Error, Result};

/// A value of a property from its text, as [`Value::parse`] reads it, or a colour. A CFrame given by three numbers is
/// a position, and keeps the rotation of the `old` value.
pub(super) fn value(text: &str, kind: TypeId, old: Option<&Value>) -> Result<Value> {
    match kind {
        TypeId::BRICK_COLOR => return Ok(BrickColor(brick_color(text)?).into()),
        TypeId::COLOR3 | TypeId::COLOR3_UINT8 => return color(text, kind, old),
        _ => {}
    }
    let known = kind.kind().ok_or_else(|| Error::argument(format!("values of type {kind} cannot be set")))?;
    let mut value = Value::parse(known, text).map_err(|error| Error::argument(error.to_string()))?;
    if let (Some(old), Value::CFrame(new) | Value::OptionalCFrame(Some(new))) =
        (old.and_then(Value::as_cframe), &mut value)
        && text.split(',').count() == 3
    {
        new.rotation = old.rotation;
    }
    Ok(value)
}

/// The value of an attribute from its text, as a property of the type reads it; arrays and tables are JSON.
pub(super) fn attribute(text: &str, kind: &str, old: Option<&Attribute>) -> Result<Attribute> {
    if ["array", "table"].contains(&kind.to_lowercase().as_str()) {
        let json = serde_json::from_slice(text.as_bytes())
            .map_err(|error| Error::argument(format!("invalid JSON for a value of type {kind}: {error}")))?;
        let value = of_json(&json).filter(|value| value.type_name().eq_ignore_ascii_case(kind));
        let expected = if kind.eq_ignore_ascii_case("array") { "a JSON array" } else { "a JSON object" };
        return value.ok_or_else(|| {
            Error::argument(format!("expected {expected} for the type {kind}, found `{text}`"))
        });
    }
    let of_property =
        |kind| matches!(kind, Kind::BrickColor | Kind::Color3 | Kind::Color3uint8 | Kind::CFrame);
    let Some(known) = Kind::named(kind).filter(|&kind| of_property(kind)) else {
        return Attribute::parse(text, Kind::named(kind).map_or(kind, |kind| kind.name()))
            .map_err(|error| Error::argument(error.to_string()));
    };
    let as_property = old.and_then(Attribute::value).map(|old| old.to_value());
    let kind =
        TypeId::of(known).ok_or_else(|| Error::argument(format!("no attribute has the type {kind}")))?;
    let value = value(text, kind, as_property.as_ref())?;
    // A rotation stays as it is stored.
    let is_turned = |old: &CFrame, new: &CFrame| {
        old.rotation.to_rows().map(f32::to_bits) != new.rotation.to_rows().map(f32::to_bits)
    };
    Ok(match (value, old) {
        (Value::CFrame(new), Some(Attribute::Matrix(old))) if !is_turned(old, &new) => Attribute::Matrix(new),
        (value, _) => value.into(),
    })
}

/// A JSON value as an attribute. Numbers are doubles, as in Luau.
pub(super) fn of_json(json: &serde_json::Value) -> Option<Attribute> {
    use serde_json::Value as Json;
    Some(match json {
        Json::Null => Attribute::Nil,
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => number.as_f64()?.into(),
        Json::String(text) => text.into(),
        Json::Array(values) => Attribute::Array(values.iter().map(of_json).collect::<Option<_>>()?),
        Json::Object(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(name, value)| Some((name.as_str().into(), of_json(value)?)))
                .collect::<Option<_>>()?;
            geom::sort::by(&mut entries, |(a, _): &(bstr::BString, Attribute), (b, _)| a.cmp(b));
            Attribute::Table(entries)
        }
    })
}
