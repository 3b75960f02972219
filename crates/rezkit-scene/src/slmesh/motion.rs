//! Keyframe motions of avatars: animations of the viewer's skeleton.

use std::collections::{BTreeMap, BTreeSet};

use rezkit_core::{Error, Loss, Result};
use serde_json::json;
use slmesh::joints::{self, JointKind};
use slmesh::motion::{Joint, Key, MAX_DURATION, MAX_JOINTS, MAX_OFFSET, Motion};

use super::upright;
use crate::model::{Animation, Channel, Interpolation, Node, Scene, Skin, Transform, Values};

/// The name under which a scene keeps what a motion tells besides its keys.
const EXTRAS: &str = "secondlife_motion";

/// The joint whose positions are offsets from its place at rest.
const PELVIS: &str = "mPelvis";

/// How many keys a second a curve that is not linear is sampled at.
const RATE: f32 = 30.0;

/// A motion as the animation of a skeleton without a mesh: the bones of the viewer's avatar at rest, y up.
pub fn motion_to_scene(motion: &Motion, name: &str) -> (Scene, Vec<Loss>) {
    let mut scene = Scene { name: name.to_owned(), ..Scene::default() };
    let mut losses = Vec::new();
    let turned = Transform { rotation: upright().into(), ..Transform::default() };
    let top = scene.add_node(None, Node { name: "skeleton".into(), transform: turned, ..Node::default() });
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for bone in joints::ALL.iter().filter(|joint| joint.kind == JointKind::Bone) {
        let parent = bone.parent.and_then(|parent| nodes.get(parent)).copied().unwrap_or(top);
        let transform = Transform::from_translation(bone.position);
        let node =
            scene.add_node(Some(parent), Node { name: bone.name.into(), transform, ..Node::default() });
        nodes.insert(bone.name, node);
    }
    let joints: Vec<usize> = nodes.values().copied().collect();
    let world = scene.world_at_rest();
    let inverse_bind = joints.iter().map(|&joint| world[joint].inverse().to_cols_array_2d()).collect();
    scene.skins.push(Skin { name: String::new(), joints, inverse_bind });
    let mut channels = Vec::new();
    for (index, joint) in motion.joints.iter().enumerate() {
        let path = || format!("joints[{index}] {}", joint.name);
        let found = joint.name.as_str().and_then(joints::find);
        let Some((rest, &node)) = found.and_then(|found| Some((found.position, nodes.get(found.name)?)))
        else {
            losses.push(Loss::new(path(), "no bone of the viewer's skeleton: left out"));
            continue;
        };
        let offset = if joint.name.as_str() == Some(PELVIS) { rest } else { [0.0; 3] };
        let place = |key: &Key| std::array::from_fn(|axis| key.position()[axis] + offset[axis]);
        let positions = keys(&joint.positions, motion.duration, place);
        let rotations = keys(&joint.rotations, motion.duration, |key| key.rotation());
        let twice = joint.positions.len() + joint.rotations.len() - positions.0.len() - rotations.0.len();
        if twice > 0 {
            losses.push(Loss::new(path(), format!("{twice} keys at the time of another one: left out")));
        }
        let made =
            [(positions.0, Values::Translation(positions.1)), (rotations.0, Values::Rotation(rotations.1))];
        channels.extend(
            made.into_iter().filter(|(times, _)| !times.is_empty()).map(|(times, values)| Channel {
                node,
                times,
                values,
                interpolation: Interpolation::Linear,
            }),
        );
    }
    scene.animations.push(Animation { name: name.to_owned(), channels });
    let Motion { priority, duration, loop_in, loop_out, looped, ease_in, ease_out, hand_pose, .. } = motion;
    let told = json!({
        "priority": priority,
        "duration": duration,
        "loop": [looped, loop_in, loop_out],
        "ease": [ease_in, ease_out],
        "handPose": hand_pose,
        "emote": motion.emote.to_string(),
    });
    scene.extras.insert(EXTRAS.into(), told);
    let priorities =
        motion.joints.iter().filter(|joint| joint.priority != -1 && joint.priority != *priority).count();
    if priorities > 0 {
        losses.push(Loss::new("joints", format!("{priorities} priorities of joints: left out")));
    }
    if !motion.constraints.is_empty() {
        losses.push(Loss::new("constraints", format!("{} constraints: left out", motion.constraints.len())));
    }
    (scene, losses)
}

