//! Errors and their positions.

use std::fmt;

use super::counted::Counted;
use super::problem::{Problem, Text, shorten};

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be read or written: what was wrong, in which field, and where.
///
/// One word wide. Displays as `{kind} in {path} at offset {offset}`, or with a line and a column if the input is
/// text: `unexpected end of input in bones[1].parent at offset 0xc`.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    path: Text,
    offset: Option<u64>,
    /// The bytes that the offset counts in; empty for the input.
    inside: &'static str,
    line_column: Option<(u32, u32)>,
}

/// The kind of error.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The reader or writer underneath failed.
    Io(std::io::Error),
    /// The input ended early.
    UnexpectedEnd,
    /// The input breaks the format, and cannot be interpreted.
    Invalid(Problem),
    /// The input has the format, but a variant that the crate does not read.
    Unsupported(Problem),
    /// A limit of the options for reading, or of another computation, was reached.
    Limit(Limit),
    /// The model has something that the format, or the requested version, cannot represent.
    Unwritable(Problem),
    /// The model does not allow a requested edit, build or view. The model is unchanged.
    InvalidArgument(Problem),
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The option that raises the limit: an option of `ReadOptions`, unless the name begins with another type, as in
    /// `ViewOptions::max_bytes`.
    pub name: &'static str,
    /// The value of the option.
    pub allowed: u64,
    /// What needed more; empty if that is the content of the input.
    pub what: &'static str,
    /// The amount that was needed beyond what was left; 0 if it is not known.
    pub needed: u64,
    /// The amount that was left.
    pub left: u64,
}

impl Limit {
    /// A limit of an option.
    pub const fn new(name: &'static str, allowed: u64) -> Self {
        Self { name, allowed, what: "", needed: 0, left: 0 }
    }
}

impl Error {
    /// An error in a field; an empty path if no field was reached.
    #[cold]
    pub fn new(mut kind: ErrorKind, path: impl Into<Text>) -> Self {
        use ErrorKind::{Invalid, InvalidArgument, Unsupported, Unwritable};
        if let Invalid(what) | Unsupported(what) | Unwritable(what) | InvalidArgument(what) = &mut kind {
            what.shorten();
        }
        let mut path = path.into();
        shorten(&mut path);
        Self(Box::new(Inner { kind, path, offset: None, inside: "", line_column: None }))
    }

    /// An error of writing; `path` is the part of the model that cannot be represented.
    #[cold]
    pub fn unwritable(path: impl Into<Text>, what: impl Into<Problem>) -> Self {
        Self::new(ErrorKind::Unwritable(what.into()), path)
    }

    /// An error of a call that the model does not allow; `path` is the part of the model that prevents it.
    #[cold]
    pub fn invalid_argument(path: impl Into<Text>, what: impl Into<Problem>) -> Self {
        Self::new(ErrorKind::InvalidArgument(what.into()), path)
    }

    /// An error of a form that cannot represent a value, as a whole sentence.
    #[cold]
    pub fn not_representable(sentence: impl Into<Text>) -> Self {
        Self::unwritable("", Problem::Sentence(sentence.into()))
    }

    /// An error of a form that needs values which some instances lack.
    #[cold]
    pub fn incomplete(missing: Vec<super::Missing>) -> Self {
        let path = missing.first().map_or_else(String::new, |of| format!("{}.{}", of.class, of.property));
        Self::unwritable(path, Problem::Incomplete(missing.into()))
    }

    /// An error of a call, without a path.
    #[cold]
    pub fn argument(what: impl Into<Problem>) -> Self {
        Self::invalid_argument("", what)
    }

    /// The same error with another path: that of the part of the model that it is about.
    #[cold]
    pub fn at_path(mut self, path: impl Into<Text>) -> Self {
        self.0.path = path.into();
        shorten(&mut self.0.path);
        self
    }

    /// The same error with the path that `path` returns for the current one, for a part of something larger.
    #[cold]
    pub fn below(self, path: impl FnOnce(&str) -> String) -> Self {
        let path = super::joined(&self.0.path, path);
        self.at_path(path)
    }

    /// Whether a limit of memory or of work was reached.
    pub fn is_limit(&self) -> bool {
        matches!(self.kind(), ErrorKind::Limit(_))
    }

    /// The same error at a byte offset.
    pub fn at(mut self, offset: usize) -> Self {
        self.0.offset = Some(offset as u64);
        self
    }

    /// The same error, whose offset counts in these bytes of the input, such as `the decompressed chunk`.
    pub fn inside(mut self, what: &'static str) -> Self {
        self.0.inside = what;
        self
    }

