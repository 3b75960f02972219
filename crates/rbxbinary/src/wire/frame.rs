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

impl<'a> Frame<'a> {
    #[inline]
    pub(crate) fn read(start: &'a [u8]) -> Parsed<'a, Self> {
        let Some((head, input)) = start.split_first_chunk::<HEAD>() else {
            return Err(Fail::end(start.get(start.len()..).unwrap_or(start))).field("header");
        };
        let &[n, a, m, e, ref numbers @ ..] = head;
        let mut numbers = numbers.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number));
        let mut number = || numbers.next().unwrap_or_default();
        let (name, compressed, len, reserved) = (ChunkName([n, a, m, e]), number(), number(), number());
        let stored = if compressed == 0 { len } else { compressed };
        let (stored, input) = match usize::try_from(stored).ok().and_then(|len| input.split_at_checked(len)) {
            Some(split) => split,
            None => return Err(Fail::end(input.get(input.len()..).unwrap_or(input))).field("data"),
        };
        let compression = match compressed {
            0 => Compression::None,
            _ if stored.starts_with(&ZSTD_MAGIC) => Compression::Zstd,
            _ => Compression::Lz4,
        };
        Ok((input, Self { name, compression, len, reserved, stored }))
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
