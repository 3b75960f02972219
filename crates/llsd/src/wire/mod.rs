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
pub(crate) mod fail;
mod header;
mod notation;
mod notation_out;
mod path;
mod quoted;
mod xml;

use std::borrow::Cow;

use crate::build::Builder;
use crate::consts::Encoding;
use crate::error::{Error, ErrorKind, Limit, Result};
use crate::event::Event;
use crate::model::{Text, Value};
use crate::options::{ReadOptions, WriteOptions};
use crate::wire::fail::{Fail, finish, finish_text};

pub use header::Header;
pub(crate) use header::{detect, split};
pub(crate) use path::{explain, path_of};

/// A failure in flight.
pub(crate) type Failed<'a> = nom::Err<Fail<'a>>;

/// What yields events. `None` comes behind the last one, and is not followed by another call.
pub(crate) trait Source<'a> {
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>>;

    /// What was not read yet.
    fn rest(&self) -> &'a [u8];
}

/// What takes events.
pub(crate) trait Sink {
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind>;

    /// A key. Half of all that a sink takes are keys and strings: where they are known to stand in 22
    /// bytes, no length has to be looked at.
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
    pub(crate) fn new(encoding: Encoding, body: &'a [u8], options: &ReadOptions) -> Self {
        match encoding {
            Encoding::Binary => Self::Binary(binary::Source::new(body, options)),
            Encoding::Xml => Self::Xml(Box::new(xml::Source::new(body, options))),
            Encoding::Notation => Self::Notation(notation::Source::new(body, options)),
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
}

/// A sink of any encoding.
#[derive(Debug)]
pub(crate) enum Output {
    Binary(binary::Sink),
    Xml(xml::Sink),
    Notation(notation_out::Sink),
}

impl Output {
    pub(crate) fn new(options: &WriteOptions) -> Self {
        let header = options.header.bytes(options.encoding).to_vec();
        match options.encoding {
            Encoding::Binary => Self::Binary(binary::Sink::new(header)),
            Encoding::Xml => Self::Xml(xml::Sink::new(header, options)),
            Encoding::Notation => Self::Notation(notation_out::Sink::new(header, options)),
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

/// Reads a value that begins at `start`; gives the number of bytes up to its end too.
pub(crate) fn read(
    whole: &[u8],
    start: usize,
    encoding: Encoding,
    options: &ReadOptions,
) -> Result<(Value, usize)> {
    let body = whole.get(start..).unwrap_or_default();
    match encoding {
        Encoding::Binary => build(whole, start, encoding, options, binary::Source::new(body, options)),
        Encoding::Xml => build(whole, start, encoding, options, xml::Source::new(body, options)),
        Encoding::Notation => build(whole, start, encoding, options, notation::Source::new(body, options)),
    }
}

fn build<'a>(
    whole: &'a [u8],
    start: usize,
    encoding: Encoding,
    options: &ReadOptions,
    mut source: impl Source<'a>,
) -> Result<(Value, usize)> {
    let mut builder = Builder::new(options.byte_limit(), options.rule(encoding));
    let mut value = None;
    loop {
        match source.next() {
            Ok(Some(event)) => match builder.take(event) {
                Ok(None) => {}
                Ok(done) => value = done,
                Err(kind) => {
                    let rest = source.rest();
                    let fail = Fail::new(rest, kind);
                    return Err(explain(whole, start, encoding, options, fail, Some(rest.len())));
                }
            },
            Ok(None) => break,
            Err(fail) => return Err(explain(whole, start, encoding, options, fail, None)),
        }
    }
    Ok((value.unwrap_or_default(), whole.len().saturating_sub(source.rest().len())))
}

/// An error at its place: an offset, and in text a line and a column.
fn placed(whole: &[u8], encoding: Encoding, fail: Failed<'_>) -> Error {
    let parsed = Err::<(&[u8], ()), _>(fail);
    let finished = if encoding.is_text() { finish_text(whole, parsed) } else { finish(whole, parsed) };
    match finished {
        Err(error) => error,
        Ok(_) => Error::new(ErrorKind::UnexpectedEnd, ""),
    }
}

/// Whether one more value may stand in so many containers.
#[inline]
fn deeper(at: &[u8], open: usize, max_depth: u32) -> Result<(), Failed<'_>> {
    if open as u64 >= u64::from(max_depth) {
        return Err(Fail::new(at, ErrorKind::Limit(Limit { name: "max_depth", allowed: max_depth.into() })));
    }
    Ok(())
}
