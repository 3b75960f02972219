//! LLSD to and from values of Python.

pub(crate) mod drop_in;

use std::sync::Arc;

use ::llsd::{Array, Binary, Date, Document, Encoding, Map, Text, Uri, Uuid, Value};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDateTime, PyDict, PyFloat, PyInt, PyList, PyMapping, PyMemoryView,
    PyString, PyTuple, PyType,
};

use crate::asset::Asset;
use crate::error::{Error, Result, python_type};
use crate::handle::{Handle, missing};

/// LLSD in its encodings: binary, XML, notation and JSON (read with `rezkit.load(x, form="json")`).
///
/// `Llsd(value)` creates an asset from Python values and NumPy numbers and arrays; `encoding` is `xml`, `binary` or
/// `notation`. `llsd["parts/0/size"]` is the value at a path: keys of dicts and indices of lists, separated by `/`.
/// Values are copies: to change the asset, assign to a path. `llsd["parts/0/size"] = 5` sets a value, and leaves the
/// rest of the file unchanged, byte for byte; `del llsd["parts/0"]` removes one.
///
/// `.value` is the content as Python values: `None`, `bool`, `int`, `float`, `str`, `bytes`, `uuid.UUID`,
/// `datetime.datetime` (UTC, without a time zone), `rezkit.Uri`, `list`, `dict`.
///
/// >>> import rezkit
/// >>> cube = rezkit.Llsd({"name": "cube", "size": [1, 2.5], "page": rezkit.Uri("https://example.org")})
/// >>> cube.to_bytes("notation")
/// b'<? llsd/notation ?>\n{\'name\':\'cube\',\'size\':[i1,r2.5],\'page\':l"https://example.org"}'
/// >>> rezkit.load(cube.to_bytes("binary")).value["size"]
/// [1, 2.5]
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct Llsd;

/// The maximum nesting depth of Python values, the same as for reading.
const DEPTH: usize = 128;

/// What a value is, and the number of its entries.
pub(crate) fn counts(value: &Value) -> String {
    match value {
        Value::Map(map) => format!(": a map of {}", map.len()),
        Value::Array(values) => format!(": an array of {}", values.len()),
        _ => String::new(),
    }
}

fn document(this: &PyRef<'_, Llsd>) -> Result<Arc<Document>> {
    let base = this.as_super();
    let json = || base.typed::<rezkit::formats::LlsdJson>().map(|json| Arc::new(json.0.clone()));
    base.typed().or_else(json).ok_or_else(|| Error::Argument("self", "not LLSD".to_owned()))
}

/// Changes the document, that of a JSON file too.
fn edit<T>(base: &Asset, change: impl FnOnce(&mut Document) -> Result<T>) -> Result<T> {
    match base.typed::<rezkit::formats::LlsdJson>() {
        Some(_) => base.edit(|json: &mut rezkit::formats::LlsdJson| change(&mut json.0)),
        None => base.edit(change),
    }
}

#[pymethods]
impl Llsd {
    #[new]
    #[pyo3(signature = (value, encoding = "xml"))]
    fn new(value: &Bound<'_, PyAny>, encoding: &str) -> Result<PyClassInitializer<Self>> {
        let encodings =
            [("binary", Encoding::Binary), ("xml", Encoding::Xml), ("notation", Encoding::Notation)];
        let encoding = encodings.into_iter().find(|(name, _)| *name == encoding).ok_or_else(|| {
            Error::Argument("encoding", format!("expected binary, xml or notation, found {encoding:?}"))
        })?;
        let document = Document::new(from_python(value, &mut String::new(), 0)?, encoding.1);
        Ok(PyClassInitializer::from(Asset::from(Handle::made(document))).add_subclass(Self))
    }

