//! Scalars as text: what notation, XML and the model's conversions have in common. Of arithmetic the same is true
//! as in `wire`: what saturates counts bytes in memory, or digits of which there are two.
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

pub(crate) mod base;
pub(crate) mod date;
pub(crate) mod number;
pub(crate) mod out;
pub(crate) mod short;
pub(crate) mod uuid;
