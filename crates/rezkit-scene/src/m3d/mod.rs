//! Converts Model 3D to scenes, and back.
//!
//! The axes are those of glTF, and a unit of the scene is a metre: the scale of the model is applied. Textures
//! keep their orientation, because the views of the crate `m3d` flip v.

mod from_scene;
mod materials;
mod polygons;
mod to_scene;

use crate::features::Feature;
use crate::forms::SceneWriter;
pub use from_scene::from_scene;
pub use to_scene::to_scene;

/// The name of the joint that never moves: that of vertices without a bone.
const STILL: &str = "static";

/// The features of a scene that the format keeps.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Normals,
    Feature::Uvs,
    Feature::Colors,
    Feature::ColorAlpha,
    Feature::Skins,
    Feature::SeveralSkins,
    Feature::JointAnimations,
    Feature::Materials,
    Feature::BaseColor,
    Feature::BaseTexture,
    Feature::Metallic,
    Feature::Roughness,
    Feature::MetallicRoughnessTexture,
    Feature::NormalTexture,
    Feature::NormalScale,
    Feature::OcclusionTexture,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::Unlit,
    Feature::Ior,
    Feature::Specular,
    Feature::Copyright,
];

/// Writes binary Model 3D.
pub static M3D: SceneWriter = SceneWriter {
    has_levels: false,
    ..SceneWriter::of_meshes(KEEPS, |scene, writing| {
        let (model, losses) = from_scene(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(m3d::to_vec(&model)?)
    })
};

/// Writes text Model 3D.
pub static A3D: SceneWriter = SceneWriter {
    has_levels: false,
    ..SceneWriter::of_meshes(KEEPS, |scene, writing| {
        let (model, losses) = from_scene(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(m3d::to_string(&model)?.into())
    })
};
