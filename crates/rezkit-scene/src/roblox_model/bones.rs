//! Skins as the bones of a mesh and `Bone`s of its part.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use geom::TriMesh;
use glam::{Mat3, Mat4, Vec3};
use rbxcore::{CFrame, NewInstance};
use rbxmesh::Bone;
use rezkit_core::{Error, Result};

use crate::model::{Scene, rigid};
use crate::pose::deformed;
use crate::roblox::BoneNode;

/// A frame without a scale.
pub(super) fn cframe(frame: Mat4) -> CFrame {
    let rows = Mat3::from_mat4(frame).transpose().to_cols_array();
    let rows = rows.map(|part| if part == 0.0 { 0.0 } else { part });
    CFrame { position: vector(frame.w_axis.truncate()), rotation: geom::Mat3::from_rows(rows) }
}

pub(super) fn vector(of: Vec3) -> geom::Vec3 {
    of.to_array().map(|part| part + 0.0).into()
}

/// The size of a part that nobody sees, in studs.
pub(super) const UNSEEN: f32 = 0.1;

/// A small part that nobody sees or touches.
pub(super) fn unseen(name: &str, frame: CFrame) -> NewInstance {
    NewInstance::new("Part")
        .property("Name", name)
        .property("CFrame", frame)
        .property("size", vector(Vec3::splat(UNSEEN)))
        .property("Transparency", 1.0_f32)
        .property("Anchored", true)
        .property("CanCollide", false)
        .property("CanQuery", false)
        .property("CanTouch", false)
        .property("CastShadow", false)
}

/// Names of which each is given once; further ones of a name have a number.
#[derive(Default)]
pub(super) struct Unique {
    taken: HashSet<String>,
    /// By name: the number that the next one of it has.
    next: HashMap<String, usize>,
}

