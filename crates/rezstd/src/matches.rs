//! Finds matches.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::consts::FIRST_OFFSETS;

/// The maximum distance of a match.
const FAR: usize = 1 << 20;

/// The maximum number of bits of a hash. Small content gets fewer bits, so that the table stays in the cache.
const HASH_BITS: u32 = 15;

/// The number of literals copied at once.
const STEP: usize = 16;

/// A sequence: literals, and then a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequence {
    pub(crate) literals: u32,
    pub(crate) len: u32,
    /// The offset plus 3; or 1 to 3 for one of the last three offsets.
    pub(crate) offset: u32,
}

/// Finds matches in block after block.
#[derive(Clone, Debug)]
pub(crate) struct Finder {
    /// The last position of the bytes with each hash, counted from the first byte of the first frame.
    seen: Box<[u32; 1 << HASH_BITS]>,
    /// The shift that leaves the bits of a hash.
    shift: u32,
    /// The position of the byte with index `origin`.
    pub(crate) base: u32,
    /// The index in the content whose position is `base`.
    origin: usize,
    /// The last three offsets, which have short codes.
    pub(crate) offsets: [u32; 3],
    /// The literals outside matches, followed by unused bytes.
    buffer: Vec<u8>,
    literals: usize,
    pub(crate) sequences: Vec<Sequence>,
    /// All positions with each hash, if they are searched.
    chains: Option<Chains>,
}

/// The indices of the content by their hash, the last first.
#[derive(Clone, Debug, Default)]
struct Chains {
    /// The number of indices that are compared for a match.
    depth: usize,
    /// One more than the last index with each hash.
    last: Vec<u32>,
    /// For each index, one more than the one before with the same hash.
    before: Vec<u32>,
    /// The first index that is not in the chains yet.
    next: usize,
}

/// The number of bits of a hash in the chains.
const CHAIN_BITS: u32 = 17;

/// The maximum distance of a match of the chains.
const FARTHEST: usize = 1 << 23;

/// A match: the index of what it repeats, its length, and what it saves, in quarters of a byte.
#[derive(Clone, Copy, Debug)]
struct Found {
    from: usize,
    len: usize,
    gain: usize,
}

/// The length of the common prefix of two slices.
#[inline(always)]
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

/// Eight bytes as a number.
#[inline(always)]
fn eight(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|&bytes| u64::from_le_bytes(bytes))
}

/// Four bytes as a number.
#[inline(always)]
fn four(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
}

/// A hash of the first five of eight bytes: shorter matches are not worth their offsets.
#[inline(always)]
fn hash(word: u64, shift: u32) -> usize {
    ((word << 24).wrapping_mul(0x9e37_79b1_85eb_ca87) >> shift) as usize % (1 << HASH_BITS)
}

impl Finder {
    pub(crate) fn new() -> Self {
        Self {
            seen: Box::new([0; 1 << HASH_BITS]),
            shift: 64 - HASH_BITS,
            base: 1,
            origin: 0,
            offsets: FIRST_OFFSETS,
            buffer: Vec::new(),
            literals: 0,
            sequences: Vec::new(),
            chains: None,
        }
    }

    /// How many earlier places are compared for a match; 0 for the last one alone.
    pub(crate) fn search(&mut self, depth: usize) {
        self.chains = (depth > 0).then(|| Chains { depth, ..Chains::default() });
    }

    /// The literals: bytes outside matches.
    pub(crate) fn literals(&self) -> &[u8] {
        &self.buffer[..self.literals]
    }

    /// Begins a frame of `len` bytes of content, after a frame of `before` bytes.
    pub(crate) fn begin(&mut self, len: usize, before: usize) {
        self.shift = 64 - ((len | 1).ilog2() + 2).clamp(11, HASH_BITS);
        // If positions would overflow, the next block resets the table.
        self.base = u32::try_from(before - self.origin).map_or(u32::MAX, |len| self.base.saturating_add(len));
        self.origin = 0;
        self.offsets = FIRST_OFFSETS;
        if let Some(chains) = &mut self.chains {
            chains.last.clear();
            chains.last.resize(1 << CHAIN_BITS, 0);
            chains.before.clear();
            chains.before.resize(len, 0);
            chains.next = 0;
        }
    }

    #[inline(always)]
    fn see(&mut self, data: &[u8], at: usize) {
        if let Some(word) = eight(data, at) {
            self.seen[hash(word, self.shift)] = self.base + (at - self.origin) as u32;
        }
    }

    /// Finds the matches of a block: takes the first match at each index, and makes longer steps the longer nothing
    /// matches.
    pub(crate) fn find(&mut self, data: &[u8], start: usize, end: usize) {
        if self.base > u32::MAX / 2 || end - self.origin > u32::MAX as usize / 2 {
            self.seen.fill(0);
            (self.base, self.origin) = (1, start);
        }
        if self.buffer.len() < end - start + STEP {
            self.buffer.resize(end - start + STEP, 0);
        }
        self.literals = 0;
        self.sequences.clear();
        let data = &data[..end];
        if let Some(mut chains) = self.chains.take() {
            self.find_best(&mut chains, data, start);
            self.chains = Some(chains);
            return;
        }
        let (mut at, mut anchor) = (start, start);
        while at + 8 < end {
            let Some(word) = eight(data, at) else { break };
            let count = self.base + (at - self.origin) as u32;
            let distance = count
                .wrapping_sub(core::mem::replace(&mut self.seen[hash(word, self.shift)], count))
                as usize;
            // Either the last offset matches one byte later, or these bytes occurred before. Entries of the table need
            // not be valid, since the bytes are compared.
            let repeated = (at + 1).wrapping_sub(self.offsets[0] as usize);
            let (to, from) = if four(data, repeated) == Some((word >> 8) as u32) && repeated <= at {
                (at + 1, repeated)
            } else if distance.wrapping_sub(1) < at.min(FAR) && four(data, at - distance) == Some(word as u32)
            {
                (at, at - distance)
            } else {
                at += 1 + ((at - anchor) >> 7);
                continue;
            };
            at = self.matched(data, anchor, to, from);
            anchor = at;
        }
        self.copy(data, anchor, end - anchor);
    }

