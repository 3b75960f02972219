//! Runs the benchmarks of our crates and their peers, which are in a workspace of their own, and compares the number of
//! instructions of a small fixed set with the committed figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use xtask::{Outcome, machine, root};

/// By which fraction a figure may exceed the committed one.
const TOLERANCE: f64 = 0.05;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let args: Vec<_> = args.raw_args()?.collect();
    match args.first().and_then(|arg| arg.to_str()) {
        Some("--check") => check(false),
        Some("--accept") => check(true),
        _ => {
            let mut command = peers("peers");
            command.arg("--docs").arg(root().join("docs")).arg("--machine").arg(machine()).args(args);
            succeed(&mut command)
        }
    }
}

fn folder() -> PathBuf {
    root().join("xtask/peers")
}

/// A command that builds and runs a program of the workspace of peers.
fn peers(program: &str) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--release", "--quiet", "--manifest-path"]).arg(folder().join("Cargo.toml"));
    command.args(["--bin", program, "--"]);
    command
}

fn succeed(command: &mut Command) -> Outcome {
    match command.status()?.success() {
        true => Ok(()),
        false => Err("the measurement failed".into()),
    }
}

/// Counts instructions, and compares them with the committed figures or, with `accept`, replaces those by the new ones.
fn check(accept: bool) -> Outcome {
    let list = peers("fixed").stderr(Stdio::inherit()).output()?;
    let names = String::from_utf8(list.stdout)?;
    let path = folder().join("instructions.toml");
    let known: BTreeMap<String, i64> = toml::from_str(&fs::read_to_string(&path).unwrap_or_default())?;
    let mut figures = String::from(
        "# Instructions, counted by callgrind. Written by `cargo xtask bench --accept`, compared by `--check`.\n",
    );
    let mut worse = 0;
    for name in names.lines() {
        let count = instructions(&[name])? - instructions(&[name, "prepare"])?;
        let _infallible = writeln!(figures, "{name:?} = {count}");
        let Some(&before) = known.get(name) else {
            println!("{name:<28} {count:>12}  new");
            worse += 1;
            continue;
        };
        let change = count as f64 / before as f64 - 1.0;
        let verdict = if change > TOLERANCE { "  worse" } else { "" };
        worse += usize::from(change > TOLERANCE);
        println!("{name:<28} {count:>12}  {:+.1} %{verdict}", change * 100.0);
    }
    if accept {
        fs::write(path, figures)?;
        return Ok(());
    }
    match worse {
        0 => Ok(()),
        worse => Err(format!(
            "cases that need more instructions than before: {worse}; `bench --accept` accepts the new numbers"
        )
        .into()),
    }
}

/// The number of instructions that the program `fixed` executes with these arguments.
fn instructions(args: &[&str]) -> Result<i64, Box<dyn std::error::Error>> {
    let program = folder().join("target/release/fixed");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(args)
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&run.stderr);
    let collected = text.lines().find_map(|line| line.split("Collected :").nth(1));
    let count = collected.and_then(|count| count.trim().parse().ok());
    Ok(count
        .ok_or_else(|| format!("expected the line \"Collected : COUNT\" from callgrind, found {text}"))?)
}
