//! Literals of a zstd block, in Huffman codes.
//!
//! | bits | what |
//! |---|---|
//! | 2 | kind, 2 |
//! | 2 | how many streams, and how long the next two are |
//! | 10, 14 or 18 | how many literals |
//! | as many | how many bytes follow |
//! | 8 | 127 and the number of weights, or the size of the weights in finite state entropy |
//! | 4 each, or by entropy | the weight of each symbol but the last: the longest length of a code, plus 1, less its own |
//! | … | where there are four streams, u16 lengths of the first three; the streams |

use crate::wire::fse::{Bits, Table, normalize, put_shares};

/// The longest code.
const LONGEST: u32 = 11;

/// The greatest number of weights of four bits each.
const DIRECT: usize = 128;

/// The states of weights in finite state entropy: `1 << LOG`.
const LOG: u32 = 6;

/// Fewer literals are shorter without codes.
const FEWEST: usize = 64;

/// Appends the literals; false, and nothing is appended, where codes do not make them shorter.
pub(crate) fn put(literals: &[u8], out: &mut Vec<u8>) -> bool {
    let Some(codes) = Codes::new(literals) else { return false };
    let start = out.len();
    let streams = if literals.len() < 256 { 1 } else { 4 };
    let (format, bits) = match literals.len() {
        0..256 => (0, 10),
        256..1024 => (1, 10),
        1024..16_384 => (2, 14),
        _ => (3, 18),
    };
    let head = (4 + 2 * bits) / 8;
    out.resize(start + head, 0);
    if !codes.put_weights(out) {
        out.truncate(start);
        return false;
    }
    let table = out.len();
    out.resize(table + 2 * (streams - 1), 0);
    let part = literals.len().div_ceil(streams);
    for (number, part) in literals.chunks(part).enumerate() {
        let before = out.len();
        codes.put_stream(part, out);
        if number + 1 < streams {
            let len = ((out.len() - before) as u16).to_le_bytes();
            out[table + 2 * number..][..2].copy_from_slice(&len);
        }
    }
    let size = out.len() - start - head;
    if size + head >= literals.len() || size >> bits != 0 {
        out.truncate(start);
        return false;
    }
    let value = 2 | format << 2 | (literals.len() as u64) << 4 | (size as u64) << (4 + bits);
    out[start..start + head].copy_from_slice(&value.to_le_bytes()[..head]);
    true
}

/// The code of each symbol.
struct Codes {
    /// Code and length; the length is 0 where the symbol does not occur.
    codes: [(u16, u8); 256],
    longest: u8,
    last: usize,
}

impl Codes {
    /// `None` where there are few literals, or too few different ones.
    fn new(literals: &[u8]) -> Option<Self> {
        let mut counts = [0_u32; 256];
        literals.iter().for_each(|&literal| counts[usize::from(literal)] += 1);
        let last = counts.iter().rposition(|&count| count > 0)?;
        let most = counts.iter().max().copied().unwrap_or(0) as usize;
        if literals.len() < FEWEST || most == literals.len() {
            return None;
        }
        let mut lengths = lengths(&counts[..=last]);
        while lengths.iter().any(|&length| length > LONGEST) {
            // Flatter, until all fit.
            counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
            lengths = self::lengths(&counts[..=last]);
        }
        let longest = lengths.iter().max().copied().unwrap_or(0);
        let mut codes = [(0, 0); 256];
        let mut code = 0_u16;
        // The longest codes come first, and are the least.
        for length in (1..=longest).rev() {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, other)| **other == length) {
                codes[symbol] = (code, length as u8);
                code += 1;
            }
            code >>= 1;
        }
        Some(Self { codes, longest: longest as u8, last })
    }

    /// The weights, but for that of the last symbol, which follows from the others; false where there is no way.
    fn put_weights(&self, out: &mut Vec<u8>) -> bool {
        let weight = |&(_, length): &(u16, u8)| if length == 0 { 0 } else { self.longest + 1 - length };
        let weights: Vec<u8> = self.codes[..self.last].iter().map(weight).collect();
        let direct = weights.len().div_ceil(2);
        let coded = entropy(&weights).filter(|coded| coded.len() < DIRECT);
        if let Some(coded) = coded.filter(|coded| weights.len() > DIRECT || coded.len() < direct) {
            out.push(coded.len() as u8);
            out.extend(coded);
        } else if weights.len() <= DIRECT {
            out.push((127 + weights.len()) as u8);
            out.extend(weights.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)));
        } else {
            return false;
        }
        true
    }

    /// The last literal comes first: a stream is read from its end.
    fn put_stream(&self, literals: &[u8], out: &mut Vec<u8>) {
        let mut bits = Bits::new(out);
        for &literal in literals.iter().rev() {
            let (code, length) = self.codes[usize::from(literal)];
            bits.put(code.into(), length.into());
        }
        bits.finish();
    }
}

/// The length of the code of each symbol, for how often each occurs; two of them at least.
fn lengths(counts: &[u32]) -> Vec<u32> {
    let mut leaves: Vec<(u32, usize)> = counts
        .iter()
        .zip(0..)
        .filter(|(count, _)| **count > 0)
        .map(|(&count, symbol)| (count, symbol))
        .collect();
    leaves.sort_unstable();
    // The weight of each node, leaves first, and its parent: both lists are in order, so that the two least are
    // the next of either.
    let mut weights: Vec<u32> = leaves.iter().map(|&(count, _)| count).collect();
    let mut parents = vec![0_usize; 2 * leaves.len() - 1];
    let (mut leaf, mut inner) = (0, leaves.len());
    while weights.len() < parents.len() {
        let mut sum = 0;
        for _ in 0..2 {
            let is_leaf =
                leaf < leaves.len() && weights.get(inner).is_none_or(|&weight| weights[leaf] <= weight);
            let least = if is_leaf { &mut leaf } else { &mut inner };
            parents[*least] = weights.len();
            sum += weights[*least];
            *least += 1;
        }
        weights.push(sum);
    }
    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len() - 1).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    let mut lengths = vec![0; counts.len()];
    leaves.iter().zip(depths).for_each(|(&(_, symbol), depth)| lengths[symbol] = depth);
    lengths
}

/// Weights in finite state entropy: the shares of each, and two states in turn. `None` where all are the same.
fn entropy(weights: &[u8]) -> Option<Vec<u8>> {
    let mut counts = [0; LONGEST as usize + 1];
    weights.iter().for_each(|&weight| counts[usize::from(weight)] += 1);
    let shares = normalize(&counts, LOG)?;
    let mut out = Vec::new();
    put_shares(&shares, LOG, &mut out);
    let table = Table::new(&shares, LOG);
    let mut bits = Bits::new(&mut out);
    let mut states = [None; 2];
    // The last comes first: the stream is read from its end.
    for (index, &weight) in weights.iter().enumerate().rev() {
        let state = &mut states[index % 2];
        *state = Some(match *state {
            None => table.start(weight),
            Some(state) => table.put(state, weight, &mut bits),
        });
    }
    let [Some(first), Some(second)] = states else { return None };
    bits.put(second, LOG);
    bits.put(first, LOG);
    bits.finish();
    Some(out)
}
