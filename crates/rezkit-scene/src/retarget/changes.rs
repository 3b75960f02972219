//! Changes of the animations of scenes, whatever format they come from: a part of the time, other keys, one animation
//! after another, and one over a part of the body of another.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};

use super::names::Mapped;
use super::{Changes, Target, onto};
use crate::model::{Animation, Channel, Interpolation, Scene, Transform, Values};
use crate::reduction::reduced;

/// The samples of splines and of blends, per second.
const RATE: f32 = 60.0;
/// The longest animation that is sampled, in samples.
const MOST: f32 = 200_000.0;

/// Keeps the part between two times of all animations, in seconds, which then begins at 0.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the times are not in order, or not in each animation.
pub(crate) fn trim(scene: &mut Scene, [from, to]: [f32; 2], losses: &mut Vec<Loss>) -> Result<()> {
    for animation in &mut scene.animations {
        let end = animation.lasts();
        if !(0.0 <= from && from < to && from < end) {
            let what = format!(
                "expected two times in the animation (0 to {end} s), the earlier one first, found {from} and {to}"
            );
            return Err(Error::argument(what).at("trim"));
        }
        let to = to.min(end);
        let inside = |time: &f32| *time > from && *time < to;
        let mut is_sampled = false;
        for channel in &mut animation.channels {
            let mut times = vec![from];
            times.extend(channel.times.iter().copied().filter(inside));
            match channel.interpolation {
                Interpolation::Step => {}
                Interpolation::Linear => times.push(to),
                Interpolation::Cubic => {
                    is_sampled = true;
                    #[allow(clippy::cast_sign_loss, reason = "not negative")]
                    let count = ((to - from) * RATE).min(MOST).ceil() as usize;
                    times.extend((1..count).map(|frame| from + frame as f32 / RATE).filter(inside));
                    times.push(to);
                }
            }
            *channel = sampled(channel, &mut times);
            channel.times.iter_mut().for_each(|time| *time -= from);
        }
        if is_sampled {
            let what = format!("splines, sampled {RATE} times a second");
            losses.push(
                Loss::approximated(format!("animations {:?}", animation.name), what)
                    .id("animation.resampled"),
            );
        }
        animation.playback.trim(from, to);
    }
    Ok(())
}

/// A channel with the values at these times; cubic ones become linear.
fn sampled(channel: &Channel, times: &mut Vec<f32>) -> Channel {
    times.sort_by(f32::total_cmp);
    times.dedup();
    let values = channel.at(times);
    let interpolation = match channel.interpolation {
        Interpolation::Cubic => Interpolation::Linear,
        other => other,
    };
    Channel { node: channel.node, times: times.clone(), values, interpolation }
}

/// Gives all channels keys at equal distances.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if the number is not above 0, or above 1,000;
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
pub(crate) fn resample(scene: &mut Scene, fps: f32, budget: &mut Budget) -> Result<()> {
    if !(fps > 0.0 && fps <= 1000.0) {
        return Err(Error::argument(format!("expected more than 0 and at most 1000, found {fps}")).at("fps"));
    }
    for animation in &mut scene.animations {
        let end = animation.lasts();
        #[allow(clippy::cast_sign_loss, reason = "not negative")]
        let count = (end * fps).ceil().max(0.0) as usize;
        budget.take_values::<[f32; 12]>(
            count.saturating_mul(animation.channels.len()),
            "the frames of the animation",
        )?;
        for channel in &mut animation.channels {
            let mut times = (0..=count).map(|frame| (frame as f32 / fps).min(end)).collect();
            *channel = sampled(channel, &mut times);
        }
        animation.playback.frame_time = animation.playback.frame_time.map(|_| 1.0 / f64::from(fps));
    }
    Ok(())
}

