//! Files made by hand from FORMAT.md, and how they are written after an edit of the model.
#![allow(clippy::unwrap_used, reason = "small files that are known")]

use m3d::errors::ErrorKind;
use m3d::geom::{Rgba8, Vec4};
use m3d::{
    Asset, ChunkKind, Coordinates, CornerParts, Corners, Material, Mesh, MeshRecord, Model, Polygons,
    PropertyId, ReadOptions, TexCoordId, Types, Value, VertexId, Voxel, VoxelBlock, VoxelType, WriteOptions,
};

use crate::hostile::{NARROW, file};

/// The string table of most files here: a title, and `steel` at offset 5.
const STRINGS: &[u8] = b"n\0\0\0\0steel\0";

/// Reads a file, which must be written as the same bytes.
fn read(bytes: &[u8]) -> Model {
    let model = m3d::from_slice(bytes).unwrap();
    assert_eq!(m3d::to_vec(&model).unwrap(), bytes);
    model
}

fn again(model: &Model) -> Model {
    let again = m3d::from_slice(&m3d::to_vec(model).unwrap()).unwrap();
    assert_eq!(again, *model);
    again
}

/// The content of all chunks with this tag.
fn chunks(bytes: &[u8], tag: &[u8; 4]) -> Vec<Vec<u8>> {
    let payload = m3d::payload(bytes).unwrap();
    let all = m3d::chunks(&payload).unwrap().map(|chunk| chunk.unwrap());
    all.filter(|chunk| chunk.tag.0 == *tag).map(|chunk| chunk.payload.to_vec()).collect()
}

fn refused(model: &Model) -> String {
    m3d::to_vec(model).unwrap_err().path().to_owned()
}

#[test]
fn corners_have_all_parts_or_as_many_as_they_state() {
    let all = [VertexId(0), VertexId(1), VertexId(2)];
    let mut mesh = Mesh::default();
    assert!(mesh.is_empty());
    mesh.use_parameter("bend");
    assert!(mesh.is_empty());
    let corners = Corners {
        vertices: &all,
        tex_coords: &[TexCoordId(7); 3],
        normals: &[VertexId(3); 3],
        maximums: &[VertexId(4); 3],
    };
    mesh.push(corners).unwrap();
    assert!(!mesh.is_empty());
    for wrong in [
        Corners { tex_coords: &[TexCoordId(7); 2], ..corners },
        Corners { normals: &all[..1], ..corners },
        Corners { maximums: &[VertexId(0); 4], ..corners },
    ] {
        assert!(mesh.push(wrong).is_err());
    }
    let records = |count, parts| {
        let polygons = Polygons { count, sides: 3, parts: CornerParts(parts) };
        vec![MeshRecord::Parameter("bend".into()), MeshRecord::Polygons(polygons)]
    };
    assert_eq!(mesh.records, records(1, 7));
    assert_eq!(mesh.polygons().next().unwrap().parameter, "bend");
    let with = |records| Model { meshes: vec![Mesh { records, ..mesh.clone() }], ..Model::default() };
    // A triangle with all parts is 0x37; bit 3 has no meaning, and adds no bytes.
    let corner = |vertex| [vertex, 7, 3, 4];
    for (parts, first) in [(7, 0x37), (15, 0x3f)] {
        let written = m3d::to_vec(&with(records(1, parts))).unwrap();
        let polygon = [&[first][..], &[corner(0), corner(1), corner(2)].concat()].concat();
        // Byte 1 is the parameter's name: the offset of the first string after the four of the header.
        assert_eq!(chunks(&written, b"MESH"), [[&[1, 4][..], &polygon].concat()]);
    }
    assert_eq!(refused(&with(records(1, 16 + 7))), "meshes[0].records[1]");
    assert_eq!(refused(&with(records(2, 7))), "meshes[0].records[1]");
    for id in [0, 1, 16] {
        assert_eq!(refused(&with(vec![MeshRecord::Property(id, "x".into())])), "meshes[0].records[0]");
    }
    let both = CornerParts::TEX_COORD.with(CornerParts::NORMAL);
    assert_eq!((both, both.with(CornerParts::NORMAL)), (CornerParts(3), CornerParts(3)));
}

