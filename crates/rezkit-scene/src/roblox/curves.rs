//! Converts CurveAnimations to channels. Keys that glTF's cubic keys can represent exactly stay keys; angles are
//! sampled between their keys.

use glam::{Quat, Vec3, Vec4};

use super::builder::Builder;
use super::interpolation::{Curve, Turns};
use crate::model::{Channel, Interpolation, Transform, Values};
use rezkit_core::{Budget, Error, ErrorKind, Result};

/// Frames per second between the keys of angles, whose rotation is not a cubic.
const RATE: f32 = 60.0;
/// Maximum number of frames of a curve: about half an hour.
const MOST: f32 = 120_000.0;

/// The poses of a part over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    positions: [Curve; 3],
    angles: [Curve; 3],
    /// The number in `Enum.RotationOrder`; XYZ is Rx * Ry * Rz.
    order: u32,
    turns: Option<Turns>,
}

/// The axes of each value of `Enum.RotationOrder`, by its number.
const ORDERS: [&str; 6] = ["XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"];

/// Lists keys of a curve that have no meaning.
pub(super) fn list_odd(builder: &mut Builder<'_>, curve: usize, count: usize) {
    let what = "curve keys with a negative time, or with infinite or NaN numbers";
    builder.lose_many(curve, what.into(), count);
}

impl Curves {
    /// Reads the curves in the folder of a part.
    pub(super) fn read(builder: &mut Builder<'_>, folder: usize) -> Self {
        let tree = builder.tree;
        let child =
            |class: &str| tree.children(folder).find(|(_, child)| child.class == class).map(|(at, _)| at);
        let (position, rotation) = (child("Vector3Curve"), child("EulerRotationCurve"));
        let mut axes = |index: Option<usize>| {
            ["X", "Y", "Z"].map(|axis| {
                let found = index.and_then(|at| tree.children(at).find(|(_, child)| child.name == axis));
                let Some((at, _)) = found else { return Curve::default() };
                let mut curve: Curve = builder.curve(at, Curve::from_bytes);
                let count = curve.keys.len();
                curve.keys.retain(|&(time, _, value, left, right)| {
                    time >= 0.0 && [value, left, right].into_iter().all(f32::is_finite)
                });
                list_odd(builder, at, count - curve.keys.len());
                curve
            })
        };
        let (positions, angles) = (axes(position), axes(rotation));
        let turns = child("RotationCurve").map(|at| {
            let mut turns: Turns = builder.curve(at, Turns::from_bytes);
            let count = turns.keys.len();
            turns.keys.retain(|(time, ..)| *time >= 0.0);
            list_odd(builder, at, count - turns.keys.len());
            if turns.has_tangents {
                builder.lose(
                    at,
                    "tangents of a RotationCurve: without them, rotations follow the shorter arc to each key",
                );
            }
            turns
        });
        let turns = turns.filter(|turns| !turns.keys.is_empty());
        if let (Some(at), Some(_)) = (rotation, &turns) {
            let count = angles.iter().map(|curve| curve.keys.len()).sum();
            let what = "keys of an EulerRotationCurve, since its part also has a RotationCurve";
            builder.lose_many(at, what.into(), count);
        }
        let order = rotation.and_then(|at| tree.instances[at].int("RotationOrder")).unwrap_or(0);
        Self { positions, angles, order, turns }
    }

    /// The number of keys.
    pub(super) fn keys(&self) -> usize {
        let turns = self.turns.as_ref().map_or(0, |turns| turns.keys.len());
        self.positions.iter().chain(&self.angles).map(|curve| curve.keys.len()).sum::<usize>() + turns
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
                budget.take_values::<[[f32; 5]; 4]>(turns.keys.len(), "the keys of an animation")?;
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
                    let [arriving, leaving] = [true, false].map(|arriving| self.slope(time, arriving));
                    [product(turn, arriving), turn * self.turn(time), product(turn, leaving)]
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

    fn axes(&self) -> impl Iterator<Item = (usize, Vec3)> {
        let letters = ORDERS.get(self.order as usize).unwrap_or(&"XYZ");
        letters.chars().map(|letter| match letter {
            'X' => (0, Vec3::X),
            'Y' => (1, Vec3::Y),
            _ => (2, Vec3::Z),
        })
    }

    /// The rotation at a time. Its components change continuously with the angles.
    fn turn(&self, time: f32) -> Quat {
        self.axes().fold(Quat::IDENTITY, |turn, (at, axis)| {
            turn * Quat::from_axis_angle(axis, self.angles[at].at(time))
        })
    }

    /// The derivatives of the components of [`Self::turn`], per second, by the product rule.
    fn slope(&self, time: f32, arriving: bool) -> Quat {
        let factor = |(at, axis): (usize, Vec3), changed: usize| {
            let turn = Quat::from_axis_angle(axis, self.angles[at].at(time));
            match at == changed {
                true => product(
                    turn,
                    Quat::from_vec4((axis * (self.angles[at].slope(time, arriving) / 2.0)).extend(0.0)),
                ),
                false => turn,
            }
        };
        let part = |changed: usize| {
            self.axes().fold(Quat::IDENTITY, |all, axis| product(all, factor(axis, changed)))
        };
        (0..3).map(part).fold(Quat::from_vec4(Vec4::ZERO), |sum, part| sum + part)
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
            format!("a curve lasts {end} s, but at most 2,000 s are allowed"),
        ));
    }
    let frames = if with_frames && start < end { (end * RATE) as u32 } else { 0 };
    // Each key has three values of four numbers.
    budget.take_values::<[f32; 26]>(2 * keys().count() + frames as usize, "the keys of an animation")?;
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
