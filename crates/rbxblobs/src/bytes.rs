//! Bytes from the front, and errors with offsets.

use std::borrow::Cow;

use bstr::BString;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;

/// How the bytes of a property are read as a value.
pub trait Layout: Sized {
    /// The name in errors.
    const NAME: &'static str;

    /// Reads the value; bytes that are left are an error of the caller.
    fn read(bytes: &mut Bytes<'_>) -> Result<Self>;
}

/// What is left of a byte string, and of the memory that may be taken for what is in it.
#[derive(Debug)]
pub struct Bytes<'a> {
    all: &'a [u8],
    offset: usize,
    what: &'static str,
    pub(crate) budget: Budget,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(what: &'static str, all: &'a [u8], max_bytes: u64) -> Self {
        Self { all, offset: 0, what, budget: Budget::new(max_bytes) }
    }

    pub(crate) fn left(&self) -> usize {
        self.all.len() - self.offset
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some((bytes, _)) = self.all[self.offset..].split_at_checked(len) else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.offset += len;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(&bytes) = self.all[self.offset..].first_chunk() else {
            return Err(self.error(ErrorKind::UnexpectedEnd));
        };
        self.offset += N;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f32(&mut self) -> Result<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    pub(crate) fn floats<const N: usize>(&mut self) -> Result<[f32; N]> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = self.f32()?;
        }
        Ok(floats)
    }

    /// A count of records that take at least `size` bytes each.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize> {
        let count = self.u32()?;
        self.fits(count.into(), size)
    }

    /// The count, if that number of records of at least `size` bytes each can follow.
    pub(crate) fn fits(&self, count: u64, size: usize) -> Result<usize> {
        let left = self.left();
        match usize::try_from(count) {
            Ok(count) if count.checked_mul(size).is_some_and(|bytes| bytes <= left) => Ok(count),
            _ => Err(self.invalid(format!("a count of {count} for {left} bytes"))),
        }
    }

    /// Bytes after their length.
    pub(crate) fn string(&mut self) -> Result<BString> {
        let len = self.count(1)?;
        self.charge(len as u64)?;
        Ok(self.take(len)?.into())
    }

    /// An empty vector with space for `count` values.
    pub(crate) fn vec<T>(&mut self, count: usize) -> Result<Vec<T>> {
        self.budget.vec(count).map_err(|kind| self.error(kind))
    }

    /// Appends a value to a vector that grows as it is read.
    pub(crate) fn push<T>(&mut self, values: &mut Vec<T>, value: T) -> Result<()> {
        if values.len() == values.capacity() {
            let more = values.capacity().max(8);
            self.charge((more as u64).saturating_mul(size_of::<T>() as u64))?;
            values.reserve_exact(more);
        }
        values.push(value);
        Ok(())
    }

    /// Takes memory from what may be allocated.
    pub(crate) fn charge(&mut self, bytes: u64) -> Result<()> {
        self.budget.take(bytes).map_err(|kind| self.error(kind))
    }

    /// The value, if nothing is left.
    pub(crate) fn end<T>(&self, value: T) -> Result<T> {
        match self.left() {
            0 => Ok(value),
            left => Err(self.invalid(format!("{left} more bytes than expected"))),
        }
    }

    pub(crate) fn invalid(&self, what: impl Into<Cow<'static, str>>) -> Error {
        self.error(ErrorKind::Invalid(what.into()))
    }

    pub(crate) fn unsupported(&self, what: impl Into<Cow<'static, str>>) -> Error {
        self.error(ErrorKind::Unsupported(what.into()))
    }

    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.what).at(self.offset, None)
    }
}

/// Appends the length of a byte string and the bytes.
pub(crate) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    put_count(out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

pub(crate) fn put_count(out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = u32::try_from(count).map_err(|_| Error::unwritable("", "a count of 2^32 or more"))?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

pub(crate) fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    for float in floats {
        out.extend_from_slice(&float.to_le_bytes());
    }
}
