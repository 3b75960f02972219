//! Converts a scene to glTF.

use rezkit_core::{Budget, Error, Result};

use glam::DQuat;

use gltf::json::accessor::{ComponentType, Type};
use gltf::json::extensions::scene::khr_lights_punctual as lights;
use gltf::json::validation::Checked::Valid;
use gltf::json::validation::USize64;
use gltf::json::{self, Index};
use serde_json::json;

use super::document::WEBP;
use super::material::not_written;
use super::writer::{Writer, extras, index, name};
use crate::features::Feature;
use crate::model::{Camera, Image, ImageData, Light, LightKind, Scene, Transform};
use rezkit_core::Loss;

/// A scene as glTF: the JSON text and the binary buffer that it refers to.
#[derive(Clone, Debug)]
pub struct Gltf {
    /// The text of the `.gltf` file.
    pub json: String,
    /// The content of its buffer, a file with the requested name in the same folder.
    pub buffer: Vec<u8>,
    /// The losses: values that were changed because glTF does not allow them.
    pub losses: Vec<Loss>,
}

/// Writes a scene as one `.glb` file, including images, and returns the losses.
///
/// # Errors
/// If the file is larger than the 4 GiB that its header can count, or writing needs more memory than is left.
pub fn to_glb(scene: &Scene, budget: &mut Budget) -> Result<(Vec<u8>, Vec<Loss>)> {
    budget.clone().take(super::cost(scene), "the glTF document")?;
    let mut writer = Writer::new(scene, true);
    writer.scene(None)?;
    let json = serde_json::to_vec(&writer.root).map_err(Error::unwritable)?;
    let total = json.len() as u64 + writer.buffer.len() as u64 + 64;
    let length = u32::try_from(total).map_err(|_| {
        Error::unwritable("the scene exceeds 4 GiB, the limit of a .glb file: write a .gltf file instead")
    })?;
    let glb = gltf::binary::Glb {
        header: gltf::binary::Header { magic: *b"glTF", version: 2, length },
        json: json.into(),
        bin: Some(writer.buffer.into()).filter(|bytes: &std::borrow::Cow<'_, [u8]>| !bytes.is_empty()),
    };
    let bytes = glb.to_vec().map_err(Error::unwritable)?;
    budget.take(bytes.len() as u64, "the glTF document")?;
    Ok((bytes, writer.losses))
}

/// Writes a scene as a `.gltf` file and its buffer, a file named `buffer_name` that belongs in the same folder.
///
/// # Errors
/// If an index does not fit into 32 bits, or writing needs more memory than is left.
pub fn to_gltf(scene: &Scene, buffer_name: &str, budget: &mut Budget) -> Result<Gltf> {
    budget.clone().take(super::cost(scene), "the glTF document")?;
    let mut writer = Writer::new(scene, false);
    writer.scene(Some(buffer_name))?;
    let json = serde_json::to_string(&writer.root).map_err(Error::unwritable)?;
    let json = indented(&json);
    budget.take((json.len() + writer.buffer.len()) as u64, "the glTF document")?;
    Ok(Gltf { json, buffer: writer.buffer, losses: writer.losses })
}

/// Indents JSON, with each value on its own line, like `serde_json` does. Using `serde_json` for this would add as much
/// code as writing glTF.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(2 * json.len());
    let (mut depth, mut in_text, mut escaped, mut is_new) = (0, false, false, false);
    for char in json.chars() {
        let closes = !in_text && matches!(char, '}' | ']');
        depth -= usize::from(closes);
        // Empty lists and objects remain on one line.
        if is_new != closes {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
        out.push(char);
        let opens = !in_text && matches!(char, '{' | '[');
        depth += usize::from(opens);
        is_new = opens || !in_text && char == ',';
        if !in_text && char == ':' {
            out.push(' ');
        }
        in_text ^= char == '"' && !escaped;
        escaped = in_text && char == '\\' && !escaped;
    }
    out
}

impl Writer<'_> {
    fn scene(&mut self, buffer_name: Option<&str>) -> Result<()> {
        let scene = self.scene;
        self.root.asset.generator = Some(concat!("rezkit ", env!("CARGO_PKG_VERSION")).into());
        self.root.asset.copyright = name(&scene.copyright);
        for image in &scene.images {
            self.image(image)?;
        }
        for (at, material) in scene.materials.iter().enumerate() {
            let material = self.material(material, at)?;
            self.root.materials.push(material);
        }
        let meshes = self.meshes()?;
        let skins = self.skin_indices()?;
        self.nodes(&meshes, &skins)?;
        self.skins()?;
        for (at, animation) in scene.animations.iter().enumerate() {
            self.animation(animation, at)?;
        }
        self.finish(buffer_name)
    }

    /// Writes the meshes, and returns their indices: glTF cannot represent a mesh without triangles.
    fn meshes(&mut self) -> Result<Vec<Option<Index<json::Mesh>>>> {
        let mut indices = Vec::new();
        for (at, mesh) in self.scene.meshes.iter().enumerate() {
            let mut weights = mesh.weights.clone();
            self.finite(&mut weights, &format!("meshes[{at}].weights"));
            let mut primitives = Vec::new();
            for (part, primitive) in mesh.primitives.iter().enumerate() {
                let path = format!("meshes[{at}].primitives[{part}]");
                primitives.extend(self.primitive(primitive, &path)?);
            }
            if primitives.is_empty() {
                indices.push(None);
                continue;
            }
            let targets = mesh.primitives.first().map(|primitive| &primitive.targets);
            let names: Vec<&str> = targets.into_iter().flatten().map(|target| target.name.as_str()).collect();
            let mut more = mesh.extras.clone();
            if names.iter().any(|name| !name.is_empty()) {
                more.insert("targetNames".into(), json!(names));
            }
            indices.push(Some(self.root.push(json::Mesh {
                extensions: None,
                extras: extras(&more),
                name: name(&mesh.name),
                primitives,
                weights: Some(weights).filter(|weights| !weights.is_empty()),
            })));
        }
        Ok(indices)
    }

    /// The indices of the skins: glTF cannot represent a skin without joints, which moves nothing.
    fn skin_indices(&mut self) -> Result<Vec<Option<Index<json::Skin>>>> {
        let mut indices = Vec::new();
        let mut count = 0;
        for (at, skin) in self.scene.skins.iter().enumerate() {
            indices.push(match skin.joints.is_empty() {
                true => {
                    let loss = Loss::new(format!("skins[{at}]"), "a skin without joints").id("gltf.skin");
                    self.losses.push(loss.about([Feature::Skins.title()]));
                    None
                }
                false => {
                    count += 1;
                    Some(index(count - 1)?)
                }
            });
        }
        Ok(indices)
    }

    fn skins(&mut self) -> Result<()> {
        for (at, skin) in self.scene.skins.iter().enumerate().filter(|(_, skin)| !skin.joints.is_empty()) {
            let mut matrices: Vec<[[f32; 4]; 4]> = skin.inverse_bind.iter().map(affine).collect();
            self.finite(matrices.as_flattened_mut().as_flattened_mut(), &format!("skins[{at}].inverse_bind"));
            let view = self.view(matrices.as_flattened().as_flattened(), None)?;
            let accessor = self.accessor(view, matrices.len(), ComponentType::F32, Type::Mat4);
            if skin.inverse_bind.len() != skin.joints.len() {
                return Err(Error::unwritable(format!(
                    "expected {} inverse bind matrices, one for each joint, found {}",
                    skin.joints.len(),
                    matrices.len()
                ))
                .at(format!("skins[{at}]")));
            }
            let skin = json::Skin {
                extensions: None,
                extras: None,
                inverse_bind_matrices: Some(accessor),
                joints: skin.joints.iter().map(|&joint| index(joint)).collect::<Result<_, _>>()?,
                name: name(&skin.name),
                skeleton: None,
            };
            self.root.push(skin);
        }
        Ok(())
    }

    /// Writes the roots, the buffer and the names of extensions.
    fn finish(&mut self, buffer_name: Option<&str>) -> Result<()> {
        let scene = self.scene;
        let roots = scene.roots.iter().map(|&root| index(root)).collect::<Result<Vec<_>, _>>()?;
        if !roots.is_empty() {
            let scene = json::Scene {
                extensions: None,
                extras: extras(&scene.extras),
                name: name(&scene.name),
                nodes: roots,
            };
            self.root.scene = Some(self.root.push(scene));
        }
        if !self.buffer.is_empty() {
            let length = USize64::from(self.buffer.len());
            self.root.push(json::Buffer {
                byte_length: length,
                name: None,
                uri: buffer_name.map(Into::into),
                extensions: None,
                extras: None,
            });
        }
        self.root.extensions_used = self.extensions.iter().map(|&name| name.to_owned()).collect();
        let required = |name: &&str| *name == WEBP;
        let required = self.extensions.iter().copied().filter(required).map(str::to_owned);
        self.root.extensions_required = required.collect();
        Ok(())
    }

    fn nodes(
        &mut self,
        meshes: &[Option<Index<json::Mesh>>],
        skins: &[Option<Index<json::Skin>>],
    ) -> Result<()> {
        let mut all_lights = Vec::new();
        for (at, node) in self.scene.nodes.iter().enumerate() {
            let default = Transform::default();
            let transform = self.transform(&node.transform, at);
            let mut weights = node.weights.clone();
            self.finite(&mut weights, &format!("nodes[{at}].weights"));
            let children = node.children.iter().map(|&child| index(child)).collect::<Result<Vec<_>, _>>()?;
            let camera = node.camera.filter(is_camera);
            if camera.is_none() && node.camera.is_some() {
                let what = "a camera with an invalid yfov, znear, zfar or aspect ratio (expected finite numbers \
                            above 0, and zfar above znear)";
                self.losses.push(Loss::new(format!("nodes[{at}].camera"), what).id("gltf.camera"));
            }
            let light = node.light.filter(is_light);
            if light.is_none() && node.light.is_some() {
                let what = "a light with an invalid number (expected a finite colour and intensity of 0 or \
                            more, finite cone angles, and a range above 0)";
                self.losses.push(Loss::new(format!("nodes[{at}].light"), what).id("gltf.light"));
            }
            let light = light.map(|light| {
                let allowed = with_allowed_cone(light);
                if allowed.kind != light.kind {
                    let what = "cone angles clamped to those that glTF allows: from 0 to 90 degrees, and the inner \
                                angle smaller than the outer one";
                    self.losses.push(Loss::approximated(format!("nodes[{at}].light"), what).id("gltf.light"));
                }
                allowed
            });
            let camera = camera.map(|camera| {
                self.root.push(json::Camera {
                    name: name(&node.name),
                    orthographic: None,
                    perspective: Some(json::camera::Perspective {
                        aspect_ratio: camera.aspect,
                        yfov: camera.yfov,
                        zfar: camera.zfar.filter(|zfar| zfar.is_finite()),
                        znear: camera.znear,
                        extensions: None,
                        extras: None,
                    }),
                    type_: Valid(json::camera::Type::Perspective),
                    extensions: None,
                    extras: None,
                })
            });
            let khr_lights_punctual = match &light {
                Some(light) => {
                    all_lights.push(light_of(light, &node.name));
                    self.extensions.insert("KHR_lights_punctual");
                    Some(lights::KhrLightsPunctual { light: index(all_lights.len() - 1)? })
                }
                None => None,
            };
            let mut extensions = json::extensions::scene::Node {
                khr_lights_punctual,
                ..json::extensions::scene::Node::default()
            };
            if node.hidden {
                self.extensions.insert("KHR_node_visibility");
                extensions.others.insert("KHR_node_visibility".into(), json!({ "visible": false }));
            }
            let has_any = light.is_some() || node.hidden;
            let mesh = node.mesh.and_then(|mesh| meshes.get(mesh).copied().flatten());
            let node = json::Node {
                camera,
                children: Some(children).filter(|children| !children.is_empty()),
                extensions: has_any.then_some(extensions),
                extras: extras(&node.extras),
                matrix: None,
                mesh,
                name: name(&node.name),
                rotation: (transform.rotation != default.rotation)
                    .then_some(json::scene::UnitQuaternion(transform.rotation)),
                scale: (transform.scale != default.scale).then_some(transform.scale),
                translation: (transform.translation != default.translation).then_some(transform.translation),
                skin: node
                    .skin
                    .filter(|_| mesh.is_some())
                    .and_then(|skin| skins.get(skin).copied().flatten()),
                weights: Some(weights).filter(|weights| !weights.is_empty() && mesh.is_some()),
            };
            self.root.push(node);
        }
        if !all_lights.is_empty() {
            self.root.extensions = Some(json::extensions::root::Root {
                khr_lights_punctual: Some(json::extensions::root::KhrLightsPunctual { lights: all_lights }),
                ..json::extensions::root::Root::default()
            });
        }
        Ok(())
    }

    fn transform(&mut self, from: &Transform, at: usize) -> Transform {
        let default = Transform::default();
        // Normalizes the rotation, unless it is the default, which is not written.
        let rotation = match from.rotation == default.rotation {
            true => default.rotation,
            false => DQuat::from_array(from.rotation.map(f64::from)).normalize().as_quat().into(),
        };
        let path = |name: &str| format!("nodes[{at}].transform.{name}");
        Transform {
            translation: self.numbers(from.translation, default.translation, || path("translation")),
            rotation: self.numbers(rotation, default.rotation, || path("rotation")),
            scale: self.numbers(from.scale, default.scale, || path("scale")),
        }
    }

    fn image(&mut self, image: &Image) -> Result<()> {
        let kind = image.media_type();
        let media_type = kind.map(|text| json::image::MimeType(text.into()));
        let image = match (&image.data, kind) {
            (ImageData::Bytes(bytes), Some(_)) if self.embed => json::Image {
                buffer_view: Some(self.view_of_bytes(bytes, None)?),
                mime_type: media_type,
                name: name(&image.name),
                uri: None,
                extensions: None,
                extras: None,
            },
            (ImageData::Bytes(bytes), Some(kind)) => {
                use base64::Engine as _;
                let text = base64::engine::general_purpose::STANDARD.encode(bytes);
                json::Image {
                    buffer_view: None,
                    mime_type: media_type,
                    name: name(&image.name),
                    uri: Some(format!("data:{kind};base64,{text}")),
                    extensions: None,
                    extras: None,
                }
            }
            (data, _) => {
                let path = format!("images[{}]", self.images.len());
                self.losses.extend(not_written(data, path).map(|loss| loss.about(Feature::textures())));
                self.images.push(None);
                return Ok(());
            }
        };
        let image = self.root.push(image);
        self.images.push(Some(image));
        Ok(())
    }
}

