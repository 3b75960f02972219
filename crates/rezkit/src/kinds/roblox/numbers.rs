//! Floats as texts that read as the same bits, and rotations as angles.

pub(super) use rbxcore::plain::floats_text as numbers;
pub use rbxcore::property::moved;
pub(super) use rbxcore::property::orientation;
use rbxcore::{CFrame, InstanceId, Value, classes};

use rbxdocument::view::View as _;

use super::Form;
use super::effective::effective;

pub(super) fn number(float: f32) -> String {
    numbers(&[float])
}

pub(super) fn double(float: f64) -> String {
    Value::Float64(float).as_ref().to_text().unwrap_or_default()
}

/// A whole number that a float represents.
#[allow(clippy::cast_possible_truncation, reason = "in range and compared")]
pub(super) fn whole(number: f32) -> Option<i32> {
    (number.fract() == 0.0 && number.abs() < 16_777_216.0).then_some(number as i32)
}

/// The frame of an instance of which a property is a part: `Position` or `Orientation`, if its class has no such property.
pub(super) fn frame_of(document: &dyn Form, id: InstanceId, property: &str) -> Option<CFrame> {
    let class = document.class_of(id);
    let class = classes::class(&*class).filter(|_| matches!(property, "Position" | "Orientation"))?;
    class.property("CFrame").filter(|_| class.property(property).is_none())?;
    effective(document, id, "CFrame")?.into_value().as_cframe()
}
