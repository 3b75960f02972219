//! Tests of private items of `src/wire/lz4.rs`, which includes this file as a module.

use super::{Encoder, MOST, common};

#[test]
fn another_decoder_reads_every_length() {
    let mut encoder = Encoder::default();
    let mut state = 1_u32;
    let (mut ours, mut theirs) = (0, 0);
    for len in 0..=MOST {
        // From a single letter to nearly random data.
        let letters = 1 + len as u32 % 9 * (len as u32 % 9);
        let data: Vec<u8> = (0..len)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) % letters) as u8
            })
            .collect();
        if len == MOST / 2 {
            // Close to the next reset of the table.
            encoder.base = u32::MAX / 2;
        }
        let mut block = Vec::new();
        encoder.block(&data, &mut block);
        assert!(block.len() <= lz4_flex::block::get_maximum_output_size(len));
        (ours, theirs) = (ours + block.len(), theirs + lz4_flex::block::compress(&data).len());
        assert_eq!(lz4_flex::block::decompress(&block, len).unwrap(), data, "{len} bytes");
    }
    assert!(ours <= theirs + theirs / 200, "{ours} bytes, the general encoder needs {theirs}");
}

#[test]
fn bytes_in_common() {
    assert_eq!(common(b"0123456789abc-ef", b"0123456789abcdef"), 13);
    assert_eq!([common(b"01234567", b"0123456789"), common(b"0123", b"0-23")], [8, 1]);
}

#[test]
fn a_match_begins_before_the_bytes_that_were_seen() {
    // The `h` before `XYZW` is part of the first match, so that `hXYZ` is not in the table.
    let data = b"abcdefghabcdefghXYZWUV-hXYZWUV0123456789AB";
    // 8 literals and a match of 8 bytes at distance 8; 7 literals and a match of 7 bytes at distance 8; 12 literals.
    let expected = b"\x84abcdefgh\x08\0\x73XYZWUV-\x08\0\xc00123456789AB";
    let mut block = Vec::new();
    Encoder::default().block(data, &mut block);
    assert_eq!(block, expected);
}

#[test]
fn counts_that_would_run_over() {
    let mut encoder = Encoder { base: u32::MAX - 10, ..Encoder::default() };
    let mut block = Vec::new();
    encoder.block(&[7; 100], &mut block);
    assert_eq!(lz4_flex::block::decompress(&block, 100).unwrap(), [7; 100]);
}
