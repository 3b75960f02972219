//! The forms in which scenes are written for Second Life.

use rezkit_core::Error;
use slmesh::Slm;

use super::{from_scene, material, motion_from_scene, motion_to_scene, single, slm_to_scene, to_scene};
use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};

/// What it keeps of a scene.
pub(super) const KEEPS: &[Feature] = &[Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

/// What a file of the viewer's uploader keeps, which has instances.
const KEEPS_WITH_SIZE: &[Feature] =
    &[Feature::Size, Feature::Normals, Feature::Uvs, Feature::Skins, Feature::SeveralSkins];

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "slmesh",
    title: "Second Life mesh",
    extensions: &["llmesh", "slm", "anim", "animatn", "material"],
    forms: &[
        SceneForm {
            name: "llmesh",
            title: "Second Life mesh asset",
            keeps: KEEPS,
            has_meshes: true,
            has_levels: true,
            has_nodes: false,
            write: |scene, writing| {
                let (asset, losses) = from_scene(scene)?;
                writing.losses.extend(losses);
                Ok(slmesh::to_vec(&asset)?)
            },
        },
        SceneForm {
            name: "slm",
            title: "the file of the Second Life viewer's uploader, with one mesh",
            keeps: KEEPS_WITH_SIZE,
            has_meshes: true,
            has_levels: true,
            has_nodes: false,
            write: |scene, writing| {
                let (asset, losses, extent) = single(scene)?;
                writing.losses.extend(losses);
                let mut slm = Slm::of_asset(asset, &scene.name);
                // The asset fills a cube around the origin: its instance has the size and the place.
                if let Some([[sx, sy, sz], [x, y, z]]) = extent {
                    let rows = [sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, x, y, z, 1.0];
                    slm.instances.iter_mut().for_each(|instance| instance.transform = Some(rows));
                }
                Ok(slm.to_vec()?)
            },
        },
        SceneForm {
            name: "anim",
            title: "Second Life keyframe motion",
            keeps: &[Feature::JointAnimations],
            has_meshes: false,
            has_levels: false,
            has_nodes: true,
            write: |scene, writing| {
                let (motion, losses) = motion_from_scene(scene, &mut writing.budget)?;
                writing.losses.extend(losses);
                Ok(slmesh::motion::to_vec(&motion)?)
            },
        },
        SceneForm {
            name: "material",
            title: "Second Life material asset",
            keeps: material::KEEPS,
            has_meshes: false,
            has_levels: false,
            has_nodes: true,
            write: |scene, writing| {
                let (bytes, losses) = material::from_scene(scene)?;
                writing.losses.extend(losses);
                Ok(bytes)
            },
        },
    ],
    detect: |bytes| {
        slmesh::detect(bytes).is_some() || slmesh::motion::detect(bytes) || material::detect(bytes)
    },
    read: |reading| {
        let read = slmesh::ReadOptions::new().max_bytes(reading.budget.left());
        let options = reading.options;
        let (levels, hulls, budget) = (options.levels, options.hulls, &mut *reading.budget);
        let (scene, losses) = match slmesh::detect(reading.bytes) {
            Some(slmesh::Kind::Slm) => slm_to_scene(&read.read_slm(reading.bytes)?, levels, hulls, budget)?,
            None if slmesh::motion::detect(reading.bytes) => {
                motion_to_scene(&read.read_motion(reading.bytes)?, reading.stem)
            }
            None if material::detect(reading.bytes) => {
                let value = slmesh::llsd::ReadOptions::new().max_bytes(reading.budget.left());
                let value = value.read(reading.bytes).map_err(Error::unreadable)?;
                (material::Asset::new(&value, reading.budget)?.to_scene(reading.stem)?, Vec::new())
            }
            _ => to_scene(&read.read(reading.bytes)?, reading.stem, levels, hulls, budget)?,
        };
        reading.losses.extend(losses);
        Ok(scene)
    },
};
