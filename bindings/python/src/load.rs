//! Assets that are read from files and arguments.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::asset::Asset;
use crate::beside::Beside;
use crate::error::{Error, Result};
use crate::input::{Input, Limit, Reading};
use crate::working::{self, Progress};

/// The size from which signals are handled while a file is read.
const LARGE: usize = 1 << 18;

/// Reads a file of any known format: Roblox meshes, models and places, Second Life meshes, animations and materials,
/// Model 3D, LLSD, glTF, OBJ, PLY, STL and BVH. The format is recognized by content or, for formats such as OBJ
/// and STL, by the name of the file; gzip, and ZIP archives with one asset, are opened.
///
/// `x` is a path, bytes (or another buffer), or a file object. `max_bytes` limits the memory that reading may allocate
/// (1 GiB by default). `form` is for content that cannot be recognized: `binary`, `xml` or `notation` for LLSD without
/// a header, `json` for LLSD as JSON, or `gltf`, `obj` or `stl`. `progress` is called about 20 times a second with the seconds
/// since its last call: `tqdm(unit="s").update`.
///
/// Returns a `RobloxMesh`, `RobloxDocument`, `SecondLifeMesh`, `M3d`, `Llsd` or `Model`. Raises `rezkit.Error`, with
/// `.kind`, `.path` and `.offset`, if the format is unknown or the content cannot be read, and `OSError` if the file
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
/// rezkit.Error: header.size: unexpected end of input at offset 0xd
#[pyfunction]
#[pyo3(signature = (x, *, max_bytes = None, form = None, progress = None))]
pub(crate) fn load<'py>(
    x: &Bound<'py, PyAny>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let max_bytes = Limit::bytes(max_bytes);
    let input = Input::of(x, max_bytes)?;
    let is_large = input.bytes.len() >= LARGE || progress.is_some();
    let form = form.map(str::to_owned);
    let progress = Progress::of(progress);
    let asset = working::watched_if(py, is_large, &progress, move || input.read(form.as_deref(), max_bytes))?;
    Ok(asset?.into_object(py)?)
}

/// The asset that `copy` and `pickle` make from the bytes of another one.
#[pyfunction]
pub(crate) fn _load(
    py: Python<'_>,
    bytes: Vec<u8>,
    name: String,
    folder: Option<PathBuf>,
    form: Option<&str>,
    max_bytes: u64,
) -> Result<Py<PyAny>> {
    let beside = folder.map_or(Beside::Nowhere, Beside::Folder);
    let (is_large, form) = (bytes.len() >= LARGE, form.map(str::to_owned));
    let input = Input { bytes, name, beside };
    let asset = working::run_if(py, is_large, move || input.read(form.as_deref(), max_bytes))?;
    Ok(asset?.into_object(py)?.unbind())
}

/// An argument that is an asset, or the asset that is read from it.
pub(crate) fn asset<'py>(x: &Bound<'py, PyAny>, reading: Reading<'_>) -> Result<PyRef<'py, Asset>> {
    let Reading { max_bytes, form } = reading;
    let loaded = match x.cast::<Asset>() {
        Ok(_) if form.is_some() => {
            return Err(Error::Argument(
                "form",
                "expected none, since the asset is loaded already".to_owned(),
            ));
        }
        Ok(asset) => match max_bytes.filter(|max_bytes| *max_bytes != asset.get().max_bytes) {
            None => return Ok(asset.borrow()),
            Some(max_bytes) => asset.get().with_limit(max_bytes).into_object(x.py())?,
        },
        Err(_) => load(x, max_bytes.map(Limit), form, None)?,
    };
    let asset = loaded.cast::<Asset>().map_err(PyErr::from)?;
    Ok(asset.borrow())
}
