//! Roblox models and places.

use std::sync::Mutex;

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rbxbinary::classes;
use rbxbinary::parts::TypeId;
use rezkit::Document;
use rezkit::formats::roblox::{InstanceId, Value, is_of_frame, type_named};
use rezkit::{Budget, MergeOptions, PackOptions, ReadOptions, Selector, Side};

use crate::asset::Asset;
use crate::beside::Beside;
use crate::convert::fill;
use crate::error::{Error, Result, listed, losses, python_type};
use crate::handle::{Handle, MANY, copied, missing};
use crate::input::{Limit, MAX_BYTES};
use crate::instance::{Instance, Instances};
use crate::working::Progress;
use crate::{avatar, change, columns, value, working};

/// A Roblox model or place, binary or XML: a tree of instances.
///
/// `doc["Workspace/Door"]` is the instance at a path; iterating yields all instances in document order. A path is names
/// separated by `/`. `Door[1]` is the second sibling with the name Door. If a name contains `/`, `[` or a backslash, put
/// a backslash before that character.
///
/// >>> import rezkit
/// >>> doc = rezkit.load(b'<roblox version="4"><Item class="Folder" referent="0"><Properties>'
/// ...     b'<string name="Name">Box</string></Properties></Item></roblox>')
/// >>> doc["Box"].insert("IntValue", Name="Count", Value=3)
/// <Instance IntValue "Box/Count">
/// >>> [(instance.class_name, instance.name) for instance in doc]
/// [('Folder', 'Box'), ('IntValue', 'Count')]
/// >>> doc["Box/Count"].Value = 4
/// >>> doc["Box/Count"].Value
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

/// As [`look`] for work on the whole document, which Ctrl+C interrupts if that is large.
pub(crate) fn survey<R: Send + 'static>(
    document: &Bound<'_, RobloxDocument>,
    progress: &Progress,
    with: impl FnOnce(&Document) -> R + Send + 'static,
) -> Result<R> {
    let base: &Asset = document.get_super();
    let shared = base.shared();
    let work = move || Document::of(shared).as_ref().map(with).map_err(drop);
    let found = working::watched_if(document.py(), base.is_large(), progress, work)?;
    found.map_err(|()| Error::Argument("self", "not a Roblox document".to_owned()))
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
                (document.content(), Some(result))
            }
            Err(asset) => (asset, None),
        })
    });
    let other = || Error::Argument("self", "not a Roblox document".to_owned());
    Ok(changed.ok_or_else(other)??)
}

/// As [`edit`] for changes of many instances, which Ctrl+C interrupts: a copy is edited, so that nothing is changed then.
pub(crate) fn edit_many<R: Send + 'static>(
    document: &Bound<'_, RobloxDocument>,
    count: usize,
    with: impl FnOnce(&mut Document) -> rezkit::Result<R> + Send + 'static,
) -> Result<R> {
    if count < MANY {
        return edit(document, with);
    }
    let base: &Asset = document.get_super();
    let shared = base.shared();
    let old = shared.clone();
    let made = working::run(document.py(), move || {
        let mut document = Document::of(old).map_err(|_| rezkit::Error::argument("not a Roblox document"))?;
        let result = with(&mut document)?;
        Ok::<_, rezkit::Error>((document.content(), result))
    })?;
    let (asset, result) = made?;
    base.put(&shared, asset)?;
    Ok(result)
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
        _ => Err(Error::from(error)),
    })
}

/// The instances that a selector means, below an instance or in the whole document.
pub(crate) fn found(
    document: &Bound<'_, RobloxDocument>,
    from: Option<InstanceId>,
    selector: &str,
) -> Result<Vec<InstanceId>> {
    let selector: Selector =
        selector.parse().map_err(|error| Error::from(rezkit::Error::from(error)).at("selector"))?;
    let max_bytes = document.get_super().max_bytes;
    let (found, selector) = survey(document, &Progress::default(), move |document| {
        (rezkit::query(&**document, from, &selector, &mut Budget::new(max_bytes)), selector)
    })?;
    let ids = found?;
    // A selector that means nothing may be misspelled.
    match selector.unknown() {
        unknown if ids.is_empty() && !unknown.is_empty() => {
            Err(PyKeyError::new_err(unknown.join("; ")).into())
        }
        _ => Ok(ids),
    }
}

