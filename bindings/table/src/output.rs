//! The output: a journal of Arrow batches while assets are read, and the requested form at the end.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rezkit::plain::{self, csv_cell};
use rezkit_table::Table;
use rezkit_table::arrow_array::cast::AsArray as _;
use rezkit_table::arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use rezkit_table::arrow_array::{Array, RecordBatch};
use rezkit_table::arrow_schema::DataType;
use serde_json::{Number, Value};

use crate::known::{self, Row};
use crate::{Error, guarded};

/// The suffix of the journal's name.
const PARTIAL: &str = ".partial";

/// The suffix of a file's name until the file is complete.
const NEW: &str = ".new";

/// The paths of the output and of its temporary files.
pub(crate) fn files(output: &Path) -> [PathBuf; 4] {
    let partial = suffixed(output, PARTIAL);
    [output.to_owned(), suffixed(output, NEW), suffixed(&partial, NEW), partial]
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Parquet,
    Arrow,
    Csv,
    Ndjson,
}

impl Form {
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        Ok(match &*extension {
            "parquet" => Self::Parquet,
            "arrow" | "feather" => Self::Arrow,
            "csv" => Self::Csv,
            "ndjson" | "jsonl" => Self::Ndjson,
            _ => {
                let shown = path.display();
                return Err(
                    format!("{shown}: expected the extension .parquet, .arrow, .csv or .ndjson").into()
                );
            }
        })
    }
}

/// The rows written so far, in a file of Arrow streams beside the output.
pub(crate) struct Journal {
    output: PathBuf,
    path: PathBuf,
    table: Table,
    writer: StreamWriter<BufWriter<File>>,
}

impl Journal {
    /// Begins a journal. With `resume`, it continues the journal of an interrupted run, or the rows of a finished
    /// output; `seen` is called with these rows.
    pub(crate) fn open(
        output: &Path,
        table: Table,
        resume: bool,
        force: bool,
        seen: &mut dyn FnMut(&RecordBatch),
    ) -> Result<Self, Error> {
        if output.exists() && !resume && !force {
            let shown = output.display();
            return Err(
                format!("{shown} already exists (use --force to overwrite, --resume to append)").into()
            );
        }
        let path = suffixed(output, PARTIAL);
        let mut known = || match path.exists() {
            true => read(&path, table, &mut |batch| {
                seen(&batch);
                Ok(())
            }),
            false => Ok(0),
        };
        let mut end = if resume { known()? } else { 0 };
        if resume && end == 0 && output.exists() {
            // The copy becomes the journal only when it is complete, so that no row of the output can be lost.
            let beside = suffixed(&path, NEW);
            let mut copy = StreamWriter::try_new(BufWriter::new(File::create(&beside)?), &table.schema())?;
            finished(output, table, &mut |batch| Ok(copy.write(&batch)?))?;
            copy.finish()?;
            copy.get_mut().flush()?;
            drop(copy);
            fs::rename(&beside, &path)?;
            end = known()?;
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        // A batch that was written only in part is cut off.
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        if end > 0 {
            file.write_all(&END)?;
        }
        let writer = StreamWriter::try_new(BufWriter::new(file), &table.schema())?;
        Ok(Self { output: output.to_owned(), path, table, writer })
    }

    /// Writes rows to the journal and flushes it, so that they are kept if the process ends.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if batch.num_rows() > 0 {
            self.writer.write(batch)?;
            self.writer.get_mut().flush()?;
        }
        Ok(())
    }

    /// Writes the output without outdated rows, and removes the journal; returns the number of rows.
    pub(crate) fn finish(mut self, form: Form, outdated: &HashSet<&Row>) -> Result<usize, Error> {
        self.writer.finish()?;
        self.writer.get_mut().flush()?;
        let beside = suffixed(&self.output, NEW);
        let mut new = BufWriter::new(File::create(&beside)?);
        let schema = self.table.schema();
        let mut count = 0;
        let mut each = |take: &mut Take<'_>| {
            read(&self.path, self.table, &mut |batch| {
                for rows in current(&batch, outdated) {
                    count += rows.len();
                    take(batch.slice(rows.start, rows.len()))?;
                }
                Ok(())
            })
        };
        match form {
            Form::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let mut writer = ArrowWriter::try_new(&mut new, schema, Some(properties))?;
                each(&mut |batch| Ok(writer.write(&batch)?))?;
                writer.close()?;
            }
            Form::Arrow => {
                let mut writer = FileWriter::try_new(&mut new, &schema)?;
                each(&mut |batch| Ok(writer.write(&batch)?))?;
                writer.finish()?;
            }
            Form::Csv => {
                let mut csv = csv::Writer::from_writer(&mut new);
                csv.write_record(schema.fields().iter().map(|field| field.name()))?;
                each(&mut |batch| {
                    (0..batch.num_rows()).try_for_each(|row| {
                        Ok(csv.write_record(batch.columns().iter().map(|column| cell(value(column, row))))?)
                    })
                })?;
                csv.flush()?;
            }
            Form::Ndjson => {
                each(&mut |batch| {
                    (0..batch.num_rows()).try_for_each(|row| {
                        let fields = schema.fields().iter().zip(batch.columns());
                        let fields = fields.map(|(field, column)| (field.name().clone(), value(column, row)));
                        let line = Value::Object(fields.collect()).to_string();
                        Ok(writeln!(new, "{}", plain::json(&line))?)
                    })
                })?;
            }
        }
        new.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        fs::rename(&beside, &self.output)?;
        fs::remove_file(&self.path)?;
        Ok(count)
    }
}

