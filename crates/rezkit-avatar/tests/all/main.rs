//! All tests in one program, since each further program would link all crates again.

#![allow(clippy::cast_possible_truncation, reason = "the models of tests are small")]

mod damages;
mod fit;
mod limits;
mod made;
mod numbers;
mod real;
mod scenes;
mod worked;
