//! The frame of a chunk.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | name |
//! | u32 | length as stored, 0 where nothing is compressed |
//! | u32 | length when decompressed |
//! | u32 | reserved, 0 |
//! | … | the stored bytes |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::consts::{ChunkName, Compression, ZSTD_MAGIC};
use crate::error::{Error, Result};
use crate::wire::fail::Parsed;

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
    pub(crate) fn read(input: &'a [u8]) -> Parsed<'a, Self> {
        let (input, name) = context("name", take(4_usize)).parse(input)?;
        let name = ChunkName(*name.first_chunk().unwrap_or(&[0; 4]));
        let (input, compressed) = context("compressed_length", le_u32).parse(input)?;
        let (input, len) = context("length", le_u32).parse(input)?;
        let (input, reserved) = context("reserved", le_u32).parse(input)?;
        let stored = if compressed == 0 { len } else { compressed };
        let (input, stored) = context("data", take(stored)).parse(input)?;
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
