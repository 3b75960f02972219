//! Traits and functions that the readers and writers of all encodings share.

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::consts::Encoding;
use crate::model::{Event, Open, Run, Scalar, Value, Walk, path_of, scalar};
use crate::wire::rules::Rules;
use geom::wire::{Budget, Error, ErrorKind, Fail, Limit, Result, finish, finish_text};

/// A failure that has no offset yet.
pub(crate) type Failed<'a> = nom::Err<Fail<'a>>;

/// A part of the input: the input from its first byte on, and the input after it.
pub(crate) type Span<'a> = [&'a [u8]; 2];

/// A source of events.
///
/// Keys are those of the input, including equal ones. If `<llsd>` has a second value, its events follow those of the
/// first, and it replaces the first.
pub(crate) trait Source<'a> {
    /// Passes the next event to `to`; after the last one, passes nothing and returns false. Each event is passed where
    /// it is created: its kind is known there, and a value can be built in place.
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>>;

    /// The next event; `None` after the last one.
    #[inline(always)]
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>> {
        let mut event = None;
        self.give(&mut event)?;
        Ok(event)
    }

    /// The unread input.
    fn rest(&self) -> &'a [u8];

    /// The part of the input that the last event was read from.
    fn span(&self) -> Span<'a>;

    fn rules(&self) -> &Rules;

    /// The remaining budget, shared with the sink of the events.
    fn budget(&mut self) -> &mut Budget;
}

/// A sink for the events of a source.
pub(crate) trait Take<'a> {
    fn take(&mut self, event: Event<'a>, budget: &mut Budget) -> Result<(), ErrorKind>;
}

impl<'a> Take<'a> for Option<Event<'a>> {
    #[inline(always)]
    fn take(&mut self, event: Event<'a>, _: &mut Budget) -> Result<(), ErrorKind> {
        *self = Some(event);
        Ok(())
    }
}

/// A writer of a document, piece by piece.
pub(crate) trait Sink {
    fn scalar(&mut self, scalar: &Scalar<'_>) -> Result<(), ErrorKind>;
    /// A string or a key.
    fn text(&mut self, text: Run<'_>, key: bool) -> Result<(), ErrorKind>;
    /// Begins a map or an array; the count is given if it is certain.
    fn start(&mut self, map: bool, count: Option<usize>) -> Result<(), ErrorKind>;
    fn end(&mut self, map: bool) -> Result<(), ErrorKind>;

    #[inline]
    fn take(&mut self, event: &Event<'_>) -> Result<(), ErrorKind> {
        match event {
            Event::Scalar(scalar) => self.scalar(scalar),
            Event::Key(key) => self.text(Run::Any(key), true),
            // The counts of events are not trusted.
            Event::StartArray(_) => self.start(false, None),
            Event::StartMap(_) => self.start(true, None),
            Event::EndArray => self.end(false),
            Event::EndMap => self.end(true),
        }
    }
}

/// Writes a value.
pub(super) fn write(sink: &mut impl Sink, value: &Value) -> Result<()> {
    let mut count = 0;
    let written = steps(sink, value, &mut count);
    written.map_err(|kind| Error::new(kind, path_of(Walk::new(value).take(count))))
}

/// Writes a value by the steps of a [`Walk`], and counts them. Each method of the sink is called in only one
/// place, so that the compiler inlines all of them here.
#[inline]
fn steps(sink: &mut impl Sink, value: &Value, count: &mut usize) -> Result<(), ErrorKind> {
    let mut current = Open::Array(std::slice::from_ref(value).iter());
    let mut outer = Vec::new();
    loop {
        let value = match &mut current {
            Open::Array(values) => values.next(),
            Open::Map(entries) => match entries.next() {
                Some((key, value)) => {
                    sink.text(key.run(), true)?;
                    *count = count.saturating_add(1);
                    Some(value)
                }
                None => None,
            },
        };
        if let Some(value) = value {
            match value {
                Value::String(text) => sink.text(text.run(), false)?,
                value => {
                    scalar!(value, |scalar| sink.scalar(&scalar)?, _ => if let Some(inner) = Open::of(value) {
                        sink.start(matches!(inner, Open::Map(_)), Some(value.len()))?;
                        outer.push(std::mem::replace(&mut current, inner));
                    })
                }
            }
        } else {
            let Some(open) = outer.pop() else { return Ok(()) };
            sink.end(matches!(current, Open::Map(_)))?;
            current = open;
        }
        *count = count.saturating_add(1);
    }
}

/// Converts a failure to an error with its offset, and in text with its line and column.
pub(crate) fn placed(whole: &[u8], encoding: Encoding, fail: Failed<'_>) -> Error {
    let parsed = Err::<(&[u8], ()), _>(fail);
    let finished = if encoding.is_text() { finish_text(whole, parsed) } else { finish(whole, parsed) };
    match finished {
        Err(error) => error,
        Ok(_) => Error::new(ErrorKind::UnexpectedEnd, ""),
    }
}

/// Refuses a value that is nested too deeply.
#[inline]
pub(super) fn deeper(at: &[u8], open: usize, max_depth: u32) -> Result<(), Failed<'_>> {
    if open as u64 >= u64::from(max_depth) {
        return Err(Fail::new(at, ErrorKind::Limit(Limit::new("max_depth", max_depth.into()))));
    }
    Ok(())
}

/// The error for input other than the expected one.
#[cold]
pub(super) fn expected<'a>(what: &str, at: &'a [u8]) -> Failed<'a> {
    Fail::invalid(at, format!("expected {what}, found {}", shown(at)))
}

/// The first character of the input, as text for a message.
pub(super) fn shown(at: &[u8]) -> String {
    let (c, len) = bstr::decode_utf8(at);
    match c {
        Some(c) => format!("{c:?}"),
        None => format!("{:?}", at.get(..len.max(1)).unwrap_or(at).as_bstr()),
    }
}
