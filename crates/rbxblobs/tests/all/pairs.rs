//! The fixtures, which were laid out by hand: their bytes are read as known values, and these are written as the bytes.

use geom::{Aabb, Rgba8, Vec3};
use rbxblobs::collision::{Hull, Mass};
use rbxblobs::union_mesh::UnionLayout;
use rbxblobs::{Attributes, Collision, PhysicsGrid, ReadOptions, SmoothGrid, Tags, UnionMesh, from_slice};
use testkit::fixture;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
const TRIANGLES: [[u32; 3]; 4] = [[0, 1, 2], [3, 0, 2], [1, 3, 2], [0, 3, 1]];

fn collision(name: &str) -> Collision {
    from_slice(&fixture("rbxblobs", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn hull(x: f32) -> Hull {
    let positions = CORNERS.map(|[a, b, c]| Vec3::new(a + x, b, c)).to_vec();
    Hull { positions, triangles: TRIANGLES.to_vec() }
}

#[test]
fn collision_of_every_version() {
    let block = collision("collision-0.bin");
    assert!(block.is_block() && block.hulls.is_empty() && block.bounds().is_none());
    let mass = Some(Mass {
        volume: 1.0 / 6.0,
        center: Vec3::new(0.25, 0.25, 0.25),
        inertia: [0.1, 0.0, 0.0, 0.2, 0.0, 0.3],
    });
    let two = [0.0, 2.0];
    for (name, version, kind, mass, at) in [
        ("collision-3.bin", 3, None, None, &two[..]),
        ("collision-5.bin", 5, None, None, &[0.0]),
        ("collision-6.bin", 6, None, mass, &two),
        ("collision-7.bin", 7, Some(3), mass, &two),
        ("collision-8.bin", 8, Some(1), None, &two),
        ("collision-8-raw.bin", 8, Some(2), None, &[-2.0, 0.0, 2.0]),
    ] {
        let collision = collision(name);
        let found = (collision.version, collision.kind, collision.mass);
        assert_eq!(found, (version, kind, mass), "{name}");
        assert_eq!(collision.hulls, at.iter().map(|&x| hull(x)).collect::<Vec<_>>(), "{name}");
        let [min, max] = [at[0], at[at.len() - 1] + 1.0];
        let bounds = Aabb { min: Vec3::new(min, 0.0, 0.0), max: Vec3::new(max, 1.0, 1.0) };
        assert_eq!(collision.bounds(), Some(bounds), "{name}");
        let mesh = collision.to_mesh();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4 * at.len(), 4 * at.len()), "{name}");
        assert!(mesh.is_consistent());
    }
}

#[test]
fn meshes_of_every_layout() {
    for (name, layout, levels) in [
        ("mesh-2.bin", UnionLayout::Csgmdl(2), std::iter::once(0..4).collect()),
        ("mesh-4.bin", UnionLayout::Csgmdl(4), vec![0..4, 4..5]),
        ("mesh-5.bin", UnionLayout::Csgmdl(5), vec![0..4, 4..5]),
        ("solid-mesh.bin", UnionLayout::SolidMesh, std::iter::once(0..4).collect()),
    ] {
        let mesh: UnionMesh =
            from_slice(&fixture("rbxblobs", name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((mesh.layout, &mesh.levels), (layout, &levels), "{name}");
        assert!(mesh.mesh.is_consistent(), "{name}");
        let position = |corner: u32| <[f32; 3]>::from(mesh.mesh.positions[corner as usize]);
        let corners: Vec<_> = mesh.triangles(0).iter().map(|triangle| triangle.map(position)).collect();
        assert_eq!(
            corners,
            TRIANGLES.map(|triangle| triangle.map(|corner| CORNERS[corner as usize])),
            "{name}"
        );
        assert!(mesh.mesh.normals.iter().all(|&normal| normal == Vec3::new(0.0, 0.0, -1.0)), "{name}");
        let (color, sides) = match layout {
            UnionLayout::SolidMesh => (Rgba8 { r: 255, g: 0, b: 128, a: 255 }, 0),
            _ => (Rgba8 { r: 196, g: 40, b: 28, a: 255 }, 4),
        };
        assert_eq!(mesh.mesh.colors, [color.to_linear(); 4], "{name}");
        assert_eq!(
            (mesh.sides.len(), mesh.tangents.len(), mesh.mesh.uvs.len()),
            (sides, sides, sides),
            "{name}"
        );
        assert!(mesh.mesh.uvs.iter().all(|uv| (uv.x, uv.y) == (0.25, 0.75)), "{name}");
        assert!(mesh.tangents.iter().all(|&tangent| tangent == Vec3::new(1.0, 0.0, 0.0)), "{name}");
        let last = levels.len() - 1;
        let (count, coarse) = (mesh.triangles(last).len(), mesh.into_level(last));
        let vertices = if count == 1 { 3 } else { 4 };
        assert_eq!((coarse.positions.len(), coarse.triangles.len()), (vertices, count), "{name}");
        assert_eq!(coarse.triangles[0], [0, 1, 2]);
        assert!(coarse.is_consistent(), "{name}");
    }
}

#[test]
fn what_is_written_is_what_was_read() {
    let bytes = |name: &str| fixture("rbxblobs", name);
    let attributes: Attributes = from_slice(&bytes("attributes.bin")).expect("readable");
    assert_eq!(attributes.to_vec().expect("writable"), bytes("attributes.bin"));
    let tags: Tags = from_slice(&bytes("tags.bin")).expect("readable");
    assert_eq!(tags.to_vec().expect("writable"), bytes("tags.bin"));
    let terrain: SmoothGrid = from_slice(&bytes("terrain.bin")).expect("readable");
    assert_eq!(
        terrain.chunks.iter().map(|chunk| chunk.position).collect::<Vec<_>>(),
        [[0, -1, 0], [0, -1, 1]]
    );
    assert_eq!(terrain.to_vec().expect("writable"), bytes("terrain.bin"));
    let blocks: PhysicsGrid = from_slice(&bytes("blocks.bin")).expect("readable");
    assert_eq!(blocks.to_vec().expect("writable"), bytes("blocks.bin"));
}

/// Errors state what is wrong and the offset, and reads respect the caller's limit.
#[test]
fn errors_tell_what_and_where() {
    let error = |bytes: &[u8]| from_slice::<Collision>(bytes).expect_err("broken").to_string();
    assert_eq!(
        error(b"CSGPHS\x09\0\0\0"),
        "unsupported version 9 (known versions: 0, 3, 5, 6, 7 and 8) in collision data at offset 0x6"
    );
    assert_eq!(error(b"CSGPHS\0\0\0\0B"), "unexpected end of input in collision data at offset 0xa");
    let mut bytes = fixture("rbxblobs", "collision-5.bin");
    let index = bytes.len() - 4;
    bytes[index] = 4;
    assert_eq!(
        error(&bytes),
        "point index 4 is out of range (the list has 4 points) in collision data at offset 0x6e"
    );
    let mut bytes = fixture("rbxblobs", "collision-8.bin");
    let symbols = bytes.len() - 96 - 4;
    bytes[symbols] ^= 1;
    assert_eq!(
        error(&bytes),
        "the Edgebreaker symbols end before the hull is complete in collision data (decompressed hulls) at offset 0x3c"
    );
    let bytes = fixture("rbxblobs", "collision-3.bin");
    let read = |max_bytes: u64| ReadOptions::new().max_bytes(max_bytes).read::<Collision>(&bytes);
    let error = read(100).expect_err("too little").to_string();
    assert!(
        error.starts_with(
            "limit of 100 bytes of memory exceeded (raise the option max_bytes) in collision data"
        ),
        "{error}"
    );
    assert!(read(1000).is_ok());
}
