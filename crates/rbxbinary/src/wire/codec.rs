//! Compression: LZ4 blocks and zstd frames, each with one state for the whole file.

use lz4_flex::block::CompressTable;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::consts::{Compression, ZSTD_MAGIC};
use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::wire::{lz4, zstd};

/// What an LZ4 block can grow to: each of its bytes adds at most 255.
const LZ4_RATIO: usize = 255;

/// A buffer of this length is kept in any case.
const SMALL: usize = 8 << 10;

fn invalid(what: impl Into<String>) -> ErrorKind {
    ErrorKind::Invalid(what.into().into())
}

/// Decompresses chunk after chunk into one buffer.
#[derive(Default)]
pub(crate) struct Inflater {
    buffer: Vec<u8>,
    zstd: Option<Box<FrameDecoder>>,
    /// How much of the budget the buffer, and the window of zstd, have taken.
    taken: (usize, usize),
}

impl Inflater {
    /// The content of a chunk. A length is a claim: it is compared with what the stored bytes could
    /// become, and taken from the budget, before anything is allocated.
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
            Compression::Zstd => (stored.len() / 4).saturating_add(1).saturating_mul(zstd::BLOCK),
        };
        if len > most {
            return Err(invalid(format!("{} stored bytes cannot become {len}", stored.len())));
        }
        // One large chunk among many small ones does not hold its memory to the end.
        if self.buffer.capacity() > len.max(SMALL).saturating_mul(4) {
            self.buffer = Vec::new();
        }
        budget.take(len.saturating_sub(self.taken.0) as u64)?;
        self.taken.0 = self.taken.0.max(len);
        match compression {
            Compression::Zstd => self.zstd(stored, len, budget)?,
            _ => self.lz4(stored, len)?,
        }
        self.buffer.get(..len).ok_or_else(|| invalid("no data"))
    }

    fn lz4(&mut self, stored: &[u8], len: usize) -> Result<(), ErrorKind> {
        if self.buffer.len() < len {
            self.buffer.reserve_exact(len.saturating_sub(self.buffer.len()));
            self.buffer.resize(len, 0);
        }
        let place = self.buffer.get_mut(..len).unwrap_or_default();
        match lz4_flex::block::decompress_into(stored, place) {
            Ok(written) if written == len => Ok(()),
            Ok(written) => Err(invalid(format!("an LZ4 block of {written} bytes, {len} were declared"))),
            Err(error) => Err(invalid(format!("no LZ4 block: {error}"))),
        }
    }

    fn zstd(&mut self, stored: &[u8], len: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        let head = ZstdHead::read(stored)?;
        if let Some(size) = head.content_size
            && size != len as u64
        {
            return Err(invalid(format!("a zstd frame of {size} bytes, {len} were declared")));
        }
        // The window grows to the next power of two, and a block may be decoded before it is seen to
        // be too much; a constant covers the tables.
        let window = len.next_power_of_two().saturating_mul(2).saturating_add(4 * zstd::BLOCK);
        budget.take(window.saturating_sub(self.taken.1) as u64)?;
        self.taken.1 = self.taken.1.max(window);
        let decoder = self.zstd.get_or_insert_with(|| Box::new(FrameDecoder::new()));
        decoder.set_max_window_size(u64::MAX);
        // However large the window that the frame asks for, more than the content is never used: a
        // head with that size is in its place.
        let mut replaced = Vec::new();
        zstd::head(len, head.checksum, &mut replaced);
        let error =
            |error: ruzstd::decoding::errors::FrameDecoderError| invalid(format!("no zstd frame: {error}"));
        decoder.reset(replaced.as_slice()).map_err(error)?;
        let mut blocks = head.blocks;
        self.buffer.clear();
        self.buffer.reserve_exact(len);
        loop {
            let finished =
                decoder.decode_blocks(&mut blocks, BlockDecodingStrategy::UptoBlocks(1)).map_err(error)?;
            // Until the last block, only what is more than the window, which is all of the content,
            // can be collected.
            let most = if finished { len } else { 0 };
            if decoder.can_collect() > most {
                return Err(invalid(format!("a zstd frame of more than {len} bytes")));
            }
            if finished {
                break;
            }
        }
        decoder.collect_to_writer(&mut self.buffer).map_err(|error| invalid(error.to_string()))?;
        match self.buffer.len() == len {
            true => Ok(()),
            false => {
                Err(invalid(format!("a zstd frame of {} bytes, {len} were declared", self.buffer.len())))
            }
        }
    }
}

/// The head of a zstd frame.
#[derive(Debug)]
struct ZstdHead<'a> {
    content_size: Option<u64>,
    checksum: bool,
    blocks: &'a [u8],
}

impl<'a> ZstdHead<'a> {
    fn read(stored: &'a [u8]) -> Result<Self, ErrorKind> {
        let short = || invalid("no zstd frame: its head ends too early");
        let (&descriptor, mut rest) =
            stored.get(ZSTD_MAGIC.len()..).and_then(<[u8]>::split_first).ok_or_else(short)?;
        let single = descriptor & 0x20 != 0;
        if !single {
            rest = rest.get(1..).ok_or_else(short)?;
        }
        let dictionary = match descriptor & 3 {
            3 => 4,
            bytes => usize::from(bytes),
        };
        let (dictionary, mut rest) = rest.split_at_checked(dictionary).ok_or_else(short)?;
        if dictionary.iter().any(|&byte| byte != 0) {
            return Err(ErrorKind::Unsupported("zstd frame with a dictionary".into()));
        }
        let size = match descriptor >> 6 {
            0 if single => 1,
            0 => 0,
            power => 1_usize << power,
        };
        let mut content_size = None;
        if size > 0 {
            let (bytes, after) = rest.split_at_checked(size).ok_or_else(short)?;
            let mut number = [0; 8];
            number.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
            let offset = if size == 2 { 256 } else { 0 };
            content_size = Some(u64::from_le_bytes(number).saturating_add(offset));
            rest = after;
        }
        Ok(Self { content_size, checksum: descriptor & 4 != 0, blocks: rest })
    }
}

/// Compresses chunk after chunk.
#[derive(Default)]
pub(crate) struct Deflater {
    buffer: Vec<u8>,
    small: Option<Box<lz4::Encoder>>,
    lz4: Option<Box<CompressTable>>,
    zstd: Option<Box<zstd::Encoder>>,
}

impl Deflater {
    /// The stored form of a chunk's content.
    pub(crate) fn deflate<'a>(&'a mut self, data: &'a [u8], compression: Compression) -> &'a [u8] {
        match compression {
            Compression::None => data,
            Compression::Lz4 => self.lz4(data),
            Compression::Zstd => {
                self.buffer.clear();
                self.zstd.get_or_insert_default().frame(data, &mut self.buffer);
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
            self.buffer.resize(most, 0);
        }
        let table = self.lz4.get_or_insert_default();
        let written = lz4_flex::block::compress_into_with_table(data, &mut self.buffer, table);
        // There is space for the worst case.
        self.buffer.get(..written.unwrap_or(0)).unwrap_or_default()
    }
}
