//! Values as a person reads them: as notation, indented, with the text as it is.

use std::fmt::{self, Write as _};

use bstr::ByteSlice;

use crate::event::Event;
use crate::model::walk::Walk;
use crate::model::{Array, Map, Value};
use crate::text::number;
use crate::text::out::Out;

/// So many values are shown by `Debug`, and so many bytes of each.
const SHOWN: usize = 400;

/// Notation on one line; with `{:#}` indented, an entry on each line. Text in UTF-8 stands as it is,
/// and the result is notation that reads as the same value, but for dates that have no text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate();
        write(Walk::new(self), f, indent, usize::MAX)
    }
}

/// As `Display`, but long values are cut short: a log wants no megabytes.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate();
        write(Walk::new(self), f, indent, SHOWN)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value)| (key, value))).finish()
    }
}

fn write(walk: Walk<'_>, f: &mut fmt::Formatter<'_>, indent: bool, shown: usize) -> fmt::Result {
    let (mut depth, mut behind, mut after_key) = (0_usize, false, false);
    let line = |f: &mut fmt::Formatter<'_>, depth: usize| match indent {
        // The depth of a hostile document is no width.
        true => write!(f, "\n{:1$}", "", (depth * 2).min(200)),
        false => Ok(()),
    };
    for (count, event) in walk.enumerate() {
        if count >= shown {
            return f.write_str(" …");
        }
        if let Event::EndArray | Event::EndMap = event {
            depth = depth.saturating_sub(1);
            if behind {
                line(f, depth)?;
            }
            f.write_char(if event == Event::EndMap { '}' } else { ']' })?;
            behind = true;
            continue;
        }
        if after_key {
            after_key = false;
        } else {
            if behind {
                f.write_char(',')?;
                if !indent {
                    f.write_char(' ')?;
                }
            }
            if depth > 0 {
                line(f, depth)?;
            }
        }
        behind = true;
        match event {
            Event::Undef => f.write_char('!')?,
            Event::Boolean(value) => write!(f, "{value}")?,
            Event::Integer(value) => write!(f, "i{value}")?,
            Event::Real(value) => write!(f, "r{}", real(value))?,
            Event::Uuid(value) => write!(f, "u{value}")?,
            Event::String(text) => quoted(f, '\'', &text, shown)?,
            Event::Date(value) => write!(f, "d\"{value}\"")?,
            Event::Uri(text) => {
                f.write_char('l')?;
                quoted(f, '"', &text, shown)?;
            }
            Event::Binary(bytes) => {
                f.write_str("b16\"")?;
                bytes.iter().take(shown).try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str(if bytes.len() > shown { "…\"" } else { "\"" })?;
            }
            Event::Key(key) => {
                quoted(f, '\'', &key, shown)?;
                f.write_char(':')?;
                after_key = true;
            }
            Event::StartArray(_) | Event::StartMap(_) => {
                f.write_char(if matches!(event, Event::StartMap(_)) { '{' } else { '[' })?;
                depth += 1;
                behind = false;
            }
            Event::EndArray | Event::EndMap => {}
        }
    }
    Ok(())
}

fn real(value: f64) -> String {
    let mut text = Out::new(Vec::new());
    number::write_real(value, &mut text);
    String::from_utf8_lossy(&text.finish()).into_owned()
}

fn quoted(f: &mut fmt::Formatter<'_>, quote: char, text: &[u8], shown: usize) -> fmt::Result {
    f.write_char(quote)?;
    for (start, end, c) in text.char_indices() {
        if start >= shown {
            f.write_char('…')?;
            break;
        }
        match c {
            c if c == quote || c == '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            // What is no UTF-8 comes as this character.
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => {
                let bytes = text.get(start..end).unwrap_or_default();
                bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char(quote)
}
