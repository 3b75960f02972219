//! Values and bytes that are known from other sources: the specification, its tables, and files that were made by hand
//! from them.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "small models that are known")]

use m3d::errors::ErrorKind;
use m3d::geom::{Quat, Rgba8, TriMesh, Vec2, Vec3, Vec4};
use m3d::{
    Action, AfterLast, Arg, Bone, BoneId, ChunkKind, CommandId, Coordinates, CornerParts, Corners, Frame,
    Material, MeshRecord, Model, Polygons, PropertyId, Skin, SkinId, TexCoordId, Transform, TypeField, Types,
    Value, Variant, VertexId, Voxel, VoxelBlock, VoxelType, WriteOptions,
};
use testkit::fixture;

fn model(name: &str) -> Model {
    m3d::from_slice(&fixture("m3d", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes a model and reads it again.
fn again(model: &Model) -> Model {
    m3d::from_slice(&m3d::to_vec(model).unwrap()).unwrap()
}

#[test]
fn every_fixture_comes_back() {
    // `chunks` does not list compressed chunks.
    let is_compressed = |bytes: &[u8]| m3d::chunks(bytes).is_err();
    let same = |a: &[u8], b: &[u8]| {
        is_compressed(a) && is_compressed(b) && m3d::payload(a).unwrap() == m3d::payload(b).unwrap()
    };
    testkit::fixtures_come_back("m3d", same, |_, bytes| m3d::to_vec(&m3d::from_slice(bytes)?));
}

/// `Debug` shortens the bytes of the file.
#[test]
fn debug_is_short() {
    let model = Model { preview: Some(vec![0; 60_000]), ..model("raw.m3d") };
    let shown = format!("{model:?}");
    assert!(shown.contains("preview: Some(60000 bytes: 00 00 "), "{shown}");
    assert!(shown.contains("stream: 0 bytes") && shown.contains("trailing: 0 bytes"), "{shown}");
    assert!(shown.len() < 5_000, "{shown}");
}

#[test]
fn a_triangle() {
    let bytes = fixture("m3d", "raw.m3d");
    assert_eq!(m3d::detect(&bytes), Some(Variant::Binary));
    let model = m3d::from_slice(&bytes).unwrap();
    assert_eq!(
        (&model.name[..], &model.license[..], &model.author[..]),
        (&b"tri"[..], &b"MIT"[..], &b"me"[..])
    );
    assert_eq!((&model.description[..], model.scale), (&b"three corners"[..], 1.0));
    assert_eq!(model.vertices.coords[1], Vec4::new(0.0, 1.0, 0.0, 1.0));
    assert_eq!(model.meshes[0].vertices, [0, 1, 2].map(VertexId));
    let mesh = model.to_tri_mesh().unwrap();
    assert_eq!(mesh.positions, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from));
    assert_eq!(
        (mesh.triangles, mesh.normals.len(), mesh.uvs.len(), mesh.colors.len()),
        (vec![[0, 1, 2]], 0, 0, 0)
    );
    let compressed = m3d::from_slice(&fixture("m3d", "zlib.m3d")).unwrap();
    assert!(!compressed.layout.is_raw() && model.layout.is_raw());
    assert_eq!(compressed.vertices, model.vertices);
}

#[test]
fn chunks_of_a_payload() {
    let bytes = fixture("m3d", "zlib.m3d");
    let payload = m3d::payload(&bytes).unwrap();
    let tags: Vec<String> =
        m3d::chunks(&payload).unwrap().map(|chunk| chunk.unwrap().tag.to_string()).collect();
    assert_eq!(tags, ["HEAD", "CMAP", "VRTS", "MESH", "OMD3"]);
    // A whole file can be listed if it is not compressed.
    let whole = fixture("m3d", "preview.m3d");
    let tags: Vec<String> =
        m3d::chunks(&whole).unwrap().map(|chunk| chunk.unwrap().tag.to_string()).collect();
    assert_eq!(tags, ["PRVW", "HEAD", "CMAP", "VRTS", "MESH", "OMD3"]);
    let error = m3d::chunks(&bytes).map(|_| ()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)), "{error}");
}

