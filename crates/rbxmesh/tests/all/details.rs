//! Details that are known from the format or from the documentation of the crate.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "small numbers, and a test that fails here has failed"
)]

use std::collections::BTreeSet;

use rbxmesh::errors::ErrorKind;
use rbxmesh::geom::{Mat3, Mat4, Vec2, Vec3};
use rbxmesh::{
    Bone, BoneNames, Facs, LodChoice, Lods, Mesh, Names, NormalGrid, QuantizedMatrix, Samples, Tangent,
    Transforms, Version, Vertex, WriteOptions,
};
use testkit::fixture;

fn read(name: &str) -> Mesh {
    rbxmesh::from_slice(&fixture("rbxmesh", name)).unwrap()
}

/// Reads a text mesh with one face, whose first position is this text.
fn with_position(text: &str) -> rbxmesh::Result<[f32; 3]> {
    let corner = "[0.000,0.000,1.000][0,0,0]";
    let text = format!("version 1.01\n1\n{text}{corner}[1,0,0]{corner}[0,1,0]{corner}");
    Ok(rbxmesh::from_slice(text.as_bytes())?.vertices[0].position.to_array())
}

#[test]
fn numbers_in_text() {
    for (text, expected) in [
        ("[0.5,10,0.25]", [0.5, 10.0, 0.25]),
        ("[10.5,20.25,30.5]", [10.5, 20.25, 30.5]),
        ("[9.25,-9,-0.5]", [9.25, -9.0, -0.5]),
        ("[1.,.5,+2]", [1.0, 0.5, 2.0]),
        ("[ -1.5 , +1.5 ,\n2 ]", [-1.5, 1.5, 2.0]),
        ("[-1.#INF,1.#inf,3]", [f32::NEG_INFINITY, f32::INFINITY, 3.0]),
        ("[1.6777216,1.6777215,1.00000001]", [1.677_721_6, 1.677_721_5, 1.0]),
    ] {
        assert_eq!(with_position(text).unwrap(), expected, "{text}");
    }
    for text in [
        "[:.5,9,9]",
        "[A.5,A.5,A.5]",
        "[1,2,0.:5]",
        "[0.A5,1,2]",
        "[1,2,3,4,5,6]",
        "[1,,2]",
        "[1,2]",
        "[--1,2,3]",
        "[+-1,2,3]",
        "[1 ;2,3]",
    ] {
        let error = with_position(text).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Invalid(_)), "{text}: {error}");
    }
    // The file is long enough for three corners.
    let long = format!("version 1.01\n1\n{}[{}", "[0,0,0]".repeat(8), " ".repeat(80));
    for text in ["version 1.01\n1\n[1,2", "version 1.01\n1\n[1, ", &long] {
        assert!(
            matches!(rbxmesh::from_slice(text.as_bytes()).unwrap_err().kind(), ErrorKind::UnexpectedEnd),
            "{text}"
        );
    }
}

