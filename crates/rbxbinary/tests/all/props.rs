//! Random data is compressed and back, and a document is readable as JSON.

use proptest::collection::vec;
use proptest::prelude::*;
use rbxbinary::{Compression, Document, NewInstance, WriteOptions};

/// Whether data is unchanged after it was compressed in each way and decompressed.
fn comes_back(data: &[u8]) -> bool {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Thing").property("Value", data)).unwrap();
    [Compression::Lz4, Compression::Zstd].into_iter().all(|compression| {
        let bytes = WriteOptions::new().compression(compression).write(&document).unwrap();
        let again = rbxbinary::from_slice(&bytes).unwrap();
        again.get(again.roots().next().unwrap(), "Value").unwrap().as_bytes() == Some(data)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn data_of_any_kind_is_compressed_and_back(
        data in prop_oneof![vec(any::<u8>(), 0..2000), vec(0..4_u8, 0..4000), vec(Just(7_u8), 0..300_000)],
    ) {
        prop_assert!(comes_back(&data));
    }
}

#[cfg(feature = "serde")]
#[test]
fn json_is_readable() {
    let new = NewInstance::new("Part").property("Name", "Door").property("Anchored", true);
    let mut document = Document::new();
    document.insert(None, new).unwrap();
    let json = serde_json::to_value(&document).unwrap();
    let properties = &json["classes"][0]["properties"];
    assert_eq!(json["classes"][0]["name"], "Part");
    assert_eq!(properties[0], serde_json::json!({ "name": "Name", "column": { "String": ["Door"] } }));
    assert_eq!(properties[1]["column"], serde_json::json!({ "Bool": [true] }));
}
