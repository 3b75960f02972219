//! Values as the JSON that Rojo reads in projects and meta files: `{"Vector3": [1, 2, 3]}`, and plain texts, numbers and
//! booleans if the property determines the type.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bstr::ByteSlice;
use geom::wire::{Budget, Error, Result};
use rbxbinary::parts::TypeId;
use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content, ContentRef,
    CustomPhysicalProperties, Faces, Font, FontRef, FontStyle, Kind, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Rect, SecurityCapabilities, UDim, UDim2, Value, ValueRef, Vector3int16, geom,
};
use serde_json::{Map, Value as Json, json};

use rbxblobs::attributes::EnumItem;
use rbxblobs::{Attribute, Attributes, Tags};

const FACES: [&str; 6] = ["Right", "Top", "Back", "Left", "Bottom", "Front"];
const AXES: [&str; 3] = ["X", "Y", "Z"];
const WEIGHTS: [&str; 9] =
    ["Thin", "ExtraLight", "Light", "Regular", "Medium", "SemiBold", "Bold", "ExtraBold", "Heavy"];
const STYLES: [&str; 2] = ["Normal", "Italic"];

/// A value as JSON, followed by a line break.
///
/// # Errors
/// [`Limit`](geom::wire::ErrorKind::Limit) if the text exceeds the remaining bytes.
pub(crate) fn text(budget: &mut Budget, value: &impl serde::Serialize, path: &str) -> Result<Vec<u8>> {
    let mut text = budget.charged();
    if let Err(error) = serde_json::to_writer_pretty(geom::plain::JsonOut(&mut text), value) {
        return Err(match text.refused {
            Some(limit) => Error::new(limit, path.to_owned()),
            None => Error::not_representable(error.to_string()).at_path(path.to_owned()),
        });
    }
    text.bytes.push(b'\n');
    Ok(text.bytes)
}

/// The JSON of a property's value; `None` if JSON or Rojo cannot represent it. `kind` is the property's kind, if it is
/// known.
pub(crate) fn value(value: ValueRef<'_>, kind: Option<Kind>) -> Option<Json> {
    if let ValueRef::Bool(value) = value
        && kind == Some(Kind::Bool)
    {
        return Some(value.into());
    }
    let (name, json) = match value {
        ValueRef::String(bytes) => return string(bytes, kind),
        ValueRef::Bool(value) => ("Bool", value.into()),
        ValueRef::Int32(value) => ("Int32", value.into()),
        ValueRef::Int64(value) => ("Int64", value.into()),
        ValueRef::Float32(value) => ("Float32", number(value)?),
        ValueRef::Color3(_) | ValueRef::Vector2(_) | ValueRef::Vector3(_) | ValueRef::NumberRange(_) => {
            (value.kind()?.name(), numbers(&value.floats()?)?)
        }
        ValueRef::Float64(value) => ("Float64", double(value)?),
        ValueRef::Enum(value) => ("Enum", value.into()),
        ValueRef::BrickColor(color) => ("BrickColor", color.0.into()),
        ValueRef::SharedString(bytes) => ("SharedString", BASE64_STANDARD.encode(bytes).into()),
        ValueRef::UDim(value) => ("UDim", udim(value)?),
        ValueRef::UDim2(value) => ("UDim2", json!([udim(value.x)?, udim(value.y)?])),
        ValueRef::Ray(ray) => ("Ray", {
            let (origin, direction) = (vector(ray.origin)?, vector(ray.direction)?);
            json!({ "origin": origin, "direction": direction })
        }),
        ValueRef::Faces(faces) => ("Faces", set(faces.0, &FACES)?),
        ValueRef::Axes(axes) => ("Axes", set(axes.0, &AXES)?),
        ValueRef::Color3uint8(color) => ("Color3uint8", json!([color.r, color.g, color.b])),
        ValueRef::Vector3int16(value) => ("Vector3int16", json!([value.x, value.y, value.z])),
        ValueRef::CFrame(frame) => ("CFrame", cframe(&frame)?),
        ValueRef::OptionalCFrame(None) => ("OptionalCFrame", Json::Null),
        ValueRef::OptionalCFrame(Some(frame)) => ("OptionalCFrame", cframe(&frame)?),
        ValueRef::Rect(Rect { min, max }) => {
            ("Rect", json!([numbers(&[min.x, min.y])?, numbers(&[max.x, max.y])?]))
        }
        ValueRef::NumberSequence(sequence) => {
            let keypoint = |key: &NumberSequenceKeypoint| {
                let (time, value, envelope) = (number(key.time)?, number(key.value)?, number(key.envelope)?);
                Some(json!({ "time": time, "value": value, "envelope": envelope }))
            };
            let keypoints: Option<Vec<Json>> = sequence.keypoints.iter().map(keypoint).collect();
            ("NumberSequence", json!({ "keypoints": keypoints? }))
        }
        ValueRef::ColorSequence(sequence) => {
            // Rojo cannot represent envelopes.
            let keypoint = |key: &ColorSequenceKeypoint| {
                let color = numbers(&[key.color.r, key.color.g, key.color.b])?;
                let time = number(key.time)?;
                (key.envelope == 0.0).then(|| json!({ "time": time, "color": color }))
            };
            let keypoints: Option<Vec<Json>> = sequence.keypoints.iter().map(keypoint).collect();
            ("ColorSequence", json!({ "keypoints": keypoints? }))
        }
        ValueRef::PhysicalProperties(PhysicalProperties::Default) => ("PhysicalProperties", "Default".into()),
        ValueRef::PhysicalProperties(PhysicalProperties::Custom(custom)) => ("PhysicalProperties", {
            json!({
                "density": number(custom.density)?,
                "friction": number(custom.friction)?,
                "elasticity": number(custom.elasticity)?,
                "frictionWeight": number(custom.friction_weight)?,
                "elasticityWeight": number(custom.elasticity_weight)?,
                "acousticAbsorption": number(custom.acoustic_absorption.unwrap_or(1.0))?,
            })
        }),
        ValueRef::Font(font) => ("Font", self::font(font)?),
        ValueRef::SecurityCapabilities(value) => ("SecurityCapabilities", value.0.into()),
        ValueRef::Content(ContentRef::None) => ("Content", "None".into()),
        ValueRef::Content(ContentRef::Uri(uri)) => ("Content", json!({ "Uri": uri.to_str().ok()? })),
        _ => return None,
    };
    Some(json!({ name: json }))
}

