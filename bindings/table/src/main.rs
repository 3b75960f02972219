//! `rezkit-table`: tables of many assets.

mod input;
mod known;
mod output;

use std::borrow::Cow;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arrow_array::RecordBatch;
use clap::Parser;
use rayon::prelude::*;
use rezkit_table::{Options, Table, arrow_array, scan_opened};

use input::{Asset, Input};
use known::Known;
use output::{Form, Journal};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Tables of many assets: facts, violated rules, instances, references, properties.
#[derive(Parser)]
#[command(
    name = "rezkit-table",
    version,
    args_override_self = true,
    after_help = "Examples:
  rezkit-table archive/ --table assets -o assets.parquet
  rezkit-table dump.tar.gz --table references -o references.arrow
  rezkit-table assets.parquet --bytes-column content --table findings -o findings.csv
  rezkit-table archive/ --table assets -o assets.parquet --resume

Inputs are folders, files, .tar, .tar.gz and .zip archives, and .parquet files with a column of bytes. A file that
cannot be read becomes a row with its error in the tables assets and findings, and has no rows in the other tables. If
the system cannot open a file, the exit status is 1. During a run, rows go to OUTPUT.partial, from which --resume
continues."
)]
struct Arguments {
    /// The table: assets, findings, instances, references or properties
    #[arg(long, value_parser = table)]
    table: Table,
    /// Output path; its extension selects the format: .parquet, .arrow, .csv or .ndjson
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Continue an interrupted run, or append to a finished output: skip assets that have rows, and replace the rows of
    /// changed files
    #[arg(long)]
    resume: bool,
    /// Overwrite an existing output
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// The memory that reading one asset may allocate, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = rezkit::DEFAULT_MAX_BYTES)]
    max_bytes: u64,
    /// Also check upload requirements in findings: roblox-upload, roblox-animation, secondlife-upload (repeatable)
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    profile: Vec<String>,
    /// Include only stored property values, not the defaults of Roblox's classes
    #[arg(long)]
    stored: bool,
    /// The column of Parquet inputs with the assets' bytes
    #[arg(long, value_name = "NAME", default_value = "bytes")]
    bytes_column: String,
    /// The column of Parquet inputs with the assets' paths
    #[arg(long, value_name = "NAME", default_value = "path")]
    path_column: String,
    /// Folders, files, archives, Parquet files
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
}

fn table(name: &str) -> Result<Table, String> {
    let names = || Table::ALL.map(Table::name).join(", ");
    Table::from_name(name).ok_or_else(|| format!("expected one of {}", names()))
}

fn profile(name: &str) -> Result<String, String> {
    match rezkit::PROFILES.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("expected one of {}", rezkit::PROFILES.join(", "))),
    }
}

/// The path of an asset, and its bytes or the error of opening it.
type Read<'a> = (Cow<'a, str>, Result<Cow<'a, [u8]>, Error>);

/// The size and the number of assets in a batch that is read before it is scanned, which limit the memory.
const BATCH_BYTES: usize = 32 << 20;
const BATCH_ASSETS: usize = 1024;
/// The assets that one core scans at a time.
const PIECE: usize = 16;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok((summary, unopened)) => {
            let _closed = writeln!(std::io::stderr(), "{summary}");
            for (path, error) in &unopened {
                let _closed = writeln!(std::io::stderr(), "error: {path}: {error}");
            }
            if unopened.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            let _closed = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads from a Parquet or Arrow file; the libraries of these formats panic on some damaged files.
fn guarded<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    let damaged = || "the file is damaged; write it again with the program that made it";
    result.unwrap_or_else(|_| Err(damaged().into()))
}

/// An error of the operating system with the path of the output; other errors name their file.
fn about(output: &Path, error: Error) -> Error {
    match error.is::<std::io::Error>() {
        true => format!("{}: {error}", output.display()).into(),
        false => error,
    }
}

