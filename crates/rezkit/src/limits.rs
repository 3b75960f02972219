//! What is decoded from inside of a file counts against the limit of reading it.

use std::io;

use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::options::ReadOptions;

/// What may still be allocated.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    max: u64,
    left: u64,
}

impl Budget {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { max: options.max_bytes, left: options.max_bytes }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Takes what something needs.
    ///
    /// # Errors
    /// Where less is left, with its name.
    pub(crate) fn take(&mut self, bytes: u64, what: &str) -> Result<()> {
        let wrong = || {
            let text = format!("{what} is larger than --max-bytes allows: more than {} bytes", self.max);
            Error::new(ErrorKind::Unreadable, text)
        };
        self.left = self.left.checked_sub(bytes).ok_or_else(wrong)?;
        Ok(())
    }

    /// A value as JSON with a line break after it.
    ///
    /// # Errors
    /// Where it is longer than what is left, with its name.
    pub(crate) fn json(&mut self, value: &impl Serialize, what: &str) -> Result<Vec<u8>> {
        let mut text = Text { bytes: Vec::new(), max: self.left };
        if let Err(error) = serde_json::to_writer_pretty(&mut text, value) {
            // What is too long is not asked how long it is.
            return Err(match error.is_io() {
                true => self.take(u64::MAX, what).err().unwrap_or_else(|| Error::unwritable(error)),
                false => Error::unwritable(error),
            });
        }
        text.bytes.push(b'\n');
        self.take(text.bytes.len() as u64, what)?;
        Ok(text.bytes)
    }
}

/// A text up to a length.
struct Text {
    bytes: Vec<u8>,
    max: u64,
}

impl io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
