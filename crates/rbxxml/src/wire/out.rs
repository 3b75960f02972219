//! The output: lines, tags, and escaped text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bstr::ByteSlice as _;

use crate::consts::{INDENTED_DEPTH, NotXml};

/// The maximum indentation of a line, in levels. Lines of a value are deeper than the line of their instance.
const LEVELS: usize = INDENTED_DEPTH + 4;

/// The length of a line of base64.
const COLUMN: usize = 72;

/// The document being written.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) bytes: Vec<u8>,
    /// A line end, followed by the deepest indentation.
    pad: Vec<u8>,
    newline_len: usize,
    unit: usize,
    /// Whether line ends in texts are CR LF, too.
    crlf: bool,
    /// The first character that XML cannot represent, since `take_illegal` was last called.
    illegal: Option<NotXml>,
}

impl Out {
    /// Creates an empty output with the given line end and indentation.
    pub(crate) fn new(newline: &[u8], indent: &[u8]) -> Self {
        let mut pad = newline.to_vec();
        (0..LEVELS).for_each(|_| pad.extend_from_slice(indent));
        Self {
            bytes: Vec::new(),
            pad,
            newline_len: newline.len(),
            unit: indent.len(),
            crlf: newline == b"\r\n",
            illegal: None,
        }
    }

    pub(crate) fn take_illegal(&mut self) -> Option<NotXml> {
        self.illegal.take()
    }

    /// Writes text that needs no escaping.
    #[inline]
    pub(crate) fn raw(&mut self, text: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(text.as_ref());
    }

    /// The depth of an element's children. It cannot overflow, since levels are those of a document in memory.
    pub(crate) const fn inner(depth: usize) -> usize {
        depth.saturating_add(1)
    }

    /// Writes a line end, and the indentation of the next line.
    #[inline]
    pub(crate) fn line(&mut self, depth: usize) {
        let len = self.newline_len.saturating_add(self.unit.saturating_mul(depth));
        self.bytes.extend_from_slice(self.pad.get(..len).unwrap_or(&self.pad));
    }

    /// Whether everything is on one line.
    pub(crate) fn is_compact(&self) -> bool {
        self.newline_len == 0
    }

    /// Writes a start tag with one attribute, which is given up to its value: ` name="`.
    #[inline]
    pub(crate) fn open(&mut self, tag: &str, attribute: &str, value: &str) {
        self.bytes.push(b'<');
        self.raw(tag);
        self.raw(attribute);
        self.attribute(value);
        self.raw(b"\">");
    }

    /// Writes an end tag.
    #[inline]
    pub(crate) fn close(&mut self, tag: &str) {
        self.raw(b"</");
        self.raw(tag);
        self.bytes.push(b'>');
    }

    /// Writes the value of an attribute, escaped.
    #[inline]
    pub(crate) fn attribute(&mut self, text: impl AsRef<[u8]>) {
        self.escaped(text.as_ref(), true);
    }

