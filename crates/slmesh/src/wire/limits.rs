//! Parameters and results shared by `wire`.

use llsd::{Encoding, Lazy, Value};

use crate::options::ReadOptions;
use geom::wire::{At, Budget, DEFAULT_MAX_BYTES, ErrorKind, Fail, Here, Result, finish};

/// The result of a part of `wire` that does not consume input.
pub(super) type Got<'a, T> = Result<T, nom::Err<Fail<'a>>>;

/// The value, or an error with its offset in `whole`.
pub(super) fn done<'a, T>(whole: &'a [u8], got: Got<'a, T>) -> Result<T> {
    finish(whole, got.map(|value| (whole, value))).map(|(_, value)| value)
}

/// The limits of reading.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) max_depth: u32,
}

impl Limits {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        Self { budget: Budget::new(options.max_bytes), max_depth: options.max_depth }
    }

    /// The limits for bytes that were read before, or were just written by this crate.
    pub(crate) fn none() -> Self {
        Self { budget: Budget::new(DEFAULT_MAX_BYTES), max_depth: u32::MAX }
    }
}

/// The kind of an error of llsd.
pub(super) fn kind_of(error: &llsd::Error) -> ErrorKind {
    match error.kind() {
        ErrorKind::UnexpectedEnd => ErrorKind::UnexpectedEnd,
        ErrorKind::Invalid(what) => ErrorKind::Invalid(what.clone()),
        ErrorKind::Unsupported(what) => ErrorKind::Unsupported(what.clone()),
        ErrorKind::Unwritable(what) => ErrorKind::Unwritable(what.clone()),
        ErrorKind::Limit(limit) => ErrorKind::Limit(*limit),
        other => ErrorKind::Invalid(other.to_string().into()),
    }
}

/// A path of llsd, such as `/0/Weights`, in the form of this crate: `[0].Weights`.
fn dotted(path: &str) -> String {
    let mut dotted = String::new();
    for step in path.split('/').skip(1) {
        match step.bytes().all(|byte| byte.is_ascii_digit()) {
            true => dotted.extend(["[", step, "]"]),
            false if dotted.is_empty() => dotted.push_str(step),
            false => dotted.extend([".", step]),
        }
    }
    dotted
}

/// Converts an error of llsd, with its offset in `bytes`.
#[cold]
fn explain<'a>(bytes: &'a [u8], error: &llsd::Error) -> nom::Err<Fail<'a>> {
    let offset = error.offset().and_then(|offset| usize::try_from(offset).ok()).unwrap_or(0);
    let failed: Got<'a, ()> = Err(Fail::new(bytes.get(offset..).unwrap_or_default(), kind_of(error)));
    let failed = if error.path().is_empty() { failed } else { failed.named(|| dotted(error.path())) };
    failed.err().unwrap_or_else(|| Fail::end(bytes))
}

fn options(max_depth: u32) -> llsd::ReadOptions {
    llsd::ReadOptions::new().encoding(Encoding::Binary).max_depth(max_depth).max_bytes(u64::MAX)
}

/// The first value in the bytes, and its size; ignores what follows it.
pub(super) fn first(bytes: &[u8], max_depth: u32) -> Got<'_, (Lazy<'_>, usize)> {
    options(max_depth).lazy_used(bytes).map_err(|error| explain(bytes, &error))
}

/// The value, charged to the budget.
pub(super) fn build<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Value> {
    limits.budget.take(value.cost()).here(value.bytes())?;
    value.to_value(&options(limits.max_depth)).map_err(|error| explain(value.bytes(), &error))
}
