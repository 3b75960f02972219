//! Scenes as arrays.

mod animation;
mod build;

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyBytes, PyDict, PyTuple};
use rezkit::scene::{self as scenes, Alpha, Filter, ImageData, LightKind, Texture, Wrap};

use crate::array;
use crate::error::{Error, Result, losses, python_type};
use crate::geometry::Geometry;
use crate::handle::function;
use crate::input::{MAX_BYTES, Reading, writable};

/// A scene in glTF's terms: lists of nodes, meshes, materials, images, skins and animations that refer to each other by
/// index. Right-handed, y up; times in seconds.
///
/// `Scene(nodes=…, meshes=…)` creates one: each list has dicts whose keys are the attributes of the classes `Node`,
/// `SceneMesh`, `Material`, `Image`, `Skin` and `Animation`, or objects of these classes. A primitive has the arrays of
/// `Geometry` as keys (`colors` also as floats from 0 to 1, as `uint8`, or without alpha), a node may have a `matrix`, a texture may be the
/// index of an image. `roots` are the nodes without a parent if they are omitted. An error has the path, such as
/// `meshes[0].primitives[0].normals`.
///
/// >>> import rezkit
/// >>> triangle = {"positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "material": 0}
/// >>> scene = rezkit.Scene(nodes=[{"mesh": 0, "translation": [0, 2, 0]}], meshes=[{"primitives": [triangle]}],
/// ...     materials=[{"base_color": [1, 0, 0, 1]}])
/// >>> rezkit.Scene(nodes=scene.nodes, meshes=scene.meshes, materials=scene.materials) == scene
/// True
#[pyclass(frozen, module = "rezkit")]
pub(crate) struct Scene {
    scene: Arc<scenes::Scene>,
    losses: Vec<rezkit::Loss>,
    max_bytes: u64,
}

impl Scene {
    pub(crate) fn new(scene: scenes::Scene, losses: Vec<rezkit::Loss>, max_bytes: u64) -> Self {
        Self { scene: Arc::new(scene), losses, max_bytes }
    }

    pub(crate) fn scene(&self) -> Arc<scenes::Scene> {
        self.scene.clone()
    }

    /// The scene, and its memory limit: the given one, or that of the asset that the scene was made from.
    pub(crate) fn limited(&self, reading: Reading<'_>) -> Result<(Arc<scenes::Scene>, u64)> {
        match reading.form {
            Some(_) => Err(Error::Argument("form", "expected none, since a scene is no file".to_owned())),
            None => Ok((self.scene(), reading.max_bytes.unwrap_or(self.max_bytes))),
        }
    }
}

/// A part of a scene: the scene, and the indices of the part.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident { $($index:ident),+ } => $part:ty: |$scene:ident| $get:expr;)+) => {$(
        $(#[$doc])*
        #[pyclass(frozen, module = "rezkit")]
        pub(crate) struct $name {
            scene: Arc<scenes::Scene>,
            $($index: usize,)+
        }

        impl $name {
            fn part(&self) -> &$part {
                let Self { scene: $scene, $($index),+ } = self;
                $(let $index = *$index;)+
                &$get
            }
        }
    )+};
}
parts! {
    /// A node: a transform relative to its parent, and its mesh, light or camera.
    Node { index } => scenes::Node: |scene| scene.nodes[index];
    /// A mesh: a list of primitives, one for each material.
    SceneMesh { index } => scenes::Mesh: |scene| scene.meshes[index];
    /// The triangles of a mesh that have one material.
    Primitive { mesh, index } => scenes::Primitive: |scene| scene.meshes[mesh].primitives[index];
    /// A material with metalness and roughness, as in glTF.
    Material { index } => scenes::Material: |scene| scene.materials[index];
    /// An image, embedded or in an external file.
    Image { index } => scenes::Image: |scene| scene.images[index];
    /// The joints that deform a mesh.
    Skin { index } => scenes::Skin: |scene| scene.skins[index];
    /// An animation: values of nodes over time.
    Animation { index } => scenes::Animation: |scene| scene.animations[index];
    /// The values of one property of one node over time.
    Channel { animation, index } => scenes::Channel: |scene| scene.animations[animation].channels[index];
}

