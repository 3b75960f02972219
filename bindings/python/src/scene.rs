//! Scenes as arrays.

mod animation;

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use rezkit::scene::{self as scenes, Alpha, ImageData, LightKind, Texture};

use crate::array;
use crate::error::{losses, python_type};
use crate::geometry::Geometry;

/// A scene in glTF's terms: lists of nodes, meshes, materials, images, skins and animations that refer to each other by
/// index. Right-handed, y up; times in seconds.
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

    /// The memory limit of the asset that the scene was made from.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes
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

macro_rules! list {
    ($self:ident, $list:ident, $name:ident) => {
        (0..$self.scene.$list.len()).map(|index| $name { scene: $self.scene.clone(), index }).collect()
    };
}

#[pymethods]
impl Scene {
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// All nodes.
    #[getter]
    fn nodes(&self) -> Vec<Node> {
        list!(self, nodes, Node)
    }

    /// The indices of nodes without a parent.
    #[getter]
    fn roots(&self) -> Vec<usize> {
        self.scene.roots.clone()
    }

    /// The meshes that nodes refer to.
    #[getter]
    fn meshes(&self) -> Vec<SceneMesh> {
        list!(self, meshes, SceneMesh)
    }

    /// The materials that primitives refer to.
    #[getter]
    fn materials(&self) -> Vec<Material> {
        list!(self, materials, Material)
    }

    /// The images that materials refer to.
    #[getter]
    fn images(&self) -> Vec<Image> {
        list!(self, images, Image)
    }

    /// The skins that nodes refer to.
    #[getter]
    fn skins(&self) -> Vec<Skin> {
        list!(self, skins, Skin)
    }

    /// The animations.
    #[getter]
    fn animations(&self) -> Vec<Animation> {
        list!(self, animations, Animation)
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

#[pymethods]
impl Node {
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The indices of the children.
    #[getter]
    fn children(&self) -> Vec<usize> {
        self.part().children.clone()
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
    fn translation(&self) -> [f32; 3] {
        self.part().transform.translation
    }

    /// The rotation relative to the parent: a quaternion x, y, z, w.
    #[getter]
    fn rotation(&self) -> [f32; 4] {
        self.part().transform.rotation
    }

    /// The scale relative to the parent: x, y, z.
    #[getter]
    fn scale(&self) -> [f32; 3] {
        self.part().transform.scale
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
        let (kind, inner, outer) = match light.kind {
            LightKind::Directional => ("directional", None, None),
            LightKind::Point => ("point", None, None),
            LightKind::Spot { inner, outer } => ("spot", Some(inner), Some(outer)),
        };
        python_type!(py, "Light", (kind, light.color, light.intensity, light.range, inner, outer)).map(Some)
    }

    /// The node's camera, or `None`.
    #[getter]
    fn camera<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(camera) = self.part().camera else { return Ok(None) };
        python_type!(py, "Camera", (camera.yfov, camera.znear)).map(Some)
    }

    /// Data without a counterpart in a scene, as JSON.
    #[getter]
    fn extras(&self) -> String {
        rezkit_json(&self.part().extras)
    }
}

fn rezkit_json(extras: &impl serde::Serialize) -> String {
    serde_json::to_string(extras).unwrap_or_default()
}

#[pymethods]
impl SceneMesh {
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The primitives.
    #[getter]
    fn primitives(&self) -> Vec<Primitive> {
        let (scene, mesh) = (&self.scene, self.index);
        (0..self.part().primitives.len())
            .map(|index| Primitive { scene: scene.clone(), mesh, index })
            .collect()
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

    /// Morph targets: tuples of a name and the position offsets, `float32` of shape (n, 3).
    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
        let target = |(index, target): (usize, &scenes::Target)| {
            let positions = array::column(py, &self.scene, |scene| {
                &scene.meshes[self.mesh].primitives[self.index].targets[index].positions
            })?;
            Ok((PyString::new(py, &target.name), positions))
        };
        self.part().targets.iter().enumerate().map(target).collect()
    }
}

#[pymethods]
impl Material {
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The base colour: linear red, green and blue, and alpha.
    #[getter]
    fn base_color(&self) -> [f32; 4] {
        self.part().base_color
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
    fn emissive(&self) -> [f32; 3] {
        self.part().emissive
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

    /// The textures: a dict from `base_color`, `metallic_roughness`, `normal`, `occlusion` and `emissive` to tuples of
    /// the index of the image and the set of texture coordinates.
    #[getter]
    fn textures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let part = self.part();
        let textures = [
            ("base_color", part.base_texture),
            ("metallic_roughness", part.metallic_roughness_texture),
            ("normal", part.normal_texture),
            ("occlusion", part.occlusion_texture),
            ("emissive", part.emissive_texture),
        ];
        let dict = pyo3::types::PyDict::new(py);
        for (name, texture) in textures {
            if let Some(Texture { image, set, .. }) = texture {
                dict.set_item(name, (image, set))?;
            }
        }
        Ok(dict)
    }
}

#[pymethods]
impl Image {
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
    /// The name; empty if it has no name.
    #[getter]
    fn name(&self) -> &str {
        &self.part().name
    }

    /// The nodes that are joints: joints of a `Geometry` are indices of this list.
    #[getter]
    fn joints(&self) -> Vec<usize> {
        self.part().joints.clone()
    }

    /// The inverse bind matrices, from the mesh to each joint: `float32`, shape (joints, 4, 4), for column
    /// vectors.
    #[getter]
    fn inverse_bind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let matrices = self.part().inverse_bind.iter().map(|matrix| rows(*matrix));
        array::owned(py, matrices.collect::<Vec<_>>())
    }
}
