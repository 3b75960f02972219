//! The error of parsers built on nom: an [`Error`] and the input at which it happened, converted to an offset at
//! the end of a read.

use nom::bytes::complete::tag;
use nom::error::{ContextError, ErrorKind as Nom, ParseError};

use super::{Error, ErrorKind, Problem, Result};

/// The result of every parser in `wire`.
pub type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fail<'a>>;

/// An error with its path so far, and the input from the place where it happened.
#[derive(Debug)]
pub struct Fail<'a> {
    at: &'a [u8],
    error: Error,
}

impl<'a> Fail<'a> {
    /// nom's `Error`, after which another parser may be tried; its `Failure` for limits and I/O errors, which end the
    /// read.
    #[cold]
    pub fn new(at: &'a [u8], kind: ErrorKind) -> nom::Err<Self> {
        let last = matches!(kind, ErrorKind::Limit(_) | ErrorKind::Io(_));
        let fail = Self { at, error: Error::new(kind, "") };
        if last { nom::Err::Failure(fail) } else { nom::Err::Error(fail) }
    }

    /// Input that breaks the format.
    #[cold]
    pub fn invalid(at: &'a [u8], what: impl Into<Problem>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Invalid(what.into()))
    }

    /// Input of an unsupported variant.
    #[cold]
    pub fn unsupported(at: &'a [u8], what: impl Into<Problem>) -> nom::Err<Self> {
        Self::new(at, ErrorKind::Unsupported(what.into()))
    }

    /// The input ends too early.
    #[cold]
    pub fn end(at: &'a [u8]) -> nom::Err<Self> {
        Self::new(at, ErrorKind::UnexpectedEnd)
    }

    /// Like [`Fail::end`], but at the end of `input`.
    #[cold]
    pub fn end_of(input: &'a [u8]) -> nom::Err<Self> {
        Self::end(input.get(input.len()..).unwrap_or(input))
    }

    /// The kind of error.
    pub fn kind(&self) -> &ErrorKind {
        self.error.kind()
    }
}

impl<'a> ParseError<&'a [u8]> for Fail<'a> {
    fn from_error_kind(at: &'a [u8], kind: Nom) -> Self {
        let kind = match kind {
            // `take_while1` and its like find nothing if the input has ended.
            _ if at.is_empty() => ErrorKind::UnexpectedEnd,
            Nom::Eof | Nom::Complete => ErrorKind::UnexpectedEnd,
            _ => ErrorKind::Invalid("unexpected bytes".into()),
        };
        Self { at, error: Error::new(kind, "") }
    }

    fn append(_: &'a [u8], _: Nom, other: Self) -> Self {
        other
    }
}

/// Lets nom's `context` add a field to the path.
impl<'a> ContextError<&'a [u8]> for Fail<'a> {
    fn add_context(_: &'a [u8], field: &'static str, other: Self) -> Self {
        Self { error: other.error.within(field), ..other }
    }
}

/// Adds steps to the path of an error, from the inside out: `parsed.field("parent").index(1).field("bones")` gives
/// `bones[1].parent`.
pub trait At: Sized {
    /// Applies a function to the error, if there is one.
    fn step(self, step: impl FnOnce(Error) -> Error) -> Self;

    /// Adds a field to the path.
    #[inline(always)]
    fn field(self, name: &str) -> Self {
        self.step(|error| error.within(name))
    }

    /// Adds an index to the path.
    #[inline(always)]
    fn index(self, index: usize) -> Self {
        self.step(|error| within_index(error, index))
    }

    /// Adds a field to the path. The name is created only if there is an error.
    #[inline(always)]
    fn named(self, name: impl FnOnce() -> String) -> Self {
        self.step(|error| error.within(&name()))
    }
}

// Called for every value read: without `inline`, each value is moved into the call and back.
impl<T> At for std::result::Result<T, nom::Err<Fail<'_>>> {
    #[inline(always)]
    fn step(self, step: impl FnOnce(Error) -> Error) -> Self {
        self.map_err(|error| stepped(error, step))
    }
}

#[cold]
fn within_index(error: Error, index: usize) -> Error {
    error.within(&format!("[{index}]"))
}

#[cold]
fn stepped<'a>(error: nom::Err<Fail<'a>>, step: impl FnOnce(Error) -> Error) -> nom::Err<Fail<'a>> {
    error.map(|fail| Fail { error: step(fail.error), ..fail })
}

impl<T> At for Result<T> {
    #[inline(always)]
    fn step(self, step: impl FnOnce(Error) -> Error) -> Self {
        self.map_err(step)
    }
}

/// Attaches the input to an error without an offset, such as a limit.
pub trait Here<T> {
    /// Attaches the input `at`.
    ///
    /// # Errors
    /// The same error.
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>>;
}

