//! The interface of rbx_binary 3.

use std::io::{Read, Write};
use std::marker::PhantomData;

use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::Ref;
use rbx_reflection::ReflectionDatabase;

use super::{error, refuse, warn};
use crate::weak::NO_VALUE;
use crate::weak::table::Tables;
use crate::weak::to_weak;

error! {
    /// An error of reading.
    DecodeError
}

error! {
    /// An error of writing.
    EncodeError
}

/// Reads a binary model or place. The root of the result is a `DataModel` with the instances of the file.
///
/// # Errors
/// If the file is malformed, is not binary, or needs more than 1 GiB.
pub fn from_reader<R: Read>(reader: R) -> Result<WeakDom, DecodeError> {
    Deserializer::new().deserialize(reader)
}

/// Writes instances with everything below them as a binary model or place.
///
/// # Errors
/// As [`Serializer::serialize`].
pub fn to_writer<W: Write>(writer: W, dom: &WeakDom, refs: &[Ref]) -> Result<(), EncodeError> {
    Serializer::new().serialize(writer, dom, refs)
}

/// Reads binary models and places.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Deserializer<'db> {
    database: PhantomData<&'db ReflectionDatabase<'db>>,
}

impl<'db> Deserializer<'db> {
    /// A reader with the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts a reflection database, which is not used.
    #[must_use]
    pub fn reflection_database(self, _database: &'db ReflectionDatabase<'db>) -> Self {
        self
    }

    /// As [`from_reader`].
    ///
    /// # Errors
    /// As that.
    pub fn deserialize<R: Read>(&self, reader: R) -> Result<WeakDom, DecodeError> {
        let mut budget = crate::errors::Budget::new(geom::wire::DEFAULT_MAX_BYTES);
        let bytes = budget.read_all(reader)?;
        let options = rbxbinary::ReadOptions::new().max_bytes(budget.left()).keep_source(false);
        let document = options.read(&bytes)?;
        drop(bytes);
        let (weak, lost) = to_weak(&document);
        warn(&lost);
        Ok(weak)
    }
}

/// Writes binary models and places.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Serializer<'db> {
    database: PhantomData<&'db ReflectionDatabase<'db>>,
    compression: CompressionType,
}

impl<'db> Serializer<'db> {
    /// A writer with the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts a reflection database, which is not used.
    #[must_use]
    pub fn reflection_database(self, _database: &'db ReflectionDatabase<'db>) -> Self {
        self
    }

    /// Sets the compression of the file.
    #[must_use]
    pub fn compression_type(self, compression: CompressionType) -> Self {
        Self { compression, ..self }
    }

    /// Writes instances with everything below them. A property that some instances of a class lack is written with the
    /// default of the class, and a reference to an instance that is not written as null.
    ///
    /// # Errors
    /// If the value of a property has another type than files store, and cannot be converted; and if writing fails.
    pub fn serialize<W: Write>(&self, writer: W, dom: &WeakDom, refs: &[Ref]) -> Result<(), EncodeError> {
        let tables = Tables::new(dom, refs)?;
        warn(&tables.unstored);
        let unfit = tables.write(
            writer,
            match self.compression {
                CompressionType::Lz4 => rbxbinary::Compression::Lz4,
                CompressionType::None => rbxbinary::Compression::None,
                CompressionType::Zstd => rbxbinary::Compression::Zstd,
            },
        )?;
        Ok(refuse(&unfit, NO_VALUE)?)
    }
}

/// The compression of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompressionType {
    /// LZ4, as Studio writes.
    #[default]
    Lz4,
    /// None.
    None,
    /// Zstandard.
    Zstd,
}
