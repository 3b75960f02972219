//! Values between two keys: the easing of poses, and curves of one number or one rotation.

use glam::Quat;
use rbxblobs::curves::TICKS_PER_SECOND;
use rbxblobs::{FloatCurve, RotationCurve};

use rezkit_core::{Budget, Error, ErrorKind, Result};

/// The fraction of a change at a fraction `x` of its time, by the numbers in `Enum.PoseEasingStyle` and
/// `Enum.PoseEasingDirection` (0 In, 1 Out, 2 InOut).
pub(super) fn eased(style: u32, direction: u32, x: f32) -> f32 {
    let tau = std::f32::consts::TAU;
    match (style, direction) {
        (1, 0) => 1.0,
        (1, 2) => {
            if x < 0.5 {
                0.0
            } else {
                1.0
            }
        }
        (1, _) => 0.0,
        (2, 1) => 1.0 + libm::powf(2.0, -10.0 * x) * libm::sinf(tau * (x - 0.075) / 0.3),
        (2, 0) => -libm::powf(2.0, 10.0 * x - 10.0) * libm::sinf(tau * (x - 1.075) / 0.3),
        (2, _) => {
            let sine = libm::sinf(tau * (2.0 * x - 1.1125) / 0.45);
            match x < 0.5 {
                true => -0.5 * libm::powf(2.0, 20.0 * x - 10.0) * sine,
                false => 1.0 + 0.5 * libm::powf(2.0, 10.0 - 20.0 * x) * sine,
            }
        }
        (3 | 5, 0) => x * x * x,
        (3 | 5, 1) => 1.0 - (1.0 - x) * (1.0 - x) * (1.0 - x),
        (3 | 5, _) => match x < 0.5 {
            true => 4.0 * x * x * x,
            false => 1.0 - 4.0 * (1.0 - x) * (1.0 - x) * (1.0 - x),
        },
        (4, 1) => bounce(x),
        (4, 0) => 1.0 - bounce(1.0 - x),
        (4, _) => match x < 0.5 {
            true => (1.0 - bounce(1.0 - 2.0 * x)) / 2.0,
            false => (1.0 + bounce(2.0 * x - 1.0)) / 2.0,
        },
        _ => x,
    }
}

fn bounce(x: f32) -> f32 {
    let [start, offset] = match x {
        x if x < 1.0 / 2.75 => [0.0, 0.0],
        x if x < 2.0 / 2.75 => [1.5 / 2.75, 0.75],
        x if x < 2.5 / 2.75 => [2.25 / 2.75, 0.9375],
        _ => [2.625 / 2.75, 0.984_375],
    };
    7.5625 * (x - start) * (x - start) + offset
}

/// The sampling rate, per second, of interpolations that glTF lacks.
const BAKED: f32 = 30.0;

/// The number of frames of a span of time.
///
/// # Errors
/// If there are more than an animation may have.
fn frames(span: f32) -> Result<u32> {
    let frames = (span * BAKED).ceil().max(0.0) as u32;
    if frames > FRAMES {
        return Err(Error::new(
            ErrorKind::Effort,
            format!(
                "two keys with easing are {span} s apart, but at most 2000 s are allowed (add a key between them)"
            ),
        ));
    }
    Ok(frames)
}

/// Maximum number of frames between two keys: about half an hour.
const FRAMES: u32 = 60_000;

/// `Enum.PoseEasingStyle.Elastic`.
const ELASTIC: u32 = 2;

/// The minimum distance of straight lines from easing, since its own values are no more exact.
const FINEST: f32 = 4.0 * f32::EPSILON;

