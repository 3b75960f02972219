//! Terrain before 2015, maps of heights, and regions of terrain.

use geom::wire::Budget;
use rbxblobs::terrain::{CELLS, Extent, Ground, Heights, Voxel};
use rbxblobs::{ClusterGrid, SmoothGrid, from_slice};
use testkit::Rng;

fn budget() -> Budget {
    Budget::new(1 << 30)
}

/// Bytes by hand: the layout was found by comparing a place of 2014 with its cells, which a program had exported from Studio
/// as 3,136 parts with names, shapes, rotations and positions.
fn by_hand(position: [i16; 3], runs: [&[(u8, u16)]; 2]) -> Vec<u8> {
    let mut bytes: Vec<u8> = position.iter().flat_map(|at| at.to_le_bytes()).collect();
    for &(value, count) in runs.into_iter().flatten() {
        bytes.push(value);
        match count {
            0..=254 => bytes.push(count.to_le_bytes()[0]),
            _ => {
                bytes.push(255);
                bytes.extend(count.to_be_bytes());
            }
        }
    }
    bytes
}

#[test]
fn cells_are_where_voxels_are() {
    // x first, then z, then y: the cell (1, 2, 3) has the index 1 + 32 * 3 + 1024 * 2.
    let bytes = by_hand(
        [5, 1, -4],
        [
            &[(0x28, 2145), (0x00, 1), (0xc8, 1), (0x29, 1), (0x28, 14_236)],
            &[(0x11, 2145), (0x01, 2), (0x11, 14_237)],
        ],
    );
    assert_eq!(bytes[..8], [5, 0, 1, 0, 0xfc, 0xff, 0x28, 0xff]);
    let grid: ClusterGrid = from_slice(&bytes).unwrap();
    assert_eq!(grid.to_vec().unwrap(), bytes);
    let smooth = grid.to_smooth();
    let at = |x: i32| smooth.get([5 * 32 + x, 16 + 2, -4 * 32 + 3]);
    // A block and a wedge of grass, and water.
    assert_eq!(at(1), Voxel::full(2));
    assert_eq!(at(2), Voxel { material: 2, occupancy: Some(128), water: None });
    assert_eq!(at(3), Voxel::full(1));
    assert_eq!((at(0), at(4)), (Voxel::default(), Voxel::default()));
    let cells: Vec<_> = grid.chunks[0].cells().collect();
    assert_eq!(cells.len(), CELLS);
    assert_eq!((cells[2146].block(), cells[2146].rotation(), cells[2147].is_water()), (1, 3, true));
}

#[test]
fn blocks_come_back_from_voxels() {
    let mut smooth = SmoothGrid::default();
    // Materials that both have, in the space of old terrain.
    for (index, material) in (0..).zip([2_u8, 6, 5, 7, 16, 1]) {
        let from = [40 * index - 100, 20, -7];
        smooth.edit(from, from.map(|at| at + 9), |_, voxel| *voxel = Voxel::full(material));
    }
    let (cells, lost) = ClusterGrid::of_smooth(&smooth);
    assert_eq!(lost, Default::default());
    let bytes = cells.to_vec().unwrap();
    let read: ClusterGrid = from_slice(&bytes).unwrap();
    assert_eq!(read.to_smooth(), smooth);
    // What is outside, partly full or of another material is counted.
    smooth.edit([0, -5, 0], [2, -4, 1], |_, voxel| *voxel = Voxel::full(2));
    smooth.edit([0, 50, 0], [3, 51, 1], |_, voxel| *voxel = Voxel::full(10));
    smooth.edit([0, 60, 0], [1, 61, 1], |_, voxel| *voxel = Voxel { occupancy: Some(3), ..Voxel::full(2) });
    let (_, lost) = ClusterGrid::of_smooth(&smooth);
    assert_eq!((lost.outside, lost.materials, lost.partly), (2, 3, 1));
}

#[test]
fn damaged_cells_are_errors() {
    let empty: &[(u8, u16)] = &[(0x28, 16_384)];
    let good = by_hand([0; 3], [empty, empty]);
    assert!(from_slice::<ClusterGrid>(&good).is_ok());
    for len in 1..good.len() {
        assert!(from_slice::<ClusterGrid>(&good[..len]).is_err(), "{len} bytes");
    }
    for runs in [[(0x28, 16_383), (0x00, 2)], [(0x28, 0), (0x00, 16_384)]] {
        assert!(from_slice::<ClusterGrid>(&by_hand([0; 3], [&runs, empty])).is_err());
    }
}

