//! The width of each kind of number in a file: the least that the format allows, or that of the file that was read.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "small models that are known")]

use m3d::errors::ErrorKind;
use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::{
    Action, Bone, BoneId, Command, CommandId, Coordinates, Frame, Mesh, Model, Skin, TexCoordId, TypeField,
    Types, VertexId, Voxel, VoxelBlock, VoxelItem, VoxelType, WriteOptions,
};

use crate::hostile::{NARROW, file};

fn read(bytes: &[u8]) -> Model {
    m3d::from_slice(bytes).unwrap()
}

fn again(model: &Model) -> Model {
    let read = read(&m3d::to_vec(model).unwrap());
    assert_eq!(read, *model);
    read
}

/// The width of a field in bytes, after the model was written.
fn size(model: &Model, field: TypeField) -> usize {
    again(model).layout.types().unwrap().size(field)
}

/// A model that was read from a file with these widths.
fn with_types(types: u32) -> Model {
    let model = read(&file(types, b"n\0\0\0\0", &[]));
    assert_eq!(model.layout.types(), Some(Types(types)));
    model
}

#[test]
fn a_new_file_has_no_width_that_it_does_not_want() {
    // The smallest file in FORMAT.md.
    let dot = Model { name: "dot".into(), scale: 1.0, ..Model::default() };
    let bytes = WriteOptions::new().raw(true).write(&dot).unwrap();
    assert_eq!(bytes[..24], *b"3DMO\x23\0\0\0HEAD\x17\0\0\0\0\0\x80\x3f\xc0\xcf\xff\x03");
    assert_eq!(bytes[24..], *b"dot\0\0\0\0OMD3");
}

#[test]
fn a_new_file_has_widths_for_its_lists() {
    // 253 entries fit into one byte: 254 and 255 are reserved indices, and counts stay below them.
    let sizes = |model: &Model, field| size(model, field);
    for (count, bytes) in [(1, 1), (253, 1), (254, 2), (65_533, 2), (65_534, 4)] {
        let mut model = Model::default();
        model.vertices.coords = vec![Vec4::default(); count];
        assert_eq!(sizes(&model, TypeField::Vertex), bytes, "{count} vertices");
        model.vertices.coords.clear();
        model.tex_coords.uvs = vec![Vec2::default(); count];
        assert_eq!(sizes(&model, TypeField::TexCoord), bytes, "{count} texture coordinates");
        // Indices of voxels have at most two bytes.
        model.tex_coords.uvs.clear();
        model.voxel_types = vec![VoxelType::default(); count];
        assert_eq!(sizes(&model, TypeField::Voxel), bytes.min(2), "{count} types");
    }
    let mut model = Model { bones: vec![Bone::default(); 254], ..Model::default() };
    model.skins = vec![Skin::rigid(BoneId(0)); 3];
    model.actions = vec![Action { frames: vec![Frame::default()], ..Action::default() }];
    let types = again(&model).layout.types().unwrap();
    let sizes = [TypeField::Bone, TypeField::Skin, TypeField::FrameCount, TypeField::Face, TypeField::Shape];
    assert_eq!(sizes.map(|field| types.size(field)), [2, 1, 1, 0, 0]);
    // If there are shapes, faces have indices.
    let mut mesh = Mesh::default();
    for _ in 0..254 {
        mesh.push(m3d::Corners { vertices: &[VertexId(0)], ..Default::default() }).unwrap();
    }
    model.meshes.push(mesh);
    assert_eq!(size(&model, TypeField::Face), 0);
    model.shapes.push(m3d::Shape::default());
    assert_eq!((size(&model, TypeField::Face), size(&model, TypeField::Shape)), (2, 1));
}

#[test]
fn blocks_of_voxels_have_a_sign_at_both_ends() {
    let block = |from: i32, size: u32| VoxelBlock {
        position: [0, from, 0],
        size: [0, size, 0],
        ..VoxelBlock::default()
    };
    for (from, length, bytes) in [
        (0, 127, 1),
        (0, 128, 2),
        (100, 27, 1),
        (100, 28, 2),
        (-128, 255, 1),
        (-129, 1, 2),
        (0, 32_767, 2),
        (0, 32_768, 4),
        (-32_768, 65_535, 2),
        (-32_769, 1, 4),
        (i32::MAX, 1, 4),
    ] {
        let model = Model { voxel_blocks: vec![block(from, length)], ..Model::default() };
        assert_eq!(size(&model, TypeField::VoxelDim), bytes, "{length} from {from}");
    }
    // The width of a file is kept while each number fits: positions are signed, sizes unsigned.
    let widths = |bits: u32| NARROW & !(3 << 22) | bits << 22;
    for (bits, from, length, bytes) in [
        (0, 127, 255, 1),
        (0, -128, 255, 1),
        (0, 128, 0, 2),
        (0, -129, 0, 2),
        (0, 0, 256, 2),
        (1, 32_767, 65_535, 2),
        (1, -32_768, 65_535, 2),
        (1, 32_768, 0, 4),
        (1, 0, 65_536, 4),
        (3, 0, 0, 0),
        (3, -1, 0, 1),
        (3, 1, 0, 1),
    ] {
        let mut model = with_types(widths(bits));
        model.voxel_blocks = vec![block(from, length)];
        assert_eq!(size(&model, TypeField::VoxelDim), bytes, "{length} from {from} where it was {bits}");
    }
}

