//! Conversion of bytes to the model and back: each file has one map or block, in both directions.
//!
//! Arithmetic here cannot panic. Saturating arithmetic either counts bytes, values or blocks in memory, which cannot
//! overflow, or computes a cost that the budget refuses long before. A range of bytes that is empty by default
//! begins or ends at an offset that was found in the same bytes. Other reasons are given at the line.
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub(crate) mod block;
pub(crate) mod codec;
pub(crate) mod header;
pub(crate) mod keys;
mod limits;
pub(crate) mod motion;
mod physics;
pub(crate) mod slm;
mod submesh;
mod weights;

pub(crate) use limits::Limits;
