//! One scene for all formats, in glTF's terms: nodes, meshes of primitives, materials, images, skins
//! and animations.
//!
//! Every mesh format is read into a [`Scene`] and made from one, so that a conversion between any two
//! of them is two steps, and pictures need to know only the scene.
//!
//! Conventions: right-handed, y up, +z towards the viewer, counter-clockwise triangles, texture
//! coordinates with v growing downwards, times in seconds, matrices column by column. A module of a
//! format documents how its own axes and units become these.

#![allow(
    clippy::cast_possible_truncation,
    reason = "colours, pixels and coordinates: a float cast saturates, and the counts are bounded before"
)]

mod absorb;
mod animation;
pub mod gltf;
mod hull;
pub mod images;
pub mod io;
pub mod m3d;
mod model;
pub mod obj;
pub mod ply;
mod pose;
pub mod rbxmesh;
pub mod render;
pub mod roblox;
pub mod slmesh;
pub mod stl;
pub mod upload;

pub use glam;
pub use model::{
    Alpha, Animation, Camera, Channel, Image, ImageData, Interpolation, Levels, Light, LightKind, Loss,
    Material, Mesh, Node, Placed, Primitive, Scene, Skin, Target, Texture, Transform, Values,
};
