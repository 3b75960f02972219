//! Reduces skins to the joints that the viewer knows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use geom::TriMesh;
use rezkit_core::{Budget, Loss, Result};
use slmesh::joints;

use crate::features::Feature;
use crate::model::{Mesh, Node, Scene, Skin};
use crate::retarget::names::Mapped;

/// The features that change if joints are dropped.
const OF_SKINS: [Feature; 3] = [Feature::Skins, Feature::SeveralSkins, Feature::JointAnimations];

/// The joints of a skin that the viewer knows, and the replacements of the others: vertices of an unknown joint follow
/// the nearest known joint above it.
#[derive(Debug)]
pub struct Known {
    /// For each joint, the joint that gets its weights: itself, one above it, or none.
    into: Vec<Option<usize>>,
    /// For each joint, whether a vertex follows it.
    pub is_used: Vec<bool>,
}

impl Known {
    /// Examines the joints of a skin, and the weights of the meshes that use it. `parents` are [`Scene::parents`].
    pub fn new<'a>(
        scene: &Scene,
        parents: &[Option<usize>],
        skin: &Skin,
        meshes: impl Iterator<Item = &'a TriMesh>,
    ) -> Self {
        let mut is_used = vec![false; skin.joints.len()];
        for (joints, weights) in meshes.flat_map(|mesh| mesh.joints.iter().zip(&mesh.weights)) {
            for (&joint, _) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                is_used.get_mut(usize::from(joint)).into_iter().for_each(|is_used| *is_used = true);
            }
        }
        Self::of_used(scene, parents, skin, is_used)
    }

    fn of_used(scene: &Scene, parents: &[Option<usize>], skin: &Skin, is_used: Vec<bool>) -> Self {
        let number: HashMap<usize, usize> =
            skin.joints.iter().enumerate().map(|(joint, &node)| (node, joint)).collect();
        // If several joints are the same one of the avatar, the first with its name is used, or else the first.
        let mut first: HashMap<&str, (bool, usize)> = HashMap::new();
        for (joint, &node) in skin.joints.iter().enumerate() {
            let name = scene.nodes[node].name.as_str();
            let Some(known) = joints::find(name) else { continue };
            let there = first.entry(known.name).or_insert((name == known.name, joint));
            if name == known.name && !there.0 {
                *there = (true, joint);
            }
        }
        let own = |node: usize| {
            number.get(&node)?;
            first.get(joints::find(&scene.nodes[node].name)?.name).map(|(_, joint)| *joint)
        };
        // The nearest known joint of each node: its own, or that of its parent.
        let mut nearest: HashMap<usize, Option<usize>> = HashMap::new();
        let mut climbed = Vec::new();
        let mut above = |joint: usize| {
            let (mut next, mut found) = (Some(joint), None);
            while let Some(node) = next {
                if let Some(&known) = nearest.get(&node) {
                    found = known;
                    break;
                }
                // This also ends the search in a cycle.
                nearest.insert(node, None);
                climbed.push(node);
                found = own(node);
                next = parents[node].filter(|_| found.is_none());
            }
            climbed.drain(..).for_each(|node| _ = nearest.insert(node, found));
            found
        };
        Self { into: skin.joints.iter().map(|&node| above(node)).collect(), is_used }
    }

    /// The joints that vertices follow and that the viewer does not know, or knows as another joint of the skin.
    pub fn unknown(&self) -> impl Iterator<Item = usize> {
        let joints = self.into.iter().zip(&self.is_used).enumerate();
        joints.filter(|(joint, (into, is_used))| **is_used && **into != Some(*joint)).map(|(joint, _)| joint)
    }

    /// The reason why no joint is kept.
    fn why_none(&self) -> &'static str {
        match self.is_used.contains(&true) {
            true => "none of its joints has the name of an avatar joint (map the names with `--joints`)",
            false => "no vertex has a weight above 0",
        }
    }

    /// The joints that have weights, including those of unknown joints that they replace.
    fn kept(&self) -> Vec<usize> {
        let mut is_kept = vec![false; self.into.len()];
        let used = self.into.iter().zip(&self.is_used).filter(|(_, is_used)| **is_used);
        used.filter_map(|(into, _)| *into).for_each(|into| is_kept[into] = true);
        (0..is_kept.len()).filter(|&joint| is_kept[joint]).collect()
    }

    /// The index of each joint among the kept ones.
    fn index_of(&self, kept: &[usize]) -> Vec<Option<u16>> {
        let mut index_of = vec![None; self.into.len()];
        kept.iter().zip(0..).for_each(|(&joint, index)| index_of[joint] = Some(index));
        index_of
    }

    /// Converts the joints of a mesh to those that are kept. Vertices without a kept joint follow the first one; their
    /// number is returned.
    fn rename(&self, mesh: &mut TriMesh, index_of: &[Option<u16>]) -> usize {
        let into = |joint: u16| index_of[(*self.into.get(usize::from(joint))?)?];
        let vertices = mesh.joints.iter_mut().zip(&mut mesh.weights);
        vertices.map(|(joints, weights)| usize::from(!merge(joints, weights, into))).sum()
    }

    /// Lists the changes for joints that the viewer does not know.
    fn list<'a>(&'a self, scene: &'a Scene, skin: &'a Skin) -> impl Iterator<Item = Loss> {
        let name = |joint: usize| &scene.nodes[skin.joints[joint]].name;
        self.unknown().map(move |joint| {
            let is_twice = joints::find(name(joint)).is_some();
            let what = match self.into[joint].map(name) {
                Some(into) if is_twice => {
                    format!("this is the same joint of the avatar as {into}, so its weights move to {into}")
                }
                Some(into) => {
                    format!("this is not a joint of the avatar, so its weights move to {into}")
                }
                None => {
                    "this is not a joint of the avatar, so its weights move to the other joints of each vertex"
                        .to_owned()
                }
            };
            Loss::approximated(name(joint).clone(), what).id("sl.skin").about(OF_SKINS.map(Feature::title))
        })
    }
}