#[test]
fn every_integer_coordinate_comes_back() {
    // int8 is divided by 127 and int16 by 32767, as in the SDK; -128 becomes slightly less than -1.
    for (bits, steps, all) in [(0_u32, 127.0_f32, -128..=127), (1, 32767.0, -32768..=32767)] {
        let mut bytes = b"3DMO\0\0\0\0HEAD\x14\0\0\0".to_vec();
        bytes.extend(1_f32.to_le_bytes());
        bytes.extend((0x03ff_cfc0_u32 | bits).to_le_bytes());
        bytes.extend(b"\0\0\0\0VRTS\0\0\0\0");
        let start = bytes.len();
        for q in all.clone() {
            let q: i16 = q.try_into().unwrap();
            bytes.extend(q.to_le_bytes().iter().take(1 << bits));
        }
        let size = (bytes.len() - start + 8) as u32;
        bytes[start - 4..start].copy_from_slice(&size.to_le_bytes());
        bytes.extend(b"OMD3");
        let model = m3d::from_slice(&bytes).unwrap();
        let values: Vec<f32> = model.vertices.coords.iter().flat_map(|coord| coord.to_array()).collect();
        for (q, value) in all.zip(&values) {
            assert_eq!(*value, q as f32 / steps);
        }
        let mut written = m3d::to_vec(&model).unwrap();
        written[4..8].fill(0);
        assert_eq!(written, bytes);
    }
}

#[test]
fn coordinates_in_every_width() {
    let int8 = model("coordinates-int8.m3d");
    assert_eq!(int8.vertices.coords[0].to_array(), [0.0, 1.0, -128.0 / 127.0, -1.0]);
    assert_eq!(int8.tex_coords.uvs[0].to_array(), [0.0, 1.0]);
    assert_eq!(int8.tex_coords.uvs[1].to_array(), [1.0 / 255.0, 254.0 / 255.0]);
    let int16 = model("coordinates-int16.m3d");
    assert_eq!(int16.vertices.coords[0].to_array(), [0.0, 1.0, -32768.0 / 32767.0, -1.0]);
    assert_eq!(int16.tex_coords.uvs[2].to_array(), [32768.0 / 65535.0, 32767.0 / 65535.0]);
    let float = model("coordinates-float.m3d");
    assert_eq!(float.vertices.coords[0].to_array(), [-0.0, 1.0, -1.0, 1.546]);
    assert!(float.vertices.precise.is_empty());
    let double = model("coordinates-double.m3d");
    assert_eq!(double.vertices.coords[0].to_array(), [0.1, 1.0, -1.0, 0.25]);
    assert_eq!(double.vertices.precise[1][0], 1e-300);
    assert_eq!(double.tex_coords.precise[1], [0.1, -0.0]);

    // A double is only used as long as it rounds to the float.
    let mut edited = double.clone();
    edited.vertices.coords[1].x = 0.75;
    let edited = again(&edited);
    assert_eq!(edited.vertices.precise[1][0], 0.75);
    assert_eq!(edited.vertices.precise[0][0], 0.1);
}

#[test]
fn coordinates_are_written_as_short_as_they_can_be() {
    let size = |values: [f32; 4], precise: Option<[f64; 4]>| {
        let mut model = Model::default();
        model.vertices.coords = vec![values.into()];
        model.vertices.precise = precise.into_iter().collect();
        let read = again(&model);
        assert_eq!(read.vertices.coords, model.vertices.coords);
        read.layout.types().unwrap().size(TypeField::Coord)
    };
    assert_eq!(size([0.0, 1.0, -1.0, 64.0 / 127.0], None), 1);
    assert_eq!(size([0.0, 1.0, -1.0, 3.0 / 32767.0], None), 2);
    assert_eq!(size([0.0, 1.0, -1.0, 0.1], None), 4);
    assert_eq!(size([0.0, 1.0, -1.0, 0.1], Some([0.0, 1.0, -1.0, 0.1])), 8);
    assert_eq!(size([-0.0, 1.0, -1.0, 1.0], None), 4, "a negative zero has no integer");
}

#[test]
fn coordinates_are_rounded_only_on_demand() {
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::new(0.1, -0.1, 1.0, 1.0)];
    let bytes = WriteOptions::new().coordinates(Coordinates::Int8).write(&model).unwrap();
    let rounded = m3d::from_slice(&bytes).unwrap();
    assert_eq!(rounded.vertices.coords[0].to_array(), [13.0 / 127.0, -13.0 / 127.0, 1.0, 1.0]);
    model.vertices.coords[0].x = 1.5;
    let error = WriteOptions::new().coordinates(Coordinates::Int8).write(&model).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unwritable(_)), "{error}");
    assert_eq!(error.path(), "vertices.coords");
    model.vertices.coords.clear();
    model.tex_coords.uvs = vec![Vec2::new(-0.5, 0.0)];
    let error = WriteOptions::new().coordinates(Coordinates::Int8).write(&model).unwrap_err();
    assert_eq!(error.path(), "tex_coords.uvs");
    model.tex_coords.uvs.clear();
    model.shapes = vec![m3d::Shape {
        name: "s".into(),
        commands: vec![m3d::Command { id: m3d::CommandId::SUBDIVIDE, args: vec![m3d::Arg::Coord(8.0); 2] }],
        ..m3d::Shape::default()
    }];
    let error = WriteOptions::new().coordinates(Coordinates::Int8).write(&model).unwrap_err();
    assert_eq!(error.path(), "shapes");
}

