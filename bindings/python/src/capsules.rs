//! Tables and columns of other packages, and ours for them: the capsules of Arrow's C data interface, in which nothing is
//! copied. Who asks for another type gets it if no value changes, and ours otherwise, as the interface allows.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchIterator, RecordBatchOptions, StringArray,
    StructArray, make_array,
};
use arrow_buffer::OffsetBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use rezkit_table::arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

pub(crate) fn error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Arrays of one type: one of `__arrow_c_array__`, or those of `__arrow_c_stream__`, each when it is asked for.
pub(crate) enum Arrays {
    One(Option<ArrayRef>, Field),
    Stream(FFI_ArrowArrayStream, FFI_ArrowSchema),
}

impl Arrays {
    /// What an object of another package holds; the array, of those that have both.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.hasattr(intern!(py, "__arrow_c_array__"))? {
            let both: Bound<'_, PyTuple> =
                object.call_method0(intern!(py, "__arrow_c_array__"))?.cast_into()?;
            let (schema, array) = (taken(&both.get_item(0)?, SCHEMA)?, taken(&both.get_item(1)?, ARRAY)?);
            // SAFETY: by the interface, the capsules of these names hold these, and who takes one releases it.
            let (schema, array) =
                unsafe { (FFI_ArrowSchema::from_raw(schema.cast()), FFI_ArrowArray::from_raw(array.cast())) };
            return Ok(Self::One(Some(imported(array, &schema).map_err(error)?), field(&schema)?));
        }
        if !object.hasattr(intern!(py, "__arrow_c_stream__"))? {
            let text = "Expected object with __arrow_c_array__ or __arrow_c_stream__ method";
            return Err(PyValueError::new_err(text));
        }
        // It lives until its content was taken.
        let capsule = object.call_method0(intern!(py, "__arrow_c_stream__"))?;
        // SAFETY: as above.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(taken(&capsule, STREAM)?.cast()) };
        let mut schema = FFI_ArrowSchema::empty();
        if let Some(get) = stream.get_schema {
            // SAFETY: a stream that is not released has this function, which fills the schema.
            let code = unsafe { get(&raw mut stream, &raw mut schema) };
            checked(&mut stream, code).map_err(error)?;
        }
        Ok(Self::Stream(stream, schema))
    }

    /// Their type, and the name and the metadata if they have any.
    pub(crate) fn field(&self) -> PyResult<Field> {
        match self {
            Self::One(_, field) => Ok(field.clone()),
            Self::Stream(_, schema) => field(schema),
        }
    }

    /// The columns of a table.
    pub(crate) fn schema(&self) -> PyResult<SchemaRef> {
        let field = self.field()?;
        match field.data_type() {
            DataType::Struct(fields) => {
                Ok(Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone())))
            }
            other => Err(PyValueError::new_err(format!("expected a table, found an array of {other}"))),
        }
    }

    /// The rows of a table, batch by batch.
    pub(crate) fn batches(self) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send {
        self.map(|array| {
            let array = array?;
            let rows = array.as_any().downcast_ref::<StructArray>();
            let rows = rows.filter(|rows| rows.null_count() == 0).ok_or_else(|| {
                ArrowError::InvalidArgumentError("expected the rows of a table, all of them valid".to_owned())
            })?;
            Ok(RecordBatch::from(rows.clone()))
        })
    }
}

impl Iterator for Arrays {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::One(array, _) => array.take().map(Ok),
            Self::Stream(stream, schema) => {
                let get = stream.get_next?;
                let mut array = FFI_ArrowArray::empty();
                // SAFETY: a stream that is not released has this function, which fills the array; at the end, with a
                // released one.
                let code = unsafe { get(&raw mut *stream, &raw mut array) };
                if let Err(error) = checked(stream, code) {
                    return Some(Err(error));
                }
                (!array.is_released()).then(|| imported(array, schema))
            }
        }
    }
}

/// The pointer of a capsule with a name.
fn taken(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut std::ffi::c_void> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.as_ptr())
}

