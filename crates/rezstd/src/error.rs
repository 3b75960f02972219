//! The errors of a frame, with their positions.

use core::fmt;

/// The result of reading.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a frame could not be read, and at which offset of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

/// The kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ended early.
    UnexpectedEnd,
    /// The input does not begin with the magic of a frame.
    NotZstd,
    /// The frame needs the dictionary with this id.
    Dictionary(u32),
    /// The frame breaks the format in this field.
    Invalid(&'static str),
    /// The content is longer than this limit.
    TooLong(usize),
    /// The content does not have the declared length.
    Length {
        /// The declared length.
        declared: u64,
        /// The actual length.
        found: u64,
    },
    /// The checksum in the frame is not that of the content.
    Checksum {
        /// The checksum in the frame.
        expected: u32,
        /// The checksum of the content.
        found: u32,
    },
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    #[cold]
    pub(crate) fn invalid(field: &'static str, offset: usize) -> Self {
        Self::new(ErrorKind::Invalid(field), offset)
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The byte offset of the error in the input.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEnd => f.write_str("unexpected end of input"),
            Self::NotZstd => f.write_str("not a zstd frame: expected the magic number 28 b5 2f fd"),
            Self::Dictionary(id) => {
                write!(f, "unsupported zstd dictionary {id} (compress without a dictionary)")
            }
            Self::Invalid(field) => write!(f, "invalid {field}"),
            Self::TooLong(allowed) => {
                write!(f, "the decompressed content exceeds the limit of {allowed} bytes")
            }
            Self::Length { declared, found } => {
                write!(
                    f,
                    "the size of the content is {found} instead of the {declared} declared in the frame header"
                )
            }
            Self::Checksum { expected, found } => {
                write!(
                    f,
                    "the content has the checksum {found:08x}, but the stored one is {expected:08x} (the data is damaged)"
                )
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {:#x}", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}
