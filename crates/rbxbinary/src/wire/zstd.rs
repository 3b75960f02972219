//! Zstd frames, written: the head, and blocks of literals and sequences.
//!
//! Chunks are small and many, most of them too small to be compressed at all, so what counts is that a frame costs
//! nothing to begin: Huffman codes and tables of a block's own are made only where they can make it shorter.
//!
//! | bytes | what |
//! |---|---|
//! | u32 | magic, 28 b5 2f fd |
//! | u8 | sizes of the fields of the head; bit 5: one segment; bit 2: a checksum follows |
//! | 1, 2, 4 or 8 | the size of the content; of two bytes, less 256 |
//! | 3 | per block: bit 0 the last, bits 1 to 2 the kind, the others its size |
//! | … | kind 0: as it is; 1: one byte, as often as the size; 2: literals, sequences |

use crate::consts::ZSTD_MAGIC;
use crate::wire::fse::{Bits, Table, normalize, put_shares};
use crate::wire::huffman;
use crate::wire::lz4::common;

/// The most bytes of a block.
pub(crate) const BLOCK: usize = 128 << 10;

/// The greatest distance of a match.
const FAR: usize = 1 << 20;

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

/// A code, and what follows it in as many bits.
type Code = (u8, u32, u32);

/// Literals, and then a match: how many, how long it is, and from how far back, as codes.
type Sequence = [Code; 3];

/// How the codes of one kind are written.
struct Kind {
    /// How often each code comes among the states of the format's own table; -1 is less than once.
    shares: &'static [i16],
    log: u32,
    longest: u32,
}

const LITERALS: usize = 0;
const OFFSET: usize = 1;
const LENGTH: usize = 2;

/// The three kinds, in the order in which their tables come.
const KINDS: [Kind; 3] = [
    Kind { shares: &LITERAL_LENGTHS, log: 6, longest: 9 },
    Kind { shares: &OFFSETS, log: 5, longest: 8 },
    Kind { shares: &MATCH_LENGTHS, log: 6, longest: 9 },
];

/// Writes frame after frame.
#[derive(Debug)]
pub(crate) struct Encoder {
    /// Where five bytes with a hash were seen last, counted from the first byte of the first chunk.
    seen: Vec<u32>,
    /// Where this chunk begins in that count.
    base: u32,
    /// The last three offsets, which have short codes.
    offsets: [u32; 3],
    literals: Vec<u8>,
    sequences: Vec<Sequence>,
    block: Vec<u8>,
    /// The format's own tables.
    tables: [Table; 3],
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            seen: vec![0; 1 << HASH_BITS],
            base: 1,
            offsets: FIRST_OFFSETS,
            literals: Vec::new(),
            sequences: Vec::new(),
            block: Vec::new(),
            tables: KINDS.map(|kind| Table::new(kind.shares, kind.log)),
        }
    }
}

