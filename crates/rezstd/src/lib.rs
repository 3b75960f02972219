#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]
// Values are compared, shifted or masked before a cast, or are not longer than a block of 128 KiB.
#![allow(clippy::cast_possible_truncation)]

extern crate alloc;

mod bits;
mod consts;
mod decode;
mod encode;
mod error;
mod frame;
mod fse;
mod huffman;
mod matches;
mod sequences;
mod table;
mod unhuff;
mod xxhash;

pub use decode::Decoder;
pub use encode::Encoder;
pub use error::{Error, ErrorKind, Result};
pub use frame::{Header, max_content};

#[cfg(any(doc, doctest))]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}
