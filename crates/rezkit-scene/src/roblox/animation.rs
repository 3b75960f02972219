//! Converts KeyframeSequences and CurveAnimations to animations of rigs.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{Quat, Vec3};
use rbxblobs::MarkerCurve;

use super::builder::{Builder, transform};
use super::curves::{Curves, KEYS, list_odd};
use super::expressions;
use super::faces::{FACES, Faces};
use super::interpolation::{eased, seconds, steps};
use super::rigs::{CURVES, Rig, Rigs, posed};
use super::sequence::{MARKERS, Marker};
use super::tree::{Inst, is_sequence};
use crate::model::{Animation, Channel, Interpolation, Transform, held};
use rezkit_core::{Budget, Result};

pub(super) fn build(
    builder: &mut Builder<'_>,
    rigs: &Rigs,
    mut faces: HashMap<usize, Faces>,
    heads: &HashMap<usize, Vec<usize>>,
) {
    let tree = builder.tree;
    for rig in &rigs.rigs {
        for joint in &rig.closing {
            let what = "the joint is ignored, because another joint moves the same part";
            builder.lose(joint.index, what);
        }
        for &sequence in &rig.sequences {
            let instance = &tree.instances[sequence];
            let made = match instance.class.as_str() {
                "KeyframeSequence" => {
                    keyframes(builder, sequence).and_then(|tracks| channels(builder, rig, sequence, tracks))
                }
                _ => curves(builder, rig, sequence),
            };
            if rig.is_avatar {
                let name = &tree.instances[rig.model].name;
                let advice = match builder.options.rig {
                    None => " (set the option rig to use another rig)",
                    Some(_) => "",
                };
                builder.approximate(
                    sequence,
                    format!("the animation contains no rig and is applied to the rig {name:?}{advice}"),
                );
            }
            let name = instance.name.clone();
            let mut faces = faces.remove(&sequence).unwrap_or_default();
            let made = made.and_then(|mut channels| {
                channels.extend(expressions::channels(
                    builder,
                    heads.get(&rig.root).map_or(&[], Vec::as_slice),
                    &mut faces,
                )?);
                Ok(channels)
            });
            match made {
                Err(error) => builder.lose(sequence, format!("the animation cannot be converted: {error}")),
                Ok(channels) if channels.is_empty() => {
                    builder.lose(sequence, "the animation moves no part of its rig");
                }
                Ok(channels) => {
                    let mut extras = BTreeMap::new();
                    extras.extend(instance.bool("Loop").map(|loops| ("Loop".to_owned(), loops.into())));
                    extras.extend(instance.int("Priority").map(|of| ("Priority".to_owned(), of.into())));
                    if !faces.is_empty() {
                        let what = "facial controls become extras of the animation: no mesh of the rig \
                                    has morph targets for them";
                        builder.approximate(sequence, what);
                        keep(builder, sequence, &mut extras, FACES, &faces);
                    }
                    match markers(builder, sequence) {
                        Ok(markers) if markers.is_empty() => {}
                        Ok(markers) => keep(builder, sequence, &mut extras, MARKERS, &markers),
                        Err(error) => builder.lose(sequence, error.to_string()),
                    }
                    let source = u32::try_from(sequence).ok();
                    builder.scene.animations.push(Animation { name, channels, extras, source })
                }
            }
        }
    }
    // Animations of hidden rigs are listed with the rigs.
    let known: std::collections::HashSet<usize> =
        rigs.rigs.iter().chain(&rigs.hidden).flat_map(|rig| rig.sequences.iter().copied()).collect();
    let asked = tree.start.map(|start| tree.below(&[start]));
    let is_asked = |index: usize| asked.as_ref().is_none_or(|asked| asked[index].is_some());
    for (index, _) in tree
        .instances
        .iter()
        .enumerate()
        .take(tree.own)
        .filter(|(index, instance)| is_sequence(instance) && !known.contains(index) && is_asked(*index))
    {
        let mut names: Vec<&str> = posed(tree, index).into_iter().collect();
        names.sort_unstable();
        if names.is_empty() {
            builder.lose(index, "an animation that has no pose or curve for any part");
            continue;
        }
        let more = if names.len() > MOST_NAMES { ", …" } else { "" };
        let names = names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", ");
        let why = match rigs.in_circles.contains(&index) {
            true => " (the joints of its model form a cycle, so that no part is the root)".to_owned(),
            false => {
                format!(" (it moves {names}{more}; set the option rig to a model with these parts)")
            }
        };
        let what = format!("an animation without a usable rig{why}");
        builder.without_rig.get_or_insert_with(|| what.clone());
        builder.lose(index, what);
    }
}

