//! Skins made from joints, weights and bones, and read by a second reader, which is written here from the tables of the
//! format and shares no code with the crate.
#![allow(
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "small numbers, and a test that fails here has failed"
)]

use std::collections::BTreeMap;

use rbxmesh::geom::{Mat3, Mat4, TriMesh, Vec3};
use rbxmesh::{Bone, LodChoice, Mesh, Version, Vertex};
use testkit::Rng;

/// The skin of a file, as the reader below returns it.
#[derive(Debug)]
struct Skinned {
    vertices: usize,
    /// The bones and the weights (as bytes) of each vertex, without weights of 0.
    influences: Vec<Vec<(u16, u8)>>,
    /// The name, the parent, the nine numbers of the rotation row by row, and the three of the position.
    bones: Vec<(String, u16, [f32; 12])>,
    /// The first face, the number of faces, the first vertex, the number of vertices, and the number of bones.
    subsets: Vec<[u32; 5]>,
    faces: Option<Vec<[u32; 3]>>,
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take(2).try_into().unwrap())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn f32(&mut self) -> f32 {
        f32::from_bits(self.u32())
    }

    fn faces(&mut self, count: usize) -> Vec<[u32; 3]> {
        (0..count).map(|_| [self.u32(), self.u32(), self.u32()]).collect()
    }
}

/// A bone has 60 bytes: u32 offset of the name, u16 parent, u16 parent in lower levels, f32 culling, 9 f32, 3 f32.
fn bones(bytes: &mut Bytes<'_>, count: usize) -> Vec<(u32, u16, [f32; 12])> {
    let bone = |bytes: &mut Bytes<'_>| {
        let (name, parent, lod_parent, _) = (bytes.u32(), bytes.u16(), bytes.u16(), bytes.f32());
        assert_eq!(parent, lod_parent);
        (name, parent, std::array::from_fn(|_| bytes.f32()))
    };
    (0..count).map(|_| bone(bytes)).collect()
}

/// An envelope has 8 bytes: four u8 indices into the subset's table, four u8 weights. A subset has 72 bytes: five u32,
/// 26 u16.
fn resolve(
    vertices: usize,
    envelopes: &[u8],
    subsets: &mut Bytes<'_>,
    count: usize,
) -> (Vec<Vec<(u16, u8)>>, Vec<[u32; 5]>) {
    let mut influences = vec![Vec::new(); vertices];
    let mut seen = vec![false; vertices];
    let mut list = Vec::new();
    for _ in 0..count {
        let numbers: [u32; 5] = std::array::from_fn(|_| subsets.u32());
        let table: [u16; 26] = std::array::from_fn(|_| subsets.u16());
        let [_, _, first, len, used] = numbers;
        assert!(used <= 26 && table[used as usize..].iter().all(|&bone| bone == 0xffff));
        for vertex in first..first + len {
            assert!(!std::mem::replace(&mut seen[vertex as usize], true), "a vertex in two subsets");
            let envelope = &envelopes[vertex as usize * 8..][..8];
            let (indices, weights) = envelope.split_at(4);
            assert_eq!(weights.iter().map(|&weight| u32::from(weight)).sum::<u32>(), 255);
            assert!(weights.is_sorted_by(|a, b| a >= b), "greatest first: {weights:?}");
            for (&index, &weight) in indices.iter().zip(weights) {
                if weight > 0 {
                    assert!(u32::from(index) < used, "an index in the table");
                    influences[vertex as usize].push((table[usize::from(index)], weight));
                } else {
                    assert_eq!(index, 0, "unused indices are 0");
                }
            }
        }
        list.push(numbers);
    }
    assert!(seen.iter().all(|&seen| seen), "every vertex is in a subset");
    (influences, list)
}

fn named(raw: Vec<(u32, u16, [f32; 12])>, names: &[u8]) -> Vec<(String, u16, [f32; 12])> {
    let name = |offset: u32| {
        let rest = &names[offset as usize..];
        String::from_utf8(rest[..rest.iter().position(|&byte| byte == 0).unwrap()].to_vec()).unwrap()
    };
    raw.into_iter().map(|(offset, parent, numbers)| (name(offset), parent, numbers)).collect()
}

