//! Columns of values from Python: arrays of NumPy, `Strings`, sequences, and tables of Arrow.

use std::collections::HashMap;

use numpy::{Element, PyReadonlyArrayDyn};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::input::{AnyArray, AnyRecordBatch};
use rbxbinary::parts::TypeId;
use rezkit::Fill;
use rezkit::formats::roblox::{InstanceId, enum_item};
use rezkit_table::arrow_array::cast::AsArray as _;
use rezkit_table::arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use rezkit_table::arrow_array::{Array, ArrayRef};
use rezkit_table::arrow_schema::DataType;

use super::made::ColumnData;
use super::parts;
use super::put::{self, NewColumn, NewRows};
use crate::array::{self, Strings};
use crate::document::{RobloxDocument, edit_many, kind_of, look};
use crate::error::{Error, Result};
use crate::instance::Instance;
use crate::value::from_python;

/// What Python has to know about the columns of a call of `set_columns`.
#[pyclass(frozen)]
struct Layouts {
    document: Py<RobloxDocument>,
    ids: Vec<InstanceId>,
    /// The first instance of each class, with the class.
    firsts: Vec<(InstanceId, String)>,
}

/// The type of NumPy's numbers and the shape of a value, for types whose columns are arrays.
fn layout(kind: TypeId) -> Option<(&'static str, &'static [usize])> {
    Some(match kind {
        TypeId::BOOL => ("bool", &[]),
        TypeId::FACES | TypeId::AXES => ("uint8", &[]),
        TypeId::COLOR3_UINT8 => ("uint8", &[3]),
        TypeId::VECTOR2_INT16 => ("int16", &[2]),
        TypeId::VECTOR3_INT16 => ("int16", &[3]),
        TypeId::INT32 => ("int32", &[]),
        TypeId::INT64 | TypeId::REF => ("int64", &[]),
        TypeId::ENUM | TypeId::BRICK_COLOR => ("uint32", &[]),
        TypeId::SECURITY_CAPABILITIES => ("uint64", &[]),
        TypeId::UNIQUE_ID => ("uint64", &[3]),
        TypeId::FLOAT32 => ("float32", &[]),
        TypeId::VECTOR2 | TypeId::NUMBER_RANGE => ("float32", &[2]),
        TypeId::VECTOR3 | TypeId::COLOR3 => ("float32", &[3]),
        TypeId::CFRAME | TypeId::OPTIONAL_CFRAME => ("float32", &[4, 4]),
        TypeId::PHYSICAL_PROPERTIES => ("float32", &[6]),
        TypeId::RECT => ("float32", &[2, 2]),
        TypeId::RAY => ("float32", &[2, 3]),
        TypeId::CFRAME_QUAT => ("float32", &[7]),
        TypeId::FLOAT64 => ("float64", &[]),
        TypeId::UDIM => ("float64", &[2]),
        TypeId::UDIM2 => ("float64", &[2, 2]),
        _ => return None,
    })
}

impl Layouts {
    /// The type of a property in the first class that has it, and the class.
    fn kind(&self, py: Python<'_>, name: &str) -> Result<Option<(TypeId, String)>> {
        look(self.document.bind(py), |document| {
            let of = |(id, class): &(InstanceId, String)| Some((document.type_of(*id, name)?, class.clone()));
            self.firsts.iter().find_map(of)
        })
    }
}

#[pymethods]
impl Layouts {
    #[getter]
    fn rows(&self) -> usize {
        self.ids.len()
    }

    /// The type of a property, the type of its numbers, the shape of a value, and the names of its numbers; `None` if
    /// there is no such property.
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn of<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> Result<Option<(&'static str, Option<&'static str>, Bound<'py, PyTuple>, Vec<&'static str>)>> {
        let Some((kind, _)) = self.kind(py, name)? else { return Ok(None) };
        let (dtype, shape) = layout(kind).unzip();
        let (kind, shape) = (kind.name().unwrap_or_default(), shape.unwrap_or_default());
        Ok(Some((kind, dtype, PyTuple::new(py, shape)?, parts(kind, shape).to_vec())))
    }

