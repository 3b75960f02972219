//! Tests of private items of `src/wire/peek.rs`, which includes this file as a module.

use super::lz4;

/// Blocks made by hand from the description of LZ4.
#[test]
fn the_first_bytes_of_blocks() {
    let long = [&[0xf0, 255, 0][..], &[b'b'; 270]].concat();
    let cases: [(&[u8], Option<&[u8]>); 9] = [
        (b"", Some(b"")),
        (b"\x30abc", Some(b"abc")),
        // One literal, and five more bytes at distance one.
        (b"\x11a\x01\0", Some(b"aaaaaa")),
        (b"\x20ab\x02\0\x10c", Some(b"abababc")),
        // A match of 15 + 255 + 3 + 4 bytes.
        (b"\x1fa\x01\0\xff\x03", Some(&[b'a'; 64])),
        (&long, Some(&[b'b'; 64])),
        // A distance of zero or out of range, too few literals, and a length without an end.
        (b"\x11a\0\0", None),
        (b"\x11a\x02\0", None),
        (b"\xf0\xff", None),
    ];
    for (block, expected) in cases {
        assert_eq!(lz4(block).as_deref(), expected, "{block:?}");
    }
}
