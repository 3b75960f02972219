//! Options for reading and writing: fields and setters. `read` and `write` implement them.

use crate::consts::{Encoding, Header};
use crate::model::Duplicates;
use geom::wire::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, options};

options! {
    /// Options for reading.
    ///
    /// ```
    /// use llsd::{Encoding, ReadOptions};
    ///
    /// // A value without a header, somewhere in another file.
    /// let bytes = b"i\0\0\0\x07 and more";
    /// let (value, used) = ReadOptions::new().encoding(Encoding::Binary).max_depth(96).read_used(bytes)?;
    /// assert_eq!((value.as_integer(), used), (Some(7), 5));
    /// # Ok::<(), llsd::Error>(())
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate, including the input if it comes from a `Read`: 1 GiB by
        /// default. A count in the input never allocates more values than the remaining input can contain.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
        /// The maximum nesting of values, including the innermost scalar: 128 by default. The viewer allows 96
        /// in compressed content of assets.
        max_depth: u32 = DEFAULT_MAX_DEPTH;
        /// Whether any malformed input is an error. Off by default: malformed input is read as the viewer
        /// reads it. The tables in [the page of the format](crate::_format) list the differences.
        strict: bool = false;
        /// Which of two entries with the same key is used. By default, as in the viewer: the first in
        /// binary and notation, the last in XML.
        duplicates: Duplicates => Option<Duplicates> = None;
        /// The encoding of the input, with or without a header. A header that names another encoding is
        /// an error. By default, the header or the content determines the encoding.
        encoding: Encoding => Option<Encoding> = None;
        /// Whether deserializing with serde converts scalars of another type as the viewer does
        /// ([`crate::Value::to_integer`] and so on): booleans from integers, numbers from strings, text from
        /// numbers. Off by default: such a scalar is an error. A [`crate::Value`] is never converted.
        coerce: bool = false;
        + noting: bool = false; // Whether malformed input that is accepted is recorded.
    }
}

impl ReadOptions {
    pub(crate) fn rule(&self, encoding: Encoding) -> Duplicates {
        self.duplicates.unwrap_or(match encoding {
            Encoding::Xml => Duplicates::Last,
            Encoding::Binary | Encoding::Notation => Duplicates::First,
        })
    }
}

/// The treatment of characters that XML cannot represent: control characters except tab, line feed
/// and carriage return, U+FFFE and U+FFFF, and bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Controls {
    /// They are an error.
    #[default]
    Refuse,
    /// They are dropped.
    Drop,
}

options! {
    /// Options for writing. The default is binary with a header.
    ///
    /// ```
    /// use llsd::{Encoding, Header, Value, WriteOptions};
    ///
    /// let value = Value::from([1, 2]);
    /// let text = WriteOptions::new().encoding(Encoding::Notation).header(Header::Viewer).write(&value)?;
    /// assert_eq!(text, b"<? llsd/notation ?>\n[i1,i2]");
    /// # Ok::<(), llsd::Error>(())
    /// ```
    WriteOptions {
        /// The encoding: binary by default.
        encoding: Encoding = Encoding::default();
        /// The header: [`Header::Common`] by default.
        header: Header = Header::default();
        /// Whether XML and notation are indented, with an entry on each line. Off by default. Levels after
        /// the fortieth are not indented further.
        indent: bool = false;
        /// Whether XML and notation write `true` and `false` instead of `1` and `0`. Off by default.
        words: bool = false;
        /// The treatment of characters that XML cannot represent. Refused by default.
        controls: Controls = Controls::default();
    }
}
