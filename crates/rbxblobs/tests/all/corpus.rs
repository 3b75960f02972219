//! Blobs in real files; the tests are skipped if the files are missing.

use std::collections::{BTreeMap, HashMap};

use geom::{Aabb, TriMesh, Vec3};
use rbxblobs::{Attributes, Collision, PhysicsGrid, SmoothGrid, Tags, UnionMesh, from_slice};

/// Terrain, attributes and tags of real files are written as the same bytes, and the physics grid equals the one
/// computed from the voxels.
#[test]
fn blobs_of_real_files() {
    let (mut attributes, mut terrains) = (0, 0);
    for sample in testkit::corpus("rbxbinary") {
        let document = rbxbinary::from_slice(&sample.bytes).expect("readable");
        for id in document.instances() {
            let blob = |property: &str| document.get(id, property).and_then(|value| value.as_bytes());
            if let Some(blob) = blob("AttributesSerialize").filter(|blob| !blob.is_empty()) {
                let read = from_slice::<Attributes>(blob).expect("readable");
                assert!(read.to_vec().expect("writable") == blob, "{}", sample.name);
                attributes += 1;
            }
            if let Some(blob) = blob("Tags") {
                let tags: Tags = from_slice(blob).expect("readable");
                assert!(tags.to_vec().expect("writable") == blob, "{}", sample.name);
            }
            let Some(voxels) = blob("SmoothGrid").filter(|blob| !blob.is_empty()) else { continue };
            let terrain: SmoothGrid = from_slice(voxels).expect("readable");
            assert!(terrain.to_vec().expect("writable") == voxels, "{}", sample.name);
            let Some(blocks) = blob("PhysicsGrid").filter(|blob| !blob.is_empty()) else { continue };
            let grid: PhysicsGrid = from_slice(blocks).expect("readable");
            assert!(grid.to_vec().expect("writable") == blocks, "{}", sample.name);
            assert!(PhysicsGrid::of(&terrain).expect("in range") == grid, "{}", sample.name);
            terrains += 1;
        }
    }
    // There are nine attribute blobs, counted in the decompressed chunks without this crate.
    assert!(
        testkit::corpus("rbxbinary").is_empty() || (attributes >= 9 && terrains >= 7),
        "{attributes} {terrains}"
    );
}

/// A part that has geometry of its own.
struct Part {
    file: String,
    name: String,
    initial: Option<Vec3>,
    collision: Option<Collision>,
    mesh: Option<UnionMesh>,
}

/// All parts in the real files that have a blob of geometry.
fn parts() -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |file: &str, name: String, get: &dyn Fn(&str) -> Option<Vec<u8>>, initial| {
        let blob = |names: &[&str], starts: &[&[u8]]| {
            let blobs = names.iter().filter_map(|name| get(name));
            blobs.into_iter().find(|blob| starts.iter().any(|start| blob.starts_with(start)))
        };
        let collision = blob(&["PhysicalConfigData", "PhysicsData"], &[b"CSGPHS"]);
        let mesh =
            blob(&["SolidMeshHolder", "MeshData2", "MeshData"], &[b"\x15\x7d\x29\x15\x75\x6c", b"\x03\x01"]);
        if collision.is_none() && mesh.is_none() {
            return;
        }
        let collision =
            collision.map(|blob| from_slice(&blob).unwrap_or_else(|error| panic!("{file} {name}: {error}")));
        let mesh =
            mesh.map(|blob| from_slice(&blob).unwrap_or_else(|error| panic!("{file} {name}: {error}")));
        parts.push(Part { file: file.to_owned(), name, initial, collision, mesh });
    };
    let binary = testkit::corpus("rbxbinary").into_iter().map(|file| -> (_, Box<dyn rbxcore::Dom>) {
        (file.name, Box::new(rbxbinary::from_slice(&file.bytes).expect("readable")))
    });
    let xml = testkit::corpus("rbxxml").into_iter().map(|file| -> (_, Box<dyn rbxcore::Dom>) {
        (file.name, Box::new(rbxxml::from_slice(&file.bytes).expect("readable")))
    });
    for (file, document) in binary.chain(xml) {
        for id in document.instances() {
            let get = |name: &str| document.get(id, name)?.as_bytes().map(<[u8]>::to_vec);
            let initial = document.get(id, "InitialSize").and_then(|value| value.as_vector3());
            let name = document.path(id).map_or_else(String::new, |path| path.to_string());
            add(&file, name, &get, initial.map(|size| Vec3::from(<[f32; 3]>::from(size))));
        }
    }
    parts
}

