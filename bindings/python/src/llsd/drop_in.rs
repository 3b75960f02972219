//! Parsing and formatting for the module `rezkit.llsd`, from bytes to objects of Python and back without a model between.

use std::fmt::Write as _;

use ::llsd::{Encoding, Event, ReadOptions, Scalar};
use base64::Engine as _;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDict, PyFloat, PyInt, PyList, PyMapping,
    PyMemoryView, PyString, PyTuple, PyType,
};

use super::{moment, uuid};
use crate::error::python_type;

/// The number of containers that may be inside each other.
const DEPTH: usize = 200;

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("rezkit.llsd")?.getattr(name)?.cast_into()?)
}

/// An exception of the module.
fn raise(py: Python<'_>, name: &str, text: String) -> PyErr {
    class(py, name).map_or_else(|error| error, |class| PyErr::from_type(class, (text,)))
}

/// Parses one value; returns it and the number of bytes that it takes with its header.
#[pyfunction]
pub(crate) fn _llsd_parse<'py>(
    py: Python<'py>,
    data: PyBuffer<u8>,
    encoding: Option<&str>,
    ignore_binary: bool,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    let bytes = data.to_vec(py)?;
    let mut options = ReadOptions::new().strict(true).max_depth(DEPTH as u32 + 1);
    match encoding {
        Some("xml") => options = options.encoding(Encoding::Xml),
        Some("binary") => options = options.encoding(Encoding::Binary),
        Some("notation") => options = options.encoding(Encoding::Notation),
        _ => {}
    }
    let failed = |error: ::llsd::Error| raise(py, "LLSDParseError", rezkit::Error::from(error).to_string());
    match parse(py, &bytes, &options, ignore_binary)? {
        Ok(found) => Ok(found),
        // Commas between values may be missing or superfluous, and nothing else.
        Err(_) if only_commas(&options, &bytes) => {
            parse(py, &bytes, &options.strict(false), ignore_binary)?.map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Whether only commas are wrong in notation.
fn only_commas(options: &ReadOptions, bytes: &[u8]) -> bool {
    let is_allowed = |found: &::llsd::errors::Finding| {
        !matches!(found.rule.id, "llsd.malformed" | "llsd.skipped" | "llsd.colons")
    };
    options.clone().strict(false).check(bytes).is_ok_and(|findings| findings.iter().all(is_allowed))
}

/// A value and the number of its bytes.
type Parsed<'py> = Result<(Bound<'py, PyAny>, usize), ::llsd::Error>;

fn parse<'py>(
    py: Python<'py>,
    bytes: &[u8],
    options: &ReadOptions,
    ignore_binary: bool,
) -> PyResult<Parsed<'py>> {
    let mut reader = match options.events(bytes) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error)),
    };
    let mut open: Vec<(Open<'py>, Option<Bound<'py, PyString>>)> = Vec::new();
    let mut found = None;
    loop {
        let value = match reader.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(error) => return Ok(Err(error)),
        };
        let value = match value {
            Event::Scalar(scalar) => scalar_to_python(py, scalar, ignore_binary)?,
            Event::StartArray(_) => {
                open.push((Open::List(PyList::empty(py)), None));
                continue;
            }
            Event::StartMap(_) => {
                open.push((Open::Dict(PyDict::new(py)), None));
                continue;
            }
            Event::Key(key) => {
                if let Some((_, next)) = open.last_mut() {
                    *next = Some(string(py, &key)?);
                }
                continue;
            }
            Event::EndArray | Event::EndMap => match open.pop() {
                Some((Open::List(list), _)) => list.into_any(),
                Some((Open::Dict(dict), _)) => dict.into_any(),
                None => continue,
            },
        };
        match open.last_mut() {
            None => found = Some(value),
            Some((Open::List(list), _)) => list.append(value)?,
            Some((Open::Dict(dict), key)) => dict.set_item(key.take(), value)?,
        }
    }
    let found = found.ok_or_else(|| raise(py, "LLSDParseError", "the document has no value".to_owned()))?;
    Ok(Ok((found, reader.used())))
}

enum Open<'py> {
    List(Bound<'py, PyList>),
    Dict(Bound<'py, PyDict>),
}

fn string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let text = std::str::from_utf8(bytes);
    let text =
        text.map_err(|error| raise(py, "LLSDParseError", format!("a string is not UTF-8: {error}")))?;
    Ok(PyString::new(py, text))
}

