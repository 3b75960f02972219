//! Numbers in text.

use std::io::Write as _;

use bstr::ByteSlice;

use geom::wire::{Fail, Parsed};

/// Reads a number, after any white space.
pub(crate) fn read(input: &[u8]) -> Parsed<'_, f32> {
    if let Ok((number, len)) = fast_float2::parse_partial::<f32, _>(input)
        && let Some(rest @ [b',' | b']', ..]) = input.get(len..)
    {
        return Ok((rest, number));
    }
    read_odd(input)
}

/// Powers of ten that an `f32` represents exactly.
const POWERS: [f32; 9] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const INTEGER_POWERS: [u32; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Reads a number with one digit before the point and up to eight after it, 24 bits in all, as most numbers in real
/// files. Digits and power of ten are then exact, so one division rounds correctly. Without a branch on the length or
/// the sign, this takes a third of the time of the library, which parses all other numbers.
#[inline(always)]
pub(crate) fn read_short(input: &[u8]) -> Option<(f32, &[u8])> {
    let negative = input.first() == Some(&b'-');
    let &[first, point, ref fraction @ ..] = input.get(usize::from(negative)..)? else { return None };
    let whole = u32::from(first ^ b'0');
    if whole > 9 {
        return None;
    }
    let sign = u32::from(negative) << 31;
    if point != b'.' {
        let rest = input.get(usize::from(negative).wrapping_add(1)..)?;
        return matches!(point, b',' | b']').then(|| (with_sign(whole as f32, sign), rest));
    }
    let (len, after) = read_fraction(fraction.first_chunk()?);
    let rest = fraction.get(len..)?;
    let digits = whole.wrapping_mul(*INTEGER_POWERS.get(len)?).wrapping_add(after);
    if digits >= 1 << 24 || !matches!(rest, [b',' | b']', ..]) {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "exact below 2^24")]
    let number = digits as f32 / POWERS.get(len)?;
    Some((with_sign(number, sign), rest))
}

#[inline]
fn with_sign(number: f32, sign: u32) -> f32 {
    f32::from_bits(number.to_bits() | sign)
}

/// The number of leading digits among eight bytes, and their value. Computed for all bytes at once: first pairs, then
/// fours, then all eight.
#[inline]
fn read_fraction(bytes: &[u8; 8]) -> (usize, u32) {
    let bytes = u64::from_le_bytes(*bytes);
    let odd = bytes ^ 0x3030_3030_3030_3030;
    // A byte that is not a digit has a bit set in its upper half, before or after adding six.
    let beyond = (odd | odd.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    let len = beyond.trailing_zeros() / 8;
    // Moves the digits to the upper end, with zeros below.
    let digits = odd.checked_shl(64_u32.wrapping_sub(len.wrapping_mul(8))).unwrap_or(0);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    #[allow(clippy::cast_possible_truncation, reason = "masked to 32 bits")]
    let number = eight as u32;
    (len as usize, number)
}

/// Reads a number between white space, or an infinity or NaN as old C libraries print it.
#[cold]
fn read_odd(input: &[u8]) -> Parsed<'_, f32> {
    let input = input.trim_ascii_start();
    let len = input.iter().position(|byte| matches!(byte, b',' | b']') || byte.is_ascii_whitespace());
    let (token, rest) = input.split_at(len.unwrap_or(input.len()));
    let wrong = || Fail::invalid(input, format!("expected a number, found {:?}", token.as_bstr()));
    let unsigned = token.strip_prefix(b"-").unwrap_or(token.strip_prefix(b"+").unwrap_or(token));
    let number = match unsigned.to_ascii_lowercase().as_slice() {
        [] if rest.is_empty() => return Err(Fail::end(rest)),
        [b'1', b'.', b'#', b'i', b'n', b'f', ..] => f32::INFINITY,
        [b'1', b'.', b'#', ..] => f32::NAN,
        [b'n', b'a', b'n', b'(', .., b')'] => f32::NAN,
        [b'+' | b'-', ..] => return Err(wrong()),
        other => fast_float2::parse(other).map_err(|_| wrong())?,
    };
    Ok((rest, if token.starts_with(b"-") { -number } else { number }))
}

/// Writes the fewest digits that read as the same number.
pub(crate) fn write(number: f32, out: &mut Vec<u8>) {
    // Writing into a vector cannot fail.
    let _infallible = match number.abs() {
        // As glibc prints it, with the sign, which reading keeps, too.
        size if size.is_nan() => {
            out.extend_from_slice(if number.is_sign_negative() { b"-nan" } else { b"nan" });
            Ok(())
        }
        size if size == 0.0 || (1e-4..1e9).contains(&size) => write!(out, "{number}"),
        _ => write!(out, "{number:e}"),
    };
}
