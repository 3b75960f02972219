//! All tests in one program: each of its own would link everything again.

mod build;
mod check;
mod corpus;
mod details;
mod format_md;
mod hostile;
mod motion;
mod pairs;
mod props;
mod refused;
