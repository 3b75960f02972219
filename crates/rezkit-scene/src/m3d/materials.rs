//! Materials and their textures.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice as _;
use m3d::{Model, PropertyId, Value};
use serde_json::json;

use crate::combined::Combined;
use crate::forms::Beside;
use crate::images::linear_from_srgb;
use crate::model::{Alpha, Image, ImageData, Material, Scene, Texture};
use rezkit_core::{Budget, Loss, Result};

pub(super) fn materials(
    model: &Model,
    scene: &mut Scene,
    budget: &mut Budget,
    resolve: &mut Beside<'_>,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let textures = model.textures().filter_map(|texture| Some((texture.name.as_bytes(), texture.data?)));
    let (textures, files, combined) = (textures.collect(), HashMap::new(), Combined::default());
    let mut to = Materials { scene, budget, resolve, losses, textures, files, combined };
    for (index, from) in model.materials.iter().enumerate() {
        let path = format!("materials[{index}]");
        let mut material = to.material(from, &path)?;
        to.list_losses(from, &material, &path)?;
        to.add_extras(from, &mut material, &path)?;
        to.scene.materials.push(material);
    }
    Ok(())
}

struct Materials<'a, 'm, 'r> {
    scene: &'a mut Scene,
    budget: &'a mut Budget,
    resolve: &'a mut Beside<'r>,
    losses: &'a mut Vec<Loss>,
    /// The textures in the model, by name.
    textures: HashMap<&'m [u8], &'m [u8]>,
    /// The images of the scene by the name of their texture.
    files: HashMap<Vec<u8>, usize>,
    combined: Combined,
}

/// The linear colour of a surface or of light; other colours are factors.
fn linear(color: geom::Rgba8) -> [f32; 4] {
    let [r, g, b] = [color.r, color.g, color.b].map(linear_from_srgb);
    [r, g, b, f32::from(color.a) / 255.0]
}

fn unit(color: geom::Rgba8) -> [f32; 4] {
    color.to_array().map(|part| f32::from(part) / 255.0)
}

/// Whether a material has physically based properties.
fn is_physical(from: &m3d::Material) -> bool {
    from.properties.iter().any(|property| property.id.0 >= 64 && property.id.0 < 128)
}

/// Whether the illumination model of a material is transparent.
fn is_clear(from: &m3d::Material) -> bool {
    [4.0, 6.0, 7.0, 9.0].contains(&illumination(from))
}

fn illumination(from: &m3d::Material) -> f32 {
    from.number(PropertyId::ILLUMINATION).unwrap_or(2.0)
}

