//! Values as text, and texts as values.

use ::rbxbinary::{
    BrickColor, CFrame, Color3, Color3uint8, Content, NumberRange, PhysicalProperties, Rect, TypeId, UDim,
    UDim2, Value, geom,
};

use super::decoded::{Property, decoded};
use super::numbers::{double, number, numbers};
use super::{Any, Instances};
use crate::tree::{self, Written};
use rezkit_core::{Error, Result};

/// A value as it is shown, and compared: bytes of a known layout as what is in them, instances as their paths.
pub(super) fn value<D: Instances>(
    property: Property<'_>,
    value: &Any<D::Id>,
    max_bytes: u64,
    path: impl Fn(D::Id) -> String,
) -> tree::Value {
    let path = |id: &Option<D::Id>| id.map_or_else(|| "null".to_owned(), &path);
    match value {
        Any::Value(value) => plain(property, value, max_bytes),
        Any::Ref(id) => tree::Value::text("Ref", path(id)),
        Any::Object(id) => tree::Value::text("Content", format!("object {}", path(id))),
        Any::Other(kind, bytes) => tree::Value::bytes(kind.clone(), bytes.as_slice()),
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
        Err(_) => {
            let kind = format!("{kind}, not decoded: that takes more memory than the limit allows");
            tree::Value::bytes(kind, bytes)
        }
    }
}

fn plain(property: Property<'_>, value: &Value, max_bytes: u64) -> tree::Value {
    let kind = value.type_id().name().unwrap_or("unknown");
    if let Some(bytes) = value.as_bytes() {
        return of_bytes(kind, property, bytes, max_bytes);
    }
    let udim = |udim: &UDim| format!("{}, {}", number(udim.scale), udim.offset);
    let vector = |vector: &geom::Vec3| numbers(&[vector.x, vector.y, vector.z]);
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Int32(value) => value.to_string(),
        Value::Int64(value) => value.to_string(),
        Value::Float32(value) => number(*value),
        Value::Float64(value) => double(*value),
        Value::UDim(value) => udim(value),
        Value::UDim2(value) => format!("{}, {}", udim(&value.x), udim(&value.y)),
        Value::Ray(ray) => format!("{}, {}", vector(&ray.origin), vector(&ray.direction)),
        Value::Faces(faces) => faces.0.to_string(),
        Value::Axes(axes) => axes.0.to_string(),
        Value::BrickColor(color) => color.0.to_string(),
        Value::Color3(color) => numbers(&[color.r, color.g, color.b]),
        Value::Color3uint8(color) => format!("{}, {}, {}", color.r, color.g, color.b),
        Value::Vector2(value) => numbers(&[value.x, value.y]),
        Value::Vector3(value) => vector(value),
        Value::Vector2int16(value) => format!("{}, {}", value.x, value.y),
        Value::Vector3int16(value) => format!("{}, {}, {}", value.x, value.y, value.z),
        Value::CFrame(value) => cframe(value),
        Value::CFrameQuat(value) => format!("{value:?}"),
        Value::OptionalCFrame(value) => value.as_ref().map_or_else(|| "none".to_owned(), cframe),
        Value::Enum(value) => value.to_string(),
        Value::NumberSequence(sequence) => {
            let keys = sequence.keypoints.iter().map(|key| numbers(&[key.time, key.value, key.envelope]));
            keys.collect::<Vec<_>>().join("; ")
        }
        Value::ColorSequence(sequence) => {
            let keys = sequence.keypoints.iter().map(|key| {
                let color = key.color;
                numbers(&[key.time, color.r, color.g, color.b, key.envelope])
            });
            keys.collect::<Vec<_>>().join("; ")
        }
        Value::NumberRange(range) => numbers(&[range.min, range.max]),
        Value::Rect(rect) => numbers(&[rect.min.x, rect.min.y, rect.max.x, rect.max.y]),
        Value::PhysicalProperties(PhysicalProperties::Default) => "default".to_owned(),
        Value::PhysicalProperties(PhysicalProperties::Custom(custom)) => {
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
        Value::UniqueId(id) => format!("{:08x}{:08x}{:016x}", id.index, id.time, id.random),
        Value::SecurityCapabilities(value) => value.0.to_string(),
        Value::Font(font) => {
            let style = font.style.0;
            format!("{:?}, {}, {style}, {:?}", font.family, font.weight, font.cached_face_id)
        }
        Value::Content(Content::None) => "none".to_owned(),
        other => format!("{other:?}"),
    };
    let written = match value {
        Value::Bool(_) => Written::Bool,
        Value::Int32(_) | Value::Int64(_) | Value::Enum(_) | Value::BrickColor(_) => Written::Integer,
        Value::Faces(_) | Value::Axes(_) | Value::SecurityCapabilities(_) => Written::Integer,
        Value::Float32(_) | Value::Float64(_) => Written::Real,
        Value::Vector2(_) | Value::Vector3(_) | Value::Vector2int16(_) | Value::Vector3int16(_) => {
            Written::Numbers
        }
        Value::UDim(_) | Value::UDim2(_) | Value::Ray(_) | Value::Rect(_) | Value::NumberRange(_) => {
            Written::Numbers
        }
        Value::Color3(_) | Value::Color3uint8(_) | Value::CFrame(_) | Value::OptionalCFrame(Some(_)) => {
            Written::Numbers
        }
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
/// the rotation of the one that is there.
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
            3 => Value::CFrame(CFrame { position: vector3()?, ..old.unwrap_or(CFrame::IDENTITY) }),
            _ => match *floats(12)? {
                [x, y, z, a, b, c, d, e, f, g, h, i] => Value::CFrame(CFrame {
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
