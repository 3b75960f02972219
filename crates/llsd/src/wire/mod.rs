//! The bytes: each encoding is a source of events and a sink for them.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable
    )
)]

pub(crate) mod binary;
pub(crate) mod build;
mod display;
pub(crate) mod fail;
pub(crate) mod header;
mod notation;
mod path;
mod xml;

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::consts::Encoding;
use crate::error::{Error, ErrorKind, Limit, Result};
use crate::limits::Budget;
use crate::model::{Event, Item, Text, Value, Walk, path_of};
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::build::Builder;
use crate::wire::fail::{Fail, finish, finish_text};
use crate::wire::header::Start;

pub(crate) use path::explain;

/// A failure that has no offset yet.
pub(crate) type Failed<'a> = nom::Err<Fail<'a>>;

/// What yields events. `None` comes after the last one, and is not followed by another call.
///
/// Keys come as they are in the input, equal ones too. Where `<llsd>` has another value after the
/// first, its events follow, and it counts instead.
pub(crate) trait Source<'a> {
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>>;

    /// What was not read yet.
    fn rest(&self) -> &'a [u8];

    /// What may still be allocated, by whoever takes the events too.
    fn budget(&mut self) -> &mut Budget;
}

/// What takes events.
pub(crate) trait Sink {
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind>;

    /// A key. Half of all that a sink takes are keys and strings: where they are known to have at most
    /// 22 bytes, their lengths need not be looked at.
    #[inline(always)]
    fn key(&mut self, key: &Text) -> Result<(), ErrorKind> {
        self.take(&Event::Key(Cow::Borrowed(key)))
    }

    /// A string.
    #[inline(always)]
    fn string(&mut self, text: &Text) -> Result<(), ErrorKind> {
        self.take(&Event::String(Cow::Borrowed(text)))
    }
}

/// A source of any encoding.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    Binary(binary::Source<'a>),
    Xml(Box<xml::Source<'a>>),
    Notation(notation::Source<'a>),
}

impl<'a> Input<'a> {
    pub(crate) fn new(encoding: Encoding, body: &'a [u8], options: &ReadOptions, budget: Budget) -> Self {
        match encoding {
            Encoding::Binary => Self::Binary(binary::Source::new(body, options, budget)),
            Encoding::Xml => Self::Xml(Box::new(xml::Source::new(body, options, budget))),
            Encoding::Notation => Self::Notation(notation::Source::new(body, options, budget)),
        }
    }
}

impl<'a> Source<'a> for Input<'a> {
    #[inline]
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>> {
        match self {
            Self::Binary(source) => source.next(),
            Self::Xml(source) => source.next(),
            Self::Notation(source) => source.next(),
        }
    }

    fn rest(&self) -> &'a [u8] {
        match self {
            Self::Binary(source) => source.rest(),
            Self::Xml(source) => source.rest(),
            Self::Notation(source) => source.rest(),
        }
    }

    fn budget(&mut self) -> &mut Budget {
        match self {
            Self::Binary(source) => source.budget(),
            Self::Xml(source) => source.budget(),
            Self::Notation(source) => source.budget(),
        }
    }
}

/// A sink of any encoding.
#[derive(Debug)]
pub(crate) enum Output {
    Binary(binary::Sink),
    Xml(xml::Sink),
    Notation(notation::Sink),
}

impl Output {
    pub(crate) fn new(options: &WriteOptions) -> Self {
        let header = options.header.bytes(options.encoding).to_vec();
        match options.encoding {
            Encoding::Binary => Self::Binary(binary::Sink::new(header)),
            Encoding::Xml => Self::Xml(xml::Sink::new(header, options)),
            Encoding::Notation => Self::Notation(notation::Sink::new(header, options)),
        }
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match self {
            Self::Binary(_) => Encoding::Binary,
            Self::Xml(_) => Encoding::Xml,
            Self::Notation(_) => Encoding::Notation,
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Self::Binary(sink) => sink.out.finish(),
            Self::Xml(sink) => sink.finish(),
            Self::Notation(sink) => sink.finish(),
        }
    }
}

