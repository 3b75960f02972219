//! Tests of private items of `src/xxhash.rs`, which includes this file as a module.

use super::xxh64;

/// Known hashes from the documentation of XXH64.
#[test]
fn known_hashes() {
    for (text, hash) in [
        ("", 0xef46_db37_51d8_e999),
        ("a", 0xd24e_c4f1_a98c_6e5b),
        ("abc", 0x44bc_2cf5_ad77_0999),
        ("Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1),
    ] {
        assert_eq!(xxh64(text.as_bytes()), hash, "{text}");
    }
}
