//! The characters of XML: special bytes, and the text that is allowed.

use crate::wire::events::Failed;
use geom::wire::{Fail, Problem, after};

const RETURN: u8 = 1;
pub(super) const BAD: u8 = 2;
const WIDE: u8 = 4;
const BRACKET: u8 = 8;
/// The bytes that begin markup or a reference.
const MARK: u8 = 16;

/// The class of each byte.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "at compile time")]
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte {
            0x0d => RETURN,
            0x09 | 0x0a => 0,
            0..=0x1f => BAD,
            0x5d => BRACKET,
            0x26 | 0x3c => MARK,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    class
};

#[inline]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
pub(super) fn flags(text: &[u8]) -> u8 {
    text.iter().fold(0, |flags, &byte| flags | CLASS[usize::from(byte)])
}

/// Whether a byte is not a character of plain text.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
pub(super) fn is_special(byte: u8) -> bool {
    CLASS[usize::from(byte)] != 0
}

/// Text that has only characters of XML.
#[derive(Clone, Copy, Debug)]
pub(super) enum Chars<'a> {
    Same(&'a [u8]),
    /// Text with carriage returns, which [`lines`] turns into line feeds.
    Returns(&'a [u8]),
}

impl Chars<'_> {
    pub(super) fn is_space(self) -> bool {
        let (Self::Same(text) | Self::Returns(text)) = self;
        text.trim_ascii().is_empty()
    }
}

/// The text with a line feed for each carriage return, alone or before a line feed.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pieces = text.split(|&byte| byte == b'\r').enumerate();
    pieces.flat_map(|(index, piece)| match (index, piece) {
        (0, piece) => [piece, b""],
        (_, [b'\n', ..]) => [piece, b""],
        (_, piece) => [b"\n".as_slice(), piece],
    })
}

/// Checks the characters of a text.
#[inline]
pub(super) fn chars(text: &[u8]) -> Result<Chars<'_>, Failed<'_>> {
    match flags(text) {
        0 => Ok(Chars::Same(text)),
        flags => odd_chars(text, flags),
    }
}

fn odd_chars(text: &[u8], flags: u8) -> Result<Chars<'_>, Failed<'_>> {
    if flags & BAD != 0 {
        let bad = text.iter().enumerate().find(|&(_, &byte)| self::flags(&[byte]) == BAD);
        let (at, byte) = bad.map_or((0, 0), |(at, &byte)| (at, byte));
        let what = format!("found the character U+{byte:04X}, which XML does not allow");
        return Err(Fail::invalid(after(text, at), what));
    }
    if flags & WIDE != 0 {
        if let Err(error) = std::str::from_utf8(text) {
            return Err(Fail::invalid(after(text, error.valid_up_to()), Problem::Utf8));
        }
        let odd = text.windows(3).enumerate().find_map(|(at, three)| match three {
            [0xef, 0xbf, 0xbe] => Some((at, "U+FFFE")),
            [0xef, 0xbf, 0xbf] => Some((at, "U+FFFF")),
            _ => None,
        });
        if let Some((at, c)) = odd {
            let what = format!("found the character {c}, which XML does not allow");
            return Err(Fail::invalid(after(text, at), what));
        }
    }
    Ok(if flags & RETURN == 0 { Chars::Same(text) } else { Chars::Returns(text) })
}

/// Checks the characters of a text outside CDATA, in which `]]>` is an error.
#[inline]
pub(super) fn plain(text: &[u8]) -> Result<Chars<'_>, Failed<'_>> {
    let flags = flags(text);
    if flags == 0 {
        return Ok(Chars::Same(text));
    }
    if flags & BRACKET != 0
        && let Some(at) = memchr::memmem::find(text, b"]]>")
    {
        return Err(Fail::invalid(after(text, at), "`]]>` in text outside CDATA (write `]]&gt;`)"));
    }
    odd_chars(text, flags)
}

/// Whether XML 1.0 allows a character.
pub(super) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Whether this is a name in XML; only its ASCII characters are checked.
pub(super) fn is_name(name: &[u8]) -> bool {
    let begins = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    let goes_on = |&byte: &u8| begins(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    name.first().is_some_and(|&byte| begins(byte))
        && name.iter().all(goes_on)
        && std::str::from_utf8(name).is_ok()
}
