//! Scalars as text: the code that notation, XML and the model's conversions share. As in `wire`, arithmetic cannot
//! panic: saturating operations count bytes in memory, or add numbers of two digits.
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

use bstr::ByteSlice as _;

pub(crate) mod base;
pub(crate) mod date;
pub(crate) mod number;
pub(crate) mod out;
pub(crate) mod short;
pub(crate) mod uuid;

/// The error for text of another form than the expected one; it shows the first characters of the text.
#[cold]
pub(crate) fn unlike(expected: &str, text: &[u8]) -> String {
    let found: String = text.chars().take(64).collect();
    format!("expected {expected}, found {found:?}")
}
