//! Writes frames.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::bits::Writer;
use crate::consts::{Code, KINDS, Kind, LENGTH, LITERALS, MAX_BLOCK, OFFSET};
use crate::frame::{BlockHead, BlockKind, Header};
use crate::fse::{Coder, MAX_CODES, Shares};
use crate::huffman;
use crate::matches::{Finder, Sequence};
use crate::xxhash::xxh64;

/// The predefined tables.
static FORMAT: [Coder; 3] = [own(&KINDS[LITERALS]), own(&KINDS[OFFSET]), own(&KINDS[LENGTH])];

const fn own(kind: &Kind) -> Coder {
    let mut coder = Coder::EMPTY;
    coder.fill(kind.shares, kind.log);
    coder
}

/// The code of each small number of literals, and of each small length of a match, minus 3.
static SHORT: [[u8; 128]; 3] = [short(KINDS[LITERALS].codes, 0), [0; 128], short(KINDS[LENGTH].codes, 3)];

const fn short(codes: &[Code], first: u32) -> [u8; 128] {
    let mut short = [0; 128];
    let (mut value, mut code) = (0, 0);
    while value < short.len() {
        while code + 1 < codes.len() && codes[code + 1].base <= value as u32 + first {
            code += 1;
        }
        short[value] = code as u8;
        value += 1;
    }
    short
}

/// A block with fewer bytes is not searched for matches: sequences cost more than they save.
const FEWEST: usize = 24;

/// With fewer sequences, a custom table is not worth its size.
const FEWEST_FOR_TABLE: usize = 32;

/// Writes frames. The memory is reused for the next frame.
#[derive(Clone, Debug)]
pub struct Encoder {
    finder: Finder,
    /// The length of the previous frame.
    before: usize,
    block: Vec<u8>,
    codes: Vec<[u8; 3]>,
    coders: Box<[Coder; 3]>,
    checksum: bool,
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder that can write any number of frames.
    pub fn new() -> Self {
        Self {
            finder: Finder::new(),
            before: 0,
            block: Vec::new(),
            codes: Vec::new(),
            coders: Box::new([Coder::EMPTY; 3]),
            checksum: false,
        }
    }

    /// Whether frames end with a checksum of their content; by default they do not.
    #[must_use]
    pub fn checksum(mut self, checksum: bool) -> Self {
        self.checksum = checksum;
        self
    }

    /// How long matches are searched for: up to 3 for the fastest search, which is the default; each level above it takes
    /// longer, up to 22. Frames of all levels are read alike.
    #[must_use]
    pub fn level(mut self, level: u32) -> Self {
        self.finder.search(match level {
            0..=3 => 0,
            level => 2 << ((level.min(22) - 4) / 2),
        });
        self
    }

    /// Appends a frame with these bytes as its content: a single segment that declares its size. The frame is at most
    /// 18 bytes, and three more for every 128 KiB, longer than the content.
    pub fn encode(&mut self, data: &[u8], out: &mut Vec<u8>) {
        Header::write(data.len(), self.checksum, out);
        self.finder.begin(data.len(), self.before);
        self.before = data.len();
        let mut start = 0;
        loop {
            let end = data.len().min(start + MAX_BLOCK);
            self.block(data, start, end, out);
            start = end;
            if start == data.len() {
                break;
            }
        }
        if self.checksum {
            out.extend_from_slice(&(xxh64(data) as u32).to_le_bytes());
        }
    }

    fn block(&mut self, data: &[u8], start: usize, end: usize, out: &mut Vec<u8>) {
        let bytes = &data[start..end];
        let (size, last) = (bytes.len(), end == data.len());
        if size > 3 && bytes.iter().all(|&byte| byte == bytes[0]) {
            BlockHead { last, kind: BlockKind::Repeated, size }.write(out);
            out.push(bytes[0]);
            return;
        }
        if size >= FEWEST {
            let offsets = self.finder.offsets;
            self.finder.find(data, start, end);
            // Whole words are written, so the last one can extend beyond the last byte.
            if self.block.len() < size + 8 {
                self.block.resize(size + 8, 0);
            }
            if let Some(size) = self.write(size) {
                BlockHead { last, kind: BlockKind::Coded, size }.write(out);
                out.extend_from_slice(&self.block[..size]);
                return;
            }
            self.finder.offsets = offsets;
        }
        BlockHead { last, kind: BlockKind::Raw, size }.write(out);
        out.extend_from_slice(bytes);
    }

    /// Writes literals and sequences as the content of a block; returns its size, or `None` if it is not less than
    /// `limit`.
    fn write(&mut self, limit: usize) -> Option<usize> {
        let Self { finder, block: out, codes, coders, .. } = self;
        let (literals, sequences) = (finder.literals(), &finder.sequences);
        if sequences.is_empty() && literals.len() < huffman::FEWEST {
            return None;
        }
        let out = &mut out[..limit + 8];
        let mut at = match huffman::write(literals, out, 0, &mut coders[0]) {
            Some(end) => end,
            None => {
                let len = literals.len() as u32;
                let (head, size) = match len {
                    0..32 => (len << 3, 1),
                    32..4096 => (len << 4 | 1 << 2, 2),
                    _ => (len << 4 | 3 << 2, 3),
                };
                let end = size + literals.len();
                out.get_mut(..size)?.copy_from_slice(&head.to_le_bytes()[..size]);
                out.get_mut(size..end)?.copy_from_slice(literals);
                end
            }
        };
        let count = sequences.len();
        let (head, size) = match count {
            0..128 => ([count as u8, 0, 0], 1),
            128..0x7f00 => ([(count >> 8) as u8 | 128, count as u8, 0], 2),
            _ => ([255, (count - 0x7f00) as u8, ((count - 0x7f00) >> 8) as u8], 3),
        };
        out.get_mut(at..at + size)?.copy_from_slice(&head[..size]);
        at += size;
        if count > 0 {
            at = write_sequences(sequences, codes, coders, out, at)?;
        }
        (at < limit).then_some(at)
    }
}

