//! Converts animations of scenes to KeyframeSequences and CurveAnimations.
//!
//! For a rig that came from Roblox, the poses and keys do not change. The joints of any other rig are matched to those
//! of an avatar by name, and each part rotates in the world like its joint, relative to the rig's rest pose.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};
use rbxcore::NewInstance;

use super::avatars::{Avatar, Joint};
use super::faces;
use super::keys::{fits, frames, own};
use super::knots::Key;
use super::sequence::Sequence;
use crate::model::{Animation, Channel, Scene, Transform, Values};
use crate::reduction::reduced;
use crate::retarget::{Place, RAISED, Rig, heading, is_raised, near_quarter};
use crate::slmesh::joints_of;
use rezkit_core::{Budget, Error, Loss, Result};

/// The animations of a scene as instances; everything else is listed as a loss.
///
/// # Errors
/// If there is no animation, none of them moves a joint with a part, or the budget does not suffice.
pub(crate) fn scene_animations(
    scene: &Scene,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<NewInstance>> {
    let sequences = sequences(scene, budget, losses)?;
    sequences.iter().map(|sequence| sequence.instances(budget)).collect()
}

/// Converts all animations of a scene; everything else is listed as a loss.
///
/// # Errors
/// If there is no animation, none of them moves a joint with a part, or the budget does not suffice.
fn sequences(scene: &Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<Vec<Sequence>> {
    let (mut made, named) = (Vec::new(), Named::new(scene));
    let mut names = Avatar::names_for(None);
    for (index, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{index}]");
        // Converting an animation examines all nodes.
        budget.work(scene.nodes.len() as u64 * 2048, "the animations")?;
        let is_face = |channel: &Channel| {
            matches!(channel.values, Values::Weights(_)) && faces::are_weights(scene, channel.node)
        };
        let lost = animation.channels.iter().filter(|channel| channel.is_beyond_joints(&scene.nodes));
        let count = lost.filter(|channel| !is_face(channel)).count();
        if count > 0 {
            let loss = Loss::new(
                &*path,
                "animated scales, or weights of morph targets that do not have the name of a facial control \
                 (such as JawDrop)",
            )
            .id("scene.node-animations");
            losses.push(loss.times(count));
        }
        let mut sequence = Sequence::of(animation, &scene.name, &path, losses);
        names = Avatar::names_for(sequence.rig.as_ref());
        let mut changed = Vec::new();
        let is_own = own(scene, animation, &mut sequence, budget)?;
        // The keys stay unchanged if the requested rig has all posed parts.
        let fits = |rig: &Avatar| {
            let parts: HashSet<&str> = rig.parts().collect();
            sequence.keys.keys().all(|part| parts.contains(&**part))
        };
        if !is_own || !sequence.rig.as_ref().is_none_or(fits) {
            (sequence.keys, sequence.parents) = Default::default();
            retargeted(scene, &named, animation, &mut sequence, &path, budget, &mut changed)
                .map_err(|error| error.at(&*path))?;
        }
        sequence.faces = faces::of(scene, animation, &path, budget, losses)?;
        let moves = animation.channels.iter().any(is_move);
        match sequence.keys.is_empty() {
            true if moves || sequence.faces.is_empty() => {
                let what = match moves {
                    true if !sequence.faces.is_empty() => {
                        format!("the motion of nodes, none of which has {names} ({REMEDY})")
                    }
                    true => format!("an animation that moves no node with {names} ({REMEDY})"),
                    false => {
                        "an animation that moves or rotates no node, and animates no facial control".into()
                    }
                };
                losses.push(Loss::new(path, what).id("roblox.animation"));
            }
            true => {}
            false => losses.extend(changed),
        }
        if !sequence.keys.is_empty() || !sequence.faces.is_empty() {
            made.push(sequence);
        }
    }
    let channels = || scene.animations.iter().flat_map(|animation| &animation.channels);
    match made.is_empty() {
        true if channels().next().is_some() && !channels().any(is_move) => Err(Error::unwritable(
            "no animation moves or rotates a node, or animates a morph target with the name of a facial control, \
                 such as JawDrop: a Roblox animation can contain nothing else",
        )),
        true => Err(Error::unwritable(format!("no animated node has {names}: {REMEDY}"))),
        false => Ok(made),
    }
}

const REMEDY: &str =
    "rename the nodes, or set the option rig to a model whose parts have the names of the nodes";

/// Whether a channel moves or rotates its node.
fn is_move(channel: &Channel) -> bool {
    matches!(channel.values, Values::Translation(_) | Values::Rotation(_))
}

/// For each part of an avatar, its counterpart in a scene: by the part's name, or by the joint names of a known rig.
type Nodes = HashMap<String, usize>;

/// The nodes of a scene by their plain names, and by the names of known joints.
struct Named {
    names: HashMap<String, usize>,
    joints: HashMap<&'static str, usize>,
}

impl Named {
    fn new(scene: &Scene) -> Self {
        let names = scene.nodes.iter().enumerate().rev().map(|(at, node)| (plain(&node.name), at));
        Self { names: names.collect(), joints: joints_of(scene) }
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

/// The avatar that a scene's animations fit, the node of each of its parts, and whether the nodes have the names of the
/// parts.
fn mapped(named: &Named, choice: Option<Avatar>) -> (Avatar, Nodes, bool) {
    let Named { names, joints } = named;
    let by_name = |avatar: &Avatar| -> Nodes {
        avatar.parts().filter_map(|part| Some((part.to_owned(), *names.get(&plain(part))?))).collect()
    };
    let by_joint = |avatar: &Avatar| -> Nodes {
        let has: BTreeSet<&str> = avatar.parts().collect();
        let node = |names: &[&str]| names.iter().find_map(|joint| joints.get(joint)).copied();
        let parts = PARTS.iter().filter(|(part, _)| has.contains(part.trim_end_matches(END)));
        parts.filter_map(|(part, joints)| Some(((*part).to_owned(), node(joints)?))).collect()
    };
    // All parts except the head have different names in R6 and R15.
    let avatars = choice.map_or_else(|| vec![Avatar::r6(), Avatar::r15()], |avatar| vec![avatar]);
    let named = avatars.iter().map(|avatar| (avatar.clone(), by_name(avatar)));
    let best = named.max_by_key(|(_, nodes)| nodes.len()).filter(|(_, nodes)| nodes.len() > 3);
    if let Some((avatar, nodes)) = best {
        return (avatar, nodes, true);
    }
    let avatar = avatars.into_iter().next_back().unwrap_or_else(Avatar::r15);
    let [named, known] = [by_name(&avatar), by_joint(&avatar)];
    let is_named = named.len() > known.len();
    (avatar, if is_named { named } else { known }, is_named)
}

/// The suffix of a name for the end of a limb that has no further part.
const END: &str = " end";
/// The name for the hips of R6, which are the end of its torso.
const PELVIS: &str = "Torso end";

/// The parts of R15 and R6, and the corresponding joints of Second Life's avatar. The names of all known rigs are
/// mapped to the names of these joints.
const PARTS: [(&str, &[&str]); 25] = [
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
    ("Torso", &["mChest", "mTorso"]),
    (PELVIS, &["mPelvis"]),
    ("Left Arm", &["mShoulderLeft"]),
    ("Left Arm end", &["mElbowLeft"]),
    ("Right Arm", &["mShoulderRight"]),
    ("Right Arm end", &["mElbowRight"]),
    ("Left Leg", &["mHipLeft"]),
    ("Left Leg end", &["mKneeLeft"]),
    ("Right Leg", &["mHipRight"]),
    ("Right Leg end", &["mKneeRight"]),
];

/// The measured work for a joint in a sample, in that for a node.
const JOINT: usize = 8;
/// The work for reducing a sample, in the same unit.
const SPAN: usize = 64;

/// The places of the nodes of parts.
type Placed<'n> = HashMap<&'n str, Place>;

/// An animation of another rig, to be retargeted to an avatar.
struct Retarget<'a> {
    rig: Rig<'a>,
    animation: &'a Animation,
    /// The nodes of the avatar's parts.
    nodes: &'a Nodes,
    /// Whether the nodes have the names of the parts.
    is_named: bool,
}

impl<'a> Retarget<'a> {
    fn parts(&self, places: &HashMap<usize, Place>) -> Placed<'a> {
        self.nodes.iter().map(|(part, node)| (part.as_str(), places[node])).collect()
    }

    fn posed(&self, time: f32) -> Placed<'a> {
        self.parts(&self.rig.posed(self.animation, time))
    }

    /// The part of the hips and its position at the start, if it is raised.
    fn raised(&self, rest: &Placed<'a>, size: f32) -> Option<(&'static str, Vec3)> {
        /// The length of the avatar's legs, in studs.
        const LEG: f32 = 2.0;
        // The hips are the root part or, in R6, the end of it.
        let hips = [PELVIS, "LowerTorso"].into_iter().find(|part| self.nodes.contains_key(*part));
        let start = hips.filter(|_| !self.is_named).map(|part| (part, self.posed(0.0)[part].1));
        start.filter(|(part, start)| is_raised(rest[part].1 * size, *start * size, LEG))
    }

    /// The times of all keys and samples, [`NEAREST`] apart, and the number of keys left out for this.
    fn times(&self, avatar: &Avatar, rate: f32, budget: &mut Budget) -> Result<(Vec<f32>, usize)> {
        let (nodes, channels) = (self.nodes.len(), &self.animation.channels);
        let end = self.animation.duration();
        let mut times: BTreeMap<u32, (f32, bool)> = BTreeMap::new();
        let keys = channels.iter().flat_map(|channel| channel.times.iter().map(|time| time.max(0.0)));
        let samples = (0..=frames(end, rate, budget)?).map(|frame| (frame as f32 / rate).min(end));
        // A key that is also a sample is a key.
        times.extend(samples.map(|time| (time.to_bits(), (time, false))));
        times.extend(keys.map(|time| (time.to_bits(), (time, true))));
        budget.take_values::<[Key; 2]>(times.len() * nodes, "the keys of the animations")?;
        // The turn of each joint is computed for each sample, even of those without a node.
        let joints = avatar.joints.len() * JOINT;
        let steps = times.len() * (self.rig.order.len() + channels.len() + joints + nodes * SPAN);
        budget.work(steps as u64 * 4, "the animations")?;
        Ok(spaced(times.into_values()))
    }

    /// The keys of each joint of an avatar at these times. `raised` is the part of the hips' position that is not a
    /// motion.
    fn tracks(&self, avatar: &Avatar, times: &[f32], rest: &Placed<'a>, raised: Vec3) -> Vec<Vec<Key>> {
        let size = size(avatar, rest);
        let held = held(avatar, rest);
        let own_rest: HashMap<&str, Mat4> = avatar.at_rest().into_iter().collect();
        let own_rest = |part: &str| own_rest.get(part).map_or(Quat::IDENTITY, Quat::from_mat4);
        // What is the same at all times. A joint comes after those above it.
        let mut known: HashMap<&str, usize> = HashMap::new();
        let still = avatar.joints.iter().enumerate().map(|(index, joint)| {
            let above = known.get(&*joint.part0).copied();
            known.insert(&joint.part1, index);
            let frames = joint.frames().map(|frame| Quat::from_mat4(&frame));
            let own = held.get(&*joint.part1).copied().unwrap_or_default();
            (above, own_rest(&joint.part0), frames, rest.get(&*joint.part1), own, own_rest(&joint.part1))
        });
        let still: Vec<_> = still.collect();
        let mut tracks: Vec<Vec<Key>> = vec![Vec::new(); avatar.joints.len()];
        let mut turns: Vec<Quat> = Vec::with_capacity(avatar.joints.len());
        for &time in times {
            let posed = self.posed(time);
            // The rotations of the parts in the world.
            turns.clear();
            for (joint, ((above, top, [from, to], rest_of, own, own_rest), track)) in
                avatar.joints.iter().zip(still.iter().zip(&mut tracks))
            {
                let base = above.map_or(*top, |above| turns[above]) * *from;
                let (Some(&(turn, place)), Some(&(rest_turn, rest_place))) =
                    (posed.get(&*joint.part1), *rest_of)
                else {
                    turns.push(base * to.inverse());
                    continue;
                };
                let turn = (turn * rest_turn.inverse() * *own * *own_rest).normalize();
                turns.push(turn);
                let is_root = joint.part0 == avatar.root();
                let way = match is_root {
                    true => {
                        moved_by(&posed, rest, [place, rest_place, raised], turn * own_rest.inverse(), size)
                    }
                    // If the nodes are another rig's, its joints have other positions: the limbs only rotate.
                    false if self.is_named => slid(&posed, rest, joint) * size,
                    false => Vec3::ZERO,
                };
                let pose = Transform {
                    translation: (base.inverse() * way).to_array(),
                    rotation: (base.inverse() * turn * *to).normalize().to_array(),
                    scale: [1.0; 3],
                };
                track.push(Key { time, pose, stays: false });
            }
        }
        tracks
    }

    /// Lists the moved nodes that are no parts of the avatar.
    fn list_others(&self, path: &str, losses: &mut Vec<Loss>) {
        let known: BTreeSet<usize> = self.nodes.values().copied().collect();
        let moved =
            self.animation.channels.iter().filter(|channel| is_move(channel)).map(|channel| channel.node);
        for (node, is_above) in self.rig.others(moved, |node| known.contains(&node)) {
            let path = format!("{path}/{}", self.rig.scene.nodes[node].name);
            losses.push(match is_above {
                true => Loss::approximated(
                    path,
                    "the avatar has no part for this node: its motion is kept only in the parts below it",
                ).id("retarget.joint-above"),
                false => Loss::new(
                    path,
                    "the motion of the node: the avatar has no part for it or for a node below it (to use another \
                     avatar, set the option rig)",
                ).id("retarget.no-joint"),
            });
        }
    }
}