/// The parts of a scene as a tuple: a list could be changed, without any effect.
macro_rules! list {
    ($self:ident, $py:ident, $list:ident, $name:ident) => {
        array::tuple_of(
            $py,
            (0..$self.scene.$list.len()).map(|index| $name { scene: $self.scene.clone(), index }),
        )
    };
}

/// A tuple of Python.
type Tuple<'py> = PyResult<Bound<'py, PyTuple>>;

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (**parts), text_signature = "(*, name='', nodes=(), roots=None, meshes=(), materials=(), images=(), \
        skins=(), animations=(), copyright='', front=0.0, extras=None)")]
    fn new_from(py: Python<'_>, parts: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let parts = parts.cloned().unwrap_or_else(|| PyDict::new(py));
        Ok(Self::new(build::scene(&parts)?, Vec::new(), MAX_BYTES))
    }

    /// Creates a scene with one mesh at the origin: positions (n, 3), triangles (m, 3), and the other arrays of `Geometry`
    /// as keywords; `material` is a dict with the attributes of `Material`.
    ///
    /// >>> import rezkit
    /// >>> scene = rezkit.Scene.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="one")
    /// >>> rezkit.convert(scene, "glb").data[:4], scene.triangle_count
    /// (b'glTF', 1)
    #[staticmethod]
    #[pyo3(signature = (positions, triangles, *, name = "", material = None, **columns), text_signature = "(positions, \
        triangles, *, name='', material=None, normals=None, uvs=None, tangents=None, colors=None, joints=None, \
        weights=None)")]
    fn from_arrays<'py>(
        positions: Bound<'py, PyAny>,
        triangles: Bound<'py, PyAny>,
        name: &str,
        material: Option<Bound<'py, PyAny>>,
        columns: Option<&Bound<'py, PyDict>>,
    ) -> Result<Self> {
        let py = positions.py();
        for (name, given) in [("positions", &positions), ("triangles", &triangles)] {
            if given.is_none() {
                return Err(PyTypeError::new_err(format!("{name}: expected an array, found None")).into());
            }
        }
        let columns = columns.map_or_else(|| Ok(PyDict::new(py)), |columns| columns.copy())?;
        columns.set_item("positions", positions)?;
        columns.set_item("triangles", triangles)?;
        let parts = build::single(py, name, &columns, material)?;
        Ok(Self::new(build::scene(&parts)?, Vec::new(), MAX_BYTES))
    }

    /// Reads a `trimesh.Trimesh` or a `trimesh.Scene`, with its materials.
    #[staticmethod]
    fn from_trimesh<'py>(mesh: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let py = mesh.py();
        let named = [("file_type", "glb")].into_py_dict(py)?;
        let glb = mesh.call_method("export", (), Some(&named))?;
        Self::from_gltf(&glb)
    }

    /// The scene as a `trimesh.Scene`; requires the package `trimesh`. Skins and animations have no counterpart there.
    fn to_trimesh<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        let py = this.py();
        let glb = function(py, "convert")?.call1((this, "glb"))?.getattr("data")?;
        let glb = py.import("io")?.call_method1("BytesIO", (glb,))?;
        let named = [("file_type", "glb")].into_py_dict(py)?;
        Ok(py.import("trimesh")?.call_method("load_scene", (glb,), Some(&named))?)
    }

    /// Reads glTF: a path, bytes, a file object, or a `pygltflib.GLTF2`.
    #[staticmethod]
    fn from_gltf<'py>(x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let py = x.py();
        let x = match x.getattr_opt("save_to_bytes")? {
            Some(save) => PyBytes::new(py, b"").call_method1("join", (save.call0()?,))?,
            None => x.clone(),
        };
        Ok(function(py, "scene")?.call1((x,))?)
    }

    /// Converts the scene to the format of the path's extension, or to `to`, and writes it, with the files beside it.
    /// Returns the losses. Options are those of `convert`. A file object needs `to`.
    ///
    /// >>> import rezkit, tempfile, pathlib
    /// >>> scene = rezkit.Scene.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     losses = scene.save(pathlib.Path(folder, "one.m3d"))
    #[pyo3(signature = (path, to = None, **options))]
    fn save<'py>(
        this: &Bound<'py, Self>,
        path: &Bound<'py, PyAny>,
        to: Option<&str>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        let convert = function(this.py(), "convert")?;
        if writable(path)? {
            let wrong =
                || Error::Argument("to", "expected an extension such as glb for a file object".to_owned());
            let made = convert.call((this, to.ok_or_else(wrong)?), options)?;
            made.call_method1("save", (path,))?;
            return Ok(made.getattr("losses")?);
        }
        let path: PathBuf = path.extract()?;
        let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let wrong =
            || Error::Argument("path", "expected a name with an extension, such as scene.glb".to_owned());
        let to = to.map_or_else(|| text(path.extension()).ok_or_else(wrong), |to| Ok(to.to_owned()))?;
        let stem = text(path.file_stem());
        let named = options.map_or_else(|| Ok(PyDict::new(this.py())), |options| options.copy())?;
        if !named.contains("name")? {
            named.set_item("name", stem)?;
        }
        let made = convert.call((this, to), Some(&named))?;
        made.call_method1("save", (path,))?;
        Ok(made.getattr("losses")?)
    }

    /// A copy with other parts, as in `Scene(…)`; the rest is kept. `copy.replace(scene, …)` of Python 3.13 is the same.
    ///
    /// >>> import rezkit
    /// >>> scene = rezkit.Scene.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], material={"name": "old"})
    /// >>> scene.replace(materials=[scene.materials[0].replace(base_color=(1, 0, 0, 1))]).materials
    /// (Material("old", base_color=(1.000, 0.000, 0.000, 1.000), metallic=0, roughness=1),)
    #[pyo3(signature = (**parts), text_signature = "($self, *, name=..., nodes=..., roots=..., meshes=..., materials=..., images=..., \
        skins=..., animations=..., copyright=..., front=..., extras=...)")]
    fn replace(&self, py: Python<'_>, parts: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let parts = parts.cloned().unwrap_or_else(|| PyDict::new(py));
        let scene = build::replaced((*self.scene).clone(), &parts)?;
        Ok(Self::new(scene, self.losses.clone(), self.max_bytes))
    }

    #[pyo3(signature = (**parts))]
    fn __replace__(&self, py: Python<'_>, parts: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        self.replace(py, parts)
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let objects = this.py().import("rezkit._objects")?;
        let parts = objects.call_method1("plain", (this,))?;
        let arguments = (parts, this.getattr("losses")?, this.get().max_bytes);
        Ok((objects.getattr("scene")?, arguments).into_pyobject(this.py())?.into_any())
    }

    fn _repr_png_<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("rezkit._objects")?.call_method1("png", (this,))
    }

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

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.scene == other.get().scene)
    }

    /// The author and the licence; empty if unknown.
    #[getter]
    fn copyright(&self) -> &str {
        &self.scene.copyright
    }

    /// The direction of the front, in degrees about y from +z.
    #[getter]
    fn front(&self) -> f32 {
        self.scene.front
    }

    /// Data without a counterpart in a scene, as a dict.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        extras(py, &self.scene.extras)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// All nodes.
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, nodes, Node)
    }

    /// The indices of nodes without a parent.
    #[getter]
    fn roots<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.scene.roots.iter().copied())
    }

    /// The meshes that nodes refer to.
    #[getter]
    fn meshes<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, meshes, SceneMesh)
    }

    /// The materials that primitives refer to.
    #[getter]
    fn materials<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, materials, Material)
    }

    /// The images that materials refer to.
    #[getter]
    fn images<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, images, Image)
    }

    /// The skins that nodes refer to.
    #[getter]
    fn skins<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, skins, Skin)
    }

    /// The animations.
    #[getter]
    fn animations<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        list!(self, py, animations, Animation)
    }

    /// The losses of the scene, as a list of `Loss`.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        losses(py, &self.losses)
    }

    /// The number of drawn triangles.
    #[getter]
    fn triangle_count(&self) -> usize {
        self.scene.triangle_count()
    }

    /// The world matrices of all nodes: `float32`, shape (nodes, 4, 4), for column vectors.
    fn world_matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let scene = self.scene();
        let matrices = py.detach(|| {
            let world =
                scene.world_matrices(&scene.nodes.iter().map(|node| node.transform).collect::<Vec<_>>());
            world.iter().map(|matrix| rows(*matrix)).collect::<Vec<_>>()
        });
        array::owned(py, matrices)
    }

    fn __repr__(&self) -> String {
        let scenes::Scene { name, nodes, meshes, .. } = &*self.scene;
        format!("Scene({name:?}, {} nodes, {} meshes)", nodes.len(), meshes.len())
    }
}

