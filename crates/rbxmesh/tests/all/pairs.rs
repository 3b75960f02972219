//! Values and bytes that are known from other sources: the specification, facts about real files, and fixtures that
//! were laid out by hand.

use rbxmesh::bstr::ByteSlice;
use rbxmesh::errors::ErrorKind;
use rbxmesh::geom::{Rgba8, TriMesh, Vec2, Vec3};
use rbxmesh::{Influence, LodChoice, LodType, Mesh, Pose, ReadOptions, Tangent, UnknownFacs, Version};
use testkit::fixture;

fn read(name: &str) -> Mesh {
    rbxmesh::from_slice(&fixture("rbxmesh", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The error of a read, as text.
fn refusal(bytes: &[u8]) -> String {
    rbxmesh::from_slice(bytes).expect_err("a refusal").to_string()
}

/// Checks that a mesh is the square of all fixtures of version 2.00 and later.
fn assert_square(mesh: &Mesh, name: &str) {
    let positions: Vec<_> = mesh.vertices.iter().map(|v| v.position.to_array()).collect();
    assert_eq!(positions, [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, -0.5]], "{name}");
    assert_eq!(mesh.vertices[2].normal, Vec3::new(0.0, 0.0, 1.0), "{name}");
    assert_eq!(mesh.vertices[2].uv, Vec2::new(1.0, 0.25), "{name}");
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3]], "{name}");
}

#[test]
fn the_first_line_tells_the_version() {
    for &version in Version::ALL {
        assert_eq!(rbxmesh::detect(format!("version {version}\n").as_bytes()), Some(version));
        assert_eq!(rbxmesh::detect(format!("version {version}\r\nx").as_bytes()), Some(version));
        assert_eq!(rbxmesh::detect(format!("version {version}").as_bytes()), None, "no line end");
    }
    assert_eq!(rbxmesh::detect(b"version 8.00\n"), None);
    assert_eq!(rbxmesh::detect(b"Version 2.00\n"), None);
    assert_eq!(rbxmesh::detect(b""), None);
}

#[test]
fn every_fixed_version_holds_the_square() {
    for (name, version) in [
        ("v2_00.mesh", Version::V2_00),
        ("v2_00_36.mesh", Version::V2_00),
        ("v2_00_32.mesh", Version::V2_00),
        ("v2_00_wide.mesh", Version::V2_00),
        ("v3_00.mesh", Version::V3_00),
        ("v3_01.mesh", Version::V3_01),
        ("v4_00.mesh", Version::V4_00),
        ("v4_01_skin.mesh", Version::V4_01),
        ("v5_00.mesh", Version::V5_00),
    ] {
        let mesh = read(name);
        assert_eq!(mesh.version, version, "{name}");
        assert_square(&mesh, name);
    }
}

#[test]
fn text_is_normalised() {
    // Version 1.00 doubles positions, and both versions 1.x flip v. The result is the same square, with separate
    // corners.
    for name in ["v1_00.mesh", "v1_01.mesh", "v1_00_crlf.mesh"] {
        let mesh = read(name);
        assert_eq!(mesh.faces, [[0, 1, 2], [3, 4, 5]], "{name}");
        let corners = [0, 1, 2, 0, 2, 3].map(|corner| read("v2_00.mesh").vertices[corner]);
        for (ours, theirs) in mesh.vertices.iter().zip(corners) {
            assert_eq!(
                (ours.position, ours.normal, ours.uv),
                (theirs.position, theirs.normal, theirs.uv),
                "{name}"
            );
            assert_eq!((ours.tangent, ours.color), (Tangent::ABSENT, Rgba8::WHITE), "{name}");
        }
        assert!(mesh.texture_w.is_empty(), "{name}");
    }
    assert_eq!(read("v1_01_w.mesh").texture_w, [0.5; 6]);
    assert_eq!(read("v1_01_trailing.mesh").layout.trailing, b"\nmore");
}

#[test]
fn text_takes_what_nobody_writes() {
    let mesh = read("v1_00_spaces.mesh");
    assert_eq!(mesh.vertices[1].position, Vec3::new(0.5, 0.0, 0.0));
    assert_eq!(mesh.vertices[2].position, Vec3::new(0.0, 50.0, 0.0));
    assert_eq!(mesh.vertices[2].uv, Vec2::new(0.0, 0.5));
    let mesh = read("v1_01_not_numbers_c.mesh");
    let [x, y, z] = mesh.vertices[0].position.to_array();
    assert!(x.is_nan() && y == f32::INFINITY && z.is_nan());
    let mesh = read("v1_01_exponents.mesh");
    assert_eq!(mesh.vertices[0].position, Vec3::new(1.5e-7, -2.25e8, 0.0));
}

