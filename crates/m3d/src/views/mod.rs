//! What programs want from a model: triangles, poses, grids.

mod pose;

pub use pose::{AfterLast, BonePose, Pose};
