//! NumPy arrays that are views of Rust's memory, and conversion of NumPy arrays to rows in Rust.

use std::any::Any;
use std::sync::Arc;

use numpy::ndarray::{ArrayView, IxDyn, ShapeBuilder};
use numpy::{Element, PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PySlice, PyString, PyTuple};

use rezkit_table::arrow_array::ArrayRef;
use rezkit_table::arrow_schema::ArrowError;

use crate::error::{Error, Result};

/// The owner of an array's memory.
#[pyclass(frozen, module = "rezkit")]
struct Memory {
    _owner: Arc<dyn Any + Send + Sync>,
}

/// A read-only array over a part of each row of `rows`, which `owner` owns: values of type `T` in this `shape`, `skip`
/// bytes after the row's beginning. The array keeps `owner` alive.
///
/// # Safety
/// `rows` is memory of `owner`, which does not change or move while `owner` is alive, and the viewed bytes are aligned
/// values of type `T`.
unsafe fn view<'py, T: Element, Row>(
    py: Python<'py>,
    owner: Arc<dyn Any + Send + Sync>,
    rows: &[Row],
    skip: usize,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let size = size_of::<T>();
    let width = shape.iter().product::<usize>();
    assert!(
        size_of::<Row>().is_multiple_of(size) && skip + width * size <= size_of::<Row>(),
        "a part of a row"
    );
    let mut dimensions = vec![rows.len()];
    dimensions.extend(shape);
    let mut strides = vec![1; dimensions.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis] = strides[axis + 1] * shape[axis];
    }
    strides[0] = size_of::<Row>() / size;
    let owner = Bound::new(py, Memory { _owner: owner })?;
    // SAFETY: as the caller promises; the strides stay within the rows.
    let array = unsafe {
        let first = rows.as_ptr().cast::<u8>().add(if rows.is_empty() { 0 } else { skip }).cast::<T>();
        let view = ArrayView::<T, IxDyn>::from_shape_ptr(IxDyn(&dimensions).strides(IxDyn(&strides)), first);
        PyArray::borrow_from_array(&view, owner.into_any())
    };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}

/// A row whose memory consists of numbers of one type.
///
/// # Safety
/// The type has no padding, and all of it is values of `Number`.
pub(crate) unsafe trait Row: Send + Sync + 'static {
    type Number: Element;
    const SHAPE: &'static [usize];
}

macro_rules! rows {
    ($($row:ty: $number:ty, $shape:expr;)+) => {$(
        // SAFETY: arrays, and structs that are `repr(C)` with fields of that type alone.
        unsafe impl Row for $row {
            type Number = $number;
            const SHAPE: &'static [usize] = &$shape;
        }
        const _: () = assert!(size_of::<$row>().is_multiple_of(size_of::<$number>()));
    )+};
}
rows! {
    bool: bool, [];
    u8: u8, [];
    i16: i16, [];
    u16: u16, [];
    u64: u64, [];
    i32: i32, [];
    u32: u32, [];
    i64: i64, [];
    f32: f32, [];
    f64: f64, [];
    geom::Vec2: f32, [2];
    geom::Vec3: f32, [3];
    geom::Vec4: f32, [4];
    geom::Rgba8: u8, [4];
    geom::LinearRgba: u16, [4];
    [u16; 4]: u16, [4];
    [f32; 2]: f32, [2];
    [f32; 3]: f32, [3];
    [f32; 4]: f32, [4];
    [f32; 16]: f32, [4, 4];
    [u32; 3]: u32, [3];
}

/// An array over a column of a model, without a copy: the model stays as it is while the array is alive.
pub(crate) fn column<'py, M: Send + Sync + 'static, R: Row>(
    py: Python<'py>,
    model: &Arc<M>,
    column: impl FnOnce(&M) -> &[R],
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a part of the model, which nothing changes while this array shares it: `Arc` gives mutable access to
    // the only owner alone. `Row` describes the memory.
    unsafe { view::<R::Number, R>(py, model.clone(), column(model), 0, R::SHAPE) }
}