/// Instances of the document: one, those that a selector means, or several.
fn meant(document: &Bound<'_, RobloxDocument>, given: &Bound<'_, PyAny>) -> Result<Vec<InstanceId>> {
    if let Ok(selector) = given.extract::<&str>() {
        return found(document, None, selector);
    }
    let one = |given: &Bound<'_, PyAny>| {
        let instance = given.cast::<Instance>().map_err(PyErr::from)?.get();
        match instance.is_of(document) {
            true => Ok(instance.id()),
            false => {
                Err(rezkit::Error::argument("expected instances of the same document").at("query").into())
            }
        }
    };
    match given.is_instance_of::<Instance>() {
        true => Ok(vec![one(given)?]),
        false => given.try_iter()?.map(|given| one(&given?)).collect(),
    }
}

/// How values are filled in, the list of what was, and types of properties by name.
pub(crate) struct Filling<'a, 'py> {
    pub(crate) fill: &'a str,
    pub(crate) losses: Option<&'a Bound<'py, PyList>>,
    pub(crate) types: Option<std::collections::HashMap<String, String>>,
}

/// Adds an instance with properties from Python. The type of each is the given one, otherwise that of the class's first
/// instance, otherwise that of the class table, otherwise the one that the Python value implies.
pub(crate) fn insert<'py>(
    document: &Bound<'py, RobloxDocument>,
    parent: Option<InstanceId>,
    class: &str,
    given: Option<&Bound<'py, PyDict>>,
    Filling { fill: filling, losses: filled, types }: Filling<'_, 'py>,
) -> Result<Bound<'py, Instance>> {
    let given: Vec<(String, Bound<'_, PyAny>)> = given
        .into_iter()
        .flat_map(|given| given.iter())
        .map(|(name, value)| Ok((name.extract()?, value)))
        .collect::<PyResult<_>>()?;
    let name = given.iter().find(|(name, _)| name == "Name").and_then(|(_, value)| value.extract().ok());
    let name: String = name.unwrap_or_else(|| class.to_owned());
    // A path takes time in proportion to the siblings, so it is made for errors only.
    let at = |error: Error, property: Option<&str>| {
        let above = parent.map(|id| look(document, |document| document.path(id))).transpose()?.flatten();
        let path = above.map_or_else(|| name.clone(), |above| format!("{above}/{name}"));
        let path = property.map_or_else(|| path.clone(), |property| format!("{path}.{property}"));
        Ok::<_, Error>(error.at(&path))
    };
    let (mut all, mut stored, mut frame) = (Vec::new(), Vec::new(), None);
    for (name, value) in &given {
        let value_of = |kind| value::from_python(document, (class, name), kind, value);
        if is_of_frame(class, name) {
            let to = value_of(TypeId::VECTOR3).or_else(|error| Err(at(error, Some(name))?))?;
            let to = to.as_vector3().unwrap_or_default();
            frame = Some(rezkit::formats::roblox::moved(frame.unwrap_or(geom::CFrame::IDENTITY), name, to));
            continue;
        }
        let (kind, to) = match types.as_ref().and_then(|types| types.get(name)) {
            Some(kind) => (type_named(kind).map_err(Error::from), &mut stored),
            None => (kind_of(document, class, name, value), &mut all),
        };
        to.push((name.clone(), kind.and_then(value_of).or_else(|error| Err(at(error, Some(name))?))?));
    }
    all.extend(frame.map(|frame| ("CFrame".to_owned(), Value::CFrame(frame.into()))));
    if given.iter().all(|(name, _)| name != "Name") {
        all.push(("Name".to_owned(), Value::from(&*name)));
    }
    let filling = fill(Some(filling))?;
    let is_unknown = stored.is_empty() && classes::class(class).is_none();
    let added = edit(document, |document| document.insert_with(parent, class, &all, &stored, filling));
    let (id, losses) = added.or_else(|error| {
        let help = "a class that Roblox does not have needs `types`";
        let error = match error {
            Error::Kit(error) if is_unknown && error.kind() == rezkit::ErrorKind::Argument => {
                Error::Helped(error, help)
            }
            error => error,
        };
        Err(at(error, None)?)
    })?;
    listed(filled, document.py(), &losses)?;
    Ok(Instance::of(document, id)?)
}

