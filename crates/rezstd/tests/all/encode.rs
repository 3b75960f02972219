//! Encoded frames: both this decoder and another one read them, and they are no longer than those of the reference
//! encoder.

use crate::common::{self, Rng, contents};
use rezstd::{Decoder, Encoder, Header};

struct Both {
    encoder: Encoder,
    decoder: Decoder,
    other: ruzstd::decoding::FrameDecoder,
}

impl Both {
    fn new() -> Self {
        Self {
            encoder: Encoder::new(),
            decoder: Decoder::new(),
            other: ruzstd::decoding::FrameDecoder::new(),
        }
    }

    /// Encodes and decodes data; returns the length of the frame.
    fn comes_back(&mut self, data: &[u8], what: &str) -> usize {
        let mut frame = Vec::new();
        self.encoder.encode(data, &mut frame);
        assert!(frame.len() <= data.len() + 18 + 3 * (data.len() >> 17), "{what}");
        let header = Header::read(&frame).unwrap();
        assert_eq!((header.content_size, header.dictionary), (Some(data.len() as u64), 0), "{what}");
        let mut out = Vec::new();
        assert_eq!(self.decoder.decode(&frame, data.len(), &mut out), Ok(data.len()), "{what}");
        assert!(out == data, "{what}");
        let mut out = vec![0; data.len()];
        assert_eq!(self.other.decode_all(&frame, &mut out).unwrap(), data.len(), "{what}");
        assert!(out == data, "{what}: theirs");
        frame.len()
    }
}

/// The sizes are those of `zstd -1 --no-check` 1.5.4. Without Huffman codes, `skewed` would have 9,017 bytes; without
/// tables of their own, the frames with sequences would exceed these sizes, too.
#[test]
fn not_longer_than_the_reference_encoder() {
    let reference = [
        ("empty", 9),
        ("tiny", 13),
        ("text", 6106),
        ("columns", 8659),
        ("skewed", 7329),
        ("noise", 610),
        ("repeats", 3326),
        ("zeros", 30),
    ];
    let mut both = Both::new();
    for ((name, data), (reference_name, size)) in contents().iter().zip(reference) {
        assert_eq!(*name, reference_name);
        let ours = both.comes_back(data, name);
        println!("{name}: {ours} of {size}");
        assert!(ours <= size + size / 50, "{name}: {ours} bytes, the reference encoder needs {size}");
    }
}

#[test]
fn with_a_checksum() {
    let mut encoder = Encoder::new().checksum(true);
    for (name, data) in contents() {
        let mut frame = Vec::new();
        encoder.encode(&data, &mut frame);
        let mut out = Vec::new();
        assert_eq!(Decoder::new().decode(&frame, data.len(), &mut out), Ok(data.len()), "{name}");
        let last = frame.len() - 1;
        frame[last] ^= 1;
        assert!(Decoder::new().decode(&frame, data.len(), &mut out).is_err(), "{name}");
    }
}

/// Every length near those at which headers, literals and blocks change their form.
#[test]
fn every_length() {
    let mut both = Both::new();
    let (text, skewed) = (common::text(300_000), common::skewed(300_000));
    let around = |at: usize| at - 3..at + 3;
    let lengths = (0..300).chain(around(1024)).chain(around(4096)).chain(around(16_384));
    for len in lengths.chain(around(0x1_0100)).chain(around(1 << 17)).chain(around(1 << 18)) {
        both.comes_back(&text[..len], &format!("{len} of text"));
        both.comes_back(&skewed[..len], &format!("{len} skewed"));
    }
}

/// Two to 256 symbols with different frequencies, for Huffman codes of all lengths.
#[test]
fn symbols_of_every_frequency() {
    let (mut both, mut rng) = (Both::new(), Rng(11));
    for round in 0..300 {
        let (symbols, skew) = (2 + rng.below(255), 1 + round % 9);
        let len = rng.below(if round % 20 == 0 { 300_000 } else { 6000 });
        let mut symbol = || (0..skew).map(|_| rng.below(symbols)).min().unwrap();
        let data: Vec<u8> = (0..len).map(|_| u8::try_from(symbol()).unwrap()).collect();
        both.comes_back(&data, &format!("round {round}"));
    }
    // Each symbol is twice as frequent as the one before, so that codes would exceed the maximum length.
    let mut data = Vec::new();
    (0..17_u8).for_each(|symbol| data.extend(vec![symbol; 1 << symbol]));
    for at in (1..data.len()).rev() {
        data.swap(at, rng.below(at + 1));
    }
    both.comes_back(&data, "doubling");
}

/// Data that repeats at one distance, or at one of three in turn, across blocks. Repeated offsets have codes of their
/// own, whose meaning changes directly after another match.
#[test]
fn repeats_of_every_kind() {
    let (mut both, mut rng) = (Both::new(), Rng(3));
    for round in 0..60 {
        let periods = [0; 3].map(|_| 1 + rng.below(if round % 3 == 0 { 8 } else { 3000 }));
        let mut data = common::noise(3000);
        while data.len() < 300_000 {
            let distance = periods[rng.below(1 + round % 3)];
            for _ in 0..4 + rng.below(if round % 2 == 0 { 150_000 } else { 40 }) {
                data.push(data[data.len() - distance]);
            }
            (0..rng.below(2)).for_each(|_| data.push(rng.byte()));
        }
        both.comes_back(&data, &format!("periods {periods:?}"));
    }
    for round in 0..300 {
        let len = rng.below(if round % 30 == 0 { 400_000 } else { 5000 });
        let mut data: Vec<u8> = Vec::new();
        while data.len() < len {
            if data.is_empty() || rng.below(2) == 0 {
                data.push(rng.byte() >> (round % 8));
            } else {
                let distance = 1 + rng.below(data.len().min(1 << (round % 20)));
                (0..rng.below(90)).for_each(|_| data.push(data[data.len() - distance]));
            }
        }
        both.comes_back(&data, &format!("round {round}"));
    }
}