#[test]
fn types_of_voxels_that_no_file_can_have() {
    let with = |kind: VoxelType| Model { voxel_types: vec![kind], ..Model::default() };
    assert_eq!(refused(&with(VoxelType { shape: 512, ..VoxelType::default() })), "voxel_types[0].shape");
    assert_eq!(
        refused(&with(VoxelType { rotation: 0x40, ..VoxelType::default() })),
        "voxel_types[0].rotation"
    );
    // Bit 8 of the shape is stored as bit 6 of the rotation.
    let written =
        m3d::to_vec(&with(VoxelType { shape: 511, rotation: 0x95, ..VoxelType::default() })).unwrap();
    assert_eq!(chunks(&written, b"VOXT"), [[0, 0x95 | 0x40, 255, 0]]);
}

#[test]
fn a_library_gives_what_is_missing_and_wanted() {
    let material = |name: &str, texture: &str| {
        let mut material = Material { name: name.into(), ..Material::default() };
        material.set(PropertyId::MAP_DIFFUSE, Value::Map(texture.into()));
        material
    };
    let asset = |name: &str, byte| Asset { name: name.into(), data: vec![byte] };
    let mut model = Model { assets: vec![asset("own", 1)], ..Model::default() };
    let library = Model {
        materials: vec![material("steel", "rust"), material("brass", "own")],
        assets: vec![asset("unused", 2), asset("rust.png", 3), asset("own.png", 4)],
        ..Model::default()
    };
    assert_eq!(model.merge_materials(&library), 2);
    assert_eq!(model.assets, [asset("own", 1), asset("rust.png", 3)]);
    assert_eq!(model.material("brass"), Some(&library.materials[1]));
    assert_eq!(model.material("gold"), None);
}

#[test]
fn chunks_are_where_they_were_and_new_ones_where_they_belong() {
    use ChunkKind::{Material as Steel, Mesh as Polygons, Vertices};
    let types = NARROW & !(3 << 6 | 3 << 14) | 3 << 6 | 3 << 14;
    let vertex = (b"VRTS", vec![0, 127, 0, 127]);
    let order = |model: &Model| again(model).layout.chunks().collect::<Vec<_>>();
    let bytes = file(types, STRINGS, &[(b"MESH", vec![0, 5]), vertex.clone()]);
    let mut model = read(&bytes);
    // A new material comes after the vertices and before the first mesh; here the mesh comes before the vertices.
    model.materials.push(Material::default());
    assert_eq!(order(&model), [Polygons, Vertices, Steel]);
    let mut model = read(&file(types, STRINGS, &[vertex, (b"MESH", vec![0, 5])]));
    model.materials.push(Material::default());
    assert_eq!(order(&model), [Vertices, Steel, Polygons]);
    model.meshes.clear();
    assert_eq!(order(&model), [Vertices, Steel]);
}

#[test]
fn nothing_comes_after_the_end() {
    let bytes = [file(NARROW, STRINGS, &[(b"PROC", vec![5])]), b"PROC\x09\0\0\0\x05".to_vec()].concat();
    assert_eq!(read(&bytes).procedurals.len(), 1);
    let chunks: Vec<_> = m3d::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap().tag.0).collect();
    assert_eq!(chunks, [*b"HEAD", *b"PROC", *b"OMD3"]);
}

#[test]
fn a_wrong_size_is_kept_with_the_file_that_has_it() {
    let mut model = read(&file(NARROW, STRINGS, &[(b"PROC", vec![5])]));
    model.procedurals.clear();
    let written = m3d::to_vec(&model).unwrap();
    let stated = u32::from_le_bytes(*written[4..].first_chunk().unwrap());
    assert_eq!(stated as usize, written.len());
}

