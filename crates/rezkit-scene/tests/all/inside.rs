//! Modules with tests of private items, compiled here with their tests, so that the library is not compiled again for
//! them. In these tests, `crate` is this program.

#![allow(dead_code, unreachable_pub, reason = "the library needs more of them than their tests")]
#![allow(clippy::cast_possible_truncation, reason = "as in the library")]

#[path = "../../src/gltf/meshopt/filters.rs"]
mod filters;
#[path = "../../src/slmesh/fitted.rs"]
mod fitted;
#[path = "../../src/hull.rs"]
mod hull;
#[path = "../../src/roblox/interpolation.rs"]
mod interpolation;
#[path = "../../src/slmesh/keys.rs"]
mod keys;
#[path = "../../src/reduction.rs"]
pub(crate) mod reduction;
#[path = "../../src/roblox_model/sha256.rs"]
mod sha256;
#[path = "../../src/roblox/shapes.rs"]
mod shapes;
#[path = "../../src/roblox_model/shapes.rs"]
mod solids;
#[path = "../../src/gltf/meshopt/streams.rs"]
mod streams;
#[path = "../../src/roblox/surfaces.rs"]
mod surfaces;
#[path = "../../src/roblox/truss.rs"]
mod truss;
