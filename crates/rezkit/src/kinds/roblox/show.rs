//! Values as text.

use ::rbxbinary::TypeId;
use rbxcore::{CFrame, Content, ContentRef, InstanceId, PhysicalProperties, UDim, Value, ValueRef, geom};

use super::decoded::{Property, decoded};
use super::door;
use super::numbers::{double, number, numbers};
use super::{Form, type_of};
use crate::tree::{self, Written};

/// A value as it is shown and compared: bytes of a known layout decoded, instances as their paths.
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
        ValueRef::UniqueId(id) => format!("{:016x}{:08x}{:08x}", id.random, id.time, id.index),
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

/// A value in one line.
pub(super) fn said(document: &dyn Form, property: Property<'_>, value: &Value) -> String {
    self::value(property, value, 1 << 16, |id| document.path_of(id)).summary(80)
}
