//! What crates that read and write bytes share: the error with its path and offset, the budget of memory, findings and
//! rules, and the error of parsers built on nom.
//!
//! Users of a format crate see what it exports of this module: its `Error` and its `Finding` are those of all format crates.

mod budget;
mod error;
mod fail;
mod finding;

pub use budget::{Budget, DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH};
pub use error::{Error, ErrorKind, Limit, Result};
pub use fail::{At, Fail, Here, Parsed, after, finish, finish_text, foreign, magic, taken};
pub use finding::{Finding, Findings, Rule, Severity};

pub use crate::rules;
