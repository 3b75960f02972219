//! The frame of a chunk.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | name |
//! | u32 | length as stored, 0 where nothing is compressed |
//! | u32 | length when decompressed |
//! | u32 | reserved, 0 |
//! | … | the stored bytes |

use crate::consts::{ChunkName, Compression, ZSTD_MAGIC};
use crate::error::{Error, Result};
use crate::wire::fail::{At, Fail, Parsed};

/// How many bytes stand before those that are stored.
pub(crate) const HEAD: usize = 16;

/// A chunk as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) name: ChunkName,
    pub(crate) compression: Compression,
    pub(crate) len: u32,
    pub(crate) reserved: u32,
    pub(crate) stored: &'a [u8],
}

/// What is missing of a chunk.
#[cold]
fn missing<'a>(start: &'a [u8]) -> Parsed<'a, Frame<'a>> {
    let end = start.get(start.len()..).unwrap_or(start);
    Err(Fail::end(end)).field(if start.len() < HEAD { "header" } else { "data" })
}

impl<'a> Frame<'a> {
    /// A chunk, and what stands behind it.
    pub(crate) fn read(start: &'a [u8]) -> Parsed<'a, Self> {
        match Self::split(start) {
            Some((frame, behind)) => Ok((behind, frame)),
            None => missing(start),
        }
    }

    /// As [`Frame::read`], without saying what is missing.
    #[inline]
    pub(crate) fn split(start: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&[n, a, m, e, ref numbers @ ..], input) = start.split_first_chunk::<HEAD>()?;
        let mut numbers = numbers.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number));
        let mut number = || numbers.next().unwrap_or_default();
        let (name, compressed, len, reserved) = (ChunkName([n, a, m, e]), number(), number(), number());
        let stored = if compressed == 0 { len } else { compressed };
        let (stored, input) = input.split_at_checked(usize::try_from(stored).ok()?)?;
        let compression = match compressed {
            0 => Compression::None,
            _ if stored.starts_with(&ZSTD_MAGIC) => Compression::Zstd,
            _ => Compression::Lz4,
        };
        Some((Self { name, compression, len, reserved, stored }, input))
    }

    /// Writes the frame and what it holds; `path` names the chunk where it is too long.
    pub(crate) fn write(&self, path: &dyn Fn() -> String, out: &mut Vec<u8>) -> Result<()> {
        let stored = u32::try_from(self.stored.len())
            .map_err(|_| Error::unwritable(path(), "more than 4 GiB: a length has 32 bits"))?;
        out.reserve(HEAD.saturating_add(self.stored.len()));
        out.extend(self.name.0);
        out.extend(if self.compression == Compression::None { 0 } else { stored }.to_le_bytes());
        out.extend(self.len.to_le_bytes());
        out.extend(self.reserved.to_le_bytes());
        out.extend_from_slice(self.stored);
        Ok(())
    }
}
