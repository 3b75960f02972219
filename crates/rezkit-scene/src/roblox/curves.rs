//! Converts CurveAnimations to channels. Keys that glTF's cubic keys can represent exactly stay keys; angles are
//! sampled between their keys.

use std::collections::HashSet;

use glam::{Quat, Vec3, Vec4};

use super::builder::Builder;
use super::interpolation::{Curve, Turns};
use super::tree::Property;
use crate::model::{Channel, Interpolation, Transform, Values};
use rezkit_core::{Budget, Error, ErrorKind, Result};

/// Frames per second between the keys of angles, whose rotation is not a cubic.
const RATE: f32 = 60.0;
/// Maximum number of frames of a curve: about half an hour.
const MOST: f32 = 120_000.0;

/// What the keys of an animation are called in errors.
pub(super) const KEYS: &str = "the keys of the animations";

/// The poses of a part over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    positions: [Curve; 3],
    angles: [Curve; 3],
    /// The number in `Enum.RotationOrder`; XYZ is Rx * Ry * Rz.
    order: u32,
    turns: Option<Turns>,
}

/// The axes of each value of `Enum.RotationOrder`, by its number: XYZ, XZY, YZX, YXZ, ZXY and ZYX.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];

/// Lists keys of a curve that have no meaning.
pub(super) fn list_odd(builder: &mut Builder<'_>, curve: usize, count: usize) {
    let what = "curve keys with a negative time, or with infinite or NaN numbers";
    builder.lose_many(curve, "roblox.keys", what.into(), count);
}

/// The curve of an instance, without keys that have no meaning, in the order of their times.
pub(super) fn numbers(builder: &mut Builder<'_>, at: usize) -> Curve {
    let mut curve: Curve = builder.curve(at, Curve::from_bytes);
    let count = curve.keys.len();
    curve.keys.retain(|key| key.0 >= 0.0 && [key.2, key.3, key.4].into_iter().all(f32::is_finite));
    list_odd(builder, at, count - curve.keys.len());
    order(builder, at, &mut curve.keys, |key| key.0);
    let unknown = before_last(&curve.keys).filter(|key| key.1 > 2).count();
    builder.approximate_many(
        at,
        "animation.interpolation",
        "curve keys with an unknown interpolation become cubic keys",
        unknown,
    );
    curve
}

/// The rotations of a RotationCurve, like [`numbers`].
fn turns(builder: &mut Builder<'_>, at: usize) -> Turns {
    let mut turns: Turns = builder.curve(at, Turns::from_bytes);
    let count = turns.keys.len();
    turns.keys.retain(|(time, ..)| *time >= 0.0);
    list_odd(builder, at, count - turns.keys.len());
    let count = turns.keys.len();
    turns.keys.retain(|(.., turn)| turn.is_normalized());
    let what = "curve keys of rotations whose quaternion is infinite, NaN or all zeros";
    builder.lose_many(at, "roblox.keys", what.into(), count - turns.keys.len());
    order(builder, at, &mut turns.keys, |key| key.0);
    let of_mode = |is: fn(u8) -> bool| before_last(&turns.keys).filter(|key| is(key.1)).count();
    let [unknown, cubic] = [of_mode(|mode| !(12..=14).contains(&mode)), of_mode(|mode| mode == 14)];
    builder.approximate_many(
        at,
        "animation.interpolation",
        "rotation keys with an unknown interpolation become linear keys",
        unknown,
    );
    if turns.has_tangents {
        builder.lose(
            at,
            "animation.interpolation",
            "tangents of a RotationCurve: its cubic keys become linear keys, which have none",
        );
    } else {
        builder.approximate_many(
            at,
            "animation.interpolation",
            "cubic keys of a RotationCurve become linear keys",
            cubic,
        );
    }
    turns
}

/// The keys that are followed by another one.
fn before_last<K>(keys: &[K]) -> impl Iterator<Item = &K> {
    keys.iter().take(keys.len().saturating_sub(1))
}

/// Sorts the keys of a curve by their times. Of several at one time, the first applies.
fn order<K>(builder: &mut Builder<'_>, at: usize, keys: &mut Vec<K>, time: fn(&K) -> f32) {
    if !keys.is_sorted_by_key(time) {
        builder.approximate(
            at,
            "roblox.keys",
            "keys of a curve that are not in the order of their times: they are sorted",
        );
        geom::sort::by(keys, |a, b| time(a).total_cmp(&time(b)));
    }
    let count = keys.len();
    keys.dedup_by(|later, first| time(later) == time(first));
    builder.lose_many(at, "roblox.keys", LATER.into(), count - keys.len());
}