#[test]
fn reserved_indices_are_the_same_in_every_width() {
    for vi in ["1", "2", "4"] {
        for ti in ["1", "2", "4", "0"] {
            let model = model(&format!("indices-v{vi}-t{ti}.m3d"));
            let mesh = &model.meshes[0];
            let polygons: Vec<_> = mesh.polygons().collect();
            assert_eq!(polygons.len(), 3);
            let none = if ti == "0" { [TexCoordId::NONE; 3] } else { [0, 1, 2].map(TexCoordId) };
            assert_eq!(polygons[0].tex_coords, none);
            assert_eq!(polygons[1].tex_coords, [TexCoordId::NONE; 3]);
            assert_eq!(polygons[1].normals, [VertexId::NONE; 3]);
            assert_eq!(polygons[2].vertices, [VertexId(0), VertexId(200), VertexId::RESERVED]);
            assert_eq!(VertexId::RESERVED.get(), None);
            let findings = m3d::check(&model);
            let found = findings.iter().find(|finding| finding.rule.id == "m3d.vertex-index");
            assert_eq!(found.unwrap().path, "meshes[0].polygons[2].vertex");
        }
    }
}

#[test]
fn names_are_resolved() {
    let model = model("names-1.m3d");
    let names: Vec<&[u8]> = model.materials.iter().map(|material| &material.name[..]).collect();
    let wanted: [&[u8]; 8] = [b"", b"steel", b"steel", b"less steel", b"", b"last", b"", b"MIT"];
    assert_eq!(names, wanted);
    assert_eq!(&model.description[..], b"text");

    // A new name is added after the others, which keep their offsets.
    let mut more = model.clone();
    more.materials[0].name = "brass".into();
    let read = again(&more);
    assert_eq!(read.materials, more.materials);
    let strings = |model: &Model| m3d::to_vec(model).unwrap()[24..][..40].to_vec();
    assert_eq!(strings(&read), strings(&model));

    // A longer title overwrites some of the names.
    more.name = "a longer title than before".into();
    let read = again(&more);
    assert_eq!((&read.name, &read.materials), (&more.name, &more.materials));

    let error = m3d::to_vec(&Model { name: "a\0b".into(), ..Model::default() }).unwrap_err();
    assert_eq!(
        (error.path(), error.to_string().as_str()),
        ("name", "cannot write a string that contains a zero byte in name")
    );
}

#[test]
fn colors_are_resolved() {
    let red = Rgba8::new(255, 0, 0, 255);
    let none = Rgba8::default();
    let green = Rgba8::new(0, 255, 0, 128);
    for name in ["colors-1.m3d", "colors-2.m3d"] {
        let model = model(name);
        assert_eq!(model.vertices.colors, [red, none, red, green, none, none, none, none]);
        assert_eq!(model.materials[0].color(PropertyId::DIFFUSE), Some(red));
        // The palette keeps equal entries, and the vertices keep their indices.
        assert_eq!(model.layout.palette().len(), 5);
        let mut edited = model.clone();
        edited.vertices.colors[0] = Rgba8::WHITE;
        let edited = again(&edited);
        assert_eq!(edited.vertices.colors[..2], [Rgba8::WHITE, none]);
        assert_eq!(edited.layout.palette().len(), 6);
    }
    let inline = model("colors-4.m3d");
    assert_eq!(inline.vertices.colors, [red, none, Rgba8::new(4, 3, 2, 1)]);
    assert!(model("colors-none.m3d").vertices.colors.is_empty());
    assert_eq!(model("colors-late.m3d").vertices.colors, [green, red]);
}

#[test]
fn colors_choose_their_width() {
    let write = |count: u32| {
        let mut model = Model::default();
        model.vertices.coords = vec![Vec4::default(); count as usize];
        model.vertices.colors = (1..=count).map(|value| Rgba8::from(value.to_le_bytes())).collect();
        let read = again(&model);
        assert_eq!(read.vertices, model.vertices);
        read.layout.types().unwrap().size(TypeField::Color)
    };
    assert_eq!([write(0), write(1), write(253), write(254)], [0, 1, 1, 2]);
    assert_eq!([write(65533), write(65534)], [2, 4]);
}

