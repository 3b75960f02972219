//! Writing: whole values, and documents piece by piece.

use std::io::Write;

use crate::consts::Encoding;
use crate::model::{Event, Value};
use crate::options::WriteOptions;
use crate::wire::{self, Output};
use geom::wire::{Error, ErrorKind, Result};

impl WriteOptions {
    /// Returns the value as a document.
    ///
    /// # Errors
    /// `Unwritable`, with the path, for what the encoding cannot represent: characters that XML does
    /// not allow, dates outside the calendar in the two text encodings, and lengths of more than 31 bits.
    pub fn write(&self, value: &Value) -> Result<Vec<u8>> {
        wire::write(value, self)
    }

    /// Writes the value into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and if the writer fails.
    pub fn write_to(&self, mut writer: impl Write, value: &Value) -> Result<()> {
        Ok(writer.write_all(&self.write(value)?)?)
    }

    /// A writer that takes a document piece by piece.
    pub fn events(&self) -> Writer {
        Writer { output: Output::new(self), open: Vec::new(), state: State::Value }
    }
}

/// Writes a document piece by piece: the counterpart of [`crate::Reader`], whose events it takes.
///
/// ```
/// use llsd::{Encoding, Event, Header, Scalar, WriteOptions};
///
/// let mut writer = WriteOptions::new().encoding(Encoding::Notation).header(Header::None).events();
/// writer.event(&Event::StartArray(None))?;
/// writer.event(&Scalar::Boolean(true).into())?;
/// writer.event(&Event::EndArray)?;
/// assert_eq!(writer.finish()?, b"[1]");
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    output: Output,
    /// Whether each open container is a map.
    open: Vec<bool>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    /// In a map, before a key.
    Key,
    Over,
}

impl Writer {
    /// The encoding that is written.
    pub fn encoding(&self) -> Encoding {
        self.output.encoding()
    }

    /// Writes the next event. The counts of containers may be `None`.
    ///
    /// # Errors
    /// `Unwritable` for what the encoding cannot represent, and for events that do not form a document: a value
    /// without a key in a map, the end of a container that is not open, or a second value.
    pub fn event(&mut self, event: &Event<'_>) -> Result<()> {
        self.take(event).map_err(|kind| Error::new(kind, ""))
    }

    #[inline]
    pub(crate) fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        let state = match (event, self.state) {
            (Event::Key(_), State::Key) => State::Value,
            (Event::EndMap, State::Key) => {
                self.open.pop();
                self.after()
            }
            (Event::EndArray, State::Value) if self.open.last() == Some(&false) => {
                self.open.pop();
                self.after()
            }
            (Event::Key(_) | Event::EndMap | Event::EndArray, _) | (_, State::Key | State::Over) => {
                return Err(ErrorKind::Unwritable(misplaced(event, self.state).into()));
            }
            (Event::StartArray(_), State::Value) => {
                self.open.push(false);
                State::Value
            }
            (Event::StartMap(_), State::Value) => {
                self.open.push(true);
                State::Key
            }
            (_, State::Value) => self.after(),
        };
        self.output.take(event)?;
        self.state = state;
        Ok(())
    }

    /// What is expected after a complete value.
    fn after(&self) -> State {
        match self.open.last() {
            None => State::Over,
            Some(true) => State::Key,
            Some(false) => State::Value,
        }
    }

    /// Returns the document.
    ///
    /// # Errors
    /// `Unwritable` if the document is not complete.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self.state {
            State::Over => Ok(self.output.finish()),
            _ => Err(Error::unwritable(
                "",
                "an incomplete document: a value, or the end of an array or map, is missing",
            )),
        }
    }
}

fn misplaced(event: &Event<'_>, state: State) -> &'static str {
    match (event, state) {
        (_, State::Over) => "more than one value",
        (Event::Key(_), _) => "a key outside a map, or after another key",
        (Event::EndMap | Event::EndArray, _) => {
            "the end of an array or map that is not open, or whose last key has no value"
        }
        _ => "a value without a key in a map",
    }
}
