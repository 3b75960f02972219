//! Strings between quotes, with escapes: the form of notation, which binary knows too.
//!
//! | escape | byte |
//! |---|---|
//! | `\a` `\b` `\f` `\n` `\r` `\t` `\v` | 7 8 12 10 13 9 11 |
//! | `\xHH` | the byte with this number |
//! | `\` and anything else | that byte |

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};

use crate::text::base::hex_digit;
use crate::wire::fail::{Fail, Parsed};

/// The rest of a string behind its opening quote, up to and with the closing one.
#[inline(always)]
pub(crate) fn read(input: &[u8], quote: u8) -> Parsed<'_, Cow<'_, BStr>> {
    // Keys and most strings are shorter than what a search in large steps takes to begin.
    let near = input.iter().take(16).position(|&byte| byte == quote || byte == b'\\');
    let Some(end) = near.or_else(|| memchr::memchr2(quote, b'\\', input)) else {
        return Err(Fail::end(input.get(input.len()..).unwrap_or_default()));
    };
    match input.split_at_checked(end) {
        Some((text, [found, rest @ ..])) if *found == quote => Ok((rest, Cow::Borrowed(text.as_bstr()))),
        _ => unescape(input, quote),
    }
}

/// The same where there are escapes.
fn unescape(input: &[u8], quote: u8) -> Parsed<'_, Cow<'_, BStr>> {
    let mut text = Vec::new();
    let mut rest = input;
    loop {
        let end = memchr::memchr2(quote, b'\\', rest).unwrap_or(rest.len());
        let (plain, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        text.extend_from_slice(plain);
        rest = match behind {
            [b'\\', b'x', digits @ ..] => {
                let (byte, behind) = match digits {
                    [high, low, behind @ ..] => match (hex_digit(*high), hex_digit(*low)) {
                        (Some(high), Some(low)) => ((high << 4) | low, behind),
                        _ => return Err(Fail::invalid(digits, "no two hexadecimal digits behind \\x")),
                    },
                    _ => return Err(Fail::end(digits)),
                };
                text.push(byte);
                behind
            }
            [b'\\', escaped, behind @ ..] => {
                text.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    other => *other,
                });
                behind
            }
            [found, behind @ ..] if *found == quote => return Ok((behind, Cow::Owned(text.into()))),
            other => return Err(Fail::end(other.get(other.len()..).unwrap_or_default())),
        }
    }
}
