//! `cargo xtask roundtrip`: reads every file, writes it, reads it again, and grades the result.

// Included by its path, since the crate `rezkit` has far more dependencies.
#[path = "../../../crates/rezkit/src/exact.rs"]
mod exact;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use exact::Grade;
use lexopt::{Arg, ValueExt};
use rezkit_core::Error;
use serde_json::json;

use xtask::{MANIFEST, Outcome, formats, manifest, root};

fn main() -> ExitCode {
    run(lexopt::Parser::from_env()).map_or_else(
        |error| {
            eprintln!("roundtrip: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run(mut args: lexopt::Parser) -> Outcome {
    let mut json = false;
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("json") => json = true,
            Arg::Value(path) => paths.push(OsString::parse::<PathBuf>(&path)?),
            other => return Err(other.unexpected().into()),
        }
    }
    if paths.is_empty() {
        // Fixtures of rbxblobs are left out, since blobs are not files.
        paths.extend(formats().map(|name| root().join("fixtures").join(name)));
        let corpus = root().join("../shared/corpus");
        paths.extend(fs::canonicalize(corpus).ok().filter(|corpus| corpus.is_dir()));
    }
    let mut sums = Sums { json, ..Sums::default() };
    for path in &paths {
        if path.is_dir() {
            // Files of an unknown format are skipped in a folder; a named file of an unknown format is a failure.
            xtask::files(path, &mut |path| sums.file(path, false))?;
        } else {
            sums.file(path, true);
        }
    }
    sums.finish()
}

/// The format, the version and the grade of a file, and why it failed.
fn roundtrip(bytes: &[u8]) -> (Option<&'static str>, Option<String>, Grade, Option<Error>) {
    let Some((format, version, made)) = exact::roundtrip(bytes, 1 << 30) else {
        return (None, None, Grade::Unknown, None);
    };
    let (grade, error) = match made {
        Ok(grade) => (grade, None),
        Err(error) => (Grade::Failed, Some(error)),
    };
    (Some(format), Some(version), grade, error)
}

/// Sums for the files of a format.
#[derive(Default)]
struct Sum {
    grades: BTreeMap<Grade, usize>,
    bytes: u64,
    exact_bytes: u64,
    time: Duration,
}

#[derive(Default)]
struct Sums {
    json: bool,
    formats: BTreeMap<&'static str, Sum>,
    unknown: usize,
    refused: usize,
    failures: usize,
    /// The expected grades of the files in each folder with a manifest.
    manifests: BTreeMap<PathBuf, BTreeMap<PathBuf, Grade>>,
}

impl Sums {
    fn file(&mut self, path: &Path, named: bool) {
        if path.ends_with(MANIFEST) {
            return;
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.failure(path, &error.to_string()),
        };
        // A panic is a failure of this file; the others are still tried.
        let start = Instant::now();
        let Ok(report) = catch_unwind(|| roundtrip(&bytes)) else {
            return self.failure(path, "panicked");
        };
        let time = start.elapsed();
        let (format, version, grade, error) = report;
        if self.json {
            let line = json!({
                "path": path.display().to_string(),
                "format": format,
                "version": version,
                "grade": grade.as_str(),
                "bytes": bytes.len(),
                "seconds": time.as_secs_f64(),
                "error": error.as_ref().map(ToString::to_string),
            });
            println!("{line}");
        }
        let wanted = match self.wanted(path) {
            Ok(wanted) => wanted,
            Err(error) => return self.failure(path, &error.to_string()),
        };
        let Some(format) = format else {
            self.unknown += 1;
            if named || wanted.is_some_and(|wanted| wanted != Grade::Failed) {
                self.failure(path, "the format is unknown");
            }
            return;
        };
        if (wanted, grade) == (Some(Grade::Failed), Grade::Failed) {
            self.refused += 1;
            return;
        }
        let sum = self.formats.entry(format).or_default();
        *sum.grades.entry(grade).or_default() += 1;
        sum.bytes += bytes.len() as u64;
        sum.time += time;
        if grade == Grade::Exact {
            sum.exact_bytes += bytes.len() as u64;
        }
        if let Some(error) = error {
            self.failure(path, &error.to_string());
        } else if let Some(wanted) = wanted.filter(|&wanted| wanted != grade) {
            // A better grade is a failure, too, so that the manifest is updated.
            self.failure(path, &format!("expected the grade {wanted} (from the manifest), found {grade}"));
        }
    }

    /// The expected grade, from the manifest of the file's folder or of one of the two folders above; `None` without
    /// one.
    fn wanted(&mut self, path: &Path) -> Result<Option<Grade>, Box<dyn std::error::Error>> {
        for folder in path.ancestors().skip(1).take(3) {
            if !self.manifests.contains_key(folder) {
                let mut grades = BTreeMap::new();
                for [grade, path, _] in manifest(folder)?.into_iter().flatten() {
                    grades.insert(folder.join(path), grade.parse()?);
                }
                self.manifests.insert(folder.to_path_buf(), grades);
            }
            if let Some(&grade) = self.manifests[folder].get(path) {
                return Ok(Some(grade));
            }
        }
        Ok(None)
    }

    fn failure(&mut self, path: &Path, error: &str) {
        self.failures += 1;
        eprintln!("{}: {error}", path.display());
    }

    fn finish(self) -> Outcome {
        if !self.json {
            println!(
                "{:<10} {:>6} {:>6} {:>6} {:>7} {:>12} {:>12} {:>8}",
                "format", "files", "exact", "model", "failed", "bytes", "exact bytes", "MB/s"
            );
            for name in formats() {
                let Some(sum) = self.formats.get(name) else { continue };
                let of = |grade: Grade| sum.grades.get(&grade).copied().unwrap_or(0);
                let files: usize = sum.grades.values().sum();
                let rate = sum.bytes as f64 / 1e6 / sum.time.as_secs_f64().max(1e-9);
                println!(
                    "{name:<10} {files:>6} {:>6} {:>6} {:>7} {:>12} {:>12} {rate:>8.0}",
                    of(Grade::Exact),
                    of(Grade::Model),
                    of(Grade::Failed),
                    sum.bytes,
                    sum.exact_bytes,
                );
            }
            if self.refused > 0 {
                println!("{} broken files were refused, as their manifest demands", self.refused);
            }
            if self.unknown > 0 {
                println!("{} files of an unknown format were skipped", self.unknown);
            }
        }
        match self.failures {
            0 => Ok(()),
            failures => Err(format!("{failures} failed").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    /// A step of the gate, run as a test, since its dependencies are built for the other tests anyway.
    #[test]
    fn fixtures_and_real_files_come_back() {
        super::run(lexopt::Parser::from_args([""; 0])).expect("round trips");
    }
}
