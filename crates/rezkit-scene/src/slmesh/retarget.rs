//! Retargets animations of other rigs to the avatar, by their rest poses.

use std::collections::{BTreeSet, HashMap};

use glam::{Quat, Vec3};
use rezkit_core::{Budget, Loss, Result};
use slmesh::joints::{self, Joint};

use super::keys::STEPS;
use super::names::Mapped;
use super::track::{PELVIS, Track, frames};
use super::{lying, rig};
use crate::model::{Animation, Interpolation, Scene, Values};
use crate::retarget::{Place, RAISED, Rig, heading, is_raised, near_quarter};

/// The bones whose directions at rest are compared: each pair is the start and the end of a limb. Rest poses differ
/// most in these.
const LIMBS: [[&str; 2]; 8] = [
    ["mShoulderLeft", "mElbowLeft"],
    ["mShoulderRight", "mElbowRight"],
    ["mElbowLeft", "mWristLeft"],
    ["mElbowRight", "mWristRight"],
    ["mHipLeft", "mKneeLeft"],
    ["mHipRight", "mKneeRight"],
    ["mKneeLeft", "mAnkleLeft"],
    ["mKneeRight", "mAnkleRight"],
];

/// Directions that differ by less than this, in radians, count as the same pose: arms at the sides may hang a little.
const SAME_POSE: f32 = std::f32::consts::PI / 9.0;

/// A smaller rotation (in radians) or distance (in metres) counts as none.
const NOTHING: f32 = 5e-4;

/// A rig at rest, in the avatar's axes.
struct Rest<'a> {
    rig: Rig<'a>,
    mapped: &'a Mapped,
    /// The rest place of each node of the rig.
    world: HashMap<usize, Place>,
    node_of: HashMap<&'static str, usize>,
    /// The number of metres of the avatar per unit of the scene.
    size: f32,
}

/// Whether the rig is the avatar's own, so that the rotations of its nodes are those of a motion.
pub(super) fn is_avatar(scene: &Scene, animation: &Animation, mapped: &Mapped) -> bool {
    if mapped.title.is_some() {
        return false;
    }
    let rest = Rest::new(scene, mapped);
    let is_plain =
        |turn: Quat| turn.angle_between(Quat::IDENTITY).min((-turn).angle_between(Quat::IDENTITY)) < 2e-3;
    let own = rest.node_of.values().all(|node| {
        let rotation = Quat::from_array(scene.nodes[*node].transform.rotation);
        is_plain(rest.world[node].0) && (is_plain(rotation) || rest.parent(*node).is_none())
    });
    let below: BTreeSet<usize> = rest.rig.order.iter().copied().collect();
    let is_moved = |node: usize| mapped.joints[node].is_none() && below.contains(&node);
    own && !animation.channels.iter().any(|channel| is_moved(channel.node))
        && rest.node_of.keys().all(|name| {
            let above =
                rest.parent(rest.node_of[name]).and_then(|node| mapped.joints[node]).map(|joint| joint.name);
            above == rest.above(name)
        })
}