/// A matrix row by row, from one column by column.
fn rows(columns: [[f32; 4]; 4]) -> [f32; 16] {
    std::array::from_fn(|index| columns[index % 4][index / 4])
}

/// The scene that `pickle` makes.
#[pyfunction]
pub(crate) fn _scene(
    parts: &Bound<'_, PyDict>,
    losses: Vec<(String, String, String, usize, String)>,
    max_bytes: u64,
) -> Result<Scene> {
    let losses = losses.into_iter().map(|(kind, path, what, count, id)| {
        let id = rezkit::losses().iter().map(|rule| rule.id).find(|known| *known == id).unwrap_or_default();
        let made = match &*kind {
            "approximated" => rezkit::Loss::approximated(path, what).id(id),
            "filled-in" => rezkit::Loss::filled_in(path, what).id(id),
            "missing" => rezkit::Loss::missing(path, what).id(id),
            "warning" => rezkit::Loss::warning(path, what).id(id),
            _ => rezkit::Loss::new(path, what).id(id),
        };
        made.times(count)
    });
    Ok(Scene::new(build::scene(parts)?, losses.collect(), max_bytes))
}

/// A part with other values, given as a dict.
fn changed<'py>(part: &Bound<'py, PyAny>, values: Option<&Bound<'py, PyDict>>) -> Result<build::Part<'py>> {
    let plain = part.py().import("rezkit._objects")?.call_method1("plain", (part,))?;
    let dict: Bound<'py, PyDict> = plain.cast_into().map_err(PyErr::from)?;
    for (name, value) in values.into_iter().flatten() {
        if name.eq("matrix")? {
            ["translation", "rotation", "scale"].iter().try_for_each(|name| dict.del_item(name))?;
        }
        dict.set_item(name, value)?;
    }
    Ok(build::part(dict.into_any()))
}

