//! The command line of the library `rezkit`. The commands know no format: everything that depends on a format is in the
//! library.

mod below;
mod cli;
mod commands;
mod input;
mod outcome;
mod output;
mod report;
mod seen;
mod temporary;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