#[test]
fn numbers_round_as_they_must() {
    // Numbers halfway between two floats, and near the limits of the fast path, compared with the standard library.
    let numbers = [
        "0.1",
        "16777217",
        "1.6777217",
        "1.6777216",
        "0.16777217",
        "9.9999999",
        "0.00000001",
        "0.123456789",
        "0.1234567",
        "1e-45",
        "7.0064923216240854e-46",
        "3.4028236e38",
        "0.99999997",
        "8.5899346",
        "-0",
        "-0.0",
        "1.",
        "123.456",
        "0.000000059604645",
        "1.00000005960464477539",
    ];
    for number in numbers {
        let text = format!("version 1.01\n1\n[{number},0,0]{}", "[0,0,0]".repeat(8));
        let read = rbxmesh::from_slice(text.as_bytes()).unwrap().vertices[0].position.x;
        assert_eq!(read.to_bits(), number.parse::<f32>().unwrap().to_bits(), "{number}");
    }
}

#[test]
fn an_edit_of_a_text_changes_one_number() {
    let cases: [(f32, &str); 12] = [
        (0.5, "0.5"),
        (-0.0, "-0"),
        (100_000.0, "100000"),
        (1_000_000.0, "1000000"),
        (1_234_567.0, "1234567"),
        (0.0001, "0.0001"),
        (0.000_012_5, "1.25e-5"),
        (1.192_09e-7, "1.19209e-7"),
        (3.402_823_5e38, "3.4028235e38"),
        (f32::INFINITY, "inf"),
        (f32::NEG_INFINITY, "-inf"),
        (0.123_456_79, "0.12345679"),
    ];
    for (number, text) in cases {
        let mut mesh = read("v1_01.mesh");
        mesh.vertices[0].position.x = number;
        let written = rbxmesh::to_vec(&mesh).unwrap();
        assert!(written.starts_with(format!("version 1.01\n2\n[{text},").as_bytes()), "{text}");
    }
    // White space, signs, and a v that turning twice would lose (1 - 0.1 is not 0.9 in 32 bits).
    let text = "version 1.01\r\n 1 \n[ +1, 2,3.0 ]\t[0,0,1e0]\n[0.10,0.1 ,0]".to_owned()
        + &" [0,0,0]".repeat(6)
        + "\n ";
    let mut mesh = rbxmesh::from_slice(text.as_bytes()).unwrap();
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), text.as_bytes());
    mesh.vertices[0].position.y = 5.0;
    mesh.vertices[0].uv.x = 0.25;
    let edited = text.replace("[ +1, 2,3.0 ]", "[1,5,3]").replace("[0.10,0.1 ,0]", "[0.25,0.1,0]");
    assert_eq!(String::from_utf8(rbxmesh::to_vec(&mesh).unwrap()).unwrap(), edited);
    mesh.vertices.clear();
    mesh.faces.clear();
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), b"version 1.01\r\n0\r\n\n ");
}

#[test]
fn smaller_vertices_lack_what_they_lack() {
    let mesh = read("v2_00_36.mesh");
    assert_eq!(mesh.layout.vertex_size, Some(36));
    assert!(mesh.vertices.iter().all(|v| v.color == Rgba8::WHITE && v.tangent == Tangent::ABSENT));
    assert_eq!(read("v2_00_32.mesh").layout.vertex_size, Some(32));
    let mesh = read("v2_00.mesh");
    assert_eq!(mesh.vertices[3].color, Rgba8::new(255, 128, 3, 255));
    assert_eq!(mesh.layout.vertex_size, None);
}

#[test]
fn a_colour_makes_a_small_vertex_grow() {
    let mut mesh = read("v2_00_36.mesh");
    mesh.vertices[1].color = Rgba8::new(1, 2, 3, 4);
    let bytes = rbxmesh::to_vec(&mesh).unwrap();
    assert_eq!(bytes[13..17], [12, 0, 40, 12]);
    assert_eq!(rbxmesh::from_slice(&bytes).unwrap().vertices, mesh.vertices);
}