/// Retargets an animation of another rig to the poses of an avatar.
fn retargeted(
    scene: &Scene,
    named: &Named,
    animation: &Animation,
    sequence: &mut Sequence,
    path: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let (avatar, nodes, is_named) = mapped(named, sequence.rig.take());
    let moved: BTreeSet<usize> = animation.channels.iter().map(|channel| channel.node).collect();
    if nodes.is_empty() || moved.is_empty() {
        return Ok(());
    }
    let rig = Rig::new(scene, nodes.values().copied(), Quat::IDENTITY);
    let mut from = Retarget { rig, animation, nodes: &nodes, is_named };
    let yaw = yaw(&avatar, &from.parts(&from.rig.at_rest()), scene.front);
    from.rig.axes = Quat::from_rotation_y(yaw);
    let rest = from.parts(&from.rig.at_rest());
    let raised = from.raised(&rest, size(&avatar, &rest));
    losses.extend(raised.map(|(part, _)| {
        Loss::approximated(format!("{path}/{}", scene.nodes[nodes[part]].name), RAISED)
            .id("retarget.translation")
    }));
    let (times, near) = from.times(&avatar, sequence.rate, budget)?;
    if near > 0 {
        let what = "keys less than 1/70 s after another one, which Roblox refuses in uploads";
        losses.push(Loss::new(path, what).id("roblox.keys").times(near));
    }
    let tracks = from.tracks(&avatar, &times, &rest, raised.map_or(Vec3::ZERO, |(_, start)| start));
    let parts = avatar.joints.iter().map(|joint| &*joint.part1);
    let mut tracks: BTreeMap<&str, Vec<Key>> =
        parts.zip(tracks).filter(|(_, keys)| !keys.is_empty()).collect();
    // Drops parts that do not move, so that other animations can move them.
    tracks.retain(|part, keys| moved.contains(&nodes[*part]) || keys.iter().any(|key| is_posed(&key.pose)));
    for joint in &avatar.joints {
        sequence.parents.insert(joint.part1.clone(), joint.part0.clone());
    }
    sequence.keys = tracks
        .into_iter()
        .map(|(part, keys)| {
            let fits = |from: usize, to: usize, key: usize| {
                fits(&keys[from], &keys[to], &keys[key], sequence.tolerance)
            };
            let kept = reduced(keys.len(), fits).into_iter().map(|at| keys[at]).collect();
            (part.to_owned(), kept)
        })
        .collect();
    let ([turn, way], rate) = (sequence.tolerance, sequence.rate);
    let what = format!(
        "retargeted to {}, sampled {rate} times per second, and reduced to fewer keys \
         (within {turn} degrees and {way} studs)",
        avatar.name
    );
    losses.push(Loss::approximated(path, what).id("animation.resampled"));
    from.list_others(path, losses);
    Ok(())
}

