//! Columns of properties as arrays of numpy.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbxbinary::classes;
use rezkit::kinds::roblox::{Column, ColumnData, Columns};

use crate::array::{self, Strings};
use crate::error::{Result, python_type};

/// Columns as a dict by the property names that files store; the other names of a property find its column, too.
pub(crate) fn dict<'py>(py: Python<'py>, class: &str, columns: Columns) -> Result<Bound<'py, PyAny>> {
    let (dict, others) = (PyDict::new(py), PyDict::new(py));
    columns.into_vec().into_iter().try_for_each(|column| put(&dict, column))?;
    for property in classes::class(class).into_iter().flat_map(classes::Class::properties) {
        for other in property.other_names().chain([property.script_name()]) {
            if other != property.name() {
                others.set_item(other, property.name())?;
            }
        }
    }
    Ok(python_type!(py, "_Columns", (dict, others))?)
}

/// Adds a column to a dict: masked, or with an array of flags, if some rows have no value.
fn put(dict: &Bound<'_, PyDict>, column: Column) -> Result<()> {
    let (py, shape) = (dict.py(), column.shape);
    macro_rules! numbers {
        ($numbers:expr) => {
            (array::shaped(py, $numbers, shape)?, true)
        };
    }
    let (made, is_array) = match column.data {
        ColumnData::Bool(numbers) => numbers!(numbers),
        ColumnData::U8(numbers) => numbers!(numbers),
        ColumnData::I16(numbers) => numbers!(numbers),
        ColumnData::I32(numbers) => numbers!(numbers),
        ColumnData::I64(numbers) => numbers!(numbers),
        ColumnData::U32(numbers) => numbers!(numbers),
        ColumnData::U64(numbers) => numbers!(numbers),
        ColumnData::F32(numbers) => numbers!(numbers),
        ColumnData::F64(numbers) => numbers!(numbers),
        ColumnData::Bytes { offsets, bytes } => {
            let strings = Strings { offsets: Arc::new(offsets), data: Arc::new(bytes) };
            (Bound::new(py, strings)?.into_any(), false)
        }
        ColumnData::Keypoints { offsets, values } => {
            let offsets = offsets.into_iter().map(|offset| i64::try_from(offset).unwrap_or(i64::MAX));
            let offsets = array::owned(py, offsets.collect::<Vec<_>>())?;
            let keys = array::shaped(py, values, shape)?;
            ((offsets, keys).into_pyobject(py)?.into_any(), false)
        }
        _ => return Ok(()),
    };
    if column.present.is_empty() {
        return Ok(dict.set_item(column.name, made)?);
    }
    let present = array::owned(py, column.present)?;
    let masked = match is_array {
        true => {
            let numpy = py.import("numpy")?;
            let mask = numpy.call_method1("logical_not", (&present,))?;
            let mut axes = vec![made.len()?];
            axes.resize(1 + shape.len(), 1);
            let mask = mask.call_method1("reshape", (axes,))?;
            let mask = numpy.call_method1("broadcast_to", (mask, made.getattr("shape")?))?;
            numpy.getattr("ma")?.call_method1("masked_array", (made, mask))?
        }
        false => (made, present).into_pyobject(py)?.into_any(),
    };
    Ok(dict.set_item(column.name, masked)?)
}