#[test]
fn larger_records_keep_their_extra_bytes() {
    let mesh = read("v2_00_wide.mesh");
    assert_eq!(mesh.layout.header_extra, b"more");
    assert_eq!((mesh.layout.vertex_size, mesh.layout.face_size), (Some(44), Some(16)));
    assert_eq!(mesh.layout.vertex_extra[..8], [40, 41, 42, 43, 41, 42, 43, 44]);
    assert_eq!(mesh.layout.face_extra, [0xaa, 0xaa, 0xaa, 0xaa, 0xbb, 0xbb, 0xbb, 0xbb]);
    // With one more vertex, the extra bytes no longer match the vertices. They are not dropped silently.
    let mut mesh = mesh;
    mesh.vertices.push(mesh.vertices[0]);
    let error = rbxmesh::to_vec(&mesh).unwrap_err();
    assert_eq!(error.path(), "layout.vertex_extra");
    assert!(
        error.to_string().contains("call Mesh::to_version, which drops or rounds this content"),
        "{error}"
    );
    let (mesh, dropped) = mesh.to_version(mesh.version, LodChoice::First);
    assert_eq!(dropped.iter().map(|d| d.path).collect::<Vec<_>>(), ["layout.vertex_extra"]);
    assert_eq!(rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap(), mesh);
}

#[test]
fn tangents_are_biased_bytes() {
    // (b - 127) / 127, as measured in real files. All zero means absent, and 7f7f7f00 is the zero vector.
    assert_eq!(Tangent([254, 127, 0, 254]).decode(), Some((Vec3::new(1.0, 0.0, -1.0), 1.0)));
    assert_eq!(Tangent([0x7f, 0x7f, 0x7f, 0]).decode(), Some((Vec3::default(), -1.0)));
    assert_eq!(Tangent::ABSENT.decode(), None);
    assert_eq!(Tangent::encode(Vec3::new(1.0, 0.0, -2.0), 1.0), Tangent([254, 127, 0, 254]));
    for byte in 0..=254 {
        let (direction, sign) = Tangent([byte, 1, 1, byte]).decode().unwrap();
        assert_eq!(Tangent::encode(direction, sign), Tangent([byte, 1, 1, byte]));
    }
}

#[test]
fn levels_of_detail() {
    let levels = |name| read(name).levels().map(<[_]>::len).collect::<Vec<_>>();
    assert_eq!(levels("v3_00.mesh"), [1, 1]);
    assert_eq!(levels("v3_01.mesh"), [2]);
    // The offsets (0, 0) and no offsets at all mean one level with all faces.
    assert_eq!(levels("v3_00_zero_lods.mesh"), [2]);
    assert_eq!(levels("v3_00_lod_size_0.mesh"), [2]);
    assert_eq!(levels("v2_00.mesh"), [2]);
    let mut mesh = read("v3_00.mesh");
    mesh.lods.offsets = vec![1, 0, 9];
    assert_eq!(mesh.levels().map(<[_]>::len).collect::<Vec<_>>(), [0, 2]);
    let mesh = read("v4_00.mesh");
    assert_eq!((mesh.lods.kind, mesh.lods.high_quality), (LodType(4), 1));
}

#[test]
fn bones_and_what_hangs_on_them() {
    let mesh = read("v4_01_skin.mesh");
    let bones: Vec<_> = mesh.bones.iter().map(|bone| (bone.name.to_vec(), bone.parent)).collect();
    assert_eq!(bones, [(b"Root".to_vec(), None), (b"Arm\xff".to_vec(), Some(0)), (b"Leg".to_vec(), Some(0))]);
    assert_eq!((mesh.bones[0].lod_parent, mesh.bones[2].culling), (None, 20.0));
    // A rotation by 90 degrees about z, row by row: x becomes y.
    let pose = mesh.bones[2].bind_pose();
    assert_eq!(pose.transform_point(Vec3::new(1.0, 0.0, 0.0)), Vec3::new(2.0, 1.5, 0.0));
    let inverse = mesh.bones[2].inverse_bind_pose().unwrap();
    assert_eq!(inverse.transform_point(Vec3::new(2.0, 1.5, 0.0)), Vec3::new(1.0, 0.0, 0.0));

    let influences = |vertex| mesh.skin().influences(vertex).map(|i| (i.bone, i.weight)).collect::<Vec<_>>();
    // The first subset's table is [2, 0], the second's [0, 1, 2].
    assert_eq!(influences(0), [(2, 1.0)]);
    assert_eq!(influences(1), [(2, 200.0 / 255.0), (0, 55.0 / 255.0)]);
    assert_eq!(influences(2), [(1, 1.0)]);
    assert_eq!(influences(3), [(0, 100.0 / 255.0), (1, 90.0 / 255.0), (2, 65.0 / 255.0)]);
    assert_eq!(influences(4), []);
    // Without subsets, the indices are those of the bones.
    let flat = Mesh { subsets: vec![], ..mesh.clone() };
    assert_eq!(flat.skin().influences(2).collect::<Vec<_>>(), [Influence { bone: 1, weight: 1.0 }]);
}

