//! What can go wrong.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use crate::text::shortened;

/// The result of what the kit does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed: the kind, one sentence, and where in the file.
///
/// One word wide. An error of a format's crate is its source, and its sentence is the error's.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    text: String,
    path: String,
    offset: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are of no known format.
    Unknown,
    /// The bytes are of a known format and cannot be read.
    Unreadable,
    /// The content cannot be represented in the form that was asked for.
    Unwritable,
    /// More memory is needed than the options allow.
    Limit,
    /// More work, or more levels of nesting, are needed than any file may ask for: no option allows more.
    Effort,
    /// There is no such form, path, property or rule, or the format has no such operation: the call was wrong,
    /// not the file.
    Argument,
}

impl ErrorKind {
    /// The name, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Unreadable => "unreadable",
            Self::Unwritable => "unwritable",
            Self::Limit => "limit",
            Self::Effort => "effort",
            Self::Argument => "argument",
        }
    }
}

impl Error {
    /// An error with a sentence, of which the first 600 bytes are kept.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            text: shortened(text.into()),
            path: String::new(),
            offset: None,
            source: None,
        }))
    }

    /// A file that cannot be read.
    #[cold]
    pub fn unreadable(what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Unreadable, what.to_string())
    }

    /// Content that cannot be represented.
    #[cold]
    pub fn unwritable(what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Unwritable, what.to_string())
    }

    /// A wrong call.
    #[cold]
    pub fn argument(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, text)
    }

    /// The same error about a part of the file, whose path begins the sentence.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.0.path = shortened(path.into());
        self.0.text = format!("{}: {}", self.0.path, self.0.text);
        self
    }

    /// The same error where the file is of a format only by its name or its first bytes: the sentence names it.
    #[must_use]
    pub fn as_format(mut self, title: &str) -> Self {
        if self.0.kind == ErrorKind::Unreadable && self.0.source.is_none() {
            self.0.text = shortened(format!("cannot be read as {title}: {}", self.0.text));
        }
        self
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The field or the instance that it is about, as `bones[1].parent`; empty where it is about the whole file.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The byte offset in the input, or in the decompressed bytes of the part that the path names.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

/// The errors of the formats' crates, which are one file.
macro_rules! from_format {
    ($($format:ident)+) => {
        $(impl From<$format::Error> for Error {
            #[cold]
            fn from(error: $format::Error) -> Self {
                use $format::ErrorKind as Kind;
                let (kind, text) = match error.kind() {
                    // The option has another name here, and its own error.
                    Kind::Limit(limit) => {
                        let (name, allowed) = (limit.name.rsplit("::").next().unwrap_or_default(), limit.allowed);
                        (ErrorKind::Limit, format!("limit of {allowed} reached ({name})"))
                    }
                    Kind::Unwritable(_) => (ErrorKind::Unwritable, error.to_string()),
                    Kind::InvalidArgument(_) => (ErrorKind::Argument, error.to_string()),
                    _ => (ErrorKind::Unreadable, error.to_string()),
                };
                let (path, offset) = (error.path().to_owned(), error.offset());
                Self(Box::new(Inner { kind, text, path, offset, source: Some(Box::new(error)) }))
            }
        })+
    };
}
from_format! { llsd m3d rbxbinary rbxblobs rbxmesh rbxxml slmesh }

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
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
        self.0.source.as_ref().map(|source| &**source as _)
    }
}

/// `{"kind": …, "text": …, "path": …, "offset": …}`.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Inner { kind, text, path, offset, source: _ } = &*self.0;
        let mut fields = serializer.serialize_struct("Error", 4)?;
        fields.serialize_field("kind", kind)?;
        fields.serialize_field("text", text)?;
        fields.serialize_field("path", path)?;
        fields.serialize_field("offset", offset)?;
        fields.end()
    }
}
