//! Writes Huffman-coded literals.
//!
//! | bits | what |
//! |---|---|
//! | 2 | kind, 2 |
//! | 2 | the number of streams, and the length of the next two fields |
//! | 10, 14 or 18 | the number of literals |
//! | the same | the number of bytes that follow |
//! | 8 | 127 plus the number of weights of four bits, or the size in bytes of the FSE-coded weights |
//! | 4 each, or FSE | the weight of each symbol but the last: the length of the longest code, plus 1, minus its own |
//! | … | if there are four streams, the u16 lengths of the first three; the streams |

use crate::bits::Writer;
use crate::consts::{HUFFMAN_LOG, WEIGHTS_LOG};
use crate::fse::{Coder, Shares};

/// The maximum number of weights that can be stored with four bits each.
const DIRECT: usize = 128;

/// Fewer literals than this are shorter without codes.
pub(crate) const FEWEST: usize = 64;

/// The code of each symbol.
pub(crate) struct Codes {
    /// The code and its length; the length is 0 if the symbol does not occur.
    codes: [(u16, u8); 256],
    longest: u32,
    last: usize,
}

/// Writes the literals from `at` on; returns the index after them, or `None` if codes do not make them shorter.
pub(crate) fn write(literals: &[u8], out: &mut [u8], at: usize, coder: &mut Coder) -> Option<usize> {
    let codes = Codes::new(literals)?;
    let streams = if literals.len() < 256 { 1 } else { 4 };
    let (format, bits) = match literals.len() {
        0..256 => (0, 10),
        256..1024 => (1, 10),
        1024..16_384 => (2, 14),
        _ => (3, 18),
    };
    let head = (4 + 2 * bits) / 8;
    let start = at + head;
    let table = codes.write_weights(out, start, coder)?;
    let mut end = table + 2 * (streams - 1);
    for (number, part) in literals.chunks(literals.len().div_ceil(streams)).enumerate() {
        let before = end;
        end = codes.write_stream(part, out, before);
        if number + 1 < streams {
            out.get_mut(table + 2 * number..)?.first_chunk_mut().map(|place| {
                *place = ((end - before) as u16).to_le_bytes();
            })?;
        }
    }
    let size = end - start;
    if end > out.len() || size + head >= literals.len() || size >> bits != 0 {
        return None;
    }
    let value = 2 | format << 2 | (literals.len() as u64) << 4 | (size as u64) << (4 + bits);
    out.get_mut(at..start)?.copy_from_slice(value.to_le_bytes().get(..head)?);
    Some(end)
}

impl Codes {
    /// The codes for these literals; `None` if there are few literals, or if codes hardly shorten them.
    fn new(literals: &[u8]) -> Option<Self> {
        if literals.len() < FEWEST {
            return None;
        }
        let mut counts = count(literals);
        let last = counts.iter().rposition(|&count| count > 0)?;
        let most = counts.iter().max().map_or(0, |&most| most as usize);
        // All literals are the same, or so different that no code is much shorter than a byte.
        if most == literals.len() || most <= (literals.len() >> 7) + 4 {
            return None;
        }
        let mut lengths = lengths(&counts[..=last]);
        while lengths.iter().any(|&length| u32::from(length) > HUFFMAN_LOG) {
            // Flattens the counts until no code is too long.
            counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
            lengths = self::lengths(&counts[..=last]);
        }
        let longest = lengths.iter().max().copied().unwrap_or(0);
        // The number of codes of each length, and then the first code of each: the longest codes have the least values.
        let mut next = [0_u16; 16];
        lengths.iter().filter(|length| **length > 0).for_each(|&length| next[usize::from(length % 16)] += 1);
        let mut first = 0;
        for next in next[..=usize::from(longest % 16)].iter_mut().rev() {
            let count = *next;
            *next = first;
            first = (first + count) >> 1;
        }
        let mut codes = [(0, 0); 256];
        for (code, &length) in codes.iter_mut().zip(&lengths).filter(|(_, length)| **length > 0) {
            let next = &mut next[usize::from(length % 16)];
            *code = (*next, length);
            *next += 1;
        }
        Some(Self { codes, longest: longest.into(), last })
    }

