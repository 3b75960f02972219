//! Converts KeyframeSequences and CurveAnimations to animations of rigs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{Quat, Vec3};
use rbxblobs::MarkerCurve;

use super::builder::Builder;
use super::curves::{Curves, KEYS, list_odd};
use super::expressions;
use super::faces::{FACES, Faces};
use super::graph::{Joint, is_motor};
use super::interpolation::seconds;
use super::keyframes::{Tracks, is_set, keyframes};
use super::rigs::{CURVES, Rig, Rigs, posed};
use super::sequence::{HIP_HEIGHT, MARKERS, Marker, USUAL_HIP_HEIGHT};
use super::tree::{Inst, Property, is_sequence};
use crate::model::{Animation, Channel, Playback, Transform, held};
use rezkit_core::Result;

pub(super) fn build(
    builder: &mut Builder<'_>,
    rigs: &Rigs,
    mut faces: HashMap<usize, Faces>,
    heads: &HashMap<usize, Vec<usize>>,
) {
    let tree = builder.tree;
    // The names of animations that several rigs have.
    let (mut rig_of, mut repeated) = (HashMap::new(), HashSet::new());
    for rig in &rigs.rigs {
        let names = rig.sequences.iter().map(|&sequence| tree.instances[sequence].name.as_str());
        repeated.extend(names.filter(|name| *rig_of.entry(*name).or_insert(rig.model) != rig.model));
    }
    for rig in &rigs.rigs {
        for joint in &rig.closing {
            let what = "the joint is ignored, because another joint moves the same part";
            builder.lose(joint.index, "roblox.joints", what);
        }
        for &sequence in &rig.sequences {
            let instance = &tree.instances[sequence];
            let mut read = HashSet::new();
            let made = match instance.class.as_str() {
                "KeyframeSequence" => {
                    keyframes(builder, sequence).and_then(|tracks| channels(builder, rig, sequence, tracks))
                }
                _ => curves(builder, rig, sequence, &mut read),
            };
            if made.is_ok() {
                list_unread(builder, sequence, &read);
                list_reversed(builder, rig, sequence);
            }
            if rig.is_avatar {
                let name = &tree.instances[rig.model].name;
                let advice = match builder.options.rig {
                    None => " (to use another rig, set the option rig)",
                    Some(_) => "",
                };
                builder.approximate(
                    sequence,
                    "roblox.other-rig",
                    format!(
                        "the animation is applied to the rig {name:?}, because the file contains no rig for \
                         it{advice}"
                    ),
                );
            }
            let heads = heads.get(&rig.root).map_or(&[][..], Vec::as_slice);
            let model = repeated.contains(instance.name.as_str()).then_some(rig.model);
            add(builder, sequence, model, made, heads, faces.remove(&sequence).unwrap_or_default());
        }
    }
    list_without_rigs(builder, rigs);
}

/// Lists the poses of joints that are followed from their second part to their first.
fn list_reversed(builder: &mut Builder<'_>, rig: &Rig, sequence: usize) {
    let tree = builder.tree;
    let name = |index: usize| tree.instances[index].name.as_str();
    let is_reversed = |joint: &&Joint| joint.is_held && is_motor(tree, joint);
    // The names of a pose and of the pose around it.
    let reversed: HashSet<_> =
        rig.joints.iter().filter(is_reversed).map(|joint| [name(joint.part0), name(joint.part1)]).collect();
    if reversed.is_empty() {
        return;
    }
    for index in tree.animated(sequence) {
        let above = tree.instances[index].parent.map_or("", name);
        if reversed.contains(&[name(index), above]) {
            let what = "the pose of a joint whose second part another joint moves is applied to that joint";
            builder.approximate(index, "roblox.joints", what);
        }
    }
}

