//! Numbers that a model has twice: as floats, and as doubles where a float cannot represent them.

/// The number that is meant: the double while it still rounds to the float, otherwise the float. Not a
/// number is equal to itself here, with the double's bits.
#[allow(clippy::cast_possible_truncation, reason = "this is the rounding that is asked about")]
#[inline(always)]
pub(crate) fn effective(float: f32, double: Option<f64>) -> f64 {
    match double {
        Some(double)
            if (double as f32).to_bits() == float.to_bits() || (double.is_nan() && float.is_nan()) =>
        {
            double
        }
        _ => f64::from(float),
    }
}

/// The numbers of an entry, in the same way.
pub(crate) fn entry<const N: usize>(floats: [f32; N], doubles: Option<&[f64; N]>) -> [f64; N] {
    let mut numbers = floats.map(f64::from);
    if let Some(doubles) = doubles {
        for ((number, float), double) in numbers.iter_mut().zip(floats).zip(doubles) {
            *number = effective(float, Some(*double));
        }
    }
    numbers
}
