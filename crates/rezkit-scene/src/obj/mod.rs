//! Wavefront OBJ with its material library (MTL).
//!
//! OBJ specifies neither axes nor units: coordinates are taken unchanged; y is usually up. In OBJ, v grows
//! upwards, so reading and writing flip it.

mod library;
mod read;
mod statements;
mod write;

use crate::features::Feature;
use crate::forms::{SceneReader, SceneWriter};

pub use read::from_slice;
pub use write::{Obj, to_obj};

/// The features of a scene that the format keeps.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Nodes,
    Feature::Normals,
    Feature::Uvs,
    Feature::Colors,
    Feature::Materials,
    Feature::BaseColor,
    Feature::BaseTexture,
    Feature::AlphaTexture,
    Feature::Metallic,
    Feature::Roughness,
    Feature::NormalTexture,
    Feature::NormalScale,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::Ior,
];

/// Writes Wavefront OBJ with a material library.
pub static WRITER: SceneWriter = SceneWriter::of_meshes(KEEPS, |scene, writing| {
    let obj = to_obj(scene, writing.stem, &mut writing.budget)?;
    obj.images.into_iter().for_each(|(name, bytes)| writing.files.add(&[&name], bytes));
    if let Some(text) = obj.mtl {
        writing.files.add(&[&obj.mtl_name], text.into_bytes());
    }
    writing.losses.extend(obj.losses);
    Ok(obj.obj.into_bytes())
});

/// Reads Wavefront OBJ, and the material libraries that it names.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
    reading.losses.extend(losses);
    Ok(scene)
});
