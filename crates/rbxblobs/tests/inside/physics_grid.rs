//! Tests of private items of `src/terrain/physics_grid.rs`, which includes this file as a module.

use super::super::smooth_grid::{Chunk, Voxel};
use super::*;
use crate::from_slice;

#[test]
fn lists_by_hand() {
    let empty = b"\x02\x03\0\0\0\0\0\0\0\0\0\0\0\0";
    let grid: PhysicsGrid = from_slice(empty).expect("readable");
    assert_eq!(grid, PhysicsGrid::default());
    assert_eq!(grid.to_vec().expect("written"), empty);
    // In a real file, the first block is at (-5, -1, 1), and the second follows along z.
    let mut bytes = b"\x02\x03\0\0\0\x02\xff\xff\x00\xff\xff\x00\xff\xff\x00\xfb\xff\x01".to_vec();
    bytes.extend([0; 11]);
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let grid = from_slice::<PhysicsGrid>(&bytes).expect("readable");
    assert_eq!(grid.surface, [[-5, -1, 1], [-5, -1, 2]]);
    assert_eq!(grid.to_vec().expect("written"), bytes);
    assert!(from_slice::<PhysicsGrid>(b"\x02\x03\xff\xff\xff\xff").is_err());
}

/// A full voxel in a corner of its block touches seven other blocks. A full chunk is solid in its middle.
#[test]
fn of_voxels() {
    let voxel = |material| Voxel { material, occupancy: None, water: None };
    let mut runs = vec![(voxel(2), 1), (voxel(0), 255)];
    runs.extend([(voxel(0), 256)].repeat(127));
    let chunk = Chunk { position: [0; 3], runs };
    let grid = PhysicsGrid::of(&SmoothGrid { chunks: vec![chunk] }).expect("in range");
    assert_eq!((grid.surface.len(), grid.solid.len()), (8, 0));
    assert_eq!(grid.surface[0], [-1, -1, -1]);
    let chunk = Chunk { position: [0; 3], runs: vec![(voxel(3), 256); 128] };
    let grid = PhysicsGrid::of(&SmoothGrid { chunks: vec![chunk] }).expect("in range");
    assert_eq!((grid.surface.len(), grid.solid.len()), (6 * 6 * 6 - 8, 8));
}
