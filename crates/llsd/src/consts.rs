//! The three encodings, and the headers that name them at the beginning of a file.

use std::fmt;

/// The maximum nesting of containers for serde, which recurses.
#[cfg(feature = "serde")]
pub(crate) const MAX_SERDE_DEPTH: u32 = 256;

/// Declares the encodings, one per line: the name that the viewer writes into a header, the MIME type, and whether
/// it is text.
macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident = $header:literal, $mime_type:literal, $is_text:literal;)+) => {
        /// The encoding of a document.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Encoding {
            $($(#[$doc])* $name,)+
        }

        impl Encoding {
            /// All encodings.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name that the viewer writes into a header.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $header),+ }
            }

            /// Whether documents in this encoding are text.
            pub const fn is_text(self) -> bool {
                match self { $(Self::$name => $is_text),+ }
            }

            /// The MIME type, as in `Content-Type`.
            pub const fn mime_type(self) -> &'static str {
                match self { $(Self::$name => $mime_type),+ }
            }
        }
    };
}

encodings! {
    /// Each value begins with a marker byte; counts and numbers are big-endian.
    #[default]
    Binary = "LLSD/Binary", "application/llsd+binary", false;
    /// XML elements inside `<llsd>`.
    Xml = "LLSD/XML", "application/llsd+xml", true;
    /// Short text, such as `{'a':i1}`.
    Notation = "llsd/notation", "application/llsd+notation", true;
}

impl Encoding {
    /// The encoding of a MIME type, whatever its case and parameters. `application/llsd` alone is XML.
    ///
    /// ```
    /// use llsd::Encoding;
    ///
    /// assert_eq!(Encoding::from_mime_type("application/llsd+xml; charset=utf-8"), Some(Encoding::Xml));
    /// assert_eq!(Encoding::from_mime_type("text/html"), None);
    /// ```
    pub fn from_mime_type(mime_type: &str) -> Option<Self> {
        let name = mime_type.split(';').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("application/llsd") {
            return Some(Self::Xml);
        }
        Self::ALL.iter().copied().find(|encoding| name.eq_ignore_ascii_case(encoding.mime_type()))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The header before the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Header {
    /// The header that every known reader accepts: `<? LLSD/Binary ?>` and a line feed before binary, which requires a
    /// header, `<?xml version="1.0" encoding="UTF-8"?>` and a line feed before XML, and nothing
    /// before notation. The only exception is python-llsd 1.0.0, which accepts only the header of [`Header::Python`]
    /// before binary.
    #[default]
    Common,
    /// No header: only the value, for use in other files and HTTP bodies.
    None,
    /// The viewer's headers: `<? LLSD/Binary ?>`, `<? LLSD/XML ?>`, `<? llsd/notation ?>`, and a
    /// line feed. XML with this header is not well-formed: parsers of XML and older versions of
    /// python-llsd refuse it.
    Viewer,
    /// The headers of python-llsd: `<?llsd/binary?>` and a line feed, `<?xml version="1.0" ?>`, and nothing before
    /// notation.
    Python,
}

impl Header {
    pub(crate) fn bytes(self, encoding: Encoding) -> &'static [u8] {
        match (self, encoding) {
            (Self::None, _) | (Self::Common | Self::Python, Encoding::Notation) => b"",
            (Self::Common, Encoding::Xml) => b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
            (Self::Python, Encoding::Xml) => b"<?xml version=\"1.0\" ?>",
            (Self::Python, Encoding::Binary) => b"<?llsd/binary?>\n",
            (Self::Viewer | Self::Common, Encoding::Binary) => b"<? LLSD/Binary ?>\n",
            (Self::Viewer, Encoding::Xml) => b"<? LLSD/XML ?>\n",
            (Self::Viewer, Encoding::Notation) => b"<? llsd/notation ?>\n",
        }
    }
}

/// Declares a function for each encoding with one body: `by_encoding!("Reads a value", " with a header", "as …",
/// [generics] (argument) -> result, |encoding| body; for_binary, for_xml, for_notation)`.
macro_rules! by_encoding {
    (@ $name:ident, $one:ident, $in:literal, $what:literal, $more:literal, $errors:literal,
        [$($generics:tt)*] ($arg:ident: $type:ty) -> $result:ty, |$encoding:ident| $body:expr) => {
        #[doc = concat!($what, $in, $more, ".")]
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $name $($generics)* ($arg: $type) -> $result {
            let $encoding = Encoding::$one;
            $body
        }
    };
    ($what:literal, $more:literal, $errors:literal, $generics:tt $arg:tt -> $result:ty, |$encoding:ident| $body:expr;
        $binary:ident, $xml:ident, $notation:ident) => {
        by_encoding!(@ $binary, Binary, "binary", $what, $more, $errors, $generics $arg -> $result, |$encoding| $body);
        by_encoding!(@ $xml, Xml, "XML", $what, $more, $errors, $generics $arg -> $result, |$encoding| $body);
        by_encoding!(@ $notation, Notation, "notation", $what, $more, $errors, $generics $arg -> $result, |$encoding| $body);
    };
}
pub(crate) use by_encoding;
