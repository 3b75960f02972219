//! The element `roblox`, and how a file is indented.

use bstr::{BString, ByteSlice as _};

use crate::consts::{BINARY, MAGIC, Version};
use crate::model::{Name, Text};
use crate::wire::out::Out;
use crate::wire::parse::start_tag;
use crate::wire::source::tag_end;

/// The version that a file says it has, from its first element alone.
pub(crate) fn detect(bytes: &[u8]) -> Option<Version> {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    loop {
        rest = rest.trim_ascii_start();
        let (behind, ending): (_, &[u8]) = match rest {
            _ if rest.starts_with(b"<?") => (rest.get(2..)?, b"?>"),
            _ if rest.starts_with(b"<!--") => (rest.get(4..)?, b"-->"),
            _ => break,
        };
        rest = behind.get(behind.find(ending)?.checked_add(ending.len())?..)?;
    }
    let behind = rest.strip_prefix(MAGIC)?;
    if rest.starts_with(BINARY)
        || !behind.first().is_some_and(|&byte| byte.is_ascii_whitespace() || byte == b'>')
    {
        return None;
    }
    let attributes = start_tag(rest.get(..tag_end(rest))?)?;
    let version = attributes.iter().find(|(name, _)| *name == b"version");
    // A file without one is a file all the same.
    Some(version.and_then(|(_, value)| Version::from_text(value.as_bstr())).unwrap_or(Version(0)))
}

/// The start tag.
pub(crate) fn start(out: &mut Out, attributes: &[(Name, Text)]) {
    out.raw("<roblox");
    for (name, value) in attributes {
        out.raw(" ");
        out.raw(name.as_bytes());
        out.raw("=\"");
        out.attribute(value);
        out.raw("\"");
    }
    out.raw(">");
}

/// How lines end and begin, from what stands between two tags, of which the second is one level in.
pub(crate) fn style(gap: &[u8]) -> Option<(BString, BString)> {
    if gap.is_empty() {
        return Some((BString::default(), BString::default()));
    }
    let last = gap.rfind_byte(b'\n')?;
    let indent = gap.get(last.saturating_add(1)..)?;
    let newline: &[u8] = if gap.get(..last)?.ends_with(b"\r") { b"\r\n" } else { b"\n" };
    indent.iter().all(|byte| b" \t".contains(byte)).then(|| (newline.into(), indent.into()))
}
