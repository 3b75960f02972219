//! Compresses small chunks to LZ4 blocks. To begin a block costs nothing: the hash table is not cleared, since its
//! entries for earlier chunks can be distinguished.
//!
//! | bytes | what |
//! |---|---|
//! | u8 | upper half: the number of literals; lower half: the length of the match minus 4; 15 if more is to be added |
//! | … | if the upper half is 15: bytes to add to it, up to the first that is not 255 |
//! | … | the literals |
//! | u16 | the distance of the match; missing after the last literals |
//! | … | if the lower half is 15: bytes to add to it, as above |

/// The maximum size of a chunk that this encoder compresses. For larger chunks, clearing a table costs little.
pub(crate) const MOST: usize = 2 << 10;

/// The shortest match.
const SHORTEST: usize = 4;

/// No match begins in this number of bytes at the end of a block.
const LAST_START: usize = 12;

/// No match extends into this number of bytes at the end of a block: they are literals.
const LAST_LITERALS: usize = 5;

const HASH_BITS: u32 = 10;

/// Writes block after block.
pub(crate) struct Encoder {
    /// The last position of four bytes with each hash, counted from the first byte of the first chunk.
    seen: [u32; 1 << HASH_BITS],
    /// The position of the first byte of this chunk. Smaller positions belong to earlier chunks.
    base: u32,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { seen: [0; 1 << HASH_BITS], base: 1 }
    }
}

/// The length of the common prefix of two slices.
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

/// Writes the part of a length that does not fit into four bits.
#[inline]
fn put_more(len: usize, out: &mut Vec<u8>) {
    if let Some(mut more) = len.checked_sub(15) {
        while more >= 255 {
            out.push(255);
            more -= 255;
        }
        out.push(more as u8);
    }
}

#[inline]
fn put_literals(literals: &[u8], matched: usize, out: &mut Vec<u8>) {
    out.push((literals.len().min(15) << 4 | matched.min(15)) as u8);
    put_more(literals.len(), out);
    out.extend_from_slice(literals);
}

impl Encoder {
    /// Appends a block of at most [`MOST`] bytes.
    pub(crate) fn block(&mut self, data: &[u8], out: &mut Vec<u8>) {
        // Resets the table before its positions overflow.
        if self.base > u32::MAX / 2 {
            self.seen.fill(0);
            self.base = 1;
        }
        let (mut at, mut anchor) = (0, 0);
        let end = data.len().saturating_sub(LAST_LITERALS);
        while at + LAST_START <= data.len() {
            let Some(bytes) = data[at..].first_chunk().map(|&bytes| u32::from_le_bytes(bytes)) else { break };
            let slot = &mut self.seen[(bytes.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize];
            let before = slot.checked_sub(self.base);
            *slot = self.base + at as u32;
            let mut from = before.map_or(at, |before| before as usize);
            if from >= at || data[from..].first_chunk() != Some(&bytes.to_le_bytes()) {
                at += 1;
                continue;
            }
            let mut more = common(&data[at + SHORTEST..end], &data[from + SHORTEST..]);
            while at > anchor && from > 0 && data[at - 1] == data[from - 1] {
                (at, from, more) = (at - 1, from - 1, more + 1);
            }
            put_literals(&data[anchor..at], more, out);
            out.extend(((at - from) as u16).to_le_bytes());
            put_more(more, out);
            at += SHORTEST + more;
            anchor = at;
        }
        put_literals(&data[anchor..], 0, out);
        self.base += data.len() as u32;
    }
}

#[cfg(test)]
#[path = "../../tests/inside/lz4.rs"]
mod tests;