/// Maximum number of names of parts in a message.
const MOST_NAMES: usize = 8;

/// Puts a value into the extras of an animation, if the budget suffices.
fn keep(
    builder: &mut Builder<'_>,
    sequence: usize,
    extras: &mut BTreeMap<String, serde_json::Value>,
    name: &str,
    value: &impl serde::Serialize,
) {
    match builder.budget.take(held::value(value) as u64, "the extras of an animation") {
        Ok(()) => _ = extras.insert(name.to_owned(), serde_json::json!(value)),
        Err(error) => builder.lose(sequence, error.to_string()),
    }
}

/// The events that scripts receive while an animation plays: the names of keyframes, and markers.
///
/// # Errors
/// If they need more memory than is left: each key of a curve has the name of the curve.
fn markers(builder: &mut Builder<'_>, sequence: usize) -> Result<Vec<Marker>> {
    let take = |builder: &mut Builder<'_>, texts: usize| {
        let size = 2 * (size_of::<Marker>() + texts);
        builder.budget.take(size as u64, "the markers of an animation")
    };
    let (tree, mut markers) = (builder.tree, Vec::new());
    for (index, child) in tree.children(sequence) {
        match child.class.as_str() {
            "Keyframe" => {
                let time = child.number("Time").unwrap_or(0.0);
                if !(time >= 0.0 && time.is_finite()) {
                    continue;
                }
                if !matches!(child.name.as_str(), "" | "Keyframe") {
                    take(builder, child.name.len())?;
                    markers.push(Marker { time, name: child.name.clone(), value: None });
                }
                let of = tree.children(index).filter(|(_, child)| child.class == "KeyframeMarker");
                for (_, marker) in of {
                    let value = marker.bytes(&["Value"]).unwrap_or_default();
                    // Invalid UTF-8 is replaced by three bytes.
                    take(builder, marker.name.len() + 3 * value.len())?;
                    let value = Some(String::from_utf8_lossy(value).into_owned());
                    markers.push(Marker { time, name: marker.name.clone(), value });
                }
            }
            "MarkerCurve" => {
                let curve: MarkerCurve = builder.curve(index, |bytes, max_bytes| {
                    rbxblobs::ReadOptions::new().max_bytes(max_bytes).read(bytes)
                });
                list_odd(builder, index, curve.times.iter().filter(|&&time| time < 0).count());
                let keys = curve.times.iter().zip(&curve.keys).filter(|(time, _)| **time >= 0);
                for (&time, key) in keys {
                    take(builder, child.name.len() + 3 * key.0.len())?;
                    let (time, value) = (seconds(time), Some(key.0.to_string()));
                    markers.push(Marker { time, name: child.name.clone(), value });
                }
            }
            _ => {}
        }
    }
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(markers)
}

/// For each part, by its name, the poses over time and their interpolation.
type Tracks = BTreeMap<String, (Vec<(f32, Transform)>, Interpolation)>;

fn channels(builder: &mut Builder<'_>, rig: &Rig, sequence: usize, tracks: Tracks) -> Result<Vec<Channel>> {
    let mut channels = Vec::new();
    for (name, (mut keys, interpolation)) in tracks {
        let Some(nodes) = builder.moving.get(&(rig.root, name.clone())) else {
            // No joint moves the root part: poses of it only contain those of other parts.
            let is_root = name == builder.tree.instances[rig.root].name;
            if !is_root || keys.iter().any(|(_, pose)| *pose != Transform::default()) {
                builder.lose_many(sequence, format!("poses of {name:?}: {NO_PART}"), keys.len());
            }
            continue;
        };
        // An eased key can be at the time of the next one, which applies.
        keys.reverse();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.dedup_by(|later, first| later.0 == first.0);
        for (node, rest) in nodes {
            builder.budget.take(2 * Channel::HELD as u64, KEYS)?;
            builder.budget.take_values::<[(f32, Transform); 2]>(keys.len(), KEYS)?;
            let (base, turn) = (Vec3::from(rest.translation), Quat::from_array(rest.rotation));
            let posed = |pose: &Transform| Transform {
                translation: (base + turn * Vec3::from(pose.translation)).into(),
                rotation: (turn * Quat::from_array(pose.rotation)).normalize().into(),
                ..*pose
            };
            let keys: Vec<_> = keys.iter().map(|(time, pose)| (*time, posed(pose))).collect();
            let made = Channel::of_keys(*node, &keys);
            channels.extend(made.map(|channel| Channel { interpolation, ..channel }));
        }
    }
    Ok(channels)
}

