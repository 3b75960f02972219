//! `rezkit info`: what each file is, and how much is in it.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::plain::csv_cell;
use rezkit::{FactValue, Info};
use serde_json::json;

use crate::input::{Reading, Source};
use crate::outcome::{Error, Outcome};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit info place.rbxl
  rezkit info --csv models/ > models.csv
  curl -s $URL | rezkit info -")]
pub(crate) struct Show {
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a CSV table: one row per file, one column per value
    #[arg(long)]
    csv: bool,
    /// Files of any format, or folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Show {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if self.csv {
            return table(reading, &self.files);
        }
        let listed = reading.with_row(|name, error| {
            let mut row = String::new();
            report::json_line(&mut row, &json!({ "path": name, "error": error.to_string() }));
            row
        });
        let reading = if self.json { &listed } else { reading };
        reading.each(&self.files, |source, out| {
            if let Some(whole) = archive(reading, source)? {
                self.print(&report::path(&source.path), &source.path.display().to_string(), whole, out)?;
            }
            self.print(&source.name, &source.json_name(), reading.opened(source)?.info(), out)?;
            Ok(Outcome::Success)
        })
    }

    fn print(&self, name: &str, json_name: &str, info: Info, out: &mut String) -> Result<(), Error> {
        let Info { format, title, version, bytes, facts, .. } = info;
        if self.json {
            let facts: serde_json::Map<_, _> =
                facts.into_iter().map(|fact| (fact.name.to_owned(), json!(fact.value))).collect();
            report::json_line(
                out,
                &json!({
                    "path": json_name,
                    "format": format,
                    "version": version,
                    "bytes": bytes,
                    "facts": facts,
                }),
            );
        } else {
            writeln!(out, "{name}")?;
            let space = if version.is_empty() { "" } else { " " };
            writeln!(out, "  {:<20} {format}{space}{version} ({title})", "format")?;
            writeln!(out, "  {:<20} {}", "bytes", grouped(bytes))?;
            for fact in facts {
                let value = match fact.value {
                    FactValue::Count(count) => grouped(count),
                    FactValue::List(mut names) if names.len() > SHOWN => {
                        let more = names.split_off(SHOWN).len();
                        Plain(format!("{} and {more} more", names.join(", "))).to_string()
                    }
                    other => Plain(other).to_string(),
                };
                writeln!(out, "  {:<20} {value}", fact.name)?;
            }
        }
        Ok(())
    }
}

/// The facts about the whole archive of its first asset, if it is one of OpenSim.
fn archive(reading: &Reading, source: &Source) -> Result<Option<Info>, Error> {
    if !(source.is_first && source.part.is_in_archive()) {
        return Ok(None);
    }
    let mut budget = rezkit::Budget::new(reading.max_bytes.saturating_sub(source.part.memory_of_others()));
    let contents = source.part.opensim(&mut budget)?;
    let bytes = std::fs::metadata(&source.path).map_or(0, |file| file.len());
    Ok(contents.map(|contents| Info::of_archive(&contents, bytes)))
}

/// Prints a row for each file. The columns are known only after the last file.
fn table(reading: &Reading, files: &[PathBuf]) -> Result<Outcome, Error> {
    let mut names: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    let wanted = |source: &Source| source.detected().is_some() || source.is_named_as_asset();
    let tally = reading.map(
        files,
        wanted,
        |source| {
            let whole = archive(reading, source)?.map(|info| (source.path.display().to_string(), info));
            Ok((whole, (source.json_name(), reading.opened(source)?.info())))
        },
        |_, (whole, own)| {
            for (path, info) in whole.into_iter().chain([own]) {
                for fact in &info.facts {
                    if !names.contains(&fact.name) {
                        names.push(fact.name);
                    }
                }
                rows.push((path, info));
            }
            Ok(true)
        },
    )?;
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(["path", "format", "version", "bytes"].iter().chain(&names))?;
    for (path, Info { format, version, bytes, facts, .. }) in &rows {
        let value = |name: &&str| {
            let fact = facts.iter().find(|fact| fact.name == *name);
            fact.map_or_else(String::new, |fact| csv_cell(&fact.value.to_string()))
        };
        let first = [path, *format, version, &bytes.to_string()].map(csv_cell);
        csv.write_record(first.into_iter().chain(names.iter().map(value)))?;
    }
    report::print(&String::from_utf8(csv.into_inner()?)?)?;
    Ok(tally.outcome)
}

/// The maximum number of names of a list to show; JSON and CSV contain all.
const SHOWN: usize = 12;

/// A number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
