//! Which changes of the crates' code no test notices: runs cargo-mutants over a part of each format crate, and writes
//! `docs/MUTANTS.md` from what it found and the reasons in `xtask/mutants.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::{Arg, ValueExt};
use serde_json::Value;

use xtask::{Outcome, root};

/// What is tried: bytes both ways, edits, and the model.
const LAYERS: [&str; 3] = ["wire", "edit", "model"];

const HEAD: &str = "# Mutants\n\n\
    A mutant is one small change of the code: a condition turned, an operator replaced, a function that returns a constant. \
    [cargo-mutants](https://mutants.rs) makes them, and tries the crate's own tests on each (without real files). One that \
    lives is a test that is missing, or is listed here with the reason why no test can notice it. What was tried is a \
    sample: there are some 8,400 in these layers of the six crates. \
    `cargo xtask mutants --shard K/N [CRATE…]` tries one of N of the mutants in `wire`, `edit` and `model`, and writes this \
    page; `cargo xtask mutants FOLDER…` writes it from results that are there. Reasons are rows of `xtask/mutants.tsv`.\n";

#[derive(Default)]
struct Counts {
    caught: usize,
    timeout: usize,
    unviable: usize,
    living: Vec<String>,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut shard, mut names) = (None, Vec::new());
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("shard") => shard = Some(args.value()?.string()?),
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let folders = match shard {
        Some(shard) => {
            if names.is_empty() {
                names = xtask::formats().map(str::to_owned).collect();
            }
            names.iter().map(|name| tried(name, &shard)).collect::<Result<Vec<_>, _>>()?
        }
        None if names.is_empty() => return Err("neither --shard K/N nor a folder with results".into()),
        None => names.iter().map(PathBuf::from).collect(),
    };
    let mut crates: BTreeMap<String, Counts> = BTreeMap::new();
    for folder in &folders {
        read(&folder.join("mutants.out/outcomes.json"), &mut crates)?;
    }
    let reasons = fs::read_to_string(root().join("xtask/mutants.tsv"))?;
    let reasons: BTreeMap<&str, &str> = reasons.lines().filter_map(|line| line.split_once('\t')).collect();
    fs::write(root().join("docs/MUTANTS.md"), page(&crates, &reasons))?;
    let unexplained =
        crates.values().flat_map(|of| &of.living).filter(|name| !reasons.contains_key(name.as_str()));
    match unexplained.count() {
        0 => Ok(()),
        count => Err(format!("{count} mutants live without a reason: docs/MUTANTS.md lists them").into()),
    }
}

/// Tries one of N of a crate's mutants; the folder with what was found.
fn tried(name: &str, shard: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = root().join("target/mutants").join(name);
    fs::create_dir_all(&folder)?;
    let manifest = root().join("crates").join(name).join("Cargo.toml");
    let mut command = Command::new("cargo");
    command.current_dir(root()).args([
        "mutants",
        "--sharding",
        "round-robin",
        "--shard",
        shard,
        "--all-features",
    ]);
    command.arg("--manifest-path").arg(manifest).arg("--output").arg(&folder);
    for layer in LAYERS {
        command.arg("--file").arg(format!("crates/{name}/src/{layer}/**"));
    }
    // Its status tells that mutants live, which the page tells too.
    command
        .status()
        .map_err(|error| format!("cargo mutants: {error} (`cargo install --locked cargo-mutants`)"))?;
    Ok(folder)
}

fn read(path: &Path, crates: &mut BTreeMap<String, Counts>) -> Outcome {
    let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let found: Value = serde_json::from_slice(&text)?;
    for outcome in found["outcomes"].as_array().into_iter().flatten() {
        let mutant = &outcome["scenario"]["Mutant"];
        let (Some(file), Some(name)) = (mutant["file"].as_str(), mutant["name"].as_str()) else { continue };
        let counts = crates.entry(file.split('/').nth(1).unwrap_or(file).to_owned()).or_default();
        match outcome["summary"].as_str() {
            Some("CaughtMutant") => counts.caught += 1,
            Some("Timeout") => counts.timeout += 1,
            Some("Unviable") => counts.unviable += 1,
            _ => counts.living.push(plain(file, name)),
        }
    }
    Ok(())
}

/// A mutant without line and column, which the next change would move: `crates/…/zlib.rs: replace < with <= in inflate`.
fn plain(file: &str, name: &str) -> String {
    let what =
        name.strip_prefix(file).unwrap_or(name).trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    format!("{file}: {}", what.trim_start())
}

fn page(crates: &BTreeMap<String, Counts>, reasons: &BTreeMap<&str, &str>) -> String {
    let mut page = format!(
        "{HEAD}\n| crate | tried | caught | caught by their time | do not compile | live, with a reason | live |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
    );
    let explained = |of: &Counts| of.living.iter().filter(|name| reasons.contains_key(name.as_str())).count();
    for (name, of) in crates {
        let tried = of.caught + of.timeout + of.unviable + of.living.len();
        let (known, Counts { caught, timeout, unviable, living }) = (explained(of), of);
        let other = living.len() - known;
        let _infallible =
            writeln!(page, "| {name} | {tried} | {caught} | {timeout} | {unviable} | {known} | {other} |");
    }
    page.push_str("\n## What lives\n\n| mutant | why |\n|---|---|\n");
    let mut living: Vec<&String> = crates.values().flat_map(|of| &of.living).collect();
    living.sort();
    living.dedup();
    for name in living {
        let reason = reasons.get(name.as_str()).copied().unwrap_or("**not explained**");
        let _infallible = writeln!(page, "| `{}` | {reason} |", name.replace('|', "\\|"));
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_mutant_is_named_without_its_place() {
        let file = "crates/slmesh/src/wire/zlib.rs";
        let name = format!("{file}:41:12: replace < with <= in Inflater::inflate");
        assert_eq!(super::plain(file, &name), format!("{file}: replace < with <= in Inflater::inflate"));
    }
}
