//! MagicaVoxel: files made by hand, and real ones.

use std::collections::BTreeMap;
use std::path::Path;

use rezkit_scene::{Budget, ErrorKind, Scene, SceneOptions, vox};

use crate::{near, shown};

fn read(bytes: &[u8]) -> rezkit_scene::Result<(Scene, Vec<String>)> {
    let (scene, losses) = vox::READER.read("MagicaVoxel", bytes, "a.vox", &SceneOptions::new(), &mut ())?;
    Ok((scene, shown(&losses)))
}

fn chunk(id: &[u8; 4], numbers: &[u32]) -> Vec<u8> {
    let content: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let length = u32::try_from(content.len()).expect("a short chunk").to_le_bytes();
    [&id[..], &length, &[0; 4], &content].concat()
}

/// Two voxels beside each other in x, and one of another colour above the first.
fn file() -> Vec<u8> {
    let voxel = |[x, y, z]: [u8; 3], color: u8| u32::from_le_bytes([x, y, z, color]);
    let voxels = [3, voxel([0, 0, 0], 1), voxel([1, 0, 0], 1), voxel([0, 0, 1], 216)];
    [&b"VOX \x96\0\0\0MAIN\0\0\0\0\0\0\0\0"[..], &chunk(b"SIZE", &[2, 1, 2]), &chunk(b"XYZI", &voxels)]
        .concat()
}