#[test]
fn names_stay_where_they_are() {
    // 7 is an empty string between `a` and `b`, and 200 is out of range.
    let strings = b"n\0\0\0\0a\0\0b\0";
    let mut model =
        read(&file(NARROW, strings, &[(b"PROC", vec![7]), (b"PROC", vec![200]), (b"PROC", vec![8])]));
    let names: Vec<_> = model.procedurals.iter().map(|script| script.script.to_string()).collect();
    assert_eq!(names, ["", "", "b"]);
    model.name = "nnn".into();
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"PROC"), [[7], [200], [8]]);
    // Strings that the title overwrites are added at the end.
    model.name = "a title of fourteen".into();
    let written = m3d::to_vec(&model).unwrap();
    assert_eq!(chunks(&written, b"PROC"), [[0], [200], [23]]);
    assert_eq!(again(&model).procedurals[2].script, "b");
    // A shorter title leaves a gap.
    let mut short = again(&model);
    short.name.clear();
    assert_eq!(chunks(&m3d::to_vec(&short).unwrap(), b"PROC"), [[0], [200], [23]]);
    // A table of fewer than four strings is filled up, so that a new name is not one of the four.
    let mut model = read(&file(NARROW, b"title\0", &[]));
    model.procedurals.push(m3d::Procedural { script: "run".into() });
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"HEAD")[0][8..], *b"title\0\0\0\0run\0");
}

#[test]
fn a_name_past_one_byte_takes_two() {
    // `steel` at offset 5 and, for the command `use`, at 246.
    let mut strings = STRINGS.to_vec();
    strings.extend([b'x'; 234]);
    strings.extend(b"\0steel\0");
    assert_eq!(strings[246..], *b"steel\0");
    let mut model = read(&file(NARROW, &strings, &[(b"SHPE", vec![0, 0, 246])]));
    model.name = "a long title".into();
    let written = m3d::to_vec(&model).unwrap();
    assert_eq!(chunks(&written, b"SHPE"), [[0, 0, 246]]);
    // The title overwrites both, and the name is added after it, at 307 (0x133).
    model.name = "x".repeat(303).into();
    let written = m3d::to_vec(&model).unwrap();
    assert_eq!(chunks(&written, b"SHPE"), [[0, 0, 0, 0x33, 1]]);
    again(&model);
}

#[test]
fn of_equal_names_the_one_of_the_file_is_kept() {
    // Two labels at vertices 1 and 2 whose texts are the second `steel`.
    let strings = b"n\0\0\0\0steel\0steel\0";
    let mut model = read(&file(NARROW, strings, &[(b"LBLS", vec![0, 0, 1, 11, 2, 11])]));
    assert_eq!(model.labels[0].labels[1].text, "steel");
    model.labels[0].labels[0].vertex = VertexId(3);
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"LBLS"), [[0, 0, 3, 11, 2, 11]]);
}

#[test]
fn bytes_that_are_no_whole_record_are_a_tail() {
    // With names of two bytes, a label has three bytes.
    let types = NARROW & !(3 << 4) | 1 << 4;
    for tail in [&[][..], &[9], &[9, 9]] {
        let labels = [&[0, 0, 0, 0, 1, 5, 0][..], tail].concat();
        let model = read(&file(types, STRINGS, &[(b"LBLS", labels)]));
        assert_eq!(model.labels[0].labels.len(), 1);
        let found = m3d::check(&model).iter().any(|finding| finding.rule.id == "m3d.chunk-tail");
        assert_eq!(found, !tail.is_empty());
    }
    // A count that the bytes cannot contain is an error that names it.
    let bones = NARROW & !(3 << 10 | 3 << 14);
    let error = m3d::from_slice(&file(bones, STRINGS, &[(b"BONE", vec![0, 100, 255])])).unwrap_err();
    assert!(error.to_string().contains("skins.count"), "{error}");
}