#[test]
fn widths_grow_only_where_they_must() {
    let mut model = model("indices-v1-t1.m3d");
    assert_eq!(again(&model).layout.types(), model.layout.types());
    model.vertices.coords.resize(254, Vec4::default());
    model.meshes[0].vertices[0] = VertexId(253);
    assert_eq!(again(&model).layout.types().unwrap().size(TypeField::Vertex), 1);
    // An index of 254 in one byte would be -2.
    model.meshes[0].vertices[0] = VertexId(254);
    let read = again(&model);
    assert_eq!(read.layout.types().unwrap().size(TypeField::Vertex), 2);
    assert_eq!(read.meshes[0].vertices[0], VertexId(254));
}

#[test]
fn the_widths_of_a_header() {
    // Types as the SDK of 2019 and the Blender exporter write them.
    let sdk = Types(0x0000_cfc0);
    assert_eq!(
        (sdk.size(TypeField::Color), sdk.size(TypeField::TexCoord), sdk.size(TypeField::Bone)),
        (0, 0, 0)
    );
    let blender = Types(0x001f_cdc5);
    assert_eq!((blender.size(TypeField::Coord), blender.size(TypeField::Vertex)), (2, 2));
    assert_eq!(blender.size(TypeField::Face), 2);
    // Goxel's voxels: the type has two bits, not one.
    assert_eq!(Types(0x014f_cf80).size(TypeField::Voxel), 2);
    assert_eq!(Types(0x03dc_cfc4).get(TypeField::Voxel), 3);
    assert_eq!(Types(0).with(TypeField::Voxel, 3).0, 0x0300_0000);
}

#[test]
fn bones_and_skins() {
    for (weights, wanted) in [
        (1, [255, 0, 0, 0, 0, 0, 0, 0]),
        (2, [200, 55, 0, 0, 0, 0, 0, 0]),
        (4, [100, 0, 55, 100, 0, 0, 0, 0]),
        (8, [90, 0, 0, 65, 0, 0, 0, 100]),
    ] {
        for width in ["1", "2", "4"] {
            let model = model(&format!("skeleton-{width}-{weights}.m3d"));
            assert_eq!((&model.bones[0].name[..], model.bones[0].parent), (&b"root"[..], BoneId::NONE));
            assert_eq!((&model.bones[1].name[..], model.bones[1].parent), (&b"arm"[..], BoneId(0)));
            assert_eq!(model.skins[0].weights, wanted);
            let bones: Vec<u32> = model.skins[0].influences().map(|(bone, _)| bone.0).collect();
            assert_eq!(bones, [0, 1, 0][..bones.len()]);
            let sum: f32 = model.skins[1].influences().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-6);
            let skins = &model.vertices.skins;
            assert_eq!(skins[..], [SkinId::NONE, SkinId(0), SkinId(1), SkinId::QUATERNION]);
        }
    }
    let odd = model("skeleton-no-bones.m3d");
    assert_eq!((odd.bones.len(), odd.skins[..].to_vec()), (0, vec![Skin::rigid(BoneId::NONE)]));
}

#[test]
fn materials_of_every_kind() {
    let material = &model("materials.m3d").materials[0];
    assert_eq!(material.color(PropertyId::DIFFUSE), Some(Rgba8::new(0x22, 0x11, 0, 255)));
    assert_eq!(material.number(PropertyId::ROUGHNESS), Some(8.0));
    assert_eq!(material.number(PropertyId::ILLUMINATION), Some(10.0));
    assert_eq!(material.map(PropertyId::DIFFUSE).unwrap(), "tex");
    assert_eq!(material.map(PropertyId::MAP_NORMAL).unwrap(), "tex");
    assert_eq!(material.get(PropertyId(255)), Some(&Value::Map("".into())));
    assert_eq!(PropertyId::from_key("map_refl"), Some(PropertyId(193)));
    assert_eq!(PropertyId::MAP_BUMP.key(), Some("map_Km"));

    let mut unknown = model("materials-unknown.m3d");
    let property = unknown.materials[0].properties[1].clone();
    assert_eq!((property.id, property.value), (PropertyId(20), Value::Other(vec![1, 2, 3, 4, 5, 6, 7])));
    unknown.materials[0].properties.swap(0, 1);
    assert_eq!(m3d::to_vec(&unknown).unwrap_err().path(), "materials[0].properties[0]");
}

