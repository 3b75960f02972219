//! Moves an animation from one rig to another: the only retargeter. The target is a [`Target`], whatever the format; the
//! source is any scene with nodes that are its joints by their names.
//!
//! A joint of the target has the rotation in the world, from its rest pose, of its counterpart; limbs whose directions at
//! rest differ are held in the direction of the source's. The hips move by the ratio of the legs' lengths.

pub(crate) mod changes;
pub(crate) mod names;
mod report;
mod scenes;
mod standing;
mod target;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Mat4, Quat, Vec3};
use rezkit_core::{Budget, Loss, Result};

use crate::model::{Animation, Interpolation, Scene, Transform, Values, decomposed};
use names::{Mapped, plain};
pub use report::{Retargeted, RootMotion};
pub(crate) use scenes::{RATE, onto};
pub(crate) use target::{End, Joint, Limb, Target, other_side};

/// The rotation and position of a node in the world, in the target's axes.
type Place = (Quat, Vec3);
/// The keys of a joint: its transform in its parent.
pub(crate) type Keys = Vec<(f32, Transform)>;

/// A pose that differs by less than this from the one at rest, in radians, is none: arms at the sides may hang a little.
pub(crate) const SAME_POSE: f32 = std::f32::consts::PI / 9.0;
/// Directions of which none differs by more than this are those of the target's own rest pose.
pub(crate) const OWN_POSE: f32 = 0.05;
/// A smaller way, in units of the target, is 32-bit rounding.
const NOTHING: f32 = 1e-5;
/// A joint that moves by more than this in its parent, in units of the target, is listed.
const MOVED: f32 = 1e-3;

/// The shoulders, with the ends of the lower arms.
const ARMS: [(&str, [&str; 2]); 2] =
    [("mShoulderLeft", ["mElbowLeft", "mWristLeft"]), ("mShoulderRight", ["mElbowRight", "mWristRight"])];

/// The ends of a human's limbs, by those of their upper bones.
const TIPS: [(&str, &str); 4] = [
    ("mElbowLeft", "mWristLeft"),
    ("mElbowRight", "mWristRight"),
    ("mKneeLeft", "mAnkleLeft"),
    ("mKneeRight", "mAnkleRight"),
];

/// Changes on the way to another rig.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The hips stay above the place where they begin.
    pub(crate) in_place: bool,
    /// The left and the right side are exchanged.
    pub(crate) mirror: bool,
}

/// The nodes of a scene on which the joints of a rig depend.
struct Rig<'a> {
    scene: &'a Scene,
    /// The joints and all nodes above them, parents before children.
    order: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// The rotation from the scene's axes to the target's.
    axes: Quat,
}

impl<'a> Rig<'a> {
    fn new(scene: &'a Scene, parents: Vec<Option<usize>>, joints: impl Iterator<Item = usize>) -> Self {
        let mut is_needed = vec![false; scene.nodes.len()];
        for node in joints {
            let mut next = Some(node);
            while let Some(node) = next.filter(|&node| !is_needed[node]) {
                is_needed[node] = true;
                next = parents[node];
            }
        }
        let order = scene.walk().into_iter().filter(|&node| is_needed[node]).collect();
        Self { scene, order, parents, axes: Quat::IDENTITY }
    }

    fn at_rest(&self) -> HashMap<usize, Place> {
        self.placed(|node| self.scene.nodes[node].transform)
    }

    fn posed(&self, animation: &Animation, time: f32) -> HashMap<usize, Place> {
        let mut moved: HashMap<usize, Transform> = HashMap::new();
        for channel in &animation.channels {
            let node = &self.scene.nodes[channel.node];
            channel.apply(moved.entry(channel.node).or_insert(node.transform), time);
        }
        self.placed(|node| moved.get(&node).copied().unwrap_or(self.scene.nodes[node].transform))
    }

    fn placed(&self, transform: impl Fn(usize) -> Transform) -> HashMap<usize, Place> {
        let mut world: HashMap<usize, Mat4> = HashMap::new();
        let mut placed = HashMap::new();
        for &node in &self.order {
            let above = self.parents[node].and_then(|parent| world.get(&parent)).copied().unwrap_or_default();
            let matrix = above * transform(node).mat4();
            world.insert(node, matrix);
            let (_, turn, place) = decomposed(matrix);
            placed.insert(node, ((self.axes * turn).normalize(), self.axes * place));
        }
        placed
    }
}

