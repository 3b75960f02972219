//! Facial animation that is made and edited, and read back from every version that supports it.
#![allow(
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "small numbers, and a test that fails here has failed"
)]

use rbxmesh::errors::ErrorKind;
use rbxmesh::geom::Vec3;
use rbxmesh::{Facs, LodChoice, Mesh, Names, Pose, QuantizedMatrix, Samples, Version};
use testkit::fixture;

fn names(names: &[&str]) -> Names {
    Names::from_names(names).unwrap()
}

/// The translation and the rotation of a bone in a pose, different for each.
fn movement(bone: usize, pose: usize) -> (Vec3, Vec3) {
    let (b, p) = (bone as f32, pose as f32);
    (Vec3::new(0.1 * b, -0.01 * p, 0.3), Vec3::new(30.0 * p, b - p, -0.5))
}

fn made() -> Facs {
    let (bones, controls) = (names(&["Jaw", "LipUpper", "LipLower"]), names(&["c_COR", "c_CLR", "c_AO"]));
    Facs::from_poses(bones, controls, vec![[0, 1], [1, 2]], vec![[0, 1, 2]], movement).unwrap()
}

/// Checks that every transform is within half a step of the expected one.
fn assert_poses(facs: &Facs, expected: impl Fn(usize, usize) -> (Vec3, Vec3)) {
    for bone in 0..facs.face_bones.len() {
        for pose in 0..facs.pose_count() {
            let (position, rotation) = facs.transform(bone, pose).unwrap();
            let (wanted_position, wanted_rotation) = expected(bone, pose);
            let near = |ours: Vec3, theirs: Vec3, range: f32| {
                let off = (ours - theirs).to_array().map(f32::abs);
                assert!(off.iter().all(|&off| off <= range / 65535.0), "{ours:?} for {theirs:?}");
            };
            near(position, wanted_position, 1.0);
            near(rotation, wanted_rotation, 200.0);
        }
    }
}