fn read_by_hand(file: &[u8]) -> Skinned {
    let mut bytes = Bytes(file);
    let line = bytes.take(13);
    if line == b"version 4.01\n" || line == b"version 5.00\n" {
        let size = bytes.u16();
        assert_eq!(size, if line[8] == b'4' { 24 } else { 32 });
        let _kind = bytes.u16();
        let [vertices, faces] = [bytes.u32() as usize, bytes.u32() as usize];
        let [offsets, bone_count] = [bytes.u16(), bytes.u16()];
        let names_len = bytes.u32();
        let subset_count = bytes.u16();
        bytes.take(usize::from(size) - 22);
        bytes.take(vertices * 40);
        let envelopes = bytes.take(vertices * 8);
        let faces = bytes.faces(faces);
        bytes.take(usize::from(offsets) * 4);
        let raw = bones(&mut bytes, bone_count.into());
        let names = bytes.take(names_len as usize);
        let (influences, subsets) = resolve(vertices, envelopes, &mut bytes, subset_count.into());
        return Skinned { vertices, influences, bones: named(raw, names), subsets, faces: Some(faces) };
    }
    assert!(line == b"version 6.00\n" || line == b"version 7.00\n");
    let mut chunks = BTreeMap::new();
    while !bytes.0.is_empty() {
        let name = bytes.take(8).to_vec();
        let version = bytes.u32();
        let size = bytes.u32();
        chunks.insert(name, (version, bytes.take(size as usize)));
    }
    let (version, core) = chunks[&b"COREMESH"[..]];
    let faces = (version == 1).then(|| {
        let mut bytes = Bytes(core);
        let vertices = bytes.u32() as usize;
        bytes.take(vertices * 40);
        let count = bytes.u32() as usize;
        bytes.faces(count)
    });
    let mut bytes = Bytes(chunks[&b"SKINNING"[..]].1);
    let vertices = bytes.u32() as usize;
    let envelopes = bytes.take(vertices * 8);
    let count = bytes.u32() as usize;
    let raw = bones(&mut bytes, count);
    let names_len = bytes.u32() as usize;
    let names = bytes.take(names_len);
    let count = bytes.u32() as usize;
    let (influences, subsets) = resolve(vertices, envelopes, &mut bytes, count);
    assert!(bytes.0.is_empty());
    Skinned { vertices, influences, bones: named(raw, names), subsets, faces }
}

/// A chain of bones, one for each joint, each rotated and moved.
fn chain(count: u16) -> Vec<Bone> {
    let bone = |index: u16| {
        let (sin, cos) = (f32::from(index) * 0.1).sin_cos();
        let turn = Mat3::from_rows([cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0]);
        let pose = Mat4::from_parts(turn, Vec3::new(f32::from(index), 0.5, -1.0));
        Bone::from_inverse_bind(format!("Bone{index}"), index.checked_sub(1), pose.inverse().unwrap())
            .unwrap()
    };
    (0..count).map(bone).collect()
}

/// A strip of triangles in two levels; vertex k is at x = k. `N` nearby joints move each vertex.
fn strip<const N: usize>(vertices: u16, joints: u16, seed: u64) -> (Mesh, Vec<[u16; N]>, Vec<[f32; N]>) {
    let mut rng = Rng(seed);
    let mut mesh = Mesh { version: Version::V5_00, ..Mesh::default() };
    mesh.vertices = (0..vertices)
        .map(|index| Vertex { position: Vec3::new(index.into(), 0.0, 0.0), ..Vertex::default() })
        .collect();
    let last = u32::from(vertices) - 1;
    // No face uses the last vertex.
    mesh.faces = (0..last - 2).map(|a| [a, a + 1, a + 2]).collect();
    let first = mesh.faces.len() as u32;
    mesh.faces.extend((0..last / 2 - 2).map(|a| [a * 2, a * 2 + 2, a * 2 + 4]));
    mesh.lods.offsets = vec![0, first, mesh.faces.len() as u32];
    let near = |vertex: u16, rng: &mut Rng| {
        let middle = u32::from(vertex) * u32::from(joints) / u32::from(vertices);
        (middle + rng.below(4) as u32).min(u32::from(joints) - 1) as u16
    };
    let list = (0..vertices).map(|vertex| std::array::from_fn(|_| near(vertex, &mut rng))).collect();
    let weights = (0..vertices)
        .map(|_| std::array::from_fn(|index| if index == 0 { 0.5 } else { rng.below(1000) as f32 / 1000.0 }))
        .collect();
    (mesh, list, weights)
}

