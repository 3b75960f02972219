//! Reduces samples of an animation to keys.

/// The indices of few of `count` keys, among them the first and the last: each is as far from the one before as the keys
/// between allow. `fits(from, to, key)` is whether interpolation between the keys `from` and `to` reproduces `key`.
pub(crate) fn reduced(count: usize, fits: impl Fn(usize, usize, usize) -> bool) -> Vec<usize> {
    kept(count, &|from, to| (from + 1..to).all(|key| fits(from, to, key)))
}

fn kept(count: usize, passes: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let Some(last) = count.checked_sub(1) else { return Vec::new() };
    let (mut at, mut kept) = (0, vec![0]);
    while at < last {
        // Doubles the distance while the keys between fit, then finds the largest distance by bisection.
        let mut step = 1;
        while at + step < last && passes(at, (at + 2 * step).min(last)) {
            step *= 2;
        }
        let (mut near, mut far) = ((at + step).min(last), (at + 2 * step).min(last + 1));
        while far - near > 1 {
            let middle = near.midpoint(far);
            if passes(at, middle) { near = middle } else { far = middle }
        }
        at = near;
        kept.push(at);
    }
    kept
}