#[test]
fn shared_names_stay_shared_until_renamed() {
    let bytes = fixture("rbxmesh", "v4_01_names.mesh");
    let mut mesh = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!(mesh.bones.iter().map(|bone| bone.name.as_bstr()).collect::<Vec<_>>(), ["Leg", "Arm", "Arm"]);
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
    mesh.bones[2].name = "Hand".into();
    let again = rbxmesh::from_slice(&rbxmesh::to_vec(&mesh).unwrap()).unwrap();
    assert_eq!((again.bones, again.layout.bone_names), (mesh.bones, None));
}

#[test]
fn facial_animation() {
    let mesh = read("v5_00.mesh");
    let facs = mesh.facs.as_ref().unwrap();
    assert_eq!(facs.face_bones.iter().collect::<Vec<_>>(), ["Jaw", "Lips"]);
    assert_eq!(facs.controls.iter().collect::<Vec<_>>(), ["c_COR", "c_CLR"]);
    assert_eq!((facs.face_bones.len(), facs.controls.len(), facs.pose_count()), (2, 2, 4));
    assert_eq!(
        (facs.two_pose.as_slice(), facs.three_pose.as_slice()),
        ([[0, 1]].as_slice(), [[1, 0, 1]].as_slice())
    );
    assert_eq!(facs.pose(1), Some(Pose::Control(1)));
    assert_eq!(facs.pose(2), Some(Pose::TwoPose([0, 1])));
    assert_eq!(facs.pose(3), Some(Pose::ThreePose([1, 0, 1])));
    assert_eq!(facs.pose(4), None);
    // The steps 0, 65535 and 32768 between -1 and 1.
    let x = |column| facs.transform(0, column).map(|(way, _)| way.x);
    assert_eq!((x(0), x(1), x(4)), (Some(-1.0), Some(1.0), None));
    assert!((x(2).unwrap() - 1.0 / 65535.0).abs() < 1e-7);
    assert_eq!(facs.transform(2, 0), None);

    let floats = read("v5_00_floats.mesh");
    assert_eq!(
        floats.facs.as_ref().unwrap().transform(1, 2),
        Some((Vec3::new(1.5, 1.5, 1.5), Vec3::new(1.5, 1.5, 1.5)))
    );
}

#[test]
fn unknown_facial_animation_is_kept() {
    for name in ["v5_00_matrix_9.mesh", "v5_00_format_2.mesh"] {
        let mesh = read(name);
        let UnknownFacs { format, bytes } = mesh.layout.facs_unknown.unwrap();
        assert_eq!(format, if name.contains("format_2") { 2 } else { 1 });
        assert!(mesh.facs.is_none() && !bytes.is_empty(), "{name}");
    }
    assert_eq!(read("v5_00_more.mesh").facs.unwrap().trailing, b"more");
}

#[test]
fn triangle_meshes_come_and_go() {
    let level = read("v3_00.mesh").to_tri_mesh(1).unwrap();
    // Only the second face, with its vertices in the order of their first use.
    assert_eq!(level.triangles, [[0, 1, 2]]);
    assert_eq!(level.positions[2], Vec3::new(0.0, 2.0, -0.5));
    assert_eq!(level.colors[1].to_srgb(), Rgba8::new(255, 128, 2, 255));
    assert!(level.is_consistent());
    assert_eq!(read("v3_00.mesh").to_tri_mesh(2), None);

    let whole = read("v3_01.mesh").to_tri_mesh(0).unwrap();
    let mesh = Mesh::from_tri_mesh(&whole).unwrap();
    assert_eq!(mesh.to_tri_mesh(0).unwrap(), whole);
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap()[..13], *b"version 2.00\n");
    let bare = TriMesh {
        positions: whole.positions.clone(),
        triangles: whole.triangles.clone(),
        ..TriMesh::default()
    };
    assert_eq!(Mesh::from_tri_mesh(&bare).unwrap().vertices[0].color, Rgba8::WHITE);
    let short = TriMesh { uvs: vec![Vec2::new(0.0, 0.0)], ..bare.clone() };
    assert_eq!(Mesh::from_tri_mesh(&short).unwrap_err().path(), "uvs");
    let joints = TriMesh { joints: vec![[0; 4]; 4], weights: vec![[1.0, 0.0, 0.0, 0.0]; 4], ..bare };
    assert_eq!(Mesh::from_tri_mesh(&joints).unwrap_err().path(), "joints");
}