/// An animation of a rig, matched with a target.
pub(crate) struct Retarget<'a> {
    rig: Rig<'a>,
    animation: &'a Animation,
    target: &'a Target,
    /// The kind of the source's names; `None` for those of Second Life's avatar or unknown ones.
    title: Option<&'static str>,
    /// The node of each joint of a human.
    known: HashMap<&'static str, usize>,
    /// The counterpart of each joint of the target.
    pub(crate) nodes: Vec<Option<usize>>,
    /// The node at the end of the limb of each joint.
    ends: Vec<Option<usize>>,
    /// The hand or the foot to which a limb of one part points.
    tips: Vec<Option<usize>>,
    /// The ends of the legs, as [`Target::legs`].
    feet: Vec<Option<usize>>,
    rest: HashMap<usize, Place>,
    /// Whether the rest pose is one in which a human could stand.
    stands: bool,
    /// The rest places of the nodes of the target.
    own: HashMap<usize, Place>,
    /// Whether the joints have the names of the target's.
    pub(crate) is_named: bool,
    /// The number of units of the target per unit of the source.
    size: f32,
    /// The part of the position of the hips that is not a motion.
    raised: Vec3,
}

impl<'a> Retarget<'a> {
    /// Matches the nodes of a scene with the joints of a target.
    pub(crate) fn new(scene: &'a Scene, animation: &'a Animation, target: &'a Target) -> Self {
        let mapped = Mapped::new(scene);
        let parents = scene.parents();
        let moving = |node: usize| mover(scene, &parents, node);
        let known: HashMap<&'static str, usize> =
            mapped.nodes().into_iter().map(|(name, node)| (name, moving(node))).collect();
        let names: HashMap<String, usize> =
            scene.nodes.iter().enumerate().rev().map(|(at, node)| (plain(&node.name), at)).collect();
        let is_avatar = mapped.title.is_none();
        let by_name = |joint: &Joint| {
            let own = joint.known.first().filter(|name| is_avatar && **name == joint.name);
            let alias = own.and_then(|name| known.get(name));
            names.get(&plain(&joint.name)).map(|&node| moving(node)).or(alias.copied())
        };
        let by_known = |joint: &Joint| joint.known.iter().find_map(|name| known.get(name)).copied();
        let count = |nodes: &[Option<usize>]| nodes.iter().flatten().count();
        let all: [Vec<Option<usize>>; 2] = match target.is_source {
            true => {
                let own: Vec<_> = target.joints.iter().map(|joint| Some(joint.node)).collect();
                [own.clone(), own]
            }
            false => {
                [target.joints.iter().map(by_name).collect(), target.joints.iter().map(by_known).collect()]
            }
        };
        let [named, human] = all.each_ref().map(|nodes| count(nodes));
        // The avatar's names are those of a human's joints.
        let is_avatar =
            is_avatar && target.joints.iter().any(|joint| joint.known.first() == Some(&&*joint.name));
        let is_named = if named > 3 || is_avatar { named >= human } else { named > human };
        let [by_name, by_known] = all;
        let nodes = if is_named { by_name } else { by_known };
        let end = |end: &End| match *end {
            End::Joint(joint) => nodes[joint],
            End::Known(name) => known.get(name).copied(),
        };
        let ends: Vec<_> =
            target.joints.iter().map(|joint| joint.limb.as_ref().and_then(|limb| end(&limb.end))).collect();
        let tip = |joint: &Joint| match joint.limb.as_ref()?.end {
            End::Known(name) => {
                TIPS.iter().find(|(end, _)| *end == name).and_then(|(_, tip)| known.get(tip)).copied()
            }
            End::Joint(_) => None,
        };
        let tips: Vec<_> = target.joints.iter().map(tip).collect();
        let feet: Vec<_> = target.legs.iter().map(|leg| end(&leg.end)).collect();
        let needed = nodes.iter().chain(&ends).chain(&tips).chain(&feet).flatten().copied();
        let arms = ARMS.iter().flat_map(|(_, arm)| arm).filter_map(|name| known.get(name)).copied();
        let rig = Rig::new(scene, parents, needed.chain(arms));
        let rest = rig.at_rest();
        let (title, own, size, raised) = (mapped.title, target.places(), 1.0, Vec3::ZERO);
        let mut made = Self {
            rig,
            animation,
            target,
            title,
            known,
            nodes,
            ends,
            tips,
            feet,
            rest,
            stands: true,
            own,
            is_named,
            size,
            raised,
        };
        made.rig.axes = made.upright();
        made.rest = made.rig.at_rest();
        made.size = made.size();
        made.stands = target.is_source || !made.lies();
        made.stand();
        made.rig.axes = Quat::from_rotation_y(made.yaw()) * made.rig.axes;
        made.rest = made.rig.at_rest();
        made.stand();
        made.raised = made.raised();
        made
    }