/// The classes of instances, each once.
fn classes_of(document: &Document, ids: &[InstanceId]) -> Vec<String> {
    let (mut found, mut last) = (Vec::new(), None);
    for class in ids.iter().filter_map(|&id| document.class(id)) {
        if last != Some(class) && !found.contains(&class) {
            found.push(class);
        }
        last = Some(class);
    }
    found.iter().map(ToString::to_string).collect()
}

/// Inserts an instance of a class, or a copy of an instance, with properties from Python.
pub(crate) fn insert_any<'py>(
    document: &Bound<'py, RobloxDocument>,
    parent: Option<InstanceId>,
    new: &Bound<'py, PyAny>,
    given: Option<&Bound<'py, PyDict>>,
    filling: Filling<'_, 'py>,
) -> Result<Bound<'py, Instance>> {
    if let Ok(class) = new.extract::<&str>() {
        return insert(document, parent, class, given, filling);
    }
    let wrong = || PyTypeError::new_err("expected the name of a class, or an Instance to copy");
    let original = new.cast::<Instance>().map_err(|_| wrong())?.get();
    let (py, id, max_bytes) = (document.py(), original.id(), document.get_super().max_bytes);
    let source = match original.is_of(document) {
        true => None,
        false => Some(look(original.of_document(py), Document::clone)?),
    };
    let (copy, mut losses) =
        edit(document, |document| document.insert_copy(parent, source.as_ref(), id, max_bytes))?;
    let given = given.into_iter().flat_map(|given| given.iter());
    let given: Vec<_> = given.map(|(name, value)| Ok((name.extract()?, value))).collect::<PyResult<_>>()?;
    let changed =
        fill(Some(filling.fill)).and_then(|fill| change::put(document, &[copy], &given, None, fill));
    match changed {
        Ok(filled) => losses.extend(filled),
        Err(error) => {
            edit(document, |document| Ok(document.remove(copy)?))?;
            return Err(error);
        }
    }
    listed(filling.losses, py, &losses)?;
    Ok(Instance::of(document, copy)?)
}

/// The services of a new place.
const SERVICES: [&str; 8] = [
    "Workspace",
    "Lighting",
    "ReplicatedStorage",
    "ServerScriptService",
    "ServerStorage",
    "StarterGui",
    "StarterPlayer",
    "SoundService",
];

