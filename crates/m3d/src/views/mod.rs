//! Data derived from a model: triangles, poses, voxels, textures.

mod pose;
mod scene;
mod textures;
mod triangles;
mod voxels;

pub use pose::{AfterLast, BonePose, Pose};
pub use scene::{Annotation, Scene};
pub use textures::Texture;
pub use triangles::Group;
