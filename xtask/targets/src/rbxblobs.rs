use rbxblobs::{Attributes, Blob, Collision, MaterialColors, PhysicsGrid, SmoothGrid, Tags, UnionMesh};

use super::MAX_BYTES;

fn options() -> rbxblobs::ReadOptions {
    rbxblobs::ReadOptions::new().max_bytes(MAX_BYTES)
}

fn read<T: Blob>(data: &[u8]) -> Option<T> {
    options().read(data).ok()
}

/// What is read is written to the same bytes.
pub(super) fn properties(data: &[u8]) {
    if let Some(attributes) = read::<Attributes>(data) {
        let written = attributes.to_vec().expect("what was read is written");
        assert!(written == data || data == [0; 4]);
    }
    if let Some(Ok(written)) = read::<Tags>(data).map(|tags| tags.to_vec()) {
        assert_eq!(written, data);
    }
    if let Some(colors) = read::<MaterialColors>(data) {
        assert_eq!(colors.to_vec(), data);
    }
    if let Some(blocks) = read::<PhysicsGrid>(data) {
        assert_eq!(blocks.to_vec().expect("what was read is written"), data);
    }
}

/// Voxels are written and read again; a surface has as many triangles as were counted.
pub(super) fn terrain(data: &[u8]) {
    let Some(terrain) = read::<SmoothGrid>(data) else { return };
    let written = terrain.to_vec().expect("what was read is written");
    assert!(read::<SmoothGrid>(&written).as_ref() == Some(&terrain));
    for step in [1, 4] {
        let (count, surfaces) = (terrain.triangle_count(step, &options()), terrain.surface(step, &options()));
        if let (Ok(count), Ok(surfaces)) = (count, surfaces) {
            let triangles = surfaces.iter().map(|surface| surface.mesh.triangles.len() as u64);
            assert_eq!(triangles.sum::<u64>(), count);
            assert!(surfaces.iter().all(|surface| surface.mesh.is_consistent()));
        }
    }
}

pub(super) fn collision(data: &[u8]) {
    if let Some(collision) = read::<Collision>(data) {
        assert!(collision.to_mesh().is_consistent());
    }
}

pub(super) fn mesh(data: &[u8]) {
    if let Some(mesh) = read::<UnionMesh>(data) {
        assert!(mesh.mesh.is_consistent());
        assert!(mesh.into_level(0).is_consistent());
    }
}
