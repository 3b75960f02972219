//! Roblox models and places.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbxbinary::classes;
use rezkit::kinds::roblox::{Document, InstanceId, Value};

use crate::asset::{Asset, Extracted};
use crate::columns;
use crate::convert::fill;
use crate::error::{Error, Result, losses};
use crate::value;

/// A Roblox model or place, binary or XML: a tree of instances.
///
/// `doc["Workspace/Door"]` is the instance at a path; iterating yields all instances in document order.
///
/// >>> import rezkit
/// >>> doc = rezkit.load(b'<roblox version="4"><Item class="Folder" referent="0"><Properties>'
/// ...     b'<string name="Name">Box</string></Properties></Item></roblox>')
/// >>> doc["Box"].insert("IntValue", {"Name": "Count", "Value": 3})
/// <Instance IntValue "Box/Count">
/// >>> [(instance.class_name, instance.name) for instance in doc]
/// [('Folder', 'Box'), ('IntValue', 'Count')]
/// >>> doc["Box/Count"].set("Value", 4)
/// >>> doc["Box/Count"].get("Value")
/// 4
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct RobloxDocument;

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
    document: Py<RobloxDocument>,
    ids: Mutex<std::vec::IntoIter<InstanceId>>,
}

/// Calls `with` with the current document, without the interpreter's lock.
fn look<R: Send>(
    document: &Bound<'_, RobloxDocument>,
    with: impl FnOnce(&Document) -> R + Send,
) -> Result<R> {
    let base: &Asset = document.get_super();
    document.py().detach(|| {
        let document = Document::of(base.shared());
        document.as_ref().map(with).map_err(|_| Error::Argument("self", "not a Roblox document".to_owned()))
    })
}

/// Changes the document, without the interpreter's lock.
fn edit<R: Send>(
    document: &Bound<'_, RobloxDocument>,
    with: impl FnOnce(&mut Document) -> rezkit::Result<R> + Send,
) -> Result<R> {
    let base: &Asset = document.get_super();
    let changed = document.py().detach(|| {
        base.replace(|asset| match Document::of(asset) {
            Ok(mut document) => {
                let result = with(&mut document);
                (document.asset(), Some(result))
            }
            Err(asset) => (asset, None),
        })
    });
    let other = || Error::Argument("self", "not a Roblox document".to_owned());
    Ok(changed.ok_or_else(other)??)
}

trait Super {
    fn get_super(&self) -> &Asset;
}

impl Super for Bound<'_, RobloxDocument> {
    fn get_super(&self) -> &Asset {
        self.as_super().get()
    }
}

fn list<'py>(
    document: &Bound<'py, RobloxDocument>,
    ids: Vec<InstanceId>,
) -> Result<Vec<Bound<'py, Instance>>> {
    Ok(ids.into_iter().map(|id| Instance::of(document, id)).collect::<PyResult<_>>()?)
}

fn iterate<'py>(document: &Bound<'py, RobloxDocument>, ids: Vec<InstanceId>) -> Instances {
    Instances { document: document.clone().unbind(), ids: Mutex::new(ids.into_iter()) }
}

/// Properties from Python. The type of each is that of the class's first instance, otherwise that of the class table,
/// otherwise the one that the Python value implies.
fn properties(
    document: &Bound<'_, RobloxDocument>,
    class: &str,
    properties: Option<&Bound<'_, PyDict>>,
) -> Result<Vec<(String, Value)>> {
    let mut list = Vec::new();
    for (name, value) in properties.into_iter().flat_map(|properties| properties.iter()) {
        let name: String = name.extract()?;
        let kind = look(document, |document| {
            let first = document.by_class(class).first().copied();
            let known = first.and_then(|id| document.type_of(id, &name));
            known.or_else(|| rbxbinary::TypeId::of_property(class, &name))
        })?;
        let unknown = || -> Error {
            let text = format!("the type of a {} is unknown", name);
            rezkit::Error::argument(text).at(format!("{class}.{name}")).into()
        };
        let kind = kind.or_else(|| value::type_of(&value)).ok_or_else(unknown)?;
        let value = value::from_python(document, &name, kind, &value)?;
        list.push((name, value));
    }
    Ok(list)
}

/// The instances of a class; a `KeyError` if neither the document nor the class table has the class.
fn of_class(document: &Bound<'_, RobloxDocument>, class: &str) -> Result<Vec<InstanceId>> {
    let found = look(document, |document| document.by_class(class))?;
    if found.is_empty() && classes::class(class).is_none() {
        let closest = classes::closest_class(class);
        let closest = closest.map(|closest| format!("; did you mean {closest}?")).unwrap_or_default();
        return Err(PyKeyError::new_err(format!("{class} is not a class{closest}")).into());
    }
    Ok(found)
}

fn insert<'py>(
    document: &Bound<'py, RobloxDocument>,
    parent: Option<InstanceId>,
    class: &str,
    given: Option<&Bound<'py, PyDict>>,
    filling: Option<&str>,
) -> Result<(Bound<'py, Instance>, Vec<rezkit::Loss>)> {
    let given = properties(document, class, given)?;
    let filling = fill(filling)?;
    let (id, filled) = edit(document, |document| document.insert(parent, class, &given, filling))?;
    Ok((Instance::of(document, id)?, filled))
}

