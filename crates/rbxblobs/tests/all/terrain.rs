//! Surfaces of terrain: they are closed, face outwards, and are at the positions of the voxels.

use std::collections::{BTreeMap, HashMap};

use geom::{Aabb, TriMesh, Vec3};
use rbxblobs::terrain::{Chunk, STEPS, Surface, Voxel};
use rbxblobs::{ReadOptions, SmoothGrid, from_slice};

fn surfaces(grid: &SmoothGrid, step: u32) -> Vec<Surface> {
    let options = ReadOptions::new();
    let surfaces = grid.surface(step, &options).expect("small");
    let triangles: usize = surfaces.iter().map(|surface| surface.mesh.triangles.len()).sum();
    assert_eq!(grid.triangle_count(step, &options).expect("small"), triangles as u64);
    for surface in &surfaces {
        assert!(surface.mesh.is_consistent());
        assert_eq!(surface.mesh.normals.len(), surface.mesh.positions.len());
    }
    surfaces
}

/// The meshes of all solid materials, and those of water.
fn kinds(surfaces: &[Surface]) -> [Vec<&TriMesh>; 2] {
    let of = |water: bool| {
        surfaces
            .iter()
            .filter(|surface| (surface.material == 1) == water)
            .map(|surface| &surface.mesh)
            .collect()
    };
    [of(false), of(true)]
}

/// The volume that meshes enclose together. Each edge, by the bits of its positions, must belong to exactly two
/// triangles, in opposite directions.
fn closed_volume(meshes: &[&TriMesh]) -> f64 {
    let mut known = HashMap::new();
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    let mut volume = 0.0;
    for mesh in meshes {
        for triangle in &mesh.triangles {
            let points = triangle.map(|corner| <[f32; 3]>::from(mesh.positions[corner as usize]));
            let ids = points.map(|point| {
                let next = u32::try_from(known.len()).expect("few");
                *known.entry(point.map(f32::to_bits)).or_insert(next)
            });
            for [from, to] in [[0, 1], [1, 2], [2, 0]] {
                assert_ne!(ids[from], ids[to], "{points:?}");
                *edges.entry((ids[from], ids[to])).or_default() += 1;
            }
            let [a, b, c] = points.map(|point| point.map(f64::from));
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0;
        }
    }
    let wrong =
        edges.iter().filter(|((from, to), count)| **count != 1 || edges.get(&(*to, *from)) != Some(&1));
    assert_eq!(wrong.count(), 0, "of {} edges", edges.len());
    volume
}

fn bounds(meshes: &[&TriMesh]) -> Option<[[f32; 3]; 2]> {
    let points = meshes.iter().flat_map(|mesh| mesh.positions.iter().copied());
    Aabb::from_points(points).map(|bounds| [bounds.min.into(), bounds.max.into()])
}

const AIR: Voxel = Voxel { material: 0, occupancy: None, water: None };

fn full(material: u8) -> Voxel {
    Voxel { material, occupancy: None, water: None }
}

/// A chunk whose voxel at (x, y, z) is given by a function.
fn chunk(position: [i32; 3], voxel: impl Fn(i32, i32, i32) -> Voxel) -> Chunk {
    let mut runs: Vec<(Voxel, u16)> = Vec::new();
    for index in 0..32 * 32 * 32 {
        let voxel = voxel(index % 32, index / 1024, index / 32 % 32);
        match runs.last_mut() {
            Some((last, count)) if *last == voxel && *count < 256 => *count += 1,
            _ => runs.push((voxel, 1)),
        }
    }
    Chunk { position, runs }
}

/// A single full voxel is surrounded by eight cells. The vertex of each cell is the mean of three crossings, each half
/// a voxel from the voxel's centre along one axis; so it is a sixth of a voxel away along every axis.
#[test]
fn one_voxel() {
    for (position, at) in [([0; 3], [0, 0, 0]), ([-1, 2, 0], [31, 31, 31]), ([3, -1, -2], [0, 31, 5])] {
        let single = |x, y, z| if [x, y, z] == at { full(2) } else { AIR };
        let grid = SmoothGrid { chunks: vec![chunk(position, single)] };
        let surfaces = surfaces(&grid, 1);
        assert_eq!(surfaces.iter().map(Surface::name).collect::<Vec<_>>(), ["Grass"]);
        let mesh = &surfaces[0].mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 12));
        let volume = closed_volume(&[mesh]);
        assert!((volume - (4.0_f64 / 3.0).powi(3)).abs() < 1e-2, "{volume}");
        let center = |axis: usize| ((position[axis] * 32 + at[axis]) * 4 + 2) as f32;
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let (position, normal) = (<[f32; 3]>::from(*position), <[f32; 3]>::from(*normal));
            for axis in 0..3 {
                let from_center = position[axis] - center(axis);
                assert!((from_center.abs() - 4.0 / 6.0).abs() < 1e-3, "{position:?}");
                assert!((normal[axis] - from_center.signum() / 3.0_f32.sqrt()).abs() < 1e-2, "{normal:?}");
            }
        }
    }
}

