//! Model 3D as a scene, and back.
//!
//! Axes are glTF's, and a unit of the scene is a metre: the scale of the model is applied. Textures
//! keep their orientation, since the views of the crate turn v over.

mod from_scene;
mod materials;
mod to_scene;

use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};
pub use from_scene::from_scene;
pub use to_scene::to_scene;

/// What it keeps of a scene.
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

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "m3d",
    title: "Model 3D",
    extensions: &["m3d", "a3d"],
    forms: &[
        SceneForm {
            name: "m3d",
            title: "Model 3D",
            keeps: KEEPS,
            has_meshes: true,
            has_levels: true,
            has_nodes: false,
            write: |scene, writing| {
                let (model, losses) = from_scene(scene, &mut writing.budget)?;
                writing.losses.extend(losses);
                Ok(m3d::to_vec(&model)?)
            },
        },
        SceneForm {
            name: "a3d",
            title: "Model 3D as text",
            keeps: KEEPS,
            has_meshes: true,
            has_levels: true,
            has_nodes: false,
            write: |scene, writing| {
                let (model, losses) = from_scene(scene, &mut writing.budget)?;
                writing.losses.extend(losses);
                Ok(m3d::to_string(&model)?.into())
            },
        },
    ],
    detect: |bytes| m3d::detect(bytes).is_some(),
    read: |reading| {
        let (scene, losses) = reading.beside(|bytes, budget, beside| {
            let model = m3d::ReadOptions::new().max_bytes(budget.left()).read(bytes)?;
            to_scene(&model, budget, beside)
        })?;
        reading.losses.extend(losses);
        Ok(scene)
    },
};
