//! Instances of Roblox documents.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rbxbinary::classes;
use rbxdocument::effective;
use rbxdocument::view::View as _;
use rezkit::Document;
use rezkit::Fill;
use rezkit::formats::roblox::{InstanceId, is_of_frame};

use crate::array::text;
use crate::change::put;
use crate::convert::fill;
use crate::document::{Filling, RobloxDocument, edit, found, insert_any, iterate, list, look};
use crate::error::{Result, listed, python_type};
use crate::value;

/// An instance of a `RobloxDocument`. It stays valid across edits until it is removed.
///
/// Properties have the names that scripts use, or those that files store: `part.Size`, `part["Size"]` and `part["size"]`
/// are the same, and can be set. Iterating yields all descendants.
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

    pub(crate) fn of_document<'py>(&self, py: Python<'py>) -> &Bound<'py, RobloxDocument> {
        self.document.bind(py)
    }

    pub(crate) fn is_of(&self, document: &Bound<'_, RobloxDocument>) -> bool {
        self.document.is(document)
    }

    /// The value of a property, or why there is none.
    fn value<'py>(
        &self,
        py: Python<'py>,
        property: &str,
        stored: bool,
    ) -> Result<Result<Bound<'py, PyAny>, String>> {
        let found = self.look(py, |document, id| {
            let value = match stored {
                true => effective::stored(&**document, id, property)
                    .ok_or_else(|| format!("the file does not store {property} for this instance")),
                false => effective::value(&**document, id, property).ok_or_else(|| {
                    document.effective(id, property).err().map(|error| error.to_string()).unwrap_or_default()
                }),
            };
            value.map(|value| (document.class(id).unwrap_or_default().to_string(), value))
        })?;
        Ok(match found {
            Ok((class, value)) => Ok(value::to_python(self.document.bind(py), (&class, property), &value)?),
            Err(text) => Err(text),
        })
    }

    /// Replaces the tags.
    fn set_tags(&self, py: Python<'_>, tags: Vec<Bound<'_, PyAny>>) -> Result<()> {
        let id = self.id;
        let wrong = || PyTypeError::new_err("expected tags that are str, or bytes that are not UTF-8");
        let tags = tags.iter().map(|tag| Ok(value::bytes(tag).ok_or_else(wrong)?.into()));
        let tags = tags.collect::<PyResult<_>>()?;
        edit(self.document.bind(py), |document| document.set_tags(id, tags)).map(drop)
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
        self.look(py, |document, id| document.class(id).unwrap_or_default().to_string())
    }

    /// The property `Name`; empty if the instance has none.
    #[getter]
    fn name(&self, py: Python<'_>) -> Result<String> {
        self.look(py, |document, id| document.name(id).unwrap_or_default().to_string())
    }

    /// The path in the document, such as `Workspace/Door`.
    #[getter]
    fn path(&self, py: Python<'_>) -> Result<String> {
        self.look(py, |document, id| document.path(id).unwrap_or_default().to_string())
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
        let ids = self.look(py, |document, id| document.children(id).collect())?;
        list(self.document.bind(py), ids)
    }

    /// Yields all descendants, each before its children.
    fn __iter__(&self, py: Python<'_>) -> Result<Instances> {
        let ids = self.look(py, |document, id| document.descendants(id).collect())?;
        Ok(iterate(self.document.bind(py), ids))
    }

    /// The descendants that a selector means, in the order of the document; see `RobloxDocument.query`.
    fn query<'py>(&self, py: Python<'py>, selector: &str) -> Result<Vec<Bound<'py, Self>>> {
        let document = self.document.bind(py);
        list(document, found(document, Some(self.id), selector)?)
    }

    /// The descendant at a path that begins below this instance, or `None`.
    fn find<'py>(&self, py: Python<'py>, path: &str) -> Result<Option<Bound<'py, Self>>> {
        let found = self.look(py, |document, id| document.find_in(id, path))?;
        Ok(found.map(|id| Self::of(self.document.bind(py), id)).transpose()?)
    }

    /// The value of a property. If the file does not store it, the value is taken from an older form of the property or
    /// the default of the class, unless `stored` is set. If there is no value, returns `default` if it is given, and
    /// raises `KeyError` otherwise.
    ///
    /// A string is a `str`, or `bytes` if it is not UTF-8; a `Vector3` and similar types are named tuples; a `CFrame`
    /// is a 4 x 4 array; a reference is an `Instance` or `None`; an enum item is a `rezkit.EnumItem`. Properties of scripts
    /// that files do not store are computed, such as `Position`, `Orientation` (in degrees), `Size.X` and `Parent`.
    #[pyo3(signature = (property, default = Absent(None), *, stored = false))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        property: &str,
        default: Absent<'py>,
        stored: bool,
    ) -> Result<Bound<'py, PyAny>> {
        match (self.value(py, property, stored)?, default.0) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(default)) => Ok(default),
            (Err(text), None) => Err(PyKeyError::new_err(text).into()),
        }
    }

    /// The value of a property, as by `get`: `part["Size"]`.
    fn __getitem__<'py>(&self, py: Python<'py>, property: &str) -> Result<Bound<'py, PyAny>> {
        self.get(py, property, Absent(None), false)
    }

    /// Sets a property, as by `set`.
    fn __setitem__(&self, py: Python<'_>, property: &str, value: Bound<'_, PyAny>) -> Result<()> {
        let given = [(property.to_owned(), value)];
        put(self.document.bind(py), &[self.id], &given, None, Fill::Defaults).map(drop)
    }

    /// The value of a property, as by `get`: `part.Size`.
    fn __getattr__<'py>(&self, py: Python<'py>, property: &str) -> Result<Bound<'py, PyAny>> {
        let found = match property.starts_with('_') {
            true => Err(format!("an Instance has no attribute {property}")),
            false => self.value(py, property, false)?,
        };
        found.map_err(|text| PyAttributeError::new_err(text).into())
    }

    fn __setattr__(this: &Bound<'_, Self>, name: &str, value: Bound<'_, PyAny>) -> Result<()> {
        let py = this.py();
        match name {
            "tags" => {
                if value.is_instance_of::<PyString>() {
                    return Err(PyTypeError::new_err("expected several tags, found a str").into());
                }
                let tags = value.try_iter()?.collect::<PyResult<_>>()?;
                this.get().set_tags(py, tags)
            }
            "attributes" => {
                let attributes = this.getattr("attributes")?;
                let given: Bound<'_, PyDict> =
                    py.get_type::<PyDict>().call1((value,))?.cast_into().map_err(PyErr::from)?;
                // All are converted before one is set.
                let document = this.get().document.bind(py);
                for (name, value) in given.iter() {
                    value::to_attribute(document, &name.extract::<String>()?, &value)?;
                }
                for old in this.get()._attributes(py)?.keys() {
                    if !given.contains(&old)? {
                        attributes.del_item(old)?;
                    }
                }
                Ok(attributes.call_method1("update", (given,)).map(drop)?)
            }
            // What is read in lower case is set as the property.
            _ if this.get_type().hasattr(name)? => {
                let text = format!("{name} cannot be set; properties such as Name and Parent can");
                Err(PyAttributeError::new_err(text).into())
            }
            _ => this.get().__setitem__(py, name, value),
        }
    }

    /// The attributes of the object, and the properties of its class by the names that scripts use.
    fn __dir__<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let names = py.import("builtins")?.getattr("object")?.call_method1("__dir__", (this,))?;
        let class = this.get().class_name(py)?;
        let known = classes::class(&class).into_iter().flat_map(classes::Class::properties);
        let mut names: Vec<String> = names.extract()?;
        names.extend(known.map(|property| property.script_name().to_owned()));
        names.extend(["ClassName", "Parent"].map(str::to_owned));
        let of_frame = ["Position", "Orientation", "Rotation"].into_iter();
        names.extend(of_frame.filter(|name| is_of_frame(&class, name)).map(str::to_owned));
        Ok(names.into_pyobject(py)?)
    }

    /// The attributes, as a mapping that changes the document. Values are those of `get`, lists and dicts; a value of a
    /// type that only attributes have, such as TweenInfo, is a dict of its type and its value. An attribute that exists
    /// keeps its type, unless the new value is a `rezkit.EnumItem`; a new number is a double, as in Luau.
    #[getter]
    fn attributes<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        python_type!(this.py(), "Attributes", (this,))
    }

    /// The attributes as a dict.
    fn _attributes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.look(py, |document, id| document.attributes(id))?? {
            dict.set_item(name, value::attribute(self.document.bind(py), &value)?)?;
        }
        Ok(dict)
    }

    /// Sets an attribute; `None` removes it.
    fn _set_attribute(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        let (document, id) = (self.document.bind(py), self.id);
        let set = || {
            let value = value::to_attribute(document, name, value)?;
            edit(document, |document| document.set_attribute(id, name, value.as_ref())).map(drop)
        };
        set().or_else(|error| Err(error.at(&format!("{}.AttributesSerialize.{name}", self.path(py)?))))
    }

    /// The tags, as a set in the file's order that changes the document.
    #[getter]
    fn tags<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        python_type!(this.py(), "Tags", (this,))
    }

    /// The tags as a list.
    fn _tags<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, PyAny>>> {
        let tags = self
            .look(py, |document, id| rbxdocument::attributes::tags(&**document, id))?
            .map_err(rezkit::Error::from)?;
        Ok(tags.iter().map(|tag| text(py, tag)).collect())
    }

    /// The stored properties as a dict, in the file's order.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let class = self.class_name(py)?;
        for (name, value) in self.look(py, |document, id| document.values(id))? {
            let value = value::to_python(self.document.bind(py), (&class, &name), &value)?;
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// The types of the stored properties by name, such as `Vector3`.
    #[getter]
    fn types(&self, py: Python<'_>) -> Result<std::collections::BTreeMap<String, &'static str>> {
        let types = self.look(py, |document, id| {
            let of = |(name, _): (String, _)| Some((document.type_of(id, &name)?.name()?, name));
            document.values(id).into_iter().filter_map(of).collect::<Vec<_>>()
        })?;
        Ok(types.into_iter().map(|(kind, name)| (name, kind)).collect())
    }

    /// Sets a property; `part.Size = (4, 1, 2)` and `part["Size"] = (4, 1, 2)` do the same with the defaults.
    ///
    /// The property keeps its type. One that neither the document nor the class table has needs a `type`, such as
    /// `"Float32"`. `Parent` moves the instance (`None` is the root); `Position`, `Orientation` (in degrees) and
    /// parts such as `Size.X` change the property that has them. A value of a wrong type is a `rezkit.PropertyTypeError`, which is a `TypeError`, and has the path.
    ///
    /// If no instance of the class stores the property in a binary document, the other instances of the class get it,
    /// too: with `fill="defaults"` the default of the class, with `"neutral"` zero, false or empty; with `"none"` that
    /// is an error. Instances that store an older form of the property keep their value, in the new form. What was
    /// filled in is appended to the list `losses`, with a warning if the instance had a newer form of the property.
    #[pyo3(signature = (property, value, *, r#type = None, fill = "defaults", losses = None))]
    fn set(
        &self,
        py: Python<'_>,
        property: &str,
        value: Bound<'_, PyAny>,
        r#type: Option<&str>,
        fill: &str,
        losses: Option<&Bound<'_, PyList>>,
    ) -> Result<()> {
        let given = [(property.to_owned(), value)];
        let filled = put(self.document.bind(py), &[self.id], &given, r#type, self::fill(Some(fill))?)?;
        listed(losses, py, &filled)
    }

    /// Adds a child of a class, or a copy of an instance, with these properties; see `RobloxDocument.insert`.
    #[pyo3(signature = (class_name, /, *, fill = "defaults", losses = None, types = None, **properties))]
    fn insert<'py>(
        &self,
        py: Python<'py>,
        class_name: &Bound<'py, PyAny>,
        fill: &str,
        losses: Option<&Bound<'py, PyList>>,
        types: Option<std::collections::HashMap<String, String>>,
        properties: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, Self>> {
        let filling = Filling { fill, losses, types };
        insert_any(self.document.bind(py), Some(self.id), class_name, properties, filling)
    }

    /// Removes the instance and its descendants; returns the number of removed instances.
    fn remove(&self, py: Python<'_>) -> Result<usize> {
        let id = self.id;
        edit(self.document.bind(py), |document| Ok(document.remove(id)?))
    }

    /// Pickles the document, once for all of its instances that are pickled together, and the path.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let of = py.import("rezkit._objects")?.getattr("instance")?;
        let made = (of, (self.document.clone_ref(py), self.path(py)?));
        Ok(made.into_pyobject(py)?.into_any())
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
            let class = document.class(id).unwrap_or_default().to_string();
            format!("<Instance {class} {:?}>", document.path(id).unwrap_or_default().to_string())
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
