//! All tests in one program, since each further program would link both forms again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod any_name;
mod apply;
mod classes;
mod common;
mod compat;
mod copies;
mod cost;
#[cfg(feature = "history")]
mod history;
mod model;
mod names;
mod property;
mod props;
#[cfg(feature = "classes")]
mod size;
mod tree;
mod twins;
mod values;
mod weak;
