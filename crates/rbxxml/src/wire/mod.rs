//! Bytes and values, both ways: each kind of element in one file, its `read` beside its `write`.
//!
//! Arithmetic in here cannot panic. Saturating arithmetic counts bytes, values or levels of elements in memory and
//! cannot overflow, or is a cost that the budget refuses long before; and what is empty by default is the rest
//! after an offset that was found in the same bytes. Other reasons are given at the line.
#![deny(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

pub(crate) mod component;
pub(crate) mod content;
pub(crate) mod cx;
pub(crate) mod element;
pub(crate) mod format;
pub(crate) mod number;
pub(crate) mod out;
pub(crate) mod property;
pub(crate) mod scalar;
pub(crate) mod sequence;
pub(crate) mod xml;
