//! Reads and writes the parts of a file: each module does both for one record, chunk or section.
//!
//! Nothing here can panic. Saturating arithmetic counts bytes, values or records in memory, which cannot overflow, or a
//! cost that the budget refuses long before. `unwrap_or_default` gives the bytes after an offset that was found in the
//! same bytes. Other reasons are given at the line.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

pub(crate) mod body;
pub(crate) mod chunks;
pub(crate) mod columns;
pub(crate) mod coremesh;
pub(crate) mod draco;
mod facs;
mod header;
mod lods;
mod number;
mod record;
pub(crate) mod sizes;
mod skin;
pub(crate) mod text;
pub(crate) mod version;
mod visibility;
