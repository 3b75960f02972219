//! From events to bytes, in any encoding.

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::consts::Encoding;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::model::walk::Walk;
use crate::model::{Text, Value};
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
        Output::Binary(sink) => {
            // The counts of a value are what they say; those of events need not be.
            sink.counted = true;
            events(value, sink)
        }
        Output::Xml(sink) => events(value, sink),
        Output::Notation(sink) => events(value, sink),
    };
    match written {
        Ok(()) => Ok(output.finish()),
        Err((kind, at)) => Err(Error::new(kind, path_of(Walk::new(value).take(at)))),
    }
}

/// The containers around the one that is being written.
enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Map(std::slice::Iter<'a, (Text, Value)>),
}

/// All events of a value; on failure how many were written. As `Walk`, but each event is made where
/// the sink takes it, which the compiler makes one piece of code of.
fn events(value: &Value, sink: &mut impl Sink) -> Result<(), (ErrorKind, usize)> {
    let mut written = 0;
    let mut open = Vec::new();
    let Some(mut current) = one(value, sink, &mut written)? else { return Ok(()) };
    loop {
        let inner = match &mut current {
            Open::Array(values) => loop {
                let Some(value) = values.next() else { break None };
                if let Some(inner) = one(value, sink, &mut written)? {
                    break Some(inner);
                }
            },
            Open::Map(entries) => loop {
                let Some((key, value)) = entries.next() else { break None };
                sink.key(key).map_err(|kind| (kind, written))?;
                written += 1;
                if let Some(inner) = one(value, sink, &mut written)? {
                    break Some(inner);
                }
            },
        };
        if let Some(inner) = inner {
            open.push(std::mem::replace(&mut current, inner));
            continue;
        }
        let end = if let Open::Map(_) = current { Event::EndMap } else { Event::EndArray };
        sink.take(&end).map_err(|kind| (kind, written))?;
        written += 1;
        match open.pop() {
            Some(outer) => current = outer,
            None => return Ok(()),
        }
    }
}

/// A scalar, or the beginning of a container.
#[inline(always)]
fn one<'a>(
    value: &'a Value,
    sink: &mut impl Sink,
    written: &mut usize,
) -> Result<Option<Open<'a>>, (ErrorKind, usize)> {
    let mut inner = None;
    match value {
        Value::Undef => sink.take(&Event::Undef),
        Value::Boolean(value) => sink.take(&Event::Boolean(*value)),
        Value::Integer(value) => sink.take(&Event::Integer(*value)),
        Value::Real(value) => sink.take(&Event::Real(*value)),
        Value::Uuid(value) => sink.take(&Event::Uuid(*value)),
        Value::String(value) => sink.string(value),
        Value::Date(value) => sink.take(&Event::Date(*value)),
        Value::Uri(value) => sink.take(&Event::Uri(Cow::Borrowed(&value.0))),
        Value::Binary(value) => sink.take(&Event::Binary(Cow::Borrowed(value.0.as_bstr()))),
        Value::Array(values) => {
            inner = Some(Open::Array(values.iter()));
            sink.take(&Event::StartArray(Some(values.len())))
        }
        Value::Map(map) => {
            inner = Some(Open::Map(map.iter()));
            sink.take(&Event::StartMap(Some(map.len())))
        }
    }
    .map_err(|kind| (kind, *written))?;
    *written += 1;
    Ok(inner)
}

impl Writer {
    /// The encoding that is written.
    pub fn encoding(&self) -> Encoding {
        self.output.encoding()
    }
}
