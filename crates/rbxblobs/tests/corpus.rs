//! Blobs of real files; skipped where those are missing.

use rbxblobs::{Attributes, PhysicsGrid, SmoothGrid, Tags, from_slice};

/// Terrain, attributes and tags of real files are written to the same bytes, and the physics grid follows from
/// the voxels.
#[test]
fn blobs_of_real_files() {
    let (mut attributes, mut terrains) = (0, 0);
    for sample in testkit::corpus("rbxbinary") {
        let document = rbxbinary::from_slice(&sample.bytes).expect("readable");
        for id in document.instances() {
            let blob = |property: &str| document.get(id, property).and_then(|value| value.as_bytes());
            if let Some(blob) = blob("AttributesSerialize").filter(|blob| !blob.is_empty()) {
                let read = from_slice::<Attributes>(blob).expect("readable");
                assert!(read.to_vec().expect("writable") == blob, "{}", sample.name);
                attributes += 1;
            }
            if let Some(blob) = blob("Tags") {
                let tags: Tags = from_slice(blob).expect("readable");
                assert!(tags.to_vec().expect("writable") == blob, "{}", sample.name);
            }
            let Some(voxels) = blob("SmoothGrid").filter(|blob| !blob.is_empty()) else { continue };
            let terrain: SmoothGrid = from_slice(voxels).expect("readable");
            assert!(terrain.to_vec().expect("writable") == voxels, "{}", sample.name);
            let Some(blocks) = blob("PhysicsGrid").filter(|blob| !blob.is_empty()) else { continue };
            let grid: PhysicsGrid = from_slice(blocks).expect("readable");
            assert!(grid.to_vec().expect("writable") == blocks, "{}", sample.name);
            assert!(PhysicsGrid::of(&terrain).expect("in range") == grid, "{}", sample.name);
            terrains += 1;
        }
    }
    // Nine, by a count of the columns of the decompressed chunks without this crate.
    assert!(
        testkit::corpus("rbxbinary").is_empty() || (attributes >= 9 && terrains >= 7),
        "{attributes} {terrains}"
    );
}
