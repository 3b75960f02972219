//! Values from the text that [`show`](super::show) writes for them.

use ::rbxbinary::TypeId;
use rbxcore::{BrickColor, CFrame, Color3, Color3uint8, Kind, Value, classes};

use super::numbers::numbers;
use super::validate::SUCH_AS;
use crate::blobs::Attribute;
use rezkit_core::{Error, Result};

/// A value of a property from its text, as [`Value::parse`] reads it, or a [`color`]. A CFrame given by three numbers is
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

/// The number of a `BrickColor` that a user enters as `194` or `Medium stone grey`.
fn brick_color(text: &str) -> Result<u32> {
    let number = text.parse().ok().or_else(|| classes::brick_color_named(text)).ok_or_else(|| {
        let meant = classes::closest_brick_color(text).map(|meant| format!("; did you mean {meant}?"));
        Error::argument(format!(
            "expected the number or the name of a BrickColor, such as 194 or `Medium stone grey`, found `{text}`{}",
            meant.unwrap_or_default()
        ))
    })?;
    match classes::not_a_brick_color(number) {
        Some(what) => Err(Error::argument(format!("{what}{SUCH_AS}"))),
        None => Ok(number),
    }
}

/// A `Color3` or a `Color3uint8` from its text: `#ff8800`, `rgb(255, 136, 0)`, `Color3.fromRGB(255, 136, 0)`,
/// `Color3.new(1, 0.5, 0)`, the name of a BrickColor, or three numbers as the type has them: 0 to 1, or 0 to 255.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if it is none of these, or if the three numbers are probably meant for
/// the other type, unless they are the `old` value.
pub fn color(text: &str, kind: TypeId, old: Option<&Value>) -> Result<Value> {
    let text = text.trim();
    if let Some(color) = explicit(text) {
        let outside = || Error::argument(format!("expected components from 0 to 1, found `{text}`"));
        return kind.kind().and_then(|kind| color.converted(kind)).ok_or_else(outside);
    }
    let Some(all) = three(text) else {
        let near = classes::closest_brick_color(text).map(|near| format!("; did you mean {near}?"));
        return Err(Error::argument(format!(
            "expected a colour such as `#ff8800`, `rgb(255, 136, 0)`, `Color3.new(1, 0.5, 0)` or `Bright red`, found \
             `{text}`{}",
            near.unwrap_or_default()
        )));
    };
    let (of_bytes, units) = (bytes(all), Color3::new(all[0], all[1], all[2]));
    let stated: Option<Value> = match kind {
        TypeId::COLOR3 => Some(units.into()),
        _ => of_bytes.map(Value::from),
    };
    if let Some(stated) = stated.as_ref().filter(|stated| old == Some(*stated)) {
        return Ok(stated.clone());
    }
    let of_units = Color3uint8::try_from(units).ok();
    let hex = |Color3uint8 { r, g, b }| format!("#{r:02x}{g:02x}{b:02x}");
    // What the numbers would be for the other type, unless they are right for this one.
    let (range, is_right, other) = match kind {
        TypeId::COLOR3 => {
            let other = of_bytes.filter(|_| of_units.is_none()).map(|color| {
                let Color3 { r, g, b } = color.into();
                format!("{} or {} (or, beyond 1, Color3.new({text}))", numbers(&[r, g, b]), hex(color))
            });
            ("0 to 1", of_units.is_some(), other)
        }
        _ => {
            let other = of_units.filter(|color| *color != Color3uint8::default()).map(|color| {
                let Color3uint8 { r, g, b } = color;
                format!("{r}, {g}, {b} or {} (or, for nearly black, rgb({text}))", hex(color))
            });
            ("0 to 255", true, other)
        }
    };
    match (stated.filter(|_| is_right), other) {
        (Some(stated), None) => Ok(stated),
        (_, Some(other)) => Err(Error::argument(format!(
            "the components of this colour are {range}, so `{text}` is probably not what is meant: write {other}"
        ))),
        (None, None) => Err(Error::argument(format!(
            "expected three components from {range}, or `#ff8800`, found `{text}`"
        ))),
    }
}

/// A colour that is not three bare numbers.
#[allow(clippy::cast_possible_truncation, reason = "the lowest byte is meant")]
pub(super) fn explicit(text: &str) -> Option<Value> {
    let call = |name: &str| text.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')');
    if let Some(digits) = text.strip_prefix('#').filter(|digits| digits.len() == 6) {
        let number = u32::from_str_radix(digits, 16).ok()?;
        return Some(Color3uint8::new((number >> 16) as u8, (number >> 8) as u8, number as u8).into());
    }
    if let Some(parts) = call("rgb").or_else(|| call("Color3.fromRGB")) {
        return Some(bytes(three(parts)?)?.into());
    }
    if let Some(parts) = call("Color3.new") {
        let [r, g, b] = three(parts)?;
        return Some(Color3 { r, g, b }.into());
    }
    let [r, g, b] = classes::brick_color(classes::brick_color_named(text)?)?;
    Some(Color3uint8 { r, g, b }.into())
}

fn three(text: &str) -> Option<[f32; 3]> {
    let parts: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    parts?.try_into().ok()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers from 0 to 255")]
fn bytes(all: [f32; 3]) -> Option<Color3uint8> {
    let is_byte = |part: &f32| (0.0..=255.0).contains(part) && part.fract() == 0.0;
    all.iter().all(is_byte).then(|| Color3uint8::new(all[0] as u8, all[1] as u8, all[2] as u8))
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
            entries.sort_by(|(a, _): &(bstr::BString, Attribute), (b, _)| a.cmp(b));
            Attribute::Table(entries)
        }
    })
}
