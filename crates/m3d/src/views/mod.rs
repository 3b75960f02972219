//! What programs want from a model: triangles, poses, grids.

mod hash;
mod pose;
mod triangles;
mod voxels;

pub(crate) use hash::Mix;
pub use pose::{AfterLast, BonePose, Pose};
pub use triangles::Group;
pub(crate) use triangles::material_ids;
