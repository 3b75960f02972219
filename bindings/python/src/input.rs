//! Files: a path, bytes, or an object with `read`.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView};
use rezkit::ReadOptions;

use crate::array;
use crate::beside::Beside;
use crate::error::{Error, Result};
use crate::handle::Handle;

/// The default limit of the memory that reading allocates, in bytes.
pub(crate) const MAX_BYTES: u64 = rezkit::DEFAULT_MAX_BYTES;

/// The bytes of a file, its name, and the folder that it is in.
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    pub(crate) name: String,
    pub(crate) beside: Beside,
}

/// The number of first bytes that identify a file, except for JSON.
const START: u64 = 1 << 16;

impl Input {
    pub(crate) fn of(x: &Bound<'_, PyAny>, max_bytes: u64) -> Result<Self> {
        let input = Self::first(x, max_bytes.saturating_add(1))?;
        match input.bytes.len() as u64 > max_bytes {
            true => {
                let text = format!("the file has more bytes than max_bytes allows ({max_bytes})");
                Err(rezkit::Error::new(rezkit::ErrorKind::Limit, text).into())
            }
            false => Ok(input),
        }
    }

    /// Reads at most `length` bytes, from the current position of a file object.
    fn first(x: &Bound<'_, PyAny>, length: u64) -> Result<Self> {
        let py = x.py();
        let unnamed = |bytes| Self { bytes, name: String::new(), beside: Beside::Nowhere };
        let limit = usize::try_from(length).unwrap_or(usize::MAX).min(isize::MAX as usize);
        // Buffers come first: `mmap` is a buffer and a file, and is read from its beginning.
        if let Ok(view) = PyMemoryView::from(x) {
            let is_plain = view.getattr("contiguous")?.extract::<bool>()? && view.getattr("nbytes")?.gt(0)?;
            let view = if is_plain { view.call_method1("cast", ("B",))? } else { view.into_any() };
            let view = view.get_item(array::slice(py, 0, limit)?)?;
            return Ok(unnamed(view.call_method0("tobytes")?.extract::<Vec<u8>>()?));
        }
        if x.is_instance_of::<pyo3::types::PyString>() || x.hasattr("__fspath__")? {
            let path: PathBuf = x.extract()?;
            return py.detach(|| Self::at(&path, length));
        }
        if !x.hasattr("read")? {
            let kind = x.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            let text = format!("expected a path, bytes or a file object, found {kind}");
            return Err(PyTypeError::new_err(text).into());
        }
        // A raw stream, such as a pipe without a buffer, returns fewer bytes than it is asked for.
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            let read = x.call_method1("read", (limit - bytes.len(),))?;
            let some = read.cast::<PyBytes>().map_err(|_| {
                PyTypeError::new_err(
                    "expected bytes from read(), but the file is open in text mode; open it with mode \"rb\"",
                )
            })?;
            if some.as_bytes().is_empty() {
                break;
            }
            bytes.extend_from_slice(some.as_bytes());
        }
        let name: Option<PathBuf> = x.getattr("name").ok().and_then(|name| name.extract().ok());
        let name = name.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        Ok(Self { name: name.unwrap_or_default(), ..unnamed(bytes) })
    }

    fn at(path: &Path, length: u64) -> Result<Self> {
        use std::io::Read as _;
        let named = |error: std::io::Error| Error::of_file(&error, path);
        let file = std::fs::File::open(path).map_err(named)?;
        let mut bytes = Vec::new();
        let size = file.metadata().map_err(named)?.len().min(length);
        bytes.reserve_exact(usize::try_from(size).unwrap_or(0));
        file.take(length).read_to_end(&mut bytes).map_err(named)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        Ok(Self { bytes, name, beside: Beside::Folder(folder) })
    }

    /// Reads the asset. Call it without the interpreter's lock.
    pub(crate) fn read(self, form: Option<&str>, max_bytes: u64) -> Result<Handle> {
        let mut options = ReadOptions::new().max_bytes(max_bytes);
        if let Some(form) = form {
            options = options.form(form);
        }
        let files = self.beside.files(None);
        let opened = options.open(self.bytes, &self.name, &files);
        let asset = files.after(opened.map(rezkit::Opened::into_content))?;
        Ok(Handle::new(asset, &self.name, self.beside, max_bytes))
    }
}

