//! Where writing goes: lines, tags, and text that XML wants escaped.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Base64 is wrapped at this column.
const COLUMN: usize = 72;

/// A document that is being written.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) bytes: Vec<u8>,
    /// The end of a line and the deepest indentation behind it.
    pad: Vec<u8>,
    newline: usize,
    unit: usize,
    /// Whether newlines within text are CR LF too.
    crlf: bool,
    /// The first character since it was last taken that XML cannot hold.
    illegal: Option<Illegal>,
}

/// What XML 1.0 cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Illegal {
    /// A control character, or one of the two at the end of the first plane.
    Character(u32),
    /// A byte of no UTF-8.
    Byte(u8),
}

impl Out {
    /// An empty one, whose lines end and begin as told. `levels` is the deepest indentation.
    pub(crate) fn new(newline: &[u8], indent: &[u8], levels: usize) -> Self {
        let mut pad = newline.to_vec();
        pad.extend(indent.repeat(levels));
        let (newline, unit, crlf) = (newline.len(), indent.len(), newline == b"\r\n");
        Self { bytes: Vec::new(), pad, newline, unit, crlf, illegal: None }
    }

    pub(crate) fn has_illegal(&self) -> bool {
        self.illegal.is_some()
    }

    pub(crate) fn take_illegal(&mut self) -> Option<Illegal> {
        self.illegal.take()
    }

    /// Text that needs no escaping.
    #[inline]
    pub(crate) fn raw(&mut self, text: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(text.as_ref());
    }

    /// The end of a line and the indentation of the next.
    #[inline]
    pub(crate) fn line(&mut self, depth: usize) {
        let len = self.newline.saturating_add(self.unit.saturating_mul(depth));
        self.bytes.extend_from_slice(self.pad.get(..len).unwrap_or(&self.pad));
    }

    /// What [`Out::line`] writes.
    pub(crate) fn gap(&self, depth: usize) -> &[u8] {
        let len = self.newline.saturating_add(self.unit.saturating_mul(depth));
        self.pad.get(..len).unwrap_or(&self.pad)
    }

    /// Whether all stands in one line.
    pub(crate) fn is_compact(&self) -> bool {
        self.newline == 0
    }

    /// A start tag with the attribute `name`.
    #[inline]
    pub(crate) fn open(&mut self, tag: &str, name: &str) {
        self.bytes.push(b'<');
        self.raw(tag);
        self.raw(b" name=\"");
        self.attribute(name);
        self.raw(b"\">");
    }

    /// An end tag.
    #[inline]
    pub(crate) fn close(&mut self, tag: &str) {
        self.raw(b"</");
        self.raw(tag);
        self.bytes.push(b'>');
    }

    /// The value of an attribute.
    #[inline]
    pub(crate) fn attribute(&mut self, text: impl AsRef<[u8]>) {
        self.escaped(text.as_ref(), true);
    }

