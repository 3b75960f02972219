//! Adds a scene to another one.

use super::model::Scene;

impl Scene {
    /// Adds another scene below a node.
    pub(crate) fn absorb(&mut self, other: Scene, below: usize) {
        let [nodes, meshes, materials] = [self.nodes.len(), self.meshes.len(), self.materials.len()];
        let [images, skins] = [self.images.len(), self.skins.len()];
        self.images.extend(other.images);
        self.materials.extend(other.materials.into_iter().map(|mut material| {
            material.textures_mut().for_each(|texture| texture.image += images);
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