impl Sink for Output {
    #[inline]
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        match self {
            Self::Binary(sink) => sink.take(event),
            Self::Xml(sink) => sink.take(event),
            Self::Notation(sink) => sink.take(event),
        }
    }
}

/// A value that was read.
pub(crate) struct Read {
    pub(crate) value: Value,
    /// Where it ends.
    pub(crate) end: usize,
    /// What may still be allocated.
    pub(crate) budget: Budget,
}

/// Reads a value that begins at `start`.
pub(crate) fn read(whole: &[u8], start: Start, options: &ReadOptions, budget: Budget) -> Result<Read> {
    let body = start.body(whole);
    header::begins(body, start).map_err(|fail| placed(whole, start.encoding, fail))?;
    match start.encoding {
        Encoding::Binary => build(whole, start, options, binary::Source::new(body, options, budget)),
        Encoding::Xml => build(whole, start, options, xml::Source::new(body, options, budget)),
        Encoding::Notation => build(whole, start, options, notation::Source::new(body, options, budget)),
    }
}

fn build<'a>(
    whole: &'a [u8],
    start: Start,
    options: &ReadOptions,
    mut source: impl Source<'a>,
) -> Result<Read> {
    let mut builder = Builder::new(Some(options.rule(start.encoding)));
    let mut value = None;
    loop {
        match source.next() {
            Ok(Some(event)) => match builder.take(event, source.budget()) {
                Ok(None) => {}
                Ok(done) => value = done,
                Err(kind) => {
                    let fail = Fail::new(source.rest(), kind);
                    return Err(explain(whole, start, options, fail, source.rest(), false));
                }
            },
            Ok(None) => break,
            Err(fail) => return Err(explain(whole, start, options, fail, source.rest(), true)),
        }
    }
    let end = whole.len().saturating_sub(source.rest().len());
    Ok(Read { value: value.unwrap_or_default(), end, budget: source.budget().clone() })
}

/// Writes a value as a document.
pub(crate) fn write(value: &Value, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut output = Output::new(options);
    match &mut output {
        Output::Binary(sink) => {
            // The counts of a value are right; those of events need not be.
            sink.counted = true;
            steps(value, sink)?;
        }
        Output::Xml(sink) => steps(value, sink)?,
        Output::Notation(sink) => steps(value, sink)?,
    }
    Ok(output.finish())
}

fn steps(value: &Value, sink: &mut impl Sink) -> Result<()> {
    for (count, item) in Walk::new(value).enumerate() {
        let written = match item {
            Item::Key(key) => sink.key(key),
            Item::Value(Value::String(text)) => sink.string(text),
            item => sink.take(&item.into()),
        };
        written.map_err(|kind| Error::new(kind, path_of(Walk::new(value).take(count))))?;
    }
    Ok(())
}

/// An error with its offset, and in text with its line and column.
pub(crate) fn placed(whole: &[u8], encoding: Encoding, fail: Failed<'_>) -> Error {
    let parsed = Err::<(&[u8], ()), _>(fail);
    let finished = if encoding.is_text() { finish_text(whole, parsed) } else { finish(whole, parsed) };
    match finished {
        Err(error) => error,
        Ok(_) => Error::new(ErrorKind::UnexpectedEnd, ""),
    }
}

/// Whether one more value may be in so many containers.
#[inline]
fn deeper(at: &[u8], open: usize, max_depth: u32) -> Result<(), Failed<'_>> {
    if open as u64 >= u64::from(max_depth) {
        return Err(Fail::new(at, ErrorKind::Limit(Limit { name: "max_depth", allowed: max_depth.into() })));
    }
    Ok(())
}

/// A character that was found where another was expected, as text.
fn shown(at: &[u8]) -> String {
    let (c, len) = bstr::decode_utf8(at);
    match c {
        Some(c) => format!("{c:?}"),
        None => format!("{:?}", at.get(..len.max(1)).unwrap_or(at).as_bstr()),
    }
}