/// The argument `max_bytes`.
pub(crate) struct Limit(pub(crate) u64);

impl Limit {
    /// The number of bytes.
    pub(crate) fn of(given: Option<Self>) -> Option<u64> {
        given.map(|limit| limit.0)
    }

    /// The number of bytes, or the default.
    pub(crate) fn bytes(given: Option<Self>) -> u64 {
        given.map_or(MAX_BYTES, |limit| limit.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Limit {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error| {
            match error.is_instance_of::<PyOverflowError>(object.py()) {
                true => {
                    Error::Argument("max_bytes", format!("expected 0 to {}, found {}", u64::MAX, *object))
                        .into()
                }
                false => error,
            }
        })
    }
}

/// The argument `profiles`: one name, or several.
pub(crate) struct Profiles(Vec<String>);

impl<'py> FromPyObject<'_, 'py> for Profiles {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.extract::<String>() {
            return Ok(Self(vec![name]));
        }
        let wrong = |_| PyTypeError::new_err("expected the name of a profile, or several");
        object.extract().map(Self).map_err(wrong)
    }
}

impl Profiles {
    pub(crate) fn names(given: Option<Self>) -> Vec<String> {
        given.map_or_else(Vec::new, |given| given.0)
    }
}

/// Detects the format of a file, its version and its title; returns `None` if the format is unknown.
///
/// `x` is a path, bytes, or a file object, whose position is restored if it can seek. Reads only the first 64 KiB; if
/// these begin like JSON, reads the whole file, since glTF is recognized only in the whole file.
///
/// >>> import rezkit
/// >>> rezkit.detect(b"version 2.00\n")
/// Detected(format='rbxmesh', version='2.00', title='Roblox mesh')
/// >>> print(rezkit.detect(b"hello"))
/// None
#[pyfunction]
pub(crate) fn detect<'py>(x: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let position = x.call_method0("tell").ok().filter(|_| PyMemoryView::from(x).is_err());
    let back = || position.as_ref().map_or(Ok(()), |position| x.call_method1("seek", (position,)).map(drop));
    let mut input = Input::first(x, START)?;
    back()?;
    let is_json = input.bytes.trim_ascii_start().starts_with(b"{");
    if is_json && input.bytes.len() as u64 == START {
        input = Input::of(x, MAX_BYTES)?;
        back()?;
    }
    let found = py.detach(|| rezkit::detect_named(&input.bytes, &input.name));
    let detected = found.map(|found| {
        let arguments = (found.file_type.format, found.version, found.file_type.title);
        crate::error::python_type!(py, "Detected", arguments)
    });
    Ok(detected.transpose()?)
}

/// How an argument is read if it is not loaded yet: the keywords `max_bytes` and `form` of many functions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reading<'a> {
    pub(crate) max_bytes: Option<u64>,
    pub(crate) form: Option<&'a str>,
}

/// A file object that can be written to, which is no path.
pub(crate) fn writable(path: &Bound<'_, PyAny>) -> Result<bool> {
    Ok(!path.is_instance_of::<pyo3::types::PyString>()
        && !path.hasattr("__fspath__")?
        && path.hasattr("write")?)
}

/// Writes all bytes to a file object.
pub(crate) fn write_to(file: &Bound<'_, PyAny>, bytes: &[u8]) -> Result<()> {
    Ok(file.call_method1("write", (PyBytes::new(file.py(), bytes),)).map(drop)?)
}