    /// Whether a joint of the target has a counterpart.
    pub(crate) fn is_matched(&self) -> bool {
        self.nodes.iter().any(Option::is_some)
    }

    /// A direction of the target in the axes of the source.
    pub(crate) fn toward(&self, way: Vec3) -> Vec3 {
        self.rig.axes.inverse() * way
    }

    /// Whether the rig is the target itself: its joints have the same rotations at rest and the same joints above them, and
    /// no other node moves them.
    pub(crate) fn is_own(&self) -> bool {
        if self.title.is_some() || !self.is_named {
            return false;
        }
        let is_plain =
            |turn: Quat| turn.angle_between(Quat::IDENTITY).min((-turn).angle_between(Quat::IDENTITY)) < 2e-3;
        let joint_of: HashMap<usize, usize> =
            self.nodes.iter().enumerate().filter_map(|(joint, node)| Some(((*node)?, joint))).collect();
        let needed: BTreeSet<usize> = self.rig.order.iter().copied().collect();
        let is_other = |node: usize| !joint_of.contains_key(&node) && needed.contains(&node);
        let fits = |(&node, &joint): (&usize, &usize)| {
            let mut above = self.rig.parents[node];
            while let Some(node) = above.filter(|node| !joint_of.contains_key(node)) {
                above = self.rig.parents[node];
            }
            let mut own = self.target.joints[joint].parent;
            while let Some(joint) = own.filter(|&joint| self.nodes[joint].is_none()) {
                own = self.target.joints[joint].parent;
            }
            let at = &self.target.joints[joint].node;
            let local = Quat::from_array(self.rig.scene.nodes[node].transform.rotation);
            is_plain(self.own[at].0.inverse() * self.rest[&node].0)
                && (above.is_none() || is_plain(local))
                && above.and_then(|node| joint_of.get(&node)).copied() == own
        };
        joint_of.iter().all(fits) && !self.animation.channels.iter().any(|channel| is_other(channel.node))
    }

    /// The work for each time, in that for a node of the source: that for one of the target is about three times as much.
    pub(crate) fn effort(&self) -> usize {
        self.rig.order.len() + self.animation.channels.len() + 3 * self.target.order.len()
    }

    fn place(&self, joint: usize) -> Option<Vec3> {
        Some(self.rest[&self.nodes[joint]?].1)
    }

    fn own(&self, joint: usize) -> Vec3 {
        self.own[&self.target.joints[joint].node].1
    }

