//! Terrain: its voxels, and the blocks that follow from them.

mod grid;
mod physics_grid;
mod smooth_grid;

pub use grid::Coordinates;
pub use physics_grid::PhysicsGrid;
pub use smooth_grid::{Chunk, EDGE, MATERIALS, SmoothGrid, VOXELS, Voxel};
