//! How scenes are written for Second Life.

use slmesh::Slm;

use super::{from_scene, material, motion_from_scene, single};
use crate::features::Feature;
use crate::forms::SceneWriter;

/// The features of a scene that it keeps.
pub(super) const KEEPS: &[Feature] = &[Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// The features that a file of the viewer's uploader keeps; it has instances.
const KEEPS_WITH_SIZE: &[Feature] =
    &[Feature::Size, Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// Second Life mesh assets.
pub static LLMESH: SceneWriter = SceneWriter::of_meshes(KEEPS, |scene, writing| {
    let (asset, losses) = from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(slmesh::to_vec(&asset)?)
});

/// Files of the Second Life viewer's uploader, with one mesh.
pub static SLM: SceneWriter = SceneWriter::of_meshes(KEEPS_WITH_SIZE, |scene, writing| {
    let (asset, losses, extent) = single(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    let mut slm = Slm::of_asset(asset, &scene.name);
    // The asset fills a cube around the origin: its instance has the size and the place.
    if let Some([[sx, sy, sz], [x, y, z]]) = extent {
        let rows = [sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, x, y, z, 1.0];
        slm.instances.iter_mut().for_each(|instance| instance.transform = Some(rows));
    }
    Ok(slm.to_vec()?)
});

/// Second Life keyframe motions.
pub static ANIM: SceneWriter = SceneWriter::of_others(&[Feature::JointAnimations], |scene, writing| {
    let (motion, losses) = motion_from_scene(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(slmesh::motion::to_vec(&motion)?)
});

/// Second Life material assets.
pub static MATERIAL: SceneWriter = SceneWriter::of_others(material::KEEPS, |scene, writing| {
    let (bytes, losses) = material::from_scene(scene)?;
    writing.losses.extend(losses);
    Ok(bytes)
});