    /// Text between tags.
    #[inline]
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.escaped(text, false);
    }

    fn escaped(&mut self, mut text: &[u8], attribute: bool) {
        let table = if attribute { &IN_ATTRIBUTE } else { &IN_TEXT };
        let in_table = |&byte: &u8| table.get(usize::from(byte)).is_some_and(|&special| special);
        while let Some(at) = text.iter().position(in_table) {
            let (plain, rest) = text.split_at(at);
            self.raw(plain);
            let Some((&byte, rest)) = rest.split_first() else { return };
            text = rest;
            match byte {
                b'&' => self.raw(b"&amp;"),
                b'<' => self.raw(b"&lt;"),
                b'>' => self.raw(b"&gt;"),
                b'"' => self.raw(b"&quot;"),
                b'\'' => self.raw(b"&apos;"),
                b'\n' if !attribute => self.raw(if self.crlf { b"\r\n".as_slice() } else { b"\n" }),
                b'\t' | b'\n' | b'\r' => self.reference(u32::from(byte)),
                0..0x20 => {
                    self.illegal.get_or_insert(Illegal::Character(u32::from(byte)));
                    self.reference(u32::from(byte));
                }
                _ => text = self.beyond_ascii(byte, text),
            }
        }
        self.raw(text);
    }

    fn reference(&mut self, character: u32) {
        self.raw(b"&#");
        super::format::unsigned(&mut self.bytes, u64::from(character));
        self.bytes.push(b';');
    }

    /// A character of several bytes, or a byte of none; gives what is behind it.
    #[cold]
    fn beyond_ascii<'t>(&mut self, byte: u8, rest: &'t [u8]) -> &'t [u8] {
        let mut all = [byte, 0, 0, 0];
        for (to, from) in all.iter_mut().skip(1).zip(rest) {
            *to = *from;
        }
        for len in 2..=rest.len().saturating_add(1).min(4) {
            let Some(character) = all.get(..len).and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
                continue;
            };
            match character {
                "\u{fffe}" | "\u{ffff}" => {
                    let code = if character == "\u{fffe}" { 0xfffe } else { 0xffff };
                    self.illegal.get_or_insert(Illegal::Character(code));
                    self.reference(code);
                }
                _ => self.raw(character),
            }
            return rest.get(len.saturating_sub(1)..).unwrap_or_default();
        }
        self.illegal.get_or_insert(Illegal::Byte(byte));
        self.bytes.push(byte);
        rest
    }

    /// Text in a CDATA section, or escaped where it holds what such a section cannot.
    pub(crate) fn cdata(&mut self, text: &[u8]) {
        let fits = |&byte: &u8| byte >= 0x20 || byte == b'\n' || byte == b'\t';
        if text.is_empty() || !text.iter().all(fits) || !is_legal_utf8(text) {
            return self.text(text);
        }
        self.raw(b"<![CDATA[");
        let mut rest = text;
        while let Some(at) = find(rest, b"]]>") {
            // The section ends between the brackets and the sign that would end it.
            let (piece, behind) = rest.split_at(at.saturating_add(2));
            self.lines(piece);
            self.raw(b"]]><![CDATA[");
            rest = behind;
        }
        self.lines(rest);
        self.raw(b"]]>");
    }

    /// Text with the document's ends of lines.
    fn lines(&mut self, text: &[u8]) {
        if !self.crlf {
            return self.raw(text);
        }
        for piece in text.split_inclusive(|&byte| byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(line) => {
                    self.raw(line);
                    self.raw(b"\r\n");
                }
                None => self.raw(piece),
            }
        }
    }

    /// Base64, wrapped. Longer than a line, it stands in a CDATA section where `section` says so.
    pub(crate) fn base64(&mut self, bytes: &[u8], section: bool) {
        const LINE: usize = COLUMN / 4 * 3;
        let section = section && bytes.len() > LINE;
        if section {
            self.raw(b"<![CDATA[");
        }
        let newline: &[u8] = if self.crlf { b"\r\n" } else { b"\n" };
        let lines = bytes.len().div_ceil(LINE);
        self.bytes.reserve(lines.saturating_mul(COLUMN.saturating_add(newline.len())));
        let mut line = [0; COLUMN];
        for (index, chunk) in bytes.chunks(LINE).enumerate() {
            if index > 0 {
                self.bytes.extend_from_slice(newline);
            }
            // A line holds what 54 bytes become.
            let len = STANDARD.encode_slice(chunk, &mut line).unwrap_or_default();
            self.bytes.extend_from_slice(line.get(..len).unwrap_or_default());
        }
        if section {
            self.raw(b"]]>");
        }
    }

    #[inline]
    pub(crate) fn float(&mut self, value: f32) {
        super::format::float(&mut self.bytes, value);
    }

    #[inline]
    pub(crate) fn whole(&mut self, value: impl Into<i64>) {
        super::format::signed(&mut self.bytes, value.into());
    }
}

const IN_TEXT: [bool; 256] = specials(false);
const IN_ATTRIBUTE: [bool; 256] = specials(true);

/// Signs that are markup, or may be.
const SIGNS: [u8; 5] = *b"&<>\"'";

/// Which bytes need a look: those that are escaped, newlines, and those of characters that may be
/// none or not allowed.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn specials(attribute: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte < 0x20 || byte >= 0x80;
        byte += 1;
    }
    let mut sign = 0;
    while sign < SIGNS.len() {
        table[SIGNS[sign] as usize] = true;
        sign += 1;
    }
    table[b'\t' as usize] = attribute;
    table
}

/// Whether the bytes are UTF-8 without the characters that XML cannot hold.
pub(crate) fn is_legal_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.is_ascii() || !text.contains(['\u{fffe}', '\u{ffff}']),
        Err(_) => false,
    }
}

/// Where a short text first stands.
pub(crate) fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    use bstr::ByteSlice as _;
    text.find(what)
}

/// A hash of what was written, eight bytes at a time. It may be stored, so it stays as it is for ever.
#[allow(clippy::cast_possible_truncation, reason = "both halves are used")]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, rest) = bytes.as_chunks();
    let hash = words.iter().fold(bytes.len() as u64, |hash, &word| mix(hash, u64::from_le_bytes(word)));
    let last = rest.iter().fold(1, |last: u64, &byte| last << 8 | u64::from(byte));
    mix(mix(hash, last), 0x5eed)
}

/// Base64 as bytes; white space and missing padding do not matter. `Err` holds the place of what
/// stands wrong.
pub(crate) fn decode_base64(text: &[u8]) -> Result<Vec<u8>, usize> {
    use base64::alphabet;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    const TOLERANT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut digits = Vec::with_capacity(text.len());
    for piece in text.split(|byte| byte.is_ascii_whitespace()) {
        digits.extend_from_slice(piece);
    }
    TOLERANT.decode(&digits).map_err(|_| {
        let digit =
            |&byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte) || byte.is_ascii_whitespace();
        text.iter().position(|byte| !digit(byte)).unwrap_or(0)
    })
}