    /// The rotation that makes y up for a source in which z is up, such as BVH files of Blender and MakeHuman: in its rest
    /// pose and in its first pose, the head is along z from the hips.
    fn upright(&self) -> Quat {
        let node = |name: &str| self.known.get(name).copied().filter(|node| self.rest.contains_key(node));
        let Some((hips, head)) = node("mPelvis").zip(node("mHead")).filter(|_| !self.target.is_source) else {
            return Quat::IDENTITY;
        };
        let up = |places: &HashMap<usize, Place>| (places[&head].1 - places[&hips].1).normalize_or_zero().z;
        let [rest, first] = [up(&self.rest), up(&self.rig.posed(self.animation, 0.0))];
        match rest.abs() > 0.85 && rest * first > 0.5 {
            true => Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2 * rest.signum()),
            false => Quat::IDENTITY,
        }
    }

    /// The rotation about the vertical axis that aligns the source's left with the target's, or their joints if they
    /// have only one side; rounded to a quarter turn if it is near one.
    fn yaw(&self) -> f32 {
        let mut sums = [Vec3::ZERO; 2];
        for &(left, right) in &self.target.sides {
            if let Some((a, b)) = self.place(left).zip(self.place(right)) {
                sums = [sums[0] + self.own(left) - self.own(right), sums[1] + a - b];
            }
        }
        let [own, its] = sums.map(|sum| libm::atan2f(sum.x, sum.z));
        let is_level = |sum: Vec3| Vec3::new(sum.x, 0.0, sum.z).length() > sum.y.abs().max(1e-6);
        let yaw = match sums.into_iter().all(is_level) {
            true => own - its,
            // A rig with only one side, such as an arm.
            false => {
                let pairs =
                    (0..self.nodes.len()).filter_map(|joint| Some((self.own(joint), self.place(joint)?)));
                let pairs: Vec<(Vec3, Vec3)> = pairs.collect();
                heading(&pairs, Vec3::Y).unwrap_or_else(|| match self.is_named && is_same(&pairs) {
                    true => 0.0,
                    false => (self.target.scene.front - self.rig.scene.front).to_radians(),
                })
            }
        };
        let turn = std::f32::consts::TAU;
        near_quarter(yaw - (yaw / turn).round() * turn)
    }

    /// The ratio of the target's leg length to the source's, or else of the heights of their hips.
    fn size(&self) -> f32 {
        let legs = self.target.legs.iter().zip(&self.feet);
        let mut ratios = legs.filter_map(|(leg, foot)| {
            // The rig need not stand upright.
            Some(leg.length / self.place(leg.joint)?.distance(self.rest.get(foot.as_ref()?)?.1))
        });
        let height = || {
            let root = (0..self.nodes.len()).find(|&joint| self.target.joints[joint].is_root)?;
            let [own, its] = [self.own(root).y, self.place(root)?.y];
            (own > 0.05 && its > 0.05 * own).then(|| own / its)
        };
        let ratio = ratios.next().or_else(height).unwrap_or(1.0);
        let is_same = self.is_named && (ratio - 1.0).abs() < 0.02;
        if is_same || !(ratio.is_finite() && ratio > 0.0) { 1.0 } else { ratio }
    }

    /// The rotations of the target's joints that give its limbs the directions of the source's at rest. Empty if none
    /// differs.
    fn held(&self) -> Vec<Quat> {
        let none = vec![Quat::IDENTITY; self.nodes.len()];
        let mut held: Vec<Option<Quat>> = vec![None; self.nodes.len()];
        let mut is_own = true;
        for (index, joint) in self.target.joints.iter().enumerate() {
            let turn = || {
                let (limb, place) = (joint.limb.as_ref()?, self.place(index)?);
                let end = || Some(self.rest.get(self.ends[index].as_ref()?)?.1);
                let line = self.of_roblox(joint).or_else(|| (end()? - place).try_normalize());
                Some((limb, line?))
            };
            let turn = turn();
            if let Some((limb, its)) = turn {
                is_own &= limb.line.dot(its) > OWN_POSE.cos();
                let is_same = self.is_named && limb.line.angle_between(its) <= self.target.same;
                held[index] = (!is_same).then(|| Quat::from_rotation_arc(limb.along, its));
            }
            // Wrists and hands follow their arm, and so does a limb whose end is unknown.
            if held[index].is_none() && (joint.follows || joint.limb.is_some() && turn.is_none()) {
                held[index] = joint.parent.and_then(|above| held[above]);
            }
        }
        if is_own { none } else { held.into_iter().map(Option::unwrap_or_default).collect() }
    }

    /// The direction of a limb of Roblox's avatars at rest: R6 has one part for each, which hangs, and the shoulders of
    /// R15 are at the inner sides of its arms, so that an upper arm has the direction of the lower one.
    fn of_roblox(&self, joint: &Joint) -> Option<Vec3> {
        let name = joint.known.first().filter(|_| !self.is_named)?;
        let (_, [elbow, wrist]) = ARMS.iter().find(|(shoulder, _)| shoulder == name)?;
        let place = |name: &str| Some(self.rest.get(self.known.get(name)?)?.1);
        match self.title {
            Some(names::R6) => Some(Vec3::NEG_Y),
            Some(names::R15) => {
                let line = || (place(wrist)? - place(elbow)?).try_normalize();
                Some(line().unwrap_or(Vec3::NEG_Y))
            }
            _ => None,
        }
    }

    /// The node of the joint that moves the rig.
    fn root(&self) -> Option<usize> {
        self.nodes.iter().zip(&self.target.joints).find_map(|(node, joint)| node.filter(|_| joint.is_root))
    }

    /// The position of the hips at the start, if it is not a motion, but their place: many BVH files have the offset 0
    /// for the hips, and their height only in the frames.
    fn raised(&self) -> Vec3 {
        let Some(root) = self.root().filter(|_| !(self.is_named && self.target.rests_at_origin)) else {
            return Vec3::ZERO;
        };
        let (rest, start) = (self.rest[&root].1, self.rig.posed(self.animation, 0.0)[&root].1);
        let leg = self.target.leg / self.size;
        if rest.length() < leg * 1e-3 && start.length() > leg / 4.0 { start } else { Vec3::ZERO }
    }

    /// The point between the hips, from which the legs hang, if both rigs have it: that of the source in a pose, and that
    /// of the target at rest.
    fn between(&self, places: &HashMap<usize, Place>) -> Option<[Vec3; 2]> {
        let [left, right] = self.target.hips?;
        let its = places[&self.nodes[left]?].1 + places[&self.nodes[right]?].1;
        Some([its / 2.0, (self.own(left) + self.own(right)) / 2.0])
    }

    /// The displacement of a joint from its rest position in the joint above it, in units of the target.
    fn slid(&self, joint: usize, posed: &HashMap<usize, Place>) -> Vec3 {
        let way = || {
            let mut above = self.target.joints[joint].parent?;
            while self.nodes[above].is_none() {
                above = self.target.joints[above].parent?;
            }
            let [node, above] = [self.nodes[joint]?, self.nodes[above]?];
            let [(turn, at), (rest_turn, rest)] = [posed[&above], self.rest[&above]];
            let held = at + turn * rest_turn.inverse() * (self.rest[&node].1 - rest);
            Some((posed[&node].1 - held) * self.size)
        };
        way().filter(|way| way.length() > NOTHING).unwrap_or_default()
    }

    /// The way of the root joint from its rest position, in the world of the target.
    fn moved(&self, joint: usize, posed: &HashMap<usize, Place>, start: Vec3, changes: Changes) -> Vec3 {
        let Some(node) = self.nodes[joint] else { return Vec3::ZERO };
        let (now, rest) = match self.between(posed).zip(self.between(&self.rest)) {
            Some(([now, _], [rest, _])) => (now, rest),
            None => (posed[&node].1, self.rest[&node].1),
        };
        let mut way = (now - rest - self.raised) * self.size;
        if changes.in_place {
            (way.x, way.z) = (start.x, start.z);
        }
        way
    }

    /// The keys of each joint of the target at these times, and the places of its ankles and those of the source's, in
    /// units of the target.
    pub(crate) fn tracks(&self, times: &[f32], changes: Changes) -> (Vec<Keys>, Vec<Vec<[Vec3; 2]>>) {
        let target = self.target;
        let held = self.held();
        let left = target.left();
        let mut tracks: Vec<Keys> = vec![Vec::new(); self.nodes.len()];
        let mut feet: Vec<Vec<[Vec3; 2]>> = vec![Vec::new(); target.feet.len()];
        let start = Changes { in_place: false, ..changes };
        let root = (0..self.nodes.len()).find(|&joint| target.joints[joint].is_root);
        let first = times.first().map(|&time| self.rig.posed(self.animation, time));
        let start =
            root.zip(first).map_or(Vec3::ZERO, |(root, posed)| self.moved(root, &posed, Vec3::ZERO, start));
        let anchor = self.between(&self.rest).map(|[_, own]| own);
        let mut world: HashMap<usize, Mat4> = HashMap::new();
        for &time in times {
            let posed = self.rig.posed(self.animation, time);
            let delta = |joint: usize| {
                let node = self.nodes[joint]?;
                let turn = (posed[&node].0 * self.rest[&node].0.inverse() * held[joint]).normalize();
                let aim = || {
                    let way = (posed[&self.tips[joint]?].1 - posed[&node].1).try_normalize()?;
                    Some(Quat::from_rotation_arc(turn * target.joints[joint].limb.as_ref()?.along, way))
                };
                Some(aim().map_or(turn, |aim| (aim * turn).normalize()))
            };
            world.clear();
            for &node in &target.order {
                let rest = target.scene.nodes[node].transform;
                let above =
                    target.parents[node].and_then(|parent| world.get(&parent)).copied().unwrap_or_default();
                let mut local = rest;
                let of = target.joint_at.get(&node).copied();
                // The joint whose motion this one gets.
                let from = |joint: usize| if changes.mirror { target.other[joint] } else { joint };
                if let Some((joint, turn)) = of.and_then(|joint| Some((joint, delta(from(joint))?))) {
                    let turn = if changes.mirror { mirrored_turn(turn, left) } else { turn };
                    let way = match target.joints[joint].is_root {
                        true => {
                            let way = self.moved(from(joint), &posed, start, changes);
                            let way = if changes.mirror { mirrored(way, left) } else { way };
                            // The point between the hips moves, and not the joint.
                            let arm = anchor.map_or(Vec3::ZERO, |anchor| anchor - self.own(joint));
                            way - (turn * arm - arm)
                        }
                        // The joints of another rig have other places: limbs only rotate.
                        false if self.is_named => {
                            let way = self.slid(from(joint), &posed);
                            if changes.mirror { mirrored(way, left) } else { way }
                        }
                        false => Vec3::ZERO,
                    };
                    let (_, base, _) = decomposed(above);
                    local.rotation = (base.inverse() * turn * self.own[&node].0).normalize().to_array();
                    if way != Vec3::ZERO {
                        let way = above.inverse().transform_vector3(way);
                        local.translation = (Vec3::from(rest.translation) + way).to_array();
                    }
                    tracks[joint].push((time, local));
                }
                world.insert(node, above * local.mat4());
            }
            for (places, &foot) in feet.iter_mut().zip(&target.feet) {
                let own = world[&target.joints[foot].node].w_axis.truncate();
                places.extend(self.nodes[foot].map(|node| [own, posed[&node].1 * self.size]));
            }
        }
        (tracks, feet)
    }

    /// The joints of the target, in which a motion in the parent is kept.
    pub(crate) fn keeps_translation(&self, joint: usize) -> bool {
        self.is_named || self.target.joints[joint].is_root
    }

    /// Whether the animation turns the counterpart of a joint.
    pub(crate) fn is_turned(&self, joint: usize) -> bool {
        let of = |values: &Values| matches!(values, Values::Rotation(_));
        self.animation
            .channels
            .iter()
            .any(|channel| Some(channel.node) == self.nodes[joint] && of(&channel.values))
    }

    /// Which joints, with all below them, the animation does not turn and are only held a little otherwise than at rest:
    /// they get no keys, so that other animations may move them.
    pub(crate) fn resting(&self, tracks: &[Keys]) -> Vec<bool> {
        let is_at_rest = |joint: usize, least: f32| {
            let rest = &self.target.scene.nodes[self.target.joints[joint].node].transform;
            let at_rest = Quat::from_array(rest.rotation).inverse();
            let is_near = |pose: &Transform| {
                let turn = (at_rest * Quat::from_array(pose.rotation)).normalize();
                let way = Vec3::from(pose.translation) - Vec3::from(rest.translation);
                2.0 * turn.xyz().length() < least && way.length() < 1e-4 * self.target.leg
            };
            !self.is_moved(joint) && tracks[joint].iter().all(|(_, pose)| is_near(pose))
        };
        let mut resting: Vec<bool> = (0..tracks.len()).map(|joint| is_at_rest(joint, SAME_POSE)).collect();
        // Parents come before children.
        for (joint, of) in self.target.joints.iter().enumerate().rev() {
            if let Some(above) = of.parent.filter(|_| !resting[joint]) {
                resting[above] = false;
            }
        }
        // One that is exactly at rest holds nothing.
        (0..tracks.len()).map(|joint| resting[joint] || is_at_rest(joint, 2e-4)).collect()
    }

    /// Whether the animation turns or moves the counterpart of a joint.
    fn is_moved(&self, joint: usize) -> bool {
        let of = |values: &Values| matches!(values, Values::Rotation(_) | Values::Translation(_));
        self.animation
            .channels
            .iter()
            .any(|channel| Some(channel.node) == self.nodes[joint] && of(&channel.values))
    }

    /// Lists what is not kept: a start of the hips that is no motion, translations of joints, and moved nodes that are
    /// no joints of the target. `path` is before the names of the nodes.
    pub(crate) fn list(&self, path: &str, losses: &mut Vec<Loss>) {
        let nodes = &self.rig.scene.nodes;
        let at = |node: usize| format!("{path}{}", nodes[node].name);
        if let Some(root) = self.root().filter(|_| self.raised != Vec3::ZERO) {
            losses.push(Loss::approximated(at(root), RAISED).id("retarget.translation"));
        }
        let joint_of: HashMap<usize, usize> =
            self.nodes.iter().enumerate().filter_map(|(joint, node)| Some(((*node)?, joint))).collect();
        let mut others = BTreeSet::new();
        for channel in &self.animation.channels {
            let Some(&joint) = joint_of.get(&channel.node) else {
                if matches!(channel.values, Values::Translation(_) | Values::Rotation(_)) {
                    others.insert(channel.node);
                }
                continue;
            };
            let Values::Translation(values) = &channel.values else { continue };
            let rest = Vec3::from(nodes[channel.node].transform.translation);
            let is_moved = |value: &[f32; 3]| Vec3::from_array(*value).distance(rest) * self.size > MOVED;
            if !self.keeps_translation(joint) && values.iter().any(is_moved) {
                let what = "translation of a joint other than the hips";
                losses.push(Loss::new(at(channel.node), what).id("retarget.translation"));
            }
        }
        let above: BTreeSet<usize> = self.rig.order.iter().copied().collect();
        if !self.stands {
            let what = "nobody could stand as the rig rests: its pose at the start, with an upright trunk, counts as that at rest";
            losses.push(Loss::approximated(path.trim_end_matches('/'), what).id("retarget.rest-pose"));
        }
        if (self.rig.axes * Vec3::Y).dot(Vec3::Y) < 0.5 {
            let what = "z is up in the rig: it is turned so that y is up";
            losses.push(Loss::approximated(path.trim_end_matches('/'), what).id("retarget.rest-pose"));
        }
        losses.extend(others.into_iter().map(|node| match above.contains(&node) {
            true => Loss::approximated(
                at(node),
                "the rig has no joint for this node: its motion is kept in the joints below it",
            )
            .id("retarget.joint-above"),
            false => Loss::new(
                at(node),
                "the motion of the node: the rig has no joint for it or for a node below it (the option rig sets \
                 another rig)",
            )
            .id("retarget.no-joint"),
        }));
    }
}

