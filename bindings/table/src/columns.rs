//! Assets from the columns of an Arrow batch.

use std::borrow::Cow;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};

/// An asset of a batch: its path and its bytes.
pub type Asset<'a> = (Cow<'a, str>, &'a [u8]);

/// The assets of a batch, from the columns named `bytes` and `path`. A row without bytes is an empty asset; a row
/// without a path gets `#` and its number, counted from `first`.
///
/// # Errors
/// If a column is missing or has another type. The column of paths may be missing if its name is `path`.
pub fn assets<'a>(
    batch: &'a RecordBatch,
    bytes: &str,
    path: &str,
    first: usize,
) -> Result<Vec<Asset<'a>>, ArrowError> {
    let unknown = |name, argument, what| {
        let text = format!(
            "the batch has no column {name:?} (set the argument {argument} to the name of the column with the {what})"
        );
        ArrowError::SchemaError(text)
    };
    let column = batch.column_by_name(bytes).ok_or_else(|| unknown(bytes, "bytes", "contents"))?;
    let value: Box<dyn Fn(usize) -> &'a [u8]> = match column.data_type() {
        DataType::Binary => Box::new(|row| column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Box::new(|row| column.as_binary::<i64>().value(row)),
        // Some programs give a column without values this type.
        DataType::Null => Box::new(|_| &[]),
        DataType::BinaryView => Box::new(|row| column.as_binary_view().value(row)),
        other => {
            let text = format!("column {bytes:?}: expected bytes, found {other}");
            return Err(ArrowError::SchemaError(text));
        }
    };
    let paths = batch.column_by_name(path);
    match paths.map(|paths| paths.data_type()) {
        Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null) => {}
        Some(other) => {
            return Err(ArrowError::SchemaError(format!("column {path:?}: expected strings, found {other}")));
        }
        None if path == "path" => {}
        None => return Err(unknown(path, "path", "paths")),
    }
    let row = |row: usize| {
        let path = paths.and_then(|paths| text(paths, row));
        let bytes = if column.is_null(row) { &[] } else { value(row) };
        (path.map_or_else(|| format!("#{}", first + row).into(), Cow::Borrowed), bytes)
    };
    Ok((0..batch.num_rows()).map(row).collect())
}

/// A value of a column of texts; `None` if it is null or the column has another type.
fn text(column: &dyn Array, row: usize) -> Option<&str> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(column.as_string_view().value(row)),
        _ => None,
    }
}
