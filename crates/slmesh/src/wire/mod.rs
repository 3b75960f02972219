//! The bytes. Every block stands in one file, its `read` beside its `write`.
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

mod asset;
mod block;
mod fail;
mod fields;
mod header;
mod physics;
mod skin;
mod slm;
mod submesh;
mod value;
mod weights;
mod zlib;

pub(crate) use asset::{read_all_blocks, write};
pub(crate) use block::Content;
pub(crate) use header::{Place, detect, entry_of, header_len, open};
pub(crate) use physics::read_cost_data;
pub(crate) use slm::{read as read_slm, write as write_slm};
pub(crate) use zlib::Inflater;

use fail::Fail;

use crate::error::ErrorKind;
use crate::limits::{Budget, DEFAULT_MAX_BYTES};

/// What a part of `wire` gives that does not consume input.
type Got<'a, T> = Result<T, nom::Err<Fail<'a>>>;

/// What reading is limited by.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) max_depth: u32,
}

impl Limits {
    pub(crate) fn new(options: &crate::ReadOptions) -> Self {
        Self { budget: Budget::new(options.byte_limit()), max_depth: options.depth_limit() }
    }

    /// For bytes that were read before, or whose size is bounded by what they stand in.
    fn none() -> Self {
        Self { budget: Budget::new(DEFAULT_MAX_BYTES), max_depth: u32::MAX }
    }
}

/// An error of the LLSD underneath as one of ours.
fn kind_of(error: &llsd::Error) -> ErrorKind {
    match error.kind() {
        llsd::ErrorKind::UnexpectedEnd => ErrorKind::UnexpectedEnd,
        llsd::ErrorKind::Invalid(what) => ErrorKind::Invalid(what.clone()),
        llsd::ErrorKind::Unsupported(what) => ErrorKind::Unsupported(what.clone()),
        llsd::ErrorKind::Unwritable(what) => ErrorKind::Unwritable(what.clone()),
        llsd::ErrorKind::Limit(limit) => {
            ErrorKind::Limit(crate::Limit { name: limit.name, allowed: limit.allowed })
        }
        other => ErrorKind::Invalid(other.to_string().into()),
    }
}
