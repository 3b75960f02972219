//! The first bytes of an LZ4 block, so that a column that the filter skips is not decompressed.
//!
//! An LZ4 block is a list of sequences: a byte with two lengths of four bits, more bytes if a length is 15, the
//! literals, a u16 distance back, and more bytes of the second length, which counts from 4.

/// At most as much as [`lz4`] yields: enough for the names of nearly all properties; for others, the chunk is
/// decompressed.
pub(crate) const MOST: usize = 64;

/// A length: four bits, and if they are all set, bytes up to the first that is not 255.
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
            // The index is before the end, which moves along; at a distance of 0, which is invalid, it is the end.
            out.push(*out.get(place)?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::lz4;

    /// Blocks by hand, from the format's description.
    #[test]
    fn the_first_bytes_of_blocks() {
        let long = [&[0xf0, 255, 0][..], &[b'b'; 270]].concat();
        let cases: [(&[u8], Option<&[u8]>); 9] = [
            (b"", Some(b"")),
            (b"\x30abc", Some(b"abc")),
            // One byte, and five more from one back.
            (b"\x11a\x01\0", Some(b"aaaaaa")),
            (b"\x20ab\x02\0\x10c", Some(b"abababc")),
            // 15 + 255 + 3 + 4 more.
            (b"\x1fa\x01\0\xff\x03", Some(&[b'a'; 64])),
            (&long, Some(&[b'b'; 64])),
            // Nothing to copy from, fewer literals than there should be, no end of a length.
            (b"\x11a\0\0", None),
            (b"\x11a\x02\0", None),
            (b"\xf0\xff", None),
        ];
        for (block, expected) in cases {
            assert_eq!(lz4(block).as_deref(), expected, "{block:?}");
        }
    }
}
