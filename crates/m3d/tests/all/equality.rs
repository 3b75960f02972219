//! Tests of when two models are equal.
#![allow(clippy::unwrap_used, reason = "small models that are known")]

use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::{
    Action, Arg, Asset, Bone, BoneId, Command, CommandId, CornerParts, Extra, LabelGroup, Material, Mesh,
    MeshRecord, Model, Polygons, Procedural, Property, PropertyId, Shape, Skin, SkinId, TexCoordId, Value,
    VertexId, VoxelBlock, VoxelItem, VoxelType,
};

/// Models are compared by value and bits, whatever their layouts.
#[test]
fn equality() {
    let read = |name: &str| m3d::from_slice(&testkit::fixture("m3d", name)).unwrap();
    let nan = read("coordinates-nan.m3d");
    assert_eq!(nan, nan.clone());
    let (raw, zlib) = (read("raw.m3d"), read("zlib.m3d"));
    assert!(raw == zlib && !raw.same_layout(&zlib));
    let mut other = raw.clone();
    other.vertices.colors = vec![Rgba8::default(); 3];
    assert_eq!(other, raw, "a column without a colour is no column");
    other.vertices.coords[0].y = -0.0;
    assert_ne!(other, raw, "-0 is another number");
    let mut other = raw.clone();
    let MeshRecord::Polygons(polygons) = &mut other.meshes[0].records[0] else { panic!("polygons") };
    polygons.count -= 1;
    let one = Polygons { count: 1, ..*polygons };
    assert_ne!(other, raw);
    other.meshes[0].records.push(MeshRecord::Polygons(one));
    assert_eq!(other, raw, "polygons of one kind in two records");
    let mut skin = Skin { weights: [200, 0, 55, 0, 0, 0, 0, 0], ..Skin::default() };
    let with = |skin: &Skin| Model { skins: vec![*skin], ..raw.clone() };
    let gap = with(&skin);
    skin.weights = [200, 55, 0, 0, 0, 0, 0, 0];
    assert_eq!(with(&skin), gap, "weights after a gap");
    skin.weights[1] = 54;
    assert_ne!(with(&skin), gap);
}

/// A model with an element in every list.
fn whole() -> Model {
    let mut model = Model { scale: 1.0, ..Model::default() };
    model.tex_coords.uvs = vec![Vec2::default(); 2];
    model.vertices.coords = vec![Vec4::default(); 2];
    model.vertices.colors = vec![Rgba8::WHITE; 2];
    model.vertices.skins = vec![SkinId(0); 2];
    model.skins = vec![Skin::rigid(BoneId(0)), Skin::rigid(BoneId(1))];
    let value = Value::Float(0.5);
    let properties = vec![Property { id: PropertyId::ROUGHNESS, value }];
    model.materials = vec![Material { name: "steel".into(), properties }];
    model.meshes = vec![Mesh::default()];
    model.voxel_types = vec![VoxelType::default()];
    let commands = vec![Command { id: CommandId::DIVIDE, args: vec![Arg::Coord(0.5)] }];
    model.shapes = vec![Shape { commands, ..Shape::default() }];
    model
}

