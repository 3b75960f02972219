//! Writes XML like the viewer, but with all digits of reals and dates.

use crate::consts::Header;
use crate::model::{Run, Scalar};
use crate::options::{Controls, WriteOptions};
use crate::text::out::{Indent, Out};
use crate::text::{base, date, number, uuid};
use geom::wire::ErrorKind;

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    indent: Option<Indent>,
    words: bool,
    controls: Controls,
    /// The bytes to write after the value.
    end: &'static [u8],
    /// The number of open containers, including `<llsd>`.
    depth: usize,
    /// Whether the innermost container has just begun.
    fresh: bool,
    python: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>, options: &WriteOptions) -> Self {
        let python = options.header == Header::Python;
        let mut out = Out::new(out);
        out.all(b"<llsd>");
        let words = options.words || python;
        let indent = options.indent.then(Indent::default);
        let end: &[u8] = match (options.indent, python) {
            (false, false) => b"</llsd>\n",
            (false, true) => b"</llsd>",
            (true, false) => b"\n</llsd>\n",
            (true, true) => b"\n</llsd>",
        };
        Self { out, indent, words, controls: options.controls, end, depth: 1, fresh: false, python }
    }

    /// For a value inside an existing document.
    pub(crate) fn part(indent: Option<Indent>, words: bool) -> Self {
        let (out, controls) = (Out::new(Vec::new()), Controls::Refuse);
        Self { out, indent, words, controls, end: b"", depth: 0, fresh: false, python: false }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.out.slice(self.end);
        self.out.finish()
    }

    /// Begins a new line before a value or a key.
    #[inline]
    fn before(&mut self) {
        self.line();
        self.fresh = false;
    }

    #[inline]
    fn line(&mut self) {
        if let Some(indent) = &self.indent {
            self.out.line(indent, self.depth);
        }
    }

    #[inline]
    fn element<const N: usize, const M: usize>(
        &mut self,
        open: &[u8; N],
        text: &[u8],
        close: &[u8; M],
    ) -> Result<(), ErrorKind> {
        self.out.all(open);
        if text.is_empty() && open != b"<key>".as_slice() {
            self.out.pop();
            self.out.all(b" />");
            return Ok(());
        }
        escape(text, self.controls, &mut self.out)?;
        self.out.all(close);
        Ok(())
    }
}

/// Whether a byte is written as it is.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "at compile time")]
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x80 {
        plain[byte] = !matches!(byte as u8, b'<' | b'>' | b'&' | b'\'' | b'"');
        byte += 1;
    }
    plain[0x09] = true;
    plain[0x0a] = true;
    plain
};

#[inline]
#[allow(clippy::indexing_slicing, reason = "an entry for each value of a byte")]
fn is_plain(byte: u8) -> bool {
    PLAIN[usize::from(byte)]
}

#[inline(always)]
fn escape(text: &[u8], controls: Controls, out: &mut Out) -> Result<(), ErrorKind> {
    match text.iter().position(|&byte| !is_plain(byte)) {
        None => {
            out.few(text);
            Ok(())
        }
        Some(_) => escape_odd(text, controls, out),
    }
}

fn escape_odd(text: &[u8], controls: Controls, out: &mut Out) -> Result<(), ErrorKind> {
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.bytes().position(|byte| !is_plain(byte) && byte < 0x80 || byte == 0xef) {
            let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.slice(plain.as_bytes());
            let mut chars = tail.chars();
            match chars.next() {
                Some('<') => out.slice(b"&lt;"),
                Some('>') => out.slice(b"&gt;"),
                Some('&') => out.slice(b"&amp;"),
                Some('\'') => out.slice(b"&apos;"),
                Some('"') => out.slice(b"&quot;"),
                // A reader would turn a plain carriage return into a line feed.
                Some('\r') => out.slice(b"&#13;"),
                Some(c @ ('\0'..='\x1f' | '\u{fffe}' | '\u{ffff}')) => {
                    refuse(controls, || {
                        format!("the character U+{:04X} in XML (use binary or notation)", u32::from(c))
                    })?;
                }
                Some(c) => out.slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => break,
            }
            rest = chars.as_str();
        }
        out.slice(rest.as_bytes());
        if !chunk.invalid().is_empty() {
            refuse(controls, || "bytes that are not UTF-8 in XML (use binary or notation)".into())?;
        }
    }
    Ok(())
}

