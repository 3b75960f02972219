//! Writers of scenes for Second Life.

use rezkit_core::{Budget, Result};
use slmesh::{Instance, Lod, Slm};

use super::{Built, from_scene, linkset, material, motion_from_scene, single};
use crate::features::Feature;
use crate::forms::SceneWriter;
use crate::model::Scene;

/// The features of a scene that a mesh asset keeps.
pub(super) const KEEPS: &[Feature] = &[Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// The features that a file of the viewer's uploader keeps: its instances also have a size and a position. Objects with
/// skins become one.
const KEEPS_WITH_SIZE: &[Feature] =
    &[Feature::Nodes, Feature::Size, Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// Writes Second Life mesh assets.
pub static LLMESH: SceneWriter = SceneWriter::of_meshes(KEEPS, |scene, writing| {
    let (asset, losses) = from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(slmesh::to_vec(&asset)?)
});

/// Writes files of the Second Life viewer's uploader: a linkset with a mesh for each object, or one mesh with a skin.
pub static SLM: SceneWriter = SceneWriter::of_meshes(KEEPS_WITH_SIZE, |scene, writing| {
    let objects = match scene.skins.is_empty() {
        true => linkset::objects(scene, &mut writing.budget)?,
        false => Vec::new(),
    };
    let mut slm = Slm { version: Some(3), ..Slm::default() };
    slm.name = (!scene.title().is_empty()).then(|| scene.title().into());
    if objects.len() < 2 {
        let losses = add(&mut slm, scene, scene.title(), &mut writing.budget)?;
        writing.losses.extend(losses.features);
        writing.losses.extend(losses.losses);
        return Ok(slm.to_vec()?);
    }
    writing.losses.extend(scene.losses_but(KEEPS_WITH_SIZE));
    for object in objects {
        let name = object.nodes.first().map_or("", |node| &node.name);
        let lost = add(&mut slm, &object, name, &mut writing.budget)?.losses;
        writing.losses.extend(lost.into_iter().map(|loss| loss.below(|path| format!("{name}.{path}"))));
    }
    Ok(slm.to_vec()?)
});

/// Adds a scene as one object.
fn add(slm: &mut Slm, scene: &Scene, name: &str, budget: &mut Budget) -> Result<Built> {
    let (mut asset, built) = single(scene, budget)?;
    let material = |face: &Option<usize>| Some(scene.materials.get((*face)?)?.name.as_str().into());
    let materials: Option<Vec<_>> = built.faces.iter().map(material).collect();
    let count = asset.level(Lod::High).map_or(0, |level| level.submeshes.len());
    asset.material_list = materials.filter(|names| names.len() == count);
    // The asset fills a cube around the origin; its instance has the size and the position.
    let [[sx, sy, sz], [x, y, z]] = built.extent.unwrap_or([[1.0; 3], [0.0; 3]]);
    slm.instances.push(Instance {
        mesh_id: i32::try_from(slm.meshes.len()).ok(),
        label: (!name.is_empty()).then(|| name.into()),
        transform: Some([sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, x, y, z, 1.0]),
        ..Instance::default()
    });
    slm.meshes.push(asset);
    Ok(built)
}

/// Writes Second Life keyframe motions.
pub static ANIM: SceneWriter = SceneWriter::of_others(&[Feature::JointAnimations], |scene, writing| {
    let (motion, losses) = motion_from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(slmesh::motion::to_vec(&motion)?)
});

/// Writes Second Life material assets.
pub static MATERIAL: SceneWriter = SceneWriter::of_others(material::KEEPS, |scene, writing| {
    let (bytes, losses) = material::from_scene(scene)?;
    writing.losses.extend(losses);
    Ok(bytes)
});
