//! Animations of scenes as KeyframeSequences and CurveAnimations.
//!
//! The poses of a rig that came from Roblox are its own: their keys stay keys. Of any other rig the joints are those of R15 by their
//! names, and each part turns as its joint does in the world, from the pose that the rig has at rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Mat4, Quat, Vec3};

use super::avatars::{Avatar, R6, R15};
use super::sequence::{Key, Sequence};
use crate::features::Feature;
use crate::forms::SceneWriter;
use crate::model::{Animation, Interpolation, Scene, Transform, Values};
use crate::slmesh::joints_of;
use rezkit_core::{Budget, Error, Loss, Result};

/// KeyframeSequences in a binary model.
pub static RBXM: SceneWriter = SceneWriter::of_others(&[Feature::JointAnimations], |scene, writing| {
    let sequences = sequences(scene, &mut writing.budget, &mut writing.losses)?;
    let mut document = rbxbinary::Document::new();
    for sequence in &sequences {
        document.insert(None, sequence.instances(&mut writing.budget)?)?;
    }
    Ok(rbxbinary::to_vec(&document)?)
});

/// KeyframeSequences in an XML model.
pub static RBXMX: SceneWriter = SceneWriter::of_others(&[Feature::JointAnimations], |scene, writing| {
    let sequences = sequences(scene, &mut writing.budget, &mut writing.losses)?;
    let mut document = rbxxml::Document::new();
    for sequence in &sequences {
        document.insert(None, sequence.instances(&mut writing.budget)?)?;
    }
    Ok(rbxxml::to_vec(&document)?)
});

/// How often a second a curve is looked at.
const RATE: f32 = 30.0;
/// The most samples that one span between two keys takes the place of.
const SPAN: usize = 64;

/// All animations of a scene; what is in none of them is listed.
///
/// # Errors
/// If there is no animation, none of them moves a joint that has a part, or more work is needed than is left.
fn sequences(scene: &Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<Vec<Sequence>> {
    if scene.animations.is_empty() {
        return Err(Error::unwritable("no animation: a Roblox model is made of animations alone"));
    }
    if scene.triangle_count() > 0 {
        losses.push(Loss::new("meshes", "left out: an animation of Roblox has poses alone"));
    }
    let mut made = Vec::new();
    for (index, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{index}]");
        let lost = |channel: &&crate::model::Channel| {
            matches!(channel.values, Values::Scale(_) | Values::Weights(_))
        };
        let count = animation.channels.iter().filter(lost).count();
        if count > 0 {
            let mut loss = Loss::new(&*path, "scales and weights that change: left out");
            loss.count = count;
            losses.push(loss);
        }
        let mut sequence = Sequence::of(animation);
        if !own(scene, animation, &mut sequence, budget)? {
            retargeted(scene, animation, &mut sequence, &path, budget, losses)?;
        }
        match sequence.keys.is_empty() {
            true => losses.push(Loss::new(path, "no joint with the name of one that is known: left out")),
            false => made.push(sequence),
        }
    }
    match made.is_empty() {
        true => Err(Error::unwritable(
            "no animated node has the name of a part of R15 or R6, or of a joint of a known rig",
        )),
        false => Ok(made),
    }
}

/// The name of the part that a node of a rig from Roblox poses (`Head pose`, below `Head C0`).
pub(super) fn posed_by<'s>(
    scene: &'s Scene,
    parents: &[Option<usize>],
    node: usize,
) -> Option<(&'s str, Option<&'s str>)> {
    let part = scene.nodes[node].name.strip_suffix(" pose")?;
    let above = parents[node].filter(|&above| scene.nodes[above].name.strip_suffix(" C0") == Some(part))?;
    Some((part, parents[above].map(|above| scene.nodes[above].name.as_str())))
}