/// The expected influences of a vertex: the weights are summed for each joint, and the four greatest are scaled so that
/// their sum is 1.
fn expected<const N: usize>(joints: &[u16; N], weights: &[f32; N]) -> BTreeMap<u16, f64> {
    let mut sums: BTreeMap<u16, f64> = BTreeMap::new();
    for (&joint, &weight) in joints.iter().zip(weights) {
        *sums.entry(joint).or_default() += f64::from(weight);
    }
    let mut all: Vec<_> = sums.into_iter().filter(|&(_, weight)| weight > 0.0).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(4);
    let total: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.into_iter().map(|(joint, weight)| (joint, weight / total)).collect()
}

/// Makes a skin, writes it in every version that supports skins, and reads it with the reader above.
fn skin_is_there<const N: usize>(vertices: u16, joints: u16, seed: u64) -> usize {
    let (before, list, weights) = strip::<N>(vertices, joints, seed);
    let mut mesh = before.clone();
    let change = mesh.set_skin(&list, &weights, chain(joints)).unwrap();
    assert_eq!(change.vertices.len(), mesh.vertices.len());
    assert_eq!(mesh.faces.len(), before.faces.len(), "no face is lost");
    let levels = |mesh: &Mesh| mesh.levels().map(<[_]>::len).collect::<Vec<_>>();
    assert_eq!(levels(&mesh), levels(&before), "each stays in its level");
    // Each face exists exactly once, whatever its indices are now.
    let places = |mesh: &Mesh| {
        let mut faces: Vec<_> = mesh
            .faces
            .iter()
            .map(|face| face.map(|index| mesh.vertices[index as usize].position.x as u32))
            .collect();
        faces.sort_unstable();
        faces
    };
    assert_eq!(places(&mesh), places(&before));
    for (vertex, &from) in mesh.vertices.iter().zip(&change.vertices) {
        assert_eq!(*vertex, before.vertices[from as usize]);
    }
    let rules: Vec<_> = rbxmesh::check(&mesh).into_iter().map(|finding| finding.rule.id).collect();
    assert!(
        rules.iter().all(|rule| *rule == "rbxmesh.normals" || *rule == "rbxmesh.facs-missing"),
        "{rules:?}"
    );
    let mut subsets = 0;
    for version in [Version::V4_01, Version::V5_00, Version::V6_00, Version::V7_00] {
        let (written, dropped) = mesh.to_version(version, LodChoice::First);
        assert!(dropped.is_empty(), "{version}: {dropped:?}");
        let read = read_by_hand(&rbxmesh::to_vec(&written).unwrap());
        assert_eq!(read.vertices, mesh.vertices.len(), "{version}");
        assert_eq!(read.bones.len(), usize::from(joints));
        for (index, (name, parent, numbers)) in read.bones.iter().enumerate() {
            assert_eq!(*name, format!("Bone{index}"));
            assert_eq!(*parent, index.checked_sub(1).map_or(0xffff, |parent| parent as u16));
            let (sin, cos) = (index as f32 * 0.1).sin_cos();
            let pose = [cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0, index as f32, 0.5, -1.0];
            let near = |(a, b): (&f32, f32)| (a - b).abs() < 1e-3;
            assert!(numbers.iter().zip(pose).all(near), "{numbers:?} for {pose:?}");
        }
        for (influences, &from) in read.influences.iter().zip(&change.vertices) {
            let wanted = expected(&list[from as usize], &weights[from as usize]);
            // The weight of each joint, rounded to a byte; a joint whose weight rounds to 0 may be missing.
            for (&joint, &share) in &wanted {
                let byte = influences.iter().find(|(bone, _)| *bone == joint).map_or(0, |&(_, byte)| byte);
                assert!((f64::from(byte) - share * 255.0).abs() < 1.0, "{influences:?} for {wanted:?}");
            }
            assert!(influences.iter().all(|(bone, _)| wanted.contains_key(bone)), "{influences:?}");
        }
        // A face uses vertices of one subset, and the faces of a subset are contiguous.
        if let Some(faces) = &read.faces {
            for &[first_face, len, first, vertices, _] in &read.subsets {
                for face in &faces[first_face as usize..][..len as usize] {
                    let own = face.iter().all(|&index| (first..first + vertices).contains(&index));
                    assert!(own, "{face:?} beyond {first} + {vertices}");
                }
            }
            if read.subsets.len() > 1 {
                let covered: u32 = read.subsets.iter().map(|subset| subset[1]).sum();
                assert_eq!(covered as usize, faces.len(), "every face is in a subset");
            }
        }
        subsets = read.subsets.len();
    }
    subsets
}

