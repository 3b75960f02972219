//! The smallest parts of a text: blanks, line ends, integers, colours, bytes.

use geom::Rgba8;
use nom::bytes::complete::take_till;

use geom::wire::{Budget, Fail, Here, Parsed, after, taken};

pub(crate) const POSITION: &str = "the index of the vertex that stores the position";
pub(crate) const ORIENTATION: &str = "the index of the vertex that stores the orientation";

#[inline(always)]
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a byte ends a token.
#[inline(always)]
pub(crate) const fn is_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[inline(always)]
pub(crate) fn skip_blanks(mut input: &[u8]) -> &[u8] {
    while let [byte, rest @ ..] = input
        && is_blank(*byte)
    {
        input = rest;
    }
    input
}

/// The text after the end of the line, if the line ends here.
#[inline(always)]
pub(crate) fn newline(input: &[u8]) -> Option<&[u8]> {
    match input {
        [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => Some(rest),
        [] | [b'\r'] => Some(&[]),
        _ => None,
    }
}

/// The next row of a section. The error is the end of the section, with the text after its empty line.
#[inline(always)]
pub(crate) fn row(input: &[u8]) -> Result<&[u8], &[u8]> {
    let start = skip_blanks(input);
    match newline(start) {
        None => Ok(start),
        Some(rest) => Err(rest),
    }
}

/// The number of remaining rows of a section and their size, up to the empty line that ends the section. It lets large
/// lists reserve exactly the memory that they need.
pub(crate) fn count_rows(input: &[u8]) -> (usize, usize) {
    use bstr::ByteSlice;
    let (mut count, mut rest) = (0_usize, input);
    while row(rest).is_ok()
        && let Some(at) = rest.find_byte(b'\n')
    {
        count = count.saturating_add(1);
        rest = after(rest, at.saturating_add(1));
    }
    (count, taken(input, rest).len())
}

/// Whether only blanks remain in the line.
pub(crate) fn at_line_end(input: &[u8]) -> bool {
    newline(skip_blanks(input)).is_some()
}

/// The end of the line, after blanks.
#[inline(always)]
pub(crate) fn line_end(input: &[u8]) -> Parsed<'_, ()> {
    let input = skip_blanks(input);
    match newline(input) {
        Some(rest) => Ok((rest, ())),
        None => Err(expected(input, "the end of the line")),
    }
}

/// The line up to its end, and the text after it.
pub(crate) fn line(input: &[u8]) -> (&[u8], &[u8]) {
    use bstr::ByteSlice;
    let (line, rest) = input.split_at(input.find_byte(b'\n').unwrap_or(input.len()));
    (line.strip_suffix(b"\r").unwrap_or(line), rest.get(1..).unwrap_or(rest))
}

/// The error that the text has another token than expected.
#[cold]
pub(crate) fn expected<'a>(at: &'a [u8], what: &str) -> nom::Err<Fail<'a>> {
    let found = at.split(|&byte| is_end(byte)).next().unwrap_or_default();
    let text = match (found, at) {
        ([], []) => format!("expected {what}, found the end of the text"),
        ([], [b'\r', ..]) if newline(at).is_none() => {
            format!(
                "expected {what}, found a carriage return without a line feed (save the file with LF or CR LF)"
            )
        }
        ([], _) => format!("expected {what}, found the end of the line"),
        _ => {
            let shown = String::from_utf8_lossy(found.get(..24).unwrap_or(found));
            let more = if found.len() > 24 { "…" } else { "" };
            format!("expected {what}, found `{}{more}`", shown.escape_debug())
        }
    };
    Fail::invalid(at, text)
}

/// The next token, up to a blank or the end of the line.
pub(crate) fn token<'a>(input: &'a [u8], what: &str) -> Parsed<'a, &'a [u8]> {
    let input = skip_blanks(input);
    let (rest, token) = take_till(is_end)(input)?;
    if token.is_empty() { Err(expected(input, what)) } else { Ok((rest, token)) }
}