/// A scene for a part that belongs to none.
fn only(put: impl FnOnce(&mut scenes::Scene)) -> Arc<scenes::Scene> {
    let mut scene = scenes::Scene::default();
    put(&mut scene);
    Arc::new(scene)
}

#[pymethods]
impl Node {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.node()?;
        Ok(Self { scene: only(|scene| scene.nodes.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The indices of the children.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().children.iter().copied())
    }

    /// The index of the node's mesh, or `None`.
    #[getter]
    fn mesh(&self) -> Option<usize> {
        self.part().mesh
    }

    /// The index of the skin that deforms the mesh, or `None`.
    #[getter]
    fn skin(&self) -> Option<usize> {
        self.part().skin
    }

    /// Whether the node and its descendants are hidden.
    #[getter]
    fn hidden(&self) -> bool {
        self.part().hidden
    }

    /// The translation relative to the parent: x, y, z.
    #[getter]
    fn translation<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().transform.translation)
    }

    /// The rotation relative to the parent: a quaternion x, y, z, w.
    #[getter]
    fn rotation<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().transform.rotation)
    }

    /// The scale relative to the parent: x, y, z.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().transform.scale)
    }

    /// The transform relative to the parent: `float32`, shape (4, 4), for column vectors.
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::shaped(py, rows(self.part().transform.matrix()).to_vec(), &[4])
    }

    /// The node's light, or `None`. Its colour is linear.
    #[getter]
    fn light<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(light) = self.part().light else { return Ok(None) };
        let [r, g, b] = light.color;
        let (kind, inner, outer) = match light.kind {
            LightKind::Directional => ("directional", None, None),
            LightKind::Point => ("point", None, None),
            LightKind::Spot { inner, outer } => ("spot", Some(inner), Some(outer)),
        };
        python_type!(py, "Light", (kind, (r, g, b), light.intensity, light.range, inner, outer)).map(Some)
    }

    /// The node's camera, or `None`.
    #[getter]
    fn camera<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(camera) = self.part().camera else { return Ok(None) };
        python_type!(py, "Camera", (camera.yfov, camera.znear, camera.zfar, camera.aspect)).map(Some)
    }

    fn __repr__(&self) -> String {
        let scenes::Node { name, mesh, children, .. } = self.part();
        format!("Node({}, {}, {} children)", short(name), index("mesh", *mesh), children.len())
    }

    /// The weights of the morph targets; if empty, those of the mesh apply.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().weights.iter().copied())
    }

    /// Data without a counterpart in a scene, as a dict.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        extras(py, &self.part().extras)
    }
}

