//! Animation stacks: curves of all kinds, sampled.

use std::collections::{BTreeMap, HashMap};

use glam::{DQuat, DVec3};
use rezkit_core::{Budget, Loss, Result};

use super::objects::{Objects, Properties};
use super::skins::Blend;
use super::transform::{Local, Pivots};
use super::tree::{Record, Value};
use crate::model::{Animation, Channel, Interpolation, Values};
use crate::sampled::{self, JUMP, bezier, from_zero, with_frames};

/// The units of time of the files in a second.
const TICKS: f64 = 46_186_158_000.0;
const WHAT: &str = "the animations";
/// A node that can be animated.
pub(super) struct Animated {
    pub(super) node: usize,
    pub(super) pivots: Pivots,
    pub(super) local: Local,
    /// The rotation of the axes of the file, if the node is at the top.
    pub(super) axes: DQuat,
}

/// A curve: a number over time.
#[derive(Default)]
struct Curve {
    /// In seconds.
    times: Vec<f64>,
    values: Vec<f64>,
    kinds: Vec<Kind>,
}

/// How a number goes from a key to the next one.
#[derive(Clone, Copy)]
enum Kind {
    Constant,
    /// The value of the next key.
    Next,
    Linear,
    /// The slopes at both ends, per second, and the lengths of the tangents, of which the whole time is 1.
    Cubic([f64; 2], [f64; 2]),
}

impl Curve {
    fn of(record: &Record, budget: &mut Budget) -> Result<Self> {
        let (times, values) = (record.ints_of("KeyTime"), record.floats_of("KeyValueFloat"));
        let (flags, counts) = (record.ints_of("KeyAttrFlags"), record.ints_of("KeyAttrRefCount"));
        let data = attributes(record);
        budget.take(100 * times.len() as u64, WHAT)?;
        let mut curve = Self::default();
        let (mut at, mut left) = (0, counts.first().copied().unwrap_or(i64::MAX));
        for (&time, value) in times.iter().zip(values) {
            while left <= 0 && at + 1 < flags.len() {
                at += 1;
                left = counts.get(at).copied().unwrap_or(i64::MAX);
            }
            left -= 1;
            let flags = flags.get(at).copied().unwrap_or(4);
            let data = data.get(at * 4..at * 4 + 4);
            let seconds = time as f64 / TICKS;
            if curve.times.last().is_some_and(|last| *last >= seconds) || !value.is_finite() {
                continue;
            }
            curve.times.push(seconds);
            curve.values.push(value);
            curve.kinds.push(kind(flags, data));
        }
        Ok(curve)
    }

    fn at(&self, time: f64) -> Option<f64> {
        let after = self.times.partition_point(|key| *key <= time);
        let Some(before) = after.checked_sub(1) else { return self.values.first().copied() };
        let from = self.values[before];
        let (Some(&end), Some(&to)) = (self.times.get(after), self.values.get(after)) else {
            return Some(from);
        };
        let length = end - self.times[before];
        let part = (time - self.times[before]) / length;
        Some(match self.kinds[before] {
            Kind::Constant => from,
            Kind::Next => to,
            Kind::Linear => from + (to - from) * part,
            Kind::Cubic(slopes, weights) => {
                let [start, end] = slopes.map(|slope| slope * length);
                let values = [from, from + start * weights[0], to - end * weights[1], to];
                bezier(values, weights, part)
            }
        })
    }
}

/// The numbers of the kinds of keys, of which some are the bits of integers.
fn attributes(record: &Record) -> Vec<u32> {
    let Some(child) = record.child("KeyAttrDataFloat") else { return Vec::new() };
    let mut all = Vec::new();
    for value in &child.values {
        match value {
            Value::Floats(list) => all.extend(list.iter().map(|value| (*value as f32).to_bits())),
            // In the text form, all numbers can be whole, which are the bits.
            Value::Ints(list) => all.extend(list.iter().map(|value| (*value as f32).to_bits())),
            _ => {}
        }
    }
    all
}