fn refuse(controls: Controls, what: impl FnOnce() -> String) -> Result<(), ErrorKind> {
    match controls {
        Controls::Refuse => Err(ErrorKind::Unwritable(what().into())),
        Controls::Drop => Ok(()),
    }
}

impl crate::wire::events::Sink for Sink {
    #[inline(always)]
    fn scalar(&mut self, scalar: &Scalar<'_>) -> Result<(), ErrorKind> {
        if !matches!(scalar, Scalar::String(_)) {
            self.before();
        }
        match scalar {
            Scalar::Undef => self.out.all(b"<undef />"),
            Scalar::Boolean(value) => self.out.slice(match (value, self.words) {
                (true, false) => b"<boolean>1</boolean>".as_slice(),
                (false, false) => b"<boolean>0</boolean>",
                (true, true) => b"<boolean>true</boolean>",
                (false, true) => b"<boolean>false</boolean>",
            }),
            Scalar::Integer(value) => {
                self.out.all(b"<integer>");
                number::write_integer(*value, &mut self.out);
                self.out.all(b"</integer>");
            }
            Scalar::Real(value) => {
                self.out.all(b"<real>");
                number::write_real(*value, &mut self.out);
                self.out.all(b"</real>");
            }
            Scalar::Uuid(value) if value.is_null() => self.out.all(b"<uuid />"),
            Scalar::Uuid(value) => {
                self.out.all(b"<uuid>");
                self.out.piece(36, |space| uuid::format(value.0, space));
                self.out.all(b"</uuid>");
            }
            Scalar::Date(value) => {
                self.out.all(b"<date>");
                if !self.out.vec(|out| date::write(value.0, out)) {
                    let what =
                        format!("a date {:e} seconds from 1970 as text (use the binary encoding)", value.0);
                    return Err(ErrorKind::Unwritable(what.into()));
                }
                self.out.all(b"</date>");
            }
            Scalar::String(text) => return self.text(Run::Any(text), false),
            Scalar::Uri(text) => self.element(b"<uri>", text, b"</uri>")?,
            Scalar::Binary(bytes) if bytes.is_empty() => self.out.all(b"<binary />"),
            Scalar::Binary(bytes) => {
                self.out.slice(if self.python { b"<binary>" } else { b"<binary encoding=\"base64\">" });
                self.out.vec(|out| base::encode64(bytes, out));
                self.out.all(b"</binary>");
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn text(&mut self, text: Run<'_>, key: bool) -> Result<(), ErrorKind> {
        self.before();
        match key {
            true => self.element(b"<key>", text.bytes(), b"</key>"),
            false => self.element(b"<string>", text.bytes(), b"</string>"),
        }
    }

    #[inline]
    fn start(&mut self, map: bool, _: Option<usize>) -> Result<(), ErrorKind> {
        self.before();
        match map {
            true => self.out.all(b"<map>"),
            false => self.out.all(b"<array>"),
        }
        self.depth = self.depth.saturating_add(1);
        self.fresh = true;
        Ok(())
    }

    #[inline]
    fn end(&mut self, map: bool) -> Result<(), ErrorKind> {
        self.depth = self.depth.saturating_sub(1);
        if self.fresh {
            // `<map>` becomes `<map />`.
            self.out.pop();
            self.out.all(b" />");
        } else {
            self.line();
            self.out.slice(if map { b"</map>" } else { b"</array>" });
        }
        self.fresh = false;
        Ok(())
    }
}
