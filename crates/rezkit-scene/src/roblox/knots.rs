//! Converts keys of poses to the curves of a CurveAnimation: rotations become angles with cubic keys, close to the
//! shorter arcs.

use glam::{DQuat, EulerRot, Quat};
use rbxblobs::curves::{FloatKey, TICKS_PER_SECOND};
use rbxcore::{NewInstance, Value};

use crate::model::Transform;
use rezkit_core::{Budget, Error, Result};

/// The measured memory of a pose, before and after it becomes an instance of a document.
pub(super) const POSE: u64 = 1500;

/// The keys of a part in an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) time: f32,
    pub(super) pose: Transform,
    /// Whether the pose is constant up to the next key.
    pub(super) stays: bool,
}

/// The keys of the three curves of a vector at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    pub(super) time: f32,
    pub(super) values: [f32; 3],
    /// The interpolation to the next key: 0 constant, 1 linear, 2 cubic.
    pub(super) mode: u8,
    /// The slopes of cubic keys before and after the key, per second.
    pub(super) left: [f32; 3],
    pub(super) right: [f32; 3],
}

impl Knot {
    fn new(time: f32, values: [f32; 3], stays: bool) -> Self {
        Self { time, values, mode: u8::from(!stays), left: [0.0; 3], right: [0.0; 3] }
    }
}

/// The minimum distance of keys that are added so that angles match the rotation, in seconds: uploads allow 1/70.
const NEAREST: f32 = 1.0 / 60.0;

/// The positions of keys, their angles, and the number in `Enum.RotationOrder` of the angles. The first order whose
/// angles are within the tolerance is used, or else the nearest: near an angle of 90 degrees, an order is ambiguous.
pub(super) fn curves_of(
    keys: &[Key],
    [turn, _]: [f32; 2],
    budget: &mut Budget,
) -> Result<(Vec<Knot>, Vec<Knot>, u32)> {
    let places = keys.iter().map(|key| Knot::new(key.time, key.pose.translation, key.stays)).collect();
    let near = turn.to_radians() / 4.0;
    let (mut best, mut least) = ((Vec::new(), 0), f32::INFINITY);
    for order in Order::all() {
        let (turns, off) = angles_of(keys, order, near, budget)?;
        if off < least {
            (best, least) = ((turns, order.0 as u32), off);
        }
        if off < near {
            break;
        }
    }
    Ok((places, best.0, best.1))
}

/// The angles of keys, and their greatest distance from the rotations, in radians.
fn angles_of(keys: &[Key], order: Order, near: f32, budget: &mut Budget) -> Result<(Vec<Knot>, f32)> {
    let (mut turns, mut farthest): (Vec<Knot>, f32) = (Vec::new(), 0.0);
    let quat = |key: &Key| Quat::from_array(key.pose.rotation).normalize();
    for (index, key) in keys.iter().enumerate() {
        let Some(before) = index.checked_sub(1).map(|before| &keys[before]).filter(|before| !before.stays)
        else {
            let last = turns.last().map_or([0.0; 3], |last| last.values);
            turns.push(Knot::new(key.time, order.angles(quat(key).as_dquat(), last), key.stays));
            continue;
        };
        // The ends of spans that are not near enough yet, the earliest on top.
        let mut waiting = vec![1.0_f32];
        let [from, to] = [before, key].map(|key| quat(key).as_dquat());
        let span = Span { from, to, seconds: key.time - before.time, order };
        let mut done = 0.0;
        while let Some(end) = waiting.pop() {
            let Some(last) = turns.last_mut() else { break };
            let arc = span.arc([done, end], last.values);
            // Uses a straight line if it suffices, as for a rotation about one axis.
            let straight = arc.straight();
            let (off, cubic_off) = (straight.off(&span), arc.off(&span));
            if off.min(cubic_off) >= near && (end - done) * span.seconds >= 2.0 * NEAREST {
                waiting.extend([end, done + (end - done) / 2.0]);
                continue;
            }
            budget.take_values::<[FloatKey; 3]>(1, "the keys of a curve")?;
            farthest = farthest.max(off.min(cubic_off));
            let (mode, arc) = if off < near || off <= cubic_off { (1, &straight) } else { (2, &arc) };
            (last.mode, last.right) = (mode, arc.leaving);
            let mut knot =
                Knot::new(before.time + span.seconds * end, arc.values[1], end >= 1.0 && key.stays);
            knot.left = arc.arriving;
            turns.push(knot);
            done = end;
        }
    }
    Ok((turns, farthest))
}

/// The shorter arc from one rotation to another.
struct Span {
    from: DQuat,
    to: DQuat,
    seconds: f32,
    order: Order,
}

/// A part of a span as angles: their values and their slopes, per second, at both ends.
#[derive(Clone, Copy)]
struct Arc {
    parts: [f32; 2],
    seconds: f32,
    values: [[f32; 3]; 2],
    leaving: [f32; 3],
    arriving: [f32; 3],
}

impl Span {
    fn at(&self, part: f64) -> DQuat {
        self.from.slerp(self.to, part)
    }