/// An array over a field of the vertices of a Roblox mesh.
pub(crate) fn vertices<'py, R: Row>(
    py: Python<'py>,
    mesh: &Arc<rbxmesh::Mesh>,
    offset: usize,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: as for `column`; a vertex is `repr(C)`, and the offset is that of a field of type `R`.
    unsafe { view::<R::Number, rbxmesh::Vertex>(py, mesh.clone(), &mesh.vertices, offset, R::SHAPE) }
}

/// An array that owns rows.
pub(crate) fn owned<R: Row>(py: Python<'_>, rows: Vec<R>) -> PyResult<Bound<'_, PyAny>> {
    column(py, &Arc::new(rows), |rows| rows)
}

/// An array that owns numbers, divided into rows of a shape.
pub(crate) fn shaped<'py, R: Row>(
    py: Python<'py>,
    numbers: Vec<R>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    shared(py, &Arc::new(numbers), shape)
}

/// An array over shared numbers, divided into rows of a shape.
pub(crate) fn shared<'py, R: Row>(
    py: Python<'py>,
    numbers: &Arc<Vec<R>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let width = shape.iter().product::<usize>().max(1);
    let mut dimensions = vec![numbers.len() / width];
    dimensions.extend(shape);
    column(py, numbers, |numbers| numbers)?.call_method1("reshape", (dimensions,))
}

/// The requirements on an array argument.
#[derive(Clone, Copy)]
pub(crate) enum Numbers {
    /// Floats of any width, and integers.
    Float,
    /// Integers of any width.
    Integer,
}