/// A layer half as high as the chunk: its sides are those of the chunk, and its top follows from the occupancy.
#[test]
fn a_plain() {
    let plain = |_, y, _| match y {
        0..16 => full(8),
        16 => Voxel { material: 6, occupancy: Some(200), water: None },
        _ => AIR,
    };
    let chunks = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]].map(|position| chunk(position, plain));
    let grid = SmoothGrid { chunks: chunks.into() };
    let all = surfaces(&grid, 1);
    assert_eq!(all.iter().map(Surface::name).collect::<Vec<_>>(), ["Sand", "Rock"]);
    let [solid, water] = kinds(&all);
    assert!(water.is_empty());
    let volume = closed_volume(&solid);
    let top = 4.0 * 16.5 + 4.0 * (200.0 - 127.5) / 200.0;
    let [min, max] = bounds(&solid).expect("a surface");
    // The sides are half a voxel from the centres of the last voxels; the top is a part of a voxel higher.
    for (found, wanted) in min.into_iter().chain(max).zip([0.0, 0.0, 0.0, 256.0, top, 256.0]) {
        assert!((found - wanted).abs() < 0.7, "{min:?} {max:?}");
    }
    let wanted = 256.0 * 256.0 * f64::from(top);
    assert!((volume / wanted - 1.0).abs() < 0.02, "{volume} {wanted}");
    // In the middle, the top is flat.
    let up = all[0].mesh.positions.iter().zip(&all[0].mesh.normals);
    let up =
        up.filter(|(position, _)| (position.x - 128.0).abs() < 40.0 && (position.z - 128.0).abs() < 40.0);
    for (position, normal) in up {
        assert!((position.y - top).abs() < 0.01, "{position:?}");
        assert!((normal.y - 1.0).abs() < 1e-5, "{normal:?}");
    }
}

/// Random voxels, in chunks with and without neighbours: at every step, each edge belongs to two triangles.
#[test]
fn noise_is_closed() {
    let positions = [[0, 0, 0], [1, 0, 0], [0, 1, 1], [-1, -1, -1]];
    for (seed, smooth) in [(1, false), (2, true)] {
        let mut chunks = Vec::new();
        for (index, position) in positions.into_iter().enumerate() {
            let random = |x: i32, y: i32, z: i32| {
                let [x, y, z] = [x, y, z].map(|axis| u64::from(axis.unsigned_abs()));
                testkit::Rng(seed << 40 | (index as u64) << 32 | x << 16 | y << 8 | z).next()
            };
            chunks.push(chunk(position, |x, y, z| {
                let number = random(x, y, z);
                let [kind, filled, material, water, ..] = number.to_le_bytes();
                let material = 2 + material % 3;
                match kind % 8 {
                    0..3 => AIR,
                    3 => full(1),
                    4 => Voxel { material, occupancy: None, water: Some(water) },
                    _ => Voxel { material, occupancy: smooth.then_some(filled), water: None },
                }
            }));
        }
        let grid = SmoothGrid { chunks };
        let mut last = f64::INFINITY;
        for step in STEPS {
            let all = surfaces(&grid, step);
            let [solid, water] = kinds(&all);
            let [solid, water] = [closed_volume(&solid), closed_volume(&water)];
            assert!(solid >= 0.0 && water >= 0.0, "{step}: {solid} {water}");
            if step == 1 {
                assert!(solid > 0.0 && water > 0.0);
                last = solid;
            }
        }
        assert!(last.is_finite());
    }
}

