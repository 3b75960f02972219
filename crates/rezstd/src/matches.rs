//! What repeats, found.

use alloc::vec;
use alloc::vec::Vec;

use crate::consts::FIRST_OFFSETS;

/// The greatest distance of a match.
const FAR: usize = 1 << 20;

const HASH_BITS: u32 = 14;

/// Literals, and then a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence {
    pub(crate) literals: u32,
    pub(crate) len: u32,
    /// The offset and 3; 1 to 3 for one of the last three.
    pub(crate) offset: u32,
}

/// Finds matches in block after block.
#[derive(Clone, Debug)]
pub(crate) struct Finder {
    /// Where five bytes with a hash were seen last, counted from the first byte of the first frame.
    seen: Vec<u32>,
    /// What an index of the data counts as.
    pub(crate) base: u32,
    /// The index that counts as `base`.
    origin: usize,
    /// The last three offsets, which have short codes.
    pub(crate) offsets: [u32; 3],
    /// What is in no match.
    pub(crate) literals: Vec<u8>,
    pub(crate) sequences: Vec<Sequence>,
}

/// How many bytes two slices have in common at their beginnings.
#[inline]
fn common(this: &[u8], that: &[u8]) -> usize {
    let mut len = 0;
    for (a, b) in this.as_chunks().0.iter().zip(that.as_chunks().0) {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return len + (differ.trailing_zeros() / 8) as usize;
        }
        len += 8;
    }
    len + this[len..].iter().zip(&that[len..]).take_while(|(a, b)| a == b).count()
}

/// Four bytes as a number.
#[inline]
fn four(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
}

impl Finder {
    pub(crate) fn new() -> Self {
        Self {
            seen: vec![0; 1 << HASH_BITS],
            base: 1,
            origin: 0,
            offsets: FIRST_OFFSETS,
            literals: Vec::new(),
            sequences: Vec::new(),
        }
    }

    /// Begins a frame, after one of `before` bytes.
    pub(crate) fn begin(&mut self, before: usize) {
        // What does not fit into the count makes the next block forget what was seen.
        self.base = u32::try_from(before - self.origin).map_or(u32::MAX, |len| self.base.saturating_add(len));
        self.origin = 0;
        self.offsets = FIRST_OFFSETS;
    }

    /// Where the five bytes at an index were seen last: shorter matches are not worth their offsets.
    #[inline]
    fn slot(&mut self, data: &[u8], at: usize) -> Option<&mut u32> {
        let bytes = u64::from_le_bytes(*data.get(at..)?.first_chunk()?) << 24;
        self.seen.get_mut((bytes.wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - HASH_BITS)) as usize)
    }

    fn see(&mut self, data: &[u8], at: usize) {
        let count = self.base + (at - self.origin) as u32;
        if let Some(slot) = self.slot(data, at) {
            *slot = count;
        }
    }

    /// Finds matches, the first of each index, and steps faster the longer nothing matches.
    pub(crate) fn find(&mut self, data: &[u8], start: usize, end: usize) {
        if self.base > u32::MAX / 2 || end - self.origin > u32::MAX as usize / 2 {
            self.seen.fill(0);
            (self.base, self.origin) = (1, start);
        }
        self.literals.clear();
        self.sequences.clear();
        let (base, origin) = (self.base, self.origin);
        let (mut at, mut anchor) = (start, start);
        while at + 8 < end {
            let bytes = four(data, at);
            let Some(slot) = self.slot(data, at) else { break };
            let before = slot.checked_sub(base).map(|before| before as usize + origin);
            *slot = base + (at - origin) as u32;
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
            self.see(data, begun + 2);
            self.see(data, at - 2);
            // The offset before the last one goes on, often.
            while let Some(from) = at.checked_sub(self.offsets[1] as usize)
                && at + 4 <= end
                && four(data, at) == four(data, from)
            {
                let len = 4 + common(&data[at + 4..end], &data[from + 4..]);
                self.see(data, at);
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
        self.sequences.push(Sequence { literals, len, offset: value });
    }
}
