//! Floats as texts that read as the same bits, and rotations as angles.

use rbxcore::{CFrame, geom};

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

/// The angles around the axes in degrees, as Studio shows them: `CFrame:ToOrientation`.
pub(super) fn orientation(frame: &CFrame) -> geom::Vec3 {
    let [[_, _, sin_y], [r10, r11, r12], [_, _, r22]] = rows(frame);
    let x = (-r12).clamp(-1.0, 1.0).asin();
    geom::Vec3::new(x.to_degrees(), sin_y.atan2(r22).to_degrees(), r10.atan2(r11).to_degrees())
}

fn rows(frame: &CFrame) -> [[f32; 3]; 3] {
    let [a, b, c, d, e, f, g, h, i] = frame.rotation.to_rows();
    [[a, b, c], [d, e, f], [g, h, i]]
}