/// The message about keys at one time.
const LATER: &str = "the later of two curve keys at the same time";

impl Curves {
    /// Reads the curves in the folder of a part, and adds those that it reads to `read`.
    pub(super) fn read(builder: &mut Builder<'_>, folder: usize, read: &mut HashSet<usize>) -> Self {
        let tree = builder.tree;
        let child =
            |class: &str| tree.children(folder).find(|(_, child)| child.class == class).map(|(at, _)| at);
        let (position, rotation) = (child("Vector3Curve"), child("EulerRotationCurve"));
        let mut axes = |index: Option<usize>| {
            ["X", "Y", "Z"].map(|axis| {
                let found = index.and_then(|at| tree.children(at).find(|(_, child)| child.name == axis));
                let Some((at, _)) = found else { return Curve::default() };
                read.insert(at);
                numbers(builder, at)
            })
        };
        let (positions, angles) = (axes(position), axes(rotation));
        let turns = child("RotationCurve").map(|at| {
            read.insert(at);
            turns(builder, at)
        });
        let turns = turns.filter(|turns| !turns.keys.is_empty());
        if let (Some(at), Some(_)) = (rotation, &turns) {
            let count = angles.iter().map(|curve| curve.keys.len()).sum();
            let what = "keys of an EulerRotationCurve, since its part also has a RotationCurve";
            builder.lose_many(at, "roblox.keys", what.into(), count);
        }
        let mut order = rotation.and_then(|at| tree.instances[at].int(Property::RotationOrder)).unwrap_or(0);
        if let (Some(at), None, true) = (rotation, &turns, order as usize >= ORDERS.len()) {
            builder.approximate(
                at,
                "roblox.keys",
                "the RotationOrder of the angles is unknown: taken as XYZ",
            );
            order = 0;
        }
        Self { positions, angles, order, turns }
    }

    /// The number of keys.
    pub(super) fn keys(&self) -> usize {
        self.counts().iter().sum()
    }

    /// The number of keys of the position and of the rotation.
    fn counts(&self) -> [usize; 2] {
        let turns = self.turns.as_ref().map_or(0, |turns| turns.keys.len());
        let [positions, angles] =
            [&self.positions, &self.angles].map(|of| of.iter().map(|curve| curve.keys.len()).sum());
        [positions, angles + turns]
    }

    /// Drops the position and the rotation if they are known, and marks the others as known. Returns the number of keys
    /// that it drops.
    pub(super) fn drop_known(&mut self, known: &mut [bool; 2]) -> usize {
        let counts = self.counts();
        if known[0] {
            self.positions = Default::default();
        }
        if known[1] {
            (self.angles, self.turns) = Default::default();
        }
        let dropped = (0..2).map(|of| if known[of] { counts[of] } else { 0 }).sum();
        (0..2).for_each(|of| known[of] |= counts[of] > 0);
        dropped
    }

    /// Whether angles are sampled between their keys.
    pub(super) fn is_sampled(&self) -> bool {
        self.turns.is_none() && self.angles.iter().any(|curve| curve.keys.len() > 1)
    }

    /// The channels of a node; `rest` is its transform without a pose.
    ///
    /// # Errors
    /// If a curve is longer than about half an hour, or its keys need more memory than is left.
    pub(super) fn channels(
        &self,
        node: usize,
        rest: &Transform,
        budget: &mut Budget,
    ) -> Result<Vec<Channel>> {
        budget.take(2 * Channel::HELD as u64, KEYS)?;
        let (base, turn) = (Vec3::from(rest.translation), Quat::from_array(rest.rotation));
        let mut channels = Vec::new();
        let times = times(&self.positions, false, budget)?;
        if !times.is_empty() {
            let value = |time: f32| Vec3::from(self.positions.each_ref().map(|curve| curve.at(time)));
            let slope = |time: f32, arriving: bool| {
                turn * Vec3::from(self.positions.each_ref().map(|curve| curve.slope(time, arriving)))
            };
            let key = |&time: &f32| [slope(time, true), base + turn * value(time), slope(time, false)];
            let values: Vec<_> = times.iter().flat_map(key).map(|value| value.to_array()).collect();
            channels.push(channel(node, times, values, Values::Translation));
        }
        let (times, values) = match &self.turns {
            Some(turns) => {
                budget.take_values::<[[f32; 5]; 4]>(turns.keys.len(), KEYS)?;
                let (times, turns) = turns.linear();
                let values = turns.into_iter().map(|of| (turn * of).normalize().to_array()).collect();
                let interpolation = Interpolation::Linear;
                let values = Values::Rotation(values);
                channels.push(Channel { node, times, values, interpolation });
                return Ok(channels);
            }
            None => {
                let times = self::times(&self.angles, true, budget)?;
                let key = |&time: &f32| {
                    let [arriving, own, leaving] = self.turn(time);
                    [product(turn, arriving), turn * own, product(turn, leaving)]
                };
                let values: Vec<_> = times.iter().flat_map(key).map(|value| value.to_array()).collect();
                (times, values)
            }
        };
        if !times.is_empty() {
            channels.push(channel(node, times, values, Values::Rotation));
        }
        Ok(channels)
    }

