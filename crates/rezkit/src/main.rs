//! The command line over `rezkit`, the library: what a file is, which rules it breaks, and the same in
//! another form. The commands know no format: what knows one is in the library.

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
