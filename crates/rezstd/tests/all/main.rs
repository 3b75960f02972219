//! All tests beside the modules' own in one program: each of its own would link everything again.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;
mod encode;
mod frames;
mod reference;