/// The numbers of an argument as rows of `N`. The argument is a NumPy array, or anything that NumPy converts to one.
pub(crate) fn rows<'py, T: Element + Copy, const N: usize>(
    argument: &Bound<'py, PyAny>,
    name: &'static str,
    numbers: Numbers,
    dtype: &'static str,
) -> Result<Vec<[T; N]>> {
    let py = argument.py();
    let array = py.import("numpy")?.call_method1("asarray", (argument,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let found = array.getattr("dtype")?;
    let kind: String = found.getattr("kind")?.extract()?;
    let (kinds, expected) = match numbers {
        Numbers::Float => ("fiu", "numbers"),
        Numbers::Integer => ("iu", "integers"),
    };
    // An empty list is an array of floats of one dimension.
    if shape == [0] {
        return Ok(Vec::new());
    }
    if !kinds.contains(&kind) || shape.len() != 2 || shape[1] != N {
        let text = format!("expected {expected} of shape (n, {N}), found {found} of shape {}", tuple(&shape));
        return Err(Error::Argument(name, text));
    }
    let array = array.call_method1("astype", (dtype,))?;
    let array: PyReadonlyArrayDyn<'py, T> = array.extract()?;
    let values = array.as_array();
    let mut values = values.iter().copied();
    let mut rows = Vec::with_capacity(shape[0]);
    for _ in 0..shape[0] {
        let mut row = [None; N];
        row.fill_with(|| values.next());
        rows.push(row.map(|value| value.expect("as many as the shape states")));
    }
    Ok(rows)
}

/// A shape as Python shows it.
pub(crate) fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The integers of an argument as rows of `N` indices, each below `limit`.
pub(crate) fn indices<T: TryFrom<i64>, const N: usize>(
    argument: &Bound<'_, PyAny>,
    name: &'static str,
    limit: usize,
    what: &str,
) -> Result<Vec<[T; N]>> {
    let rows: Vec<[i64; N]> = rows(argument, name, Numbers::Integer, "int64")?;
    let mut checked = Vec::with_capacity(rows.len());
    for (number, row) in rows.into_iter().enumerate() {
        let mut indices = [const { None }; N];
        for (index, value) in indices.iter_mut().zip(row) {
            let fits = usize::try_from(value).is_ok_and(|value| value < limit);
            let wrong = || {
                let expected = match what {
                    "values" => format!("a number from 0 to {}", limit.saturating_sub(1)),
                    _ => format!("an index below {limit} (the number of {what})"),
                };
                Error::Argument(name, format!("{value} in row {number}: expected {expected}"))
            };
            *index = Some(T::try_from(value).ok().filter(|_| fits).ok_or_else(wrong)?);
        }
        checked.push(indices.map(|index| index.expect("set above")));
    }
    Ok(checked)
}

/// The nearest 32-bit float; `None` if a finite number exceeds all of them.
#[allow(clippy::cast_possible_truncation, reason = "the nearest is wanted")]
pub(crate) fn narrow(number: f64) -> Option<f32> {
    let narrow = number as f32;
    (narrow.is_finite() || !number.is_finite()).then_some(narrow)
}

/// The numbers of an argument as rows of `N` floats.
pub(crate) fn floats<const N: usize>(
    argument: &Bound<'_, PyAny>,
    name: &'static str,
) -> Result<Vec<[f32; N]>> {
    let array = argument.py().import("numpy")?.call_method1("asarray", (argument,))?;
    if array.cast::<PyArrayDyn<f32>>().is_ok() {
        return rows(&array, name, Numbers::Float, "float32");
    }
    let wide: Vec<[f64; N]> = rows(&array, name, Numbers::Float, "float64")?;
    let mut all = Vec::with_capacity(wide.len());
    for row in wide {
        if let Some(number) = row.into_iter().find(|number| narrow(*number).is_none()) {
            return Err(Error::Argument(name, format!("{number:e} exceeds the range of a 32-bit float")));
        }
        all.push(row.map(|number| narrow(number).unwrap_or_default()));
    }
    Ok(all)
}

/// A 4 x 4 matrix, row by row; `None` if the argument has another shape.
pub(crate) fn matrix(argument: &Bound<'_, PyAny>, name: &'static str) -> Result<Option<[[f32; 4]; 4]>> {
    let array = argument.py().import("numpy")?.call_method1("asarray", (argument,))?;
    if array.getattr("shape")?.extract::<Vec<usize>>()? != [4, 4] {
        return Ok(None);
    }
    Ok(floats(&array, name)?.try_into().ok())
}

/// The strings of a column, concatenated in two arrays, without a Python object for each.
///
/// A sequence: `strings[i]` is a `str` (or `bytes`, if it is not UTF-8), or `None` for a row without a value; a slice is
/// `Strings`, too. `data` and `offsets` are the arrays: string `i` is `data[offsets[i]:offsets[i + 1]]`, as in Arrow's
/// `large_string`.
#[derive(Clone)]
#[pyclass(frozen, sequence, module = "rezkit")]
pub(crate) struct Strings {
    offsets: Arc<Vec<u64>>,
    data: Arc<Vec<u8>>,
    /// Whether each row has a value; empty if all have one.
    present: Vec<bool>,
}

impl Strings {
    pub(crate) fn new(offsets: Vec<u64>, data: Vec<u8>, present: Vec<bool>) -> Self {
        Self { offsets: offsets.into(), data: data.into(), present }
    }

    pub(crate) fn arrow(&self) -> Result<ArrayRef, ArrowError> {
        crate::arrow::strings(&self.offsets, &self.data, &self.present)
    }

    fn has(&self, index: usize) -> bool {
        self.present.get(index).copied().unwrap_or(true)
    }

    /// The offsets, the bytes, and whether each row has a value.
    pub(crate) fn parts(&self) -> (&[u64], &[u8], &[bool]) {
        (&self.offsets, &self.data, &self.present)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let (&start, &end) = (self.offsets.get(index)?, self.offsets.get(index + 1)?);
        self.data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// The class `collections.abc.Sequence`.
pub(crate) fn sequence(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("collections.abc")?.getattr("Sequence")
}

#[pymethods]
impl Strings {
    /// The bytes of all strings, concatenated: an array of `uint8`.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        column(py, &self.data, |data| data)
    }

    /// The offset of each string in `data`, and the end of the last one: an array of `int64`.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let offsets = self.offsets.clone();
        // SAFETY: the memory contains 64-bit integers below 2^63, which are the same as `i64`.
        unsafe { view::<i64, u64>(py, offsets.clone(), &offsets, 0, &[]) }
    }

    fn __len__(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Ok(slice) = index.cast::<PySlice>() {
            let all = slice.indices(isize::try_from(self.__len__())?)?;
            let (mut offsets, mut data, mut present) = (vec![0], Vec::new(), Vec::new());
            for step in 0..all.slicelength {
                let index = usize::try_from(all.start + isize::try_from(step)? * all.step)?;
                data.extend_from_slice(self.get(index).unwrap_or_default());
                offsets.push(data.len() as u64);
                present.extend((!self.present.is_empty()).then(|| self.has(index)));
            }
            return Ok(Bound::new(py, Self::new(offsets, data, present))?.into_any());
        }
        let index: isize = index.extract()?;
        let from_end = index.checked_add_unsigned(self.__len__()).filter(|_| index < 0);
        let index = usize::try_from(from_end.unwrap_or(index)).ok();
        let bytes = index.and_then(|index| Some((self.get(index)?, self.has(index))));
        match bytes.ok_or_else(|| PyIndexError::new_err("index out of range"))? {
            (bytes, true) => Ok(text(py, bytes)),
            (_, false) => Ok(py.None().into_bound(py)),
        }
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (builtins, length) = (this.py().import("builtins")?, this.get().__len__());
        let indices = builtins.call_method1("range", (length,))?;
        builtins.call_method1("map", (this.getattr("__getitem__")?, indices))
    }

    /// The index of the first string that equals `value`, from `start` to `stop`.
    #[pyo3(signature = (value, start = 0, stop = None))]
    fn index<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(this.py())?.call_method1("index", (this, value, start, stop))
    }

    /// The number of strings that equal `value`.
    fn count<'py>(this: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        sequence(this.py())?.call_method1("count", (this, value))
    }

    /// The strings as an Arrow array, `large_string` or `large_binary`, without a copy.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        crate::arrow::capsules(py, self.arrow().map_err(crate::arrow::error)?, requested_schema)
    }

    /// Pickles the strings with all bytes of `data`.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let strings = this.get();
        let bytes = PyBytes::new(py, &strings.data);
        let arguments = (this.getattr("offsets")?, bytes, strings.present.clone());
        let make = py.import("rezkit._rezkit")?.getattr("_strings")?;
        Ok((make, arguments).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("Strings({} strings, {} bytes)", self.__len__(), self.data.len())
    }
}

