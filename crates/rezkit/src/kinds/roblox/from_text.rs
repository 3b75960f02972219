//! Values from the text that [`show`](super::show) writes for them.

use ::rbxbinary::{TypeId, rotation};
use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Value, Vector2int16,
    Vector3int16, classes, geom,
};

use super::numbers::numbers;
use crate::blobs::{Attribute, attributes};
use rezkit_core::{Error, Result};

/// A value of a property from its text: a word, or numbers separated by commas, as [`Attribute::parse`] reads them, or a
/// [`color`]. A CFrame given by three numbers is a position, and keeps the rotation of the `old` value.
pub(super) fn value(text: &str, kind: TypeId, old: Option<&Value>) -> Result<Value> {
    let frame = old.and_then(Value::as_cframe);
    let name = kind.name().unwrap_or("unknown");
    let expected = |what: &str| Error::argument(format!("expected {what}, found `{text}`"));
    let parsed = |text: &str, name| Attribute::parse(text, name).map_err(|e| Error::argument(e.to_string()));
    Ok(match kind {
        TypeId::STRING => Value::from(text),
        TypeId::SHARED_STRING => Value::SharedString(text.into()),
        TypeId::INT64 => Value::Int64(text.parse().map_err(|_| expected("a 64-bit integer"))?),
        TypeId::ENUM => Value::Enum(
            text.parse()
                .map_err(|_| expected("the number of an enum item (the names of the items are unknown)"))?,
        ),
        TypeId::CONTENT => Value::Content(match text {
            "" | "none" => Content::None,
            uri => Content::Uri(uri.into()),
        }),
        TypeId::OPTIONAL_CFRAME if text == "none" => Value::from(None::<CFrame>),
        TypeId::OPTIONAL_CFRAME => {
            let frame = value(text, TypeId::CFRAME, old)?;
            Value::from(frame.as_cframe())
        }
        TypeId::UNIQUE_ID => {
            let digits = || {
                expected("32 hexadecimal digits (16 for the random part, 8 for the time and 8 for the index)")
            };
            let part = |range: std::ops::Range<usize>| {
                let part = text.get(range).filter(|_| text.len() == 32);
                u64::from_str_radix(part.ok_or_else(digits)?, 16).map_err(|_| digits())
            };
            let half = |range| Ok::<_, Error>(u32::try_from(part(range)?).unwrap_or_default());
            UniqueId { random: part(0..16)?, time: half(16..24)?, index: half(24..32)? }.into()
        }
        // Attributes store it as a signed number.
        TypeId::SECURITY_CAPABILITIES if text.parse::<u64>().is_ok() => {
            SecurityCapabilities(text.parse().unwrap_or_default()).into()
        }
        TypeId::BRICK_COLOR => BrickColor(brick_color(text)?).into(),
        TypeId::COLOR3 | TypeId::COLOR3_UINT8 => color(text, kind, old)?,
        TypeId::PHYSICAL_PROPERTIES if text == "default" => PhysicalProperties::Default.into(),
        // Before the acoustic absorption was added, there were five numbers.
        TypeId::PHYSICAL_PROPERTIES if text.split(',').count() == 5 => {
            const FIVE: &str =
                "five numbers (density, friction, elasticity, friction weight, elasticity weight)";
            let parsed = parsed(&format!("{text}, 1"), name).map_err(|_| expected(FIVE))?;
            let mut value = of_attribute(parsed, frame);
            if let Some(Value::PhysicalProperties(of)) = &mut value
                && let PhysicalProperties::Custom(custom) = &mut **of
            {
                custom.acoustic_absorption = None;
            }
            value.ok_or_else(|| expected(FIVE))?
        }
        _ => of_attribute(parsed(text, name)?, frame)
            .ok_or_else(|| Error::argument(format!("values of type {name} cannot be set")))?,
    })
}