/// The ranges of the rows of a batch that are not outdated.
fn current(batch: &RecordBatch, outdated: &HashSet<&Row>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (index, (path, hash)) in known::rows(batch).enumerate() {
        if !outdated.is_empty() && outdated.contains(&(path.to_owned(), hash.to_owned())) {
            continue;
        }
        match ranges.last_mut().filter(|range| range.end == index) {
            Some(range) => range.end += 1,
            None => ranges.push(index..index + 1),
        }
    }
    ranges
}

/// The marker at the end of an Arrow stream.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

type Take<'a> = dyn FnMut(RecordBatch) -> Result<(), Error> + 'a;

/// A file that counts the bytes read from it.
struct Counted {
    file: BufReader<File>,
    count: u64,
}

impl Read for &mut Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// Calls `take` with every complete batch of a journal; returns the offset of the last one's end. A journal that was
/// resumed consists of several streams.
fn read(path: &Path, table: Table, take: &mut Take<'_>) -> Result<u64, Error> {
    let mut reader = Counted { file: BufReader::new(File::open(path)?), count: 0 };
    let mut end = 0;
    while let Ok(mut batches) = guarded(|| Ok(StreamReader::try_new(&mut reader, None)?)) {
        while let Some(batch) = guarded(|| Ok(batches.next().transpose()?)).transpose() {
            let Ok(batch) = batch else { return Ok(end) };
            fits(path, table, &batch)?;
            take(batch)?;
            end = batches.get_ref().count;
        }
    }
    Ok(end)
}

/// Calls `take` with every batch of a finished output.
fn finished(path: &Path, table: Table, take: &mut Take<'_>) -> Result<(), Error> {
    let mut each = |batch: RecordBatch| {
        fits(path, table, &batch)?;
        take(batch)
    };
    match Form::of(path)? {
        Form::Parquet => {
            let file = File::open(path)?;
            let batches = || Ok(ParquetRecordBatchReaderBuilder::try_new(file)?.build()?);
            let mut batches = guarded(batches).map_err(|error| damaged(path, &error))?;
            all(path, &mut || Ok(batches.next().transpose()?), &mut each)
        }
        Form::Arrow => {
            let file = BufReader::new(File::open(path)?);
            let batches = guarded(|| Ok(FileReader::try_new(file, None)?));
            let mut batches = batches.map_err(|error| damaged(path, &error))?;
            all(path, &mut || Ok(batches.next().transpose()?), &mut each)
        }
        Form::Csv | Form::Ndjson => {
            let what =
                "--resume can append only to a .parquet or .arrow file; use --force to overwrite this file";
            Err(format!("{}: {what}", path.display()).into())
        }
    }
}

/// Calls `take` with every batch that `next` returns.
fn all(
    path: &Path,
    next: &mut dyn FnMut() -> Result<Option<RecordBatch>, Error>,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    while let Some(batch) = guarded(&mut *next).map_err(|error| damaged(path, &error))? {
        take(batch)?;
    }
    Ok(())
}

fn damaged(path: &Path, error: &Error) -> Error {
    format!("{}: the rows cannot be read: {error}; use --force instead of --resume", path.display()).into()
}

fn fits(path: &Path, table: Table, batch: &RecordBatch) -> Result<(), Error> {
    let (found, expected) = (batch.schema(), table.schema());
    let names = found.fields().iter().map(|field| field.name());
    match names.eq(expected.fields().iter().map(|field| field.name())) {
        true => Ok(()),
        false => {
            let what =
                format!("{}: not a table of {}, since its columns differ", path.display(), table.name());
            Err(format!("{what}; use the --table of the first run, or --force instead of --resume").into())
        }
    }
}

/// A CSV cell that no spreadsheet takes for a formula.
fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => csv_cell(&text),
        other => other.to_string(),
    }
}

fn value(column: &dyn Array, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::Float32 => {
            let number = column.as_primitive::<Float32Type>().value(row);
            // The shortest digits that read as the same 32-bit float.
            number.to_string().parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
        }
        _ => Value::Null,
    }
}