/// The change of an animation whose hips rest at the origin.
const RAISED: &str =
    "the hips rest at the origin, so their positions were converted to positions relative to the first frame";

/// The node that moves a joint: that above the node of a part of Roblox with the suffix ` pose`.
fn mover(scene: &Scene, parents: &[Option<usize>], node: usize) -> usize {
    let is_pose =
        |above: &usize| scene.nodes[*above].name.strip_suffix(" pose") == Some(&*scene.nodes[node].name);
    parents[node].filter(is_pose).unwrap_or(node)
}

fn mirrored(way: Vec3, left: Vec3) -> Vec3 {
    way - left * (2.0 * way.dot(left))
}

/// The mirror image of a rotation: that part of its axis which is along the normal of the mirror stays.
fn mirrored_turn(turn: Quat, left: Vec3) -> Quat {
    let axis = turn.xyz();
    let axis = left * (2.0 * axis.dot(left)) - axis;
    Quat::from_xyzw(axis.x, axis.y, axis.z, turn.w)
}

/// A rotation about the vertical axis, rounded to a quarter turn if it is near one.
fn near_quarter(yaw: f32) -> f32 {
    let quarter = std::f32::consts::FRAC_PI_2;
    let nearest = (yaw / quarter).round() * quarter;
    if (yaw - nearest).abs() < quarter / 9.0 { nearest } else { yaw }
}

