//! Bytes and values, both ways: each kind of element in one file, its `read` beside its `write`.
//!
//! Arithmetic in here cannot panic. Where nothing else is said, what saturates counts bytes, values or
//! levels of elements that are in memory, and those are fewer than a `usize` can count; or it is a cost, which the budget
//! refuses long before; and what is empty by default is the rest after an offset that was found in the same bytes.
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
