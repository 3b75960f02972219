//! Numbers that a model stores twice: as floats, and as doubles if a float cannot represent them.

/// The numbers of an entry: each double if it rounds to its float, and otherwise the float. If both are NaN, the
/// double's bits are used.
#[inline(always)]
pub fn exact_numbers<const N: usize>(floats: [f32; N], doubles: Option<&[f64; N]>) -> [f64; N] {
    let mut numbers = floats.map(f64::from);
    for ((number, float), &double) in numbers.iter_mut().zip(floats).zip(doubles.into_iter().flatten()) {
        #[allow(clippy::cast_possible_truncation, reason = "this is the rounding that is asked about")]
        let rounds = (double as f32).to_bits() == float.to_bits();
        if rounds || double.is_nan() && float.is_nan() {
            *number = double;
        }
    }
    numbers
}
