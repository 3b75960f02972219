//! Runs files of facts: what other programs read and write, against our crates.
//!
//! Which kind of facts a file holds is seen by its shape. A new kind is a row in `KINDS`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::{Arg, ValueExt};
use serde::de::Deserialize;
use serde_json::Value as Json;

use crate::{Outcome, llsd_vectors, m3d_facts};

/// A kind of facts.
struct Kind {
    name: &'static str,
    /// Whether a file is of this kind.
    is: fn(&Json) -> bool,
    /// Tries every fact of a file and prints what it finds.
    run: fn(&Json, Option<&Path>) -> Outcome,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "llsd",
        is: llsd_vectors::is,
        run: |json, _| Tally::of(|tally| llsd_vectors::run(json, tally)),
    },
    Kind { name: "m3d", is: |json| json["files"].is_object(), run: m3d_facts::run },
];

/// How many facts hold, by group, and those that do not.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    groups: BTreeMap<String, (usize, usize)>,
    failures: Vec<(String, Failure)>,
}

/// A fact that does not hold.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Tally {
    /// Collects facts and prints how many hold, and each that does not.
    fn of(collect: impl FnOnce(&mut Self)) -> Outcome {
        let mut tally = Self::default();
        collect(&mut tally);
        let (mut passed, mut all) = (0, 0);
        for (group, (good, count)) in &tally.groups {
            println!("  {group:<10} {good:>5} of {count:>5}");
            passed += good;
            all += count;
        }
        println!("  {:<10} {passed:>5} of {all:>5}", "all");
        for (name, Failure { expected, found }) in &tally.failures {
            println!("FAILED {name}\n  expected {expected}\n  found    {found}");
        }
        match tally.failures.len() {
            0 if all == 0 => Err("holds no facts".into()),
            0 => Ok(()),
            failures => Err(format!("{failures} facts do not hold").into()),
        }
    }

    /// A fact: its group, its name, and whether it holds.
    pub(crate) fn add(&mut self, group: &str, name: &str, result: Result<(), Failure>) {
        let (passed, all) = self.groups.entry(group.to_owned()).or_default();
        *all += 1;
        match result {
            Ok(()) => *passed += 1,
            Err(failure) => self.failures.push((format!("{group}: {name}"), failure)),
        }
    }
}

fn parse(text: &[u8]) -> serde_json::Result<Json> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let json = Json::deserialize(&mut reader)?;
    reader.end()?;
    Ok(json)
}

/// Facts about deep values are deep themselves: they get a stack that is large enough.
const STACK: usize = 512 << 20;

pub(crate) fn run(args: lexopt::Parser) -> Outcome {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK);
        // An error of arguments has to come out as such.
        let worker = worker.spawn_scoped(scope, || match arguments(args) {
            Ok((facts, files)) => Ok(run_all(&facts, files.as_deref()).map_err(|error| error.to_string())),
            Err(error) => Err(error),
        })?;
        Ok(worker.join().map_err(|_| "panicked")???)
    })
}

/// The files of facts, and the folder of the files that facts speak of.
fn arguments(mut args: lexopt::Parser) -> Result<(Vec<PathBuf>, Option<PathBuf>), lexopt::Error> {
    let mut files = None;
    let mut facts: Vec<PathBuf> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("files") => files = Some(args.value()?.parse()?),
            Arg::Value(path) => facts.push(OsString::parse::<PathBuf>(&path)?),
            other => return Err(other.unexpected()),
        }
    }
    match facts.is_empty() {
        true => Err(lexopt::Error::MissingValue { option: None }),
        false => Ok((facts, files)),
    }
}

fn run_all(facts: &[PathBuf], files: Option<&Path>) -> Outcome {
    let mut failed = 0;
    for path in facts {
        let name = path.display();
        let text = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        let json = parse(&text).map_err(|error| format!("{name}: {error}"))?;
        let kind = KINDS.iter().find(|kind| (kind.is)(&json));
        let kind = kind.ok_or_else(|| format!("{name}: no known kind of facts"))?;
        println!("{name} ({})", kind.name);
        if let Err(error) = (kind.run)(&json, files) {
            println!("  {error}");
            failed += 1;
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} of {} files of facts", facts.len()).into()),
    }
}