    /// Writes the weights except that of the last symbol, which follows from the others; `None` if there are too many
    /// for four bits each, and FSE does not shorten them.
    fn write_weights(&self, out: &mut [u8], at: usize, coder: &mut Coder) -> Option<usize> {
        let mut weights = [0; 256];
        for (weight, &(_, length)) in
            weights.iter_mut().zip(&self.codes).filter(|(_, (_, length))| *length > 0)
        {
            *weight = self.longest as u8 + 1 - length;
        }
        let weights = &weights[..self.last];
        let direct = weights.len().div_ceil(2);
        if let Some(end) = write_entropy(weights, out, at + 1, coder) {
            let len = end - at - 1;
            if len < DIRECT && (weights.len() > DIRECT || len < direct) {
                *out.get_mut(at)? = len as u8;
                return Some(end);
            }
        }
        if weights.len() > DIRECT {
            return None;
        }
        let end = at + 1 + direct;
        *out.get_mut(at)? = 127 + weights.len() as u8;
        for (place, pair) in out.get_mut(at + 1..end)?.iter_mut().zip(weights.chunks(2)) {
            *place = pair[0] << 4 | pair.get(1).copied().unwrap_or(0);
        }
        Some(end)
    }

    /// Writes the last literal first, since a stream is read from its end; returns the index after the stream.
    fn write_stream(&self, literals: &[u8], out: &mut [u8], at: usize) -> usize {
        let mut bits = Writer::new(out, at);
        let mut put = |literals: &[u8]| {
            for &literal in literals.iter().rev() {
                let (code, length) = self.codes[usize::from(literal)];
                bits.put(code.into(), length.into());
            }
            bits.flush();
        };
        let (rest, groups) = literals.as_rchunks::<5>();
        groups.iter().rev().for_each(|group| put(group));
        put(rest);
        bits.end_marked()
    }
}

/// The count of each symbol. Four tables in turn avoid dependencies between additions.
fn count(literals: &[u8]) -> [u32; 256] {
    let mut counts = [[0_u32; 256]; 4];
    let (groups, rest) = literals.as_chunks::<4>();
    for group in groups {
        for (counts, &literal) in counts.iter_mut().zip(group) {
            counts[usize::from(literal)] += 1;
        }
    }
    rest.iter().for_each(|&literal| counts[0][usize::from(literal)] += 1);
    core::array::from_fn(|symbol| counts.iter().map(|counts| counts[symbol]).sum())
}

/// The code length of each symbol. At least two counts must not be 0.
fn lengths(counts: &[u32]) -> [u8; 256] {
    // Count and symbol are in one number, which sorts faster.
    let (mut leaves, mut len) = ([0_u32; 256], 0);
    for (symbol, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        leaves[len] = count << 8 | symbol as u32;
        len += 1;
    }
    let leaves = &mut leaves[..len];
    leaves.sort_unstable();
    // The weight and the parent of each node, leaves first. Leaves and inner nodes are both sorted by weight, so the
    // two least are next in one of the two lists.
    let (mut weights, mut parents) = ([0_u32; 512], [0_u16; 512]);
    weights.iter_mut().zip(&*leaves).for_each(|(weight, leaf)| *weight = leaf >> 8);
    let (mut leaf, mut inner) = (0, len);
    let nodes = 2 * len - 1;
    for node in len..nodes {
        let mut sum = 0;
        for _ in 0..2 {
            let is_leaf = leaf < len && (inner >= node || weights[leaf] <= weights[inner]);
            let least = if is_leaf { &mut leaf } else { &mut inner };
            parents[*least] = node as u16;
            sum += weights[*least];
            *least += 1;
        }
        weights[node] = sum;
    }
    let mut depths = [0_u8; 512];
    for node in (0..nodes - 1).rev() {
        depths[node] = depths[usize::from(parents[node])] + 1;
    }
    let mut lengths = [0; 256];
    leaves.iter().zip(depths).for_each(|(&leaf, depth)| lengths[(leaf % 256) as usize] = depth);
    lengths
}

/// Writes weights with FSE: the normalized counts, then the bits of two states in turn. `None` if all weights are
/// equal.
fn write_entropy(weights: &[u8], out: &mut [u8], at: usize, coder: &mut Coder) -> Option<usize> {
    let mut counts = [0; HUFFMAN_LOG as usize + 1];
    weights.iter().for_each(|&weight| counts[usize::from(weight)] += 1);
    let shares = Shares::new(&counts, WEIGHTS_LOG)?;
    let at = shares.write(out, at);
    coder.fill(shares.shares(), WEIGHTS_LOG);
    let mut bits = Writer::new(out, at);
    let mut states = [None; 2];
    // The last weight is written first, since the stream is read from its end.
    for (index, &weight) in weights.iter().enumerate().rev() {
        let state = &mut states[index % 2];
        *state = Some(match *state {
            None => coder.start(weight),
            Some(state) => coder.put(state, weight, &mut bits),
        });
        bits.flush();
    }
    let [Some(first), Some(second)] = states else { return None };
    bits.put(second, WEIGHTS_LOG);
    bits.put(first, WEIGHTS_LOG);
    Some(bits.end_marked())
}
