//! Real files: each is written as the same bytes, and agrees with what is known about it.

use std::ops::Range;

use rbxmesh::bstr::ByteSlice;
use rbxmesh::{Mesh, Samples, Version};
use testkit::{Sample, corpus};

/// The real files that can be read, with their names.
fn meshes() -> Vec<(String, Vec<u8>, Mesh)> {
    let readable = corpus("rbxmesh").into_iter();
    let read = |Sample { name, bytes }| match rbxmesh::from_slice(&bytes) {
        Ok(mesh) => (name, bytes, mesh),
        Err(error) => panic!("{name}: {error}"),
    };
    readable.map(read).collect()
}

/// Calls the test with a real file, if the real files exist.
fn with(name: &str, test: impl FnOnce(&Mesh)) {
    let meshes = meshes();
    match meshes.iter().find(|(other, ..)| other == name) {
        Some((_, _, mesh)) => test(mesh),
        None => assert!(meshes.is_empty(), "{name} is not among the real files"),
    }
}

#[test]
fn every_real_file_comes_back_byte_for_byte() {
    for (name, bytes, mesh) in meshes() {
        assert!(rbxmesh::to_vec(&mesh).unwrap() == bytes, "{name}");
        assert_eq!(mesh.layout.trailing, b"", "{name}: real files end where they should");
        assert_eq!(mesh.texture_w.len() % 3, 0);
    }
}

#[test]
fn check_finds_what_is_known_and_no_more() {
    // Real files break these rules, and no others.
    let known = [
        "rbxmesh.normals",
        "rbxmesh.degenerate-faces",
        // 5648093777 has 17 vertices that are NaN.
        "rbxmesh.positions",
        "rbxmesh.texture-coordinates",
    ];
    for (name, _, mesh) in meshes() {
        for finding in rbxmesh::check(&mesh) {
            assert!(known.contains(&finding.rule.id), "{name}: {finding}");
        }
    }
}

#[test]
fn skins_are_as_the_facts_say() {
    for (name, _, mesh) in meshes().iter().filter(|(_, _, mesh)| !mesh.bones.is_empty()) {
        let skin = mesh.skin();
        for (vertex, envelope) in mesh.envelopes.iter().enumerate() {
            let sum: f32 = skin.influences(vertex).map(|influence| influence.weight).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{name}: vertex {vertex}");
            assert!(envelope.weights.is_sorted_by(|a, b| a >= b), "{name}: vertex {vertex}");
        }
        for (index, bone) in mesh.bones.iter().enumerate() {
            assert_eq!(bone.lod_parent, bone.parent, "{name}");
            assert!(bone.parent.is_none_or(|parent| usize::from(parent) < index), "{name}");
            assert!(bone.name.is_ascii() && !bone.name.is_empty(), "{name}");
            // The rotation of a bone: its inverse is its transpose.
            let (inverse, transpose) = (bone.rotation.inverse().unwrap(), bone.rotation.transpose());
            let off = |(a, b): (f32, f32)| (a - b).abs();
            assert!(inverse.to_rows().into_iter().zip(transpose.to_rows()).map(off).all(|off| off < 1e-3));
        }
        assert_eq!(mesh.layout.bone_names, None, "{name}: names are in the bones' order");
        let covered: u32 = mesh.subsets.iter().map(|subset| subset.vertices_len).sum();
        assert_eq!(covered as usize, mesh.vertices.len(), "{name}: subsets cover each vertex once");
    }
}

#[test]
fn facial_animation_is_as_the_facts_say() {
    for (name, _, mesh) in meshes() {
        let Some(facs) = &mesh.facs else { continue };
        let controls: Vec<_> = facs.controls.iter().collect();
        assert_eq!(controls.len(), 50, "{name}");
        assert_eq!((controls[0], controls[49]), (b"c_COR".as_bstr(), b"r_ULR".as_bstr()), "{name}");
        let transforms = facs.transforms.as_ref().unwrap();
        let within = |matrices: &[rbxmesh::QuantizedMatrix], range: Range<f32>| {
            for matrix in matrices {
                assert_eq!(matrix.rows as usize, facs.face_bones.len(), "{name}");
                assert_eq!(
                    matrix.columns as usize,
                    50 + facs.two_pose.len() + facs.three_pose.len(),
                    "{name}"
                );
                let Samples::Quantized { min, max, .. } = matrix.samples else { panic!("{name}: steps") };
                assert!(range.contains(&min) && range.contains(&max) && min <= max, "{name}: {min} to {max}");
            }
        };
        within(&transforms.position, -0.45..0.45);
        within(&transforms.rotation, -127.0..127.0);
    }
}

#[test]
fn a_dynamic_head_without_most_of_its_face() {
    with("14818281896", |mesh| {
        assert_eq!((mesh.version, mesh.vertices.len(), mesh.faces.len()), (Version::V5_00, 1741, 3914));
        let facs = mesh.facs.as_ref().unwrap();
        assert_eq!(facs.face_bones.len(), 61);
        let known = |name: &&rbxmesh::bstr::BStr| mesh.bones.iter().any(|bone| bone.name == **name);
        assert_eq!(facs.face_bones.iter().filter(known).count(), 1);
        let covered: u32 = mesh.subsets.iter().map(|subset| subset.faces_len).sum();
        assert_eq!(covered, 2106, "subsets cover the first level's faces alone");
        assert_eq!(mesh.levels().next().unwrap().len(), 2106);
    });
}

#[test]
fn an_odd_header_byte() {
    with("7665777615", |mesh| {
        assert_eq!((mesh.version, mesh.layout.reserved), (Version::V4_01, 63));
        assert_eq!((mesh.vertices.len(), mesh.faces.len(), mesh.bones.len()), (3165, 3960, 0));
        assert_eq!(mesh.lods.kind, rbxmesh::LodType(4));
    });
}

#[test]
fn text_with_windows_line_ends() {
    with("158071912", |mesh| {
        assert!(mesh.layout.crlf);
        assert_eq!((mesh.version, mesh.faces.len()), (Version::V1_00, 1388));
        // The first corner in the file is [-0.968616,0.320282,-3.52221][1,1.50996e-007,0][0.530481,0.386970,0].
        let first = &mesh.vertices[0];
        assert_eq!(first.position.to_array(), [-0.484308, 0.160141, -1.761105]);
        assert_eq!(first.normal.to_array(), [1.0, 1.50996e-7, 0.0]);
        assert_eq!(first.uv.to_array(), [0.530481, 1.0 - 0.38697]);
    });
}

#[test]
fn shapes_have_the_size_of_what_they_show() {
    with("sphere.mesh", |mesh| {
        let bounds = mesh.bounds().unwrap();
        assert_eq!((bounds.min.to_array(), bounds.max.to_array()), ([-25.0; 3], [25.0; 3]));
    });
    // The torso of the classic avatar is two studs wide and high, and one deep.
    with("torso.mesh", |mesh| {
        assert_eq!(mesh.bounds().unwrap().size().to_array(), [2.0, 2.0, 1.0]);
    });
}

/// Only equal models with the same layout are written as the same bytes: a comparison notices each value that is
/// written.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    testkit::changes_are_noticed(
        "rbxmesh",
        |bytes| rbxmesh::from_slice(bytes).ok(),
        |model| rbxmesh::to_vec(model).ok(),
        rbxmesh::Mesh::same_layout,
    );
}
