//! All tests in one program, since each further program would link all crates again.

#![allow(clippy::cast_possible_truncation, reason = "as in the library; the models of tests are small")]

mod check;
mod inside;
mod land_impact;
mod simplify;
mod sl;

// Items that the modules in `inside` import from `crate`.
use inside::{bvh, connected, cost, rules};
use rezkit_upload::simplify;
