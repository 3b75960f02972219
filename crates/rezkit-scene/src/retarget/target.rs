//! The rigs that motions are moved to: a skeleton at rest, and what its joints are.

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};
use slmesh::joints;

use super::names::{Mapped, ROWS, Row};
use super::{OWN_POSE, Place, mover};
use crate::model::{Node, Scene, Skin, Transform, Values, decomposed};

/// A rig: its skeleton and its joints. In the scene, y is up.
pub(crate) struct Target {
    pub(crate) name: String,
    /// The skeleton at rest, without animations; if [`is_source`](Self::is_source), the scene of the animation.
    pub(crate) scene: Scene,
    pub(super) parents: Vec<Option<usize>>,
    /// The joints' nodes and all nodes above them, parents before children.
    pub(super) order: Vec<usize>,
    /// The joints, parents before children.
    pub(crate) joints: Vec<Joint>,
    pub(super) joint_at: HashMap<usize, usize>,
    /// The left and the right joint of each pair.
    pub(super) sides: Vec<(usize, usize)>,
    /// The joint of the other side, or the joint itself.
    pub(super) other: Vec<usize>,
    pub(super) legs: Vec<Leg>,
    /// The joints of the thighs.
    pub(super) hips: Option<[usize; 2]>,
    /// The ankles.
    pub(super) feet: Vec<usize>,
    /// The length of the legs, about.
    pub(super) leg: f32,
    /// Whether the hips rest near the origin, so that a source with the same names does, too.
    pub(super) rests_at_origin: bool,
    /// Whether the animation is one of this rig itself.
    pub(super) is_source: bool,
    /// Directions that differ by less than this, in radians, count as the same pose for rigs with the same names.
    pub(super) same: f32,
}

/// A joint of a target.
pub(crate) struct Joint {
    pub(crate) name: String,
    /// The node that moves.
    pub(crate) node: usize,
    /// The joints of a human that it follows: the first that the source has.
    pub(crate) known: Vec<&'static str>,
    /// The nearest joint above it.
    pub(crate) parent: Option<usize>,
    pub(crate) limb: Option<Limb>,
    /// Whether it carries the others, so that it also moves.
    pub(crate) is_root: bool,
    /// Whether it is held as the joint above it, unless it has a limb of its own.
    pub(crate) follows: bool,
}

/// The limb of a joint at rest.
pub(crate) struct Limb {
    /// The direction of the limb.
    pub(crate) along: Vec3,
    /// The direction from its joint to the one at its end.
    pub(crate) line: Vec3,
    pub(crate) end: End,
}

/// The end of a limb in the source.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// The counterpart of a joint of the target.
    Joint(usize),
    /// A joint of a human, for a limb that has no further joint in the target.
    Known(&'static str),
}

/// A leg, whose length is that from a joint to an end.
pub(super) struct Leg {
    pub(super) joint: usize,
    pub(super) end: End,
    pub(super) length: f32,
}

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

const HIPS: [&str; 2] = ["mHipLeft", "mHipRight"];
const ANKLES: [&str; 2] = ["mAnkleLeft", "mAnkleRight"];