impl<T> Here<T> for std::result::Result<T, ErrorKind> {
    fn here<'a>(self, at: &'a [u8]) -> std::result::Result<T, nom::Err<Fail<'a>>> {
        self.map_err(|kind| Fail::new(at, kind))
    }
}

/// The part of `start` that a parser consumed, given the `rest`.
#[inline(always)]
pub fn taken<'a>(start: &'a [u8], rest: &[u8]) -> &'a [u8] {
    // `rest` is the end of `start`, so it is not longer.
    start.get(..start.len().saturating_sub(rest.len())).unwrap_or(start)
}

/// The bytes after the first `count`; empty if there are fewer.
#[inline(always)]
pub fn after(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(count..).unwrap_or_default()
}

/// Parses the bytes with which every file of a format begins. For other input, the error is `expected`, such as
/// `not a Roblox mesh: expected "version "`, followed by the detected format.
pub fn magic<'a>(input: &'a [u8], wanted: &[u8], expected: &'static str) -> Parsed<'a, ()> {
    match tag::<_, _, Fail<'_>>(wanted)(input) {
        Ok((rest, _)) => Ok((rest, ())),
        // The input is a prefix of the wanted bytes: the rest of the file is missing.
        Err(_) if !input.is_empty() && wanted.starts_with(input) => Err(Fail::end_of(input)),
        Err(_) => Err(foreign(input, expected)),
    }
}

/// The error for input of another format: the expected format, and the detected one if known.
#[cold]
pub fn foreign<'a>(input: &'a [u8], expected: &'static str) -> nom::Err<Fail<'a>> {
    match format_of(input) {
        _ if input.is_empty() => Fail::invalid(input, "the input is empty"),
        found => Fail::invalid(input, Problem::Magic { expected, found }),
    }
}

/// The format of input that is often mistaken for an asset, with a remedy.
fn format_of(input: &[u8]) -> Option<&'static str> {
    const FORMATS: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "gzip data (decompress it first)"),
        (b"\x28\xb5\x2f\xfd", "zstd data (decompress it first)"),
        (b"PK\x03\x04", "a ZIP archive (extract it first)"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"OggS", "an Ogg sound or video"),
        (b"glTF", "a binary glTF file"),
        (b"\xff\xfe\0\0", "text in UTF-32 (convert it to UTF-8)"),
        (b"\0\0\xfe\xff", "text in UTF-32 (convert it to UTF-8)"),
        (b"\xff\xfe", "text in UTF-16 (convert it to UTF-8)"),
        (b"\xfe\xff", "text in UTF-16 (convert it to UTF-8)"),
        (b"<!doctype html", "an HTML page (perhaps a server's error message)"),
        (b"<html", "an HTML page (perhaps a server's error message)"),
        (b"version https://git-lfs", "a Git LFS pointer (fetch the file with `git lfs pull`)"),
        (b"version ", "a Roblox mesh (read it with the crate rbxmesh)"),
        (b"<roblox!", "a binary Roblox document (read it with the crate rbxbinary)"),
        (b"<roblox ", "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<roblox\n", "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<roblox\r", "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<roblox\t", "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<roblox>", "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<roblox", "a Roblox document that is damaged after \"<roblox\" (get the original file)"),
        (b"3dmo", "a Model 3D file (read it with the crate m3d-format)"),
        (b"<? llsd", "LLSD (read it with the crate llsd-format)"),
        (b"<?llsd", "LLSD (read it with the crate llsd-format)"),
        (b"<llsd", "LLSD (read it with the crate llsd-format)"),
        (b"<", "XML of an unknown format"),
        (b"{\"", "JSON"),
        (b"[{\"", "JSON"),
    ];
    let text = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input).trim_ascii_start();
    let starts = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    FORMATS.iter().find(|(start, _)| starts(start)).map(|&(_, format)| format)
}

/// The value and the input after it, or an error with its offset in `whole`.
pub fn finish<'a, T>(whole: &'a [u8], parsed: Parsed<'a, T>) -> Result<(&'a [u8], T)> {
    parsed.map_err(|error| match error {
        nom::Err::Error(Fail { at, error }) | nom::Err::Failure(Fail { at, error }) => {
            // `at` is a part of `whole`; if it were not, report a wrong offset rather than panic.
            let offset = at.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
            error.at(offset.min(whole.len()))
        }
        nom::Err::Incomplete(_) => Error::new(ErrorKind::UnexpectedEnd, "").at(whole.len()),
    })
}

/// Like [`finish`], for text input: the error gets a line and a column.
pub fn finish_text<'a, T>(whole: &'a [u8], parsed: Parsed<'a, T>) -> Result<(&'a [u8], T)> {
    finish(whole, parsed).map_err(|error| error.in_text(whole))
}
