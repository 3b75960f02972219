//! Converts scenes to Roblox models.
//!
//! A node with triangles becomes a `MeshPart` for each of its primitives, any other node a `Model`. The axes are those of
//! glTF. The meshes and images are files, since a model refers to them by address; they have addresses of Roblox only
//! after they are uploaded.

mod bones;
mod build;
pub mod files;
mod fit;
mod motors;
mod moving;
mod sha256;
mod shapes;
mod surfaces;

pub use build::{LARGEST, MOST_TRIANGLES};
use rbxcore::NewInstance;
use rezkit_core::{Error, ErrorKind, Loss, Result};

use crate::features::Feature;
use crate::forms::{SceneWriter, Writing};
use crate::model::Scene;
use crate::roblox::{bone_animations, is_own_rig, scene_animations};

/// The features of a scene that a model keeps; those that it keeps only in part are listed where they are lost.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Nodes,
    Feature::Normals,
    Feature::Tangents,
    Feature::Uvs,
    Feature::Colors,
    Feature::ColorAlpha,
    Feature::Lights,
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
    Feature::AlphaTexture,
    Feature::AlphaMode,
    Feature::DoubleSided,
    Feature::TextureSet,
    Feature::TextureTransform,
];

/// Features of materials that [`surfaces`] lists itself.
const LISTED: &[Feature] = &[
    Feature::OcclusionTexture,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::EmissiveStrength,
    Feature::Unlit,
    Feature::Ior,
    Feature::Transmission,
    Feature::Specular,
    Feature::Clearcoat,
    Feature::Wrapping,
    Feature::Filters,
    Feature::Hidden,
    Feature::NodeAnimations,
    Feature::WeightAnimations,
];

/// The metadata of the models that Studio saves.
const METADATA: (&str, &str) = ("ExplicitAutoJoints", "true");

/// Writes a binary model.
pub static RBXM: SceneWriter = SceneWriter::of_others(KEEPS, |scene, writing| {
    let instances = instances(scene, writing)?;
    let mut document = rbxbinary::Document::new();
    document.metadata_mut().push(rbxbinary::Metadata::new(METADATA.0, METADATA.1));
    // A property that only some of the instances have gets the default of its class in the others.
    let options = rbxbinary::edit::EditOptions::defaults();
    for instance in instances {
        options.insert(&mut document, None, instance)?;
    }
    Ok(rbxbinary::to_vec(&document)?)
});

/// Writes an XML model.
pub static RBXMX: SceneWriter = SceneWriter::of_others(KEEPS, |scene, writing| {
    let instances = instances(scene, writing)?;
    let mut document = rbxxml::Document::new();
    document.metadata.push(rbxxml::Metadata::new(METADATA.0, METADATA.1));
    for instance in instances {
        document.insert(None, instance)?;
    }
    // The text takes up to twice its size while it grows.
    Ok(rbxxml::WriteOptions::new().max_bytes(writing.budget.left() / 2).write(&document)?)
});

/// The model and the animations of a scene.
///
/// # Errors
/// If the scene has neither, or the budget does not suffice.
fn instances(scene: &Scene, writing: &mut Writing<'_>) -> Result<Vec<NewInstance>> {
    let is_drawn = |node: usize| scene.nodes[node].mesh.or(scene.nodes[node].light.map(|_| 0)).is_some();
    let has_model = scene.visible().into_iter().any(is_drawn);
    if writing.model.only_animations || !has_model {
        if scene.animations.is_empty() {
            let what = "the scene has no triangles, lights or animations, and a Roblox model would be empty";
            return Err(Error::unwritable(what));
        }
        if scene.triangle_count() > 0 {
            let what = "the geometry, because an option of animations asks for the animations alone";
            writing.losses.push(Loss::new("meshes", what).id("scene.meshes"));
        }
        return scene_animations(scene, writing.model, &mut writing.budget, &mut writing.losses);
    }
    let scale = writing.model.scale;
    if !(scale.is_finite() && scale > 0.0) {
        return Err(Error::argument(format!("expected a number above 0, found {scale}")).at("scale"));
    }
    if let Some(studs) = writing.model.animation.tolerance.map(|[_, studs]| studs)
        && !(studs.is_finite() && studs > 0.0)
    {
        return Err(Error::argument(format!("expected studs above 0, found {studs}")).at("tolerance"));
    }
    if writing.model.fit {
        let (scene, model) = fit::fit(scene, writing.model, &mut writing.losses, &mut writing.budget)?;
        let mut fitted = Writing {
            stem: writing.stem,
            files: std::mem::take(&mut writing.files),
            losses: std::mem::take(&mut writing.losses),
            budget: writing.budget.clone(),
            model: &model,
        };
        let made = with_animations(&scene, &mut fitted);
        let Writing { files, losses, budget, .. } = fitted;
        (writing.files, writing.losses, writing.budget) = (files, losses, budget);
        return made;
    }
    with_animations(scene, writing)
}

/// The model of a scene with triangles or lights, and its animations.
fn with_animations(scene: &Scene, writing: &mut Writing<'_>) -> Result<Vec<NewInstance>> {
    let kept: Vec<Feature> = KEEPS.iter().chain(LISTED).copied().collect();
    // The settings of animations are in their extras.
    let is_setting = |loss: &Loss| {
        loss.path.starts_with("animations[") && loss.features.contains(&Feature::Extras.title())
    };
    writing.losses.extend(scene.losses_but(&kept).into_iter().filter(|loss| !is_setting(loss)));
    let (model, bones) = build::model(scene, writing)?;
    let animations = match (bones.is_empty() || is_own_rig(scene)) && !scene.animations.is_empty() {
        // The rig consists of parts.
        true => scene_animations(scene, writing.model, &mut writing.budget, &mut writing.losses),
        false => bone_animations(scene, writing.model, &bones, &mut writing.budget, &mut writing.losses),
    };
    let animations = match animations {
        Err(error) if error.kind() == ErrorKind::Unwritable => {
            let about = [Feature::NodeAnimations, Feature::WeightAnimations, Feature::JointAnimations];
            let loss = Loss::new("animations", error.to_string())
                .id("roblox.animation")
                .times(scene.animations.len());
            writing.losses.push(loss.about(about.map(Feature::title)));
            Vec::new()
        }
        made => made?,
    };
    Ok(std::iter::once(model).chain(animations).collect())
}
