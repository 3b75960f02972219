//! Models with public fields can be as hostile as files. Whatever the fields contain, every public function returns an
//! error or a result, and what is written is read as an equal mesh.
#![allow(
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "small numbers, and a test that fails here has failed"
)]

use rbxmesh::geom::{Mat3, Vec3};
use rbxmesh::{
    Bone, BoneNames, Chunk, ChunkTag, Envelope, Facs, Layout, LodChoice, LodType, Mesh, Names, NormalGrid,
    Payload, Samples, Subset, UnknownFacs, Version, Vertex, Visibility, WriteOptions,
};
use testkit::{Rng, Sample, fixtures};

const NUMBERS: [u32; 9] = [0, 1, 2, 3, 26, 255, 0xffff, 0x7fff_ffff, u32::MAX];
const FLOATS: [f32; 9] = [0.0, -0.0, 1.0, -1.5, 1e-45, f32::MAX, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn pick<T: Copy>(list: &[T], rng: &mut Rng) -> T {
    list[rng.below(list.len())]
}

/// A random entry of a column; `None` if it is empty.
fn any<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let index = rng.below(list.len().max(1));
    list.get_mut(index)
}

fn resize<T: Clone + Default>(list: &mut Vec<T>, rng: &mut Rng) {
    let len = pick(&[0, 1, 2, 3, 5, 8, 30], rng);
    list.resize(len, T::default());
}

fn bytes(rng: &mut Rng) -> Vec<u8> {
    (0..pick(&[0_usize, 1, 4, 7, 16, 40], rng)).map(|_| pick(&[0, 1, 2, 0x7f, 0xff, b'a'], rng)).collect()
}

/// Makes one change to one field.
fn change(mesh: &mut Mesh, rng: &mut Rng) {
    let number = pick(&NUMBERS, rng);
    let float = pick(&FLOATS, rng);
    let short = number as u16;
    match rng.below(34) {
        0 => mesh.version = pick(Version::ALL, rng),
        1 => resize(&mut mesh.vertices, rng),
        2 => resize(&mut mesh.faces, rng),
        3 => resize(&mut mesh.envelopes, rng),
        4 => resize(&mut mesh.bones, rng),
        5 => resize(&mut mesh.subsets, rng),
        6 => resize(&mut mesh.texture_w, rng),
        7 => resize(&mut mesh.lods.offsets, rng),
        8 => mesh.lods.offsets.push(number),
        9 => (mesh.lods.kind, mesh.lods.high_quality) = (LodType(short), number as u8),
        10 => {
            if let Some(vertex) = any(&mut mesh.vertices, rng) {
                match rng.below(4) {
                    0 => vertex.position = Vec3::new(float, pick(&FLOATS, rng), 1.0),
                    1 => vertex.normal = Vec3::new(float, 0.0, pick(&FLOATS, rng)),
                    2 => vertex.uv.y = float,
                    _ => (vertex.tangent.0[1], vertex.color.g) = (number as u8, number as u8),
                }
            }
        }
        11 => {
            if let Some(face) = any(&mut mesh.faces, rng) {
                face[rng.below(3)] = number;
            }
        }
        12 => {
            if let Some(envelope) = any(&mut mesh.envelopes, rng) {
                *envelope = Envelope { indices: [number as u8; 4], weights: [200, short as u8, 100, 0] };
            }
        }
        13 => {
            if let Some(bone) = any(&mut mesh.bones, rng) {
                let parent = (rng.below(3) > 0).then_some(short);
                let rotation = Mat3::from_rows([float; 9]);
                *bone = Bone { name: bytes(rng).into(), parent, culling: float, rotation, ..bone.clone() };
            }
        }
        14 => {
            if let Some(subset) = any(&mut mesh.subsets, rng) {
                let table = std::array::from_fn(|_| pick(&[0, 1, 2, 0xffff], rng));
                *subset = Subset {
                    faces_begin: pick(&NUMBERS, rng),
                    faces_len: number,
                    vertices_begin: pick(&NUMBERS, rng),
                    vertices_len: pick(&NUMBERS, rng),
                    bones_len: pick(&NUMBERS, rng),
                    bone_table: table,
                };
            }
        }
        15 => mesh.facs = (rng.below(2) == 0).then(Facs::default),
        16 => {
            if let Some(facs) = &mut mesh.facs {
                match rng.below(5) {
                    0 => facs.controls = Names { bytes: bytes(rng).into() },
                    1 => facs.face_bones = Names { bytes: bytes(rng).into() },
                    2 => facs.two_pose.push([short; 2]),
                    3 => facs.three_pose.push([short; 3]),
                    _ => facs.trailing = bytes(rng),
                }
            }
        }
        17 => {
            if let Some(transforms) = mesh.facs.as_mut().and_then(|facs| facs.transforms.as_mut()) {
                let matrix = &mut transforms.position[rng.below(3)];
                match rng.below(3) {
                    0 => matrix.rows = number,
                    1 => matrix.columns = number,
                    _ => matrix.samples = Samples::Float(vec![float; rng.below(6)]),
                }
            }
        }
        18 => mesh.visibility = Some(Visibility { count: number, bits: bytes(rng) }),
        19 => mesh.visibility = None,
        _ => change_layout(&mut mesh.layout, rng),
    }
}

