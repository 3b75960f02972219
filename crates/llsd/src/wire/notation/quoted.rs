//! Strings between quotes, with escapes, which occur in notation and in binary.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::text::base::hex_digit;
use geom::wire::{Budget, Fail, Here, Parsed};

/// Reads a string after its opening quote, up to and including the closing quote.
#[inline(always)]
pub(crate) fn read<'a>(input: &'a [u8], quote: u8, budget: &mut Budget) -> Parsed<'a, Cow<'a, BStr>> {
    let Some(end) = special(input, quote) else { return Err(Fail::end_of(input)) };
    match input.split_at_checked(end) {
        Some((text, [found, rest @ ..])) if *found == quote => Ok((rest, Cow::Borrowed(text.as_bstr()))),
        _ => unescape(input, quote, budget),
    }
}

/// The index of the first quote or backslash. The first bytes are searched eight at a time: a search in larger steps
/// takes longer to begin, and most texts are short.
#[inline(always)]
fn special(input: &[u8], quote: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (mut rest, mut at) = (input, 0_usize);
    while at < 32
        && let Some((word, tail)) = rest.split_first_chunk()
    {
        let word = u64::from_le_bytes(*word);
        let is = |byte: u8| zero(word ^ ONES.wrapping_mul(byte.into()));
        let found = is(quote) | is(b'\\');
        if found != 0 {
            return at.checked_add(found.trailing_zeros() as usize / 8);
        }
        (rest, at) = (tail, at.saturating_add(8));
    }
    memchr::memchr2(quote, b'\\', rest)?.checked_add(at)
}

/// Reads a string with escapes. Its length is measured first, so that no more than that is allocated.
fn unescape<'a>(input: &'a [u8], quote: u8, budget: &mut Budget) -> Parsed<'a, Cow<'a, BStr>> {
    let mut len = 0_usize;
    pieces(input, quote, |piece| len = len.saturating_add(piece.len()))?;
    budget.take(len as u64).here(input)?;
    let mut text = Vec::with_capacity(len);
    let (rest, ()) = pieces(input, quote, |piece| text.extend_from_slice(piece))?;
    Ok((rest, Cow::Owned(text.into())))
}

/// Passes the unescaped bytes of a string to `take`, piece by piece.
fn pieces(input: &[u8], quote: u8, mut take: impl FnMut(&[u8])) -> Parsed<'_, ()> {
    let mut rest = input;
    loop {
        let end = memchr::memchr2(quote, b'\\', rest).unwrap_or(rest.len());
        let (plain, tail) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        take(plain);
        rest = match tail {
            [b'\\', b'x', digits @ ..] => {
                let (byte, tail) = match digits {
                    [high, low, tail @ ..] => match (hex_digit(*high), hex_digit(*low)) {
                        (Some(high), Some(low)) => ((high << 4) | low, tail),
                        _ => {
                            let found = [*high, *low];
                            let what = format!(
                                "expected two hexadecimal digits after \\x, found {:?}",
                                BStr::new(&found)
                            );
                            return Err(Fail::invalid(digits, what));
                        }
                    },
                    _ => return Err(Fail::end(digits)),
                };
                take(&[byte]);
                tail
            }
            [b'\\', escaped, tail @ ..] => {
                take(&[match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    other => *other,
                }]);
                tail
            }
            [found, tail @ ..] if *found == quote => return Ok((tail, ())),
            other => return Err(Fail::end_of(other)),
        }
    }
}