/// The `Strings` that `pickle` makes.
#[pyfunction]
pub(crate) fn _strings(
    offsets: PyReadonlyArrayDyn<'_, i64>,
    data: Vec<u8>,
    present: Vec<bool>,
) -> Result<Strings> {
    let wrong = || Error::Argument("offsets", "expected ascending offsets in the data".to_owned());
    let offsets = offsets.as_array().into_iter().map(|&offset| u64::try_from(offset).map_err(|_| wrong()));
    let offsets = offsets.collect::<Result<Vec<_>>>()?;
    let is_present = present.is_empty() || present.len() + 1 == offsets.len();
    let is_within = offsets.last().is_some_and(|&end| end <= data.len() as u64);
    match is_present && is_within && offsets.is_sorted() {
        true => Ok(Strings::new(offsets, data, present)),
        false => Err(wrong()),
    }
}

/// Several objects as a tuple of Python.
pub(crate) fn tuple_of<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, values.into_iter().collect::<Vec<_>>())
}

/// Bytes as a `str`, or, if they are not UTF-8, as they are.
pub(crate) fn text<'py>(py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyAny> {
    match std::str::from_utf8(bytes) {
        Ok(text) => PyString::new(py, text).into_any(),
        Err(_) => PyBytes::new(py, bytes).into_any(),
    }
}

/// A structured array over `bytes`, with fields of these names, types and shapes.
pub(crate) fn structured<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    fields: &[(&str, &str, Vec<usize>)],
) -> PyResult<Bound<'py, PyAny>> {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, kind, shape)| pyo3::types::PyTuple::new(py, shape).map(|shape| (*name, *kind, shape)))
        .collect::<PyResult<_>>()?;
    let dtype = py.import("numpy")?.call_method1("dtype", (fields,))?;
    owned(py, bytes)?.call_method1("view", (dtype,))
}

/// A slice. `PySlice::new` does not release its three numbers.
pub(crate) fn slice<'py>(py: Python<'py>, start: usize, end: usize) -> PyResult<Bound<'py, PySlice>> {
    Ok(py.get_type::<PySlice>().call1((start, end, 1))?.cast_into()?)
}
