//! KeyframeSequences and CurveAnimations as animations of rigs.

use std::collections::BTreeMap;

use glam::{Mat3, Mat4, Quat, Vec3};
use rbxblobs::MarkerCurve;

use super::builder::{Builder, transform};
use super::interpolation::{Curve, Turns, eased, seconds};
use super::rigs::{Rig, Rigs, is_sequence, posed};
use super::sequence::{MARKERS, Marker};
use super::tree::Tree;
use crate::model::{Animation, Channel, Transform};
use rezkit_core::{Budget, Error, ErrorKind, Result};

/// Frames per second if glTF has no counterpart for what happens between two keys.
const BAKED: f32 = 30.0;

pub(super) fn build(builder: &mut Builder<'_>, rigs: &Rigs) {
    let tree = builder.tree;
    for rig in &rigs.rigs {
        for &sequence in &rig.sequences {
            let instance = &tree.instances[sequence];
            let tracks = match instance.class.as_str() {
                "KeyframeSequence" => keyframes(tree, sequence, builder.budget),
                _ => curves(builder, sequence),
            };
            let tracks = match tracks {
                Ok(tracks) => tracks,
                Err(error) => {
                    builder.lose(sequence, format!("an animation is left out: {error}"));
                    continue;
                }
            };
            if rig.is_avatar {
                let avatar = &tree.instances[rig.model].name;
                builder.approximate(sequence, format!("an animation without a rig is of an {avatar} avatar"));
            }
            let name = instance.name.clone();
            match channels(builder, rig, tracks) {
                Err(error) => builder.lose(sequence, format!("an animation is left out: {error}")),
                Ok(channels) if channels.is_empty() => {
                    builder.lose(sequence, "an animation that moves no part of its rig is left out");
                }
                Ok(channels) => {
                    let mut extras = BTreeMap::new();
                    extras.extend(instance.bool("Loop").map(|loops| ("Loop".to_owned(), loops.into())));
                    extras.extend(instance.int("Priority").map(|of| ("Priority".to_owned(), of.into())));
                    let markers = markers(builder, sequence);
                    if !markers.is_empty() {
                        extras.insert(MARKERS.to_owned(), serde_json::json!(markers));
                    }
                    builder.scene.animations.push(Animation { name, channels, extras })
                }
            }
        }
    }
    // Those of rigs that are not shown are listed with them.
    let known: std::collections::HashSet<usize> =
        rigs.rigs.iter().chain(&rigs.hidden).flat_map(|rig| rig.sequences.iter().copied()).collect();
    let asked = tree.start.map(|start| tree.below(&[start]));
    let is_asked = |index: usize| asked.as_ref().is_none_or(|asked| asked[index].is_some());
    for (index, _) in tree
        .instances
        .iter()
        .enumerate()
        .filter(|(index, instance)| is_sequence(instance) && !known.contains(index) && is_asked(*index))
    {
        let mut names: Vec<&str> = posed(tree, index).into_iter().collect();
        names.sort_unstable();
        let more = if names.len() > MOST_NAMES { ", …" } else { "" };
        let names = names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "nothing" } else { &names };
        builder.lose(index, format!("an animation without a rig is left out: it poses {names}{more}"));
    }
}

/// The most names of parts in a message.
const MOST_NAMES: usize = 8;

/// What scripts are given while an animation plays: the names of keyframes, and markers.
fn markers(builder: &mut Builder<'_>, sequence: usize) -> Vec<Marker> {
    let (tree, mut markers) = (builder.tree, Vec::new());
    for (index, child) in tree.children(sequence) {
        match child.class.as_str() {
            "Keyframe" => {
                let time = child.number("Time").unwrap_or(0.0).max(0.0);
                if !matches!(child.name.as_str(), "" | "Keyframe") {
                    markers.push(Marker { time, name: child.name.clone(), value: None });
                }
                let of = tree.children(index).filter(|(_, child)| child.class == "KeyframeMarker");
                markers.extend(of.map(|(_, marker)| {
                    let value = marker.bytes(&["Value"]).unwrap_or_default();
                    let value = Some(String::from_utf8_lossy(value).into_owned());
                    Marker { time, name: marker.name.clone(), value }
                }));
            }
            "MarkerCurve" => {
                let curve: MarkerCurve = curve(builder, index, |bytes, max_bytes| {
                    rbxblobs::ReadOptions::new().max_bytes(max_bytes).read(bytes)
                });
                markers.extend(curve.times.iter().zip(&curve.keys).map(|(&time, key)| Marker {
                    time: seconds(time),
                    name: child.name.clone(),
                    value: Some(key.0.to_string()),
                }));
            }
            _ => {}
        }
    }
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    markers
}