/// The rotation about the axis `up`, in radians, that brings the second points of the pairs closest to the first. `None`
/// if they do not determine it, since they are near a line along this axis.
fn heading(pairs: &[(Vec3, Vec3)], up: Vec3) -> Option<f32> {
    let count = pairs.len().max(1) as f32;
    let sum = pairs.iter().fold((Vec3::ZERO, Vec3::ZERO), |(a, b), (c, d)| (a + *c, b + *d));
    let (mut sine, mut cosine, mut size) = (0.0, 0.0, [0.0; 2]);
    for (own, its) in pairs {
        let [own, its] = [*own - sum.0 / count, *its - sum.1 / count];
        size = [size[0] + own.length_squared(), size[1] + its.length_squared()];
        let [own, its] = [own, its].map(|way| way.reject_from_normalized(up));
        sine += its.cross(own).dot(up);
        cosine += its.dot(own);
    }
    let least = 0.05 * (size[0] * size[1]).sqrt();
    (sine.hypot(cosine) > least).then(|| libm::atan2f(sine, cosine))
}

/// Whether the second points of several pairs are the first, moved by at most a millimetre against one another.
fn is_same(pairs: &[(Vec3, Vec3)]) -> bool {
    let ways = || pairs.iter().map(|(own, its)| *own - *its);
    pairs.len() > 1 && ways().all(|way| ways().next().is_some_and(|first| way.distance(first) < 1e-3))
}

