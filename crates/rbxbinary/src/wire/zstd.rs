//! Zstd frames, written: the head, and blocks of sequences with the format's own tables.
//!
//! Chunks are small and many, most of them too small to be compressed at all, so what counts is that
//! a frame costs nothing to begin. Literals get Huffman codes where they become shorter.
//!
//! | bytes | what |
//! |---|---|
//! | u32 | magic, 28 b5 2f fd |
//! | u8 | sizes of the fields of the head; bit 5: one segment; bit 2: a checksum follows |
//! | 1, 2, 4 or 8 | the size of the content; of two bytes, less 256 |
//! | 3 | per block: bit 0 the last, bits 1 to 2 the kind, the others its size |
//! | … | kind 0: as it is; 1: one byte, as often as the size; 2: literals, sequences |

use crate::consts::ZSTD_MAGIC;
use crate::wire::fse::{Bits, Table};
use crate::wire::huffman;

/// The most bytes of a block.
pub(crate) const BLOCK: usize = 128 << 10;

/// The greatest distance of a match.
const FAR: usize = 1 << 20;

/// The shortest match.
const SHORTEST: usize = 4;

const HASH_BITS: u32 = 14;

/// A head as Roblox writes it: the size of the content, which is the window too.
pub(crate) fn head(len: usize, checksum: bool, out: &mut Vec<u8>) {
    out.extend(ZSTD_MAGIC);
    let checksum = if checksum { 4 } else { 0 };
    match (u8::try_from(len), u16::try_from(len.wrapping_sub(256)), u32::try_from(len)) {
        (Ok(len), ..) => out.extend([0x20 | checksum, len]),
        (_, Ok(above), _) => {
            out.push(0x60 | checksum);
            out.extend(above.to_le_bytes());
        }
        (.., Ok(len)) => {
            out.push(0xa0 | checksum);
            out.extend(len.to_le_bytes());
        }
        _ => {
            out.push(0xe0 | checksum);
            out.extend((len as u64).to_le_bytes());
        }
    }
}

/// Literals, and then a match: so many bytes from so far back.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    literals: u32,
    len: u32,
    offset: u32,
}

/// Writes frame after frame.
#[derive(Debug)]
pub(crate) struct Encoder {
    /// Where four bytes with a hash were seen last, counted from the first byte of the first chunk.
    seen: Vec<u32>,
    /// Where this chunk begins in that count.
    base: u32,
    literals: Vec<u8>,
    sequences: Vec<Sequence>,
    block: Vec<u8>,
    literal_lengths: Table,
    match_lengths: Table,
    offsets: Table,
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            seen: vec![0; 1 << HASH_BITS],
            base: 1,
            literals: Vec::new(),
            sequences: Vec::new(),
            block: Vec::new(),
            literal_lengths: Table::new(&LITERAL_LENGTHS, 6),
            match_lengths: Table::new(&MATCH_LENGTHS, 6),
            offsets: Table::new(&OFFSETS, 5),
        }
    }
}

/// Four bytes as a number; 0 after the end.
#[inline]
fn four(data: &[u8], at: usize) -> u32 {
    data.get(at..at + 4).and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from_le_bytes(bytes))
}

impl Encoder {
    /// Appends a frame.
    pub(crate) fn frame(&mut self, data: &[u8], out: &mut Vec<u8>) {
        head(data.len(), false, out);
        // Chunks are less than 4 GiB; what comes before them is forgotten before the count runs over.
        if u32::try_from(data.len()).ok().and_then(|len| self.base.checked_add(len)).is_none() {
            self.seen.fill(0);
            self.base = 1;
        }
        let mut start = 0;
        loop {
            let end = data.len().min(start + BLOCK);
            self.block(data, start, end, out);
            start = end;
            if start == data.len() {
                break;
            }
        }
        self.base = self.base.saturating_add(data.len() as u32);
    }

    fn block(&mut self, data: &[u8], start: usize, end: usize, out: &mut Vec<u8>) {
        let bytes = &data[start..end];
        let last = u32::from(end == data.len());
        let mut begin = |kind: u32, size: usize| {
            let header = (size as u32) << 3 | kind << 1 | last;
            out.extend_from_slice(&header.to_le_bytes()[..3]);
        };
        if bytes.len() > 3 && bytes.iter().all(|&byte| byte == bytes[0]) {
            begin(1, bytes.len());
            out.push(bytes[0]);
            return;
        }
        // Below this, sequences take more than they save.
        if bytes.len() >= 24 {
            self.find(data, start, end);
            self.encode();
            if self.block.len() < bytes.len() {
                begin(2, self.block.len());
                out.extend_from_slice(&self.block);
                return;
            }
        }
        begin(0, bytes.len());
        out.extend_from_slice(bytes);
    }

