//! Joins the skins of a scene to one, for formats with one skeleton.

use std::collections::HashMap;

use geom::TriMesh;
use glam::{Mat4, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};

use crate::features::Feature;
use crate::model::{Scene, Skin, rigid};

/// The loss of weights whose bone is not in the file.
pub(crate) const NO_BONE: &str =
    "weights of bones that do not exist: the other weights of the vertex are scaled to a sum of 1";

/// All drawn skins as one. It has each joint once, with the bind matrix of the first skin that has the joint, or with
/// that of the joint at rest if the former has a scale: joints of these formats have only a position and a rotation.
pub(crate) struct Joined {
    pub(crate) skin: Skin,
    /// Whether the bind matrix of a joint is that of the joint at rest.
    at_rest: Vec<bool>,
    /// Each joint at rest, without its scale.
    rest: Vec<Mat4>,
    parts: HashMap<usize, Part>,
    /// The nearest joint above each node, or at it.
    above: Vec<Option<u16>>,
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
        self.joined(self.visible().into_iter().filter_map(|node| self.nodes[node].skin))
    }

    /// A copy of a scene without skins whose animations move nodes, with these as the joints of a skin; and that skin, which
    /// carries the meshes below them. `None` for other scenes.
    ///
    /// # Errors
    /// As [`joined_skin`](Self::joined_skin), and if the budget does not suffice for the copy.
    pub(crate) fn with_moving_joints(&self, budget: &mut Budget) -> Result<Option<(Self, Joined)>> {
        let moved = self.moving_nodes();
        if moved.is_empty() || !self.skins.is_empty() {
            return Ok(None);
        }
        self.take(1, budget)?;
        let mut scene = self.clone();
        let joints: Vec<usize> = self.walk().into_iter().filter(|node| moved.contains(node)).collect();
        let world = self.world_at_rest();
        let inverse_bind =
            joints.iter().map(|&node| rigid(world[node]).inverse().to_cols_array_2d()).collect();
        scene.skins.push(Skin { joints, inverse_bind, ..Skin::default() });
        let joined = scene.joined(std::iter::once(0))?;
        Ok(joined.map(|joined| (scene, joined)))
    }

    fn joined(&self, skins: impl Iterator<Item = usize>) -> Result<Option<Joined>> {
        let (mut all, mut at_rest, mut rest) = (Skin::default(), Vec::new(), Vec::new());
        let world = self.world_at_rest();
        let (mut index_of, mut parts) = (HashMap::new(), HashMap::new());
        for index in skins {
            if parts.contains_key(&index) {
                continue;
            }
            let Some(skin) = self.skins.get(index) else { continue };
            let (mut joints, mut moved) = (Vec::new(), None);
            for (at, (&joint, inverse)) in skin.joints.iter().zip(&skin.inverse_bind).enumerate() {
                let is_scaled = has_scale(inverse);
                let target = *index_of.entry(joint).or_insert_with(|| {
                    let own = rigid(world[joint]);
                    let own_inverse = own.inverse().to_cols_array_2d();
                    all.joints.push(joint);
                    all.inverse_bind.push(if is_scaled { own_inverse } else { *inverse });
                    rest.push(own);
                    at_rest.push(is_scaled);
                    all.joints.len() - 1
                });
                let narrow = u16::try_from(target).map_err(|_| {
                    Error::unwritable("the skins of the scene have more than the maximum of 65,536 joints")
                })?;
                joints.push(narrow);
                let bound = all.inverse_bind[target];
                if bound != *inverse {
                    let mut matrix = Mat4::from_cols_array_2d(inverse);
                    if is_scaled {
                        // The mesh as it is at rest, where the scale of the joint cancels this one.
                        matrix = rest[target].inverse() * world[joint] * matrix;
                    }
                    let matrix = Mat4::from_cols_array_2d(&bound).inverse() * matrix;
                    moved.get_or_insert_with(|| vec![Mat4::IDENTITY; skin.joints.len()])[at] = matrix;
                }
            }
            parts.insert(index, Part { joints, moved });
        }
        let mut above: Vec<Option<u16>> = vec![None; self.nodes.len()];
        for node in self.walk() {
            let own = index_of.get(&node).and_then(|&joint| u16::try_from(joint).ok());
            above[node] = own.or(above[node]);
            self.nodes[node].children.iter().for_each(|&child| above[child] = above[node]);
        }
        Ok((!parts.is_empty()).then_some(Joined { skin: all, at_rest, rest, parts, above }))
    }
}

/// Whether an inverse bind matrix has a scale.
fn has_scale(inverse: &[[f32; 4]; 4]) -> bool {
    let [x, y, z, _] = inverse.map(|[x, y, z, _]| Vec3::new(x, y, z).length());
    ![x, y, z].into_iter().all(|length| (length - 1.0).abs() < 1e-3)
}

impl Joined {
    /// Lists a loss if joints are not posed at rest as they were bound: formats with one skeleton have only the bind
    /// pose.
    pub(crate) fn rest(&self, scene: &Scene, losses: &mut Vec<Loss>) {
        let world = scene.world_at_rest();
        let joints = self.skin.joints.iter().zip(&self.skin.inverse_bind).zip(&self.at_rest);
        let moved = joints.filter(|((joint, inverse), at_rest)| {
            let moved = world[**joint] * Mat4::from_cols_array_2d(inverse);
            !**at_rest && !moved.abs_diff_eq(Mat4::IDENTITY, 1e-3)
        });
        let count = moved.count();
        if count > 0 {
            let loss = Loss::approximated(
                "skins",
                "joints whose rest pose differs from their bind pose: written in the bind pose",
            )
            .id("scene.rest-pose");
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

    /// The nearest joint above a node, which carries its mesh if that has no skin.
    pub(crate) fn carrier(&self, node: usize) -> Option<u16> {
        self.above[node]
    }

    /// Binds a mesh without a skin, placed as the scene shows it at rest, to the nearest joint above its node. Returns
    /// whether there is one.
    pub(crate) fn carry(&self, node: usize, mesh: &mut TriMesh) -> bool {
        let Some(joint) = self.above[node] else { return false };
        let at = usize::from(joint);
        let moved = Mat4::from_cols_array_2d(&self.skin.inverse_bind[at]).inverse() * self.rest[at].inverse();
        if !moved.abs_diff_eq(Mat4::IDENTITY, 1e-5) {
            *mesh = crate::pose::deformed(mesh, moved, None);
        }
        bind_to(mesh, joint);
        true
    }

    /// Converts the joints of a mesh of one of the skins to those of the joined skin.
    pub(crate) fn rename(&self, skin: usize, mesh: &mut TriMesh) {
        let Some(part) = self.parts.get(&skin) else { return };
        for joint in mesh.joints.iter_mut().flatten() {
            *joint = part.joints.get(usize::from(*joint)).copied().unwrap_or(0);
        }
    }
}

/// Binds all vertices of a mesh to one joint.
pub(crate) fn bind_to(mesh: &mut TriMesh, joint: u16) {
    mesh.joints = vec![[joint, 0, 0, 0]; mesh.positions.len()];
    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; mesh.positions.len()];
}