#[test]
fn a_level_has_all_columns_that_gltf_has() {
    let mesh = read("v4_01_skin.mesh");
    let level = mesh.to_tri_mesh(0).unwrap();
    assert!(level.is_consistent());
    assert_eq!(level.joints[1], [2, 0, 0, 0]);
    assert_eq!(level.weights[1], [200.0 / 255.0, 55.0 / 255.0, 0.0, 0.0]);
    let (direction, sign) = mesh.vertices[1].tangent.decode().unwrap();
    let unit = direction.normalize().unwrap();
    assert_eq!(level.tangents[1].to_array(), [unit.x, unit.y, unit.z, sign.signum()]);
    // In the other direction: the same bones move the same vertices.
    let again = Mesh::from_skinned_tri_mesh(&level, mesh.bones.clone()).unwrap();
    assert_eq!(again.to_tri_mesh(0).unwrap().joints, level.joints);
    assert_eq!(again.to_tri_mesh(0).unwrap().weights, level.weights);
}

#[test]
fn bounds_are_of_all_vertices() {
    let bounds = read("v4_00.mesh").bounds().unwrap();
    assert_eq!((bounds.min, bounds.max), (Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.0, 2.0, 0.0)));
    assert_eq!(read("v2_00_empty.mesh").bounds(), None);
}

#[test]
fn a_version_refuses_what_it_cannot_represent() {
    let cases = [
        ("v5_00.mesh", Version::V4_01, "facs"),
        ("v4_01_skin.mesh", Version::V3_01, "lods.kind"),
        ("v3_00.mesh", Version::V2_00, "lods"),
        ("v2_00.mesh", Version::V1_01, "faces"),
        ("v1_01_w.mesh", Version::V2_00, "texture_w"),
    ];
    for (name, version, path) in cases {
        let error = rbxmesh::to_vec(&Mesh { version, ..read(name) }).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unwritable(_)), "{name}: {error}");
        assert_eq!(error.path(), path, "{name}: {error}");
        assert!(error.to_string().contains("Mesh::to_version"), "{name}: {error}");
    }
}

#[test]
fn loss_is_listed() {
    let paths = |dropped: &[rbxmesh::Dropped]| dropped.iter().map(|dropped| dropped.path).collect::<Vec<_>>();
    let (mesh, dropped) = read("v5_00.mesh").to_version(Version::V2_00, LodChoice::First);
    assert_eq!(paths(&dropped), ["lods", "lods.kind", "envelopes", "bones", "subsets", "facs"]);
    assert_eq!(dropped[0].to_string(), "lods: the coarser levels of detail (1 face, 1 vertex)");
    // The first level has one face and three vertices.
    assert_eq!((mesh.faces.as_slice(), mesh.vertices.len()), ([[0, 1, 2]].as_slice(), 3));
    let (all, _) = read("v5_00.mesh").to_version(Version::V2_00, LodChoice::All);
    assert_square(&all, "all levels");

    let (text, dropped) = read("v2_00.mesh").to_version(Version::V1_01, LodChoice::First);
    assert_eq!(paths(&dropped), ["faces", "vertices.color", "vertices.tangent"]);
    let bytes = rbxmesh::to_vec(&text).unwrap();
    assert_eq!(bytes, fixture("rbxmesh", "v1_01.mesh"), "the same square as the one written by hand");
}

#[test]
fn every_fixture_comes_back() {
    testkit::fixtures_come_back(
        "rbxmesh",
        |_, _| false,
        |_, bytes| rbxmesh::to_vec(&rbxmesh::from_slice(bytes)?),
    );
}

#[test]
fn versions_have_numbers() {
    for &version in Version::ALL {
        assert_eq!(version.to_string().parse::<Version>().unwrap(), version);
    }
    let error = "8.00".parse::<Version>().unwrap_err();
    let known = "1.00, 1.01, 2.00, 3.00, 3.01, 4.00, 4.01, 5.00, 6.00, 7.00";
    assert_eq!(error.to_string(), format!("expected one of {known}, found \"8.00\" in version"));
}

#[test]
fn a_count_of_faces_that_is_no_number() {
    assert_eq!(refusal(b"version 1.00\nx"), "expected the number of faces, found 'x' in faces at offset 0xd");
    assert_eq!(refusal(b"version 1.00\n"), "unexpected end of input in faces at offset 0xd");
}

#[test]
fn the_file_of_45_bytes() {
    // The best other crate requests 464 GB here, and aborts.
    let bytes = b"version 1.00\n4294967295\n[1,2,3][1,2,3][1,2,3]";
    assert_eq!(bytes.len(), 45);
    let taken = testkit::measure(|| {
        assert_eq!(refusal(bytes), "unexpected end of input in faces at offset 0x2d");
    });
    assert!(taken.bytes_max < 1024, "{}", taken.bytes_max);
}

