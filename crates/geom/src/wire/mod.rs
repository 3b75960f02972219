//! Shared by the format crates: the error with its path and offset, the memory budget, findings and rules, and the
//! error of parsers built on nom.
//!
//! Format crates re-export their public parts: all have the same `Error` and `Finding`.

mod budget;
mod bytes;
mod counted;
mod error;
mod fail;
mod finding;
mod loss;
mod options;
mod problem;
mod same;
mod settable;
mod verbs;
#[cfg(feature = "zlib")]
pub mod zlib;

pub use budget::{Budget, Charged, DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH};
pub use bytes::{Bytes, short_debug};
pub use counted::Counted;
pub use error::{Error, ErrorKind, Limit, Refuse, Result};
pub use fail::{At, Fail, Here, Parsed, after, finish, finish_text, foreign, magic, taken};
pub use finding::{Finding, Findings, Rule, Severity, found, report, rules};

pub use loss::{Advice, Loss, LossKind, LossRule, joined};
pub use options::options;
pub use problem::{Missing, Problem, shortened};
pub use same::by_bits;
pub use verbs::verbs;
