//! What can go wrong, and where. The same file in every format crate; `cargo xtask tidy` keeps it so.

use std::borrow::Cow;
use std::fmt;

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be read or written: what was wrong, in which field, and where.
///
/// One word wide. It displays as `{kind} in {path} at offset {offset}`, or with a line and a column
/// where the input is text: `unexpected end of input in bones[1].parent at offset 0xc`.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    path: String,
    place: Option<Place>,
}

/// Where in the input an error stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    line_column: Option<(u32, u32)>,
}

/// What was wrong. The texts are lower case and stand in the middle of a sentence.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The reader or writer underneath failed.
    Io(std::io::Error),
    /// The input ended where the format wants more.
    UnexpectedEnd,
    /// The input breaks the format in a way that leaves no meaning.
    Invalid(Cow<'static, str>),
    /// The input is of the format, but of a kind that this crate does not read.
    Unsupported(Cow<'static, str>),
    /// A limit of the read options was reached.
    Limit(Limit),
    /// The model says something that the format, or the version asked for, cannot hold.
    Unwritable(Cow<'static, str>),
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The name of the option in `ReadOptions`, which raises it.
    pub name: &'static str,
    /// The value that the option had.
    pub allowed: u64,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, path: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, path: path.into(), place: None }))
    }

    /// A model that cannot be written, and the path of what stands in the way.
    #[cold]
    pub(crate) fn unwritable(path: impl Into<String>, what: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unwritable(what.into()), path)
    }

    /// The same error at a byte offset, with line and column where the input is text.
    #[must_use]
    pub(crate) fn at(mut self, offset: usize, text: Option<&[u8]>) -> Self {
        let line_column = text.and_then(|text| {
            let before = text.get(..offset).unwrap_or(text);
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            // A column is a character: the later bytes of one in UTF-8 do not count.
            let column = 1 + before.iter().skip(start).filter(|&&byte| byte & 0xc0 != 0x80).count();
            Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
        });
        self.0.place = Some(Place { offset: offset as u64, line_column });
        self
    }

    /// The same error inside a part with a name, such as a compressed chunk that was read on its own.
    #[must_use]
    #[allow(dead_code, reason = "one file for all crates: not each of them has such parts")]
    pub(crate) fn within(mut self, part: &str) -> Self {
        let dot = if self.0.path.is_empty() || self.0.path.starts_with('[') { "" } else { "." };
        self.0.path.insert_str(0, dot);
        self.0.path.insert_str(0, part);
        self
    }

    /// What was wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The field in which it was wrong, as `bones[1].parent`; empty where no field was reached.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The byte offset, counted from the start of the input, or, where the path names a compressed
    /// chunk or block, from the start of its decompressed bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.place.map(|place| place.offset)
    }

    /// The line, counted from 1, where the input is text.
    pub fn line(&self) -> Option<u32> {
        self.0.place?.line_column.map(|(line, _)| line)
    }

    /// The column in characters, counted from 1, where the input is text.
    pub fn column(&self) -> Option<u32> {
        self.0.place?.line_column.map(|(_, column)| column)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, path, place } = &*self.0;
        write!(f, "{kind}")?;
        if !path.is_empty() {
            write!(f, " in {path}")?;
        }
        match place {
            Some(Place { line_column: Some((line, column)), .. }) => {
                write!(f, " at line {line}, column {column}")
            }
            Some(Place { offset, .. }) => write!(f, " at offset {offset:#x}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::UnexpectedEnd => f.write_str("unexpected end of input"),
            Self::Invalid(what) => f.write_str(what),
            Self::Unsupported(what) => write!(f, "unsupported {what}"),
            Self::Limit(Limit { name, allowed }) => {
                write!(f, "limit of {allowed} reached (ReadOptions::{name} raises it)")
            }
            Self::Unwritable(what) => write!(f, "cannot write {what}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(ErrorKind::Io(error), "")
    }
}

const _: () = {
    const fn sendable<T: Send + Sync + 'static>() {}
    sendable::<Error>();
    assert!(size_of::<Error>() == size_of::<usize>());
};