/// The least distance of keys in seconds: slightly less than 1/70, which uploads allow, since times are rounded. In ticks of
/// 1/2,400 s, in which curves have their times, both are 34.
const NEAREST: f32 = 0.0142;

/// The times that are far enough from each other, in order, with the first and the last; a key is preferred to a sample.
/// Also returns the number of keys left out.
fn spaced(times: impl Iterator<Item = (f32, bool)>) -> (Vec<f32>, usize) {
    let (mut kept, mut left_out, mut last) = (Vec::<(f32, bool)>::new(), 0, None);
    for (time, is_key) in times {
        last = Some((time, is_key));
        match kept.last().copied() {
            Some((before, was_key)) if time - before < NEAREST => {
                if is_key && !was_key && kept.len() > 1 {
                    kept.pop();
                    kept.push((time, true));
                } else {
                    left_out += usize::from(is_key);
                }
            }
            _ => kept.push((time, is_key)),
        }
    }
    if let Some((end, is_key)) = last.filter(|last| kept.last() != Some(last)) {
        left_out -= usize::from(is_key);
        // The first time stays.
        if let Some((_, was_key)) = (kept.len() > 1).then(|| kept.pop()).flatten() {
            left_out += usize::from(was_key);
        }
        kept.push((end, is_key));
    }
    (kept.into_iter().map(|(time, _)| time).collect(), left_out)
}

