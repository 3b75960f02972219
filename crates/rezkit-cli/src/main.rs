//! The command line of the library `rezkit`. The commands know no format: everything that depends on a format is in the
//! library.

mod below;
mod cli;
mod commands;
mod input;
mod outcome;
mod output;
mod policy;
mod report;
mod seen;
mod temporary;
mod terminal;

use std::process::ExitCode;
use std::thread;

/// The stack of the main thread on Linux. That of Windows, 1 MiB, is too small for deep documents.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let main = thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(cli::run);
    match main.map(thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        // A panic has printed its message.
        Ok(Err(_)) => ExitCode::from(101),
        Err(_) => cli::run(),
    }
}
