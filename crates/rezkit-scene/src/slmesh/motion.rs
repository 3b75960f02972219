//! Converts keyframe motions of avatars to animations of the viewer's skeleton, and back.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};
use slmesh::joints::{self, JointKind};
use slmesh::motion::{Constraint, Joint, Key, MAX_JOINTS, Motion};

use super::track::{PELVIS, Track, frames};
use super::{keys, playback, retarget, uploaded, upright};
use crate::model::{Animation, Channel, Interpolation, Node, Scene, Skin, Transform, Values};
use crate::retarget::names::Mapped;

/// Converts a motion to an animation of a skeleton without a mesh: the bones of the viewer's avatar at rest, y up, and the
/// collision volumes and attachment points that it moves, whose places at rest are those of their bones. If a joint occurs several times, its first keys are used, as in the viewer.
///
/// # Errors
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
pub fn motion_to_scene(motion: &Motion, name: &str, budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
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
    let bones = nodes.clone();
    let mut channels = Vec::new();
    let (mut known, mut priorities) = (BTreeSet::new(), BTreeMap::new());
    for (index, joint) in motion.joints.iter().enumerate() {
        let loss = |id: &'static str, what: &'static str, count: usize| {
            Loss::new(format!("joints[{index}] {}", joint.name), what).id(id).times(count)
        };
        let found = joint.name.as_str().and_then(joints::find).filter(|found| found.kind != JointKind::Hud);
        let Some(bone) = found else {
            loss("retarget.no-joint", "the keys of a joint that the avatar does not have", 1)
                .count_in(&mut losses);
            continue;
        };
        // Collision volumes and attachment points move like bones, but no skeleton needs those that rest.
        let node = *nodes.entry(bone.name).or_insert_with_key(|name| {
            let parent = bone.parent.and_then(|parent| bones.get(parent)).copied().unwrap_or(top);
            let transform = Transform::from_translation(bone.position);
            scene.add_node(Some(parent), Node { name: (*name).into(), transform, ..Node::default() })
        });
        if !known.insert(node) {
            loss("sl.keys", uploaded::REPEATED, 1).count_in(&mut losses);
            continue;
        }
        if joint.priority != -1 && joint.priority != motion.priority {
            priorities.insert(bone.name.to_owned(), joint.priority);
        }
        let offset = if bone.name == PELVIS { bone.position } else { [0.0; 3] };
        let place = |key: &Key| std::array::from_fn(|axis| key.position()[axis] + offset[axis]);
        let positions = keys(&joint.positions, motion.duration, place, budget)?;
        let rotations = keys(&joint.rotations, motion.duration, |key| key.rotation(), budget)?;
        let all = joint.positions.len() + joint.rotations.len();
        if all == 0 {
            loss("sl.keys", "a joint without keys", 1).count_in(&mut losses);
        }
        let twice = all - positions.0.len() - rotations.0.len();
        loss("sl.keys", "keys with the same time as a later key", twice).count_in(&mut losses);
        let rotations = arcs(rotations, budget)?;
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
    let mut animation = Animation { name: name.to_owned(), channels, ..Animation::default() };
    losses.extend(playback::unkept(motion));
    budget.take_values::<Constraint>(motion.constraints.len(), "the settings of the motion")?;
    playback::keep(motion, &mut animation.playback);
    animation.playback.joint_priorities = priorities;
    scene.animations.push(animation);
    Ok((scene, losses))
}

/// Times in seconds, and a value for each.
type Keys<T> = (Vec<f32>, Vec<T>);

/// The times and the values of keys; if several have the same time, the last is kept.
fn keys<T>(keys: &[Key], duration: f32, value: impl Fn(&Key) -> T, budget: &mut Budget) -> Result<Keys<T>> {
    budget.take_values::<(&Key, f32, T)>(keys.len(), "the keys of the motion")?;
    let mut sorted: Vec<&Key> = keys.iter().collect();
    geom::sort::by_key(&mut sorted, |key| key.time);
    let (mut times, mut values) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
    for key in sorted {
        // Short motions have fewer different times in seconds than in steps.
        let seconds = key.seconds(duration);
        if times.last() == Some(&seconds) {
            times.pop();
            values.pop();
        }
        times.push(seconds);
        values.push(value(key));
    }
    Ok((times, values))
}

/// Adds rotations between keys, so that shorter arcs between them follow the viewer's straight lines.
fn arcs((times, rotations): Keys<[f32; 4]>, budget: &mut Budget) -> Result<Keys<[f32; 4]>> {
    let lines_to = |index: usize| match index.checked_sub(1) {
        Some(before) => keys::lines(Quat::from_array(rotations[before]), Quat::from_array(rotations[index])),
        None => 1,
    };
    let count = (0..times.len()).map(|index| usize::from(lines_to(index))).sum();
    budget.take_values::<(f32, [f32; 4])>(count, "the keys of the motion")?;
    let (mut all_times, mut all) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (index, (&time, &rotation)) in times.iter().zip(&rotations).enumerate() {
        let lines = lines_to(index);
        for number in 1..lines {
            let (start, from) = (times[index - 1], Quat::from_array(rotations[index - 1]));
            let part = f32::from(number) / f32::from(lines);
            let between = start + (time - start) * part;
            // Times can be so near that no number is between them.
            if between < time && all_times.last().is_some_and(|last| *last < between) {
                all_times.push(between);
                all.push(keys::line(from, Quat::from_array(rotation), part).to_array());
            }
        }
        all_times.push(time);
        all.push(rotation);
    }
    Ok((all_times, all))
}

/// Converts the first animation of a scene to a motion. Nodes are joints if they have the name or an alias of one of
/// the avatar's joints, or a name of a rig of Mixamo, VRM, VRoid, Rigify, Biovision or Roblox. If the rest pose of the rig differs
/// from the avatar's, the animation is retargeted. An animation of a BVH file is converted like the viewer's upload
/// does, unless [`MotionOptions::exact`](super::MotionOptions) is set. The playback of the animation
/// (priority, loop, ease, hands) is used. Curves that are not linear are sampled 30 times a second; keys that
/// interpolation reproduces to 16 bits are dropped.
///
/// # Errors
/// If there is no animation, no animated node is a joint, the animation is longer than the viewer's 60 s, or needs more
/// work than is left.
pub fn motion_from_scene(scene: &Scene, budget: &mut Budget) -> Result<(Motion, Vec<Loss>)> {
    scene.check()?;
    let none = || {
        Error::unwritable(
            "the file has no animation, and a Second Life animation (.anim) contains nothing else",
        )
    };
    let animation = scene.animations.first().ok_or_else(none)?;
    let mut losses = Vec::new();
    losses.extend(scene.animations.iter().enumerate().skip(1).map(|(index, other)| {
        Loss::new(
            format!("animations[{index}] {:?}", other.name),
            "a motion contains only one animation: the first one was converted (set the option action to convert \
             another one)",
        ).id("animation.only-first")
    }));
    if scene.triangle_count() > 0 {
        losses.push(Loss::new("meshes", "a motion cannot contain meshes").id("scene.meshes"));
    }
    uploaded::list_at_rest(animation, &mut losses);
    let is_uploaded = uploaded::is_taken(scene, animation, &mut losses);
    let mut motion = playback::stated(animation, is_uploaded, &mut losses)?;
    let lost = animation.channels.iter().filter(|channel| channel.is_beyond_joints(&scene.nodes));
    losses.extend(lost.map(|channel| {
        Loss::new(
            scene.nodes[channel.node].name.clone(),
            "an animated scale or animated morph weights: a motion only moves and rotates joints",
        )
        .id("scene.node-animations")
    }));
    motion.joints = match is_uploaded {
        true => uploaded::joints(scene, animation, budget, &mut losses)?,
        false => joints(scene, animation, motion.duration, budget, &mut losses)?,
    };
    for joint in &mut motion.joints {
        joint.priority = playback::priority(animation, &joint.name.to_string());
    }
    motion.joints.retain(|joint| !joint.rotations.is_empty() || !joint.positions.is_empty());
    match motion.joints.len() {
        0 => Err(Error::unwritable(
            "no moving node has the name of an avatar joint, such as mPelvis: animate such a node, rename the moving \
             nodes, or map their names with `--joints`",
        )),
        count if count > MAX_JOINTS => {
            Err(Error::unwritable(format!("expected at most {MAX_JOINTS} moving joints, found {count}")))
        }
        _ => Ok((motion, losses)),
    }
}

/// The keys of the avatar's joints; retargets a rig whose rest pose is not the avatar's.
fn joints(
    scene: &Scene,
    animation: &Animation,
    duration: f32,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Joint>> {
    budget.work(scene.nodes.len() as u64 * 1024, "the motion")?;
    let mapped = Mapped::new(scene);
    let tracks = match retarget::tracks(scene, animation, &mapped, duration, budget, losses)? {
        Some(tracks) => tracks,
        None => tracks(scene, animation, &mapped, duration, losses),
    };
    Ok(tracks.iter().map(|track| track.keys(duration, losses)).collect())
}

/// The tracks of a rig that is the avatar's own: its values are used unchanged.
fn tracks(
    scene: &Scene,
    animation: &Animation,
    mapped: &Mapped,
    duration: f32,
    losses: &mut Vec<Loss>,
) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    let mut index_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for channel in &animation.channels {
        let Some(joint) = mapped.joints[channel.node] else {
            if unknown.insert(channel.node) {
                let name = scene.nodes[channel.node].name.clone();
                losses.push(
                    Loss::new(name, "the keys of a joint that the avatar does not have")
                        .id("retarget.no-joint"),
                );
            }
            continue;
        };
        let index = *index_of.entry(channel.node).or_insert_with(|| {
            tracks.push(Track::new(joint));
            tracks.len() - 1
        });
        let track = &mut tracks[index];
        let times = times(channel, duration);
        match &channel.values {
            Values::Rotation(values) => {
                let at = |time: &f32| Some((*time, Quat::from_array(channel.rotation(values, *time)?)));
                track.rotations = times.iter().filter_map(at).collect();
            }
            Values::Translation(values) => {
                let at = |time: &f32| Some((*time, Vec3::from_array(channel.vector(values, *time)?)));
                track.positions = times.iter().filter_map(at).collect();
            }
            Values::Scale(_) | Values::Weights(_) => {}
        }
    }
    tracks
}

/// The times of a channel between which its curve is a straight line, or is sampled as one.
fn times(channel: &Channel, duration: f32) -> Vec<f32> {
    let mut times = match channel.interpolation {
        Interpolation::Linear => channel.times.clone(),
        // A jump takes one step of time.
        Interpolation::Step => {
            let step = duration / keys::STEPS;
            channel.times.iter().flat_map(|&time| [time - step, time]).filter(|&time| time >= 0.0).collect()
        }
        Interpolation::Cubic => frames(duration).collect(),
    };
    if let (Values::Rotation(values), Interpolation::Linear) = (&channel.values, channel.interpolation) {
        for (times_of, turns) in channel.times.windows(2).zip(values.windows(2)) {
            let count = keys::lines(Quat::from_array(turns[0]), Quat::from_array(turns[1]));
            let part = |number: u16| f32::from(number) / f32::from(count);
            times.extend((1..count).map(|number| times_of[0] + (times_of[1] - times_of[0]) * part(number)));
        }
    }
    times.sort_by(f32::total_cmp);
    times
}
