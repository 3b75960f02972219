//! glTF 2.0, binary (`.glb`) and as JSON (`.gltf`).

mod animation;
mod document;
#[cfg(feature = "draco")]
mod draco;
mod expand;
mod material;
mod meshopt;
pub mod playback;
mod primitive;
mod read;
mod triangles;
mod valid;
mod vrm;
mod wording;
mod write;
mod writer;

use crate::features::Feature;
use crate::forms::{SceneReader, SceneWriter};
use crate::model::{ImageData, Primitive, Scene};
pub use document::detect;
pub use read::from_slice;
pub use write::{Gltf, to_glb, to_gltf};

/// Writes glTF 2.0 as one binary file.
pub static GLB: SceneWriter = SceneWriter {
    has_nodes: true,
    ..SceneWriter::of_meshes(Feature::ALL, |scene, writing| {
        let (bytes, losses) = to_glb(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(bytes)
    })
};

/// Writes glTF 2.0 as JSON, with its buffer in another file.
pub static GLTF: SceneWriter = SceneWriter {
    has_nodes: true,
    ..SceneWriter::of_meshes(Feature::ALL, |scene, writing| {
        let name = format!("{}.bin", writing.stem);
        let gltf = to_gltf(scene, &name, &mut writing.budget)?;
        writing.files.add(&[&name], gltf.buffer);
        writing.losses.extend(gltf.losses);
        Ok(gltf.json.into_bytes())
    })
};

/// Reads glTF 2.0, binary or JSON.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// The approximate memory of a document, in bytes: some kilobytes per object, in memory and as text, and its columns
/// twice.
pub(super) fn cost(scene: &Scene) -> u64 {
    const OBJECT: usize = 1 << 10;
    let parts = scene.primitives();
    let columns = |part: &Primitive| {
        let vertices = part.mesh.positions.len() * (36 + 16 * part.more_uvs.len() + 24 * part.targets.len());
        let targets =
            part.targets.iter().flat_map(|target| [&target.positions, &target.normals, &target.tangents]);
        let moved = targets.filter(|column| !column.is_empty()).count();
        2 * (vertices + 36 * part.mesh.joints.len() + 12 * part.mesh.triangles.len()) + (4 + moved) * OBJECT
    };
    let channels = scene.channels();
    let keys: usize = channels.map(|channel| 2 * OBJECT + 2 * 20 * channel.times.len()).sum();
    let joints: usize = scene.skins.iter().map(|skin| 2 * OBJECT + 160 * skin.joints.len()).sum();
    let names = scene.nodes.iter().map(|node| &node.name);
    let names = names.chain(scene.animations.iter().map(|animation| &animation.name));
    // A copy, and the text of JSON, which grows; in it, a control character takes six bytes.
    let names: usize = names.flat_map(|name| name.bytes()).map(|byte| if byte < b' ' { 13 } else { 3 }).sum();
    let objects = scene.nodes.len() + scene.animations.len() + 2 * scene.materials.len() + scene.images.len();
    let images = scene.images.iter().map(|image| match &image.data {
        ImageData::Bytes(bytes) => 2 * bytes.len(),
        ImageData::Uri(uri) => uri.len(),
    });
    let objects = objects * OBJECT + images.sum::<usize>();
    let total = parts.map(columns).sum::<usize>() + keys + joints + objects + names;
    total as u64
}
