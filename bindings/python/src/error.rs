//! `rezkit.Error`, and the other types that are written in Python.

use std::path::Path;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Errors of the kit, of Python (a missing file, a wrong type), and of an argument's content.
pub(crate) enum Error {
    Kit(rezkit::Error),
    Python(PyErr),
    /// An invalid argument, by name.
    Argument(&'static str, String),
    /// A value of a wrong type, which is a `TypeError`, too.
    Type(rezkit::Error),
    /// An error of the kit, and what to do about it.
    Helped(rezkit::Error, &'static str),
}

impl Error {
    /// The same error at a path, in place of its own.
    pub(crate) fn at(self, path: &str) -> Self {
        match self {
            Self::Kit(error) => Self::Kit(located(error, path)),
            Self::Type(error) => Self::Type(located(error, path)),
            Self::Helped(error, help) => Self::Helped(located(error, path), help),
            Self::Argument(_, text) => Self::Kit(rezkit::Error::argument(text).at(path)),
            other => other,
        }
    }

    /// The error of an operation that refuses losses, and that `succeeds` if they are allowed.
    pub(crate) fn lossy(error: rezkit::Error, succeeds: impl FnOnce() -> bool) -> Self {
        match error.kind() == rezkit::ErrorKind::Unwritable && succeeds() {
            true => Self::Helped(error, "allow_loss=True drops or changes what cannot be represented"),
            false => Self::Kit(error),
        }
    }

    /// An error of the operating system about a file: an `OSError` with its number and the file's name.
    pub(crate) fn of_file(error: &std::io::Error, path: &Path) -> Self {
        // The crate `tempfile` keeps the kind, but not the number.
        let number = error.raw_os_error().or(match error.kind() {
            std::io::ErrorKind::NotFound => Some(2),
            std::io::ErrorKind::PermissionDenied => Some(if cfg!(windows) { 5 } else { 13 }),
            _ => None,
        });
        let Some(number) = number else {
            return Self::Python(
                std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
            );
        };
        let path = path.as_os_str().to_owned();
        let text = std::io::Error::from_raw_os_error(number).to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_owned();
        // On Windows, Python derives `errno` from the fourth argument.
        Self::Python(match cfg!(windows) {
            true => PyOSError::new_err((0, text, path, number)),
            false => PyOSError::new_err((number, text, path)),
        })
    }
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

/// Converts an error of the format crates, which share one type, by way of the kit's error.
impl From<llsd::Error> for Error {
    fn from(error: llsd::Error) -> Self {
        Self::Kit(error.into())
    }
}

/// The same error at a path, in place of its own.
fn located(error: rezkit::Error, path: &str) -> rezkit::Error {
    match error.missing() {
        [] => rezkit::Error::new(error.kind(), error.reason()).at(path),
        // The sentence names the classes.
        _ => error.first_at(path),
    }
}

/// A text of the kit, which names options of the command line, with the keywords of Python: `--joints` is `joints=`.
pub(crate) fn in_python(text: &str) -> String {
    const FLAGS: [&str; 8] =
        ["fix", "curves", "exact", "mirror", "hulls", "allow_loss", "joint_positions", "parts"];
    const VALUES: [&str; 7] = ["hulls", "mesh", "box", "none", "place", "frame", "all"];
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, after) = rest.split_at(at);
        let option = &after[2..];
        let end = option.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(option.len());
        let name = option[..end].trim_end_matches('-');
        let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '<');
        if name.is_empty() || is_word {
            said.push_str(before);
            said.push_str("--");
            rest = option;
            continue;
        }
        // `rezkit sl --fix` is a call of `upload`; an option that is named twice is named once.
        let before = before
            .strip_suffix("rezkit sl ")
            .map_or_else(|| before.to_owned(), |before| format!("{before}upload: "));
        let before =
            before.strip_suffix(&format!("option {name}, ")).map_or(before.clone(), ToOwned::to_owned);
        said.push_str(&before);
        rest = &option[name.len()..];
        let keyword = match name {
            "from" => "form".to_owned(),
            "lod" => "levels".to_owned(),
            "all-levels" => "levels='all'".to_owned(),
            name => name.replace('-', "_"),
        };
        said.push_str(&keyword);
        let value = rest
            .strip_prefix(' ')
            .map(|rest| rest.split([' ', ',', '.', ')', '`', ';']).next().unwrap_or_default());
        match value {
            _ if keyword.contains('=') => {}
            _ if FLAGS.contains(&&*keyword) => said.push_str("=True"),
            Some(value) if VALUES.contains(&value) || keyword == "form" && !value.is_empty() => {
                said.push_str(&format!("='{value}'"));
                rest = &rest[1 + value.len()..];
            }
            _ => said.push('='),
        }
    }
    said.push_str(rest);
    // The keyword is that of the library.
    while let Some((start, rest)) = said.split_once(" (library option: `") {
        let end = rest.split_once("`)").map_or("", |(_, end)| end);
        said = format!("{start}{end}");
    }
    said
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let is_type = matches!(error, Error::Type(_));
        let (message, kind, path, offset) = match error {
            Error::Python(error) => return error,
            Error::Kit(error) | Error::Type(error) => {
                (error.to_string(), error.kind().as_str(), error.path().to_owned(), error.offset())
            }
            Error::Helped(error, help) => {
                let text = format!("{error}; {help}");
                (text, error.kind().as_str(), error.path().to_owned(), error.offset())
            }
            Error::Argument(name, text) => (format!("{name}: {text}"), "argument", name.to_owned(), None),
        };
        let message = in_python(&message);
        let message = match kind {
            "limit" => format!("{message}; max_bytes=… allows more"),
            _ => message,
        };
        Python::attach(|py| {
            static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let class = match is_type {
                true => TYPE.import(py, "rezkit._types", "PropertyTypeError"),
                false => ERROR.import(py, "rezkit._types", "Error"),
            };
            match class {
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
        let what = match loss.advice {
            Some(advice) => format!("{} ({advice})", loss.what),
            None => loss.what.to_string(),
        };
        let what = in_python(&what);
        python_type!(py, "Loss", (kind, &loss.path, what, loss.count, loss.id))
    };
    losses.iter().map(loss).collect()
}

/// Appends losses to a list, if one is given.
pub(crate) fn listed(
    list: Option<&Bound<'_, pyo3::types::PyList>>,
    py: Python<'_>,
    found: &[rezkit::Loss],
) -> Result<()> {
    let Some(list) = list else { return Ok(()) };
    Ok(losses(py, found)?.into_iter().try_for_each(|loss| list.append(loss))?)
}