    /// The rotation at a time, whose components change continuously with the angles, between the derivatives of these
    /// components just before and just after the time, per second, by the product rule.
    fn turn(&self, time: f32) -> [Quat; 3] {
        let turns = ORDERS
            .get(self.order as usize)
            .unwrap_or(&ORDERS[0])
            .map(|at| (at, Quat::from_axis_angle(Vec3::AXES[at], self.angles[at].at(time))));
        let [arriving, leaving] = [true, false].map(|arriving| {
            let part = |changed: usize| {
                let slope = Vec3::AXES[changed] * (self.angles[changed].slope(time, arriving) / 2.0);
                turns.iter().fold(Quat::IDENTITY, |all, &(at, turn)| match at == changed {
                    true => product(all, product(turn, Quat::from_vec4(slope.extend(0.0)))),
                    false => product(all, turn),
                })
            };
            (0..3).map(part).fold(Quat::from_vec4(Vec4::ZERO), |sum, part| sum + part)
        });
        [arriving, turns.iter().fold(Quat::IDENTITY, |all, (_, turn)| all * *turn), leaving]
    }
}

/// The product of two quaternions of any length.
fn product(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    let [v, w] = [Vec3::new(ax, ay, az), Vec3::new(bx, by, bz)];
    let xyz = w * aw + v * bw + v.cross(w);
    Quat::from_vec4(xyz.extend(aw * bw - v.dot(w)))
}

/// The times of all keys and of jumps just before them; `with_frames` adds the frames between keys, for angles.
fn times(curves: &[Curve; 3], with_frames: bool, budget: &mut Budget) -> Result<Vec<f32>> {
    let keys = || curves.iter().flat_map(|curve| curve.keys.iter().map(|key| key.0));
    let [start, end] = [keys().fold(f32::INFINITY, f32::min), keys().fold(f32::NEG_INFINITY, f32::max)];
    if end < 0.0 || !end.is_finite() {
        return Ok(Vec::new());
    }
    if end * RATE > MOST {
        return Err(Error::new(
            ErrorKind::Effort,
            format!(
                "a curve lasts {end} s, but at most {} s are allowed (shorten the animation)",
                MOST / RATE
            ),
        ));
    }
    let frames = if with_frames && start < end { (end * RATE) as u32 } else { 0 };
    // Each key has three values of four numbers.
    let count = 2 * keys().count() + frames as usize;
    budget.take_values::<[f32; 26]>(count, KEYS)?;
    budget.work(256 * count as u64, KEYS)?;
    let jumps = curves.iter().flat_map(Curve::jumps);
    let before = (start < 0.0).then_some(0.0);
    let frames = (0..=frames).filter(|_| frames > 0).map(|frame| frame as f32 / RATE);
    let mut times: Vec<f32> =
        keys().chain(jumps).chain(before).chain(frames).filter(|time| (0.0..=end).contains(time)).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    Ok(times)
}

/// A channel of values with the slopes before and after each; linear if all parts are straight.
fn channel<const N: usize>(
    node: usize,
    times: Vec<f32>,
    values: Vec<[f32; N]>,
    of: fn(Vec<[f32; N]>) -> Values,
) -> Channel {
    let own: Vec<[f32; N]> = values.iter().skip(1).step_by(3).copied().collect();
    let is_straight = |at: usize| {
        let span = times[at + 1] - times[at];
        (0..N).all(|axis| {
            let slope = (own[at + 1][axis] - own[at][axis]) / span;
            let near = |found: f32| (found - slope).abs() * span < 1e-6;
            near(values[3 * at + 2][axis]) && near(values[3 * at + 3][axis])
        })
    };
    let is_linear = N == 3 && (0..times.len().saturating_sub(1)).all(is_straight);
    let (values, interpolation) =
        if is_linear { (own, Interpolation::Linear) } else { (values, Interpolation::Cubic) };
    Channel { node, times, values: of(values), interpolation }
}
