//! [format]: crate::_format
#![doc = include_str!("../README.md")]
//!
//! # Calls
//!
//! | to | use |
//! |---|---|
//! | read a value | [`from_slice`], [`from_str`], [`read_binary`], [`read_xml`], [`read_notation`], [`ReadOptions`] |
//! | inspect it | [`Value::find`], indexing, [`Value::as_integer`] … (exact), [`Value::to_integer`] … (as the viewer converts) |
//! | create or change one | [`llsd!`], [`Value::set`], [`Map::insert`] |
//! | write it | [`to_vec`], [`to_string`], [`write_binary`], [`write_xml`], [`write_notation`], [`WriteOptions`] |
//! | edit a file | [`Document`]: [`Document::set`], [`Document::insert`], [`Document::remove`], [`Document::span`]; everything unedited stays byte for byte |
//! | change the encoding | [`transcode`], without building a value |
//! | read and write piece by piece | [`Reader`], [`Writer`], [`Event`] |
//! | read parts of a large binary value | [`Lazy`] |
//! | use your own types | `llsd::de` and `llsd::ser`, with the feature `serde` |
//! | find what breaks other programs | [`check`](fn@check) |
//!
//! The functions come in pairs: `read_xml` reads the output of `write_xml`. All of them read with or without a header.
//! [`to_vec`] writes files that [`from_slice`] and other programs recognize by content. Reading is as tolerant as the
//! viewer, unless [`ReadOptions::strict`] is set; the tables in [`_format`] list the differences.
//!
//! # Memory
//!
//! A read takes at most 112 times the size of the input (for a document of only the shortest values; real documents
//! take two to four times their size), and never more than [`ReadOptions::max_bytes`]. [`ReadOptions::max_depth`] can
//! be raised to a million.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(doc, doctest))]
// The picture itself, since a page of rustdoc cannot refer to the file; FORMAT.md's reference becomes an empty one.
#[doc = "[structure]: data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\n"]
#[doc = include_str!("../structure.svg")]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}

mod check;
mod checked;
mod consts;
#[cfg(feature = "serde")]
pub mod de;
mod distinct;
mod document;
mod lazy;
mod model;
mod options;
mod read;
#[cfg(feature = "serde")]
pub mod ser;
mod text;
mod transcode;
mod wire;
mod write;

use std::io::{Read, Write};

pub use bstr;
pub use check::check;
use consts::by_encoding;
pub use consts::{Encoding, Header};
pub use document::{Document, Layout, Written};
pub use geom::wire::{Error, Result};
pub use lazy::{Entries, Items, Lazy};
pub use model::{Array, Binary, Date, Duplicates, Event, Map, Scalar, Text, Uri, Uuid, Value};
pub use options::{Controls, ReadOptions, WriteOptions};
pub use read::Reader;
pub use transcode::transcode;
pub use write::Writer;

/// What errors and findings consist of, limits of memory, and the rules of [`check`](fn@crate::check).
pub mod errors {
    pub use geom::wire::{ErrorKind, Finding, Limit, Problem, Rule, Severity};

    pub use crate::check::RULES;
}

/// The encoding of a document, by its first bytes alone; `None` if they do not determine it. Notation and
/// binary without a header cannot be distinguished from other files.
pub fn detect(bytes: &[u8]) -> Option<Encoding> {
    wire::header::detect(bytes)
}

/// Reads a value in the encoding that its header names; without a header, as XML if the first character is `<`, and
/// otherwise as notation. Binary without a header is an error, and so is any other input, such as JSON, HTML, gzip,
/// UTF-16 or no bytes at all.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Value> {
    ReadOptions::new().read(bytes)
}

/// Reads a value from a text, as [`from_slice`].
///
/// # Errors
/// As [`ReadOptions::read`].
#[allow(clippy::should_implement_trait, reason = "a function of the crate, as in serde_json")]
pub fn from_str(text: &str) -> Result<Value> {
    from_slice(text.as_bytes())
}

