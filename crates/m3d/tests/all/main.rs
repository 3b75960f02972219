//! All tests in one program, since each further program would link all crates again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod ascii;
mod ascii_rows;
mod check;
mod corpus;
mod equality;
mod hostile;
mod hostile_ascii;
mod limits;
mod pairs;
mod props;
mod sdk_facts;
mod second_reader;
mod views;
mod widths;
mod written;
