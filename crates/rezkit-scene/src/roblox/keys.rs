//! The keys of poses: those of a rig that came from Roblox are unchanged; samples are reduced to as few keys as
//! reproduce the poses.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::interpolation::JUMP;
use super::knots::Key;
use super::sequence::Sequence;
use crate::model::{Animation, Interpolation, Scene};
use rezkit_core::{Budget, Error, Result};

/// The name of the part that a node of a rig from Roblox poses (`Head pose`, below `Head C0`), and that of the part
/// above it.
pub(super) fn posed_by<'s>(
    scene: &'s Scene,
    parents: &[Option<usize>],
    node: usize,
) -> Option<(&'s str, Option<&'s str>)> {
    let part = scene.nodes[node].name.strip_suffix(" pose")?;
    let above = parents[node].filter(|&above| scene.nodes[above].name.strip_suffix(" C0") == Some(part))?;
    Some((part, parents[above].map(|above| scene.nodes[above].name.as_str())))
}

/// Whether a node poses a part of a rig that came from Roblox.
pub(crate) fn is_pose_of_own_rig(scene: &Scene, parents: &[Option<usize>], node: usize) -> bool {
    posed_by(scene, parents, node).is_some()
}

/// Whether the rig of a scene came from Roblox.
pub(crate) fn is_own(scene: &Scene) -> bool {
    let parents = scene.parents();
    (0..scene.nodes.len()).any(|node| is_pose_of_own_rig(scene, &parents, node))
}

/// Adds the poses of a rig that came from Roblox; returns whether the rig is one.
pub(super) fn own(
    scene: &Scene,
    animation: &Animation,
    sequence: &mut Sequence,
    budget: &mut Budget,
) -> Result<bool> {
    let parents = scene.parents();
    // Includes joints that do not move but are above others.
    for node in 0..scene.nodes.len() {
        if let Some((part, Some(above))) = posed_by(scene, &parents, node) {
            sequence.parents.insert(part.to_owned(), above.to_owned());
        }
    }
    let mut of_node: BTreeMap<usize, Vec<&crate::model::Channel>> = BTreeMap::new();
    for channel in &animation.channels {
        of_node.entry(channel.node).or_default().push(channel);
    }
    for (node, channels) in of_node {
        let Some((part, _)) = posed_by(scene, &parents, node) else { continue };
        let keys = channels.iter().flat_map(|channel| channel.times.iter().map(|time| time.max(0.0)));
        let mut times: Vec<f32> = keys.map(|time| sequence.on_tick(time)).collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        budget.take_values::<[Key; 2]>(times.len(), "the keys of the animations")?;
        budget.work((times.len() * channels.len()) as u64 * 8, "the animations")?;
        let stays = channels.iter().all(|channel| channel.interpolation == Interpolation::Step);
        let key = |time: f32| {
            let mut pose = scene.nodes[node].transform;
            channels.iter().for_each(|channel| channel.apply(&mut pose, time));
            Key { time, pose, stays }
        };
        let is_cubic = channels.iter().any(|channel| channel.interpolation == Interpolation::Cubic);
        let keys = match is_cubic {
            true => straight(&times, |time| sequence.on_tick(time), key, budget)?,
            false => times.into_iter().map(key).collect(),
        };
        sequence.keys.insert(part.to_owned(), held_up(keys, is_cubic));
    }
    Ok(!sequence.keys.is_empty())
}

/// Keys at these times and between them, so that straight lines are as near to the poses as 32-bit keys allow.
fn straight(
    times: &[f32],
    on_tick: impl Fn(f32) -> f32,
    key: impl Fn(f32) -> Key,
    budget: &mut Budget,
) -> Result<Vec<Key>> {
    /// Maximum number of halvings of a span.
    const HALVES: u32 = 9;
    const EXACT: [f32; 2] = [0.005, 5e-5];
    let mut keys: Vec<Key> = times.first().map(|&time| key(time)).into_iter().collect();
    for span in times.windows(2) {
        let mut open = vec![(span[1], 0)];
        while let (Some((end, halves)), Some(from)) = (open.pop(), keys.last().copied()) {
            budget.take_values::<Key>(2, "the keys of the animations")?;
            budget.work(64, "the animations")?;
            let to = key(end);
            let at = |part: f32| key(from.time + (end - from.time) * part);
            let middle = on_tick(from.time + (end - from.time) / 2.0);
            // A jump is a single step and is not halved.
            let is_jump = end - from.time < 1.5 * JUMP || middle <= from.time || middle >= end;
            if halves == HALVES
                || is_jump
                || [0.25, 0.5, 0.75].into_iter().all(|part| fits(&from, &to, &at(part), EXACT))
            {
                keys.push(to);
            } else {
                open.extend([(end, halves + 1), (middle, halves + 1)]);
            }
        }
    }
    Ok(keys)
}

/// Marks keys whose value is repeated just before the next key, a jump, as constant. Drops sampled keys inside constant
/// spans.
fn held_up(keys: Vec<Key>, is_sampled: bool) -> Vec<Key> {
    let same = |a: &Key, b: &Key| fits(a, a, &Key { time: a.time, ..*b }, [1e-3, 1e-6]);
    let mut made: Vec<Key> = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let next = keys.get(index + 1);
        if let Some(last) = made.last_mut().filter(|last| same(last, key)) {
            let jumps = next.is_some_and(|next| next.time - key.time < 1.5 * JUMP && !same(key, next));
            let is_within = is_sampled && next.is_some_and(|next| same(key, next));
            if jumps {
                last.stays = true;
            }
            if jumps || is_within {
                continue;
            }
        }
        made.push(*key);
    }
    made
}

/// Whether a key is within the tolerance of the straight line between two others.
pub(super) fn fits(from: &Key, to: &Key, key: &Key, [turn, way]: [f32; 2]) -> bool {
    let part = (key.time - from.time) / (to.time - from.time);
    let [a, b, c] = [from, to, key].map(|key| Vec3::from(key.pose.translation));
    let [p, q, r] = [from, to, key].map(|key| Quat::from_array(key.pose.rotation));
    // The sine is exact for small angles, unlike the cosine.
    let apart = 2.0 * (p.slerp(q, part).inverse() * r).xyz().length();
    a.lerp(b, part).distance(c) < way && apart < turn.to_radians()
}

/// The number of frames up to a time.
pub(super) fn frames(end: f32, rate: f32, budget: &mut Budget) -> Result<u32> {
    // About half an hour at 30 per second.
    const MOST: u32 = 60_000;
    let count = (end * rate).ceil().max(0.0) as u32;
    if count > MOST {
        return Err(Error::unwritable(format!(
            "the animation lasts {end} s and needs {count} samples at {rate} per second, but at most {MOST} are \
             allowed: lower the option fps"
        )));
    }
    budget.take_values::<Key>(count as usize, "the animations")?;
    Ok(count)
}