/// Adds an animation with these channels, and with those of the faces. `model` is named by an extra.
fn add(
    builder: &mut Builder<'_>,
    sequence: usize,
    model: Option<usize>,
    made: Result<Vec<Channel>>,
    heads: &[usize],
    mut faces: Faces,
) {
    let instance = &builder.tree.instances[sequence];
    let made = made.and_then(|mut channels| {
        channels.extend(expressions::channels(builder, heads, &mut faces)?);
        Ok(channels)
    });
    let channels = match made {
        Err(error) => {
            return builder.lose_because(
                sequence,
                "roblox.animation",
                "the animation cannot be converted",
                &error,
            );
        }
        Ok(channels) if channels.is_empty() => {
            return builder.lose(sequence, "roblox.animation", "the animation moves no part of its rig");
        }
        Ok(channels) => channels,
    };
    let path = model.map(|model| builder.tree.path(model));
    let loops = instance.bool(Property::Loop).unwrap_or(DEFAULT_LOOP);
    let mut playback = Playback { looped: Some(loops), ..Playback::default() };
    playback.priority.roblox = instance.int(Property::Priority);
    let mut extras = BTreeMap::new();
    if let Some(path) = path {
        keep(builder, sequence, &mut extras, (MODEL, "the path of the animation's model"), &path);
    }
    match instance.number(Property::AuthoredHipHeight).filter(|of| *of != USUAL_HIP_HEIGHT) {
        Some(height) if height.is_finite() => {
            extras.insert(HIP_HEIGHT.to_owned(), height.into());
        }
        Some(_) => builder.lose(sequence, "animation.settings", "an AuthoredHipHeight that is not finite"),
        None => {}
    }
    if !faces.is_empty() {
        let what = "no mesh of the rig has morph targets for the facial controls: their keys are only kept in the extras \
                    of the animation, if the output has extras";
        builder.approximate(sequence, "roblox.facial-controls", what);
        keep(builder, sequence, &mut extras, (FACES, "the facial controls of the animation"), &faces);
    }
    match markers(builder, sequence) {
        Ok(markers) if markers.is_empty() => {}
        Ok(markers) => keep(builder, sequence, &mut extras, (MARKERS, ALL_MARKERS), &markers),
        Err(error) => builder.lose_because(sequence, "animation.settings", "", &error),
    }
    let (name, source) = (instance.name.clone(), u32::try_from(sequence).ok());
    builder.scene.animations.push(Animation { name, channels, playback, extras, source });
}

/// The extra of an animation that has the name of another model's: the path of the model that it moves.
const MODEL: &str = "Model";

/// Lists the animations that no rig plays.
fn list_without_rigs(builder: &mut Builder<'_>, rigs: &Rigs) {
    let tree = builder.tree;
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
            builder.lose(index, "roblox.animation", "an animation that has no pose or curve for any part");
            continue;
        }
        let more = if names.len() > MOST_NAMES { ", …" } else { "" };
        let names = names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", ");
        let why = match rigs.in_circles.contains(&index) {
            true => {
                " (its model has no root part: the joints form a cycle or do not connect parts, or the bones are not \
                 in a part)"
                    .to_owned()
            }
            false => {
                format!(" (it moves {names}{more}; set the option rig to a model with these parts)")
            }
        };
        let what = format!("an animation without a usable rig{why}");
        builder.without_rig.get_or_insert_with(|| what.clone());
        builder.lose(index, "roblox.no-rig", what);
    }
}

/// Whether an animation loops if its file does not store `Loop`.
const DEFAULT_LOOP: bool = true;

/// The markers of an animation in messages.
const ALL_MARKERS: &str = "the markers of the animation";

/// Maximum number of names of parts in a message.
const MOST_NAMES: usize = 8;

/// Puts a value into the extras of an animation, if the budget suffices. `what` names it in the error.
fn keep(
    builder: &mut Builder<'_>,
    sequence: usize,
    extras: &mut BTreeMap<String, serde_json::Value>,
    (name, what): (&str, &str),
    value: &impl serde::Serialize,
) {
    match builder.budget.take(held::value(value) as u64, what) {
        Ok(()) => _ = extras.insert(name.to_owned(), serde_json::json!(value)),
        Err(error) => builder.lose_because(sequence, "animation.settings", "", &error),
    }
}

