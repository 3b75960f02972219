#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::cast_possible_truncation,
    reason = "colours, pixels and coordinates: a float cast saturates, and the counts are bounded before"
)]

mod absorb;
mod animation;
pub mod bvh;
mod check;
mod combined;
mod corners;
pub mod dae;
pub mod fbx;
mod features;
mod forms;
pub mod gltf;
mod grow;
#[doc(hidden)]
pub mod hull;
pub mod images;
mod losses;
pub mod m3d;
mod model;
pub mod motion;
pub mod obj;
pub mod opensim;
pub mod ply;
mod polygon;
mod pose;
pub mod rbxmesh;
mod reduction;
mod retarget;
pub mod roblox;
pub mod roblox_model;
mod sampled;
mod skins;
pub mod slmesh;
pub mod stl;
pub mod vox;

pub use features::Feature;
pub use forms::{
    ModelOptions, RigModel, SceneOptions, SceneReader, SceneWriter, Terrain, Unions, Writing, Written,
    without_jpeg2000,
};
pub use losses::LOSSES;
pub use model::{
    Alpha, Animation, Camera, Channel, Clearcoat, Filter, Image, ImageData, Interpolation, Levels, Light,
    LightKind, Material, Mesh, MorphTarget, Node, Placed, Playback, Pose, Primitive, Priority, Sampler,
    Scene, Skin, Texture, Transform, UvTransform, Values, Wrap,
};
pub use pose::LOOKED_AT;
#[doc(hidden)]
pub use pose::append;
pub use rezkit_core::{
    Advice, Budget, Counted, DEFAULT_MAX_BYTES, Error, ErrorKind, File, Files, Finding, Limit, Loss,
    LossKind, LossRule, Reference, Result, Rule, Severity, Sources,
};
