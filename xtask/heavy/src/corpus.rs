//! Copies the real files that `corpus.toml` lists from local clones of their repositories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::{Arg, ValueExt};
use serde::Deserialize;

use xtask::{Outcome, root};

#[derive(Deserialize)]
struct Corpus {
    repository: Vec<Repository>,
}

#[derive(Deserialize)]
struct Repository {
    /// The repository's owner and name.
    name: String,
    /// The format of its files, which is also the name of their folder in the corpus.
    format: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    /// The id of the blob in git: a hash of these bytes.
    blob: String,
    bytes: usize,
    name: String,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut clones, mut to): (Option<PathBuf>, PathBuf) = (None, root().join("../shared/corpus"));
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("to") => to = args.value()?.parse()?,
            Arg::Value(folder) if clones.is_none() => clones = Some(folder.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let clones = clones.ok_or(lexopt::Error::MissingValue { option: Some("CLONES".into()) })?;
    let corpus: Corpus = toml::from_str(&fs::read_to_string(root().join("corpus.toml"))?)?;
    let mut missing = 0;
    for Repository { name, format, files } in corpus.repository {
        let clone = clones.join(&name);
        if !clone.is_dir() {
            println!("{}: no clone, {} files of {format} are missing", clone.display(), files.len());
            missing += files.len();
            continue;
        }
        for file in &files {
            match blob(&clone, file) {
                Ok(bytes) => {
                    let path = to.join(&format).join(&file.name);
                    fs::create_dir_all(path.parent().unwrap_or(&to))?;
                    fs::write(path, bytes)?;
                }
                Err(error) => {
                    println!("{name}: {}: {error}", file.name);
                    missing += 1;
                }
            }
        }
        println!("{name}: {} files of {format}", files.len());
    }
    match missing {
        0 => Ok(()),
        missing => Err(format!("{missing} files are missing").into()),
    }
}

/// The bytes of a blob, which git finds by its id, whichever commits contain it.
fn blob(clone: &Path, file: &File) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let output = Command::new("git").arg("-C").arg(clone).args(["cat-file", "blob", &file.blob]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    match output.stdout.len() == file.bytes {
        true => Ok(output.stdout),
        false => Err(format!("expected {} bytes, found {}", file.bytes, output.stdout.len()).into()),
    }
}