impl Target {
    /// A rig with these joints, which are in order from the root outwards. `legs` are the joints of thighs with the ends
    /// of their legs and the lengths up to there.
    pub(crate) fn new(name: &str, scene: Scene, joints: Vec<Joint>, legs: Vec<(usize, End, f32)>) -> Self {
        let parents = scene.parents();
        let joint_at: HashMap<usize, usize> =
            joints.iter().enumerate().map(|(index, joint)| (joint.node, index)).collect();
        let mut needed: HashSet<usize> = HashSet::new();
        for joint in &joints {
            let mut next = Some(joint.node);
            while let Some(node) = next.filter(|&node| needed.insert(node)) {
                next = parents[node];
            }
        }
        let order = scene.walk().into_iter().filter(|node| needed.contains(node)).collect();
        let is = |index: usize, name: &str| joints[index].known.contains(&name);
        let find = |name: &str| (0..joints.len()).find(|&index| is(index, name));
        let names: HashMap<&str, usize> =
            joints.iter().enumerate().map(|(index, joint)| (&*joint.name, index)).collect();
        let other = |index: usize| {
            let known = joints[index].known.first().and_then(|name| other_side(name));
            let by_known = known.and_then(|name| {
                (0..joints.len()).find(|&at| joints[at].known.first().is_some_and(|own| *own == name))
            });
            by_known.or_else(|| names.get(&*other_side(&joints[index].name)?).copied()).unwrap_or(index)
        };
        let other: Vec<usize> = (0..joints.len()).map(other).collect();
        let is_left = |index: usize| {
            let name = joints[index].known.first().map_or(&*joints[index].name, |name| name);
            is_left(name)
        };
        let sides = other.iter().enumerate().filter(|(index, other)| index != *other && is_left(*index));
        let sides = sides.map(|(index, other)| (index, *other)).collect();
        let [left, right] = HIPS.map(find);
        let hips = left.zip(right).map(|(left, right)| [left, right]);
        let feet = ANKLES.into_iter().filter_map(find).collect();
        let legs = legs.into_iter().map(|(joint, end, length)| Leg { joint, end, length }).collect();
        let (name, leg, rests_at_origin, is_source, same) = (name.to_owned(), 1.0, false, false, OWN_POSE);
        Self {
            name,
            scene,
            parents,
            order,
            joints,
            joint_at,
            sides,
            other,
            legs,
            hips,
            feet,
            leg,
            rests_at_origin,
            is_source,
            same,
        }
    }

    /// A rig whose hips rest near the origin, with legs of about this length.
    pub(crate) fn at_origin(self, leg: f32) -> Self {
        Self { rests_at_origin: true, leg, ..self }
    }

    /// A rig for which directions that differ by less than an angle in radians count as the same pose.
    pub(crate) fn lenient(self, same: f32) -> Self {
        Self { same, ..self }
    }

    /// A skeleton of bones: each is a node, its name, and the joint of a human that it is.
    pub(crate) fn of_bones(
        name: &str,
        scene: Scene,
        bones: Vec<(usize, String, Option<&'static str>)>,
    ) -> Self {
        let parents = scene.parents();
        let index_of: HashMap<usize, usize> =
            bones.iter().enumerate().map(|(index, bone)| (bone.0, index)).collect();
        let known: HashMap<&str, usize> =
            bones.iter().enumerate().filter_map(|(index, bone)| Some((bone.2?, index))).collect();
        let world = scene.world_at_rest();
        let place = |index: usize| world[bones[index].0].w_axis.truncate();
        let above = |node: usize| {
            let mut next = parents[node];
            while let Some(node) = next.filter(|node| !index_of.contains_key(node)) {
                next = parents[node];
            }
            next.and_then(|node| index_of.get(&node)).copied()
        };
        let limb = |name: &str| {
            let [start, end] = LIMBS.into_iter().find(|limb| limb[0] == name)?;
            let (start, end) = (*known.get(start)?, *known.get(end)?);
            let line = (place(end) - place(start)).try_normalize()?;
            Some(Limb { along: line, line, end: End::Joint(end) })
        };
        let has = |name: &str| known.contains_key(name);
        let followed = |name: &'static str| match name {
            // A rig with one joint of the spine gets what turns its upper end.
            "mTorso" if !has("mChest") => vec!["mChest", "mTorso"],
            "mChest" if !has("mTorso") => vec!["mChest", "mTorso"],
            name => vec![name],
        };
        let has_pelvis = has("mPelvis");
        let joint = |(node, name, known): &(usize, String, Option<&'static str>)| {
            let parent = above(*node);
            let of = known.unwrap_or_default();
            Joint {
                name: name.clone(),
                node: *node,
                known: known.map(followed).unwrap_or_default(),
                parent,
                limb: limb(of),
                is_root: if has_pelvis { of == "mPelvis" } else { parent.is_none() },
                follows: of.starts_with("mWrist") || of.starts_with("mHand"),
            }
        };
        let joints: Vec<Joint> = bones.iter().map(joint).collect();
        let leg = |(hip, ankle)| {
            let (hip, ankle) = (*known.get(hip)?, *known.get(ankle)?);
            Some((hip, End::Joint(ankle), place(hip).distance(place(ankle))))
        };
        let legs: Vec<_> = HIPS.into_iter().zip(ANKLES).filter_map(leg).collect();
        let length = legs.iter().map(|leg| leg.2).fold(0.0, f32::max);
        let made = Self::new(name, scene, joints, legs);
        Self { leg: if length > 0.0 { length } else { 1.0 }, ..made }
    }

