//! Tests with hostile input. The inputs are constructs that are repeated (`constructs.rs`, `grown.rs`) and valid files
//! that are damaged (`samples.rs`, `damage.rs`); `targets` has the steps that are done with them. Each task is a mode:
//! broken files under limits, instructions at n and 4n, a fuzzer, the readers of other projects, and the command line.

pub(crate) mod commands;
mod constructs;
mod damage;
pub(crate) mod fuzz;
mod grown;
pub(crate) mod growth;
mod judge;
pub(crate) mod limits;
mod page;
pub(crate) mod peers;
mod process;
mod runs;
mod samples;

use targets::{Input, Step};

/// The steps that apply to a file, by its format and the forms that it can become.
fn steps(input: &Input<'_>) -> Vec<Step> {
    let format = rezkit::detect_named(input.bytes, input.name).map_or("", |detected| detected.kind.format);
    let opened = rezkit::open(input.bytes.to_vec(), input.name, targets::kit::sources(input.beside));
    let is_for = |step: &Step| opened.as_ref().map_or(!step.is_form(), |opened| step.is_for(opened));
    targets::steps().into_iter().filter(|step| step.reads(format) && is_for(step)).collect()
}