/// Whether a pose differs from the rest pose by more than 32-bit rounding.
fn is_posed(pose: &Transform) -> bool {
    let turn = Quat::from_array(pose.rotation).xyz().length();
    turn > 1e-4 || Vec3::from(pose.translation).length() > 1e-4
}

/// The rotation about the vertical axis that aligns a rig's right with the avatar's, or its parts if it has only one
/// side; rounded to a quarter turn if it is near one.
fn yaw(avatar: &Avatar, rest: &Placed<'_>, front: f32) -> f32 {
    let mut right = Vec3::ZERO;
    let mut parts: Vec<_> = rest.iter().filter(|(part, _)| part.starts_with("Right")).collect();
    // Sorted, so that the sum does not depend on the order.
    parts.sort_by_key(|(part, _)| *part);
    for (part, (_, place)) in parts {
        if let Some((_, left)) = rest.get(&*part.replace("Right", "Left")) {
            right += *place - *left;
        }
    }
    let yaw = match right.x.abs().max(right.z.abs()) > right.y.abs().max(1e-6) {
        true => libm::atan2f(right.z, right.x),
        // A rig with only one side, such as an arm. The avatar faces -z.
        false => {
            let places = avatar.places();
            let mut parts: Vec<_> = rest.iter().collect();
            parts.sort_by_key(|(part, _)| *part);
            let pair = |(part, (_, its)): (&&str, &(Quat, Vec3))| Some((*places.get(*part)?, *its));
            let pairs: Vec<_> = parts.into_iter().filter_map(pair).collect();
            heading(&pairs, Vec3::Y).unwrap_or_else(|| (180.0 - front).to_radians())
        }
    };
    near_quarter(yaw)
}