/// Poses over time, by the name of the part.
type Tracks = BTreeMap<String, Vec<(f32, Transform)>>;

fn channels(builder: &mut Builder<'_>, rig: &Rig, tracks: Tracks) -> Result<Vec<Channel>> {
    let mut channels = Vec::new();
    for (name, mut keys) in tracks {
        let Some(nodes) = builder.moving.get(&(rig.root, name)) else { continue };
        // Of two keys at one time the later one counts.
        keys.reverse();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.dedup_by(|later, first| later.0 == first.0);
        for (node, rest) in nodes {
            builder.budget.take_values::<[(f32, Transform); 2]>(keys.len(), "the keys of an animation")?;
            let (base, turn) = (Vec3::from(rest.translation), Quat::from_array(rest.rotation));
            let posed = |pose: &Transform| Transform {
                translation: (base + turn * Vec3::from(pose.translation)).into(),
                rotation: (turn * Quat::from_array(pose.rotation)).normalize().into(),
                ..*pose
            };
            let keys: Vec<_> = keys.iter().map(|(time, pose)| (*time, posed(pose))).collect();
            channels.extend(Channel::of_keys(*node, &keys));
        }
    }
    Ok(channels)
}

/// A pose of a part at a time, and how the next one is reached.
struct Key {
    time: f32,
    pose: Transform,
    style: u32,
    direction: u32,
}

fn keyframes(tree: &Tree, sequence: usize, budget: &mut Budget) -> Result<Tracks> {
    let mut frames: Vec<(f32, usize)> = tree
        .children(sequence)
        .filter(|(_, child)| child.class == "Keyframe")
        .map(|(index, frame)| (frame.number("Time").unwrap_or(0.0).max(0.0), index))
        .collect();
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut keys: BTreeMap<String, Vec<Key>> = BTreeMap::new();
    for (time, frame) in frames {
        for pose in tree.descendants(frame).into_iter().map(|index| &tree.instances[index]) {
            // A weight of 0: the pose is there for its children only.
            if pose.class != "Pose" || pose.number("Weight") == Some(0.0) {
                continue;
            }
            let Some(cframe) = pose.frame(&["CFrame"]) else { continue };
            keys.entry(pose.name.clone()).or_default().push(Key {
                time,
                pose: transform(cframe),
                style: pose.int("EasingStyle").unwrap_or(0),
                direction: pose.int("EasingDirection").unwrap_or(0),
            });
        }
    }
    keys.into_iter().map(|(name, keys)| Ok((name, baked(&keys, budget)?))).collect()
}

/// The number of frames of a span of time.
///
/// # Errors
/// If there are more than the keys of an animation may be, or less memory is left than they need.
fn frames(span: f32, budget: &mut Budget) -> Result<u32> {
    let frames = (span * BAKED).ceil().max(0.0) as u32;
    if frames > FRAMES {
        return Err(Error::new(ErrorKind::Effort, format!("{span} seconds between two keys")));
    }
    budget.take_values::<(f32, Transform)>(frames as usize + 2, "an animation")?;
    Ok(frames)
}

/// The most frames between two keys: half an hour.
const FRAMES: u32 = 60_000;