/// A matrix of four columns, with the last row that glTF requires.
fn affine(matrix: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let mut columns = *matrix;
    columns.iter_mut().zip([0.0, 0.0, 0.0, 1.0]).for_each(|(column, last)| column[3] = last);
    columns
}

/// Whether glTF allows the numbers of a camera. The far plane may be missing: it is then infinitely far.
fn is_camera(camera: &Camera) -> bool {
    let is_length = |number: f32| number.is_finite() && number > 0.0;
    is_length(camera.yfov)
        && is_length(camera.znear)
        && camera.aspect.is_none_or(is_length)
        && camera.zfar.is_none_or(|zfar| zfar > camera.znear)
}

fn is_light(light: &Light) -> bool {
    let is_spot = match light.kind {
        LightKind::Spot { inner, outer } => inner.is_finite() && outer.is_finite(),
        _ => true,
    };
    let is_bright = |number: f32| number.is_finite() && number >= 0.0;
    is_spot
        && light.color.into_iter().all(is_bright)
        && is_bright(light.intensity)
        && light.range.is_none_or(|range| range > 0.0)
}

/// The light, with the nearest cone angles that glTF allows.
fn with_allowed_cone(mut light: Light) -> Light {
    if let LightKind::Spot { inner, outer } = &mut light.kind {
        *outer = outer.clamp(f32::EPSILON, std::f32::consts::FRAC_PI_2);
        *inner = inner.clamp(0.0, outer.next_down());
    }
    light
}

fn light_of(light: &Light, node: &str) -> lights::Light {
    lights::Light {
        color: light.color,
        extensions: None,
        extras: None,
        intensity: light.intensity,
        name: name(node),
        range: light.range.filter(|range| range.is_finite()),
        spot: match light.kind {
            LightKind::Spot { inner, outer } => {
                Some(lights::Spot { inner_cone_angle: inner, outer_cone_angle: outer })
            }
            _ => None,
        },
        type_: Valid(match light.kind {
            LightKind::Directional => lights::Type::Directional,
            LightKind::Point => lights::Type::Point,
            LightKind::Spot { .. } => lights::Type::Spot,
        }),
    }
}
