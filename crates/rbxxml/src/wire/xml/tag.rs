//! Start tags: names and attributes.

use std::borrow::Cow;

use super::UNKNOWN_REFERENCE;
use super::text::{Text, attribute as attribute_value};
use geom::wire::{Budget, ErrorKind, after, taken};

/// A start tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'s> {
    text: &'s [u8],
    start: usize,
    name_len: usize,
}

/// The name of an attribute, and its offset in the tag.
type At<'s> = (&'s [u8], usize);

/// An error in a tag, with its offset in the tag.
#[derive(Debug)]
pub(super) enum Wrong {
    End,
    Malformed(usize, Cow<'static, str>),
    Limit(ErrorKind),
}

/// The start of a name, in quotes.
#[cold]
fn shown(name: &[u8]) -> String {
    format!("{:?}", bstr::BStr::new(name.get(..64).unwrap_or(name)))
}

impl<'s> Tag<'s> {
    /// A tag whose text and name are known.
    #[inline]
    pub(super) fn new(text: &'s [u8], start: usize, name_len: usize) -> Self {
        Self { text, start, name_len }
    }

    /// Parses the tag at the start of `text`, which begins with its `<`.
    pub(super) fn parse(text: &'s [u8], start: usize, budget: &mut Budget) -> Result<Self, Wrong> {
        let inside = after(text, 1);
        let name = name(inside);
        let mut rest = after(inside, name.len());
        if !rest.is_empty() && !is_name(name) {
            return Err(Wrong::Malformed(0, format!("invalid element name {}", shown(name)).into()));
        }
        let offset = |rest: &[u8]| taken(text, rest).len();
        // The names and offsets of the attributes, to find duplicates.
        let mut names: Vec<At<'s>> = Vec::new();
        loop {
            let next = rest.trim_ascii_start();
            let end = match next {
                [b'>', end @ ..] | [b'/', b'>', end @ ..] => Some(end),
                [] | [b'/'] => return Err(Wrong::End),
                _ if next.len() == rest.len() => {
                    let what = "expected white space or the end of the tag";
                    return Err(Wrong::Malformed(offset(rest), what.into()));
                }
                _ => None,
            };
            if let Some(end) = end {
                names.sort_unstable();
                let twice = names.windows(2).find_map(|pair| match pair {
                    [(one, _), (other, at)] if one == other => Some((*at, *one)),
                    _ => None,
                });
                if let Some((at, name)) = twice {
                    return Err(Wrong::Malformed(at, format!("duplicate attribute {}", shown(name)).into()));
                }
                budget.release(names);
                return Ok(Self { text: taken(text, end), start, name_len: name.len() });
            }
            let Some((name, value, more)) = attribute(next) else {
                return Err(match attribute_ends(next) {
                    true => {
                        Wrong::Malformed(offset(rest), "expected an attribute such as name=\"value\"".into())
                    }
                    false => Wrong::End,
                });
            };
            if !is_name(name) {
                let what = format!("invalid attribute name {}", shown(name));
                return Err(Wrong::Malformed(offset(rest), what.into()));
            }
            if Text::between_tags(value).check().is_err() {
                return Err(Wrong::Malformed(offset(rest), UNKNOWN_REFERENCE.into()));
            }
            budget.push(&mut names, (name, offset(rest))).map_err(Wrong::Limit)?;
            rest = more;
        }
    }

    /// The name, with a prefix if it has one.
    #[inline]
    pub(crate) fn name(&self) -> &'s [u8] {
        after(self.text, 1).get(..self.name_len).unwrap_or_default()
    }

    /// The offset at which the tag begins.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The offset at which the tag ends.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.start.saturating_add(self.text.len())
    }

    /// Whether the tag is the whole element: `<a/>`.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.text.ends_with(b"/>")
    }

    /// The tag as stored in the file.
    pub(crate) fn text(&self) -> &'s [u8] {
        self.text
    }

    #[inline]
    fn rest(&self) -> &'s [u8] {
        after(after(self.text, 1), self.name_len)
    }

    /// The names and values of the attributes, as stored in the file.
    fn raw_attributes(&self) -> impl Iterator<Item = (&'s [u8], &'s [u8])> + use<'s> {
        let mut rest = self.rest();
        std::iter::from_fn(move || {
            let (name, value, after) = attribute(rest.trim_ascii_start())?;
            rest = after;
            Some((name, value))
        })
    }

    /// All attributes: their names, including prefixes, and their decoded values.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'s [u8], Cow<'s, [u8]>)> + use<'s> {
        self.raw_attributes().map(|(name, value)| (name, attribute_value(value)))
    }

    /// Whether it has only this attribute, with this value.
    #[inline]
    pub(crate) fn has_only(&self, name: &str, value: &str) -> bool {
        // In the usual form, `<a name="value">`, the lengths show it.
        let usual = [self.name_len, name.len(), value.len(), "< =\"\">".len()];
        self.text.len() == usual.iter().sum::<usize>()
            || self.raw_attributes().all(|(found, _)| found == name.as_bytes())
    }

    /// The value of an attribute without a prefix.
    #[inline]
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'s, [u8]>> {
        // The attribute is nearly always the first one, written in the usual form.
        let first = self.rest().strip_prefix(b" ").and_then(|rest| rest.strip_prefix(name.as_bytes()));
        if let Some(value) = first.and_then(|rest| rest.strip_prefix(b"=\""))
            && let Some(end) = value.iter().position(|&byte| byte == b'"')
        {
            return value.get(..end).map(|value| attribute_value(value));
        }
        let (_, value) = self.raw_attributes().find(|(found, _)| *found == name.as_bytes())?;
        Some(attribute_value(value))
    }
}

