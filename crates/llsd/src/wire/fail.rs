//! The error of parsers built on nom: it has the input at which it happened, and becomes an [`Error`] with
//! an offset once, where a read ends. The same file in every format crate; `cargo xtask tidy` keeps it so.
#![allow(dead_code, reason = "one file for all crates: not each of them needs every helper")]

use std::borrow::Cow;
use std::fmt::Write as _;

use nom::bytes::complete::tag;
use nom::error::{ContextError, ErrorKind as Nom, ParseError};

use crate::error::{Error, ErrorKind, Result};

/// What every parser in `wire` returns.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fail<'a>>;

/// What went wrong, at which input, and the path to it as far as it is known.
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
    /// nom's `Error`: another parser may take the input, or keep it; after a limit that is useless.
    #[cold]
    pub(crate) fn new(at: &'a [u8], kind: ErrorKind) -> nom::Err<Self> {
        Self { at, inner: Box::new((kind, Vec::new())) }.into_nom()
    }

    fn into_nom(self) -> nom::Err<Self> {
        match self.inner.0 {
            ErrorKind::Limit(_) | ErrorKind::Io(_) => nom::Err::Failure(self),
            _ => nom::Err::Error(self),
        }
    }

    #[cold]
    pub(crate) fn invalid(at: &'a [u8], what: impl Into<Cow<'static, str>>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Invalid(what.into()))
    }

    #[cold]
    pub(crate) fn unsupported(at: &'a [u8], what: impl Into<Cow<'static, str>>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Unsupported(what.into()))
    }

    #[cold]
    pub(crate) fn end(at: &'a [u8]) -> nom::Err<Self> {
        Self::new(at, ErrorKind::UnexpectedEnd)
    }

    /// As [`Fail::end`], at the end of the input that was left.
    #[cold]
    pub(crate) fn end_of(input: &'a [u8]) -> nom::Err<Self> {
        Self::end(input.get(input.len()..).unwrap_or(input))
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
            _ => ErrorKind::Invalid("malformed input".into()),
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
/// the inside out and gives `bones[1].parent`.
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
    // Called for every value that is read: without this, each value is moved into the call and back.
    #[inline(always)]
    fn step(self, step: impl FnOnce() -> Step) -> Self {
        self.map_err(|error| stepped(error, step()))
    }
}

/// Adds steps to the path of an error, as a writer has it.
impl<T> At for Result<T> {
    #[inline(always)]
    fn step(self, step: impl FnOnce() -> Step) -> Self {
        self.map_err(|error| match step() {
            Step::Field(name) => error.within(name),
            Step::Index(index) => error.within(&format!("[{index}]")),
            Step::Name(name) => error.within(&name),
        })
    }
}

#[cold]
fn stepped(error: nom::Err<Fail<'_>>, step: Step) -> nom::Err<Fail<'_>> {
    error.map(|mut fail| {
        fail.inner.1.push(step);
        fail
    })
}

/// Gives an error without an offset, such as a limit, the input at which it happened.
pub(crate) trait Here<T> {
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>>;
}

impl<T> Here<T> for std::result::Result<T, ErrorKind> {
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>> {
        self.map_err(|kind| Fail::new(at, kind))
    }
}

/// The bytes with which every file of a format begins. `expected` is what the error tells of other
/// input, before it tells what that is: `not a Roblox mesh, which begins with "version "`.
pub(crate) fn magic<'a>(input: &'a [u8], wanted: &[u8], expected: &'static str) -> Parsed<'a, ()> {
    match tag::<_, _, Fail<'_>>(wanted)(input) {
        Ok((rest, _)) => Ok((rest, ())),
        Err(_) if input.is_empty() => Err(Fail::invalid(input, EMPTY)),
        // The first bytes of it: the rest of the file is missing.
        Err(_) if wanted.starts_with(input) => Err(Fail::end_of(input)),
        Err(_) => Err(foreign(input, expected)),
    }
}

const EMPTY: &str = "the input is empty";

/// The error for input of another format: what was expected, and what the input is where that is known.
#[cold]
pub(crate) fn foreign<'a>(input: &'a [u8], expected: &'static str) -> nom::Err<Fail<'a>> {
    match format_of(input) {
        _ if input.is_empty() => Fail::invalid(input, EMPTY),
        Some(format) => Fail::invalid(input, format!("{expected}; this is {format}")),
        None => Fail::invalid(input, expected),
    }
}

/// The format of input that is often taken for an asset, with what to do about it.
fn format_of(input: &[u8]) -> Option<&'static str> {
    const FORMATS: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "gzip: decompress it first"),
        (b"\x28\xb5\x2f\xfd", "zstd: decompress it first"),
        (b"PK\x03\x04", "a zip archive: extract it first"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"OggS", "an Ogg sound"),
        (b"glTF", "binary glTF"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    const TEXTS: &[(&[u8], &str)] = &[
        (b"<!doctype html", "an HTML page"),
        (b"<html", "an HTML page"),
        (b"version https://git-lfs", "a Git LFS pointer: fetch the file with git lfs pull"),
        (b"version ", "a Roblox mesh: use the crate rbxmesh"),
        (b"<roblox!", "a binary Roblox document: use the crate rbxbinary"),
        (b"<roblox", "a Roblox document in XML: use the crate rbxxml"),
        (b"3dmo", "a Model 3D file: use the crate m3d-format"),
        (b"<? llsd", "LLSD: use the crate llsd-format"),
        (b"<?llsd", "LLSD: use the crate llsd-format"),
        (b"<llsd", "LLSD: use the crate llsd-format"),
        (b"<", "XML"),
        (b"{\"", "JSON"),
        (b"[{\"", "JSON"),
    ];
    let text = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input).trim_ascii_start();
    let starts = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let binary = FORMATS.iter().find(|(magic, _)| input.starts_with(magic));
    let found = binary.or_else(|| TEXTS.iter().find(|(start, _)| starts(start)));
    found.map(|&(_, format)| format)
}

/// The value and the input after it, or an error with its offset in `whole`.
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
