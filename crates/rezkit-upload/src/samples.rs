//! Points that are spread over surfaces and solids.

use glam::DVec3;

/// Points that are spread over a surface.
pub(crate) fn on(surface: &[[DVec3; 3]], samples: usize) -> Vec<DVec3> {
    sampled(surface, samples, area, in_triangle)
}

/// The area of a triangle.
pub(crate) fn area([a, b, c]: &[DVec3; 3]) -> f64 {
    (*b - *a).cross(*c - *a).length() * 0.5
}

pub(crate) fn in_triangle([a, b, c]: [DVec3; 3], [u, v, _]: [f64; 3]) -> DVec3 {
    // The unit square is folded to a triangle.
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    a + (b - a) * u + (c - a) * v
}

/// Points that are spread evenly over shapes of different sizes. `at` returns the point of a shape for three numbers
/// from 0 to 1.
pub(crate) fn sampled<T: Copy, P>(
    list: &[T],
    samples: usize,
    size: impl Fn(&T) -> f64,
    at: impl Fn(T, [f64; 3]) -> P,
) -> Vec<P> {
    let total: f64 = list.iter().map(&size).sum();
    let mut points = Vec::new();
    if !(total.is_finite() && total > 0.0) {
        return points;
    }
    let (step, mut sum, mut number) = (total / samples as f64, 0.0, 0_u32);
    for thing in list {
        sum += size(thing);
        while (f64::from(number) + 0.5) * step < sum && points.len() < samples {
            number += 1;
            // The fractions of multiples of powers of a root of x⁴ = x + 1 fill a cube evenly.
            let numbers = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|of| (f64::from(number) * of).fract());
            points.push(at(*thing, numbers));
        }
    }
    points
}
