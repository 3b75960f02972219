//! Roblox models and places.

use std::sync::Mutex;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rbxbinary::{TypeId, classes};
use rezkit::Budget;
use rezkit::kinds::roblox::{Document, InstanceId, Value};

use crate::asset::{Asset, Extracted, missing};
use crate::columns;
use crate::convert::fill;
use crate::error::{Error, Result};
use crate::input::Limit;
use crate::instance::{Instance, Instances};
use crate::value;

/// A Roblox model or place, binary or XML: a tree of instances.
///
/// `doc["Workspace/Door"]` is the instance at a path; iterating yields all instances in document order. A path is names
/// separated by `/`. `Door[1]` is the second sibling with the name Door. If a name contains `/`, `[` or a backslash, put
/// a backslash before that character.
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

/// Calls `with` with the current document, without the interpreter's lock.
pub(crate) fn look<R: Send>(
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
pub(crate) fn edit<R: Send>(
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

pub(crate) fn list<'py>(
    document: &Bound<'py, RobloxDocument>,
    ids: Vec<InstanceId>,
) -> Result<Vec<Bound<'py, Instance>>> {
    Ok(ids.into_iter().map(|id| Instance::of(document, id)).collect::<PyResult<_>>()?)
}

pub(crate) fn iterate<'py>(document: &Bound<'py, RobloxDocument>, ids: Vec<InstanceId>) -> Instances {
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
        let kind = kind_of(document, class, &name, &value)?;
        let value = value::from_python(document, (class, &name), kind, &value)?;
        list.push((name, value));
    }
    Ok(list)
}

/// The type of a property of a class. If the class table does not have the class, the value can determine it.
pub(crate) fn kind_of(
    document: &Bound<'_, RobloxDocument>,
    class: &str,
    property: &str,
    value: &Bound<'_, PyAny>,
) -> Result<TypeId> {
    let known = look(document, |document| document.required_type(class, property))?;
    known.or_else(|error| match (classes::class(class), value::type_of(value)) {
        (None, Some(kind)) => Ok(kind),
        _ if error.path().is_empty() => Err(Error::from(error.at(format!("{class}.{property}")))),
        _ => Err(Error::from(error)),
    })
}

/// The instances of a class, and of derived classes if `is_a` is set; a `KeyError` if neither the document nor the class
/// table has the class.
fn of_class(document: &Bound<'_, RobloxDocument>, class: &str, is_a: bool) -> Result<Vec<InstanceId>> {
    let found =
        look(document, |document| if is_a { document.is_a(class) } else { document.by_class(class) })?;
    if found.is_empty() && classes::class(class).is_none() {
        let closest = classes::closest_class(class);
        let closest = closest.map(|closest| format!("; did you mean {closest}?")).unwrap_or_default();
        return Err(PyKeyError::new_err(format!("{class} is not a class{closest}")).into());
    }
    Ok(found)
}

pub(crate) fn insert<'py>(
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
        let id = found.ok_or_else(|| missing(this.get_super(), path))?;
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

    /// The instances of a class, in the order of the rows of `columns`; with `is_a`, also those of derived classes, such
    /// as Part and MeshPart for `BasePart`. Raises `KeyError` for an unknown class.
    #[pyo3(signature = (class_name, *, is_a = false))]
    fn by_class<'py>(
        this: &Bound<'py, Self>,
        class_name: &str,
        is_a: bool,
    ) -> Result<Vec<Bound<'py, Instance>>> {
        list(this, of_class(this, class_name, is_a)?)
    }

    /// The paths of all instances, in document order. This is faster than asking each instance for its path.
    #[pyo3(signature = (*, max_bytes = None))]
    fn paths(this: &Bound<'_, Self>, max_bytes: Option<Limit>) -> Result<Vec<String>> {
        let mut budget = Budget::new(Limit::bytes(max_bytes));
        let paths = look(this, |document| {
            let mut paths = document.paths();
            let ids = document.instances().into_iter();
            ids.map(|id| paths.of(id, &mut budget)).collect::<rezkit::Result<_>>()
        });
        Ok(paths??)
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

    /// The properties of all instances of a class as a dict of columns, without a Python object for each value; with
    /// `is_a`, also those of derived classes.
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
    #[pyo3(signature = (class_name, *, is_a = false, stored = false, max_bytes = None))]
    fn columns<'py>(
        this: &Bound<'py, Self>,
        class_name: &str,
        is_a: bool,
        stored: bool,
        max_bytes: Option<Limit>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let ids = of_class(this, class_name, is_a)?;
        let max_bytes = Limit::bytes(max_bytes);
        let found = look(this, |document| document.columns(&ids, stored, max_bytes))??;
        columns::dict(py, class_name, found)
    }

    /// Scripts, terrain, attributes and other files in the document: a dict from paths to bytes, and a list of `Loss`
    /// for content that is in none of the files.
    fn files<'py>(this: &Bound<'py, Self>) -> Result<Extracted<'py>> {
        this.get_super().extracted(this.py())
    }

    /// The assets that the document refers to: a dict from references to the paths that use them.
    fn references<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyDict>> {
        let py = this.py();
        let base = this.get_super();
        let uses = py.detach(|| {
            let files = base.beside.files(None);
            base.opened(&files).assets()
        })?;
        let dict = PyDict::new(py);
        for (reference, paths) in uses {
            dict.set_item(reference, paths)?;
        }
        Ok(dict)
    }
}
