//! How to read and how to write.

use std::io::{Read, Write};

use crate::ascii;
use crate::consts::Variant;
use crate::error::Result;
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::Model;
use crate::wire;

/// How to read a model.
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate for the inflated payload and the model: 1 GiB unless set,
    /// some hundred times what the largest known model takes.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Reads a model.
    ///
    /// # Errors
    /// Where the bytes are no model, end too early or break the format in a way that leaves no
    /// meaning, and where `max_bytes` is reached.
    pub fn read(&self, bytes: &[u8]) -> Result<Model> {
        if ascii::is_text(bytes) {
            ascii::read(bytes, self.max_bytes)
        } else {
            wire::read(bytes, self.max_bytes)
        }
    }

    /// Reads a model from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Model> {
        self.read(&read_all(reader, self.max_bytes)?)
    }
}

/// How exact coordinates are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coordinates {
    /// One byte: 255 steps from -1 to 1.
    Int8,
    /// Two bytes: 65535 steps from -1 to 1.
    Int16,
    /// Four bytes: a float.
    Float,
    /// Eight bytes: a double.
    Double,
}

/// How to write a model: as it was read, unless asked otherwise.
///
/// ```
/// # fn main() -> m3d::Result<()> {
/// let model = m3d::Model { name: "nothing".into(), ..Default::default() };
/// let bytes = m3d::WriteOptions::new().raw(true).write(&model)?;
/// assert_eq!(&bytes[8..12], b"HEAD");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    variant: Option<Variant>,
    how: wire::How,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binary or text; what the model was read from unless set, and binary where it was not read. The
    /// other options are about binary files only.
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = Some(variant);
        self
    }

    /// Whether the chunks stand in the file as they are, without compression; as the model was read
    /// unless set, and compressed where it was not read.
    pub fn raw(mut self, raw: bool) -> Self {
        self.how.raw = Some(raw);
        self
    }

    /// How hard to compress: 0 not at all, 1 fast, 9 slow; more than 9 is 9. 2 unless set: higher levels
    /// make large meshes little smaller, if at all, and take much longer.
    pub fn level(mut self, level: u8) -> Self {
        self.how.level = Some(level);
        self
    }

    /// Rounds all coordinates to this exactness. Unless set they are written as they were read, or as
    /// short as they can be said exactly.
    pub fn coordinates(mut self, coordinates: Coordinates) -> Self {
        self.how.coords = Some(match coordinates {
            Coordinates::Int8 => 0,
            Coordinates::Int16 => 1,
            Coordinates::Float => 2,
            Coordinates::Double => 3,
        });
        self
    }

    /// The model as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where the format has no place for a part of the model, and where
    /// columns differ in length.
    pub fn write(&self, model: &Model) -> Result<Vec<u8>> {
        let read_from = if model.layout.text.is_some() { Variant::Ascii } else { Variant::Binary };
        match self.variant.unwrap_or(read_from) {
            Variant::Ascii => ascii::write(model),
            Variant::Binary => wire::write(model, &self.how),
        }
    }

    /// Writes the model into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, model: &Model) -> Result<()> {
        Ok(writer.write_all(&self.write(model)?)?)
    }
}
