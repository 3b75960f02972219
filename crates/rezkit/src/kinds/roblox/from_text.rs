//! Values from the text that [`show`](super::show) writes for them.

use ::rbxbinary::{TypeId, rotation};
use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Value, Vector2int16,
    Vector3int16, classes, geom,
};

use crate::blobs::{Attribute, attributes};
use rezkit_core::{Error, Result};

/// A value of a property from its text: a word, or numbers separated by commas, as [`Attribute::parse`] reads them. A
/// CFrame given by three numbers is a position, and keeps the rotation of the `old` value.
pub(super) fn value(text: &str, kind: TypeId, old: Option<CFrame>) -> Result<Value> {
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
        TypeId::BRICK_COLOR => BrickColor(color(text)?).into(),
        TypeId::PHYSICAL_PROPERTIES if text == "default" => PhysicalProperties::Default.into(),
        // Before the acoustic absorption was added, there were five numbers.
        TypeId::PHYSICAL_PROPERTIES if text.split(',').count() == 5 => {
            const FIVE: &str =
                "five numbers (density, friction, elasticity, friction weight, elasticity weight)";
            let parsed = parsed(&format!("{text}, 1"), name).map_err(|_| expected(FIVE))?;
            let mut value = of_attribute(parsed, old);
            if let Some(Value::PhysicalProperties(of)) = &mut value
                && let PhysicalProperties::Custom(custom) = &mut **of
            {
                custom.acoustic_absorption = None;
            }
            value.ok_or_else(|| expected(FIVE))?
        }
        _ => of_attribute(parsed(text, name)?, old)
            .ok_or_else(|| Error::argument(format!("values of type {name} cannot be set")))?,
    })
}

/// The number of a `BrickColor` that a user enters as `194` or `Medium stone grey`.
fn color(text: &str) -> Result<u32> {
    text.parse().ok().or_else(|| classes::brick_color_named(text)).ok_or_else(|| {
        let meant = classes::closest_brick_color(text).map(|meant| format!("; did you mean {meant}?"));
        Error::argument(format!(
            "expected the number or the name of a BrickColor, such as 194 or `Medium stone grey`, found `{text}`{}",
            meant.unwrap_or_default()
        ))
    })
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
        return Ok(Attribute::BrickColor(color(text)?));
    }
    let mut value = Attribute::parse(text, kind).map_err(|error| Error::argument(error.to_string()))?;
    if let Attribute::CFrame(new) = &mut value {
        let bits = |rows: [f32; 9]| rows.map(f32::to_bits);
        match (new.rotation, old) {
            (None, Some(Attribute::CFrame(old))) => {
                (new.rotation_id, new.rotation) = (old.rotation_id, old.rotation);
            }
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
