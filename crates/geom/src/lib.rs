//! Plain vectors, matrices, boxes and a triangle mesh: what mesh format crates share, and no more.
//!
//! Every type is `#[repr(C)]`, has public `f32` fields and converts from and to arrays, so that data
//! moves between this crate and a mathematics library without ceremony. With the feature `mint` the
//! types convert from and to those of `mint`, which glam, nalgebra and cgmath understand; with
//! `serde` they serialise.
//!
//! Vectors are columns: a matrix transforms `v` as `M * v`, and a [`Mat4`] carries its translation
//! in the last column. Nothing here has a unit or a handedness; the format crates say what theirs are.
//!
//! ```
//! use geom::{Aabb, Mat4, Vec3};
//!
//! let up = Vec3::new(1.0, 0.0, 0.0).cross(Vec3::new(0.0, 1.0, 0.0));
//! assert_eq!(up, Vec3::new(0.0, 0.0, 1.0));
//! let moved = Mat4::from_translation(up).transform_point(up);
//! assert_eq!(Aabb::from_points([up, moved]).unwrap().size(), Vec3::new(0.0, 0.0, 1.0));
//! ```
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
