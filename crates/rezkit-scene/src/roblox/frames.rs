//! The CFrames of instances as transforms.

use glam::{Mat3, Mat4};

use super::builder::{Builder, transform};
use crate::model::Transform;

impl Builder<'_> {
    /// The CFrame of an instance as a transform. If it does more than move and turn, that is listed.
    pub(super) fn rigid(&mut self, index: usize, frame: Mat4) -> Transform {
        // The numbers of files are rounded.
        const NEAR: f32 = 0.01;
        if !frame.is_finite() {
            self.approximate(
                index,
                "roblox.frame",
                "a CFrame that is not finite or cannot be inverted: it is ignored",
            );
            return Transform::default();
        }
        let turn = Mat3::from_mat4(frame);
        let is_turn = (turn.transpose() * turn).abs_diff_eq(Mat3::IDENTITY, NEAR) && turn.determinant() > 0.0;
        if !is_turn {
            let what = "a CFrame that scales, mirrors or shears: only its position and a rotation are used";
            self.approximate(index, "roblox.frame", what);
        }
        transform(frame)
    }
}
