//! Compression with LZ4 and zstd; the state and the buffer are reused for all chunks of a file.

use lz4_flex::block::CompressTable;

use crate::consts::Compression;
use crate::wire::lz4;
use geom::wire::{Budget, Counted, ErrorKind};

/// The maximum expansion of an LZ4 block: each stored byte adds at most 255 bytes.
const LZ4_RATIO: usize = 255;

/// The maximum decompressed size of a block of a zstd frame, in bytes. A block takes at least four bytes.
const ZSTD_BLOCK: usize = 128 << 10;

/// A buffer of up to four times this size, in bytes, is always kept.
const SMALL: usize = 8 << 10;

fn invalid(what: impl Into<String>) -> ErrorKind {
    ErrorKind::Invalid(what.into().into())
}

/// Decompresses chunk after chunk into one buffer.
#[derive(Default)]
pub(crate) struct Inflater {
    buffer: Vec<u8>,
    zstd: Option<rezstd::Decoder>,
    /// The part of the budget that the buffer has taken.
    taken: usize,
}

impl Inflater {
    /// Decompresses a chunk. Before anything is allocated, the declared length is compared with the maximum that the
    /// stored bytes can decompress to, and charged to the budget.
    pub(crate) fn inflate<'a>(
        &'a mut self,
        compression: Compression,
        stored: &'a [u8],
        len: u32,
        budget: &mut Budget,
    ) -> Result<&'a [u8], ErrorKind> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let most = match compression {
            Compression::None => return Ok(stored),
            Compression::Lz4 => stored.len().saturating_mul(LZ4_RATIO),
            Compression::Zstd => (stored.len() / 4).saturating_add(1).saturating_mul(ZSTD_BLOCK),
        };
        if len > most {
            return Err(invalid(format!(
                "{} compressed bytes cannot decompress to the declared {len} bytes",
                stored.len()
            )));
        }
        // After a large chunk, small ones do not keep its memory.
        if self.buffer.capacity() / 4 > len.max(SMALL) {
            self.buffer = Vec::new();
        }
        budget.take(len.saturating_sub(self.taken) as u64)?;
        self.taken = self.taken.max(len);
        if self.buffer.len() < len {
            // The old content is no longer needed, so it is freed before allocating.
            drop(std::mem::take(&mut self.buffer));
            self.buffer = vec![0; len];
        }
        let content = self.buffer.get_mut(..len).unwrap_or_default();
        let found = match compression {
            Compression::Zstd => {
                let decoder = self.zstd.get_or_insert_default();
                decoder.decode_into(stored, content).map_err(|error| match error.kind() {
                    rezstd::ErrorKind::Dictionary(_) => {
                        ErrorKind::Unsupported("zstd frame that needs a dictionary".into())
                    }
                    _ => invalid(format!(
                        "cannot decompress the zstd data to the declared {len} bytes: {} (byte {} of the data)",
                        error.kind(),
                        error.offset()
                    )),
                })?
            }
            _ => lz4_flex::block::decompress_into(stored, content).map_err(|error| {
                invalid(format!("cannot decompress the LZ4 data to the declared {len} bytes ({error})"))
            })?,
        };
        match found == len {
            true => Ok(content),
            false => {
                let found = Counted::new(found, "bytes");
                Err(invalid(format!("the chunk decompresses to {found} (its header declares {len})")))
            }
        }
    }
}

/// Compresses chunk after chunk.
#[derive(Default)]
pub(crate) struct Deflater {
    buffer: Vec<u8>,
    small: Option<Box<lz4::Encoder>>,
    lz4: Option<Box<CompressTable>>,
    zstd: Option<rezstd::Encoder>,
    level: u32,
}

impl Deflater {
    /// With the level of zstd.
    pub(crate) fn with_level(level: u32) -> Self {
        Self { level, ..Self::default() }
    }

    /// Compresses the content of a chunk.
    pub(crate) fn deflate<'a>(&'a mut self, data: &'a [u8], compression: Compression) -> &'a [u8] {
        match compression {
            Compression::None => data,
            Compression::Lz4 => self.lz4(data),
            Compression::Zstd => {
                self.buffer.clear();
                let level = self.level;
                let encoder = self.zstd.get_or_insert_with(|| rezstd::Encoder::new().level(level));
                encoder.encode(data, &mut self.buffer);
                &self.buffer
            }
        }
    }

    fn lz4(&mut self, data: &[u8]) -> &[u8] {
        if data.len() <= lz4::MOST {
            self.buffer.clear();
            self.small.get_or_insert_default().block(data, &mut self.buffer);
            return &self.buffer;
        }
        let most = lz4_flex::block::get_maximum_output_size(data.len());
        if self.buffer.len() < most {
            // New zeros take no memory until they are written.
            self.buffer = vec![0; most];
        }
        let table = self.lz4.get_or_insert_default();
        let written = lz4_flex::block::compress_into_with_table(data, &mut self.buffer, table);
        // Compression does not fail, since the buffer has space for the worst case.
        self.buffer.get(..written.unwrap_or(0)).unwrap_or_default()
    }
}
