//! All tests except those of private items in one program, since each further program would link all crates again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod attributes;
mod broken;
mod classes;
mod common;
mod corpus;
mod details;
mod document;
mod edits;
mod hostile;
mod kept;
mod pairs;
mod props;
mod refusals;
mod scale;
