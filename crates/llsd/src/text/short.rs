//! Short strings: nearly all keys and most strings have up to 22 bytes.

/// The maximum number of bytes that a string stores inline.
pub(crate) const SHORT: usize = 22;

/// Up to 22 bytes, padded with zeros, as three little-endian words; `None` for more. Loads of a known size and
/// shifts are faster than a copy of variable size, of which every key and short string would need two.
#[inline(always)]
pub(crate) fn words(from: &[u8]) -> Option<[u64; 3]> {
    let len = from.len();
    let bits = |bytes: usize| u32::try_from(bytes).ok()?.checked_mul(8);
    let word = |at: usize| from.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    // The bytes from `start` on, taken from the last eight.
    let last = |start: usize| {
        Some(word(len.checked_sub(8)?)?.unbounded_shr(bits(usize::checked_add(start, 8)?.checked_sub(len)?)?))
    };
    Some(match len {
        17..=SHORT => [word(0)?, word(8)?, last(16)?],
        9..=16 => [word(0)?, last(8)?, 0],
        8 => [word(0)?, 0, 0],
        4..=7 => {
            let half = |at: usize| from.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
            let (first, last) = (u64::from(half(0)?), u64::from(half(len.checked_sub(4)?)?));
            [first | last.unbounded_shl(bits(len.checked_sub(4)?)?), 0, 0]
        }
        0..=3 => {
            let byte = |at: usize| u64::from(from.get(at).copied().unwrap_or(0));
            [byte(0) | byte(1) << 8 | byte(2) << 16, 0, 0]
        }
        _ => return None,
    })
}
