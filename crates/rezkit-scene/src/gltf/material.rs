//! The JSON of materials: one layout for reading and writing.

use std::collections::BTreeMap;

use gltf::json;
use rezkit_core::{Error, Loss, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::recast;
use super::read::Reader;
use super::wording::what;
use super::writer::Writer;
use crate::features::Feature;
use crate::images;
use crate::model::{Alpha, Clearcoat, ImageData, Material, Texture, UvTransform};

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Layout {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    pbr_metallic_roughness: Pbr,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal_texture: Option<Info>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occlusion_texture: Option<Info>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emissive_texture: Option<Info>,
    emissive_factor: [f32; 3],
    alpha_mode: Mode,
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha_cutoff: Option<f32>,
    double_sided: bool,
    #[serde(skip_serializing_if = "Extensions::is_empty")]
    extensions: Extensions,
    #[serde(skip_serializing_if = "Value::is_null")]
    extras: Value,
}

#[derive(Default, Deserialize, Serialize)]
enum Mode {
    #[default]
    #[serde(rename = "OPAQUE")]
    Opaque,
    #[serde(rename = "MASK")]
    Mask,
    #[serde(rename = "BLEND")]
    Blend,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Pbr {
    base_color_factor: [f32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    base_color_texture: Option<Info>,
    metallic_factor: f32,
    roughness_factor: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    metallic_roughness_texture: Option<Info>,
}

impl Default for Pbr {
    fn default() -> Self {
        Self {
            base_color_factor: [1.0; 4],
            base_color_texture: None,
            metallic_factor: 1.0,
            roughness_factor: 1.0,
            metallic_roughness_texture: None,
        }
    }
}

/// A reference to a texture.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Info {
    index: u32,
    #[serde(skip_serializing_if = "is_zero")]
    tex_coord: u32,
    /// The strength of a normal map.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f32>,
    /// The strength of an occlusion texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<f32>,
    #[serde(skip_serializing_if = "InfoExtensions::is_empty")]
    extensions: InfoExtensions,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct InfoExtensions {
    #[serde(rename = "KHR_texture_transform", skip_serializing_if = "Option::is_none")]
    transform: Option<Transformed>,
}

impl InfoExtensions {
    fn is_empty(&self) -> bool {
        self.transform.is_none()
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Transformed {
    offset: [f32; 2],
    rotation: f32,
    scale: [f32; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    tex_coord: Option<u32>,
}

impl Default for Transformed {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2], tex_coord: None }
    }
}

/// Declares the extensions of a material, all of which are optional.
macro_rules! extensions {
    ($($field:ident: $kind:ty = $name:literal),+ $(,)?) => {
        #[derive(Default, Deserialize, Serialize)]
        #[serde(default)]
        struct Extensions {
            $(#[serde(rename = $name, skip_serializing_if = "Option::is_none")] $field: Option<$kind>),+
        }

        impl Extensions {
            fn is_empty(&self) -> bool {
                self.names().next().is_none()
            }

            fn names(&self) -> impl Iterator<Item = &'static str> {
                [$(self.$field.is_some().then_some($name)),+].into_iter().flatten()
            }
        }
    };
}
extensions! {
    clearcoat: Coat = "KHR_materials_clearcoat",
    emissive_strength: Strength = "KHR_materials_emissive_strength",
    ior: Ior = "KHR_materials_ior",
    specular: Specular = "KHR_materials_specular",
    transmission: Transmission = "KHR_materials_transmission",
    unlit: Unlit = "KHR_materials_unlit",
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Coat {
    clearcoat_factor: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearcoat_texture: Option<Info>,
    clearcoat_roughness_factor: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearcoat_roughness_texture: Option<Info>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearcoat_normal_texture: Option<Info>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Strength {
    emissive_strength: f32,
}

impl Default for Strength {
    fn default() -> Self {
        Self { emissive_strength: 1.0 }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(default)]
struct Ior {
    ior: f32,
}

impl Default for Ior {
    fn default() -> Self {
        Self { ior: 1.5 }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Specular {
    specular_factor: f32,
    specular_color_factor: [f32; 3],
    #[serde(skip_serializing)]
    specular_texture: Option<Info>,
    #[serde(skip_serializing)]
    specular_color_texture: Option<Info>,
}

impl Default for Specular {
    fn default() -> Self {
        Self {
            specular_factor: 1.0,
            specular_color_factor: [1.0; 3],
            specular_texture: None,
            specular_color_texture: None,
        }
    }
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Transmission {
    transmission_factor: f32,
    #[serde(skip_serializing)]
    transmission_texture: Option<Info>,
}

#[derive(Default, Deserialize, Serialize)]
struct Unlit {}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Reader<'_> {
    pub(super) fn material(&mut self, from: &json::Material, index: usize) -> Result<Material> {
        let path = format!("materials[{index}]");
        let value = recast::<Value>(from).map_err(Error::unreadable)?;
        let broken = |error: serde_json::Error| Error::unreadable(format!("{path}: {}", what(&error)));
        // Reads from the value, not from its text: the text 1e39 would be refused as a 32-bit number.
        let layout: Layout = serde_json::from_value(value).map_err(broken)?;
        let number =
            |info: &Option<Info>, pick: fn(&Info) -> Option<f32>| info.as_ref().and_then(pick).unwrap_or(1.0);
        let normal_scale = number(&layout.normal_texture, |info| info.scale);
        let occlusion_strength = number(&layout.occlusion_texture, |info| info.strength);
        let mut texture = |info: Option<Info>, name: &str| self.texture(info, || format!("{path}.{name}"));
        let pbr = layout.pbr_metallic_roughness;
        let extensions = layout.extensions;
        let clearcoat = match extensions.clearcoat {
            None => None,
            Some(coat) => Some(Clearcoat {
                factor: coat.clearcoat_factor,
                roughness: coat.clearcoat_roughness_factor,
                normal_scale: number(&coat.clearcoat_normal_texture, |info| info.scale),
                texture: texture(coat.clearcoat_texture, "clearcoatTexture")?,
                roughness_texture: texture(coat.clearcoat_roughness_texture, "clearcoatRoughnessTexture")?,
                normal_texture: texture(coat.clearcoat_normal_texture, "clearcoatNormalTexture")?,
            }),
        };
        let to = Material {
            name: layout.name.unwrap_or_default(),
            base_color: pbr.base_color_factor,
            base_texture: texture(pbr.base_color_texture, "baseColorTexture")?,
            metallic: pbr.metallic_factor,
            roughness: pbr.roughness_factor,
            metallic_roughness_texture: texture(pbr.metallic_roughness_texture, "metallicRoughnessTexture")?,
            normal_texture: texture(layout.normal_texture, "normalTexture")?,
            normal_scale,
            occlusion_texture: texture(layout.occlusion_texture, "occlusionTexture")?,
            occlusion_strength,
            emissive: layout.emissive_factor,
            emissive_strength: extensions.emissive_strength.unwrap_or_default().emissive_strength,
            emissive_texture: texture(layout.emissive_texture, "emissiveTexture")?,
            alpha: match layout.alpha_mode {
                Mode::Opaque => Alpha::Opaque,
                Mode::Mask => Alpha::Mask(layout.alpha_cutoff.unwrap_or(0.5)),
                Mode::Blend => Alpha::Blend,
            },
            double_sided: layout.double_sided,
            unlit: extensions.unlit.is_some(),
            ior: extensions.ior.map(|ior| ior.ior),
            transmission: extensions.transmission.as_ref().map(|one| one.transmission_factor),
            specular: extensions.specular.as_ref().map(|specular| {
                let [r, g, b] = specular.specular_color_factor;
                [r, g, b, specular.specular_factor]
            }),
            clearcoat,
            extras: match layout.extras {
                Value::Object(extras) => extras.into_iter().collect(),
                _ => BTreeMap::new(),
            },
        };
        let specular = extensions.specular.unwrap_or_default();
        let left_out = [
            ("transmissionTexture", extensions.transmission.and_then(|one| one.transmission_texture)),
            ("specularTexture", specular.specular_texture),
            ("specularColorTexture", specular.specular_color_texture),
        ];
        for (name, _) in left_out.into_iter().filter(|(_, info)| info.is_some()) {
            self.lose(
                "gltf.textures",
                format!("{path}.{name}"),
                "transmission and specular textures are not supported: only the factors are read",
            );
        }
        Ok(to)
    }

    fn texture(&mut self, info: Option<Info>, path: impl Fn() -> String) -> Result<Option<Texture>> {
        let Some(info) = info else { return Ok(None) };
        let Some(&texture) = self.textures.get(info.index as usize) else {
            return Err(Error::unreadable(format!(
                "{}: texture {} does not exist (number of textures: {})",
                path(),
                info.index,
                self.textures.len()
            )));
        };
        let Some((image, sampler)) = texture else {
            let what =
                "a texture without an image, or whose image is in a glTF extension that is not supported";
            self.lose("gltf.textures", path(), what);
            return Ok(None);
        };
        let moved = info.extensions.transform.unwrap_or_default();
        let set = moved.tex_coord.unwrap_or(info.tex_coord) as usize;
        let transform = UvTransform { offset: moved.offset, rotation: moved.rotation, scale: moved.scale };
        Ok(Some(Texture { image, set, transform, sampler }))
    }
}

impl Writer<'_> {
    pub(super) fn material(&mut self, from: &Material, index: usize) -> Result<json::Material> {
        let path = format!("materials[{index}]");
        let mut changed = Vec::new();
        let mut unit = |value: f32, feature: Feature| {
            let new = if value.is_finite() { value.clamp(0.0, 1.0) } else { 1.0 };
            if new != value && changed.last() != Some(&feature) {
                changed.push(feature);
            }
            new
        };
        // Emission above 1 needs the extension for the emissive strength.
        let most = from.emissive.iter().fold(1.0_f32, |most, part| most.max(*part));
        let most = if most.is_finite() { most } else { 1.0 };
        let strength = from.emissive_strength * most;
        let (emissive, strength) = match strength.is_finite() && strength >= 0.0 {
            true => (from.emissive.map(|part| part / most), strength),
            false => (from.emissive, unit(strength, Feature::EmissiveStrength)),
        };
        let coat_scale = from.clearcoat.as_ref().map_or(1.0, |coat| coat.normal_scale);
        let coat_scale = self.number(coat_scale, 1.0, || format!("{path}.clearcoat.normal_scale"));
        let normal_scale = self.number(from.normal_scale, 1.0, || format!("{path}.normal_scale"));
        let ior = from.ior.map(|ior| self.number(ior, 1.5, || format!("{path}.ior")));
        let clearcoat = match &from.clearcoat {
            None => None,
            Some(coat) => Some(Coat {
                clearcoat_factor: unit(coat.factor, Feature::Clearcoat),
                clearcoat_texture: self.info(coat.texture)?,
                clearcoat_roughness_factor: unit(coat.roughness, Feature::Clearcoat),
                clearcoat_roughness_texture: self.info(coat.roughness_texture)?,
                clearcoat_normal_texture: self
                    .info(coat.normal_texture)?
                    .map(|info| Info { scale: Some(coat_scale), ..info }),
            }),
        };
        let (alpha_mode, alpha_cutoff) = match from.alpha {
            Alpha::Opaque => (Mode::Opaque, None),
            Alpha::Mask(cutoff) => (Mode::Mask, Some(self.number(cutoff, 0.5, || format!("{path}.alpha")))),
            Alpha::Blend => (Mode::Blend, None),
        };
        let normal = self.info(from.normal_texture)?;
        let occlusion = self.info(from.occlusion_texture)?;
        let occlusion_strength = unit(from.occlusion_strength, Feature::OcclusionStrength);
        let layout = Layout {
            name: Some(from.name.clone()).filter(|name| !name.is_empty()),
            pbr_metallic_roughness: Pbr {
                base_color_factor: from.base_color.map(|part| unit(part, Feature::BaseColor)),
                base_color_texture: self.info(from.base_texture)?,
                metallic_factor: unit(from.metallic, Feature::Metallic),
                roughness_factor: unit(from.roughness, Feature::Roughness),
                metallic_roughness_texture: self.info(from.metallic_roughness_texture)?,
            },
            normal_texture: normal.map(|info| Info { scale: Some(normal_scale), ..info }),
            occlusion_texture: occlusion.map(|info| Info { strength: Some(occlusion_strength), ..info }),
            emissive_texture: self.info(from.emissive_texture)?,
            emissive_factor: emissive.map(|part| unit(part, Feature::Emissive)),
            alpha_mode,
            alpha_cutoff,
            double_sided: from.double_sided,
            extensions: Extensions {
                clearcoat,
                emissive_strength: (strength != 1.0).then_some(Strength { emissive_strength: strength }),
                ior: ior.map(|ior| Ior { ior }),
                specular: from.specular.map(|[r, g, b, factor]| Specular {
                    specular_factor: unit(factor, Feature::Specular),
                    specular_color_factor: self.numbers([r, g, b], [1.0; 3], || format!("{path}.specular")),
                    ..Specular::default()
                }),
                transmission: from.transmission.map(|factor| Transmission {
                    transmission_factor: unit(factor, Feature::Transmission),
                    ..Transmission::default()
                }),
                unlit: from.unlit.then_some(Unlit {}),
            },
            extras: match from.extras.is_empty() {
                true => Value::Null,
                false => from.extras.clone().into_iter().collect(),
            },
        };
        self.extensions.extend(layout.extensions.names());
        for name in changed.into_iter().map(Feature::title) {
            let what = format!("{name} outside the range that glTF allows: replaced by a value from 0 to 1");
            self.losses.push(Loss::approximated(path.as_str(), what).id("gltf.out-of-range").about([name]));
        }
        recast(&layout).map_err(Error::unwritable)
    }

    fn number(&mut self, value: f32, instead: f32, path: impl FnOnce() -> String) -> f32 {
        let [value] = self.numbers([value], [instead], path);
        value
    }

    fn info(&mut self, texture: Option<Texture>) -> Result<Option<Info>> {
        let Some(texture) = texture else { return Ok(None) };
        let Some(index) = self.texture(texture)? else { return Ok(None) };
        let tex_coord = u32::try_from(texture.set).map_err(Error::unwritable)?;
        let UvTransform { offset: [u, v], rotation, scale: [wide, high] } = texture.transform;
        let material = self.root.materials.len();
        let mut moved = [u, v, rotation, wide, high];
        if moved.iter().any(|number| !number.is_finite()) {
            let what = "the transform of a texture, because it has infinite or NaN numbers";
            let loss = Loss::new(format!("materials[{material}]"), what).id("gltf.not-finite");
            self.losses.push(loss.about([Feature::TextureTransform.title()]));
            moved = [0.0, 0.0, 0.0, 1.0, 1.0];
        }
        let [u, v, rotation, wide, high] = moved;
        let (offset, scale) = ([u, v], [wide, high]);
        let is_moved = UvTransform { offset, rotation, scale } != UvTransform::default();
        if is_moved {
            self.extensions.insert("KHR_texture_transform");
        }
        let transform = is_moved.then_some(Transformed { offset, rotation, scale, tex_coord: None });
        Ok(Some(Info { index, tex_coord, extensions: InfoExtensions { transform }, ..Info::default() }))
    }
}

/// The loss of an image that is not written; `None` if the reader of the file has listed it.
pub(super) fn not_written(data: &ImageData, path: String) -> Option<Loss> {
    match data {
        ImageData::Uri(uri) => images::missing(uri, path),
        ImageData::Bytes(_) => {
            Some(Loss::new(path, "an image that is not PNG, JPEG or WebP").id("image.format"))
        }
    }
}