fn scalar_to_python<'py>(
    py: Python<'py>,
    scalar: Scalar<'_>,
    ignore_binary: bool,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match scalar {
        Scalar::Boolean(value) => PyBool::new(py, value).to_owned().into_any(),
        Scalar::Integer(value) => value.into_pyobject(py)?.into_any(),
        Scalar::Real(value) => PyFloat::new(py, value).into_any(),
        Scalar::Uuid(value) => uuid(py, value)?,
        Scalar::String(text) => string(py, &text)?.into_any(),
        Scalar::Uri(text) => python_type!(py, "Uri", (string(py, &text)?,))?,
        Scalar::Binary(_) if ignore_binary => py.None().into_bound(py),
        Scalar::Binary(bytes) => PyBytes::new(py, &bytes).into_any(),
        Scalar::Date(date) => moment(py, date)
            .map_err(|error| raise(py, "LLSDParseError", PyErr::from(error).value(py).to_string()))?,
        Scalar::Undef => py.None().into_bound(py),
    })
}

/// Formats a value: `form` is `xml`, `pretty` (XML), `notation` or `binary`.
#[pyfunction]
pub(crate) fn _llsd_format<'py>(value: &Bound<'py, PyAny>, form: &str) -> PyResult<Bound<'py, PyBytes>> {
    let py = value.py();
    let form = match form {
        "notation" => Form::Notation,
        "binary" => Form::Binary,
        "pretty" => Form::Xml(true),
        _ => Form::Xml(false),
    };
    let mut writer = Writer { form, out: Vec::new() };
    match form {
        Form::Notation => {}
        Form::Binary => writer.out.extend_from_slice(b"<?llsd/binary?>\n"),
        Form::Xml(_) => {
            writer.out.extend_from_slice(b"<?xml version=\"1.0\" ?>");
            writer.end();
            writer.out.extend_from_slice(b"<llsd>");
            writer.end();
        }
    }
    writer.value(value, 0)?;
    if let Form::Xml(_) = form {
        writer.out.extend_from_slice(b"</llsd>");
        writer.end();
    }
    Ok(PyBytes::new(py, &writer.out))
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Xml(bool),
    Notation,
    Binary,
}

struct Writer {
    form: Form,
    out: Vec<u8>,
}

impl Writer {
    /// Ends a line of pretty XML.
    fn end(&mut self) {
        if self.form == Form::Xml(true) {
            self.out.push(b'\n');
        }
    }

    fn indent(&mut self, depth: usize) {
        if self.form == Form::Xml(true) {
            self.out.resize(self.out.len() + 2 * depth, b' ');
        }
    }

    fn element(&mut self, tag: &str, text: &[u8]) {
        for part in [b"<", tag.as_bytes(), b">", text, b"</", tag.as_bytes(), b">"] {
            self.out.extend_from_slice(part);
        }
        self.end();
    }

