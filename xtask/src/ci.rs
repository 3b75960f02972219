//! The gate: the steps that must pass before a change is merged.

mod oldest;

use std::fs;
use std::process::Command;
use std::time::Instant;

use lexopt::{Arg, ValueExt};

use crate::{Outcome, book, packages, root, tidy};

/// A step of the gate.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<Ran, Box<dyn std::error::Error>>,
    /// Whether the step runs if no steps are named; the other steps are run by the workflows.
    always: bool,
}

enum Ran {
    Passed,
    /// The step given here did the work of this one, too.
    Within(&'static str),
    /// The program or toolchain that is missing, as the command that installs it.
    Skipped(String),
}

const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "the format of all sources",
        run: || {
            needs_component("fmt", "rustfmt")?;
            cargo("fmt --all --check")
        },
        always: true,
    },
    Step {
        name: "tidy",
        about: "layers, equal files, links",
        run: || passed(tidy::run(lexopt::Parser::from_args([""; 0]))),
        always: true,
    },
    Step {
        name: "locked",
        about: "the lock files of all workspaces fit the manifests",
        run: locked,
        always: true,
    },
    Step {
        name: "clippy",
        about: "lints, everything with all features",
        run: || {
            if in_gate() {
                return Ok(Ran::Within("test"));
            }
            needs_component("clippy", "clippy")?;
            cargo("clippy --workspace --all-targets --all-features -- -D warnings")
        },
        always: true,
    },
    Step {
        name: "test",
        about: "all tests with all features: READMEs, examples of documentation, fixtures, round trips, fuzz targets",
        // Examples are built only in the gate, to lint them. `--all-targets` would also include libraries without
        // tests.
        run: || {
            let targets = if in_gate() { "--tests --examples" } else { "--tests" };
            cargo(&format!("test --workspace --all-features --quiet {targets}"))?;
            cargo("test --workspace --all-features --quiet --doc")
        },
        always: true,
    },
    Step {
        name: "docs",
        about: "documentation of all features, without warnings",
        run: || match in_gate() {
            true => Ok(Ran::Within("test")),
            false => {
                cargo_with("doc --workspace --all-features --no-deps", &[("RUSTDOCFLAGS", "-D warnings")])
            }
        },
        always: true,
    },
    Step {
        name: "book",
        about: "the pages of docs/ as a book, and its links",
        run: || match book::build()? {
            true => Ok(Ran::Passed),
            false => Ok(Ran::Skipped("cargo install --locked mdbook".into())),
        },
        always: true,
    },
    Step {
        name: "targets",
        about: "with the oldest Rust that the manifests allow: 32 bits, wasm, and geom without a standard library",
        run: oldest::targets,
        always: true,
    },
    Step {
        name: "features",
        about: "the published libraries as their users build them: each without features, and with each one, for 32 bits",
        run: oldest::features,
        always: true,
    },
    Step {
        name: "bits32",
        about: "all tests with 32 bits, if programs of 32 bits can be linked",
        run: || match works(Command::new("gcc").args([
            "-m32",
            "-x",
            "c",
            "-E",
            "-include",
            "gnu/stubs-32.h",
            "/dev/null",
        ])) {
            true => cargo("test --workspace --all-features --quiet --target i686-unknown-linux-gnu"),
            false => Ok(Ran::Skipped(
                "apt-get install gcc-multilib; rustup target add i686-unknown-linux-gnu".into(),
            )),
        },
        always: false,
    },
    Step {
        name: "table",
        about: "bindings/table: lints, tests, and its library without the command",
        run: || {
            let manifest = "--manifest-path bindings/table/Cargo.toml";
            cargo(&format!("clippy {manifest} --all-targets -- -D warnings"))?;
            cargo(&format!("clippy {manifest} --lib --no-default-features -- -D warnings"))?;
            cargo(&format!("test {manifest} --quiet"))
        },
        always: false,
    },
    Step {
        name: "bindings",
        about: "bindings/python, bindings/table and bindings/web: lints, after a change of a public item",
        run: || {
            cargo("clippy --quiet --manifest-path bindings/python/Cargo.toml --all-targets -- -D warnings")?;
            cargo("clippy --quiet --manifest-path bindings/table/Cargo.toml --all-targets -- -D warnings")?;
            cargo(
                "clippy --quiet --manifest-path bindings/web/Cargo.toml --target wasm32-unknown-unknown -p rezkit-web -- -D warnings",
            )
        },
        always: false,
    },
    Step { name: "deny", about: "licences, sources, advisories, and no C", run: deny, always: true },
    Step {
        name: "site",
        about: "documentation as the documentation site builds it, on nightly",
        run: || match has_toolchain("nightly") {
            true => cargo_with(
                &format!("+nightly doc{} --all-features --no-deps", published(|_| true)?),
                &[("RUSTDOCFLAGS", "--cfg docsrs -D warnings")],
            ),
            false => Ok(Ran::Skipped("rustup toolchain install nightly --profile minimal".into())),
        },
        always: false,
    },
    Step {
        name: "minimal",
        about: "the oldest dependencies that the manifests allow, on nightly",
        run: minimal,
        always: false,
    },
    Step {
        name: "package",
        about: "each published package builds from its archive and the archives of the others",
        run: || cargo("package --workspace --quiet --allow-dirty"),
        always: false,
    },
];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut named: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("list") => {
                for Step { name, about, always, .. } in STEPS {
                    println!("{name:<10} {about}{}", if *always { "" } else { " (only by name)" });
                }
                return Ok(());
            }
            Arg::Value(name) => named.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(name) = named.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(format!("unknown step {name}; `cargo xtask ci --list` lists the steps").into());
    }
    let chosen = |step: &&Step| match named.is_empty() {
        true => step.always,
        false => named.iter().any(|name| name == step.name),
    };
    let (start, cpu) = (Instant::now(), crate::processor_time());
    let (mut summary, mut failed) = (String::new(), Vec::new());
    let (beside, others): (Vec<&Step>, Vec<_>) =
        STEPS.iter().filter(chosen).partition(|step| BESIDE.contains(&step.name));
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| beside.into_iter().map(taken).collect::<Vec<_>>());
        let others: Vec<_> = others.into_iter().map(taken).collect();
        for (step, ran, seconds) in others.into_iter().chain(beside.join().unwrap_or_default()) {
            let (what, more) = match &ran {
                Ok(Ran::Passed) => ("passed", String::new()),
                Ok(Ran::Within(other)) => ("passed", format!("by the step `{other}`, if that passed")),
                Ok(Ran::Skipped(install)) => ("skipped", format!("first run: {install}")),
                Err(error) => ("FAILED", error.clone()),
            };
            if ran.is_err() {
                failed.push(step.name);
            }
            let line = format!("{:<10} {what:<8} {seconds:>6.1} s  {more}", step.name);
            summary += &format!("{}\n", line.trim_end());
        }
    });
    print!("\n{summary}");
    let cpu = cpu.zip(crate::processor_time()).map(|(before, after)| (after - before).as_secs_f64());
    println!("in all {:.0} s, {:.0} s of the processors", start.elapsed().as_secs_f64(), cpu.unwrap_or(0.0));
    match failed.as_slice() {
        [] => Ok(()),
        failed => {
            Err(format!("failed steps: {0}; to run them again: cargo xtask ci {0}", failed.join(" ")).into())
        }
    }
}

