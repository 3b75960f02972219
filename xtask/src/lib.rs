//! The tasks of the workspace. `cargo xtask` lists them.
//!
//! This package contains the tasks that need no crate of the workspace, so that it compiles quickly. Round trips are in
//! `xtask/roundtrip` and all other tasks in `xtask/heavy`; each of the two is built when one of its tasks is run.

mod book;
mod ci;
mod classes;
// Included by its path, since the crate `testkit` has dependencies that only tests need.
#[path = "../../crates/testkit/src/files.rs"]
mod files;
mod manifest;
mod packages;
mod python;
mod tidy;
mod vectors;
mod web;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

pub use files::files;
pub use manifest::{Entry, MANIFEST, Manifest};
pub use packages::{Package, packages};
pub use tidy::targets;

/// The result of a task: nothing, or why it failed.
pub type Outcome = Result<(), Box<dyn Error>>;

/// The function of a task.
pub type Run = fn(lexopt::Parser) -> Outcome;

/// A task: its name, its arguments, what it does, and its function if that is in this package.
pub struct Task {
    pub name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: Option<Run>,
}

impl Task {
    /// Whether its function is in this package.
    pub fn is_light(&self) -> bool {
        self.run.is_some()
    }
}

/// All tasks.
pub const TASKS: &[Task] = &[
    Task {
        name: "ci",
        usage: "[--list] [STEP…]",
        about: "run all checks: format, lints, each crate alone, tests, documents, fixtures, round trips",
        run: Some(ci::run),
    },
    Task {
        name: "roundtrip",
        usage: "[--json] [PATH…]",
        about: "read each file, write it, read the result, and grade how much was preserved",
        run: None,
    },
    Task {
        name: "tidy",
        usage: "",
        about: "check rules that no compiler checks: crate layers, identical files, links",
        run: Some(tidy::run),
    },
    Task {
        name: "book",
        usage: "",
        about: "build the book from docs/ into target/book; requires mdBook",
        run: Some(book::run),
    },
    Task {
        name: "python",
        usage: "",
        about: "build the Python wheel, run its tests and check its types; requires Python 3.11 or later",
        run: Some(python::run),
    },
    Task {
        name: "web",
        usage: "",
        about: "build and test the npm package and the web page of bindings/web; requires Node",
        run: Some(web::run),
    },
    Task {
        name: "classes",
        usage: "age | NOTES",
        about: "print the age of the class table of rbxcore, or generate it with the notes in a folder",
        run: Some(classes::run),
    },
    Task {
        name: "vectors",
        usage: "FILE [--files FOLDER]",
        about: "test llsd or m3d with the test vectors of another project, in a JSON file",
        run: Some(vectors::run),
    },
    Task {
        name: "fixtures",
        usage: "[--check]",
        about: "write the generated files in fixtures/; --check only lists those that differ",
        run: None,
    },
    Task {
        name: "fuzz",
        usage: "[--smoke [--inputs N]] [--seconds N] [--write] [STEP|CRATE|GROUP…]",
        about: "fuzz each step with nightly Rust; --smoke runs each for a moment, on any toolchain",
        run: None,
    },
    Task {
        name: "attack",
        usage: "[--inputs N] [--seed N] [--only NUMBER] [--write] [FORMAT…|worst|nearly|cases]",
        about: "run each step on damaged files, under limits of memory and time",
        run: None,
    },
    Task {
        name: "commands",
        usage: "[--write] [--only WAY] [--program FILE] [FOLDER…]",
        about: "run each command on each file: unchanged, misnamed, truncated, in folders and ZIPs, on stdin",
        run: None,
    },
    Task {
        name: "worst",
        usage: "[--list] [--size N] [--write] [NAME…]",
        about: "run each step on n and 4n repetitions of a construct; fail if the time is not linear",
        run: None,
    },
    Task {
        name: "robustness",
        usage: "[--inputs N] [FORMAT…]",
        about: "read damaged files with our and other libraries; writes the table of docs/ROBUSTNESS.md",
        run: None,
    },
    Task {
        name: "bench",
        usage: "[--rounds N] [--megabytes N | --growth] [FILTER…] | --check | --accept",
        about: "compare the speed of our and other libraries; writes docs/BENCHMARKS.md and README ratios",
        run: None,
    },
];

/// Runs the task that the program's arguments name. `here` returns the functions of tasks that are in the calling
/// package and not in this one. A task without either function is run by its own package.
pub fn run(here: fn(&str) -> Option<Run>) -> ExitCode {
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
    let Some(task) = TASKS.iter().find(|task| name == task.name) else {
        eprint!("unknown task `{}`\n\n{}", name.display(), usage());
        return ExitCode::from(2);
    };
    if std::env::args().skip(2).any(|arg| arg == "--help" || arg == "-h") {
        println!("usage: cargo xtask {} {}\n{}", task.name, task.usage, task.about);
        return ExitCode::SUCCESS;
    }
    let Some(run) = task.run.or_else(|| here(task.name)) else {
        return elsewhere(task.name, std::env::args_os().skip(1));
    };
    match run(parser) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<lexopt::Error>() => {
            eprintln!("{error}\nusage: cargo xtask {} {}", task.name, task.usage);
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("{}: {error}", task.name);
            ExitCode::FAILURE
        }
    }
}

/// Builds the package of a task and runs the task with it.
fn elsewhere(task: &str, args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let mut command = Command::new("cargo");
    // With the path of the manifest and in the current folder, so that relative paths in the arguments stay valid.
    command.args(["run", "--quiet", "--manifest-path"]).arg(root().join("Cargo.toml"));
    command.args(match task {
        "roundtrip" => ["--package", "roundtrip", "--profile", "dev"],
        // Optimised like a release, but with the assertions of tests.
        "attack" | "worst" => ["--package", "heavy", "--profile", "attack"],
        _ => ["--package", "heavy", "--profile", "test"],
    });
    match command.arg("--").args(args).status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            code.map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) => {
            eprintln!("cargo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for Task { name, usage, about, .. } in TASKS {
        text += &format!("  {:<28} {about}\n", format!("{name} {usage}"));
    }
    text
}

/// The names of the format crates, in the order of the table of formats in `rezkit`.
pub fn formats() -> impl Iterator<Item = &'static str> {
    ["rbxmesh", "rbxbinary", "rbxxml", "m3d", "slmesh", "llsd"].into_iter()
}

/// The machine on which a figure was measured: its processor, the compiler and the commit, if they are known.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let cpu = model.map_or_else(|| output("sysctl", &["-n", "machdep.cpu.brand_string"]), str::to_owned);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cpu} ({cores} cores), {}, commit {}", output("rustc", &["--version"]), commit())
}

/// The commit on which a figure was measured, followed by `-dirty` if there are uncommitted changes outside of `docs`.
pub fn commit() -> String {
    let changed = output("git", &["status", "--porcelain", "--", ".", ":!docs"]);
    format!(
        "{}{}",
        output("git", &["rev-parse", "--short", "HEAD"]),
        if changed.is_empty() { "" } else { "-dirty" }
    )
}

/// The standard output of a program without surrounding white space, or `unknown` if it fails.
fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(root()).output().ok();
    let text = output.filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or("unknown".into(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}

/// The processor time of this process and of the child processes that it waited for; `None` without `/proc`.
pub fn processor_time() -> Option<Duration> {
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
