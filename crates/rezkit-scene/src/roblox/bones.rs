//! Parts with a mesh that bones move: the joints of the skin, some of which are instances of the place.

use std::collections::HashMap;

use glam::{Mat4, Vec3};

use super::builder::{Builder, MeshKey, Skinned, transform};
use super::rigs::{MOST_INSIDE, Rig, Rigs};
use crate::model::{Mesh, Node, Primitive, Transform};
use crate::pose::deformed;
use crate::rbxmesh::add_bones;

/// Draws the parts with bones.
pub(super) fn build(builder: &mut Builder<'_>, rigs: &Rigs) {
    let tree = builder.tree;
    let parts = std::mem::take(&mut builder.skinned);
    if parts.is_empty() {
        return;
    }
    let of_model: HashMap<usize, &Rig> = rigs.rigs.iter().map(|rig| (rig.model, rig)).collect();
    let nearest = tree.below(&of_model.keys().copied().collect::<Vec<_>>());
    let mut left = MOST_INSIDE * tree.instances.len();
    for part in parts {
        let mut above = Vec::new();
        let mut at = nearest[part.index];
        while let Some(model) = at {
            above.push(of_model[&model]);
            at = tree.instances[model].parent.and_then(|parent| nearest[parent]);
        }
        builder.skin(&part, &above, &mut left);
    }
}

impl Builder<'_> {
    /// The bones below the part's node, and the mesh at the root, where glTF has what joints move. A Bone of the
    /// place takes the place of the mesh's bone of that name: it is where it is posed, relative to the bone or
    /// the part above. The part's size scales vertices and the positions of bones.
    fn skin(&mut self, part: &Skinned, rigs: &[&Rig], left: &mut usize) {
        let tree = self.tree;
        let Skinned { index, asset, material, parent, place } = part;
        let scale = Vec3::from(place.scale);
        // What is in parts in one another is looked at for each of them.
        let inside = if *left > 0 { tree.descendants(*index) } else { Vec::new() };
        let has_all = *left > 0;
        *left = left.saturating_sub(inside.len());
        if !has_all {
            self.approximate(*index, "bones of nested meshes are in their bind pose");
        }
        let Some(file) = self.files.get(asset).and_then(Option::as_ref) else { return };
        let scene = &mut self.scene;
        let place = Transform { scale: [1.0; 3], ..*place };
        let top = scene.add_node(*parent, Node { transform: place, ..tree.node(*index) });
        let (mut nodes, mut posed) = (HashMap::from([(*index, top)]), HashMap::new());
        for at in inside {
            let bone = &tree.instances[at];
            let above = bone.parent.and_then(|parent| nodes.get(&parent).copied());
            let (Some(above), "Bone") = (above, bone.class.as_str()) else { continue };
            let frame = bone.frame(&["CFrame"]).filter(|frame| frame.is_finite());
            let transform = transform(frame.unwrap_or_default());
            let node = scene.add_node(Some(above), Node { transform, ..tree.node(at) });
            nodes.insert(at, node);
            posed.entry(bone.name.clone()).or_insert(node);
            for rig in rigs {
                self.moving.entry((rig.root, bone.name.clone())).or_default().push((node, transform));
            }
        }
        let skin = add_bones(&file.bones, top, scale, posed, scene);
        scene.skins.push(skin);
        let skin = Some(scene.skins.len() - 1);
        let key = MeshKey::Skinned(asset.clone(), *material, scale.to_array().map(f32::to_bits));
        let mesh = *self.meshes.entry(key).or_insert_with(|| {
            let mesh = deformed(&file.mesh, Mat4::from_scale(scale), None);
            let primitives = vec![Primitive::new(mesh, Some(*material))];
            scene.add_mesh(Mesh { name: asset.to_string(), primitives, ..Mesh::default() })
        });
        scene.add_node(None, Node { mesh: Some(mesh), skin, ..tree.node(*index) });
    }
}