/// Drops keys of linear channels that interpolation yields within a number of degrees and a distance.
pub(crate) fn reduce(scene: &mut Scene, [degrees, way]: [f32; 2]) -> Result<()> {
    if !(degrees > 0.0 && way > 0.0 && degrees.is_finite() && way.is_finite()) {
        let what = format!(
            "expected two numbers above 0, in degrees and in units of length, found {degrees} and {way}"
        );
        return Err(Error::argument(what).at("reduce"));
    }
    let channels = scene.channels_mut();
    for channel in channels.filter(|channel| channel.interpolation == Interpolation::Linear) {
        let times = std::mem::take(&mut channel.times);
        let part =
            |from: usize, to: usize, key: usize| (times[key] - times[from]) / (times[to] - times[from]);
        let apart = |a: Vec3, b: Vec3, c: Vec3, part: f32| a.lerp(b, part).distance(c) < way;
        let kept = match &channel.values {
            Values::Rotation(list) => reduced(times.len(), |from, to, key| {
                let [a, b, c] = [from, to, key].map(|key| Quat::from_array(list[key]));
                2.0 * (a.slerp(b, part(from, to, key)).inverse() * c).xyz().length() < degrees.to_radians()
            }),
            Values::Translation(list) | Values::Scale(list) => reduced(times.len(), |from, to, key| {
                let [a, b, c] = [from, to, key].map(|key| Vec3::from_array(list[key]));
                apart(a, b, c, part(from, to, key))
            }),
            Values::Weights(_) => (0..times.len()).collect(),
        };
        match &mut channel.values {
            Values::Rotation(list) => *list = kept.iter().map(|&key| list[key]).collect(),
            Values::Translation(list) | Values::Scale(list) => {
                *list = kept.iter().map(|&key| list[key]).collect()
            }
            Values::Weights(_) => {}
        }
        channel.times = kept.into_iter().map(|key| times[key]).collect();
    }
    Ok(())
}

