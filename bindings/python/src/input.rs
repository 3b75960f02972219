//! Files: a path, bytes, or an object with `read`.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView};
use rezkit::ReadOptions;

use crate::asset::Asset;
use crate::convert::Beside;
use crate::error::Result;

/// The most bytes that reading allocates, unless set otherwise.
pub(crate) const MAX_BYTES: u64 = 1 << 30;

/// The bytes of a file, its name, and the folder that it is in.
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) name: String,
    pub(crate) beside: Beside,
}

impl Input {
    pub(crate) fn of(x: &Bound<'_, PyAny>, max_bytes: u64) -> Result<Self> {
        let py = x.py();
        let unnamed = |bytes| Self { bytes, name: String::new(), beside: Beside::Nowhere };
        if let Ok(bytes) = x.cast::<PyBytes>() {
            return unnamed(bytes.as_bytes().to_vec()).within(max_bytes);
        }
        if let Ok(bytes) = x.cast::<PyByteArray>() {
            return unnamed(bytes.to_vec()).within(max_bytes);
        }
        if x.hasattr("read")? {
            let limit = i64::try_from(max_bytes).unwrap_or(i64::MAX - 1).saturating_add(1);
            let read = x.call_method1("read", (limit,))?;
            let bytes = read.cast::<PyBytes>().map_err(|_| {
                PyTypeError::new_err("read() of a file that is opened in text mode: open it with mode \"rb\"")
            })?;
            let name: Option<PathBuf> = x.getattr("name").ok().and_then(|name| name.extract().ok());
            let name =
                name.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
            let input = Self { name: name.unwrap_or_default(), ..unnamed(bytes.as_bytes().to_vec()) };
            return input.within(max_bytes);
        }
        if x.is_instance_of::<pyo3::types::PyString>() || x.hasattr("__fspath__")? {
            let path: PathBuf = x.extract()?;
            return py.detach(|| Self::at(&path, max_bytes));
        }
        let view = PyMemoryView::from(x).map_err(|_| {
            let kind = x.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            PyTypeError::new_err(format!("expected a path, bytes or a file object, found {kind}"))
        })?;
        let bytes = view.call_method0("tobytes")?;
        unnamed(bytes.extract::<Vec<u8>>()?).within(max_bytes)
    }

    fn at(path: &Path, max_bytes: u64) -> Result<Self> {
        use std::io::Read as _;
        let named =
            |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let file = std::fs::File::open(path).map_err(named)?;
        let mut bytes = Vec::new();
        let length = file.metadata().map_err(named)?.len().min(max_bytes);
        bytes.reserve_exact(usize::try_from(length).unwrap_or(0));
        file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(named)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        Self { bytes, name, beside: Beside::Folder(folder) }.within(max_bytes)
    }

    fn within(self, max_bytes: u64) -> Result<Self> {
        match self.bytes.len() as u64 > max_bytes {
            true => {
                let text = format!("the file is longer than {max_bytes} bytes");
                Err(rezkit::Error::new(rezkit::ErrorKind::Limit, text).into())
            }
            false => Ok(self),
        }
    }

    /// The asset that it is, without the interpreter's lock.
    pub(crate) fn read(self, form: Option<&str>, max_bytes: u64) -> Result<Asset> {
        let mut options = ReadOptions::new().max_bytes(max_bytes);
        if let Some(form) = form {
            options = options.form(form);
        }
        let files = self.beside.files(None, max_bytes);
        let opened = options.open(self.bytes, &self.name, &files);
        let asset = files.after(opened.map(rezkit::Opened::into_asset))?;
        Ok(Asset::new(asset, &self.name, self.beside, max_bytes))
    }
}

/// What a file is: its format, its version and its title; `None` if it is of an unknown format.
///
/// `x` is a path, bytes, or a file object. Only the first bytes are looked at.
///
/// >>> import rezkit
/// >>> rezkit.detect(b"version 2.00\n")
/// Detected(format='rbxmesh', version='2.00', title='Roblox mesh')
/// >>> print(rezkit.detect(b"hello"))
/// None
#[pyfunction]
pub(crate) fn detect<'py>(x: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let input = Input::of(x, MAX_BYTES)?;
    let found = py.detach(|| rezkit::detect_named(&input.bytes, &input.name));
    let detected = found.map(|found| {
        let arguments = (found.kind.format, found.version, found.kind.title);
        crate::error::python_type!(py, "Detected", arguments)
    });
    Ok(detected.transpose()?)
}

/// Reads a file of any known format: Roblox meshes, models and places, Second Life meshes, Model 3D, LLSD, glTF, OBJ,
/// PLY, STL and OFF. It is known by its content; gzip, and ZIP archives with one asset, are opened.
///
/// `x` is a path, bytes (or another buffer), or a file object. `max_bytes` is the most that reading may allocate:
/// 1 GiB unless set. `form` reads bytes that do not tell what they are: `binary`, `xml`, `notation` or `json` are
/// LLSD without a header.
///
/// Returns a `RobloxMesh`, `RobloxDocument`, `SecondLifeMesh`, `M3d`, `Llsd` or `Model`. Raises `rezkit.Error` where
/// the bytes are of an unknown format or cannot be read, with `.kind`, `.path` and `.offset`; `OSError` where the file
/// cannot be opened.
///
/// >>> import rezkit
/// >>> mesh = rezkit.load(b"version 1.00\n1\n"
/// ...     b"[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]")
/// >>> mesh.triangles
/// array([[0, 1, 2]], dtype=uint32)
/// >>> rezkit.load(b"version 2.00\n")
/// Traceback (most recent call last):
/// ...
/// rezkit.Error: unexpected end of input in header.size at offset 0xd
#[pyfunction]
#[pyo3(signature = (x, *, max_bytes = None, form = None))]
pub(crate) fn load<'py>(
    x: &Bound<'py, PyAny>,
    max_bytes: Option<u64>,
    form: Option<&str>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let max_bytes = max_bytes.unwrap_or(MAX_BYTES);
    let input = Input::of(x, max_bytes)?;
    let asset = py.detach(|| input.read(form, max_bytes))?;
    Ok(asset.into_object(py)?)
}

/// The asset that an argument is, or that it is read as.
pub(crate) fn asset<'py>(x: &Bound<'py, PyAny>) -> Result<PyRef<'py, Asset>> {
    if let Ok(asset) = x.cast::<Asset>() {
        return Ok(asset.borrow());
    }
    let loaded = load(x, None, None)?;
    let asset = loaded.cast::<Asset>().map_err(PyErr::from)?;
    Ok(asset.borrow())
}

/// Writes a file that was made completely before.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let named =
        |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    Ok(std::fs::write(path, bytes).map_err(named)?)
}

/// A dict of files by their names.
pub(crate) fn files<'py>(py: Python<'py>, files: &[rezkit::File]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for file in files {
        dict.set_item(file.path(), PyBytes::new(py, &file.bytes))?;
    }
    Ok(dict)
}
