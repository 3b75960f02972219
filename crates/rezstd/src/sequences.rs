//! The sequences of a block: literals, and then a match with what was written before.

use crate::bits::{before, end_of, highest};
use crate::consts::{LENGTH, LITERALS, OFFSET};
use crate::error::{Error, ErrorKind, Result};
use crate::table::Table;

/// How many bytes are copied at once: short copies are cheaper with a fixed length.
pub(crate) const STEP: usize = 16;

/// What copies of a fixed length can write after a match.
const SLACK: usize = STEP;

/// The literals of a block. After them can come other bytes, which make copying a fixed length possible.
pub(crate) struct Literals<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) len: usize,
}

/// The bits of the sequences, and how many sequences they are.
pub(crate) struct Coded<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) count: usize,
}

/// Reads sequences and does what they tell, from `to` on; where they end in `out`, which begins with the frame's
/// content.
pub(crate) fn run(
    coded: &Coded<'_>,
    tables: [&Table; 3],
    literals: &Literals<'_>,
    offsets: &mut [u32; 3],
    out: &mut [u8],
    mut to: usize,
) -> Result<usize> {
    let Coded { bytes, start, end, count } = *coded;
    let wrong = || Error::invalid("bits of sequences", start);
    let mut at = end_of(bytes, start, end).ok_or_else(wrong)?;
    let mut states = [0; 3];
    for kind in [LITERALS, OFFSET, LENGTH] {
        states[kind] = highest(before(bytes, at).ok_or_else(wrong)?, tables[kind].log) as usize;
        at = at.checked_sub(tables[kind].log as usize).ok_or_else(wrong)?;
    }
    let [mut first, mut second, mut third] = *offsets;
    let mut from = 0;
    for left in (0..count).rev() {
        let literal = tables[LITERALS].get(states[LITERALS]);
        let offset = tables[OFFSET].get(states[OFFSET]);
        let length = tables[LENGTH].get(states[LENGTH]);
        let extra = [offset.extra, length.extra, literal.extra].map(u32::from);
        // 56 bits are there, and the next states take 26 at most.
        let many = extra[0] + extra[1] + extra[2] > 30;
        let mut bits = before(bytes, at).ok_or_else(wrong)?;
        let value = offset.base.wrapping_add(highest(bits, extra[0]) as u32);
        bits <<= extra[0];
        at = at.wrapping_sub(extra[0] as usize);
        if many {
            bits = before(bytes, at).ok_or_else(wrong)?;
        }
        let len = length.base as usize + highest(bits, extra[1]) as usize;
        bits <<= extra[1];
        let lits = literal.base as usize + highest(bits, extra[2]) as usize;
        bits <<= extra[2];
        at = at.wrapping_sub((extra[1] + extra[2]) as usize);
        if many {
            bits = before(bytes, at).ok_or_else(wrong)?;
        }
        if left > 0 {
            for (kind, entry) in [(LITERALS, literal), (LENGTH, length), (OFFSET, offset)] {
                let count = u32::from(entry.bits);
                states[kind] = usize::from(entry.next) + highest(bits, count) as usize;
                bits <<= count;
                at = at.wrapping_sub(count as usize);
            }
        }
        let offset = if value > 3 {
            (third, second, first) = (second, first, value - 3);
            first
        } else {
            // Without literals the last offset would have gone on: the values mean the ones after it.
            match value - 1 + u32::from(lits == 0) {
                0 => {}
                1 => (second, first) = (first, second),
                2 => (third, second, first) = (second, first, third),
                _ => (third, second, first) = (second, first, first.wrapping_sub(1)),
            }
            first
        } as usize;

        let (middle, lits_end) = (to + lits, from + lits);
        let end = middle + len;
        if lits_end > literals.len {
            return Err(Error::invalid("length of literals", start));
        }
        // An offset of 0 becomes the greatest.
        if offset.wrapping_sub(1) >= middle {
            return Err(Error::invalid("offset of a match", start));
        }
        if end + SLACK <= out.len() && lits_end + STEP <= literals.bytes.len() {
            step(out, to, &literals.bytes[from..]);
            if lits > STEP {
                out[to + STEP..middle].copy_from_slice(&literals.bytes[from + STEP..lits_end]);
            }
            repeat_with_slack(out, middle, offset, len);
        } else if end <= out.len() {
            out[to..middle].copy_from_slice(&literals.bytes[from..lits_end]);
            repeat(out, middle, offset, len);
        } else {
            return Err(Error::new(ErrorKind::TooLong(out.len()), start));
        }
        (to, from) = (end, lits_end);
    }
    if at != start * 8 {
        return Err(wrong());
    }
    *offsets = [first, second, third];
    copy_rest(literals, from, out, to).ok_or(Error::new(ErrorKind::TooLong(out.len()), start))
}

/// Copies the literals after the last match; where they end.
pub(crate) fn copy_rest(literals: &Literals<'_>, from: usize, out: &mut [u8], to: usize) -> Option<usize> {
    let rest = literals.bytes.get(from..literals.len)?;
    let end = to + rest.len();
    out.get_mut(to..end)?.copy_from_slice(rest);
    Some(end)
}

/// Copies bytes of a fixed length.
#[inline(always)]
fn step(out: &mut [u8], to: usize, from: &[u8]) {
    let (Some(to), Some(from)) = (out[to..].first_chunk_mut::<STEP>(), from.first_chunk::<STEP>()) else {
        return;
    };
    *to = *from;
}

/// Copies a match, where `SLACK` bytes after it may be written, too.
#[inline(always)]
fn repeat_with_slack(out: &mut [u8], to: usize, offset: usize, len: usize) {
    let from = to - offset;
    if offset < STEP || len > 4 * STEP {
        return repeat(out, to, offset, len);
    }
    let mut done = 0;
    while done < len {
        let Some(&chunk) = out[from + done..].first_chunk::<STEP>() else { return };
        step(out, to + done, &chunk);
        done += STEP;
    }
}

/// Copies a match, which may overlap with what it makes.
#[inline(never)]
fn repeat(out: &mut [u8], to: usize, offset: usize, len: usize) {
    let from = to - offset;
    if offset == 1 {
        let byte = out[from];
        out[to..to + len].fill(byte);
    } else if offset >= len {
        out.copy_within(from..from + len, to);
    } else {
        // What is there repeats: each copy can be as long as all before it.
        let mut done = 0;
        while done < len {
            let count = (offset + done).min(len - done);
            out.copy_within(from..from + count, to + done);
            done += count;
        }
    }
}
