//! Serializes your own types to LLSD, with serde.
//!
//! | serde | LLSD |
//! |---|---|
//! | `bool` | boolean |
//! | `i8` … `i32`, `u8`, `u16` | integer |
//! | `u32`, `i64`, `u64`, `i128`, `u128` | integer if it fits 32 bits, otherwise real if that is exact, otherwise an error |
//! | `f32`, `f64` | real |
//! | `char`, `&str`, `String` | string |
//! | bytes (`serde_bytes`, [`crate::Binary`]) | binary |
//! | [`crate::Uuid`], [`crate::Date`], [`crate::Uri`] | UUID, date, URI |
//! | `None`, unit | undef |
//! | `Some`, newtypes | their content |
//! | sequences, tuples | array |
//! | maps, structs | map; keys that are numbers or booleans become text |
//! | unit variants | string |
//! | other variants | a map with the variant's name as its only key |
//!
//! For example, an `i64` of 4294967296 is written as a real, and reads back as an `i64`. 9007199254740993 is refused,
//! because no numeric type of LLSD can represent it.
//!
//! ```
//! #[derive(serde::Serialize)]
//! struct Folder {
//!     name: String,
//!     version: u64,
//! }
//!
//! let folder = Folder { name: "Hats".into(), version: 1 << 40 };
//! assert_eq!(llsd::ser::to_notation(&folder)?, b"{'name':'Hats','version':r1099511627776}");
//! # Ok::<(), llsd::Error>(())
//! ```

mod key;
mod writer;

use std::io::Write;

use serde::Serialize;

use crate::consts::{Encoding, Header, by_encoding};
use crate::model::{Duplicates, Value};
use crate::options::{ReadOptions, WriteOptions};
use geom::wire::Result;

pub use writer::{Compound, Serializer};

/// Writes a document in an encoding, as [`crate::to_vec`].
///
/// # Errors
/// `Unwritable`, with the path, for what the encoding or LLSD cannot represent, and if the type's own serialization
/// fails.
pub fn to_vec<T: Serialize + ?Sized>(value: &T, encoding: Encoding) -> Result<Vec<u8>> {
    to_vec_with(value, &WriteOptions::new().encoding(encoding))
}

/// Writes a document with options.
///
/// # Errors
/// As [`to_vec`].
pub fn to_vec_with<T: Serialize + ?Sized>(value: &T, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut writer = options.events();
    value.serialize(&mut Serializer::new(&mut writer))?;
    writer.finish()
}

/// Writes a document in an encoding into a writer, as [`crate::to_writer`].
///
/// # Errors
/// As [`to_vec`], and if the writer fails.
pub fn to_writer<T: Serialize + ?Sized>(mut writer: impl Write, value: &T, encoding: Encoding) -> Result<()> {
    Ok(writer.write_all(&to_vec(value, encoding)?)?)
}

by_encoding! {
    "Writes a document in ", " without a header", "As [`to_vec`].",
    [<T: Serialize + ?Sized>] (value: &T) -> Result<Vec<u8>>,
    |encoding| to_vec_with(value, &WriteOptions::new().encoding(encoding).header(Header::None));
    to_binary, to_xml, to_notation
}

/// Serializes a type to a [`Value`].
///
/// # Errors
/// `Unwritable`, with the path, for what LLSD cannot represent, and if the type's own serialization fails.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    // Goes through binary, which keeps every bit.
    let limits = ReadOptions::new().encoding(Encoding::Binary).max_bytes(u64::MAX).max_depth(u32::MAX);
    limits.duplicates(Duplicates::Last).read(&to_binary(value)?)
}
