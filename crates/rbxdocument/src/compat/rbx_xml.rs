//! The interface of rbx_xml 3.

use std::io::{Read, Write};
use std::marker::PhantomData;

use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::Ref;
use rbx_reflection::ReflectionDatabase;

use super::{error, refuse, warn};
use crate::errors::Budget;
use crate::weak::Lost;
use crate::weak::{NO_VALUE, UNKNOWN, Unknown, into_xml, to_weak_with};

error! {
    /// An error of reading.
    DecodeError
}

error! {
    /// An error of writing.
    EncodeError
}

impl DecodeError {
    /// The line in the file, from 1; 0 if the error is about no place in it.
    pub fn line(&self) -> usize {
        self.0.line().map_or(0, |line| line as usize)
    }

    /// The column in the line, from 1; 0 if the error is about no place in the file.
    pub fn column(&self) -> usize {
        self.0.column().map_or(0, |column| column as usize)
    }
}

/// Reads a model or place in XML. The root of the result is a `DataModel` with the instances of the file.
///
/// # Errors
/// If the file is malformed, is not XML, or needs more than 1 GiB; with [`DecodePropertyBehavior::ErrorOnUnknown`], if a
/// property is not known.
pub fn from_reader<R: Read>(reader: R, options: DecodeOptions<'_>) -> Result<WeakDom, DecodeError> {
    let mut budget = Budget::new(geom::wire::DEFAULT_MAX_BYTES);
    let bytes = budget.read_all(reader)?;
    decode(&bytes, budget.left(), options)
}

/// As [`from_reader`], with the default options.
///
/// # Errors
/// As that.
pub fn from_reader_default<R: Read>(reader: R) -> Result<WeakDom, DecodeError> {
    from_reader(reader, DecodeOptions::default())
}

/// As [`from_reader`], from a text.
///
/// # Errors
/// As that.
pub fn from_str<S: AsRef<str>>(reader: S, options: DecodeOptions<'_>) -> Result<WeakDom, DecodeError> {
    decode(reader.as_ref().as_bytes(), geom::wire::DEFAULT_MAX_BYTES, options)
}

/// As [`from_str`], with the default options.
///
/// # Errors
/// As that.
pub fn from_str_default<S: AsRef<str>>(reader: S) -> Result<WeakDom, DecodeError> {
    from_str(reader, DecodeOptions::default())
}

fn decode(bytes: &[u8], max_bytes: u64, options: DecodeOptions<'_>) -> Result<WeakDom, DecodeError> {
    let document = rbxxml::ReadOptions::new().max_bytes(max_bytes).keep_source(false).read(bytes)?;
    let unknown = match options.property_behavior {
        DecodePropertyBehavior::IgnoreUnknown => Unknown::Drop,
        DecodePropertyBehavior::ReadUnknown => Unknown::Keep,
        DecodePropertyBehavior::ErrorOnUnknown => Unknown::Refuse,
        DecodePropertyBehavior::NoReflection => Unknown::AsStored,
    };
    let (weak, lost) = to_weak_with(&document, unknown);
    refuse_unknown(unknown, &lost)?;
    warn(&lost);
    Ok(weak)
}

/// Writes instances with everything below them as a model or place in XML.
///
/// # Errors
/// If the value of a property has a type that files do not have; with [`EncodePropertyBehavior::ErrorOnUnknown`], if a
/// property is not known; and if writing fails.
pub fn to_writer<W: Write>(
    writer: W,
    tree: &WeakDom,
    ids: &[Ref],
    options: EncodeOptions<'_>,
) -> Result<(), EncodeError> {
    let unknown = match options.property_behavior {
        EncodePropertyBehavior::IgnoreUnknown => Unknown::Drop,
        EncodePropertyBehavior::WriteUnknown => Unknown::All,
        EncodePropertyBehavior::ErrorOnUnknown => Unknown::Refuse,
        EncodePropertyBehavior::NoReflection => Unknown::AsStored,
    };
    let mut document = rbxxml::Document::new();
    let lost = into_xml(&mut document, tree, ids, unknown)?;
    refuse_unknown(unknown, &lost)?;
    let (unfit, lost): (Vec<_>, Vec<_>) = lost.into_iter().partition(|lost| lost.what == NO_VALUE);
    refuse(&unfit, NO_VALUE)?;
    warn(&lost);
    Ok(rbxxml::to_writer(writer, &document)?)
}

/// As [`to_writer`], with the default options.
///
/// # Errors
/// As that.
pub fn to_writer_default<W: Write>(writer: W, tree: &WeakDom, ids: &[Ref]) -> Result<(), EncodeError> {
    to_writer(writer, tree, ids, EncodeOptions::default())
}

fn refuse_unknown(unknown: Unknown, lost: &[Lost]) -> Result<(), crate::Error> {
    let is_unknown = |lost: &&Lost| unknown == Unknown::Refuse && lost.what == UNKNOWN;
    refuse(&lost.iter().filter(is_unknown).cloned().collect::<Vec<_>>(), UNKNOWN)
}

/// Declares options with a behavior.
macro_rules! options {
    ($(#[$doc:meta])* $name:ident, $behavior:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<'db> {
            property_behavior: $behavior,
            database: PhantomData<&'db ReflectionDatabase<'db>>,
        }

        impl<'db> $name<'db> {
            /// The default options: properties that are not known are dropped.
            #[must_use]
            pub fn new() -> Self {
                Self { property_behavior: $behavior::IgnoreUnknown, database: PhantomData }
            }

            /// Sets what happens with properties that are not known.
            #[must_use]
            pub fn property_behavior(self, property_behavior: $behavior) -> Self {
                Self { property_behavior, ..self }
            }

            /// Accepts a reflection database, which is not used.
            #[must_use]
            pub fn reflection_database(self, _database: &'db ReflectionDatabase<'db>) -> Self {
                self
            }
        }

        impl Default for $name<'_> {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

options! {
    /// Options of reading.
    DecodeOptions, DecodePropertyBehavior
}

options! {
    /// Options of writing.
    EncodeOptions, EncodePropertyBehavior
}

/// What happens in reading with properties that the class table does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodePropertyBehavior {
    /// They are dropped, with a warning.
    IgnoreUnknown,
    /// They are read with the type of the file.
    ReadUnknown,
    /// They are an error.
    ErrorOnUnknown,
    /// All properties have the names and the types of the file.
    NoReflection,
}

/// What happens in writing with properties that the class table does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodePropertyBehavior {
    /// They are dropped, with a warning.
    IgnoreUnknown,
    /// They are written with the type that their value has.
    WriteUnknown,
    /// They are an error.
    ErrorOnUnknown,
    /// All properties are written with the names and the types that they have.
    NoReflection,
}
