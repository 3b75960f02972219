//! Terrain: its voxels, the blocks for physics that follow from them, its surface, and the colours of its materials.

mod cluster_grid;
mod colors;
mod grid;
mod heights;
mod physics_grid;
mod smooth_grid;
mod surface;

pub use cluster_grid::{CELL_MATERIALS, CELLS, Cell, CellChunk, ClusterGrid, LostVoxels};
pub use colors::MaterialColors;
pub use grid::Coordinates;
pub use heights::{Extent, Ground, Heights};
pub use physics_grid::PhysicsGrid;
pub use smooth_grid::{Chunk, Defects, EDGE, FARTHEST, MATERIALS, SmoothGrid, VOXELS, Voxel};
pub use surface::{Measured, STEPS, Surface, name};