/// Keeps the joints that vertices follow and that the viewer knows, and returns them with the viewer's names. Vertices
/// of another joint follow the nearest known joint above it; without one, its weight goes to the other joints of
/// the vertex. `None` if no joint is left: then nothing is skinned.
pub(super) fn keep_joints(
    scene: &Scene,
    skin: &Skin,
    mut meshes: Vec<&mut TriMesh>,
    losses: &mut Vec<Loss>,
) -> Option<Vec<(usize, &'static str)>> {
    let known = Known::new(scene, &scene.parents(), skin, meshes.iter().map(|mesh| &**mesh));
    let kept = known.kept();
    let names =
        |&joint: &usize| joints::find(&scene.nodes[skin.joints[joint]].name).map(|own| (joint, own.name));
    let names: Vec<_> = kept.iter().filter_map(names).collect();
    if names.is_empty() {
        let loss = Loss::new("skin", known.why_none()).id("sl.skin");
        losses.push(loss.about(OF_SKINS.map(Feature::title)));
        meshes.iter_mut().for_each(|mesh| (mesh.joints, mesh.weights) = (Vec::new(), Vec::new()));
        return None;
    }
    losses.extend(known.list(scene, skin));
    let index_of = known.index_of(&kept);
    losses.extend(alone(meshes.into_iter().map(|mesh| known.rename(mesh, &index_of)).sum()));
    Some(names)
}

/// The loss for vertices that follow no kept joint.
fn alone(count: usize) -> Option<Loss> {
    let what = "a vertex that follows no joint of the avatar: it now follows the first joint of the skin";
    (count > 0).then(|| {
        Loss::approximated("skin", what)
            .id("mesh.unbound-vertex")
            .times(count)
            .about(OF_SKINS.map(Feature::title))
    })
}

/// Replaces the joints of a vertex, merging weights of equal joints; the sum stays the same. If no joint is left, the
/// vertex follows the first joint, and the result is false.
fn merge(joints: &mut [u16; 4], weights: &mut [f32; 4], into: impl Fn(u16) -> Option<u16>) -> bool {
    let before: f32 = weights.iter().sum();
    let (mut merged, mut count) = ([(0_u16, 0.0_f32); 4], 0);
    for (joint, weight) in joints.iter().zip(&*weights).filter(|(_, weight)| **weight > 0.0) {
        let Some(joint) = into(*joint) else { continue };
        match merged[..count].iter_mut().find(|(there, _)| *there == joint) {
            Some((_, sum)) => *sum += weight,
            None => {
                merged[count] = (joint, *weight);
                count += 1;
            }
        }
    }
    let sum: f32 = merged.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 {
        (*joints, *weights) = ([0; 4], [1.0, 0.0, 0.0, 0.0]);
        return false;
    }
    *joints = merged.map(|(joint, _)| joint);
    *weights = merged.map(|(_, weight)| weight * (before / sum));
    true
}

/// Renames the joints of a rig of Mixamo, VRM, VRoid, Rigify, Biovision or Roblox to the avatar's names. Returns the change to
/// list; `None` if there is no such rig. A joint keeps its name if another joint already has the avatar's name.
pub fn name_joints(scene: &mut Scene) -> Option<Loss> {
    let Mapped { title: Some(title), joints } = Mapped::new(scene) else { return None };
    let mut loss: Option<Loss> = None;
    let nodes: std::collections::BTreeSet<usize> = scene.joints().collect();
    // A joint named `head` alone is not a rig.
    if nodes.iter().filter(|node| joints[**node].is_some()).count() < 2 {
        return None;
    }
    let taken: HashSet<String> = nodes.iter().map(|node| scene.nodes[*node].name.clone()).collect();
    for node in nodes {
        if let Some(joint) = joints[node].filter(|joint| !taken.contains(joint.name)) {
            let old = std::mem::replace(&mut scene.nodes[node].name, joint.name.to_owned());
            let what = format!("joint of a {title} rig: renamed to {}", joint.name);
            loss.get_or_insert_with(|| Loss::approximated(old, what).id("scene.renamed").times(0)).count += 1;
        }
    }
    loss
}