/// The number of leading digits among eight bytes, and their value. Combines the digits to pairs, fours and eights.
#[inline(always)]
pub(crate) fn digits(bytes: [u8; 8]) -> (u32, u64) {
    let odd = u64::from_le_bytes(bytes) ^ 0x3030_3030_3030_3030;
    // A byte that is no digit has a bit in its upper half, now or after adding six.
    let beyond = (odd | odd.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    let len = beyond.trailing_zeros() / 8;
    // Moves the digits to the upper end, with zeros before them.
    let ends = odd.checked_shl(64_u32.wrapping_sub(len.wrapping_mul(8))).unwrap_or(0);
    let pairs = ends.wrapping_mul(10).wrapping_add(ends >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    (len, fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff)
}

/// An index: 0 and up, or the reserved -1 and -2.
#[inline(always)]
pub(crate) fn index<'a>(input: &'a [u8], what: &str) -> Parsed<'a, u32> {
    if let Some(&bytes) = input.first_chunk() {
        let (len, value) = digits(bytes);
        if (1..8).contains(&len)
            && let Some(rest) = input.get(len as usize..)
        {
            #[allow(clippy::cast_possible_truncation, reason = "at most seven digits")]
            return Ok((rest, value as u32));
        }
    }
    long_index(input, what)
}

#[cold]
fn long_index<'a>(input: &'a [u8], what: &str) -> Parsed<'a, u32> {
    let (rest, value) = integer(input, what)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "-1 and -2 are the highest")]
    let index = value as u32;
    if (-2..=u32::MAX.into()).contains(&value) { Ok((rest, index)) } else { Err(expected(input, what)) }
}

/// An integer of up to eighteen digits, with a sign.
pub(crate) fn integer<'a>(input: &'a [u8], what: &str) -> Parsed<'a, i64> {
    let negative = input.first() == Some(&b'-');
    let unsigned = after(input, negative.into());
    let len = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = unsigned.split_at(len);
    if !(1..=18).contains(&len) {
        return Err(expected(input, what));
    }
    let value = number.iter().fold(0_i64, |value, &digit| {
        value.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')))
    });
    Ok((rest, if negative { value.wrapping_neg() } else { value }))
}

/// An integer within a range.
pub(crate) fn int<'a, T: TryFrom<i64>>(
    input: &'a [u8],
    range: std::ops::RangeInclusive<i64>,
    what: &str,
) -> Parsed<'a, T> {
    let (rest, value) = integer(input, what)?;
    match T::try_from(value) {
        Ok(number) if range.contains(&value) => Ok((rest, number)),
        _ => Err(expected(input, what)),
    }
}

/// Hexadecimal digits, at least one, as a 32-bit number.
pub(crate) fn hex<'a>(input: &'a [u8], what: &str) -> Parsed<'a, u32> {
    let len = input.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (number, rest) = input.split_at(len);
    let value = number
        .iter()
        .try_fold(0_u32, |value, &digit| value.checked_mul(16)?.checked_add(char::from(digit).to_digit(16)?));
    value.filter(|_| len != 0).map(|value| (rest, value)).ok_or_else(|| expected(input, what))
}

/// `#AABBGGRR`; the SDK also wrote `#0xAABBGGRR`.
pub(crate) fn color(input: &[u8]) -> Parsed<'_, Rgba8> {
    const WHAT: &str = "a colour in the form `#AABBGGRR`";
    let input = skip_blanks(input);
    let Some(number) = input.strip_prefix(b"#") else { return Err(expected(input, WHAT)) };
    let number = number.strip_prefix(b"0x").unwrap_or(number);
    match hex(number, WHAT) {
        Ok((rest, value)) => Ok((rest, Rgba8::from(value.to_le_bytes()))),
        Err(_) => Err(expected(input, WHAT)),
    }
}

/// The byte of two hexadecimal digits.
pub(crate) fn byte(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

/// The rest of a line as bytes of two hexadecimal digits each; blanks between bytes are optional.
pub(crate) fn bytes<'a>(mut input: &'a [u8], to: &mut Vec<u8>, budget: &mut Budget) -> Parsed<'a, ()> {
    loop {
        let start = skip_blanks(input);
        if let [high, low, rest @ ..] = start
            && let Some(byte) = byte([*high, *low])
        {
            budget.push(to, byte).here(start)?;
            input = rest;
        } else {
            return match newline(start) {
                Some(rest) => Ok((rest, ())),
                None => Err(expected(start, "pairs of hexadecimal digits")),
            };
        }
    }
}