#[test]
fn neighbours_of_one_colour_share_their_faces() {
    let (scene, losses) = read(&file()).expect("a scene");
    assert_eq!(losses, [""; 0]);
    let mesh = &scene.meshes[0].primitives[0].mesh;
    // The lower two: bottom, front, back, left, right, and the top of the right one; the upper one has five.
    assert_eq!(mesh.triangles.len(), 2 * (6 + 5));
    // z is up in the file, y in the scene; the origin is the middle, rounded down.
    let bounds = scene.bounds().expect("bounds");
    near("min", &bounds.min.to_array(), &[-1.0, -1.0, -1.0], 1e-6);
    near("max", &bounds.max.to_array(), &[1.0, 1.0, 0.0], 1e-6);
    // Each triangle faces outwards: the volume is that of three voxels.
    let corner = |index: u32| mesh.positions[index as usize].to_array();
    let volume: f32 = mesh
        .triangles
        .iter()
        .map(|triangle| {
            let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = triangle.map(corner);
            (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0
        })
        .sum();
    near("volume", &[volume], &[3.0], 1e-5);
    // Without its own palette, colour 1 is white, and 216 the first of the ramp of red.
    let colors: std::collections::BTreeSet<[u8; 4]> = mesh
        .colors
        .iter()
        .map(|color| {
            let color = color.to_srgb();
            [color.r, color.g, color.b, color.a]
        })
        .collect();
    assert_eq!(colors.into_iter().collect::<Vec<_>>(), [[0xee, 0, 0, 255], [255; 4]]);
}

#[test]
fn damaged_files_have_a_place() {
    let outside = read(&[&file()[..32 + 12], &chunk(b"XYZI", &[1, 0xff])].concat()).expect_err("outside");
    assert_eq!(outside.path(), "XYZI", "{outside}");
    let cut = read(&file()[..50]).expect_err("cut");
    assert!(cut.reason().contains("unexpected end of input at offset 0x"), "{cut}");
}

#[test]
fn real_files_are_read() {
    let mut count = 0;
    for sample in testkit::corpus("models") {
        if sample.name.ends_with(".vox") {
            let (scene, _) = read(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            assert!(scene.triangle_count() > 0, "{}", sample.name);
            count += 1;
        }
    }
    assert!(count == 0 || count > 5, "{count}");
}

/// The file of the damaged inputs: the same voxels in a turned model of a layer.
fn placed() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/hostile/samples/vox/all.vox");
    std::fs::read(path).expect("a sample")
}

/// The voxels of a model by their places in the world.
fn voxels(model: &::m3d::Model) -> BTreeMap<[i64; 3], [u8; 4]> {
    let mut found = BTreeMap::new();
    for block in &model.voxel_blocks {
        for (cell, voxel) in block.iter().filter(|(_, voxel)| voxel.kind().is_some()) {
            let place = [0, 1, 2].map(|axis| i64::from(block.position[axis]) + i64::from(cell[axis]));
            let color = model.voxel_color(voxel);
            found.insert(place, [color.r, color.g, color.b, color.a]);
        }
    }
    found
}

#[test]
#[allow(clippy::cast_possible_truncation, reason = "bytes")]
fn models_are_blocks_of_model_3d() {
    let (model, losses) = vox::to_m3d(&placed(), &mut crate::budget()).expect("a model");
    crate::has(&losses, "that a model is hidden");
    let [block] = &model.voxel_blocks[..] else { panic!("a block") };
    assert_eq!(block.name, "Walls/Wall");
    // The rotation 17 (the first row is the second axis, negative, and the second row the first axis) turns (x, y, z) to
    // (-y, x, z); then it moves by (1, 2, 3). The pivot is (1, 0, 1). The first voxel, from (-1, 0, -1) to (0, 1, 0), comes
    // to (0, 1, 2), and the second, beside it in x, to (0, 2, 2). In Model 3D, y is up, and z is -y.
    let color = |number: usize| [0, 1, 2].map(|part| (((number - 1) * 4 + part) * 7 % 256) as u8);
    let [white, red] = [1, 216].map(color).map(|[r, g, b]| [r, g, b, 255]);
    let expected = BTreeMap::from([([0, 2, -2], white), ([0, 2, -3], white), ([0, 3, -2], red)]);
    assert_eq!(voxels(&model), expected);
}

/// Bytes of texts, as pairs in chunks of nodes have them.
fn pairs(of: &[(&str, &str)]) -> Vec<u8> {
    let text =
        |text: &str| [&u32::try_from(text.len()).expect("short").to_le_bytes()[..], text.as_bytes()].concat();
    let count = u32::try_from(of.len()).expect("few").to_le_bytes().to_vec();
    of.iter().fold(count, |bytes, (key, value)| [bytes, text(key), text(value)].concat())
}

/// The colours that no voxel has come back, and what Model 3D does not have is listed.
#[test]
fn palettes_come_back_and_hidden_layers_are_listed() {
    let raw = |id: &[u8; 4], content: &[u8]| {
        [&id[..], &u32::try_from(content.len()).expect("short").to_le_bytes(), &[0; 4], content].concat()
    };
    let number = |of: u32| of.to_le_bytes().to_vec();
    // The last five colours are empty.
    let colors: Vec<u8> =
        (0..255_u8).flat_map(|at| if at < 250 { [at, 7, 255 - at, 255] } else { [0; 4] }).collect();
    let palette = [colors, vec![0; 4]].concat();
    let node = |layer: u32| {
        [number(0), pairs(&[]), number(1), number(u32::MAX), number(layer), number(1), pairs(&[])]
    };
    let shape = [number(1), pairs(&[]), number(1), number(0), pairs(&[])];
    let hidden =
        [number(2), pairs(&[("_name", "attic"), ("_hidden", "1"), ("_color", "1 2 3")]), number(u32::MAX)];
    let shown_layer = [number(1), pairs(&[("_name", "floor")]), number(u32::MAX)];
    let bytes = [
        file(),
        raw(b"nTRN", &node(2).concat()),
        raw(b"nSHP", &shape.concat()),
        raw(b"LAYR", &hidden.concat()),
        raw(b"LAYR", &shown_layer.concat()),
        raw(b"rCAM", &[number(0), pairs(&[])].concat()),
        raw(b"RGBA", &palette),
    ]
    .concat();
    let (model, losses) = vox::to_m3d(&bytes, &mut crate::budget()).expect("a model");
    let expected = [
        "dropped: LAYR: the colours of layers",
        "dropped: rCAM: cameras",
        "dropped: LAYR: that a layer is hidden",
    ];
    assert_eq!(shown(&losses), expected);
    let (back, losses) = vox::from_m3d(&model, &mut crate::budget()).expect("a file");
    assert_eq!(losses, []);
    let at = memchr::memmem::find(&back, b"RGBA").expect("a palette") + 12;
    assert_eq!(back[at..at + 1024], palette[..]);
    let (scene, _) = read(&bytes).expect("a scene");
    assert_eq!(scene.nodes.iter().map(|node| node.hidden).collect::<Vec<_>>(), [true]);
    // Without a palette of its own, a file has 255 colours, the last of which are greys.
    let (model, _) = vox::to_m3d(&file(), &mut crate::budget()).expect("a model");
    assert_eq!(model.voxel_types.len(), 255);
    assert_eq!(model.voxel_types[254].color, geom::Rgba8::new(0x11, 0x11, 0x11, 255));
}

#[test]
fn voxels_survive_the_way_to_model_3d_and_back() {
    let mut samples: Vec<(String, Vec<u8>)> = vec![("a".into(), file()), ("b".into(), placed())];
    samples.extend(testkit::corpus("models").into_iter().map(|sample| (sample.name, sample.bytes.to_vec())));
    for (name, bytes) in samples.into_iter().filter(|(name, _)| name.len() == 1 || name.ends_with(".vox")) {
        let there = |bytes: &[u8]| vox::to_m3d(bytes, &mut Budget::new(1 << 30)).expect("a model").0;
        let model = there(&bytes);
        let (back, losses) = vox::from_m3d(&model, &mut Budget::new(1 << 30)).expect("a file");
        assert_eq!(shown(&losses), [""; 0], "{name}");
        // The number of voxels is that of the chunks, read without our reader.
        let mut count = 0;
        for at in memchr::memmem::find_iter(&bytes, b"XYZI") {
            count += bytes[at + 12..at + 16].iter().rev().fold(0, |sum, &byte| sum * 256 + usize::from(byte));
        }
        let found: usize = model
            .voxel_blocks
            .iter()
            .flat_map(|block| &block.voxels)
            .filter(|voxel| voxel.kind().is_some())
            .count();
        if !name.contains("anim") {
            assert_eq!(found, count, "{name}");
        }
        let again = there(&back);
        assert_eq!(voxels(&again), voxels(&model), "{name}");
        let names = |model: &::m3d::Model| {
            model.voxel_blocks.iter().map(|block| block.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&again), names(&model), "{name}");
        // Both are the same surface.
        let [first, second] = [&bytes, &back].map(|bytes| read(bytes).expect("a scene").0);
        if memchr::memmem::find(&bytes, b"nTRN").is_none() {
            assert_eq!(second.triangle_count(), first.triangle_count(), "{name}");
        }
    }
}

#[test]
#[allow(clippy::cast_possible_truncation, reason = "small numbers")]
fn blocks_larger_than_a_model_are_split() {
    let mut model = ::m3d::Model::default();
    for red in 0..300_u16 {
        let color = geom::Rgba8::new((red % 256) as u8, (red / 256) as u8, 0, 255);
        model.voxel_types.push(::m3d::VoxelType { color, ..Default::default() });
    }
    let mut block = ::m3d::VoxelBlock {
        name: "row".into(),
        position: [-5, 7, 2],
        size: [600, 2, 300],
        ..Default::default()
    };
    for (at, [x, y, z]) in [[0, 0, 0], [599, 1, 299], [256, 0, 255], [255, 1, 256]].into_iter().enumerate() {
        block.set(x, y, z, ::m3d::Voxel(at as u16)).expect("inside");
    }
    model.voxel_blocks.push(block);
    let (bytes, losses) = vox::from_m3d(&model, &mut Budget::new(1 << 30)).expect("a file");
    crate::has(&losses, "colours after 255");
    let (again, _) = vox::to_m3d(&bytes, &mut Budget::new(1 << 30)).expect("a model");
    assert_eq!(voxels(&again), voxels(&model));
    assert_eq!(
        vox::from_m3d(&::m3d::Model::default(), &mut crate::budget()).expect_err("empty").kind(),
        ErrorKind::Empty
    );
}