#[test]
fn errors_say_what_where_and_in_which_field() {
    let v2 = fixture("rbxmesh", "v2_00.mesh");
    assert_eq!(refusal(b""), "the input is empty at offset 0x0");
    assert_eq!(refusal(b"versi"), "unexpected end of input at offset 0x5");
    let foreign = |bytes: &[u8]| {
        let text = refusal(bytes);
        let rest = text.strip_prefix("not a Roblox mesh: expected \"version \" at the start");
        let rest = rest.unwrap_or_else(|| panic!("{text}")).to_owned();
        rest.strip_suffix(" at offset 0x0").unwrap_or(&text).to_owned()
    };
    assert_eq!(foreign(b"vertices"), "");
    assert_eq!(foreign(b"\x1f\x8b\x08\0"), "; found gzip data (decompress it first)");
    assert_eq!(foreign(b"<!DOCTYPE html><html>"), "; found an HTML page (perhaps a server's error message)");
    assert_eq!(
        foreign(b"<roblox!\x89\xff"),
        "; found a binary Roblox document (read it with the crate rbxbinary)"
    );
    assert_eq!(
        foreign(b"version https://git-lfs.github.com/spec/v1\noid sha256:0"),
        "; found a Git LFS pointer (fetch the file with `git lfs pull`)"
    );
    assert_eq!(
        refusal(b"version 8.00\n"),
        "unsupported mesh version 8.00 (known versions: 1.00, 1.01, 2.00, 3.00, 3.01, 4.00, 4.01, 5.00, 6.00, 7.00) in version at offset 0x0"
    );
    let text = "expected a mesh version such as 4.01, found \"4.1\\n\" in version at offset 0x8";
    assert_eq!(refusal(b"version 4.1\n\0"), text);
    let text = "expected a line break after the version number in version at offset 0xc";
    assert_eq!(refusal(b"version 4.01 \n\0"), text);
    assert_eq!(refusal(&v2[..20]), "unexpected end of input in header.vertices at offset 0x11");
    assert_eq!(refusal(&v2[..100]), "unexpected end of input in vertices at offset 0x64");
    let mut small = v2.clone();
    small[13] = 11;
    assert_eq!(
        refusal(&small),
        "expected a header size of 12 bytes or more, found 11 in header.size at offset 0xd"
    );
    small[13..16].copy_from_slice(&[12, 0, 31]);
    assert_eq!(
        refusal(&small),
        "expected a vertex size of 32 bytes or more, found 31 in header at offset 0xd"
    );
    assert_eq!(
        refusal(b"version 1.01\n1\n[1,2,3][x,0,0]                                                  "),
        "expected a number, found \"x\" in vertices[0].normal at offset 0x17"
    );
    let skin = fixture("rbxmesh", "v4_01_skin.mesh");
    // The names are truncated after three bytes.
    let cut = skin.len() - 2 * 72 - 14 + 3;
    assert_eq!(refusal(&skin[..cut]), format!("unexpected end of input in bone_names at offset {cut:#x}"));
}

#[test]
fn limits_name_the_option() {
    let error = ReadOptions::new().max_bytes(100).read(&fixture("rbxmesh", "v2_00.mesh")).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes" && limit.allowed == 100)
    );
    assert!(error.to_string().contains("raise the option max_bytes"), "{error}");
    let endless = std::io::repeat(b' ');
    let error = ReadOptions::new().max_bytes(1000).read_from(endless).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
}

#[test]
fn writers_refuse_what_does_not_fit_together() {
    let mut mesh = read("v4_01_skin.mesh");
    mesh.envelopes.pop();
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "envelopes");
    let mut mesh = read("v4_01_skin.mesh");
    mesh.bones[1].name = "a\0b".into();
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "bones[1].name");
    let mut mesh = read("v1_01.mesh");
    mesh.faces[1][0] = 6;
    let error = rbxmesh::to_vec(&mesh).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write 1 face with a vertex index out of range (the first is faces[1]) in version 1.01 \
         (call Mesh::to_version, which drops or rounds this content) in faces"
    );
    let mut mesh = read("v5_00.mesh");
    mesh.facs.as_mut().unwrap().transforms.as_mut().unwrap().rotation[1].rows = 3;
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap_err().path(), "facs.transforms.rotation[1].samples");
}

