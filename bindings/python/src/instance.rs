//! Instances of Roblox documents.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rezkit::kinds::roblox::{Document, InstanceId, type_named};

use crate::array::text;
use crate::asset::missing;
use crate::convert::fill;
use crate::document::{RobloxDocument, edit, insert, iterate, kind_of, list, look};
use crate::error::{Result, losses};
use crate::value;

/// An instance of a `RobloxDocument`. It stays valid across edits until it is removed.
#[pyclass(frozen, module = "rezkit")]
pub(crate) struct Instance {
    document: Py<RobloxDocument>,
    id: InstanceId,
}

/// An optional argument: no object if it is omitted, which differs from a given `None`.
struct Absent<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Absent<'py> {
    type Error = std::convert::Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(Some(object.to_owned())))
    }
}

/// An iterator over instances.
#[pyclass(frozen, module = "rezkit")]
pub(crate) struct Instances {
    pub(crate) document: Py<RobloxDocument>,
    pub(crate) ids: Mutex<std::vec::IntoIter<InstanceId>>,
}

impl Instance {
    pub(crate) fn of<'py>(
        document: &Bound<'py, RobloxDocument>,
        id: InstanceId,
    ) -> PyResult<Bound<'py, Self>> {
        Bound::new(document.py(), Self { document: document.clone().unbind(), id })
    }

    pub(crate) fn id(&self) -> InstanceId {
        self.id
    }

    pub(crate) fn is_of(&self, document: &Bound<'_, RobloxDocument>) -> bool {
        self.document.is(document)
    }

    fn put(
        &self,
        py: Python<'_>,
        property: &str,
        value: &Bound<'_, PyAny>,
        (kind, filling): (Option<&str>, Option<&str>),
    ) -> Result<Vec<rezkit::Loss>> {
        let (own, class) = self.look(py, |document, id| {
            (document.type_of(id, property), document.class(id).unwrap_or_default().into_owned())
        })?;
        let document = self.document.bind(py);
        let kind = match (kind, own) {
            (Some(kind), _) => type_named(kind)?,
            (None, Some(own)) => own,
            (None, None) => kind_of(document, &class, property, value)?,
        };
        let value = value::from_python(document, (&class, property), kind, value)?;
        let (id, filling) = (self.id, fill(filling)?);
        edit(document, |document| document.set(id, property, &value, filling))
    }

    /// Reads the instance, which must still exist.
    fn look<R: Send>(
        &self,
        py: Python<'_>,
        with: impl FnOnce(&Document, InstanceId) -> R + Send,
    ) -> Result<R> {
        let id = self.id;
        let found =
            look(self.document.bind(py), |document| document.contains(id).then(|| with(document, id)))?;
        found.ok_or_else(|| rezkit::Error::argument("the instance was removed from its document").into())
    }
}

#[pymethods]
impl Instance {
    /// The document that contains the instance.
    #[getter]
    fn document(&self, py: Python<'_>) -> Py<RobloxDocument> {
        self.document.clone_ref(py)
    }

    /// The name of the class, such as `Part`.
    #[getter]
    fn class_name(&self, py: Python<'_>) -> Result<String> {
        self.look(py, |document, id| document.class(id).unwrap_or_default().into_owned())
    }

    /// The property `Name`; empty if the instance has none.
    #[getter]
    fn name(&self, py: Python<'_>) -> Result<String> {
        self.look(py, |document, id| document.name(id).unwrap_or_default().into_owned())
    }

    /// The path in the document, such as `Workspace/Door`.
    #[getter]
    fn path(&self, py: Python<'_>) -> Result<String> {
        self.look(py, |document, id| document.path(id).unwrap_or_default())
    }

    /// The parent; `None` at the root.
    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, Self>>> {
        let parent = self.look(py, |document, id| document.parent(id))?;
        Ok(parent.map(|id| Self::of(self.document.bind(py), id)).transpose()?)
    }