/// The codes of the three parts of a sequence.
#[inline(always)]
fn codes_of(sequence: &Sequence) -> [u8; 3] {
    let long = |kind: usize, value: u32, limit: u32, above: u32| match value < limit {
        true => SHORT[kind][value as usize % 128],
        false => (value.ilog2() + above) as u8,
    };
    [
        long(LITERALS, sequence.literals, 64, 19),
        sequence.offset.ilog2() as u8,
        long(LENGTH, sequence.len - 3, 128, 36),
    ]
}

fn write_sequences(
    sequences: &[Sequence],
    codes: &mut Vec<[u8; 3]>,
    coders: &mut [Coder; 3],
    out: &mut [u8],
    mut at: usize,
) -> Option<usize> {
    codes.clear();
    codes.extend(sequences.iter().map(codes_of));
    let mut counts = [[0_u32; MAX_CODES]; 3];
    for codes in &*codes {
        for (counts, &code) in counts.iter_mut().zip(codes) {
            counts[usize::from(code)] += 1;
        }
    }
    let modes = at;
    at += 1;
    let mut mode = 0;
    let mut own = [false; 3];
    for kind in [LITERALS, OFFSET, LENGTH] {
        let (chosen, end) = choose(&counts[kind], kind, &mut coders[kind], out, at);
        if chosen == 1 {
            *out.get_mut(at)? = codes[0][kind];
        }
        own[kind] = chosen > 0;
        mode |= chosen << (6 - 2 * kind);
        at = end;
    }
    *out.get_mut(modes)? = mode;
    let tables: [&Coder; 3] =
        core::array::from_fn(|kind| if own[kind] { &coders[kind] } else { &FORMAT[kind] });
    // The last sequence is written first, since the stream is read from its end.
    let mut bits = Writer::new(out, at);
    let extra = |sequence: &Sequence, codes: &[u8; 3], bits: &mut Writer<'_>| {
        for (kind, value) in
            [(LITERALS, sequence.literals), (LENGTH, sequence.len), (OFFSET, sequence.offset)]
        {
            let code = KINDS[kind].codes[usize::from(codes[kind])];
            bits.put(value - code.base, code.bits.into());
        }
        bits.flush();
    };
    let mut pairs = sequences.iter().zip(&*codes).rev();
    let (sequence, last) = pairs.next()?;
    let mut states: [u32; 3] = core::array::from_fn(|kind| tables[kind].start(last[kind]));
    extra(sequence, last, &mut bits);
    for (sequence, codes) in pairs {
        for kind in [OFFSET, LENGTH, LITERALS] {
            states[kind] = tables[kind].put(states[kind], codes[kind], &mut bits);
        }
        bits.flush();
        extra(sequence, codes, &mut bits);
    }
    for kind in [LENGTH, OFFSET, LITERALS] {
        bits.put(states[kind], tables[kind].log);
    }
    Some(bits.end_marked())
}

/// Selects the table for one kind of codes: 0 predefined, 1 a single repeated code, 2 custom. A custom table is written
/// to `out` and built. Also returns the index after the output.
fn choose(counts: &[u32], kind: usize, coder: &mut Coder, out: &mut [u8], at: usize) -> (u8, usize) {
    let total: u32 = counts.iter().sum();
    if total > 2
        && let Some(code) = counts.iter().position(|count| *count == total)
    {
        coder.fill_one(code as u8);
        return (1, at + 1);
    }
    // A custom table takes about ten bytes.
    if (total as usize) < FEWEST_FOR_TABLE {
        return (0, at);
    }
    let Kind { shares, log, max_log, .. } = KINDS[kind];
    let own = (total.ilog2() - 1).clamp(5 + u32::from(kind != OFFSET), max_log);
    let Some(normal) = Shares::new(counts, own) else { return (0, at) };
    let end = normal.write(out, at);
    // The size of all codes in bits, times 256.
    let cost = |shares: &[i16], log: u32| -> u32 {
        let bits = |share: i16| (log << 8) - log2(share.max(1).unsigned_abs().into());
        counts.iter().zip(shares).map(|(&count, &share)| count * bits(share)).sum()
    };
    if cost(normal.shares(), own) + (((end - at) as u32) << 11) >= cost(shares, log) {
        return (0, at);
    }
    coder.fill(normal.shares(), own);
    (2, end)
}

/// The binary logarithm, times 256, linearly interpolated between powers.
fn log2(value: u32) -> u32 {
    let whole = value.ilog2();
    (whole << 8) + ((value << 8) >> whole) - 256
}

#[cfg(test)]
#[path = "../tests/inside/encode.rs"]
mod tests;
