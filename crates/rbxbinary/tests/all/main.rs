//! All tests beside the modules' own in one program: each of its own would link everything again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

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
