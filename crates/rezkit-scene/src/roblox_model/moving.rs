//! The parts that animations move, and the joints between them.
//!
//! A node that moves has a joint to one of the parts below it, its body, to which the others are welded. The joint is at
//! the origin of the node, so that a pose is its motion.

use std::collections::HashMap;

use glam::Mat4;
use rbxcore::NewInstance;

use super::bones::{Joints, cframe};
use crate::model::{LightKind, Scene, rigid};
use crate::roblox::{BoneNode, is_pose_of_own_rig};

/// The part from which the joints start, if no part stands still.
const ROOT: &str = "Root";

/// The part of a node that moves.
struct Body {
    /// The node of the part.
    node: usize,
    name: String,
    /// The label and the frame of the part, after it is made.
    made: Option<(String, Mat4)>,
}

/// The parts of a scene that its animations move.
pub(super) struct Moving {
    /// By node: the nearest node at or above it that moves.
    nearest: Vec<Option<usize>>,
    /// By the node of each part: the node with a body that moves it.
    owners: HashMap<usize, usize>,
    /// By the node that moves.
    bodies: HashMap<usize, Body>,
    /// The nodes that move, parents before their children, each with the nearest one above it.
    order: Vec<(usize, Option<usize>)>,
    /// A part that stands still.
    root: Option<Body>,
    /// The labels of the other parts, by the node that moves them.
    others: Vec<(usize, String)>,
}

/// What joins the parts of a scene.
pub(super) struct Joined {
    pub(super) instances: Vec<NewInstance>,
    pub(super) bones: Vec<BoneNode>,
}

/// Whether a node becomes a part that no bone of its mesh moves; that of a light is invisible.
fn is_part(scene: &Scene, node: usize, world: &[Mat4]) -> bool {
    let own = &scene.nodes[node];
    let is_light = own.light.is_some_and(|light| light.kind != LightKind::Directional);
    let mesh = own.mesh.and_then(|mesh| scene.meshes.get(mesh));
    let first = mesh.and_then(|mesh| mesh.primitives.iter().find(|of| !of.mesh.triangles.is_empty()));
    let is_drawn = first.is_some_and(|first| {
        let is_skinned = own.skin.is_some() && !first.mesh.joints.is_empty();
        let is_finite = |bounds: geom::Aabb| bounds.min.is_finite() && bounds.max.is_finite();
        !is_skinned && first.mesh.bounds().is_some_and(is_finite)
    });
    (is_drawn || is_light && first.is_none()) && world[node].is_finite()
}

impl Moving {
    /// The parts that move; `None` if there are none. `world` has the matrices of the nodes, and `name` is that of the
    /// part of a node.
    pub(super) fn new(
        scene: &Scene,
        world: &[Mat4],
        joints: &Joints,
        name: impl Fn(usize) -> String,
    ) -> Option<Self> {
        let mut moved = scene.moving_nodes();
        let parents = scene.parents();
        moved.extend((0..scene.nodes.len()).filter(|&node| is_pose_of_own_rig(scene, &parents, node)));
        if moved.is_empty() {
            return None;
        }
        let order = scene.visible();
        // The node that moves each node.
        let mut nearest: Vec<Option<usize>> = vec![None; scene.nodes.len()];
        let (mut owners, mut firsts, mut root) = (HashMap::new(), HashMap::new(), None);
        for &node in &order {
            let above = parents[node].and_then(|parent| nearest[parent]);
            nearest[node] = if moved.contains(&node) { Some(node) } else { above };
            if !is_part(scene, node, world) {
                continue;
            }
            match nearest[node] {
                Some(owner) => {
                    firsts.entry(owner).or_insert(node);
                    owners.insert(node, owner);
                }
                None => root = root.or(Some(node)),
            }
        }
        if firsts.is_empty() {
            return None;
        }
        let root = root.map(|node| Body { node, name: name(node), made: None });
        let mut unique = joints.unique();
        unique.take(root.as_ref().map_or(ROOT, |root| &root.name));
        let (mut bodies, mut with_bodies) = (HashMap::new(), Vec::new());
        // The nearest node with a body at or above each.
        let mut holders: Vec<Option<usize>> = vec![None; scene.nodes.len()];
        for &node in &order {
            let above = parents[node].and_then(|parent| holders[parent]);
            holders[node] = above;
            if let Some(&part) = firsts.get(&node) {
                holders[node] = Some(node);
                let name = unique.take(&name(part));
                bodies.insert(node, Body { node: part, name, made: None });
                with_bodies.push((node, above));
            }
        }
        Some(Self { nearest, owners, bodies, order: with_bodies, root, others: Vec::new() })
    }