    /// The content as Python values: a copy.
    #[getter]
    fn value<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let (py, document) = (this.py(), document(&this)?);
        to_python(py, &document.value)
    }

    /// The value at a path such as `parts/0/size`, as a Python value.
    fn __getitem__<'py>(this: PyRef<'py, Self>, path: &str) -> Result<Bound<'py, PyAny>> {
        let (py, document) = (this.py(), document(&this)?);
        match document.find(path) {
            Some(value) => Ok(to_python(py, value)?),
            None => Err(missing(this.as_super(), path)),
        }
    }

    /// Whether a path has a value.
    fn __contains__(this: PyRef<'_, Self>, path: &str) -> Result<bool> {
        Ok(document(&this)?.find(path).is_some())
    }

    /// The number of entries of the map or array.
    fn __len__(this: PyRef<'_, Self>) -> Result<usize> {
        Self::value(this)?.len().map_err(Into::into)
    }

    /// The keys of the map, or the values of the array.
    fn __iter__<'py>(this: PyRef<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Ok(Self::value(this)?.try_iter()?.into_any())
    }

    /// Sets the value at a path; the rest of the file stays unchanged, byte for byte.
    fn __setitem__(this: PyRef<'_, Self>, path: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        let value = from_python(value, &mut String::new(), 0)?;
        let (py, base) = (this.py(), &**this.as_super());
        py.detach(|| edit(base, |document| Ok(document.set(path, value).map(drop)?)))
    }

    /// Removes the value at a path.
    fn __delitem__(this: PyRef<'_, Self>, path: &str) -> Result<()> {
        let (py, base) = (this.py(), &**this.as_super());
        let removed = py.detach(|| edit(base, |document| Ok(document.remove(path).is_some())))?;
        match removed {
            true => Ok(()),
            false => Err(missing(base, path)),
        }
    }
}

/// Converts a value to Python. A date beyond Python's calendar is an error.
fn to_python<'py>(py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Undef => py.None().into_bound(py),
        Value::Boolean(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Integer(value) => value.into_pyobject(py).map_err(PyErr::from)?.into_any(),
        Value::Real(value) => PyFloat::new(py, *value).into_any(),
        Value::Uuid(value) => uuid(py, *value)?,
        Value::String(text) => string(py, text)?,
        Value::Uri(Uri(text)) => python_type!(py, "Uri", (string(py, text)?,))?,
        Value::Binary(Binary(bytes)) => PyBytes::new(py, bytes).into_any(),
        Value::Date(date) => moment(py, *date)?,
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values.iter() {
                list.append(to_python(py, value)?)?;
            }
            list.into_any()
        }
        Value::Map(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map.iter() {
                dict.set_item(string(py, key)?, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// A text as a `str`; bytes that are not UTF-8 become lone surrogates, which convert back to the same bytes.
fn string<'py>(py: Python<'py>, text: &Text) -> PyResult<Bound<'py, PyAny>> {
    match text.as_str() {
        Some(text) => Ok(PyString::new(py, text).into_any()),
        None => PyBytes::new(py, text.as_bytes()).call_method1("decode", ("utf-8", "surrogateescape")),
    }
}

/// A UUID as a `uuid.UUID`, without the checks of its constructor.
fn uuid(py: Python<'_>, Uuid(bytes): Uuid) -> PyResult<Bound<'_, PyAny>> {
    static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UNKNOWN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static SET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = UUID.import(py, "uuid", "UUID")?;
    let unknown = UNKNOWN.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("uuid")?.getattr("SafeUUID")?.getattr("unknown")?.unbind())
    })?;
    let set = SET.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("builtins")?.getattr("object")?.getattr("__setattr__")?.unbind())
    })?;
    let made = class.call_method1("__new__", (class,))?;
    set.call1(py, (&made, "int", u128::from_be_bytes(bytes)))?;
    set.call1(py, (&made, "is_safe", unknown))?;
    Ok(made)
}

