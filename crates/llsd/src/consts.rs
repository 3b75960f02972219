//! The three encodings and how a file says which it is.

use std::fmt;

/// How a document is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One marker byte a value, counts, big-endian numbers.
    #[default]
    Binary,
    /// Elements under `<llsd>`.
    Xml,
    /// Short text: `{'a':i1}`.
    Notation,
}

impl Encoding {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Binary, Self::Xml, Self::Notation];

    /// The name that the viewer writes into a header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Binary => "LLSD/Binary",
            Self::Xml => "LLSD/XML",
            Self::Notation => "llsd/notation",
        }
    }

    /// Whether it is text.
    pub const fn is_text(self) -> bool {
        !matches!(self, Self::Binary)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
