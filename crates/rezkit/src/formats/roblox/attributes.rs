//! Attributes as values of the tree.

use rbxcore::plain::udims_text;
use rbxcore::{UDim2, ValueRef, Vector3int16};

use super::numbers::{number, numbers};
use crate::blobs::Attribute;
use crate::blobs::attributes::{EnumItem, Unknown};
use crate::tree::{Value, Written};

/// An attribute as a value, with its nested values.
pub(crate) fn attribute(value: &Attribute) -> Value {
    let kind = value.type_name();
    if let Some(of) = value.value() {
        return match of {
            ValueRef::String(text) => Value::bytes(kind, text.to_vec()),
            of => Value::line(kind, written(of), of.to_text().unwrap_or_default()),
        };
    }
    match value {
        Attribute::Nil => Value::text(kind, "nil"),
        Attribute::Region3([min, max]) => {
            let all = [min.to_array(), max.to_array()];
            Value::line(kind, Written::Numbers, numbers(all.as_flattened()))
        }
        Attribute::Region3int16(corners) => {
            let one = |Vector3int16 { x, y, z }: &Vector3int16| format!("{x}, {y}, {z}");
            Value::line(kind, Written::Numbers, corners.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Attribute::Path2DControlPoint(points) => {
            let all: Vec<_> = points.iter().flat_map(|&UDim2 { x, y }| [x, y]).collect();
            Value::line(kind, Written::Numbers, udims_text(&all))
        }
        Attribute::Ref(referent) => Value::line(kind, Written::Integer, referent),
        Attribute::Enum(EnumItem { name, value }) => Value::text(kind, format!("{name} {value}")),
        Attribute::Array(values) => {
            let values = values.iter().enumerate();
            Value::fields(
                kind,
                values.map(|(index, value)| ((index + 1).to_string(), attribute(value))).collect(),
            )
        }
        Attribute::Table(values) => {
            let values = values.iter().map(|(name, value)| (name.to_string(), attribute(value)));
            Value::fields(kind, values.collect())
        }
        Attribute::Unknown(Unknown { type_id, bytes, .. }) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::text(kind, format!("type {type_id:#04x}, and {} bytes: {hex}", bytes.len()))
        }
        Attribute::TweenInfo(of) => Value::fields(
            kind,
            vec![
                ("time".to_owned(), Value::line("f32", Written::Real, number(of.time))),
                ("delay".to_owned(), Value::line("f32", Written::Real, number(of.delay))),
                ("repeats".to_owned(), whole(&of.repeats)),
                ("style".to_owned(), whole(&of.style)),
                ("direction".to_owned(), whole(&of.direction)),
                ("reverses".to_owned(), Value::line("bool", Written::Bool, of.reverses)),
            ],
        ),
        other => Value::text(kind, format!("{other:?}")),
    }
}

pub(super) fn whole(number: &impl std::fmt::Display) -> Value {
    Value::line("integer", Written::Integer, number)
}

/// How the text of a value is written as JSON.
pub(super) fn written(value: ValueRef<'_>) -> Written {
    match value {
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
        | ValueRef::OptionalCFrame(Some(_))
        | ValueRef::CFrameQuat(_) => Written::Numbers,
        _ => Written::Text,
    }
}
