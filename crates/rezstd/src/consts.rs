//! The constants of the format, for reading and writing.

/// The first bytes of a frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of a skippable frame, as a little-endian number without its lowest four bits.
pub(crate) const SKIPPABLE: u32 = 0x0184_d2a5;

/// The maximum size of a block's content.
pub(crate) const MAX_BLOCK: usize = 128 << 10;

/// The values of the last three offsets at the start of a frame.
pub(crate) const FIRST_OFFSETS: [u32; 3] = [1, 4, 8];

/// The maximum number of bits of a Huffman code.
pub(crate) const HUFFMAN_LOG: u32 = 11;

/// The binary logarithm of the maximum number of states in the table for Huffman weights.
pub(crate) const WEIGHTS_LOG: u32 = 6;

/// The meaning of a code: the least value, and the number of extra bits to add to it.
#[derive(Clone, Copy)]
pub(crate) struct Code {
    pub(crate) base: u32,
    pub(crate) bits: u8,
}

/// The codes of one of the three parts of a sequence.
pub(crate) struct Kind {
    pub(crate) codes: &'static [Code],
    /// The normalized count of each code in the predefined table; -1 means less than one.
    pub(crate) shares: &'static [i16],
    /// The binary logarithm of the number of states in the predefined table.
    pub(crate) log: u32,
    /// The binary logarithm of the maximum number of states in a table of a block.
    pub(crate) max_log: u32,
}

/// The number of literals before the match.
pub(crate) const LITERALS: usize = 0;
/// The distance of the match; 1, 2 and 3 are the last three offsets.
pub(crate) const OFFSET: usize = 1;
/// The length of the match.
pub(crate) const LENGTH: usize = 2;

/// The parts of a sequence, in the order of their tables in a block.
pub(crate) const KINDS: [Kind; 3] = [
    Kind {
        codes: &codes(
            0,
            [
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10,
                11, 12, 13, 14, 15, 16,
            ],
        ),
        shares: &[
            4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
            -1, -1, -1, -1,
        ],
        log: 6,
        max_log: 9,
    },
    Kind {
        codes: &codes(
            1,
            [
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                26, 27, 28, 29, 30, 31,
            ],
        ),
        shares: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
        log: 5,
        max_log: 8,
    },
    Kind {
        codes: &codes(
            3,
            [
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
            ],
        ),
        shares: &[
            1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
        ],
        log: 6,
        max_log: 9,
    },
];

/// The codes with these numbers of extra bits. Each begins where the values of the previous one end.
const fn codes<const N: usize>(first: u32, bits: [u8; N]) -> [Code; N] {
    let mut codes = [Code { base: 0, bits: 0 }; N];
    let (mut base, mut code) = (first, 0);
    while code < N {
        codes[code] = Code { base, bits: bits[code] };
        // Wraps after the last code of offsets, whose values end at 1 << 32.
        base = base.wrapping_add(1 << bits[code]);
        code += 1;
    }
    codes
}

#[cfg(test)]
#[path = "../tests/inside/consts.rs"]
mod tests;