/// Moves the first animation of a scene to the rig of another scene.
fn moved(other: &Scene, scene: &Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<Animation> {
    let mut one = other.clone();
    one.animations.truncate(1);
    let target = Target::of_scene(scene, "the rig of the first file");
    let (made, _) = onto(&one, &target, Changes::default(), None, budget, losses)?;
    made.animations.into_iter().next().ok_or_else(|| Error::argument("the second file has no animation"))
}

/// The transform of a node at a time of an animation.
fn posed(rest: Transform, channels: &[&Channel], time: f32) -> Transform {
    let mut pose = rest;
    channels.iter().for_each(|channel| channel.apply(&mut pose, time));
    pose
}

/// The channels of each node that move or rotate it.
fn by_node(animation: &Animation) -> BTreeMap<usize, Vec<&Channel>> {
    let mut found: BTreeMap<usize, Vec<&Channel>> = BTreeMap::new();
    for channel in &animation.channels {
        if matches!(channel.values, Values::Translation(_) | Values::Rotation(_)) {
            found.entry(channel.node).or_default().push(channel);
        }
    }
    found
}

/// Plays the first animation of another scene after the first one of a scene, whose end is blended with its start for a
/// number of seconds. The hips continue from where they are. The other's rig may be another one.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if a scene has no animation, or one is shorter than the blend; as
/// [`onto`] for the other's rig.
pub(crate) fn join(
    scene: &mut Scene,
    other: &Scene,
    blend: f32,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let second = moved(other, scene, budget, losses)?;
    let Some(first) = scene.animations.first() else {
        return Err(Error::argument("the file has no animation that another one could follow"));
    };
    let (length, more) = (first.lasts(), second.lasts());
    if !(blend >= 0.0 && blend <= length.min(more)) {
        let what = format!(
            "expected 0 to {} seconds, the shorter of both animations, found {blend}",
            length.min(more)
        );
        return Err(Error::argument(what).at("blend"));
    }
    let start = length - blend;
    let (own, its) = (by_node(first), by_node(&second));
    let root = Target::of_scene(scene, "").root_node();
    let mut times: Vec<f32> = first.channels.iter().flat_map(|of| of.times.iter().copied()).collect();
    times.extend(second.channels.iter().flat_map(|of| of.times.iter().map(|time| start + time)));
    #[allow(clippy::cast_sign_loss, reason = "not negative")]
    let count = ((start + more) * RATE).min(MOST).ceil() as usize;
    times.extend((0..=count).map(|frame| (frame as f32 / RATE).min(start + more)));
    times.sort_by(f32::total_cmp);
    times.dedup_by(|next, time| *next - *time < 1e-5);
    let nodes: BTreeSet<usize> = own.keys().chain(its.keys()).copied().collect();
    budget.take_values::<[f32; 12]>(times.len() * nodes.len(), "the joined animations")?;
    budget.work((times.len() * nodes.len()) as u64 * 16, "the joined animations")?;
    let mut channels = Vec::new();
    for node in nodes {
        let rest = scene.nodes[node].transform;
        let of = |from: &BTreeMap<usize, Vec<&Channel>>, time: f32| {
            posed(rest, from.get(&node).map_or(&[][..], Vec::as_slice), time)
        };
        // The second begins where the first one is then, on the ground.
        let way = Vec3::from(of(&own, start).translation) - Vec3::from(of(&its, 0.0).translation);
        let way = if root == Some(node) { level(scene, node, way) } else { Vec3::ZERO };
        let at = |time: f32| {
            let (a, mut b) = (of(&own, time.min(length)), of(&its, (time - start).max(0.0)));
            b.translation = (Vec3::from(b.translation) + way).to_array();
            let part =
                if blend > 0.0 { ((time - start) / blend).clamp(0.0, 1.0) } else { f32::from(time >= start) };
            let part = part * part * (3.0 - 2.0 * part);
            let turn = Quat::from_array(a.rotation).slerp(Quat::from_array(b.rotation), part);
            let place = Vec3::from(a.translation).lerp(b.translation.into(), part);
            Transform { translation: place.into(), rotation: turn.normalize().into(), ..rest }
        };
        let keys: Vec<(f32, Transform)> = times.iter().map(|&time| (time, at(time))).collect();
        let is_moved =
            keys.iter().any(|key| Vec3::from(key.1.translation).distance(rest.translation.into()) > 1e-6);
        let [places, turns] = Channel::of_keys(node, &keys);
        channels.extend(is_moved.then_some(places));
        channels.push(turns);
    }
    let animation = &mut scene.animations[0];
    animation.channels = channels;
    animation.playback.duration = animation.playback.duration.map(|_| start + more);
    animation.playback.loop_part = None;
    scene.animations.truncate(1);
    reduce(scene, [0.01, 1e-5])
}

/// The level part of a way in the parent of a node.
fn level(scene: &Scene, node: usize, way: Vec3) -> Vec3 {
    let world = scene.world_at_rest();
    let above = scene.parents()[node].map(|parent| world[parent]).unwrap_or_default();
    let in_world = above.transform_vector3(way);
    above.inverse().transform_vector3(Vec3::new(in_world.x, 0.0, in_world.z))
}

/// Replaces the motion of joints and everything below them by that of another scene's first animation, which is held at
/// its end if it is shorter: a pose is one of a single key. Names can contain `*`.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if a scene has no animation, or no joint has one of the names.
pub(crate) fn overlay(
    scene: &mut Scene,
    other: &Scene,
    names: &[String],
    fits: fn(&str, &str) -> bool,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let pose = moved(other, scene, budget, losses)?;
    let mapped = Mapped::new(scene);
    let is_named = |node: usize| {
        let known = mapped.joints[node].map_or("", |joint| joint.name);
        names.iter().any(|name| fits(name, &scene.nodes[node].name) || fits(name, known))
    };
    let parents = scene.parents();
    let mut inside: HashSet<usize> = HashSet::new();
    for node in scene.walk() {
        let is_below = parents[node].is_some_and(|parent| inside.contains(&parent));
        if is_below || is_named(node) {
            inside.insert(node);
        }
    }
    // The node above a part of Roblox moves it.
    let movers: Vec<usize> = inside
        .iter()
        .map(|&node| super::mover(scene, &parents, node))
        .filter(|node| !inside.contains(node))
        .collect();
    inside.extend(movers);
    let channels: Vec<Channel> =
        pose.channels.into_iter().filter(|channel| inside.contains(&channel.node)).collect();
    if channels.is_empty() {
        let what =
            format!("the other animation moves no joint named {}, and none below one", names.join(", "));
        return Err(Error::argument(what).at("pose-joints"));
    }
    let replaced: HashMap<usize, ()> = channels.iter().map(|channel| (channel.node, ())).collect();
    for animation in &mut scene.animations {
        animation.channels.retain(|channel| !replaced.contains_key(&channel.node));
        animation.channels.extend(channels.iter().cloned());
    }
    Ok(())
}
