#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "wire"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod color;
#[cfg(feature = "files")]
pub mod files;
mod frame;
mod matrix;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "wire")]
pub mod plain;
mod rect;
pub mod sort;
mod trimesh;
mod vector;
#[cfg(feature = "wire")]
pub mod wire;

pub use frame::{CFrame, Ray};
pub use matrix::{Mat3, Mat4};
pub use rect::{Rect, UDim, UDim2};
pub use trimesh::TriMesh;
pub use vector::{Aabb, LinearRgba, Quat, Rgba8, Vec2, Vec3, Vec4, Vector2int16, Vector3int16};