#[pymethods]
impl RobloxDocument {
    /// The instance at a path: names separated by `/`; `[1]` after a name selects the second sibling with that name.
    fn __getitem__<'py>(this: &Bound<'py, Self>, path: &str) -> Result<Bound<'py, Instance>> {
        let found = look(this, |document| document.find(None, path))?;
        let id = found.ok_or_else(|| PyKeyError::new_err(path.to_owned()))?;
        Ok(Instance::of(this, id)?)
    }

    /// The instance at a path, or `None`.
    fn find<'py>(this: &Bound<'py, Self>, path: &str) -> Result<Option<Bound<'py, Instance>>> {
        let found = look(this, |document| document.find(None, path))?;
        Ok(found.map(|id| Instance::of(this, id)).transpose()?)
    }

    fn __contains__(this: &Bound<'_, Self>, path: &str) -> Result<bool> {
        look(this, |document| document.find(None, path).is_some())
    }

    fn __len__(this: &Bound<'_, Self>) -> Result<usize> {
        look(this, Document::len)
    }

    fn __iter__(this: &Bound<'_, Self>) -> Result<Instances> {
        Ok(iterate(this, look(this, Document::instances)?))
    }

    /// The instances at the root, in order.
    #[getter]
    fn children<'py>(this: &Bound<'py, Self>) -> Result<Vec<Bound<'py, Instance>>> {
        list(this, look(this, Document::roots)?)
    }

    /// The instances of a class, in the order of the rows of `columns`. Raises `KeyError` for an unknown class.
    fn by_class<'py>(this: &Bound<'py, Self>, class_name: &str) -> Result<Vec<Bound<'py, Instance>>> {
        list(this, of_class(this, class_name)?)
    }

    /// Adds an instance at the root; see `Instance.insert`.
    #[pyo3(signature = (class_name, properties = None, *, fill = None))]
    fn insert<'py>(
        this: &Bound<'py, Self>,
        class_name: &str,
        properties: Option<&Bound<'py, PyDict>>,
        fill: Option<&str>,
    ) -> Result<Bound<'py, Instance>> {
        Ok(insert(this, None, class_name, properties, fill)?.0)
    }

    /// The properties of all instances of a class as a dict of columns, without a Python object for each value.
    ///
    /// A column has a row for each instance, in the order of `by_class`. Numbers are arrays: a `Vector3` has the shape
    /// (n, 3), a `CFrame` (n, 4, 4), a `UDim2` (n, 2, 2), a `UniqueId` (n, 3). Strings are `Strings`. References are
    /// the indices of instances in document order, -1 for null. Sequences are a tuple of `offsets` and the array of all
    /// keypoints: time, value (or red, green, blue), envelope. A value that the file does not store is taken from an
    /// older form of the property or the default of the class, unless `stored` is set. If some instances have no value
    /// of a property, its column is a masked array (`numpy.ma`); a column that is not an array becomes a tuple of the
    /// column and an array that is true for each row with a value. Keys are the names that files store; Studio's names
    /// find the same columns. Raises `KeyError` for an unknown class.
    ///
    /// `max_bytes` limits the memory of the columns (1 GiB by default).
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.load(b'<roblox version="4"><Item class="Part" referent="0"><Properties><Vector3 name="size">'
    /// ...     b'<X>4</X><Y>1</Y><Z>2</Z></Vector3></Properties></Item></roblox>')
    /// >>> doc.columns("Part")["Size"]
    /// array([[4., 1., 2.]], dtype=float32)
    #[pyo3(signature = (class_name, *, stored = false, max_bytes = None))]
    fn columns<'py>(
        this: &Bound<'py, Self>,
        class_name: &str,
        stored: bool,
        max_bytes: Option<u64>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        of_class(this, class_name)?;
        let max_bytes = max_bytes.unwrap_or(crate::input::MAX_BYTES);
        let found = look(this, |document| document.columns(class_name, stored, max_bytes))??;
        columns::dict(py, class_name, found)
    }

    /// Scripts, terrain, attributes and other files in the document: a dict from paths to bytes, and a list of `Loss`
    /// for what no file contains.
    fn files<'py>(this: &Bound<'py, Self>) -> Result<Extracted<'py>> {
        this.get_super().extracted(this.py())
    }

    /// The assets that the document refers to: a dict from references to the paths that use them.
    fn references<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyDict>> {
        let py = this.py();
        let base = this.get_super();
        let uses = py.detach(|| {
            let files = base.beside.files(None, base.max_bytes);
            base.opened(&files).assets()
        })?;
        let dict = PyDict::new(py);
        for (reference, paths) in uses {
            dict.set_item(reference, paths)?;
        }
        Ok(dict)
    }
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
        found.ok_or_else(|| PyKeyError::new_err(path.to_owned()).into())
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
                let missing = || rezkit::Error::argument(format!("{property} is not stored"));
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

    /// The stored properties as a dict, in the file's order.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.look(py, |document, id| document.properties(id))? {
            dict.set_item(name, value::to_python(self.document.bind(py), &value)?)?;
        }
        Ok(dict)
    }

    /// Sets a property. Its type does not change.
    fn set(&self, py: Python<'_>, property: &str, value: &Bound<'_, PyAny>) -> Result<()> {
        let kind = self.look(py, |document, id| document.type_of(id, property))?;
        let missing = || -> Error {
            let text = "neither the document nor the class table knows the property";
            rezkit::Error::argument(text).at(property).into()
        };
        let document = self.document.bind(py);
        let kind = kind.or_else(|| value::type_of(value)).ok_or_else(missing)?;
        let value = value::from_python(document, property, kind, value)?;
        let id = self.id;
        edit(document, |document| document.set(id, property, &value))
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

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Instance>>> {
        let next = self.ids.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        next.map(|id| Instance::of(self.document.bind(py), id)).transpose()
    }

    fn __length_hint__(&self) -> usize {
        self.ids.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).len()
    }
}
