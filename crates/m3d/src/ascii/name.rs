//! Names and other strings within a line.
//!
//! Bytes that are not allowed at their place in a line are written as pairs of hexadecimal digits in `\{ }`; `\{}` is
//! an empty line. Bytes that are not UTF-8 are written in the same way, so that the text is always UTF-8.

use std::borrow::Cow;
use std::io::Write as _;

use bstr::ByteSlice;

use super::token::{byte, is_blank};

/// Unescapes the text of a string: returns the text itself if nothing is escaped, and never more bytes than it has.
pub(crate) fn read(text: &[u8]) -> Cow<'_, [u8]> {
    if text.find(b"\\{").is_none() {
        return Cow::Borrowed(text);
    }
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(b"\\{") {
        let (before, escape) = rest.split_at(at);
        name.extend_from_slice(before);
        rest = match unescape(escape) {
            Some((bytes, after)) => {
                name.extend(bytes.as_chunks().0.iter().filter_map(|&digits| byte(digits)));
                after
            }
            // `\{` does not begin an escape: keep it.
            None => {
                let (as_it_is, after) = escape.split_at(2.min(escape.len()));
                name.extend_from_slice(as_it_is);
                after
            }
        };
    }
    name.extend_from_slice(rest);
    Cow::Owned(name)
}

/// The digits in `\{ }`, and the text after them.
fn unescape(escape: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = escape.get(2..)?;
    let len = inside.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (digits, after) = inside.split_at(len);
    let after = after.strip_prefix(b"}")?;
    (len % 2 == 0).then_some((digits, after))
}

/// The rest of a line as a string, without surrounding blanks.
pub(crate) fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_with(|c| matches!(c, ' ' | '\t' | '\r'))
}

/// The position of a string in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is a whole line: blanks count.
    Line,
    /// It is the rest of a line: surrounding blanks do not count, and it may be missing.
    Rest,
    /// It begins its line, which cannot be empty or begin with a sign such as `#`.
    Row,
    /// It is one token among others.
    Token,
}

pub(crate) fn write(name: &[u8], place: Place, out: &mut Vec<u8>) {
    let [_, others @ ..] = name else {
        if matches!(place, Place::Row) {
            out.extend_from_slice(b"\\{}");
        }
        return;
    };
    let last = others.len();
    let blank = name.iter().all(|&byte| is_blank(byte));
    let mut open = false;
    let mut put = |bytes: &[u8], plain: bool, out: &mut Vec<u8>| {
        if plain {
            if std::mem::take(&mut open) {
                out.push(b'}');
            }
            out.extend_from_slice(bytes);
        } else {
            if !std::mem::replace(&mut open, true) {
                out.extend_from_slice(b"\\{");
            }
            for byte in bytes {
                // Writing into a vector cannot fail.
                let _infallible = write!(out, "{byte:02x}");
            }
        }
    };
    for (at, end, c) in name.char_indices() {
        let bytes = name.get(at..end).unwrap_or_default();
        let edge = at == 0 || at == last;
        let plain = match c {
            '\u{fffd}' => bytes == "\u{fffd}".as_bytes(),
            '\0'..='\u{8}' | '\n'..='\u{1f}' | '\u{7f}' => false,
            ' ' | '\t' => match place {
                Place::Line => !blank,
                Place::Rest | Place::Row => !edge,
                Place::Token => false,
            },
            '\\' => name.get(end) != Some(&b'{'),
            '#' | '@' => at != 0 || !matches!(place, Place::Row | Place::Token),
            '{' | '}' => at != 0 || place != Place::Token,
            '-' => place != Place::Token || name.len() != 1,
            _ => true,
        };
        put(bytes, plain, out);
    }
    put(b"", true, out);
}