/// Keys between which values are linear.
fn baked(keys: &[Key], budget: &mut Budget) -> Result<Vec<(f32, Transform)>> {
    let mut all = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        all.push((key.time, key.pose));
        let Some(next) = keys.get(index + 1) else { continue };
        if key.style == 0 {
            continue;
        }
        let span = next.time - key.time;
        // Constant values jump: a frame of a millisecond is as near as linear keys come.
        let steps: Vec<f32> = match key.style {
            1 => [0.001, span - 0.001].into_iter().filter(|&step| step > 0.0 && step < span).collect(),
            _ => (1..frames(span, budget)?).map(|step| step as f32 / BAKED).collect(),
        };
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

/// The bytes of a curve as one; an empty one, which is listed, if they cannot be read.
fn curve<T: Default>(
    builder: &mut Builder<'_>,
    index: usize,
    read: impl Fn(&[u8], u64) -> rbxblobs::Result<T>,
) -> T {
    let Some(bytes) = builder.tree.instances[index].bytes(&["ValuesAndTimes"]) else { return T::default() };
    // What is read is taken where it becomes keys.
    read(bytes, builder.budget.left()).unwrap_or_else(|error| {
        builder.lose(index, format!("a curve is left out: {error}"));
        T::default()
    })
}

fn curves(builder: &mut Builder<'_>, animation: usize) -> Result<Tracks> {
    let tree = builder.tree;
    let mut tracks = Tracks::new();
    let mut is_sampled = false;
    for part in tree.descendants(animation) {
        let child =
            |class: &str| tree.children(part).find(|(_, child)| child.class == class).map(|(at, _)| at);
        let (position, rotation) = (child("Vector3Curve"), child("EulerRotationCurve"));
        let mut axes = |index: Option<usize>| {
            ["X", "Y", "Z"].map(|axis| {
                let found = index.and_then(|at| tree.children(at).find(|(_, child)| child.name == axis));
                found.map_or_else(Curve::default, |(at, _)| curve(builder, at, Curve::from_bytes))
            })
        };
        let (positions, angles) = (axes(position), axes(rotation));
        let turns = child("RotationCurve").map(|at| {
            let turns = curve(builder, at, Turns::from_bytes);
            if turns.has_tangents {
                builder.lose(at, "the tangents of a rotation are left out");
            }
            turns
        });
        let turns = turns.filter(|turns| !turns.keys.is_empty());
        let floats = || positions.iter().chain(&angles).flat_map(|curve| curve.keys.iter().map(|key| key.0));
        let all = || floats().chain(turns.iter().flat_map(|turns| turns.keys.iter().map(|key| key.0)));
        let end = all().fold(f32::NEG_INFINITY, f32::max);
        if end < 0.0 || !end.is_finite() {
            continue;
        }
        let order = rotation.and_then(|at| tree.instances[at].int("RotationOrder")).unwrap_or(0);
        let budget = &mut *builder.budget;
        let count = frames(end, budget)?;
        budget.take_values::<(f32, Transform)>(all().count(), "an animation")?;
        is_sampled = true;
        let mut times: Vec<f32> = all()
            .chain((0..=count).map(|frame| frame as f32 / BAKED).take_while(|&time| time <= end))
            .collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let pose = |time: f32| {
            let [x, y, z] = [&positions[0], &positions[1], &positions[2]].map(|curve| curve.at(time));
            let turn = match &turns {
                Some(turns) => turns.at(time),
                None => rotated(order, [&angles[0], &angles[1], &angles[2]].map(|curve| curve.at(time))),
            };
            (time, Transform { translation: [x, y, z], rotation: turn.into(), scale: [1.0; 3] })
        };
        tracks.insert(tree.instances[part].name.clone(), times.into_iter().map(pose).collect());
    }
    if is_sampled {
        builder.approximate(animation, "curves are looked at 30 times a second and at their keys");
    }
    Ok(tracks)
}

/// A rotation from angles in radians: `Enum.RotationOrder`, where XYZ is Rx * Ry * Rz.
fn rotated(order: u32, [x, y, z]: [f32; 3]) -> Quat {
    let turn = |axis: char| match axis {
        'X' => Mat3::from_rotation_x(x),
        'Y' => Mat3::from_rotation_y(y),
        _ => Mat3::from_rotation_z(z),
    };
    let axes = ["XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"].get(order as usize).unwrap_or(&"XYZ");
    let matrix = axes.chars().fold(Mat3::IDENTITY, |matrix, axis| matrix * turn(axis));
    Quat::from_mat4(&Mat4::from_mat3(matrix)).normalize()
}