    /// The skeleton of a scene: its joints are those of its skins, those with names of a known rig, and the nodes that
    /// its animations move.
    pub(crate) fn of_scene(scene: &Scene, name: &str) -> Self {
        let mapped = Mapped::new(scene);
        let parents = scene.parents();
        let mut known: HashMap<usize, &'static str> = HashMap::new();
        let mut names: HashMap<usize, String> = HashMap::new();
        for (node, joint) in mapped.joints.iter().enumerate() {
            let moved = mover(scene, &parents, node);
            known.extend(joint.map(|joint| (moved, joint.name)));
            if moved != node {
                names.insert(moved, scene.nodes[node].name.clone());
            }
        }
        let is_move = |values: &Values| matches!(values, Values::Translation(_) | Values::Rotation(_));
        let channels = scene.channels();
        let moved = channels.filter(|channel| is_move(&channel.values)).map(|channel| channel.node);
        let of_skins = scene.joints();
        let all: HashSet<usize> = moved.chain(of_skins).chain(known.keys().copied()).collect();
        let bones = scene.walk().into_iter().filter(|node| all.contains(node));
        let bones = bones.map(|node| {
            let name = names.get(&node).cloned().unwrap_or_else(|| scene.nodes[node].name.clone());
            (node, name, known.get(&node).copied())
        });
        let bones: Vec<_> = bones.collect();
        let mut bare = scene.clone();
        bare.animations.clear();
        Self::of_bones(name, bare, bones)
    }

    /// A scene as the target of its own animations.
    pub(crate) fn of_source(scene: &Scene) -> Self {
        Self { is_source: true, ..Self::of_scene(scene, "its own rig") }
    }

    /// The rig with the names of a row, in the proportions of Second Life's avatar, facing +z; `None` if no row has this
    /// name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let row = ROWS.iter().find(|row| !row.option.is_empty() && row.option.eq_ignore_ascii_case(name))?;
        let (scene, bones) = skeleton(row);
        Some(Self::of_bones(row.title, scene, bones))
    }

    /// The rotations and positions of the joints and the nodes above them at rest, in the world.
    pub(super) fn places(&self) -> HashMap<usize, Place> {
        let mut world: HashMap<usize, Mat4> = HashMap::new();
        let mut places = HashMap::new();
        for &node in &self.order {
            let above = self.parents[node].and_then(|parent| world.get(&parent)).copied().unwrap_or_default();
            let matrix = above * self.scene.nodes[node].transform.mat4();
            world.insert(node, matrix);
            let (_, turn, place) = decomposed(matrix);
            places.insert(node, (turn, place));
        }
        places
    }

    /// The node of the joint that carries the others.
    pub(super) fn root_node(&self) -> Option<usize> {
        self.joints.iter().find(|joint| joint.is_root).map(|joint| joint.node)
    }

    /// The direction to the left of the rig.
    pub(super) fn left(&self) -> Vec3 {
        let places = self.places();
        let place = |joint: usize| places[&self.joints[joint].node].1;
        let sum: Vec3 = self.sides.iter().map(|&(left, right)| place(left) - place(right)).sum();
        let front = self.scene.front.to_radians();
        let of_front = Vec3::new(libm::cosf(front), 0.0, -libm::sinf(front));
        Vec3::new(sum.x, 0.0, sum.z).try_normalize().unwrap_or(of_front)
    }
}

