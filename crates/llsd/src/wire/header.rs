//! The header, which names the encoding, and the errors for input that is not
//! LLSD.

use bstr::ByteSlice as _;
use nom::bytes::complete::{tag, take, take_till, take_while1};
use nom::character::complete::{char, multispace0};
use nom::combinator::recognize;
use nom::multi::many0_count;
use nom::sequence::delimited;
use nom::{IResult, Parser};

use crate::consts::Encoding;
use crate::text::base::is_space;
use crate::wire::events::{Failed, placed};
use geom::wire::{Fail, Result, after, foreign, taken};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// Where a value begins, and how its encoding was determined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) encoding: Encoding,
    /// Where the value begins: after a byte order mark and a header.
    pub(crate) at: usize,
    pub(crate) known_by: KnownBy,
}

/// The way the encoding was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownBy {
    Options,
    Header,
    /// Only the first bytes of the value.
    Content,
}

impl Start {
    pub(crate) fn body(self, whole: &[u8]) -> &[u8] {
        after(whole, self.at)
    }
}

/// The encoding that a header names, and where the value begins. White space before it is skipped:
/// documents that follow each other have line feeds between them.
fn named(bytes: &[u8]) -> Option<(Encoding, usize)> {
    let start = bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii_start();
    if let Some(rest) = after_id(start) {
        return Some((Encoding::Xml, taken(bytes, rest).len()));
    }
    let (rest, name) = line(start).ok()?;
    let encoding =
        Encoding::ALL.iter().copied().find(|known| name.eq_ignore_ascii_case(known.as_str().as_bytes()))?;
    Some((encoding, taken(bytes, rest).len()))
}

/// The XML after a line with an id: OpenSim's `ScriptSyntax.xml` begins with the id of its content.
fn after_id(input: &[u8]) -> Option<&[u8]> {
    let (id, rest) = input.split_at_checked(36)?;
    let is_id = id.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    let xml = rest.trim_ascii_start();
    (is_id && rest.len() > xml.len() && xml.starts_with(b"<llsd")).then_some(xml)
}

/// Reads `<? name ?>` and the white space after it.
fn line(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let name = take_while1(|byte: u8| !byte.is_ascii_whitespace() && byte != b'?');
    let close = (multispace0, tag("?>"), multispace0);
    delimited((tag("<?"), multispace0), name, close).parse(input)
}