    /// Finds matches, the first that there is, and steps faster the longer it finds no match.
    fn find(&mut self, data: &[u8], start: usize, end: usize) {
        self.literals.clear();
        self.sequences.clear();
        let (mut at, mut anchor) = (start, start);
        while at + SHORTEST <= end {
            let bytes = four(data, at);
            let slot = &mut self.seen[(bytes.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize];
            let before = slot.checked_sub(self.base).map(|before| before as usize);
            *slot = self.base.saturating_add(at as u32);
            let found = before.filter(|&from| from < at && at - from < FAR && four(data, from) == bytes);
            let Some(mut from) = found else {
                at += 1 + ((at - anchor) >> 6);
                continue;
            };
            let mut len = SHORTEST;
            let (this, that) = (&data[at + SHORTEST..end], &data[from + SHORTEST..]);
            len += this.iter().zip(that).take_while(|(a, b)| a == b).count();
            while at > anchor && from > 0 && data[at - 1] == data[from - 1] {
                (at, from, len) = (at - 1, from - 1, len + 1);
            }
            self.literals.extend_from_slice(&data[anchor..at]);
            let (literals, offset) = ((at - anchor) as u32, (at - from) as u32);
            self.sequences.push(Sequence { literals, len: len as u32, offset });
            at += len;
            anchor = at;
        }
        self.literals.extend_from_slice(&data[anchor..end]);
    }

    /// The literals and the sequences as the content of a block.
    fn encode(&mut self) {
        let out = &mut self.block;
        out.clear();
        if !huffman::put(&self.literals, out) {
            let len = self.literals.len() as u32;
            match len {
                0..32 => out.push((len << 3) as u8),
                32..4096 => out.extend_from_slice(&(len << 4 | 1 << 2).to_le_bytes()[..2]),
                _ => out.extend_from_slice(&(len << 4 | 3 << 2).to_le_bytes()[..3]),
            }
            out.extend_from_slice(&self.literals);
        }
        let count = self.sequences.len();
        match count {
            0..128 => out.push(count as u8),
            128..0x7f00 => out.extend([(count >> 8) as u8 | 128, count as u8]),
            _ => {
                out.push(255);
                out.extend(((count - 0x7f00) as u16).to_le_bytes());
            }
        }
        let Some((last, others)) = self.sequences.split_last() else { return };
        // All three tables are the format's own.
        out.push(0);
        // The last comes first: the stream is read from its end.
        let mut bits = Bits::new(out);
        let codes = last.codes();
        let mut states = (
            self.match_lengths.start(codes.len.0),
            self.offsets.start(codes.offset.0),
            self.literal_lengths.start(codes.literals.0),
        );
        codes.put_extra(&mut bits);
        for sequence in others.iter().rev() {
            let codes = sequence.codes();
            states.1 = self.offsets.put(states.1, codes.offset.0, &mut bits);
            states.0 = self.match_lengths.put(states.0, codes.len.0, &mut bits);
            states.2 = self.literal_lengths.put(states.2, codes.literals.0, &mut bits);
            codes.put_extra(&mut bits);
        }
        bits.put(states.0, 6);
        bits.put(states.1, 5);
        bits.put(states.2, 6);
        bits.finish();
    }
}

/// Codes with as many extra bits as each has.
#[derive(Clone, Copy, Debug)]
struct Codes {
    literals: (u8, u32, u32),
    len: (u8, u32, u32),
    offset: (u8, u32, u32),
}

impl Sequence {
    fn codes(&self) -> Codes {
        let literals = match self.literals {
            direct @ 0..16 => (direct as u8, 0, 0),
            long => extra(long, &LITERAL_BASES, 16),
        };
        let len = match self.len - 3 {
            direct @ 0..32 => (direct as u8, 0, 0),
            _ => extra(self.len, &MATCH_BASES, 32),
        };
        // Values of 1 to 3 would repeat an offset.
        let value = self.offset + 3;
        let code = value.ilog2();
        Codes { literals, len, offset: (code as u8, value - (1 << code), code) }
    }
}

/// The code of a length, from a table of bases and bits; what is more than the base; the bits.
fn extra(value: u32, bases: &[(u32, u32)], first: u8) -> (u8, u32, u32) {
    let place = bases.partition_point(|&(base, _)| base <= value) - 1;
    let (base, bits) = bases[place];
    (first + place as u8, value - base, bits)
}

impl Codes {
    fn put_extra(&self, bits: &mut Bits<'_>) {
        for (_, more, count) in [self.literals, self.len, self.offset] {
            bits.put(more, count);
        }
    }
}

/// How often each code of a length of literals comes, of 64.
const LITERAL_LENGTHS: [i8; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
    -1, -1,
];

/// How often each code of a length of a match comes, of 64.
const MATCH_LENGTHS: [i8; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];

/// How often each code of an offset comes, of 32.
const OFFSETS: [i8; 29] =
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];

/// The lengths of literals from the code 16 on: the least, and how many bits say how much more.
const LITERAL_BASES: [(u32, u32); 20] = [
    (16, 1),
    (18, 1),
    (20, 1),
    (22, 1),
    (24, 2),
    (28, 2),
    (32, 3),
    (40, 3),
    (48, 4),
    (64, 6),
    (128, 7),
    (256, 8),
    (512, 9),
    (1024, 10),
    (2048, 11),
    (4096, 12),
    (8192, 13),
    (16_384, 14),
    (32_768, 15),
    (65_536, 16),
];

/// The lengths of matches from the code 32 on.
const MATCH_BASES: [(u32, u32); 21] = [
    (35, 1),
    (37, 1),
    (39, 1),
    (41, 1),
    (43, 2),
    (47, 2),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 5),
    (131, 7),
    (259, 8),
    (515, 9),
    (1027, 10),
    (2051, 11),
    (4099, 12),
    (8195, 13),
    (16_387, 14),
    (32_771, 15),
    (65_539, 16),
];