/// The message about poses of a part that the rig lacks, or that no joint moves.
const NO_PART: &str = "no joint of the rig moves a part with this name";

/// A pose of a part at a time, and the easing to the next one.
struct Key {
    time: f32,
    pose: Transform,
    style: u32,
    direction: u32,
}

fn keyframes(builder: &mut Builder<'_>, sequence: usize) -> Result<Tracks> {
    let tree = builder.tree;
    let mut frames: Vec<(f32, usize)> = Vec::new();
    for (index, frame) in tree.children(sequence).filter(|(_, child)| child.class == "Keyframe") {
        match frame.number("Time").unwrap_or(0.0) {
            time if time >= 0.0 && time.is_finite() => frames.push((time, index)),
            time => {
                builder.lose(index, format!("a keyframe at {time} s: the time must be finite and at least 0"))
            }
        }
    }
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut keys: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    for (time, frame) in frames {
        for at in tree.animated(frame) {
            let pose = &tree.instances[at];
            // A pose with a weight of 0 only contains other poses.
            if pose.class != "Pose" || pose.number("Weight") == Some(0.0) {
                continue;
            }
            let Some(cframe) = pose.frame(&["CFrame"]) else { continue };
            if !cframe.is_finite() {
                builder.lose(at, "a pose whose CFrame has infinite or NaN numbers");
                continue;
            }
            let (style, direction) = builder.easing(at);
            let key = Key { time, pose: transform(cframe), style, direction };
            keys.entry(pose.name.clone()).or_default().push(key);
        }
    }
    let (mut tracks, mut eased) = (Tracks::new(), 0);
    for (name, mut keys) in keys {
        // Of two poses at one time, the later one applies.
        let count = keys.len();
        keys.reverse();
        keys.dedup_by(|earlier, later| earlier.time == later.time);
        keys.reverse();
        let what = "the earlier of two poses of a part at the same time";
        builder.lose_many(sequence, what.into(), count - keys.len());
        let before_last = keys.split_last().map_or(&[][..], |(_, before)| before);
        // If every key stays constant up to the next one, the interpolation is a step.
        let is_step =
            !before_last.is_empty() && before_last.iter().all(|key| (key.style, key.direction) == (1, 1));
        let track = match is_step {
            true => (keys.iter().map(|key| (key.time, key.pose)).collect(), Interpolation::Step),
            false => {
                eased += before_last.iter().filter(|key| key.style != 0).count();
                (baked(&keys, builder.budget)?, Interpolation::Linear)
            }
        };
        tracks.insert(name, track);
    }
    if eased > 0 {
        let what = format!("the easing of keys is replaced by linear keys in between (eased keys: {eased})");
        builder.approximate(sequence, what);
    }
    Ok(tracks)
}

/// The maximum distance of straight lines from eased values between two keys, in studs and in degrees.
const EXACT_STUDS: f32 = 5e-5;
const EXACT_DEGREES: f32 = 0.005;

