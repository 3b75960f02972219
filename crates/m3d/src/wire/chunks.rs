//! The chunks of a file, without reading what is in them.

use std::ops::Range;

use super::chunk_at;
use crate::consts::Tag;
use crate::error::Result;

/// A chunk of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its tag.
    pub tag: Tag,
    /// Where it is in the payload, its head included.
    pub range: Range<usize>,
    /// Its content, after its head.
    pub data: &'a [u8],
}

/// An iterator over the chunks of a payload; [`chunks`](crate::chunks) makes it.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    payload: &'a [u8],
    at: usize,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        // A whole file begins with eight bytes more.
        let at = if payload.starts_with(&Tag::FILE.0) { 8 } else { 0 };
        Self { payload, at }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = chunk_at(self.payload, self.at)?;
        match next {
            Ok((tag, range, data)) => {
                self.at = if tag == Tag::END { self.payload.len() } else { range.end };
                Some(Ok(Chunk { tag, range, data }))
            }
            Err(error) => {
                self.at = self.payload.len();
                Some(Err(error))
            }
        }
    }
}