#[pymethods]
impl RobloxDocument {
    /// Creates a document: `kind` is `"model"`, which is empty, or `"place"`, which has the services of a new place, such
    /// as `Workspace`; `form` is `"binary"` or `"xml"`.
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.RobloxDocument.new("place")
    /// >>> doc.insert("Workspace", "Part", Name="Floor", Size=(64, 1, 64), Material="Grass")
    /// <Instance Part "Workspace/Floor">
    /// >>> doc["Workspace/Floor"].Material
    /// Enum.Material.Grass
    #[staticmethod]
    #[pyo3(signature = (kind = "model", form = "binary"))]
    #[allow(clippy::new_ret_no_self, reason = "an object of a subclass")]
    fn new<'py>(py: Python<'py>, kind: &str, form: &str) -> Result<Bound<'py, PyAny>> {
        let one_of = |name, expected: [&str; 2], found: &str| match expected
            .iter()
            .position(|known| *known == found)
        {
            Some(index) => Ok(index == 1),
            None => Err(Error::Argument(
                name,
                format!("expected {} or {}, found {found:?}", expected[0], expected[1]),
            )),
        };
        let (is_place, is_xml) =
            (one_of("kind", ["model", "place"], kind)?, one_of("form", ["binary", "xml"], form)?);
        let mut document = if is_place { Document::empty(is_xml) } else { Document::model(is_xml) };
        for service in SERVICES.iter().filter(|_| is_place) {
            let name = [("Name".to_owned(), Value::from(*service))];
            document.insert(None, service, &name, rezkit::Fill::Defaults)?;
        }
        let name = match (is_place, is_xml) {
            (true, false) => "place.rbxl",
            (true, true) => "place.rbxlx",
            (false, false) => "model.rbxm",
            (false, true) => "model.rbxmx",
        };
        Ok(Handle::new(document.content(), name, Beside::Nowhere, MAX_BYTES).into_object(py)?)
    }

    /// The instance at a path: names separated by `/`; `[1]` after a name selects the second sibling with that name.
    fn __getitem__<'py>(this: &Bound<'py, Self>, path: &str) -> Result<Bound<'py, Instance>> {
        let found = look(this, |document| document.find(path))?;
        let id = found.ok_or_else(|| missing(this.get_super(), path))?;
        Ok(Instance::of(this, id)?)
    }

    /// The instance at a path, or `None`.
    fn find<'py>(this: &Bound<'py, Self>, path: &str) -> Result<Option<Bound<'py, Instance>>> {
        let found = look(this, |document| document.find(path))?;
        Ok(found.map(|id| Instance::of(this, id)).transpose()?)
    }

    fn __contains__(this: &Bound<'_, Self>, path: &Bound<'_, PyAny>) -> Result<bool> {
        if let Ok(instance) = path.cast::<Instance>() {
            let (id, is_own) = (instance.get().id(), instance.get().is_of(this));
            return look(this, |document| is_own && document.contains(id));
        }
        let path: &str = path.extract()?;
        look(this, |document| document.find(path).is_some())
    }

    fn __len__(this: &Bound<'_, Self>) -> Result<usize> {
        look(this, |document| document.len())
    }

    fn __iter__(this: &Bound<'_, Self>) -> Result<Instances> {
        Ok(iterate(this, look(this, |document| document.instances().collect())?))
    }

    /// The instances at the root, in order.
    #[getter]
    fn children<'py>(this: &Bound<'py, Self>) -> Result<Vec<Bound<'py, Instance>>> {
        list(this, look(this, |document| document.roots().collect())?)
    }

    /// The instances that a selector means, in the order of the document. Raises `KeyError` if there are none and the
    /// selector names a class or a property that does not exist.
    ///
    /// A selector has the syntax of Roblox's `QueryDescendants`: `Part` is a class with the classes derived from it,
    /// `#Door` a name, `.Lava` a tag, `[Anchored = false]` a property, `[$Health > 50]` an attribute; `Model > Part` are
    /// children, `Model Part` or `Model >> Part` descendants; `A, B` are both, `:not(…)` and `:has(…)` test. Further
    /// operators are `!=`, `<`, `<=`, `>=`, `*=` (contains), `^=` (begins with), `$=` (ends with).
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.RobloxDocument.new("model")
    /// >>> for height in range(3):
    /// ...     _ = doc.insert(None, "Part", Name=f"P{height}", Position=(0, height, 0), Anchored=height == 0)
    /// >>> doc.query("Part[Anchored = false][Position.Y > 1]")
    /// [<Instance Part "P2">]
    fn query<'py>(this: &Bound<'py, Self>, selector: &str) -> Result<Vec<Bound<'py, Instance>>> {
        list(this, found(this, None, selector)?)
    }

    /// Sets properties of all instances that `query` means: a selector, an `Instance`, or several instances. Returns the
    /// number of instances. If one value cannot be set, nothing is changed. `fill` and `losses` are those of
    /// `Instance.set`.
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.RobloxDocument.new("model")
    /// >>> part = doc.insert(None, "Part")
    /// >>> doc.set("Part[Anchored = false]", Anchored=True, Color="#ff8800")
    /// 1
    /// >>> part.Anchored, part.Color
    /// (True, Color3uint8(r=255, g=136, b=0))
    #[pyo3(signature = (query, /, *, fill = "defaults", losses = None, **properties))]
    fn set<'py>(
        this: &Bound<'py, Self>,
        query: &Bound<'py, PyAny>,
        fill: &str,
        losses: Option<&Bound<'py, PyList>>,
        properties: Option<&Bound<'py, PyDict>>,
    ) -> Result<usize> {
        let ids = meant(this, query)?;
        let given = properties.into_iter().flat_map(|given| given.iter());
        let given: Vec<_> =
            given.map(|(name, value)| Ok((name.extract()?, value))).collect::<PyResult<_>>()?;
        let filled = change::put(this, &ids, &given, None, self::fill(Some(fill))?)?;
        listed(losses, this.py(), &filled)?;
        Ok(ids.len())
    }

    /// Sets properties of all instances that `query` means to the values of columns, one row for each instance, in the
    /// order in which `columns` returns them. Returns the number of instances. If one value cannot be set, nothing is
    /// changed. `fill` and `losses` are those of `Instance.set`.
    ///
    /// `table` is a dict of columns, `Columns`, or a table of pandas, Polars or pyarrow. A column is what `columns`
    /// returns for the property, as a whole (`Size`: shape (n, 3)) or in parts (`Size.X`), or a sequence with a value for
    /// each row. A row without a value (`None`, NaN in all numbers, masked, null) leaves the property as it is.
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.RobloxDocument.new("model")
    /// >>> parts = [doc.insert(None, "Part", Size=(n + 1, 1, 1)) for n in range(3)]
    /// >>> doc.set_columns("Part", {"Size": doc.columns("Part", ["Size"])["Size"] * 2, "Name": ["a", None, "c"]})
    /// 3
    /// >>> doc.columns("Part", ["Name", "Size"])["Size.X"], parts[2].Name
    /// (array([2., 4., 6.], dtype=float32), 'c')
    #[pyo3(signature = (query, table, /, *, fill = "defaults", losses = None))]
    fn set_columns<'py>(
        this: &Bound<'py, Self>,
        query: &Bound<'py, PyAny>,
        table: &Bound<'py, PyAny>,
        fill: &str,
        losses: Option<&Bound<'py, PyList>>,
    ) -> Result<usize> {
        let (ids, fill) = (meant(this, query)?, self::fill(Some(fill))?);
        let filled = columns::given::set(this, &ids, table, fill)?;
        listed(losses, this.py(), &filled)?;
        Ok(ids.len())
    }

    /// The paths of all instances, in document order. This is faster than asking each instance for its path.
    #[pyo3(signature = (*, max_bytes = None))]
    fn paths(this: &Bound<'_, Self>, max_bytes: Option<Limit>) -> Result<Vec<String>> {
        let mut budget = Budget::new(Limit::bytes(max_bytes));
        let paths = survey(this, &Progress::default(), move |document| {
            let mut paths = document.paths();
            let ids = document.instances();
            ids.map(|id| paths.of(id, &mut budget)).collect::<rezkit::Result<_>>()
        });
        Ok(paths??)
    }

    /// Adds an instance below a parent (an `Instance`, a path, or `None` for the root) with these properties, and returns
    /// it. Its name is that of the class if none is given.
    ///
    /// Values have the types of Roblox's classes: a value of another type is a `rezkit.PropertyTypeError`, which is a
    /// `TypeError`. `Position` and `Orientation` (in degrees) of a part make its `CFrame`.
    ///
    /// A binary document stores the same properties for all instances of a class: missing ones are filled in, as by
    /// `Instance.set`, which describes `fill` and `losses`.
    ///
    /// `types` are types of properties by name, such as `{"Old": "Float32"}`: these properties are stored under exactly
    /// this name, and Roblox need not have them or the class. `Instance.types` returns them, so `types=old.types,
    /// **old.properties` copies an instance.
    ///
    /// In place of a class, an `Instance` is copied with its descendants, from this document or from another one.
    #[pyo3(signature = (parent, class_name, /, *, fill = "defaults", losses = None, types = None, **properties))]
    fn insert<'py>(
        this: &Bound<'py, Self>,
        parent: Option<&Bound<'py, PyAny>>,
        class_name: &Bound<'py, PyAny>,
        fill: &str,
        losses: Option<&Bound<'py, PyList>>,
        types: Option<std::collections::HashMap<String, String>>,
        properties: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, Instance>> {
        let parent = match parent.map(|parent| (parent, parent.extract::<&str>())) {
            None => None,
            Some((_, Ok(path))) => Some(Self::__getitem__(this, path)?.get().id()),
            Some((parent, Err(_))) => meant(this, parent)?.first().copied(),
        };
        insert_any(this, parent, class_name, properties, Filling { fill, losses, types })
    }

    /// Properties of all instances that `query` means (a selector, an `Instance`, or several instances) as columns, a row
    /// for each, without a Python object for each value.
    ///
    /// `names` are those of the wanted properties: the names that scripts use or those that files store, and `ClassName`,
    /// `Parent`, `Position`, `Size.X`. Without names, the columns are all properties by their stored names, also
    /// those that the file leaves out, unless `stored` is set.
    ///
    /// The result is a dict of columns of one dimension, which `pandas.DataFrame` and `pyarrow.table` take as it is, and
    /// `polars.DataFrame` unless some texts of a column are not UTF-8 (`polars.from_arrow(pyarrow.table(columns))` takes
    /// these, too). A vector has several, such as `Size.X`. `columns["Size"]` is the whole array: a `Vector3` has the shape (n, 3), a
    /// `CFrame` (n, 4, 4), a `UDim2` (n, 2, 2). Strings are `Strings`; enum items are numbers, or with `enums="names"`
    /// names; references are the indices of instances in document order, -1 for null; sequences are arrays of keypoints:
    /// time, value (or red, green, blue), envelope. A row without a value is NaN in a column of floats, otherwise `None`.
    ///
    /// Raises `KeyError` for a property that no instance can have. `max_bytes` limits the memory of the columns (1 GiB by
    /// default).
    ///
    /// >>> import rezkit
    /// >>> doc = rezkit.RobloxDocument.new("model")
    /// >>> part = doc.insert(None, "Part", Size=(4, 1, 2), Material="Grass")
    /// >>> columns = doc.columns("Part", ["Name", "Size", "Material"], enums="names")
    /// >>> list(columns), columns["Size.X"], columns["Material"][0]
    /// (['Name', 'Size.X', 'Size.Y', 'Size.Z', 'Material'], array([4.], dtype=float32), 'Grass')
    /// >>> columns["Size"]
    /// array([[4., 1., 2.]], dtype=float32)
    #[pyo3(signature = (query, names = None, *, enums = "numbers", stored = false, max_bytes = None, progress = None))]
    fn columns<'py>(
        this: &Bound<'py, Self>,
        query: &Bound<'py, PyAny>,
        names: Option<Vec<String>>,
        enums: &str,
        stored: bool,
        max_bytes: Option<Limit>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        if !["numbers", "names"].contains(&enums) {
            return Err(Error::Argument("enums", format!("expected numbers or names, found {enums:?}")));
        }
        if stored && names.is_some() {
            return Err(Error::Argument("stored", "expected no names with stored".to_owned()));
        }
        let ids = meant(this, query)?;
        let max_bytes = Limit::bytes(max_bytes);
        let class = query.extract::<String>().ok();
        let (shared, wanted) = (this.get_super().shared(), names.clone());
        let looked = working::watched_if(this.py(), ids.len() >= MANY, &Progress::of(progress), move || {
            let document = Document::of(shared).ok()?;
            let found = match (&wanted, class.as_deref()) {
                // Without instances, the class tells the types.
                (Some(names), Some(class)) if ids.is_empty() => columns::read::of_none(class, names),
                (Some(names), _) => columns::read::named(&document, &ids, names, max_bytes),
                (None, _) => columns::read::all(&document, &ids, stored, max_bytes),
            };
            Some((found, classes_of(&document, &ids)))
        })?;
        let other = || Error::Argument("self", "not a Roblox document".to_owned());
        let (found, classes) = looked.ok_or_else(other)?;
        columns::dict(this.py(), &classes, found?, names.as_deref(), enums == "names")
    }

    /// Adds the changes of `theirs` since `base` to `ours`. Returns a `Merged`: the merged document, the conflicts, and
    /// what it cannot store. What only one of the two changed has the value of that one: properties, attributes, tags,
    /// scripts by line, parents, the order of children. What both changed differently is a `Conflict`, and ours stays.
    ///
    /// `prefer` (`"ours"` or `"theirs"`) resolves all conflicts, `decisions` single ones: a dict from the conflict's path
    /// to the side. `markers` puts both versions of conflicting lines of scripts between Git's markers. Documents that
    /// have nearly nothing in common are an error, unless `unrelated` is set.
    #[staticmethod]
    #[pyo3(signature = (base, ours, theirs, *, prefer = None, decisions = None, markers = false, unrelated = false, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
    fn merge<'py>(
        base: &Bound<'py, Self>,
        ours: &Bound<'py, Self>,
        theirs: &Bound<'py, Self>,
        prefer: Option<&str>,
        decisions: Option<std::collections::BTreeMap<String, String>>,
        markers: bool,
        unrelated: bool,
        progress: Option<Py<PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = base.py();
        let side = |name, text: &str| match text {
            "ours" => Ok(Side::Ours),
            "theirs" => Ok(Side::Theirs),
            _ => Err(Error::Argument(name, format!("expected ours or theirs, found {text:?}"))),
        };
        let mut options =
            MergeOptions::new().markers(markers).unrelated(unrelated).max_bytes(ours.get_super().max_bytes);
        if let Some(prefer) = prefer {
            options = options.prefer(side("prefer", prefer)?);
        }
        for (path, decided) in decisions.into_iter().flatten() {
            options = options.decide(path, side("decisions", &decided)?);
        }
        let own = ours.get_super();
        let three = [base, ours, theirs].map(|document| document.get_super().shared());
        let max_bytes = own.max_bytes;
        let made = working::watched(py, &Progress::of(progress), move || {
            let read = ReadOptions::new().max_bytes(max_bytes);
            let [base, mut ours, theirs] = three.map(|asset| read.open_content(asset, "model", ()));
            let found = ours.merge(&base, &theirs, &options)?;
            Ok::<_, rezkit::Error>((ours.into_content(), found))
        })?;
        let (merged, (conflicts, lost)) = made?;
        let merged = Handle::new(merged, own.name(), own.beside.clone(), own.max_bytes).into_object(py)?;
        let conflict = |conflict: &rezkit::Conflict| {
            let rezkit::Conflict { path, what, base, ours, theirs, .. } = conflict;
            python_type!(py, "Conflict", (path, what, base, ours, theirs))
        };
        let conflicts: Vec<_> = conflicts.iter().map(conflict).collect::<PyResult<_>>()?;
        Ok(python_type!(py, "Merged", (merged, conflicts, losses(py, &lost)?))?)
    }

    /// Scripts, terrain, attributes and other files in the document, as `rezkit extract` writes them: an `Extracted` with
    /// `.files`, a dict from paths to bytes, and `.losses` for content that is in none of the files; `.save(folder)`
    /// writes them. `models`, `"rbxm"` or `"rbxmx"`, also writes everything else, as models.
    #[pyo3(signature = (*, models = None))]
    fn extract<'py>(this: &Bound<'py, Self>, models: Option<&str>) -> Result<Bound<'py, PyAny>> {
        this.get_super().extracted(this.py(), models)
    }

    /// Mends the document's avatar items as far as no artist is needed: properties with fixed values, names, children that may
    /// not be there, vertex colours, and the size and the triangles of meshes. Nothing else is changed.
    ///
    /// `files` is that of `convert`, and finds the meshes; `rules` and `item_type` are those of `check`. Returns a `Fitted`:
    /// `.changes`, `.meshes` (the changed meshes by asset id) and `.losses`.
    #[pyo3(signature = (*, files = None, rules = None, item_type = None))]
    fn fit<'py>(
        this: &Bound<'py, Self>,
        files: Option<Py<PyAny>>,
        rules: Option<&Bound<'py, PyAny>>,
        item_type: Option<&str>,
    ) -> Result<Bound<'py, PyAny>> {
        avatar::fit(this.py(), this.get_super(), files, &avatar::options(rules, item_type)?)
    }

    /// Puts edited files of `extract` back: a folder, or a dict from paths to bytes. Sources of scripts and meta files
    /// change the instances at their paths; new scripts are added. `remove` removes scripts without a file. Returns a
    /// `Packed`: the paths that changed, and the files that were not used as losses.
    #[pyo3(signature = (files, *, remove = false))]
    fn pack<'py>(
        this: &Bound<'py, Self>,
        files: &Bound<'py, PyAny>,
        remove: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let base = this.get_super();
        let files = match files.cast::<PyDict>() {
            Ok(files) => files.clone().into_any(),
            Err(_) => py.import("rezkit._types")?.call_method1("_files", (files, base.max_bytes))?,
        };
        let files: Vec<(String, Vec<u8>)> = files
            .call_method0("items")?
            .try_iter()?
            .map(|item| {
                let (path, bytes): (String, Bound<'py, PyBytes>) = item?.extract()?;
                Ok((path, bytes.as_bytes().to_vec()))
            })
            .collect::<PyResult<_>>()?;
        let (shared, max_bytes) = (base.shared(), base.max_bytes);
        let old = shared.clone();
        let made = working::run(py, move || {
            // The copy is edited, so that nothing is changed if a file cannot be put back.
            let mut opened = ReadOptions::new().max_bytes(max_bytes).open_content(copied(old)?, "model", ());
            let packed = opened.pack(files, PackOptions::new().remove(remove))?;
            Ok::<_, rezkit::Error>((opened.into_content(), packed))
        })?;
        let (asset, rezkit::Packed { changed, losses: lost, .. }) = made?;
        base.put(&shared, asset)?;
        Ok(python_type!(py, "Packed", (changed, losses(py, &lost)?))?)
    }

    /// The assets that the document refers to: a dict from references to the paths that use them.
    fn references<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyDict>> {
        let py = this.py();
        let base = this.get_super();
        let (held, is_large) = (base.held(), base.is_large());
        let uses = working::run_if(py, is_large, move || {
            let files = held.beside.files(None);
            held.opened(&files).assets()
        })??;
        let dict = PyDict::new(py);
        for (reference, paths) in uses {
            dict.set_item(reference, paths)?;
        }
        Ok(dict)
    }
}