/// A tail that would become a record is refused, even if coordinates are rounded.
#[test]
fn a_tail_never_becomes_a_record() {
    // A vertex with floats has 16 bytes. With int8 coordinates, the 4 bytes after it would be a vertex.
    let floats = NARROW | 2;
    let vertex = [[0; 12], [0, 0, 0x80, 0x3f, 9, 9, 9, 9, 0, 0, 0, 0]].concat();
    let model = read(&file(floats, STRINGS, &[(b"VRTS", vertex[..20].to_vec())]));
    assert_eq!(model.vertices.len(), 1);
    for coordinates in [Coordinates::Int8, Coordinates::Int16, Coordinates::Float, Coordinates::Double] {
        let written = WriteOptions::new().coordinates(coordinates).write(&model);
        let vertices = written.map(|bytes| m3d::from_slice(&bytes).unwrap().vertices.len());
        match coordinates {
            Coordinates::Int8 => assert_eq!(vertices.unwrap_err().path(), "layout.chunks[0]"),
            _ => assert_eq!(vertices.unwrap(), 1, "{coordinates:?}"),
        }
    }
}

#[test]
fn commands_from_128_on_have_two_bytes() {
    // 128 is 0x80 and 0x01; 200 is 0xc8 and 0x01.
    for (id, low, high) in [(128, 0x80, 1), (200, 0xc8, 1), (300, 0xac, 2)] {
        let mut model = read(&file(NARROW, STRINGS, &[(b"SHPE", vec![0, low, high, 1, 2])]));
        let command = &model.shapes[0].commands[0];
        assert_eq!((command.id.0, &command.args[..]), (id, &[m3d::Arg::Other(vec![1, 2])][..]));
        model.layout = m3d::Layout::default();
        let written = m3d::to_vec(&model).unwrap();
        assert!(chunks(&written, b"SHPE")[0].ends_with(&[low, high, 1, 2]), "there is no shorter way");
    }
    // An id below 128 has one byte, unless it had two in the file.
    let mut model = read(&file(NARROW, STRINGS, &[(b"SHPE", vec![0, 0x80 | 37, 0, 1, 2, 3])]));
    model.name = "other".into();
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"SHPE"), [[0, 0x80 | 37, 0, 1, 2, 3]]);
    model.layout = m3d::Layout::default();
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"SHPE")[0].len(), 5);
}

#[test]
fn runs_of_voxels() {
    let block = |voxels: Vec<Voxel>| {
        let size = [u32::try_from(voxels.len()).unwrap(), 1, 1];
        let model = Model {
            voxel_blocks: vec![VoxelBlock { size, voxels, ..VoxelBlock::default() }],
            ..Model::default()
        };
        // Skip the name, the position and the size in this width, the uncertainty and the group.
        let width = if size[0] < 128 { 1 } else { 2 };
        chunks(&m3d::to_vec(&model).unwrap(), b"VOXD")[0].split_off(1 + 6 * width + 2)
    };
    let voxels = |ids: &[u16]| ids.iter().copied().map(Voxel).collect::<Vec<_>>();
    assert_eq!(block(voxels(&[1, 2, 3, 3, 3, 4])), [1, 1, 2, 0x82, 3, 0, 4]);
    assert_eq!(block(voxels(&[5, 5, 1, 65_535, 65_534])), [0x81, 5, 2, 1, 255, 254]);
    // A run of either kind has at most 128 voxels.
    let turns: Vec<u16> = (0..129).map(|place| place % 2).collect();
    let bytes: Vec<u8> = (0..128).map(|place| place % 2).collect();
    assert_eq!(block(voxels(&turns)), [&[127][..], &bytes, &[0, 0]].concat());
    assert_eq!(block(vec![Voxel(7); 258]), [0xff, 7, 0xff, 7, 0x81, 7]);

    // The file's runs are kept while their voxels are the same.
    let types = NARROW & !(3 << 22 | 3 << 24);
    let own = [0, 0, 0, 0, 3, 1, 1, 0, 0, 0, 7, 0x81, 7];
    let mut model = read(&file(types, STRINGS, &[(b"VOXD", own.to_vec())]));
    assert_eq!(model.voxel_blocks[0].voxels, [Voxel(7); 3]);
    model.voxel_blocks[0].voxels[1] = Voxel(8);
    assert_eq!(chunks(&m3d::to_vec(&model).unwrap(), b"VOXD")[0][9..], [2, 7, 8, 7]);
}

