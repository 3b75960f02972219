//! The gate: the steps that must pass before a change is merged.

mod oldest;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use lexopt::{Arg, ValueExt};

use crate::{Outcome, book, packages, root, tidy};

/// A step of the gate: its name, what it checks, its function, and whether it runs if no steps are named.
type Step = (&'static str, &'static str, fn() -> Result<Ran, Box<dyn std::error::Error>>, bool);

enum Ran {
    Passed,
    /// The step given here did the work of this one, too.
    Within(&'static str),
    /// The program or toolchain that is missing, as the command that installs it.
    Skipped(String),
}

const STEPS: &[Step] = &[
    ("fmt", "the format of all sources", || cargo("fmt --all --check"), true),
    (
        "tidy",
        "layers, equal files, links",
        || tidy::run(lexopt::Parser::from_args([""; 0])).map(|()| Ran::Passed),
        true,
    ),
    ("locked", "the lock files of all workspaces fit the manifests", locked, true),
    (
        "clippy",
        "lints, everything with all features",
        || match in_gate() {
            true => Ok(Ran::Within("test")),
            false => cargo("clippy --workspace --all-targets --all-features -- -D warnings"),
        },
        true,
    ),
    ("test", "all tests with all features: examples, fixtures, round trips, damaged files", test, true),
    (
        "docs",
        "documentation of all features, without warnings",
        || match in_gate() {
            true => Ok(Ran::Within("test")),
            false => {
                cargo_with("doc --workspace --all-features --no-deps", &[("RUSTDOCFLAGS", "-D warnings")])
            }
        },
        true,
    ),
    (
        "book",
        "the pages of docs/ as a book, and its links",
        || match book::build()? {
            true => Ok(Ran::Passed),
            false => Ok(Ran::Skipped("cargo install --locked mdbook".into())),
        },
        true,
    ),
    (
        "targets",
        "with the oldest Rust that the manifests allow: wasm, and geom without a standard library",
        oldest::targets,
        true,
    ),
    ("features", "the format crates without features, and with each one", oldest::features, true),
    ("deny", "licences, sources, advisories, and no C", deny, true),
    (
        "bits32",
        "all tests with 32 bits, and the oldest Rust; requires gcc-multilib and the target i686-unknown-linux-gnu",
        || {
            oldest::bits32()?;
            cargo("test --workspace --all-features --quiet --target i686-unknown-linux-gnu")
        },
        false,
    ),
    (
        "bindings",
        "bindings/python, bindings/table and bindings/web: lints; and the tests of the table",
        || {
            let table = "--manifest-path bindings/table/Cargo.toml";
            cargo("clippy --quiet --manifest-path bindings/python/Cargo.toml --all-targets -- -D warnings")?;
            cargo(
                "clippy --quiet --manifest-path bindings/web/Cargo.toml --target wasm32-unknown-unknown -p rezkit-web -- -D warnings",
            )?;
            cargo(&format!("clippy --quiet {table} --all-targets -- -D warnings"))?;
            cargo(&format!("clippy --quiet {table} --lib --no-default-features -- -D warnings"))?;
            cargo(&format!("test --quiet {table}"))
        },
        false,
    ),
    (
        "site",
        "documentation as the documentation site builds it, on nightly",
        || {
            let docs = format!("+nightly doc{} --all-features --no-deps", published()?);
            cargo_with(&docs, &[("RUSTDOCFLAGS", "--cfg docsrs -D warnings")])
        },
        false,
    ),
    ("minimal", "the oldest dependencies that the manifests allow, on nightly", minimal, false),
    (
        "package",
        "each published package builds from its archive and the archives of the others",
        || cargo(&format!("package{} --quiet --allow-dirty", published()?)),
        false,
    ),
];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut named: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("list") => {
                for (name, about, _, always) in STEPS {
                    println!("{name:<10} {about}{}", if *always { "" } else { " (only by name)" });
                }
                return Ok(());
            }
            Arg::Value(name) => named.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(name) = named.iter().find(|name| !STEPS.iter().any(|(step, ..)| step == name)) {
        return Err(format!("unknown step {name}; `cargo xtask ci --list` lists the steps").into());
    }
    let is_chosen = |step: &&Step| match named.is_empty() {
        true => step.3,
        false => named.iter().any(|name| name == step.0),
    };
    let (start, cpu) = (Instant::now(), crate::processor_time());
    let (mut summary, mut failed) = (String::new(), Vec::new());
    // These use a compiler and a target folder of their own: they run in parallel with the others, on the processors that
    // those leave free.
    let (beside, others): (Vec<&Step>, Vec<_>) =
        STEPS.iter().filter(is_chosen).partition(|step| ["targets", "features"].contains(&step.0));
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| beside.into_iter().map(taken).collect::<Vec<_>>());
        let others: Vec<_> = others.into_iter().map(taken).collect();
        for (name, ran, seconds) in others.into_iter().chain(beside.join().unwrap_or_default()) {
            let (what, more) = match ran {
                Ok(Ran::Passed) => ("passed", String::new()),
                Ok(Ran::Within(other)) => ("passed", format!("by the step `{other}`, if that passed")),
                Ok(Ran::Skipped(install)) => ("skipped", format!("first run: {install}")),
                Err(error) => {
                    failed.push(name);
                    ("FAILED", error)
                }
            };
            summary += format!("{name:<10} {what:<8} {seconds:>6.1} s  {more}").trim_end();
            summary += "\n";
        }
    });
    print!("\n{summary}");
    let cpu = cpu.zip(crate::processor_time()).map(|(before, after)| (after - before).as_secs_f64());
    println!("in all {:.0} s, {:.0} s of the processors", start.elapsed().as_secs_f64(), cpu.unwrap_or(0.0));
    match failed.join(" ").as_str() {
        "" => Ok(()),
        failed => Err(format!("failed steps: {failed}; to run them again: cargo xtask ci {failed}").into()),
    }
}

