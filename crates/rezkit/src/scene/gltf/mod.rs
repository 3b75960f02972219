//! glTF 2.0, binary (`.glb`) and as JSON (`.gltf`).

mod material;
mod primitive;
mod read;
mod valid;
mod write;
mod writer;

pub use read::{detect, from_slice};
pub use write::{Gltf, to_glb, to_gltf};
