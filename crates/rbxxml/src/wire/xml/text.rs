//! Text between tags and in attributes: references and line ends.

use std::borrow::Cow;

use bstr::ByteSlice as _;

/// Text between tags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t> {
    pub(super) raw: &'t str,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text that says itself.
    Plain,
    /// Text with references or carriage returns.
    Coded,
    /// A section of characters in which nothing but line ends is special.
    Section,
}

impl<'t> Text<'t> {
    #[inline]
    pub(super) fn said(&self) -> Cow<'t, str> {
        match self.kind {
            Kind::Plain => Cow::Borrowed(self.raw),
            // References were looked at when they were read.
            Kind::Coded => decode(self.raw, false).unwrap_or(Cow::Borrowed(self.raw)),
            Kind::Section => match self.raw.contains('\r') {
                false => Cow::Borrowed(self.raw),
                true => Cow::Owned(self.raw.replace("\r\n", "\n").replace('\r', "\n")),
            },
        }
    }
}

/// What text says: references are what they refer to, lines end in a line feed, and in an attribute in
/// a space. `None` where a reference is none.
#[inline]
pub(super) fn decode(raw: &str, attribute: bool) -> Option<Cow<'_, str>> {
    let special = |text: &[u8]| match attribute {
        true => text.iter().position(|&byte| matches!(byte, b'&' | b'\r' | b'\n' | b'\t')),
        false => text.find_byteset(b"&\r"),
    };
    match special(raw.as_bytes()) {
        None => Some(Cow::Borrowed(raw)),
        Some(_) => decoded(raw, attribute, special).map(Cow::Owned),
    }
}

fn decoded(raw: &str, attribute: bool, special: impl Fn(&[u8]) -> Option<usize>) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = special(rest.as_bytes()) {
        let (plain, behind) = rest.split_at_checked(at)?;
        text.push_str(plain);
        rest = if let Some(behind) = behind.strip_prefix('&') {
            let (name, behind) = behind.split_once(';')?;
            text.push(referred(name)?);
            behind
        } else {
            text.push(if attribute { ' ' } else { '\n' });
            behind.strip_prefix("\r\n").or_else(|| behind.get(1..))?
        };
    }
    text.push_str(rest);
    Some(text)
}

/// What a reference stands for: the five names that XML has, and characters by number.
pub(super) fn referred(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        // Half a character stands for one that is not known.
        _ => {
            let code = code(name).filter(|&code| !is_forbidden(code))?;
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    })
}

/// Whether a character is one that XML 1.0 does not allow, not even as a reference.
pub(crate) fn is_forbidden(code: u32) -> bool {
    matches!(code, 0..=8 | 0xb | 0xc | 0xe..=0x1f | 0xfffe | 0xffff)
}

/// The number in the name of a reference by number: `#65`, `#x41`.
pub(crate) fn code(name: &str) -> Option<u32> {
    let number = name.strip_prefix('#')?;
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // A sign is none of the digits.
    let digits = Some(digits).filter(|digits| digits.starts_with(|c: char| c.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, radix).ok()
}

/// How much plain text stands in front of a tag or of what text says otherwise.
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
