//! An asset of any format, which is an object of Python: what all classes have in common.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock, RwLock};

use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use rezkit::{Content, Document, Opened, ReadOptions, WriteOptions};

use crate::beside::{Beside, Files};
use crate::error::{Error, Result};

/// The number of instances from which signals are handled while work is done.
pub(crate) const MANY: usize = 10_000;

/// The content of an asset, where it is from, and its memory limit.
pub(crate) struct Handle {
    content: RwLock<Content>,
    /// The name of the file that the asset was read from; empty if there was none.
    name: String,
    /// The location of the files that the asset refers to.
    pub(crate) beside: Beside,
    pub(crate) max_bytes: u64,
}

/// Makes an object of the class of an asset's format.
pub(crate) type ToObject = for<'py> fn(Python<'py>, Handle) -> PyResult<Bound<'py, PyAny>>;

/// Set when the module is initialized: the classes are above what they have in common.
static TO_OBJECT: OnceLock<ToObject> = OnceLock::new();

pub(crate) fn set_classes(to_object: ToObject) {
    TO_OBJECT.get_or_init(|| to_object);
}

/// A function of the module, which is above its classes.
pub(crate) fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("rezkit._rezkit")?.getattr(name)
}

impl Handle {
    pub(crate) fn new(content: Content, name: &str, beside: Beside, max_bytes: u64) -> Self {
        Self { content: RwLock::new(content), name: name.to_owned(), beside, max_bytes }
    }

    /// The same content with another memory limit.
    pub(crate) fn with_limit(&self, max_bytes: u64) -> Self {
        Self::new(self.shared(), &self.name, self.beside.clone(), max_bytes)
    }

    /// Whether work on the whole asset can take long.
    pub(crate) fn is_large(&self) -> bool {
        Document::of(self.shared()).is_ok_and(|document| document.len() >= MANY)
    }

    /// The asset for work on another thread; later edits do not change it.
    pub(crate) fn held(&self) -> Self {
        self.with_limit(self.max_bytes)
    }

    /// An asset that was not read from a file.
    pub(crate) fn made(model: impl Into<Content>) -> Self {
        Self::new(model.into(), "", Beside::Nowhere, rezkit::DEFAULT_MAX_BYTES)
    }

    /// The asset as an object of its format's class.
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let made = TO_OBJECT.get().map(|to_object| to_object(py, self));
        made.unwrap_or_else(|| Err(PyRuntimeError::new_err("the module is not initialized")))
    }

    /// The current asset; later edits do not change the returned one.
    pub(crate) fn shared(&self) -> Content {
        self.content.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// The current asset as an opened file, without the files beside it.
    pub(crate) fn view(&self) -> Opened<'static> {
        ReadOptions::new().max_bytes(self.max_bytes).open_content(self.shared(), &self.name, ())
    }

    /// The asset as a given type, if it is one.
    pub(crate) fn typed<M: Any + Send + Sync>(&self) -> Option<Arc<M>> {
        self.shared().model()
    }

    /// Edits the asset in place, or a copy of it if views or other threads share it.
    pub(crate) fn edit<M: Any + Send + Sync + Clone, R>(
        &self,
        edit: impl FnOnce(&mut M) -> Result<R>,
    ) -> Result<R>
    where
        Content: From<M>,
    {
        let mut guard = self.content.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        edit(guard.model_mut().ok_or_else(other_type)?)
    }

    /// Replaces the asset by the one that `with` returns for it.
    pub(crate) fn replace<R>(&self, with: impl FnOnce(Content) -> (Content, R)) -> R {
        let mut guard = self.content.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let empty = ::llsd::Document::new(::llsd::Value::Undef, ::llsd::Encoding::Binary);
        let (content, result) = with(std::mem::replace(&mut *guard, empty.into()));
        *guard = content;
        result
    }

    /// Replaces the asset that work on another thread began with.
    pub(crate) fn put(&self, old: &Content, new: Content) -> Result<()> {
        let mut guard = self.content.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !guard.is_same(old) {
            let text = "another thread changed it at the same time; nothing of this call was kept".to_owned();
            return Err(Error::Argument("self", text));
        }
        *guard = new;
        Ok(())
    }

    /// The name of the file that the asset was read from; empty if there was none.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name of the file without folders and extension, or `model`.
    pub(crate) fn stem(&self) -> &str {
        Path::new(&self.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("model")
    }

    /// The asset as a file that the kit has opened.
    pub(crate) fn opened<'f>(&self, files: &'f Files) -> Opened<'f> {
        let name = if self.name.is_empty() { "model" } else { &self.name };
        ReadOptions::new().max_bytes(self.max_bytes).open_content(self.shared(), name, files)
    }

    pub(crate) fn written(&self, form: Option<&str>, allow_loss: bool) -> Result<Vec<u8>> {
        let mut options = WriteOptions::new().allow_loss(allow_loss);
        if let Some(form) = form {
            options = options.form(form);
        }
        let opened = self.view();
        opened
            .write(&options)
            .map_err(|error| Error::lossy(error, || opened.write(&options.allow_loss(true)).is_ok()))
    }
}

/// A copy of a document.
pub(crate) fn copied(content: rezkit::Content) -> rezkit::Result<rezkit::Content> {
    match Document::of(content) {
        Ok(Document::Binary(document)) => Ok((*document).clone().into()),
        Ok(Document::Xml(document)) => Ok((*document).clone().into()),
        Err(_) => Err(rezkit::Error::argument("not a Roblox document")),
    }
}

/// The `KeyError` for a path that does not exist, with a suggestion.
pub(crate) fn missing(asset: &Handle, path: &str) -> Error {
    let text = rezkit::tree::nothing(&*asset.view().tree(), path).to_string();
    PyKeyError::new_err(text).into()
}

fn other_type() -> Error {
    Error::Argument("self", "an asset of another type".to_owned())
}
