//! The entropy coder: range asymmetric numeral systems (rANS) over a table of frequencies.
//!
//! In a table of `1 << precision` slots, each symbol has a run of slots whose length is its frequency.
//! The decoder's state is a number. Its lowest `precision` bits are a slot, which gives the symbol; its
//! upper bits, scaled by the frequency of the symbol, give the state for the next symbol. If the state
//! becomes small, a byte is shifted in; bytes are read from the end of the block.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u8;

use crate::wire::draco::bits::{bit_length, read_block, read_varint, write_varint};
use geom::wire::{At, Budget, Fail, Here, Parsed};

/// The minimum precision of a table, and its number of slots. Larger tables are looked up by as many buckets, so that
/// lookups stay in the first-level cache.
const LEAST_PRECISION: u32 = 12;
const PLACES: usize = 1 << LEAST_PRECISION;

/// The number of bits of a slot index: one and a half times the bits of a symbol, but at least 12 and at most 20.
pub(crate) fn precision(symbol_bits: u32) -> u32 {
    // From 18 bits on, always 20.
    (symbol_bits.min(18).wrapping_mul(3) / 2).clamp(LEAST_PRECISION, 20)
}

/// A symbol and its run of slots.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    symbol: u32,
    start: u32,
    frequency: u32,
}

/// The frequencies of symbols, for reading.
#[derive(Debug)]
pub(crate) struct Table {
    precision: u32,
    /// The symbols that occur, in order of their slots.
    entries: Vec<Entry>,
}

/// The entry of the first slot of each bucket, in one word: 21 bits of frequency, 20 bits of first slot, and the index
/// of the entry in the upper bits.
type Buckets = [u64; PLACES];

impl Table {
    /// | size | what |
    /// |---|---|
    /// | varint | the number of symbols |
    /// | ... | for each, in order: its frequency, or the length of a run of symbols that do not occur |
    ///
    /// The low two bits of a byte select its meaning. 0, 1 or 2: the other six bits, followed by this number of bytes,
    /// are a frequency, lowest bits first. 3: this symbol does not occur, and neither do the following ones, whose
    /// number is the other six bits. The frequencies sum to the number of slots.
    pub(crate) fn read<'a>(start: &'a [u8], symbol_bits: u32, budget: &mut Budget) -> Parsed<'a, Self> {
        let precision = precision(symbol_bits);
        let (mut input, count) = context("symbols", read_varint).parse(start)?;
        // A symbol that occurs takes at least a byte and a slot.
        let space = input.len().min(count as usize).min(1 << precision);
        let mut entries = budget.vec::<Entry>(space).here(start)?;
        let (mut symbol, mut slots) = (0_u32, 0_u32);
        while symbol < count {
            let here = input;
            let (rest, head) = context("frequencies", le_u8).parse(input)?;
            input = rest;
            let high = u32::from(head >> 2);
            if head & 3 == 3 {
                let next = symbol.checked_add(high).and_then(|symbol| symbol.checked_add(1));
                let Some(next) = next.filter(|&next| next <= count) else {
                    let what = format!("found more symbols than the declared {count}");
                    return Err(Fail::invalid(here, what)).field("frequencies");
                };
                symbol = next;
                continue;
            }
            let mut frequency = high;
            for shift in [6, 14].into_iter().take(usize::from(head & 3)) {
                let (rest, byte) = context("frequencies", le_u8).parse(input)?;
                input = rest;
                frequency |= u32::from(byte) << shift;
            }
            if frequency > 0 {
                entries.push(Entry { symbol, start: slots, frequency });
                // This cannot overflow: both have at most 22 bits.
                slots = slots.wrapping_add(frequency);
            }
            if slots > 1 << precision {
                break;
            }
            // This is at most `count`.
            symbol = symbol.wrapping_add(1);
        }
        if slots != 1 << precision {
            let what =
                format!("expected symbol frequencies with the sum {}, found {slots}", 1_u32 << precision);
            return Err(Fail::invalid(start, what)).field("frequencies");
        }
        Ok((input, Self { precision, entries }))
    }

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "the precision is 12 to 20, and the runs of the entries follow each other to its last slot"
    )]
    fn buckets(&self) -> Buckets {
        let mut buckets = [0; PLACES];
        let shift = self.precision - LEAST_PRECISION;
        let mut rest = buckets.as_mut_slice();
        let mut filled = 0_usize;
        for (index, &Entry { start, frequency, .. }) in (0_u64..).zip(&self.entries) {
            // The buckets whose first slot belongs to this entry.
            let end = ((start + frequency - 1) >> shift) as usize;
            let count = end + 1 - filled;
            let Some((run, others)) = std::mem::take(&mut rest).split_at_mut_checked(count) else { break };
            run.fill(index << 41 | u64::from(start) << 21 | u64::from(frequency));
            filled += count;
            rest = others;
        }
        buckets
    }

    /// The largest symbol.
    pub(crate) fn largest(&self) -> u32 {
        self.entries.last().map_or(0, |entry| entry.symbol)
    }

    /// The only symbol, if just one occurs.
    pub(crate) fn only(&self) -> Option<u32> {
        match self.entries.as_slice() {
            [entry] => Some(entry.symbol),
            _ => None,
        }
    }
}

