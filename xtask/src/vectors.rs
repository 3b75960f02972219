//! Runs files of facts: what other programs read and write, against our crates.
//!
//! Which kind of facts a file holds is seen by its shape. A new kind is a row in `KINDS`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::{Arg, ValueExt};
use serde::de::Deserialize;
use serde_json::Value as Json;

use crate::{Outcome, m3d_facts};

/// A kind of facts.
struct Kind {
    name: &'static str,
    /// Whether a file is of this kind.
    is: fn(&Json) -> bool,
    /// Tries every fact of a file and prints what it finds.
    run: fn(&Json, Option<&Path>) -> Outcome,
}

const KINDS: &[Kind] = &[Kind { name: "m3d", is: |json| json["files"].is_object(), run: m3d_facts::run }];

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
