//! The sequences of a block: literals, and then a match with previous output.
//!
//! A batch of sequences is decoded, then executed: each of these steps has few enough variables for the registers.

use crate::bits::{before, end_of, highest, take};
use crate::consts::{LENGTH, LITERALS, OFFSET};
use crate::error::{Error, ErrorKind, Result};
use crate::table::Table;

/// The number of bytes copied at once. Short copies of a fixed length are cheaper.
pub(crate) const STEP: usize = 16;

/// Longer matches are copied by the standard library.
const SHORT: usize = 64;

/// The number of sequences decoded before they are executed.
const BATCH: usize = 128;

/// The literals of a block: the first `len` of `bytes`. The other bytes allow copies of a fixed length.
pub(crate) struct Literals<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) len: usize,
}

/// A sequence.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    literals: u32,
    len: u32,
    /// The offset plus 3; or 1 to 3 for one of the last three offsets.
    offset: u32,
}

/// The coded sequences of a block, and the position in their bits.
struct Coded<'a> {
    bytes: &'a [u8],
    tables: [&'a Table; 3],
    states: [u32; 3],
    /// The index of the bit after the next one.
    at: usize,
    /// The number of remaining sequences.
    left: usize,
}

impl<'a> Coded<'a> {
    fn new(bytes: &'a [u8], start: usize, tables: [&'a Table; 3], count: usize) -> Option<Self> {
        let mut at = end_of(bytes, start, bytes.len())?;
        let mut states = [0; 3];
        for kind in [LITERALS, OFFSET, LENGTH] {
            states[kind] = highest(before(bytes, at)?, tables[kind].log) as u32;
            at = at.checked_sub(tables[kind].log as usize)?;
        }
        Some(Self { bytes, tables, states, at, left: count })
    }

    /// Decodes the next sequences; `None` if the position is far before the start of the stream.
    #[inline(never)]
    fn read<'b>(&mut self, batch: &'b mut [Sequence; BATCH]) -> Option<&'b [Sequence]> {
        let Self { bytes, tables: [literals, offsets, lengths], states: [mut a, mut b, mut c], mut at, left } =
            *self;
        let count = left.min(BATCH);
        let mut last = 0;
        for sequence in &mut batch[..count] {
            let (literal, offset, length) = (literals.get(a), offsets.get(b), lengths.get(c));
            // 56 bits are available, and the next states take at most 26 of them.
            let extra = literal.extra() + length.extra();
            let many = extra + offset.extra() > 30;
            let mut bits = before(bytes, at)?;
            sequence.offset = offset.base().wrapping_add(take(&mut bits, offset.extra()));
            at = at.wrapping_sub(offset.extra() as usize);
            if many {
                bits = before(bytes, at)?;
            }
            sequence.len = length.base() + take(&mut bits, length.extra());
            sequence.literals = literal.base() + take(&mut bits, literal.extra());
            at = at.wrapping_sub(extra as usize);
            if many {
                bits = before(bytes, at)?;
            }
            a = literal.next() + take(&mut bits, literal.bits());
            c = length.next() + take(&mut bits, length.bits());
            b = offset.next() + take(&mut bits, offset.bits());
            last = (literal.bits() + length.bits() + offset.bits()) as usize;
            at = at.wrapping_sub(last);
        }
        if left == count {
            // After the last sequence, there is no next state.
            at = at.wrapping_add(last);
        }
        (self.states, self.at, self.left) = ([a, b, c], at, left - count);
        Some(&batch[..count])
    }
}

/// Executes sequences: the positions in the literals and in `out`, which begins with the content of the frame.
struct Copier<'a> {
    literals: &'a Literals<'a>,
    from: usize,
    out: &'a mut [u8],
    to: usize,
    /// The last three offsets.
    offsets: [u32; 3],
}

impl Copier<'_> {
    /// Executes sequences.
    #[inline(never)]
    fn run(&mut self, sequences: &[Sequence]) -> Result<(), ErrorKind> {
        let Self {
            literals,
            from: mut lits_from,
            ref mut out,
            mut to,
            offsets: [mut first, mut second, mut third],
        } = *self;
        for &Sequence { literals: lits, len, offset } in sequences {
            if offset > 3 {
                (third, second, first) = (second, first, offset - 3);
            } else {
                // Without literals, the last offset would have extended the previous match, so each value means the
                // next offset.
                match offset + u32::from(lits == 0) {
                    1 => {}
                    2 => (second, first) = (first, second),
                    3 => (third, second, first) = (second, first, third),
                    _ => (third, second, first) = (second, first, first.wrapping_sub(1)),
                }
            }
            let (lits, len, offset) = (lits as usize, len as usize, first as usize);
            let (middle, lits_end) = (to + lits, lits_from + lits);
            let end = middle + len;
            if lits_end > literals.len {
                return Err(ErrorKind::Invalid("literal length (it exceeds the remaining literals)"));
            }
            // An offset of 0 wraps to the greatest number, and is refused.
            if offset.wrapping_sub(1) >= middle {
                return Err(ErrorKind::Invalid(
                    "match offset (it is 0, or points before the start of the content)",
                ));
            }
            if end + STEP <= out.len() && lits_end + STEP <= literals.bytes.len() {
                step(out, to, &literals.bytes[lits_from..]);
                if lits > STEP {
                    out[to + STEP..middle].copy_from_slice(&literals.bytes[lits_from + STEP..lits_end]);
                }
                if len <= SHORT {
                    repeat_short(out, middle, offset, len);
                } else {
                    repeat(out, middle, offset, len);
                }
            } else {
                let place = out.get_mut(to..end).ok_or(ErrorKind::TooLong(0))?;
                place[..lits].copy_from_slice(&literals.bytes[lits_from..lits_end]);
                repeat(out, middle, offset, len);
            }
            (to, lits_from) = (end, lits_end);
        }
        (self.to, self.from, self.offsets) = (to, lits_from, [first, second, third]);
        Ok(())
    }
}

