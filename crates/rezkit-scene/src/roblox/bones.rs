//! Draws parts with a skinned mesh. The joints of the skin are bones of the mesh, or instances that replace them.

use std::collections::{BTreeSet, HashMap};

use glam::{Mat4, Vec3};

use super::builder::{Builder, MeshKey, Skinned};
use super::expressions;
use super::faces::{Faces, targets_of};
use super::rigs::{MOST_INSIDE, Rig, Rigs};
use super::tree::Property;
use crate::model::{Mesh, Node, Primitive, Transform, held};
use crate::pose::deformed;
use crate::rbxmesh::{add_bones, bones_cost, corrective_lost, facial_lost};

/// The message about a head with morph targets.
const STRAIGHT: &str = "facial controls become morph targets: vertices move in straight lines \
     instead of rotating with the bones of the face";

/// Draws the parts with bones.
pub(super) fn build(
    builder: &mut Builder<'_>,
    rigs: &Rigs,
    faces: &HashMap<usize, Faces>,
) -> HashMap<usize, Vec<usize>> {
    let tree = builder.tree;
    let parts = std::mem::take(&mut builder.skinned);
    let mut heads = HashMap::new();
    if parts.is_empty() {
        return heads;
    }
    let of_model: HashMap<usize, &Rig> = rigs.rigs.iter().map(|rig| (rig.model, rig)).collect();
    let nearest = tree.below(&of_model.keys().copied().collect::<Vec<_>>());
    let controls = faces.values().flat_map(|faces| faces.keys().cloned()).collect();
    let mut left = MOST_INSIDE * tree.instances.len();
    for part in parts {
        let mut above = Vec::new();
        let mut at = nearest[part.index];
        while let Some(model) = at {
            above.push(of_model[&model]);
            at = tree.instances[model].parent.and_then(|parent| nearest[parent]);
        }
        if let Some(head) = builder.skin(&part, &above, &controls, &mut left) {
            above.iter().for_each(|rig| heads.entry(rig.root).or_insert_with(Vec::new).push(head));
        }
    }
    heads
}

impl Builder<'_> {
    /// Adds the bones below the part's node, and the mesh at the root, as glTF requires for skinned meshes. A Bone of
    /// the document replaces the mesh's bone with the same name, in its pose relative to the bone or the part above.
    /// The part's size scales vertices and the positions of bones. Returns the node of the mesh if it has morph targets
    /// for these facial controls.
    fn skin(
        &mut self,
        part: &Skinned,
        rigs: &[&Rig],
        controls: &BTreeSet<String>,
        left: &mut usize,
    ) -> Option<usize> {
        let tree = self.tree;
        let Skinned { index, asset, material, parent, place } = part;
        let scale = Vec3::from(place.scale);
        // For nested parts, the content of the inner ones is examined repeatedly: `left` limits that.
        let inside = if *left > 0 { tree.descendants(*index) } else { Vec::new() };
        let has_all = *left > 0;
        *left = left.saturating_sub(inside.len());
        if !has_all {
            self.approximate(
                *index,
                "roblox.nesting",
                "a skinned mesh is nested too deeply in other parts: its bones stay in their bind pose",
            );
        }
        let key = MeshKey::Skinned(asset.clone(), *material, scale.to_array().map(f32::to_bits));
        let file = self.files.get(asset)?.as_ref()?;
        let copied = if self.meshes.contains_key(&key) { 0 } else { held::held(&file.mesh) };
        if !self.take(bones_cost(&file.bones) + copied, "a skinned mesh") {
            return None;
        }
        let place = Transform { scale: [1.0; 3], ..*place };
        let top = self.scene.add_node(*parent, Node { transform: place, ..tree.node(*index) });
        let (mut nodes, mut posed) = (HashMap::from([(*index, top)]), HashMap::new());
        for at in inside {
            let bone = &tree.instances[at];
            let above = bone.parent.and_then(|parent| nodes.get(&parent).copied());
            let (Some(above), "Bone") = (above, bone.class.as_str()) else { continue };
            let transform = self.rigid(at, bone.frame(&[Property::CFrame]).unwrap_or_default());
            let node = self.scene.add_node(Some(above), Node { transform, ..tree.node(at) });
            nodes.insert(at, node);
            self.frames.insert(at, node);
            posed.entry(bone.name.clone()).or_insert(node);
            for rig in rigs {
                self.moving.entry((rig.root, bone.name.clone())).or_default().push((node, transform));
            }
        }
        let file = self.files.get(asset)?.as_ref()?;
        let scene = &mut self.scene;
        let (skin, mut odd) = add_bones(&file.bones, top, scale, posed, scene);
        scene.skins.push(skin);
        let skin = Some(scene.skins.len() - 1);
        let mut error = None;
        let mesh = *self.meshes.entry(key).or_insert_with(|| {
            let mesh = deformed(&file.mesh, Mat4::from_scale(scale), None);
            let targets = match &file.facs {
                Some(facs) if !controls.is_empty() => {
                    let lost = facial_lost(&file.bones, facs, self.budget);
                    lost.and_then(|lost| {
                        odd.extend(lost);
                        odd.extend(corrective_lost(facs));
                        expressions::targets((file, facs), (&mesh, scale), controls, self.budget)
                    })
                }
                _ => Ok(Vec::new()),
            };
            let targets = targets.map_err(|of| error = Some(of)).unwrap_or_default();
            let primitives = vec![Primitive { targets, ..Primitive::new(mesh, Some(*material)) }];
            scene.add_mesh(Mesh { name: asset.to_string(), primitives, ..Mesh::default() })
        });
        let node = scene.add_node(None, Node { mesh: Some(mesh), skin, ..tree.node(*index) });
        let has_face = !targets_of(scene, node).is_empty();
        if has_face {
            self.approximate(*index, "roblox.facial-controls", STRAIGHT);
        }
        if let Some(error) = error {
            self.lose(
                *index,
                "roblox.facial-controls",
                format!("the facial controls of the mesh cannot become morph targets: {error}"),
            );
        }
        self.list_below(*index, odd);
        has_face.then_some(node)
    }
}