#[test]
fn polygons_of_every_kind() {
    let model = model("mesh-polygons.m3d");
    let polygons: Vec<_> = model.meshes[0].polygons().collect();
    assert_eq!(polygons.len(), 8 * 15);
    for (number, polygon) in polygons.iter().enumerate() {
        let (parts, sides) = (number / 15, number % 15 + 1);
        assert_eq!(polygon.parts, CornerParts(parts as u8));
        assert_eq!(polygon.vertices, (0..sides as u32).map(VertexId).collect::<Vec<_>>());
        let len = |bit: usize| if parts & bit != 0 { sides } else { 0 };
        assert_eq!(polygon.tex_coords.len(), len(1));
        assert_eq!((polygon.normals.len(), polygon.maximums.len()), (len(2), len(4)));
        assert_eq!(polygon.parameter, "bend");
    }
    // In the fixture, each index of a part is the corner's index plus the part's number.
    assert_eq!(polygons[7 * 15 + 1].tex_coords, [0, 1].map(TexCoordId));
    assert_eq!(polygons[7 * 15 + 1].normals, [1, 2].map(VertexId));
    assert_eq!(polygons[7 * 15 + 1].maximums, [2, 3].map(VertexId));
    assert_eq!((polygons[0].material, polygons[15].material), ("steel".into(), "".into()));
    assert_eq!(model.meshes[0].records[2], MeshRecord::Property(5, "bend".into()));
    // 13 polygons with 3 to 15 corners become 1 to 13 triangles each.
    assert_eq!(model.to_tri_mesh().unwrap().triangles.len(), 8 * 91);
    let groups: Vec<String> =
        model.material_groups().unwrap().iter().map(|group| group.name.to_string()).collect();
    assert_eq!(groups, ["steel", ""]);
}

#[test]
fn voxels_of_every_kind() {
    for name in ["voxels-d1-p1.m3d", "voxels-d1-p2.m3d", "voxels-d2-p1.m3d", "voxels-d4-p2.m3d"] {
        let model = model(name);
        let chest = &model.voxel_types[1];
        assert_eq!((&chest.name[..], chest.shape, chest.rotation), (&b"chest"[..], 272, 0x1b));
        assert_eq!((chest.skin, chest.items.len(), chest.items[0].count), (SkinId(0), 2, 64));
        assert_eq!(&chest.items[0].name[..], b"gold");
        assert_eq!((model.voxel_types[2].rotation, model.voxel_types[2].shape), (0xaa, 255));
        let block = &model.voxel_blocks[0];
        assert_eq!((block.position, block.size), ([-1, 0, -16], [2, 2, 2]));
        let (unset, clear) = (Voxel::UNSET, Voxel::CLEAR);
        assert_eq!(block.voxels, [Voxel(1), Voxel(1), Voxel(0), Voxel(2), clear, unset, unset, unset]);
        assert_eq!((block.get(1, 0, 1), block.get(0, 1, 0), block.get(2, 0, 0)), (Voxel(2), clear, unset));
        assert_eq!(block.iter().nth(4), Some(([0, 1, 0], clear)));
        assert_eq!(model.voxel_blocks[1].voxels, [Voxel(1), Voxel(1), Voxel(2), Voxel(2)]);
        let short = &model.voxel_blocks[2];
        assert_eq!(
            (short.uncertainty, short.group, short.volume(), short.voxels.len()),
            (155, 7, Some(40_000), 2)
        );
        assert_eq!(model.voxel_blocks[3].voxels, [Voxel(1), Voxel(1)], "no more than the block has");
    }
}

#[test]
fn sides_between_voxels_are_hidden() {
    let block = |voxels: Vec<Voxel>, size| VoxelBlock { size, voxels, ..VoxelBlock::default() };
    let types = vec![VoxelType { color: Rgba8::new(1, 2, 3, 255), ..VoxelType::default() }];
    let count = |block: VoxelBlock| {
        let model = Model { voxel_types: types.clone(), voxel_blocks: vec![block], ..Model::default() };
        let mesh = model.voxel_mesh().unwrap();
        assert!(mesh.is_consistent());
        // Every face points away from the middle of its cube: it is counter-clockwise if seen from outside.
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(mesh.normals[triangle[0] as usize]) > 0.0);
        }
        mesh.triangles.len() / 2
    };
    assert_eq!(count(block(vec![Voxel(0)], [1, 1, 1])), 6);
    assert_eq!(count(block(vec![Voxel(0); 2], [2, 1, 1])), 10);
    assert_eq!(count(block(vec![Voxel(0); 27], [3, 3, 3])), 54);
    assert_eq!(count(block(vec![Voxel(0), Voxel::CLEAR, Voxel(0)], [3, 1, 1])), 12);
    assert_eq!(count(block(vec![Voxel::UNSET], [1, 1, 1])), 0);
    let model = Model {
        voxel_types: types.clone(),
        voxel_blocks: vec![block(vec![Voxel(0)], [4, 1, 1])],
        ..Model::default()
    };
    assert_eq!(model.voxel_mesh().unwrap().bounds().unwrap().max, Vec3::new(0.25, 0.25, 0.25));
    assert_eq!(model.voxel_mesh().unwrap().colors[0].to_srgb(), Rgba8::new(1, 2, 3, 255));
}