fn string(bytes: &[u8], kind: Option<Kind>) -> Option<Json> {
    let text = std::str::from_utf8(bytes);
    Some(match (kind, text) {
        (Some(Kind::String | Kind::ProtectedString), Ok(text)) => text.into(),
        (Some(Kind::ContentId), Ok(text)) => json!({ "ContentId": text }),
        (None, Ok(text)) => json!({ "String": text }),
        (Some(Kind::BinaryString) | None, _) => json!({ "BinaryString": BASE64_STANDARD.encode(bytes) }),
        _ => return None,
    })
}

/// The shortest JSON number that is read as the same float by way of a double; `None` for NaN and infinities.
fn number(float: f32) -> Option<Json> {
    let short: f64 = float.to_string().parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "what reads it does the same")]
    let same = (short as f32).to_bits() == float.to_bits();
    double(if same { short } else { f64::from(float) })
}

fn double(number: f64) -> Option<Json> {
    Some(Json::Number(serde_json::Number::from_f64(number)?))
}

fn numbers(floats: &[f32]) -> Option<Json> {
    floats.iter().map(|&float| number(float)).collect::<Option<Vec<_>>>().map(Json::Array)
}

fn vector(vector: geom::Vec3) -> Option<Json> {
    numbers(&vector.to_array())
}

fn udim(udim: UDim) -> Option<Json> {
    Some(json!([number(udim.scale)?, udim.offset]))
}

fn cframe(frame: &CFrame) -> Option<Json> {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    let rows = [numbers(&[a, b, c])?, numbers(&[d, e, f])?, numbers(&[g, h, i])?];
    Some(json!({ "position": vector(frame.position)?, "orientation": rows }))
}

fn font(font: FontRef<'_>) -> Option<Json> {
    let weight = usize::from(font.weight / 100).checked_sub(1).filter(|_| font.weight.is_multiple_of(100))?;
    Some(json!({
        "family": font.family.to_str().ok()?,
        "weight": WEIGHTS.get(weight)?,
        "style": STYLES.get(usize::from(font.style.0))?,
        "cachedFaceId": (!font.cached_face_id.is_empty()).then(|| font.cached_face_id.to_str()).transpose().ok()?,
    }))
}

