//! Scenes from arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use geom::{LinearRgba, TriMesh, Vec2, Vec3, Vec4};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use rezkit::scene::{
    Alpha, Camera, Channel, Clearcoat, Filter, Image, ImageData, Interpolation, Light, LightKind, Material,
    Mesh, MorphTarget, Node, Primitive, Sampler, Scene, Skin, Texture, Transform, UvTransform, Values, Wrap,
};

use crate::array::{self, floats, indices};
use crate::error::{Error, Result};
use crate::geometry::Geometry;

const QUATERNION: &str = "four numbers (x, y, z, w)";

type Extras = BTreeMap<String, serde_json::Value>;

/// A part of a scene from Python: a dict, or an object with attributes of the same names.
pub(super) struct Part<'py> {
    object: Bound<'py, PyAny>,
    path: String,
}

/// Defines a part's names: another key of a dict is an error.
macro_rules! known {
    ($part:expr, $($name:literal)+) => {
        $part.known(&[$($name),+])?
    };
}

impl<'py> Part<'py> {
    fn known(&self, names: &[&str]) -> Result<()> {
        let Ok(dict) = self.object.cast::<PyDict>() else {
            // Names that parts of several kinds have say nothing.
            let of_all = ["name", "weights", "extras"];
            for name in names.iter().filter(|name| !of_all.contains(name)) {
                if self.object.hasattr(*name)? {
                    return Ok(());
                }
            }
            let found = self.object.get_type().name()?;
            let text = format!(
                "{}: expected a dict with keys such as {}, found {found}",
                self.path,
                names.join(", ")
            );
            return Err(PyTypeError::new_err(text).into());
        };
        for name in dict.keys() {
            let name = name.str()?.to_string();
            if !names.contains(&&*name) {
                let text = format!("{}: unknown key {name}; expected {}", self.path, names.join(", "));
                return Err(PyTypeError::new_err(text).into());
            }
        }
        Ok(())
    }