#[test]
fn steps_of_matrices() {
    let matrix = QuantizedMatrix {
        rows: 1,
        columns: 3,
        samples: Samples::Quantized { min: 1.0, max: 3.0, steps: vec![0, 65_535, 13_107] },
    };
    assert_eq!(matrix.values(), [1.0, 3.0, 1.4]);
    // Both ends of the range are finite, but their difference overflows.
    let path =
        |values: &[f32]| QuantizedMatrix::from_values(1, 2, values).map_err(|error| error.path().to_owned());
    assert_eq!(path(&[-3e38, 3e38]).unwrap_err(), "values");
    assert!(path(&[3e38, 2e38]).is_ok());
    // Transforms without a pose are refused instead of being dropped.
    let one = || QuantizedMatrix { rows: 1, columns: 1, samples: Samples::Float(vec![1.0]) };
    let transforms = Transforms { position: [(); 3].map(|()| one()), rotation: [(); 3].map(|()| one()) };
    let mut facs = Facs {
        face_bones: Names::from_names(["a"]).unwrap(),
        transforms: Some(transforms),
        ..Facs::default()
    };
    let error = facs.add_control("b", &[(Vec3::default(), Vec3::default())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected matrices of 1 × 0 numbers (face bones × poses), found 1 × 1 (1 in all) in facs.transforms"
    );
}

fn with_normals(normals: &[[f32; 3]]) -> Mesh {
    let vertex = |&normal: &[f32; 3]| Vertex { normal: normal.into(), ..Vertex::default() };
    Mesh { version: Version::V7_00, vertices: normals.iter().map(vertex).collect(), ..Mesh::default() }
}

#[test]
fn normals_are_rounded_to_the_grid_that_is_asked_for() {
    let mut mesh = with_normals(&[[0.0, 0.0, 1.0], [0.1, 0.6, 0.8]]);
    for bits in [10, 11] {
        mesh.round_normals(bits).unwrap();
        assert_eq!(mesh.layout.normal_grid.unwrap().bits, bits);
    }
    let mut flat = with_normals(&[[0.0, 0.0, 1.0]; 2]);
    flat.round_normals(11).unwrap();
    assert_eq!(flat.layout.normal_grid, Some(NormalGrid { origin: [0.0, 0.0, 1.0], range: 1.0, bits: 11 }));
    // On a step of the grid, but beyond the last step of two bits.
    let mut beyond = with_normals(&[[0.0; 3], [4.0, 0.0, 0.0]]);
    beyond.layout.normal_grid = Some(NormalGrid { origin: [0.0; 3], range: 3.0, bits: 2 });
    beyond.round_normals(2).unwrap();
    assert_eq!(beyond.layout.normal_grid.unwrap().range, 4.0);
}

/// A mesh with this many separate faces, one after the other.
fn with_faces(faces: usize) -> Mesh {
    let count = (3 * faces) as u32;
    let corner = |index: u32| Vertex { position: Vec3::new(index as f32, 0.0, 0.0), ..Vertex::default() };
    let faces = (0..count / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    Mesh { version: Version::V5_00, vertices: (0..count).map(corner).collect(), faces, ..Mesh::default() }
}

fn bones(count: usize) -> Vec<Bone> {
    (0..count).map(|index| Bone::new(format!("b{index}"), None, Mat4::IDENTITY).unwrap()).collect()
}

/// Checks that subsets divide faces and vertices, and list exactly the bones that their vertices use, each once.
fn assert_subsets<const N: usize>(mesh: &Mesh, from: &[u32], joints: &[[u16; N]], weights: &[[f32; N]]) {
    let (mut faces, mut vertices) = (0, 0);
    for subset in &mesh.subsets {
        assert_eq!((subset.faces_begin, subset.vertices_begin), (faces, vertices));
        let own = vertices as usize..(vertices + subset.vertices_len) as usize;
        for face in &mesh.faces[faces as usize..(faces + subset.faces_len) as usize] {
            assert!(face.iter().all(|&index| own.contains(&(index as usize))));
        }
        let mut used = BTreeSet::new();
        for vertex in own {
            let (envelope, before) = (mesh.envelopes[vertex], from[vertex] as usize);
            let given = joints[before].iter().zip(weights[before]).filter(|(_, weight)| *weight > 0.1);
            let given: BTreeSet<u16> = given.map(|(&joint, _)| joint).collect();
            let ours = envelope.indices.into_iter().zip(envelope.weights).filter(|(_, weight)| *weight > 0);
            assert_eq!(
                ours.map(|(index, _)| subset.bones()[usize::from(index)]).collect::<BTreeSet<_>>(),
                given
            );
            for (index, weight) in envelope.indices.into_iter().zip(envelope.weights) {
                assert!(weight > 0 || index == 0);
                used.extend((weight > 0).then_some(index));
            }
        }
        assert_eq!(used.into_iter().collect::<Vec<_>>(), (0..subset.bones().len() as u8).collect::<Vec<_>>());
        assert_eq!(subset.bones().iter().collect::<BTreeSet<_>>().len(), subset.bones().len());
        (faces, vertices) = (faces + subset.faces_len, vertices + subset.vertices_len);
    }
    assert_eq!((faces as usize, vertices as usize), (mesh.faces.len(), mesh.vertices.len()));
}

/// 24 adjacent faces use 26 bones, so that 72 faces need exactly three subsets.
#[test]
fn a_chain_of_bones_is_cut_into_as_few_subsets_as_it_needs() {
    let mut mesh = with_faces(72);
    let joints: Vec<[u16; 2]> = (0..216).map(|corner| [73 - corner / 3 - corner % 3, 0]).collect();
    let change = mesh.set_skin(&joints, &[[1.0, 0.0]; 216], bones(74)).unwrap();
    assert_eq!((mesh.subsets.len(), change.truncated, change.vertices.len()), (3, 0, 216));
    assert_subsets(&mesh, &change.vertices, &joints, &[[1.0, 0.0]; 216]);
}

/// Each face uses twelve bones of its own kind. Each kind occurs three times, the last time in reverse order, so that
/// more subsets are open than the limit allows.
#[test]
fn more_subsets_than_can_be_filled_at_a_time() {
    const KINDS: u16 = 120;
    let kinds = (0..KINDS).chain(0..KINDS).chain((0..KINDS).rev());
    let joints: Vec<[u16; 4]> = kinds
        .flat_map(|kind| {
            (0..3).map(move |corner| std::array::from_fn(|index| 12 * kind + 4 * corner + index as u16))
        })
        .collect();
    let mut mesh = with_faces(joints.len() / 3);
    let change =
        mesh.set_skin(&joints, &vec![[0.25; 4]; joints.len()], bones(12 * usize::from(KINDS))).unwrap();
    assert_eq!(change.truncated, 0);
    assert_subsets(&mesh, &change.vertices, &joints, &vec![[0.25; 4]; joints.len()]);
}

#[test]
fn a_vertex_that_no_face_uses_has_a_skin_too() {
    let mut mesh = with_faces(10);
    mesh.vertices.push(Vertex::default());
    let mut joints: Vec<[u16; 5]> = (0..30).map(|corner| [corner, 0, 0, 0, 0]).collect();
    let mut weights = vec![[1.0, 0.0, 0.0, 0.0, 0.0]; 30];
    joints.push([30, 29, 28, 27, 26]);
    weights.push([0.3, 0.25, 0.2, 0.15, 0.1]);
    let change = mesh.set_skin(&joints, &weights, bones(31)).unwrap();
    assert_eq!((change.truncated, change.vertices.len(), change.vertices.last()), (1, 31, Some(&30)));
    assert_subsets(&mesh, &change.vertices, &joints, &weights);
    // Offsets of levels that do not divide the faces.
    for offsets in [vec![1, 2, 10], vec![0, 5, 3, 10], vec![0, 5, 9]] {
        mesh.lods.offsets = offsets.clone();
        let error = mesh.set_skin(&joints, &weights, bones(31)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "expected offsets that increase from 0 to 10 (the number of faces), found {offsets:?} in lods.offsets"
            )
        );
    }
}

#[test]
fn other_values_are_not_equal() {
    let bone = |rotation: f32| Bone { rotation: Mat3::from_rows([rotation; 9]), ..bones(1).remove(0) };
    let mesh = |rotation: f32| Mesh { bones: vec![bone(rotation)], ..Mesh::default() };
    assert!(mesh(1.0) == mesh(1.0) && mesh(1.0) != mesh(2.0));
    let float = |value: f32| Samples::Float(vec![value]);
    let steps = |min: f32, max: f32, step: u16| Samples::Quantized { min, max, steps: vec![step] };
    let all = [
        float(1.0),
        float(2.0),
        steps(0.0, 1.0, 1),
        steps(0.5, 1.0, 1),
        steps(0.0, 2.0, 1),
        steps(0.0, 1.0, 2),
    ];
    let facs = |samples: &Samples| {
        let matrix = || QuantizedMatrix { rows: 1, columns: 1, samples: samples.clone() };
        let transforms =
            Transforms { position: [(); 3].map(|()| matrix()), rotation: [(); 3].map(|()| matrix()) };
        Mesh { facs: Some(Facs { transforms: Some(transforms), ..Facs::default() }), ..Mesh::default() }
    };
    for (index, a) in all.iter().enumerate() {
        for (other, b) in all.iter().enumerate() {
            assert_eq!(facs(a) == facs(b), index == other, "{index} {other}");
        }
    }
    assert!(Names::default().is_empty() && !Names::from_names(["a"]).unwrap().is_empty());
    // Offsets of a single level do not count in a comparison; those of several levels do.
    let lods = |offsets: &[u32]| Lods { offsets: offsets.to_vec(), ..Lods::default() };
    assert!(
        lods(&[0, 4]) == lods(&[])
            && lods(&[0, 2, 4]) != lods(&[0, 4])
            && lods(&[0, 2, 4]) != lods(&[0, 3, 4])
    );
    assert_ne!(read("v7_00.mesh").layout.draco, read("v7_00_sides.mesh").layout.draco);
}

#[test]
fn names_of_bones_are_kept_as_they_are_in_the_file() {
    for version in [Version::V5_00, Version::V7_00] {
        let mut mesh = with_faces(1);
        mesh.version = version;
        mesh.set_skin(&[[0_u16]; 3], &[[1.0]; 3], bones(2)).unwrap();
        mesh.layout.bone_names = Some(BoneNames { bytes: b"b1\0b0\0".into(), offsets: vec![3, 0] });
        let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
        assert_eq!(again.bones, mesh.bones);
        assert_eq!(again.layout.bone_names, mesh.layout.bone_names);
    }
    // A table of names without bones.
    let with = |names: BoneNames| {
        let mut mesh = Mesh { version: Version::V7_00, ..Mesh::default() };
        mesh.layout.bone_names = Some(names);
        rbxmesh::to_vec(&mesh).unwrap()
    };
    let nameless = BoneNames { bytes: b"left".into(), offsets: Vec::new() };
    assert_eq!(rbxmesh::from_slice(&with(nameless.clone())).unwrap().layout.bone_names, Some(nameless));
    assert!(!with(BoneNames::default()).windows(8).any(|window| window == b"SKINNING"));
}

#[test]
fn what_another_version_loses() {
    let dropped = |mesh: &Mesh, to: Version| {
        let (mesh, dropped) = mesh.to_version(to, LodChoice::First);
        assert!(dropped.iter().all(|part| part.is_rounded() == part.what.starts_with("the exact v of")));
        (mesh, dropped.into_iter().map(|part| part.what).collect::<Vec<_>>())
    };
    let mut mesh = Mesh { version: Version::V2_00, ..with_faces(1) };
    mesh.vertices.iter_mut().for_each(|vertex| vertex.uv = Vec2::new(0.0, 0.25));
    assert_eq!(dropped(&mesh, Version::V1_01).1, [""; 0]);
    // 1 - 0.1 is not read back as 0.1.
    mesh.vertices[0].uv.y = 0.1;
    let (rounded, what) = dropped(&mesh, Version::V1_01);
    assert_eq!(what, ["the exact v of 1 texture coordinate (text stores 1 - v, which is rounded)"]);
    assert_eq!(rounded.vertices[0].uv.y, 1.0 - (1.0 - 0.1));
    mesh.vertices[0].uv.y = 0.25;
    mesh.vertices.push(Vertex { uv: Vec2::new(0.0, 0.25), ..Vertex::default() });
    assert_eq!(dropped(&mesh, Version::V1_01).1, ["1 vertex that no face uses"]);
    mesh.vertices.pop();
    mesh.faces[0] = [0, 2, 1];
    assert_eq!(
        dropped(&mesh, Version::V1_01).1,
        ["the vertex indices (each of the 3 face corners gets its own vertex)"]
    );
    // Unknown chunks are only dropped by versions without chunks.
    let unknown = read("v6_00_unknown.mesh");
    let count = unknown.layout.chunks.len();
    assert!(count > 0 && dropped(&unknown, Version::V7_00).0.layout.chunks.len() == count);
    assert_eq!(dropped(&unknown, Version::V5_00).0.layout.chunks.len(), 0);
}

#[test]
fn vertices_are_as_wide_as_they_need() {
    let mut mesh = read("v2_00_32.mesh");
    mesh.vertices[0].tangent = Tangent([1, 2, 3, 4]);
    assert_eq!(rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap().vertices, mesh.vertices);
}

#[test]
fn streams_of_points_and_of_nothing() {
    let points = with_normals(&[[0.0, 0.0, 1.0]; 3]);
    let again = rbxmesh::from_slice(&WriteOptions::new().draco(true).write(&points).unwrap()).unwrap();
    assert!(again == points && again.layout.draco.is_some());
    assert!(read("v7_00_no_points.mesh").layout.draco.is_none());
    // With `draco(false)`, a stream that was read is not written.
    let plain = rbxmesh::from_slice(&WriteOptions::new().draco(false).write(&again).unwrap()).unwrap();
    assert!(plain == points && plain.layout.draco.is_none());
    // A stream is not reused if compressed faces are requested and its faces are not compressed, or vice versa.
    let mut mesh = read("v7_00.mesh");
    for compress in [true, false, true] {
        let bytes = WriteOptions::new().compress_faces(compress).write(&mesh).unwrap();
        mesh = rbxmesh::from_slice(&bytes).unwrap();
        assert_eq!(mesh.layout.draco.as_ref().unwrap().has_compressed_faces(), compress);
    }
}