    /// The error for a property that does not exist.
    fn unknown<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
        let class = self.firsts.first().map_or("", |(_, class)| class);
        let why = look(self.document.bind(py), |document| document.required_type(class, name).err())?;
        let why = why.map_or_else(|| "not a property".to_owned(), |why| why.reason().to_owned());
        Ok(PyKeyError::new_err(format!("{class}.{name}: {why}")).into_value(py).into_bound(py).into_any())
    }

    /// The current values of a property.
    fn now<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
        let document = self.document.bind(py);
        let instances: Vec<_> =
            self.ids.iter().map(|&id| Instance::of(document, id)).collect::<PyResult<_>>()?;
        Ok(document.call_method1("columns", (instances, [name]))?.get_item(name)?)
    }

    /// A column of Arrow: the values, and whether each row has one.
    fn arrow<'py>(&self, py: Python<'py>, column: AnyArray) -> Result<Bound<'py, PyTuple>> {
        let (chunks, _) = column.into_chunked_array().map_err(PyErr::from)?.into_inner();
        whole(py, &chunks)
    }

    /// The columns of a table of Arrow by name: the values, and whether each row has one.
    fn table<'py>(&self, py: Python<'py>, table: AnyRecordBatch) -> Result<Bound<'py, PyDict>> {
        let (batches, schema) = table.into_table().map_err(PyErr::from)?.into_inner();
        let columns = PyDict::new(py);
        for (index, field) in schema.fields().iter().enumerate() {
            let chunks: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(index).clone()).collect();
            columns.set_item(field.name(), whole(py, &chunks)?)?;
        }
        Ok(columns)
    }
}

/// The chunks of a column of Arrow as one array or list, and whether each row has a value.
fn whole<'py>(py: Python<'py>, chunks: &[ArrayRef]) -> Result<Bound<'py, PyTuple>> {
    if let Some(Texts { offsets, bytes, present }) = Texts::of_chunks(chunks) {
        return Ok((Strings::new(offsets, bytes, present), None::<bool>).into_pyobject(py)?);
    }
    let present: Vec<bool> =
        chunks.iter().flat_map(|chunk| (0..chunk.len()).map(|row| chunk.is_valid(row))).collect();
    let mut values = Vec::new();
    for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
        values.push(values_of(py, chunk)?);
    }
    let is_list = values.iter().any(|of| of.is_instance_of::<PyList>());
    let values = match (values.len(), is_list) {
        (1, _) => values.remove(0),
        (0, _) => PyList::empty(py).into_any(),
        (_, true) => {
            let all = PyList::empty(py);
            values.iter().try_for_each(|of| all.call_method1("extend", (of,)).map(drop))?;
            all.into_any()
        }
        (_, false) => py.import("numpy")?.call_method1("concatenate", (values,))?,
    };
    let present = if present.iter().all(|there| *there) { None } else { Some(array::owned(py, present)?) };
    Ok((values, present).into_pyobject(py)?)
}