/// Every blob can be read. Every hull is closed and faces outwards, and all hulls together have the volume and the
/// centre that the blob states.
#[test]
fn hulls_are_closed_and_have_the_stated_mass() {
    let (mut stated, mut boxes, mut other) = (0, 0, Vec::new());
    let parts = parts();
    for Part { file, name, initial, collision, .. } in &parts {
        let Some(collision) = collision else { continue };
        for hull in &collision.hulls {
            assert_eq!(open_edges(hull.triangles.iter().copied()), 0, "{file} {name}");
            let mesh = TriMesh {
                positions: hull.positions.clone(),
                triangles: hull.triangles.clone(),
                ..TriMesh::default()
            };
            // Some hulls are flat; one of them has three points.
            assert!(mass(&mesh).0 > -1e-12, "{file} {name}");
        }
        let (volume, center) = mass(&collision.to_mesh());
        if let Some(mass) = collision.mass {
            let distance =
                (0..3).map(|axis| (<[f32; 3]>::from(mass.center)[axis] as f64 - center[axis]).abs());
            let near =
                (f64::from(mass.volume) / volume - 1.0).abs() < 1e-5 && distance.fold(0.0, f64::max) < 1e-5;
            stated += 1;
            if !near {
                other.push((name.as_str(), mass.volume));
            }
        }
        if let (Some(found), Some(size)) = (collision.bounds(), initial) {
            let [found, size] = [found.size(), *size].map(<[f32; 3]>::from);
            boxes += usize::from((0..3).all(|axis| (found[axis] / size[axis] - 1.0).abs() < 0.01));
        }
    }
    if !parts.is_empty() {
        // One blob, which is in both forms of a document, states the mass of its bounding box.
        let box_of = ("Workspace/NRRA S10 Toyota Tundra/Union[5]", 25.597_673);
        assert!(
            stated >= 25 && other.len() <= 2 && other.iter().all(|other| *other == box_of),
            "{stated} {other:?}"
        );
        assert!(boxes >= 28, "{boxes}");
    }
}

/// Known volumes: of the meshes, which boolean operations on their operands must give, and of the hulls.
#[test]
fn meshes_of_unions() {
    let known = [
        ("rbx-dom/models__unions__binary.rbxm", "Red Union 1", [5.0, 2.0, 2.0], 28, 12.0, Some((6, 12.25))),
        ("rbx-dom/models__unions__binary.rbxm", "Blue Union", [4.0, 2.0, 2.0], 28, 12.0, Some((5, 12.0))),
        (
            "rbx-dom/models__netassetref__binary.rbxm",
            "Position: 4,2,0",
            [5.6, 2.0, 2.0],
            28,
            16.0,
            Some((11, 15.07)),
        ),
        (
            "rbx-dom/models__netassetref__binary.rbxm",
            "Position: -4, -2, 0",
            [4.0, 2.0, 3.0],
            28,
            16.0,
            Some((22, 12.33)),
        ),
        ("RiceTheDev-luau_cpu/game.rbxl", "Workspace/Monitor/Union", [1.5, 14.0, 20.0], 44, 295.5, None),
        ("RiceTheDev-luau_cpu/game.rbxl", "Workspace/CPU/Model/Union", [1.25, 4.75, 4.75], 192, 6.36, None),
    ];
    let parts = parts();
    let mut found = 0;
    for Part { file, name, initial, collision, mesh } in &parts {
        let Some(mesh) = mesh else { continue };
        assert!(mesh.mesh.is_consistent(), "{file} {name}");
        let finest = mesh.clone().into_level(0);
        assert_eq!(open_edges(joined(&finest)), 0, "{file} {name}");
        let [bounds, size] =
            [finest.bounds().map(Aabb::size), *initial].map(|size| <[f32; 3]>::from(size.expect("a box")));
        assert!((0..3).all(|axis| (bounds[axis] / size[axis] - 1.0).abs() < 1e-5), "{file} {name}");
        let Some((.., size, triangles, volume, hulls)) =
            known.iter().find(|known| (known.0, known.1) == (file.as_str(), name.as_str()))
        else {
            continue;
        };
        found += 1;
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 0.005;
        assert!((0..3).all(|axis| near(bounds[axis].into(), size[axis])), "{name}: {bounds:?}");
        assert_eq!(finest.triangles.len(), *triangles, "{name}");
        assert!(near(mass(&finest).0, *volume), "{name}");
        let collision = collision.as_ref().expect("both");
        match (hulls, collision.mass) {
            (Some((count, volume)), Some(mass)) => {
                assert_eq!(collision.hulls.len(), *count, "{name}");
                assert!(near(mass.volume.into(), *volume), "{name}");
            }
            (None, None) => assert_eq!(collision.version, 8, "{name}"),
            _ => panic!("{name}"),
        }
    }
    assert!(parts.is_empty() || found == known.len(), "{found}");
}

/// The volume that triangles enclose, and its centre of mass.
fn mass(mesh: &TriMesh) -> (f64, [f64; 3]) {
    let (mut volume, mut center) = (0.0, [0.0; 3]);
    for triangle in &mesh.triangles {
        let [a, b, c] =
            triangle.map(|corner| <[f32; 3]>::from(mesh.positions[corner as usize]).map(f64::from));
        let part = (a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
            / 6.0;
        volume += part;
        for axis in 0..3 {
            center[axis] += part * (a[axis] + b[axis] + c[axis]) / 4.0;
        }
    }
    (volume, center.map(|axis| axis / volume))
}

/// The triangles, with equal positions merged into one vertex.
fn joined(mesh: &TriMesh) -> impl Iterator<Item = [u32; 3]> {
    let mut known = HashMap::new();
    let vertices: Vec<u32> = (0..)
        .zip(&mesh.positions)
        .map(|(index, position)| {
            *known.entry(<[f32; 3]>::from(*position).map(|axis| (axis + 0.0).to_bits())).or_insert(index)
        })
        .collect();
    mesh.triangles.iter().map(move |triangle| triangle.map(|corner| vertices[corner as usize]))
}

/// The number of edges that do not have as many triangles in one direction as in the other.
fn open_edges(triangles: impl Iterator<Item = [u32; 3]>) -> usize {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for [a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *edges.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    edges.values().filter(|&&count| count != 0).count()
}