/// Four bytes as a number.
#[inline]
fn four(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
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
        self.offsets = FIRST_OFFSETS;
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
            let offsets = self.offsets;
            self.find(data, start, end);
            self.encode();
            if self.block.len() < bytes.len() {
                begin(2, self.block.len());
                out.extend_from_slice(&self.block);
                return;
            }
            self.offsets = offsets;
        }
        begin(0, bytes.len());
        out.extend_from_slice(bytes);
    }

    /// Where the five bytes at an index were seen last: shorter matches are not worth their offsets.
    #[inline]
    fn slot(&mut self, data: &[u8], at: usize) -> Option<&mut u32> {
        let bytes = u64::from_le_bytes(*data.get(at..)?.first_chunk()?) << 24;
        self.seen.get_mut((bytes.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - HASH_BITS)) as usize)
    }

    /// Finds matches, the first of each index, and steps faster the longer nothing matches.
    fn find(&mut self, data: &[u8], start: usize, end: usize) {
        self.literals.clear();
        self.sequences.clear();
        let (mut at, mut anchor) = (start, start);
        let base = self.base;
        while at + 8 < end {
            let bytes = four(data, at);
            let Some(slot) = self.slot(data, at) else { break };
            let before = slot.checked_sub(base).map(|before| before as usize);
            *slot = base.saturating_add(at as u32);
            let repeated = (at + 1).checked_sub(self.offsets[0] as usize);
            let found = before.filter(|&from| from < at && at - from < FAR && four(data, from) == bytes);
            let (mut to, mut from) = match (repeated, found) {
                (Some(from), _) if four(data, from) == four(data, at + 1) => (at + 1, from),
                (_, Some(from)) => (at, from),
                _ => {
                    at += 1 + ((at - anchor) >> 7);
                    continue;
                }
            };
            let mut len = 4 + common(&data[to + 4..end], &data[from + 4..]);
            while to > anchor && from > 0 && data[to - 1] == data[from - 1] {
                (to, from, len) = (to - 1, from - 1, len + 1);
            }
            self.push(&data[anchor..to], to - from, len);
            let begun = to;
            at = to + len;
            for at in [begun + 2, at - 2] {
                if let Some(slot) = self.slot(data, at) {
                    *slot = base.saturating_add(at as u32);
                }
            }
            // The offset before the last one goes on, often.
            while let Some(from) = at.checked_sub(self.offsets[1] as usize)
                && at + 4 <= end
                && four(data, at) == four(data, from)
            {
                let len = 4 + common(&data[at + 4..end], &data[from + 4..]);
                if let Some(slot) = self.slot(data, at) {
                    *slot = base.saturating_add(at as u32);
                }
                self.push(&[], at - from, len);
                at += len;
            }
            anchor = at;
        }
        self.literals.extend_from_slice(&data[anchor..end]);
    }

    /// Adds a sequence: an offset that is one of the last three is a short one.
    fn push(&mut self, literals: &[u8], offset: usize, len: usize) {
        self.literals.extend_from_slice(literals);
        let (literals, len, offset) = (literals.len() as u32, len as u32, offset as u32);
        let [first, second, third] = self.offsets;
        // Without literals, the last offset would have gone on: the codes are for the others.
        let more = u32::from(literals > 0);
        let (value, offsets) = match offset {
            _ if offset == first && more == 1 => (1, self.offsets),
            _ if offset == second => (1 + more, [offset, first, third]),
            _ if offset == third => (2 + more, [offset, first, second]),
            _ => (offset + 3, [offset, first, second]),
        };
        self.offsets = offsets;
        let code = value.ilog2();
        let literals = match literals {
            direct @ 0..16 => (direct as u8, 0, 0),
            long => extra(long, &LITERAL_BASES, 16),
        };
        let len = match len - 3 {
            direct @ 0..32 => (direct as u8, 0, 0),
            _ => extra(len, &MATCH_BASES, 32),
        };
        self.sequences.push([literals, (code as u8, value - (1 << code), code), len]);
    }

    /// The literals and the sequences as the content of a block.
    fn encode(&mut self) {
        let Self { block: out, literals, sequences, tables, .. } = self;
        out.clear();
        if !huffman::put(literals, out) {
            let len = literals.len() as u32;
            match len {
                0..32 => out.push((len << 3) as u8),
                32..4096 => out.extend_from_slice(&(len << 4 | 1 << 2).to_le_bytes()[..2]),
                _ => out.extend_from_slice(&(len << 4 | 3 << 2).to_le_bytes()[..3]),
            }
            out.extend_from_slice(literals);
        }
        let count = sequences.len();
        match count {
            0..128 => out.push(count as u8),
            128..0x7f00 => out.extend([(count >> 8) as u8 | 128, count as u8]),
            _ => {
                out.push(255);
                out.extend(((count - 0x7f00) as u16).to_le_bytes());
            }
        }
        let Some((last, others)) = sequences.split_last() else { return };
        let modes = out.len();
        out.push(0);
        let own: [Choice; 3] = std::array::from_fn(|kind| {
            let choice = Choice::new(sequences, kind);
            match &choice {
                Choice::Format => {}
                Choice::One(code) => {
                    out[modes] |= 1 << (6 - 2 * kind);
                    out.push(*code);
                }
                Choice::Own(_, _, written) => {
                    out[modes] |= 2 << (6 - 2 * kind);
                    out.extend_from_slice(written);
                }
            }
            choice
        });
        let tables: [Option<(&Table, u32)>; 3] = std::array::from_fn(|kind| match &own[kind] {
            Choice::Format => Some((&tables[kind], KINDS[kind].log)),
            Choice::One(_) => None,
            Choice::Own(table, log, _) => Some((table, *log)),
        });
        // The last comes first: the stream is read from its end.
        let mut bits = Bits::new(out);
        let extra = |sequence: &Sequence, bits: &mut Bits<'_>| {
            for kind in [LITERALS, LENGTH, OFFSET] {
                bits.put(sequence[kind].1, sequence[kind].2);
            }
        };
        let mut states: [u32; 3] =
            std::array::from_fn(|kind| tables[kind].map_or(0, |(table, _)| table.start(last[kind].0)));
        extra(last, &mut bits);
        for sequence in others.iter().rev() {
            for kind in [OFFSET, LENGTH, LITERALS] {
                if let Some((table, _)) = tables[kind] {
                    states[kind] = table.put(states[kind], sequence[kind].0, &mut bits);
                }
            }
            extra(sequence, &mut bits);
        }
        for kind in [LENGTH, OFFSET, LITERALS] {
            if let Some((_, log)) = tables[kind] {
                bits.put(states[kind], log);
            }
        }
        bits.finish();
    }
}