#[test]
fn shapes_of_every_kind() {
    let model = model("shapes-double-1.m3d");
    let commands = &model.shapes[0].commands;
    assert_eq!(commands.len(), 38 + 3);
    for (number, command) in (0..).zip(&commands[..38]) {
        assert_eq!(command.id, CommandId(number));
        let rounds = if command.id.is_variadic() { usize::from(number) % 3 + 1 } else { 1 };
        assert_eq!(command.args.len(), rounds * command.id.args().unwrap().len(), "{:?}", command.id);
    }
    assert_eq!(commands[0].args, [Arg::Material("steel".into())]);
    assert_eq!(commands[2].args[..2], [Arg::Int(i32::MIN + 1), Arg::Int(i32::MIN + 1)]);
    assert_eq!(commands[3].args, [Arg::Coord(0.1)]);
    assert_eq!(commands[7].args, [Arg::Int(-2)]);
    assert_eq!(commands[29].args[0], Arg::Int(-1));
    assert_eq!(commands[38].rounds(), Some(0));
    assert_eq!(commands[39].id, CommandId::DIVIDE);
    assert_eq!((commands[40].id, &commands[40].args[..]), (CommandId(300), &[Arg::Other(vec![1, 2, 3])][..]));
    assert_eq!(CommandId::from_key("shpere"), Some(CommandId::SPHERE));
    let rules: Vec<&str> = m3d::check(&model).iter().map(|finding| finding.rule.id).collect();
    assert!(rules.contains(&"m3d.mesh-command"));
}

#[test]
fn labels_scripts_and_assets() {
    for name in ["labels-1.m3d", "labels-4.m3d", "labels-0.m3d"] {
        let model = model(name);
        assert_eq!(&model.procedurals[0].script[..], b"make.lua");
        // The SDK also counts the name, the language and the colour as labels.
        assert_eq!(model.labels.iter().map(|group| group.labels.len()).collect::<Vec<_>>(), [3, 3, 0]);
        let group = &model.labels[1];
        assert_eq!((&group.name[..], &group.language[..]), (&b"parts"[..], &b"hu_HU"[..]));
        let color = if name == "labels-0.m3d" { Rgba8::default() } else { Rgba8::new(255, 128, 0, 255) };
        assert_eq!(group.color, color);
        assert_eq!((group.labels[1].vertex, &group.labels[1].text[..]), (VertexId(2), &b"kerek"[..]));
        assert!(model.asset("skin.png").unwrap().data.starts_with(b"\x89PNG"));
        assert_eq!(model.asset("make.lua").unwrap().data, b"return nil");
    }
}

#[test]
fn previews_are_images() {
    let model = model("preview.m3d");
    let preview = model.preview.unwrap();
    assert!(preview.starts_with(b"\x89PNG"));
    assert_eq!(preview.len(), 33, "the head of the chunk is not the image");
    assert_eq!(m3d::from_slice(&fixture("m3d", "wrong-size.m3d")).unwrap().preview, Some(preview));
}

#[test]
fn chunks_keep_their_place() {
    use ChunkKind::{Extra, Mesh, Palette, TexCoords, Vertices};
    let mut model = model("order.m3d");
    assert!(model.layout.chunks().eq([Extra, Mesh, Vertices, Extra, Extra, Mesh, Palette, TexCoords]));
    let tags: Vec<String> = model.extras.iter().map(|extra| extra.tag.to_string()).collect();
    assert_eq!(tags, ["gxel", "XYZW", "VRTS"]);
    model.extras.remove(1);
    model.materials.push(Material { name: "new".into(), ..Material::default() });
    model.meshes.push(m3d::Mesh::default());
    let layout = again(&model).layout;
    let wanted = [Extra, Mesh, Vertices, Extra, Mesh, Mesh, Palette, TexCoords];
    assert!(layout.chunks().filter(|&kind| kind != ChunkKind::Material).eq(wanted));
}

