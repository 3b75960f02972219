//! Tables of many assets.

use std::sync::atomic::Ordering;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PyRecordBatch, PyTable};
use rezkit_table::arrow_array::RecordBatch;
use rezkit_table::arrow_schema::ArrowError;
use rezkit_table::{Options, Table};

use crate::error::{Error, Result};
use crate::input::{Limit, Profiles};
use crate::working::{self, Progress};

fn arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::SchemaError(text) | ArrowError::InvalidArgumentError(text) => {
            rezkit::Error::argument(text).into()
        }
        error => PyValueError::new_err(error.to_string()).into(),
    }
}

/// Turns a batch of assets into a batch of rows: facts about each asset (`assets`), violated rules (`findings`), its
/// `instances`, its `references`, or the values of its `properties` (with the defaults of Roblox's classes, unless
/// `stored` is set).
///
/// `batch` is anything with the Arrow PyCapsule interface, such as a RecordBatch or a Table of pyarrow, Polars or
/// DuckDB; `bytes` and `path` name its columns of contents and of paths. The result has the same interface. An asset
/// that cannot be read becomes a row with its error in the tables `assets` and `findings`, and has no rows in the other
/// tables. The README of `bindings/table` describes the columns.
///
/// `profiles`, one name or several, adds the requirements of platforms for uploads to `findings`: `roblox-upload`,
/// `roblox-animation`, `secondlife-upload`. `max_bytes` limits the memory that reading one asset may allocate (1 GiB by
/// default). `progress` is called with the number of assets since its last call: `tqdm(total=len(batch)).update`.
///
/// >>> import pyarrow, rezkit
/// >>> batch = pyarrow.record_batch({"path": ["a.obj"], "bytes": [b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"]})
/// >>> pyarrow.record_batch(rezkit.scan(batch))["triangles"].to_pylist()
/// [1]
#[pyfunction]
#[pyo3(signature = (batch, table="assets", *, bytes="bytes", path="path", profiles=None, stored=false, max_bytes=None, progress=None))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn scan(
    py: Python<'_>,
    batch: AnyRecordBatch,
    table: &str,
    bytes: &str,
    path: &str,
    profiles: Option<Profiles>,
    stored: bool,
    max_bytes: Option<Limit>,
    progress: Option<Py<PyAny>>,
) -> Result<Py<PyAny>> {
    let wanted = Table::from_name(table).ok_or_else(|| {
        let names = Table::ALL.map(Table::name).join(", ");
        Error::Argument("table", format!("expected one of {names}, found {table:?}"))
    })?;
    let mut options = Options::default();
    options.max_bytes = Limit::bytes(max_bytes);
    options.profiles = Profiles::names(profiles);
    options.stored = stored;
    let (bytes, path) = (bytes.to_owned(), path.to_owned());
    let (progress, count) = Progress::counting(progress);
    let scan = move |batch: &RecordBatch, first: usize| -> Result<RecordBatch, ArrowError> {
        let assets = rezkit_table::assets(batch, &bytes, &path, first)?;
        let counted = assets.iter().inspect(|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        rezkit_table::scan(counted.map(|(path, bytes)| (&**path, *bytes)), wanted, &options)
    };
    match batch {
        AnyRecordBatch::RecordBatch(batch) => {
            let batch = batch.into_inner();
            let rows = working::watched(py, &progress, move || scan(&batch, 0))?.map_err(arrow)?;
            Ok(Py::new(py, PyRecordBatch::new(rows))?.into_any())
        }
        AnyRecordBatch::Stream(stream) => {
            let reader = stream.into_reader()?;
            let rows = working::watched(py, &progress, move || {
                let mut first = 0;
                let batches = reader.map(|batch| {
                    let batch = batch?;
                    first += batch.num_rows();
                    scan(&batch, first - batch.num_rows())
                });
                batches.collect::<Result<Vec<_>, ArrowError>>()
            })?;
            let table = PyTable::try_new(rows.map_err(arrow)?, wanted.schema())?;
            Ok(Py::new(py, table)?.into_any())
        }
    }
}