/// Converts keys with easing to keys with linear interpolation.
fn baked(keys: &[Key], budget: &mut Budget) -> Result<Vec<(f32, Transform)>> {
    let mut all = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        all.push((key.time, key.pose));
        let Some(next) = keys.get(index + 1) else { continue };
        if key.style == 0 {
            continue;
        }
        let span = next.time - key.time;
        let place_of = |pose: &Transform| Vec3::from(pose.translation);
        let turn_of = |pose: &Transform| Quat::from_array(pose.rotation);
        let way = place_of(&key.pose).distance(place_of(&next.pose));
        let angle = turn_of(&key.pose).angle_between(turn_of(&next.pose));
        let near = (EXACT_STUDS / way).min(EXACT_DEGREES.to_radians() / angle);
        let steps = steps((key.style, key.direction), span, near, budget)?;
        let places = [key.pose, next.pose].map(|pose| Vec3::from(pose.translation));
        let turns = [key.pose, next.pose].map(|pose| Quat::from_array(pose.rotation));
        for step in steps {
            let eased = eased(key.style, key.direction, step / span);
            let pose = Transform {
                translation: places[0].lerp(places[1], eased).into(),
                rotation: turns[0].slerp(turns[1], eased).normalize().into(),
                scale: [1.0; 3],
            };
            all.push((key.time + step, pose));
        }
    }
    Ok(all)
}

impl Builder<'_> {
    /// Decodes the bytes of a curve. If they cannot be read, that is listed, and the curve is empty.
    pub(super) fn curve<T: Default>(
        &mut self,
        index: usize,
        read: impl Fn(&[u8], u64) -> rbxblobs::Result<T>,
    ) -> T {
        let Some(bytes) = self.tree.instances[index].bytes(&["ValuesAndTimes"]) else { return T::default() };
        // Keys take at most six times their size in the file.
        let size = 6 * bytes.len() as u64;
        let taken = self.budget.take(size, "a curve").map_err(|error| error.to_string());
        let read = taken.and_then(|()| read(bytes, size).map_err(|error| error.to_string()));
        read.unwrap_or_else(|error| {
            self.lose(index, format!("the curve cannot be read: {error}"));
            T::default()
        })
    }

    /// The easing style and direction of a pose.
    pub(super) fn easing(&mut self, pose: usize) -> (u32, u32) {
        let of = |name| self.tree.instances[pose].int(name).unwrap_or(0);
        match (of("EasingStyle"), of("EasingDirection")) {
            (style @ 0..=5, direction @ 0..=2) => (style, direction),
            _ => {
                self.approximate(pose, "a pose with an unknown easing becomes linear");
                (0, 0)
            }
        }
    }
}

/// The size of a curve without keys, in bytes.
const EMPTY: usize = 16;

fn curves(builder: &mut Builder<'_>, rig: &Rig, animation: usize) -> Result<Vec<Channel>> {
    let tree = builder.tree;
    let (mut channels, mut is_sampled, mut read) = (Vec::new(), false, HashSet::new());
    let mut known: HashMap<&str, [bool; 2]> = HashMap::new();
    for part in tree.animated(animation) {
        let name = &tree.instances[part].name;
        let is_curve = |(_, child): (usize, &Inst)| CURVES.contains(&child.class.as_str());
        if !tree.children(part).any(is_curve) {
            continue;
        }
        let mut curves = Curves::read(builder, part, &mut read);
        let of = (rig.root, name.clone());
        if !builder.moving.contains_key(&of) {
            builder.lose_many(animation, format!("curve keys of {name:?}: {NO_PART}"), curves.keys());
            continue;
        }
        let count = curves.drop_known(known.entry(name).or_default());
        builder.lose_many(part, "curve keys of a part that an earlier folder animates".into(), count);
        if curves.keys() == 0 {
            continue;
        }
        for (node, rest) in builder.moving.get(&of).into_iter().flatten() {
            let made = curves.channels(*node, rest, builder.budget)?;
            is_sampled |= curves.is_sampled() && !made.is_empty();
            channels.extend(made);
        }
    }
    for at in tree.animated(animation).into_iter().filter(|at| !read.contains(at)) {
        let curve = &tree.instances[at];
        let above = curve.parent.map_or("", |above| tree.instances[above].name.as_str());
        let is_unread = match curve.class.as_str() {
            "FloatCurve" => above != FACES,
            "MarkerCurve" => curve.parent != Some(animation),
            "RotationCurve" | "ValueCurve" => true,
            _ => false,
        };
        if is_unread && curve.bytes(&["ValuesAndTimes"]).is_some_and(|bytes| bytes.len() > EMPTY) {
            builder.lose(at, "a curve that animates no position, rotation or facial control");
        }
    }
    if is_sampled {
        builder.approximate(
            animation,
            "Euler angles are sampled 60 times per second, in addition to the original keys",
        );
    }
    Ok(channels)
}
