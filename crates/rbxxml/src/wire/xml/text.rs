//! Text between tags and in attributes: references and line ends.

use std::borrow::Cow;

use bstr::ByteSlice as _;

use geom::wire::{Budget, ErrorKind, after, taken};

/// Text between tags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text<'s> {
    pub(super) raw: &'s [u8],
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text without references and carriage returns.
    #[default]
    Plain,
    /// Text with references or carriage returns.
    Coded,
    /// A CDATA section, in which only line ends are special.
    Section,
}

impl<'s> Text<'s> {
    #[inline]
    pub(super) fn between_tags(raw: &'s [u8]) -> Self {
        let kind = if raw.find_byteset(b"&\r").is_some() { Kind::Coded } else { Kind::Plain };
        Self { raw, kind }
    }

    /// Fails if the text has a reference to an undefined entity; the error is its offset.
    pub(super) fn check(&self) -> Result<(), usize> {
        if self.kind == Kind::Plain {
            return Ok(());
        }
        for at in self.raw.find_iter(b"&") {
            if reference(after(self.raw, at)) == Reference::Unknown {
                return Err(at);
            }
        }
        Ok(())
    }

    /// The decoded text. If it is a copy, its capacity is charged to the budget.
    pub(super) fn decoded(&self, budget: &mut Budget) -> Result<Cow<'s, [u8]>, ErrorKind> {
        let special: &[u8] = match self.kind {
            Kind::Plain => return Ok(Cow::Borrowed(self.raw)),
            Kind::Coded => b"&\r",
            Kind::Section => b"\r",
        };
        let len = self.raw.len() as u64;
        budget.take(len)?;
        let decoded = decode(self.raw, special);
        if matches!(decoded, Cow::Borrowed(_)) {
            budget.give_back(len);
        }
        Ok(decoded)
    }
}

/// Decodes the value of an attribute.
#[inline]
pub(super) fn attribute(raw: &[u8]) -> Cow<'_, [u8]> {
    decode(raw, b"&\r\n\t")
}

/// Decodes references and line ends. A line end becomes a line feed; in an attribute, a space.
#[inline]
fn decode<'s>(raw: &'s [u8], special: &[u8]) -> Cow<'s, [u8]> {
    match raw.iter().any(|byte| special.contains(byte)) {
        false => Cow::Borrowed(raw),
        true => Cow::Owned(decode_special(raw, special)),
    }
}

fn decode_special(raw: &[u8], special: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let attribute = special.contains(&b'\n');
    let mut rest = raw;
    while let Some(at) = rest.find_byteset(special) {
        let (plain, found) = rest.split_at(at);
        text.extend_from_slice(plain);
        let len = match found.first() {
            Some(b'&') => match reference(found) {
                Reference::Character(character, len) => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    len
                }
                Reference::Not | Reference::Unknown => {
                    text.push(b'&');
                    1
                }
            },
            _ => {
                text.push(if attribute { b' ' } else { b'\n' });
                if found.starts_with(b"\r\n") { 2 } else { 1 }
            }
        };
        rest = after(found, len);
    }
    text.extend_from_slice(rest);
    text
}

/// The meaning of an `&` and the characters after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A reference to a character, and the number of bytes that the reference takes.
    Character(char, usize),
    /// A reference to an entity that XML does not have.
    Unknown,
    /// No reference: the `&` is text.
    Not,
}

/// Parses the `&` at the start of a text: one of the five names of XML, or a character by number.
pub(crate) fn reference(text: &[u8]) -> Reference {
    let Some(inside) = text.strip_prefix(b"&") else { return Reference::Not };
    let number = inside.strip_prefix(b"#");
    let name = number.unwrap_or(inside);
    let Some(len) = name.iter().position(|byte| !byte.is_ascii_alphanumeric()) else { return Reference::Not };
    let (name, rest) = name.split_at(len);
    let Some(rest) = rest.strip_prefix(b";") else { return Reference::Not };
    let character = match (number, name) {
        // Half of a surrogate pair is not a character: the reference is text.
        (Some(_), digits) => match code(digits).and_then(char::from_u32) {
            Some(character) => character,
            None => return Reference::Not,
        },
        (None, b"lt") => '<',
        (None, b"gt") => '>',
        (None, b"amp") => '&',
        (None, b"apos") => '\'',
        (None, b"quot") => '"',
        (None, name) if (1..=10).contains(&name.len()) => return Reference::Unknown,
        (None, _) => return Reference::Not,
    };
    Reference::Character(character, taken(text, rest).len())
}

/// Parses the number of a character, such as `65` or `x41`.
fn code(number: &[u8]) -> Option<u32> {
    let (digits, radix) = match number.strip_prefix(b"x") {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

/// The length of the plain text before a tag, a reference or a carriage return; `None` without any of them.
#[inline]
pub(super) fn text_len(text: &[u8]) -> Option<usize> {
    const SHORT: usize = 16;
    let begins = |&byte: &u8| matches!(byte, b'<' | b'&' | b'\r');
    let (short, rest) = text.split_at_checked(SHORT).unwrap_or((text, b""));
    match short.iter().position(begins) {
        Some(len) => Some(len),
        None => rest.find_byteset(b"<&\r").map(|len| len.saturating_add(SHORT)),
    }
}
