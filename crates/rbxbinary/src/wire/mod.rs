//! Reads and writes the parts of a file: each module does both for one record, chunk or type.
//!
//! Nothing here can panic. Saturating arithmetic counts bytes, values or chunks in memory, which cannot overflow, or a
//! cost that the budget refuses long before. `unwrap_or_default` gives the bytes after an offset that was found in the
//! same bytes. Other reasons are given at the line.
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

pub(crate) mod cframe;
pub(crate) mod codec;
pub(crate) mod column;
mod content;
mod count;
mod font;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod inst;
mod interleave;
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "it reads no input: its indices are within the one chunk that it writes, of at most 2 KiB"
)]
mod lz4;
pub(crate) mod meta;
pub(crate) mod peek;
mod physical;
mod plain;
pub(crate) mod prnt;
pub(crate) mod prop;
mod referent;
mod sequence;
pub(crate) mod sstr;
pub(crate) mod string;
