//! Small inputs that ask for much work stay within the limits of steps and bytes, which do not depend on the speed.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "small models made by hand")]

use m3d::errors::ErrorKind;
use m3d::geom::{Rgba8, Vec4};
use m3d::{
    Asset, CornerParts, Corners, Extra, Material, Mesh, MeshRecord, Model, Polygons, PropertyId, ReadOptions,
    Tag, Value, Variant, VertexId, ViewOptions, Voxel, VoxelBlock, VoxelType, WriteOptions,
};
use testkit::measure;

#[allow(dead_code, unreachable_pub, reason = "one test looks inside")]
#[path = "../../src/view_budget.rs"]
mod view_budget;

fn limit<T>(result: m3d::Result<T>) -> &'static str {
    let Err(error) = result else { panic!("within the limits") };
    match error.kind() {
        ErrorKind::Limit(limit) => limit.name,
        _ => panic!("{error}"),
    }
}

/// More vertices than an index can represent are refused, whatever the options.
#[test]
fn vertices_have_indices_of_32_bits() {
    let work = view_budget::ViewBudget::new(u64::MAX, u64::MAX);
    assert!(work.vertices((1 << 31) - 1).is_ok());
    let error = work.vertices(1).unwrap_err();
    assert!(matches!(error, ErrorKind::Unsupported(_)), "{error}");
    assert!(!error.to_string().contains("raise"), "{error}");
}

#[test]
fn views_keep_to_their_bytes() {
    // Every corner becomes a vertex of its own, and a polygon of 15 corners becomes 13 triangles.
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::default(); 60_000];
    let mut mesh = Mesh::default();
    for polygon in 0..4_000 {
        let ids: Vec<VertexId> = (0..15).map(|corner| VertexId(polygon * 15 + corner)).collect();
        mesh.push(Corners { vertices: &ids, ..Corners::default() }).unwrap();
    }
    model.meshes.push(mesh);
    assert_eq!(model.triangle_count(), 52_000);
    for bytes in [1_000, 100_000, 1_000_000, 4_000_000] {
        let taken = measure(|| {
            let options = ViewOptions::new().max_bytes(bytes);
            assert_eq!(limit(options.to_tri_mesh(&model)), "ViewOptions::max_bytes");
            assert_eq!(limit(options.material_groups(&model)), "ViewOptions::max_bytes");
        });
        assert!(taken.bytes_max <= bytes + 4096, "{bytes}: {taken:?}");
    }
    let taken = measure(|| assert_eq!(model.to_tri_mesh().unwrap().triangles.len(), 52_000));
    let enough = ViewOptions::new().max_bytes(64 << 20).to_tri_mesh(&model);
    assert!(enough.is_ok() && taken.bytes_max < 64 << 20);
    assert_eq!(limit(ViewOptions::new().max_steps(1_000).to_tri_mesh(&model)), "ViewOptions::max_steps");
}

/// A cube in which every second voxel is set.
fn checkerboard(side: u32) -> Model {
    let voxels = (0..side * side * side).map(|at| {
        let (x, z, y) = (at % side, at / side % side, at / side / side);
        if (x + y + z) % 2 == 0 { Voxel(0) } else { Voxel::UNSET }
    });
    let block = VoxelBlock { size: [side; 3], voxels: voxels.collect(), ..VoxelBlock::default() };
    Model {
        voxel_types: vec![VoxelType { color: Rgba8::WHITE, ..VoxelType::default() }],
        voxel_blocks: vec![block],
        ..Model::default()
    }
}

#[test]
fn a_checkerboard_of_voxels() {
    let model = checkerboard(256);
    let taken = measure(|| assert_eq!(limit(model.voxel_mesh()), "ViewOptions::max_bytes"));
    assert!(taken.bytes_max < 1 << 20, "{taken:?}");
    let small = checkerboard(8);
    assert_eq!(small.voxel_mesh().unwrap().triangles.len(), 256 * 12);
    let taken = measure(|| drop(ViewOptions::new().max_bytes(1 << 20).voxel_mesh(&small).unwrap()));
    assert!(taken.bytes_max <= 1 << 20, "{taken:?}");
}

#[test]
fn types_of_voxels_and_materials_are_not_multiplied() {
    // 60,000 types with the name of the last of 60,000 materials: a linear search for each would take minutes.
    let mut model = checkerboard(2);
    model.materials =
        (0..60_000).map(|n| Material { name: format!("m{n}").into(), ..Material::default() }).collect();
    model.voxel_types = vec![VoxelType { name: "m59999".into(), ..VoxelType::default() }; 60_000];
    assert_eq!(model.voxel_mesh().unwrap().triangles.len(), 48);
    // Also merge a library with the same number of materials and textures.
    let mut library = Model::default();
    for number in 0..60_000 {
        let mut material = Material { name: format!("l{number}").into(), ..Material::default() };
        material.set(PropertyId::MAP_DIFFUSE, Value::Map(format!("t{number}").into()));
        library.materials.push(material);
        library.assets.push(Asset { name: format!("t{number}.png").into(), data: vec![1] });
    }
    library.materials.push(library.materials[0].clone());
    assert_eq!(model.merge_materials(&library), 60_000);
    assert_eq!((model.materials.len(), model.assets.len()), (120_000, 60_000));
    assert_eq!(model.textures().filter(|texture| texture.data.is_some()).count(), 60_000);
}

