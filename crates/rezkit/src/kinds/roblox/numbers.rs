//! Floats as texts that read as the same bits.

use rbxcore::Value;
pub(super) use rbxcore::plain::floats_text as numbers;

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
