//! rbx_mesh reads the files that rbxmesh writes: every fixture in every version that rbx_mesh supports, and generated
//! skins.

use std::io::Cursor;

use rbx_mesh::mesh::{Mesh as Theirs, Vertices2};
use rbxmesh::geom::{Mat4, Vec3};
use rbxmesh::{Bone, LodChoice, Mesh, Version, Vertex};
use testkit::{Sample, fixtures};

fn theirs(bytes: &[u8], what: &str) -> Theirs {
    rbx_mesh::read_mesh_versioned(Cursor::new(bytes)).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Positions, faces and the offsets of levels, as rbx_mesh reads them.
type Geometry = (Vec<[f32; 3]>, Vec<[u32; 3]>, Option<Vec<u32>>);

fn geometry(mesh: Theirs) -> Geometry {
    let positions = |vertices: Vertices2| match vertices {
        Vertices2::Full(vertices) => vertices.iter().map(|vertex| vertex.pos).collect(),
        Vertices2::Truncated(vertices) => vertices.iter().map(|vertex| vertex.pos).collect::<Vec<_>>(),
    };
    let face = |face: &rbx_mesh::mesh::Face2| face.0.each_ref().map(|index| index.0);
    let lods = |lods: &[rbx_mesh::mesh::Lod3]| Some(lods.iter().map(|lod| lod.0).collect());
    match mesh {
        Theirs::V1(mesh) => {
            let faces =
                (0..mesh.vertices.len() as u32 / 3).map(|face| [face * 3, face * 3 + 1, face * 3 + 2]);
            (mesh.vertices.iter().map(|vertex| vertex.pos).collect(), faces.collect(), None)
        }
        Theirs::V2(mesh) => (positions(mesh.vertices), mesh.faces.iter().map(face).collect(), None),
        Theirs::V3(mesh) => {
            (positions(mesh.vertices), mesh.faces.iter().map(face).collect(), lods(&mesh.lods))
        }
        Theirs::V4(mesh) => (
            mesh.vertices.iter().map(|vertex| vertex.pos).collect(),
            mesh.faces.iter().map(face).collect(),
            lods(&mesh.lods),
        ),
        Theirs::V5(mesh) => (
            mesh.vertices.iter().map(|vertex| vertex.pos).collect(),
            mesh.faces.iter().map(face).collect(),
            lods(&mesh.lods),
        ),
    }
}

#[test]
fn every_fixture_in_every_version() {
    let mut read = 0;
    for Sample { name, bytes } in fixtures("rbxmesh") {
        let Ok(mesh) = rbxmesh::from_slice(&bytes) else { continue };
        for version in Version::ALL.iter().copied().filter(|version| !version.is_chunked()) {
            let (mesh, _) = mesh.to_version(version, LodChoice::First);
            // rbx_mesh does not support larger records, version 5.00 without facial animation, unusual values of
            // levels, CR LF, bytes after the end, or text without faces.
            let layout = &mesh.layout;
            let plain = !(version.is_text() && mesh.faces.is_empty())
                && layout.vertex_size.is_none_or(|size| size == 36 || size == 40)
                && layout.face_size.is_none()
                && layout.header_extra.is_empty()
                && layout.trailing.is_empty()
                && !layout.crlf
                && mesh.lods.kind.0 <= 4
                && mesh.vertices.iter().all(|vertex| vertex.position.is_finite());
            if !plain || version == Version::V5_00 && mesh.facs.is_none() {
                continue;
            }
            let what = format!("{name} as {version}");
            let (positions, faces, lods) = geometry(theirs(&rbxmesh::to_vec(&mesh).expect("writes"), &what));
            let ours: Vec<_> = mesh.vertices.iter().map(|vertex| vertex.position.to_array()).collect();
            assert_eq!(positions, ours, "{what}");
            assert_eq!(faces, mesh.faces, "{what}");
            if let Some(lods) = lods {
                let single = vec![0, mesh.faces.len() as u32];
                let expected = if mesh.lods.is_single() { single } else { mesh.lods.offsets.clone() };
                assert_eq!(lods, expected, "{what}");
            }
            read += 1;
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn skins_that_were_made() {
    for (count, version) in
        [(20, Version::V4_01), (90, Version::V4_00), (26, Version::V5_00), (300, Version::V5_00)]
    {
        let mut mesh = Mesh { version, facs: (version == Version::V5_00).then(facs), ..Mesh::default() };
        let vertices = 500_u16;
        mesh.vertices = (0..vertices)
            .map(|index| Vertex { position: Vec3::new(index.into(), 0.0, 0.0), ..Vertex::default() })
            .collect();
        mesh.faces = (0..u32::from(vertices) - 2).map(|a| [a, a + 1, a + 2]).collect();
        let bones = (0..count).map(|index: u16| {
            let pose = Mat4::from_translation(Vec3::new(index.into(), 1.0, 2.0));
            Bone::new(format!("Bone{index}"), index.checked_sub(1), pose).expect("a pose")
        });
        let joint =
            |vertex: u16, k: u16| (u32::from(vertex) * u32::from(count) / u32::from(vertices)) as u16 + k;
        let joints: Vec<_> = (0..vertices).map(|v| [0, 1, 2].map(|k| joint(v, k).min(count - 1))).collect();
        let change = mesh.set_skin(&joints, &vec![[0.5, 0.3, 0.2]; 500], bones.collect()).expect("a skin");
        let (envelopes, subsets, bones) = match theirs(&rbxmesh::to_vec(&mesh).expect("writes"), "a skin") {
            Theirs::V4(mesh) => (mesh.envelopes, mesh.subsets, mesh.bones),
            Theirs::V5(mesh) => (mesh.envelopes, mesh.subsets, mesh.bones),
            other => panic!("{other:?}"),
        };
        assert_eq!((envelopes.len(), bones.len()), (mesh.vertices.len(), usize::from(count)));
        assert_eq!((bones[1].parent.get(), bones[0].parent.get()), (Some(0), None));
        assert_eq!((bones[7].cframe.x, bones[7].cframe.y, bones[7].cframe.r11), (7.0, 1.0, 1.0));
        for (vertex, &from) in change.vertices.iter().enumerate() {
            let index = vertex as u32;
            let within = |begin: u32, len: u32| index.checked_sub(begin).is_some_and(|at| at < len);
            let subset = subsets.iter().find(|subset| within(subset.vertices_offset, subset.vertices_len));
            let subset = subset.expect("every vertex is in a subset");
            let envelope = &envelopes[vertex];
            let mut shares = std::collections::BTreeMap::new();
            for (&bone, &weight) in
                envelope.bones.iter().zip(&envelope.weights).filter(|(_, weight)| **weight > 0)
            {
                let bone = subset.bones[usize::from(bone)].get().expect("a bone of the subset");
                shares.insert(bone, f64::from(weight) / 255.0);
            }
            let mut wanted = std::collections::BTreeMap::<u16, f64>::new();
            for (&joint, weight) in joints[from as usize].iter().zip([0.5, 0.3, 0.2]) {
                *wanted.entry(joint).or_default() += weight;
            }
            assert!(shares.keys().eq(wanted.keys()), "vertex {vertex}: {shares:?} for {wanted:?}");
            assert!(shares.values().zip(wanted.values()).all(|(a, b)| (a - b).abs() <= 1.0 / 255.0));
        }
    }
}

fn facs() -> rbxmesh::Facs {
    let names = |names: &[&str]| rbxmesh::Names::from_names(names).expect("names");
    let movement = |_, pose| (Vec3::new(pose as f32, 0.0, 0.0), Vec3::default());
    rbxmesh::Facs::from_poses(names(&["Jaw"]), names(&["c_COR", "c_CLR"]), vec![[0, 1]], vec![], movement)
        .expect("sound")
}
