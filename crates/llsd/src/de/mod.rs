//! From LLSD into your own types, with serde.
//!
//! | LLSD | serde | also read as |
//! |---|---|---|
//! | undef | unit, `None` | |
//! | boolean | `bool` | |
//! | integer | `i32` | every integer and float that holds it |
//! | real | `f64` | an integer, where it is whole and fits |
//! | string | `&str`, `String`; bytes where it is no UTF-8 | bytes, a unit variant |
//! | UUID | [`crate::Uuid`] | its text |
//! | date | [`crate::Date`] | its text, `f64` seconds |
//! | URI | [`crate::Uri`] | its text |
//! | binary | [`crate::Binary`], `&[u8]` with `serde(borrow)` | |
//! | array | sequence, tuple | |
//! | map | map, struct; with one entry an enum variant with content | |
//!
//! Text and bytes are borrowed from the input where they stand there as they are: nearly always in
//! binary, and in text where nothing is escaped. Which of two equal keys counts is settled as for
//! values, by [`ReadOptions::duplicates`]; for this the input is read twice.
//!
//! [`crate::Value`] is read without losing types, but not where serde itself keeps a value for later
//! (in `flatten`, `untagged` and internally tagged enums): what it keeps has no UUIDs, dates and
//! URIs, and [`crate::Value`] gets strings there. The four types named above survive this too.
//!
//! serde works by recursion: types that contain themselves are read 256 values deep at most, however
//! [`ReadOptions::max_depth`] is set.
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

use std::io::Read;

use serde::de::{Deserialize, DeserializeOwned};

use crate::consts::Encoding;
use crate::error::Result;
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::Value;
use crate::options::ReadOptions;

pub(crate) use reader::DEEPEST;
pub use reader::Deserializer;

/// Reads a document in the encoding that its header names, as [`crate::from_slice`].
///
/// # Errors
/// As [`ReadOptions::read`], and where the document does not fit the type; with the place and the path
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
    deserializer.read_one()
}

/// Reads a binary document without a header.
///
/// # Errors
/// As [`from_slice`].
pub fn from_binary<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, &ReadOptions::new().encoding(Encoding::Binary))
}

/// Reads a document in XML.
///
/// # Errors
/// As [`from_slice`].
pub fn from_xml<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, &ReadOptions::new().encoding(Encoding::Xml))
}

/// Reads a document in notation without a header.
///
/// # Errors
/// As [`from_slice`].
pub fn from_notation<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, &ReadOptions::new().encoding(Encoding::Notation))
}

/// Reads a document from everything that a reader holds.
///
/// # Errors
/// As [`from_slice`], and where the reader fails or holds more than 1 GiB.
pub fn from_reader<T: DeserializeOwned>(reader: impl Read) -> Result<T> {
    from_slice(&read_all(reader, DEFAULT_MAX_BYTES)?)
}

/// Reads a value that is there already; text and bytes can be borrowed from it.
///
/// # Errors
/// Where the value does not fit the type, with the path of keys.
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T> {
    Deserializer::from_value(value).read_one()
}
