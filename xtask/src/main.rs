//! The workspace's own tasks. `cargo xtask` lists them.

mod book;
mod ci;
mod classes;
mod corpus;
mod fixtures;
mod pictures;
mod publish;
mod roundtrip;
mod tidy;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What a task gives back: nothing, or why it failed.
type Outcome = Result<(), Box<dyn Error>>;

/// The names of the format crates.
fn formats() -> impl Iterator<Item = &'static str> {
    rezkit::FORMATS.iter().filter(|format| format.is_exact()).map(|format| format.name)
}

/// A task: its name, what follows the name, what it does, and the function that does it.
struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(lexopt::Parser) -> Outcome,
}

const TASKS: &[Task] = &[
    Task {
        name: "fixtures",
        usage: "[--check]",
        about: "write the small files under fixtures/, or say which differ",
        run: fixtures::run,
    },
    Task {
        name: "roundtrip",
        usage: "[--json] [PATH…]",
        about: "read, write and read again every file, and grade what came back",
        run: roundtrip::run,
    },
    Task {
        name: "tidy",
        usage: "[--fix]",
        about: "layers, equal files, words, links: what no compiler checks",
        run: tidy::run,
    },
    Task {
        name: "bench",
        usage: "[--rounds N] [--megabytes N] [FILTER…] | --check | --accept",
        about: "measure our crates and their peers in turn; writes docs/BENCHMARKS.md",
        run: |args| heavy("bench", args),
    },
    Task {
        name: "book",
        usage: "",
        about: "build the book of docs/ into target/book, where mdBook is installed",
        run: book::run,
    },
    Task {
        name: "fuzz",
        usage: "[--smoke [--inputs N]] [--seconds N] [TARGET|CRATE…]",
        about: "fuzz each target on nightly; --smoke: a moment each, on any toolchain",
        run: |args| heavy("fuzz", args),
    },
    Task {
        name: "attack",
        usage: "[--inputs N] [--seed N] [FORMAT…]",
        about: "all that the kit does, on broken files, under limits of memory and time",
        run: |args| heavy("attack", args),
    },
    Task {
        name: "robustness",
        usage: "[--inputs N] [FORMAT…]",
        about: "give broken files to our readers and the peers'; writes the table of docs/ROBUSTNESS.md",
        run: |args| heavy("robustness", args),
    },
    Task {
        name: "classes",
        usage: "NOTES",
        about: "make the table of rbxclasses from Roblox's class database and the notes on real files",
        run: classes::run,
    },
    Task {
        name: "corpus",
        usage: "[--to FOLDER] CLONES",
        about: "lay out the real files of corpus.toml from local clones (CLONES/OWNER/NAME)",
        run: corpus::run,
    },
    Task {
        name: "worst",
        usage: "[--list] [--case TEXT] [FORMAT…]",
        about: "each public function on what repeats, at n and 4n: nothing takes more than linear time",
        run: |args| heavy("worst", args),
    },
    Task {
        name: "pictures",
        usage: "",
        about: "draw the structure of each container: crates/*/structure.svg",
        run: pictures::run,
    },
    Task {
        name: "publish",
        usage: "--dry-run [PACKAGE…] | PACKAGE…",
        about: "verify each package from its archive alone; without --dry-run, publish and tag those named",
        run: publish::run,
    },
    Task {
        name: "ci",
        usage: "[--list] [STEP…]",
        about: "the gate: format, lints, each crate alone, tests, documents, fixtures, round trips",
        run: ci::run,
    },
];

fn main() -> ExitCode {
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
        eprint!("no task {}\n\n{}", name.display(), usage());
        return ExitCode::from(2);
    };
    if std::env::args().skip(2).any(|arg| arg == "--help" || arg == "-h") {
        println!("usage: cargo xtask {} {}\n{}", task.name, task.usage, task.about);
        return ExitCode::SUCCESS;
    }
    match (task.run)(parser) {
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

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for Task { name, usage, about, .. } in TASKS {
        text += &format!("  {:<28} {about}\n", format!("{name} {usage}"));
    }
    text
}

/// Calls a task of the package `heavy`, which needs all of the kit.
fn heavy(task: &str, mut args: lexopt::Parser) -> Outcome {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "heavy"]);
    if task == "attack" {
        // As fast as a release, with the checks of the tests.
        command.args(["--profile", "attack"]);
    }
    let status = command.args(["--", task]).args(args.raw_args()?).current_dir(root()).status()?;
    match status.success() {
        true => Ok(()),
        false => Err("it failed".into()),
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_path_buf()
}