/// A date as a `datetime`, rounded to the microsecond, halves to even.
fn moment(py: Python<'_>, Date(seconds): Date) -> Result<Bound<'_, PyAny>> {
    const DAY: i64 = 86_400_000_000;
    let beyond = || {
        let text = format!(
            "the date {seconds:e} (in seconds since 1970) is outside the years 1 to 9999 of Python's datetime"
        );
        rezkit::Error::unwritable(text)
    };
    let within = seconds.abs() < 1e12;
    let micros =
        (seconds.trunc() as i64).saturating_mul(1_000_000) + (seconds.fract() * 1e6).round_ties_even() as i64;
    // Days from 0000-03-01, in eras of 400 years: leap days come last in each.
    let days = micros.div_euclid(DAY) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = (if month < 10 { month + 3 } else { month - 9 }, year + 400 * era);
    let year = year + i64::from(month <= 2);
    if !within || !(1..=9999).contains(&year) {
        return Err(beyond().into());
    }
    let time = micros.rem_euclid(DAY);
    let part = |unit: i64, of: i64| (time / unit % of) as u8;
    let (hour, minute, second) = (part(3_600_000_000, 24), part(60_000_000, 60), part(1_000_000, 60));
    let micro = (time % 1_000_000) as u32;
    let date =
        PyDateTime::new(py, year as i32, month as u8, of_month as u8, hour, minute, second, micro, None)?;
    Ok(date.into_any())
}

fn from_python(value: &Bound<'_, PyAny>, path: &mut String, depth: usize) -> Result<Value> {
    let at = |path: &str| match path {
        "" => "value".to_owned(),
        path => format!("value[{}]", rezkit::plain::shorten(path, 60)),
    };
    if depth > DEPTH {
        let text = format!("{}: nested more than {DEPTH} levels deep", at(path));
        return Err(rezkit::Error::argument(text).into());
    }
    if value.is_none() {
        return Ok(Value::Undef);
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(value.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract::<i32>().map(Value::Integer);
        return number.map_err(|_| {
            rezkit::Error::argument(format!("{}: {value} is not a 32-bit integer", at(path))).into()
        });
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Value::Real(number.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let bytes: Vec<u8> = text.call_method1("encode", ("utf-8", "surrogateescape"))?.extract()?;
        let text = Text::from(bstr(bytes));
        static URI: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let is_uri = value.is_instance(URI.import(value.py(), "rezkit._types", "Uri")?)?
            || value.get_type().name()?.to_str()? == "uri";
        return Ok(if is_uri { Value::Uri(Uri(text)) } else { Value::String(text) });
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Binary(Binary(bytes.as_bytes().to_vec())));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Value::Binary(Binary(bytes.to_vec())));
    }
    if value.is_instance_of::<PyMemoryView>() {
        return Ok(Value::Binary(Binary(value.call_method0("tobytes")?.extract()?)));
    }
    if let Ok(date) = value.cast::<PyDateTime>() {
        return seconds(date).map(|seconds| Value::Date(Date(seconds)));
    }
    static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if value.is_instance(UUID.import(value.py(), "uuid", "UUID")?)? {
        let bytes: Vec<u8> = value.getattr("bytes")?.extract()?;
        let bytes =
            <[u8; 16]>::try_from(bytes).map_err(|_| PyTypeError::new_err("expected a UUID of 16 bytes"))?;
        return Ok(Value::Uuid(Uuid(bytes)));
    }
    // A number or an array of NumPy.
    if value.cast::<PyUntypedArray>().is_ok() || value.hasattr("dtype")? && value.hasattr("item")? {
        let plain = value.call_method0("tolist")?;
        // Types without a counterpart in Python stay as they are.
        if !plain.get_type().is(value.get_type()) {
            return from_python(&plain, path, depth);
        }
    }
    let length = path.len();
    let mut below = |part: &str, value: &Bound<'_, PyAny>| {
        if length > 0 {
            path.push('/');
        }
        path.push_str(part);
        let value = from_python(value, path, depth + 1);
        path.truncate(length);
        value
    };
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let mut map = Map::new();
        for item in mapping.items()?.iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(key) = key.cast::<PyString>() else {
                let text = format!("{}: the key {} is not a str", at(path), key.repr()?);
                return Err(rezkit::Error::argument(text).into());
            };
            let bytes: Vec<u8> = key.call_method1("encode", ("utf-8", "surrogateescape"))?.extract()?;
            let value = below(&String::from_utf8_lossy(&bytes), &value)?;
            map.push(Text::from(bstr(bytes)), value);
        }
        return Ok(Value::Map(map));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let mut values = Vec::new();
        for (index, value) in value.try_iter()?.enumerate() {
            values.push(below(&index.to_string(), &value?)?);
        }
        return Ok(Value::Array(Array::from(values)));
    }
    let kind = value.get_type().name()?.to_string();
    Err(rezkit::Error::argument(format!("{}: LLSD cannot store a value of the type {kind}", at(path))).into())
}

fn bstr(bytes: Vec<u8>) -> ::llsd::bstr::BString {
    bytes.into()
}

/// A date as seconds since 1970: one without a time zone is UTC.
fn seconds(date: &Bound<'_, PyDateTime>) -> Result<f64> {
    let py = date.py();
    let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
    let zoned = match date.getattr("tzinfo")?.is_none() {
        true => {
            let arguments = PyDict::new(py);
            arguments.set_item("tzinfo", utc)?;
            date.call_method("replace", (), Some(&arguments))?
        }
        false => date.clone().into_any(),
    };
    let seconds: f64 = zoned.call_method0("timestamp")?.extract()?;
    // The last microseconds of the year 9999 would be rounded to the next year.
    const END: f64 = 253_402_300_800.0;
    Ok(if seconds < END { seconds } else { END.next_down() })
}