/// The values of an array of Arrow: an array of NumPy, or a list of texts.
fn values_of<'py>(py: Python<'py>, chunk: &ArrayRef) -> Result<Bound<'py, PyAny>> {
    macro_rules! numbers {
        ($kind:ty) => {
            array::owned(py, chunk.as_primitive::<$kind>().values().to_vec())?
        };
    }
    macro_rules! texts {
        ($texts:expr) => {
            PyList::new(py, $texts.iter())?.into_any()
        };
    }
    Ok(match chunk.data_type() {
        DataType::Boolean => array::owned(py, chunk.as_boolean().values().iter().collect::<Vec<bool>>())?,
        DataType::Int8 => array::owned(
            py,
            chunk.as_primitive::<Int8Type>().values().iter().map(|&n| i16::from(n)).collect::<Vec<_>>(),
        )?,
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Utf8 => texts!(chunk.as_string::<i32>()),
        DataType::LargeUtf8 => texts!(chunk.as_string::<i64>()),
        DataType::Utf8View => texts!(chunk.as_string_view()),
        DataType::Binary => texts!(chunk.as_binary::<i32>()),
        DataType::LargeBinary => texts!(chunk.as_binary::<i64>()),
        DataType::BinaryView => texts!(chunk.as_binary_view()),
        DataType::Null => PyList::new(py, vec![None::<bool>; chunk.len()])?.into_any(),
        DataType::FixedSizeList(_, size) => {
            let lists = chunk.as_fixed_size_list();
            let first = usize::try_from(lists.value_offset(0)).unwrap_or_default();
            let size = usize::try_from(*size).unwrap_or_default();
            let values = lists.values().slice(first, lists.len() * size);
            let values = values_of(py, &values)?;
            let mut shape: Vec<usize> = vec![lists.len(), size];
            let inner: Vec<usize> = values.getattr("shape")?.extract()?;
            shape.extend(&inner[1..]);
            values.call_method1("reshape", (shape,))?
        }
        DataType::List(_) | DataType::LargeList(_) => {
            let row = |row: usize| match chunk.is_null(row) {
                true => Ok(py.None().into_bound(py)),
                false => match chunk.as_list_opt::<i64>() {
                    Some(lists) => values_of(py, &lists.value(row)),
                    None => values_of(py, &chunk.as_list::<i32>().value(row)),
                },
            };
            PyList::new(py, (0..chunk.len()).map(row).collect::<Result<Vec<_>>>()?)?.into_any()
        }
        DataType::Dictionary(..) => {
            let dictionary = chunk.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Ok(PyList::new(py, vec![None::<bool>; chunk.len()])?.into_any());
            }
            let values = values_of(py, dictionary.values())?;
            let keys = dictionary.normalized_keys();
            let row = |row: usize| match chunk.is_null(row) {
                true => Ok(py.None().into_bound(py)),
                false => values.get_item(keys[row]),
            };
            PyList::new(py, (0..chunk.len()).map(row).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        other => {
            let text = format!("a column has the type {other} of Arrow, which no property has");
            return Err(Error::Argument("table", text));
        }
    })
}

/// Texts of a column, one after the other.
struct Texts {
    offsets: Vec<u64>,
    bytes: Vec<u8>,
    present: Vec<bool>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { offsets: vec![0], bytes: Vec::new(), present: Vec::new() }
    }
}

impl Texts {
    fn push(&mut self, text: Option<&[u8]>) {
        self.bytes.extend_from_slice(text.unwrap_or_default());
        self.offsets.push(self.bytes.len() as u64);
        self.present.push(text.is_some());
    }

    /// The texts of chunks of Arrow; `None` for other types.
    fn of_chunks(chunks: &[ArrayRef]) -> Option<Self> {
        let mut made = Self::default();
        let mut push = |text: Option<&str>| made.push(text.map(str::as_bytes));
        for chunk in chunks {
            match chunk.data_type() {
                DataType::Utf8 => chunk.as_string::<i32>().iter().for_each(&mut push),
                DataType::LargeUtf8 => chunk.as_string::<i64>().iter().for_each(&mut push),
                DataType::Utf8View => chunk.as_string_view().iter().for_each(&mut push),
                _ => return None,
            }
        }
        Some(made)
    }

    /// A list of texts and `None`; `None` if it has anything else.
    fn of(list: &Bound<'_, PyList>) -> Option<Self> {
        let mut made = Self::default();
        for value in list.iter() {
            match value.cast::<PyString>() {
                Ok(text) => made.push(Some(text.to_str().ok()?.as_bytes())),
                Err(_) if value.is_none() => made.push(None),
                Err(_) => return None,
            }
        }
        Some(made)
    }
}

fn numbers<T: Element + Copy>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let array: PyReadonlyArrayDyn<'_, T> = array.extract()?;
    Ok(match array.as_slice() {
        Ok(numbers) => numbers.to_vec(),
        Err(_) => array.as_array().iter().copied().collect(),
    })
}

/// The numbers of an array of the type that `layout` names.
fn data(array: &Bound<'_, PyAny>) -> Result<ColumnData> {
    let dtype: String = array.getattr("dtype")?.getattr("name")?.extract()?;
    Ok(match &*dtype {
        "bool" => ColumnData::Bool(numbers(array)?),
        "uint8" => ColumnData::U8(numbers(array)?),
        "int16" => ColumnData::I16(numbers(array)?),
        "int32" => ColumnData::I32(numbers(array)?),
        "int64" => ColumnData::I64(numbers(array)?),
        "uint32" => ColumnData::U32(numbers(array)?),
        "uint64" => ColumnData::U64(numbers(array)?),
        "float32" => ColumnData::F32(numbers(array)?),
        "float64" => ColumnData::F64(numbers(array)?),
        _ => return Err(Error::Argument("table", format!("a column has the type {dtype} of NumPy"))),
    })
}

