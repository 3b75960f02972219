//! Values as text, and texts as values.

use ::rbxbinary::TypeId;
use rbxcore::{
    BrickColor, CFrame, Color3, Color3uint8, Content, ContentRef, InstanceId, NumberRange,
    PhysicalProperties, Rect, UDim, UDim2, Value, ValueRef, geom,
};

use super::decoded::{Property, decoded};
use super::door;
use super::numbers::{double, number, numbers};
use super::type_of;
use crate::tree::{self, Written};
use rezkit_core::{Error, Result};

/// A value as it is shown, and compared: bytes of a known layout as what is in them, instances as their paths.
pub(super) fn value(
    property: Property<'_>,
    value: &Value,
    max_bytes: u64,
    path: impl Fn(InstanceId) -> String,
) -> tree::Value {
    let path = |id: &Option<InstanceId>| id.map_or_else(|| "null".to_owned(), &path);
    match value {
        Value::Ref(id) => tree::Value::text("Ref", path(id)),
        Value::Content(Content::Object(id)) => tree::Value::text("Content", format!("object {}", path(id))),
        Value::Unknown(unknown) => tree::Value::bytes(unknown.tag.to_string(), unknown.xml.to_vec()),
        value => plain(property, value, max_bytes),
    }
}

pub(super) fn of_bytes(
    kind: &'static str,
    property: Property<'_>,
    bytes: &[u8],
    max_bytes: u64,
) -> tree::Value {
    match decoded(property, bytes, max_bytes) {
        Ok(Some(value)) => value,
        Ok(None) => tree::Value::bytes(kind, bytes),
        Err(why) => tree::Value::bytes(format!("{kind}, not decoded: {why}"), bytes),
    }
}

fn plain(property: Property<'_>, value: &Value, max_bytes: u64) -> tree::Value {
    let kind = type_of(value).and_then(TypeId::name).unwrap_or("unknown");
    if let Some(bytes) = value.as_bytes() {
        return of_bytes(kind, property, bytes, max_bytes);
    }
    let udim = |udim: &UDim| format!("{}, {}", number(udim.scale), udim.offset);
    let vector = |vector: &geom::Vec3| numbers(&[vector.x, vector.y, vector.z]);
    let text = match value.as_ref() {
        ValueRef::Bool(value) => value.to_string(),
        ValueRef::Int32(value) => value.to_string(),
        ValueRef::Int64(value) => value.to_string(),
        ValueRef::Float32(value) => number(value),
        ValueRef::Float64(value) => double(value),
        ValueRef::UDim(value) => udim(&value),
        ValueRef::UDim2(value) => format!("{}, {}", udim(&value.x), udim(&value.y)),
        ValueRef::Ray(ray) => format!("{}, {}", vector(&ray.origin), vector(&ray.direction)),
        ValueRef::Faces(faces) => faces.0.to_string(),
        ValueRef::Axes(axes) => axes.0.to_string(),
        ValueRef::BrickColor(color) => color.0.to_string(),
        ValueRef::Color3(color) => numbers(&[color.r, color.g, color.b]),
        ValueRef::Color3uint8(color) => format!("{}, {}, {}", color.r, color.g, color.b),
        ValueRef::Vector2(value) => numbers(&[value.x, value.y]),
        ValueRef::Vector3(value) => vector(&value),
        ValueRef::Vector2int16(value) => format!("{}, {}", value.x, value.y),
        ValueRef::Vector3int16(value) => format!("{}, {}, {}", value.x, value.y, value.z),
        ValueRef::CFrame(value) => cframe(&value),
        ValueRef::CFrameQuat(value) => format!("{value:?}"),
        ValueRef::OptionalCFrame(value) => value.map_or_else(|| "none".to_owned(), |frame| cframe(&frame)),
        ValueRef::Enum(value) => match door::items(property.0, property.1).and_then(|of| of.item_name(value))
        {
            Some(name) => name.to_owned(),
            None => value.to_string(),
        },
        ValueRef::NumberSequence(sequence) => {
            let keys = sequence.keypoints.iter().map(|key| numbers(&[key.time, key.value, key.envelope]));
            keys.collect::<Vec<_>>().join("; ")
        }
        ValueRef::ColorSequence(sequence) => {
            let keys = sequence.keypoints.iter().map(|key| {
                let color = key.color;
                numbers(&[key.time, color.r, color.g, color.b, key.envelope])
            });
            keys.collect::<Vec<_>>().join("; ")
        }
        ValueRef::NumberRange(range) => numbers(&[range.min, range.max]),
        ValueRef::Rect(rect) => numbers(&[rect.min.x, rect.min.y, rect.max.x, rect.max.y]),
        ValueRef::PhysicalProperties(PhysicalProperties::Default) => "default".to_owned(),
        ValueRef::PhysicalProperties(PhysicalProperties::Custom(custom)) => {
            let acoustic =
                custom.acoustic_absorption.map_or_else(String::new, |value| format!(", {}", number(value)));
            let first = numbers(&[
                custom.density,
                custom.friction,
                custom.elasticity,
                custom.friction_weight,
                custom.elasticity_weight,
            ]);
            first + &acoustic
        }
        ValueRef::UniqueId(id) => format!("{:08x}{:08x}{:016x}", id.index, id.time, id.random),
        ValueRef::SecurityCapabilities(value) => value.0.to_string(),
        ValueRef::Font(font) => {
            let style = font.style.0;
            format!("{:?}, {}, {style}, {:?}", font.family, font.weight, font.cached_face_id)
        }
        ValueRef::Content(ContentRef::None) => "none".to_owned(),
        other => format!("{other:?}"),
    };
    let written = match value.as_ref() {
        ValueRef::Bool(_) => Written::Bool,
        ValueRef::Enum(value) => Written::Item(value),
        ValueRef::Int32(_) | ValueRef::Int64(_) | ValueRef::BrickColor(_) => Written::Integer,
        ValueRef::Faces(_) | ValueRef::Axes(_) | ValueRef::SecurityCapabilities(_) => Written::Integer,
        ValueRef::Float32(_) | ValueRef::Float64(_) => Written::Real,
        ValueRef::Vector2(_)
        | ValueRef::Vector3(_)
        | ValueRef::Vector2int16(_)
        | ValueRef::Vector3int16(_) => Written::Numbers,
        ValueRef::UDim(_)
        | ValueRef::UDim2(_)
        | ValueRef::Ray(_)
        | ValueRef::Rect(_)
        | ValueRef::NumberRange(_) => Written::Numbers,
        ValueRef::Color3(_)
        | ValueRef::Color3uint8(_)
        | ValueRef::CFrame(_)
        | ValueRef::OptionalCFrame(Some(_)) => Written::Numbers,
        _ => Written::Text,
    };
    tree::Value::line(kind, written, text)
}

