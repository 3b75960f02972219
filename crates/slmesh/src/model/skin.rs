//! The skin.

use geom::{Mat4, Vec3};
use llsd::{Map, Text};

use super::weights::VertexWeights;

/// Binds the vertices to the joints of an avatar.
///
/// Matrices are sixteen numbers, row by row, for row vectors, with the translation in the last row. The flat array is
/// the same as in glTF, which stores matrices for column vectors, column by column.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Skin {
    /// The joints, in the order of the weights' indices. The viewer treats an unknown name as `mPelvis`.
    pub joint_names: Vec<Text>,
    /// From the mesh to its bind position; identity if it is missing.
    pub bind_shape_matrix: Option<[f64; 16]>,
    /// One per joint: from the bind position to the joint.
    pub inverse_bind_matrices: Vec<[f64; 16]>,
    /// One per joint, or empty: the positions to which the mesh moves the joints, each in the avatar's joint above it. Only
    /// the translation is used.
    pub alt_inverse_bind_matrices: Vec<[f64; 16]>,
    /// The height by which the mesh lifts the pelvis.
    pub pelvis_offset: Option<f64>,
    /// Whether joints overridden by the mesh cannot be scaled.
    pub lock_scale_if_joint_position: Option<bool>,
    /// Unknown keys, and parts of known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// Header entries for this block other than offset and size.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

impl Skin {
    /// A skin of joints with their inverse bind matrices, and nothing else.
    pub fn new<N: Into<Text>>(joints: impl IntoIterator<Item = (N, Mat4)>) -> Self {
        let (names, matrices) = joints.into_iter().map(|(name, m)| (name.into(), from_mat4(m))).unzip();
        Self {
            joint_names: names,
            inverse_bind_matrices: matrices,
            bind_shape_matrix: Some(from_mat4(Mat4::IDENTITY)),
            ..Self::default()
        }
    }

    /// The bind shape matrix.
    pub fn bind_shape(&self) -> Mat4 {
        self.bind_shape_matrix.map_or(Mat4::IDENTITY, to_mat4)
    }

    /// The inverse bind matrix of a joint.
    pub fn inverse_bind(&self, joint: usize) -> Option<Mat4> {
        self.inverse_bind_matrices.get(joint).copied().map(to_mat4)
    }

    /// The overridden position of a joint, if the skin has one.
    pub fn joint_position(&self, joint: usize) -> Option<Vec3> {
        self.alt_inverse_bind_matrices.get(joint).map(|&matrix| to_mat4(matrix).translation())
    }

    /// A point of the mesh in the bind pose. Only the bind shape matrix moves it, because each joint's matrix then
    /// undoes its inverse bind matrix.
    pub fn bind_pose(&self, point: Vec3) -> Vec3 {
        self.bind_shape().transform_point(point)
    }

    /// A posed point of the mesh: the sum over the vertex's joints of `share · (point · BindShape · InverseBind ·
    /// World)`, with the viewer's weights ([`VertexWeights::shares`]).
    ///
    /// `world` has a matrix per joint of this skin. A weight on a joint beyond the last counts for the last;
    /// without any joint the point is in the bind pose.
    pub fn posed(&self, point: Vec3, weights: &VertexWeights, world: &[Mat4]) -> Vec3 {
        let bound = self.bind_pose(point);
        let Some(last) = world.len().min(self.inverse_bind_matrices.len()).checked_sub(1) else {
            return bound;
        };
        weights.shares().fold(Vec3::default(), |sum, (joint, share)| {
            let joint = usize::from(joint).min(last);
            let local = to_mat4(self.inverse_bind_matrices[joint]).transform_point(bound);
            sum + world[joint].transform_point(local) * share
        })
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the viewer's matrices have 32 bits")]
pub(crate) fn to_mat4(matrix: [f64; 16]) -> Mat4 {
    Mat4::from_columns(matrix.map(|number| number as f32))
}

pub(crate) fn from_mat4(matrix: Mat4) -> [f64; 16] {
    matrix.to_columns().map(f64::from)
}
