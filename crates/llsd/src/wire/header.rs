//! The first line, which says how the rest is written.
//!
//! | header | by | encoding |
//! |---|---|---|
//! | `<? LLSD/Binary ?>` LF, `<?llsd/binary?>` LF | viewer, python | binary |
//! | `<? LLSD/XML ?>` LF, `<?xml …?>`, none | viewer, python, many | XML |
//! | `<? llsd/notation ?>` LF, none | viewer, python | notation |

use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::multispace0;
use nom::sequence::delimited;
use nom::{IResult, Parser};

use crate::consts::Encoding;

/// Which header a writer puts in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Header {
    /// None: the bare value, as it stands inside other files.
    None,
    /// As the viewer: `<? LLSD/Binary ?>`, `<? LLSD/XML ?>`, `<? llsd/notation ?>`, and a line feed.
    #[default]
    Viewer,
    /// As python-llsd: `<?llsd/binary?>` and a line feed, `<?xml version="1.0" ?>`, and none for
    /// notation.
    Python,
    /// The usual one of XML: `<?xml version="1.0" encoding="UTF-8"?>` and a line feed; for the other
    /// encodings the viewer's.
    Xml,
}

impl Header {
    pub(crate) fn bytes(self, encoding: Encoding) -> &'static [u8] {
        match (self, encoding) {
            (Self::None, _) | (Self::Python, Encoding::Notation) => b"",
            (Self::Xml, Encoding::Xml) => b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
            (Self::Python, Encoding::Xml) => b"<?xml version=\"1.0\" ?>",
            (Self::Python, Encoding::Binary) => b"<?llsd/binary?>\n",
            (Self::Viewer | Self::Xml, Encoding::Binary) => b"<? LLSD/Binary ?>\n",
            (Self::Viewer, Encoding::Xml) => b"<? LLSD/XML ?>\n",
            (Self::Viewer | Self::Xml, Encoding::Notation) => b"<? llsd/notation ?>\n",
        }
    }
}

/// The encoding that a header names, or that a bare `<llsd>` shows, and where the value begins.
fn known(bytes: &[u8]) -> Option<(Encoding, usize)> {
    if bytes.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"<llsd>")) {
        return Some((Encoding::Xml, 0));
    }
    let (rest, name) = line(bytes).ok()?;
    let encoding =
        Encoding::ALL.into_iter().find(|known| name.eq_ignore_ascii_case(known.as_str().as_bytes()))?;
    Some((encoding, bytes.len().saturating_sub(rest.len())))
}

/// `<? name ?>` and the white space behind it.
fn line(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let name = take_while1(|byte: u8| !byte.is_ascii_whitespace() && byte != b'?');
    let close = (multispace0, tag("?>"), multispace0);
    delimited((tag("<?"), multispace0), name, close).parse(input)
}

/// What the first bytes alone tell: a header of LLSD, or something that is XML with `<llsd` in it.
pub(crate) fn detect(bytes: &[u8]) -> Option<Encoding> {
    if let Some((encoding, _)) = known(bytes) {
        return Some(encoding);
    }
    // An XML file that has a declaration, comments or attributes before or in its first element.
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = start.get(..start.len().min(1024)).unwrap_or_default();
    let root = memchr::memmem::find(head, b"<llsd")?;
    let end = head.get(root.saturating_add(5)).copied();
    let named = matches!(end, Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'));
    (named && start.starts_with(b"<")).then_some(Encoding::Xml)
}

/// The encoding of a document and where its value begins, as the viewer decides it: by the header,
/// and without one XML where the first character is `<` and notation everywhere else.
pub(crate) fn split(bytes: &[u8]) -> (Encoding, usize) {
    known(bytes).unwrap_or_else(|| {
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match start.trim_ascii_start().first() {
            Some(b'<') => (Encoding::Xml, 0),
            _ => (Encoding::Notation, bytes.len().saturating_sub(start.len())),
        }
    })
}
