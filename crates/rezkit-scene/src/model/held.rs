//! How much memory a scene takes.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rezkit_core::{Budget, Result};

use super::{Animation, Image, ImageData, Material, Mesh, Node, Primitive, Scene, Skin, Values};

type Extras = BTreeMap<String, serde_json::Value>;

/// What a list of values and their names take; what else each of them has.
fn list<T>(values: &[T], name: fn(&T) -> &str, rest: impl Fn(&T) -> usize) -> usize {
    values.iter().map(|value| size_of::<T>() + name(value).len() + rest(value)).sum()
}

/// A map is a tree whose nodes have space for eleven entries.
fn extras(map: &Extras) -> usize {
    map.iter().map(|(key, value)| 160 + key.len() + json(value)).sum::<usize>()
        + if map.is_empty() { 0 } else { 11 * size_of::<(String, serde_json::Value)>() }
}

fn json(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(values) => values.iter().map(|value| 64 + json(value)).sum(),
        serde_json::Value::Object(map) => map.iter().map(|(key, value)| 160 + key.len() + json(value)).sum(),
        _ => 0,
    }
}

impl Scene {
    /// How many bytes it takes: all that a copy takes as well, and the triangles, which copies share.
    pub fn held(&self) -> [u64; 2] {
        let (mut seen, mut shared) = (HashSet::new(), 0);
        for primitive in self.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            if seen.insert(Arc::as_ptr(&primitive.mesh)) {
                let mesh = &primitive.mesh;
                let columns = [mesh.normals.len() * 12, mesh.tangents.len() * 16, mesh.uvs.len() * 8];
                let more = mesh.colors.len() * 4 + mesh.joints.len() * 24 + mesh.triangles.len() * 12;
                shared += 208 + mesh.positions.len() * 12 + columns.iter().sum::<usize>() + more;
            }
        }
        let primitive = |part: &Primitive| {
            let targets = part.targets.iter().map(|target| {
                let vectors = target.positions.len() + target.normals.len() + target.tangents.len();
                size_of_val(target) + target.name.len() + vectors * 12
            });
            let sets = part.more_uvs.iter().map(|set| 24 + set.len() * 8);
            size_of::<Primitive>() + targets.chain(sets).sum::<usize>()
        };
        let mesh = |mesh: &Mesh| {
            let parts = mesh.primitives.iter().map(primitive);
            parts.sum::<usize>() + mesh.weights.len() * 4 + extras(&mesh.extras)
        };
        let animation = |animation: &Animation| {
            let channels = animation.channels.iter().map(|channel| {
                let values = match &channel.values {
                    Values::Translation(list) | Values::Scale(list) => list.len() * 12,
                    Values::Rotation(list) => list.len() * 16,
                    Values::Weights(list) => list.len() * 4,
                };
                size_of_val(channel) + channel.times.len() * 4 + values
            });
            channels.sum::<usize>() + extras(&animation.extras)
        };
        let image = |image: &Image| match &image.data {
            ImageData::Bytes(bytes) => bytes.len(),
            ImageData::Uri(uri) => uri.len(),
        };
        let node = |node: &Node| node.children.len() * 8 + node.weights.len() * 4 + extras(&node.extras);
        let own = list(&self.nodes, |node| &node.name, node)
            + self.roots.len() * 8
            + list(&self.meshes, |mesh| &mesh.name, mesh)
            + list(&self.materials, |material| &material.name, |of: &Material| extras(&of.extras))
            + list(&self.images, |image| &image.name, image)
            + list(
                &self.skins,
                |skin| &skin.name,
                |of: &Skin| of.joints.len() * 8 + of.inverse_bind.len() * 64,
            )
            + list(&self.animations, |animation| &animation.name, animation)
            + extras(&self.extras);
        [own as u64, shared as u64]
    }

    /// Takes its size from a budget, and that of further copies.
    ///
    /// # Errors
    /// [`Limit`](rezkit_core::ErrorKind::Limit) if less is left.
    pub fn take(&self, copies: usize, budget: &mut Budget) -> Result<()> {
        let [own, shared] = self.held();
        budget.take(own.saturating_mul(copies as u64).saturating_add(shared), "the scene")
    }
}