/// The coded sequences of a block: their bits are from `start` to the end of `bytes`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) tables: [&'a Table; 3],
}

/// The memory for decoded sequences.
#[derive(Clone, Debug)]
pub(crate) struct Batch([Sequence; BATCH]);

impl Batch {
    pub(crate) const EMPTY: Self = Self([Sequence { literals: 0, len: 0, offset: 0 }; BATCH]);

    /// Decodes sequences and executes them from `to` on; returns their end in `out`, which begins with the content of the
    /// frame.
    pub(crate) fn run(
        &mut self,
        Section { bytes, start, count, tables }: Section<'_>,
        literals: &Literals<'_>,
        offsets: &mut [u32; 3],
        out: &mut [u8],
        to: usize,
    ) -> Result<usize> {
        let wrong = || Error::invalid("bitstream of sequences", start);
        let mut coded = Coded::new(bytes, start, tables, count).ok_or_else(wrong)?;
        let mut copier = Copier { literals, from: 0, out, to, offsets: *offsets };
        while coded.left > 0 {
            let sequences = coded.read(&mut self.0).ok_or_else(wrong)?;
            copier.run(sequences).map_err(|kind| Error::new(kind, start))?;
        }
        if coded.at != start * 8 {
            return Err(wrong());
        }
        *offsets = copier.offsets;
        let Copier { from, out, to, .. } = copier;
        copy_rest(literals, from, out, to).ok_or(Error::new(ErrorKind::TooLong(0), start))
    }
}

/// Copies the literals after the last match; returns their end in `out`, or `None` if they do not fit.
pub(crate) fn copy_rest(literals: &Literals<'_>, from: usize, out: &mut [u8], to: usize) -> Option<usize> {
    let rest = literals.bytes.get(from..literals.len)?;
    let end = to + rest.len();
    out.get_mut(to..end)?.copy_from_slice(rest);
    Some(end)
}

/// Copies [`STEP`] bytes, unless fewer are left.
#[inline(always)]
fn step(out: &mut [u8], to: usize, from: &[u8]) {
    if let (Some(to), Some(from)) = (out[to..].first_chunk_mut::<STEP>(), from.first_chunk::<STEP>()) {
        *to = *from;
    }
}

/// Copies a short match; up to `STEP` bytes after it are written, too.
#[inline(always)]
fn repeat_short(out: &mut [u8], to: usize, offset: usize, len: usize) {
    let (mut from, mut to, end) = (to - offset, to, to + len);
    if offset >= STEP {
        while to < end {
            let Some(&chunk) = out[from..].first_chunk::<STEP>() else { return };
            step(out, to, &chunk);
            (from, to) = (from + STEP, to + STEP);
        }
        return;
    }
    if offset < 8 {
        let Some(&bytes) = out[from..].first_chunk() else { return };
        // The repeating bytes, as often as they fit into a word.
        let (times, mask) = REPEAT[offset];
        let word = (u64::from_le_bytes(bytes) & mask).wrapping_mul(times);
        let step = 8 / offset * offset;
        while to < end {
            if let Some(place) = out[to..].first_chunk_mut() {
                *place = word.to_le_bytes();
            }
            to += step;
        }
        return;
    }
    while to < end {
        let Some(&chunk) = out[from..].first_chunk::<8>() else { return };
        if let Some(place) = out[to..].first_chunk_mut() {
            *place = chunk;
        }
        (from, to) = (from + 8, to + 8);
    }
}

/// For each offset below 8: the factor that repeats a number of this many bytes over a word, and the mask of the
/// number.
const REPEAT: [(u64, u64); 8] = {
    let mut table = [(0, 0); 8];
    let mut offset = 1;
    while offset < 8 {
        let mut shift = 0;
        while shift < 64 {
            table[offset].0 |= 1 << shift;
            shift += 8 * offset;
        }
        table[offset].1 = (1 << (8 * offset)) - 1;
        offset += 1;
    }
    table
};

/// Copies a match, which may overlap with its output.
#[inline(never)]
fn repeat(out: &mut [u8], to: usize, offset: usize, len: usize) {
    let from = to - offset;
    if offset == 1 {
        let byte = out[from];
        out[to..to + len].fill(byte);
    } else if offset >= len {
        out.copy_within(from..from + len, to);
    } else {
        // The output repeats, so each copy can be as long as everything from the match's start to its end so far.
        let mut done = 0;
        while done < len {
            let count = (offset + done).min(len - done);
            out.copy_within(from..from + count, to + done);
            done += count;
        }
    }
}
