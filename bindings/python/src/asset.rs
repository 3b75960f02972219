//! The base class of all formats' classes.

use std::ops::Deref;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};
use rezkit::Document;
use rezkit::{ExtractOptions, FactValue};

use crate::avatar;
use crate::beside::Beside;
use crate::error::{Error, Result, losses, python_type};
use crate::handle::{Handle, function};
use crate::input::{self, Profiles};
use crate::working::{self, Progress};

/// An asset of any format. `rezkit.load` returns a subclass.
///
/// Several threads can use one asset.
#[pyclass(frozen, subclass, module = "rezkit")]
pub(crate) struct Asset(Handle);

/// A file that is read as a scene: glTF, OBJ, PLY, STL, BVH, or an animation or material of Second Life.
///
/// `rezkit.scene` returns its content.
#[pyclass(frozen, extends = Asset, module = "rezkit")]
pub(crate) struct Model;

impl Deref for Asset {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.0
    }
}

impl From<Handle> for Asset {
    fn from(handle: Handle) -> Self {
        Self(handle)
    }
}

impl Asset {
    /// The files in the asset, and losses for the content that is in no file.
    pub(crate) fn extracted<'py>(&self, py: Python<'py>, models: Option<&str>) -> Result<Bound<'py, PyAny>> {
        let opened = self.view();
        let extract = models.map_or_else(ExtractOptions::new, |form| ExtractOptions::new().models(form));
        let rezkit::Output { files, losses: lost, .. } = working::run(py, move || opened.extract(&extract))??;
        Ok(python_type!(py, "Extracted", (input::files(py, &files)?, losses(py, &lost)?))?)
    }
}

