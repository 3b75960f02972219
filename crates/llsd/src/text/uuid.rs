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
#[inline(always)]
pub(crate) fn format(bytes: [u8; 16], text: &mut [u8; 36]) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes;
    let [first, second, third, fourth] = [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]].map(hex);
    let [a, b, c, d, e, f, g, h] = second;
    let [i, j, k, l, m, n, o, p] = third;
    let (start, rest) = text.split_at_mut(8);
    start.copy_from_slice(&first);
    let (middle, end) = rest.split_at_mut(20);
    middle.copy_from_slice(&[b'-', a, b, c, d, b'-', e, f, g, h, b'-', i, j, k, l, b'-', m, n, o, p]);
    end.copy_from_slice(&fourth);
}

/// The eight digits of four bytes, all at a time in one word.
#[inline(always)]
fn hex(bytes: [u8; 4]) -> [u8; 8] {
    let word = u64::from(u32::from_le_bytes(bytes));
    let spread = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    let digits = (spread >> 4 | spread << 8) & 0x0f0f_0f0f_0f0f_0f0f;
    // 1 in each byte whose digit is a letter.
    let letters = (digits.wrapping_add(0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    let letters = letters.wrapping_mul(u64::from(b'a' - b'0' - 10));
    digits.wrapping_add(0x3030_3030_3030_3030).wrapping_add(letters).to_le_bytes()
}
