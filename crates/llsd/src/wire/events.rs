//! What readers and writers of all encodings have in common.

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::consts::Encoding;
use crate::error::{Error, ErrorKind, Limit, Result};
use crate::limits::Budget;
use crate::model::{Event, Text};
use crate::wire::fail::{Fail, finish, finish_text};

/// A failure that has no offset yet.
pub(crate) type Failed<'a> = nom::Err<Fail<'a>>;

/// What yields events.
///
/// Keys come as they are in the input, equal ones too. Where `<llsd>` has another value after the
/// first, its events follow, and it counts instead.
pub(crate) trait Source<'a> {
    /// Gives the next event; false, and none is given, after the last one. Each event is given where it is
    /// made: its type is known there, and a value can be built in its place.
    fn give(&mut self, to: &mut impl Take<'a>) -> Result<bool, Failed<'a>>;

    /// The next event; `None` after the last one.
    #[inline]
    fn next(&mut self) -> Result<Option<Event<'a>>, Failed<'a>> {
        let mut event = None;
        self.give(&mut event)?;
        Ok(event)
    }

    /// What was not read yet.
    fn rest(&self) -> &'a [u8];

    /// What may still be allocated, by whoever takes the events too.
    fn budget(&mut self) -> &mut Budget;
}

/// What takes the events of a source.
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

/// What takes events to write them.
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
pub(super) fn deeper(at: &[u8], open: usize, max_depth: u32) -> Result<(), Failed<'_>> {
    if open as u64 >= u64::from(max_depth) {
        return Err(Fail::new(at, ErrorKind::Limit(Limit { name: "max_depth", allowed: max_depth.into() })));
    }
    Ok(())
}

/// A character that was found where another was expected, as text.
pub(super) fn shown(at: &[u8]) -> String {
    let (c, len) = bstr::decode_utf8(at);
    match c {
        Some(c) => format!("{c:?}"),
        None => format!("{:?}", at.get(..len.max(1)).unwrap_or(at).as_bstr()),
    }
}
