//! Converts BVH like the upload of the Second Life viewer.
//!
//! The viewer uses the rotations of a BVH file for the avatar's joints, whatever the rest pose of the BVH skeleton is,
//! and drops keys that it considers superfluous. The first frame is a reference that is never played.

use std::collections::{HashMap, HashSet};

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Loss, Result};
use slmesh::joints::{self, JointKind};
use slmesh::motion::{Joint, Key, MAX_OFFSET};

use super::track::PELVIS;
use crate::model::{Animation, Channel, Scene, Values};

/// Prepares the animations of a BVH file for an exact conversion; returns whether there were any. A BVH file has a
/// rotation for each joint of its skeleton, and as keys, those of joints that never leave the rest pose would hold these
/// joints against other animations.
pub(super) fn make_exact(scene: &mut Scene) -> bool {
    let is_bvh = forget_bvh(scene);
    let nodes = &scene.nodes;
    for animation in scene.animations.iter_mut().filter(|_| is_bvh) {
        let is_at_rest = |channel: &Channel| {
            let rest = &nodes[channel.node].transform;
            match &channel.values {
                Values::Rotation(values) => {
                    let rest = Quat::from_array(rest.rotation);
                    values.iter().all(|turn| apart(Quat::from_array(*turn), rest) <= NO_MOTION)
                }
                Values::Translation(values) => {
                    let rest = Vec3::from(rest.translation);
                    values.iter().all(|place| Vec3::from(*place).distance(rest) <= NO_MOTION * INCH)
                }
                Values::Scale(_) | Values::Weights(_) => false,
            }
        };
        let moving: HashSet<usize> = animation
            .channels
            .iter()
            .filter(|channel| !is_at_rest(channel))
            .map(|channel| channel.node)
            .collect();
        let all: HashSet<usize> = animation.channels.iter().map(|channel| channel.node).collect();
        if moving.is_empty() || moving.len() == all.len() {
            continue;
        }
        animation.channels.retain(|channel| moving.contains(&channel.node));
        animation.playback.joints_at_rest = all.len() - moving.len();
    }
    is_bvh
}

/// Lists the joints that [`make_exact`] left out.
pub(super) fn list_at_rest(animation: &Animation, losses: &mut Vec<Loss>) {
    let count = animation.playback.joints_at_rest;
    if count > 0 {
        let what =
            "a joint that stays in the rest pose, which gets no keys, so that other animations can move it";
        losses.push(Loss::new("HIERARCHY", what).id("sl.joint-at-rest").times(count));
    }
}

/// Removes the frames of BVH files from animations, so that they are not converted like the viewer's upload does; returns
/// whether there was one.
pub fn forget_bvh(scene: &mut Scene) -> bool {
    scene.animations.iter_mut().filter_map(|animation| animation.playback.frame_time.take()).count() > 0
}

/// The unit of lengths in metres: an inch, with the value that the viewer uses.
const INCH: f32 = 0.025_400_05;
/// A smaller change is not a motion: in units of the file for positions, as in [`apart`] for rotations.
const NO_MOTION: f32 = 0.001;
/// The maximum distance of dropped frames from a straight line, in the same units.
const STRAIGHT_PLACE: f32 = 0.03;
const STRAIGHT_TURN: f32 = 0.01;
/// The message about a joint that a motion would have twice.
pub(super) const REPEATED: &str = "the keys of a repeated joint: the viewer plays only its first entry";
pub(super) const EASE: f32 = 0.3;
pub(super) const PRIORITY: i32 = 2;

/// Whether the viewer's upload would accept an animation: it is that of a BVH file whose first joint is the pelvis.
pub(super) fn is_taken(scene: &Scene, animation: &Animation, losses: &mut Vec<Loss>) -> bool {
    if animation.playback.frame_time.is_none() {
        return false;
    }
    let first = scene.roots.first().map_or("", |root| scene.nodes[*root].name.as_str());
    let is_pelvis = is_pelvis(first);
    if !is_pelvis {
        let what = format!(
            "the first joint of the file is {first:?}, not hip or mPelvis, so the viewer would reject the file: \
             instead, the animation was retargeted from the rest pose of the file to that of the avatar"
        );
        losses.push(Loss::approximated("HIERARCHY", what).id("retarget.rest-pose"));
    }
    is_pelvis
}

