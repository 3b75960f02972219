//! XML, written: as the viewer writes it, but with all digits of reals and dates.

use crate::consts::Header;
use crate::error::ErrorKind;
use crate::model::Event;
use crate::options::{Controls, WriteOptions};
use crate::text::out::Out;
use crate::text::{base, date, number, uuid};

/// Writes events.
#[derive(Debug)]
pub(crate) struct Sink {
    out: Out,
    indent: bool,
    words: bool,
    controls: Controls,
    newline: bool,
    /// How many containers are open.
    depth: usize,
    /// Whether the innermost container was just begun.
    fresh: bool,
    python: bool,
}

impl Sink {
    pub(crate) fn new(out: Vec<u8>, options: &WriteOptions) -> Self {
        let python = options.header == Header::Python;
        let mut out = Out::new(out);
        out.all(b"<llsd>");
        Self {
            out,
            indent: options.indent,
            words: options.words || python,
            controls: options.controls,
            newline: !python,
            depth: 0,
            fresh: false,
            python,
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.indent {
            self.out.byte(b'\n');
        }
        self.out.slice(b"</llsd>");
        if self.newline {
            self.out.byte(b'\n');
        }
        self.out.finish()
    }

    #[inline]
    fn line(&mut self) {
        if self.indent {
            self.out.line(self.depth.saturating_add(1));
        }
    }

    fn begin(&mut self, tag: &[u8]) {
        self.out.slice(tag);
        self.depth = self.depth.saturating_add(1);
        self.fresh = true;
    }

    fn end(&mut self, close: &[u8]) {
        self.depth = self.depth.saturating_sub(1);
        if self.fresh {
            // `<map>` becomes `<map />`.
            self.out.pop();
            self.out.slice(b" />");
        } else {
            self.line();
            self.out.slice(close);
        }
        self.fresh = false;
    }

    #[inline(always)]
    fn text(&mut self, open: &[u8], text: &[u8], close: &[u8]) -> Result<(), ErrorKind> {
        if text.is_empty() && open != b"<key>" {
            self.out.slice(open);
            self.out.pop();
            self.out.slice(b" />");
            return Ok(());
        }
        self.out.slice(open);
        escape(text, self.controls, &mut self.out)?;
        self.out.slice(close);
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
#[allow(clippy::indexing_slicing, reason = "as many entries as a byte has values")]
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
                // A reader would make a line feed of it.
                Some('\r') => out.slice(b"&#13;"),
                Some(c @ ('\0'..='\x1f' | '\u{fffe}' | '\u{ffff}')) => {
                    refuse(controls, || format!("the character U+{:04X} in XML", u32::from(c)))?;
                }
                Some(c) => out.slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => break,
            }
            rest = chars.as_str();
        }
        out.slice(rest.as_bytes());
        if !chunk.invalid().is_empty() {
            refuse(controls, || "bytes that are not UTF-8 in XML".into())?;
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
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        match event {
            Event::EndArray => {
                self.end(b"</array>");
                return Ok(());
            }
            Event::EndMap => {
                self.end(b"</map>");
                return Ok(());
            }
            _ => {}
        }
        self.line();
        self.fresh = false;
        let out = &mut self.out;
        match event {
            Event::Undef => out.slice(b"<undef />"),
            Event::Boolean(value) => out.slice(match (value, self.words) {
                (true, false) => b"<boolean>1</boolean>".as_slice(),
                (false, false) => b"<boolean>0</boolean>",
                (true, true) => b"<boolean>true</boolean>",
                (false, true) => b"<boolean>false</boolean>",
            }),
            Event::Integer(value) => {
                out.slice(b"<integer>");
                number::write_integer(*value, out);
                out.slice(b"</integer>");
            }
            Event::Real(value) => {
                out.slice(b"<real>");
                number::write_real(*value, out);
                out.slice(b"</real>");
            }
            Event::Uuid(value) if value.is_null() => out.slice(b"<uuid />"),
            Event::Uuid(value) => {
                out.slice(b"<uuid>");
                out.piece(36, |space| uuid::format(value.0, space));
                out.slice(b"</uuid>");
            }
            Event::Date(value) => {
                out.slice(b"<date>");
                if !out.vec(|out| date::write(value.0, out)) {
                    return Err(ErrorKind::Unwritable(
                        format!("a date of {:e} seconds as text", value.0).into(),
                    ));
                }
                out.slice(b"</date>");
            }
            Event::Binary(bytes) if bytes.is_empty() => out.slice(b"<binary />"),
            Event::Binary(bytes) => {
                out.slice(if self.python { b"<binary>" } else { b"<binary encoding=\"base64\">" });
                out.vec(|out| base::encode64(bytes, out));
                out.slice(b"</binary>");
            }
            Event::String(text) => self.text(b"<string>", text, b"</string>")?,
            Event::Uri(text) => self.text(b"<uri>", text, b"</uri>")?,
            Event::Key(key) => self.text(b"<key>", key, b"</key>")?,
            Event::StartArray(_) => self.begin(b"<array>"),
            Event::StartMap(_) => self.begin(b"<map>"),
            Event::EndArray | Event::EndMap => {}
        }
        Ok(())
    }
}
