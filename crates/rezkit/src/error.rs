//! What can go wrong.

use std::fmt;

/// The result of what this crate does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed: the kind, one sentence, and the error of the format's crate as the source.
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are of no known format.
    Unknown,
    /// The bytes are of a known format and cannot be read.
    Unreadable,
    /// The content cannot be represented in the form that was asked for.
    Unwritable,
    /// There is no such form, path, property or rule: the call was wrong, not the file.
    Argument,
}

/// The longest text of an error that is made here, in bytes: it may quote the input.
const MAX_TEXT: usize = 600;

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.len() > MAX_TEXT {
            let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        Self { kind, text, source: None }
    }

    pub(crate) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(error)), ..Self::new(ErrorKind::Unreadable, "") }.named()
    }

    pub(crate) fn unwritable(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(error)), ..Self::new(ErrorKind::Unwritable, "") }.named()
    }

    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, text)
    }

    /// With the text of its source.
    fn named(self) -> Self {
        let text = self.source.as_ref().map_or_else(String::new, ToString::to_string);
        Self { source: self.source, ..Self::new(self.kind, text) }
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The same sentence as `Display`: this is what `fn main() -> Result<(), Error>` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
