//! Roblox meshes as scenes: what counts against the limit, and what is listed.

use rbxmesh::{Bone, Facs, LodChoice, Mesh, Names, Payload, Version};
use rezkit_scene::{Budget, ErrorKind, Levels, Scene, rbxmesh::to_scene};

/// Three triangles in a row.
fn strip() -> Mesh {
    let positions = (0_u8..5).map(|x| [f32::from(x), f32::from(x % 2), 0.0].into()).collect();
    let triangles =
        geom::TriMesh { positions, triangles: vec![[0, 1, 2], [1, 2, 3], [2, 3, 4]], ..Default::default() };
    Mesh::from_tri_mesh(&triangles).expect("a mesh").to_version(Version::V5_00, LodChoice::First).0
}

/// The strip with bones that have these names, all of which move the first vertices.
fn skinned(names: &[&[u8]]) -> Mesh {
    let mut mesh = strip();
    let bone = |name: &&[u8]| {
        let mut bone = Bone { name: "bone".into(), ..Bone::default() };
        bone.name = name.to_vec().into();
        bone
    };
    let bones = names.iter().map(bone).collect();
    mesh.set_skin(&[[0; 4]; 5], &[[1.0, 0.0, 0.0, 0.0]; 5], bones).expect("a skin");
    mesh
}

fn read(mesh: &Mesh, levels: Levels) -> (Scene, Vec<String>) {
    let (scene, losses) = to_scene(mesh, levels, &mut Budget::new(1 << 24)).expect("a scene");
    (scene, crate::shown(&losses))
}

/// A name without text takes one byte in the file, and 24 as a text.
#[test]
fn facial_controls_are_not_copied() {
    let mut mesh = skinned(&[b"jaw"]);
    let controls = Names { bytes: vec![0; 1 << 20].into() };
    mesh.facs = Some(Facs { controls, ..Facs::default() });
    let mut listed = Vec::new();
    let taken = testkit::measure(|| listed = read(&mesh, Levels::Finest).1);
    assert!(taken.bytes_max < 1 << 20, "{}", taken.bytes_max);
    let what = "dropped: facs.controls: facial controls that move no bone of the mesh, such as \"\"";
    assert_eq!(listed, [format!("{what} (and 1048575 more)")]);
}

#[test]
fn names_of_bones_count_against_the_limit() {
    let name = vec![b'n'; 10_000];
    let mesh = skinned(&[name.as_slice(); 100]);
    let error = to_scene(&mesh, Levels::Finest, &mut Budget::new(900_000)).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let long = vec![1; 1 << 20];
    let mut mesh = skinned(&[b"jaw"]);
    mesh.facs = Some(Facs { face_bones: Names { bytes: long.clone().into() }, ..Facs::default() });
    let taken = testkit::measure(|| drop(read(&mesh, Levels::Finest)));
    assert!(taken.bytes_max < 1 << 20, "{}", taken.bytes_max);
}

#[test]
fn names_that_are_not_utf_8_are_listed() {
    let mut mesh = skinned(&[b"jaw", b"\xffa"]);
    let controls = Names { bytes: b"c_\xfe\0".to_vec().into() };
    let moved = |_, _| ([1.0, 0.0, 0.0].into(), [0.0; 3].into());
    let facs = Facs::from_poses(Names::from_names(["jaw"]).expect("names"), controls, vec![], vec![], moved);
    mesh.facs = Some(facs.expect("poses"));
    let (scene, listed) = read(&mesh, Levels::Finest);
    let what = "a name with bytes that are not UTF-8: they become U+FFFD";
    assert_eq!(listed, [format!("changed: bones[1]: {what} (and 1 more)")]);
    assert_eq!(scene.animations[0].name, "c_\u{fffd}");
    assert!(scene.nodes.iter().any(|node| node.name == "\u{fffd}a"));
}

#[test]
fn triangles_in_no_level_and_levels_without_triangles_are_listed() {
    let unused = |more: &str| format!("dropped: lods: a triangle that belongs to no level of detail{more}");
    let empty = "dropped: lods: a level of detail without triangles";
    let listed = |offsets: &[u32], levels| {
        let mut mesh = strip();
        mesh.lods.offsets = offsets.to_vec();
        read(&mesh, levels).1
    };
    assert_eq!(listed(&[1, 2, 2], Levels::All), [unused(" (and 1 more)"), empty.to_owned()]);
    assert_eq!(listed(&[0, 1, 1], Levels::Finest)[0], unused(" (and 1 more)"));
    // The level that would end before it begins has no triangle; the third has the second triangle again.
    assert_eq!(listed(&[0, 2, 1, 2], Levels::All), [unused(""), empty.to_owned()]);
    assert_eq!(listed(&[0, 1, 3], Levels::All), [""; 0]);
    assert_eq!(listed(&[1, 1], Levels::All), [""; 0], "one level has all faces");
}

/// A chunk `COREMESH` of version 1 with no vertices and no faces.
#[test]
fn a_chunk_without_content_is_neither_unsupported_nor_repeated() {
    let mut bytes = b"version 7.00\n".to_vec();
    for _ in 0..2 {
        bytes.extend_from_slice(b"COREMESH\x01\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0");
    }
    let mesh = rbxmesh::from_slice(&bytes).expect("a mesh");
    assert!(matches!(mesh.layout.chunks[0].payload, Payload::Kept(_)));
    let listed = read(&mesh, Levels::Finest).1;
    let chunk = "(COREMESH, version 1, 8 bytes)";
    let wanted = [
        format!("dropped: layout.chunks[0]: a chunk that lists no items {chunk}"),
        format!("dropped: layout.chunks[1]: an unsupported or repeated chunk {chunk}"),
    ];
    assert_eq!(listed, wanted);
}

/// Each part gets its own nodes for the bones of its mesh.
#[test]
fn bones_of_parts_count_against_the_limit() {
    let mesh = rbxmesh::to_vec(&skinned(&[vec![b'n'; 10_000].as_slice(); 10])).expect("written");
    let part = "<Item class=\"MeshPart\"><Properties><Content name=\"MeshId\"><url>rbxassetid://1</url></Content>\
                </Properties></Item>";
    let read = |parts: usize| {
        let text = format!("<roblox version=\"4\">{}</roblox>", part.repeat(parts));
        let document = rbxxml::from_slice(text.as_bytes()).expect("readable");
        let mut options = rezkit_scene::SceneOptions::new();
        options.max_bytes = 2_000_000;
        let mut source = |_: &rezkit_scene::Reference, _: u64| Ok(Some(mesh.clone()));
        rezkit_scene::roblox::from_document(&document, &options, &mut source)
    };
    assert_eq!(read(2).expect("a scene").0.skins.len(), 2);
    assert_eq!(read(50).expect_err("too large").kind(), ErrorKind::Limit);
}
