//! All tests except those of private items in one program, since each further program would link all crates again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod classes;
mod corpus;
mod edits;
mod equality;
mod hostile;
mod kept;
mod props;
mod values;