fn cframe(frame: &CFrame) -> String {
    let position = frame.position;
    let rows = frame.rotation.to_rows();
    format!("{}, {}", numbers(&[position.x, position.y, position.z]), numbers(&rows))
}

/// A value of a type from its text: a word, or numbers with commas between them. A CFrame of three numbers, a position, keeps
/// the rotation of the one that exists.
pub(super) fn parse(text: &str, kind: TypeId, old: Option<CFrame>) -> Result<Value> {
    let name = kind.name().unwrap_or("value of an unknown type");
    let wrong = || Error::argument(format!("{text:?} is not a {name}"));
    let floats = |count: usize| -> Result<Vec<f32>> {
        let floats: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        floats.filter(|floats| floats.len() == count).ok_or_else(wrong)
    };
    let vector3 = || {
        Ok::<_, Error>(floats(3)?.try_into().map_or_else(|_| geom::Vec3::default(), geom::Vec3::from_array))
    };
    Ok(match kind {
        TypeId::STRING => Value::from(text),
        TypeId::SHARED_STRING => Value::SharedString(text.into()),
        TypeId::BOOL => Value::Bool(text.parse().map_err(|_| wrong())?),
        TypeId::INT32 => Value::Int32(text.parse().map_err(|_| wrong())?),
        TypeId::INT64 => Value::Int64(text.parse().map_err(|_| wrong())?),
        TypeId::FLOAT32 => Value::Float32(text.parse().map_err(|_| wrong())?),
        TypeId::FLOAT64 => Value::Float64(text.parse().map_err(|_| wrong())?),
        TypeId::ENUM => Value::Enum(text.parse().map_err(|_| wrong())?),
        TypeId::BRICK_COLOR => Value::BrickColor(BrickColor(text.parse().map_err(|_| wrong())?)),
        TypeId::COLOR3 => match *floats(3)? {
            [r, g, b] => Value::Color3(Color3 { r, g, b }),
            _ => return Err(wrong()),
        },
        TypeId::COLOR3_UINT8 => {
            let parts: Option<Vec<u8>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
            match parts.as_deref() {
                Some(&[r, g, b]) => Value::Color3uint8(Color3uint8 { r, g, b }),
                _ => return Err(wrong()),
            }
        }
        TypeId::VECTOR2 => match *floats(2)? {
            [x, y] => Value::Vector2(geom::Vec2 { x, y }),
            _ => return Err(wrong()),
        },
        TypeId::VECTOR3 => Value::Vector3(vector3()?),
        TypeId::CFRAME => match text.split(',').count() {
            3 => Value::from(CFrame { position: vector3()?, ..old.unwrap_or(CFrame::IDENTITY) }),
            _ => match *floats(12)? {
                [x, y, z, a, b, c, d, e, f, g, h, i] => Value::from(CFrame {
                    position: geom::Vec3 { x, y, z },
                    rotation: geom::Mat3::from_rows([a, b, c, d, e, f, g, h, i]),
                }),
                _ => return Err(wrong()),
            },
        },
        TypeId::UDIM => match *floats(2)? {
            [scale, offset] => Value::UDim(UDim { scale, offset: whole(offset).ok_or_else(wrong)? }),
            _ => return Err(wrong()),
        },
        TypeId::UDIM2 => match *floats(4)? {
            [a, b, c, d] => Value::UDim2(UDim2 {
                x: UDim { scale: a, offset: whole(b).ok_or_else(wrong)? },
                y: UDim { scale: c, offset: whole(d).ok_or_else(wrong)? },
            }),
            _ => return Err(wrong()),
        },
        TypeId::NUMBER_RANGE => match *floats(2)? {
            [min, max] => Value::NumberRange(NumberRange { min, max }),
            _ => return Err(wrong()),
        },
        TypeId::RECT => match *floats(4)? {
            [a, b, c, d] => {
                Value::Rect(Rect { min: geom::Vec2 { x: a, y: b }, max: geom::Vec2 { x: c, y: d } })
            }
            _ => return Err(wrong()),
        },
        TypeId::CONTENT => Value::Content(match text {
            "" | "none" => Content::None,
            uri => Content::Uri(uri.into()),
        }),
        _ => return Err(Error::argument(format!("a {name} cannot be set from a text"))),
    })
}

/// A whole number that a float represents.
#[allow(clippy::cast_possible_truncation, reason = "in range and compared")]
pub(super) fn whole(number: f32) -> Option<i32> {
    (number.fract() == 0.0 && number.abs() < 16_777_216.0).then_some(number as i32)
}
