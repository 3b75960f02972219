//! Writes the small files under `fixtures/`, each folder with a manifest. Running it twice changes
//! nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use lexopt::Arg;

use crate::formats::{FORMATS, Fixture, Format};
use crate::{Outcome, root};

/// The name of the manifest in each folder.
pub(crate) const MANIFEST: &str = "manifest.toml";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut check = false;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("check") => check = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let mut differing = Vec::new();
    for format in FORMATS {
        let folder = root().join("fixtures").join(format.name);
        let wanted = files(format);
        for (path, bytes) in &wanted {
            let path = folder.join(path);
            if fs::read(&path).is_ok_and(|there| there == *bytes) {
                continue;
            }
            if !check {
                fs::create_dir_all(path.parent().unwrap_or(&folder))?;
                fs::write(&path, bytes)?;
            }
            differing.push(path);
        }
        // What nobody writes any more goes.
        for path in present(format) {
            if !wanted.contains_key(&path) {
                let path = folder.join(path);
                if !check {
                    fs::remove_file(&path)?;
                }
                differing.push(path);
            }
        }
    }
    for path in &differing {
        println!("{} {}", if check { "differs:" } else { "wrote" }, path.display());
    }
    match check && !differing.is_empty() {
        true => Err(format!("{} files differ; `cargo xtask fixtures` writes them", differing.len()).into()),
        false => Ok(()),
    }
}

/// The files of a format's folder, the manifest among them. What fuzzing found stays as it is, with the grade that it
/// has by now.
fn files(format: &Format) -> BTreeMap<String, Vec<u8>> {
    let mut manifest = format!(
        "# The files of this folder: what each is there for, and how well it must come back\n\
         # (exact: the same bytes; model: an equal model; failed: refused with an error).\n\
         # Written by `cargo xtask fixtures` from xtask/src/formats/{}.\n",
        format.name
    );
    let mut files = BTreeMap::new();
    let folder = root().join("fixtures").join(format.name);
    let crashes = present(format).into_iter().filter(|path| path.starts_with("crashes/"));
    let crashes = crashes.filter_map(|path| {
        let bytes = fs::read(folder.join(&path)).ok()?;
        let grade = (format.trip)(&bytes).grade;
        Some(Fixture { path, about: "found by fuzzing".into(), grade, bytes })
    });
    let mut fixtures = (format.fixtures)();
    fixtures.extend(crashes);
    for Fixture { path, about, grade, bytes } in fixtures {
        // Writing to a string cannot fail; the texts hold no quotes, which `tidy` would see.
        let _infallible =
            write!(manifest, "\n[[file]]\npath = {path:?}\ngrade = \"{grade}\"\nabout = {about:?}\n");
        files.insert(path, bytes);
    }
    files.insert(MANIFEST.into(), manifest.into_bytes());
    files
}

/// The paths of what is in a format's folder.
fn present(format: &Format) -> Vec<String> {
    let folder: PathBuf = root().join("fixtures").join(format.name);
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(path) = path.strip_prefix(&folder) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
