//! Writes notation like the viewer, but with all digits of reals and dates.

use bstr::ByteSlice;

use crate::model::{Date, Run, Scalar};
use crate::options::WriteOptions;
use crate::text::out::{Indent, Out};
use crate::text::{base, date, number, uuid};
use geom::wire::ErrorKind;

/// The style of the written notation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Style {
    /// The indentation, with one entry per line; `None` for one line.
    pub(crate) indent: Option<Indent>,
    /// Whether booleans are `true` and `false` instead of `1` and `0`.
    pub(crate) words: bool,
    /// Whether the text is for people: UTF-8 is not escaped, bytes are in base16, and dates without a text are seconds.
    pub(crate) readable: bool,
}

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    style: Style,
    /// The bytes to write after the value.
    end: &'static [u8],
    /// Whether white space is written before values.
    spaced: bool,
    /// The number of open containers.
    depth: usize,
    /// Whether a value was written before in the same container.
    after_value: bool,
    after_key: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>, options: &WriteOptions) -> Self {
        let indent = options.indent.then(Indent::default);
        let end: &[u8] = if options.indent { b"\n" } else { b"" };
        Self { end, ..Self::styled(out, Style { indent, words: options.words, readable: false }) }
    }

    /// For a value inside a document or a text.
    pub(crate) fn styled(out: Vec<u8>, style: Style) -> Self {
        let spaced = style.indent.is_some() || style.readable;
        Self { out: Out::new(out), style, end: b"", spaced, depth: 0, after_value: false, after_key: false }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.out.slice(self.end);
        self.out.finish()
    }

    #[cold]
    fn space(&mut self) {
        match &self.style.indent {
            None => self.out.byte_if(self.after_value, b' '),
            Some(indent) if self.depth > 0 => self.out.line(indent, self.depth),
            Some(_) => {}
        }
    }

    /// Writes a string between two quotes. All bytes except printable ASCII are escaped, as in the viewer.
    fn quoted(&mut self, quote: u8, text: &[u8]) {
        self.out.byte(quote);
        if self.style.readable {
            self.readable(quote, text);
            return;
        }
        let plain = |byte: u8| is_plain(byte) && byte != quote;
        let mut rest = text;
        while let Some(end) = rest.iter().position(|&byte| !plain(byte)) {
            let (before, tail) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.out.slice(before);
            let Some((byte, tail)) = tail.split_first() else { break };
            escape(*byte, &mut self.out);
            rest = tail;
        }
        self.out.few(rest);
    }

    /// Writes a string after its opening quote; escapes only control characters, quotes, backslashes and invalid UTF-8.
    fn readable(&mut self, quote: u8, text: &[u8]) {
        for (start, end, c) in text.char_indices() {
            let bytes = text.get(start..end).unwrap_or_default();
            // The iterator returns this character for bytes that are not UTF-8.
            if c.is_control() || c == char::REPLACEMENT_CHARACTER || c == '\\' || c == char::from(quote) {
                bytes.iter().for_each(|byte| escape(*byte, &mut self.out));
            } else {
                self.out.slice(bytes);
            }
        }
    }
}

/// Whether a byte is printable ASCII other than a backslash.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "at compile time")]
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        plain[byte] = byte as u8 != b'\\';
        byte += 1;
    }
    plain
};

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
fn is_plain(byte: u8) -> bool {
    PLAIN[usize::from(byte)]
}

#[cold]
fn escape(byte: u8, out: &mut Out) {
    let letter = match byte {
        7 => b'a',
        8 => b'b',
        12 => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        11 => b'v',
        b' '..=b'~' => byte,
        _ => {
            out.slice(b"\\x");
            out.slice(&hex(byte));
            return;
        }
    };
    out.slice(&[b'\\', letter]);
}

/// The two digits of a byte.
fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| value.wrapping_add(if value < 10 { b'0' } else { b'a' - 10 });
    [digit(byte >> 4), digit(byte & 15)]
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Not 0 if a byte of a word must be escaped. `at` is the offset of the word in a text of `len` bytes; zeros after the
/// text are ignored.
#[inline(always)]
fn odd(word: u64, len: usize, at: usize) -> u64 {
    let used = u32::try_from(len.saturating_sub(at)).unwrap_or(0).saturating_mul(8);
    let word = word | ONES.wrapping_mul(0x20).unbounded_shl(used);
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let is = |byte: u64| zero(word ^ ONES.wrapping_mul(byte));
    let below_space = word.wrapping_sub(ONES.wrapping_mul(0x20)) & !word & HIGH;
    (word & HIGH) | below_space | is(0x7f) | is(0x27) | is(0x5c)
}