/// The points between 0 and 1 between which straight lines approximate a function: the ends of equal parts, and the
/// middles of those that are not straight. A value of the function takes `cost` steps of work.
///
/// # Errors
/// If they need more memory or work than is left.
pub(super) fn uneven(
    (of, cost): (impl Fn(f32) -> f32, u64),
    parts: u32,
    near: f32,
    budget: &mut Budget,
) -> Result<Vec<f32>> {
    /// Maximum number of halvings of a part.
    const HALVES: u32 = 7;
    const WHAT: &str = "the animations";
    let (mut steps, mut open) = (Vec::new(), Vec::new());
    for part in 0..parts {
        open.push((part as f32 / parts as f32, (part + 1) as f32 / parts as f32, 0));
        while let Some((start, end, halves)) = open.pop() {
            budget.work(5 * cost, WHAT)?;
            let [from, to] = [of(start), of(end)];
            let is_straight = [0.25, 0.5, 0.75].into_iter().all(|at| {
                let straight = from + (to - from) * at;
                (of(start + (end - start) * at) - straight).abs() <= near
            });
            if is_straight || halves == HALVES {
                // Growing the list needs twice its size.
                budget.take_values::<[f32; 2]>(1, WHAT)?;
                steps.extend(Some(end).filter(|end| *end < 1.0));
            } else {
                let middle = (start + end) / 2.0;
                open.extend([(middle, end, halves + 1), (start, middle, halves + 1)]);
            }
        }
    }
    Ok(steps)
}

/// The times after a key with easing, in seconds, at which keys are added, so that straight lines approximate the
/// easing to the next key.
///
/// # Errors
/// If there are more than an animation may have, or than the budget allows.
pub(super) fn steps(easing: (u32, u32), span: f32, near: f32, budget: &mut Budget) -> Result<Vec<f32>> {
    // A constant value jumps just before the next key, just after its own key, or halfway, depending on the direction.
    Ok(match easing {
        (0, _) => Vec::new(),
        (1, direction) => {
            let jump = match direction {
                0 => [0.0, JUMP],
                2 => [span / 2.0 - JUMP, span / 2.0],
                _ => [span - JUMP, span],
            };
            jump.into_iter().filter(|&step| step > 0.0 && step < span).collect()
        }
        (style, direction) => {
            let of = |x| eased(style, direction, x);
            let mut steps = uneven((of, 32), frames(span)?.max(1), near.max(FINEST), budget)?;
            let jump = JUMP / span;
            if style == ELASTIC && jump < 0.5 {
                // The elastic function does not reach the values of the keys exactly: jump to it and from it.
                steps.retain(|x| (jump..1.0 - jump).contains(x));
                steps.insert(0, jump);
                steps.push(1.0 - jump);
            }
            // Each becomes a key; growing the list of keys needs twice its size.
            budget.take_values::<[[f32; 11]; 2]>(steps.len(), "the animations")?;
            steps.into_iter().map(|x| x * span).collect()
        }
    })
}

/// One number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Curve {
    pub(super) keys: Vec<FloatKey>,
}

/// The time in seconds, the mode (0 constant, 1 linear, 2 cubic), the value, and the left and the right tangent.
pub(super) type FloatKey = (f32, u8, f32, f32, f32);

/// How long before a key a constant value changes to the key's value, in seconds.
pub(super) const JUMP: f32 = 0.001;

impl Curve {
    /// Reads the property ValuesAndTimes of a FloatCurve, with a memory limit in bytes.
    pub(super) fn from_bytes(bytes: &[u8], max_bytes: u64) -> rbxblobs::Result<Self> {
        let curve: FloatCurve = rbxblobs::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
        let keys = curve.times.iter().zip(&curve.keys);
        Ok(Self {
            keys: keys
                .map(|(&time, key)| (seconds(time), key.mode, key.value, key.left, key.right))
                .collect(),
        })
    }

    /// The times just before those keys to which a constant value jumps.
    pub(super) fn jumps(&self) -> impl Iterator<Item = f32> {
        let pairs = self.keys.iter().zip(self.keys.iter().skip(1));
        pairs.filter(|(key, next)| is_jump(key, next)).map(|(_, next)| next.0 - JUMP)
    }