#[pymethods]
impl Asset {
    /// The name of the format, such as `rbxmesh`.
    #[getter]
    fn format(&self) -> &'static str {
        self.view().file_type().format
    }

    /// The version or form within the format, such as `5.00`; empty if there is only one.
    #[getter]
    fn version(&self) -> String {
        self.view().version()
    }

    /// The forms that `to_bytes` can write: versions, encodings, compressions.
    #[getter]
    fn forms(&self) -> Vec<&'static str> {
        self.view().file_type().all_forms()
    }

    /// Reads a file like `rezkit.load`, but raises an error if the file is of another class:
    /// `rezkit.RobloxMesh.load("head.mesh")`.
    ///
    /// >>> import rezkit
    /// >>> rezkit.Llsd.load(b"<? llsd/notation ?>\n[i1]").value
    /// [1]
    /// >>> rezkit.RobloxMesh.load(b"<? llsd/notation ?>\n[i1]")
    /// Traceback (most recent call last):
    /// ...
    /// rezkit.Error: x: expected a file of the class RobloxMesh, found LLSD
    #[classmethod]
    #[pyo3(signature = (x, *, max_bytes = None, form = None, progress = None))]
    fn load<'py>(
        class: &Bound<'py, PyType>,
        x: &Bound<'py, PyAny>,
        max_bytes: Option<&Bound<'py, PyAny>>,
        form: Option<&str>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = x.py();
        let named = PyDict::new(py);
        named.set_item("max_bytes", max_bytes)?;
        named.set_item("form", form)?;
        named.set_item("progress", progress)?;
        let loaded = function(py, "load")?.call((x,), Some(&named))?;
        if loaded.is_instance(class)? {
            return Ok(loaded);
        }
        let found = loaded.cast::<Self>().map_err(PyErr::from)?.get().view().file_type().title;
        Err(Error::Argument("x", format!("expected a file of the class {}, found {found}", class.name()?)))
    }

    /// Creates an asset from a scene: `RobloxMesh`, `SecondLifeMesh`, `M3d`, and `RobloxDocument` from its animations.
    /// `form` is another target of `convert` for the class, such as `"slm"` (several Second Life meshes), `"a3d"` or
    /// `"rbxmx"`. What the format cannot represent is dropped, and appended to the list `losses`. Further options are
    /// those of `convert`.
    ///
    /// Levels of detail and shapes for physics are the nodes that the scene has for them, as with `levels="all"`,
    /// `hulls=True`; `rezkit.upload` generates those of Second Life.
    ///
    /// >>> import rezkit
    /// >>> scene = rezkit.Scene.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="one")
    /// >>> rezkit.M3d.from_scene(scene).name
    /// 'one'
    #[classmethod]
    #[pyo3(signature = (scene, form = None, *, losses = None, **options))]
    fn from_scene<'py>(
        class: &Bound<'py, PyType>,
        scene: &Bound<'py, crate::scene::Scene>,
        form: Option<&str>,
        losses: Option<&Bound<'py, PyList>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let name = class.name()?.to_string();
        let usual = match &*name {
            "RobloxMesh" => "mesh",
            "SecondLifeMesh" => "llmesh",
            "M3d" => "m3d",
            "RobloxDocument" => "rbxm",
            _ => return Err(Error::Argument("scene", format!("a {name} cannot be created from a scene"))),
        };
        let made = function(scene.py(), "convert")?.call((scene, form.unwrap_or(usual)), options)?;
        if let Some(losses) = losses {
            losses.call_method1("extend", (made.getattr("losses")?,))?;
        }
        Self::load(class, &made.getattr("data")?, None, None, None)
    }

    /// The edits of the copy do not change this asset.
    fn __copy__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.held().into_object(py)
    }

    fn __deepcopy__<'py>(&self, py: Python<'py>, _memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.__copy__(py)
    }

    /// Pickles the file with its edits, not the files beside it.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let held = self.held();
        let bytes = working::run_if(py, self.is_large(), move || held.written(None, false))??;
        let opened = self.view();
        let form = (opened.file_type().format == "llsd").then(|| opened.version());
        let folder = match &self.beside {
            Beside::Nowhere => None,
            Beside::Folder(folder) => std::path::absolute(folder).ok(),
        };
        let arguments = (PyBytes::new(py, &bytes), self.name(), folder, form, self.max_bytes);
        let load = py.import("rezkit._rezkit")?.getattr("_load")?;
        Ok((load, arguments).into_pyobject(py)?.into_any())
    }

    /// Checks the asset. Returns a list of `Finding`, one for each violation of a rule of the format.
    ///
    /// `profiles`, one name or several, adds the requirements of platforms for uploads: `roblox-upload`, `roblox-import`,
    /// `roblox-animation`, `roblox-avatar`, `secondlife-upload`. Avatar items are checked with the numbers of `rules`, a
    /// dict or a JSON file with the table that `AvatarCreationService:GetValidationRules()` returns, and are of the type
    /// `item_type`, such as `"Hat"`, if the file does not tell it. `files` and `progress` are those of `convert`.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> sorted({finding.rule for finding in mesh.check()})
    /// ['rbxmesh.facs-missing', 'rbxmesh.normals']
    #[pyo3(signature = (profiles = None, *, files = None, rules = None, item_type = None, progress = None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        profiles: Option<Profiles>,
        files: Option<Py<PyAny>>,
        rules: Option<&Bound<'py, PyAny>>,
        item_type: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Vec<Bound<'py, PyAny>>> {
        let mut profiles = Profiles::names(profiles);
        let is_given = rules.is_some() || item_type.is_some();
        let options = avatar::options(rules, item_type)?;
        let is_avatar = is_given && profiles.iter().any(|profile| profile == avatar::PROFILE);
        profiles.retain(|profile| !(is_avatar && profile == avatar::PROFILE));
        let asset = self.held();
        let found = working::watched(py, &Progress::of(progress), move || {
            let files = asset.beside.files(files);
            let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
            let mut opened = asset.opened(&files);
            let found = opened.check(&profiles, None).and_then(|mut found| {
                if is_avatar {
                    found.extend(opened.check_avatar(&options)?.findings());
                }
                Ok(found)
            });
            files.after(found)
        })?;
        let finding = |finding: &rezkit::Finding| {
            let limit = finding.limit.map(|limit| (limit.found, limit.allowed));
            let (rule, severity, demands) = (finding.rule, finding.severity.as_str(), finding.demands);
            let arguments = (rule, severity, demands, &finding.path, &finding.found, finding.count, limit);
            python_type!(py, "Finding", arguments)
        };
        Ok(found?.iter().map(finding).collect::<PyResult<_>>()?)
    }

    /// The avatar items of the asset: a list of `AvatarItem`, each with the verdict of every rule, what was found and what
    /// is allowed. The arguments are those of `check`.
    #[pyo3(signature = (*, files = None, rules = None, item_type = None, progress = None))]
    fn avatar_items<'py>(
        &self,
        py: Python<'py>,
        files: Option<Py<PyAny>>,
        rules: Option<&Bound<'py, PyAny>>,
        item_type: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Vec<Bound<'py, PyAny>>> {
        let progress = Progress::of(progress);
        avatar::items(py, self, files, (avatar::options(rules, item_type)?, &progress))
    }

    /// A summary of the asset's content for people: counts, sizes and names. Long lists are cut, and end with the
    /// number of the other names.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.describe()["vertices"], mesh.describe()["bounds"]
    /// (3, ((0.0, 0.0, 0.0), (1.0, 1.0, 0.0)))
    fn describe<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let opened = self.view();
        let facts = working::run_if(py, self.is_large(), move || opened.info().facts)?;
        let described = PyDict::new(py);
        for fact in facts {
            match fact.value {
                FactValue::Count(count) => described.set_item(fact.name, count)?,
                FactValue::Text(text) => described.set_item(fact.name, text)?,
                FactValue::List(names) => described.set_item(fact.name, names)?,
                FactValue::Bounds([[a, b, c], [d, e, f]]) => {
                    described.set_item(fact.name, ((a, b, c), (d, e, f)))?;
                }
                other => described.set_item(fact.name, other.to_string())?,
            }
        }
        Ok(described)
    }

    /// The asset as a file: the original with the edits, or one of its `forms`.
    ///
    /// Content that the form cannot represent is an error, unless `allow_loss` is set.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.to_bytes(form="2.00")[:13]
    /// b'version 2.00\n'
    #[pyo3(signature = (form = None, *, allow_loss = false))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        form: Option<&str>,
        allow_loss: bool,
    ) -> Result<Bound<'py, PyBytes>> {
        let (asset, form) = (self.held(), form.map(str::to_owned));
        let written =
            working::run_if(py, self.is_large(), move || asset.written(form.as_deref(), allow_loss))?;
        Ok(PyBytes::new(py, &written?))
    }

    /// Writes the result of `to_bytes` to a file, compressed with gzip if the name ends in `.gz`, or to a file object.
    ///
    /// An extension that belongs to another format, such as `.glb` for a Roblox mesh, is an error: use
    /// `rezkit.convert`. An extension of another form, such as `.xml` for binary LLSD, is an error unless that `form` is
    /// given. If anything fails, the file is unchanged.
    ///
    /// >>> import rezkit
    /// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> mesh.save("x.glb")
    /// Traceback (most recent call last):
    /// ...
    /// rezkit.Error: path: .glb belongs to another format; use rezkit.convert
    #[pyo3(signature = (path, form = None, *, allow_loss = false))]
    fn save(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        form: Option<&str>,
        allow_loss: bool,
    ) -> Result<()> {
        if input::writable(path)? {
            return input::write_to(path, self.to_bytes(py, form, allow_loss)?.as_bytes());
        }
        let path: std::path::PathBuf = path.extract()?;
        let (asset, form, kind) = (self.held(), form.map(str::to_owned), self.view().file_type());
        let name = path.clone();
        // The file is written afterwards, so that nothing is written once the call was interrupted.
        let bytes = working::run_if(py, self.is_large(), move || {
            let bytes = asset.written(form.as_deref(), allow_loss)?;
            input::for_name(&name, bytes, kind.extensions, &kind.all_forms())
        })??;
        py.detach(|| input::write(&[(path, &bytes)]))
    }

    fn __repr__(&self) -> String {
        let opened = self.view();
        let (format, version) = (opened.file_type(), opened.version());
        let dot = if version.is_empty() { "" } else { " " };
        let content = opened.into_content();
        let counts = if let Some(mesh) = content.model::<rbxmesh::Mesh>() {
            format!(": {} vertices, {} triangles", mesh.vertices.len(), mesh.faces.len())
        } else if let Some(model) = content.model::<m3d::Model>() {
            format!(
                ": {:?}, {} vertices, {} bones",
                model.name.to_string(),
                model.vertices.len(),
                model.bones.len()
            )
        } else if let Some(slm) = content.model::<slmesh::Slm>() {
            format!(": {} meshes", slm.meshes.len())
        } else if let Some(llsd) = content.model::<::llsd::Document>() {
            crate::llsd::counts(&llsd.value)
        } else {
            match Document::of(content) {
                Ok(document) => format!(": {} instances", document.len()),
                Err(_) if self.name().is_empty() => String::new(),
                Err(_) => format!(": {:?}", rezkit::plain::shorten(self.name(), 60)),
            }
        };
        format!("<{}{dot}{version}{counts}>", format.title)
    }

    /// A small picture as PNG for notebooks; `None` if there is nothing to draw.
    fn _repr_png_<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("rezkit._objects")?.call_method1("png", (this,))
    }

    /// A small picture and a short table for notebooks.
    fn _repr_html_<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::_repr_mimebundle_(this, None, None)?.get_item("text/html")
    }

    #[pyo3(signature = (include = None, exclude = None))]
    fn _repr_mimebundle_<'py>(
        this: &Bound<'py, Self>,
        include: Option<Bound<'py, PyAny>>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (include, exclude);
        this.py().import("rezkit._objects")?.call_method1("bundle", (this,))
    }
}