/// If all voxels in each block of a step's size are equal, the surface is that of single voxels, scaled.
#[test]
fn steps_average() {
    let fine = |step: i32| {
        let voxel = move |x: i32, y: i32, z: i32| {
            let [x, y, z] = [x, y, z].map(|axis| axis / step * step);
            if (x + 2 * y + 3 * z) % 7 < 3 && (4..28).contains(&y) { full(2) } else { AIR }
        };
        SmoothGrid { chunks: vec![chunk([0, 0, 0], voxel)] }
    };
    for step in [2, 4, 8] {
        let grid = fine(step);
        let coarse = surfaces(&grid, step.unsigned_abs());
        // The same blocks, with single voxels.
        let shrunk = |x: i32, y: i32, z: i32| {
            let [x, y, z] = [x, y, z].map(|axis| axis * step);
            let inside = x.max(y).max(z) < 32;
            if inside && (x + 2 * y + 3 * z) % 7 < 3 && (4..28).contains(&y) { full(2) } else { AIR }
        };
        if step == 8 {
            // Blocks of eight voxels begin at 0, 8, 16 and 24; the first is not in the layer.
            assert!(!coarse.is_empty());
        }
        let single = surfaces(&SmoothGrid { chunks: vec![chunk([0, 0, 0], shrunk)] }, 1);
        assert_eq!(coarse.len(), 1);
        assert_eq!(coarse[0].mesh.triangles, single[0].mesh.triangles, "step {step}");
        let scaled = single[0]
            .mesh
            .positions
            .iter()
            .map(|position| Vec3::from(<[f32; 3]>::from(*position).map(|axis| axis * step as f32)));
        assert!(scaled.eq(coarse[0].mesh.positions.iter().copied()), "step {step}");
    }
}

/// The areas of the materials at a step; they must equal those of the meshes.
fn areas(grid: &SmoothGrid, step: u32) -> BTreeMap<&'static str, f64> {
    let measured = grid.measure(step, &ReadOptions::new()).expect("small");
    let named = surfaces(grid, step).into_iter().map(|surface| {
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| surface.mesh.positions[corner as usize]);
        let triangles = surface.mesh.triangles.iter().map(corners);
        let area: f64 = triangles.map(|[a, b, c]| f64::from((b - a).cross(c - a).length()) / 2.0).sum();
        assert!((measured.areas[&surface.material] / area - 1.0).abs() < 1e-3, "{}", surface.name());
        (surface.name(), area)
    });
    named.collect()
}

/// Layers that are one voxel thick, along each axis and at each offset within a sample, are not lost at coarse steps.
#[test]
fn no_layer_is_lost() {
    for axis in 0..3 {
        for at in [8, 11, 15] {
            for material in [1, 2] {
                let layer = |x: i32, y: i32, z: i32| if [x, y, z][axis] == at { full(material) } else { AIR };
                let mut grid = SmoothGrid {
                    chunks: (0..4)
                        .map(|index| {
                            let mut position = [0; 3];
                            (position[(axis + 1) % 3], position[(axis + 2) % 3]) = (index / 2, index % 2);
                            chunk(position, layer)
                        })
                        .collect(),
                };
                grid.chunks.sort_by_key(|chunk| chunk.position);
                let name = if material == 1 { "Water" } else { "Grass" };
                for step in STEPS {
                    let all = surfaces(&grid, step);
                    closed_volume(&all.iter().map(|surface| &surface.mesh).collect::<Vec<_>>());
                    // The edges are rounded: less than a third of a sample is missing on each side.
                    let (wanted, missing) = (2.0 * 256.0_f64.powi(2), f64::from(4 * step) / 3.0);
                    let least = 2.0 * (256.0 - 2.0 * missing).powi(2);
                    let area = areas(&grid, step)[name];
                    assert!(
                        area > least && area < 1.05 * wanted,
                        "axis {axis}, {at}, step {step}: {area} {wanted}"
                    );
                    if axis == 1 {
                        let [min, max] = bounds(&[&all[0].mesh]).expect("a surface");
                        let middle = f32::midpoint(min[1], max[1]);
                        assert!(
                            (middle - (4 * at + 2) as f32).abs() < 1.0,
                            "{at}, step {step}: {min:?} {max:?}"
                        );
                    }
                }
            }
        }
    }
}

