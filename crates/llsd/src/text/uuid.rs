//! UUIDs as text.

use crate::text::base::hex_value;

/// 36 characters, hyphens at the usual places, digits in any case; or the old form of 35 in which the
/// last hyphen is missing.
pub(crate) fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let (&[a @ .., b'-'], text) = text.split_first_chunk::<9>()? else { return None };
    let (&[b @ .., b'-'], text) = text.split_first_chunk::<5>()? else { return None };
    let (&[c @ .., b'-'], text) = text.split_first_chunk::<5>()? else { return None };
    let (d, text) = text.split_first_chunk::<4>()?;
    let e: &[u8; 12] = text.strip_prefix(b"-").unwrap_or(text).try_into().ok()?;
    let mut bytes = [0; 16];
    let mut bad = 0;
    let pieces = [a.as_slice(), &b, &c, d, e].into_iter().flat_map(|piece| piece.as_chunks::<2>().0);
    for (byte, &[high, low]) in bytes.iter_mut().zip(pieces) {
        let (high, low) = (hex_value(high), hex_value(low));
        bad |= high | low;
        *byte = (high << 4) | (low & 15);
    }
    (bad < 16).then_some(bytes)
}

/// 36 characters in lower case.
pub(crate) fn format(bytes: [u8; 16]) -> [u8; 36] {
    let mut text = [b'-'; 36];
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes.map(hex_pair);
    let pieces: [(usize, &[[u8; 2]]); 5] =
        [(0, &[a, b, c, d]), (9, &[e, f]), (14, &[g, h]), (19, &[i, j]), (24, &[k, l, m, n, o, p])];
    for (start, pairs) in pieces {
        let room = text.get_mut(start..).unwrap_or_default();
        for (room, pair) in room.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
            *room = *pair;
        }
    }
    text
}

#[inline(always)]
fn hex_pair(byte: u8) -> [u8; 2] {
    let digit = |value: u8| {
        if value < 10 { b'0'.wrapping_add(value) } else { b'a'.wrapping_sub(10).wrapping_add(value) }
    };
    [digit(byte >> 4), digit(byte & 15)]
}