#[test]
fn models_that_contradict_themselves() {
    for (count, sides) in [(1, 16), (1, 255), (u32::MAX, 0), (u32::MAX, 3), (u32::MAX, 15), (1, 0)] {
        let mut model = Model::default();
        model.vertices.coords = vec![Vec4::default(); 4];
        let polygons = Polygons { count, sides, parts: CornerParts(7) };
        let corners = vec![VertexId(0); 40];
        model.meshes.push(Mesh {
            records: vec![MeshRecord::Polygons(polygons); 3],
            vertices: corners.clone(),
            normals: corners,
            ..Mesh::default()
        });
        let taken = measure(|| {
            assert!(m3d::check(&model).len() > 1);
            assert!(model.to_tri_mesh().unwrap().is_consistent());
            assert!(model.material_groups().unwrap().iter().all(|group| group.mesh.is_consistent()));
            let _sum = (model.face_count(), model.triangle_count(), model.undefined_materials().len());
            for variant in [Variant::Binary, Variant::Ascii] {
                let error = WriteOptions::new().variant(variant).write(&model).unwrap_err();
                assert!(error.path().starts_with("meshes[0].records[0]"), "{error}");
            }
        });
        assert!(taken.bytes_max < 1 << 20, "{count} of {sides}: {taken:?}");
    }
    let mut block = VoxelBlock { size: [65_535; 3], ..VoxelBlock::default() };
    let error = block.set(65_534, 65_534, 65_534, Voxel(0)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    assert!(block.set(65_535, 0, 0, Voxel(0)).is_err() && block.voxels.is_empty());
    assert!(block.set(3, 0, 0, Voxel(7)).is_ok());
    assert_eq!((block.get(3, 0, 0), block.voxels.len()), (Voxel(7), 4));
    // A list of voxels that is longer than its block.
    let long = VoxelBlock { size: [1; 3], voxels: vec![Voxel(0); 9], ..VoxelBlock::default() };
    assert_eq!(long.iter().count(), 1);
    let model = Model { voxel_blocks: vec![long], ..checkerboard(1) };
    assert_eq!(model.voxel_mesh().unwrap().triangles.len(), 12);
}

/// A model that readers would misread or could not read is not written.
#[test]
fn what_would_not_come_back_is_refused() {
    let refused = |model: &Model, path: &str| {
        let error = m3d::to_vec(model).expect_err(path);
        assert_eq!(error.path(), path, "{error}");
    };
    let mut model = Model::default();
    model.vertices.colors = vec![Rgba8::WHITE];
    refused(&model, "vertices.colors");
    let mut model = Model::default();
    model.vertices.skins = vec![m3d::SkinId(0)];
    refused(&model, "vertices.skins");
    // Found by fuzzing: precise values without texture coordinates, which are not written.
    let precise = vec![[109.0, 101.0]];
    let model = Model { tex_coords: m3d::TexCoords { precise, ..Default::default() }, ..Model::default() };
    refused(&model, "tex_coords.precise");
    for variant in [Variant::Binary, Variant::Ascii] {
        assert!(WriteOptions::new().variant(variant).write(&model).is_err());
    }
    for tag in [Tag::END, Tag::MESH, Tag::VERTICES, Tag::ASSET] {
        let extras = vec![Extra::default(), Extra { tag, data: Vec::new() }];
        let model = Model { extras, ..Model::default() };
        refused(&model, "extras[1].tag");
    }
    // A second chunk of vertices is kept as it is.
    let mut model = m3d::from_slice(&testkit::fixture("m3d", "raw.m3d")).unwrap();
    model.extras.push(Extra { tag: Tag::VERTICES, data: vec![1] });
    assert_eq!(m3d::from_slice(&m3d::to_vec(&model).unwrap()).unwrap(), model);
    // The error names the entry.
    let mut model = Model { materials: vec![Material::default(); 3], ..Model::default() };
    model.materials[2].set(PropertyId::SHEEN, Value::Byte(1));
    refused(&model, "materials[2].properties[0]");
    model.materials.clear();
    model.bones = vec![m3d::Bone::default(), m3d::Bone { name: "a\0b".into(), ..m3d::Bone::default() }];
    refused(&model, "bones[1].name");
}

/// A read takes at most `max_bytes`, including the input if it comes from a reader.
#[test]
fn reading_keeps_to_its_bytes() {
    let description = format!("3dmodel 1\nn\nl\na\n{}\nEnd\n", "x\n".repeat(200_000));
    let vertices =
        format!("3dmodel 1\n\n\n\n\n\nVertex\n{}\nEnd\n", "0 0 0 1 #ff0000ff 0:0.5 1:0.5\n".repeat(20_000));
    let voxels = WriteOptions::new().raw(true).write(&checkerboard(64)).unwrap();
    for (what, bytes) in
        [("a description", description.as_bytes()), ("vertices", vertices.as_bytes()), ("voxels", &voxels)]
    {
        for allowed in [10_000, 100_000, 400_000, 1_000_000, 4_000_000] {
            let options = ReadOptions::new().max_bytes(allowed);
            let taken = measure(|| drop(options.read(bytes)));
            assert!(taken.bytes_max <= allowed + 8192, "{what}, {allowed}: {}", taken.bytes_max);
            let taken = measure(|| drop(options.read_from(bytes)));
            assert!(
                taken.bytes_max <= allowed + 8192,
                "{what} from a reader, {allowed}: {}",
                taken.bytes_max
            );
        }
    }
}

#[test]
fn what_is_no_model_is_named() {
    let text = |bytes: &[u8]| m3d::from_slice(bytes).unwrap_err().to_string();
    assert!(text(b"\x1f\x8b\x08").contains("gzip"), "{}", text(b"\x1f\x8b\x08"));
    assert!(text(b"<!DOCTYPE html>").contains("HTML"));
    assert!(text(b"").contains("empty"));
    assert!(text(b"version https://git-lfs").contains("git lfs pull"));
    let error = m3d::from_str("hello").unwrap_err();
    assert!(error.to_string().starts_with("not a Model 3D text file"), "{error}");
    // Only texts can have a byte order mark.
    assert_eq!(m3d::detect(b"\xef\xbb\xbf3DMO"), None);
    assert!(m3d::from_slice(b"\xef\xbb\xbf3DMO").is_err());
    assert_eq!(m3d::detect(b"\xef\xbb\xbf3dmodel 1"), Some(Variant::Ascii));
}

#[test]
fn rules_have_stable_names() {
    let mut ids: Vec<&str> = m3d::errors::RULES.iter().map(|rule| rule.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(ids.iter().all(|id| id.strip_prefix("m3d.").is_some_and(|rest| {
        rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    })));
}

#[test]
fn a_misspelt_section_is_found() {
    let text = "3dmodel 1\nn\nl\na\n\nVertx\n0 0 0 1\n\nEnd\n";
    let findings = m3d::check(&m3d::from_str(text).unwrap());
    let found = findings.iter().find(|finding| finding.rule.id == "m3d.section-unknown").expect("a finding");
    assert_eq!(found.path, "layout.text.unknown[0]");
    assert!(found.found.contains("Vertx"), "{found}");
}

/// A text contains only what the format defines.
#[test]
fn texts_that_others_read() {
    let text = |model: &Model| WriteOptions::new().variant(Variant::Ascii).write(model);
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::new(0.0, 0.0, 0.0, 1.0); 2];
    model.vertices.skins = vec![m3d::SkinId(1), m3d::SkinId(0)];
    model.skins = vec![m3d::Skin::rigid(m3d::BoneId(0)), m3d::Skin::rigid(m3d::BoneId(1))];
    let plain = String::from_utf8(text(&model).unwrap()).unwrap();
    assert!(
        plain.contains("\n0 0 0 1 0:0 1\n0 0 0 1 0:0 0\n")
            && !plain.contains("Skins")
            && !plain.contains('@')
    );
    // A text does not contain the numbers of skins, but the skin of each vertex.
    let again = m3d::from_str(&plain).unwrap();
    for (id, bone) in [(0, 1), (1, 0)] {
        let skin = again.skins[again.vertices.skin(VertexId(id)).get().unwrap()];
        assert_eq!(skin, m3d::Skin::rigid(m3d::BoneId(bone)));
    }
    assert_eq!(again, model);
    // What the text format cannot represent is refused, with its path.
    let refused = |model: &Model, path: &str| {
        let error = text(model).expect_err(path);
        assert_eq!(error.path(), path);
        assert!(matches!(error.kind(), m3d::errors::ErrorKind::Unwritable(_)), "{error}");
    };
    let mut other = Model { materials: vec![Material::default()], ..Model::default() };
    other.materials[0].set(PropertyId(20), Value::Other(vec![1]));
    refused(&other, "materials[0].properties[0]");
    let bone = |parent| m3d::Bone { parent: m3d::BoneId(parent), ..m3d::Bone::default() };
    let bones = vec![bone(u32::MAX), bone(u32::MAX), bone(0)];
    let other = Model { bones, ..Model::default() };
    refused(&other, "bones[2].parent");
    let mut other = Model::default();
    other.meshes.push(Mesh { records: vec![MeshRecord::Property(5, "x".into())], ..Mesh::default() });
    refused(&other, "meshes[0].records[0]");
}

/// `raw` and similar options apply to binary files, and select them.
#[test]
fn options_of_binary_files_ask_for_one() {
    let model = m3d::from_str("3dmodel 1\nn\nl\na\n\nEnd\n").unwrap();
    assert!(WriteOptions::new().raw(true).write(&model).unwrap().starts_with(b"3DMO"));
    assert!(m3d::to_vec(&model).unwrap().starts_with(b"3dmodel"));
    assert!(WriteOptions::new().variant(Variant::Ascii).raw(true).write(&model).is_err());
}
