//! Start tags: names and attributes.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::wire::parse;
use crate::wire::xml::text::decode;

/// A start tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'t> {
    text: &'t str,
    at: usize,
    /// Where in the tag its name ends.
    name_end: u32,
    /// Whether nothing stands in the element.
    hollow: bool,
}

impl<'t> Tag<'t> {
    /// A tag as it was cut, with a name of so many bytes, or what is wrong with it, and where.
    #[inline]
    pub(super) fn checked(
        text: &'t str,
        at: usize,
        name_len: usize,
        hollow: bool,
    ) -> Result<Self, (usize, &'static str)> {
        let tag = Self::simple(text, at, name_len, hollow);
        if !is_name(tag.name().as_bytes()) {
            return Err((at, "a malformed name of an element"));
        }
        match tag.rest() {
            b">" | b"/>" => {}
            rest => check_attributes(rest)
                .map_err(|(behind, what)| (tag.end().saturating_sub(behind.len()), what))?,
        }
        Ok(tag)
    }

    /// The same of what [`simple`] found. `hollow` says whether nothing stands in the element.
    #[inline]
    pub(super) fn simple(text: &'t str, at: usize, name_len: usize, hollow: bool) -> Self {
        let name_end = u32::try_from(name_len.saturating_add(1)).unwrap_or(u32::MAX);
        Self { text, at, name_end, hollow }
    }

    /// The name, with a prefix if it has one.
    #[inline]
    pub(crate) fn name(&self) -> &'t str {
        self.text.get(1..self.name_end as usize).unwrap_or_default()
    }

    /// Where in the text it begins.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.at
    }

    /// Where in the text it ends.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.at.saturating_add(self.text.len())
    }

    /// Where what is in the element begins; where the tag begins, if there is nothing.
    pub(crate) fn inside(&self) -> usize {
        if self.hollow { self.at } else { self.end() }
    }

    /// What stands behind the name.
    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.name_end as usize..).unwrap_or_default()
    }

    /// The names and values, as they stand.
    fn raw_attributes(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> + use<'t> {
        let mut rest = self.rest();
        std::iter::from_fn(move || {
            let (behind, attribute) = parse::attribute(rest).ok()?;
            rest = behind;
            Some(attribute)
        })
    }

    /// All attributes: their names with the prefix, and what they say.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'t str, Cow<'t, str>)> + use<'t> {
        let text = |bytes: &'t [u8]| std::str::from_utf8(bytes).unwrap_or_default();
        self.raw_attributes().map(move |(name, value)| (text(name), said(text(value))))
    }

    /// What an attribute without a prefix says.
    #[inline]
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'t, str>> {
        // The first one, written as everybody does, nearly always.
        let first = self.text.get(self.name_end as usize..).and_then(|rest| rest.strip_prefix(' '));
        let first = first.and_then(|rest| rest.strip_prefix(name)?.strip_prefix("=\"")?.split_once('"'));
        if let Some((value, _)) = first {
            return Some(said(value));
        }
        let (_, value) = self.raw_attributes().find(|(found, _)| *found == name.as_bytes())?;
        std::str::from_utf8(value).ok().map(said)
    }
}

/// Looks at what stands behind the name. An error says what is wrong from where on.
fn check_attributes(mut rest: &[u8]) -> Result<(), (&[u8], &'static str)> {
    let mut names = Vec::new();
    while let Ok((behind, (name, value))) = parse::attribute(rest) {
        if !is_name(name) {
            return Err((rest, "a malformed name of an attribute"));
        }
        if decode(std::str::from_utf8(value).unwrap_or_default(), true).is_none() {
            return Err((rest, "a reference to nothing that XML knows"));
        }
        names.push(name);
        rest = behind;
    }
    if !parse::is_end_of_tag(rest) {
        return Err((rest, "a malformed attribute"));
    }
    let twice = match names.as_slice() {
        [] | [_] => false,
        [one, two] => one == two,
        names => {
            let mut seen = HashSet::with_capacity(names.len());
            !names.iter().all(|name| seen.insert(name))
        }
    };
    if twice { Err((rest, "an attribute that stands there twice")) } else { Ok(()) }
}

/// A start tag with one attribute or none, in its shortest form and without references: its name, and
/// the text behind it.
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

/// What a value says that was looked at when the tag was read.
#[inline]
fn said(value: &str) -> Cow<'_, str> {
    decode(value, true).unwrap_or(Cow::Borrowed(value))
}

#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..)
}

/// A name, as far as ASCII goes. A prefix is part of it.
#[inline]
fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|&byte| begins_name(byte)) && name.iter().all(|&byte| class(byte, LETTER))
}

const LETTER: u8 = 1;
/// What ends the value of an attribute, or is not what it says.
const NOT_IN_VALUE: u8 = 2;

/// What each byte is.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "at compile time")]
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b':' | 0x80.. => LETTER,
            b'"' | b'&' | b'<' | b'\t' | b'\n' | b'\r' => NOT_IN_VALUE,
            _ => 0,
        };
        byte = byte.saturating_add(1);
    }
    class
};

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "as many entries as a byte has values")]
fn class(byte: u8, class: u8) -> bool {
    CLASS[usize::from(byte)] == class
}