/// Reads a value from all bytes of a reader, like [`from_slice`].
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Value> {
    ReadOptions::new().read_from(reader)
}

by_encoding! {
    "Reads a value in ", ", with or without a header", "As [`ReadOptions::read`].",
    [] (bytes: &[u8]) -> Result<Value>, |encoding| ReadOptions::new().encoding(encoding).read(bytes);
    read_binary, read_xml, read_notation
}

/// Writes a value as a file that [`from_slice`] and every other known reader recognize by content
/// ([`Header::Common`]).
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(value: &Value, encoding: Encoding) -> Result<Vec<u8>> {
    WriteOptions::new().encoding(encoding).write(value)
}

/// Writes a value as text, as [`to_vec`]: XML or notation.
///
/// # Errors
/// Like [`WriteOptions::write`]; binary is also an error.
pub fn to_string(value: &Value, encoding: Encoding) -> Result<String> {
    match encoding {
        Encoding::Binary => Err(Error::unwritable("", "binary LLSD as text (use to_vec, XML or notation)")),
        Encoding::Xml | Encoding::Notation => String::from_utf8(to_vec(value, encoding)?)
            .map_err(|_| Error::unwritable("", errors::Problem::Utf8)),
    }
}

/// Writes a value as a file into a writer, as [`to_vec`].
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, value: &Value, encoding: Encoding) -> Result<()> {
    WriteOptions::new().encoding(encoding).write_to(writer, value)
}

by_encoding! {
    "Writes a value in ", " without a header or an XML declaration", "As [`WriteOptions::write`].",
    [] (value: &Value) -> Result<Vec<u8>>,
    |encoding| WriteOptions::new().encoding(encoding).header(Header::None).write(value);
    write_binary, write_xml, write_notation
}

/// A value as a literal, much like JSON: `undef`, arrays, maps, and any expression that
/// [`Value`](crate::Value) implements [`From`] for.
///
/// ```
/// use llsd::{llsd, Uuid, Value};
///
/// let sizes = vec![Value::Real(0.5)];
/// let value = llsd!({
///     "name": "cube",
///     "owner": Uuid::NULL,
///     "parts": [{ "sizes": sizes, "turns": 1 + 1, "left": -1 }, undef],
///     "empty": {},
/// });
/// assert_eq!(value.find("parts/0/turns"), Some(&Value::Integer(2)));
/// assert!(value["parts"][1].is_undef() && value["empty"].as_map().is_some());
/// ```
#[macro_export]
macro_rules! llsd {
    (@array [$($done:expr,)*]) => {
        $crate::Value::from(<[$crate::Value]>::into_vec(::std::boxed::Box::new([$($done,)*])))
    };
    (@array [$($done:expr,)*] undef $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::Value::Undef,] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::llsd!([$($inner)*]),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::llsd!({$($inner)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::llsd!(@array [$($done,)* $crate::Value::from($next),] $($($rest)*)?)
    };
    (@map [$($key:expr => $done:expr,)*]) => {
        $crate::Value::Map(
            <$crate::Map as ::std::iter::FromIterator<(&str, $crate::Value)>>::from_iter([$(($key, $done),)*])
        )
    };
    (@map [$($done:tt)*] $key:literal : undef $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::Value::Undef,] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::llsd!([$($inner)*]),] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::llsd!({$($inner)*}),] $($($rest)*)?)
    };
    (@map [$($done:tt)*] $key:literal : $next:expr $(, $($rest:tt)*)?) => {
        $crate::llsd!(@map [$($done)* $key => $crate::Value::from($next),] $($($rest)*)?)
    };
    (undef) => { $crate::Value::Undef };
    ([$($inner:tt)*]) => { $crate::llsd!(@array [] $($inner)*) };
    ({$($inner:tt)*}) => { $crate::llsd!(@map [] $($inner)*) };
    ($value:expr) => { $crate::Value::from($value) };
}