#[test]
fn a_width_of_the_file_grows_only_as_far_as_it_must() {
    let mut model = with_types(NARROW & !(3 << 8));
    model.tex_coords.uvs = vec![Vec2::default(); 65_534];
    let mut mesh = Mesh::default();
    mesh.push(m3d::Corners {
        vertices: &[VertexId(0)],
        tex_coords: &[TexCoordId(300)],
        ..Default::default()
    })
    .unwrap();
    model.meshes.push(mesh);
    assert_eq!(size(&model, TypeField::TexCoord), 2, "it needs no more, however long the list is");
    // If the file has no such width, the list gets the one of a new file.
    model.layout = with_types(NARROW).layout;
    assert_eq!(size(&model, TypeField::TexCoord), 4);
}

#[test]
fn voxels_take_two_bytes_from_the_254th_type_on() {
    for (voxel, bytes) in
        [(Voxel(0), 1), (Voxel(253), 1), (Voxel(254), 2), (Voxel::CLEAR, 1), (Voxel::UNSET, 1)]
    {
        let mut model = with_types(NARROW & !(3 << 24));
        model.voxel_blocks =
            vec![VoxelBlock { size: [2, 1, 1], voxels: vec![voxel; 2], ..Default::default() }];
        assert_eq!(size(&model, TypeField::Voxel), bytes, "{voxel:?}");
    }
}

#[test]
fn coordinates_round_within_one_and_floats_anywhere() {
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::new(1.5, 0.0, 0.0, 1.0)];
    model.tex_coords.uvs = vec![Vec2::default()];
    let write = |model: &Model, coordinates| WriteOptions::new().coordinates(coordinates).write(model);
    for coordinates in [Coordinates::Int8, Coordinates::Int16] {
        let error = write(&model, coordinates).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unwritable(_)), "{error}");
    }
    for coordinates in [Coordinates::Float, Coordinates::Double] {
        assert_eq!(read(&write(&model, coordinates).unwrap()).vertices, model.vertices);
    }
    // Doubles that floats represent exactly need no column of their own.
    let double = read(&write(&model, Coordinates::Double).unwrap());
    assert_eq!(double.layout.types().unwrap().size(TypeField::Coord), 8);
    assert!(double.vertices.precise.is_empty() && double.tex_coords.precise.is_empty());
}

#[test]
fn palettes_grow_until_their_indices_are_full() {
    let color = |value: u32| Rgba8::from(value.to_le_bytes());
    let own = |bits: u32, count: u32| {
        let palette: Vec<u8> = (1..=count).flat_map(u32::to_le_bytes).collect();
        file(NARROW & !(3 << 6) | bits << 6, b"n\0\0\0\0", &[(b"CMAP", palette)])
    };
    for (bits, count, bytes) in [(0, 255, [1, 2]), (1, 65_535, [2, 4])] {
        let mut model = read(&own(bits, count));
        for (more, bytes) in (1..).zip(bytes) {
            model.vertices.coords.push(Vec4::default());
            model.vertices.colors.push(color(count + more));
            assert_eq!(size(&model, TypeField::Color), bytes, "{count} and {more} more");
        }
    }
    // Other programs take indices of 254 and more for -2 and -1, so larger palettes have two bytes.
    for (count, bytes) in [(1, 1), (253, 1), (254, 2), (65_533, 2), (65_534, 4)] {
        let mut model = Model::default();
        model.vertices.coords = vec![Vec4::default(); count];
        model.vertices.colors = (1..).map(color).take(count).collect();
        assert_eq!(size(&model, TypeField::Color), bytes, "{count} colours");
    }
}

#[test]
fn too_many_entries_are_counted() {
    let items = vec![VoxelItem::default(); 256];
    let model = Model { voxel_types: vec![VoxelType { items, ..VoxelType::default() }], ..Model::default() };
    let error = m3d::to_vec(&model).unwrap_err().to_string();
    assert!(error.contains("expected at most 255 entries, found 256"), "{error}");
    let frames = vec![Frame::default(); 65_536];
    let model = Model { actions: vec![Action { frames, ..Action::default() }], ..Model::default() };
    let error = m3d::to_vec(&model).unwrap_err().to_string();
    assert!(error.contains("expected at most 65535 entries, found 65536"), "{error}");
}

#[test]
fn commands_that_no_file_can_have() {
    let with = |id: u16, args: Vec<m3d::Arg>| {
        let commands = vec![Command { id: CommandId(id), args }];
        m3d::to_vec(&Model {
            shapes: vec![m3d::Shape { commands, ..Default::default() }],
            ..Model::default()
        })
    };
    let other = |bytes: &[u8]| vec![m3d::Arg::Other(bytes.to_vec())];
    // 15 bits: seven in the first byte, eight in the second.
    assert!(with(0x7fff, other(b"x")).is_ok());
    assert!(with(0x8000, other(b"x")).is_err());
    assert!(with(CommandId::DIVIDE.0, vec![m3d::Arg::Coord(0.5)]).is_ok());
    let refused = |id: CommandId, args| with(id.0, args).unwrap_err().to_string();
    assert_eq!(
        refused(CommandId::DIVIDE, vec![m3d::Arg::Int(1)]),
        "cannot write an `Arg::Int` as an argument of the shape command `div` (expected an `Arg::Coord`) \
         in shapes[0].commands[0].args[0]"
    );
    assert_eq!(
        refused(CommandId::TRIM, vec![m3d::Arg::Int(1)]),
        "cannot write 1 argument for the shape command `trim` (expected a multiple of 2) \
         in shapes[0].commands[0].args"
    );
    let end = Command { id: CommandId(300), args: other(b"x") };
    let commands = vec![end.clone(), end];
    let model = Model { shapes: vec![m3d::Shape { commands, ..Default::default() }], ..Model::default() };
    assert_eq!(m3d::to_vec(&model).unwrap_err().path(), "shapes[0].commands[0]");
}
