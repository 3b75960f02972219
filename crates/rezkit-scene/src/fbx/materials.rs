//! Materials, and their textures.

use std::collections::HashMap;

use rezkit_core::{Budget, Loss, Result};

use super::objects::{Objects, Properties};
use crate::forms::Beside;
use crate::model::{Alpha, Image, ImageData, Material, Scene, Texture, UvTransform, Wrap};

/// Reads materials and images, each once.
pub(super) struct Materials<'a> {
    pub(super) objects: &'a Objects<'a>,
    known: HashMap<usize, usize>,
    images: HashMap<String, usize>,
}

/// The names of the properties of materials of renderers, which come before those of all FBX files.
const COLOR: [&str; 4] =
    ["Maya|base_color", "Maya|baseColor", "3dsMax|Parameters|base_color", "3dsMax|main|base_color"];
/// How much of the colour there is, and of the emission, in materials of renderers.
const COLOR_WEIGHT: [&str; 2] = ["Maya|base", "3dsMax|Parameters|base_weight"];
const EMISSION_WEIGHT: [&str; 1] = ["Maya|emission"];
const COLOR_MAPS: [&str; 8] = [
    "DiffuseColor",
    "Maya|DiffuseTexture",
    "Maya|TEX_color_map",
    "Maya|baseColor",
    "Maya|base_color",
    "3dsMax|Parameters|base_color_map",
    "3dsMax|main|base_color_map",
    "3dsMax|Parameters|basecolor_map",
];
const EMISSIVE: [&str; 2] = ["Maya|emissive", "Maya|emissionColor"];
const NORMAL_MAPS: [&str; 6] = [
    "NormalMap",
    "Maya|TEX_normal_map",
    "Maya|normalCamera",
    "3dsMax|Parameters|bump_map",
    "3dsMax|main|norm_map",
    "Bump",
];
const EMISSIVE_MAPS: [&str; 4] =
    ["EmissiveColor", "Maya|TEX_emissive_map", "Maya|emissionColor", "3dsMax|Parameters|emit_color_map"];
const METALNESS: [&str; 4] =
    ["Maya|metallic", "Maya|metalness", "3dsMax|Parameters|metalness", "3dsMax|main|metalness"];
const ROUGHNESS: [&str; 5] = [
    "Maya|roughness",
    "Maya|specularRoughness",
    "Maya|diffuseRoughness",
    "3dsMax|Parameters|roughness",
    "3dsMax|main|roughness",
];
/// Properties whose textures say that a material is transparent.
const TRANSPARENT: [&str; 4] = ["TransparentColor", "TransparencyFactor", "Opacity", "Maya|opacity"];

impl<'a> Materials<'a> {
    pub(super) fn new(objects: &'a Objects<'a>) -> Self {
        Self { objects, known: HashMap::new(), images: HashMap::new() }
    }

