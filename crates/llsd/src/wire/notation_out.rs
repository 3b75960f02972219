//! Notation, written: as the viewer writes it, but with all digits of reals and dates.

use crate::error::ErrorKind;
use crate::event::Event;
use crate::model::Text;
use crate::options::WriteOptions;
use crate::text::out::Out;
use crate::text::{base, date, number, uuid};

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    indent: bool,
    words: bool,
    /// How many containers are open.
    depth: usize,
    /// Whether a value stands before in the same container.
    behind: bool,
    after_key: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>, options: &WriteOptions) -> Self {
        let (indent, words) = (options.indent, options.words);
        Self { out: Out::new(out), indent, words, depth: 0, behind: false, after_key: false }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.indent {
            self.out.byte(b'\n');
        }
        self.out.finish()
    }

    /// What stands before a value or a key: a comma, a new line.
    #[inline(always)]
    fn lead(&mut self) {
        if self.after_key {
            self.after_key = false;
            return;
        }
        self.out.byte_if(self.behind, b',');
        if self.indent && self.depth > 0 {
            self.line();
        }
    }

    fn line(&mut self) {
        self.out.byte(b'\n');
        self.out.repeat(b' ', self.depth.saturating_mul(2));
    }

    fn begin(&mut self, open: u8) {
        self.out.byte(open);
        self.depth = self.depth.saturating_add(1);
        self.behind = false;
    }

    fn end(&mut self, close: u8) {
        self.depth = self.depth.saturating_sub(1);
        if self.indent && self.behind {
            self.line();
        }
        self.out.byte(close);
    }

    /// A string between quotes. Everything but printable ASCII is escaped, as the viewer does.
    #[inline(always)]
    fn quoted(&mut self, quote: u8, text: &[u8]) {
        self.out.byte(quote);
        let plain = |byte: u8| is_plain(byte) && byte != quote;
        let mut rest = text;
        while let Some(end) = rest.iter().position(|&byte| !plain(byte)) {
            let (before, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.out.slice(before);
            let Some((byte, behind)) = behind.split_first() else { break };
            escape(*byte, &mut self.out);
            rest = behind;
        }
        self.out.few(rest);
        self.out.byte(quote);
    }
}

/// Whether a byte is printable ASCII and no backslash.
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
#[allow(clippy::indexing_slicing, reason = "as many entries as a byte has values")]
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
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
            out.slice(&[b'\\', b'x', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.slice(&[b'\\', letter]);
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Not 0 where a byte is to be escaped: eight at a time.
#[inline(always)]
fn odd(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let is = |byte: u64| zero(word ^ ONES.wrapping_mul(byte));
    let below_space = word.wrapping_sub(ONES.wrapping_mul(0x20)) & !word & HIGH;
    (word & HIGH) | below_space | is(0x7f) | is(0x27) | is(0x5c)
}

impl Sink {
    /// A string between apostrophes; a short one of plain characters in one piece.
    #[inline(always)]
    fn text<const N: usize>(&mut self, text: &Text, behind: &[u8; N]) {
        if let Some((bytes, len)) = text.padded() {
            let word = |at: usize| {
                let chunk = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<8>());
                u64::from_le_bytes(chunk.copied().unwrap_or_default())
            };
            // The zeros behind the text are made spaces. The last words overlap.
            let spaces = |from: usize| {
                let used = u32::try_from(len.saturating_sub(from)).unwrap_or(0).saturating_mul(8);
                ONES.wrapping_mul(0x20).unbounded_shl(used)
            };
            if odd(word(0) | spaces(0)) | odd(word(8) | spaces(8)) | odd(word(14) | spaces(14)) == 0 {
                self.out.piece::<23>(len.saturating_add(1), |room| {
                    let [quote, body @ ..] = room;
                    *quote = b'\'';
                    *body = *bytes;
                });
                self.out.all(behind);
                return;
            }
        }
        self.quoted(b'\'', text.as_bytes());
        self.out.pop();
        self.out.all(behind);
    }
}

impl super::Sink for Sink {
    #[inline(always)]
    fn key(&mut self, key: &Text) -> Result<(), ErrorKind> {
        self.lead();
        self.text(key, b"':");
        self.after_key = true;
        Ok(())
    }

    #[inline(always)]
    fn string(&mut self, text: &Text) -> Result<(), ErrorKind> {
        self.lead();
        self.text(text, b"'");
        self.behind = true;
        Ok(())
    }

    #[inline(always)]
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        match event {
            Event::EndArray => self.end(b']'),
            Event::EndMap => self.end(b'}'),
            event => {
                self.lead();
                self.begun(event)?;
            }
        }
        match event {
            Event::Key(_) => self.after_key = true,
            Event::StartArray(_) | Event::StartMap(_) => {}
            _ => self.behind = true,
        }
        Ok(())
    }
}

impl Sink {
    #[inline(always)]
    fn begun(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        let out = &mut self.out;
        match event {
            Event::Undef => out.byte(b'!'),
            Event::Boolean(value) => match (value, self.words) {
                (value, false) => out.byte(b'0'.wrapping_add(u8::from(*value))),
                (true, true) => out.all(b"true"),
                (false, true) => out.all(b"false"),
            },
            Event::Integer(value) => {
                out.byte(b'i');
                number::write_integer(*value, out);
            }
            Event::Real(value) => {
                out.byte(b'r');
                number::write_real(*value, out);
            }
            Event::Uuid(value) => {
                out.byte(b'u');
                out.piece(36, |room| uuid::format(value.0, room));
            }
            Event::Date(value) => {
                out.slice(b"d\"");
                if !out.vec(|out| date::write(value.0, out)) {
                    return Err(ErrorKind::Unwritable(
                        format!("a date of {:e} seconds as text", value.0).into(),
                    ));
                }
                out.byte(b'"');
            }
            Event::Binary(bytes) => {
                out.slice(b"b64\"");
                out.vec(|out| base::encode64(bytes, out));
                out.byte(b'"');
            }
            Event::String(text) => self.quoted(b'\'', text),
            Event::Uri(text) => {
                self.out.byte(b'l');
                self.quoted(b'"', text);
            }
            Event::Key(key) => {
                self.quoted(b'\'', key);
                self.out.byte(b':');
            }
            Event::StartArray(_) => self.begin(b'['),
            Event::StartMap(_) => self.begin(b'{'),
            Event::EndArray | Event::EndMap => {}
        }
        Ok(())
    }
}