    /// A value; `None` if it is missing or `None`.
    fn get(&self, name: &str) -> Result<Option<Bound<'py, PyAny>>> {
        let found = match self.object.cast::<PyDict>() {
            Ok(dict) => dict.get_item(name)?,
            Err(_) => self.object.getattr_opt(name)?,
        };
        Ok(found.filter(|found| !found.is_none()))
    }

    fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn wrong(&self, name: &str, what: &str) -> Error {
        Error::Type(rezkit::Error::argument(format!("expected {what}")).at(self.path(name)))
    }

    /// A value of a type of Rust.
    fn plain<T>(&self, name: &str, what: &str) -> Result<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.get(name)? else { return Ok(None) };
        value.extract().map(Some).map_err(|_| self.wrong(name, what))
    }

    fn or<T>(&self, name: &str, what: &str, default: T) -> Result<T>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        Ok(self.plain(name, what)?.unwrap_or(default))
    }

    fn text(&self, name: &str) -> Result<String> {
        Ok(self.plain(name, "a str")?.unwrap_or_default())
    }

    fn number(&self, name: &str, default: f32) -> Result<f32> {
        self.or(name, "a number", default)
    }

    fn rows<const N: usize>(&self, name: &'static str) -> Result<Vec<[f32; N]>> {
        let rows = self.get(name)?.map(|rows| floats(&rows, name)).transpose();
        Ok(rows.map_err(|error| error.at(&self.path(name)))?.unwrap_or_default())
    }

    /// Numbers of one dimension.
    fn numbers(&self, name: &'static str) -> Result<Vec<f32>> {
        let Some(given) = self.get(name)? else { return Ok(Vec::new()) };
        let rows = given.py().import("numpy")?.call_method1("reshape", (given, (-1, 1)))?;
        let rows = floats::<1>(&rows, name).map_err(|error| error.at(&self.path(name)))?;
        Ok(rows.into_iter().map(|[number]| number).collect())
    }

    /// The members of a list.
    pub(super) fn list(&self, name: &str) -> Result<Vec<Part<'py>>> {
        let Some(list) = self.get(name)? else { return Ok(Vec::new()) };
        let list = list.try_iter().map_err(|_| self.wrong(name, "a list"))?;
        list.enumerate()
            .map(|(index, object)| {
                Ok(Part { object: object?, path: format!("{}[{index}]", self.path(name)) })
            })
            .collect()
    }

    fn below(&self, name: &str) -> Result<Option<Part<'py>>> {
        Ok(self.get(name)?.map(|object| Part { object, path: self.path(name) }))
    }

    fn extras(&self) -> Result<Extras> {
        let Some(extras) = self.get("extras")? else { return Ok(Extras::new()) };
        let text: String = extras.py().import("json")?.call_method1("dumps", (extras,))?.extract()?;
        serde_json::from_str(&text).map_err(|_| self.wrong("extras", "a dict"))
    }

    /// One of several names.
    fn one_of<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.plain::<String>(name, "a str")? else { return Ok(None) };
        let names = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        found.map(Some).ok_or_else(|| self.wrong(name, &format!("one of {}, found {text:?}", names())))
    }

    /// A quaternion, whose length has to be 1.
    fn unit(&self, name: &str, quaternion: [f32; 4]) -> Result<[f32; 4]> {
        let length = quaternion.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt();
        match (length - 1.0).abs() <= 0.01 {
            true => Ok(quaternion),
            false => {
                Err(self.wrong(name, &format!("quaternions of length 1, found one of length {length:.3}")))
            }
        }
    }

    pub(super) fn node(&self) -> Result<Node> {
        known!(self, "name" "translation" "rotation" "scale" "matrix" "children" "mesh" "skin" "weights" "hidden" "light"
            "camera" "extras");
        let at_rest = Transform::default();
        let matrix = self.get("matrix")?.filter(|_| self.object.is_instance_of::<PyDict>());
        let transform = match matrix {
            Some(matrix) => {
                let rows = array::matrix(&matrix, "matrix")?
                    .ok_or_else(|| self.wrong("matrix", "a matrix of shape (4, 4)"))?;
                for name in ["translation", "rotation", "scale"] {
                    if self.get(name)?.is_some() {
                        return Err(self.wrong(name, "no value beside a matrix"));
                    }
                }
                let made = Transform::from_matrix(std::array::from_fn(|column| rows.map(|row| row[column])));
                let again = made.matrix();
                let largest =
                    rows.as_flattened().iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
                let is_same = (0..4).all(|column| {
                    (0..4).all(|row| (again[column][row] - rows[row][column]).abs() <= 1e-3 * largest)
                });
                if !is_same {
                    return Err(self.wrong("matrix", "a matrix of a translation, a rotation and a scale"));
                }
                made
            }
            None => Transform {
                translation: self.or("translation", "three numbers", at_rest.translation)?,
                rotation: self.unit("rotation", self.or("rotation", QUATERNION, at_rest.rotation)?)?,
                scale: self.or("scale", "three numbers", at_rest.scale)?,
            },
        };
        const INDEX: &str = "an index";
        Ok(Node {
            name: self.text("name")?,
            transform,
            children: self.or("children", "indices", Vec::new())?,
            mesh: self.plain("mesh", INDEX)?,
            skin: self.plain("skin", INDEX)?,
            weights: self.numbers("weights")?,
            hidden: self.or("hidden", "a bool", false)?,
            light: self.below("light")?.map(|light| light.light()).transpose()?,
            camera: self.below("camera")?.map(|camera| camera.camera()).transpose()?,
            extras: self.extras()?,
            source: None,
        })
    }

    fn light(&self) -> Result<Light> {
        known!(self, "kind" "color" "intensity" "range" "inner" "outer");
        let spot = LightKind::Spot {
            inner: self.number("inner", 0.0)?,
            outer: self.number("outer", std::f32::consts::FRAC_PI_4)?,
        };
        let kinds = [("directional", LightKind::Directional), ("point", LightKind::Point), ("spot", spot)];
        Ok(Light {
            kind: self.one_of("kind", &kinds)?.unwrap_or(LightKind::Point),
            color: self.or("color", "three numbers", [1.0; 3])?,
            intensity: self.number("intensity", 1.0)?,
            range: self.plain("range", "a number")?,
        })
    }

    fn camera(&self) -> Result<Camera> {
        known!(self, "yfov" "znear" "zfar" "aspect");
        Ok(Camera {
            yfov: self.number("yfov", 1.0)?,
            znear: self.number("znear", 0.1)?,
            zfar: self.plain("zfar", "a number")?,
            aspect: self.plain("aspect", "a number")?,
        })
    }

    pub(super) fn mesh(&self) -> Result<Mesh> {
        known!(self, "name" "primitives" "weights" "extras");
        Ok(Mesh {
            name: self.text("name")?,
            primitives: self.list("primitives")?.iter().map(Part::primitive).collect::<Result<_>>()?,
            weights: self.numbers("weights")?,
            extras: self.extras()?,
        })
    }

    fn colors(&self) -> Result<Vec<LinearRgba>> {
        let Some(given) = self.get("colors")? else { return Ok(Vec::new()) };
        let numpy = given.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (given,))?;
        let of = array.getattr("dtype")?;
        let (kind, size): (String, usize) =
            (of.getattr("kind")?.extract()?, of.getattr("itemsize")?.extract()?);
        let wrong = |what: String| rezkit::Error::argument(what).at(self.path("colors"));
        let whole = match &*kind {
            "f" => {
                if numpy.call_method1("isnan", (&array,))?.call_method0("any")?.is_truthy()? {
                    return Err(wrong("a colour is NaN".to_owned()).into());
                }
                // 65535 does not fit into a 16-bit float.
                let wide = array.call_method1("astype", ("float64",))?;
                let bytes = numpy.call_method1("clip", (wide, 0, 1))?.call_method1("__mul__", (65535,))?;
                numpy.call_method1("rint", (bytes,))?.call_method1("astype", ("uint16",))?
            }
            "u" if size == 1 => array.call_method1("astype", ("uint16",))?.call_method1("__mul__", (257,))?,
            "u" if size == 2 => array,
            // Bytes, or 0 to 65535?
            _ => {
                return Err(wrong(format!("expected floats from 0 to 1, uint8 or uint16, found {of}")).into());
            }
        };
        let at = |error: Error| error.at(&self.path("colors"));
        // Without alpha, colours are opaque.
        if let (_, 3) = whole.getattr("shape")?.extract::<(usize, usize)>().unwrap_or_default() {
            let rows = indices::<u16, 3>(&whole, "colors", 1 << 16, "values").map_err(at)?;
            return Ok(rows.into_iter().map(|[r, g, b]| LinearRgba { r, g, b, a: u16::MAX }).collect());
        }
        let rows = indices::<u16, 4>(&whole, "colors", 1 << 16, "values").map_err(at)?;
        Ok(rows.into_iter().map(|[r, g, b, a]| LinearRgba { r, g, b, a }).collect())
    }

    fn geometry(&self) -> Result<Arc<TriMesh>> {
        if let Some(geometry) = self.get("geometry")? {
            let geometry = geometry.cast::<Geometry>().map_err(|_| self.wrong("geometry", "a Geometry"))?;
            return Ok(geometry.get().mesh());
        }
        let integers = |name: &'static str, limit, what: &str| {
            let rows = self.get(name)?.map(|rows| indices::<u32, 3>(&rows, name, limit, what));
            rows.transpose().map_err(|error| error.at(&self.path(name)))
        };
        let positions: Vec<Vec3> = self.rows("positions")?.into_iter().map(Vec3::from).collect();
        let joints = self.get("joints")?.map(|rows| indices::<u16, 4>(&rows, "joints", 1 << 16, "values"));
        Ok(Arc::new(TriMesh {
            triangles: integers("triangles", positions.len(), "vertices")?.unwrap_or_default(),
            positions,
            normals: self.rows("normals")?.into_iter().map(Vec3::from).collect(),
            tangents: self.rows("tangents")?.into_iter().map(Vec4::from).collect(),
            uvs: self.rows("uvs")?.into_iter().map(Vec2::from).collect(),
            colors: self.colors()?,
            joints: joints.transpose().map_err(|error| error.at(&self.path("joints")))?.unwrap_or_default(),
            weights: self.rows("weights")?,
        }))
    }

    fn primitive(&self) -> Result<Primitive> {
        known!(self, "geometry" "positions" "triangles" "normals" "tangents" "uvs" "more_uvs" "colors" "joints" "weights"
            "material" "targets");
        let targets = self.list("targets")?;
        let targets = targets.iter().map(|target| {
            known!(target, "name" "positions" "normals" "tangents");
            let rows = |name| Ok::<_, Error>(target.rows(name)?.into_iter().map(Vec3::from).collect());
            Ok(MorphTarget {
                name: target.text("name")?,
                positions: rows("positions")?,
                normals: rows("normals")?,
                tangents: rows("tangents")?,
            })
        });
        let mut primitive = Primitive::new(self.geometry()?, self.plain("material", "an index")?);
        primitive.targets = targets.collect::<Result<_>>()?;
        for set in self.get("more_uvs")?.iter().flat_map(|sets| sets.try_iter()).flatten() {
            let rows = floats(&set?, "more_uvs").map_err(|error| error.at(&self.path("more_uvs")))?;
            primitive.more_uvs.push(rows.into_iter().map(Vec2::from).collect());
        }
        Ok(primitive)
    }

    pub(super) fn material(&self) -> Result<Material> {
        known!(self, "name" "base_color" "metallic" "roughness" "emissive" "emissive_strength" "alpha" "alpha_cutoff"
            "double_sided" "textures" "normal_scale" "occlusion_strength" "unlit" "ior" "transmission" "specular"
            "clearcoat" "extras");
        let usual = Material::default();
        let mask = Alpha::Mask(self.number("alpha_cutoff", 0.5)?);
        let alphas = [("opaque", Alpha::Opaque), ("mask", mask), ("blend", Alpha::Blend)];
        let textures = self.below("textures")?;
        let texture = |name| match &textures {
            Some(textures) => textures.texture(name),
            None => Ok(None),
        };
        if let Some(textures) = &textures {
            known!(textures, "base_color" "metallic_roughness" "normal" "occlusion" "emissive");
        }
        Ok(Material {
            name: self.text("name")?,
            base_color: self.or("base_color", "four numbers", usual.base_color)?,
            base_texture: texture("base_color")?,
            metallic: self.number("metallic", usual.metallic)?,
            roughness: self.number("roughness", usual.roughness)?,
            metallic_roughness_texture: texture("metallic_roughness")?,
            normal_texture: texture("normal")?,
            normal_scale: self.number("normal_scale", usual.normal_scale)?,
            occlusion_texture: texture("occlusion")?,
            occlusion_strength: self.number("occlusion_strength", usual.occlusion_strength)?,
            emissive: self.or("emissive", "three numbers", usual.emissive)?,
            emissive_strength: self.number("emissive_strength", usual.emissive_strength)?,
            emissive_texture: texture("emissive")?,
            alpha: self.one_of("alpha", &alphas)?.unwrap_or(usual.alpha),
            double_sided: self.or("double_sided", "a bool", false)?,
            unlit: self.or("unlit", "a bool", false)?,
            ior: self.plain("ior", "a number")?,
            transmission: self.plain("transmission", "a number")?,
            specular: self.plain("specular", "four numbers")?,
            clearcoat: self.below("clearcoat")?.map(|coat| coat.clearcoat()).transpose()?,
            extras: self.extras()?,
        })
    }

    fn clearcoat(&self) -> Result<Clearcoat> {
        known!(self, "factor" "texture" "roughness" "roughness_texture" "normal_texture" "normal_scale");
        Ok(Clearcoat {
            factor: self.number("factor", 0.0)?,
            texture: self.texture("texture")?,
            roughness: self.number("roughness", 0.0)?,
            roughness_texture: self.texture("roughness_texture")?,
            normal_texture: self.texture("normal_texture")?,
            normal_scale: self.number("normal_scale", 1.0)?,
        })
    }

    /// A texture: the index of an image, or a `rezkit.Texture`.
    fn texture(&self, name: &str) -> Result<Option<Texture>> {
        let Some(texture) = self.below(name)? else { return Ok(None) };
        if let Ok(image) = texture.object.extract() {
            return Ok(Some(Texture::new(image)));
        }
        known!(texture, "image" "set" "offset" "rotation" "scale" "wrap" "filters");
        let wrap = |text: &String| match &**text {
            "repeat" => Ok(Wrap::Repeat),
            "mirror" => Ok(Wrap::Mirror),
            "clamp" => Ok(Wrap::Clamp),
            _ => Err(texture.wrong("wrap", "repeat, mirror or clamp")),
        };
        let filter = |text: &Option<String>| match text.as_deref() {
            None => Ok(None),
            Some("nearest") => Ok(Some(Filter::Nearest)),
            Some("linear") => Ok(Some(Filter::Linear)),
            _ => Err(texture.wrong("filters", "nearest, linear or None")),
        };
        let [u, v] = texture.or("wrap", "two names", ["repeat", "repeat"].map(str::to_owned))?;
        let [mag, min, mip] = texture.or("filters", "three names", [const { None::<String> }; 3])?;
        let usual = UvTransform::default();
        Ok(Some(Texture {
            image: texture.plain("image", "an index")?.ok_or_else(|| texture.wrong("image", "an index"))?,
            set: texture.or("set", "an index", 0)?,
            transform: UvTransform {
                offset: texture.or("offset", "two numbers", usual.offset)?,
                rotation: texture.number("rotation", usual.rotation)?,
                scale: texture.or("scale", "two numbers", usual.scale)?,
            },
            sampler: Sampler {
                wrap: [wrap(&u)?, wrap(&v)?],
                mag: filter(&mag)?,
                min: filter(&min)?,
                mip: filter(&mip)?,
            },
        }))
    }

    pub(super) fn image(&self) -> Result<Image> {
        known!(self, "name" "data" "uri");
        let data = match self.get("data")? {
            Some(data) => {
                let bytes = data.cast::<PyBytes>().map_err(|_| self.wrong("data", "bytes"))?;
                ImageData::Bytes(bytes.as_bytes().to_vec())
            }
            None => ImageData::Uri(self.text("uri")?),
        };
        Ok(Image { name: self.text("name")?, data })
    }

    pub(super) fn skin(&self) -> Result<Skin> {
        known!(self, "name" "joints" "inverse_bind");
        let joints: Vec<usize> = self.or("joints", "indices of nodes", Vec::new())?;
        let mut inverse_bind = Vec::new();
        if let Some(matrices) = self.get("inverse_bind")? {
            for matrix in matrices.try_iter()? {
                let wrong = || self.wrong("inverse_bind", "matrices of shape (n, 4, 4)");
                let rows = array::matrix(&matrix?, "inverse_bind")?.ok_or_else(wrong)?;
                inverse_bind.push(std::array::from_fn(|column| rows.map(|row| row[column])));
            }
        } else {
            inverse_bind.resize(joints.len(), Transform::default().matrix());
        }
        Ok(Skin { name: self.text("name")?, joints, inverse_bind })
    }

    pub(super) fn animation(&self) -> Result<rezkit::scene::Animation> {
        known!(self, "name" "channels" "extras");
        let mut extras = self.extras()?;
        // What cannot be used stays among the extras.
        let playback = rezkit::scene::gltf::playback::read(&mut extras, "", &mut Vec::new());
        Ok(rezkit::scene::Animation {
            name: self.text("name")?,
            channels: self.list("channels")?.iter().map(Part::channel).collect::<Result<_>>()?,
            playback,
            extras,
            source: None,
        })
    }

    fn channel(&self) -> Result<Channel> {
        known!(self, "node" "path" "interpolation" "times" "values");
        let interpolations = [
            ("linear", Interpolation::Linear),
            ("step", Interpolation::Step),
            ("cubic", Interpolation::Cubic),
        ];
        let paths = [("translation", 0), ("rotation", 1), ("scale", 2), ("weights", 3)];
        let interpolation = self.one_of("interpolation", &interpolations)?.unwrap_or_default();
        let values = match self.one_of("path", &paths)? {
            Some(0) => Values::Translation(self.rows("values")?),
            Some(1) => {
                let rows: Vec<[f32; 4]> = self.rows("values")?;
                // The tangents of cubic keys have any length.
                let is_key = |at: usize| interpolation != Interpolation::Cubic || at % 3 == 1;
                for (_, &row) in rows.iter().enumerate().filter(|(at, _)| is_key(*at)) {
                    self.unit("values", row)?;
                }
                Values::Rotation(rows)
            }
            Some(2) => Values::Scale(self.rows("values")?),
            Some(_) => Values::Weights(self.numbers("values")?),
            None => return Err(self.wrong("path", "translation, rotation, scale or weights")),
        };
        Ok(Channel {
            node: self.plain("node", "an index")?.ok_or_else(|| self.wrong("node", "an index"))?,
            times: self.numbers("times")?,
            values,
            interpolation,
        })
    }

    fn all<T>(&self, name: &str, make: impl Fn(&Part<'py>) -> Result<T>) -> Result<Vec<T>> {
        self.list(name)?.iter().map(make).collect()
    }
}

