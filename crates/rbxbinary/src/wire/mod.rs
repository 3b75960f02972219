//! Bytes and the model: one record, chunk or type per file, its reading beside its writing.
//!
//! Arithmetic in here cannot panic. Saturating arithmetic counts bytes, values or chunks in memory and cannot
//! overflow, or is a cost that the budget refuses long before; and what is empty by default is the rest after an
//! offset that was found in the same bytes. Other reasons are given at the line.
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
mod string;