/// Makes one change to what only the file has.
fn change_layout(layout: &mut Layout, rng: &mut Rng) {
    let number = pick(&NUMBERS, rng);
    let float = pick(&FLOATS, rng);
    match rng.below(14) {
        0 => layout.vertex_size = (rng.below(2) == 0).then_some(number as u8),
        1 => layout.face_size = (rng.below(2) == 0).then_some(number as u8),
        2 => layout.vertex_extra = bytes(rng),
        3 => layout.face_extra = bytes(rng),
        4 => layout.header_extra = bytes(rng),
        5 => layout.trailing = bytes(rng),
        6 => (layout.lod_size, layout.reserved) = (Some(number as u16), number as u8),
        7 => layout.lod_offsets = Some(vec![number; rng.below(5)]),
        8 => layout.facs_unknown = Some(UnknownFacs { format: number, bytes: bytes(rng) }),
        9 => {
            let offsets = vec![number; rng.below(4)];
            layout.bone_names = Some(BoneNames { bytes: bytes(rng).into(), offsets });
        }
        10 => {
            let payload = match rng.below(2) {
                0 => Payload::Model { extra: bytes(rng) },
                _ => Payload::Kept(bytes(rng)),
            };
            let tag = match rng.below(6) {
                5 => ChunkTag(*b"FUTURE\0\0"),
                part => ChunkTag::ALL[part],
            };
            let chunk = Chunk { tag, version: pick(&[0, 1, 2, 3], rng), payload };
            let at = rng.below(layout.chunks.len() + 1);
            layout.chunks.insert(at, chunk);
        }
        11 => layout.chunks.truncate(rng.below(4)),
        12 => {
            layout.normal_grid =
                Some(NormalGrid { origin: [float; 3], range: pick(&FLOATS, rng), bits: number as u8 });
        }
        _ => std::sync::Arc::make_mut(&mut layout.text).truncate(rng.below(80)),
    }
}