/// The times and the values of keys; of several at one time the last.
fn keys<T>(keys: &[Key], duration: f32, value: impl Fn(&Key) -> T) -> (Vec<f32>, Vec<T>) {
    let mut sorted: BTreeMap<u16, &Key> = BTreeMap::new();
    sorted.extend(keys.iter().map(|key| (key.time, key)));
    sorted.values().map(|key| (key.seconds(duration), value(key))).unzip()
}

/// The first animation of a scene as a motion. Nodes are joints by their names, or by the other names that the viewer knows.
/// What the scene keeps of an earlier motion (priority, loop, ease, hands) is taken from there. Curves that are not linear
/// are sampled 30 times a second; keys that lie on the line between others are left out.
///
/// # Errors
/// Where there is no animation, no animated node has the name of a joint, or it takes longer than the viewer's 60 s.
pub fn motion_from_scene(scene: &Scene) -> Result<(Motion, Vec<Loss>)> {
    let none = || Error::unwritable("no animation, of which a motion is made");
    let animation = scene.animations.first().ok_or_else(none)?;
    let mut losses = Vec::new();
    losses.extend(scene.animations.iter().skip(1).map(|other| {
        Loss::new(format!("animations {:?}", other.name), "a motion is one animation: left out")
    }));
    if scene.triangle_count() > 0 {
        losses.push(Loss::new("meshes", "left out: a motion has joints alone"));
    }
    let told = scene.extras.get(EXTRAS);
    let number = |path: &str| told.and_then(|told| told.pointer(path)).and_then(serde_json::Value::as_f64);
    #[allow(
        clippy::cast_possible_truncation,
        reason = "numbers of a file: rounded, or the nearest that fits"
    )]
    let real = |path: &str| number(path).map(|number| number as f32).filter(|number| number.is_finite());
    let whole = |path: &str| told.and_then(|told| told.pointer(path)).and_then(serde_json::Value::as_i64);
    let small = |path: &str| whole(path).and_then(|number| i32::try_from(number).ok());
    // What was there is longer than the last key where nothing moves at the end.
    let duration = animation.duration().max(real("/duration").unwrap_or(0.0));
    if duration > MAX_DURATION {
        return Err(Error::unwritable(format!("{duration} s: the viewer plays at most {MAX_DURATION} s")));
    }
    let mut motion = Motion::new(duration);
    motion.priority = small("/priority").unwrap_or(3);
    motion.looped = small("/loop/0").unwrap_or(0);
    motion.loop_in = real("/loop/1").unwrap_or(0.0);
    motion.loop_out = real("/loop/2").unwrap_or(duration);
    motion.ease_in = real("/ease/0").unwrap_or(0.8_f32.min(duration / 2.0));
    motion.ease_out = real("/ease/1").unwrap_or(0.8_f32.min(duration / 2.0));
    motion.hand_pose = whole("/handPose").and_then(|pose| u32::try_from(pose).ok()).unwrap_or(1);
    motion.emote = told.and_then(|told| told["emote"].as_str()).unwrap_or_default().into();
    let mut order: Vec<&str> = Vec::new();
    let mut moved: BTreeMap<&str, Joint> = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for channel in &animation.channels {
        let node = &scene.nodes[channel.node];
        let Some(known) = joints::find(&node.name) else {
            if unknown.insert(channel.node) {
                losses.push(Loss::new(node.name.clone(), "no joint of the avatar: its keys are left out"));
            }
            continue;
        };
        if !moved.contains_key(known.name) {
            order.push(known.name);
        }
        let joint = moved.entry(known.name).or_insert_with(|| Joint::new(known.name));
        let (times, values) = samples(channel, duration);
        let part = |time: f32| if duration > 0.0 { time / duration } else { 0.0 };
        match values {
            Values::Rotation(rotations) => {
                let keys =
                    times.iter().zip(&rotations).map(|(&time, &value)| Key::of_rotation(part(time), value));
                joint.rotations = thinned(keys.collect());
            }
            Values::Translation(places) => {
                let offset = if known.name == PELVIS { known.position } else { [0.0; 3] };
                let moved =
                    |place: &[f32; 3]| -> [f32; 3] { std::array::from_fn(|axis| place[axis] - offset[axis]) };
                let beyond = places.iter().flat_map(moved).filter(|number| number.abs() > MAX_OFFSET).count();
                if beyond > 0 {
                    let what = format!("{beyond} coordinates of more than {MAX_OFFSET} m: moved to there");
                    losses.push(Loss::new(node.name.clone(), what));
                }
                let keys = times
                    .iter()
                    .zip(&places)
                    .map(|(&time, place)| Key::of_position(part(time), moved(place)));
                joint.positions = thinned(keys.collect());
            }
            Values::Scale(_) | Values::Weights(_) => {
                losses.push(Loss::new(node.name.clone(), "a scale or weights that change: left out"));
            }
        }
    }
    motion.joints = order.into_iter().filter_map(|name| moved.remove(name)).collect();
    motion.joints.retain(|joint| !joint.rotations.is_empty() || !joint.positions.is_empty());
    match motion.joints.len() {
        0 => Err(Error::unwritable("no animated node has the name of a joint of the avatar, as mPelvis")),
        count if count > MAX_JOINTS => {
            Err(Error::unwritable(format!("{count} joints move: the viewer takes at most {MAX_JOINTS}")))
        }
        _ => Ok((motion, losses)),
    }
}

