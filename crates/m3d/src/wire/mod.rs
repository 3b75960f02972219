//! The bytes. Every chunk is in one file, its `read` next to its `write`.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod action;
mod chunk;
mod chunks;
mod colors;
pub(crate) mod fail;
mod file;
mod head;
mod material;
mod mesh;
mod names;
mod order;
mod points;
pub(crate) mod reader;
mod shape;
mod skeleton;
mod small;
mod stream;
mod voxel;
mod widths;
mod writer;

use std::borrow::Cow;
use std::ops::Range;

use crate::consts::Tag;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::Model;
use crate::options::WriteOptions;
use crate::wire::fail::finish;
pub use chunks::{Chunk, Chunks};

/// Whether the first four bytes are those of a binary file.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&Tag::FILE.0)
}

pub(crate) fn read(bytes: &[u8], budget: Budget) -> Result<Model> {
    file::read(bytes, budget)
}

pub(crate) fn write(model: &Model, options: &WriteOptions) -> Result<Vec<u8>> {
    file::write(model, options)
}

/// The payload of a file, inflated where it is compressed.
pub(crate) fn payload(bytes: &[u8], mut budget: Budget) -> Result<Cow<'_, [u8]>> {
    let (_, envelope) = finish(bytes, file::read_envelope(bytes))?;
    file::payload(bytes, &envelope, &mut budget).map(|(payload, _)| payload)
}

/// A chunk: its tag, its range, and its content.
type Found<'a> = (Tag, Range<usize>, &'a [u8]);

/// The next chunk of a payload after an offset: its tag, its range, and its content. `None`
/// where the payload has ended.
pub(crate) fn chunk_at(payload: &[u8], at: usize) -> Option<Result<Found<'_>>> {
    let rest = payload.get(at..)?;
    if rest.is_empty() {
        return None;
    }
    if rest.starts_with(&Tag::END.0) {
        return Some(Ok((Tag::END, at..at.saturating_add(4), &[])));
    }
    // A whole file whose chunks are a stream.
    if let Ok((_, envelope)) = file::read_envelope(payload)
        && envelope.body.len() == rest.len()
        && !envelope.is_raw()
    {
        let kind = ErrorKind::Unsupported("compressed chunks, which `payload` inflates".into());
        return Some(Err(Error::new(kind, "payload").at(at, None)));
    }
    Some(
        finish(payload, chunk::read_chunk(rest))
            .map(|(behind, (tag, data))| (tag, at..payload.len().saturating_sub(behind.len()), data)),
    )
}
