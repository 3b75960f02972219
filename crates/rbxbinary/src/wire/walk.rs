//! The chunks of a file, one by one, without decompressing them.

use std::ops::Range;

use crate::consts::{ChunkName, Compression};
use crate::error::{ErrorKind, Result};
use crate::limits::{Budget, DEFAULT_MAX_BYTES};
use crate::wire::codec::Inflater;
use crate::wire::fail::{At, finish};
use crate::wire::frame::{Frame, HEAD};
use crate::wire::header::Head;

/// A chunk as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFrame<'a> {
    /// Its name.
    pub name: ChunkName,
    /// How it is compressed.
    pub compression: Compression,
    /// Where it stands in the file, its frame of 16 bytes included.
    pub range: Range<usize>,
    /// How many bytes it says that it holds.
    pub len: u32,
    /// Always 0 so far.
    pub reserved: u32,
    /// The stored bytes, compressed or not.
    pub stored: &'a [u8],
}

impl RawFrame<'_> {
    /// What the chunk holds, decompressed.
    ///
    /// # Errors
    /// Where the stored bytes are not what they say, or would become more than 1 GiB.
    pub fn data(&self) -> Result<Vec<u8>> {
        let Self { name, compression, len, reserved, stored, .. } = *self;
        let frame = Frame { name, compression, len, reserved, stored };
        let mut inflater = Inflater::default();
        match inflater.inflate(&frame, &mut Budget::new(DEFAULT_MAX_BYTES)) {
            Ok(data) => Ok(data.to_vec()),
            Err(kind) => Err(crate::error::Error::new(kind, name.to_string()).at(self.range.start, None)),
        }
    }
}

/// The chunks of a file, in order, up to and with the END; see [`crate::chunks`].
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
    index: usize,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self> {
        let (rest, _) = finish(bytes, Head::read(bytes))?;
        Ok(Self { whole: bytes, rest, index: 0 })
    }

    /// What has not been walked over yet: behind the END, the bytes that follow it.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<RawFrame<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.index == usize::MAX {
            return None;
        }
        let index = self.index;
        let parsed = Frame::read(self.rest).index(index).field("chunks");
        match finish(self.whole, parsed) {
            Ok((rest, frame)) => {
                let end = self.whole.len().saturating_sub(rest.len());
                let start = end.saturating_sub(frame.stored.len()).saturating_sub(HEAD);
                self.rest = rest;
                self.index = match frame.name {
                    ChunkName::END => usize::MAX,
                    _ => index.saturating_add(1),
                };
                let Frame { name, compression, len, reserved, stored } = frame;
                Some(Ok(RawFrame { name, compression, range: start..end, len, reserved, stored }))
            }
            Err(error) => {
                self.index = usize::MAX;
                // Only what is whole was walked over.
                debug_assert!(!matches!(error.kind(), ErrorKind::Io(_)));
                Some(Err(error))
            }
        }
    }
}
