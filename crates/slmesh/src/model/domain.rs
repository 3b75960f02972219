//! Numbers in sixteen bits.

/// The range of sixteen-bit steps: 0 is `min`, 65,535 is `max`.
///
/// The ends are kept as stored in the file, in 64 bits. Values computed from steps convert back to the same steps
/// for all 65,536 of them, as long as 64 bits can distinguish them: whenever the ends are two different numbers of
/// 32 bits, as the viewer writes them. If both ends are equal, all steps are, too, and convert back to 0.
///
/// ```
/// use slmesh::Domain;
///
/// let domain = Domain { min: [-0.5, 10.0], max: [0.5, 10.001] };
/// assert_eq!(domain.dequantize([65_535, 0]), [0.5, 10.0]);
/// assert!((0..=u16::MAX).all(|q| domain.quantize(domain.dequantize([q, q])) == [q, q]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Domain<const N: usize> {
    /// The value of 0.
    pub min: [f64; N],
    /// The value of 65,535.
    pub max: [f64; N],
}

impl<const N: usize> Domain<N> {
    /// From -1 to 1: normals and tangents.
    pub const UNIT: Self = Self { min: [-1.0; N], max: [1.0; N] };

    /// From -0.5 to 0.5: positions, if the file has no domain.
    pub const HALF: Self = Self { min: [-0.5; N], max: [0.5; N] };

    /// From 0 to 1: this crate's default for texture coordinates if the file lacks the required domain.
    pub const ZERO_ONE: Self = Self { min: [0.0; N], max: [1.0; N] };

    /// The smallest domain around the points; `None` without any, and if one is not finite.
    pub fn around(points: impl IntoIterator<Item = [f32; N]>) -> Option<Self> {
        let mut domain: Option<Self> = None;
        for point in points {
            let point = point.map(f64::from);
            if !point.iter().all(|number| number.is_finite()) {
                return None;
            }
            let Self { min, max } = domain.get_or_insert(Self { min: point, max: point });
            for ((min, max), number) in min.iter_mut().zip(max).zip(point) {
                *min = min.min(number);
                *max = max.max(number);
            }
        }
        domain
    }

    /// The values of the steps.
    #[inline]
    pub fn dequantize(&self, steps: [u16; N]) -> [f64; N] {
        std::array::from_fn(|axis| dequantize(steps[axis], self.min[axis], self.max[axis]))
    }

    /// The values of the steps, as 32-bit numbers.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "32 bits are what was asked for")]
    pub fn dequantize_f32(&self, steps: [u16; N]) -> [f32; N] {
        self.dequantize(steps).map(|number| number as f32)
    }

    /// The steps nearest to the numbers, clamped to the domain; 0 for NaN.
    #[inline]
    pub fn quantize(&self, numbers: [f64; N]) -> [u16; N] {
        std::array::from_fn(|axis| quantize(numbers[axis], self.min[axis], self.max[axis]))
    }

    /// Like [`Domain::quantize`], from 32-bit numbers.
    #[inline]
    pub fn quantize_f32(&self, numbers: [f32; N]) -> [u16; N] {
        self.quantize(numbers.map(f64::from))
    }
}

const STEPS: f64 = 65_535.0;

#[inline]
fn dequantize(step: u16, min: f64, max: f64) -> f64 {
    let share = f64::from(step) / STEPS;
    // The ends are exact, whatever rounding does in between.
    match step {
        0 => min,
        u16::MAX => max,
        _ => match max - min {
            width if width.is_finite() => min + share * width,
            // A domain wider than the greatest number.
            _ => min * (1.0 - share) + max * share,
        },
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast to u16 saturates")]
fn quantize(number: f64, min: f64, max: f64) -> u16 {
    let width = max - min;
    if width == 0.0 {
        return 0;
    }
    let share = match width.is_finite() {
        true => (number - min) / width,
        false => (number / 2.0 - min / 2.0) / (max / 2.0 - min / 2.0),
    };
    (share * STEPS).round() as u16
}

#[cfg(feature = "serde")]
mod as_lists {
    use super::Domain;

    /// The domain as two lists: serde does not support arrays of a generic length.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename = "Domain")]
    struct Lists {
        min: Vec<f64>,
        max: Vec<f64>,
    }

    impl<const N: usize> serde::Serialize for Domain<N> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Lists { min: self.min.to_vec(), max: self.max.to_vec() }.serialize(serializer)
        }
    }

    impl<'de, const N: usize> serde::Deserialize<'de> for Domain<N> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            use serde::de::Error;
            let Lists { min, max } = Lists::deserialize(deserializer)?;
            let ends = |list: Vec<f64>| {
                list.try_into().map_err(|list: Vec<f64>| {
                    D::Error::custom(format!(
                        "expected {N} numbers in `min` and in `max` of a domain, found {}",
                        list.len()
                    ))
                })
            };
            Ok(Self { min: ends(min)?, max: ends(max)? })
        }
    }
}