#[test]
fn check_finds_what_is_wrong_and_nothing_else() {
    for name in ["v2_00.mesh", "v3_00.mesh", "v4_00.mesh", "v4_01_skin.mesh", "v5_00.mesh", "v1_01.mesh"] {
        assert_eq!(rbxmesh::check(&read(name)), [], "{name}");
    }
    let rules = |mesh: &Mesh| {
        let findings = rbxmesh::check(mesh).into_iter();
        findings.map(|finding| (finding.rule.id, finding.path, finding.count)).collect::<Vec<_>>()
    };
    let broken = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = read("v4_01_skin.mesh");
        change(&mut mesh);
        rules(&mesh)
    };
    let one = |rule, path: &str| vec![(rule, path.to_owned(), 1)];
    assert_eq!(
        broken(&|mesh| mesh.faces[1] = [0, 9, 9]),
        [
            ("rbxmesh.indices", "faces[1]".to_owned(), 1),
            ("rbxmesh.degenerate-faces", "faces[1]".to_owned(), 1)
        ]
    );
    assert_eq!(broken(&|mesh| mesh.vertices[1].normal.z = 2.0), one("rbxmesh.normals", "vertices[1].normal"));
    assert_eq!(
        broken(&|mesh| mesh.envelopes.iter_mut().for_each(|envelope| envelope.weights[3] = 1)),
        [
            ("rbxmesh.weight-sum", "envelopes[0].weights".to_owned(), 4),
            ("rbxmesh.weight-order", "envelopes[0].weights".to_owned(), 3)
        ]
    );
    assert_eq!(broken(&|mesh| mesh.lods.offsets[1] = 2), one("rbxmesh.lod-order", "lods.offsets[2]"));
    assert_eq!(broken(&|mesh| mesh.lods.offsets[2] = 3), one("rbxmesh.lod-range", "lods.offsets[2]"));
    assert_eq!(broken(&|mesh| mesh.bones[1].parent = Some(2)), one("rbxmesh.bone-order", "bones[1].parent"));
    assert_eq!(
        broken(&|mesh| mesh.bones[1].lod_parent = Some(7)),
        one("rbxmesh.bone-parents", "bones[1].lod_parent")
    );
    assert_eq!(
        broken(&|mesh| mesh.bones[1].rotation.x_axis.y = f32::NAN),
        one("rbxmesh.bind-poses", "bones[1].rotation")
    );
    assert_eq!(
        broken(&|mesh| mesh.subsets[1].vertices_begin = 1)[0],
        one("rbxmesh.subset-overlap", "vertices[1]")[0]
    );
    assert_eq!(
        broken(&|mesh| mesh.subsets[1].vertices_len = 1)[0],
        one("rbxmesh.subset-cover", "vertices[3]")[0]
    );
    assert_eq!(
        broken(&|mesh| mesh.subsets[0].bone_table[0] = 3)[0],
        one("rbxmesh.subset-bones", "subsets[0].bone_table")[0]
    );
    // A name out of the table's range: the offset is the first field of the last bone.
    let mut bytes = fixture("rbxmesh", "v4_01_skin.mesh");
    let bone = bytes.len() - 2 * 72 - 14 - 60;
    bytes[bone] = 14;
    let mesh = rbxmesh::from_slice(&bytes).unwrap();
    assert_eq!(rules(&mesh), one("rbxmesh.bone-names", "bones[2].name"));
    assert_eq!(rbxmesh::to_vec(&mesh).unwrap(), bytes);
    // One more control needs one more column than the matrices have.
    let mut mesh = read("v5_00.mesh");
    let facs = mesh.facs.as_mut().unwrap();
    facs.controls.push("c_AO").unwrap();
    facs.three_pose[0] = [0, 1, 3];
    assert_eq!(
        rules(&mesh),
        [
            ("rbxmesh.facs-size", "facs.transforms.position[0]".to_owned(), 6),
            ("rbxmesh.facs-controls", "facs.three_pose[0]".to_owned(), 1)
        ]
    );
}

#[test]
fn an_empty_subset_covers_nothing() {
    let mut mesh = read("v4_01_skin.mesh");
    let empty = rbxmesh::Subset { vertices_begin: 9, faces_begin: 2, ..Default::default() };
    mesh.subsets.push(empty);
    let findings = rbxmesh::check(&mesh);
    let cover = findings.iter().find(|finding| finding.rule.id == "rbxmesh.subset-cover");
    assert_eq!(cover, None, "all vertices are in the other two");
}

#[test]
fn rules_have_ids_of_their_own() {
    let mut ids: Vec<_> = rbxmesh::errors::RULES.iter().map(|rule| rule.id).collect();
    assert!(ids.iter().all(|id| id.starts_with("rbxmesh.")));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rbxmesh::errors::RULES.len());
}