/// Runs the command; returns the summary, and the paths and errors of files and archives that could not be opened.
fn run(arguments: &Arguments) -> Result<(String, Vec<(String, String)>), Error> {
    let form = Form::of(&arguments.output)?;
    let mut options = Options::default();
    (options.max_bytes, options.profiles) = (arguments.max_bytes, arguments.profile.clone());
    options.stored = arguments.stored;
    let mut known = Known::default();
    let mut journal =
        Journal::open(&arguments.output, arguments.table, arguments.resume, arguments.force, &mut |batch| {
            known.add(batch);
        })
        .map_err(|error| about(&arguments.output, error))?;
    let (mut assets, mut skipped, mut unopened) = (0_usize, 0_usize, Vec::new());
    let mut batch: Vec<Asset> = Vec::new();
    let mut size = 0;
    let input = Input {
        max_bytes: arguments.max_bytes,
        bytes_column: &arguments.bytes_column,
        path_column: &arguments.path_column,
        output: &arguments.output,
    };
    let mut take = |asset: Asset, journal: &mut Journal| -> Result<(), Error> {
        let asset = if known.is_empty() { asset } else { asset.loaded() };
        if known.has(&asset.path(), asset.hash().as_deref()) {
            skipped += 1;
            if let (path, Err(error)) = asset.read() {
                unopened.push((path.into_owned(), error.to_string()));
            }
            return Ok(());
        }
        assets += 1;
        size += asset.size();
        batch.push(asset);
        if size >= BATCH_BYTES || batch.len() >= BATCH_ASSETS {
            write(&mut batch, arguments.table, &options, journal, &mut unopened)?;
            size = 0;
        }
        Ok(())
    };
    for path in &arguments.inputs {
        let mut failed = None;
        let read = input.each(path, &mut |asset| {
            take(asset, &mut journal).map_err(|error| {
                failed = Some(error);
                "".into()
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Err(error) = read {
            let (path, why) = (path.display().to_string(), error.to_string());
            take(Asset::Unopened { path, why }, &mut journal)?;
        }
    }
    write(&mut batch, arguments.table, &options, &mut journal, &mut unopened)?;
    if assets + skipped == 0 {
        return Err("the inputs contain no assets".into());
    }
    let rows = journal.finish(form, &known.replaced()).map_err(|error| about(&arguments.output, error))?;
    let skipped = if skipped > 0 { format!(", already present: {skipped}") } else { String::new() };
    Ok((format!("assets: {assets}{skipped}, rows: {rows}, output: {}", arguments.output.display()), unopened))
}

/// Scans the assets on all cores and writes their rows in the order of the assets. Adds assets that cannot be opened to
/// `unopened`.
fn write(
    batch: &mut Vec<Asset>,
    table: Table,
    options: &Options,
    journal: &mut Journal,
    unopened: &mut Vec<(String, String)>,
) -> Result<(), Error> {
    type Piece = Result<(Vec<RecordBatch>, Vec<(String, String)>), Error>;
    let pieces: Vec<Piece> = batch
        .par_chunks(PIECE)
        .map(|piece| {
            let assets: Vec<_> = piece.iter().map(Asset::read).collect();
            let scan = |some: &[Read<'_>]| {
                let rows =
                    some.iter().map(|(path, bytes)| (&**path, bytes.as_deref().map_err(ToString::to_string)));
                scan_opened(rows, table, options)
            };
            let errors = assets.iter().filter_map(|(path, bytes)| Some((path, bytes.as_ref().err()?)));
            let errors = errors.map(|(path, error)| (path.to_string(), error.to_string())).collect();
            // If the rows of several assets exceed one batch, each asset gets its own batch.
            match scan(&assets) {
                Ok(rows) => Ok((vec![rows], errors)),
                Err(_) => Ok((assets.chunks(1).map(scan).collect::<Result<_, _>>()?, errors)),
            }
        })
        .collect();
    batch.clear();
    for piece in pieces {
        let (rows, errors) = piece?;
        unopened.extend(errors);
        rows.iter().try_for_each(|rows| journal.write(rows))?;
    }
    Ok(())
}
