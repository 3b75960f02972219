//! The tasks of the workspace. `cargo xtask` lists them.
//!
//! This package needs no crate of the workspace, so that it compiles quickly. Round trips are in `xtask/roundtrip`, which
//! is built when they are run.

mod bench;
mod book;
mod ci;
mod classes;
mod fixtures;
// Included by its path, since the crate `testkit` has dependencies that only tests need.
#[path = "../../crates/testkit/src/files.rs"]
mod files;
mod manifest;
mod packages;
mod python;
mod tidy;
mod web;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

pub use files::files;
pub use manifest::{MANIFEST, manifest};
use packages::packages;

/// The result of a task: nothing, or why it failed.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A task: its name, its arguments, what it does, and its function.
type Task = (&'static str, &'static str, &'static str, fn(lexopt::Parser) -> Outcome);

const TASKS: &[Task] = &[
    (
        "ci",
        "[--list] [STEP…]",
        "run all checks: format, lints, tests, documents, fixtures, features, targets",
        ci::run,
    ),
    (
        "roundtrip",
        "[--json] [PATH…]",
        "read each file, write it, read the result, and grade what was preserved",
        |mut args| {
            // With the path of the manifest and in the current folder, so that relative paths in the arguments stay valid.
            let mut command = Command::new("cargo");
            command.args(["run", "--quiet", "--package", "roundtrip", "--manifest-path"]);
            run_status(command.arg(root().join("Cargo.toml")).arg("--").args(args.raw_args()?))
        },
    ),
    ("tidy", "", "check rules that no compiler checks: crate layers, identical files, links", tidy::run),
    ("book", "", "build the book from docs/ into target/book; requires mdBook", book::run),
    (
        "python",
        "",
        "build the Python wheel, run its tests and check its types; requires Python 3.11 or later",
        python::run,
    ),
    ("web", "", "build and test the npm package and the web page of bindings/web; requires Node", web::run),
    (
        "classes",
        "age | NOTES",
        "print the age of the class table of rbxcore, or generate it with the notes in a folder",
        classes::run,
    ),
    (
        "fixtures",
        "[--check]",
        "write the generated files in fixtures/; --check only lists those that differ",
        fixtures::run,
    ),
    (
        "bench",
        "[FILTER…]",
        "compare the speed of our and other libraries; writes the tables of docs/BENCHMARKS.md",
        bench::run,
    ),
];

/// Runs the task that the program's arguments name.
pub fn run() -> ExitCode {
    let mut parser = lexopt::Parser::from_env();
    let name = match parser.next() {
        Ok(Some(lexopt::Arg::Value(name))) => name,
        Ok(Some(lexopt::Arg::Short('h') | lexopt::Arg::Long("help"))) => {
            print!("{}", usage());
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{}", usage());
            return ExitCode::from(2);
        }
    };
    let Some((name, usage, about, run)) = TASKS.iter().find(|(task, ..)| name == *task) else {
        eprint!("unknown task `{}`\n\n{}", name.display(), usage());
        return ExitCode::from(2);
    };
    if std::env::args().skip(2).any(|arg| arg == "--help" || arg == "-h") {
        println!("usage: cargo xtask {name} {usage}\n{about}");
        return ExitCode::SUCCESS;
    }
    match run(parser) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<lexopt::Error>() => {
            eprintln!("{error}\nusage: cargo xtask {name} {usage}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for (name, usage, about, _) in TASKS {
        text += &format!("  {:<28} {about}\n", format!("{name} {usage}"));
    }
    text
}

/// Runs a program; returns an error if it fails.
fn run_status(command: &mut Command) -> Outcome {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("failed: {command:?}").into()),
    }
}

/// The names of the format crates, in the order of the table of formats in `rezkit`.
pub fn formats() -> impl Iterator<Item = &'static str> {
    ["rbxmesh", "rbxbinary", "rbxxml", "m3d", "slmesh", "llsd"].into_iter()
}

/// The processor time of this process and of the child processes that it waited for; `None` without `/proc`.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Skip the name, which may contain spaces; the rest starts with the third field. utime, stime, cutime and cstime
    // are the 14th to the 17th field, in hundredths of a second.
    let fields = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks: u64 = fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 10))
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_path_buf()
}
