//! MagicaVoxel: a file made by hand, and real ones.

use rezkit_scene::{Scene, SceneOptions, vox};

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
