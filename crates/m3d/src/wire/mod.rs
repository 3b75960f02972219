//! The binary variant. The code of a chunk is in one file, its `read` next to its `write`.
//!
//! Arithmetic here cannot panic. Saturating arithmetic either counts bytes, values or chunks in memory, which cannot
//! overflow, or computes a cost that the budget refuses long before. A range of bytes that is empty by default
//! begins or ends at an offset that was found in the same bytes. Other reasons are given at the line.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod chunk;
mod colors;
mod file;
mod frame;
mod mesh;
mod names;
mod points;
mod reader;
mod record;
mod runs;
mod shape;
mod skeleton;
mod voxel;
mod width;
mod writer;

use std::borrow::Cow;

use crate::consts::Tag;
pub(crate) use file::{read, write};
pub use frame::{Chunk, Chunks};
use geom::wire::{Budget, Result, finish};

/// Whether the first four bytes are those of a binary file.
pub(crate) fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&Tag::FILE.0)
}

/// The payload of a file, inflated if it is compressed.
pub(crate) fn payload(bytes: &[u8], mut budget: Budget) -> Result<Cow<'_, [u8]>> {
    let (_, envelope) = finish(bytes, frame::read_envelope(bytes))?;
    envelope.payload(bytes, &mut budget).map(|(payload, _)| payload)
}