/// The poses of a rig that came from Roblox; whether it is one.
fn own(scene: &Scene, animation: &Animation, sequence: &mut Sequence, budget: &mut Budget) -> Result<bool> {
    let parents = scene.parents();
    // Also of joints that do not move, which are above others.
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
        let mut times = BTreeMap::new();
        for channel in &channels {
            let keys = channel.times.iter().map(|time| (time.max(0.0).to_bits(), time.max(0.0)));
            times.extend(keys);
            if channel.interpolation == Interpolation::Cubic {
                let end = channel.times.last().copied().unwrap_or_default();
                let count = frames(end, budget)?;
                times.extend(
                    (0..=count)
                        .map(|frame| (frame as f32 / RATE).min(end))
                        .map(|time| (time.to_bits(), time)),
                );
            }
        }
        budget.take_values::<[Key; 2]>(times.len(), "the keys of an animation")?;
        budget.work((times.len() * channels.len()) as u64 * 8, "an animation")?;
        let stays = channels.iter().all(|channel| channel.interpolation == Interpolation::Step);
        let key = |time: f32| {
            let mut pose = scene.nodes[node].transform;
            channels.iter().for_each(|channel| channel.apply(&mut pose, time));
            Key { time, pose, stays }
        };
        sequence.keys.insert(part.to_owned(), times.into_values().map(key).collect());
    }
    Ok(!sequence.keys.is_empty())
}

/// The number of frames up to a time.
fn frames(end: f32, budget: &mut Budget) -> Result<u32> {
    // Half an hour.
    const MOST: u32 = 60_000;
    let count = (end * RATE).ceil().max(0.0) as u32;
    if count > MOST {
        return Err(Error::unwritable(format!("an animation of {end} s, at most {} are written", MOST / 30)));
    }
    budget.take_values::<Key>(count as usize, "an animation")?;
    Ok(count)
}

/// The avatar that a scene is animated for, and the node of each of its parts: by the names of the parts, or by those of a rig that
/// is known.
fn mapped(scene: &Scene) -> (&'static Avatar, HashMap<&'static str, usize>) {
    let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let names: Vec<String> = scene.nodes.iter().map(|node| plain(&node.name)).collect();
    let of = |avatar: &'static Avatar| -> HashMap<&'static str, usize> {
        let parts = avatar.parts().map(|part| (part, plain(part)));
        parts
            .filter_map(|(part, plain)| Some((part, names.iter().position(|name| *name == plain)?)))
            .collect()
    };
    // All but the head have other names in the two.
    let best =
        [&R15, &R6].map(|avatar| (avatar, of(avatar))).into_iter().max_by_key(|(_, nodes)| nodes.len());
    match best.filter(|(_, nodes)| nodes.len() > 3) {
        Some(found) => found,
        None => {
            let joints: HashMap<&str, usize> = joints_of(scene);
            let node =
                |joints_of_part: &[&str]| joints_of_part.iter().find_map(|joint| joints.get(joint)).copied();
            let parts = PARTS.iter().filter_map(|(part, joints)| Some((*part, node(joints)?)));
            (&R15, parts.collect())
        }
    }
}

/// The parts of R15, and which joints of the avatar of Second Life they are, whose names those of all known rigs are mapped to.
const PARTS: [(&str, &[&str]); 15] = [
    ("LowerTorso", &["mPelvis"]),
    ("UpperTorso", &["mChest", "mTorso"]),
    ("Head", &["mHead"]),
    ("LeftUpperArm", &["mShoulderLeft"]),
    ("LeftLowerArm", &["mElbowLeft"]),
    ("LeftHand", &["mWristLeft"]),
    ("RightUpperArm", &["mShoulderRight"]),
    ("RightLowerArm", &["mElbowRight"]),
    ("RightHand", &["mWristRight"]),
    ("LeftUpperLeg", &["mHipLeft"]),
    ("LeftLowerLeg", &["mKneeLeft"]),
    ("LeftFoot", &["mAnkleLeft"]),
    ("RightUpperLeg", &["mHipRight"]),
    ("RightLowerLeg", &["mKneeRight"]),
    ("RightFoot", &["mAnkleRight"]),
];

/// The limbs whose direction at rest is that of the rig, and where they end.
const LIMBS: [[&str; 2]; 8] = [
    ["LeftUpperArm", "LeftLowerArm"],
    ["RightUpperArm", "RightLowerArm"],
    ["LeftLowerArm", "LeftHand"],
    ["RightLowerArm", "RightHand"],
    ["LeftUpperLeg", "LeftLowerLeg"],
    ["RightUpperLeg", "RightLowerLeg"],
    ["LeftLowerLeg", "LeftFoot"],
    ["RightLowerLeg", "RightFoot"],
];

