//! Which changes of the format crates' code no test notices: cargo-mutants lists the changes, each crate is built once with
//! a switch for each of them, and `docs/MUTANTS.md` is written from what was found and the reasons in `xtask/mutants.tsv`.

mod switch;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use lexopt::{Arg, ValueExt};
use serde::Deserialize;

use xtask::{Outcome, root};

/// What is tried: bytes both ways, edits, and the model.
const LAYERS: [&str; 4] = ["wire/**", "edit/**", "edit.rs", "model/**"];

/// Tests that take longer are left out: they are of time, memory and thousands of broken files.
const LONGEST: Duration = Duration::from_secs(1);

const HEAD: &str = "# Mutants\n\n\
    A mutant is one small change of the code: a condition turned, an operator replaced, a function that returns a constant. \
    [cargo-mutants](https://mutants.rs) lists all of those in `wire`, `edit` and `model` of the six crates. \
    `cargo xtask mutants [CRATE…]` builds each crate once with a switch for each of them, runs the crate's own tests \
    (without real files, and without the examples of the documentation) that reach a mutant, until one fails, and writes this \
    page. Tests that take more than a second of the processor are left out, so that what only they notice is among those that live. Mutants without a place for a switch, as in constants, are not \
    tried unless `--alone` asks for it, which builds the crate for each. A crate that is not in the table was not tried. A mutant that lives is a test that is \
    missing, or is listed here with the reason why no test can notice it: a row of `xtask/mutants.tsv`, which is of one \
    mutant in one function, or, with `*`, of all whose names match.\n";

/// What was found of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Caught,
    Timeout,
    Unviable,
    Living,
    /// Without a place for a switch, and not built by itself.
    Untried,
}

const FOUND: [(&str, Found); 5] = [
    ("caught", Found::Caught),
    ("timeout", Found::Timeout),
    ("unviable", Found::Unviable),
    ("living", Found::Living),
    ("untried", Found::Untried),
];

/// A mutant, as cargo-mutants lists it.
#[derive(Deserialize)]
struct Mutant {
    package: String,
    file: String,
    name: String,
    genre: String,
    replacement: String,
    span: Span,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Span {
    start: Place,
    end: Place,
}

#[derive(Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

#[derive(Deserialize)]
struct Function {
    return_type: String,
}

impl Mutant {
    fn change<'a>(&'a self, number: usize, source: &str) -> switch::Change<'a> {
        let [start, end] = [&self.span.start, &self.span.end].map(|place| {
            let line: usize = source.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
            line + source[line..].chars().take(place.column - 1).map(char::len_utf8).sum::<usize>()
        });
        switch::Change { number, genre: &self.genre, start, end, text: &self.replacement }
    }

    /// Whether it replaces a value with `impl Trait` inside of its type: the compiler refuses a second one where it may
    /// take it alone.
    fn is_inside_of_type(&self) -> bool {
        let inside = |of: &Function| {
            of.return_type.trim_start_matches("-> ").trim_start_matches("impl ").contains("impl ")
        };
        self.genre == "FnValue" && self.function.as_ref().is_some_and(inside)
    }

    /// Its name without line and column, which the next change would move: `slmesh/src/wire/zlib.rs: replace < with <= in inflate`.
    fn plain(&self) -> String {
        let what = self.name.strip_prefix(&self.file).unwrap_or(&self.name);
        let what = what.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()).trim_start();
        format!("{}: {what}", self.file.trim_start_matches("crates/"))
    }
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut names, mut again) = (Vec::new(), None);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("living") => again = Some(Found::Living),
            Arg::Long("alone") => again = Some(Found::Untried),
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if names.is_empty() {
        names = xtask::formats().map(str::to_owned).collect();
    }
    for name in &names {
        try_crate(name, again)?;
    }
    let mut crates = BTreeMap::new();
    for name in xtask::formats() {
        let found = results(name);
        if !found.is_empty() {
            crates.insert(name, found);
        }
    }
    let reasons = fs::read_to_string(root().join("xtask/mutants.tsv"))?;
    let reasons: Vec<(&str, &str)> = reasons.lines().filter_map(|line| line.split_once('\t')).collect();
    let (page, unexplained, idle) = page(&crates, &reasons);
    fs::write(root().join("docs/MUTANTS.md"), page)?;
    match (unexplained, idle.as_slice()) {
        (0, []) => Ok(()),
        (0, _) => Err(format!("reasons of no mutant that lives:\n{}", idle.join("\n")).into()),
        _ => Err(format!("{unexplained} mutants live without a reason: docs/MUTANTS.md lists them").into()),
    }
}

