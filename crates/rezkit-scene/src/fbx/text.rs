//! The text form of the records.

use rezkit_core::{Budget, Error, Result};

use super::tree::{Record, Value};

const DEPTH: usize = 64;
const WHAT: &str = "the records of the file";

/// Reads a file in the text form; returns its version and the record at the top.
///
/// # Errors
/// If the file is damaged, with the line, or needs more memory than the budget allows.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<(u32, Record)> {
    // A number takes more memory than its text.
    budget.take(bytes.len() as u64 * 8, WHAT)?;
    let mut lexer = Lexer { bytes, at: 0 };
    let mut top = Record::default();
    lexer.records(&mut top, 0)?;
    let version = top.child("FBXHeaderExtension").and_then(|header| header.value("FBXVersion")?.int());
    match version.and_then(|version| u32::try_from(version).ok()) {
        Some(version) if (6000..=7900).contains(&version) => Ok((version, top)),
        version => {
            let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
            let what = format!("expected an FBX file of version 6.0 to 7.9, found version number {found}");
            Err(Error::unreadable(what))
        }
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    fn fail(&self, what: &str) -> Error {
        let line = 1 + memchr::memchr_iter(b'\n', &self.bytes[..self.at.min(self.bytes.len())]).count();
        Error::unreadable(format!("line {line}: {what} at offset {:#x}", self.at))
    }

    /// The next byte that is not space or part of a comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' | 0 => self.at += 1,
                b';' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                byte => return Some(byte),
            }
        }
    }

    /// Whether the next token is this byte, which is consumed.
    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",:{}\";*".contains(byte);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn records(&mut self, above: &mut Record, depth: usize) -> Result<()> {
        if depth > DEPTH {
            return Err(self.fail("records that are nested too deeply"));
        }
        while let Some(byte) = self.peek() {
            if byte == b'}' {
                return Ok(());
            }
            let name = String::from_utf8_lossy(self.word()).into_owned();
            if name.is_empty() || !self.accept(b':') {
                return Err(self.fail("expected the name of a record and \":\""));
            }
            let mut record = Record { name, ..Record::default() };
            self.values(&mut record, depth)?;
            if self.accept(b'{') {
                self.records(&mut record, depth + 1)?;
                if !self.accept(b'}') {
                    return Err(self.fail("unexpected end of input"));
                }
            }
            above.children.push(record);
        }
        Ok(())
    }

    /// The values after the name of a record, separated by commas.
    fn values(&mut self, record: &mut Record, depth: usize) -> Result<()> {
        loop {
            match self.peek() {
                // An array: the number of its values, and the values in a record.
                Some(b'*') => {
                    self.at += 1;
                    self.word();
                    let mut inner = Record::default();
                    if self.accept(b'{') {
                        self.records(&mut inner, depth + 1)?;
                        if !self.accept(b'}') {
                            return Err(self.fail("unexpected end of input"));
                        }
                    }
                    let values =
                        inner.children.into_iter().next().map(|first| first.values).unwrap_or_default();
                    let is_whole = values.iter().all(|value| matches!(value, Value::Int(_)));
                    record.values.push(match is_whole {
                        true => Value::Ints(values.iter().filter_map(Value::int).collect()),
                        false => Value::Floats(values.iter().filter_map(Value::float).collect()),
                    });
                    return Ok(());
                }
                Some(b'"') => {
                    self.at += 1;
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    let length =
                        memchr::memchr(b'"', rest).ok_or_else(|| self.fail("a text without an end"))?;
                    self.at += length + 1;
                    record.values.push(Value::Text(plain(&rest[..length])));
                }
                Some(b'{' | b'}') | None => return Ok(()),
                // Before embedded files, there is an empty value.
                Some(b',') => {}
                Some(_) => {
                    let start = self.at;
                    let word = self.word();
                    // A record without values is followed by the name of the next one.
                    if record.values.is_empty() && self.peek() == Some(b':') {
                        self.at = start;
                        return Ok(());
                    }
                    record.values.push(self.number(word)?);
                }
            }
            if !self.accept(b',') {
                return Ok(());
            }
        }
    }

    fn number(&self, word: &[u8]) -> Result<Value> {
        let text = std::str::from_utf8(word).unwrap_or_default();
        if let Ok(whole) = text.parse() {
            return Ok(Value::Int(whole));
        }
        if let Ok(number) = text.parse() {
            return Ok(Value::Float(number));
        }
        match word {
            // Flags, and letters of kinds of keys.
            [letter] => Ok(Value::Text(vec![*letter])),
            [] => Err(self.fail("expected a value")),
            word => Ok(Value::Text(word.to_vec())),
        }
    }
}

/// A text with its entities replaced.
fn plain(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let replaced =
        [("&quot;", "\""), ("&lf;", "\n"), ("&cr;", "\r"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    replaced
        .iter()
        .fold(
            text.into_owned(),
            |text, (from, to)| if text.contains(from) { text.replace(from, to) } else { text },
        )
        .into_bytes()
}
