//! Bytes from the front, and errors with offsets.

use crate::error::{Error, ErrorKind, Result};

/// What is left of a byte string.
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    offset: usize,
    what: &'static str,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(what: &'static str, all: &'a [u8]) -> Self {
        Self { all, offset: 0, what }
    }

    pub(super) fn left(&self) -> usize {
        self.all.len() - self.offset
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let end = self.offset.checked_add(len).filter(|&end| end <= self.all.len());
        let Some(end) = end else { return Err(self.error("unexpected end")) };
        let bytes = &self.all[self.offset..end];
        self.offset = end;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.error("unexpected end"))
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(super) fn f32(&mut self) -> Result<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    pub(super) fn floats<const N: usize>(&mut self) -> Result<[f32; N]> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = self.f32()?;
        }
        Ok(floats)
    }

    /// A count of things that take at least `size` bytes each.
    pub(super) fn count(&mut self, size: usize) -> Result<usize> {
        let count = self.u32()? as usize;
        match count.checked_mul(size).is_some_and(|bytes| bytes <= self.left()) {
            true => Ok(count),
            false => Err(self.error(&format!("a count of {count} for {} bytes", self.left()))),
        }
    }

    /// Bytes after their length.
    pub(super) fn string(&mut self) -> Result<&'a [u8]> {
        let len = self.count(1)?;
        self.take(len)
    }

    /// The value, if nothing is left.
    pub(super) fn end<T>(&self, value: T) -> Result<T> {
        match self.left() {
            0 => Ok(value),
            left => Err(self.error(&format!("{left} more bytes than expected"))),
        }
    }

    pub(super) fn error(&self, what: &str) -> Error {
        let text = format!("{what} in {} at offset {:#x}", self.what, self.offset);
        Error::new(ErrorKind::Unreadable, text)
    }
}

/// Appends the length of a byte string and the bytes.
pub(super) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    put_count(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

pub(super) fn put_count(out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = u32::try_from(count)
        .map_err(|_| Error::new(ErrorKind::Unwritable, "a byte string of more than 4 GiB"))?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

pub(super) fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    for float in floats {
        out.extend_from_slice(&float.to_le_bytes());
    }
}