/// Removes joints that the viewer does not know from the skins, as [`build`](super::build) does for an asset: vertices
/// of such a joint follow the nearest known joint above it. A mesh of which no vertex follows a known joint loses its
/// skin and keeps its shape at rest.
///
/// # Errors
/// If a copy of a mesh needs more memory than is left.
pub fn keep_known_joints(scene: &mut Scene, budget: &mut Budget) -> Result<Vec<Loss>> {
    let mut losses = Vec::new();
    let mut nodes: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        if let Some((skin, mesh)) = node.skin.zip(node.mesh) {
            nodes.entry(skin).or_default().push((index, mesh));
        }
    }
    let parents = scene.parents();
    for (index, users) in nodes {
        let skin = scene.skins[index].clone();
        let mut meshes: Vec<usize> = users.iter().map(|(_, mesh)| *mesh).collect();
        meshes.sort_unstable();
        meshes.dedup();
        let primitives = meshes.iter().flat_map(|&mesh| &scene.meshes[mesh].primitives);
        let known = Known::new(scene, &parents, &skin, primitives.map(|primitive| &*primitive.mesh));
        if known.unknown().next().is_none() {
            continue;
        }
        let vertices = |mesh: usize| scene.meshes[mesh].primitives.iter().map(|one| one.mesh.positions.len());
        let vertices: usize = meshes.iter().flat_map(|&mesh| vertices(mesh)).sum();
        budget.take(vertices as u64 * 100, "copies of the skinned meshes")?;
        let kept = known.kept();
        if kept.is_empty() {
            without_skin(scene, &users, budget)?;
            let what = format!("the skin, since {}: the mesh is written in its rest pose", known.why_none());
            losses.extend(users.iter().map(|(node, _)| {
                Loss::new(scene.nodes[*node].name.clone(), what.clone())
                    .id("sl.skin")
                    .about(OF_SKINS.map(Feature::title))
            }));
            continue;
        }
        losses.extend(known.list(scene, &skin));
        let index_of = known.index_of(&kept);
        let mut count = 0;
        // Another skin may use the same mesh: change copies.
        let mut mesh_of: HashMap<usize, usize> = HashMap::new();
        for mesh in meshes {
            let mut copy = scene.meshes[mesh].clone();
            for primitive in &mut copy.primitives {
                count += known.rename(Arc::make_mut(&mut primitive.mesh), &index_of);
            }
            mesh_of.insert(mesh, scene.add_mesh(copy));
        }
        users.iter().for_each(|(node, mesh)| scene.nodes[*node].mesh = mesh_of.get(mesh).copied());
        losses.extend(alone(count));
        let own = &mut scene.skins[index];
        own.joints = kept.iter().map(|&joint| skin.joints[joint]).collect();
        own.inverse_bind = kept.iter().map(|&joint| skin.inverse_bind[joint]).collect();
    }
    Ok(losses)
}

/// Converts skinned meshes to meshes of their shape at rest, each at a new root node, since a skinned mesh does not
/// follow its node.
fn without_skin(scene: &mut Scene, users: &[(usize, usize)], budget: &mut Budget) -> Result<()> {
    let pose = scene.pose();
    let world = scene.world(&pose.transforms);
    for &(node, mesh) in users {
        let Some(skin) = scene.nodes[node].skin else { continue };
        let matrices = scene.joint_matrices(skin, &world);
        let old = &scene.meshes[mesh];
        let vertices: usize = old.primitives.iter().map(|one| one.mesh.positions.len()).sum();
        budget.take(vertices as u64 * 100, "a copy of a skinned mesh")?;
        let weights = scene.weights_of(node, &pose);
        let primitives = old.primitives.iter().map(|primitive| {
            let mesh = crate::pose::morphed(primitive, weights);
            let mut mesh = crate::pose::deformed(&mesh, world[node], matrices.as_deref());
            (mesh.joints, mesh.weights) = (Vec::new(), Vec::new());
            let mut made = crate::model::Primitive::new(mesh, primitive.material);
            made.more_uvs.clone_from(&primitive.more_uvs);
            made
        });
        let made = Mesh { name: old.name.clone(), primitives: primitives.collect(), ..Mesh::default() };
        let mesh = Some(scene.add_mesh(made));
        let old = &mut scene.nodes[node];
        (old.mesh, old.skin) = (None, None);
        old.weights.clear();
        let name = old.name.clone();
        let hidden = old.hidden;
        scene.add_node(None, Node { name, mesh, hidden, ..Node::default() });
    }
    Ok(())
}
