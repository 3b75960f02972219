//! The bytes. Every kind of element stands in one file, its `read` beside its `write`.
#![deny(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

mod component;
mod content;
mod cx;
mod document;
mod fail;
mod format;
mod item;
mod number;
mod out;
mod parse;
mod pieces;
mod property;
mod read;
mod scalar;
mod sequence;
mod source;
mod write;
mod xml;

pub(crate) use document::detect;
pub(crate) use read::{Limits, read};
pub(crate) use write::write;