    /// The same error with the line and the column of its offset in a text.
    pub fn in_text(mut self, text: &[u8]) -> Self {
        let offset = self.0.offset.and_then(|offset| usize::try_from(offset).ok());
        let before = offset.and_then(|offset| text.get(..offset)).unwrap_or(text);
        let last = before.rsplit(|&byte| byte == b'\n').next().unwrap_or(before);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        // Columns count characters, so continuation bytes of UTF-8 are skipped.
        let column = 1 + last.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.0.line_column = u32::try_from(line).ok().zip(u32::try_from(column).ok());
        self
    }

    /// The same error with a part added before its path: `parent` within `bones[1]` becomes `bones[1].parent`.
    #[cold]
    pub fn within(mut self, part: &str) -> Self {
        let path = &self.0.path;
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        self.0.path = format!("{part}{dot}{path}").into();
        shorten(&mut self.0.path);
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The path of the field, such as `bones[1].parent`; empty if no field was reached.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The byte offset from the start of the input, or, if the path names a compressed chunk or block, from the
    /// start of its decompressed bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The line, counted from 1, if the input is text.
    pub fn line(&self) -> Option<u32> {
        self.0.line_column.map(|(line, _)| line)
    }

    /// The column in characters, counted from 1, if the input is text.
    pub fn column(&self) -> Option<u32> {
        self.0.line_column.map(|(_, column)| column)
    }

    /// The end of the sentence: ` at line 3, column 5`, ` at offset 0xc`, ` at offset 0xc of the decompressed chunk`, or
    /// nothing.
    pub fn position(&self) -> String {
        match (self.0.line_column, self.0.offset) {
            (Some((line, column)), _) => format!(" at line {line}, column {column}"),
            (None, Some(offset)) if self.0.inside.is_empty() => format!(" at offset {offset:#x}"),
            (None, Some(offset)) => format!(" at offset {offset:#x} of {}", self.0.inside),
            (None, None) => String::new(),
        }
    }
}

/// Turns a [`Problem`] into an [`Error`] at a path.
pub trait Refuse<T> {
    /// The problem is in a model that cannot be written.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`].
    fn unwritable(self, path: impl Into<Text>) -> Result<T>;

    /// The problem is in the arguments of a call.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`].
    fn argument(self, path: impl Into<Text>) -> Result<T>;
}

impl<T> Refuse<T> for Result<T, Problem> {
    fn unwritable(self, path: impl Into<Text>) -> Result<T> {
        self.map_err(|what| Error::unwritable(path, what))
    }

    fn argument(self, path: impl Into<Text>) -> Result<T> {
        self.map_err(|what| Error::invalid_argument(path, what))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, path, .. } = &*self.0;
        let within = if path.is_empty() { "" } else { " in " };
        write!(f, "{kind}{within}{path}{}", self.position())
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::UnexpectedEnd => f.write_str("unexpected end of input"),
            Self::Invalid(what) | Self::InvalidArgument(what) => write!(f, "{what}"),
            Self::Unsupported(what) => write!(f, "unsupported {what}"),
            Self::Unwritable(
                what @ (Problem::Length { .. } | Problem::TooMany { .. } | Problem::Reference { .. }),
            ) => write!(f, "cannot write: {what}"),
            Self::Unwritable(what @ (Problem::Sentence(_) | Problem::Incomplete(_))) => write!(f, "{what}"),
            Self::Unwritable(what) => write!(f, "cannot write {what}"),
            Self::Limit(limit) => write!(f, "{limit} (raise the option {})", limit.name),
        }
    }
}

/// The sentence without advice: `limit of 128 levels of nesting exceeded`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, allowed, .. } = *self;
        let allowed = match name.rsplit("::").next().unwrap_or_default() {
            "max_bytes" => Counted(allowed, "bytes of memory"),
            "max_depth" => Counted(allowed, "levels of nesting"),
            "max_nodes" => Counted(allowed, "XML nodes"),
            "max_steps" => Counted(allowed, "steps of computation"),
            other => Counted(allowed, other),
        };
        write!(f, "limit of {allowed} exceeded")
    }
}

/// The same sentence as `Display`: `fn main() -> Result<(), Error>` and `unwrap` print this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let ErrorKind::Io(error) = self.kind() { Some(error) } else { None }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(ErrorKind::Io(error), "")
    }
}

#[cfg(feature = "serde")]
impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self::new(ErrorKind::Invalid(what.to_string().into()), "")
    }
}

#[cfg(feature = "serde")]
impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self::unwritable("", format!("the value: {what}"))
    }
}

const _: () = {
    const fn sendable<T: Send + Sync + 'static>() {}
    sendable::<Error>();
    assert!(size_of::<Error>() == size_of::<usize>());
};
