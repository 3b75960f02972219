//! The error in flight: it holds the input at which it happened, and becomes an [`Error`] with an
//! offset once, at the boundary. The same file in every format crate; `cargo xtask tidy` keeps it so.
#![allow(dead_code, reason = "one file for all crates: not each of them needs every helper")]

use std::borrow::Cow;
use std::fmt::Write as _;

use nom::bytes::complete::tag;
use nom::error::{ContextError, ErrorKind as Nom, ParseError};

use crate::error::{Error, ErrorKind, Result};

/// What every parser in `wire` returns.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fail<'a>>;

/// A failure that is on its way out.
#[derive(Debug)]
pub(crate) struct Fail<'a> {
    at: &'a [u8],
    inner: Box<(ErrorKind, Vec<Step>)>,
}

/// One step of a path, collected from the inside out.
#[derive(Debug)]
pub(crate) enum Step {
    Field(&'static str),
    Index(usize),
    Name(String),
}

impl<'a> Fail<'a> {
    #[cold]
    pub(crate) fn new(at: &'a [u8], kind: ErrorKind) -> nom::Err<Self> {
        nom::Err::Failure(Self { at, inner: Box::new((kind, Vec::new())) })
    }

    /// The input says something that has no meaning.
    #[cold]
    pub(crate) fn invalid(at: &'a [u8], what: impl Into<Cow<'static, str>>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Invalid(what.into()))
    }

    /// The input says something that this crate does not read.
    #[cold]
    pub(crate) fn unsupported(at: &'a [u8], what: impl Into<Cow<'static, str>>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Unsupported(what.into()))
    }

    /// The input ends too early.
    #[cold]
    pub(crate) fn end(at: &'a [u8]) -> nom::Err<Self> {
        Self::new(at, ErrorKind::UnexpectedEnd)
    }

    pub(crate) fn kind(&self) -> &ErrorKind {
        &self.inner.0
    }

    fn into_error(self, whole: &'a [u8], text: bool) -> Error {
        let (kind, steps) = *self.inner;
        let mut path = String::new();
        for step in steps.iter().rev() {
            let dot = if path.is_empty() { "" } else { "." };
            let _infallible = match step {
                Step::Field(name) => write!(path, "{dot}{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
                Step::Name(name) => write!(path, "{dot}{name}"),
            };
        }
        // `at` is a part of `whole`; were it ever not, a wrong offset is better than a panic.
        let offset = self.at.as_ptr().addr().saturating_sub(whole.as_ptr().addr()).min(whole.len());
        Error::new(kind, path).at(offset, text.then_some(whole))
    }
}

impl<'a> ParseError<&'a [u8]> for Fail<'a> {
    fn from_error_kind(at: &'a [u8], kind: Nom) -> Self {
        let kind = match kind {
            Nom::Eof | Nom::Complete => ErrorKind::UnexpectedEnd,
            // `take_while1` and its like find nothing where the input has ended.
            _ if at.is_empty() => ErrorKind::UnexpectedEnd,
            other => ErrorKind::Invalid(format!("malformed input (no {})", other.description()).into()),
        };
        Self { at, inner: Box::new((kind, Vec::new())) }
    }

    fn append(_: &'a [u8], _: Nom, other: Self) -> Self {
        other
    }
}

/// nom's own `context` names a field.
impl<'a> ContextError<&'a [u8]> for Fail<'a> {
    fn add_context(_: &'a [u8], field: &'static str, mut other: Self) -> Self {
        other.inner.1.push(Step::Field(field));
        other
    }
}

/// Adds steps to the path of a failure. `parsed.field("parent").index(1).field("bones")` reads from
/// the inside out and says `bones[1].parent`.
pub(crate) trait At: Sized {
    fn step(self, step: impl FnOnce() -> Step) -> Self;

    #[inline(always)]
    fn field(self, name: &'static str) -> Self {
        self.step(|| Step::Field(name))
    }

    #[inline(always)]
    fn index(self, index: usize) -> Self {
        self.step(|| Step::Index(index))
    }

    #[inline(always)]
    fn named(self, name: impl FnOnce() -> String) -> Self {
        self.step(|| Step::Name(name()))
    }
}

impl<T> At for std::result::Result<T, nom::Err<Fail<'_>>> {
    // Called for every value that is read: without this, a value that is well is moved here and back.
    #[inline(always)]
    fn step(self, step: impl FnOnce() -> Step) -> Self {
        self.map_err(|error| stepped(error, step()))
    }
}

#[cold]
fn stepped(error: nom::Err<Fail<'_>>, step: Step) -> nom::Err<Fail<'_>> {
    error.map(|mut fail| {
        fail.inner.1.push(step);
        fail
    })
}

/// Gives a failure that has no place yet, such as a limit, the input at which it happened.
pub(crate) trait Here<T> {
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>>;
}

impl<T> Here<T> for std::result::Result<T, ErrorKind> {
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>> {
        self.map_err(|kind| Fail::new(at, kind))
    }
}

/// The bytes with which every file of a format begins; `no_file` says what others are not.
pub(crate) fn magic<'a>(input: &'a [u8], wanted: &[u8], no_file: &'static str) -> Parsed<'a, ()> {
    match tag::<_, _, Fail<'_>>(wanted)(input) {
        Ok((rest, _)) => Ok((rest, ())),
        // A beginning of it: that is where the rest of the file is missing.
        Err(_) if wanted.starts_with(input) => Err(Fail::end(input.get(input.len()..).unwrap_or(input))),
        Err(_) => Err(Fail::invalid(input, no_file)),
    }
}

/// Leaves `wire`: the value and the input behind it, or an error with its offset in `whole`.
pub(crate) fn finish<'a, T>(whole: &'a [u8], parsed: Parsed<'a, T>) -> Result<(&'a [u8], T)> {
    leave(whole, parsed, false)
}

/// As [`finish`] for input that is text: the error gets a line and a column.
pub(crate) fn finish_text<'a, T>(whole: &'a [u8], parsed: Parsed<'a, T>) -> Result<(&'a [u8], T)> {
    leave(whole, parsed, true)
}

fn leave<'a, T>(whole: &'a [u8], parsed: Parsed<'a, T>, text: bool) -> Result<(&'a [u8], T)> {
    parsed.map_err(|error| match error {
        nom::Err::Error(fail) | nom::Err::Failure(fail) => fail.into_error(whole, text),
        nom::Err::Incomplete(_) => Error::new(ErrorKind::UnexpectedEnd, "").at(whole.len(), None),
    })
}
