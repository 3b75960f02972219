//! Compares the size of places written with Zstandard with that of the C library at level 1, for the same chunks.

use rbxbinary::{Compression, WriteOptions};

#[test]
fn no_real_place_is_larger_than_at_level_1() {
    let is_place = |name: &str| name.ends_with(".rbxl");
    for sample in testkit::corpus("rbxbinary").into_iter().filter(|sample| is_place(&sample.name)) {
        let document = rbxbinary::from_slice(&sample.bytes).expect("readable");
        let written = WriteOptions::new().compression(Compression::Zstd).write(&document).expect("written");
        let (mut ours, mut theirs, mut raw, mut count) = (0, 0, 0, 0);
        for chunk in rbxbinary::chunks(&written).expect("chunks").flatten() {
            let content = chunk.data().expect("readable");
            let in_c = zstd::bulk::compress(&content, 1).expect("compressed");
            // A chunk that does not shrink is stored uncompressed.
            if chunk.compression == Compression::None {
                raw += 1;
            } else {
                assert!(chunk.payload.len() < content.len(), "{}: {}", sample.name, chunk.name);
            }
            ours += chunk.payload.len();
            theirs += in_c.len().min(content.len());
            count += 1;
        }
        eprintln!("{}: {ours} bytes, {theirs} at level 1; {raw} of {count} chunks as they are", sample.name);
        assert!(ours <= theirs, "{}: {ours} bytes, {theirs} at level 1", sample.name);
    }
}