/// The encoding by the first bytes alone: a header of LLSD, or XML with `<llsd` in it.
pub(crate) fn detect(bytes: &[u8]) -> Option<Encoding> {
    if let Some((encoding, _)) = named(bytes) {
        return Some(encoding);
    }
    // XML may have a declaration and comments before its first element, which may have attributes.
    let start = bytes.strip_prefix(MARK).unwrap_or(bytes).trim_ascii_start();
    let head = start.get(..1024).unwrap_or(start);
    let (_, end) = head.split_once_str("<llsd")?;
    let is_root = matches!(end, [b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n', ..]);
    (is_root && start.starts_with(b"<")).then_some(Encoding::Xml)
}

/// The encoding of a document and where its value begins, determined as in the viewer: by the header;
/// without a header, XML if the first character is `<`, and otherwise notation. If there is a header, a requested
/// encoding must be that of the header.
pub(crate) fn split(bytes: &[u8], wanted: Option<Encoding>) -> Result<Start> {
    let text = bytes.strip_prefix(MARK).unwrap_or(bytes);
    let after_mark = taken(bytes, text).len();
    match (named(bytes), wanted) {
        (Some((encoding, _)), Some(wanted)) if encoding != wanted => {
            let fail = Fail::invalid(text, format!("expected {wanted}, but the header names {encoding}"));
            Err(placed(bytes, Encoding::Xml, fail))
        }
        (Some((encoding, at)), _) => Ok(Start { encoding, at, known_by: KnownBy::Header }),
        (None, Some(encoding)) => {
            let at = if encoding.is_text() { after_mark } else { 0 };
            Ok(Start { encoding, at, known_by: KnownBy::Options })
        }
        (None, None) => {
            let xml = text.trim_ascii_start().starts_with(b"<");
            let encoding = if xml { Encoding::Xml } else { Encoding::Notation };
            Ok(Start { encoding, at: after_mark, known_by: KnownBy::Content })
        }
    }
}

/// Refuses input whose first bytes cannot begin a value of the encoding; the error names what the input is. Otherwise,
/// other formats could be read as notation, whose tolerant reader skips much.
pub(crate) fn begins(body: &[u8], start: Start) -> Result<(), Failed<'_>> {
    let text = body.trim_ascii_start();
    let found = match (start.encoding, text) {
        (_, []) if start.known_by == KnownBy::Header => {
            return Err(Fail::invalid(text, "expected a value after the header, found the end of the input"));
        }
        (_, []) => return Err(foreign(text, "the input is not LLSD")),
        _ if start.known_by == KnownBy::Content && is_json(text) => {
            return Err(Fail::invalid(text, "the input is not LLSD; found JSON"));
        }
        (Encoding::Binary | Encoding::Notation, [b'<', ..]) => "XML",
        // A count of over 500 million: the second byte is a character.
        (Encoding::Binary, [b'[' | b'{', b' '..=b'~', ..]) => "notation",
        (Encoding::Binary, _) => return Ok(()),
        (Encoding::Xml, [b'<', ..]) if !text.starts_with(b"<roblox!") => return Ok(()),
        (Encoding::Xml | Encoding::Notation, [marker, next, ..]) if is_binary(*marker, *next) => "binary",
        (Encoding::Xml, [marker, ..]) if is_marker(*marker) => "notation",
        (Encoding::Notation, [marker, ..]) if is_marker(*marker) => return Ok(()),
        (Encoding::Xml | Encoding::Notation, _) => {
            let is_named = start.known_by == KnownBy::Header;
            let what =
                if is_named { "the input after the header is not LLSD" } else { "the input is not LLSD" };
            return Err(foreign(text, what));
        }
    };
    let what = match start.known_by {
        KnownBy::Header => {
            format!("the header names {}, but the value is {found} (correct the header)", start.encoding)
        }
        KnownBy::Options => format!("expected {}, found {found}", start.encoding),
        KnownBy::Content => format!(
            "{found} LLSD without a header (use read_{found}, or add the header `<? llsd/{found} ?>`)"
        ),
    };
    Err(Fail::invalid(text, what))
}

/// Whether this is JSON. As notation, some JSON would be read with another meaning, such as a 1 as true.
/// Lists of only strings, `true` and `false`, 1 and 0 are taken as notation.
fn is_json(text: &[u8]) -> bool {
    let (mut rest, mut found) = (text, false);
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest {
            [] => return found,
            [b'{' | b'}' | b'[' | b']' | b',' | b':', tail @ ..] => tail,
            [b'"', tail @ ..] => {
                let escaped = take_till::<_, _, ()>(|byte| matches!(byte, b'"' | b'\\'));
                let pieces = many0_count((escaped, char('\\'), take(1_usize)));
                let inside = (pieces, take_till(|byte| byte == b'"'), char('"'));
                let Ok((tail, _)) = recognize(inside).parse(tail) else { return found };
                found |= tail.trim_ascii_start().starts_with(b":");
                tail
            }
            [b'-' | b'0'..=b'9', ..] => {
                let digit = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let end = rest.iter().position(|byte| !digit(byte)).unwrap_or(rest.len());
                let (number, tail) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                found |= !matches!(number, b"0" | b"1");
                tail
            }
            word => {
                let end = word.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(word.len());
                let (word, tail) = word.split_at_checked(end).unwrap_or((word, &[]));
                match word {
                    b"true" | b"false" => {}
                    b"null" => found = true,
                    _ => return false,
                }
                tail
            }
        }
    }
}

/// Whether a value of notation can begin with this byte.
fn is_marker(byte: u8) -> bool {
    matches!(byte, b'!' | b'0' | b'1' | b't' | b'T' | b'f' | b'F' | b'i' | b'r' | b'u' | b's')
        || matches!(byte, b'l' | b'd' | b'b' | b'\'' | b'"' | b'[' | b'{')
}

/// Whether these are the marker of a binary value and the first byte of a count, a length or a number,
/// and not notation.
fn is_binary(marker: u8, next: u8) -> bool {
    let control = next.is_ascii_control() && !is_space(next);
    matches!(marker, b'[' | b'{' | b'i' | b'r' | b'd' | b'u' | b's' | b'l' | b'b')
        && (control || (next >= 0x80 && marker != b'[' && marker != b'{'))
}