#[test]
fn levels_of_detail_have_offsets_whichever_way_a_mesh_was_made() {
    // Real files of version 3.00 and later have at least two offsets, since the engine shows a mesh with fewer as
    // empty.
    let offsets = |bytes: &[u8]| match rbxmesh::detect(bytes).unwrap() {
        Version::V3_00 | Version::V3_01 => u16::from_le_bytes([bytes[19], bytes[20]]),
        Version::V4_00 | Version::V4_01 | Version::V5_00 => u16::from_le_bytes([bytes[25], bytes[26]]),
        _ => {
            let lods = rbxmesh::chunks(bytes).unwrap().map(Result::unwrap).find(|c| c.tag.name() == b"LODS");
            u16::from_le_bytes([lods.as_ref().unwrap().payload[3], lods.unwrap().payload[4]])
        }
    };
    let by_hand = Mesh { vertices: vec![Default::default(); 3], faces: vec![[0, 1, 2]], ..Mesh::default() };
    let without = ["v3_00_lod_size_0.mesh", "v6_00_nothing.mesh"].map(read);
    for version in Version::ALL.iter().copied().filter(|version| version.has_lods()) {
        let mut made =
            vec![Mesh { version, ..by_hand.clone() }, by_hand.to_version(version, LodChoice::First).0];
        for name in ["v1_01.mesh", "v2_00.mesh"] {
            made.push(read(name).to_version(version, LodChoice::First).0);
        }
        made.extend(without.iter().map(|mesh| mesh.to_version(version, LodChoice::First).0));
        for mesh in made {
            let bytes = rbxmesh::to_vec(&mesh).unwrap();
            assert_eq!(offsets(&bytes), 2, "{version}");
            let ids: Vec<_> = rbxmesh::check(&mesh).iter().map(|finding| finding.rule.id).collect();
            assert!(!ids.contains(&"rbxmesh.lod-offsets"), "{version}: {ids:?}");
            assert_eq!(rbxmesh::from_slice(&bytes).unwrap(), mesh, "{version}");
        }
    }
    // A file with fewer offsets is written unchanged, and `check` reports it.
    let finding = &rbxmesh::check(&read("v3_00_lod_size_0.mesh"))[0];
    assert_eq!(
        (finding.rule.id, finding.found.as_str()),
        ("rbxmesh.lod-offsets", "expected 2 or more offsets, found 0")
    );
}

#[test]
fn equality_is_of_content() {
    let mesh = read("v2_00.mesh");
    let mut other = mesh.clone();
    other.layout.trailing.push(1);
    assert_eq!(other, mesh);
    assert!(!other.same_layout(&mesh) && mesh.same_layout(&mesh.clone()));
    let mut nan = mesh.clone();
    nan.vertices[0].uv.x = f32::NAN;
    assert_eq!(nan, nan.clone());
    assert_ne!(nan, mesh);
    let mut zero = mesh.clone();
    zero.vertices[0].position.x = -0.0;
    assert_ne!(zero, mesh, "the sign of a zero is content");
    let edits: [fn(&mut Mesh); 9] = [
        |mesh| mesh.version = Version::V3_00,
        |mesh| mesh.vertices[3].color.a ^= 1,
        |mesh| mesh.vertices[3].tangent.0[3] ^= 1,
        |mesh| mesh.faces.swap(0, 1),
        |mesh| mesh.lods.high_quality = 3,
        |mesh| mesh.envelopes.push(Default::default()),
        |mesh| mesh.subsets.push(Default::default()),
        |mesh| mesh.facs = Some(Default::default()),
        |mesh| mesh.texture_w = vec![0.0, 0.5],
    ];
    for edit in edits {
        let mut other = mesh.clone();
        edit(&mut other);
        assert_ne!(other, mesh);
        assert_eq!(other, other.clone());
    }
    // The offsets of a single level do not count in a comparison.
    let mut single = mesh.clone();
    single.lods.offsets = vec![0, 2];
    single.texture_w = vec![0.0; 4];
    assert_eq!(single, mesh);
}

#[cfg(feature = "serde")]
#[test]
fn serde_holds_the_whole_model() {
    for name in ["v1_01_w.mesh", "v2_00_wide.mesh", "v4_01_names.mesh", "v5_00.mesh", "v5_00_floats.mesh"] {
        let mesh = read(name);
        let text = serde_json::to_string(&mesh).unwrap();
        let again = serde_json::from_str::<Mesh>(&text).unwrap();
        assert!(again == mesh && again.same_layout(&mesh), "{name}");
    }
}