/// A layer of grass on rock with sand below: it is grass if seen from above, at every step.
#[test]
fn the_material_is_the_one_that_is_seen() {
    for top in 8..16 {
        let ground = |_: i32, y: i32, _: i32| match y {
            0 => full(6),
            _ if y < top => full(8),
            _ if y == top => full(2),
            _ => AIR,
        };
        let mut chunks: Vec<_> = (0..4).map(|index| chunk([index / 2, 0, index % 2], ground)).collect();
        chunks.sort_by_key(|chunk| chunk.position);
        let grid = SmoothGrid { chunks };
        for step in STEPS {
            for surface in surfaces(&grid, step) {
                let mesh = &surface.mesh;
                let corners = |triangle: &[u32; 3]| triangle.map(|corner| mesh.positions[corner as usize]);
                let (mut up, mut down) = (0.0, 0.0);
                for [a, b, c] in mesh.triangles.iter().map(corners) {
                    let normal = (b - a).cross(c - a) * 0.5;
                    *(if normal.y > 0.0 { &mut up } else { &mut down }) += normal.y.abs();
                }
                // The edges are rounded.
                let whole = 0.8 * 256.0 * 256.0;
                match surface.name() {
                    "Grass" => assert!(up > whole, "{top}, step {step}: {up}"),
                    "Sand" => assert!(down > whole, "{top}, step {step}: {down}"),
                    _ => assert!(up < 0.2 * whole && down < 0.2 * whole, "{top}, step {step}: {up} {down}"),
                }
            }
        }
    }
}

/// A flat sea of 1,024 voxels in each chunk: many triangles are only needed at the chunk's border.
#[test]
fn flat_areas_have_few_triangles() {
    let sea = |_: i32, y: i32, _: i32| if y == 9 { full(1) } else { AIR };
    let mut chunks: Vec<_> = (0..16).map(|index| chunk([index / 4, 0, index % 4], sea)).collect();
    chunks.sort_by_key(|chunk| chunk.position);
    let grid = SmoothGrid { chunks };
    let triangles = grid.triangle_count(1, &ReadOptions::new()).expect("small");
    // The outermost voxels at the sides are not flat.
    assert!(triangles < 16 * 2048 * 2 / 8, "{triangles}");
    closed_volume(&surfaces(&grid, 1).iter().map(|surface| &surface.mesh).collect::<Vec<_>>());
}

#[test]
fn the_finest_step_is_found_by_counting() {
    let grid: SmoothGrid = from_slice(&testkit::fixture("rbxblobs", "terrain.bin")).expect("readable");
    let options = ReadOptions::new();
    let counts = STEPS.map(|step| grid.triangle_count(step, &options).expect("small"));
    assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
    for (step, count) in STEPS.into_iter().zip(counts) {
        let (found, measured) = grid.finest_step(count, &options).expect("small");
        assert_eq!((found, measured.last().expect("measured").triangles), (step, count));
        assert_eq!(measured[0], grid.measure(1, &options).expect("small"));
    }
    assert_eq!(grid.finest_step(1, &options).expect("small").0, 8);
    assert!(grid.surface(3, &options).is_err() && grid.surface(0, &options).is_err());
    let empty: SmoothGrid = from_slice(b"\x01\x05").expect("readable");
    assert!(empty.surface(1, &options).expect("nothing").is_empty());
}

/// The fixture, laid out by hand: a chunk with rock up to 8 voxels, grass on it and a half full voxel at a corner; and
/// an adjacent chunk of water.
#[test]
fn the_fixture() {
    let grid: SmoothGrid = from_slice(&testkit::fixture("rbxblobs", "terrain.bin")).expect("readable");
    let all = surfaces(&grid, 1);
    assert_eq!(all.iter().map(Surface::name).collect::<Vec<_>>(), ["Water", "Grass", "Rock"]);
    let [solid, water] = kinds(&all);
    for (meshes, wanted) in [
        (&solid, [[0.0, -128.0, 0.0], [128.0, -92.0, 128.0]]),
        (&water, [[0.0, -128.0, 128.0], [128.0, 0.0, 256.0]]),
    ] {
        closed_volume(meshes);
        let found = bounds(meshes).expect("a surface");
        for (found, wanted) in found.as_flattened().iter().zip(wanted.as_flattened()) {
            assert!((found - wanted).abs() < 0.7, "{found} {wanted}");
        }
    }
}