/// 512 by 512 heights become terrain and come back within a fraction of a voxel.
#[test]
fn heights_come_back() {
    let mut rng = Rng(7);
    let samples = (0..512 * 512).map(|_| (rng.next() & 0xffff) as u16).collect();
    let map = Heights { width: 512, depth: 512, samples, materials: Vec::new() };
    let ground = Ground { origin: [-256, -10, 3], height: 40, ..Ground::default() };
    let grid = map.to_grid(&ground, &mut budget()).unwrap();
    let grid: SmoothGrid = from_slice(&grid.to_vec().unwrap()).unwrap();
    let extent = Extent { from: ground.origin, to: [256, 30, 515] };
    let found = grid.heights(extent, &mut budget()).unwrap();
    assert_eq!((found.width, found.depth), (512, 512));
    // A voxel is 1,638 of 65,535; occupancies are stored in 255 steps, of which each is 6.4.
    let most = map.samples.iter().zip(&found.samples).map(|(one, next)| one.abs_diff(*next)).max().unwrap();
    assert!(most <= 4, "{most}");
    // The map is where it was asked for, and its rows go along z.
    let sample = usize::from(map.samples[512 * 100 + 20]);
    let top = -10 + i32::try_from(sample * 40 / 65_535).unwrap();
    assert_eq!(grid.get([-256 + 20, top - 1, 103]).material, 2);
    assert_eq!(grid.get([-256 + 20, top + 1, 103]), Voxel::default());
}

#[test]
fn a_map_has_water_and_other_sizes() {
    let map = Heights { width: 2, depth: 1, samples: vec![0, 65_535], materials: vec![0, 5] };
    let ground = Ground { height: 4, water: 2, material: 6, ..Ground::default() };
    let grid = map.to_grid(&ground, &mut budget()).unwrap();
    let column = |x: i32| [0, 1, 2, 3, 4].map(|y| grid.get([x, y, 0]).material);
    assert_eq!((column(0), column(1)), ([1, 1, 0, 0, 0], [5, 5, 5, 5, 0]));
    let extent = Extent { from: [0; 3], to: [2, 4, 1] };
    assert_eq!(grid.heights(extent, &mut budget()).unwrap(), map);
    assert_eq!(grid.extent(), Some(Extent { from: [1, 0, 0], to: [2, 4, 1] }));
    let wide = map.resized(4, 2);
    assert_eq!(wide.samples, [0, 16_384, 49_151, 65_535, 0, 16_384, 49_151, 65_535]);
    let empty = Extent { from: [0; 3], to: [0, 4, 1] };
    assert!(grid.heights(empty, &mut budget()).is_err());
    assert!(
        Heights { width: 3, depth: 1, samples: vec![0], materials: Vec::new() }
            .to_grid(&ground, &mut budget())
            .is_err()
    );
}

#[test]
fn a_region_is_moved_and_pasted() {
    let mut rng = Rng(3);
    let mut grid = SmoothGrid::default();
    grid.edit([-40, -3, 20], [50, 40, 70], |_, voxel| *voxel = Voxel::full((rng.next() % 23) as u8));
    let (extent, by) = (Extent { from: [-10, 0, 25], to: [33, 35, 66] }, [100, -64, 7]);
    let region = grid.region(extent, by, &mut budget()).unwrap();
    let mut other = SmoothGrid::default();
    other.edit([90, -64, 30], [95, -60, 80], |_, voxel| *voxel = Voxel::full(4));
    let before = other.clone();
    other.paste(&region, &mut budget()).unwrap();
    for at in [[-10, 0, 25], [0, 10, 40], [32, 34, 65], [33, 34, 65], [-11, 0, 25], [5, 5, 5], [-8, 2, 30]] {
        let to = [at[0] + by[0], at[1] + by[1], at[2] + by[2]];
        let is_inside = (0..3).all(|axis| (extent.from[axis]..extent.to[axis]).contains(&at[axis]));
        let source = if is_inside { grid.get(at) } else { Voxel::default() };
        let wanted = if source == Voxel::default() { before.get(to) } else { source };
        assert_eq!(other.get(to), wanted, "{at:?}");
    }
    assert!(grid.region(Extent { from: [0; 3], to: [0; 3] }, by, &mut budget()).is_err());
}