/// The steps that share no build with the others, since they use a compiler and a target folder of their own. They run
/// in parallel with the others, on the processors that those leave free.
const BESIDE: [&str; 2] = ["targets", "features"];

/// Runs a step; returns it with its result and its time in seconds.
fn taken(step: &Step) -> (&Step, Result<Ran, String>, f64) {
    println!("== {}: {}", step.name, step.about);
    let before = Instant::now();
    let ran = (step.run)().map_err(|error| error.to_string());
    if let Err(error) = &ran {
        println!("{}: {error}", step.name);
    }
    (step, ran, before.elapsed().as_secs_f64())
}

/// Whether this runs in `.ci/run`, where `.ci/rustc` lints everything that it compiles, and `.ci/rustdoc` documents
/// everything whose examples it tests.
fn in_gate() -> bool {
    std::env::var("RUSTC_WRAPPER").is_ok_and(|wrapper| wrapper.ends_with(".ci/rustc"))
}

fn passed(outcome: Outcome) -> Result<Ran, Box<dyn std::error::Error>> {
    outcome.map(|()| Ran::Passed)
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

/// Returns an error with the command that installs rustfmt and clippy if the component is missing.
fn needs_component(subcommand: &str, component: &str) -> Outcome {
    match works(Command::new("cargo").args([subcommand, "--version"])) {
        true => Ok(()),
        false => Err(format!("{component} is missing: run `rustup component add rustfmt clippy`").into()),
    }
}

fn has_toolchain(name: &str) -> bool {
    works(Command::new("cargo").args([&format!("+{name}"), "--version"]))
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

/// Arguments for cargo that select the published packages for whose names `wanted` returns true.
fn published(wanted: impl Fn(&str) -> bool) -> Result<String, Box<dyn std::error::Error>> {
    let packages = packages()?.into_iter().filter(|package| wanted(&package.name));
    Ok(packages.map(|package| format!(" -p {}", package.name)).collect())
}

/// Checks dependencies with cargo-deny. The advisories need a database that is downloaded; without a network,
/// everything else is checked.
fn deny() -> Result<Ran, Box<dyn std::error::Error>> {
    let deny = |args: &[&str]| works(Command::new("cargo").arg("deny").args(args));
    if !deny(&["--version"]) {
        return Ok(Ran::Skipped("cargo install --locked cargo-deny".into()));
    }
    cargo("deny --all-features check licenses bans sources")?;
    match deny(&["fetch", "db"]) {
        true => cargo("deny --all-features check advisories"),
        false => Ok(Ran::Skipped("cargo deny fetch db (only the advisories were not checked)".into())),
    }
}

/// Uses a copy of the lock file, so that the one of the workspace is not changed.
fn minimal() -> Result<Ran, Box<dyn std::error::Error>> {
    if !has_toolchain("nightly") {
        return Ok(Ran::Skipped("rustup toolchain install nightly --profile minimal".into()));
    }
    let copy = root().join("target/minimal/Cargo.lock");
    fs::create_dir_all(copy.parent().unwrap_or(&copy))?;
    let copy = copy.to_string_lossy().into_owned();
    let variables = [
        ("CARGO_RESOLVER_LOCKFILE_PATH", copy.as_str()),
        ("CARGO_UNSTABLE_LOCKFILE_PATH", "true"),
        ("CARGO_UNSTABLE_DIRECT_MINIMAL_VERSIONS", "true"),
    ];
    cargo_with("+nightly generate-lockfile", &variables)?;
    cargo_with(&format!("+nightly check{} --lib --all-features", published(|_| true)?), &variables)
}