    fn arc(&self, parts: [f32; 2], first: [f32; 3]) -> Arc {
        /// The fraction of the part over which slopes are measured.
        const STEP: f64 = 1e-3;
        let [start, end] = parts.map(f64::from);
        let step = (end - start) * STEP;
        let last = self.order.angles(self.at(end), first);
        let slope = |near: [f32; 3], [a, b]: [f64; 2]| {
            let [low, high] = [a, b].map(|part| self.order.exact_angles(self.at(part), near));
            std::array::from_fn(|axis| ((high[axis] - low[axis]) / (b - a) / f64::from(self.seconds)) as f32)
        };
        Arc {
            parts,
            seconds: (parts[1] - parts[0]) * self.seconds,
            values: [first, last],
            leaving: slope(first, [start, start + step]),
            arriving: slope(last, [end - step, end]),
        }
    }
}

impl Arc {
    fn straight(&self) -> Self {
        let [a, b] = self.values;
        let slope = std::array::from_fn(|axis| (b[axis] - a[axis]) / self.seconds);
        Self { leaving: slope, arriving: slope, ..*self }
    }

    /// The greatest distance of the angles from the rotation, in radians.
    fn off(&self, span: &Span) -> f32 {
        let off = [0.25_f32, 0.5, 0.75].map(|t| {
            let (t2, t3) = (t * t, t * t * t);
            let value = |axis: usize| {
                let [a, b] = [self.values[0][axis], self.values[1][axis]];
                let [leaving, arriving] = [self.leaving[axis], self.arriving[axis]].map(|n| n * self.seconds);
                a * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + b * (3.0 * t2 - 2.0 * t3)
                    + leaving * (t3 - 2.0 * t2 + t)
                    + arriving * (t3 - t2)
            };
            let exact = span.at(f64::from(self.parts[0] + (self.parts[1] - self.parts[0]) * t)).as_quat();
            // The sine is exact for small angles, unlike the dot product of the quaternions.
            let apart = (span.order.turned(std::array::from_fn(value)).inverse() * exact).xyz().length();
            2.0 * apart
        });
        off.into_iter().fold(0.0, f32::max)
    }
}

/// An `Enum.RotationOrder`: which axis comes first, second and third.
#[derive(Clone, Copy)]
struct Order(usize);

impl Order {
    const ORDERS: [(EulerRot, [usize; 3]); 6] = [
        (EulerRot::XYZ, [0, 1, 2]),
        (EulerRot::XZY, [0, 2, 1]),
        (EulerRot::YZX, [1, 2, 0]),
        (EulerRot::YXZ, [1, 0, 2]),
        (EulerRot::ZXY, [2, 0, 1]),
        (EulerRot::ZYX, [2, 1, 0]),
    ];

    fn all() -> impl Iterator<Item = Self> {
        (0..Self::ORDERS.len()).map(Self)
    }

    /// The rotation with these angles about x, y and z.
    fn turned(self, angles: [f32; 3]) -> Quat {
        let (order, [a, b, c]) = Self::ORDERS[self.0];
        Quat::from_euler(order, angles[a], angles[b], angles[c])
    }

    /// The angles of a rotation about x, y and z that are nearest to others.
    fn angles(self, turn: DQuat, near: [f32; 3]) -> [f32; 3] {
        self.exact_angles(turn, near).map(|angle| angle as f32)
    }

    fn exact_angles(self, turn: DQuat, near: [f32; 3]) -> [f64; 3] {
        use std::f64::consts::{PI, TAU};
        let near = near.map(f64::from);
        let (order, axes) = Self::ORDERS[self.0];
        let (a, b, c) = turn.to_euler(order);
        let candidates = [[a, b, c], [a + PI, PI - b, c + PI]].map(|angles| {
            let mut found = near;
            for (axis, angle) in axes.into_iter().zip(angles) {
                found[axis] = angle + ((near[axis] - angle) / TAU).round() * TAU;
            }
            found
        });
        let apart = |angles: &[f64; 3]| -> f64 { angles.iter().zip(near).map(|(a, b)| (a - b).abs()).sum() };
        let [first, second] = candidates;
        if apart(&second) < apart(&first) { second } else { first }
    }
}

/// Converts times from seconds to ticks.
pub(super) fn ticks(times: Vec<f32>) -> Result<Vec<i32>> {
    times
        .into_iter()
        .map(|time| match (f64::from(time) * f64::from(TICKS_PER_SECOND)).round() {
            ticks if (0.0..=f64::from(i32::MAX)).contains(&ticks) => Ok(ticks as i32),
            _ => {
                let most = f64::from(i32::MAX) / f64::from(TICKS_PER_SECOND);
                Err(Error::unwritable(format!(
                    "expected the keys of a curve at times from 0 to {most:.0} s, found {time} s: shorten the animation"
                )))
            }
        })
        .collect()
}

pub(super) fn curve_of(class: &str, name: &str, bytes: Vec<u8>) -> NewInstance {
    NewInstance::new(class)
        .property("Name", name)
        .property("ValuesAndTimes", Value::BinaryString(bytes.into()))
}
