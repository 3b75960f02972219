//! Floats as texts that read as the same bits, and rotations as angles.

use rbxcore::{CFrame, geom};

/// The shortest text that reads as the same bits.
pub(super) fn number(number: f32) -> String {
    match number.is_nan() && number.to_bits() != f32::NAN.to_bits() {
        true => format!("NaN({:#x})", number.to_bits()),
        false => number.to_string(),
    }
}

pub(super) fn double(number: f64) -> String {
    match number.is_nan() && number.to_bits() != f64::NAN.to_bits() {
        true => format!("NaN({:#x})", number.to_bits()),
        false => number.to_string(),
    }
}

pub(super) fn numbers(floats: &[f32]) -> String {
    let texts: Vec<_> = floats.iter().map(|&float| number(float)).collect();
    texts.join(", ")
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
