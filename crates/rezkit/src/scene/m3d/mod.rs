//! Model 3D as a scene, and back.
//!
//! Axes are glTF's, and a unit of the scene is a metre: the scale of the model is applied. Textures
//! keep their orientation, since the views of the crate turn v over.

mod from_scene;
mod materials;
mod to_scene;

pub use from_scene::from_scene;
pub use to_scene::to_scene;