/// The table for the codes of one kind in a block.
enum Choice {
    /// The format's own.
    Format,
    /// No table: all codes are the same.
    One(u8),
    /// One for this block, with how many bits a state has, and as it is written.
    Own(Table, u32, Vec<u8>),
}

impl Choice {
    fn new(sequences: &[Sequence], kind: usize) -> Self {
        let first = sequences[0][kind].0;
        if sequences.len() > 2 && sequences.iter().all(|sequence| sequence[kind].0 == first) {
            return Self::One(first);
        }
        // A table of its own takes some ten bytes.
        if sequences.len() < FEWEST {
            return Self::Format;
        }
        let mut counts = [0_u32; 53];
        sequences.iter().for_each(|sequence| counts[usize::from(sequence[kind].0)] += 1);
        let Kind { shares, log, longest } = KINDS[kind];
        let own = (sequences.len().ilog2() - 1).clamp(5 + u32::from(kind != OFFSET), longest);
        let Some(normal) = normalize(&counts, own) else { return Self::Format };
        let mut written = Vec::new();
        put_shares(&normal, own, &mut written);
        // In bits, times 256.
        let cost = |shares: &[i16], log: u32| -> u32 {
            let bits = |share: i16| (log << 8) - log2(share.max(1).unsigned_abs().into());
            counts.iter().zip(shares).map(|(&count, &share)| count * bits(share)).sum()
        };
        if cost(&normal, own) + ((written.len() as u32) << 11) >= cost(shares, log) {
            return Self::Format;
        }
        Self::Own(Table::new(&normal, own), own, written)
    }
}

/// The binary logarithm, times 256, by lines between the powers.
fn log2(value: u32) -> u32 {
    let whole = value.ilog2();
    (whole << 8) + ((value << 8) >> whole) - 256
}

/// The last offsets at the beginning of a frame.
const FIRST_OFFSETS: [u32; 3] = [1, 4, 8];

/// The fewest sequences for which a table of their own can be shorter.
const FEWEST: usize = 32;

/// The code of a length, from a table of bases and bits; what is more than the base; the bits.
fn extra(value: u32, bases: &[(u32, u32)], first: u8) -> (u8, u32, u32) {
    let place = bases.partition_point(|&(base, _)| base <= value) - 1;
    let (base, bits) = bases[place];
    (first + place as u8, value - base, bits)
}

/// How often each code of a length of literals comes, of 64.
const LITERAL_LENGTHS: [i16; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
    -1, -1,
];

/// How often each code of a length of a match comes, of 64.
const MATCH_LENGTHS: [i16; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];

/// How often each code of an offset comes, of 32.
const OFFSETS: [i16; 29] =
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];

/// The lengths of literals from the code 16 on: the least, and how many bits say how much more.
const LITERAL_BASES: [(u32, u32); 20] =
    bases(16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/// The lengths of matches from the code 32 on.
const MATCH_BASES: [(u32, u32); 21] =
    bases(35, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/// The codes of a length follow each other: each begins where the bits of the one before end.
const fn bases<const N: usize>(mut base: u32, bits: [u32; N]) -> [(u32, u32); N] {
    let mut bases = [(0, 0); N];
    let mut code = 0;
    while code < N {
        bases[code] = (base, bits[code]);
        base += 1 << bits[code];
        code += 1;
    }
    bases
}
