//! Contents that are equal wherever they are generated, so that only their frames by another encoder are stored.
#![allow(
    dead_code,
    clippy::cast_possible_truncation,
    reason = "not each test needs each; the numbers are small"
)]

/// A pseudorandom number generator (xorshift) with the same numbers on every run.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.next() >> 11) % count as u64) as usize
    }

    pub(crate) fn byte(&mut self) -> u8 {
        (self.next() >> 24).to_le_bytes()[0]
    }
}

/// Words, of which the first ones are more frequent.
pub(crate) fn text(len: usize) -> Vec<u8> {
    let mut rng = Rng(0x7e87);
    let parts = ["lo", "ra", "mi", "ten", "so", "qua", "ber", "is", "ut", "con"];
    let words: Vec<String> =
        (0..400).map(|_| (0..1 + rng.below(4)).map(|_| parts[rng.below(parts.len())]).collect()).collect();
    let mut text = String::new();
    while text.len() < len {
        text += &words[rng.below(words.len()).min(rng.below(words.len()))];
        text += [" ", " ", " ", " ", ", ", ".\n"][rng.below(6)];
    }
    text.truncate(len);
    text.into_bytes()
}

/// Columns as in Roblox places, with the bytes of numbers interleaved.
pub(crate) fn columns(rows: usize) -> Vec<u8> {
    let mut rng = Rng(0xc01);
    let mut data = Vec::new();
    for column in 0..12 {
        let distinct = 1 + (column * column * 3) % 50;
        let values: Vec<[u8; 4]> = (0..rows)
            .map(|row| match column % 4 {
                0 => [0, 0, 0, if row == 0 { 0 } else { 2 }],
                1 => (rng.below(distinct) as f32 / 8.0).to_bits().rotate_left(1).to_be_bytes(),
                2 => [2, 1, 0, u8::from(rng.below(9) == 0)],
                _ => ((row / 7 * distinct) as u32).to_be_bytes(),
            })
            .collect();
        (0..4).for_each(|byte| data.extend(values.iter().map(|value| value[byte])));
    }
    data
}

/// Bytes with skewed frequencies, for Huffman codes of all lengths, and with hardly any matches.
pub(crate) fn skewed(len: usize) -> Vec<u8> {
    let mut rng = Rng(0x5e);
    (0..len).map(|_| (0..7).map(|_| rng.byte()).min().unwrap_or(0)).collect()
}

pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut rng = Rng(0x1015e);
    (0..len).map(|_| rng.byte()).collect()
}

/// Noise that repeats at short and long distances, partly longer than a block.
pub(crate) fn repeats(len: usize) -> Vec<u8> {
    let mut rng = Rng(0x4e9);
    let mut data = noise(3000);
    while data.len() < len {
        let distance = [1, 2, 3, 5, 16, 700, 2999, data.len() - 1][rng.below(8)];
        let count = [4, 5, 17, 40, 300, 5000, 140_000][rng.below(7)];
        (0..count).for_each(|_| data.push(data[data.len() - distance]));
        (0..rng.below(20)).for_each(|_| data.push(rng.byte()));
    }
    data.truncate(len);
    data
}

/// Each content with its name.
pub(crate) fn contents() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("empty", Vec::new()),
        ("tiny", b"Part".to_vec()),
        ("text", text(20_000)),
        ("columns", columns(2000)),
        ("skewed", skewed(9000)),
        ("noise", noise(600)),
        ("repeats", repeats(700_000)),
        ("zeros", vec![0; 300_000]),
    ]
}
