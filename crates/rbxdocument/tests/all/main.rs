//! All tests in one program, since each further program would link both forms again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod classes;
mod common;
mod copies;
mod cost;
mod model;
mod names;
mod property;
mod props;
mod tree;
mod twins;
mod values;
mod weak;