    /// Text without what XML cannot represent.
    fn escaped(&mut self, text: &str) {
        for char in text.chars() {
            match char {
                '&' => self.out.extend_from_slice(b"&amp;"),
                '<' => self.out.extend_from_slice(b"&lt;"),
                '>' => self.out.extend_from_slice(b"&gt;"),
                '\t' | '\n' | '\r' => self.out.push(char as u8),
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {}
                char => self.out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    fn quoted(&mut self, text: &str, quote: u8) {
        self.out.push(quote);
        for &byte in text.as_bytes() {
            if byte == b'\\' || byte == quote {
                self.out.push(b'\\');
            }
            self.out.push(byte);
        }
        self.out.push(quote);
    }

    /// A marker of binary, a length, and bytes.
    fn counted(&mut self, marker: u8, bytes: &[u8]) {
        self.marked(marker, bytes.len());
        self.out.extend_from_slice(bytes);
    }

    fn marked(&mut self, marker: u8, count: usize) {
        self.out.push(marker);
        self.out.extend_from_slice(&(count as u32).to_be_bytes());
    }

    fn plain(&mut self, tag: &str, marker: u8, text: &str) {
        match self.form {
            Form::Xml(_) => self.element(tag, text.as_bytes()),
            _ => {
                self.out.push(marker);
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn text(&mut self, text: &str, is_uri: bool) {
        match self.form {
            Form::Xml(_) => {
                let tag = if is_uri { "uri" } else { "string" };
                let _ = write!(Ascii(&mut self.out), "<{tag}>");
                self.escaped(text);
                let _ = write!(Ascii(&mut self.out), "</{tag}>");
                self.end();
            }
            Form::Notation if is_uri => {
                self.out.push(b'l');
                self.quoted(text, b'"');
            }
            Form::Notation => self.quoted(text, b'\''),
            // As python-llsd: a URI is written as a string.
            Form::Binary => self.counted(b's', text.as_bytes()),
        }
    }

    fn value(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        let py = value.py();
        if depth > DEPTH {
            let text = format!("Cannot serialize depth of more than {DEPTH}");
            return Err(raise(py, "LLSDSerializationError", text));
        }
        if let Ok(text) = value.cast::<PyString>() {
            static URI: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let is_uri = !value.is_exact_instance_of::<PyString>()
                && value.is_instance(URI.import(py, "rezkit._types", "Uri")?)?;
            self.text(text.to_str()?, is_uri);
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.map(dict, depth)?;
        } else if let Ok(list) = value.cast::<PyList>() {
            self.array(list.iter(), list.len(), depth)?;
        } else if value.is_none() {
            self.out.extend_from_slice(if let Form::Xml(_) = self.form { b"<undef/>" } else { b"!" });
            self.end();
        } else if let Ok(flag) = value.cast::<PyBool>() {
            match (self.form, flag.is_true()) {
                (Form::Binary, flag) => self.out.push(if flag { b'1' } else { b'0' }),
                (Form::Notation, flag) => self.out.extend_from_slice(if flag { b"true" } else { b"false" }),
                (Form::Xml(_), flag) => self.element("boolean", if flag { b"true" } else { b"false" }),
            }
        } else if value.is_instance_of::<PyInt>() {
            match (self.form, value.extract::<i32>()) {
                (Form::Binary, Ok(number)) => {
                    self.out.push(b'i');
                    self.out.extend_from_slice(&number.to_be_bytes());
                }
                (_, Ok(number)) => self.plain("integer", b'i', &number.to_string()),
                (_, Err(_)) => {
                    let text = format!("{value} is not a 32-bit integer");
                    return Err(raise(py, "LLSDSerializationError", text));
                }
            }
        } else if let Ok(number) = value.cast::<PyFloat>() {
            match self.form {
                Form::Binary => {
                    self.out.push(b'r');
                    self.out.extend_from_slice(&number.value().to_be_bytes());
                }
                _ => self.plain("real", b'r', PyFloat::new(py, number.value()).repr()?.to_str()?),
            }
        } else {
            self.other(value, depth)?;
        }
        Ok(())
    }

    fn other(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        let py = value.py();
        static UUID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        if let Ok(bytes) = value.cast::<PyBytes>() {
            self.binary(bytes.as_bytes());
        } else if let Ok(bytes) = value.cast::<PyByteArray>() {
            self.binary(&bytes.to_vec());
        } else if value.is_instance_of::<PyMemoryView>() {
            self.binary(value.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes());
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            let dict = PyDict::new(py);
            for item in mapping.items()?.iter() {
                let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                dict.set_item(key, value)?;
            }
            self.map(&dict, depth)?;
        } else if value.is_instance(UUID.import(py, "uuid", "UUID")?)? {
            let number: u128 = value.getattr("int")?.extract()?;
            match self.form {
                Form::Xml(_) if number == 0 => {
                    self.out.extend_from_slice(b"<uuid/>");
                    self.end();
                }
                Form::Binary => {
                    self.out.push(b'u');
                    self.out.extend_from_slice(&number.to_be_bytes());
                }
                _ => self.plain("uuid", b'u', &::llsd::Uuid(number.to_be_bytes()).to_string()),
            }
        } else if let Ok(date) = value.cast::<PyDate>() {
            self.date(date)?;
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            self.array(tuple.iter(), tuple.len(), depth)?;
        } else if value.is_instance(class(py, "LLSD")?.as_any())? {
            self.value(&value.getattr("thing")?, depth)?;
        } else if let Ok(iterator) = value.try_iter() {
            let list = iterator.collect::<PyResult<Vec<_>>>()?;
            let count = list.len();
            self.array(list.into_iter(), count, depth)?;
        } else {
            let text = format!("Cannot serialize unknown type: {} ({value})", value.get_type());
            return Err(raise(py, "LLSDSerializationError", text));
        }
        Ok(())
    }

    fn binary(&mut self, bytes: &[u8]) {
        let encoded = || base64::prelude::BASE64_STANDARD.encode(bytes);
        match self.form {
            Form::Xml(_) => self.element("binary", encoded().as_bytes()),
            Form::Notation => {
                let _ = write!(Ascii(&mut self.out), "b64\"{}\"", encoded());
            }
            Form::Binary => self.counted(b'b', bytes),
        }
    }

    /// A date or a time: in binary whole seconds, as python-llsd writes them.
    fn date(&mut self, date: &Bound<'_, PyDate>) -> PyResult<()> {
        let py = date.py();
        let is_time = date.is_instance_of::<PyDateTime>();
        if self.form == Form::Binary {
            let fields = date.call_method0(if is_time { "utctimetuple" } else { "timetuple" })?;
            let seconds: i64 = py.import("calendar")?.call_method1("timegm", (fields,))?.extract()?;
            self.out.push(b'd');
            self.out.extend_from_slice(&(seconds as f64).to_le_bytes());
            return Ok(());
        }
        let mut date = date.clone().into_any();
        // The text has no time zone but UTC.
        if is_time && !date.getattr("tzinfo")?.is_none() {
            let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
            let nowhere = PyDict::new(py);
            nowhere.set_item("tzinfo", py.None())?;
            date = date.call_method1("astimezone", (utc,))?.call_method("replace", (), Some(&nowhere))?;
        }
        let mut text = date.call_method0("isoformat")?.str()?.to_string();
        if !is_time {
            text.push_str("T00:00:00");
        }
        text.push('Z');
        match self.form {
            Form::Xml(_) => self.element("date", text.as_bytes()),
            _ => {
                let _ = write!(Ascii(&mut self.out), "d\"{text}\"");
            }
        }
        Ok(())
    }

    fn array<'py>(
        &mut self,
        values: impl Iterator<Item = Bound<'py, PyAny>>,
        count: usize,
        depth: usize,
    ) -> PyResult<()> {
        match self.form {
            Form::Xml(_) => self.out.extend_from_slice(b"<array>"),
            Form::Notation => self.out.push(b'['),
            Form::Binary => self.marked(b'[', count),
        }
        self.end();
        for (index, value) in values.enumerate() {
            if index > 0 && self.form == Form::Notation {
                self.out.push(b',');
            }
            self.indent(depth + 2);
            self.value(&value, depth + 1)?;
        }
        match self.form {
            Form::Xml(_) => {
                self.indent(depth + 1);
                self.out.extend_from_slice(b"</array>");
            }
            _ => self.out.push(b']'),
        }
        self.end();
        Ok(())
    }

    fn map(&mut self, dict: &Bound<'_, PyDict>, depth: usize) -> PyResult<()> {
        match self.form {
            Form::Xml(_) => self.out.extend_from_slice(b"<map>"),
            Form::Notation => self.out.push(b'{'),
            Form::Binary => self.marked(b'{', dict.len()),
        }
        self.end();
        for (index, (key, value)) in dict.iter().enumerate() {
            let key = match key.cast_into::<PyString>() {
                Ok(key) => key,
                Err(other) => other.into_inner().str()?,
            };
            let key = key.to_str()?;
            self.indent(depth + 2);
            match self.form {
                Form::Xml(_) => {
                    self.out.extend_from_slice(b"<key>");
                    self.escaped(key);
                    self.out.extend_from_slice(b"</key>");
                    self.end();
                }
                Form::Notation => {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    self.quoted(key, b'\'');
                    self.out.push(b':');
                }
                Form::Binary => self.counted(b'k', key.as_bytes()),
            }
            self.indent(depth + 2);
            self.value(&value, depth + 1)?;
        }
        match self.form {
            Form::Xml(_) => {
                self.indent(depth + 1);
                self.out.extend_from_slice(b"</map>");
            }
            _ => self.out.push(b'}'),
        }
        self.end();
        Ok(())
    }
}

/// Writes formatted text to bytes.
struct Ascii<'a>(&'a mut Vec<u8>);

impl std::fmt::Write for Ascii<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
