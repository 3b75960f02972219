//! Literals in Huffman codes, read.

use crate::bits::{before, end_of, highest};
use crate::consts::{HUFFMAN_LOG, WEIGHTS_LOG};
use crate::error::{Error, Result};
use crate::fse::Shares;
use crate::table::{Table, WEIGHTS};

const SIZE: usize = 1 << HUFFMAN_LOG;

/// How many codes are read of each stream before more bits are loaded: 55 are there.
const AT_ONCE: usize = 5;

/// Which symbol the next bits are.
#[derive(Clone, Debug)]
pub(crate) struct Huffman {
    /// For each number of `log` bits the symbol, and in the lower half how many of these bits it takes.
    entries: [u16; SIZE],
    log: u32,
}

/// A stream: where the eight bytes begin whose bits are loaded, and these bits. Below them is a bit that is set, so
/// that the zeros after it count how many are gone.
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

    /// Loads so many bits that 55 are there; `None` far before the beginning.
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
    pub(crate) const EMPTY: Self = Self { entries: [0; SIZE], log: 0 };

    /// Reads the weights of all symbols, from `at` on; where they end.
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

    /// Makes the table. The weight of the last symbol follows from those of the others: together they take all codes.
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
        // Where the codes of each weight begin: the least weight, which has the longest codes, comes first.
        let mut counts = [0_usize; 16];
        weights.iter().for_each(|&weight| counts[usize::from(weight % 16)] += 1);
        if counts[1] < 2 || counts[1] % 2 != 0 {
            return None;
        }
        let (mut next, mut starts) = (0, [0; 16]);
        for weight in 1..16 {
            starts[weight] = next;
            next += counts[weight] << (weight - 1);
        }
        for (symbol, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0) {
            let start = &mut starts[usize::from(weight % 16)];
            let len = 1 << (weight - 1);
            let entry = (symbol as u16) << 8 | (log as u16 + 1 - u16::from(weight));
            self.entries[*start..*start + len].fill(entry);
            *start += len;
        }
        self.log = log;
        Some(())
    }

    /// Reads symbols of one stream, which ends at `end`, until `out` is full; all bits from `start` on are read.
    pub(crate) fn one(&self, bytes: &[u8], start: usize, end: usize, out: &mut [u8]) -> Result<()> {
        let wrong = || Error::invalid("Huffman codes", start);
        let mut stream = Stream::new(bytes, start, end).ok_or_else(wrong)?;
        let shift = 64 - self.log;
        let (groups, rest) = out.as_chunks_mut::<AT_ONCE>();
        for group in groups {
            for out in group {
                self.next(&mut stream.bits, shift, out);
            }
            stream.load(bytes).ok_or_else(wrong)?;
        }
        self.rest(bytes, start, stream, rest).ok_or_else(wrong)
    }

    /// Reads symbols of four streams in turn. The first three end after their lengths, which come before them.
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
        let [mut a, mut b, mut c, mut d] = [Stream { at: 0, bits: 0 }; 4];
        for (index, stream) in [&mut a, &mut b, &mut c, &mut d].into_iter().enumerate() {
            *stream = Stream::new(bytes, starts[index], starts[index + 1]).ok_or_else(wrong)?;
        }
        let (out_a, rest) = out.split_at_mut(part);
        let (out_b, rest) = rest.split_at_mut(part);
        let (out_c, out_d) = rest.split_at_mut(part);
        let shift = 64 - self.log;
        let (groups_d, rest_d) = out_d.as_chunks_mut::<AT_ONCE>();
        let count = groups_d.len();
        let ([groups_a, groups_b, groups_c], [rest_a, rest_b, rest_c]) = {
            let [(a, d), (b, e), (c, f)] = [out_a, out_b, out_c].map(|out| out.split_at_mut(count * AT_ONCE));
            ([a, b, c].map(|groups| groups.as_chunks_mut::<AT_ONCE>().0), [d, e, f])
        };
        let groups = groups_a.iter_mut().zip(groups_b).zip(groups_c).zip(groups_d);
        for (((to_a, to_b), to_c), to_d) in groups {
            for index in 0..AT_ONCE {
                self.next(&mut a.bits, shift, &mut to_a[index]);
                self.next(&mut b.bits, shift, &mut to_b[index]);
                self.next(&mut c.bits, shift, &mut to_c[index]);
                self.next(&mut d.bits, shift, &mut to_d[index]);
            }
            for stream in [&mut a, &mut b, &mut c, &mut d] {
                stream.load(bytes).ok_or_else(wrong)?;
            }
        }
        for (index, (stream, rest)) in
            [(a, rest_a), (b, rest_b), (c, rest_c), (d, rest_d)].into_iter().enumerate()
        {
            self.rest(bytes, starts[index], stream, rest).ok_or_else(wrong)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn next(&self, bits: &mut u64, shift: u32, out: &mut u8) {
        let entry = self.entries[(*bits >> shift) as usize % SIZE];
        *bits <<= entry & 63;
        *out = (entry >> 8) as u8;
    }

    /// The last symbols of a stream, which has to end at `start` exactly.
    fn rest(&self, bytes: &[u8], start: usize, mut stream: Stream, out: &mut [u8]) -> Option<()> {
        for out in out {
            stream.load(bytes)?;
            self.next(&mut stream.bits, 64 - self.log, out);
        }
        (stream.position() == start * 8).then_some(())
    }
}

/// Weights in finite state entropy, of two states in turn; how many they are.
fn coded_weights(
    bytes: &[u8],
    start: usize,
    end: usize,
    table: &Table,
    out: &mut [u8; 256],
) -> Option<usize> {
    let mut at = end_of(bytes, start, end)?;
    let mut take = |count: u32| -> Option<usize> {
        let left = at.checked_sub(count as usize)?;
        let value = if left < start * 8 { None } else { Some(highest(before(bytes, at)?, count) as usize) };
        at = left;
        value
    };
    let mut states = [take(table.log)?, take(table.log)?];
    let mut out = out[..255].iter_mut().zip(1..);
    loop {
        for turn in 0..2 {
            let entry = table.get(states[turn]);
            *out.next()?.0 = entry.base as u8;
            let Some(more) = take(entry.bits.into()) else {
                // The other state is the last one.
                let (last, count) = out.next()?;
                *last = table.get(states[1 - turn]).base as u8;
                return Some(count);
            };
            states[turn] = usize::from(entry.next) + more;
        }
    }
}
