//! Converts glTF to a scene.

use rezkit_core::plain::shorten;
use rezkit_core::{Counted, Error, Result};
use serde::Deserialize as _;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat};
use gltf::image::Source;
use gltf::khr_lights_punctual::Kind;

use super::document::{data_of, is_data, unescaped};
use super::writer::sampler;
use super::{document, expand, meshopt, valid, vrm, wording};
use crate::forms::Beside;
use crate::model::{
    Camera, Image, ImageData, Light, LightKind, Mesh, Node, Primitive, Sampler, Scene, Skin, Transform,
};
use rezkit_core::Budget;
use rezkit_core::Loss;

/// Reads a scene from a `.glb` or `.gltf` file. `resolve` returns the content of another file by its name
/// relative to this one.
///
/// Features that a scene cannot represent, such as points, lines, and more than four joints per vertex, are listed as
/// losses.
///
/// # Errors
/// If this is not valid glTF 2.0, requires an extension that is not supported, or refers to a
/// buffer that is missing or too short; if the budget does not suffice.
pub fn from_slice(bytes: &[u8], budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    valid::text(bytes, budget)?;
    valid::lengths(bytes)?;
    let mut losses = Vec::new();
    let (mut json, mut blob) = document::read(bytes, &mut losses)?;
    valid::indices(&json)?;
    valid::required(&json)?;
    let (mut buffers, mut missing) = (Vec::new(), None);
    for (index, buffer) in json.buffers.iter().enumerate() {
        let path = format!("buffers[{index}]");
        let data = match &buffer.uri {
            None if meshopt::is_fallback(buffer) => None,
            None => blob.take(),
            Some(uri) => {
                data_of(uri, budget, resolve).map_err(|error| error.at(path.as_str()))?.map(Cow::Owned)
            }
        };
        if data.is_none() && meshopt::is_fallback(buffer) {
            // The views of this buffer are decompressed from another buffer.
            buffers.push(Cow::default());
            continue;
        }
        let Some(data) = data else {
            missing.get_or_insert_with(|| match buffer.uri.as_deref() {
                None => format!("{path}: the buffer has no uri, and the file has no binary chunk for it"),
                Some(uri) if is_data(uri) => {
                    format!("{path}: expected a data URI with valid base64 (data:…;base64,…)")
                }
                Some(uri) => format!(
                    "{path}: the external file {} was not found (its path is relative to the glTF file)",
                    unescaped(uri)
                ),
            });
            continue;
        };
        if let Cow::Owned(data) = &data {
            budget.take(data.len() as u64, &path)?;
        }
        if (data.len() as u64) < buffer.byte_length.0 {
            return Err(Error::unreadable(format!(
                "{path}: byteLength is {}, but the data has only {}",
                buffer.byte_length.0,
                Counted::new(data.len(), "bytes")
            )));
        }
        buffers.push(data);
    }
    if let Some(reason) = missing {
        // Asks for the images, too, so that a caller that collects the required files learns of them.
        let uris: BTreeSet<&str> = json.images.iter().filter_map(|image| image.uri.as_deref()).collect();
        for uri in uris.into_iter().filter(|uri| !is_data(uri)) {
            let Ok(data) = data_of(uri, budget, resolve) else { break };
            if budget.take(data.map_or(0, |bytes| bytes.len()) as u64, "the images").is_err() {
                break;
            }
        }
        return Err(Error::unreadable(reason));
    }
    expand::expand(&mut json, &mut buffers, budget)?;
    json.extensions_required.retain(|name| !valid::is_read(name));
    let unknown = json.extensions_used.iter().filter(|name| !valid::is_read(name));
    losses.extend(unknown.map(|name| {
        Loss::new("extensionsUsed", format!("the extension {name} is not supported{}", valid::without(name)))
            .id("gltf.extension")
    }));
    let document = gltf::Document::from_json(json).map_err(|error| {
        // As values, JSON takes many times its size, which does not count against the limit.
        const SMALL: usize = 1 << 16;
        let file = if bytes.len() > SMALL { None } else { document::value(bytes) };
        wording::refused(error, &file.unwrap_or_default())
    })?;
    let gltf = gltf::Gltf { document, blob: None };
    valid::accessors(&gltf, &buffers, budget)?;
    Reader { buffers, losses, textures: Vec::new(), resolve, budget }.scene(&gltf)
}

pub(super) struct Reader<'a> {
    pub(super) buffers: Vec<Cow<'a, [u8]>>,
    pub(super) losses: Vec<Loss>,
    /// The image and the sampler of each texture; `None` if it has no image.
    pub(super) textures: Vec<Option<(usize, Sampler)>>,
    resolve: &'a mut Beside<'a>,
    budget: &'a mut Budget,
}

