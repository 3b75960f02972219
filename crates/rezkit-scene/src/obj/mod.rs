//! Wavefront OBJ with its material library (MTL).
//!
//! OBJ names neither axes nor units: coordinates are taken as they are, y up by custom. Its v grows
//! upwards, so it is turned over in both directions.

mod library;
mod read;
mod statements;
mod write;

use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};

pub use read::from_slice;
pub use write::{Obj, to_obj};

/// What it keeps of a scene.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Nodes,
    Feature::Normals,
    Feature::Uvs,
    Feature::Colors,
    Feature::Materials,
    Feature::BaseColor,
    Feature::BaseTexture,
    Feature::Metallic,
    Feature::Roughness,
    Feature::NormalTexture,
    Feature::NormalScale,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::Ior,
];

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "obj",
    title: "OBJ",
    extensions: &["obj"],
    forms: &[SceneForm {
        name: "obj",
        title: "Wavefront OBJ with MTL",
        keeps: KEEPS,
        has_meshes: true,
        has_levels: true,
        has_nodes: false,
        write: |scene, writing| {
            let obj = to_obj(scene, writing.stem, &mut writing.budget)?;
            obj.images.into_iter().for_each(|(name, bytes)| writing.files.add(&[&name], bytes));
            if let Some(text) = obj.mtl {
                writing.files.add(&[&format!("{}.mtl", writing.stem)], text.into_bytes());
            }
            writing.losses.extend(obj.losses);
            Ok(obj.obj.into_bytes())
        },
    }],
    // Text without a mark of its own.
    detect: |_| false,
    read: |reading| {
        let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
        reading.losses.extend(losses);
        Ok(scene)
    },
};