/// The rows of a column that Python has prepared: an array, `Strings`, or a list of values.
fn rows(
    document: &Bound<'_, RobloxDocument>,
    layouts: &Layouts,
    (name, column, present): (&str, &Bound<'_, PyAny>, Option<Vec<bool>>),
) -> Result<NewRows> {
    let py = document.py();
    let (kind, class) = layouts.kind(py, name)?.unzip();
    let class = class.unwrap_or_default();
    if let Ok(strings) = column.cast::<Strings>() {
        let (offsets, bytes, there) = strings.get().parts();
        let present = present.unwrap_or_else(|| there.to_vec());
        if kind != Some(TypeId::ENUM) {
            return Ok(NewRows::Data(
                ColumnData::Bytes { offsets: offsets.to_vec(), bytes: bytes.to_vec() },
                present,
            ));
        }
        // A column has few different items.
        let (mut items, mut numbers) = (HashMap::new(), Vec::with_capacity(offsets.len()));
        for row in 0..offsets.len().saturating_sub(1) {
            let text = strings.get().get(row).unwrap_or_default();
            numbers.push(match (items.get(text), present.get(row)) {
                (_, Some(false)) => 0,
                (Some(number), _) => *number,
                (None, _) => {
                    let text_of = String::from_utf8_lossy(text);
                    let number = match text_of.parse() {
                        Ok(number) => number,
                        Err(_) => enum_item(&class, name, &text_of)
                            .map_err(|error| Error::from(rezkit::Error::from(error)).at(name))?,
                    };
                    *items.entry(text).or_insert(number)
                }
            });
        }
        return Ok(NewRows::Data(ColumnData::U32(numbers), present));
    }
    let Ok(list) = column.cast::<PyList>() else {
        return Ok(NewRows::Data(data(column)?, present.unwrap_or_default()));
    };
    if kind == Some(TypeId::STRING)
        && let Some(texts) = Texts::of(list)
    {
        let given = present.unwrap_or_default();
        let is_given = |(row, there): (usize, bool)| there && given.get(row) != Some(&false);
        let present = texts.present.into_iter().enumerate().map(is_given).collect();
        let Texts { offsets, bytes, .. } = texts;
        return Ok(NewRows::Data(ColumnData::Bytes { offsets, bytes }, present));
    }
    let mut values = Vec::with_capacity(list.len());
    for (row, value) in list.iter().enumerate() {
        let is_absent =
            value.is_none() || present.as_ref().is_some_and(|present| present.get(row) == Some(&false));
        values.push(match is_absent {
            true => None,
            false => {
                let kind = kind.map_or_else(|| kind_of(document, &class, name, &value), Ok)?;
                let value = from_python(document, (&class, name), kind, &value);
                Some(value.map_err(|error| match layouts.ids.get(row) {
                    Some(&id) => {
                        let path = look(document, |document| document.path(id)).ok().flatten();
                        error.at(&format!("{}.{name}", path.unwrap_or_default()))
                    }
                    None => error,
                })?)
            }
        });
    }
    Ok(NewRows::Values(values))
}

/// Sets properties of instances to the columns of a table.
pub(crate) fn set<'py>(
    document: &Bound<'py, RobloxDocument>,
    ids: &[InstanceId],
    table: &Bound<'py, PyAny>,
    fill: Fill,
) -> Result<Vec<rezkit::Loss>> {
    let py = document.py();
    let firsts = look(document, |document| put::first_of_classes(document, ids))??;
    let layouts = Bound::new(py, Layouts { document: document.clone().unbind(), ids: ids.to_vec(), firsts })?;
    let prepared = py.import("rezkit._columns")?.call_method1("prepared", (&layouts, table))?;
    let mut columns = Vec::new();
    for column in prepared.try_iter()? {
        let (name, column, present): (String, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>) =
            column?.extract()?;
        let present = present.map(|present| numbers::<bool>(&present)).transpose()?;
        let rows = rows(document, layouts.get(), (&name, &column, present))?;
        columns.push(NewColumn { name, rows });
    }
    let wanted = ids.to_vec();
    edit_many(document, ids.len(), move |document| put::set(document, &wanted, &columns, fill))
}