/// Reads symbols.
#[derive(Debug)]
pub(crate) struct Decoder<'a, 't> {
    table: &'t Table,
    /// The unread bytes, which are read from the end.
    rest: &'a [u8],
    state: u32,
}

impl<'a, 't> Decoder<'a, 't> {
    /// Begins to read a block of bytes that is preceded by its length. Its last one to four bytes have the state: the
    /// top two bits of the last byte are the number of bytes before it; the others are the state minus four times the
    /// number of slots.
    pub(crate) fn read(start: &'a [u8], table: &'t Table) -> Parsed<'a, Self> {
        let (input, block) = read_block(start)?;
        let Some(&last) = block.last() else {
            return Err(Fail::invalid(start, "the block of encoded symbols is empty"));
        };
        let len = last >> 6;
        let before = block.len().checked_sub(1).and_then(|before| before.checked_sub(len.into()));
        let Some((rest, bytes)) = before.and_then(|before| block.split_at_checked(before)) else {
            return Err(Fail::invalid(
                start,
                "the block of encoded symbols is shorter than the decoder state at its end",
            ));
        };
        let low = bytes.iter().rev().fold(0_u32, |state, &byte| state << 8 | u32::from(byte));
        let mask = match len {
            0 => 0x3f,
            1 => 0x3fff,
            2 => 0x3f_ffff,
            _ => 0x3fff_ffff,
        };
        let base = 4_u32 << table.precision;
        // This cannot overflow: the numbers have 23 and 30 bits.
        let state = base.wrapping_add(low & mask);
        if state >= base << 8 {
            return Err(Fail::invalid(
                start,
                "the decoder state at the end of the encoded symbols is out of range",
            ));
        }
        Ok((input, Self { table, rest, state }))
    }

    /// Passes a symbol to `take` for each of `places`; `None` if the bytes end too early.
    #[inline(always)]
    pub(crate) fn run<T>(
        self,
        places: impl Iterator<Item = T>,
        mut take: impl FnMut(T, u32) -> Option<()>,
    ) -> Option<()> {
        // 32 KiB on the stack, which is not worth an allocation.
        let buckets = self.table.buckets();
        let Table { precision, ref entries } = *self.table;
        let shift = precision.wrapping_sub(LEAST_PRECISION);
        let Self { mut state, mut rest, .. } = self;
        for place in places {
            while state < 4 << precision {
                let (&byte, left) = rest.split_last()?;
                state = state << 8 | u32::from(byte);
                rest = left;
            }
            let slot = state & (1_u32 << precision).wrapping_sub(1);
            #[allow(clippy::indexing_slicing, reason = "masked to the size of the array")]
            let bucket = buckets[(slot >> shift) as usize & (PLACES - 1)];
            #[allow(clippy::cast_possible_truncation, reason = "the parts of the word")]
            let (mut frequency, start) = (bucket as u32 & 0x1f_ffff, (bucket >> 21) as u32 & 0xf_ffff);
            let mut at = (bucket >> 41) as usize;
            let mut within = slot.wrapping_sub(start);
            let mut symbol = entries.get(at)?.symbol;
            while within >= frequency {
                at = at.wrapping_add(1);
                let entry = entries.get(at)?;
                (frequency, within, symbol) = (entry.frequency, slot.wrapping_sub(entry.start), entry.symbol);
            }
            // This cannot overflow: the result is at most the old state.
            state = (state >> precision).wrapping_mul(frequency).wrapping_add(within);
            take(place, symbol)?;
        }
        Some(())
    }
}

