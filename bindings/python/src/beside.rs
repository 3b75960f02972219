//! The files that an asset refers to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rezkit::{Reference, Sources};

use crate::error::Result;

/// The location of the files that an asset refers to.
#[derive(Clone)]
pub(crate) enum Beside {
    Nowhere,
    /// In the folder of the file itself.
    Folder(PathBuf),
}

impl Beside {
    /// The source of the files: `call`, or else the folder.
    pub(crate) fn files(&self, call: Option<Py<PyAny>>) -> Files {
        let folder = match self {
            Self::Nowhere => None,
            Self::Folder(folder) => Some(folder.clone()),
        };
        Files { folder, call, ids: OnceLock::new(), raised: Mutex::new(None) }
    }
}

/// A source of files, and the exception that its Python function raised.
pub(crate) struct Files {
    folder: Option<PathBuf>,
    call: Option<Py<PyAny>>,
    /// The names of the folder's files by asset id, listed when the first asset is requested.
    ids: OnceLock<BTreeMap<u64, String>>,
    raised: Mutex<Option<PyErr>>,
}

impl Files {
    /// The result, or the exception that the Python function raised.
    pub(crate) fn after<T>(&self, result: rezkit::Result<T>) -> Result<T> {
        match self.raised().take() {
            Some(error) => Err(error.into()),
            None => Ok(result?),
        }
    }

    pub(crate) fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, call: &Py<PyAny>, reference: &Reference) -> PyResult<Option<Vec<u8>>> {
        Python::attach(|py| {
            let found = match reference {
                Reference::Id(id) => call.call1(py, (id,)),
                Reference::Beside(path) => call.call1(py, (path,)),
                Reference::Local(path) => call.call1(py, (format!("rbxasset://{path}"),)),
                _ => return Ok(None),
            }?;
            match found.is_none(py) {
                true => Ok(None),
                false => Ok(Some(found.bind(py).cast::<PyBytes>()?.as_bytes().to_vec())),
            }
        })
    }
}

impl Sources for &Files {
    fn get(&mut self, reference: &Reference, max_bytes: u64) -> rezkit::Result<Option<Vec<u8>>> {
        if let Some(call) = &self.call {
            return self.ask(call, reference).map_err(|error| {
                let text = error.to_string();
                *self.raised() = Some(error);
                rezkit::Error::argument(text)
            });
        }
        let Some(folder) = &self.folder else { return Ok(None) };
        let path = match reference {
            Reference::Beside(path) => Some(path),
            Reference::Id(id) => {
                if self.ids.get().is_none() {
                    let names = names_by_id(folder).map_err(rezkit::Error::unreadable)?;
                    self.ids.get_or_init(|| names);
                }
                self.ids.get().and_then(|names| names.get(id))
            }
            _ => None,
        };
        let Some(path) = path else { return Ok(None) };
        let inside =
            path.split('/').all(|part| !part.is_empty() && part != ".." && !part.contains(['\\', ':', '\0']));
        if !inside {
            return Ok(None);
        }
        read(folder, path, max_bytes)
    }
}

/// The names of the files in a folder by asset id, for files that are named by one.
fn names_by_id(folder: &Path) -> std::io::Result<BTreeMap<u64, String>> {
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let files = entries.iter().filter(|entry| entry.path().is_file());
    Ok(Reference::ids_of(files.filter_map(|entry| entry.file_name().into_string().ok())))
}

/// A file below a folder; `None` if it is missing, or a link leads out of the folder.
fn read(folder: &Path, path: &str, max_bytes: u64) -> rezkit::Result<Option<Vec<u8>>> {
    let unreadable = |error| rezkit::Error::unreadable(format!("{path}: {error}"));
    let found = match folder.join(path).canonicalize() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(unreadable)?,
    };
    if !found.starts_with(folder.canonicalize().map_err(unreadable)?) || !found.is_file() {
        return Ok(None);
    }
    let len = std::fs::metadata(&found).map_err(unreadable)?.len();
    rezkit::Budget::new(max_bytes).take(len, &format!("the file {path}"))?;
    std::fs::read(found).map(Some).map_err(unreadable)
}