#[test]
fn indices_of_no_colour() {
    let indexed = NARROW & !(3 << 6);
    let red = Rgba8::new(255, 0, 0, 255);
    let vertex = |color| [0, 0, 0, 127, color];
    let with = |palette: &[Rgba8], colors: &[u8]| {
        let palette = palette.iter().flat_map(|color| color.to_array()).collect();
        let vertices = colors.iter().flat_map(|&color| vertex(color)).collect();
        read(&file(indexed, STRINGS, &[(b"CMAP", palette), (b"VRTS", vertices)]))
    };
    // 1 is the first index out of the palette's range: it is kept, and needs no entry.
    let model = with(&[red], &[0, 1]);
    assert_eq!(model.vertices.colors, [red, Rgba8::default()]);
    // With one more colour, 1 would be that colour, so "no colour" gets an entry.
    let mut more = model.clone();
    more.vertices.colors[0] = Rgba8::WHITE;
    assert_eq!(again(&more).layout.palette(), [red, Rgba8::WHITE, Rgba8::default()]);
    // If the index is farther out of range, no entry is needed.
    let mut more = with(&[red], &[0, 9]);
    more.vertices.colors[0] = Rgba8::WHITE;
    assert_eq!(again(&more).layout.palette(), [red, Rgba8::WHITE]);
    // The second red is unused now.
    let mut model = with(&[red, red], &[1]);
    model.vertices.colors.clear();
    assert_eq!(again(&model).vertices.colors, []);
    // Colours without an index, or with an index without a width, add no entry to the palette.
    let mut model = read(&file(NARROW & !(3 << 6) | 2 << 6, STRINGS, &[(b"CMAP", red.to_array().to_vec())]));
    model.vertices.coords = vec![Vec4::default(); 2];
    model.vertices.colors = vec![Rgba8::WHITE, Rgba8::default()];
    assert_eq!(again(&model).layout.palette(), [red]);
    assert_eq!(model.layout.types(), Some(Types(NARROW & !(3 << 6) | 2 << 6)));
}

#[test]
fn streams_that_are_long_cut_or_none() {
    // A million zeros compress to a few kilobytes.
    let assets = vec![Asset { name: "zeros".into(), data: vec![0; 1_000_000] }];
    let model = Model { assets, ..Model::default() };
    let bytes = WriteOptions::new().raw(false).write(&model).unwrap();
    assert!(bytes.len() < 10_000);
    assert_eq!(m3d::from_slice(&bytes).unwrap(), model);
    let error = m3d::from_slice(&bytes[..bytes.len() - 10]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnexpectedEnd), "{error}");
    let error = m3d::from_slice(b"3DMO\0\0\0\0no stream at all").unwrap_err().to_string();
    assert!(error.contains("expected the header (HEAD) or a zlib stream"), "{error}");
    let error = m3d::from_slice(b"3DMO\0\0\0\0x\x9cno stream").unwrap_err().to_string();
    assert!(error.contains("missing or malformed zlib stream"), "{error}");
    let mut wrong = bytes.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let error = m3d::from_slice(&wrong).unwrap_err().to_string();
    assert!(error.contains("wrong zlib checksum"), "{error}");
    for allowed in [0, 100] {
        let error = ReadOptions::new().max_bytes(allowed).read(&bytes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{allowed}: {error}");
    }
}