impl Unique {
    pub(super) fn take(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name} {next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// The joints of all skins, with the names of their bones.
pub(super) struct Joints {
    names: HashMap<usize, String>,
    parents: Vec<Option<usize>>,
    /// By node: whether it is a joint or below one.
    inside: Vec<bool>,
}

/// A skinned mesh: its triangles at rest, in the space of the scene, and its bones.
pub(super) struct Skinned {
    pub(super) mesh: TriMesh,
    pub(super) bones: Vec<Bone>,
    /// The joints of the bones, parents before their children, each with the index of its parent in this list.
    order: Vec<(usize, Option<usize>)>,
    /// The joints whose scales move vertices, which bones do not have.
    pub(super) scaled: Vec<usize>,
}

impl Joints {
    pub(super) fn new(scene: &Scene) -> Self {
        let (mut names, mut unique) = (HashMap::new(), Unique::default());
        for joint in scene.joints() {
            let own = scene.nodes.get(joint).map_or("", |node| node.name.as_str());
            let own = if own.is_empty() { "Bone" } else { own };
            names.entry(joint).or_insert_with(|| unique.take(own));
        }
        let parents = scene.parents();
        let mut inside = vec![false; scene.nodes.len()];
        for node in scene.walk() {
            inside[node] = names.contains_key(&node) || parents[node].is_some_and(|parent| inside[parent]);
        }
        Self { names, parents, inside }
    }

    /// The names of all bones, which others must not have.
    pub(super) fn unique(&self) -> Unique {
        Unique { taken: self.names.values().cloned().collect(), ..Unique::default() }
    }

    /// The name of the bone of a joint.
    pub(super) fn name(&self, joint: usize) -> &str {
        self.names.get(&joint).map_or("", String::as_str)
    }

    /// Whether a node is a joint or below one.
    pub(super) fn is_at_or_below(&self, node: usize) -> bool {
        self.inside[node]
    }

    /// Whether a node is a joint.
    pub(super) fn contains(&self, node: usize) -> bool {
        self.names.contains_key(&node)
    }

    /// The joints of a skin, parents before their children, each with the index of the nearest joint above it.
    fn ordered(&self, scene: &Scene, joints: &[usize]) -> Vec<(usize, Option<usize>)> {
        let own: HashSet<usize> = joints.iter().copied().collect();
        let (mut order, mut index_of) = (Vec::new(), HashMap::new());
        for node in scene.walk().into_iter().filter(|node| own.contains(node)) {
            let above = std::iter::successors(self.parents[node], |&node| self.parents[node]);
            let parent = above.take(scene.nodes.len()).find_map(|node| index_of.get(&node).copied());
            index_of.insert(node, order.len());
            order.push((node, parent));
        }
        order
    }

    /// A mesh that follows a skin. `world` has the matrices of the nodes at rest.
    ///
    /// # Errors
    /// If there are more joints than a mesh can have, or a matrix is not finite.
    pub(super) fn bind(
        &self,
        scene: &Scene,
        skin: usize,
        mesh: &Arc<TriMesh>,
        world: &[Mat4],
    ) -> Result<Option<Skinned>> {
        let Some(skin) = scene.skins.get(skin).filter(|_| !mesh.joints.is_empty()) else { return Ok(None) };
        let order = self.ordered(scene, &skin.joints);
        let inverse: HashMap<usize, Mat4> = skin
            .joints
            .iter()
            .zip(&skin.inverse_bind)
            .map(|(&joint, matrix)| (joint, Mat4::from_cols_array_2d(matrix)))
            .collect();
        let Some(&(root, _)) = order.first() else { return Ok(None) };
        // From the mesh as it was bound to the scene, as the first joint places it at rest.
        let base = world[root] * inverse.get(&root).copied().unwrap_or_default();
        let mut moved = deformed(mesh, base, None);
        let new_of: HashMap<usize, u16> =
            order.iter().zip(0..).map(|(&(joint, _), index)| (joint, index)).collect();
        let most = usize::from(u16::MAX);
        if order.len() > most {
            let what = format!("expected at most {most} joints in a skin, found {}", order.len());
            return Err(Error::unwritable(what));
        }
        for (joints, weights) in moved.joints.iter_mut().zip(&moved.weights) {
            for (joint, weight) in joints.iter_mut().zip(weights) {
                let node = skin.joints.get(usize::from(*joint)).filter(|_| *weight != 0.0);
                *joint = node.and_then(|node| new_of.get(node)).copied().unwrap_or(0);
            }
        }
        let bind_of = |joint: usize| {
            let bind = base * inverse.get(&joint).copied().unwrap_or_default().inverse();
            if bind.is_finite() { rigid(bind) } else { rigid(world[joint]) }
        };
        // A bone moves its vertices by its frame at rest and that of the mesh, neither of which has a scale.
        let is_scaled = |joint: usize| {
            let of_joint = world[joint] * inverse.get(&joint).copied().unwrap_or_default();
            let of_bone = rigid(world[joint]) * bind_of(joint).inverse() * base;
            let [of_joint, of_bone] = [of_joint, of_bone].map(Mat3::from_mat4);
            let size = of_joint.to_cols_array().into_iter().fold(1e-6, |most: f32, at| most.max(at.abs()));
            !of_joint.abs_diff_eq(of_bone, 1e-3 * size)
        };
        let mut has_weight = vec![false; order.len()];
        for (joints, weights) in moved.joints.iter().zip(&moved.weights) {
            for (joint, _) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                has_weight[usize::from(*joint)] = true;
            }
        }
        let with_weights = order.iter().zip(has_weight).filter(|(_, has_weight)| *has_weight);
        let scaled = with_weights.map(|((joint, _), _)| *joint).filter(|joint| is_scaled(*joint)).collect();
        let bone = |&(joint, parent): &(usize, Option<usize>)| {
            let bind = bind_of(joint);
            let bind = geom::Mat4::from_columns(bind.to_cols_array());
            let parent = parent.and_then(|parent| u16::try_from(parent).ok());
            Bone::new(self.names[&joint].as_str(), parent, bind).map_err(Error::unwritable)
        };
        let bones = order.iter().map(bone).collect::<Result<Vec<_>>>()?;
        Ok(Some(Skinned { mesh: moved, bones, order, scaled }))
    }

    /// Adds the `Bone`s of a mesh to its part at this frame, and lists them for animations.
    pub(super) fn add(
        &self,
        skinned: &Skinned,
        (part, name): (NewInstance, &str),
        frame: Mat4,
        world: &[Mat4],
        listed: &mut Vec<BoneNode>,
    ) -> NewInstance {
        let known: HashSet<usize> = listed.iter().map(|bone| bone.node).collect();
        let rest = |&(joint, parent): &(usize, Option<usize>)| {
            let above = parent.map_or(frame, |parent| rigid(world[skinned.order[parent].0]));
            above.inverse() * rigid(world[joint])
        };
        let mut below: Vec<Vec<NewInstance>> = vec![Vec::new(); skinned.order.len()];
        let mut tops = Vec::new();
        for (index, entry) in skinned.order.iter().enumerate().rev() {
            let (joint, parent) = *entry;
            let own = NewInstance::new("Bone")
                .property("Name", self.names[&joint].as_str())
                .property("CFrame", cframe(rest(entry)));
            let own = std::mem::take(&mut below[index]).into_iter().rev().fold(own, NewInstance::child);
            match parent {
                Some(parent) => below[parent].push(own),
                None => tops.push(own),
            }
        }
        for entry in skinned.order.iter().filter(|(joint, _)| !known.contains(joint)) {
            let above = entry.1.map(|parent| skinned.order[parent].0);
            listed.push(BoneNode {
                node: entry.0,
                name: self.names[&entry.0].clone(),
                above: above.map(|above| self.names[&above].clone()).unwrap_or_else(|| name.to_owned()),
                above_node: above,
                frame,
                rest: rest(entry),
            });
        }
        tops.into_iter().rev().fold(part, NewInstance::child)
    }
}