/// Calls every public function.
fn everything(mesh: &Mesh, rng: &mut Rng) {
    for finding in rbxmesh::check(mesh) {
        assert!(rbxmesh::errors::RULES.contains(&finding.rule), "{finding}");
    }
    assert!(*mesh == mesh.clone() && mesh.same_layout(&mesh.clone()));
    for level in 0..=mesh.levels().len() {
        assert!(mesh.to_tri_mesh(level).is_none_or(|level| level.is_consistent()));
    }
    let skin = mesh.skin();
    for vertex in (0..mesh.vertices.len() + 2).chain([usize::MAX]) {
        assert!(skin.influences(vertex).all(|influence| usize::from(influence.bone) < mesh.bones.len()));
        assert!(skin.subset(vertex).is_none_or(|subset| subset < mesh.subsets.len()));
    }
    for bone in &mesh.bones {
        let _poses = (bone.bind_pose(), bone.inverse_bind_pose());
    }
    let _box = mesh.bounds();
    if let Some(facs) = &mesh.facs {
        for column in 0..facs.pose_count() + 1 {
            let _pose = (facs.pose(column), facs.transform(1, column));
        }
        let mut facs = facs.clone();
        let _edits = (facs.add_two_pose([0, 1], &[]), facs.add_control("a", &[Default::default()]));
    }
    if let Some(visibility) = &mesh.visibility {
        assert!(visibility.iter().take(100).count() <= 8 * visibility.bits.len());
    }
    let options = WriteOptions::new().draco(rng.below(2) == 0).compress_faces(rng.below(2) == 0);
    for written in [rbxmesh::to_vec(mesh), options.write(mesh)] {
        match written {
            Ok(bytes) => {
                let read = rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {mesh:?}"));
                assert!(read == *mesh, "read as\n{read:?}\ninstead of\n{mesh:?}");
            }
            Err(error) => assert!(!error.path().is_empty(), "{error}"),
        }
    }
    let version = pick(Version::ALL, rng);
    let lods = pick(&[LodChoice::First, LodChoice::All], rng);
    let (converted, _) = mesh.to_version(version, lods);
    if let Ok(bytes) = rbxmesh::to_vec(&converted) {
        assert!(
            rbxmesh::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {converted:?}")) == converted
        );
    }
    let mut rounded = mesh.clone();
    if rounded.round_normals(rng.below(32) as u8).is_ok() {
        let _finite = rounded.vertices.iter().all(|vertex| vertex.normal.is_finite());
    }
    let mut skinned = mesh.clone();
    let count = mesh.vertices.len();
    let joints: Vec<[u16; 2]> =
        (0..count).map(|_| [pick(&NUMBERS, rng) as u16, rng.below(30) as u16]).collect();
    let joints = if rng.below(2) == 0 { joints } else { vec![[rng.below(30) as u16, 29]; count] };
    if skinned.set_skin(&joints, &vec![[0.25, 0.75]; count], vec![Bone::default(); 30]).is_ok() {
        assert_eq!(skinned.envelopes.len(), skinned.vertices.len());
    } else {
        assert!(skinned == *mesh);
    }
    let level = mesh.to_tri_mesh(0).unwrap_or_default();
    let _made = (Mesh::from_tri_mesh(&level), Mesh::from_skinned_tri_mesh(&level, mesh.bones.clone()));
}

#[test]
fn changed_models() {
    let mut rng = Rng(0x5eed);
    let mut tried = 0;
    for Sample { name: _, bytes } in fixtures("rbxmesh") {
        let Ok(mesh) = rbxmesh::from_slice(&bytes) else { continue };
        for _ in 0..600 {
            let mut mesh = mesh.clone();
            for _ in 0..=rng.below(5) {
                change(&mut mesh, &mut rng);
            }
            everything(&mesh, &mut rng);
            tried += 1;
        }
    }
    assert!(tried > 30_000, "{tried}");
}

#[test]
fn models_out_of_nothing() {
    let mut rng = Rng(7);
    for turn in 0..4_000 {
        let mut mesh = Mesh { version: Version::ALL[turn % 10], ..Mesh::default() };
        mesh.vertices = vec![Vertex::default(); rng.below(5)];
        for _ in 0..=rng.below(12) {
            change(&mut mesh, &mut rng);
        }
        everything(&mesh, &mut rng);
    }
}

/// Regression, found by fuzzing: a mesh whose only content was the chunk of its vertices was written without chunks.
#[test]
fn a_mesh_of_nothing_has_a_chunk() {
    let read = rbxmesh::from_slice(&testkit::fixture("rbxmesh", "v7_00.mesh")).unwrap();
    let mut mesh = Mesh { version: Version::V7_00, layout: read.layout, ..Mesh::default() };
    mesh.layout.chunks.retain(|chunk| chunk.tag == ChunkTag::COREMESH);
    assert_eq!(mesh.layout.chunks.len(), 1);
    mesh.layout.trailing = vec![0xf3; 40];
    let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
    assert_eq!(again, mesh);
    assert_eq!(again.layout.trailing, mesh.layout.trailing);
}