/// A part from a dict, or from an object with the same attributes.
pub(super) fn part(object: Bound<'_, PyAny>) -> Part<'_> {
    Part { object, path: String::new() }
}

/// A scene from the parts of a dict, checked.
pub(super) fn scene(parts: &Bound<'_, PyDict>) -> Result<Scene> {
    replaced(Scene::default(), parts)
}

/// A scene with the parts of a dict in place of its own, checked.
pub(super) fn replaced(mut scene: Scene, given: &Bound<'_, PyDict>) -> Result<Scene> {
    let parts = part(given.clone().into_any());
    known!(parts, "name" "nodes" "roots" "meshes" "materials" "images" "skins" "animations" "copyright" "front" "extras");
    macro_rules! put {
        ($($name:literal $field:ident: $made:expr;)+) => {$(
            if given.contains($name)? {
                scene.$field = $made;
            }
        )+};
    }
    put! {
        "nodes" nodes: parts.all("nodes", Part::node)?;
        "name" name: parts.text("name")?;
        "meshes" meshes: parts.all("meshes", Part::mesh)?;
        "materials" materials: parts.all("materials", Part::material)?;
        "images" images: parts.all("images", Part::image)?;
        "skins" skins: parts.all("skins", Part::skin)?;
        "animations" animations: parts.all("animations", Part::animation)?;
        "copyright" copyright: parts.text("copyright")?;
        "front" front: parts.number("front", 0.0)?;
        "extras" extras: parts.extras()?;
    }
    match parts.plain("roots", "indices of nodes")? {
        Some(roots) => scene.roots = roots,
        None if given.contains("nodes")? => {
            let mut is_child = vec![false; scene.nodes.len()];
            for &child in scene.nodes.iter().flat_map(|node| &node.children) {
                if let Some(is_child) = is_child.get_mut(child) {
                    *is_child = true;
                }
            }
            scene.roots = (0..scene.nodes.len()).filter(|&node| !is_child[node]).collect();
        }
        None => {}
    }
    scene.check()?;
    Ok(scene)
}

/// A dict with a single mesh at the origin: `columns` are the keys of a primitive, `material` those of its material.
pub(super) fn single<'py>(
    py: Python<'py>,
    name: &str,
    columns: &Bound<'py, PyDict>,
    material: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (node, mesh, parts) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    for named in [&node, &mesh, &parts] {
        named.set_item("name", PyString::new(py, name))?;
    }
    if let Some(material) = material {
        columns.set_item("material", 0)?;
        parts.set_item("materials", [material])?;
    }
    node.set_item("mesh", 0)?;
    mesh.set_item("primitives", [columns])?;
    parts.set_item("nodes", [node])?;
    parts.set_item("meshes", [mesh])?;
    Ok(parts)
}
