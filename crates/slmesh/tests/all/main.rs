//! All tests in one program, since each further program would link all crates again.

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