fn light_of(light: &gltf::khr_lights_punctual::Light<'_>) -> Light {
    Light {
        kind: match light.kind() {
            Kind::Directional => LightKind::Directional,
            Kind::Point => LightKind::Point,
            Kind::Spot { inner_cone_angle, outer_cone_angle } => {
                LightKind::Spot { inner: inner_cone_angle, outer: outer_cone_angle }
            }
        },
        color: light.color(),
        intensity: light.intensity(),
        range: light.range(),
    }
}

pub(super) fn text(name: Option<&str>) -> String {
    name.unwrap_or_default().to_owned()
}

pub(super) fn extras(from: &gltf::json::Extras) -> BTreeMap<String, serde_json::Value> {
    from.as_ref().and_then(|raw| serde_json::from_slice(raw.get().as_bytes()).ok()).unwrap_or_default()
}

impl Reader<'_> {
    #[track_caller]
    pub(super) fn lose(
        &mut self,
        id: &'static str,
        path: String,
        what: impl Into<std::borrow::Cow<'static, str>>,
    ) {
        self.losses.push(Loss::new(path, what).id(id));
    }

    fn take(&mut self, bytes: usize, image: usize) -> Result<()> {
        self.budget.take(bytes as u64, &format!("images[{image}]"))
    }

    fn scene(mut self, gltf: &gltf::Gltf) -> Result<(Scene, Vec<Loss>)> {
        let mut scene = Scene::default();
        let asset = &gltf.as_json().asset;
        scene.copyright = text(asset.copyright.as_deref());
        for image in gltf.images() {
            let image = self.image(&image)?;
            scene.images.push(image);
        }
        let texture = |texture: gltf::texture::Texture<'_>| {
            Some((texture.source()?.index(), sampler(&texture.sampler())))
        };
        self.textures = gltf.textures().map(texture).collect();
        for (index, material) in gltf.as_json().materials.iter().enumerate() {
            let material = self.material(material, index)?;
            scene.materials.push(material);
        }
        for mesh in gltf.meshes() {
            let mesh = self.mesh(&mesh)?;
            scene.meshes.push(mesh);
        }
        for node in gltf.nodes() {
            let node = self.node(&node, &scene.meshes);
            scene.nodes.push(node);
        }
        vrm::name_bones(gltf.as_json(), &mut scene.nodes);
        for index in 0..gltf.as_json().nodes.len() {
            self.instances(&mut scene, gltf, index)?;
        }
        for skin in gltf.skins() {
            scene.skins.push(self.skin(&skin)?);
        }
        for animation in gltf.animations() {
            let animation = self.animation(&animation);
            scene.animations.push(animation);
        }
        self.choose(gltf, &mut scene);
        // Refuses nodes with several parents, and joints outside the skin.
        scene.check().map_err(Error::unreadable)?;
        Ok((scene, self.losses))
    }

    fn image(&mut self, image: &gltf::Image<'_>) -> Result<Image> {
        let data = match image.source() {
            Source::View { view, .. } => {
                self.take(view.length(), image.index())?;
                let buffer = &self.buffers[view.buffer().index()];
                ImageData::Bytes(buffer[view.offset()..view.offset() + view.length()].to_vec())
            }
            Source::Uri { uri, .. } => match data_of(uri, self.budget, self.resolve)? {
                Some(bytes) => {
                    self.take(bytes.len(), image.index())?;
                    ImageData::Bytes(bytes)
                }
                None => {
                    let what = match uri {
                        "" => Some("an image with an empty uri"),
                        uri if is_data(uri) => Some("an image whose data URI is not valid base64"),
                        _ => None,
                    };
                    if let Some(what) = what {
                        self.lose("image.unreadable", format!("images[{}].uri", image.index()), what);
                    }
                    ImageData::Uri(if what.is_some() { String::new() } else { uri.to_owned() })
                }
            },
        };
        let mut read = Image { name: text(image.name()), data };
        // The URI of an image can name any file: files that are not images are not included. Without a URI, the
        // image is not listed again.
        if matches!(read.data, ImageData::Bytes(_)) && read.media_type().is_none() {
            self.lose(
                "image.format",
                format!("images[{}]", image.index()),
                "an image that is not PNG, JPEG or WebP",
            );
            read.data = ImageData::Uri(String::new());
        }
        Ok(read)
    }

    fn mesh(&mut self, mesh: &gltf::Mesh<'_>) -> Result<Mesh> {
        let mut extras = extras(mesh.extras());
        let names: Vec<String> = match extras.remove("targetNames") {
            None => Vec::new(),
            Some(names) => Vec::deserialize(&names).unwrap_or_else(|_| {
                let found = shorten(&names.to_string(), 60);
                let what = format!("names of morph targets: expected an array of strings, found {found}");
                self.lose("gltf.morph-targets", format!("meshes[{}].extras.targetNames", mesh.index()), what);
                Vec::new()
            }),
        };
        let mut primitives = Vec::new();
        for primitive in mesh.primitives() {
            let path = format!("meshes[{}].primitives[{}]", mesh.index(), primitive.index());
            primitives.extend(self.primitive(&primitive, &names, path)?);
        }
        let targets =
            primitives.iter().map(|primitive: &Primitive| primitive.targets.len()).min().unwrap_or(0);
        let weights = self.weights(mesh.weights(), targets, || format!("meshes[{}]", mesh.index()));
        Ok(Mesh { name: text(mesh.name()), primitives, weights, extras })
    }

    fn node(&mut self, node: &gltf::Node<'_>, meshes: &[Mesh]) -> Node {
        let transform = match node.transform() {
            gltf::scene::Transform::Decomposed { translation, rotation, scale } => {
                let rotation = Quat::from_array(rotation).normalize().into();
                Transform { translation, rotation, scale }
            }
            gltf::scene::Transform::Matrix { matrix } => self.transform(matrix, node.index()),
        };
        let targets = node.mesh().and_then(|mesh| meshes.get(mesh.index())?.primitives.first());
        let targets = targets.map_or(0, |primitive| primitive.targets.len());
        let weights = self.weights(node.weights(), targets, || format!("nodes[{}]", node.index()));
        let visible = node.extension_value("KHR_node_visibility").and_then(|value| value.get("visible"));
        Node {
            name: text(node.name()),
            source: None,
            transform,
            children: node.children().map(|child| child.index()).collect(),
            mesh: node.mesh().map(|mesh| mesh.index()),
            skin: node.skin().map(|skin| skin.index()),
            weights,
            hidden: visible == Some(&serde_json::Value::Bool(false)),
            light: node.light().map(|light| light_of(&light)),
            camera: node.camera().and_then(|camera| match camera.projection() {
                gltf::camera::Projection::Perspective(p) => {
                    let (zfar, aspect) = (p.zfar(), p.aspect_ratio());
                    Some(Camera { yfov: p.yfov(), znear: p.znear(), zfar, aspect })
                }
                gltf::camera::Projection::Orthographic(_) => {
                    self.lose(
                        "gltf.camera",
                        format!("cameras[{}]", camera.index()),
                        "an orthographic camera: only perspective cameras are supported",
                    );
                    None
                }
            }),
            extras: extras(node.extras()),
        }
    }

    fn skin(&self, skin: &gltf::Skin<'_>) -> Result<Skin> {
        let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
        let buffers = &self.buffers;
        let reader = skin.reader(|buffer| buffers.get(buffer.index()).map(|data| &**data));
        // Surplus matrices belong to no joint.
        let inverse_bind: Vec<[[f32; 4]; 4]> = match reader.read_inverse_bind_matrices() {
            Some(matrices) => matrices.take(joints.len()).collect(),
            None => vec![Mat4::IDENTITY.to_cols_array_2d(); joints.len()],
        };
        if inverse_bind.len() < joints.len() {
            let path = format!("skins[{}]", skin.index());
            return Err(Error::unreadable(format!(
                "{path}: expected {} inverse bind matrices, one for each joint, found {}",
                joints.len(),
                inverse_bind.len()
            )));
        }
        Ok(Skin { name: text(skin.name()), joints, inverse_bind })
    }

    /// Reads the roots of the default scene, or else of the first one; without any, all nodes without a parent.
    fn choose(&mut self, gltf: &gltf::Gltf, scene: &mut Scene) {
        let chosen = gltf.default_scene().or_else(|| gltf.scenes().next());
        match chosen {
            Some(chosen) => {
                scene.name = text(chosen.name());
                scene.extras = extras(chosen.extras());
                scene.roots = chosen.nodes().map(|node| node.index()).collect();
                self.detach(scene);
                for other in gltf.scenes().filter(|other| other.index() != chosen.index()) {
                    self.lose(
                        "gltf.further-scene",
                        format!("scenes[{}]", other.index()),
                        "only the default scene is read (if the file declares no default, the first scene)",
                    );
                }
            }
            None => {
                let children: std::collections::HashSet<usize> =
                    scene.nodes.iter().flat_map(|node| node.children.iter().copied()).collect();
                scene.roots = (0..scene.nodes.len()).filter(|index| !children.contains(index)).collect();
            }
        }
    }

    /// Removes the roots of the scene from the children of nodes outside it: UniGLTF 1 wrote a parent that no scene has.
    fn detach(&mut self, scene: &mut Scene) {
        let inside: std::collections::HashSet<usize> = scene.walk().into_iter().collect();
        let roots: std::collections::HashSet<usize> = scene.roots.iter().copied().collect();
        for (index, node) in scene.nodes.iter_mut().enumerate().filter(|(index, _)| !inside.contains(index)) {
            let count = node.children.len();
            node.children.retain(|child| !roots.contains(child));
            if node.children.len() < count {
                let what = "a node outside the scene whose child is a root of the scene";
                self.lose("gltf.nodes", format!("nodes[{index}].children"), what);
            }
        }
    }

    /// The transform of a node that has a matrix.
    fn transform(&mut self, matrix: [[f32; 4]; 4], node: usize) -> Transform {
        let matrix = Mat4::from_cols_array_2d(&matrix);
        let mut transform = Transform::of(matrix);
        // With shear, the axes are not those of a rotation.
        transform.rotation = Quat::from_array(transform.rotation).normalize().into();
        if transform.lacks_shear_of(matrix) {
            let what = "the shear of the matrix is dropped: only translation, rotation and scale are kept";
            self.losses.push(Loss::approximated(format!("nodes[{node}].matrix"), what).id("scene.shear"));
        }
        transform
    }

    /// The weights of the targets of a mesh.
    fn weights(&mut self, from: Option<&[f32]>, targets: usize, path: impl Fn() -> String) -> Vec<f32> {
        let mut weights = from.unwrap_or_default().to_vec();
        if !weights.is_empty() && weights.len() != targets {
            let what = format!(
                "the number of weights ({}) differs from that of morph targets ({targets}): surplus weights are \
                 dropped, missing ones are 0",
                weights.len()
            );
            self.losses.push(Loss::approximated(path(), what).id("gltf.morph-targets"));
            weights.resize(targets, 0.0);
        }
        weights
    }

    /// Adds the instances of a node (`EXT_mesh_gpu_instancing`) as nodes below it.
    fn instances(&mut self, scene: &mut Scene, gltf: &gltf::Gltf, index: usize) -> Result<()> {
        let extensions = gltf.as_json().nodes[index].extensions.as_ref();
        let Some(found) = extensions.and_then(|all| all.others.get(expand::INSTANCING)) else {
            return Ok(());
        };
        let path = format!("nodes[{index}].{}", expand::INSTANCING);
        let mut accessors: BTreeMap<&str, gltf::Accessor<'_>> = BTreeMap::new();
        for (name, at) in found.get("attributes").and_then(|value| value.as_object()).into_iter().flatten() {
            let at = at.as_u64().and_then(|at| usize::try_from(at).ok());
            let accessor = at.and_then(|at| gltf.accessors().nth(at));
            let accessor = accessor.ok_or_else(|| {
                Error::unreadable(format!("{path}.{name}: expected the index of an accessor"))
            })?;
            match name.as_str() {
                "TRANSLATION" | "ROTATION" | "SCALE" => _ = accessors.insert(name, accessor),
                _ => self.lose(
                    "gltf.attributes",
                    format!("{path}.{name}"),
                    "an instance attribute other than TRANSLATION, ROTATION and SCALE",
                ),
            }
        }
        let count = accessors.values().map(gltf::Accessor::count).max().unwrap_or(0);
        if accessors.values().any(|accessor| accessor.count() != count) {
            return Err(Error::unreadable(format!("{path}: the instance attributes have different counts")));
        }
        self.budget.take_values::<Node>(count.saturating_mul(3), &path)?;
        let buffers = &self.buffers;
        let get = |buffer: gltf::Buffer<'_>| buffers.get(buffer.index()).map(|data| &**data);
        let vectors = |name: &str| -> Vec<[f32; 3]> {
            let accessor = accessors.get(name).cloned();
            accessor
                .and_then(|accessor| gltf::accessor::Iter::new(accessor, get))
                .into_iter()
                .flatten()
                .collect()
        };
        let (moves, scales) = (vectors("TRANSLATION"), vectors("SCALE"));
        let turns = accessors.get("ROTATION").cloned();
        let turns: Vec<[f32; 4]> =
            turns.and_then(|turns| gltf::accessor::Iter::new(turns, get)).into_iter().flatten().collect();
        let Node { name, mesh, weights, .. } = scene.nodes[index].clone();
        scene.nodes[index].mesh = None;
        scene.nodes[index].weights.clear();
        for instance in 0..count {
            let rest = Transform::default();
            let turn = turns.get(instance).map(|turn| Quat::from_array(*turn).normalize().into());
            let transform = Transform {
                translation: moves.get(instance).copied().unwrap_or(rest.translation),
                rotation: turn.unwrap_or(rest.rotation),
                scale: scales.get(instance).copied().unwrap_or(rest.scale),
            };
            let name = if name.is_empty() { String::new() } else { format!("{name} {instance}") };
            let weights = weights.clone();
            scene.add_node(Some(index), Node { name, transform, mesh, weights, ..Node::default() });
        }
        self.losses.push(
            Loss::approximated(path, format!("instances converted to separate nodes: {count}"))
                .id("gltf.instances"),
        );
        Ok(())
    }
}
