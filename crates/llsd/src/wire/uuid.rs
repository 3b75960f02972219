//! UUIDs as text.

/// 36 characters, hyphens at the usual places, digits in any case; or the old form of 35 in which the
/// last hyphen is missing.
pub(crate) fn parse(text: &[u8]) -> Option<[u8; 16]> {
    let mut digits = [0; 32];
    let mut room = digits.chunks_exact_mut(4);
    let mut put = |piece: &[u8]| -> Option<()> {
        for four in piece.chunks_exact(4) {
            room.next()?.copy_from_slice(four);
        }
        Some(())
    };
    let (&[a @ .., b'-'], text) = text.split_first_chunk::<9>()? else { return None };
    let (&[b @ .., b'-'], text) = text.split_first_chunk::<5>()? else { return None };
    let (&[c @ .., b'-'], text) = text.split_first_chunk::<5>()? else { return None };
    let (d, text) = text.split_first_chunk::<4>()?;
    let e = text.strip_prefix(b"-").unwrap_or(text);
    if e.len() != 12 {
        return None;
    }
    let a: &[u8] = &a;
    [a, &b, &c, d, e].into_iter().try_for_each(&mut put)?;
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
        let [high, low] = pair.map(super::base::hex_digit);
        *byte = (high? << 4) | low?;
    }
    Some(bytes)
}

/// 36 characters in lower case.
pub(crate) fn format(bytes: [u8; 16]) -> [u8; 36] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    const PLACES: [u8; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
    let mut text = [b'-'; 36];
    for (byte, place) in bytes.into_iter().zip(PLACES) {
        if let Some([high, low]) = text.get_mut(usize::from(place)..).and_then(|rest| rest.first_chunk_mut())
        {
            *high = DIGITS.get(usize::from(byte >> 4)).copied().unwrap_or(b'0');
            *low = DIGITS.get(usize::from(byte & 15)).copied().unwrap_or(b'0');
        }
    }
    text
}