    /// The change of the value per second just after a time, or if `arriving`, just before it.
    pub(super) fn slope(&self, time: f32, arriving: bool) -> f32 {
        let after = self.keys.partition_point(|key| if arriving { key.0 < time } else { key.0 <= time });
        let Some(before) = after.checked_sub(1) else { return 0.0 };
        let (key @ (start, mode, from, _, leaving), Some(next @ &(end, _, to, coming, _))) =
            (self.keys[before], self.keys.get(after))
        else {
            return 0.0;
        };
        let span = end - start;
        let t = (time - start) / span;
        match mode {
            // Within the jump; its times are rounded.
            0 if is_jump(&key, next) && end - time < JUMP * if arriving { 0.5 } else { 1.5 } => {
                (to - from) / JUMP
            }
            0 => 0.0,
            1 => (to - from) / span,
            _ => {
                let t2 = t * t;
                (to - from) * (6.0 * t - 6.0 * t2) / span
                    + leaving * (3.0 * t2 - 4.0 * t + 1.0)
                    + coming * (3.0 * t2 - 2.0 * t)
            }
        }
    }

    pub(super) fn at(&self, time: f32) -> f32 {
        let after = self.keys.partition_point(|key| key.0 <= time);
        let Some(before) = after.checked_sub(1) else { return self.keys.first().map_or(0.0, |key| key.2) };
        match self.keys.get(after) {
            Some(next) => between(&self.keys[before], next, time),
            None => self.keys[before].2,
        }
    }
}

/// The value at a time between two keys.
pub(super) fn between(key: &FloatKey, next: &FloatKey, time: f32) -> f32 {
    let (&(start, mode, from, _, leaving), &(end, _, to, arriving, _)) = (key, next);
    let span = end - start;
    let t = (time - start) / span;
    match mode {
        0 => from,
        1 => from + (to - from) * t,
        _ => {
            let (t2, t3) = (t * t, t * t * t);
            from * (2.0 * t3 - 3.0 * t2 + 1.0)
                + to * (3.0 * t2 - 2.0 * t3)
                + leaving * span * (t3 - 2.0 * t2 + t)
                + arriving * span * (t3 - t2)
        }
    }
}

/// Whether a value is constant up to the next key, whose value differs.
fn is_jump(key: &FloatKey, next: &FloatKey) -> bool {
    key.1 == 0 && key.2 != next.2 && next.0 - key.0 > JUMP
}

/// Converts a time of a curve from ticks to seconds.
pub(super) fn seconds(ticks: i32) -> f32 {
    (f64::from(ticks) / f64::from(TICKS_PER_SECOND)) as f32
}

/// A rotation over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// The time in seconds, the mode (12 constant, 13 linear, 14 cubic), and the rotation. Its length is 1 unless it is
    /// infinite, NaN or zero in the file.
    pub(super) keys: Vec<(f32, u8, Quat)>,
    /// Whether any key has tangents, which are omitted.
    pub(super) has_tangents: bool,
}

impl Turns {
    /// Reads the property ValuesAndTimes of a RotationCurve, with a memory limit in bytes.
    pub(super) fn from_bytes(bytes: &[u8], max_bytes: u64) -> rbxblobs::Result<Self> {
        let curve: RotationCurve = rbxblobs::ReadOptions::new().max_bytes(max_bytes).read(bytes)?;
        let keys = curve.times.iter().zip(&curve.keys);
        let turn = |rotation| Quat::from_array(rotation).normalize();
        Ok(Self {
            keys: keys.map(|(&time, key)| (seconds(time), key.mode, turn(key.rotation))).collect(),
            has_tangents: curve.keys.iter().any(|key| key.left != 0.0 || key.right != 0.0),
        })
    }

    /// Times and rotations between which the rotation follows the shorter arc.
    pub(super) fn linear(&self) -> (Vec<f32>, Vec<Quat>) {
        let mut linear = Vec::new();
        for (index, &(time, mode, turn)) in self.keys.iter().enumerate() {
            linear.push((time.max(0.0), turn));
            let next = self.keys.get(index + 1).filter(|next| mode == 12 && next.0 - time > JUMP);
            linear.extend(next.map(|next| (next.0 - JUMP, turn)));
        }
        linear.dedup_by(|later, first| later.0 <= first.0);
        linear.into_iter().unzip()
    }
}

#[cfg(test)]
#[path = "../../tests/inside/roblox_interpolation.rs"]
mod tests;
