//! Scripts in an asset, and the comments in their sources.

use std::ops::Range;

use bstr::ByteSlice as _;

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The path of its instance.
    pub path: String,
    /// The class of its instance.
    pub class: String,
    /// The source.
    pub source: Vec<u8>,
}

/// The ranges of the comments in a Luau source, in order. An unclosed comment or string ends with the source.
pub(crate) fn comments(source: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + source[at..].find_byteset(b"-[\"'`")?;
            at = match source[start] {
                b'-' if source[start + 1..].starts_with(b"-") => {
                    let line = || source[start..].find_byte(b'\n').map_or(source.len(), |end| start + end);
                    at = bracket_end(source, start + 2).unwrap_or_else(line);
                    return Some(start..at);
                }
                b'-' => start + 1,
                b'[' => bracket_end(source, start).unwrap_or(start + 1),
                quote => string_end(source, start + 1, quote),
            };
        }
    })
}

/// The end of the long bracket that begins at `start`: `[[…]]`, `[=[…]=]`.
fn bracket_end(source: &[u8], start: usize) -> Option<usize> {
    let rest = source[start..].strip_prefix(b"[")?;
    let level = rest.iter().take_while(|&&byte| byte == b'=').count();
    let inner = rest[level..].strip_prefix(b"[")?;
    let closes = |at: &usize| {
        let after = &inner[at + 1..];
        after.get(level) == Some(&b']') && after[..level].iter().all(|&byte| byte == b'=')
    };
    let end = inner.find_iter(b"]").find(closes).map_or(inner.len(), |close| close + level + 2);
    Some(source.len() - inner.len() + end)
}

/// The end of a string whose content begins at `at`. Only those in backticks contain unescaped line ends.
fn string_end(source: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = source.get(at) {
        at += 1;
        match (byte, source.get(at)) {
            // `\z` skips white space, also line ends.
            (b'\\', Some(b'z')) => {
                let is_blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == 0x0b;
                at += 1 + source[at + 1..].iter().take_while(is_blank).count();
            }
            (b'\\', Some(b'\r')) if source.get(at + 1) == Some(&b'\n') => at += 2,
            (b'\\', Some(_)) => at += 1,
            (b'\n', _) if quote != b'`' => return at,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    source.len()
}
