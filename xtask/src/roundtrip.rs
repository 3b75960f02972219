//! Reads every file, writes it, reads it again, and says how well it came back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lexopt::{Arg, ValueExt};
use serde_json::json;

use crate::fixtures::{MANIFEST, Manifest};
use crate::formats::{FORMATS, Format, Grade, Trip};
use crate::{Outcome, root};

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
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
        paths.push(root().join("fixtures"));
        let corpus = root().join("../shared/corpus");
        paths.extend(fs::canonicalize(corpus).ok().filter(|corpus| corpus.is_dir()));
    }
    let mut report = Report { json, ..Report::default() };
    for path in &paths {
        report.walk(path);
    }
    report.finish()
}

/// What became of all files of a format.
#[derive(Default)]
struct Sum {
    files: BTreeMap<&'static str, usize>,
    exact_bytes: u64,
    bytes: u64,
    time: Duration,
}

/// The format and the version of a file, where it is of any.
type Known<'a> = Option<(&'a Format, &'a str)>;

#[derive(Default)]
struct Report {
    json: bool,
    sums: BTreeMap<&'static str, Sum>,
    unknown: usize,
    refused: usize,
    failures: usize,
    /// The grades that manifests ask for, by folder and path.
    manifests: BTreeMap<PathBuf, BTreeMap<PathBuf, String>>,
}

impl Report {
    /// A path that was named: a folder with everything below it, or a file, which must be known.
    fn walk(&mut self, path: &Path) {
        if !path.is_dir() {
            return self.file(path, true);
        }
        let mut folders = vec![path.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.failure(&folder, None, 0, Duration::ZERO, &error.to_string());
                    continue;
                }
            };
            let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            entries.sort();
            for path in entries {
                // A link to a folder may lead back here.
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if path.is_file() && !path.ends_with(MANIFEST) {
                    self.file(&path, false);
                }
            }
        }
    }

    fn file(&mut self, path: &Path, named: bool) {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.failure(path, None, 0, Duration::ZERO, &error.to_string()),
        };
        let found = FORMATS.iter().find_map(|format| Some((format, (format.detect)(&bytes)?)));
        let Some((format, version)) = found else {
            if named {
                return self.failure(path, None, bytes.len(), Duration::ZERO, "of no known format");
            }
            self.unknown += 1;
            return self.line(path, None, "unknown", bytes.len(), Duration::ZERO, None);
        };
        // A panic is a failure of this file; the others still want their turn.
        let trip = catch_unwind(|| (format.trip)(&bytes)).unwrap_or_else(|_| Trip {
            grade: Grade::Failed,
            time: Duration::ZERO,
            error: Some("panicked".into()),
        });
        let wanted = match self.wanted(path) {
            Ok(wanted) => wanted,
            Err(error) => return self.failure(path, None, bytes.len(), Duration::ZERO, &error.to_string()),
        };
        let Trip { grade, time, error } = trip;
        if wanted.as_deref() == Some("failed") && grade == Grade::Failed {
            self.refused += 1;
            return self.line(
                path,
                Some((format, &version)),
                grade.as_str(),
                bytes.len(),
                time,
                error.as_deref(),
            );
        }
        let sum = self.sums.entry(format.name).or_default();
        *sum.files.entry(grade.as_str()).or_default() += 1;
        sum.bytes += bytes.len() as u64;
        sum.time += time;
        if grade == Grade::Exact {
            sum.exact_bytes += bytes.len() as u64;
        }
        if let Some(error) = error {
            return self.failure(path, Some((format, &version)), bytes.len(), time, &error);
        }
        if let Some(wanted) = wanted.filter(|wanted| wanted != grade.as_str()) {
            // Better than promised is a failure too: the manifest has to say so.
            let error = format!("came back {grade}, the manifest says {wanted}");
            return self.failure(path, Some((format, &version)), bytes.len(), time, &error);
        }
        self.line(path, Some((format, &version)), grade.as_str(), bytes.len(), time, None);
    }

    /// The grade that the manifest of the file's folder, or of one above, asks for.
    fn wanted(&mut self, path: &Path) -> Result<Option<String>, Box<dyn std::error::Error>> {
        for folder in path.ancestors().skip(1).take(3) {
            if !self.manifests.contains_key(folder) {
                let files = Manifest::of(folder)?.map_or_else(Vec::new, |manifest| manifest.file);
                let grades = files.into_iter().map(|entry| (folder.join(entry.path), entry.grade));
                self.manifests.insert(folder.to_path_buf(), grades.collect());
            }
            if let Some(grade) = self.manifests[folder].get(path) {
                return Ok(Some(grade.clone()));
            }
        }
        Ok(None)
    }

    fn failure(&mut self, path: &Path, known: Known<'_>, bytes: usize, time: Duration, error: &str) {
        self.failures += 1;
        self.line(path, known, Grade::Failed.as_str(), bytes, time, Some(error));
        if !self.json {
            eprintln!("{}: {error}", path.display());
        }
    }

    /// The line of a file, in JSON.
    fn line(
        &self,
        path: &Path,
        known: Known<'_>,
        grade: &str,
        bytes: usize,
        time: Duration,
        error: Option<&str>,
    ) {
        if self.json {
            let line = json!({
                "path": path.display().to_string(),
                "format": known.map(|(format, _)| format.name),
                "version": known.map(|(_, version)| version),
                "grade": grade,
                "bytes": bytes,
                "seconds": time.as_secs_f64(),
                "error": error,
            });
            println!("{line}");
        }
    }

    fn finish(self) -> Outcome {
        if !self.json {
            println!(
                "{:<10} {:>6} {:>6} {:>6} {:>7} {:>12} {:>12} {:>8}",
                "format", "files", "exact", "model", "failed", "bytes", "exact bytes", "MB/s"
            );
            for (name, sum) in &self.sums {
                let of = |grade: Grade| sum.files.get(grade.as_str()).copied().unwrap_or(0);
                let files: usize = sum.files.values().sum();
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
                println!("{} broken files were refused, as their manifest says", self.refused);
            }
            if self.unknown > 0 {
                println!("{} files of no known format were passed over", self.unknown);
            }
        }
        match self.failures {
            0 => Ok(()),
            failures => Err(format!("{failures} failed").into()),
        }
    }
}