/// The translation of the root part: that of its own joint, or if the rig has a pelvis below it, that of the pelvis.
/// `raised` is the part of it that is not a motion.
fn moved_by(
    posed: &Placed<'_>,
    rest: &Placed<'_>,
    [place, at_rest, raised]: [Vec3; 3],
    turn: Quat,
    size: f32,
) -> Vec3 {
    match (posed.get(PELVIS), rest.get(PELVIS)) {
        // The hips of R6 are a stud below the middle of its torso.
        (Some((_, place)), Some((_, at_rest))) => {
            (*place - *at_rest - raised) * size + turn * Vec3::Y - Vec3::Y
        }
        _ => (place - at_rest - raised) * size,
    }
}

/// The displacement of a joint from its rest position in the part above it.
fn slid(posed: &Placed<'_>, rest: &Placed<'_>, joint: &Joint) -> Vec3 {
    /// Smaller differences are 32-bit rounding.
    const NOTHING: f32 = 1e-5;
    let way = || {
        let [(turn, above), (rest_turn, rest_above)] = [posed.get(&*joint.part0)?, rest.get(&*joint.part0)?];
        let [(_, place), (_, rest_place)] = [posed.get(&*joint.part1)?, rest.get(&*joint.part1)?];
        Some(*place - (*above + *turn * rest_turn.inverse() * (*rest_place - *rest_above)))
    };
    way().filter(|way| way.length() > NOTHING).unwrap_or_default()
}

