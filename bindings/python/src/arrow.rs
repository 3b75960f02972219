//! Columns as Arrow arrays, which share the memory of the columns.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::PyTable;
use pyo3_arrow::ffi::to_array_pycapsules;
use rezkit_table::arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use rezkit_table::arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, LargeBinaryArray, LargeListArray, LargeStringArray,
    NullArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
};
use rezkit_table::arrow_schema::{ArrowError, Field, Schema};

use crate::array::Row;

/// A number that Arrow has.
pub(crate) trait Number: numpy::Element + arrow_buffer::ArrowNativeType {
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

macro_rules! numbers {
    ($($number:ty: $arrow:ty;)+) => {$(
        impl Number for $number {
            type Arrow = $arrow;
        }
    )+};
}
numbers! {
    u8: UInt8Type;
    u16: UInt16Type;
    u32: UInt32Type;
    u64: UInt64Type;
    i16: Int16Type;
    i32: Int32Type;
    i64: Int64Type;
    f32: Float32Type;
    f64: Float64Type;
}

/// The rows without a value; `present` is empty if all rows have one.
fn nulls(present: &[bool]) -> Option<NullBuffer> {
    (!present.is_empty()).then(|| NullBuffer::from(present))
}

/// The memory of a part of `owner`.
fn shared<M: Send + Sync + 'static, R>(owner: &Arc<M>, rows: impl FnOnce(&M) -> &[R]) -> Buffer {
    let rows = rows(owner);
    let owner = std::panic::AssertUnwindSafe(owner.clone());
    // SAFETY: the memory belongs to the owner, which does not change while it is shared and lives as long as the buffer.
    unsafe { Buffer::from_custom_allocation(NonNull::from(rows).cast(), size_of_val(rows), Arc::new(owner)) }
}

/// Rows of numbers with a shape, without a copy; those with several numbers are lists of a fixed size.
pub(crate) fn rows<M: Send + Sync + 'static, R: Row>(
    owner: &Arc<M>,
    rows: impl FnOnce(&M) -> &[R],
    shape: &[usize],
    present: &[bool],
) -> Result<ArrayRef, ArrowError>
where
    R::Number: Number,
{
    let values: ScalarBuffer<R::Number> = shared(owner, rows).into();
    let is_plain = shape.is_empty() && R::SHAPE.is_empty();
    let values =
        PrimitiveArray::<<R::Number as Number>::Arrow>::try_new(values, nulls(present).filter(|_| is_plain))?;
    let mut array: ArrayRef = Arc::new(values);
    let shape: Vec<usize> = shape.iter().chain(R::SHAPE).copied().collect();
    for (axis, &size) in shape.iter().enumerate().rev() {
        let field = Arc::new(Field::new("item", array.data_type().clone(), false));
        let nulls = nulls(present).filter(|_| axis == 0);
        array = Arc::new(FixedSizeListArray::try_new(field, size as i32, array, nulls)?);
    }
    Ok(array)
}

pub(crate) fn flags(values: &[bool], present: &[bool]) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(BooleanArray::new(values.into(), nulls(present))))
}

/// Offsets, which are below 2^63.
fn offsets(offsets: &Arc<Vec<u64>>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(shared(offsets, |offsets| offsets).into())
}

/// Strings, or bytes if one is not UTF-8.
pub(crate) fn strings(
    ends: &Arc<Vec<u64>>,
    data: &Arc<Vec<u8>>,
    present: &[bool],
) -> Result<ArrayRef, ArrowError> {
    let (ends, bytes) = (offsets(ends), shared(data, |data| data));
    match LargeStringArray::try_new(ends.clone(), bytes.clone(), nulls(present)) {
        Ok(strings) => Ok(Arc::new(strings)),
        Err(_) => Ok(Arc::new(LargeBinaryArray::try_new(ends, bytes, nulls(present))?)),
    }
}

/// Sequences of keypoints.
pub(crate) fn lists(
    ends: &Arc<Vec<u64>>,
    values: ArrayRef,
    present: &[bool],
) -> Result<ArrayRef, ArrowError> {
    let field = Arc::new(Field::new("item", values.data_type().clone(), false));
    Ok(Arc::new(LargeListArray::try_new(field, offsets(ends), values, nulls(present))?))
}

pub(crate) fn nothing(rows: usize) -> ArrayRef {
    Arc::new(NullArray::new(rows))
}

pub(crate) fn error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Makes a column when it is needed.
pub(crate) type Lazy = Box<dyn Fn() -> Result<ArrayRef, ArrowError> + Send + Sync>;

/// Columns as a table of Arrow.
#[pyclass(frozen)]
pub(crate) struct Table {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<(String, Lazy)>,
}

#[pymethods]
impl Table {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arrays = py.detach(|| self.columns.iter().map(|(_, make)| make()).collect::<Result<Vec<_>, _>>());
        let arrays = arrays.map_err(error)?;
        let names = self.columns.iter().map(|(name, _)| name).zip(&arrays);
        let fields = names.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(error)?;
        let table = Bound::new(py, PyTable::try_new(vec![batch], schema)?)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }
}

/// The two capsules of an array.
pub(crate) fn capsules<'py>(
    py: Python<'py>,
    array: ArrayRef,
    requested: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let field = Arc::new(Field::new("", array.data_type().clone(), true));
    Ok(to_array_pycapsules(py, field, &array, requested)?)
}
