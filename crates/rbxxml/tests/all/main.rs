//! All tests beside the modules' own in one program: each of its own would link everything again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod classes;
mod corpus;
mod cost;
mod edits;
mod equality;
mod hostile;
mod kept;
mod names;
mod props;
mod twins;
mod values;
