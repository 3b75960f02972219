//! Floats as texts that read as the same bits.

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
