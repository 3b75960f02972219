//! Tries test vectors of others, which have one of the forms of our own, with the tests for our own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use lexopt::{Arg, ValueExt as _};

use crate::{Outcome, root};

/// A form of test vectors: the name of its table, which identifies the form, and the test that tries each entry.
struct Form {
    table: &'static str,
    package: &'static str,
    test: &'static str,
}

const FORMS: [Form; 2] = [
    Form { table: "vectors", package: "llsd-format", test: "vectors::all_vectors_hold" },
    Form { table: "files", package: "m3d-format", test: "sdk_facts::real_files_are_as_the_sdk_counts_them" },
];

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut file, mut files) = (None::<PathBuf>, None::<PathBuf>);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("files") => files = Some(args.value()?.parse()?),
            Arg::Value(path) if file.is_none() => file = Some(path.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    // An absolute path, since tests run in the folder of their crate.
    let file = file.ok_or("expected a JSON file of test vectors")?.canonicalize()?;
    let text = fs::read_to_string(&file)?;
    let form = FORMS.iter().find(|form| text.contains(&format!("\"{}\":", form.table)));
    let form = form.ok_or("expected a table `vectors` (LLSD) or `files` (what Model 3D's SDK counts)")?;
    let mut command = Command::new("cargo");
    command.args(["test", "--quiet", "--all-features", "--package", form.package, "--test", "all"]);
    command.args(["--", "--exact", "--nocapture", form.test]).env("VECTORS", &file);
    if let Some(files) = files {
        command.env("VECTOR_FILES", files.canonicalize()?);
    }
    match command.current_dir(root()).status()?.success() {
        true => Ok(()),
        false => Err("at least one test vector failed".into()),
    }
}
