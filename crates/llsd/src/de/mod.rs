//! Deserializes your own types from LLSD, with serde.
//!
//! | LLSD | serde | also read as |
//! |---|---|---|
//! | undef | unit, `None` | |
//! | boolean | `bool` | |
//! | integer | `i32` | every integer and float that can represent it |
//! | real | `f64` | an integer, if the real is whole and in range |
//! | string | `&str`, `String`; bytes if it is not UTF-8 | bytes, a unit variant |
//! | UUID | [`crate::Uuid`] | its text |
//! | date | [`crate::Date`] | its text, `f64` seconds |
//! | URI | [`crate::Uri`] | its text |
//! | binary | [`crate::Binary`], `&[u8]` with `serde(borrow)` | |
//! | array | sequence, tuple | |
//! | map | map, struct; a map of one entry also as an enum variant with content | |
//!
//! # As the viewer converts
//!
//! The viewer converts a value to the type that it needs, and its own `settings.xml` files rely on that: they have
//! `<integer>1</integer>` for booleans, and strings for numbers. With [`ReadOptions::coerce`], types are
//! deserialized in the same way: booleans, numbers, text, UUIDs, dates and URIs from any scalar, by the table of
//! [`crate::Value::to_boolean`]. A number that the type cannot represent remains an error, and so does an array or a
//! map instead of a scalar.
//!
//! ```
//! use llsd::{ReadOptions, de};
//!
//! #[derive(serde::Deserialize)]
//! #[serde(rename_all = "PascalCase")]
//! struct Setting {
//!     comment: String,
//!     persist: bool,
//!     value: f32,
//! }
//!
//! let xml = b"<llsd><map><key>Comment</key><string>Volume</string><key>Persist</key><integer>1</integer>
//!     <key>Value</key><string>0.5</string></map></llsd>";
//! let setting: Setting = de::from_slice_with(xml, &ReadOptions::new().coerce(true))?;
//! assert_eq!((setting.persist, setting.value), (true, 0.5));
//! assert!(de::from_slice::<Setting>(xml).is_err());
//! # Ok::<(), llsd::Error>(())
//! ```
//!
//! # Borrowing, duplicate keys, memory and nesting
//!
//! Text and bytes are borrowed from the input if it contains them unescaped: nearly always in binary, often in text.
//! [`ReadOptions::duplicates`] decides which of two equal keys is used; if it is the last one, as in XML, the input is
//! read twice. [`ReadOptions::max_bytes`] limits what this crate allocates, including a [`crate::Value`] in a type, but
//! not what other types allocate.
//!
//! [`crate::Value`] keeps all types, unless serde itself buffers the value (in `flatten`, `untagged` and internally tagged
//! enums): its buffer has no UUIDs, dates and URIs, so [`crate::Value`] gets strings. [`crate::Uuid`], [`crate::Date`],
//! [`crate::Uri`] and [`crate::Binary`] keep their types even then.
//!
//! serde recurses: at most 256 containers may be nested, whatever [`ReadOptions::max_depth`] is.
//!
//! # JSON and other formats
//!
//! Your own types lose nothing, because they know the type of each field: [`crate::Uuid`], [`crate::Date`]
//! and [`crate::Uri`] are written to JSON as strings and read from strings, and [`crate::Binary`] is an array of
//! numbers. A [`crate::Value`] that is converted to JSON and back changes as follows:
//!
//! | LLSD | JSON | read from JSON as |
//! |---|---|---|
//! | undef, boolean, string, array, map | the same | the same |
//! | integer | a number | the same; whole numbers beyond 32 bits are reals, or an error if a real is not exact |
//! | real | a number; NaN and infinities are `null` | the same; undef |
//! | UUID, date, URI | a string; a date without an exact text is a number | string, real |
//! | binary, a string that is not UTF-8 | an array of numbers | array of integers |
//!
//! ```
//! #[derive(serde::Deserialize)]
//! struct Folder<'a> {
//!     folder_id: llsd::Uuid,
//!     #[serde(borrow)]
//!     name: &'a str,
//!     version: Option<i64>,
//! }
//!
//! let text = b"{'folder_id':u6b075707-299a-462f-8576-f558d18e2867,'name':'Hats','version':!}";
//! let folder: Folder = llsd::de::from_notation(text)?;
//! assert_eq!((folder.name, folder.version), ("Hats", None));
//! assert!(!folder.folder_id.is_null());
//! # Ok::<(), llsd::Error>(())
//! ```

mod key;
mod reader;
mod visit;

use std::io::Read;

use serde::de::{Deserialize, DeserializeOwned};

use crate::consts::{Encoding, by_encoding};
use crate::model::Value;
use crate::options::ReadOptions;
use geom::wire::{Budget, Result};

pub use reader::Deserializer;

/// Reads a document in the encoding that its header names, as [`crate::from_slice`].
///
/// # Errors
/// As [`ReadOptions::read`], and if the document does not fit the type. The error has the offset and the path
/// of keys.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, &ReadOptions::new())
}

/// Reads a document with options.
///
/// # Errors
/// As [`from_slice`].
pub fn from_slice_with<'de, T: Deserialize<'de>>(bytes: &'de [u8], options: &ReadOptions) -> Result<T> {
    let mut deserializer = Deserializer::new(bytes, options)?;
    let read = deserializer.read_one()?;
    deserializer.ends()?;
    Ok(read)
}

/// Reads a document and returns the number of bytes used, like [`ReadOptions::read_used`].
///
/// # Errors
/// As [`from_slice`].
pub fn from_slice_used<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
    options: &ReadOptions,
) -> Result<(T, usize)> {
    let mut deserializer = Deserializer::new(bytes, options)?;
    let read = deserializer.read_one()?;
    Ok((read, deserializer.used()))
}

/// Reads a document from text, like [`from_slice`].
///
/// # Errors
/// As [`from_slice`].
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    from_slice(text.as_bytes())
}

by_encoding! {
    "Reads a document in ", ", with or without a header", "As [`from_slice`].",
    [<'de, T: Deserialize<'de>>] (bytes: &'de [u8]) -> Result<T>,
    |encoding| from_slice_with(bytes, &ReadOptions::new().encoding(encoding));
    from_binary, from_xml, from_notation
}

/// Reads a document from all bytes of a reader.
///
/// # Errors
/// As [`from_slice`], and if the reader fails.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    from_reader_with(reader, &ReadOptions::new())
}

/// Reads a document from all bytes of a reader, with options.
///
/// # Errors
/// As [`from_reader`].
pub fn from_reader_with<T: DeserializeOwned>(reader: impl Read, options: &ReadOptions) -> Result<T> {
    let mut budget = Budget::new(options.max_bytes);
    let bytes = budget.read_all(reader)?;
    let mut deserializer = Deserializer::with_budget(&bytes, options, budget)?;
    let read = deserializer.read_one()?;
    deserializer.ends()?;
    Ok(read)
}

/// Deserializes a [`Value`]; text and bytes can be borrowed from it.
///
/// # Errors
/// If the value does not fit the type, with the path of keys.
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T> {
    Deserializer::from_value(value).read_one()
}