#[test]
fn a_few_bones_are_one_subset() {
    assert_eq!(skin_is_there::<4>(60, 26, 1), 1);
    assert_eq!(skin_is_there::<1>(60, 3, 2), 1);
    assert_eq!(skin_is_there::<8>(60, 20, 3), 1);
}

#[test]
fn many_bones_are_cut_into_subsets() {
    for seed in 0..20 {
        let subsets = skin_is_there::<4>(400, 27, seed);
        assert!((3..=6).contains(&subsets), "two levels of 27 bones, and a vertex without a face: {subsets}");
        let subsets = skin_is_there::<8>(900, 90, seed);
        assert!(subsets <= 2 * 7 + 1, "90 bones take 4 subsets at least: {subsets}");
        skin_is_there::<6>(2000, 2000, seed);
    }
}

#[test]
fn bytes_sum_to_255_whatever_the_weights_are() {
    let bytes = |weights: [f32; 4]| {
        let mut mesh = Mesh { version: Version::V4_00, vertices: vec![Vertex::default()], ..Mesh::default() };
        mesh.set_skin(&[[0, 1, 2, 3]], &[weights], chain(4)).unwrap();
        (mesh.envelopes[0].weights, mesh.skin().joints(0).0)
    };
    assert_eq!(bytes([1.0, 0.0, 0.0, 0.0]), ([255, 0, 0, 0], [0; 4]));
    // 63.75 each: three get 64, and one gets 63.
    assert_eq!(bytes([0.25; 4]), ([64, 64, 64, 63], [0, 1, 2, 3]));
    // 85 each.
    assert_eq!(bytes([0.0, 7.0, 7.0, 7.0]), ([85, 85, 85, 0], [1, 2, 3, 0]));
    // 102, 76.5, 51 and 25.5: of the two halves, the one of the greater weight is rounded up.
    assert_eq!(bytes([0.1, 0.2, 0.3, 0.4]), ([102, 77, 51, 25], [3, 2, 1, 0]));
    assert_eq!(bytes([1e-9, 0.0, 1.0, 0.0]), ([255, 0, 0, 0], [2, 0, 0, 0]));
    assert_eq!(bytes([1e30, 1e30, 0.0, 1e-30]).0, [128, 127, 0, 0]);
    let mut rng = Rng(9);
    for _ in 0..10_000 {
        let weights = std::array::from_fn(|_| rng.below(1 << 20) as f32);
        let (bytes, _) = bytes(weights);
        assert_eq!(bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>(), 255, "{weights:?}");
        assert!(bytes.is_sorted_by(|a, b| a >= b), "{weights:?}: {bytes:?}");
    }
}

/// A subset lists the bones that move one of its vertices; at most four move a vertex.
#[test]
fn bones_that_are_used_and_weights_that_are_left_out() {
    let vertices = vec![Vertex::default(); 3];
    let mut mesh = Mesh { version: Version::V5_00, vertices, ..Mesh::default() };
    let weights = [[5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 1.0, 0.0, 0.0, 0.0], [5.0, 4.0, 3.0, 2.0, 1.0]];
    // The greatest number of bones: one index is reserved for "no bone".
    let mut bones = chain(u16::MAX);
    let change = mesh.set_skin(&[[3, 1, 2, 4, 5]; 3], &weights, bones.clone()).unwrap();
    assert_eq!(change.truncated, 2);
    assert_eq!(mesh.subsets.len(), 1);
    assert_eq!((mesh.subsets[0].bones_len, &mesh.subsets[0].bone_table[..5]), (4, &[1, 2, 3, 4, 0xffff][..]));
    bones.push(bones[0].clone());
    assert_eq!(mesh.set_skin(&[[0]; 3], &[[1.0]; 3], bones).unwrap_err().path(), "bones");
}