/// Whether a joint is the one that must be the first of an uploaded BVH file.
pub(crate) fn is_pelvis(name: &str) -> bool {
    joint_of(name).is_some_and(|joint| joint.name == PELVIS)
}

/// The joint that the viewer finds by the first word of a name.
fn joint_of(name: &str) -> Option<&'static joints::Joint> {
    let first = name.split_ascii_whitespace().next()?;
    joints::find(first).filter(|joint| joint.kind != JointKind::Hud)
}

/// The frames of a joint.
struct Frames {
    turns: Vec<Quat>,
    places: Vec<Vec3>,
}

/// The duration that the viewer plays, in seconds: without the reference frame, and without the last frame, which only
/// ends the one before it.
pub(super) fn duration(animation: &Animation) -> f32 {
    let count = animation.channels.first().map_or(0, |channel| channel.times.len());
    let step = animation.playback.frame_time.unwrap_or_default();
    #[allow(clippy::cast_possible_truncation, reason = "a time of 32 bits")]
    let duration = (count.saturating_sub(2).max(1) as f64 * step) as f32;
    duration
}

/// The keys that the viewer creates from the frames of a BVH file.
///
/// # Errors
/// If they need more memory than is left.
pub(super) fn joints(
    scene: &Scene,
    animation: &Animation,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Joint>> {
    let times: &[f32] = animation.channels.first().map_or(&[], |channel| &channel.times);
    let mut joints = Vec::new();
    let mut frames: HashMap<usize, Frames> = HashMap::new();
    for channel in &animation.channels {
        budget.take_values::<[f32; 8]>(channel.times.len(), "the frames of the motion")?;
        let of =
            frames.entry(channel.node).or_insert_with(|| Frames { turns: Vec::new(), places: Vec::new() });
        match &channel.values {
            Values::Rotation(values) => {
                of.turns = values.iter().map(|turn| Quat::from_array(*turn)).collect()
            }
            Values::Translation(values) => {
                of.places = values.iter().map(|place| Vec3::from(*place)).collect()
            }
            Values::Scale(_) | Values::Weights(_) => {}
        }
    }
    let depths = depths(scene);
    let mut known = HashSet::new();
    for node in scene.walk() {
        let Some(frames) = frames.get(&node) else { continue };
        let (turns, places) = (&frames.turns, &frames.places);
        let is_only = times.len() == 1;
        let is_turned = turns.iter().any(|turn| apart(*turn, turns[0]) > NO_MOTION);
        let is_moved = places.iter().any(|place| place.distance(places[0]) > NO_MOTION);
        if !is_turned && !is_moved && !is_only {
            continue;
        }
        let name = &scene.nodes[node].name;
        let Some(joint) = joint_of(name) else {
            let what = "the keys of a joint that the avatar does not have (the viewer would reject the \
                        BVH file)";
            losses.push(Loss::new(name.clone(), what).id("retarget.no-joint"));
            continue;
        };
        if !known.insert(joint.name) {
            Loss::new(name.clone(), REPEATED).id("sl.keys").count_in(losses);
            continue;
        }
        let is_pelvis = joint.name == PELVIS;
        // The pelvis is relative to the reference frame.
        let back =
            if is_pelvis { turns.first().copied().unwrap_or_default().inverse() } else { Quat::IDENTITY };
        let base = if is_pelvis { places.first().copied().unwrap_or_default() } else { Vec3::ZERO };
        let part = |frame: usize| match times.len() {
            0..=2 => 0.0,
            count => (frame.saturating_sub(1) as f32 / (count - 2) as f32).min(1.0),
        };
        let mut made = Joint::new(joint.name);
        if is_turned || is_only {
            let kept = kept(turns.len(), depths[node], |from, to, frame, part| {
                apart(line(turns[from], turns[to], part), turns[frame])
            });
            made.rotations =
                kept.into_iter().map(|frame| turn_key(part(frame), turned(back * turns[frame]))).collect();
        }
        if is_moved || (is_only && !places.is_empty()) {
            let kept = kept_places(places);
            let place = |frame: usize| along(back * (places[frame] - base)) * INCH;
            let beyond = kept.iter().filter(|&&frame| place(frame).abs().max_element() > MAX_OFFSET).count();
            if beyond > 0 {
                let what = format!(
                    "positions clamped to ±{MAX_OFFSET} m, as the viewer does (number of keys: {beyond})"
                );
                losses.push(Loss::approximated(name.clone(), what).id("sl.clamped-positions"));
            }
            made.positions = kept.into_iter().map(|frame| place_key(part(frame), place(frame))).collect();
        }
        joints.push(made);
    }
    Ok(joints)
}

/// The number of levels of joints below each node.
fn depths(scene: &Scene) -> Vec<usize> {
    let mut depths = vec![0; scene.nodes.len()];
    // The walk has parents before children; its reverse has children first.
    for node in scene.walk().into_iter().rev() {
        depths[node] = scene.nodes[node].children.iter().map(|&child| depths[child] + 1).max().unwrap_or(0);
    }
    depths
}

/// Converts a position from the axes of BVH files, y up, to the avatar's.
fn along(place: Vec3) -> Vec3 {
    Vec3::new(place.z, place.x, place.y)
}

fn turned(turn: Quat) -> Quat {
    Quat::from_xyzw(turn.z, turn.x, turn.y, turn.w)
}

/// The difference of two rotations: the sum of the distances between the two images of x and the two of y.
fn apart(a: Quat, b: Quat) -> f32 {
    [Vec3::X, Vec3::Y].into_iter().map(|axis| (a * axis).distance(b * axis)).sum()
}

/// Interpolates two quaternions along a straight line, without choosing the shorter way.
fn line(a: Quat, b: Quat, part: f32) -> Quat {
    (a * (1.0 - part) + b * part).normalize()
}

/// The frames whose rotations are kept, without the first, which is a reference. A frame is dropped if the line from
/// the last kept frame to the next one passes near it.
fn kept(count: usize, depth: usize, off: impl Fn(usize, usize, usize, f32) -> f32) -> Vec<usize> {
    let near = STRAIGHT_TURN / (0.33 * depth as f32).max(1.0);
    let Some(last) = count.checked_sub(1) else { return Vec::new() };
    if last == 0 {
        return vec![0];
    }
    let mut kept = std::collections::BTreeSet::from([1, last]);
    let (mut from, mut left_out, mut worst) = (1, 0, (0.0, None));
    for frame in 2..last {
        let share = (frame - from) as f32 / (frame + 1 - from) as f32;
        let off = off(from, frame + 1, frame, share);
        if off < near {
            left_out += 1;
            if off > worst.0 {
                worst = (off, Some(frame + 1));
            }
        } else {
            // The frame after the dropped one with the largest deviation is restored.
            kept.extend(worst.1);
            kept.insert(frame);
            (from, left_out, worst) = (frame, 0, (0.0, None));
        }
    }
    kept.extend(worst.1);
    if left_out > 1 {
        kept.insert(last - 1);
    }
    kept.into_iter().collect()
}

/// Like [`kept`], for positions.
fn kept_places(places: &[Vec3]) -> Vec<usize> {
    let Some(last) = places.len().checked_sub(1) else { return Vec::new() };
    if last == 0 {
        return vec![0];
    }
    let (mut kept, mut from) = (vec![1], 1);
    for frame in 2..last {
        let share = (frame - from) as f32 / (frame + 1 - from) as f32;
        if places[from].lerp(places[frame + 1], share).distance(places[frame]) >= STRAIGHT_PLACE {
            kept.push(frame);
            from = frame;
        }
    }
    kept.extend(Some(last).filter(|last| *last > 1));
    kept
}

fn turn_key(part: f32, turn: Quat) -> Key {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let mut key = Key::default();
    (key.time, key.value) = (step(part, 0.0, 1.0), turn.xyz().to_array().map(|n| step(n, -1.0, 1.0)));
    key
}

fn place_key(part: f32, place: Vec3) -> Key {
    let mut key = Key::default();
    (key.time, key.value) =
        (step(part, 0.0, 1.0), place.to_array().map(|n| step(n, -MAX_OFFSET, MAX_OFFSET)));
    key
}

/// The step of a number, rounded down as in the viewer.
fn step(value: f32, min: f32, max: f32) -> u16 {
    let part = (value.clamp(min, max) - min) / (max - min);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535, and 0 for NaN")]
    let step = (part * f32::from(u16::MAX)).floor() as u16;
    step
}