/// A name as `repr` shows it.
fn short(name: &str) -> String {
    format!("{:?}", rezkit::plain::shorten(name, 60))
}

/// An optional index as `repr` shows it.
fn index(name: &str, index: Option<usize>) -> String {
    index.map_or_else(|| format!("no {name}"), |index| format!("{name} {index}"))
}

/// Values of JSON as a dict.
fn extras<'py>(py: Python<'py>, extras: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(extras).unwrap_or_default();
    py.import("json")?.call_method1("loads", (text,))
}

#[pymethods]
impl SceneMesh {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.mesh()?;
        Ok(Self { scene: only(|scene| scene.meshes.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The weights of the morph targets, for nodes without weights; empty if all are 0.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().weights.iter().copied())
    }

    /// Data without a counterpart in a scene, as a dict.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        extras(py, &self.part().extras)
    }

    /// The primitives.
    #[getter]
    fn primitives<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        let (scene, mesh) = (&self.scene, self.index);
        let indices = 0..self.part().primitives.len();
        array::tuple_of(py, indices.map(|index| Primitive { scene: scene.clone(), mesh, index }))
    }

    fn __repr__(&self) -> String {
        let scenes::Mesh { name, primitives, .. } = self.part();
        let triangles: usize = primitives.iter().map(|primitive| primitive.mesh.triangles.len()).sum();
        format!("SceneMesh({}, {} primitives, {triangles} triangles)", short(name), primitives.len())
    }
}

#[pymethods]
impl Primitive {
    /// The triangles as arrays, views of the scene's memory.
    #[getter]
    fn geometry(&self) -> Geometry {
        Geometry::new(self.part().mesh.clone())
    }

    /// The index of the material, or `None`.
    #[getter]
    fn material(&self) -> Option<usize> {
        self.part().material
    }

    /// The sets of texture coordinates from set 1 on, each `float32` of shape (n, 2); empty if a set is missing.
    #[getter]
    fn more_uvs<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        let set = |set: usize| {
            array::column(py, &self.scene, |scene| {
                &scene.meshes[self.mesh].primitives[self.index].more_uvs[set][..]
            })
        };
        array::tuple_of(py, (0..self.part().more_uvs.len()).map(set).collect::<PyResult<Vec<_>>>()?)
    }

    /// Morph targets: `Target` tuples of a name and of what is added to positions, normals and tangents at weight 1, each
    /// `float32` of shape (n, 3), or `None` if it does not change.
    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        let target = |(index, target): (usize, &scenes::MorphTarget)| {
            macro_rules! rows {
                ($name:ident) => {
                    match target.$name.is_empty() {
                        true => None,
                        false => Some(array::column(py, &self.scene, |scene| {
                            &scene.meshes[self.mesh].primitives[self.index].targets[index].$name
                        })?),
                    }
                };
            }
            python_type!(py, "Target", (&target.name, rows!(positions), rows!(normals), rows!(tangents)))
        };
        array::tuple_of(py, self.part().targets.iter().enumerate().map(target).collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self) -> String {
        let scenes::Primitive { mesh, material, .. } = self.part();
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        format!("Primitive({vertices} vertices, {triangles} triangles, {})", index("material", *material))
    }
}

