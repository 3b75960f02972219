//! Floats as texts that read as the same bits, and rotations as angles.

use rbxcore::Value;
pub(super) use rbxcore::plain::floats_text as numbers;
pub use rbxcore::property::moved;

pub(super) fn number(float: f32) -> String {
    numbers(&[float])
}

pub(super) fn double(float: f64) -> String {
    Value::Float64(float).as_ref().to_text().unwrap_or_default()
}
