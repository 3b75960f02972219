//! Builds the wheel of bindings/python into a virtual environment below `target`, tests it, and checks its types.

use std::process::Command;

use crate::{Outcome, root};

/// The names that a Python interpreter may have.
const PYTHONS: [&str; 2] = ["python3", "python"];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    let folder = root().join("bindings/python");
    let is_new = "import sys; sys.exit(sys.version_info < (3, 11))";
    let works = |python: &&&str| {
        Command::new(python).args(["-c", is_new]).status().is_ok_and(|status| status.success())
    };
    let python = PYTHONS.iter().find(works).ok_or("Python 3.11 or later is missing")?;
    let environment = folder.join("target/environment");
    let bin = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    step(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    let inside = bin.join("python");
    step(Command::new(&inside).args(["-m", "pip", "install", "--quiet", ".[test]"]).current_dir(&folder))?;
    // In a folder without the sources, so that the installed wheel is tested.
    let tests = folder.join("tests");
    step(Command::new(bin.join("pytest")).arg("-q").arg(&tests).current_dir(&environment))?;
    step(Command::new(bin.join("mypy")).args(["--strict", "-p", "rezkit"]).current_dir(&environment))?;
    step(Command::new(bin.join("mypy")).arg("--strict").arg(&tests).current_dir(&environment))?;
    step(Command::new(bin.join("stubtest")).arg("rezkit").current_dir(&environment))
}

/// Prints and runs a command.
pub(crate) fn step(command: &mut Command) -> Outcome {
    println!("$ {command:?}");
    crate::run_status(command)
}
