//! The memory of a scene.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use geom::TriMesh;
use rezkit_core::{Budget, Result};

use super::{Animation, ImageData, Mesh, Node, Primitive, Scene, Skin, Values};

/// The memory of a list of values in bytes; `rest` is that of a value besides itself and its name.
fn list<T>(values: &[T], name: fn(&T) -> &str, rest: impl Fn(&T) -> usize) -> usize {
    values.iter().map(|value| size_of::<T>() + name(value).len() + rest(value)).sum()
}

/// The memory of extras in bytes. A map is a tree whose nodes have space for eleven entries; a value takes a few times
/// the size of its text.
fn extras(map: &BTreeMap<String, serde_json::Value>) -> usize {
    if map.is_empty() { 0 } else { 11 * size_of::<(String, serde_json::Value)>() + value(map) }
}

/// The memory of a JSON value in bytes.
pub(crate) fn value(of: &impl serde::Serialize) -> usize {
    let mut text = Length(0);
    // Counting cannot fail.
    let _infallible = serde_json::to_writer(&mut text, of);
    8 * text.0
}

/// Counts the bytes that are written to it.
struct Length(usize);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The memory of triangles in bytes.
pub(crate) fn held(mesh: &TriMesh) -> usize {
    let vectors = mesh.positions.len() + mesh.normals.len() + mesh.triangles.len();
    let others = mesh.tangents.len() * 16 + mesh.uvs.len() * 8 + mesh.colors.len() * 8;
    208 + vectors * 12 + others + mesh.joints.len() * 24
}

impl Scene {
    /// The memory in bytes: that of each copy of the scene, and that of the triangles, which copies share.
    pub fn held(&self) -> [u64; 2] {
        let mut seen = HashSet::new();
        let parts = self.primitives().map(|part| &part.mesh);
        let shared = parts.filter(|mesh| seen.insert(Arc::as_ptr(mesh))).map(|mesh| held(mesh));
        let part = |part: &Primitive| {
            let targets = part.targets.iter().map(|of| {
                100 + of.name.len() + (of.positions.len() + of.normals.len() + of.tangents.len()) * 12
            });
            let sets = part.more_uvs.iter().map(|set| 24 + set.len() * 8).sum::<usize>();
            size_of::<Primitive>() + sets + targets.sum::<usize>()
        };
        let mesh = |of: &Mesh| {
            of.primitives.iter().map(part).sum::<usize>() + of.weights.len() * 4 + extras(&of.extras)
        };
        let animation = |of: &Animation| {
            let channels = of.channels.iter().map(|channel| {
                let values = match &channel.values {
                    Values::Translation(list) | Values::Scale(list) => list.len() * 12,
                    Values::Rotation(list) => list.len() * 16,
                    Values::Weights(list) => list.len() * 4,
                };
                size_of_val(channel) + channel.times.len() * 4 + values
            });
            channels.sum::<usize>() + of.playback.held() + extras(&of.extras)
        };
        let node = |of: &Node| of.children.len() * 8 + of.weights.len() * 4 + extras(&of.extras);
        let skin = |of: &Skin| of.joints.len() * 8 + of.inverse_bind.len() * 64;
        let own = list(&self.nodes, |of| &of.name, node)
            + list(&self.meshes, |of| &of.name, mesh)
            + list(&self.materials, |of| &of.name, |of| extras(&of.extras))
            + list(
                &self.images,
                |of| &of.name,
                |of| match &of.data {
                    ImageData::Bytes(bytes) => bytes.len(),
                    ImageData::Uri(uri) => uri.len(),
                },
            )
            + list(&self.skins, |of| &of.name, skin)
            + list(&self.animations, |of| &of.name, animation);
        [own + self.roots.len() * 8 + extras(&self.extras), shared.sum()].map(|bytes| bytes as u64)
    }

    /// Takes the memory of a number of copies from a budget, and that of the triangles, which they share.
    ///
    /// # Errors
    /// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget has less left.
    pub fn take(&self, copies: usize, budget: &mut Budget) -> Result<()> {
        let [own, shared] = self.held();
        budget.take(own.saturating_mul(copies as u64).saturating_add(shared), "the scene")
    }
}