/// The number of a `BrickColor` that a user enters as `194` or `Medium stone grey`.
fn brick_color(text: &str) -> Result<u32> {
    text.parse().ok().or_else(|| classes::brick_color_named(text)).ok_or_else(|| {
        let meant = classes::closest_brick_color(text).map(|meant| format!("; did you mean {meant}?"));
        Error::argument(format!(
            "expected the number or the name of a BrickColor, such as 194 or `Medium stone grey`, found `{text}`{}",
            meant.unwrap_or_default()
        ))
    })
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
fn explicit(text: &str) -> Option<Value> {
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

/// An attribute as a property's value of the same type; `None` if properties have no such type, or write it otherwise.
pub(super) fn of_attribute(attribute: Attribute, old: Option<CFrame>) -> Option<Value> {
    let vector = |[x, y, z]: [f32; 3]| geom::Vec3 { x, y, z };
    let udim = |attributes::UDim { scale, offset }| UDim { scale, offset };
    Some(match attribute {
        Attribute::Bool(value) => Value::Bool(value),
        Attribute::Int32(value) => Value::Int32(value),
        Attribute::Float32(value) => Value::Float32(value),
        Attribute::Float64(value) => Value::Float64(value),
        Attribute::UDim(value) => udim(value).into(),
        Attribute::UDim2([x, y]) => UDim2 { x: udim(x), y: udim(y) }.into(),
        Attribute::Ray([x, y, z, a, b, c]) => {
            Ray { origin: vector([x, y, z]), direction: vector([a, b, c]) }.into()
        }
        Attribute::Faces(bits) => Faces(u8::try_from(bits).ok()?).into(),
        Attribute::Axes(bits) => Axes(u8::try_from(bits).ok()?).into(),
        Attribute::BrickColor(number) => BrickColor(number).into(),
        Attribute::Color3([r, g, b]) => Color3 { r, g, b }.into(),
        Attribute::Color3uint8([r, g, b]) => Color3uint8 { r, g, b }.into(),
        Attribute::Vector2([x, y]) => geom::Vec2 { x, y }.into(),
        Attribute::Vector3(value) => vector(value).into(),
        Attribute::Vector2int16([x, y]) => Vector2int16 { x, y }.into(),
        Attribute::Vector3int16([x, y, z]) => Vector3int16 { x, y, z }.into(),
        Attribute::CFrame(attributes::CFrame { position, rotation, .. }) => {
            let old = old.unwrap_or(CFrame::IDENTITY).rotation;
            CFrame { position: vector(position), rotation: rotation.map_or(old, geom::Mat3::from_rows) }
                .into()
        }
        Attribute::NumberSequence(keys) => {
            let key = |key: attributes::NumberKeypoint| NumberSequenceKeypoint {
                time: key.time,
                value: key.value,
                envelope: key.envelope,
            };
            NumberSequence { keypoints: keys.into_iter().map(key).collect() }.into()
        }
        Attribute::ColorSequence(keys) => {
            let key = |attributes::ColorKeypoint { time, color: [r, g, b], envelope }| {
                ColorSequenceKeypoint { time, color: Color3 { r, g, b }, envelope }
            };
            ColorSequence { keypoints: keys.into_iter().map(key).collect() }.into()
        }
        Attribute::NumberRange([min, max]) => NumberRange { min, max }.into(),
        Attribute::Rect([x, y, z, w]) => {
            Rect { min: geom::Vec2 { x, y }, max: geom::Vec2 { x: z, y: w } }.into()
        }
        Attribute::PhysicalProperties(of) => PhysicalProperties::Custom(CustomPhysicalProperties {
            density: of.density,
            friction: of.friction,
            elasticity: of.elasticity,
            friction_weight: of.friction_weight,
            elasticity_weight: of.elasticity_weight,
            acoustic_absorption: Some(of.acoustic_absorption),
        })
        .into(),
        Attribute::Font(of) => Font {
            family: of.family,
            weight: of.weight,
            style: FontStyle(of.style),
            cached_face_id: of.cached_face,
        }
        .into(),
        Attribute::SecurityCapabilities(bits) => SecurityCapabilities(bits.cast_unsigned()).into(),
        _ => return None,
    })
}

/// The name of a type that may have its name in Luau.
pub(super) fn type_name(name: &str) -> &str {
    match &*name.to_ascii_lowercase() {
        "number" | "double" => "Float64",
        "boolean" => "Bool",
        _ => name,
    }
}

/// The value of an attribute from its text, as [`Attribute::parse`] reads it; arrays and tables are JSON. A CFrame given
/// by three numbers is a position, and keeps the rotation of the `old` value.
pub(super) fn attribute(text: &str, kind: &str, old: Option<&Attribute>) -> Result<Attribute> {
    let kind = type_name(kind);
    if ["array", "table"].contains(&kind.to_lowercase().as_str()) {
        let json = serde_json::from_slice(text.as_bytes())
            .map_err(|error| Error::argument(format!("invalid JSON for a value of type {kind}: {error}")))?;
        let value = of_json(&json).filter(|value| value.type_name().eq_ignore_ascii_case(kind));
        let expected = if kind.eq_ignore_ascii_case("array") { "a JSON array" } else { "a JSON object" };
        return value.ok_or_else(|| {
            Error::argument(format!("expected {expected} for the type {kind}, found `{text}`"))
        });
    }
    if kind.eq_ignore_ascii_case("BrickColor") {
        return Ok(Attribute::BrickColor(brick_color(text)?));
    }
    if let Some(kind) = [TypeId::COLOR3, TypeId::COLOR3_UINT8]
        .into_iter()
        .find(|of| of.name().is_some_and(|of| of.eq_ignore_ascii_case(kind)))
    {
        let old = old.and_then(|old| of_attribute(old.clone(), None));
        return Ok(match color(text, kind, old.as_ref())? {
            Value::Color3uint8(Color3uint8 { r, g, b }) => Attribute::Color3uint8([r, g, b]),
            color => color
                .as_color3()
                .map_or(Attribute::Nil([]), |Color3 { r, g, b }| Attribute::Color3([r, g, b])),
        });
    }
    let mut value = Attribute::parse(text, kind).map_err(|error| Error::argument(error.to_string()))?;
    if let Attribute::CFrame(new) = &mut value {
        let bits = |rows: [f32; 9]| rows.map(f32::to_bits);
        match (new.rotation, old) {
            (None, Some(Attribute::CFrame(old))) => {
                (new.rotation_id, new.rotation) = (old.rotation_id, old.rotation);
            }
            (Some(rows), Some(Attribute::CFrame(old)))
                if old.rotation.is_some_and(|old| bits(old) == bits(rows)) => {}
            // Roblox stores an axis-aligned rotation by its id.
            (Some(rows), _) => {
                let known = |id: u8| rotation::matrix(id).map(|matrix| bits(matrix.to_rows()));
                let id = rotation::id(&geom::Mat3::from_rows(rows));
                if let Some(id) = id.filter(|&id| known(id) == Some(bits(rows))) {
                    (new.rotation_id, new.rotation) = (id, None);
                }
            }
            (None, _) => {}
        }
    }
    Ok(value)
}

/// A JSON value as an attribute. Numbers are doubles, as in Luau.
pub(super) fn of_json(json: &serde_json::Value) -> Option<Attribute> {
    use serde_json::Value as Json;
    Some(match json {
        Json::Null => Attribute::Nil([]),
        Json::Bool(value) => Attribute::Bool(*value),
        Json::Number(number) => Attribute::Float64(number.as_f64()?),
        Json::String(text) => Attribute::String(text.as_str().into()),
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