/// A texture as a `rezkit.Texture`.
fn texture<'py>(py: Python<'py>, texture: &Texture) -> PyResult<Bound<'py, PyAny>> {
    let Texture { image, set, transform, sampler } = texture;
    let wrap = sampler.wrap.map(|wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Mirror => "mirror",
        Wrap::Clamp => "clamp",
    });
    let filters = [sampler.mag, sampler.min, sampler.mip].map(|filter| match filter {
        None => None,
        Some(Filter::Nearest) => Some("nearest"),
        Some(Filter::Linear) => Some("linear"),
    });
    let (offset, scale) =
        ((transform.offset[0], transform.offset[1]), (transform.scale[0], transform.scale[1]));
    let (wrap, filters) = ((wrap[0], wrap[1]), (filters[0], filters[1], filters[2]));
    python_type!(py, "Texture", (image, set, offset, transform.rotation, scale, wrap, filters))
}

#[pymethods]
impl Material {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.material()?;
        Ok(Self { scene: only(|scene| scene.materials.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The base colour: linear red, green and blue, and alpha.
    #[getter]
    fn base_color<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().base_color)
    }

    fn __repr__(&self) -> String {
        let scenes::Material { name, base_color: [r, g, b, a], metallic, roughness, .. } = self.part();
        let color = format!("({r:.3}, {g:.3}, {b:.3}, {a:.3})");
        format!("Material({}, base_color={color}, metallic={metallic}, roughness={roughness})", short(name))
    }

    /// The metalness, from 0 to 1.
    #[getter]
    fn metallic(&self) -> f32 {
        self.part().metallic
    }

    /// The roughness, from 0 to 1.
    #[getter]
    fn roughness(&self) -> f32 {
        self.part().roughness
    }

    /// The colour of the emitted light: linear red, green and blue.
    #[getter]
    fn emissive<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().emissive)
    }

    /// The factor that `emissive` is multiplied by.
    #[getter]
    fn emissive_strength(&self) -> f32 {
        self.part().emissive_strength
    }

    /// `opaque`, `mask` or `blend`.
    #[getter]
    fn alpha(&self) -> &'static str {
        match self.part().alpha {
            Alpha::Opaque => "opaque",
            Alpha::Mask(_) => "mask",
            Alpha::Blend => "blend",
        }
    }

    /// The alpha below which nothing is drawn, if `alpha` is `mask`.
    #[getter]
    fn alpha_cutoff(&self) -> Option<f32> {
        match self.part().alpha {
            Alpha::Mask(cutoff) => Some(cutoff),
            _ => None,
        }
    }

    /// Whether both sides are drawn.
    #[getter]
    fn double_sided(&self) -> bool {
        self.part().double_sided
    }

    /// The textures: a dict from `base_color`, `metallic_roughness`, `normal`, `occlusion` and `emissive` to `Texture`.
    #[getter]
    fn textures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let part = self.part();
        let textures = [
            ("base_color", &part.base_texture),
            ("metallic_roughness", &part.metallic_roughness_texture),
            ("normal", &part.normal_texture),
            ("occlusion", &part.occlusion_texture),
            ("emissive", &part.emissive_texture),
        ];
        let dict = PyDict::new(py);
        for (name, found) in textures {
            found.as_ref().map_or(Ok(()), |found| dict.set_item(name, texture(py, found)?))?;
        }
        Ok(dict)
    }

    /// The strength of the normal map.
    #[getter]
    fn normal_scale(&self) -> f32 {
        self.part().normal_scale
    }

    /// The strength of the occlusion, from 0 to 1.
    #[getter]
    fn occlusion_strength(&self) -> f32 {
        self.part().occlusion_strength
    }

    /// Whether the surface ignores light.
    #[getter]
    fn unlit(&self) -> bool {
        self.part().unlit
    }

    /// The index of refraction, or `None`.
    #[getter]
    fn ior(&self) -> Option<f32> {
        self.part().ior
    }

    /// The fraction of light that passes through, from 0 to 1, or `None`.
    #[getter]
    fn transmission(&self) -> Option<f32> {
        self.part().transmission
    }

    /// The strength, then the colour, of non-metallic reflections, or `None`.
    #[getter]
    fn specular<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.part().specular.map(|specular| array::tuple_of(py, specular)).transpose()
    }

    /// The clear layer above the surface, as a dict of `factor`, `texture`, `roughness`, `roughness_texture`,
    /// `normal_texture` and `normal_scale`, or `None`.
    #[getter]
    fn clearcoat<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(coat) = &self.part().clearcoat else { return Ok(None) };
        let dict = PyDict::new(py);
        for (name, number) in
            [("factor", coat.factor), ("roughness", coat.roughness), ("normal_scale", coat.normal_scale)]
        {
            dict.set_item(name, number)?;
        }
        let textures = [
            ("texture", &coat.texture),
            ("roughness_texture", &coat.roughness_texture),
            ("normal_texture", &coat.normal_texture),
        ];
        for (name, found) in textures {
            dict.set_item(name, found.as_ref().map(|found| texture(py, found)).transpose()?)?;
        }
        Ok(Some(dict))
    }

    /// Data without a counterpart in a scene, as a dict.
    #[getter]
    fn extras<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        extras(py, &self.part().extras)
    }
}