    /// The index of the material of an object in the scene.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(super) fn of(
        &mut self,
        object: usize,
        scene: &mut Scene,
        beside: &mut Beside<'_>,
        budget: &mut Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<usize> {
        if let Some(&known) = self.known.get(&object) {
            return Ok(known);
        }
        budget.take(2 * size_of::<Material>() as u64, "the materials")?;
        let from = &self.objects.all[object];
        let mut material = plain(&from.properties, from.record.text("ShadingModel").unwrap_or_default());
        material.name.clone_from(&from.name);
        let path = format!("Material {:?}", from.name);
        let mut texture =
            |materials: &mut Self, names: &[&str], losses: &mut Vec<Loss>| -> Result<Option<Texture>> {
                for name in names {
                    if let Some(found) = materials.texture(object, name, scene, beside, budget, losses)? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            };
        material.base_texture = texture(self, &COLOR_MAPS, losses)?;
        material.normal_texture = texture(self, &NORMAL_MAPS, losses)?;
        material.emissive_texture = texture(self, &EMISSIVE_MAPS, losses)?;
        if material.base_texture.is_some() {
            // The texture replaces the colour.
            let [.., alpha] = material.base_color;
            let [r, g, b] = [weight(&from.properties, &COLOR, &COLOR_WEIGHT); 3];
            material.base_color = [r, g, b, alpha];
        }
        if material.emissive_texture.is_some() {
            material.emissive = [weight(&from.properties, &EMISSIVE, &EMISSION_WEIGHT); 3];
        }
        let is_transparent = |name| self.objects.below[object].iter().any(|link| link.property == name);
        if TRANSPARENT.into_iter().any(is_transparent) {
            material.alpha = Alpha::Blend;
        }
        let is_read = |name: &str| {
            [&COLOR_MAPS[..], &NORMAL_MAPS, &EMISSIVE_MAPS, &TRANSPARENT]
                .into_iter()
                .flatten()
                .any(|of| *of == name)
        };
        let is_texture =
            |object: usize| ["Texture", "LayeredTexture"].contains(&self.objects.all[object].kind);
        let links = self.objects.below[object].iter();
        let lost = links.filter(|link| is_texture(link.object) && !is_read(&link.property));
        Loss::new(path, "textures of specular and other reflections")
            .id("fbx.textures")
            .times(lost.count())
            .count_in(losses);
        scene.materials.push(material);
        self.known.insert(object, scene.materials.len() - 1);
        Ok(scene.materials.len() - 1)
    }

    /// The texture of a property of a material.
    fn texture(
        &mut self,
        material: usize,
        property: &str,
        scene: &mut Scene,
        beside: &mut Beside<'_>,
        budget: &mut Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<Texture>> {
        let objects = self.objects;
        let layered = objects.used(material, property, "LayeredTexture").next();
        if let Some(layered) = layered {
            let path = format!("LayeredTexture {:?}", objects.all[layered].name);
            losses.push(
                Loss::approximated(path, "only the first layer of a layered texture is used")
                    .id("fbx.textures"),
            );
        }
        let first = layered.and_then(|layered| objects.inside(layered, "Texture").next());
        let found = first.or_else(|| objects.used(material, property, "Texture").next());
        found.map(|found| self.read(found, scene, beside, budget, losses)).transpose()
    }

    /// The texture of an object.
    pub(super) fn read(
        &mut self,
        object: usize,
        scene: &mut Scene,
        beside: &mut Beside<'_>,
        budget: &mut Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Texture> {
        let objects = self.objects;
        let from = &objects.all[object];
        let videos: Vec<_> = objects.inside(object, "Video").map(|video| objects.all[video].record).collect();
        let content =
            videos.iter().find_map(|video| video.value("Content")?.bytes().filter(|bytes| !bytes.is_empty()));
        let records = || std::iter::once(from.record).chain(videos.iter().copied());
        let names = ["RelativeFilename", "FileName", "Filename"];
        let names: Vec<String> = records()
            .flat_map(|record| names.iter().filter_map(|name| record.text(name)))
            .filter(|name| !name.is_empty())
            .collect();
        let key = names.first().cloned().unwrap_or_else(|| format!("\0{object}"));
        let image = match self.images.get(&key) {
            Some(&known) => known,
            None => {
                let file = key.replace('\\', "/");
                let name = file.rsplit('/').next().unwrap_or_default().to_owned();
                let mut data = content.map(|bytes| ImageData::Bytes(decoded(bytes)));
                for name in names.iter().filter(|_| content.is_none()) {
                    if let Some(bytes) = beside(name, budget.left())? {
                        data = Some(ImageData::Bytes(bytes));
                        break;
                    }
                }
                let data = data.unwrap_or(ImageData::Uri(file));
                if let ImageData::Bytes(bytes) = &data {
                    budget.take(bytes.len() as u64, "the images")?;
                }
                let image = Image { name, data };
                let is_unknown = matches!(image.data, ImageData::Bytes(_)) && image.extension().is_none();
                if is_unknown {
                    let path = format!("Texture {:?}", from.name);
                    losses.push(
                        Loss::new(path, "an image that is not PNG, JPEG, WebP, GIF or JPEG 2000")
                            .id("image.format"),
                    );
                }
                scene.images.push(image);
                self.images.insert(key, scene.images.len() - 1);
                scene.images.len() - 1
            }
        };
        let vector = |name| from.properties.vector(name);
        let (mut transform, mut texture) = (UvTransform::default(), Texture::new(image));
        if let Some([x, y, _]) = vector("Scaling") {
            transform.scale = [x as f32, y as f32];
        }
        if let Some([x, y, _]) = vector("Translation") {
            // v grows upwards.
            transform.offset = [x as f32, 1.0 - y as f32 - transform.scale[1]];
        }
        if vector("Rotation").is_some_and(|[x, y, z]| [x, y, z] != [0.0; 3]) {
            losses.push(
                Loss::new(format!("Texture {:?}", from.name), "the rotation of a texture").id("fbx.textures"),
            );
        }
        if transform != UvTransform::default() {
            texture.transform = transform;
        }
        let wrap = |name| match from.properties.int(name) {
            Some(1) => Wrap::Clamp,
            _ => Wrap::Repeat,
        };
        texture.sampler.wrap = [wrap("WrapModeU"), wrap("WrapModeV")];
        Ok(texture)
    }
}

/// The content of an embedded file, which the text form has in base64.
fn decoded(bytes: &[u8]) -> Vec<u8> {
    use base64::Engine as _;
    let is_text = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\r\n".contains(byte));
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    match base64::engine::general_purpose::STANDARD.decode(text) {
        Ok(decoded) if is_text => decoded,
        _ => bytes.to_vec(),
    }
}

/// How much a colour of a renderer's material counts: 1 if the material has no such colour.
fn weight(properties: &Properties<'_>, colors: &[&str], weights: &[&str]) -> f32 {
    let has_color = colors.iter().any(|name| properties.vector(name).is_some());
    let weight = weights.iter().find_map(|name| properties.float(name)).filter(|_| has_color);
    weight.map_or(1.0, |weight| weight.clamp(0.0, 1.0) as f32)
}

/// A material without textures. Colours are linear, as Blender reads and writes them.
fn plain(properties: &Properties<'_>, shading: String) -> Material {
    let color = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| properties.vector(name))
            .map(|of| of.map(|part| part.clamp(0.0, 1.0) as f32))
    };
    let number = |names: &[&str]| names.iter().find_map(|name| properties.float(name)).map(|of| of as f32);
    let own = color(&COLOR);
    let factor = match own {
        Some(_) => weight(properties, &COLOR, &COLOR_WEIGHT),
        None => number(&["DiffuseFactor"]).unwrap_or(1.0),
    };
    let [r, g, b] =
        own.or_else(|| color(&["DiffuseColor", "Diffuse"])).unwrap_or([0.8; 3]).map(|part| part * factor);
    // Of the ways to state the opacity, Maya writes a colour and a factor, and Blender and 3ds Max the opacity.
    let clear = color(&["TransparentColor"]).map(|[r, g, b]| (r + g + b) / 3.0);
    let factor = number(&["TransparencyFactor"]);
    let opacity = number(&["Opacity"]).or_else(|| Some(1.0 - clear? * factor?)).unwrap_or(1.0);
    let alpha = opacity.clamp(0.0, 1.0);
    let glow = match color(&EMISSIVE) {
        Some(_) => weight(properties, &EMISSIVE, &EMISSION_WEIGHT),
        None => number(&["EmissiveFactor"]).unwrap_or(1.0),
    };
    let emissive = color(&EMISSIVE).or_else(|| color(&["EmissiveColor", "Emissive"])).unwrap_or_default();
    // As Blender derives it: a shininess of 25 is half rough.
    let shininess = number(&["ShininessExponent", "Shininess"]).unwrap_or(20.0).max(0.0);
    let is_lambert = shading.eq_ignore_ascii_case("lambert");
    let derived = if is_lambert { 1.0 } else { (1.0 - shininess.sqrt() / 10.0).clamp(0.0, 1.0) };
    Material {
        base_color: [r, g, b, alpha],
        alpha: if alpha < 1.0 { Alpha::Blend } else { Alpha::Opaque },
        metallic: number(&METALNESS).unwrap_or(0.0).clamp(0.0, 1.0),
        roughness: number(&ROUGHNESS).unwrap_or(derived).clamp(0.0, 1.0),
        emissive: emissive.map(|part| (part * glow).clamp(0.0, 1.0)),
        ..Material::default()
    }
}