/// Runs a step; returns its name, its result and its time in seconds.
fn taken((name, about, run, _): &Step) -> (&'static str, Result<Ran, String>, f64) {
    println!("== {name}: {about}");
    let before = Instant::now();
    let ran = run().map_err(|error| error.to_string());
    if let Err(error) = &ran {
        println!("{name}: {error}");
    }
    (name, ran, before.elapsed().as_secs_f64())
}

/// Whether this runs in `.ci/run`, where `.ci/rustc` lints everything that it compiles, and `.ci/rustdoc` documents
/// everything whose examples it tests.
fn in_gate() -> bool {
    std::env::var("RUSTC_WRAPPER").is_ok_and(|wrapper| wrapper.ends_with(".ci/rustc"))
}

/// Runs all tests, and those that asked for files of `../shared` a second time without them, as in a fresh clone.
fn test() -> Result<Ran, Box<dyn std::error::Error>> {
    // Examples are built only in the gate, to lint them. `--all-targets` would also include libraries without tests.
    let targets = if in_gate() { "--tests --examples" } else { "--tests" };
    let list = root().join("target/uses-of-shared");
    let _missing = fs::remove_file(&list);
    let args = format!("test --workspace --all-features --quiet {targets}");
    let home = new_home()?;
    let mut variables: Vec<_> = home.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let uses = list.to_string_lossy();
    variables.push(("REZKIT_SHARED_USES", &uses));
    cargo_with(&args, &variables)?;
    let mut programs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in fs::read_to_string(&list).unwrap_or_default().lines() {
        let (program, name) = line.split_once('\t').unwrap_or_default();
        let names = programs.entry(program.to_owned()).or_default();
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    for (line, names) in programs {
        let (program, folder) = line.split_once('|').unwrap_or_default();
        let mut command = Command::new(program);
        command
            .args(["--quiet", "--exact"])
            .args(&names)
            .current_dir(folder)
            .env("REZKIT_SHARED", "missing")
            .envs(home.clone());
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            return Err(format!("{program}: a test fails without the files of ../shared").into());
        }
        println!("   {} tests of {folder} pass without the files of ../shared", names.len());
    }
    cargo("test --workspace --all-features --quiet --doc")
}