#[pymethods]
impl Image {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.image()?;
        Ok(Self { scene: only(|scene| scene.images.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The bytes of the image file (PNG, JPEG, WebP or GIF); `None` if it is external.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match &self.part().data {
            ImageData::Bytes(bytes) => Some(PyBytes::new(py, bytes)),
            ImageData::Uri(_) => None,
        }
    }

    fn __repr__(&self) -> String {
        let part = self.part();
        match &part.data {
            ImageData::Bytes(bytes) => {
                let kind = part.media_type().unwrap_or("unknown");
                format!("Image({}, {kind}, {} bytes)", short(&part.name), bytes.len())
            }
            ImageData::Uri(uri) => format!("Image({}, uri={})", short(&part.name), short(uri)),
        }
    }

    /// The URI of an external file; `None` if the image is embedded.
    #[getter]
    fn uri(&self) -> Option<&str> {
        match &self.part().data {
            ImageData::Uri(uri) => Some(uri),
            ImageData::Bytes(_) => None,
        }
    }

    /// The media type, such as `image/png`; `None` if it is unknown.
    #[getter]
    fn media_type(&self) -> Option<&'static str> {
        self.part().media_type()
    }
}

#[pymethods]
impl Skin {
    /// A copy with other values, as in `Scene(…)`, for `Scene.replace` or another scene.
    #[pyo3(signature = (**values))]
    fn replace(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let made = changed(this.as_any(), values)?.skin()?;
        Ok(Self { scene: only(|scene| scene.skins.push(made)), index: 0 })
    }

    #[pyo3(signature = (**values))]
    fn __replace__(this: &Bound<'_, Self>, values: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        Self::replace(this, values)
    }

    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    fn __repr__(&self) -> String {
        format!("Skin({}, {} joints)", short(&self.part().name), self.part().joints.len())
    }

    /// The nodes that are joints: joints of a `Geometry` are indices of this list.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> Tuple<'py> {
        array::tuple_of(py, self.part().joints.iter().copied())
    }

    /// The inverse bind matrices, from the mesh to each joint: `float32`, shape (joints, 4, 4), for column
    /// vectors.
    #[getter]
    fn inverse_bind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let matrices = self.part().inverse_bind.iter().map(|matrix| rows(*matrix));
        array::owned(py, matrices.collect::<Vec<_>>())
    }
}
