//! Reads and writes the elements of a file: each module does both for one kind of element.
//!
//! Nothing here can panic. Saturating arithmetic counts bytes, values or levels of elements in memory, which cannot
//! overflow, or a cost that the budget refuses long before. `unwrap_or_default` gives the bytes after an offset that
//! was found in the same bytes. Other reasons are given at the line.
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