#[test]
fn made_from_numbers_and_read_from_every_version() {
    let facs = made();
    assert_eq!((facs.face_bones.len(), facs.pose_count()), (3, 6));
    assert_eq!(facs.pose(4), Some(Pose::TwoPose([1, 2])));
    assert_poses(&facs, movement);
    for version in [Version::V5_00, Version::V6_00, Version::V7_00] {
        let mesh = Mesh { version, facs: Some(facs.clone()), ..Mesh::default() };
        let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
        assert_eq!(again, mesh, "{version}");
        assert_poses(again.facs.as_ref().unwrap(), movement);
        assert_eq!(rbxmesh::check(&again).iter().filter(|f| f.rule.id.contains("facs")).count(), 0);
    }
    // The bytes of a block with one bone and one control, made by hand from the table of the format.
    let small = Facs::from_poses(names(&["A"]), names(&["b"]), vec![], vec![], |_, _| {
        (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, -2.0))
    });
    let mesh = Mesh { version: Version::V5_00, facs: Some(small.unwrap()), ..Mesh::default() };
    let bytes = rbxmesh::to_vec(&mesh).unwrap();
    let mut block = [2_u32, 2, 6 * 20, 0, 0, 0].map(u32::to_le_bytes).as_flattened().to_vec();
    block.extend(b"A\0b\0");
    for value in [1.0_f32, 0.0, 0.0, 0.0, 0.0, -2.0] {
        block.extend([2, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
        block.extend([value.to_le_bytes(), value.to_le_bytes()].as_flattened());
        block.extend([0, 0]);
    }
    assert!(bytes.ends_with(&block), "{:x?}", &bytes[13 + 32..]);
}

#[test]
fn poses_are_added_where_their_columns_are() {
    let mut facs = made();
    let zero = (Vec3::default(), Vec3::default());
    let new = [(Vec3::new(0.05, 0.0, 0.3), Vec3::new(10.0, 0.0, -0.5)), zero, zero];
    facs.add_control("r_ULR", &new).unwrap();
    facs.add_two_pose([3, 0], &new).unwrap();
    facs.add_three_pose([3, 0, 1], &new).unwrap();
    assert_eq!(facs.controls.iter().last().unwrap(), "r_ULR");
    let poses: Vec<_> = facs.poses().collect();
    assert!((0..=facs.pose_count()).all(|column| facs.pose(column) == poses.get(column).copied()));
    assert_eq!(poses[3], Pose::Control(3));
    assert_eq!((poses[6], poses[8]), (Pose::TwoPose([3, 0]), Pose::ThreePose([3, 0, 1])));
    // Columns 0 to 2 are controls, 3 is a new control, 4 and 5 are two-pose, 6 is new, 7 is three-pose, 8 is new.
    let old = [Some(0), Some(1), Some(2), None, Some(3), Some(4), None, Some(5), None];
    assert_poses(&facs, |bone, column| old[column].map_or(new[bone], |pose| movement(bone, pose)));
    // Values within the range of a matrix do not change the other columns.
    let mut again = facs.clone();
    again.add_control("more", &[zero; 3]).unwrap();
    for bone in 0..3 {
        assert_eq!(again.transform(bone, 1), facs.transform(bone, 1));
        assert_eq!(again.transform(bone, 9), facs.transform(bone, 8));
    }
    // This also works in an animation without poses.
    let mut empty = Facs { face_bones: names(&["Jaw"]), ..Facs::default() };
    empty.add_control("c_COR", &[movement(1, 1)]).unwrap();
    assert_poses(&empty, |_, _| movement(1, 1));
}

#[test]
fn a_file_is_edited() {
    for name in ["v5_00.mesh", "v5_00_floats.mesh", "v7_00_all.mesh"] {
        let mut mesh = rbxmesh::from_slice(&fixture("rbxmesh", name)).unwrap();
        let facs = mesh.facs.as_mut().unwrap();
        let before: Vec<_> = (0..2).map(|column| facs.transform(0, column)).collect();
        facs.controls.set(1, "renamed").unwrap();
        facs.face_bones.push("Chin").unwrap_or_else(|error| panic!("{error}"));
        // One bone more than the matrices have rows.
        let error = facs.add_two_pose([0, 1], &[movement(0, 0); 3]).unwrap_err();
        assert_eq!(error.path(), "facs.transforms");
        let bones: Vec<_> = facs.face_bones.iter().take(2).map(ToOwned::to_owned).collect();
        facs.face_bones = Names::from_names(bones).unwrap();
        facs.add_two_pose([0, 1], &[movement(0, 0), movement(1, 0)]).unwrap();
        let facs = facs.clone();
        let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
        assert_eq!(again, mesh, "{name}");
        assert_eq!(facs.controls.iter().nth(1).unwrap(), "renamed", "{name}");
        let step = |value: f32| value.abs() * 1e-4 + 1e-4;
        for (column, before) in before.into_iter().enumerate() {
            let ((a, _), (b, _)) = (facs.transform(0, column).unwrap(), before.unwrap());
            assert!((a.x - b.x).abs() <= step(b.x), "{name}: {a:?} and {b:?}");
        }
    }
}

#[test]
fn wrong_arguments_are_named_and_change_nothing() {
    let mut facs = made();
    let before = facs.clone();
    let mut refused = |edit: &dyn Fn(&mut Facs) -> rbxmesh::Result<()>| {
        let error = edit(&mut facs).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
        assert_eq!(facs, before, "{error}");
        error.path().to_owned()
    };
    let move_all = [movement(0, 0); 3];
    assert_eq!(refused(&|facs| facs.add_control("a\0b", &move_all)), "names");
    assert_eq!(refused(&|facs| facs.add_control("a", &move_all[..2])), "movement");
    let nan = [movement(0, 0), (Vec3::new(f32::NAN, 0.0, 0.0), Vec3::default()), movement(0, 0)];
    assert_eq!(refused(&|facs| facs.add_control("a", &nan)), "movement[1]");
    assert_eq!(refused(&|facs| facs.add_two_pose([0, 3], &move_all)), "controls");
    assert_eq!(refused(&|facs| facs.add_three_pose([9, 0, 1], &move_all)), "controls");
    assert_eq!(refused(&|facs| facs.controls.set(3, "a")), "names");
    let out = Facs::from_poses(names(&["A"]), names(&["b"]), vec![[0, 1]], vec![], movement);
    assert_eq!(out.unwrap_err().path(), "controls");
    let matrix = QuantizedMatrix::from_values(2, 2, &[1.0; 3]);
    assert_eq!(matrix.unwrap_err().path(), "values");
    let matrix = QuantizedMatrix::from_values(1, 2, &[1.0, f32::INFINITY]);
    assert_eq!(matrix.unwrap_err().path(), "values[1]");
    let matrix = QuantizedMatrix::from_values(1, 3, &[-1.0, 0.0, 3.0]).unwrap();
    // A quarter of the range is 16383.75 steps.
    let steps = Samples::Quantized { min: -1.0, max: 3.0, steps: vec![0, 16384, 65535] };
    assert_eq!(matrix.samples, steps);
}

/// The cost of `check` and of reading all poses is linear: counting the names for each corrective would take hours.
#[test]
fn many_names_and_many_correctives() {
    let mut mesh = Mesh { version: Version::V5_00, ..Mesh::default() };
    let facs = Facs {
        controls: Names { bytes: vec![0; 4_000_000].into() },
        two_pose: vec![[0, 0xffff]; 1_000_000],
        three_pose: vec![[0, 1, 2]; 700_000],
        ..Facs::default()
    };
    mesh.facs = Some(facs);
    let (mesh, _) = mesh.to_version(Version::V5_00, LodChoice::First);
    assert_eq!(rbxmesh::check(&mesh), []);
    assert_eq!(rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap(), mesh);
}

/// rbx_mesh refuses a mesh of version 5.00 without facial animation, but reads one of 4.01.
#[test]
fn a_mesh_of_5_00_without_facial_animation_is_found() {
    let found = |name: &str| {
        let mut mesh = rbxmesh::from_slice(&fixture("rbxmesh", name)).unwrap();
        mesh.facs = None;
        let findings = rbxmesh::check(&mesh);
        findings.iter().filter(|finding| finding.rule.id == "rbxmesh.facs-missing").count()
    };
    assert_eq!(found("v5_00.mesh"), 1);
    assert_eq!(found("v4_01_skin.mesh"), 0);
    // No bytes of animation, in whatever format.
    let mut mesh = rbxmesh::from_slice(&fixture("rbxmesh", "v5_00.mesh")).unwrap();
    mesh.facs = None;
    mesh.layout.facs_unknown = Some(rbxmesh::UnknownFacs { format: 0, bytes: Vec::new() });
    let findings = rbxmesh::check(&mesh);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxmesh.facs-missing"), "{findings:?}");
    let whole = rbxmesh::from_slice(&fixture("rbxmesh", "v5_00.mesh")).unwrap();
    assert!(rbxmesh::check(&whole).iter().all(|finding| finding.rule.id != "rbxmesh.facs-missing"));
}

/// A truncated block of the known format is refused, and not kept as an unknown one. A matrix of an unknown version is
/// kept.
#[test]
fn a_broken_block_is_not_an_unknown_one() {
    let (bytes, header) = (fixture("rbxmesh", "v5_00.mesh"), 13);
    let len = u32::from_le_bytes(bytes[header + 28..header + 32].try_into().unwrap()) as usize;
    let block = bytes.len() - len;
    let mut broken = bytes.clone();
    broken[block..block + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = rbxmesh::from_slice(&broken).unwrap_err().to_string();
    assert!(error.starts_with("unexpected end of input in facs.face_bones at offset 0x"), "{error}");
    // Skip the sizes (24 bytes) and two tables of names: the first matrix begins with its version.
    let names: u32 =
        [0, 4].map(|at| u32::from_le_bytes(bytes[block + at..][..4].try_into().unwrap())).iter().sum();
    let mut unknown = bytes;
    unknown[block + 24 + names as usize] = 9;
    let mesh = rbxmesh::from_slice(&unknown).unwrap();
    assert_eq!(mesh.layout.facs_unknown.as_ref().map(|facs| facs.bytes.as_slice()), Some(&unknown[block..]));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), unknown);
}