/// A node in the world: its rotation and its place.
type Placed = (Quat, Vec3);

/// The poses of an avatar for an animation of another rig.
fn retargeted(
    scene: &Scene,
    animation: &Animation,
    sequence: &mut Sequence,
    path: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let (avatar, nodes) = mapped(scene);
    let moved: BTreeSet<usize> = animation.channels.iter().map(|channel| channel.node).collect();
    if nodes.is_empty() || moved.is_empty() {
        return Ok(());
    }
    let at_rest: Vec<Mat4> = scene.world_at_rest();
    let placed = |world: &[Mat4], axes: Quat| -> HashMap<&'static str, Placed> {
        let place = |(&part, &node): (&&'static str, &usize)| {
            let (_, turn, place) = world[node].to_scale_rotation_translation();
            (part, ((axes * turn).normalize(), axes * place))
        };
        nodes.iter().map(place).collect()
    };
    let axes = Quat::from_rotation_y(yaw(&placed(&at_rest, Quat::IDENTITY), scene.front));
    let rest = placed(&at_rest, axes);
    let places = avatar.places();
    let size = size(&places, &rest);
    let held = held(&places, &rest);
    let end = animation.duration();
    let mut times: BTreeMap<u32, f32> = BTreeMap::new();
    let keys = animation.channels.iter().flat_map(|channel| channel.times.iter().map(|time| time.max(0.0)));
    let samples = (0..=frames(end, budget)?).map(|frame| (frame as f32 / RATE).min(end));
    times.extend(keys.chain(samples).map(|time| (time.to_bits(), time)));
    budget.take_values::<[Key; 2]>(times.len() * nodes.len(), "the keys of an animation")?;
    let steps = times.len() * (scene.nodes.len() + animation.channels.len() + nodes.len() * SPAN);
    budget.work(steps as u64 * 4, "an animation")?;
    let mut tracks: BTreeMap<&'static str, Vec<Key>> = BTreeMap::new();
    for &time in times.values() {
        let mut transforms: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
        for channel in &animation.channels {
            channel.apply(&mut transforms[channel.node], time);
        }
        let posed = placed(&scene.world(&transforms), axes);
        let mut turns: HashMap<&str, Quat> = HashMap::new();
        for joint in avatar.joints() {
            let above = turns.get(joint.part0).copied().unwrap_or_default();
            let Some((turn, place)) = posed.get(joint.part1).copied() else {
                turns.insert(joint.part1, above);
                continue;
            };
            let (rest_turn, rest_place) = rest[joint.part1];
            let own = held.get(joint.part1).copied().unwrap_or_default();
            let turn = (turn * rest_turn.inverse() * own).normalize();
            turns.insert(joint.part1, turn);
            let base = joint.turn();
            let is_root = joint.part0 == avatar.root();
            let way = if is_root { (place - rest_place) * size } else { Vec3::ZERO };
            let pose = Transform {
                translation: (base.inverse() * way).to_array(),
                rotation: (base.inverse() * above.inverse() * turn * base).normalize().to_array(),
                scale: [1.0; 3],
            };
            tracks.entry(joint.part1).or_default().push(Key { time, pose, stays: false });
        }
    }
    for joint in avatar.joints() {
        sequence.parents.insert(joint.part1.to_owned(), joint.part0.to_owned());
    }
    sequence.keys = tracks
        .into_iter()
        .map(|(part, keys)| (part.to_owned(), reduced(&keys, sequence.tolerance)))
        .collect();
    let [turn, way] = sequence.tolerance;
    let what = format!(
        "poses of {} by the pose of the rig at rest, sampled 30 times a second; keys that differ by less than {turn} degrees and {way} \
         studs are left out",
        avatar.name
    );
    losses.push(Loss::approximated(path, what));
    let known: BTreeSet<usize> = nodes.values().copied().collect();
    for node in moved.into_iter().filter(|node| !known.contains(node)) {
        let name = scene.nodes[node].name.as_str();
        losses.push(Loss::approximated(
            format!("{path} {name}"),
            "no part of the avatar: only what it moves is kept",
        ));
    }
    Ok(())
}