/// The names of the bits that are set; `None` if a bit without a name is set.
fn set(bits: u8, names: &[&str]) -> Option<Json> {
    let named = (0..).zip(names).filter(|&(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name);
    (u32::from(bits) < 1 << names.len()).then(|| named.collect())
}

/// Tags as a list; `None` if they are not text.
pub(crate) fn tags(tags: &Tags) -> Option<Json> {
    let names: Option<Vec<Json>> = tags.0.iter().map(|tag| Some(tag.to_str().ok()?.into())).collect();
    Some(json!({ "Tags": names? }))
}

/// The JSON of an attribute; `None` if JSON or Rojo cannot represent it.
pub(crate) fn attribute(attribute: &Attribute) -> Option<Json> {
    Some(match (attribute, attribute.value()) {
        (Attribute::Enum(EnumItem { name, value }), _) => {
            json!({ "EnumItem": { "type": name.to_str().ok()?, "value": value } })
        }
        (_, Some(ValueRef::String(bytes))) => match bytes.to_str() {
            Ok(text) => text.into(),
            Err(_) => json!({ "BinaryString": BASE64_STANDARD.encode(bytes) }),
        },
        (_, Some(ValueRef::Bool(value))) => value.into(),
        (_, Some(ValueRef::Float64(value))) => double(value)?,
        (_, Some(of)) if of.kind().is_some_and(|kind| ATTRIBUTES.contains(&kind)) => value(of, None)?,
        _ => return None,
    })
}

/// The types of attributes that Rojo writes into files.
const ATTRIBUTES: [Kind; 17] = [
    Kind::Bool,
    Kind::Int32,
    Kind::Float32,
    Kind::Float64,
    Kind::UDim,
    Kind::UDim2,
    Kind::BrickColor,
    Kind::Color3,
    Kind::Vector2,
    Kind::Vector3,
    Kind::CFrame,
    Kind::NumberSequence,
    Kind::ColorSequence,
    Kind::NumberRange,
    Kind::Rect,
    Kind::Font,
    Kind::String,
];

/// A property's value of a type from JSON that a user wrote, with or without the name of the type.
pub(crate) fn parse(json: &Json, kind: TypeId) -> Option<Value> {
    let (name, inner) = match json {
        Json::Object(fields) if fields.len() == 1 => {
            fields.iter().next().map(|(name, json)| (&**name, json))?
        }
        _ => ("", json),
    };
    Some(match kind {
        TypeId::STRING => Value::String(match (name, inner) {
            ("BinaryString", Json::String(text)) => BASE64_STANDARD.decode(text).ok()?.into(),
            ("Tags", Json::Array(_)) | ("", Json::Array(_)) => {
                let tags = inner.as_array()?.iter().map(|tag| Some(tag.as_str()?.into()));
                Tags(tags.collect::<Option<_>>()?).to_vec().ok()?.into()
            }
            (_, Json::String(text)) => text.as_str().into(),
            _ => return None,
        }),
        TypeId::SHARED_STRING => Value::SharedString(BASE64_STANDARD.decode(inner.as_str()?).ok()?.into()),
        TypeId::BOOL => Value::Bool(inner.as_bool()?),
        TypeId::INT32 => Value::Int32(whole(inner)?.try_into().ok()?),
        TypeId::INT64 => Value::Int64(whole(inner)?),
        TypeId::FLOAT32 => Value::Float32(float(inner)?),
        TypeId::FLOAT64 => Value::Float64(inner.as_f64()?),
        TypeId::ENUM => Value::Enum(inner.as_u64()?.try_into().ok()?),
        TypeId::BRICK_COLOR => Value::BrickColor(BrickColor(inner.as_u64()?.try_into().ok()?)),
        TypeId::SECURITY_CAPABILITIES => Value::SecurityCapabilities(SecurityCapabilities(inner.as_u64()?)),
        TypeId::CONTENT => Value::Content(match inner {
            Json::String(text) if text.is_empty() || name == "Content" && text == "None" => Content::None,
            Json::String(text) => Content::Uri(text.as_str().into()),
            Json::Object(_) => Content::Uri(inner.get("Uri")?.as_str()?.into()),
            _ => return None,
        }),
        TypeId::FACES => Value::Faces(Faces(bits(inner, &FACES)?)),
        TypeId::AXES => Value::Axes(Axes(bits(inner, &AXES)?)),
        TypeId::NUMBER_SEQUENCE | TypeId::COLOR_SEQUENCE => sequence_of(inner, kind)?,
        TypeId::PHYSICAL_PROPERTIES => physical_of(inner)?,
        // Without the name of the type, a font is an object with several fields.
        TypeId::FONT => font_of(if name == "Font" { inner } else { json })?,
        _ => return numbers_of(name, inner, kind),
    })
}

/// An integer, which Rojo writes with a fraction of 0 in some places.
#[allow(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
fn whole(json: &Json) -> Option<i64> {
    let of_float = || json.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
    json.as_i64().or_else(|| of_float().map(|float| float as i64))
}

/// A value that consists of numbers in lists.
fn numbers_of(name: &str, inner: &Json, kind: TypeId) -> Option<Value> {
    let mut flat = Vec::new();
    floats(inner, &mut flat);
    match (name, kind) {
        ("Color3", TypeId::COLOR3_UINT8) | ("CFrame", TypeId::OPTIONAL_CFRAME) => {}
        ("Color3uint8", TypeId::COLOR3) => {
            return numbers_of(name, inner, TypeId::COLOR3_UINT8)?.converted(Kind::Color3);
        }
        // The name of another type.
        _ if Kind::named(name).is_some() && kind.name() != Some(name) => return None,
        _ => {}
    }
    Some(match (kind, &*flat) {
        (TypeId::COLOR3_UINT8, _) => {
            // Rojo takes a list without the name of the type for the floats of a Color3.
            if let ("" | "Color3", &[r, g, b]) = (name, &*flat)
                && let Ok(color) = Color3uint8::try_from(Color3 { r, g, b })
            {
                return Some(Value::Color3uint8(color));
            }
            let parts: Option<Vec<u8>> =
                inner.as_array()?.iter().map(|part| part.as_u64()?.try_into().ok()).collect();
            let [r, g, b] = parts?.try_into().ok()?;
            Value::Color3uint8(Color3uint8 { r, g, b })
        }
        (TypeId::VECTOR3_INT16, _) => {
            let parts: Option<Vec<i16>> =
                inner.as_array()?.iter().map(|part| part.as_i64()?.try_into().ok()).collect();
            let [x, y, z] = parts?.try_into().ok()?;
            Value::Vector3int16(Vector3int16 { x, y, z })
        }
        (TypeId::OPTIONAL_CFRAME, _) if inner.is_null() => Value::OptionalCFrame(None),
        (TypeId::OPTIONAL_CFRAME | TypeId::CFRAME, _) => {
            fields(inner, kind, flat, ["position", "orientation"])?
        }
        (TypeId::RAY, _) => fields(inner, kind, Vec::new(), ["origin", "direction"])?,
        (TypeId::UDIM, &[scale, offset]) => Value::UDim(UDim { scale, offset: whole_of(offset)? }),
        (TypeId::UDIM2, &[a, b, c, d]) => Value::UDim2(UDim2 {
            x: UDim { scale: a, offset: whole_of(b)? },
            y: UDim { scale: c, offset: whole_of(d)? },
        }),
        (TypeId::COLOR3 | TypeId::VECTOR2 | TypeId::VECTOR3 | TypeId::NUMBER_RANGE | TypeId::RECT, flat) => {
            Value::from_floats(kind.kind()?, flat)?
        }
        _ => return None,
    })
}

/// A `NumberSequence` or `ColorSequence`.
fn sequence_of(inner: &Json, kind: TypeId) -> Option<Value> {
    Some(match kind {
        TypeId::NUMBER_SEQUENCE => {
            let keypoint = |json: &Json| {
                let field = |name: &str| json.get(name).and_then(float);
                let (time, value) = (field("time")?, field("value")?);
                Some(NumberSequenceKeypoint { time, value, envelope: field("envelope").unwrap_or(0.0) })
            };
            let keypoints = inner.get("keypoints")?.as_array()?.iter().map(keypoint);
            Value::from(NumberSequence { keypoints: keypoints.collect::<Option<_>>()? })
        }
        _ => {
            let keypoint = |json: &Json| {
                let mut flat = Vec::new();
                floats(json.get("color")?, &mut flat);
                let [r, g, b] = flat.try_into().ok()?;
                let time = json.get("time").and_then(float)?;
                Some(ColorSequenceKeypoint { time, color: Color3 { r, g, b }, envelope: 0.0 })
            };
            let keypoints = inner.get("keypoints")?.as_array()?.iter().map(keypoint);
            Value::from(ColorSequence { keypoints: keypoints.collect::<Option<_>>()? })
        }
    })
}

fn physical_of(inner: &Json) -> Option<Value> {
    let field = |name: &str| inner.get(name).and_then(float);
    Some(Value::from(match inner {
        Json::String(text) if text == "Default" => PhysicalProperties::Default,
        _ => PhysicalProperties::Custom(CustomPhysicalProperties {
            density: field("density")?,
            friction: field("friction")?,
            elasticity: field("elasticity")?,
            friction_weight: field("frictionWeight")?,
            elasticity_weight: field("elasticityWeight")?,
            acoustic_absorption: field("acousticAbsorption"),
        }),
    }))
}

fn font_of(font: &Json) -> Option<Value> {
    let position =
        |names: &[&str], field| names.iter().position(|name| font.get(field) == Some(&json!(name)));
    let family = font.get("family")?.as_str()?.into();
    Some(Value::from(Font {
        family,
        weight: u16::try_from(position(&WEIGHTS, "weight").map_or(4, |index| index + 1) * 100).ok()?,
        style: FontStyle(u8::try_from(position(&STYLES, "style").unwrap_or(0)).ok()?),
        cached_face_id: font.get("cachedFaceId").and_then(Json::as_str).unwrap_or_default().into(),
    }))
}

#[allow(clippy::cast_possible_truncation, reason = "to the nearest, as Rojo does")]
fn float(json: &Json) -> Option<f32> {
    json.as_f64().map(|number| number as f32)
}

/// Collects the numbers in nested lists, at most one more than a CFrame has.
fn floats(json: &Json, all: &mut Vec<f32>) {
    match json {
        Json::Array(parts) => {
            for part in parts {
                if all.len() > 12 {
                    return;
                }
                floats(part, all);
            }
        }
        other => all.extend(float(other)),
    }
}

/// A value of numbers in two fields, or of the given numbers if the first one is missing.
fn fields(json: &Json, kind: TypeId, mut flat: Vec<f32>, [first, second]: [&str; 2]) -> Option<Value> {
    if let Some(numbers) = json.get(first) {
        floats(numbers, &mut flat);
        floats(json.get(second)?, &mut flat);
    }
    Value::from_floats(kind.kind()?, &flat)
}

fn bits(json: &Json, names: &[&str]) -> Option<u8> {
    let bit = |json: &Json| names.iter().position(|&name| json == name);
    json.as_array()?.iter().try_fold(0, |bits, json| Some(bits | 1 << bit(json)?))
}

/// An attribute from JSON that a user wrote; `None` if the JSON is no attribute.
pub(crate) fn parse_attribute(json: &Json) -> Option<Attribute> {
    let (name, inner) = match json {
        Json::String(text) => return Some(text.into()),
        Json::Bool(value) => return Some((*value).into()),
        Json::Number(number) => return Some(number.as_f64()?.into()),
        Json::Object(fields) if fields.len() == 1 => fields.iter().next()?,
        _ => return None,
    };
    match name.as_str() {
        "EnumItem" => Some(Attribute::Enum(EnumItem {
            name: inner.get("type")?.as_str()?.into(),
            value: inner.get("value")?.as_u64()?.try_into().ok()?,
        })),
        "BinaryString" => parse(json, TypeId::STRING).map(Attribute::Value),
        name => {
            let kind = ATTRIBUTES.into_iter().find(|kind| kind.name() == name)?;
            parse(json, TypeId::of(kind)?).map(Attribute::Value)
        }
    }
}

/// The attributes of a property: those that JSON can represent, and the names of the others.
pub(crate) fn attributes(all: &Attributes) -> (Map<String, Json>, Vec<String>) {
    let (mut known, mut others) = (Map::new(), Vec::new());
    for (name, value) in &all.0 {
        match (name.to_str(), attribute(value)) {
            (Ok(name), Some(json)) => drop(known.insert(name.to_owned(), json)),
            _ => others.push(name.to_string()),
        }
    }
    (known, others)
}

/// A whole number that a float represents.
#[allow(clippy::cast_possible_truncation, reason = "in range and compared")]
fn whole_of(number: f32) -> Option<i32> {
    (number.fract() == 0.0 && number.abs() < 16_777_216.0).then_some(number as i32)
}
