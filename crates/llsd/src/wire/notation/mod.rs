//! Notation: short text.

pub(super) mod quoted;
mod read;
mod write;

pub(super) use read::Source;
pub(super) use write::{Sink, Style};