/// A bone that moves from 0 to 1 on x and rotates by 90 degrees about z. The first frame is at 1000 ms.
fn swing() -> Model {
    let mut model = Model::default();
    let turned = std::f32::consts::FRAC_1_SQRT_2;
    model.vertices.coords = vec![
        Vec4::new(0.0, 0.0, 0.0, 1.0),
        Vec4::new(1.0, 0.0, 0.0, 1.0),
        Vec4::new(0.0, 0.0, 0.0, 1.0),
        // A rotation by 90 degrees about z, with the negated quaternion.
        Vec4::new(0.0, 0.0, -turned, -turned),
    ];
    model.vertices.skins = vec![SkinId(0), SkinId(0), SkinId::QUATERNION, SkinId::QUATERNION];
    model.bones = vec![
        Bone { position: VertexId(0), orientation: VertexId(2), name: "a".into(), ..Bone::default() },
        Bone { parent: BoneId(0), position: VertexId(1), orientation: VertexId(2), name: "b".into() },
    ];
    model.skins = vec![Skin::rigid(BoneId(1))];
    let transform = |position, orientation| Transform {
        bone: BoneId(0),
        position: VertexId(position),
        orientation: VertexId(orientation),
    };
    let frames = vec![
        Frame { time: 1000, transforms: vec![transform(1, 3)] },
        Frame { time: 3000, transforms: vec![transform(0, 3)] },
    ];
    model.actions = vec![Action { name: "swing".into(), duration: 4000, frames }];
    model
}

#[test]
fn poses_at_times() {
    let model = swing();
    let action = &model.actions[0];
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    // Before the first frame: the middle between the bind pose and that frame, so half of 90 degrees.
    let pose = model.pose(action, 500.0);
    let eighth = (std::f32::consts::PI / 8.0).sin_cos();
    assert!(near(&pose.bones[0].position.to_array(), &[0.5, 0.0, 0.0]));
    let Quat { z, w, .. } = pose.bones[0].orientation;
    assert!(near(&[z.abs(), w.abs()], &[eighth.0, eighth.1]) && z * w > 0.0, "the shortest arc");
    // Between frames: 1500 is a quarter of the way from 1000 to 3000.
    assert!(near(&model.pose(action, 1500.0).bones[0].position.to_array(), &[0.75, 0.0, 0.0]));
    // After the last frame, the pose stays. With the SDK's rule, it goes back to the first frame, and starts again.
    assert_eq!(model.pose(action, 3500.0).bones[0].position, Vec3::default());
    assert_eq!(model.pose(action, 99_000.0).bones[0].position, Vec3::default());
    let wrap = |time| model.pose_with(action, time, AfterLast::Wrap).bones[0].position.x;
    assert_eq!((wrap(3500.0), wrap(4500.0)), (1.0, 0.5));
    // The child moves around its parent, and its vertex moves with it.
    let pose = model.pose(action, 1000.0);
    let world = model.bone_matrices(&pose);
    assert!(near(&world[1].translation().to_array(), &[1.0, 1.0, 0.0]));
    let skinning = model.skinning_matrices(&pose);
    let moved = model.skinned_position(VertexId(1), &skinning).unwrap();
    assert!(near(&moved.to_array(), &[1.0, 1.0, 0.0]), "{moved:?}");
    let still = model.skinning_matrices(&model.bind_pose());
    assert!(near(&model.skinned_position(VertexId(1), &still).unwrap().to_array(), &[1.0, 0.0, 0.0]));
}

#[test]
fn a_builder_stores_everything_once() {
    let cube = TriMesh {
        positions: (0..8)
            .map(|n| Vec3::new((n & 1) as f32 * 6.0 - 3.0, (n >> 1 & 1) as f32 * 6.0, (n >> 2) as f32))
            .collect(),
        triangles: vec![[0, 1, 2], [1, 3, 2], [4, 6, 5], [5, 6, 7]],
        ..TriMesh::default()
    };
    // Each corner is a vertex of its own, as in a file without indices.
    let soup = TriMesh {
        positions: cube.triangles.iter().flatten().map(|&n| cube.positions[n as usize]).collect(),
        triangles: (0..4).map(|n| [n * 3, n * 3 + 1, n * 3 + 2]).collect(),
        ..TriMesh::default()
    };
    let model = Model::from_tri_mesh(&soup).unwrap();
    assert_eq!((model.vertices.len(), model.scale, model.face_count()), (8, 6.0, 4));
    assert_eq!(model.vertices.coords[0].to_array(), [-0.5, 0.0, 0.0, 1.0]);
    let read = again(&model);
    assert_eq!(read.to_tri_mesh().unwrap().bounds(), cube.bounds());
    assert!(read.layout.chunks().eq([ChunkKind::Vertices, ChunkKind::Mesh]));
}

