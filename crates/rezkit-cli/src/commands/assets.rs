//! `rezkit assets`: lists and replaces the assets that a file refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rezkit::plain::shorten;
use rezkit_core::Counted;
use serde_json::json;

use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Replacing, To};
use crate::policy::Policy;
use crate::report::{self, Plain, about};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit assets place.rbxl
  rezkit assets --json models/
  rezkit assets --replace ids.csv place.rbxl -o other.rbxl

In files of Second Life and OpenSim, a UUID is a reference.
Each line of the CSV file has an old and a new value, such as `123,456`. A value is an asset id or a whole address. An
old id is replaced in `rbxassetid://123`, in `rbxthumb://type=Asset&id=123` and in addresses of roblox.com. References
that contain an old id but are not replaced are listed. Nothing else in the file changes.")]
pub(crate) struct Assets {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Replace references to assets; each line of this CSV file has an old and a new id or address
    #[arg(long, value_name = "MAP.csv")]
    replace: Option<PathBuf>,
    /// The output path of --replace [default: overwrite the input file]
    #[arg(long, short, requires = "replace")]
    output: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    policy: Policy,
    /// Files of any format, or folders; with --replace, only one file
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Assets {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if let Some(map) = &self.replace {
            return self.replaced(reading, map);
        }
        reading.each(&self.files, |source, out| {
            for (reference, paths) in reading.opened(source)?.assets()? {
                if self.json {
                    let line = json!({ "file": source.json_name(), "asset": reference, "paths": paths });
                    report::json_line(out, &line);
                    continue;
                }
                writeln!(out, "{}: {}", source.name, Plain(&reference))?;
                for path in paths {
                    writeln!(out, "  {}", Plain(path))?;
                }
            }
            Ok(Outcome::Success)
        })
    }

    fn replaced(&self, reading: &Reading, map: &PathBuf) -> Result<Outcome, Error> {
        let [file] = self.files.as_slice() else {
            let count = self.files.len();
            return Err(Box::new(Usage(format!(
                "--replace edits only one file, but {count} files are given"
            ))));
        };
        let mut pairs = BTreeMap::new();
        let mut lines = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_path(map)
            .map_err(about(map))?;
        for line in lines.records() {
            let line = line.map_err(|error| unreadable(map, error))?;
            let (Some(old), Some(new), None) = (line.get(0), line.get(1), line.get(2)) else {
                return Err(Box::new(Usage(format!(
                    "{}: line {}: expected two cells, the old and the new value, such as 123,456, found {:?}",
                    report::path(map),
                    line.position().map_or(0, csv::Position::line),
                    shorten(&line.iter().collect::<Vec<_>>().join(","), 60)
                ))));
            };
            if let Some(other) = pairs.insert(old.to_owned(), new.to_owned()).filter(|other| other != new) {
                return Err(Box::new(Usage(format!(
                    "{}: line {}: the new value of {} is {} in a line above, and {} here",
                    report::path(map),
                    line.position().map_or(0, csv::Position::line),
                    shorten(old, 60),
                    shorten(&other, 60),
                    shorten(new, 60)
                ))));
            }
        }
        let (output, policy) = (self.output.clone(), self.policy.clone());
        let to = To { output, replacing: self.replacing, policy, ..To::default() };
        let mut opened = to.read(reading, file)?;
        let (count, remaining) = opened.replace_assets(&pairs).map_err(about(file))?;
        let output = self.output.as_ref().unwrap_or(file);
        to.write(&opened, file, Vec::new(), reading)?;
        report::note(
            &report::path(output),
            &format!("references to assets replaced in {}", Counted::new(count, "values")),
        );
        for (reference, paths) in &remaining {
            for path in paths {
                report::note(
                    &report::path(output),
                    &format!("not replaced: {}: {}", Plain(path), Plain(reference)),
                );
            }
        }
        // What waits for an id beside what got one: the meshes and images of a converted model.
        let folder = |address: &str| address.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let of_files = pairs.keys().filter(|old| old.starts_with("rbxasset://"));
        let folders: BTreeSet<String> = of_files.filter_map(|old| folder(old)).collect();
        for (address, _) in
            opened.assets()?.iter().filter(|of| folder(of.0).is_some_and(|of| folders.contains(&of)))
        {
            report::note(&report::path(output), &format!("no id yet: {}", Plain(address)));
        }
        Ok(Outcome::Success)
    }
}

/// The error about a line of the map, without the terms of the CSV reader.
fn unreadable(map: &Path, error: csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            let (map, line) = (report::path(map), pos.as_ref().map_or(0, csv::Position::line));
            Usage(format!(
                "{map}: line {line}: found bytes that are not UTF-8; save the table as CSV in UTF-8"
            ))
            .into()
        }
        _ => about(map)(error),
    }
}
