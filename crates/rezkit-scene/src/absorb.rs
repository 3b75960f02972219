//! One scene as a part of another.

use super::model::{Scene, Texture};

impl Scene {
    /// Adds everything of another scene below a node.
    pub(crate) fn absorb(&mut self, other: Scene, below: usize) {
        let [nodes, meshes, materials] = [self.nodes.len(), self.meshes.len(), self.materials.len()];
        let [images, skins] = [self.images.len(), self.skins.len()];
        let texture = |texture: &mut Option<Texture>| {
            if let Some(texture) = texture {
                texture.image += images;
            }
        };
        self.images.extend(other.images);
        self.materials.extend(other.materials.into_iter().map(|mut material| {
            texture(&mut material.base_texture);
            texture(&mut material.metallic_roughness_texture);
            texture(&mut material.normal_texture);
            texture(&mut material.occlusion_texture);
            texture(&mut material.emissive_texture);
            material
        }));
        self.meshes.extend(other.meshes.into_iter().map(|mut mesh| {
            let of = mesh.primitives.iter_mut().filter_map(|primitive| primitive.material.as_mut());
            of.for_each(|material| *material += materials);
            mesh
        }));
        self.skins.extend(other.skins.into_iter().map(|mut skin| {
            skin.joints.iter_mut().for_each(|joint| *joint += nodes);
            skin
        }));
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            node.children.iter_mut().for_each(|child| *child += nodes);
            node.mesh = node.mesh.map(|mesh| mesh + meshes);
            node.skin = node.skin.map(|skin| skin + skins);
            node
        }));
        self.animations.extend(other.animations.into_iter().map(|mut animation| {
            animation.channels.iter_mut().for_each(|channel| channel.node += nodes);
            animation
        }));
        self.nodes[below].children.extend(other.roots.into_iter().map(|root| root + nodes));
    }
}