#[test]
fn points_scale_and_normals_do_not() {
    let mut builder = m3d::Builder::new();
    let point = builder.point(Vec3::new(0.0, 0.0, 8.0));
    let other = builder.point(Vec3::new(0.0, 0.0, 1.0));
    let normal = builder.normal(Vec3::new(0.0, 0.0, 1.0));
    builder.model.meshes.push(m3d::Mesh::default());
    builder.model.meshes[0]
        .push(Corners { vertices: &[point, other], normals: &[normal, normal], ..Corners::default() })
        .unwrap();
    let model = builder.finish();
    let [_, z] = [0, 1].map(|n| model.vertices.coord(model.meshes[0].vertices[n]).unwrap().z);
    assert_eq!((model.scale, z), (8.0, 0.125));
    // The scaled point and the normal share a vertex now.
    assert_eq!((model.vertices.len(), model.meshes[0].normals[0]), (2, model.meshes[0].vertices[0]));
}

#[test]
fn materials_from_a_library() {
    let mut model = Model::default();
    let mut mesh = m3d::Mesh::default();
    mesh.use_material("steel");
    mesh.add_polygons(Polygons { count: 0, sides: 3, parts: CornerParts::default() });
    model.meshes.push(mesh);
    assert_eq!(model.undefined_materials(), ["steel"]);
    let mut library = self::model("materials.m3d");
    library.assets.push(m3d::Asset { name: "tex".into(), data: vec![1] });
    library.materials.push(Material { name: "brass".into(), ..Material::default() });
    assert_eq!(model.merge_materials(&library), 2);
    assert_eq!(model.merge_materials(&library), 0);
    assert!(model.undefined_materials().is_empty());
    assert_eq!((model.assets.len(), model.material_id("brass").0), (1, 1));
}

#[test]
fn what_must_be_refused_says_where() {
    let text = |name: &str| m3d::from_slice(&fixture("m3d", name)).unwrap_err().to_string();
    let end = fixture("m3d", "raw.m3d").len() - 4;
    let message = "expected the chunk OMD3, which ends the file, found the end of input";
    assert_eq!(text("broken-no-end.m3d"), format!("{message} at offset {end:#x}"));
    assert_eq!(
        text("broken-vi.m3d"),
        "unsupported code 3 for vi_t, the width of vertex indices (no program can read it) in types at offset 0x14"
    );
    assert_eq!(
        text("broken-chunk.m3d"),
        "expected a chunk size of at least 8 bytes, found 7 in HEAD.size at offset 0x8"
    );
    assert_eq!(text("broken-sum.m3d"), "wrong zlib checksum in payload at offset 0x8");
    let raw = fixture("m3d", "raw.m3d");
    let cut = m3d::from_slice(&raw[..raw.len() - 5]).unwrap_err();
    assert_eq!((cut.path(), cut.offset()), ("MESH", Some(raw.len() as u64 - 8)));
    assert!(
        m3d::detect(b"3dmodel").is_some_and(|variant| variant == Variant::Ascii)
            && m3d::detect(b"3DM").is_none()
    );
}

#[test]
fn every_byte_after_the_stream_is_kept() {
    // The inflater reads up to eight bytes ahead, which must not be lost.
    let bytes = testkit::fixture("m3d", "after-the-stream.m3d");
    let stream = bytes.strip_suffix(b"outside").expect("the fixture ends so");
    for len in 0..20_u8 {
        let after: Vec<u8> = (0..len).map(|byte| byte.wrapping_mul(91)).collect();
        let file = [stream, &after].concat();
        let model = m3d::from_slice(&file).unwrap();
        assert!(m3d::to_vec(&model).unwrap().ends_with(&after), "{len} bytes");
    }
}

/// Another inflater decompresses a file of each level to the same bytes as the uncompressed file.
#[test]
fn every_level_compresses_the_same() {
    let positions = (0..5_000).map(|i| Vec3::new(f32::from(i as i16).sin(), 0.5, i as f32)).collect();
    let triangles = (2..5_000).map(|i| [0, i - 1, i]).collect();
    let model = Model::from_tri_mesh(&TriMesh { positions, triangles, ..TriMesh::default() }).unwrap();
    let raw = m3d::WriteOptions::new().raw(true).write(&model).unwrap();
    for level in [0, 1, 2, 6, 9, 255] {
        let bytes = m3d::WriteOptions::new().raw(false).level(level).write(&model).unwrap();
        let inside = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes[8..]).unwrap();
        assert_eq!(inside, raw[8..], "{level}");
        assert!(level == 0 || bytes.len() < raw.len(), "{level}");
    }
}
