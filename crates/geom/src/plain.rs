//! Makes texts from files safe to print in a terminal, an editor or a spreadsheet, limits their length, and removes
//! byte order marks.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io;

/// The bytes without the byte order mark with which some programs begin UTF-8 text.
pub fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Displays a text from a file, a path or an error with escapes for control characters and for invisible characters
/// that change others, so that no text can forge a line of output or control the terminal.
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

/// The path that [`Plain`] displays as `shown`. In a path, `\` escapes the next character.
pub fn unescaped(shown: &str) -> Cow<'_, str> {
    if !shown.contains('\\') {
        return shown.into();
    }
    let (mut path, mut rest) = (String::with_capacity(shown.len()), shown);
    while let Some((before, escape)) = rest.split_once('\\') {
        path += before;
        let end = escape.find('}').map_or(0, |at| at + 1);
        let coded = || {
            let code = escape.get(..end)?.strip_prefix("u{")?.strip_suffix('}')?;
            Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, end))
        };
        let char = match escape.as_bytes().first() {
            Some(b'n') => Some(('\n', 1)),
            Some(b't') => Some(('\t', 1)),
            Some(b'r') => Some(('\r', 1)),
            _ => coded(),
        };
        let length = if let Some((char, length)) = char {
            path.push(char);
            length
        } else {
            path.push('\\');
            path.extend(escape.chars().next());
            escape.chars().next().map_or(0, char::len_utf8)
        };
        rest = &escape[length..];
    }
    (path + rest).into()
}

/// Whether a character is a control character, or an invisible one that can reorder or hide others.
fn is_odd(char: char) -> bool {
    let is_invisible = matches!(char, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    is_invisible || char.is_control()
}

/// A text of at most `max` characters, or its first `max` characters and an ellipsis.
pub fn shorten(text: &str, max: usize) -> String {
    // A text of at most `max` bytes has at most `max` characters, so counting is not needed.
    let end = if text.len() > max { text.char_indices().nth(max) } else { None };
    match end {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// JSON with `\u` escapes for the characters that [`Plain`] escapes. Except line breaks, they occur only in strings.
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

/// A CSV cell that no spreadsheet takes for a formula, escaped like [`Plain`] except for line breaks and tabs, which a cell
/// can have.
///
/// ```
/// use geom::plain::csv_cell;
///
/// assert_eq!(csv_cell("=1+1"), "'=1+1");
/// assert_eq!(csv_cell("-6, 0.5"), "-6, 0.5");
/// assert_eq!(csv_cell("a\tb\u{7}"), "a\tb\\u{7}");
/// ```
pub fn csv_cell(text: &str) -> String {
    let is_numbers = || text.split(", ").all(|part| part.parse::<f64>().is_ok());
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_numbers();
    let mut cell = if is_formula { "'".to_owned() } else { String::new() };
    for line in text.split_inclusive(['\n', '\t']) {
        let end = ["\r\n", "\n", "\t"].into_iter().find(|end| line.ends_with(end)).unwrap_or_default();
        cell += &Plain(&line[..line.len() - end.len()]).to_string();
        cell += end;
    }
    cell
}

/// A writer that escapes the JSON written to it like [`json`].
#[derive(Debug)]
pub struct JsonOut<W>(pub W);

impl<W: io::Write> io::Write for JsonOut<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // serde_json writes whole characters.
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