/// The events that scripts receive while an animation plays: the names of keyframes, and markers.
///
/// # Errors
/// If they need more memory than is left: each key of a curve has the name of the curve.
fn markers(builder: &mut Builder<'_>, sequence: usize) -> Result<Vec<Marker>> {
    let take = |builder: &mut Builder<'_>, texts: usize| {
        let size = 2 * (size_of::<Marker>() + texts);
        builder.budget.take(size as u64, ALL_MARKERS)
    };
    let (tree, mut markers) = (builder.tree, Vec::new());
    for (index, child) in tree.children(sequence) {
        match child.class.as_str() {
            "Keyframe" => {
                let time = child.number(Property::Time).unwrap_or(0.0);
                if !(time >= 0.0 && time.is_finite()) {
                    continue;
                }
                if !matches!(child.name.as_str(), "" | "Keyframe") {
                    take(builder, child.name.len())?;
                    markers.push(Marker { time, name: child.name.clone(), value: None });
                }
                let of = tree.children(index).filter(|(_, child)| child.class == "KeyframeMarker");
                for (marker_at, marker) in of {
                    let value = marker.bytes(&[Property::Value]).unwrap_or_default();
                    // Invalid UTF-8 is replaced by three bytes.
                    take(builder, marker.name.len() + 3 * value.len())?;
                    let value = Some(builder.marker_text(marker_at, value));
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
                    let (time, value) = (seconds(time), Some(builder.marker_text(index, &key.0)));
                    markers.push(Marker { time, name: child.name.clone(), value });
                }
            }
            _ => {}
        }
    }
    geom::sort::by(&mut markers, |a, b| a.time.total_cmp(&b.time));
    Ok(markers)
}

