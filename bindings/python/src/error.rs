//! `rezkit.Error`, and the other types that are written in Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Errors of the kit, of Python (a missing file, a wrong type), and of an argument's content.
pub(crate) enum Error {
    Kit(rezkit::Error),
    Python(PyErr),
    /// An invalid argument, by name.
    Argument(&'static str, String),
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl From<rezkit::Error> for Error {
    fn from(error: rezkit::Error) -> Self {
        Self::Kit(error)
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Python(error.into())
    }
}

/// Converts an error of the format crates, which share one type, by way of the kit's error.
impl From<llsd::Error> for Error {
    fn from(error: llsd::Error) -> Self {
        Self::Kit(error.into())
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let (message, kind, path, offset) = match error {
            Error::Python(error) => return error,
            Error::Kit(error) => {
                (error.to_string(), error.kind().as_str(), error.path().to_owned(), error.offset())
            }
            Error::Argument(name, text) => (format!("{name}: {text}"), "argument", name.to_owned(), None),
        };
        Python::attach(|py| {
            static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            match ERROR.import(py, "rezkit._types", "Error") {
                Ok(class) => PyErr::from_type(class.clone(), (message, kind, path, offset)),
                Err(error) => error,
            }
        })
    }
}

/// Creates an object of a class of `rezkit._types`.
macro_rules! python_type {
    ($py:expr, $name:literal, $arguments:expr) => {{
        static TYPE: pyo3::sync::PyOnceLock<Py<pyo3::types::PyType>> = pyo3::sync::PyOnceLock::new();
        TYPE.import($py, "rezkit._types", $name).and_then(|class| class.call1($arguments))
    }};
}
pub(crate) use python_type;

/// The losses of a conversion as objects of the Python class `Loss`.
pub(crate) fn losses<'py>(py: Python<'py>, losses: &[rezkit::Loss]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let loss = |loss: &rezkit::Loss| {
        let kind = match loss.kind {
            rezkit::LossKind::Approximated => "approximated",
            rezkit::LossKind::FilledIn => "filled-in",
            rezkit::LossKind::Missing => "missing",
            rezkit::LossKind::Warning => "warning",
            _ => "left-out",
        };
        python_type!(py, "Loss", (kind, &loss.path, &*loss.what, loss.count))
    };
    losses.iter().map(loss).collect()
}
