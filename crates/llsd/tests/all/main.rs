//! All tests in one program, since each further program would link all crates again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod budget;
mod corpus;
mod document;
mod edges;
mod hostile;
mod malformed;
mod model;
mod pairs;
mod props;
mod serde;
mod vectors;
mod wire;