/// The parts at the hips, and the ends of the legs.
const LEGS: [[&str; 2]; 4] = [
    ["LeftUpperLeg", "LeftFoot"],
    ["RightUpperLeg", "RightFoot"],
    ["Left Leg", "Left Leg end"],
    ["Right Leg", "Right Leg end"],
];

/// The ratio of the avatar's leg length to the rig's. R6 has one part per leg: its length is that down to the knee.
fn size(avatar: &Avatar, rest: &Placed<'_>) -> f32 {
    let places = avatar.places();
    let ratio = LEGS.into_iter().find_map(|[hip, foot]| {
        // The rig need not stand upright.
        let its = rest.get(hip)?.1.distance(rest.get(foot)?.1);
        let own = match places.get(foot) {
            Some(foot) => places.get(hip)?.distance(*foot),
            None => 1.0,
        };
        Some(own / its)
    });
    ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0).unwrap_or(1.0)
}

/// The rotations of the avatar's limbs that give them the rest pose of the rig: limbs with one part below them, and
/// those of R6, which are upright. A limb points from the middle of its part to the joint below, not from the joint
/// above: the shoulders of R15 are at the inner side of its arms, and the line from there to the elbow is 34 degrees
/// off the arm. Empty if the rig's joints have the directions of the avatar's.
fn held<'a>(avatar: &'a Avatar, rest: &Placed<'_>) -> HashMap<&'a str, Quat> {
    /// The tolerance for equal directions, in radians.
    const SAME: f32 = 0.05;
    let places = avatar.places();
    let middles: HashMap<&str, Mat4> = avatar.at_rest().into_iter().collect();
    let mut below: HashMap<&str, Vec<&str>> = HashMap::new();
    for joint in &avatar.joints {
        below.entry(&joint.part0).or_default().push(&joint.part1);
    }
    let mut held: HashMap<&str, Quat> = HashMap::new();
    let mut is_own = true;
    for joint in &avatar.joints {
        let limb = joint.part1.as_str();
        let directions = || {
            let (own, from_joint, end) = match below.get(limb).map(Vec::as_slice) {
                Some([end]) => {
                    let own = *places.get(end)?;
                    let from_joint = (own - *places.get(limb)?).normalize_or_zero();
                    (own - middles.get(limb)?.w_axis.truncate(), from_joint, rest.get(*end)?.1)
                }
                Some(_) => return None,
                None => (Vec3::NEG_Y, Vec3::NEG_Y, rest.get(&*format!("{limb}{END}"))?.1),
            };
            Some((own.try_normalize()?, from_joint, (end - rest.get(limb)?.1).try_normalize()?))
        };
        let directions = directions();
        is_own &= directions.is_none_or(|(_, own, its)| own.dot(its) > SAME.cos());
        // A hand follows its arm.
        let above = held.get(&*joint.part0).copied().filter(|_| limb.ends_with("Hand"));
        let turn = directions.map(|(own, _, its)| Quat::from_rotation_arc(own, its));
        held.extend(turn.or(above).map(|turn| (limb, turn)));
    }
    if is_own {
        held.clear();
    }
    held
}
