//! Compares rigs with the skeleton of the viewer's avatar.

use glam::Vec3;
use slmesh::joints::{self, Joint, JointKind};

use super::fitted::{Fit, fitted};
use super::lying;
use crate::model::{Scene, Skin};

/// The position of a bone of the avatar at rest, in metres with z up.
pub(super) fn place(joint: &'static Joint) -> Vec3 {
    let mut place = Vec3::ZERO;
    let mut next = Some(joint);
    while let Some(joint) = next {
        place += Vec3::from_array(joint.position);
        next = joint.parent.and_then(joints::find);
    }
    place
}

/// Compares the rest pose of a skin with the avatar's bones of the same names; `None` if it has fewer than two of them.
pub(super) fn fit(scene: &Scene, at_rest: &[[[f32; 4]; 4]], skin: &Skin) -> Option<Fit> {
    let bone = |&node: &usize| {
        let joint = joints::find(&scene.nodes[node].name).filter(|joint| joint.kind == JointKind::Bone)?;
        Some((place(joint), lying().transform_point3(Vec3::from_slice(&at_rest[node][3]))))
    };
    fitted(&skin.joints.iter().filter_map(bone).collect::<Vec<_>>())
}
