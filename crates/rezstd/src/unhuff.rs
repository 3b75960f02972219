//! Reads Huffman-coded literals.

use crate::bits::{before, end_of, highest};
use crate::consts::{HUFFMAN_LOG, WEIGHTS_LOG};
use crate::error::{Error, Result};
use crate::fse::Shares;
use crate::table::{Table, WEIGHTS};

const SIZE: usize = 1 << HUFFMAN_LOG;

/// The number of codes read from a stream before more bits are loaded: 5 × 11 of the 55 available bits.
const AT_ONCE: usize = 5;

/// The table that decodes the next bits to a symbol.
#[derive(Clone, Debug)]
pub(crate) struct Huffman {
    /// For each number of 11 bits: the symbol in the upper byte, and the length of its code in the lower byte.
    entries: [u16; SIZE],
}

/// A stream: the offset of the eight loaded bytes, and their unread bits. Their lowest bit is set, so that the zeros
/// below it are as many as the bits consumed.
#[derive(Clone, Copy)]
struct Stream {
    at: usize,
    bits: u64,
}

impl Stream {
    fn new(bytes: &[u8], start: usize, end: usize) -> Option<Self> {
        let last = end_of(bytes, start, end)?;
        let at = (last / 8).checked_sub(7)?;
        let word = bytes.get(at..)?.first_chunk()?;
        Some(Self { at, bits: (u64::from_le_bytes(*word) | 1) << (8 - last % 8) })
    }

    /// Loads bits until at least 55 are available; `None` if the position is far before the start of the stream.
    #[inline(always)]
    fn load(&mut self, bytes: &[u8]) -> Option<()> {
        let gone = self.bits.trailing_zeros();
        let at = self.at.wrapping_sub((gone / 8) as usize);
        let word = bytes.get(at..)?.first_chunk()?;
        *self = Self { at, bits: (u64::from_le_bytes(*word) | 1) << (gone % 8) };
        Some(())
    }

    /// The index of the bit after the next one.
    fn position(self) -> usize {
        (self.at + 8) * 8 - self.bits.trailing_zeros() as usize
    }
}

impl Huffman {
    pub(crate) const EMPTY: Self = Self { entries: [0; SIZE] };

    /// Reads the weights of all symbols from `at` on, and builds the table; returns their end.
    pub(crate) fn read(&mut self, bytes: &[u8], at: usize, end: usize, table: &mut Table) -> Result<usize> {
        let wrong = || Error::invalid("Huffman weights", at);
        let bytes = bytes.get(..end).ok_or_else(wrong)?;
        let head = usize::from(*bytes.get(at).ok_or_else(wrong)?);
        let start = at + 1;
        let mut weights = [0; 256];
        let (count, end) = match head {
            0..128 => {
                let end = start + head;
                let coded = bytes.get(start..end).ok_or_else(wrong)?;
                let (shares, len) = Shares::read(coded, WEIGHTS.len(), WEIGHTS_LOG).ok_or_else(wrong)?;
                table.fill(&WEIGHTS, shares.shares(), shares.log);
                (coded_weights(bytes, start + len, end, table, &mut weights).ok_or_else(wrong)?, end)
            }
            _ => {
                let count = head - 127;
                let end = start + count.div_ceil(2);
                let pairs = bytes.get(start..end).ok_or_else(wrong)?;
                for (weights, pair) in weights.chunks_mut(2).zip(pairs) {
                    weights.copy_from_slice(&[pair >> 4, pair & 15]);
                }
                (count, end)
            }
        };
        self.fill(&mut weights, count).ok_or_else(wrong)?;
        Ok(end)
    }

    /// Builds the table. The weight of the last symbol follows from the others, since together they use all codes.
    /// `None` if the weights are not valid.
    fn fill(&mut self, weights: &mut [u8; 256], count: usize) -> Option<()> {
        let mut sum = 0_u32;
        for &weight in &weights[..count] {
            if u32::from(weight) > HUFFMAN_LOG {
                return None;
            }
            sum += (1 << weight) >> 1;
        }
        let log = sum.checked_ilog2()? + 1;
        let left = (1 << log) - sum;
        if log > HUFFMAN_LOG || !left.is_power_of_two() {
            return None;
        }
        *weights.get_mut(count)? = left.ilog2() as u8 + 1;
        let weights = &weights[..=count];
        // The first code of each weight. The least weight, which has the longest codes, is first.
        let mut counts = [0_usize; 16];
        weights.iter().for_each(|&weight| counts[usize::from(weight % 16)] += 1);
        if counts[1] < 2 || counts[1] % 2 != 0 {
            return None;
        }
        let (mut next, mut starts) = (0, [0; 16]);
        for weight in 1..16 {
            starts[weight] = next;
            next += counts[weight] << (weight as u32 - 1 + HUFFMAN_LOG - log);
        }
        for (symbol, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0) {
            let start = &mut starts[usize::from(weight % 16)];
            // A shorter code has several entries, for any bits after it.
            let len = 1 << (u32::from(weight) - 1 + HUFFMAN_LOG - log);
            let entry = (symbol as u16) << 8 | (log as u16 + 1 - u16::from(weight));
            self.entries[*start..*start + len].fill(entry);
            *start += len;
        }
        Some(())
    }

