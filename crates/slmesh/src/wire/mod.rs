//! Bytes to the model and back: one map or block per file, both directions in it.
//!
//! Arithmetic in here cannot panic. Saturating arithmetic counts bytes, values or blocks in memory and cannot
//! overflow, or is a cost that the budget refuses long before; and what is empty by default is the rest after an
//! offset that was found in the same bytes. Other reasons are given at the line.
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
