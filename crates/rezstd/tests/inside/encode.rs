//! Tests of private items of `src/encode.rs`, which includes this file as a module.

extern crate std;
use std::vec::Vec;

use crate::{Decoder, Encoder};

/// The hash table is reset before its positions overflow.
#[test]
fn the_count_runs_over() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    encoder.finder.base = u32::MAX / 2 - 100_000;
    let data: Vec<u8> = (0..200_000_u32).flat_map(|number| (number / 5).to_be_bytes()).collect();
    for len in [1000, 90_000, 800_000, 1000] {
        let (mut frame, mut out) = (Vec::new(), Vec::new());
        encoder.encode(&data[..len], &mut frame);
        assert_eq!(decoder.decode(&frame, len, &mut out), Ok(len));
        assert!(out == data[..len]);
        assert!(frame.len() < len / 4, "{}", frame.len());
    }
    assert!(encoder.finder.base < 1_000_000);
}
