//! Compares unions with rbx_mesh: every fixture and every blob of the real files, value by value.
//!
//! Known differences: rbx_mesh reads only the first hull of version 6, and adds the coarser levels of detail of a
//! CSGMDL 4 to the triangles of the finest one.

use std::io::Cursor;

use rbx_mesh::union_graphics::UnionGraphics;
use rbx_mesh::union_physics::{Mesh, UnionPhysics};
use rbxblobs::collision::Hull;
use rbxblobs::{Collision, UnionMesh, from_slice};

/// Every blob of the fixtures and of the real files that begins with these bytes.
fn blobs(start: &[u8]) -> Vec<Vec<u8>> {
    let mut blobs: Vec<_> = testkit::fixtures("rbxblobs").into_iter().map(|sample| sample.bytes).collect();
    for sample in testkit::corpus("rbxbinary") {
        let document = rbxbinary::from_slice(&sample.bytes).expect("readable");
        for id in document.instances() {
            blobs.extend(
                document.properties(id).filter_map(|(_, value)| value.as_bytes().map(<[u8]>::to_vec)),
            );
        }
    }
    blobs.retain(|blob| blob.starts_with(start));
    blobs.sort_unstable();
    blobs.dedup();
    blobs
}

type Geometry = (Vec<[f32; 3]>, Vec<[u32; 3]>);

fn their_hull(mesh: &Mesh) -> Geometry {
    (mesh.positions.clone(), mesh.faces.iter().map(|face| face.each_ref().map(|index| index.0)).collect())
}

fn our_hull(hull: &Hull) -> Geometry {
    (hull.positions.iter().map(|&position| position.into()).collect(), hull.triangles.clone())
}

#[test]
fn collision() {
    let mut versions = std::collections::BTreeMap::new();
    for blob in blobs(b"CSGPHS") {
        let ours: Collision = from_slice(&blob).expect("readable");
        *versions.entry(ours.version).or_insert(0) += 1;
        let theirs = rbx_mesh::read_union_physics_versioned(Cursor::new(&blob)).expect("readable");
        let all = |meshes: &[Mesh]| meshes.iter().map(their_hull).collect::<Vec<_>>();
        let (hulls, mass) = match &theirs {
            UnionPhysics::Block(_) => (Vec::new(), None),
            UnionPhysics::V3(read) => (all(&read.meshes), None),
            UnionPhysics::V5(read) => (all(&read.meshes), None),
            UnionPhysics::V6(read) => (vec![their_hull(&read.mesh)], Some(&read.physics_info)),
            UnionPhysics::V7(read) => (all(&read.meshes), Some(&read.physics_info)),
            UnionPhysics::V8(read) => {
                let hull =
                    |hull: rbx_mesh::union_physics::Hull<'_>| (hull.positions.to_vec(), hull.faces.to_vec());
                (read.mesh.hulls.iter_hulls().map(hull).collect(), None)
            }
            UnionPhysics::CSGK(_) => panic!("a key"),
        };
        let mine: Vec<_> = ours.hulls.iter().map(our_hull).collect();
        match ours.version {
            6 => assert_eq!(mine.first(), hulls.first()),
            _ => assert_eq!(mine, hulls, "version {}", ours.version),
        }
        let mine = ours.mass.map(|mass| (mass.volume, mass.center.into(), mass.inertia));
        let theirs = mass.map(|mass| (mass.volume, mass.center_of_gravity, mass.moment_of_inertia_packed));
        assert_eq!(mine, theirs);
    }
    assert!([0, 3, 5, 6, 7, 8].iter().all(|version| versions.contains_key(version)), "{versions:?}");
}

#[test]
fn meshes() {
    let mut versions = std::collections::BTreeSet::new();
    for blob in blobs(b"\x15\x7d\x29\x15\x75\x6c") {
        let ours: UnionMesh = from_slice(&blob).expect("readable");
        let theirs = rbx_mesh::read_union_graphics_versioned(Cursor::new(&blob)).expect("readable");
        let position = |vertex: u32| <[f32; 3]>::from(ours.mesh.positions[vertex as usize]);
        let (vertices, triangles) = (ours.mesh.positions.len() as u32, ours.mesh.triangles.clone());
        match theirs {
            UnionGraphics::V2(rbx_mesh::union_graphics::CSGMDL2 { mesh, .. })
            | UnionGraphics::V4(rbx_mesh::union_graphics::CSGMDL4 { mesh, .. }) => {
                versions.insert(4);
                assert!((0..vertices).map(position).eq(mesh.vertices.iter().map(|vertex| vertex.pos)));
                let faces = mesh.faces.iter().map(|face| face.each_ref().map(|index| index.0));
                assert_eq!(triangles, faces.collect::<Vec<_>>());
                for (index, vertex) in mesh.vertices.iter().enumerate() {
                    let color = ours.mesh.colors[index].to_srgb();
                    assert_eq!(<[f32; 3]>::from(ours.mesh.normals[index]), vertex.norm);
                    assert_eq!([color.r, color.g, color.b, color.a], vertex.color);
                    assert_eq!(<[f32; 2]>::from(ours.mesh.uvs[index]), vertex.tex);
                    assert_eq!(<[f32; 3]>::from(ours.tangents[index]), vertex.tangent);
                    assert_eq!(u32::from(ours.sides[index]), vertex.normal_id.0 as u32);
                }
            }
            UnionGraphics::V5(mesh) => {
                versions.insert(5);
                assert!((0..vertices).map(position).eq(mesh.positions.iter().copied()));
                let mut indices = mesh.faces.indices;
                assert_eq!(ours.triangles(0).as_flattened(), indices);
                indices.extend(mesh.faces._unknown.concat());
                assert_eq!(triangles.as_flattened(), indices);
                let near = |ours: rbxmesh::geom::Vec3, theirs: [f32; 3]| {
                    let ours = <[f32; 3]>::from(ours);
                    (0..3).all(|axis| (ours[axis] - theirs[axis]).abs() < 1e-6)
                };
                for (index, normal) in mesh.normals.iter().enumerate() {
                    assert!(near(ours.mesh.normals[index], normal.0));
                    assert!(near(ours.tangents[index], mesh.tangents[index].0));
                }
            }
            UnionGraphics::CSGK(_) => panic!("a key"),
        }
    }
    assert!(versions.into_iter().eq([4, 5]));
}