/// The times and the values between which a straight line is right. Scales and weights are not sampled.
fn samples(channel: &Channel, duration: f32) -> (Vec<f32>, Values) {
    if channel.interpolation == Interpolation::Linear {
        return (channel.times.clone(), channel.values.clone());
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 60 s, 30 times a second"
    )]
    let count = (duration * RATE).ceil() as usize;
    let times: Vec<f32> = (0..=count).map(|index| (index as f32 / RATE).min(duration)).collect();
    let values = match &channel.values {
        Values::Rotation(values) => {
            Values::Rotation(times.iter().filter_map(|&time| channel.rotation(values, time)).collect())
        }
        Values::Translation(values) => {
            Values::Translation(times.iter().filter_map(|&time| channel.vector(values, time)).collect())
        }
        other @ (Values::Scale(_) | Values::Weights(_)) => other.clone(),
    };
    (times, values)
}

/// Without the keys that lie on the line between those around them, as far as 65,535 steps tell.
fn thinned(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort_by_key(|key| key.time);
    keys.dedup_by(|next, first| {
        let same = next.time == first.time;
        if same {
            first.value = next.value;
        }
        same
    });
    let mut kept: Vec<Key> = Vec::with_capacity(keys.len());
    // Those since the last kept key that the line to the next one has to pass.
    let mut begin = 0;
    for index in 0..keys.len() {
        let is_end = index == 0 || index + 1 == keys.len();
        let fits = |to: usize| {
            // A line over more keys than these is not tried, so that the time stays linear.
            to - begin <= 64
                && (begin + 1..to).all(|middle| is_between(&keys[begin], &keys[middle], &keys[to]))
        };
        if is_end || !fits(index + 1) {
            kept.push(keys[index]);
            begin = index;
        }
    }
    kept
}

/// Whether a key is within a step of the line between two others.
fn is_between(a: &Key, key: &Key, b: &Key) -> bool {
    let part = f32::from(key.time - a.time) / f32::from(b.time - a.time);
    (0..3).all(|axis| {
        let [from, to, is] = [a, b, key].map(|key| f32::from(key.value[axis]));
        (from + (to - from) * part - is).abs() <= 1.0
    })
}
