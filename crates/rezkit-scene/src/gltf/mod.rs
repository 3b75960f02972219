//! glTF 2.0, binary (`.glb`) and as JSON (`.gltf`).

#[cfg(feature = "draco")]
mod draco;
mod expand;
mod material;
mod primitive;
mod read;
mod valid;
mod write;
mod writer;

use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};
pub use read::{detect, from_slice};
pub use write::{Gltf, to_glb, to_gltf};

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "gltf",
    title: "glTF",
    extensions: &["glb", "gltf"],
    forms: &[
        SceneForm {
            name: "glb",
            title: "glTF 2.0, one binary file",
            keeps: Feature::ALL,
            has_meshes: true,
            has_nodes: true,
            write: |scene, writing| {
                let (bytes, losses) = to_glb(scene)?;
                writing.losses.extend(losses);
                Ok(bytes)
            },
        },
        SceneForm {
            name: "gltf",
            title: "glTF 2.0, JSON with a buffer beside it",
            keeps: Feature::ALL,
            has_meshes: true,
            has_nodes: true,
            write: |scene, writing| {
                let name = format!("{}.bin", writing.stem);
                let gltf = to_gltf(scene, &name)?;
                writing.files.add(&[&name], gltf.buffer);
                writing.losses.extend(gltf.losses);
                Ok(gltf.json.into_bytes())
            },
        },
    ],
    detect,
    read: |reading| {
        let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
        reading.losses.extend(losses);
        Ok(scene)
    },
};