    /// Writes text between tags: escaped, or in a CDATA section if it is only white space, which other programs skip
    /// elsewhere.
    #[inline]
    pub(crate) fn text(&mut self, text: &[u8]) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        match !text.is_empty() && text.iter().all(is_space) {
            true => self.cdata(text),
            false => self.escaped(text, false),
        }
    }

    fn escaped(&mut self, mut text: &[u8], attribute: bool) {
        let table = if attribute { &IN_ATTRIBUTE } else { &IN_TEXT };
        let in_table = |&byte: &u8| table.get(usize::from(byte)).is_some_and(|&special| special);
        while let Some(at) = text.iter().position(in_table) {
            let (plain, rest) = text.split_at(at);
            self.raw(plain);
            let Some((&byte, after)) = rest.split_first() else { return };
            text = after;
            match byte {
                b'&' => self.raw(b"&amp;"),
                b'<' => self.raw(b"&lt;"),
                b'>' => self.raw(b"&gt;"),
                b'"' => self.raw(b"&quot;"),
                b'\'' => self.raw(b"&apos;"),
                b'\n' if !attribute => self.raw(self.newline()),
                b'\t' | b'\n' | b'\r' => self.reference(u32::from(byte)),
                0..0x20 => {
                    self.illegal.get_or_insert(NotXml::Character(u32::from(byte)));
                    self.reference(u32::from(byte));
                }
                _ => text = self.beyond_ascii(rest),
            }
        }
        self.raw(text);
    }

    fn reference(&mut self, character: u32) {
        self.raw(b"&#");
        super::format::unsigned(&mut self.bytes, u64::from(character));
        self.bytes.push(b';');
    }

    /// Writes a character of several bytes, or a byte that is not UTF-8; returns the rest of the text.
    #[cold]
    fn beyond_ascii<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let (character, len) = bstr::decode_utf8(text);
        // Invalid UTF-8 is written one byte at a time.
        let (bytes, rest) = text.split_at(if character.is_some() { len } else { 1 });
        match character {
            Some(character @ ('\u{fffe}' | '\u{ffff}')) => {
                self.illegal.get_or_insert(NotXml::Character(character.into()));
                self.reference(character.into());
            }
            Some(_) => self.raw(bytes),
            None => {
                bytes.first().map(|&byte| self.illegal.get_or_insert(NotXml::Byte(byte)));
                self.raw(bytes);
            }
        }
        rest
    }

    /// Writes text in a CDATA section, or escaped if it is empty or such a section cannot contain it.
    pub(crate) fn cdata(&mut self, text: &[u8]) {
        let fits = |&byte: &u8| byte >= 0x20 || byte == b'\n' || byte == b'\t';
        if text.is_empty() || !text.iter().all(fits) || NotXml::find(text).is_some() {
            return self.text(text);
        }
        self.raw(b"<![CDATA[");
        let mut rest = text;
        while let Some(at) = rest.find(b"]]>") {
            // The text has `]]>`: the section is ended, and a new one begun, between `]]` and `>`.
            let (piece, after) = rest.split_at(at.saturating_add(2));
            self.lines(piece);
            self.raw(b"]]><![CDATA[");
            rest = after;
        }
        self.lines(rest);
        self.raw(b"]]>");
    }

    /// Writes text with the line ends of the document.
    fn lines(&mut self, text: &[u8]) {
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if index > 0 {
                self.raw(self.newline());
            }
            self.raw(line);
        }
    }

    /// The line end in texts.
    fn newline(&self) -> &'static [u8] {
        if self.crlf { b"\r\n" } else { b"\n" }
    }

    /// Writes base64 in lines. If it is longer than a line and `section` is set, it is in a CDATA section.
    pub(crate) fn base64(&mut self, bytes: &[u8], section: bool) {
        const LINE: usize = COLUMN / 4 * 3;
        let section = section && bytes.len() > LINE;
        if section {
            self.raw(b"<![CDATA[");
        }
        let newline = self.newline();
        let lines = bytes.len().div_ceil(LINE);
        self.bytes.reserve(lines.saturating_mul(COLUMN.saturating_add(newline.len())));
        let mut line = [0; COLUMN];
        for (index, chunk) in bytes.chunks(LINE).enumerate() {
            if index > 0 {
                self.raw(newline);
            }
            // 54 bytes become a line.
            let len = STANDARD.encode_slice(chunk, &mut line).unwrap_or_default();
            self.raw(line.get(..len).unwrap_or_default());
        }
        if section {
            self.raw(b"]]>");
        }
    }
}

const IN_TEXT: [bool; 256] = specials(false);
const IN_ATTRIBUTE: [bool; 256] = specials(true);

/// Marks the bytes that need special treatment: those that are escaped, line feeds, and bytes of characters that may
/// not be UTF-8 or may not be allowed.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
#[allow(clippy::cast_possible_truncation, reason = "256 bytes")]
const fn specials(attribute: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'\t' => attribute,
            0..0x20 | 0x80.. | b'&' | b'<' | b'>' | b'"' | b'\'' => true,
            _ => false,
        };
        byte += 1;
    }
    table
}

/// Decodes base64; white space and missing padding do not matter. `None` if it is malformed.
pub(crate) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    use base64::alphabet;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    const TOLERANT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let mut digits = Vec::with_capacity(text.len());
    for piece in text.split(u8::is_ascii_whitespace) {
        digits.extend_from_slice(piece);
    }
    TOLERANT.decode(&digits).ok()
}