#[test]
fn each_change_makes_another_model() {
    let changes: &[fn(&mut Model)] = &[
        |m| m.name = "x".into(),
        |m| m.license = "x".into(),
        |m| m.author = "x".into(),
        |m| m.description = "x".into(),
        |m| m.scale = 2.0,
        |m| m.scale = f32::NAN,
        |m| m.preview = Some(Vec::new()),
        |m| m.bones.push(Bone::default()),
        |m| m.procedurals.push(Procedural::default()),
        |m| m.voxel_blocks.push(VoxelBlock::default()),
        |m| m.labels.push(LabelGroup::default()),
        |m| m.actions.push(Action::default()),
        |m| m.assets.push(Asset::default()),
        |m| m.extras.push(Extra::default()),
        |m| m.tex_coords.uvs[1].x = 1.0,
        |m| m.tex_coords.uvs.truncate(1),
        |m| m.tex_coords.precise = vec![[0.0; 2]],
        |m| m.vertices.coords[1].y = f32::NAN,
        |m| m.vertices.colors[1] = Rgba8::new(1, 2, 3, 4),
        |m| m.vertices.colors.clear(),
        |m| m.vertices.colors = vec![Rgba8::default(); 2],
        |m| m.vertices.skins[1] = SkinId(1),
        |m| m.vertices.skins.truncate(1),
        |m| m.vertices.skins.clear(),
        |m| m.skins.truncate(1),
        |m| m.materials[0].name = "x".into(),
        |m| m.materials[0].properties[0].id = PropertyId::METALLIC,
        |m| m.materials[0].properties[0].value = Value::Float(0.25),
        |m| m.materials[0].properties.clear(),
        |m| m.meshes[0].vertices.push(VertexId(0)),
        |m| m.meshes[0].tex_coords.push(TexCoordId(0)),
        |m| m.meshes[0].normals.push(VertexId(0)),
        |m| m.meshes[0].maximums.push(VertexId(0)),
        |m| m.meshes[0].use_material("x"),
        |m| m.meshes.push(Mesh::default()),
        |m| m.voxel_types[0].color = Rgba8::WHITE,
        |m| m.voxel_types[0].name = "x".into(),
        |m| m.voxel_types[0].rotation = 1,
        |m| m.voxel_types[0].shape = 1,
        |m| m.voxel_types[0].skin = SkinId(1),
        |m| m.voxel_types[0].items.push(VoxelItem::default()),
        |m| m.shapes[0].name = "x".into(),
        |m| m.shapes[0].group = BoneId(1),
        |m| m.shapes[0].commands[0].id = CommandId::LENGTH,
        |m| m.shapes[0].commands[0].args[0] = Arg::Coord(0.25),
        |m| m.shapes[0].commands.clear(),
    ];
    let whole = whole();
    assert_eq!(whole, whole.clone());
    assert!(whole.same_layout(&whole.clone()));
    for (number, change) in changes.iter().enumerate() {
        let mut other = whole.clone();
        change(&mut other);
        assert_eq!((whole == other, other == whole), (false, false), "change {number}");
        assert_eq!(other, other.clone(), "change {number}");
    }
}

#[test]
fn doubles_that_are_the_floats_make_no_difference() {
    let whole = whole();
    let mut doubles = whole.clone();
    doubles.tex_coords.precise = vec![[0.0; 2]; 2];
    doubles.vertices.precise = vec![[0.0; 4]; 2];
    assert_eq!(doubles, whole);
    doubles.vertices.precise[1][3] = 1e-300;
    assert_ne!(doubles, whole);
    // Columns of a wrong length cannot be written; their lengths are compared.
    let with = |len: usize| {
        let mut model = whole.clone();
        model.vertices.precise = vec![[0.0; 4]; len];
        model
    };
    assert_eq!(with(3), with(3));
    assert!(with(3) != whole && whole != with(3) && with(1) != with(3));
}

#[test]
fn polygons_of_one_kind_are_one_run() {
    let polygons =
        |count, sides| MeshRecord::Polygons(Polygons { count, sides, parts: CornerParts::default() });
    let with = |records: &[MeshRecord]| {
        let meshes = vec![Mesh { records: records.to_vec(), ..Mesh::default() }];
        Model { meshes, ..Model::default() }
    };
    let name = || MeshRecord::Material("x".into());
    let nine = with(&[polygons(9, 3)]);
    assert_eq!(with(&[polygons(2, 3), polygons(3, 3), polygons(4, 3)]), nine);
    assert_eq!(with(&[polygons(0, 4), polygons(9, 3), polygons(0, 3)]), nine);
    assert_ne!(with(&[polygons(2, 3), polygons(7, 4)]), nine);
    assert_ne!(with(&[polygons(2, 3), name(), polygons(7, 3)]), nine);
    assert_ne!(with(&[polygons(2, 3), name(), polygons(7, 3)]), with(&[polygons(9, 3), name()]));
}
