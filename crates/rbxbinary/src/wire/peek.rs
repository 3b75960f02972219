//! Decompresses the first bytes of an LZ4 block, which tell whether the filter skips the column.
//!
//! An LZ4 block is a list of sequences: a byte with two lengths of four bits, more bytes if a length is 15, the
//! literals, a u16 distance back, and more bytes of the second length, to which 4 is added.

/// The maximum number of bytes that [`lz4`] returns. This is enough for nearly all names of properties; for a longer
/// name, the chunk is decompressed.
pub(crate) const MOST: usize = 64;

/// A length: four bits; if they are all set, bytes are added up to the first that is not 255.
fn length(nibble: u8, rest: &mut &[u8]) -> Option<usize> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let (&more, after) = rest.split_first()?;
            *rest = after;
            length = length.checked_add(usize::from(more))?;
            if more != 255 {
                break;
            }
        }
    }
    Some(length)
}

/// The first bytes of a decompressed block, at most [`MOST`]; `None` if it is malformed.
pub(crate) fn lz4(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(MOST);
    while let Some((&token, after)) = rest.split_first() {
        rest = after;
        let literals = length(token >> 4, &mut rest)?;
        let (bytes, after) = rest.split_at_checked(literals)?;
        rest = after;
        out.extend(bytes.iter().take(MOST.saturating_sub(out.len())));
        if rest.is_empty() || out.len() == MOST {
            break;
        }
        let (&distance, after) = rest.split_first_chunk()?;
        rest = after;
        let distance = usize::from(u16::from_le_bytes(distance));
        let matched = length(token & 15, &mut rest)?.checked_add(4)?;
        let from = out.len().checked_sub(distance)?;
        for place in (from..).take(matched.min(MOST.saturating_sub(out.len()))) {
            // The index is before the end of `out`, which grows. A distance of 0, which is invalid, gives the end
            // itself.
            out.push(*out.get(place)?);
        }
    }
    Some(out)
}

#[cfg(test)]
#[path = "../../tests/inside/peek.rs"]
mod tests;
