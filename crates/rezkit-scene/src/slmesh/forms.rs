//! Writers of scenes for Second Life.

use slmesh::{Lod, Slm};

use super::{Built, from_scene, material, motion_from_scene, single};
use crate::features::Feature;
use crate::forms::SceneWriter;

/// The features of a scene that a mesh asset keeps.
pub(super) const KEEPS: &[Feature] = &[Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// The features that a file of the viewer's uploader keeps: its instances also have a size and a position.
const KEEPS_WITH_SIZE: &[Feature] =
    &[Feature::Size, Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// Writes Second Life mesh assets.
pub static LLMESH: SceneWriter = SceneWriter::of_meshes(KEEPS, |scene, writing| {
    let (asset, losses) = from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(slmesh::to_vec(&asset)?)
});

/// Writes files of the Second Life viewer's uploader, with one mesh.
pub static SLM: SceneWriter = SceneWriter::of_meshes(KEEPS_WITH_SIZE, |scene, writing| {
    let (mut asset, Built { losses, extent, faces, .. }) = single(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    let name = |face: &Option<usize>| Some(scene.materials.get((*face)?)?.name.as_str().into());
    let names: Option<Vec<_>> = faces.iter().map(name).collect();
    let count = asset.level(Lod::High).map_or(0, |level| level.submeshes.len());
    asset.material_list = names.filter(|names| names.len() == count);
    let mut slm = Slm::of_asset(asset, scene.title());
    // The asset fills a cube around the origin; its instance has the size and the position.
    if let Some([[sx, sy, sz], [x, y, z]]) = extent {
        let rows = [sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, x, y, z, 1.0];
        slm.instances.iter_mut().for_each(|instance| instance.transform = Some(rows));
    }
    Ok(slm.to_vec()?)
});

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