fn kind(flags: i64, data: Option<&[u32]>) -> Kind {
    const CONSTANT: i64 = 2;
    const LINEAR: i64 = 4;
    const CUBIC: i64 = 8;
    const NEXT: i64 = 0x100;
    const WEIGHTED: [i64; 2] = [0x0100_0000, 0x0200_0000];
    let Some([right, left, weights, _]) = data.and_then(|data| <[u32; 4]>::try_from(data).ok()) else {
        return if flags & CONSTANT != 0 { Kind::Constant } else { Kind::Linear };
    };
    match flags {
        flags if flags & CONSTANT != 0 => {
            if flags & NEXT != 0 {
                Kind::Next
            } else {
                Kind::Constant
            }
        }
        flags if flags & LINEAR != 0 => Kind::Linear,
        flags if flags & CUBIC != 0 => {
            let number =
                |bits: u32| Some(f64::from(f32::from_bits(bits))).filter(|of| of.is_finite()).unwrap_or(0.0);
            let weight = |flag: i64, bits: u32| {
                if flags & flag != 0 {
                    (f64::from(bits & 0xffff) / 9999.0).clamp(1e-4, 1.0)
                } else {
                    1.0 / 3.0
                }
            };
            let lengths = [weight(WEIGHTED[0], weights), weight(WEIGHTED[1], weights >> 16)];
            Kind::Cubic([number(right), number(left)], lengths)
        }
        _ => Kind::Linear,
    }
}

/// The frames per second of a number of `TimeMode`.
pub(super) fn frame_rate(settings: &Properties<'_>) -> f64 {
    let rate = match settings.int("TimeMode").unwrap_or(0) {
        1 => 120.0,
        2 => 100.0,
        3 => 60.0,
        4 => 50.0,
        5 => 48.0,
        8 | 9 => 29.97,
        10 => 25.0,
        11 => 24.0,
        12 => 1000.0,
        13 => 23.976,
        14 => settings.float("CustomFrameRate").unwrap_or(30.0),
        15 => 96.0,
        16 => 72.0,
        17 => 59.94,
        _ => 30.0,
    };
    if (1.0..=240.0).contains(&rate) { rate } else { 30.0 }
}

/// The curves of the three numbers of a property, and the values of those without a curve.
struct Track {
    curves: [Option<Curve>; 3],
    rest: DVec3,
}

impl Track {
    fn at(&self, time: f64) -> DVec3 {
        let number = |axis: usize| self.curves[axis].as_ref().and_then(|curve| curve.at(time));
        DVec3::new(
            number(0).unwrap_or(self.rest.x),
            number(1).unwrap_or(self.rest.y),
            number(2).unwrap_or(self.rest.z),
        )
    }

    fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().flatten().filter(|curve| !curve.times.is_empty())
    }
}

/// What is read of the animations.
pub(super) struct Motion<'a> {
    pub(super) objects: &'a Objects<'a>,
    /// The nodes of models.
    pub(super) animated: &'a HashMap<usize, Animated>,
    /// The nodes and the blend shapes of meshes, in the order of their weights.
    pub(super) blends: &'a [(usize, Vec<Blend>)],
    pub(super) rate: f64,
    pub(super) unit: f64,
}

