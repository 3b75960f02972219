//! The keys of motions: as few as 16 bits allow, for the way in which the viewer interpolates.

use glam::{Quat, Vec3};
use slmesh::motion::{Key, MAX_OFFSET};

/// The steps of a time and of a coordinate, which have 16 bits.
pub(super) const STEPS: f32 = 65_535.0;

/// Half a step of a coordinate of a rotation, which is from -1 to 1.
const HALF_TURN_STEP: f32 = 1.0 / STEPS;

/// The largest turn between two keys: up to there, the shorter arc and the viewer's straight line differ by less than a
/// hundredth of a degree.
const LARGEST_TURN: f32 = std::f32::consts::FRAC_PI_6;

/// A value at a part of the motion, 0 to 1.
pub(super) type Sample<T> = (f32, T);

/// The rotations as keys, without those that interpolation reproduces.
pub(super) fn rotations(samples: &[Sample<Quat>]) -> Vec<Key> {
    let fits = |from: &Key, to: &Key, (part, value): &Sample<Quat>| {
        let [a, b] = [from, to].map(|key| Quat::from_array(key.rotation()));
        let between = line(a, b, share(from, to, *part));
        let value = if between.dot(*value) < 0.0 { -*value } else { *value };
        let apart = (glam::Vec4::from(between) - glam::Vec4::from(value)).truncate().abs();
        // Near half a turn, w is the rest of the others.
        apart.max_element() <= HALF_TURN_STEP && between.angle_between(value) < 2e-3
    };
    thinned(samples, |(part, value)| Key::of_rotation(*part, value.to_array()), fits)
}

/// The places as keys, without those that interpolation reproduces.
pub(super) fn positions(samples: &[Sample<Vec3>]) -> Vec<Key> {
    let fits = |from: &Key, to: &Key, (part, value): &Sample<Vec3>| {
        let [a, b] = [from, to].map(|key| Vec3::from_array(key.position()));
        let apart = (a.lerp(b, share(from, to, *part)) - *value).abs();
        apart.max_element() <= MAX_OFFSET * HALF_TURN_STEP
    };
    thinned(samples, |(part, value)| Key::of_position(*part, value.to_array()), fits)
}

/// As the viewer has it: a straight line, made as long as it has to be.
pub(super) fn line(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a * (1.0 - t) + b * t).normalize()
}

fn share(from: &Key, to: &Key, part: f32) -> f32 {
    let [from, to] = [from, to].map(|key| f32::from(key.time) / STEPS);
    if to > from { ((part - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 }
}

/// The fewest keys, one after the other: each is as far from the one before as the samples between them allow.
fn thinned<T>(
    samples: &[Sample<T>],
    key: impl Fn(&Sample<T>) -> Key,
    fits: impl Fn(&Key, &Key, &Sample<T>) -> bool,
) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let mut kept: Vec<&Sample<T>> = Vec::new();
    for sample in samples {
        // The last of several at one time.
        if keys.last().is_some_and(|last| last.time == key(sample).time) {
            keys.pop();
            kept.pop();
        }
        keys.push(key(sample));
        kept.push(sample);
    }
    let passes =
        |from: usize, to: usize| (from + 1..to).all(|between| fits(&keys[from], &keys[to], kept[between]));
    let Some(last) = keys.len().checked_sub(1) else { return keys };
    // A constant value is one key.
    if kept.iter().all(|sample| fits(&keys[0], &keys[0], sample)) {
        return vec![keys[0]];
    }
    let (mut at, mut few) = (0, vec![keys[0]]);
    while at < last {
        // Twice as far as long as it goes, and then back by halves.
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
        few.push(keys[at]);
    }
    few
}

/// The number of straight lines for an arc between two rotations.
pub(super) fn lines(from: Quat, to: Quat) -> u16 {
    #[allow(clippy::cast_sign_loss, reason = "at most half a turn")]
    let count = (from.angle_between(if from.dot(to) < 0.0 { -to } else { to }) / LARGEST_TURN).ceil() as u16;
    count.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a motion is at a part of it, as the viewer plays keys.
    fn played(keys: &[Key], part: f32) -> (Quat, Vec3) {
        let after = keys.partition_point(|key| f32::from(key.time) / STEPS <= part);
        let [from, to] = [after.saturating_sub(1), after.min(keys.len() - 1)].map(|index| keys[index]);
        let share = share(&from, &to, part);
        let [a, b] = [from, to].map(|key| Quat::from_array(key.rotation()));
        let [c, d] = [from, to].map(|key| Vec3::from_array(key.position()));
        (line(a, b, share), c.lerp(d, share))
    }

    /// What is left is at each time, also between keys, where all of them were: a step of 16 bits is half of storing, half of leaving
    /// out.
    #[test]
    fn fewer_keys_are_the_same_curve() {
        let turn = |part: f32| {
            // Still, a steady turn, and a wave.
            let angle = match part {
                ..0.25 => 0.3,
                0.25..0.5 => 0.3 + (part - 0.25) * 2.0,
                _ => 0.8 + 0.4 * ((part - 0.5) * 12.0).sin(),
            };
            Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle)
        };
        let place = |part: f32| Vec3::new((part * 3.0).min(1.0), -part, 0.2 * (part * 9.0).sin());
        let parts = (0..=1000_u16).map(|number| f32::from(number) / 1000.0);
        let turns: Vec<_> = parts.clone().map(|part| (part, turn(part))).collect();
        let places: Vec<_> = parts.map(|part| (part, place(part))).collect();
        let [turned, placed] = [rotations(&turns), positions(&places)];
        assert!(turned.len() < 400 && placed.len() < 400, "{} {}", turned.len(), placed.len());
        let middle = |list: &[Key], from: f32, to: f32| {
            list.iter().filter(|key| (from..to).contains(&(f32::from(key.time) / STEPS))).count()
        };
        // Constant and straight spans have keys only at their ends.
        assert!(middle(&turned, 0.01, 0.24) == 0 && middle(&placed, 0.34, 0.36) < 8);
        for number in 0..20_000_u16 {
            let part = f32::from(number) / 20_000.0;
            let (found, _) = played(&turned, part);
            let (_, there) = played(&placed, part);
            let apart = (glam::Vec4::from(found) - glam::Vec4::from(turn(part))).abs().max_element();
            assert!(apart < 3.0 * HALF_TURN_STEP, "{part}: {} steps", apart / HALF_TURN_STEP / 2.0);
            // Places are compared with the lines between the samples, which cut a corner.
            let [before, after] =
                [usize::from(number / 20), usize::from(number / 20) + 1].map(|at| places[at].1);
            let expected = before.lerp(after, f32::from(number % 20) / 20.0);
            let apart = (there - expected).abs().max_element() / (2.0 * MAX_OFFSET / STEPS);
            assert!(apart < 1.1, "{part}: {apart} steps");
        }
        // Nothing moves: one key. Several at one time: the last.
        assert_eq!(rotations(&[(0.0, turn(0.0)), (0.5, turn(0.0)), (1.0, turn(0.0))]).len(), 1);
        let twice = positions(&[(0.0, Vec3::ZERO), (0.0, Vec3::X), (1.0, Vec3::Y)]);
        assert_eq!((twice.len(), twice[0].position()[0].round()), (2, 1.0));
    }
}
