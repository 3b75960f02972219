//! The joints of an avatar, for a scene whose parts are named as those of R15 or R6.

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Vec3};
use rbxcore::NewInstance;

use super::bones::{cframe, unseen, vector};
use crate::model::{Scene, rigid};
use crate::roblox::{AvatarJoint, avatar_joints};

/// The ending of the names of meshes in files for avatars.
const GEOMETRY: &str = "_Geo";

/// A part of the avatar in the model.
struct Limb {
    label: String,
    frame: Mat4,
    size: Vec3,
    /// Where the origin of its node is, which is the joint unless it is the middle of the mesh.
    origin: Mat4,
}

/// A joint that the scene states.
#[derive(Clone, Copy)]
struct Stated {
    frame: Mat4,
    /// Whether its axes are those of the joint of Roblox: a rig that came from there has them.
    has_axes: bool,
}

/// The size of the root part of both avatars.
const ROOT: Vec3 = Vec3::new(2.0, 2.0, 1.0);

/// The parts of an avatar in a scene, and those that became instances.
pub(super) struct Motors {
    joints: Vec<AvatarJoint>,
    /// The nodes with triangles that are parts, and their names.
    parts: HashMap<usize, &'static str>,
    /// The frames of the joints that the scene states, by the part that each moves: those of a skin, and those of a rig that
    /// came from Roblox.
    skeleton: HashMap<&'static str, Stated>,
    limbs: HashMap<&'static str, Limb>,
}

impl Motors {
    /// The avatar of a scene: each of its parts but the root is a node with triangles. `world` has the matrices of the nodes.
    pub(super) fn new(scene: &Scene, world: &[Mat4]) -> Option<Self> {
        let skinned: HashSet<usize> = scene.joints().collect();
        avatar_joints().into_iter().find_map(|joints| {
            let names: HashSet<&'static str> = joints.iter().flat_map(|of| [of.part0, of.part1]).collect();
            let named = |node: usize| {
                let name = scene.nodes[node].name.as_str();
                names.get(name.strip_suffix(GEOMETRY).unwrap_or(name)).copied()
            };
            let (mut parts, mut skeleton) = (HashMap::new(), HashMap::new());
            for node in scene.visible() {
                let joint = scene.nodes[node].name.strip_suffix(" C0").and_then(|part| names.get(part));
                if let Some(&part) = joint {
                    skeleton.insert(part, Stated { frame: rigid(world[node]), has_axes: true });
                }
                let Some(name) = named(node) else { continue };
                if scene.nodes[node].mesh.is_some() {
                    parts.insert(node, name);
                } else if skinned.contains(&node) {
                    let own = Stated { frame: rigid(world[node]), has_axes: false };
                    let joint = skeleton.entry(name).or_insert(own);
                    if !joint.has_axes {
                        *joint = own;
                    }
                }
            }
            let found: HashSet<&str> = parts.values().copied().collect();
            let is_whole = joints.iter().all(|of| found.contains(of.part1)) && found.len() == parts.len();
            is_whole.then(|| Self { joints, parts, skeleton, limbs: HashMap::new() })
        })
    }

    /// The part that the instance of a node is.
    pub(super) fn part(&self, node: usize) -> Option<&'static str> {
        self.parts.get(&node).copied()
    }

    /// Whether a joint moves the part that the instance of a node is: the root is anchored.
    pub(super) fn moves(&self, node: usize) -> bool {
        let part = self.part(node);
        self.joints.iter().any(|of| Some(of.part1) == part)
    }

    /// Notes the instance of a part; returns the label that it gets.
    pub(super) fn add(&mut self, name: &'static str, (frame, size): (Mat4, Vec3), origin: Mat4) -> String {
        let label = format!("avatar {name}");
        let own = label.clone();
        self.limbs.insert(name, Limb { label, frame, size, origin: rigid(origin) });
        own
    }

    /// The invisible root part of an avatar that has none, where its first joint is.
    fn root(&mut self) -> Option<NewInstance> {
        let of = self.joints.first().filter(|of| !self.limbs.contains_key(of.part0))?;
        let next = self.limbs.get(of.part1)?;
        let ([c0, c1], part) = (of.frames, of.part0);
        let joint = match self.skeleton.get(of.part1).filter(|joint| joint.has_axes) {
            Some(joint) => joint.frame,
            None => next.frame * c1,
        };
        let frame = rigid(joint * c0.inverse());
        let label = self.add(part, (frame, ROOT), frame);
        let root = unseen(part, cframe(frame)).property("size", vector(ROOT));
        Some(root.label(&label))
    }

    /// The joints between the parts that became instances, and whether some of their places are those of Roblox's own
    /// avatar, since the scene does not state them.
    pub(super) fn finish(&mut self) -> (Vec<NewInstance>, bool) {
        let (mut made, mut is_assumed): (Vec<NewInstance>, bool) = (self.root().into_iter().collect(), false);
        for of in &self.joints {
            let (Some(one), Some(next)) = (self.limbs.get(of.part0), self.limbs.get(of.part1)) else {
                continue;
            };
            let [_, own] = of.frames;
            let is_middle = next.origin.w_axis.abs_diff_eq(next.frame.w_axis, 1e-3 * next.size.max_element());
            let stated = self.skeleton.get(of.part1);
            let joint = match stated {
                Some(joint) => joint.frame,
                None if !is_middle => next.origin,
                None => {
                    is_assumed = true;
                    let place = own.w_axis.truncate() * next.size / of.size;
                    next.frame * Mat4::from_translation(place)
                }
            };
            // The axes of the joint are those of the avatar in the part, unless the scene states them.
            let place = next.frame.inverse().transform_point3(joint.w_axis.truncate());
            let turn = Mat4::from_mat3(glam::Mat3::from_mat4(own));
            let c1 = match stated.is_some_and(|joint| joint.has_axes) {
                true => next.frame.inverse() * joint,
                false => Mat4::from_translation(place) * turn,
            };
            let c0 = one.frame.inverse() * next.frame * c1;
            let motor = NewInstance::new("Motor6D")
                .property("Name", of.name)
                .property("C0", cframe(c0))
                .property("C1", cframe(c1))
                .reference("Part0", &one.label)
                .reference("Part1", &next.label);
            made.push(motor);
        }
        (made, is_assumed)
    }
}