/// The tracks of the avatar's joints for an animation of another rig.
pub(super) fn tracks(
    scene: &Scene,
    animation: &Animation,
    mapped: &Mapped,
    duration: f32,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Track>> {
    let rest = Rest::new(scene, mapped);
    let times = times(animation, duration);
    let steps = (times.len() * (rest.rig.order.len() + animation.channels.len())) as u64;
    budget.work(steps.saturating_mul(8), "the animation")?;
    budget.take_values::<[f32; 8]>(times.len() * rest.node_of.len(), "the animation")?;
    let held = rest.held();
    let mut joints: Vec<&'static Joint> = mapped.joints.iter().flatten().copied().collect();
    // In the order of the avatar's joints: parents before children.
    joints.sort_by_key(|joint| joints::ALL.iter().position(|other| other.name == joint.name));
    let slides = rest.slides(animation, losses);
    let raised = rest.raised(animation, losses);
    let mut tracks: Vec<Track> = joints.iter().map(|joint| Track::new(joint)).collect();
    for &time in &times {
        let posed = rest.rig.posed(animation, time);
        let mut turned: HashMap<&str, Quat> = HashMap::new();
        for (joint, track) in joints.iter().zip(&mut tracks) {
            let node = rest.node_of[joint.name];
            let delta = posed[&node].0 * rest.world[&node].0.inverse();
            let turn = (delta * held.get(joint.name).copied().unwrap_or_default()).normalize();
            let above = rest.above(joint.name);
            let parent = above.and_then(|above| turned.get(above)).copied().unwrap_or_default();
            turned.insert(joint.name, turn);
            track.rotations.push((time, parent.inverse() * turn));
            let own = Vec3::from_array(joint.position);
            if joint.name == PELVIS {
                let way = posed[&node].1 - rest.world[&node].1 - raised;
                track.positions.push((time, own + way * rest.size));
            } else if slides.contains(&node)
                && let Some(&above) = above.and_then(|above| rest.node_of.get(above))
            {
                let way = (posed[&node].1 - posed[&above].1) * rest.size;
                track.positions.push((time, parent.inverse() * way));
            }
        }
    }
    for track in &mut tracks {
        let is_turned = |(_, turn): &(f32, Quat)| turn.xyz().length() > NOTHING;
        if !track.rotations.iter().any(is_turned) && !is_animated(animation, rest.node_of[track.joint.name]) {
            track.rotations.clear();
        }
        let from = Vec3::from_array(track.joint.position);
        if track.positions.iter().all(|(_, place)| (*place - from).length() < NOTHING) {
            track.positions.clear();
        }
    }
    tracks.retain(|track| !track.rotations.is_empty() || !track.positions.is_empty());
    rest.list(animation, losses);
    Ok(tracks)
}

/// The rotation about the vertical axis that makes a rig with joints of the avatar face +z: 0, 90, 180 or -90 degrees.
pub(crate) fn quarters(scene: &Scene) -> f64 {
    let mapped = Mapped::new(scene);
    if mapped.joints.iter().all(Option::is_none) {
        return 0.0;
    }
    // The avatar faces x.
    let front = Rest::new(scene, &mapped).rig.axes.inverse() * Vec3::X;
    let quarters = libm::atan2(f64::from(front.x), f64::from(front.z)) / std::f64::consts::FRAC_PI_2;
    (1.0 - quarters.round()).rem_euclid(4.0) * 90.0 - 90.0
}

/// Whether the second points of several pairs are the first, moved by at most a millimetre against one another.
fn is_same(pairs: &[(Vec3, Vec3)]) -> bool {
    let ways = || pairs.iter().map(|(own, its)| *own - *its);
    pairs.len() > 1 && ways().all(|way| ways().next().is_some_and(|first| way.distance(first) < 1e-3))
}

fn is_animated(animation: &Animation, node: usize) -> bool {
    animation
        .channels
        .iter()
        .any(|channel| channel.node == node && matches!(channel.values, Values::Rotation(_)))
}

/// The times at which the pose is sampled: 30 times a second, and at keys unless there are too many of them.
fn times(animation: &Animation, duration: f32) -> Vec<f32> {
    let mut times: Vec<f32> = frames(duration).collect();
    let most = 2 * times.len();
    let mut keys: Vec<f32> = Vec::new();
    for channel in &animation.channels {
        let steps = channel.interpolation == Interpolation::Step;
        // A jump takes one step of time.
        let before = |time: f32| steps.then_some(time - duration / STEPS);
        let more = channel.times.iter().flat_map(|&time| [Some(time), before(time)]).flatten();
        keys.extend(more.filter(|time| (0.0..=duration).contains(time)).take(most));
        keys.sort_by(f32::total_cmp);
        keys.dedup();
        if keys.len() > most {
            return times;
        }
    }
    times.extend(keys);
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

impl<'a> Rest<'a> {
    fn new(scene: &'a Scene, mapped: &'a Mapped) -> Self {
        let node_of = mapped.nodes();
        let rig = Rig::new(scene, node_of.values().copied(), Quat::from_mat4(&lying()));
        let world = rig.at_rest();
        let mut rest = Self { rig, mapped, world, node_of, size: 1.0 };
        rest.rig.axes = Quat::from_rotation_z(rest.yaw()) * rest.rig.axes;
        rest.world = rest.rig.at_rest();
        rest.size = rest.size();
        rest
    }

    /// The nearest node above a node that is a joint.
    fn parent(&self, node: usize) -> Option<usize> {
        let mut next = self.rig.parents[node];
        while let Some(node) = next.filter(|&node| self.mapped.joints[node].is_none()) {
            next = self.rig.parents[node];
        }
        next
    }

    /// The nearest joint above a joint of the avatar that the rig has, too.
    fn above(&self, name: &str) -> Option<&'static str> {
        let mut next = joints::find(name)?.parent;
        while let Some(name) = next.filter(|name| !self.node_of.contains_key(name)) {
            next = joints::find(name)?.parent;
        }
        next
    }

    fn place(&self, name: &str) -> Option<Vec3> {
        Some(self.world[self.node_of.get(name)?].1)
    }

    /// The rotation about the vertical axis that aligns the rig's left with the avatar's, or its joints if it has only
    /// one side; rounded to a quarter turn if it is near one.
    fn yaw(&self) -> f32 {
        let pairs = self.node_of.keys().filter_map(|name| {
            let left = name.strip_suffix("Left")?;
            Some(self.place(name)? - self.place(&format!("{left}Right"))?)
        });
        let mut pairs: Vec<Vec3> = pairs.collect();
        // Sorted, so that the sum does not depend on the order of the table.
        pairs.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let left: Vec3 = pairs.into_iter().sum();
        let yaw = match left.truncate().length() > left.z.abs() {
            true => libm::atan2f(left.x, left.y),
            // A rig with only one side, such as an arm.
            false => {
                let pair = |joint: &'static Joint| Some((rig::place(joint), self.place(joint.name)?));
                let pairs: Vec<_> = joints::ALL.iter().filter_map(pair).collect();
                heading(&pairs, Vec3::Z).unwrap_or_else(|| {
                    match self.mapped.title.is_none() && is_same(&pairs) {
                        true => 0.0,
                        false => (90.0 - self.rig.scene.front).to_radians(),
                    }
                })
            }
        };
        near_quarter(yaw)
    }

    /// The ratio of the avatar's leg length, or of its pelvis height, to the rig's.
    fn size(&self) -> f32 {
        let height = |of: &dyn Fn(&str) -> Option<Vec3>| {
            let ankle = of("mAnkleLeft").or_else(|| of("mAnkleRight"));
            Some(of(PELVIS)?.z - ankle.map_or(0.0, |ankle| ankle.z))
        };
        let has = |name: &str| self.node_of.contains_key(name).then(|| joints::find(name).map(rig::place))?;
        let ratio = height(&has).zip(height(&|name| self.place(name))).map_or(1.0, |(own, its)| own / its);
        let is_same = self.mapped.title.is_none() && (ratio - 1.0).abs() < 0.02;
        if is_same || !(ratio.is_finite() && ratio > 0.0) { 1.0 } else { ratio }
    }

    /// The rotations of the avatar's joints that give it the rest pose of the rig.
    fn held(&self) -> HashMap<&'static str, Quat> {
        let mut held: HashMap<&'static str, Quat> = HashMap::new();
        for [limb, end] in LIMBS {
            let directions = || {
                let its = self.place(end)? - self.place(limb)?;
                let own = rig::place(joints::find(end)?) - rig::place(joints::find(limb)?);
                Some((own.try_normalize()?, its.try_normalize()?))
            };
            let Some((own, its)) = directions() else { continue };
            if own.angle_between(its) > SAME_POSE {
                held.insert(limb, Quat::from_rotation_arc(own, its));
            }
        }
        // Wrists and hands follow their arm.
        for joint in joints::ALL {
            let Some(above) =
                joint.parent.filter(|_| joint.name.starts_with("mWrist") || joint.name.starts_with("mHand"))
            else {
                continue;
            };
            if let Some(turn) = held.get(above).copied() {
                held.entry(joint.name).or_insert(turn);
            }
        }
        held
    }

    /// The translation of the hips at the start, if it is not a motion ([`is_raised`]); lists it.
    fn raised(&self, animation: &Animation, losses: &mut Vec<Loss>) -> Vec3 {
        let Some(&node) = self.node_of.get(PELVIS) else { return Vec3::ZERO };
        let [rest, start] = [self.world[&node].1, self.rig.posed(animation, 0.0)[&node].1];
        if !is_raised(rest * self.size, start * self.size, 1.0) {
            return Vec3::ZERO;
        }
        losses.push(
            Loss::approximated(self.rig.scene.nodes[node].name.clone(), RAISED).id("retarget.translation"),
        );
        start
    }

    /// The joints that the animation moves in their parent; lists those that cannot be kept.
    fn slides(&self, animation: &Animation, losses: &mut Vec<Loss>) -> BTreeSet<usize> {
        let mut slides = BTreeSet::new();
        for channel in &animation.channels {
            let Values::Translation(values) = &channel.values else { continue };
            let rest = Vec3::from_array(self.rig.scene.nodes[channel.node].transform.translation);
            let moves =
                |value: &[f32; 3]| Vec3::from_array(*value).distance(rest) * self.size > 2.0 * NOTHING;
            let is_moved = values.iter().any(moves);
            let joint = self.mapped.joints[channel.node].filter(|joint| joint.name != PELVIS);
            if joint.is_some() && is_moved {
                match self.mapped.title {
                    None => _ = slides.insert(channel.node),
                    Some(_) => {
                        let name = self.rig.scene.nodes[channel.node].name.clone();
                        losses.push(
                            Loss::new(name, "translation of a joint other than the hips")
                                .id("retarget.translation"),
                        );
                    }
                }
            }
        }
        slides
    }

    /// Lists the changes: the rig, and joints that the avatar does not have.
    fn list(&self, animation: &Animation, losses: &mut Vec<Loss>) {
        let rig = match self.mapped.title {
            Some(title) => format!("a {title} rig"),
            None => "this file's rig".to_owned(),
        };
        let joints = self.node_of.len();
        let what = format!(
            "rotations, converted from the rest pose of {rig} to the rest pose of the avatar (number of joints: {joints})"
        );
        losses.push(Loss::approximated("animations", what).id("retarget.rest-pose"));
        let moved = animation.channels.iter().map(|channel| channel.node);
        let others = self.rig.others(moved, |node| self.mapped.joints[node].is_some());
        losses.extend(others.into_iter().map(|(node, is_above)| {
            let name = self.rig.scene.nodes[node].name.clone();
            match is_above {
                true => Loss::approximated(
                    name,
                    "this is not a joint of the avatar, so its motion is applied to the joints below it",
                )
                .id("retarget.joint-above"),
                false => Loss::new(name, "the keys of a joint that the avatar does not have")
                    .id("retarget.no-joint"),
            }
        }));
    }
}
