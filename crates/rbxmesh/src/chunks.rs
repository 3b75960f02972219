//! The chunks of a file, without decoding them.

use std::ops::Range;

use crate::consts::ChunkTag;
use crate::wire::chunks::read_chunk;
use crate::wire::version;
use geom::wire::{At, Fail, Result, finish};

/// A chunk as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawChunk<'a> {
    /// Its name.
    pub tag: ChunkTag,
    /// The version of its layout.
    pub version: u32,
    /// Its range in the file, including the header of 16 bytes.
    pub range: Range<usize>,
    /// The payload.
    pub payload: &'a [u8],
}

/// The chunks of a file, as [`crate::chunks`] lists them.
///
/// The list ends at trailing bytes that are not a chunk: fewer than a header, or an unknown name with a size that
/// exceeds the file; see [`Chunks::rest`].
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    whole: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Result<Self> {
        let start = || match version::read(whole)? {
            (rest, (version, _)) if version.is_chunked() => Ok((rest, ())),
            (_, (version, _)) => {
                let what = format!("mesh version {version} (only the versions 6.00 and 7.00 have chunks)");
                Err(Fail::unsupported(whole, what)).field("version")
            }
        };
        let (rest, ()) = finish(whole, start())?;
        Ok(Self { whole, rest })
    }

    /// The bytes after the last chunk that was returned.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<RawChunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.whole.len() - self.rest.len();
        let (rest, (tag, version, payload)) = match finish(self.whole, read_chunk(self.rest)) {
            Ok((rest, chunk)) => (rest, chunk?),
            Err(error) => {
                self.rest = &[];
                return Some(Err(error));
            }
        };
        self.rest = rest;
        let range = start..self.whole.len() - rest.len();
        Some(Ok(RawChunk { tag, version, range, payload }))
    }
}