/// What turns a rig about the vertical so that its right is the avatar's: a quarter turn if it is nearly one.
fn yaw(rest: &HashMap<&'static str, Placed>, front: f32) -> f32 {
    let mut right = Vec3::ZERO;
    let mut parts: Vec<_> = rest.iter().filter(|(part, _)| part.starts_with("Right")).collect();
    // The same sum in any order.
    parts.sort_by_key(|(part, _)| **part);
    for (part, (_, place)) in parts {
        if let Some((_, left)) = rest.get(&*part.replace("Right", "Left")) {
            right += *place - *left;
        }
    }
    let yaw = match right.x.abs().max(right.z.abs()) > right.y.abs().max(1e-6) {
        true => libm::atan2f(right.z, right.x),
        // The avatar looks towards -z.
        false => (180.0 - front).to_radians(),
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    let nearest = (yaw / quarter).round() * quarter;
    if (yaw - nearest).abs() < quarter / 9.0 { nearest } else { yaw }
}

/// How high the avatar's hips are beside the rig's, above the feet.
fn size(places: &HashMap<&str, Vec3>, rest: &HashMap<&'static str, Placed>) -> f32 {
    let height = |place: &dyn Fn(&str) -> Option<Vec3>| {
        let hips = ["LeftUpperLeg", "RightUpperLeg", "Left Leg"].iter().find_map(|part| place(part))?;
        let feet = ["LeftFoot", "RightFoot", "LeftLowerLeg"].iter().find_map(|part| place(part))?;
        Some(hips.y - feet.y)
    };
    let own = height(&|part| places.get(part).copied());
    let its = height(&|part| rest.get(part).map(|(_, place)| *place));
    let ratio = own.zip(its).map_or(1.0, |(own, its)| own / its);
    if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
}

/// What turns the limbs of the avatar, as they are at rest, to how the rig has them at rest.
fn held(places: &HashMap<&str, Vec3>, rest: &HashMap<&'static str, Placed>) -> HashMap<&'static str, Quat> {
    let mut held: HashMap<&'static str, Quat> = HashMap::new();
    for [limb, end] in LIMBS {
        let directions = || {
            let own = *places.get(end)? - *places.get(limb)?;
            let its = rest.get(end)?.1 - rest.get(limb)?.1;
            Some((own.try_normalize()?, its.try_normalize()?))
        };
        if let Some((own, its)) = directions() {
            held.insert(limb, Quat::from_rotation_arc(own, its));
        }
    }
    // A hand is held as its arm is.
    for [hand, arm] in [["LeftHand", "LeftLowerArm"], ["RightHand", "RightLowerArm"]] {
        held.extend(held.get(arm).copied().map(|turn| (hand, turn)));
    }
    held
}

/// The keys without those that the others give as exactly.
fn reduced(keys: &[Key], [turn, way]: [f32; 2]) -> Vec<Key> {
    let fits = |from: &Key, to: &Key, key: &Key| {
        let part = (key.time - from.time) / (to.time - from.time);
        let [a, b, c] = [from, to, key].map(|key| Vec3::from(key.pose.translation));
        let [p, q, r] = [from, to, key].map(|key| Quat::from_array(key.pose.rotation));
        a.lerp(b, part).distance(c) < way && p.slerp(q, part).angle_between(r) < turn.to_radians()
    };
    let mut kept: Vec<Key> = Vec::new();
    let mut from = 0;
    while let Some(first) = keys.get(from) {
        kept.push(*first);
        let last = (from + SPAN).min(keys.len().saturating_sub(1));
        let spans = |to: &usize| keys[from + 1..*to].iter().all(|key| fits(first, &keys[*to], key));
        // The farthest key up to which a straight line is right.
        let mut next = from + 1;
        while next < last && spans(&(next + 1)) {
            next += 1;
        }
        from = next;
    }
    kept
}