/// Real terrain is closed at every step.
#[test]
fn real_terrain_is_closed() {
    for sample in testkit::corpus("rbxbinary") {
        let document = rbxbinary::from_slice(&sample.bytes).expect("readable");
        for id in document.instances() {
            let blob = document.get(id, "SmoothGrid").and_then(|value| value.as_bytes().map(<[u8]>::to_vec));
            let Some(blob) = blob.filter(|blob| blob.len() > 2) else { continue };
            let grid: SmoothGrid = from_slice(&blob).expect("readable");
            for step in STEPS {
                let all = surfaces(&grid, step);
                for meshes in kinds(&all) {
                    assert!(closed_volume(&meshes) >= 0.0, "{}", sample.name);
                }
            }
        }
    }
}

/// No more memory than allowed is taken, and the refusal comes before much is taken.
#[test]
fn surfaces_are_made_up_to_the_limit() {
    let checker = |x: i32, y: i32, z: i32| if (x + y + z) % 2 == 0 { full(2) } else { AIR };
    let chunks = (0..4).map(|x| chunk([x, 0, 0], checker)).collect();
    let grid = SmoothGrid { chunks };
    for max_bytes in [1 << 16, 1 << 20, 4 << 20, 16 << 20, 256 << 20] {
        let options = ReadOptions::new().max_bytes(max_bytes);
        let mut result = None;
        let taken = testkit::measure(|| result = Some(grid.surface(1, &options)));
        assert!(taken.bytes_max <= max_bytes + (1 << 16), "{} of {max_bytes}", taken.bytes_max);
        match result.expect("it ran") {
            Ok(surfaces) => assert!(max_bytes > 100 << 20 && surfaces.len() == 1),
            Err(error) => assert!(error.to_string().contains("max_bytes"), "{error}"),
        }
    }
    let far = SmoothGrid { chunks: vec![chunk([0, 262_145, 0], checker)] };
    assert!(far.surface(1, &ReadOptions::new()).is_err());
}

/// Random boxes, in a grid and in a map of voxels.
#[test]
#[allow(clippy::cast_possible_truncation, reason = "small numbers")]
fn voxels_are_edited_as_in_a_map() {
    let mut rng = testkit::Rng(5);
    let (mut grid, mut map) = (SmoothGrid::default(), HashMap::new());
    for round in 0..60 {
        let from: [i32; 3] = std::array::from_fn(|_| rng.below(80) as i32 - 40);
        let to = from.map(|at| at + rng.below(30) as i32);
        let material = if round % 3 == 0 { 0 } else { rng.below(23) as u8 };
        let water = (material > 1 && round % 4 == 1).then_some(100);
        let new = Voxel { material, occupancy: (round % 5 == 1).then_some(7), water };
        let new = if material == 0 { Voxel::default() } else { new };
        grid.edit(from, to, |at, voxel| {
            assert_eq!(*voxel, map.get(&at).copied().unwrap_or_default());
            *voxel = new;
            map.insert(at, new);
        });
        assert!(grid.chunks.is_sorted_by_key(|chunk| chunk.position), "sorted, without two at one position");
    }
    let read: SmoothGrid = from_slice(&grid.to_vec().expect("written")).expect("read");
    assert_eq!(read, grid);
    assert!(map.iter().all(|(&at, &voxel)| grid.get(at) == voxel));
    let stored: usize =
        grid.chunks.iter().flat_map(Chunk::voxels).filter(|of| *of != Voxel::default()).count();
    assert_eq!(stored, map.values().filter(|of| **of != Voxel::default()).count());
    // A box without a change, and one without voxels.
    grid.edit([-5000; 3], [-4990; 3], |_, voxel| *voxel = Voxel::default());
    grid.edit([0; 3], [0; 3], |_, voxel| *voxel = Voxel::full(2));
    assert_eq!(read, grid);
    grid.edit([-64; 3], [96; 3], |_, voxel| *voxel = Voxel::default());
    assert_eq!(grid, SmoothGrid::default());
}

/// Real terrain is only changed where it is edited.
#[test]
fn chunks_without_a_change_stay() {
    let bytes = testkit::fixture("rbxblobs", "terrain.bin");
    let mut grid: SmoothGrid = from_slice(&bytes).expect("readable");
    let before = grid.clone();
    let at = before.chunks[1].position.map(|at| at * 32 + 3);
    grid.edit(at, at.map(|at| at + 1), |_, voxel| *voxel = Voxel::full(9));
    assert_eq!(grid.get(at), Voxel::full(9));
    assert!(
        grid.chunks.iter().zip(&before.chunks).enumerate().all(|(index, (a, b))| (index == 1) == (a != b))
    );
}