fn imported(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayRef, ArrowError> {
    // SAFETY: the array is of the type of its schema.
    let data = unsafe { from_ffi(array, schema) }?;
    Ok(make_array(data))
}

fn field(schema: &FFI_ArrowSchema) -> PyResult<Field> {
    Field::try_from(schema).map_err(error)
}

/// The error of the last call of a stream.
fn checked(stream: &mut FFI_ArrowArrayStream, code: i32) -> Result<(), ArrowError> {
    if code == 0 {
        return Ok(());
    }
    let text = stream.get_last_error.and_then(|get| {
        // SAFETY: the text belongs to the stream, and is valid until its next call.
        let text: *const c_char = unsafe { get(&raw mut *stream) };
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    Err(ArrowError::CDataInterface(text.unwrap_or_else(|| format!("error {code}"))))
}

/// The type that who takes an array asks for.
fn requested(schema: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Field>> {
    let Some(schema) = schema.filter(|schema| !schema.is_none()) else { return Ok(None) };
    let schema: *mut FFI_ArrowSchema = taken(schema, SCHEMA)?.cast();
    // SAFETY: the capsule has a schema, which it keeps.
    unsafe { schema.as_ref() }.map(field).transpose()
}

/// An array as one of another type, if that has the same values.
fn as_type(array: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    /// Offsets of texts and bytes as 32-bit numbers.
    fn ends(offsets: &[i64]) -> Option<OffsetBuffer<i32>> {
        let ends: Result<Vec<i32>, _> = offsets.iter().map(|end| i32::try_from(*end)).collect();
        Some(OffsetBuffer::new(ends.ok()?.into()))
    }
    macro_rules! wider {
        ($from:ty as $to:ty) => {
            Arc::new(array.as_primitive::<$from>().unary::<_, $to>(Into::into))
        };
    }
    use DataType as Of;
    Some(match (array.data_type(), wanted) {
        (Of::LargeUtf8, Of::Utf8) => {
            let (offsets, bytes, nulls) = array.as_string::<i64>().clone().into_parts();
            Arc::new(StringArray::try_new(ends(&offsets)?, bytes, nulls).ok()?)
        }
        (Of::LargeBinary, Of::Binary) => {
            let (offsets, bytes, nulls) = array.as_binary::<i64>().clone().into_parts();
            Arc::new(BinaryArray::try_new(ends(&offsets)?, bytes, nulls).ok()?)
        }
        (Of::Float32, Of::Float64) => wider!(Float32Type as Float64Type),
        (Of::UInt8, Of::Int64) => wider!(UInt8Type as Int64Type),
        (Of::UInt16, Of::Int64) => wider!(UInt16Type as Int64Type),
        (Of::UInt32, Of::Int64) => wider!(UInt32Type as Int64Type),
        (Of::Int16, Of::Int64) => wider!(Int16Type as Int64Type),
        (Of::Int32, Of::Int64) => wider!(Int32Type as Int64Type),
        _ => return None,
    })
}

/// The two capsules of an array.
pub(crate) fn of_array<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    wanted: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let wanted = requested(wanted)?;
    let other = wanted.and_then(|wanted| as_type(array, wanted.data_type()));
    let array = other.as_ref().unwrap_or(array);
    let field = Field::new("", array.data_type().clone(), true);
    both(py, FFI_ArrowSchema::try_from(&field).map_err(error)?, array)
}

fn both<'py>(py: Python<'py>, schema: FFI_ArrowSchema, array: &dyn Array) -> PyResult<Bound<'py, PyTuple>> {
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?;
    PyTuple::new(py, [schema, array])
}

/// The capsule of a table.
fn of_batches<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

/// The rows of one batch, for any package that takes tables of Arrow.
#[pyclass(frozen)]
pub(crate) struct Batch(pub(crate) RecordBatch);

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema()).map_err(error)?;
        both(py, schema, &StructArray::from(self.0.clone()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        of_batches(py, vec![self.0.clone()], self.0.schema())
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<{} rows of {} columns>", self.0.num_rows(), self.0.num_columns())
    }
}

/// The rows of a stream of batches.
#[pyclass(frozen)]
pub(crate) struct Batches {
    pub(crate) batches: Vec<RecordBatch>,
    pub(crate) schema: SchemaRef,
}

#[pymethods]
impl Batches {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        of_batches(py, self.batches.clone(), self.schema.clone())
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<{} rows of {} columns>", self.__len__(), self.schema.fields().len())
    }
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
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let wanted = requested(requested_schema.as_ref())?;
        let arrays = py.detach(|| self.columns.iter().map(|(_, make)| make()).collect::<Result<Vec<_>, _>>());
        let mut arrays = arrays.map_err(error)?;
        if let Some(DataType::Struct(fields)) = wanted.as_ref().map(Field::data_type) {
            for (array, (name, _)) in arrays.iter_mut().zip(&self.columns) {
                let wanted = fields.find(name).map(|(_, field)| field.data_type());
                if let Some(other) = wanted.and_then(|wanted| as_type(array, wanted)) {
                    *array = other;
                }
            }
        }
        let names = self.columns.iter().map(|(name, _)| name).zip(&arrays);
        let fields = names.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(error)?;
        of_batches(py, vec![batch], schema)
    }
}
