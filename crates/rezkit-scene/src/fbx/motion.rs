//! Animation stacks: curves of all kinds, sampled.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{DQuat, DVec3};
use rezkit_core::{Budget, Loss, Result};

use super::objects::{Objects, Properties};
use super::skins::{self, Blend};
use super::transform::{Local, Pivots, angles, turned};
use super::tree::{Record, Value};
use crate::model::{Animation, Channel, Interpolation, Values};
use crate::sampled::{self, JUMP, bezier, from_zero, with_frames};

/// The units of time of the files in a second.
const TICKS: f64 = 46_186_158_000.0;
const WHAT: &str = "the animations";

/// The longest animation, in seconds, in which curves are continued beyond their keys.
const LONGEST: f64 = 600.0;

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
    /// What is before the first key, and after the last one.
    beyond: [Beyond; 2],
}

/// What a curve is beyond its keys.
#[derive(Clone, Copy, Default, PartialEq)]
enum Beyond {
    /// The value of the key.
    #[default]
    Held,
    /// The slope at the key continues.
    Slope,
    /// The curve is repeated, a number of times if there is one: from the start, back and forth, or from the value at the
    /// end.
    Again(Again, Option<f64>),
}

#[derive(Clone, Copy, PartialEq)]
enum Again {
    Start,
    Mirror,
    Relative,
}

impl Beyond {
    fn of(record: &Record, name: &str) -> Self {
        let Some(record) = record.child(name) else { return Self::Held };
        let count = record.ints_of("Repetition").first().copied().filter(|count| *count >= 0);
        let again = |again| Self::Again(again, count.map(|count| count as f64));
        // The letters of the kinds.
        match record.ints_of("Type").first().and_then(|kind| u8::try_from(*kind).ok()) {
            Some(b'K') => Self::Slope,
            Some(b'R') => again(Again::Start),
            Some(b'M') => again(Again::Mirror),
            Some(b'A') => again(Again::Relative),
            _ => Self::Held,
        }
    }
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

impl Kind {
    fn slopes(&self) -> Option<[f64; 2]> {
        match self {
            Self::Cubic(slopes, _) => Some(*slopes),
            _ => None,
        }
    }
}

impl Curve {
    fn of(record: &Record, version: i64, budget: &mut Budget) -> Result<Self> {
        let (times, values) = (record.ints_of("KeyTime"), record.floats_of("KeyValueFloat"));
        let (flags, counts) = (record.ints_of("KeyAttrFlags"), record.ints_of("KeyAttrRefCount"));
        let data = attributes(record, version);
        budget.take(100 * times.len() as u64, WHAT)?;
        let beyond = ["Pre-Extrapolation", "Post-Extrapolation"].map(|name| Beyond::of(record, name));
        let (mut curve, mut tangents) = (Self { beyond, ..Self::default() }, Vec::new());
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
            tangents.push(Tangent::of(flags, data));
        }
        curve.solve(&tangents);
        Ok(curve)
    }

    /// Computes the slopes that are not stored.
    fn solve(&mut self, tangents: &[Tangent]) {
        for (at, tangent) in tangents.iter().enumerate() {
            // Of the slopes of a key that is automatic, files have how far they are pulled to a neighbour.
            let before = at.checked_sub(1);
            let left = before.and_then(|before| self.kinds[before].slopes()).map_or(0.0, |slopes| slopes[1]);
            let right = self.kinds[at].slopes().map_or(0.0, |slopes| slopes[0]);
            let Some([left, right]) = tangent.slopes(&self.around(at), [left, right]) else { continue };
            if let Kind::Cubic(slopes, _) = &mut self.kinds[at] {
                slopes[0] = right;
            }
            if let Some(Kind::Cubic(slopes, _)) = before.map(|before| &mut self.kinds[before]) {
                slopes[1] = left;
            }
        }
    }

