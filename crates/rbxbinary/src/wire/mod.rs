//! The bytes. Every part stands in one file, its `read` beside its `write`.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable
    )
)]

mod cframe;
mod codec;
mod column;
mod content;
mod fail;
mod font;
mod frame;
mod header;
mod interleave;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "it reads no input: its indices are within the one chunk that it writes, of at most 2 KiB"
)]
mod lz4;
mod parts;
mod peek;
mod physical;
mod reader;
mod referent;
mod string;
mod walk;
mod writer;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "it reads no input: its indices come from its own tables, its counts from one block of 128 KiB"
)]
mod zstd;

pub(crate) use header::detect;
pub(crate) use reader::{Filter, Want, read};
pub use walk::{Chunks, RawFrame};
pub(crate) use writer::write;