impl Motion<'_> {
    /// The animations of a file.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(super) fn read(&self, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<Vec<Animation>> {
        let mut made = Vec::new();
        for (stack, object) in self.objects.all.iter().enumerate() {
            if object.kind != "AnimationStack" {
                continue;
            }
            let path = format!("AnimationStack {:?}", object.name);
            let layers: Vec<usize> = self.objects.inside(stack, "AnimationLayer").collect();
            let (mut channels, others) = self.channels(&layers, budget)?;
            let what = "properties that several animation layers animate, of which the first one is used";
            Loss::new(&*path, what).id("fbx.animations").times(others).count_in(losses);
            from_zero(&mut channels, &path, losses);
            if !channels.is_empty() {
                made.push(Animation { name: object.name.clone(), channels, ..Animation::default() });
            }
        }
        Ok(made)
    }

    /// The channels of layers, and the number of properties that a layer animates again.
    fn channels(&self, layers: &[usize], budget: &mut Budget) -> Result<(Vec<Channel>, usize)> {
        let mut tracks: BTreeMap<usize, [Option<Track>; 3]> = BTreeMap::new();
        let mut shapes: HashMap<usize, Curve> = HashMap::new();
        let mut again = 0;
        for node in layers.iter().flat_map(|&layer| self.objects.inside(layer, "AnimationCurveNode")) {
            for link in &self.objects.above[node] {
                let which = match link.property.as_str() {
                    "Lcl Translation" => 0,
                    "Lcl Rotation" => 1,
                    "Lcl Scaling" => 2,
                    "DeformPercent" => {
                        let curve = self.curve(node, "d|DeformPercent", budget)?;
                        shapes.extend(curve.map(|curve| (link.object, curve)));
                        continue;
                    }
                    _ => continue,
                };
                let Some(animated) = self.animated.get(&link.object) else { continue };
                if tracks.get(&link.object).is_some_and(|known| known[which].is_some()) {
                    again += 1;
                    continue;
                }
                let local =
                    [animated.local.translation, animated.local.rotation, animated.local.scale][which];
                let properties = &self.objects.all[node].properties;
                let mut track = Track { curves: [None, None, None], rest: local };
                for (axis, name) in ["d|X", "d|Y", "d|Z"].into_iter().enumerate() {
                    if let Some(rest) = properties.float(name).filter(|rest| rest.is_finite()) {
                        track.rest[axis] = rest;
                    }
                    track.curves[axis] = self.curve(node, name, budget)?;
                }
                if track.curves().next().is_some() {
                    tracks.entry(link.object).or_default()[which] = Some(track);
                }
            }
        }
        let mut channels = Vec::new();
        for (model, tracks) in &tracks {
            channels.extend(self.sampled(&self.animated[model], tracks, budget)?);
        }
        for (node, blends) in self.blends {
            channels.extend(self.weights(*node, blends, &shapes, budget)?);
        }
        Ok((channels, again))
    }

    fn curve(&self, node: usize, name: &str, budget: &mut Budget) -> Result<Option<Curve>> {
        let found = self.objects.used(node, name, "AnimationCurve").next();
        found.map(|found| Curve::of(self.objects.all[found].record, budget)).transpose()
    }

    /// The times of all keys, and of the frames between them.
    fn times(&self, curves: &[&Curve]) -> Vec<f64> {
        let mut times: Vec<f64> = curves.iter().flat_map(|curve| curve.times.iter().copied()).collect();
        for curve in curves {
            let before = |(at, kind): (usize, &Kind)| {
                let next = curve.times.get(at + 1).filter(|_| matches!(kind, Kind::Constant))?;
                let has_jump = curve.values.get(at) != curve.values.get(at + 1);
                has_jump.then_some(next - f64::from(JUMP))
            };
            times.extend(curve.kinds.iter().enumerate().filter_map(before));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        with_frames(&times, self.rate)
    }

    /// The channels of a node.
    fn sampled(
        &self,
        animated: &Animated,
        tracks: &[Option<Track>; 3],
        budget: &mut Budget,
    ) -> Result<Vec<Channel>> {
        let times = self.times(&tracks.iter().flatten().flat_map(Track::curves).collect::<Vec<_>>());
        if times.is_empty() {
            return Ok(Vec::new());
        }
        budget.take(times.len() as u64 * 200, WHAT)?;
        budget.work(times.len() as u64 * 500, WHAT)?;
        let value =
            |which: usize, rest: DVec3, time| tracks[which].as_ref().map_or(rest, |track| track.at(time));
        let mut places = Vec::with_capacity(times.len());
        for &time in &times {
            let Local { translation, rotation, scale } = animated.local;
            let local = Local {
                translation: value(0, translation, time),
                rotation: value(1, rotation, time),
                scale: value(2, scale, time),
            };
            let placed = animated.pivots.place(&local);
            let mut rotation = (animated.axes * placed.rotation).normalize();
            if let Some((_, last, _)) = places.last()
                && rotation.dot(*last) < 0.0
            {
                rotation = -rotation;
            }
            places.push((animated.axes * placed.translation * self.unit, rotation, placed.scale));
        }
        let at_rest = animated.pivots.place(&animated.local);
        let rest = (
            animated.axes * at_rest.translation * self.unit,
            animated.axes * at_rest.rotation,
            at_rest.scale,
        );
        Ok(sampled::channels(animated.node, &times, &places, rest))
    }

    /// The channel of the weights of a mesh.
    fn weights(
        &self,
        node: usize,
        blends: &[Blend],
        shapes: &HashMap<usize, Curve>,
        budget: &mut Budget,
    ) -> Result<Option<Channel>> {
        let curves = blends.iter().filter_map(|blend| shapes.get(&blend.channel));
        let times = self.times(&curves.filter(|curve| !curve.times.is_empty()).collect::<Vec<_>>());
        if times.is_empty() {
            return Ok(None);
        }
        budget.take_values::<[f32; 2]>(times.len().saturating_mul(1 + blends.len()), WHAT)?;
        let weight = |blend: &Blend, time: f64| {
            let curve = shapes.get(&blend.channel).and_then(|curve| curve.at(time));
            curve.map_or(blend.weight, |percent| (percent / 100.0) as f32)
        };
        let values =
            times.iter().flat_map(|&time| blends.iter().map(move |blend| weight(blend, time))).collect();
        let times = times.iter().map(|time| *time as f32).collect();
        let interpolation = Interpolation::Linear;
        Ok(Some(Channel { node, times, values: Values::Weights(values), interpolation }))
    }
}