    /// The way from a key to its neighbours.
    fn around(&self, at: usize) -> Around {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(self.times.len() - 1));
        let step = |from: usize, to: usize| {
            let weight = |side: usize| match self.kinds[from] {
                Kind::Cubic(_, weights) => weights[side],
                _ => 1.0 / 3.0,
            };
            let way = [self.times[to] - self.times[from], self.values[to] - self.values[from]];
            (from < to).then(|| (way, weight(usize::from(to == at))))
        };
        Around { sides: [step(before, at), step(at, after)] }
    }

    /// The value at a time, also beyond the keys.
    fn at(&self, time: f64) -> Option<f64> {
        let (&first, &last) = (self.times.first()?, self.times.last()?);
        let (start, end) = (self.inside(first)?, self.inside(last)?);
        let [before, after] = self.beyond;
        let (beyond, edge, value) = match time {
            _ if time < first => (before, first, start),
            _ if time > last => (after, last, end),
            _ => return self.inside(time),
        };
        let length = last - first;
        match beyond {
            _ if length <= 0.0 => Some(value),
            Beyond::Held => Some(value),
            Beyond::Slope => {
                let slope = match (time < first, self.kinds.as_slice()) {
                    (true, [Kind::Cubic([slope, _], _), ..]) => *slope,
                    (false, [.., Kind::Cubic([_, slope], _), _]) => *slope,
                    (is_before, _) => {
                        let step = length.min(1e-3) * if is_before { 1.0 } else { -1.0 };
                        (self.inside(edge + step)? - value) / step
                    }
                };
                Some(value + slope * (time - edge))
            }
            Beyond::Again(again, count) => {
                let (rounds, part) = {
                    let rounds = ((time - first) / length).floor();
                    (rounds, time - first - rounds * length)
                };
                let done = if rounds < 0.0 { -rounds } else { rounds };
                // After the last round, the value at its end is held.
                let (rounds, part) = match count.filter(|count| done > *count) {
                    Some(count) if rounds < 0.0 => (-count, 0.0),
                    Some(count) => (count, length),
                    None => (rounds, part),
                };
                let is_back = again == Again::Mirror && rounds.rem_euclid(2.0) == 1.0;
                let value = self.inside(if is_back { last - part } else { first + part })?;
                Some(if again == Again::Relative { value + rounds * (end - start) } else { value })
            }
        }
    }

    /// The value at a time between the keys.
    fn inside(&self, time: f64) -> Option<f64> {
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
fn attributes(record: &Record, version: i64) -> Vec<u32> {
    let Some(child) = record.child("KeyAttrDataFloat") else { return Vec::new() };
    let mut all = Vec::new();
    for value in &child.values {
        match value {
            Value::Floats(list) => all.extend(list.iter().map(|value| (*value as f32).to_bits())),
            // Text has the bits of the numbers from 7.2 on.
            Value::Ints(list) if version >= 7200 => all.extend(list.iter().map(|value| *value as u32)),
            Value::Ints(list) => all.extend(list.iter().map(|value| (*value as f32).to_bits())),
            _ => {}
        }
    }
    all
}

/// The number of the bits of a float.
fn number(bits: u32) -> f64 {
    Some(f64::from(f32::from_bits(bits))).filter(|of| of.is_finite()).unwrap_or(0.0)
}

fn kind(flags: i64, data: Option<&[u32]>) -> Kind {
    const CONSTANT: i64 = 2;
    const LINEAR: i64 = 4;
    const CUBIC: i64 = 8;
    const NEXT: i64 = 0x100;
    const TCB: i64 = 0x200;
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
        flags if flags & (CUBIC | TCB) == CUBIC | TCB => Kind::Cubic([0.0; 2], [1.0 / 3.0; 2]),
        flags if flags & CUBIC != 0 => {
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

/// The way from the key before a key, and to that after it: seconds and value, and the length of the tangent at the key as
/// a part of the time.
struct Around {
    sides: [Option<([f64; 2], f64)>; 2],
}

/// How the slopes of a key are found.
#[derive(Clone, Copy)]
enum Tangent {
    Stored,
    Automatic {
        flags: i64,
    },
    /// By tension, continuity and bias.
    Tcb([f64; 3]),
}

impl Tangent {
    fn of(flags: i64, data: Option<&[u32]>) -> Self {
        const LINEAR_OR_CONSTANT: i64 = 6;
        const CUBIC: i64 = 8;
        const TCB: i64 = 0x200;
        const USER: i64 = 0x400;
        let Some(&[tension, continuity, bias, _]) = data else { return Self::Stored };
        match flags {
            _ if flags & CUBIC == 0 || flags & LINEAR_OR_CONSTANT != 0 => Self::Stored,
            _ if flags & TCB != 0 => Self::Tcb([tension, continuity, bias].map(number)),
            _ if flags & USER != 0 => Self::Stored,
            _ => Self::Automatic { flags },
        }
    }

    /// The slopes on both sides of a key; `None` if they are stored. Automatic ones are as MotionBuilder and Maya draw
    /// them; `pulls` are percents, of which those on the left have the other sign.
    fn slopes(&self, around: &Around, pulls: [f64; 2]) -> Option<[f64; 2]> {
        match *self {
            Self::Stored => None,
            Self::Automatic { flags } => {
                let [left, right] = pulls;
                let own = automatic(around, right, flags);
                let is_one = (left + right).abs() <= 1e-4 || around.sides.contains(&None);
                match around.sides {
                    [Some(_), None] => Some([automatic(around, -left, flags); 2]),
                    _ if is_one => Some([own; 2]),
                    _ => Some([automatic(around, -left, flags), own]),
                }
            }
            Self::Tcb([tension, continuity, bias]) => {
                let slope = |side: Option<([f64; 2], f64)>| side.map_or(0.0, |([time, way], _)| way / time);
                let [before, after] = around.sides.map(slope);
                let share = if around.sides.contains(&None) { 1.0 } else { 0.5 } * (1.0 - tension);
                let of = |continuity: f64| {
                    share
                        * ((1.0 + bias) * (1.0 - continuity) * before
                            + (1.0 - bias) * (1.0 + continuity) * after)
                };
                Some([of(continuity), of(-continuity)])
            }
        }
    }
}

/// The slope of a key with an automatic tangent, which is pulled to a neighbour: up to 500, a share of the slope to it, above
/// that, a slope of its own.
fn automatic(around: &Around, pull: f64, flags: i64) -> f64 {
    const CLAMPED: i64 = 0x1000;
    const TIME_INDEPENDENT: i64 = 0x2000;
    const PROGRESSIVE: i64 = 0x4000;
    let is_free = flags & TIME_INDEPENDENT == 0;
    let ways = around.sides.iter().flatten().map(|([_, way], _)| way);
    // A key beside one with the same value, and an end, are flat if they are clamped.
    if flags & CLAMPED != 0 && ways.clone().any(|way| *way == 0.0) {
        return 0.0;
    }
    let beyond = (pull.abs() / 100.0 - 5.0).max(0.0);
    let beyond = beyond * beyond * 40.0;
    let [Some(([time, way], weight)), Some(([next_time, next_way], next_weight))] = around.sides else {
        let alone = around.sides.into_iter().flatten().next().map_or(0.0, |([time, way], _)| way / time);
        return match flags & PROGRESSIVE {
            0 if is_free => alone + beyond.copysign(pull),
            0 => alone,
            _ => 0.0,
        };
    };
    let (before, after) = (way / time, next_way / next_time);
    let mut slope = (way + next_way) / (time + next_time);
    if is_free {
        let part = time / (time + next_time);
        slope = 0.5 * (slope + before * (1.0 - part) + after * part);
        let share = pull.abs() / 100.0;
        if share > 1e-4 {
            let target = if pull > 0.0 { after } else { before };
            let off = target - slope;
            slope += off * share + beyond.copysign(if off.abs() > 1e-5 { off } else { pull });
        }
    }
    if flags & PROGRESSIVE != 0 {
        // No tangent goes beyond the value of a neighbour.
        let sign = 1.0_f64.copysign(slope);
        let most = |way: f64, length: f64| if length > 0.0 { (sign * way / length).max(0.0) } else { 0.0 };
        let most = most(way, weight * time).min(most(next_way, next_weight * next_time));
        slope = sign * slope.abs().min(most);
    }
    slope
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

/// How a layer of animation changes what the layers before it make.
struct Layer {
    /// The share of the layer, from 0 to 1; a curve of percents.
    weight: f64,
    curve: Option<Curve>,
    /// Whether its values are added, instead of replacing those before it.
    is_added: bool,
    /// Whether its rotations are turns, and not angles to add.
    turns: bool,
    /// Whether its scales are factors, and not numbers to add.
    scales: bool,
}

impl Layer {
    fn weight(&self, time: f64) -> f64 {
        let percent = self.curve.as_ref().and_then(|curve| curve.at(time));
        percent.map_or(self.weight, |percent| percent / 100.0).clamp(0.0, 1.0)
    }

    /// A translation, a rotation or a scale (0, 1, 2) with that of this layer. Angles are in an order.
    fn over(&self, which: usize, below: DVec3, own: DVec3, time: f64, order: i64) -> DVec3 {
        let weight = self.weight(time);
        match which {
            1 if self.turns => {
                let (below, own) = (turned(below, order), turned(own, order));
                let turn = match self.is_added {
                    true => below * DQuat::IDENTITY.slerp(own, weight),
                    false => below.slerp(own, weight),
                };
                angles(turn, order)
            }
            2 if self.scales && self.is_added => {
                let factor = |own: f64| if own > 0.0 { own.powf(weight) } else { 1.0 + (own - 1.0) * weight };
                below * DVec3::from_array(own.to_array().map(factor))
            }
            _ if self.is_added => below + own * weight,
            _ => below.lerp(own, weight),
        }
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
            let times = ["LocalStart", "LocalStop"].map(|name| object.properties.int(name));
            let span = times.map(|time| time.map_or(0.0, |time| time as f64 / TICKS));
            let mut channels = self.channels(&layers, span, budget)?;
            from_zero(&mut channels, &path, losses);
            if !channels.is_empty() {
                made.push(Animation { name: object.name.clone(), channels, ..Animation::default() });
            }
        }
        Ok(made)
    }

    /// How a layer changes those before it.
    fn layer(&self, layer: usize, budget: &mut Budget) -> Result<Layer> {
        let properties = &self.objects.all[layer].properties;
        let has = |name: &str, number: i64| properties.int(name).unwrap_or(0) == number;
        let mut curve = None;
        for node in self.objects.used(layer, "Weight", "AnimationCurveNode") {
            curve = self.curve(node, "d|Weight", budget)?.filter(|curve| !curve.times.is_empty());
        }
        let weight = properties.float("Weight").filter(|weight| weight.is_finite()).unwrap_or(100.0) / 100.0;
        let is_muted = properties.int("Mute").unwrap_or(0) != 0;
        Ok(Layer {
            weight: if is_muted { 0.0 } else { weight },
            curve: curve.filter(|_| !is_muted),
            is_added: has("BlendMode", 0),
            turns: has("RotationAccumulationMode", 0),
            scales: has("ScaleAccumulationMode", 0),
        })
    }

    /// The channels of layers, in the span of the animation in seconds.
    fn channels(&self, layers: &[usize], span: [f64; 2], budget: &mut Budget) -> Result<Vec<Channel>> {
        let mut tracks: BTreeMap<usize, [Vec<(usize, Track)>; 3]> = BTreeMap::new();
        let mut shapes: HashMap<skins::Channel, Curve> = HashMap::new();
        let blends = self.blends.iter().flat_map(|(_, blends)| blends);
        let blends: HashSet<&skins::Channel> = blends.map(|blend| &blend.channel).collect();
        let all = layers.iter().map(|&layer| self.layer(layer, budget)).collect::<Result<Vec<_>>>()?;
        for (index, &layer) in layers.iter().enumerate() {
            for node in self.objects.inside(layer, "AnimationCurveNode") {
                for link in &self.objects.above[node] {
                    let which = match link.property.as_str() {
                        "Lcl Translation" => 0,
                        "Lcl Rotation" => 1,
                        "Lcl Scaling" => 2,
                        property => {
                            let channel = (link.object, property.to_owned());
                            if blends.contains(&channel) {
                                let curve = self.curve(node, &format!("d|{property}"), budget)?;
                                shapes.extend(curve.map(|curve| (channel, curve)));
                            }
                            continue;
                        }
                    };
                    let Some(animated) = self.animated.get(&link.object) else { continue };
                    let local = animated.local;
                    let rest = [local.translation, local.rotation, local.scale][which];
                    let properties = &self.objects.all[node].properties;
                    let mut track = Track { curves: [None, None, None], rest };
                    for (axis, name) in ["d|X", "d|Y", "d|Z"].into_iter().enumerate() {
                        if let Some(rest) = properties.float(name).filter(|rest| rest.is_finite()) {
                            track.rest[axis] = rest;
                        }
                        track.curves[axis] = self.curve(node, name, budget)?;
                    }
                    tracks.entry(link.object).or_default()[which].push((index, track));
                }
            }
        }
        let mut channels = Vec::new();
        for (model, tracks) in &tracks {
            channels.extend(self.sampled(&self.animated[model], tracks, (&all, span), budget)?);
        }
        for (node, blends) in self.blends {
            channels.extend(self.weights(*node, blends, &shapes, span, budget)?);
        }
        Ok(channels)
    }

    fn curve(&self, node: usize, name: &str, budget: &mut Budget) -> Result<Option<Curve>> {
        let found = self.objects.used(node, name, "AnimationCurve").next();
        let version = self.objects.version;
        found.map(|found| Curve::of(self.objects.all[found].record, version, budget)).transpose()
    }

    /// The times of all keys, and of the frames between them. If a curve moves beyond its keys, also those of the span.
    fn times(&self, curves: &[&Curve], span: [f64; 2]) -> Vec<f64> {
        let mut times: Vec<f64> = curves.iter().flat_map(|curve| curve.times.iter().copied()).collect();
        let is_held = |curve: &&Curve| curve.beyond == [Beyond::Held; 2] || curve.times.len() < 2;
        if !curves.iter().all(is_held) && span[1] > span[0] && span[1] - span[0] < LONGEST {
            times.extend(span);
        }
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
        tracks: &[Vec<(usize, Track)>; 3],
        (layers, span): (&[Layer], [f64; 2]),
        budget: &mut Budget,
    ) -> Result<Vec<Channel>> {
        let mut curves: Vec<&Curve> = tracks.iter().flatten().flat_map(|(_, track)| track.curves()).collect();
        if !curves.is_empty() {
            let used = tracks.iter().flatten().filter_map(|(layer, _)| layers.get(*layer)?.curve.as_ref());
            curves.extend(used);
        }
        let times = self.times(&curves, span);
        if times.is_empty() {
            return Ok(Vec::new());
        }
        budget.take(times.len() as u64 * 200, WHAT)?;
        budget.work(times.len() as u64 * 500, WHAT)?;
        let order = animated.pivots.order();
        // The first layer has no values below it.
        let value = |which: usize, rest: DVec3, time| {
            tracks[which].iter().fold(rest, |below, (index, track)| match layers.get(*index) {
                Some(layer) if *index > 0 => layer.over(which, below, track.at(time), time, order),
                _ => track.at(time),
            })
        };
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
        shapes: &HashMap<skins::Channel, Curve>,
        span: [f64; 2],
        budget: &mut Budget,
    ) -> Result<Option<Channel>> {
        let curves = blends.iter().filter_map(|blend| shapes.get(&blend.channel));
        let curves: Vec<&Curve> = curves.filter(|curve| !curve.times.is_empty()).collect();
        let times = self.times(&curves, span);
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