/// The frequencies of symbols, for writing.
#[derive(Debug)]
pub(crate) struct Frequencies {
    symbol_bits: u32,
    /// The frequency and the first slot of each symbol.
    slots: Vec<(u32, u32)>,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "in 64 bits: counts have 32, slots 20, and their sums are those of fewer than 2^22 of them"
)]
impl Frequencies {
    /// Scales counts, at least one of which is not zero, to the slots of a table. `symbol_bits` is the number of bits
    /// with which the table is read; `None` for the number that the occurring symbols need.
    pub(crate) fn new(counts: &[u32], symbol_bits: Option<u32>) -> Self {
        let used = counts.iter().filter(|&&count| count > 0).count();
        let wanted = bit_length(u32::try_from(used).unwrap_or(u32::MAX)).clamp(1, 18);
        let symbol_bits = symbol_bits.unwrap_or(wanted);
        let all = 1_u64 << precision(symbol_bits);
        let total = counts.iter().map(|&count| u64::from(count)).sum::<u64>().max(1);
        let scale = |&count: &u32| {
            let share = (u64::from(count) * all + total / 2) / total;
            #[allow(clippy::cast_possible_truncation, reason = "no more than all slots")]
            let share = share as u32;
            share.max(u32::from(count > 0))
        };
        let mut frequencies: Vec<u32> = counts.iter().map(scale).collect();
        fit_sum(&mut frequencies, all);
        let slots = frequencies
            .iter()
            .scan(0_u32, |start, &frequency| {
                let slot = (frequency, *start);
                *start += frequency;
                Some(slot)
            })
            .collect();
        Self { symbol_bits, slots }
    }

    pub(crate) fn symbol_bits(&self) -> u32 {
        self.symbol_bits
    }

    /// Writes the table that [`Table::read`] reads.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_varint(u32::try_from(self.slots.len()).unwrap_or(u32::MAX), out);
        let mut rest = self.slots.as_slice();
        while let Some(&(frequency, _)) = rest.first() {
            let absent = rest.iter().take(64).take_while(|&&(frequency, _)| frequency == 0).count();
            let [low, middle, high, _] = (frequency << 2).to_le_bytes();
            match frequency {
                0 => out.push(((absent - 1) << 2).to_le_bytes()[0] | 3),
                1..0x40 => out.push(low),
                0x40..0x4000 => out.extend([low | 1, middle]),
                _ => out.extend([low | 2, middle, high]),
            }
            rest = rest.split_at_checked(absent.max(1)).map_or(&[], |(_, rest)| rest);
        }
    }

    /// Writes the symbols as a block preceded by its length, which [`Decoder`] reads: from the last symbol to the
    /// first, since the block is read backwards. A state is below `1 << 30`, as in the decoder, and a written symbol
    /// has slots.
    pub(crate) fn encode(&self, symbols: impl DoubleEndedIterator<Item = u32>, out: &mut Vec<u8>) {
        let precision = precision(self.symbol_bits);
        let base = 4_u32 << precision;
        let mut state = base;
        let mut bytes = Vec::new();
        for symbol in symbols.rev() {
            let Some(&(frequency, start)) = self.slots.get(symbol as usize).filter(|slot| slot.0 > 0) else {
                continue;
            };
            while u64::from(state) >= u64::from(frequency) << 10 {
                bytes.push(state.to_le_bytes()[0]);
                state >>= 8;
            }
            state = ((state / frequency) << precision) + state % frequency + start;
        }
        let state = state - base;
        let [a, b, c, d] = state.to_le_bytes();
        match bit_length(state) {
            0..=6 => bytes.push(a),
            7..=14 => bytes.extend([a, b | 0x40]),
            15..=22 => bytes.extend([a, b, c | 0x80]),
            _ => bytes.extend([a, b, c, d | 0xc0]),
        }
        write_varint(u32::try_from(bytes.len()).unwrap_or(u32::MAX), out);
        out.extend_from_slice(&bytes);
    }
}

/// Changes the frequencies so that they sum to `all`. Frequencies that are not zero stay so.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "in 64 bits; what is given is no more than there is, and if there is an excess there is something to give"
)]
fn fit_sum(frequencies: &mut [u32], all: u64) {
    let sum: u64 = frequencies.iter().map(|&frequency| u64::from(frequency)).sum();
    if let Some(missing) = all.checked_sub(sum) {
        if let Some(most) = frequencies.iter_mut().max() {
            #[allow(clippy::cast_possible_truncation, reason = "no more than all slots")]
            let missing = missing as u32;
            *most += missing;
        }
        return;
    }
    // Reduces each frequency proportionally, rounding up, until the sum fits.
    let all_excess = sum - all;
    let mut excess = all_excess;
    let give = |frequency: u32| u64::from(frequency.max(1) - 1);
    let given: u64 = frequencies.iter().map(|&frequency| give(frequency)).sum();
    for frequency in frequencies {
        let cut = (give(*frequency) * all_excess).div_ceil(given.max(1)).min(excess);
        #[allow(clippy::cast_possible_truncation, reason = "no more than the frequency")]
        let cut_bits = cut as u32;
        *frequency -= cut_bits;
        excess -= cut;
    }
}