    /// Reads symbols of one stream until `out` is full. Fails unless this takes exactly the bits from `start` to `end`.
    pub(crate) fn one(&self, bytes: &[u8], start: usize, end: usize, out: &mut [u8]) -> Result<()> {
        let wrong = || Error::invalid("Huffman codes", start);
        let mut stream = Stream::new(bytes, start, end).ok_or_else(wrong)?;
        let (groups, rest) = out.as_chunks_mut::<AT_ONCE>();
        for group in groups {
            self.group(bytes, &mut stream, group).ok_or_else(wrong)?;
        }
        self.rest(bytes, start, stream, rest).ok_or_else(wrong)
    }

    /// Reads symbols of four streams in turn. The lengths of the first three precede the streams.
    pub(crate) fn four(&self, bytes: &[u8], start: usize, end: usize, out: &mut [u8]) -> Result<()> {
        let wrong = || Error::invalid("Huffman codes", start);
        let lengths: &[u8; 6] = bytes.get(start..end).and_then(<[u8]>::first_chunk).ok_or_else(wrong)?;
        let mut starts = [start + 6; 5];
        for (index, length) in lengths.as_chunks().0.iter().enumerate() {
            starts[index + 1] = starts[index] + usize::from(u16::from_le_bytes(*length));
        }
        starts[4] = end;
        let part = out.len().div_ceil(4);
        if out.len() < 6 || starts[3] > end {
            return Err(wrong());
        }
        let mut streams = [Stream { at: 0, bits: 0 }; 4];
        for (index, stream) in streams.iter_mut().enumerate() {
            *stream = Stream::new(bytes, starts[index], starts[index + 1]).ok_or_else(wrong)?;
        }
        let mut parts = out.chunks_mut(part);
        // If there are few symbols, the last parts are empty.
        let mut parts: [&mut [u8]; 4] = core::array::from_fn(|_| parts.next().unwrap_or_default());
        // The number of whole groups in the last part, which is the shortest.
        let count = parts[3].len() / AT_ONCE;
        let mut groups = parts.each_mut().map(|part| part.as_chunks_mut::<AT_ONCE>().0.iter_mut());
        for _ in 0..count {
            // Taking the streams in turn lets the processor work on all of them at once, with the bits of one in a
            // register.
            for (stream, groups) in streams.iter_mut().zip(&mut groups) {
                let group = groups.next().ok_or_else(wrong)?;
                self.group(bytes, stream, group).ok_or_else(wrong)?;
            }
        }
        for (index, (stream, part)) in streams.into_iter().zip(parts).enumerate() {
            self.rest(bytes, starts[index], stream, &mut part[count * AT_ONCE..]).ok_or_else(wrong)?;
        }
        Ok(())
    }

    /// Reads the next symbols of a stream from its loaded bits, and loads more bits.
    #[inline(always)]
    fn group(&self, bytes: &[u8], stream: &mut Stream, out: &mut [u8; AT_ONCE]) -> Option<()> {
        let mut bits = stream.bits;
        for out in out {
            self.next(&mut bits, out);
        }
        stream.bits = bits;
        stream.load(bytes)
    }

    #[inline(always)]
    fn next(&self, bits: &mut u64, out: &mut u8) {
        let entry = self.entries[(*bits >> (64 - HUFFMAN_LOG)) as usize % SIZE];
        *bits <<= entry & 63;
        *out = (entry >> 8) as u8;
    }

    /// Reads the last symbols of a stream; `None` unless it ends exactly at `start`.
    fn rest(&self, bytes: &[u8], start: usize, mut stream: Stream, out: &mut [u8]) -> Option<()> {
        for out in out {
            stream.load(bytes)?;
            self.next(&mut stream.bits, out);
        }
        (stream.position() == start * 8).then_some(())
    }
}

/// Reads FSE-coded weights, with two states in turn; returns their number.
fn coded_weights(
    bytes: &[u8],
    start: usize,
    end: usize,
    table: &Table,
    out: &mut [u8; 256],
) -> Option<usize> {
    let mut at = end_of(bytes, start, end)?;
    let mut take = |count: u32| -> Option<u32> {
        let left = at.checked_sub(count as usize).filter(|left| *left >= start * 8)?;
        let value = highest(before(bytes, at)?, count);
        at = left;
        Some(value as u32)
    };
    let mut states = [take(table.log)?, take(table.log)?];
    let mut out = out[..255].iter_mut().zip(1..);
    loop {
        for turn in 0..2 {
            let entry = table.get(states[turn]);
            *out.next()?.0 = entry.base() as u8;
            let Some(more) = take(entry.bits()) else {
                // The other state gives the last weight.
                let (last, count) = out.next()?;
                *last = table.get(states[1 - turn]).base() as u8;
                return Some(count);
            };
            states[turn] = entry.next() + more;
        }
    }
}
