//! The keys of motions: as few as reproduce the curves to 16 bits if the viewer interpolates between them.

use glam::{Quat, Vec3};
use slmesh::motion::{Key, MAX_OFFSET};

use crate::reduction::reduced;

/// The number of steps of a time and of a coordinate, which have 16 bits.
pub(super) const STEPS: f32 = 65_535.0;

/// Half a step of a coordinate of a rotation, which is from -1 to 1.
const HALF_TURN_STEP: f32 = 1.0 / STEPS;

/// The largest turn between two keys, in radians. For smaller turns, the shorter arc and the viewer's straight line
/// differ by less than a hundredth of a degree.
const LARGEST_TURN: f32 = std::f32::consts::FRAC_PI_6;

/// A value at a fraction of the motion, 0 to 1.
pub(super) type Sample<T> = (f32, T);

/// The rotations as keys, without those that interpolation reproduces.
pub(super) fn rotations(samples: &[Sample<Quat>]) -> Vec<Key> {
    let fits = |from: &Key, to: &Key, (part, value): &Sample<Quat>| {
        let [a, b] = [from, to].map(|key| Quat::from_array(key.rotation()));
        let between = line(a, b, share(from, to, *part));
        let value = if between.dot(*value) < 0.0 { -*value } else { *value };
        let apart = (glam::Vec4::from(between) - glam::Vec4::from(value)).truncate().abs();
        // w is not compared: near half a turn, rounding x, y and z changes it more.
        apart.max_element() <= HALF_TURN_STEP && between.angle_between(value) < 2e-3
    };
    thinned(samples, |(part, value)| Key::of_rotation(*part, value.to_array()), fits)
}

/// The positions as keys, without those that interpolation reproduces.
pub(super) fn positions(samples: &[Sample<Vec3>]) -> Vec<Key> {
    let fits = |from: &Key, to: &Key, (part, value): &Sample<Vec3>| {
        let [a, b] = [from, to].map(|key| Vec3::from_array(key.position()));
        let apart = (a.lerp(b, share(from, to, *part)) - *value).abs();
        apart.max_element() <= MAX_OFFSET * HALF_TURN_STEP
    };
    thinned(samples, |(part, value)| Key::of_position(*part, value.to_array()), fits)
}

/// Interpolates like the viewer: along a straight line, with the result normalized.
pub(super) fn line(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a * (1.0 - t) + b * t).normalize()
}

fn share(from: &Key, to: &Key, part: f32) -> f32 {
    let [from, to] = [from, to].map(|key| f32::from(key.time) / STEPS);
    if to > from { ((part - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 }
}

/// Few keys: each is as far from the one before as the samples between them allow.
fn thinned<T>(
    samples: &[Sample<T>],
    key: impl Fn(&Sample<T>) -> Key,
    fits: impl Fn(&Key, &Key, &Sample<T>) -> bool,
) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let mut kept: Vec<&Sample<T>> = Vec::new();
    for sample in samples {
        // Of several samples at one time, the last is kept.
        if keys.last().is_some_and(|last| last.time == key(sample).time) {
            keys.pop();
            kept.pop();
        }
        keys.push(key(sample));
        kept.push(sample);
    }
    // A constant value is one key.
    if !keys.is_empty() && kept.iter().all(|sample| fits(&keys[0], &keys[0], sample)) {
        return vec![keys[0]];
    }
    let few = reduced(keys.len(), |from, to, between| fits(&keys[from], &keys[to], kept[between]));
    few.into_iter().map(|at| keys[at]).collect()
}

/// The number of straight lines for an arc between two rotations.
pub(super) fn lines(from: Quat, to: Quat) -> u16 {
    #[allow(clippy::cast_sign_loss, reason = "at most half a turn")]
    let count = (from.angle_between(if from.dot(to) < 0.0 { -to } else { to }) / LARGEST_TURN).ceil() as u16;
    count.max(1)
}

#[cfg(test)]
#[path = "../../tests/inside/slmesh_keys.rs"]
mod tests;
