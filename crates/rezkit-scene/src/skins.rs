//! Joins the skins of a scene to one, for formats with one skeleton.

use std::collections::HashMap;

use geom::TriMesh;
use glam::{Mat4, Vec3};
use rezkit_core::{Error, Loss, Result};

use crate::features::Feature;
use crate::model::{Scene, Skin, decomposed};

/// The loss of weights whose bone is not in the file.
pub(crate) const NO_BONE: &str =
    "weights of bones that do not exist: the other weights of the vertex are scaled to a sum of 1";

/// All drawn skins as one. It has each joint once, with the bind matrix of the first skin that has the joint, or with
/// that of the joint at rest if the former has a scale: joints of these formats have only a position and a rotation.
pub(crate) struct Joined {
    pub(crate) skin: Skin,
    parts: HashMap<usize, Part>,
}

/// A skin as a part of the joined skin.
struct Part {
    /// For each joint of the skin, its index in the joined skin.
    joints: Vec<u16>,
    /// For each joint, the matrix from the mesh as this skin binds it to the mesh as the joined skin binds it; `None`
    /// if all are the identity.
    moved: Option<Vec<Mat4>>,
}

impl Scene {
    /// The meshes that are drawn with each skin.
    pub fn skinned(&self) -> Vec<Vec<usize>> {
        let mut meshes: Vec<Vec<usize>> = vec![Vec::new(); self.skins.len()];
        for node in self.visible().into_iter().map(|node| &self.nodes[node]) {
            if let (Some(meshes), Some(mesh)) = (node.skin.and_then(|skin| meshes.get_mut(skin)), node.mesh) {
                meshes.push(mesh);
            }
        }
        meshes
    }

    /// The skins of all drawn nodes, joined; `None` without skins.
    ///
    /// # Errors
    /// If they have more than 65,536 joints.
    pub(crate) fn joined_skin(&self) -> Result<Option<Joined>> {
        let mut all = Skin::default();
        let world = self.world_at_rest();
        let (mut index_of, mut parts) = (HashMap::new(), HashMap::new());
        for node in self.visible() {
            let Some(index) = self.nodes[node].skin.filter(|index| !parts.contains_key(index)) else {
                continue;
            };
            let Some(skin) = self.skins.get(index) else { continue };
            let (mut joints, mut moved) = (Vec::new(), None);
            for (at, (&joint, inverse)) in skin.joints.iter().zip(&skin.inverse_bind).enumerate() {
                let target = *index_of.entry(joint).or_insert_with(|| {
                    all.joints.push(joint);
                    all.inverse_bind.push(rigid(*inverse, world[joint]));
                    all.joints.len() - 1
                });
                let narrow = u16::try_from(target).map_err(|_| {
                    Error::unwritable("the skins of the scene have more than the maximum of 65,536 joints")
                })?;
                joints.push(narrow);
                let bound = all.inverse_bind[target];
                if bound != *inverse {
                    let matrix =
                        Mat4::from_cols_array_2d(&bound).inverse() * Mat4::from_cols_array_2d(inverse);
                    moved.get_or_insert_with(|| vec![Mat4::IDENTITY; skin.joints.len()])[at] = matrix;
                }
            }
            parts.insert(index, Part { joints, moved });
        }
        Ok((!parts.is_empty()).then_some(Joined { skin: all, parts }))
    }
}

/// An inverse bind matrix without scale: the given one, or if it has a scale, one from the joint at rest.
fn rigid(inverse: [[f32; 4]; 4], rest: Mat4) -> [[f32; 4]; 4] {
    let [x, y, z, _] = inverse.map(|[x, y, z, _]| Vec3::new(x, y, z).length());
    if [x, y, z].into_iter().all(|length| (length - 1.0).abs() < 1e-3) {
        return inverse;
    }
    let (_, rotation, translation) = decomposed(rest);
    Mat4::from_rotation_translation(rotation, translation).inverse().to_cols_array_2d()
}

impl Joined {
    /// Lists a loss if joints are not posed at rest as they were bound: formats with one skeleton have only the bind
    /// pose.
    pub(crate) fn rest(&self, scene: &Scene, losses: &mut Vec<Loss>) {
        let world = scene.world_at_rest();
        let joints = self.skin.joints.iter().zip(&self.skin.inverse_bind);
        let moved = joints.filter(|(joint, inverse)| {
            let moved = world[**joint] * Mat4::from_cols_array_2d(inverse);
            !moved.abs_diff_eq(Mat4::IDENTITY, 1e-3)
        });
        let count = moved.count();
        if count > 0 {
            let loss = Loss::approximated(
                "skins",
                "joints whose rest pose differs from their bind pose: written in the bind pose",
            );
            let moved =
                [Feature::Size, Feature::Skins, Feature::SeveralSkins, Feature::Normals, Feature::Tangents];
            losses.push(loss.times(count).about(moved.map(Feature::title)));
        }
    }

    /// Converts a mesh of one of the skins to the joined skin: its bind pose and its joints.
    pub(crate) fn bind(&self, skin: usize, mesh: &mut TriMesh) {
        if let Some(matrices) = self.parts.get(&skin).and_then(|part| part.moved.as_deref()) {
            *mesh = crate::pose::deformed(mesh, Mat4::IDENTITY, Some(matrices));
        }
        self.rename(skin, mesh);
    }

    /// Converts the joints of a mesh of one of the skins to those of the joined skin.
    pub(crate) fn rename(&self, skin: usize, mesh: &mut TriMesh) {
        let Some(part) = self.parts.get(&skin) else { return };
        for joint in mesh.joints.iter_mut().flatten() {
            *joint = part.joints.get(usize::from(*joint)).copied().unwrap_or(0);
        }
    }
}