impl Sink {
    /// Writes a comma and a new line before a value or a key, if needed.
    #[inline]
    fn before(&mut self, key: bool) {
        if !std::mem::replace(&mut self.after_key, key) {
            self.out.byte_if(self.after_value, b',');
            if self.spaced {
                self.space();
            }
        }
        self.after_value |= !key;
    }

    fn date(&mut self, value: Date) -> Result<(), ErrorKind> {
        self.out.slice(b"d\"");
        if !self.out.vec(|out| date::write(value.0, out)) {
            if !self.style.readable {
                return Err(ErrorKind::Unwritable(
                    format!("a date {:e} seconds from 1970 as text (use the binary encoding)", value.0)
                        .into(),
                ));
            }
            self.out.slice(value.to_string().as_bytes());
        }
        self.out.byte(b'"');
        Ok(())
    }
}

impl crate::wire::events::Sink for Sink {
    #[inline(always)]
    fn scalar(&mut self, scalar: &Scalar<'_>) -> Result<(), ErrorKind> {
        if !matches!(scalar, Scalar::String(_)) {
            self.before(false);
        }
        match scalar {
            Scalar::String(text) => return self.text(Run::Any(text), false),
            Scalar::Undef => self.out.byte(b'!'),
            Scalar::Boolean(value) => match (value, self.style.words) {
                (value, false) => self.out.byte(b'0'.wrapping_add(u8::from(*value))),
                (true, true) => self.out.all(b"true"),
                (false, true) => self.out.all(b"false"),
            },
            Scalar::Integer(value) => {
                self.out.byte(b'i');
                number::write_integer(*value, &mut self.out);
            }
            Scalar::Real(value) => {
                self.out.byte(b'r');
                number::write_real(*value, &mut self.out);
            }
            Scalar::Uuid(value) => {
                self.out.byte(b'u');
                self.out.piece(36, |space| uuid::format(value.0, space));
            }
            Scalar::Date(value) => return self.date(*value),
            Scalar::Uri(text) => {
                self.out.byte(b'l');
                self.quoted(b'"', text);
                self.out.byte(b'"');
            }
            Scalar::Binary(bytes) => {
                if self.style.readable {
                    self.out.slice(b"b16\"");
                    bytes.iter().for_each(|byte| self.out.slice(&hex(*byte)));
                } else {
                    self.out.slice(b"b64\"");
                    self.out.vec(|out| base::encode64(bytes, out));
                }
                self.out.byte(b'"');
            }
        }
        Ok(())
    }

    /// Writes a string between apostrophes; a short one without escapes is written in one piece.
    #[inline(always)]
    fn text(&mut self, text: Run<'_>, key: bool) -> Result<(), ErrorKind> {
        self.before(key);
        let len = text.bytes().len();
        match text.words() {
            Some(words @ [a, b, c]) if odd(a, len, 0) | odd(b, len, 8) | odd(c, len, 16) == 0 => {
                self.out.short(b"'", len, words);
            }
            _ => self.quoted(b'\'', text.bytes()),
        }
        match key {
            true => self.out.all(b"':"),
            false => self.out.byte(b'\''),
        }
        Ok(())
    }

    #[inline]
    fn start(&mut self, map: bool, _: Option<usize>) -> Result<(), ErrorKind> {
        self.before(false);
        self.out.byte(if map { b'{' } else { b'[' });
        self.depth = self.depth.saturating_add(1);
        self.after_value = false;
        Ok(())
    }

    #[inline]
    fn end(&mut self, map: bool) -> Result<(), ErrorKind> {
        self.depth = self.depth.saturating_sub(1);
        if let Some(indent) = self.style.indent.as_ref().filter(|_| self.after_value) {
            self.out.line(indent, self.depth);
        }
        self.out.byte(if map { b'}' } else { b']' });
        self.after_value = true;
        Ok(())
    }
}
