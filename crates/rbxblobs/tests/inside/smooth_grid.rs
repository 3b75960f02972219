//! Tests of private items of `src/terrain/smooth_grid.rs`, which includes this file as a module.

use super::*;
use crate::from_slice;

/// The beginning of the first chunk in a real file: at (-2, -1, 0), with runs of 256 voxels of air.
#[test]
fn a_chunk_by_hand() {
    let mut bytes = b"\x01\x05\xff\xff\x00\xff\xff\x00\xff\xff\x00\xfe\xff\x00".to_vec();
    bytes.extend([0x80, 0xff].repeat(127));
    // A voxel of grass, half full; 31 of air; one of sand with water; 223 of air.
    bytes.extend([0x42, 0x82, 0x80, 0x1e, 0x86, 0x00, 0x40, 0x80, 0xde]);
    let grid = from_slice::<SmoothGrid>(&bytes).expect("readable");
    let chunk = &grid.chunks[0];
    assert_eq!(chunk.position, [-2, -1, 0]);
    let voxels: Vec<_> = chunk.voxels().collect();
    assert_eq!(voxels.len(), VOXELS);
    assert_eq!(MATERIALS[usize::from(voxels[127 * 256].material)], "Grass");
    assert_eq!((voxels[127 * 256].filled(), voxels[0].filled()), (0x82, 0));
    assert_eq!(voxels[127 * 256 + 32], Voxel { material: 6, occupancy: None, water: Some(0x40) });
    assert_eq!(grid.to_vec().expect("written"), bytes);
    for end in 3..bytes.len() {
        assert!(from_slice::<SmoothGrid>(&bytes[..end]).is_err(), "cut to {end}");
    }
    assert!(from_slice::<SmoothGrid>(b"\x01\x05").expect("readable").chunks.is_empty());
    assert!(from_slice::<SmoothGrid>(b"\x02\x05").is_err() && from_slice::<SmoothGrid>(b"").is_err());
}

#[test]
fn what_cannot_be_written() {
    let air = Voxel { material: 0, occupancy: None, water: None };
    let grid = |runs| SmoothGrid { chunks: vec![Chunk { position: [0; 3], runs }] };
    assert!(grid(vec![(air, 256); 128]).to_vec().is_ok());
    assert!(grid(vec![(air, 256); 127]).to_vec().is_err());
    assert!(grid(vec![(air, 512); 64]).to_vec().is_err());
    assert!(grid(vec![(Voxel { material: 64, ..air }, 256); 128]).to_vec().is_err());
}