    /// The children, in order.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, Self>>> {
        let ids = self.look(py, |document, id| document.children(id))?;
        list(self.document.bind(py), ids)
    }

    /// Yields all descendants, each before its children.
    fn __iter__(&self, py: Python<'_>) -> Result<Instances> {
        let ids = self.look(py, |document, id| document.descendants(id))?;
        Ok(iterate(self.document.bind(py), ids))
    }

    /// The descendant at a path that begins below this instance.
    fn __getitem__<'py>(&self, py: Python<'py>, path: &str) -> Result<Bound<'py, Self>> {
        let found = self.find(py, path)?;
        if let Some(found) = found {
            return Ok(found);
        }
        let whole = format!("{}/{path}", self.path(py)?);
        Err(missing(self.document.bind(py).as_super().get(), &whole))
    }

    /// The descendant at a path that begins below this instance, or `None`.
    fn find<'py>(&self, py: Python<'py>, path: &str) -> Result<Option<Bound<'py, Self>>> {
        let found = self.look(py, |document, id| document.find(Some(id), path))?;
        Ok(found.map(|id| Self::of(self.document.bind(py), id)).transpose()?)
    }

    /// The value of a property. If the file does not store it, the value is taken from an older form of the property or
    /// the default of the class, unless `stored` is set. If there is no value, returns `default` if it is given, and
    /// raises `KeyError` otherwise.
    ///
    /// A string is a `str`, or `bytes` if it is not UTF-8; a `Vector3` and similar types are named tuples; a `CFrame`
    /// is a 4 x 4 array; a reference is an `Instance` or `None`; an enum item is its number.
    #[pyo3(signature = (property, default = Absent(None), *, stored = false))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        property: &str,
        default: Absent<'py>,
        stored: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let found = self.look(py, |document, id| match stored {
            true => {
                let missing = || {
                    rezkit::Error::argument(format!("the file does not store {property} for this instance"))
                };
                document.get(id, property).ok_or_else(missing)
            }
            false => document.effective(id, property),
        })?;
        match (found, default.0) {
            (Ok(value), _) => Ok(value::to_python(self.document.bind(py), &value)?),
            (Err(_), Some(default)) => Ok(default),
            (Err(error), None) => Err(PyKeyError::new_err(error.to_string()).into()),
        }
    }

    /// The attributes as a dict. Their values are those of `get`, lists and dicts; a value of a type that only
    /// attributes have, such as TweenInfo, is a dict of its type and its value.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.look(py, |document, id| document.attributes(id))?? {
            dict.set_item(name, value::attribute(self.document.bind(py), &value)?)?;
        }
        Ok(dict)
    }

    /// Sets an attribute; `None` removes it. An existing attribute keeps its type; a new number is a double, as in Luau.
    /// `attributes` returns a copy: changing it does not change the document.
    fn set_attribute(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        let (document, id) = (self.document.bind(py), self.id);
        let value = match value::type_of(value) {
            _ if value.is_none() => None,
            Some(kind) => Some(value::from_python(document, ("", name), kind, value)?),
            None => {
                let text = format!(
                    "expected None, a str, bytes, a bool, a number or a type of rezkit such as Vector3, found {}",
                    value.get_type().name()?
                );
                return Err(rezkit::Error::argument(text).at(name).into());
            }
        };
        edit(document, |document| document.set_attribute(id, name, value.as_ref()))?;
        Ok(())
    }

    /// The tags, as a list. Set the property to another list to change them.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, PyAny>>> {
        let tags = self.look(py, |document, id| document.tags(id))??;
        Ok(tags.iter().map(|tag| text(py, tag)).collect())
    }

    #[setter]
    fn set_tags(&self, py: Python<'_>, tags: Vec<String>) -> Result<()> {
        let id = self.id;
        let tags = tags.into_iter().map(Into::into).collect();
        edit(self.document.bind(py), |document| document.set_tags(id, tags))?;
        Ok(())
    }

    /// The stored properties as a dict, in the file's order.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.look(py, |document, id| document.properties(id))? {
            dict.set_item(name, value::to_python(self.document.bind(py), &value)?)?;
        }
        Ok(dict)
    }

    /// Sets a property. Its type does not change. A property that neither the document nor the class table has needs a
    /// `type`, such as `"Float32"`.
    ///
    /// If no instance of the class stores the property in a binary document, the other instances of the class get it,
    /// too. They need a value, from `fill`: `"neutral"` (zero, false, empty) or `"defaults"` (the defaults of Roblox's
    /// classes). Instances that store an older form of the property keep their value, in the new form.
    #[pyo3(signature = (property, value, *, r#type = None, fill = None))]
    fn set(
        &self,
        py: Python<'_>,
        property: &str,
        value: &Bound<'_, PyAny>,
        r#type: Option<&str>,
        fill: Option<&str>,
    ) -> Result<()> {
        self.put(py, property, value, (r#type, fill)).map(drop)
    }

    /// Like `set`, but returns a list of `Loss` for the values that were filled in. A warning is in the list if the new
    /// value has no effect, since the instance has a newer form of the property.
    #[pyo3(signature = (property, value, *, r#type = None, fill = None))]
    fn set_filled<'py>(
        &self,
        py: Python<'py>,
        property: &str,
        value: &Bound<'_, PyAny>,
        r#type: Option<&str>,
        fill: Option<&str>,
    ) -> Result<Vec<Bound<'py, PyAny>>> {
        Ok(losses(py, &self.put(py, property, value, (r#type, fill))?)?)
    }

    /// Adds a child of the given class with these properties.
    ///
    /// A binary document stores the same properties for all instances of a class. A missing property is an error,
    /// unless `fill` is `"neutral"` (zero, false, empty) or `"defaults"` (the defaults of Roblox's classes).
    #[pyo3(signature = (class_name, properties = None, *, fill = None))]
    fn insert<'py>(
        &self,
        py: Python<'py>,
        class_name: &str,
        properties: Option<&Bound<'py, PyDict>>,
        fill: Option<&str>,
    ) -> Result<Bound<'py, Self>> {
        Ok(insert(self.document.bind(py), Some(self.id), class_name, properties, fill)?.0)
    }

    /// Like `insert`, but returns a tuple of the instance and a list of `Loss` for the values that were filled in.
    #[pyo3(signature = (class_name, properties = None, *, fill = None))]
    fn insert_filled<'py>(
        &self,
        py: Python<'py>,
        class_name: &str,
        properties: Option<&Bound<'py, PyDict>>,
        fill: Option<&str>,
    ) -> Result<(Bound<'py, Self>, Vec<Bound<'py, PyAny>>)> {
        let document = self.document.bind(py);
        let (instance, filled) = insert(document, Some(self.id), class_name, properties, fill)?;
        Ok((instance, losses(py, &filled)?))
    }

    /// Removes the instance and its descendants; returns the number of removed instances.
    fn remove(&self, py: Python<'_>) -> Result<usize> {
        let id = self.id;
        edit(self.document.bind(py), |document| document.remove(id))
    }

    /// Moves the instance to another parent in the same document, or to the root if `parent` is `None`.
    fn move_to(&self, py: Python<'_>, parent: Option<&Bound<'_, Self>>) -> Result<()> {
        let document = self.document.bind(py);
        let to = parent.map(|parent| parent.get());
        if to.is_some_and(|parent| !parent.is_of(document)) {
            return Err(PyTypeError::new_err("the parent is an instance of another document").into());
        }
        let (id, to) = (self.id, to.map(Self::id));
        edit(document, |document| document.reparent(id, to))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Self| self.id == other.id && self.document.is(&other.document);
        other.cast::<Self>().is_ok_and(|other| same(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.document.as_ptr() as usize, self.id).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let described = self.look(py, |document, id| {
            let class = document.class(id).unwrap_or_default().into_owned();
            format!("<Instance {class} {:?}>", document.path(id).unwrap_or_default())
        });
        described.unwrap_or_else(|_| "<Instance (removed)>".to_owned())
    }
}

#[pymethods]
impl Instances {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, Instance>>> {
        let document = self.document.bind(py);
        let next = || self.ids.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        while let Some(id) = next() {
            // An instance may be removed while others are visited.
            if look(document, |document| document.contains(id))? {
                return Ok(Some(Instance::of(document, id)?));
            }
        }
        Ok(None)
    }

    fn __length_hint__(&self) -> usize {
        self.ids.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len()
    }
}