/// The time before a jump at which the value before it is kept, in seconds.
const JUMP: f32 = 0.0005;

/// The times at which an animation is sampled until `end`: frames at this rate, or else at [`RATE`] and the keys, at least
/// `least` seconds from each other; a key is preferred to a frame. Also returns the number of keys left out. Keys are ignored
/// if there are more than two for each frame.
pub(crate) fn times(
    animation: &Animation,
    end: f32,
    rate: Option<f32>,
    least: f32,
    budget: &mut Budget,
) -> Result<(Vec<f32>, usize)> {
    let per_second = rate.unwrap_or(RATE);
    #[allow(clippy::cast_sign_loss, reason = "not negative")]
    let frames = (end * per_second).ceil().max(0.0) as usize;
    budget.take_values::<[f32; 8]>(frames, "the times of the animation")?;
    let mut times: BTreeMap<u32, (f32, bool)> = BTreeMap::new();
    let samples = || (0..=frames).map(|frame| (frame as f32 / per_second).min(end));
    let sample = |time: f32| ((time + 0.0).to_bits(), (time, false));
    // A key that is also a sample is a key.
    times.extend(samples().map(sample));
    for channel in animation.channels.iter().filter(|_| rate.is_none()) {
        let is_step = channel.interpolation == Interpolation::Step;
        budget.take_values::<[f32; 8]>(channel.times.len(), "the times of the animation")?;
        for time in channel.times.iter().map(|time| time.max(0.0) + 0.0).filter(|time| *time <= end) {
            times.insert(time.to_bits(), (time, true));
            let before = time - JUMP;
            if is_step && least == 0.0 && before > 0.0 {
                times.insert(before.to_bits(), (before, true));
            }
        }
    }
    let keys = times.values().filter(|(_, is_key)| *is_key).count();
    if least == 0.0 && keys > 2 * (frames + 1) {
        times = samples().map(sample).collect();
    }
    Ok(spaced(times.into_values(), least))
}

/// The times that are far enough from each other, in order, with the first and the last; a key is preferred to a sample.
/// Also returns the number of keys left out.
fn spaced(times: impl Iterator<Item = (f32, bool)>, least: f32) -> (Vec<f32>, usize) {
    let (mut kept, mut left_out, mut last) = (Vec::<(f32, bool)>::new(), 0, None);
    for (time, is_key) in times {
        last = Some((time, is_key));
        match kept.last().copied() {
            Some((before, was_key)) if time - before < least => {
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
