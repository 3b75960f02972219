//! Tests of private items of `src/wire/peek.rs`, which compiles them by their path.

use super::lz4;

/// Blocks by hand, from the format's description.
#[test]
fn the_first_bytes_of_blocks() {
    let long = [&[0xf0, 255, 0][..], &[b'b'; 270]].concat();
    let cases: [(&[u8], Option<&[u8]>); 9] = [
        (b"", Some(b"")),
        (b"\x30abc", Some(b"abc")),
        // One byte, and five more from one back.
        (b"\x11a\x01\0", Some(b"aaaaaa")),
        (b"\x20ab\x02\0\x10c", Some(b"abababc")),
        // 15 + 255 + 3 + 4 more.
        (b"\x1fa\x01\0\xff\x03", Some(&[b'a'; 64])),
        (&long, Some(&[b'b'; 64])),
        // Nothing to copy from, fewer literals than there should be, no end of a length.
        (b"\x11a\0\0", None),
        (b"\x11a\x02\0", None),
        (b"\xf0\xff", None),
    ];
    for (block, expected) in cases {
        assert_eq!(lz4(block).as_deref(), expected, "{block:?}");
    }
}
