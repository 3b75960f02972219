//! Compares a crate with a file of conformance vectors; the shape of the file says whose they are.

use std::fs;
use std::path::PathBuf;

use lexopt::{Arg, ValueExt};
use serde_json::Value;

use crate::{Outcome, m3d_facts};

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut file: Option<PathBuf> = None;
    let mut folder: Option<PathBuf> = None;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("files") => folder = Some(args.value()?.parse::<PathBuf>()?),
            Arg::Value(path) if file.is_none() => file = Some(path.parse::<PathBuf>()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let file = file.ok_or(lexopt::Error::MissingValue { option: Some("FILE".into()) })?;
    let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let vectors: Value = serde_json::from_slice(&text)?;
    match vectors.get("files").is_some_and(Value::is_object) {
        true => m3d_facts::run(&vectors, folder.as_deref()),
        false => Err(format!("{}: vectors of no known shape", file.display()).into()),
    }
}
