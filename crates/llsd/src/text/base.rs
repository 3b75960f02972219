//! Bytes as text: base16, base64 and base85, and single digits.

/// The values of hexadecimal digits in any case; more than 15 for other bytes.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "at compile time")]
const HEX: [u8; 256] = {
    let mut values = [0xff; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// The value of a hexadecimal digit in any case; more than 15 for other bytes.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
pub(crate) fn hex_value(digit: u8) -> u8 {
    HEX[usize::from(digit)]
}

/// The value of a hexadecimal digit in any case.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    Some(hex_value(digit)).filter(|&value| value < 16)
}

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// Accepts text with or without padding, and any bits after the last byte.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes base64, ignoring white space. With `strict`, all of the text must be valid; otherwise it
/// ends at the first character that is not in the alphabet, as in the viewer.
pub(crate) fn decode64(text: &[u8], strict: bool) -> Option<Vec<u8>> {
    if let Ok(bytes) = STANDARD.decode(text) {
        return Some(bytes);
    }
    let mut plain = without_space(text);
    if strict {
        return STANDARD.decode(&plain).ok();
    }
    let known = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    plain.truncate(plain.iter().position(|byte| !known(byte)).unwrap_or(plain.len()));
    if plain.len() % 4 == 1 {
        // A single last digit has only six bits, which are not a byte.
        plain.pop();
    }
    LENIENT.decode(&plain).ok()
}

fn without_space(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    plain.extend(text.iter().filter(|byte| !is_space(**byte)));
    plain
}

/// Appends base64.
pub(crate) fn encode64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start.saturating_add(bytes.len().div_ceil(3).saturating_mul(4)), b'=');
    // Cannot fail: the space has exactly the length that base64 needs.
    let _infallible = STANDARD.encode_slice(bytes, out.get_mut(start..).unwrap_or_default());
}

/// Decodes base16, in upper or lower case, ignoring white space; every byte has two digits.
pub(crate) fn decode16(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len().div_ceil(2));
    let mut high = None;
    for &digit in text.iter().filter(|byte| !is_space(**byte)) {
        let digit = hex_digit(digit)?;
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => bytes.push(high | digit),
        }
    }
    high.is_none().then_some(bytes)
}

/// Decodes base85, of which two kinds are in use: that of RFC 1924, which git and python write, and that of Adobe,
/// between `<~` and `~>`.
pub(crate) fn decode85(text: &[u8]) -> Option<Vec<u8>> {
    let text = without_space(text);
    let Some(adobe) = text.strip_prefix(b"<~") else {
        let mut bytes = Vec::with_capacity(text.len());
        groups85(&text, digit85, &mut bytes)?;
        return Some(bytes);
    };
    // A `z` means four zero bytes, between groups.
    let adobe = adobe.strip_suffix(b"~>")?;
    let zeros = adobe.iter().filter(|byte| **byte == b'z').count();
    let mut bytes = Vec::with_capacity(zeros.saturating_mul(3).saturating_add(adobe.len()));
    for (index, part) in adobe.split(|&byte| byte == b'z').enumerate() {
        if index > 0 {
            bytes.extend_from_slice(&[0; 4]);
        }
        groups85(part, |byte| byte.checked_sub(b'!').filter(|&digit| digit < 85), &mut bytes)?;
    }
    Some(bytes)
}

/// Decodes groups of five digits to four bytes each; a shorter last group of n digits has n - 1 bytes.
fn groups85(text: &[u8], digit: fn(u8) -> Option<u8>, bytes: &mut Vec<u8>) -> Option<()> {
    for group in text.chunks(5) {
        let number = (0..5).try_fold(0_u32, |sum, at| {
            let digit = group.get(at).map_or(Some(84), |&byte| digit(byte))?;
            sum.checked_mul(85)?.checked_add(digit.into())
        })?;
        let kept = group.len().checked_sub(1).filter(|&kept| kept > 0)?;
        bytes.extend(number.to_be_bytes().into_iter().take(kept));
    }
    Some(())
}

/// The digits of RFC 1924.
fn digit85(byte: u8) -> Option<u8> {
    const MARKS: &[u8] = b"!#$%&()*+-;<=>?@^_`{|}~";
    let from = |start: u8, digit: u8| byte.wrapping_sub(start).wrapping_add(digit);
    match byte {
        b'0'..=b'9' => Some(from(b'0', 0)),
        b'A'..=b'Z' => Some(from(b'A', 10)),
        b'a'..=b'z' => Some(from(b'a', 36)),
        _ => {
            let mark = MARKS.iter().position(|&mark| mark == byte)?;
            u8::try_from(mark).ok()?.checked_add(62)
        }
    }
}

/// Whether a byte is white space, as for C's `isspace`.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