/// Bones of a skeleton: the node, the name, and the joint of a human.
type Bones = Vec<(usize, String, Option<&'static str>)>;

/// The skeleton of a row: the joints of Second Life's avatar, with other names, and arms that hang as they do there.
fn skeleton(row: &Row) -> (Scene, Bones) {
    let mut scene = Scene { name: row.title.to_owned(), ..Scene::default() };
    let mut names: HashMap<&str, Vec<String>> = HashMap::new();
    for (name, joint) in row.names() {
        names.entry(joint.name).or_default().push(format!("{}{name}", row.prefix));
    }
    let top = scene.add_node(None, Node { name: "Armature".into(), ..Node::default() });
    let mut nodes: HashMap<&str, (usize, Vec3)> = HashMap::new();
    let mut bones = Bones::new();
    for joint in joints::ALL {
        let Some(names) = names.get(joint.name) else { continue };
        let (mut above, mut next) = (None, joint.parent);
        while let Some(name) = next.filter(|_| above.is_none()) {
            above = nodes.get(name).copied();
            next = joints::find(name).and_then(|joint| joint.parent);
        }
        let place = hanging(joint.name, row.arms);
        let (mut parent, mut from) = above.unwrap_or((top, Vec3::ZERO));
        // Several joints of one are in a row, and the last is that which turns.
        let count = names.len() as f32;
        for (number, name) in (1_u8..).zip(names) {
            let start = above.map_or(place, |(_, from)| from);
            let own = start.lerp(place, f32::from(number) / count);
            let transform = Transform::from_translation((own - from).to_array());
            let made = Node { name: name.clone(), transform, ..Node::default() };
            (parent, from) = (scene.add_node(Some(parent), made), own);
            let is_last = usize::from(number) == names.len();
            bones.push((parent, name.clone(), is_last.then_some(joint.name)));
        }
        nodes.insert(joint.name, (parent, place));
    }
    let joints: Vec<usize> = bones.iter().map(|bone| bone.0).collect();
    let world = scene.world_at_rest();
    let inverse_bind = joints.iter().map(|&node| world[node].inverse().to_cols_array_2d()).collect();
    scene.skins.push(Skin { name: String::new(), joints, inverse_bind });
    (scene, bones)
}

/// The place of a joint of the avatar that faces +z, with arms that hang by an angle.
fn hanging(name: &str, arms: f32) -> Vec3 {
    let place = |name: &str| {
        let (mut place, mut next) = (Vec3::ZERO, joints::find(name));
        while let Some(joint) = next {
            place += Vec3::from_array(joint.position);
            next = joint.parent.and_then(joints::find);
        }
        // From x forward, y left, z up.
        Vec3::new(place.y, place.z, place.x)
    };
    let is_arm = ["mElbow", "mWrist", "mHand"].into_iter().any(|start| name.starts_with(start));
    let own = place(name);
    if !is_arm || arms == 0.0 {
        return own;
    }
    let (shoulder, sign) =
        if name.ends_with("Left") { ("mShoulderLeft", -1.0) } else { ("mShoulderRight", 1.0) };
    let shoulder = place(shoulder);
    shoulder + Quat::from_rotation_z(sign * arms.to_radians()) * (own - shoulder)
}

/// The words for the sides in names of joints.
const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];

/// The name of a joint of the other side; `None` for a joint in the middle.
pub(crate) fn other_side(name: &str) -> Option<String> {
    for (left, right) in WORDS {
        if name.contains(left) {
            return Some(name.replace(left, right));
        }
        if name.contains(right) {
            return Some(name.replace(right, left));
        }
    }
    // One letter at the start or the end, or between dots, underscores or spaces.
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| b"._- :|".contains(byte));
    let bytes = name.as_bytes();
    let at = (0..bytes.len()).find(|&at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        b"LRlr".contains(&bytes[at]) && is_end(before) && is_end(bytes.get(at + 1)) && bytes.len() > 1
    });
    let swap = |byte: u8| match byte {
        b'L' => 'R',
        b'R' => 'L',
        b'l' => 'r',
        _ => 'l',
    };
    if let Some(at) = at {
        return Some(format!("{}{}{}", &name[..at], swap(bytes[at]), &name[at + 1..]));
    }
    // As Daz and Poser: lShin, rShin.
    let is_prefix = matches!(bytes, [b'l' | b'r', next, ..] if next.is_ascii_uppercase());
    is_prefix.then(|| format!("{}{}", swap(bytes[0]), &name[1..]))
}

/// Whether the name of a joint that has another side is that of the left one.
fn is_left(name: &str) -> bool {
    let Some(other) = other_side(name) else { return false };
    let changed = name.bytes().zip(other.bytes()).find(|(own, other)| own != other);
    changed.is_some_and(|(own, _)| matches!(own, b'L' | b'l'))
}
