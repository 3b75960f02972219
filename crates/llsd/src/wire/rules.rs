//! Malformed input that only a tolerant reader accepts: an error in strict reading, a note in checking.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::options::ReadOptions;
use geom::wire::Fail;

/// Malformed input that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) what: Cow<'static, str>,
    pub(crate) odd: Odd,
    /// The number of repetitions.
    pub(crate) count: usize,
}

/// What a tolerant reader does with malformed input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Odd {
    /// It reads a value, such as 0.
    Read,
    Skipped,
    /// It needs no comma between two values.
    Comma,
    /// It needs no colon between a key and a value.
    Colon,
}

/// The tolerance of a reader.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) strict: bool,
    notes: Option<RefCell<Vec<Note>>>,
}

impl Rules {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { strict: options.strict, notes: options.noting.then(RefCell::default) }
    }

    /// Whether malformed input is noted. Tolerant readers must then check the strict rules, too.
    #[inline(always)]
    pub(crate) fn noting(&self) -> bool {
        self.notes.is_some()
    }

    /// Handles input that only a tolerant reader accepts as a value: it is refused if the reader is strict, and noted
    /// if notes are taken.
    pub(crate) fn odd<'a>(
        &self,
        at: &'a [u8],
        what: impl Into<Cow<'static, str>>,
    ) -> Result<(), nom::Err<Fail<'a>>> {
        self.note(at, what.into(), Odd::Read)
    }

    /// Handles input that a tolerant reader skips, as [`odd`](Self::odd) does.
    pub(crate) fn skipped<'a>(&self, at: &'a [u8], what: &'static str) -> Result<(), nom::Err<Fail<'a>>> {
        self.note(at, what.into(), Odd::Skipped)
    }

    /// Handles a missing or superfluous comma, as [`odd`](Self::odd) does.
    pub(crate) fn comma<'a>(&self, at: &'a [u8], what: &'static str) -> Result<(), nom::Err<Fail<'a>>> {
        self.note(at, what.into(), Odd::Comma)
    }

    /// Handles a missing or superfluous colon after a key, as [`odd`](Self::odd) does.
    pub(crate) fn colon<'a>(
        &self,
        at: &'a [u8],
        what: impl Into<Cow<'static, str>>,
    ) -> Result<(), nom::Err<Fail<'a>>> {
        self.note(at, what.into(), Odd::Colon)
    }

    #[cold]
    #[inline(never)]
    fn note<'a>(&self, at: &'a [u8], what: Cow<'static, str>, odd: Odd) -> Result<(), nom::Err<Fail<'a>>> {
        match &self.notes {
            _ if self.strict => return Err(Fail::invalid(at, what)),
            None => {}
            Some(notes) => {
                let mut notes = notes.borrow_mut();
                match notes.last_mut() {
                    Some(last) if last.what == what => last.count = last.count.saturating_add(1),
                    _ => notes.push(Note { what, odd, count: 1 }),
                }
            }
        }
        Ok(())
    }

    /// The notes since the last call.
    pub(crate) fn taken(&self) -> Vec<Note> {
        self.notes.as_ref().map(RefCell::take).unwrap_or_default()
    }
}
