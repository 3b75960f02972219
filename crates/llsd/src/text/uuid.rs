//! UUIDs as text.

/// What errors expect in the place of a malformed UUID.
pub(crate) const FORM: &str = "a UUID (32 hexadecimal digits in groups of 8-4-4-4-12)";

/// Reads 36 characters, with hyphens at the usual places and digits in upper or lower case; or the old form of 35, in
/// which the last hyphen is missing.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let (&[a @ .., b'-'], text) = text.split_first_chunk::<9>()? else { return None };
    let (&[b, c, d, e, b'-'], text) = text.split_first_chunk()? else { return None };
    let (&[f, g, h, i, b'-'], text) = text.split_first_chunk()? else { return None };
    let (&[j, k, l, m], text) = text.split_first_chunk()?;
    let &[n, o, p, q, ref last @ ..] = text.strip_prefix(b"-").unwrap_or(text) else { return None };
    let words = [a, [b, c, d, e, f, g, h, i], [j, k, l, m, n, o, p, q], last.try_into().ok()?];
    let mut bytes = [0; 16];
    for (four, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *four = unhex(word)?;
    }
    Some(bytes)
}

/// The four bytes of eight hexadecimal digits, in upper or lower case; computes all at once in one word.
#[inline(always)]
fn unhex(digits: [u8; 8]) -> Option<[u8; 4]> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    let word = u64::from_le_bytes(digits);
    // Sets the highest bit of each byte that is in a range. No byte may be above 127.
    let within = |word: u64, from: u64, to: u64| {
        let least = |byte: u64| word.wrapping_add(ONES.wrapping_mul(0x80_u64.wrapping_sub(byte)));
        least(from) & !least(to) & HIGH
    };
    let letters = within(word | ONES << 5, b'a'.into(), u64::from(b'f').wrapping_add(1));
    if word & HIGH != 0 || within(word, b'0'.into(), u64::from(b'9').wrapping_add(1)) | letters != HIGH {
        return None;
    }
    let values = (word & ONES.wrapping_mul(15)).wrapping_add((letters >> 7).wrapping_mul(9));
    let pairs = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff;
    let [a, b, _, _, c, d, _, _] = (pairs | pairs >> 8).to_le_bytes();
    Some([a, b, c, d])
}

/// Writes a UUID as 36 characters in lower case.
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

/// The eight digits of four bytes; computes all at once in one word.
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
