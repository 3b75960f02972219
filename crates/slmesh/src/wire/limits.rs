//! What every part of `wire` takes and gives.

use super::fail::{Fail, finish};
use crate::error::{ErrorKind, Result};
use crate::limits::{Budget, DEFAULT_MAX_BYTES};
use crate::options::ReadOptions;

/// What a part of `wire` gives that does not consume input.
pub(super) type Got<'a, T> = Result<T, nom::Err<Fail<'a>>>;

/// The value, or an error with its offset in `whole`.
pub(super) fn done<'a, T>(whole: &'a [u8], got: Got<'a, T>) -> Result<T> {
    finish(whole, got.map(|value| (whole, value))).map(|(_, value)| value)
}

/// What reading is limited by.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) max_depth: u32,
}

impl Limits {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { budget: Budget::new(options.byte_limit()), max_depth: options.depth_limit() }
    }

    /// For bytes that were read before, or that this crate has just written.
    pub(crate) fn none() -> Self {
        Self { budget: Budget::new(DEFAULT_MAX_BYTES), max_depth: u32::MAX }
    }
}

/// An error of llsd as one of ours.
pub(super) fn kind_of(error: &llsd::Error) -> ErrorKind {
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
