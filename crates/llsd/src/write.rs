//! From events to bytes, in any encoding.

use crate::consts::Encoding;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::model::Value;
use crate::model::walk::Walk;
use crate::options::WriteOptions;
use crate::wire::{Output, Sink, path_of};

/// Writes a document piece by piece: the other end of [`crate::Reader`], whose events it takes.
///
/// ```
/// use llsd::{Encoding, Event, Header, WriteOptions};
///
/// let mut writer = WriteOptions::new().encoding(Encoding::Notation).header(Header::None).events();
/// writer.event(&Event::StartArray(None))?;
/// writer.event(&Event::Boolean(true))?;
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
    /// In a map, where no key stands yet.
    Key,
    Over,
}

impl Writer {
    pub(crate) fn new(options: &WriteOptions) -> Self {
        Self { output: Output::new(options), open: Vec::new(), state: State::Value }
    }

    /// Takes the next event. The counts of containers need not be known.
    ///
    /// # Errors
    /// `Unwritable` for what the encoding cannot hold, and for events that make no document: a value
    /// without a key in a map, an end of what was not begun, more than one value.
    pub fn event(&mut self, event: &Event<'_>) -> Result<()> {
        self.take(event).map_err(|kind| Error::new(kind, ""))
    }

    #[inline]
    pub(crate) fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        let state = match (event, self.state) {
            (Event::Key(_), State::Key) => State::Value,
            (Event::EndMap, State::Key) => {
                self.open.pop();
                self.behind()
            }
            (Event::EndArray, State::Value) if self.open.last() == Some(&false) => {
                self.open.pop();
                self.behind()
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
            (_, State::Value) => self.behind(),
        };
        self.output.take(event)?;
        self.state = state;
        Ok(())
    }

    /// What is to come when a value is complete.
    fn behind(&self) -> State {
        match self.open.last() {
            None => State::Over,
            Some(true) => State::Key,
            Some(false) => State::Value,
        }
    }

    /// The document.
    ///
    /// # Errors
    /// `Unwritable` where it is not complete.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self.state {
            State::Over => Ok(self.output.finish()),
            _ => Err(Error::unwritable("", "a document that ends in the middle")),
        }
    }
}

fn misplaced(event: &Event<'_>, state: State) -> &'static str {
    match (event, state) {
        (_, State::Over) => "more than one value",
        (Event::Key(_), _) => "a key outside a map, or behind another key",
        (Event::EndMap | Event::EndArray, _) => "the end of what was not begun",
        _ => "a value without a key in a map",
    }
}

/// A value as a document.
pub(crate) fn value(value: &Value, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut output = Output::new(options);
    let written = match &mut output {
        Output::Binary(sink) => events(value, sink),
    };
    match written {
        Ok(()) => Ok(output.finish()),
        Err((kind, at)) => Err(Error::new(kind, path_of(Walk::new(value).take(at)))),
    }
}

/// All events of a value; on failure how many were written.
fn events(value: &Value, sink: &mut impl Sink) -> Result<(), (ErrorKind, usize)> {
    for (at, event) in Walk::new(value).enumerate() {
        sink.take(&event).map_err(|kind| (kind, at))?;
    }
    Ok(())
}

/// The encoding's own name for a document, which is also how a file says it.
impl Writer {
    /// The encoding that is written.
    pub fn encoding(&self) -> Encoding {
        self.output.encoding()
    }
}