/// The variables of a machine that is not set up: nothing in the home folder, and Git knows no person. Cargo stays.
fn new_home() -> Result<Vec<(&'static str, String)>, Box<dyn std::error::Error>> {
    let (old, new) = (std::env::var("HOME").unwrap_or_default(), root().join("target/home"));
    let _missing = fs::remove_dir_all(&new);
    fs::create_dir_all(&new)?;
    fs::write(new.join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n")?;
    let new = new.to_string_lossy().into_owned();
    let of_cargo = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")];
    let kept = of_cargo.map(|(name, at)| (name, std::env::var(name).unwrap_or(format!("{old}/{at}"))));
    let homes = [("HOME", new.clone()), ("XDG_CONFIG_HOME", new), ("GIT_CONFIG_NOSYSTEM", "1".into())];
    Ok(homes.into_iter().chain(kept).collect())
}

/// Runs cargo in the workspace with these arguments, which are separated by spaces.
fn cargo(args: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    cargo_with(args, &[])
}

fn cargo_with(args: &str, variables: &[(&str, &str)]) -> Result<Ran, Box<dyn std::error::Error>> {
    println!("   cargo {args}");
    // `cargo` and not the program in `CARGO`, since only the former understands `+toolchain`.
    let mut command = Command::new("cargo");
    command.args(args.split(' ')).envs(variables.iter().copied()).current_dir(root());
    match command.status()?.success() {
        true => Ok(Ran::Passed),
        false => Err(format!("`cargo {args}` failed").into()),
    }
}

fn works(command: &mut Command) -> bool {
    command.current_dir(root()).output().is_ok_and(|output| output.status.success())
}

/// Checks the lock files of all workspaces: this one, and those that need nightly, other dependencies or another
/// language.
fn locked() -> Result<Ran, Box<dyn std::error::Error>> {
    let workspaces = [".", "bindings/python", "bindings/table", "bindings/web", "xtask/fuzz", "xtask/peers"];
    for manifest in workspaces.map(|folder| format!("{folder}/Cargo.toml")) {
        let metadata = Command::new("cargo")
            .args(["metadata", "--locked", "--format-version=1", "--manifest-path", &manifest])
            .current_dir(root())
            .output()?;
        if !metadata.status.success() {
            return Err(format!("{manifest}: {}", String::from_utf8_lossy(&metadata.stderr).trim()).into());
        }
    }
    Ok(Ran::Passed)
}

/// Arguments for cargo that select the published packages.
fn published() -> Result<String, Box<dyn std::error::Error>> {
    Ok(packages()?.iter().map(|package| format!(" -p {}", package.name)).collect())
}

/// Checks dependencies with cargo-deny. The advisories need a database that is downloaded; without a network,
/// everything else is checked.
fn deny() -> Result<Ran, Box<dyn std::error::Error>> {
    let deny = |args: &[&str]| works(Command::new("cargo").arg("deny").args(args));
    if !deny(&["--version"]) {
        return Ok(Ran::Skipped("cargo install --locked cargo-deny".into()));
    }
    let manifests =
        ["Cargo.toml", "bindings/python/Cargo.toml", "bindings/table/Cargo.toml", "bindings/web/Cargo.toml"];
    let check = |what: &str| {
        let all = manifests.iter().map(|manifest| {
            cargo(&format!("deny --manifest-path {manifest} --all-features --config deny.toml check {what}"))
        });
        all.collect::<Result<Vec<_>, _>>()
    };
    check("licenses bans sources")?;
    match deny(&["fetch", "db"]) {
        true => check("advisories").map(|_| Ran::Passed),
        false => Ok(Ran::Skipped("cargo deny fetch db (only the advisories were not checked)".into())),
    }
}

/// Uses a copy of the lock file, so that the one of the workspace is not changed.
fn minimal() -> Result<Ran, Box<dyn std::error::Error>> {
    let copy = root().join("target/minimal/Cargo.lock");
    fs::create_dir_all(copy.parent().unwrap_or(&copy))?;
    let copy = copy.to_string_lossy().into_owned();
    let variables = [
        ("CARGO_RESOLVER_LOCKFILE_PATH", copy.as_str()),
        ("CARGO_UNSTABLE_LOCKFILE_PATH", "true"),
        ("CARGO_UNSTABLE_DIRECT_MINIMAL_VERSIONS", "true"),
    ];
    cargo_with("+nightly generate-lockfile", &variables)?;
    cargo_with(&format!("+nightly check{} --lib --all-features", published()?), &variables)
}