/// Writes files: all of them or none, each whole.
pub(crate) fn write(files: &[(PathBuf, &[u8])]) -> Result<()> {
    let staged =
        files.iter().map(|(path, bytes)| staged(path, bytes).map_err(|error| Error::of_file(&error, path)));
    // After an error, dropping the temporary files that are not moved yet deletes them.
    for (path, file) in files.iter().zip(staged.collect::<Result<Vec<_>, _>>()?) {
        if let Some((temporary, target)) = file {
            temporary.persist(target).map_err(|error| Error::of_file(&error.error, &path.0))?;
        }
    }
    Ok(())
}

/// Writes a temporary file into the target's folder, with the permissions of the file that it replaces; returns it and
/// the target. If `path` is a link, the target is the file that it leads to. A device is written to at once: `None`.
fn staged(path: &Path, bytes: &[u8]) -> std::io::Result<Option<(tempfile::TempPath, PathBuf)>> {
    use std::io::Write as _;
    let existing = std::fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes)?;
        return Ok(None);
    }
    if existing.as_ref().is_some_and(|existing| existing.permissions().readonly()) {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    let target = if existing.is_some() { path.canonicalize()? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rezkit-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(Some((file.into_temp_path(), target)))
}

/// The bytes to write under a name: compressed with gzip if the name ends in `.gz`.
///
/// # Errors
/// If the extension belongs to another format. `extensions` are those of the asset's kind, for formats that cannot be
/// recognized by content; `forms` are the forms that it can be written in.
pub(crate) fn for_name(path: &Path, bytes: Vec<u8>, extensions: &[&str], forms: &[&str]) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (name, times) = name.strip_suffix(".gz").map_or((&*name, 0), |name| (name, 1));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut kinds = rezkit::FILE_TYPES.iter();
    let is_known = kinds.any(|kind| kind.extensions.contains(&extension));
    let fits = match rezkit::detect(&bytes) {
        Some(_) => rezkit::detect_named(&bytes, name)
            .is_some_and(|found| found.file_type.extensions.contains(&extension)),
        None => extensions.contains(&extension),
    };
    if is_known && !fits {
        let what = match forms.contains(&extension) {
            true => format!(".{extension} belongs to another form; use form=\"{extension}\""),
            false => format!(".{extension} belongs to another format; use rezkit.convert"),
        };
        return Err(Error::Argument("path", what));
    }
    Ok(rezkit::Wrapped::Gzip(times).wrap(bytes)?)
}

/// Writes the result of a conversion: the file to a path that must not have another format's extension, and the files
/// beside it into the same folder.
#[pyfunction]
pub(crate) fn _save(
    py: Python<'_>,
    path: PathBuf,
    data: Vec<u8>,
    extension: &str,
    beside: Vec<(PathBuf, Vec<u8>)>,
) -> Result<()> {
    py.detach(|| {
        let data = for_name(&path, data, &[extension], &[])?;
        let folder = path.parent().unwrap_or(Path::new(""));
        below(folder, &beside, vec![(path.clone(), &data)])
    })
}

/// Writes files below a folder, by their paths.
#[pyfunction]
pub(crate) fn _write(py: Python<'_>, folder: PathBuf, files: Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    py.detach(|| below(&folder, &files, Vec::new()))
}

/// Writes files below a folder, and others: all or none.
fn below(folder: &Path, files: &[(PathBuf, Vec<u8>)], others: Vec<(PathBuf, &[u8])>) -> Result<()> {
    let mut all = Vec::new();
    for (name, data) in files {
        if name.components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
            let text = format!("{} leads out of the folder", name.display());
            return Err(Error::Argument("files", text));
        }
        let at = folder.join(name);
        if let Some(folder) = at.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| Error::of_file(&error, folder))?;
        }
        all.push((at, &**data));
    }
    all.extend(others);
    write(&all)
}

/// A dict of files by their names.
pub(crate) fn files<'py>(py: Python<'py>, files: &[rezkit::File]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for file in files {
        dict.set_item(file.path(), PyBytes::new(py, &file.bytes))?;
    }
    Ok(dict)
}
