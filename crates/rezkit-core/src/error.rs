//! Errors.

use std::fmt;

use geom::wire::{Missing, joined, shortened};

/// The result of functions of the kit.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: the kind, one sentence, and the position in the file.
///
/// It is one pointer in size. An error of a format crate that caused it is its source and provides the sentence.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    /// The sentence, without the path.
    reason: String,
    path: String,
    /// Whether the sentence names the path itself.
    is_named: bool,
    offset: Option<u64>,
    missing: Vec<Missing>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Declares [`ErrorKind`] with the name of each kind.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident: $text:literal),+ $(,)?) => {
        /// The kind of failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[doc = $doc])+ $name),+
        }

        impl ErrorKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name, in lower case.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text),+
                }
            }
        }
    };
}

kinds! {
    /// The format of the bytes is unknown.
    Unknown: "unknown",
    /// The format of the bytes is known, but they cannot be read.
    Unreadable: "unreadable",
    /// The requested form cannot represent the content.
    Unwritable: "unwritable",
    /// The form requires values that the content lacks: [`Error::missing`] lists them, and they can be filled in.
    Incomplete: "incomplete",
    /// The file has nothing for this form, such as triangles.
    Empty: "empty",
    /// The operation needs more memory than the options allow.
    Limit: "limit",
    /// The operation needs more work, or deeper nesting, than is allowed for any file; no option allows more.
    Effort: "effort",
    /// The form, path, property or rule does not exist, or the format does not support the operation: the call was
    /// wrong, not the file.
    Argument: "argument",
}

impl Error {
    /// An error with a sentence, truncated to 600 bytes.
    #[cold]
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            reason: shortened(text.into()),
            path: String::new(),
            is_named: false,
            offset: None,
            missing: Vec::new(),
            source: None,
        }))
    }

    /// Content without values that a form needs.
    #[cold]
    pub fn incomplete(missing: Vec<Missing>) -> Self {
        let text = geom::wire::Problem::Incomplete(missing.clone().into()).to_string();
        let mut error = Self::new(ErrorKind::Incomplete, text);
        error.0.path =
            missing.first().map_or_else(String::new, |of| shortened(format!("{}.{}", of.class, of.property)));
        error.0.is_named = true;
        error.0.missing = missing;
        error
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

    /// The same error for the part of the file at `path`, which is put before the sentence.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        // A path that the sentence has got before is a part of it from now on.
        if !self.0.is_named && !self.0.path.is_empty() {
            self.0.reason = self.to_string();
        }
        (self.0.path, self.0.is_named) = (shortened(path.into()), false);
        self
    }

    /// The same error for several parts of the file, which its sentence names; `path` is the first of them.
    #[must_use]
    pub fn first_at(mut self, path: impl Into<String>) -> Self {
        (self.0.path, self.0.is_named) = (shortened(path.into()), true);
        self
    }

    /// The same error with the path that `path` returns for the current one, for a part of something larger.
    #[must_use]
    pub fn below(mut self, path: impl FnOnce(&str) -> String) -> Self {
        (self.0.path, self.0.is_named) = (shortened(joined(&self.0.path, path)), false);
        self
    }

    /// The same error if the format is known only from the file's name or its first bytes: the sentence names it.
    #[must_use]
    pub fn as_format(mut self, title: &str) -> Self {
        if self.0.kind == ErrorKind::Unreadable && self.0.source.is_none() {
            self.0.reason = shortened(format!("cannot be read as {title}: {}", self.0.reason));
        }
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The path of the field or the instance, such as `bones[1].parent`; empty for the whole file.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The sentence without the path.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Whether the path is printed before the sentence, which does not name it.
    pub fn is_before_reason(&self) -> bool {
        !self.0.path.is_empty() && !self.0.is_named
    }

    /// Whether more memory may help.
    pub fn is_limit(&self) -> bool {
        self.0.kind == ErrorKind::Limit
    }

    /// All missing values, for an error of the kind [`Incomplete`](ErrorKind::Incomplete).
    pub fn missing(&self) -> &[Missing] {
        &self.0.missing
    }

    /// The byte offset in the input, or in the decompressed bytes of the part that the path names.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

/// Converts the error of the format crates.
impl From<geom::wire::Error> for Error {
    #[cold]
    fn from(error: geom::wire::Error) -> Self {
        use geom::wire::{ErrorKind as Kind, Problem};
        if let Kind::Unwritable(Problem::Incomplete(missing)) = error.kind() {
            return Self::incomplete(missing.to_vec());
        }
        let (kind, reason) = match error.kind() {
            // The kit names the option without its module, and has its own kind of error for it.
            Kind::Limit(limit) => {
                let name = limit.name.rsplit("::").next().unwrap_or_default();
                match name {
                    "max_bytes" if limit.what.is_empty() => {
                        let left = geom::wire::Counted(limit.allowed, "bytes");
                        let what = format!(
                            "not enough memory is left for the content (available within max_bytes: {left})"
                        );
                        (ErrorKind::Limit, what)
                    }
                    "max_bytes" => {
                        let [needed, left] =
                            [limit.needed, limit.left].map(|bytes| geom::wire::Counted(bytes, "bytes"));
                        let what = format!(
                            "not enough memory is left for {} (needed: {needed}, available within max_bytes: {left})",
                            limit.what
                        );
                        (ErrorKind::Limit, what)
                    }
                    "max_steps" if !limit.what.is_empty() => {
                        let what = format!(
                            "processing {} would take too long (split or simplify the file)",
                            limit.what
                        );
                        (ErrorKind::Effort, what)
                    }
                    // No more memory helps against nesting that is too deep.
                    _ => (
                        ErrorKind::Effort,
                        format!("{limit} (simplify the file: no option raises this limit)"),
                    ),
                }
            }
            kind @ Kind::Unwritable(_) => (ErrorKind::Unwritable, kind.to_string()),
            kind @ Kind::InvalidArgument(_) => (ErrorKind::Argument, kind.to_string()),
            kind => (ErrorKind::Unreadable, kind.to_string()),
        };
        let (path, offset) = (error.path().to_owned(), error.offset());
        let reason = format!("{reason}{}", error.position());
        // The sentence can be about several parts, of which the path is the first.
        let is_named = matches!(error.kind(), Kind::Unwritable(Problem::Sentence(_)))
            && !path.is_empty()
            && reason.contains(&path);
        let source = Some(Box::new(error) as _);
        Self(Box::new(Inner { kind, reason, path, is_named, offset, missing: Vec::new(), source }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { reason, path, .. } = &*self.0;
        if self.is_before_reason() { write!(f, "{path}: {reason}") } else { f.write_str(reason) }
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

/// `{"kind": …, "text": …, "path": …, "offset": …, "missing": […]}`.
#[cfg(feature = "serde")]
impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;

        let Inner { kind, path, offset, missing, .. } = &*self.0;
        let mut fields = serializer.serialize_struct("Error", 5)?;
        fields.serialize_field("kind", kind)?;
        fields.serialize_field("text", &self.to_string())?;
        fields.serialize_field("path", path)?;
        fields.serialize_field("offset", offset)?;
        fields.serialize_field("missing", missing)?;
        fields.end()
    }
}