impl Materials<'_, '_, '_> {
    /// The image of a map. One that is missing or cannot be used is listed.
    fn image(&mut self, from: &m3d::Material, property: PropertyId, path: &str) -> Result<Option<usize>> {
        let Some(name) = from.map(property).filter(|name| !name.is_empty()) else { return Ok(None) };
        if let Some(&found) = self.files.get(name.as_bytes()) {
            return Ok(Some(found));
        }
        let text = name.to_string();
        let file = if text.len() > 4 && text.as_bytes()[text.len() - 4] == b'.' {
            text.clone()
        } else {
            format!("{text}.png")
        };
        let mut bytes = self.textures.get(name.as_bytes()).map(|bytes| bytes.to_vec());
        for name in [&file, &text] {
            if bytes.is_none() {
                bytes = (self.resolve)(name, self.budget.left())?;
            }
        }
        let data = match bytes {
            Some(bytes) => {
                self.budget.take(bytes.len() as u64, "the images")?;
                ImageData::Bytes(bytes)
            }
            // Only these two become another image, which cannot refer to their files. Writers and pictures list
            // other missing images.
            None if matches!(property, PropertyId::MAP_ROUGHNESS | PropertyId::MAP_METALLIC) => {
                self.losses.push(
                    Loss::missing(
                        format!("{path}.{}", property.key().unwrap_or("map")),
                        format!("the image {file} was found neither inside the model nor in its folder"),
                    )
                    .id("image.missing"),
                );
                return Ok(None);
            }
            None => ImageData::Uri(file),
        };
        let image = Image { name: text, data };
        if matches!(image.data, ImageData::Bytes(_)) && image.media_type().is_none() {
            let what = format!("the texture {:?}, whose file is not PNG, JPEG or WebP", image.name);
            self.losses.push(Loss::new(path, what).id("image.format"));
            return Ok(None);
        }
        self.scene.images.push(image);
        self.files.insert(name.to_vec(), self.scene.images.len() - 1);
        Ok(Some(self.scene.images.len() - 1))
    }

    fn texture(&mut self, from: &m3d::Material, property: PropertyId, path: &str) -> Result<Option<Texture>> {
        Ok(self.image(from, property, path)?.map(Texture::new))
    }

    /// Whether the file of an image exists: a map whose file is missing does not replace the number.
    fn is_found(&self, image: Option<usize>) -> bool {
        image.is_some_and(|image| self.scene.images[image].bytes().is_some())
    }

    fn material(&mut self, from: &m3d::Material, path: &str) -> Result<Material> {
        let number = |property: PropertyId| from.number(property);
        let mut to = Material { name: from.name.to_string(), ..Material::default() };
        to.base_color = from.color(PropertyId::DIFFUSE).map_or([1.0; 4], linear);
        // An opacity that is NaN counts as 1.
        to.base_color[3] *=
            number(PropertyId::DISSOLVE).filter(|d| !d.is_nan()).unwrap_or(1.0).clamp(0.0, 1.0);
        to.base_texture = self.texture(from, PropertyId::MAP_DIFFUSE, path)?;
        if self.is_found(to.base_texture.map(|texture| texture.image)) {
            to.base_color = [1.0, 1.0, 1.0, to.base_color[3]];
        }
        self.set_roughness(from, &mut to, path)?;
        let mut normal = self.image(from, PropertyId::MAP_NORMAL, path)?;
        if normal.is_none() {
            normal = self.image(from, PropertyId::MAP_BUMP, path)?;
        }
        to.normal_texture = normal.map(Texture::new);
        to.normal_scale = number(PropertyId::BUMP_STRENGTH).unwrap_or(1.0);
        to.occlusion_texture = self.texture(from, PropertyId::MAP_AMBIENT, path)?;
        to.emissive_texture = self.texture(from, PropertyId::MAP_EMISSIVE, path)?;
        to.emissive = match from.color(PropertyId::EMISSIVE).map(linear) {
            Some([r, g, b, _]) => [r, g, b],
            None if self.is_found(to.emissive_texture.map(|texture| texture.image)) => [1.0; 3],
            None => [0.0; 3],
        };
        if let Some([r, g, b, _]) = from.color(PropertyId::SPECULAR).map(unit) {
            to.specular = Some([r.min(0.5) * 2.0, g.min(0.5) * 2.0, b.min(0.5) * 2.0, 1.0]);
        }
        to.ior = number(PropertyId::REFRACTION).filter(|&ior| ior >= 1.0);
        to.unlit = illumination(from) == 0.0;
        let through = from.color(PropertyId::TRANSMISSION).map(unit).filter(|_| is_clear(from));
        if let Some([r, g, b, _]) = through.filter(|&[r, g, b, _]| [r, g, b] != [1.0; 3]) {
            to.transmission = Some((r + g + b) / 3.0);
        }
        if to.base_color[3] < 1.0 {
            to.alpha = Alpha::Blend;
        }
        Ok(to)
    }

    /// Sets the roughness, the metalness and their map, which combines two maps.
    fn set_roughness(&mut self, from: &m3d::Material, to: &mut Material, path: &str) -> Result<()> {
        let exponent = from.number(PropertyId::SPECULAR_EXPONENT);
        to.roughness = match from.number(PropertyId::ROUGHNESS) {
            Some(roughness) => roughness,
            None if is_physical(from) => 0.0,
            None => exponent.map_or(1.0, |exponent| (2.0 / (exponent.max(0.0) + 2.0)).sqrt()),
        };
        to.metallic = from.number(PropertyId::METALLIC).unwrap_or(0.0);
        let roughness = self.image(from, PropertyId::MAP_ROUGHNESS, path)?;
        let metalness = self.image(from, PropertyId::MAP_METALLIC, path)?;
        let name = || format!("{} roughness and metalness", to.name);
        match self.combined.image(self.scene, [roughness, metalness], name, self.budget) {
            Ok(None) => {}
            Ok(Some(image)) => {
                to.metallic_roughness_texture = Some(Texture::new(image));
                if self.is_found(roughness) {
                    to.roughness = 1.0;
                }
                if self.is_found(metalness) {
                    to.metallic = 1.0;
                }
            }
            Err(error) => self.losses.push(
                Loss::new(
                    path,
                    format!("the maps of roughness and metalness, which could not be combined: {error}"),
                )
                .id("m3d.materials"),
            ),
        }
        Ok(())
    }

    /// Lists the properties that the material does not keep, or not exactly.
    fn list_losses(&mut self, from: &m3d::Material, to: &Material, path: &str) -> Result<()> {
        let number = |property: PropertyId| from.number(property);
        let has = |id: PropertyId| from.get(id).is_some();
        let dissolve = number(PropertyId::DISSOLVE).filter(|dissolve| !(0.0..=1.0).contains(dissolve));
        let opacity = match dissolve.is_some_and(f32::is_nan) {
            true => "an opacity that is NaN: 1 is used",
            false => "an opacity outside the range from 0 to 1: the nearest value is used",
        };
        let below = number(PropertyId::REFRACTION).is_some_and(|ior| to.ior != Some(ior));
        let exponent = number(PropertyId::SPECULAR_EXPONENT).is_some()
            && (is_physical(from) || has(PropertyId::ROUGHNESS));
        let through = from.color(PropertyId::TRANSMISSION).map(unit);
        let unlit = through.is_some_and(|[r, g, b, _]| !is_clear(from) && [r, g, b] != [1.0; 3]);
        let tint = through.is_some_and(|[r, g, b, _]| is_clear(from) && (r != g || g != b));
        let both = has(PropertyId::MAP_NORMAL) && has(PropertyId::MAP_BUMP);
        let alpha = from.color(PropertyId::EMISSIVE).map(unit).is_some_and(|[.., alpha]| alpha != 1.0);
        for (id, is_lost, what) in [
            (PropertyId::DISSOLVE, dissolve.is_some(), opacity),
            (
                PropertyId::REFRACTION,
                below,
                "an index of refraction that is NaN or below 1: the default, 1.5, is used",
            ),
            (
                PropertyId::SPECULAR_EXPONENT,
                exponent,
                "the specular exponent, since the material has physically based properties, such as a roughness",
            ),
            (
                PropertyId::TRANSMISSION,
                unlit,
                "the transmission, since the illumination model (il) is not 4, 6, 7 or 9",
            ),
            (
                PropertyId::TRANSMISSION,
                tint,
                "the tint of the transmission: the mean of red, green and blue is kept",
            ),
            (PropertyId::MAP_BUMP, both, "the bump map of a material with a normal map"),
            (PropertyId::EMISSIVE, alpha, "the alpha of the emissive colour"),
        ] {
            if is_lost {
                let path = format!("{path}.{}", id.key().unwrap_or_default());
                self.budget.lose(self.losses, Loss::new(path, what).id("m3d.materials"))?;
            }
        }
        Ok(())
    }

    /// Keeps the values without a counterpart in glTF as extras.
    fn add_extras(&mut self, from: &m3d::Material, to: &mut Material, path: &str) -> Result<()> {
        let mut ids = HashSet::new();
        for property in &from.properties {
            let key = property.id.key().map_or_else(|| property.id.0.to_string(), str::to_owned);
            if !ids.insert(property.id) {
                let path = format!("{path}.{}", property.id.key().unwrap_or_default());
                let what = "a repeated property: the first value is used";
                self.budget.lose(self.losses, Loss::new(path, what).id("m3d.materials"))?;
                continue;
            }
            if property.id.key().is_some() && !KEPT.contains(&property.id) {
                continue;
            }
            let value = match &property.value {
                Value::Color(color) => json!(color.to_array()),
                Value::Float(number) => json!(number),
                Value::Byte(number) => json!(number),
                Value::Map(name) => json!(name.to_string()),
                Value::Other(bytes) => json!(bytes),
            };
            let what = "other formats do not have this property: the extras of the material keep its value";
            self.budget
                .lose(self.losses, Loss::approximated(format!("{path}.{key}"), what).id("m3d.materials"))?;
            // Bytes become numbers, in a list whose capacity doubles.
            let size = match &property.value {
                Value::Map(name) => 2 * name.len(),
                Value::Other(bytes) => 3 * size_of::<serde_json::Value>() * bytes.len(),
                _ => 0,
            };
            self.budget.take((size + 512) as u64, "the properties of the materials")?;
            to.extras.insert(format!("m3d.{key}"), value);
        }
        Ok(())
    }
}

/// The known properties without a counterpart in glTF.
const KEPT: [PropertyId; 11] = [
    PropertyId::AMBIENT,
    PropertyId::SHEEN,
    PropertyId::THICKNESS,
    PropertyId::ILLUMINATION,
    PropertyId::MAP_SPECULAR,
    PropertyId::MAP_SPECULAR_EXPONENT,
    PropertyId::MAP_TRANSMISSION,
    PropertyId::MAP_DISSOLVE,
    PropertyId::MAP_SHEEN,
    PropertyId::MAP_REFRACTION,
    PropertyId::MAP_THICKNESS,
];
