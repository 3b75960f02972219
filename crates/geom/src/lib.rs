#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod matrix;
#[cfg(feature = "mint")]
mod mint;
mod trimesh;
mod vector;

pub use matrix::{Mat3, Mat4};
pub use trimesh::TriMesh;
pub use vector::{Aabb, Quat, Rgba8, Vec2, Vec3, Vec4};
