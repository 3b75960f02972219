//! The frame of a chunk.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | name |
//! | u32 | stored length, 0 if the content is not compressed |
//! | u32 | length of the content |
//! | u32 | reserved, 0 |
//! | … | the stored bytes |

use std::ops::Range;

use crate::consts::{ChunkName, Compression, ZSTD_MAGIC};
use crate::model::Header;
use crate::wire::codec::Inflater;
use geom::wire::{
    At, Budget, DEFAULT_MAX_BYTES, Error, ErrorKind, Fail, Problem, Refuse as _, Result, finish, taken,
};

/// The number of bytes of a frame before the stored bytes.
pub(crate) const HEAD: usize = 16;

/// A chunk as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// Its name.
    pub name: ChunkName,
    /// Its compression.
    pub compression: Compression,
    /// Its range in the file, including the frame of 16 bytes.
    pub range: Range<usize>,
    /// The declared length of its content.
    pub len: u32,
    /// Always 0 so far.
    pub reserved: u32,
    /// The stored bytes, compressed or not.
    pub payload: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// The chunk at the beginning of `start`, and the bytes after it; `None` if it is truncated.
    #[inline]
    fn split(whole: &[u8], start: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&[n, a, m, e, ref numbers @ ..], input) = start.split_first_chunk::<HEAD>()?;
        let &[compressed, len, reserved] = numbers.as_chunks().0 else { return None };
        let [compressed, len, reserved] = [compressed, len, reserved].map(u32::from_le_bytes);
        let name = ChunkName([n, a, m, e]);
        let stored = if compressed == 0 { len } else { compressed };
        let (payload, rest) = input.split_at_checked(usize::try_from(stored).ok()?)?;
        let compression = match compressed {
            0 => Compression::None,
            _ if payload.starts_with(&ZSTD_MAGIC) => Compression::Zstd,
            _ => Compression::Lz4,
        };
        let range = taken(whole, start).len()..taken(whole, rest).len();
        Some((Self { name, compression, range, len, reserved, payload }, rest))
    }

    /// Writes the frame and the stored bytes; `path` names the chunk if it is too long.
    pub(crate) fn write(&self, path: &dyn Fn() -> String, out: &mut Vec<u8>) -> Result<()> {
        let stored = Problem::fit("bytes", self.payload.len(), u32::MAX).unwritable("").named(path)?;
        out.reserve(HEAD.saturating_add(self.payload.len()));
        out.extend(self.name.0);
        out.extend(if self.compression == Compression::None { 0 } else { stored }.to_le_bytes());
        out.extend(self.len.to_le_bytes());
        out.extend(self.reserved.to_le_bytes());
        out.extend_from_slice(self.payload);
        Ok(())
    }

    /// The content, decompressed into the buffer of `inflater`.
    pub(crate) fn inflate<'b>(
        &'b self,
        inflater: &'b mut Inflater,
        budget: &mut Budget,
    ) -> Result<&'b [u8], ErrorKind> {
        inflater.inflate(self.compression, self.payload, self.len, budget)
    }

    /// The content, decompressed.
    ///
    /// # Errors
    /// If the stored bytes do not decompress to the declared length, or if that exceeds 1 GiB.
    pub fn data(&self) -> Result<Vec<u8>> {
        let mut inflater = Inflater::default();
        match self.inflate(&mut inflater, &mut Budget::new(DEFAULT_MAX_BYTES)) {
            Ok(data) => Ok(data.to_vec()),
            Err(kind) => Err(Error::new(kind, self.name.to_string()).at(self.range.start)),
        }
    }
}

/// The chunks of a file, in order, up to and including the END; see [`crate::chunks`].
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
    /// The index of the next chunk; `None` after the last one.
    index: Option<usize>,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<(Header, Self)> {
        let (rest, header) = finish(bytes, Header::read(bytes))?;
        Ok((header, Self { whole: bytes, rest, index: Some(0) }))
    }

    /// The maximum number of chunks, and the number of INST chunks, counted without reading their content.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let (mut count, mut classes, mut rest) = (0_usize, 0_usize, self.rest);
        while let Some((Chunk { name, .. }, after)) = Chunk::split(self.whole, rest)
            && name != ChunkName::END
        {
            count = count.saturating_add(1);
            classes = classes.saturating_add(usize::from(name == ChunkName::INST));
            rest = after;
        }
        (count.saturating_add(1), classes)
    }

    /// The error of a truncated chunk.
    #[cold]
    fn missing(&self, index: usize) -> Result<Chunk<'a>> {
        let field = if self.rest.len() < HEAD { "header" } else { "data" };
        let missing = Err(Fail::end_of(self.rest)).field(field).index(index).field("chunks");
        finish(self.whole, missing).map(|(_, chunk)| chunk)
    }

    /// The bytes after the last chunk that was returned.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.index.filter(|_| !self.rest.is_empty())?;
        self.index = None;
        let Some((chunk, rest)) = Chunk::split(self.whole, self.rest) else {
            return Some(self.missing(index));
        };
        self.rest = rest;
        self.index = index.checked_add(1).filter(|_| chunk.name != ChunkName::END);
        Some(Ok(chunk))
    }
}
