//! Texts of a file as data: for a terminal, an editor, a spreadsheet, whatever is in them, and however long they are.

use std::fmt::{self, Write as _};
use std::io;

/// A text from a file, a path or an error, with control characters, and those that change the direction or the look of others
/// without being visible, as escapes: no name forges a line or reaches the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Plain<T>(pub T);

impl<T: fmt::Display> fmt::Display for Plain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl fmt::Write for Escape<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let mut rest = text;
                while let Some((at, char)) = rest.char_indices().find(|&(_, char)| is_odd(char)) {
                    self.0.write_str(&rest[..at])?;
                    match char {
                        '\n' => self.0.write_str("\\n")?,
                        '\t' => self.0.write_str("\\t")?,
                        '\r' => self.0.write_str("\\r")?,
                        _ => write!(self.0, "\\u{{{:x}}}", u32::from(char))?,
                    }
                    rest = &rest[at + char.len_utf8()..];
                }
                self.0.write_str(rest)
            }
        }
        write!(Escape(f), "{}", self.0)
    }
}

/// Marks that reorder or hide what follows are as dangerous as escapes.
fn is_odd(char: char) -> bool {
    let is_invisible = matches!(char, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    is_invisible || char.is_control()
}

/// Maximum bytes of a path and of a sentence in errors, losses and findings.
const MAX_TEXT: usize = 600;

/// A path or a sentence, or its beginning.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

/// The first characters of a text.
pub fn shorten(text: &str, max: usize) -> String {
    // If there are no more bytes than that, the characters need not be counted.
    let end = if text.len() > max { text.char_indices().nth(max) } else { None };
    match end {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// JSON in which such characters are written by their numbers: except for line breaks, they occur in its strings alone.
pub fn json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for char in json.chars() {
        match is_odd(char) && char != '\n' {
            true => {
                let mut units = [0; 2];
                char.encode_utf16(&mut units).iter().for_each(|unit| text += &format!("\\u{unit:04x}"));
            }
            false => text.push(char),
        }
    }
    text
}

/// A cell of CSV that no spreadsheet takes for a formula, with such characters as escapes.
pub fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    format!("{}{}", if is_formula { "'" } else { "" }, Plain(text))
}

/// Writes JSON as [`json`] has it, piece by piece.
#[derive(Debug)]
pub struct JsonOut<W>(pub W);

impl<W: io::Write> io::Write for JsonOut<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The pieces of JSON are whole characters.
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains(is_odd) => self.0.write_all(bytes)?,
            Ok(text) => self.0.write_all(json(text).as_bytes())?,
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