fn channels(builder: &mut Builder<'_>, rig: &Rig, sequence: usize, tracks: Tracks) -> Result<Vec<Channel>> {
    let mut channels = Vec::new();
    for (name, (mut keys, interpolation)) in tracks {
        let Some(nodes) = builder.moving.get(&(rig.root, name.clone())) else {
            // No joint moves the root part: poses of it only contain those of other parts.
            let is_root = name == builder.tree.instances[rig.root].name;
            if !is_root || keys.iter().any(|(_, pose)| *pose != Transform::default()) {
                builder.lose_many(
                    sequence,
                    "roblox.no-part",
                    format!("poses of {name:?}: {NO_PART}"),
                    keys.len(),
                );
            }
            continue;
        };
        // An eased key can be at the time of the next one, which applies.
        keys.reverse();
        geom::sort::by(&mut keys, |a, b| a.0.total_cmp(&b.0));
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

impl Builder<'_> {
    /// The value of a marker as text.
    fn marker_text(&mut self, marker: usize, value: &[u8]) -> String {
        let text = String::from_utf8_lossy(value);
        if matches!(text, Cow::Owned(_)) {
            self.approximate(
                marker,
                "roblox.markers",
                "bytes of a marker's value that are not UTF-8 are replaced by U+FFFD",
            );
        }
        text.into_owned()
    }

    /// Decodes the bytes of a curve. If they cannot be read, that is listed, and the curve is empty.
    pub(super) fn curve<T: Default>(
        &mut self,
        index: usize,
        read: impl Fn(&[u8], u64) -> rbxblobs::Result<T>,
    ) -> T {
        let Some(bytes) = self.tree.instances[index].bytes(&[Property::ValuesAndTimes]) else {
            return T::default();
        };
        // Keys take at most six times their size in the file.
        let size = 6 * bytes.len() as u64;
        let taken = self.budget.take(size, "a curve");
        let read = taken.and_then(|()| read(bytes, size).map_err(rezkit_core::Error::from));
        read.unwrap_or_else(|error| {
            self.lose_because(index, "roblox.keys", "the curve cannot be read", &error);
            T::default()
        })
    }
}

/// The size of a curve without keys, in bytes.
const EMPTY: usize = 16;

/// The channels of a CurveAnimation. Adds the curves that it reads to `read`.
fn curves(
    builder: &mut Builder<'_>,
    rig: &Rig,
    animation: usize,
    read: &mut HashSet<usize>,
) -> Result<Vec<Channel>> {
    let tree = builder.tree;
    let (mut channels, mut is_sampled) = (Vec::new(), false);
    let mut known: HashMap<&str, [bool; 2]> = HashMap::new();
    for part in tree.animated(animation) {
        let name = &tree.instances[part].name;
        let is_curve = |(_, child): (usize, &Inst)| CURVES.contains(&child.class.as_str());
        if !tree.children(part).any(is_curve) {
            continue;
        }
        let mut curves = Curves::read(builder, part, read);
        let of = (rig.root, name.clone());
        if !builder.moving.contains_key(&of) {
            builder.lose_many(
                animation,
                "roblox.no-part",
                format!("curve keys of {name:?}: {NO_PART}"),
                curves.keys(),
            );
            continue;
        }
        let count = curves.drop_known(known.entry(name).or_default());
        builder.lose_many(
            part,
            "roblox.keys",
            "curve keys of a part that an earlier Folder of the CurveAnimation animates".into(),
            count,
        );
        if curves.keys() == 0 {
            continue;
        }
        for (node, rest) in builder.moving.get(&of).into_iter().flatten() {
            let made = curves.channels(*node, rest, builder.budget)?;
            is_sampled |= curves.is_sampled() && !made.is_empty();
            channels.extend(made);
        }
    }
    if is_sampled {
        builder.approximate(
            animation,
            "animation.resampled",
            "Euler angles are sampled 60 times per second, in addition to the original keys",
        );
    }
    Ok(channels)
}

/// Lists the poses, markers and curves of an animation that are not read because of their place in it; `read` has
/// the curves of parts.
fn list_unread(builder: &mut Builder<'_>, animation: usize, read: &HashSet<usize>) {
    let tree = builder.tree;
    let is_keyed = tree.instances[animation].class == "KeyframeSequence";
    // For each instance in a keyframe, whether the keyframe is read.
    let mut inside: HashMap<usize, bool> = HashMap::new();
    for at in tree.animated(animation) {
        let instance = &tree.instances[at];
        let Some(above) = instance.parent else { continue };
        let mut within = inside.get(&above).copied();
        if instance.class == "Keyframe" {
            if above != animation && within != Some(false) {
                builder.lose(at, "roblox.keys", "a keyframe that is not directly in its animation");
            }
            within = Some(above == animation);
        }
        inside.extend(within.map(|within| (at, within)));
        let is_curve = |is_unread: bool| {
            let is_full =
                || instance.bytes(&[Property::ValuesAndTimes]).is_some_and(|bytes| bytes.len() > EMPTY);
            is_unread && !read.contains(&at) && is_full()
        };
        let what = match instance.class.as_str() {
            _ if within == Some(false) => continue,
            "Pose" if is_set(instance) && !(is_keyed && within.is_some()) => {
                "a pose that is not in a keyframe of a KeyframeSequence"
            }
            "NumberPose" if is_set(instance) && within.is_none() => "a pose that is not in a keyframe",
            "KeyframeMarker" if tree.instances[above].class != "Keyframe" => {
                "a marker that is not directly in a keyframe"
            }
            "FloatCurve" if is_curve(tree.instances[above].name != FACES) => UNREAD,
            "MarkerCurve" if is_curve(above != animation) => {
                "a MarkerCurve that is not directly in its animation"
            }
            "RotationCurve" | "ValueCurve" if is_curve(true) => UNREAD,
            _ => continue,
        };
        builder.lose(at, "roblox.keys", what);
    }
}

/// The message about a curve that is not read.
const UNREAD: &str = "a curve that animates no position, rotation or facial control";