    /// As [`Finder::find`], with the match that saves most at each index, unless one of the next two saves more.
    fn find_best(&mut self, chains: &mut Chains, data: &[u8], start: usize) {
        let (mut at, mut anchor, end) = (start, start, data.len());
        while at + 8 < end {
            let Some(mut found) = chains.best(data, at, self.offsets) else {
                at += 1;
                continue;
            };
            let mut to = at;
            for next in at + 1..(at + 3).min(end.saturating_sub(8)) {
                // Each literal before the match costs about a byte.
                let better = chains.best(data, next, self.offsets);
                if let Some(better) = better.filter(|better| better.gain > found.gain + 3 * (next - to)) {
                    (found, to) = (better, next);
                }
            }
            let Found { mut from, mut len, .. } = found;
            while to > anchor && from > 0 && data[to - 1] == data[from - 1] {
                (to, from, len) = (to - 1, from - 1, len + 1);
            }
            self.push(data, anchor, to - anchor, to - from, len);
            at = to + len;
            anchor = at;
        }
        self.copy(data, anchor, end - anchor);
    }

    /// Emits a match whose first four bytes are known to be equal, and matches at the second last offset that follow
    /// it; returns the end.
    #[inline(always)]
    fn matched(&mut self, data: &[u8], anchor: usize, mut to: usize, mut from: usize) -> usize {
        let mut len = 4 + common(&data[to + 4..], &data[from + 4..]);
        while to > anchor && from > 0 && data[to - 1] == data[from - 1] {
            (to, from, len) = (to - 1, from - 1, len + 1);
        }
        self.push(data, anchor, to - anchor, to - from, len);
        let mut at = to + len;
        self.see(data, to + 2);
        self.see(data, at - 2);
        // The second last offset often matches next.
        while let Some(from) = at.checked_sub(self.offsets[1] as usize)
            && let Some(bytes) = four(data, at)
            && four(data, from) == Some(bytes)
        {
            let len = 4 + common(&data[at + 4..], &data[from + 4..]);
            self.see(data, at);
            self.push(data, at, 0, at - from, len);
            at += len;
        }
        at
    }

    /// Adds literals.
    #[inline(always)]
    fn copy(&mut self, data: &[u8], at: usize, len: usize) {
        let (from, to) = (&data[at..], &mut self.buffer[self.literals..]);
        if len <= STEP
            && let (Some(from), Some(to)) = (from.first_chunk::<STEP>(), to.first_chunk_mut())
        {
            *to = *from;
        } else {
            to[..len].copy_from_slice(&from[..len]);
        }
        self.literals += len;
    }

    /// Adds a sequence. An offset that is one of the last three gets a short code.
    #[inline(always)]
    fn push(&mut self, data: &[u8], at: usize, literals: usize, offset: usize, len: usize) {
        self.copy(data, at, literals);
        let (literals, len, offset) = (literals as u32, len as u32, offset as u32);
        let [first, second, third] = self.offsets;
        // Without literals, the last offset would have extended the previous match, so the codes mean the other
        // offsets.
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

impl Chains {
    /// The match at an index that saves most.
    fn best(&mut self, data: &[u8], at: usize, offsets: [u32; 3]) -> Option<Found> {
        while self.next < at {
            if let Some(word) = eight(data, self.next) {
                let last = &mut self.last[chained(word)];
                self.before[self.next] = *last;
                *last = self.next as u32 + 1;
            }
            self.next += 1;
        }
        let word = eight(data, at)?;
        let mut best: Option<Found> = None;
        let mut take = |from: usize, cost: usize| {
            let longest = best.map_or(0, |best| best.len);
            // A match that is not longer at its end is not looked at from its beginning.
            if data.get(from + longest) != data.get(at + longest) || four(data, from) != Some(word as u32) {
                return;
            }
            let len = 4 + common(&data[at + 4..], &data[from + 4..]);
            let gain = (4 * len).saturating_sub(cost);
            if best.is_none_or(|best| gain > best.gain) {
                best = Some(Found { from, len, gain });
            }
        };
        for offset in offsets {
            if let Some(from) = at.checked_sub(offset as usize).filter(|_| offset > 0) {
                take(from, 2);
            }
        }
        let mut next = self.last[chained(word)];
        for _ in 0..self.depth {
            let Some(from) = (next as usize).checked_sub(1) else { break };
            let distance = at - from;
            if distance > FARTHEST {
                break;
            }
            // The bits of an offset, and its code.
            take(from, distance.max(1).ilog2() as usize / 2 + 6);
            next = self.before[from];
        }
        best
    }
}

/// A hash of the first four of eight bytes.
#[inline(always)]
fn chained(word: u64) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b1) >> (32 - CHAIN_BITS)) as usize
}
