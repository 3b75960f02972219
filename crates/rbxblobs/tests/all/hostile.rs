//! Every truncation and thousands of mutations of every fixture: no panic, and no more memory than allowed.

use rbxblobs::{
    Attributes, Blob, Collision, MaterialColors, PhysicsGrid, ReadOptions, SmoothGrid, Tags, UnionMesh,
};

/// Reads the bytes as every type of blob; each value that was read must be written as the same bytes.
fn read_all(bytes: &[u8], max_bytes: u64) {
    fn read<T: Blob>(bytes: &[u8], max_bytes: u64) -> Option<T> {
        let mut value = None;
        let options = ReadOptions::new().max_bytes(max_bytes);
        let taken = testkit::measure(|| value = options.read(bytes).ok()).bytes_max;
        // The tables of the inflater and the text of an error do not count towards the limit.
        assert!(taken <= max_bytes + (128 << 10), "{taken} of {max_bytes}");
        value
    }
    if let Some(attributes) = read::<Attributes>(bytes, max_bytes) {
        // By bytes, since NaN does not equal itself.
        let written = attributes.to_vec().expect("what was read is written");
        assert!(bytes == written || bytes == [0; 4], "{bytes:02x?}");
    }
    if let Some(tags) = read::<Tags>(bytes, max_bytes)
        && let Ok(written) = tags.to_vec()
    {
        assert_eq!(bytes, written);
    }
    if let Some(terrain) = read::<SmoothGrid>(bytes, max_bytes) {
        for step in [1, 8] {
            let options = ReadOptions::new().max_bytes(max_bytes);
            let taken = testkit::measure(|| drop(terrain.surface(step, &options))).bytes_max;
            assert!(taken <= max_bytes + (64 << 10), "{taken} of {max_bytes}");
        }
        assert_eq!(
            rbxblobs::from_slice::<SmoothGrid>(&terrain.to_vec().expect("written")).ok(),
            Some(terrain)
        );
    }
    if let Some(colors) = read::<MaterialColors>(bytes, max_bytes) {
        assert_eq!(bytes, colors.to_vec());
    }
    if let Some(blocks) = read::<PhysicsGrid>(bytes, max_bytes) {
        assert_eq!(bytes, blocks.to_vec().expect("written"));
    }
    if let Some(collision) = read::<Collision>(bytes, max_bytes) {
        assert!(collision.to_mesh().is_consistent());
    }
    if let Some(mesh) = read::<UnionMesh>(bytes, max_bytes) {
        assert!(mesh.mesh.is_consistent());
        for level in 0..mesh.levels.len().min(3) {
            assert!(mesh.clone().into_level(level).is_consistent());
        }
    }
}

#[test]
fn truncations_and_mutations() {
    for sample in testkit::fixtures("rbxblobs") {
        for end in 0..=sample.bytes.len() {
            read_all(&sample.bytes[..end], 1 << 20);
        }
        let mut rng = testkit::Rng(0xb10b);
        for _ in 0..2000 {
            read_all(&testkit::mutate(&sample.bytes, &mut rng), 1 << 20);
        }
    }
}

/// A frame of blocks that repeat a byte: each four bytes decompress to 128 KiB.
#[test]
fn frames_are_inflated_up_to_the_limit() {
    let mut bytes = b"CSGPHS\x08\0\0\0\x01\0\x28\xb5\x2f\xfd\x00\x58".to_vec();
    for _ in 0..4096 {
        bytes.extend([0x02, 0x00, 0x10, 0]);
    }
    bytes.extend([0x01, 0, 0]);
    for max_bytes in [1 << 20, 1 << 24, 1 << 26] {
        let mut result = None;
        let taken = testkit::measure(|| {
            result = Some(ReadOptions::new().max_bytes(max_bytes).read::<Collision>(&bytes));
        });
        let error = result.expect("it ran").expect_err("too large").to_string();
        assert!(error.starts_with("limit of "), "{error}");
        assert!(taken.bytes_max <= max_bytes + (1 << 18), "{} of {max_bytes}", taken.bytes_max);
    }
}