fn folder(name: &str) -> PathBuf {
    root().join("target/mutants").join(name)
}

/// What was found of a crate's mutants, by their plain names.
fn results(name: &str) -> Vec<(Found, String)> {
    let text = fs::read_to_string(folder(name).join("found.tsv")).unwrap_or_default();
    let row = |line: &str| {
        let (word, mutant) = line.split_once('\t')?;
        Some((FOUND.iter().find(|(of, _)| *of == word)?.1, mutant.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

/// Tries a crate's mutants: all, or those with a name of which this was found when they were tried before, and new ones.
fn try_crate(name: &str, again: Option<Found>) -> Outcome {
    let mutants = listed(name)?;
    let (mut found, mut tried): (Vec<_>, Vec<&Mutant>) = (Vec::new(), mutants.iter().collect());
    if let Some(again) = again {
        found = results(name);
        let chosen = found.iter().filter(|row| row.0 == again).map(|row| row.1.clone());
        let chosen: BTreeSet<String> = chosen.collect();
        let old: BTreeSet<String> = found.iter().map(|row| row.1.clone()).collect();
        tried.retain(|mutant| chosen.contains(&mutant.plain()) || !old.contains(&mutant.plain()));
        let now: BTreeSet<String> = mutants.iter().map(Mutant::plain).collect();
        found.retain(|row| !chosen.contains(&row.1) && now.contains(&row.1));
    }
    let Some(first) = tried.first() else { return Ok(()) };
    let tree = trial::Tree::new(folder(name).join("tree"), name, &first.package)?;
    let of = tree.tried(&tried, again == Some(Found::Untried), LONGEST, |text| println!("{name}: {text}"))?;
    found.extend(of.into_iter().zip(tried.iter().map(|mutant| mutant.plain())));
    let mut text = String::new();
    for (of, mutant) in &found {
        let word = FOUND.iter().find(|row| row.1 == *of).map_or("", |row| row.0);
        let _infallible = writeln!(text, "{word}\t{mutant}");
    }
    Ok(fs::write(folder(name).join("found.tsv"), text)?)
}

fn listed(name: &str) -> Result<Vec<Mutant>, Box<dyn std::error::Error>> {
    let mut command = Command::new("cargo");
    command.current_dir(root()).args(["mutants", "--list", "--json", "--all-features", "--manifest-path"]);
    command.arg(format!("crates/{name}/Cargo.toml"));
    for layer in LAYERS {
        command.args(["--file", &format!("crates/{name}/src/{layer}")]);
    }
    let output = command.output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo mutants (`cargo install --locked cargo-mutants`): {why}").into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Whether a reason's key is a mutant's name, where each `*` is any text.
fn matches(key: &str, name: &str) -> bool {
    let Some((start, rest)) = key.split_once('*') else { return key == name };
    let Some(name) = name.strip_prefix(start) else { return false };
    name.char_indices().any(|(at, _)| matches(rest, &name[at..])) || matches(rest, "")
}

/// The page, how many mutants it lists without a reason, and the reasons of no mutant of the crates that were tried.
fn page<'a>(
    crates: &BTreeMap<&str, Vec<(Found, String)>>,
    reasons: &[(&'a str, &str)],
) -> (String, usize, Vec<&'a str>) {
    let mut page = format!(
        "{HEAD}\n| crate | mutants | caught | caught by their time | do not compile | live, with a reason | live | not tried |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let mut rows: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut unexplained = 0;
    let mut untried_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, found) in crates {
        let mut known = 0;
        for (_, mutant) in found.iter().filter(|row| row.0 == Found::Living) {
            let reason = reasons.iter().find(|(key, _)| matches(key, mutant));
            known += usize::from(reason.is_some());
            *rows.entry(reason.copied().unwrap_or((mutant, "**not explained**"))).or_default() += 1;
        }
        for (_, mutant) in found.iter().filter(|row| row.0 == Found::Untried) {
            *untried_of.entry(mutant.split(": ").next().unwrap_or_default()).or_default() += 1;
        }
        let [caught, timeout, unviable, living, untried] =
            FOUND.map(|(_, of)| found.iter().filter(|row| row.0 == of).count());
        let (all, other) = (found.len(), living - known);
        unexplained += other;
        let _infallible = writeln!(
            page,
            "| {name} | {all} | {caught} | {timeout} | {unviable} | {known} | {other} | {untried} |"
        );
    }
    page.push_str("\n## What lives\n\n| mutant | how many | why |\n|---|--:|---|\n");
    for ((mutant, reason), count) in &rows {
        let _infallible = writeln!(page, "| `{}` | {count} | {reason} |", mutant.replace('|', "\\|"));
    }
    if !untried_of.is_empty() {
        page.push_str("\n## What was not tried\n\n| file | how many |\n|---|--:|\n");
    }
    for (file, count) in &untried_of {
        let _infallible = writeln!(page, "| `{file}` | {count} |");
    }
    let tried = |key: &str| key.split('/').next().is_some_and(|name| crates.contains_key(name));
    let idle =
        reasons.iter().filter(|row| tried(row.0) && !rows.contains_key(*row)).map(|row| row.0).collect();
    (page, unexplained, idle)
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, Found, Mutant, matches, page};

    #[test]
    fn a_mutant_is_named_without_its_line_and_found_by_its_columns() {
        let text = r#"{"package": "slmesh", "file": "crates/slmesh/src/wire/zlib.rs", "genre": "BinaryOperator",
            "name": "crates/slmesh/src/wire/zlib.rs:2:3: replace < with <= in Inflater::inflate", "replacement": "<=",
            "span": {"start": {"line": 2, "column": 3}, "end": {"line": 2, "column": 4}}, "function": null}"#;
        let mutant: Mutant = serde_json::from_str(text).expect("a mutant");
        assert_eq!(mutant.plain(), "slmesh/src/wire/zlib.rs: replace < with <= in Inflater::inflate");
        let change = mutant.change(0, "é\né < b\n");
        assert_eq!((change.start, change.end), (6, 7));
    }

    #[test]
    fn stars_are_any_text() {
        for (key, name, expected) in [
            ("a: b", "a: b", true),
            ("a: b", "a: bc", false),
            ("a: *", "a: ", true),
            ("a*c: *d", "a/b/c: 12 d", true),
            ("a*c: *d", "a/b/c: 12 de", false),
        ] {
            assert_eq!(matches(key, name), expected, "{key} {name}");
        }
    }

    #[test]
    fn the_page_counts_what_lives_and_reasons_of_nothing() {
        let row = |found, name: &str| (found, name.to_owned());
        let found = vec![
            row(Found::Living, "a/x: 1"),
            row(Found::Living, "a/x: 2"),
            row(Found::Living, "a/y"),
            row(Found::Caught, "a/z"),
            row(Found::Untried, "a/z: 1"),
        ];
        let crates = BTreeMap::from([("a", found)]);
        let (page, unexplained, idle) =
            page(&crates, &[("a/x: *", "for a reason"), ("a/z", "untrue"), ("b/x", "not tried")]);
        assert!(page.contains("| a | 5 | 1 | 0 | 0 | 2 | 1 | 1 |\n"), "{page}");
        assert!(
            page.ends_with("## What was not tried\n\n| file | how many |\n|---|--:|\n| `a/z` | 1 |\n"),
            "{page}"
        );
        assert!(
            page.contains("| `a/x: *` | 2 | for a reason |\n| `a/y` | 1 | **not explained** |\n"),
            "{page}"
        );
        assert_eq!((unexplained, idle), (1, vec!["a/z"]));
    }
}