    /// Whether a joint or a weld moves the part of a node.
    pub(super) fn moves(&self, node: usize) -> bool {
        self.owners.contains_key(&node)
    }

    /// Whether what is below a node follows one that moves.
    pub(super) fn moves_below(&self, node: usize) -> bool {
        self.nearest[node].is_some()
    }

    /// Notes the part of a node at its frame; returns its label, and its name if it has another one than the node.
    pub(super) fn add(&mut self, node: usize, frame: Mat4) -> Option<(String, Option<String>)> {
        if let Some(root) = self.root.as_mut().filter(|root| root.node == node) {
            let label = "still".to_owned();
            root.made = Some((label.clone(), frame));
            return Some((label, None));
        }
        let owner = *self.owners.get(&node)?;
        let label = format!("moving {node}");
        match self.bodies.get_mut(&owner).filter(|body| body.node == node) {
            Some(body) => {
                body.made = Some((label.clone(), frame));
                Some((label, Some(body.name.clone())))
            }
            None => {
                self.others.push((owner, label.clone()));
                Some((label, None))
            }
        }
    }

    /// The joints and welds between the parts. `still` makes an invisible part of a name, where no part stands still.
    pub(super) fn finish(&self, world: &[Mat4], still: impl Fn(&str) -> NewInstance) -> Joined {
        let mut joined = Joined { instances: Vec::new(), bones: Vec::new() };
        let root = self.root.as_ref().and_then(|root| Some((root.name.as_str(), root.made.as_ref()?)));
        let (root_name, (root_label, root_frame)) = match root {
            Some((name, made)) => (name, made.clone()),
            None => {
                joined.instances.push(still(ROOT).label(ROOT));
                (ROOT, (ROOT.to_owned(), Mat4::IDENTITY))
            }
        };
        for &(node, above) in &self.order {
            let Body { name, made: Some((label, frame)), .. } = &self.bodies[&node] else { continue };
            let holder = above.map(|above| (above, &self.bodies[&above]));
            let holder = holder.and_then(|(at, body)| Some((at, body.name.as_str(), body.made.as_ref()?)));
            let (above_node, above_name, (above_label, above_frame)) = match holder {
                Some((at, name, made)) => (Some(at), name, made.clone()),
                None => (None, root_name, (root_label.clone(), root_frame)),
            };
            let origin = rigid(world[node]);
            let motor = NewInstance::new("Motor6D")
                .property("Name", name.as_str())
                .property("C0", cframe(above_frame.inverse() * origin))
                .property("C1", cframe(frame.inverse() * origin))
                .reference("Part0", &above_label)
                .reference("Part1", label);
            joined.instances.push(motor);
            let frame = above_node.map_or(Mat4::IDENTITY, |above| rigid(world[above]));
            joined.bones.push(BoneNode {
                node,
                name: name.clone(),
                above: above_name.to_owned(),
                above_node,
                frame,
                rest: frame.inverse() * origin,
            });
        }
        for (owner, label) in &self.others {
            let Some((body, _)) = &self.bodies[owner].made else { continue };
            let weld = NewInstance::new("WeldConstraint").property("Name", "WeldConstraint");
            joined.instances.push(weld.reference("Part0Internal", body).reference("Part1Internal", label));
        }
        joined
    }
}