/// Parses the attribute at the start of a text: its name, its value as stored in the file, and the text after it.
#[inline]
fn attribute(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = text.iter().position(|&byte| byte.is_ascii_whitespace() || b"=/>\"'<".contains(&byte))?;
    let (name, rest) = text.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, rest) = rest.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let end = rest.iter().position(|&byte| byte == quote || byte == b'<')?;
    let (value, rest) = rest.split_at_checked(end)?;
    Some((name, value, rest.strip_prefix(&[quote])?))
}

/// Whether the tag with a malformed attribute ends, so that the file is malformed, not truncated.
fn attribute_ends(text: &[u8]) -> bool {
    let mut quote = None;
    text.iter().any(|&byte| match (quote, byte) {
        (None, b'>') | (_, b'<') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) if open == byte => {
            quote = None;
            false
        }
        _ => false,
    })
}

/// The encoding in a declaration, whose text after `<?xml ` is given; empty if it states none. `None` if the
/// declaration is malformed.
pub(super) fn declared_encoding(declaration: &[u8]) -> Option<&[u8]> {
    let mut encoding: &[u8] = b"";
    let mut rest = declaration.trim_ascii_start();
    while !rest.is_empty() {
        let (name, value, after) = attribute(rest)?;
        if name == b"encoding" {
            encoding = value;
        }
        rest = after.trim_ascii_start();
        if !rest.is_empty() && rest.len() == after.len() {
            return None;
        }
    }
    Some(encoding)
}

/// Parses a start tag with at most one attribute, in its shortest form and without references: returns its name, and
/// the text after the tag.
#[inline]
pub(super) fn simple(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let name = |text| {
        let (name, rest) = until(text, |byte| !class(byte, LETTER))?;
        name.first()?.is_ascii_alphabetic().then_some((name, rest))
    };
    let (tag, rest) = name(text.strip_prefix(b"<")?)?;
    let rest = match rest.strip_prefix(b" ") {
        None => rest.strip_prefix(b">")?,
        Some(attribute) => {
            let value = name(attribute)?.1.strip_prefix(b"=\"")?;
            until(value, |byte| class(byte, NOT_IN_VALUE))?.1.strip_prefix(b"\">")?
        }
    };
    Some((tag, rest))
}

#[inline]
fn until(text: &[u8], end: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    text.split_at_checked(text.iter().position(|&byte| end(byte))?)
}

#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    class(byte, LETTER) && !matches!(byte, b'0'..=b'9' | b'-' | b'.')
}

/// The name at the start of a text.
#[inline]
fn name(text: &[u8]) -> &[u8] {
    until(text, |byte| !class(byte, LETTER)).map_or(text, |(name, _)| name)
}

/// Whether a text is a name; only its ASCII characters are checked. A prefix is part of the name.
#[inline]
fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|&byte| begins_name(byte)) && name.iter().all(|&byte| class(byte, LETTER))
}

const LETTER: u8 = 1;
/// Characters that end the value of an attribute, or have a special meaning in it.
const NOT_IN_VALUE: u8 = 2;

/// The class of each byte. Control characters count as letters, since old files have them in names.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
#[allow(clippy::cast_possible_truncation, reason = "256 bytes")]
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'"' | b'&' | b'<' | b'\t' | b'\n' | b'\r' => NOT_IN_VALUE,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b':' | 0x80.. => LETTER,
            b'\x0c' => 0,
            0..b' ' => LETTER,
            _ => 0,
        };
        byte += 1;
    }
    class
};

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
fn class(byte: u8, class: u8) -> bool {
    CLASS[usize::from(byte)] == class
}