#[test]
fn wrong_arguments_are_named_and_change_nothing() {
    let (mesh, joints, weights) = strip::<4>(40, 30, 4);
    let refused = |change: &dyn Fn(&mut Mesh, &mut Vec<[u16; 4]>, &mut Vec<[f32; 4]>, &mut Vec<Bone>)| {
        let (mut mesh, mut joints, mut weights, mut bones) =
            (mesh.clone(), joints.clone(), weights.clone(), chain(30));
        change(&mut mesh, &mut joints, &mut weights, &mut bones);
        let before = mesh.clone();
        let error = mesh.set_skin(&joints, &weights, bones).unwrap_err();
        assert!(matches!(error.kind(), rbxmesh::errors::ErrorKind::InvalidArgument(_)), "{error}");
        assert!(mesh == before && mesh.same_layout(&before));
        error.path().to_owned()
    };
    assert_eq!(refused(&|mesh, _, _, _| mesh.version = Version::V3_00), "version");
    assert_eq!(refused(&|_, joints, _, _| joints.truncate(39)), "joints");
    assert_eq!(refused(&|_, _, weights, _| weights.truncate(39)), "weights");
    let first = joints.iter().position(|joints| joints.iter().any(|&joint| joint >= 20)).unwrap();
    assert_eq!(refused(&|_, _, _, bones| bones.truncate(20)), format!("joints[{first}]"));
    assert_eq!(refused(&|_, _, _, bones| bones.clear()), "bones");
    assert_eq!(refused(&|_, _, _, bones| bones[3].parent = Some(30)), "bones[3].parent");
    assert_eq!(refused(&|_, _, _, bones| bones[3].parent = Some(3)), "bones[3].parent");
    assert_eq!(refused(&|_, _, _, bones| bones[0].parent = Some(29)), "bones[0].parent");
    assert_eq!(refused(&|_, _, _, bones| bones[4].lod_parent = Some(5)), "bones[4].lod_parent");
    assert_eq!(refused(&|_, _, weights, _| weights[7] = [0.0; 4]), "weights[7]");
    assert_eq!(refused(&|_, _, weights, _| weights[7][2] = -0.1), "weights[7]");
    assert_eq!(refused(&|_, _, weights, _| weights[7][2] = f32::NAN), "weights[7]");
    assert_eq!(refused(&|mesh, _, _, _| mesh.faces[2][1] = 40), "faces[2]");
    assert_eq!(refused(&|mesh, _, _, _| mesh.lods.offsets[1] = 999), "lods.offsets");
    assert_eq!(refused(&|mesh, _, _, _| mesh.visibility = Some(Default::default())), "visibility");
    let matrix =
        Mat4::from_rows([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
    assert_eq!(Bone::new("Tilted", None, matrix).unwrap_err().path(), "bind_pose");
    let flat = Mat4::from_parts(Mat3::from_rows([0.0; 9]), Vec3::default());
    assert_eq!(Bone::from_inverse_bind("Flat", None, flat).unwrap_err().path(), "inverse_bind");
}

#[test]
fn a_skinned_triangle_mesh_comes_and_goes() {
    let positions: Vec<_> = (0..50_u16).map(|index| Vec3::new(index.into(), 0.0, 0.0)).collect();
    let tri = TriMesh {
        triangles: (0..48).map(|a| [a, a + 1, a + 2]).collect(),
        joints: (0..50).map(|index| [index, 0, 0, 0]).collect(),
        weights: vec![[1.0, 0.0, 0.0, 0.0]; 50],
        positions,
        ..TriMesh::default()
    };
    let mesh = Mesh::from_skinned_tri_mesh(&tri, chain(50)).unwrap();
    assert_eq!(mesh.version, Version::V4_01);
    let again = mesh.to_tri_mesh(0).unwrap();
    let corners = |mesh: &TriMesh| {
        let corner = |&index: &u32| (mesh.positions[index as usize].x as u16, mesh.joints[index as usize][0]);
        let mut corners: Vec<_> = mesh.triangles.iter().map(|face| face.each_ref().map(corner)).collect();
        corners.sort_unstable();
        corners
    };
    assert_eq!(corners(&again), corners(&tri));
    assert!(again.is_consistent() && again.weights.iter().all(|weights| weights[0] == 1.0));
}

/// 65,535 subsets and a million vertices: a search through the subsets for each vertex would take minutes.
#[test]
fn many_subsets_and_many_vertices() {
    let empty = rbxmesh::Subset { vertices_begin: 5, ..Default::default() };
    let mut mesh = Mesh { version: Version::V6_00, ..Mesh::default() };
    mesh.vertices = vec![Vertex::default(); 1_000_000];
    mesh.envelopes = vec![rbxmesh::Envelope { indices: [0; 4], weights: [255, 0, 0, 0] }; 1_000_000];
    mesh.bones = chain(1);
    mesh.subsets = vec![empty; 65_535];
    let mut whole = rbxmesh::Subset { vertices_len: 1_000_000, bones_len: 1, ..Default::default() };
    whole.bone_table[0] = 0;
    mesh.subsets.push(whole);
    let findings = rbxmesh::check(&mesh);
    assert!(findings.iter().all(|finding| finding.rule.id == "rbxmesh.normals"), "{findings:?}");
    assert_eq!(mesh.skin().joints(999_999), ([0; 4], [1.0, 0.0, 0.0, 0.0]));
    // If subsets overlap, a vertex belongs to the first one that contains it.
    mesh.subsets = (0..40_000)
        .map(|begin| rbxmesh::Subset { vertices_begin: begin, vertices_len: 900_000, ..whole })
        .collect();
    let skin = mesh.skin();
    assert_eq!(
        [0, 39_999, 900_000, 939_998, 939_999].map(|at| skin.subset(at)),
        [Some(0), Some(0), Some(1), Some(39_999), None]
    );
}

/// The remaining faces keep their level, the positions of their corners, and the bones and weights of these.
#[test]
fn removed_faces_leave_levels_and_skin() {
    let (mut mesh, list, weights) = strip::<4>(400, 60, 3);
    mesh.set_skin(&list, &weights, chain(60)).unwrap();
    let corners = |mesh: &Mesh, faces: &[[u32; 3]], keep: &dyn Fn(u32) -> bool| {
        let corner = |index: u32| {
            let (vertex, (joints, weights)) =
                (mesh.vertices[index as usize], mesh.skin().joints(index as usize));
            (vertex.position.x as u32, joints, weights)
        };
        let all = faces.iter().map(|face| face.map(corner)).filter(|face| keep(face[0].0));
        all.collect::<Vec<_>>()
    };
    let keep = |x: u32| !x.is_multiple_of(3) && !(100..200).contains(&x);
    let expected: Vec<_> = mesh.levels().map(|faces| corners(&mesh, faces, &keep)).collect();
    let before = mesh.clone();
    let from = mesh
        .retain_faces(|at, face| {
            assert_eq!(before.faces[at], *face);
            keep(before.vertices[face[0] as usize].position.x as u32)
        })
        .unwrap();
    assert!(before.subsets.len() > 2 && mesh.vertices.len() < before.vertices.len());
    let found: Vec<_> = mesh.levels().map(|faces| corners(&mesh, faces, &|_| true)).collect();
    assert_eq!(found, expected);
    assert!(from.iter().zip(&mesh.vertices).all(|(&from, vertex)| before.vertices[from as usize] == *vertex));
    // The vertex that no face used before is still there.
    assert_eq!(mesh.vertices.iter().map(|of| of.position.x as u32).max(), Some(399));
    let rules = |mesh: &Mesh| rbxmesh::check(mesh).iter().map(|of| of.rule.id).collect::<Vec<_>>();
    assert_eq!(rules(&mesh), rules(&before));
    let read = read_by_hand(&rbxmesh::to_vec(&mesh.to_version(Version::V5_00, LodChoice::First).0).unwrap());
    assert_eq!(read.faces.as_deref(), Some(&*mesh.faces));
}
