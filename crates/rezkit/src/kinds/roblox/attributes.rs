//! Attributes as values of the tree.

use ::rbxbinary::rotation;
use bstr::ByteSlice as _;

use super::numbers::{double, number, numbers};
use crate::blobs::Attribute;
use crate::blobs::attributes::{CFrame, ColorKeypoint, EnumItem, Font, NumberKeypoint, UDim, Unknown};
use crate::tree::{Value, Written};

/// An attribute as a value, with its nested values.
pub(super) fn attribute(value: &Attribute) -> Value {
    let kind = value.type_name();
    match value {
        Attribute::String(text) => Value::bytes(kind, text.as_bytes()),
        Attribute::Bool(value) => Value::line(kind, Written::Bool, value),
        Attribute::Int32(value) => Value::line(kind, Written::Integer, value),
        Attribute::Float32(value) => Value::line(kind, Written::Real, number(*value)),
        Attribute::Float64(value) => Value::line(kind, Written::Real, double(*value)),
        Attribute::BrickColor(value) => Value::line(kind, Written::Integer, value),
        Attribute::Color3(floats) | Attribute::Vector3(floats) => {
            Value::line(kind, Written::Numbers, numbers(floats))
        }
        Attribute::Vector2(floats) | Attribute::NumberRange(floats) => {
            Value::line(kind, Written::Numbers, numbers(floats))
        }
        Attribute::Rect(floats) => Value::line(kind, Written::Numbers, numbers(floats)),
        Attribute::Ray(floats) | Attribute::Region3(floats) => {
            Value::line(kind, Written::Numbers, numbers(floats))
        }
        Attribute::Ref(referent) => Value::line(kind, Written::Integer, referent),
        Attribute::SecurityCapabilities(value) => Value::line(kind, Written::Integer, value),
        Attribute::Faces(bits) | Attribute::Axes(bits) => Value::line(kind, Written::Integer, bits),
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
        Attribute::Nil(_) => Value::text(kind, "nil"),
        Attribute::UDim(value) => Value::line(kind, Written::Numbers, udims(&[*value])),
        Attribute::UDim2(values) => Value::line(kind, Written::Numbers, udims(values)),
        Attribute::Path2DControlPoint(points) => {
            Value::line(kind, Written::Numbers, udims(points.as_flattened()))
        }
        Attribute::Vector2int16(values) => Value::line(kind, Written::Numbers, joined(values)),
        Attribute::Vector3int16(values) => Value::line(kind, Written::Numbers, joined(values)),
        Attribute::Region3int16(values) => Value::line(kind, Written::Numbers, joined(values)),
        Attribute::Color3uint8(values) => Value::line(kind, Written::Numbers, joined(values)),
        Attribute::CFrame(CFrame { position, rotation_id, rotation }) => {
            let known = || rotation::matrix(*rotation_id).map(|matrix| matrix.to_rows());
            match rotation.or_else(known) {
                Some(rows) => {
                    Value::line(kind, Written::Numbers, format!("{}, {}", numbers(position), numbers(&rows)))
                }
                None => Value::text(
                    kind,
                    format!("{}, unknown rotation id {rotation_id:#04x}", numbers(position)),
                ),
            }
        }
        Attribute::NumberSequence(keys) => {
            let key = |key: &NumberKeypoint| numbers(&[key.time, key.value, key.envelope]);
            Value::text(kind, keys.iter().map(key).collect::<Vec<_>>().join("; "))
        }
        Attribute::ColorSequence(keys) => {
            let key = |ColorKeypoint { time, color: [r, g, b], envelope }: &ColorKeypoint| {
                numbers(&[*time, *r, *g, *b, *envelope])
            };
            Value::text(kind, keys.iter().map(key).collect::<Vec<_>>().join("; "))
        }
        Attribute::Font(Font { weight, style, family, cached_face }) => {
            Value::text(kind, format!("{family:?}, {weight}, {style}, {cached_face:?}"))
        }
        Attribute::PhysicalProperties(of) => {
            let [a, b, c] = [of.density, of.friction, of.elasticity];
            let [d, e, f] = [of.friction_weight, of.elasticity_weight, of.acoustic_absorption];
            Value::line(kind, Written::Numbers, numbers(&[a, b, c, d, e, f]))
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

fn joined(values: &[impl std::fmt::Display]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn udims(values: &[UDim]) -> String {
    let one = |UDim { scale, offset }: &UDim| format!("{}, {offset}", number(*scale));
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub(super) fn whole(number: &impl std::fmt::Display) -> Value {
    Value::line("integer", Written::Integer, number)
}
