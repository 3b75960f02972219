//! Materials and their textures.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice as _;
use m3d::{Model, PropertyId, Value};
use serde_json::json;

use crate::combined::Combined;
use crate::forms::Beside;
use crate::model::{Alpha, Image, ImageData, Material, Scene, Texture};
use rezkit_core::{Budget, Loss, Result};

pub(super) fn materials(
    model: &Model,
    scene: &mut Scene,
    budget: &mut Budget,
    resolve: &mut Beside<'_>,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let mut files: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut combined = Combined::default();
    let textures: HashMap<&[u8], &[u8]> =
        model.textures().filter_map(|texture| Some((texture.name.as_bytes(), texture.data?))).collect();
    for (index, from) in model.materials.iter().enumerate() {
        let path = format!("materials[{index}]");
        let mut image = |property: PropertyId,
                         scene: &mut Scene,
                         budget: &mut Budget,
                         losses: &mut Vec<Loss>|
         -> Result<Option<usize>> {
            let Some(name) = from.map(property).filter(|name| !name.is_empty()) else { return Ok(None) };
            if let Some(&found) = files.get(name.as_bytes()) {
                return Ok(Some(found));
            }
            let text = name.to_string();
            let file = if text.len() > 4 && text.as_bytes()[text.len() - 4] == b'.' {
                text.clone()
            } else {
                format!("{text}.png")
            };
            let mut bytes = textures.get(name.as_bytes()).map(|bytes| bytes.to_vec());
            for name in [&file, &text] {
                if bytes.is_none() {
                    bytes = resolve(name, budget.left())?;
                }
            }
            let data = match bytes {
                Some(bytes) => {
                    budget.take(bytes.len() as u64, "the images")?;
                    ImageData::Bytes(bytes)
                }
                // Only these two become another image, which cannot refer to their files. Writers and pictures list
                // other missing images.
                None if matches!(property, PropertyId::MAP_ROUGHNESS | PropertyId::MAP_METALLIC) => {
                    losses.push(Loss::missing(
                        format!("{path}.{}", property.key().unwrap_or("map")),
                        format!("the image {file} was found neither inside the model nor in its folder"),
                    ));
                    return Ok(None);
                }
                None => ImageData::Uri(file),
            };
            let image = Image { name: text, data };
            if matches!(image.data, ImageData::Bytes(_)) && image.media_type().is_none() {
                let what = format!("the texture {:?}, whose file is not PNG, JPEG or WebP", image.name);
                losses.push(Loss::new(path.clone(), what));
                return Ok(None);
            }
            scene.images.push(image);
            files.insert(name.to_vec(), scene.images.len() - 1);
            Ok(Some(scene.images.len() - 1))
        };
        let unit = |color: geom::Rgba8| color.to_array().map(|part| f32::from(part) / 255.0);
        let number = |property: PropertyId| from.number(property);
        let physical = from.properties.iter().any(|property| property.id.0 >= 64 && property.id.0 < 128);
        let mut to = Material { name: from.name.to_string(), ..Material::default() };
        to.base_color = from.color(PropertyId::DIFFUSE).map_or([1.0; 4], unit);
        // An opacity that is NaN counts as 1.
        to.base_color[3] *=
            number(PropertyId::DISSOLVE).filter(|d| !d.is_nan()).unwrap_or(1.0).clamp(0.0, 1.0);
        // A map whose file is missing does not replace the number.
        let is_found = |texture: Option<Texture>, scene: &Scene| {
            texture.is_some_and(|texture| scene.images[texture.image].bytes().is_some())
        };
        to.base_texture = image(PropertyId::MAP_DIFFUSE, scene, budget, losses)?.map(Texture::new);
        if is_found(to.base_texture, scene) {
            to.base_color = [1.0, 1.0, 1.0, to.base_color[3]];
        }
        let exponent =
            number(PropertyId::SPECULAR_EXPONENT).map(|exponent| (2.0 / (exponent.max(0.0) + 2.0)).sqrt());
        to.roughness = match number(PropertyId::ROUGHNESS) {
            Some(roughness) => roughness,
            None if physical => 0.0,
            None => exponent.unwrap_or(1.0),
        };
        to.metallic = number(PropertyId::METALLIC).unwrap_or(0.0);
        let roughness = image(PropertyId::MAP_ROUGHNESS, scene, budget, losses)?;
        let metalness = image(PropertyId::MAP_METALLIC, scene, budget, losses)?;
        let name = || format!("{} roughness and metalness", to.name);
        match combined.image(scene, [roughness, metalness], name, budget) {
            Ok(None) => {}
            Ok(Some(image)) => {
                to.metallic_roughness_texture = Some(Texture::new(image));
                if is_found(roughness.map(Texture::new), scene) {
                    to.roughness = 1.0;
                }
                if is_found(metalness.map(Texture::new), scene) {
                    to.metallic = 1.0;
                }
            }
            Err(error) => losses.push(Loss::new(
                path.clone(),
                format!("the maps of roughness and metalness, which could not be combined: {error}"),
            )),
        }
        let mut normal = image(PropertyId::MAP_NORMAL, scene, budget, losses)?;
        if normal.is_none() {
            normal = image(PropertyId::MAP_BUMP, scene, budget, losses)?;
        }
        to.normal_texture = normal.map(Texture::new);
        to.normal_scale = number(PropertyId::BUMP_STRENGTH).unwrap_or(1.0);
        to.occlusion_texture = image(PropertyId::MAP_AMBIENT, scene, budget, losses)?.map(Texture::new);
        to.emissive_texture = image(PropertyId::MAP_EMISSIVE, scene, budget, losses)?.map(Texture::new);
        let glow = from.color(PropertyId::EMISSIVE).map(unit);
        to.emissive = match (to.emissive_texture, glow) {
            (_, Some([r, g, b, _])) => [r, g, b],
            (map, None) if is_found(map, scene) => [1.0; 3],
            (_, None) => [0.0; 3],
        };
        if let Some([r, g, b, _]) = from.color(PropertyId::SPECULAR).map(unit) {
            to.specular = Some([r.min(0.5) * 2.0, g.min(0.5) * 2.0, b.min(0.5) * 2.0, 1.0]);
        }
        to.ior = number(PropertyId::REFRACTION).filter(|&ior| ior >= 1.0);
        let model_number = number(PropertyId::ILLUMINATION).unwrap_or(2.0);
        to.unlit = model_number == 0.0;
        let clear = [4.0, 6.0, 7.0, 9.0].contains(&model_number);
        if let Some([r, g, b, _]) = from
            .color(PropertyId::TRANSMISSION)
            .map(unit)
            .filter(|&[r, g, b, _]| clear && [r, g, b] != [1.0; 3])
        {
            to.transmission = Some((r + g + b) / 3.0);
        }
        if to.base_color[3] < 1.0 {
            to.alpha = Alpha::Blend;
        }
        let has = |id: PropertyId| from.get(id).is_some();
        let mut lose = |id: PropertyId, is_lost: bool, what: &'static str| {
            let path = || format!("{path}.{}", id.key().unwrap_or_default());
            if is_lost { budget.lose(losses, Loss::new(path(), what)) } else { Ok(()) }
        };
        let dissolve = number(PropertyId::DISSOLVE).filter(|dissolve| !(0.0..=1.0).contains(dissolve));
        let what = match dissolve.is_some_and(f32::is_nan) {
            true => "an opacity that is NaN: 1 is used",
            false => "an opacity outside the range from 0 to 1: the nearest value is used",
        };
        lose(PropertyId::DISSOLVE, dissolve.is_some(), what)?;
        let below = number(PropertyId::REFRACTION).is_some_and(|ior| to.ior != Some(ior));
        let what = "an index of refraction that is NaN or below 1: the default, 1.5, is used";
        lose(PropertyId::REFRACTION, below, what)?;
        let exponent = exponent.is_some() && (physical || has(PropertyId::ROUGHNESS));
        lose(
            PropertyId::SPECULAR_EXPONENT,
            exponent,
            "the specular exponent, since the material has physically based properties, such as a roughness",
        )?;
        let through = from.color(PropertyId::TRANSMISSION).map(unit);
        let unlit = through.is_some_and(|[r, g, b, _]| !clear && [r, g, b] != [1.0; 3]);
        lose(
            PropertyId::TRANSMISSION,
            unlit,
            "the transmission, since the illumination model (il) is not 4, 6, 7 or 9",
        )?;
        let tint = through.is_some_and(|[r, g, b, _]| clear && (r != g || g != b));
        let what = "the tint of the transmission: the mean of red, green and blue is kept";
        lose(PropertyId::TRANSMISSION, tint, what)?;
        let both = has(PropertyId::MAP_NORMAL) && has(PropertyId::MAP_BUMP);
        lose(PropertyId::MAP_BUMP, both, "the bump map of a material with a normal map")?;
        let alpha = glow.is_some_and(|[.., alpha]| alpha != 1.0);
        lose(PropertyId::EMISSIVE, alpha, "the alpha of the emissive colour")?;
        let mut ids = HashSet::new();
        // Values without a counterpart in glTF are kept as extras.
        for property in &from.properties {
            if !ids.insert(property.id) {
                let path = format!("{path}.{}", property.id.key().unwrap_or_default());
                budget.lose(losses, Loss::new(path, "a repeated property: the first value is used"))?;
                continue;
            }
            let kept = match property.id {
                PropertyId::AMBIENT
                | PropertyId::SHEEN
                | PropertyId::THICKNESS
                | PropertyId::ILLUMINATION => true,
                PropertyId::MAP_SPECULAR
                | PropertyId::MAP_SPECULAR_EXPONENT
                | PropertyId::MAP_TRANSMISSION
                | PropertyId::MAP_DISSOLVE
                | PropertyId::MAP_SHEEN
                | PropertyId::MAP_REFRACTION
                | PropertyId::MAP_THICKNESS => true,
                id => id.key().is_none(),
            };
            if kept {
                let key = property.id.key().map_or_else(|| property.id.0.to_string(), str::to_owned);
                let value = match &property.value {
                    Value::Color(color) => json!(color.to_array()),
                    Value::Float(number) => json!(number),
                    Value::Byte(number) => json!(number),
                    Value::Map(name) => json!(name.to_string()),
                    Value::Other(bytes) => json!(bytes),
                };
                let what =
                    "other formats do not have this property: the extras of the material keep its value";
                budget.lose(losses, Loss::approximated(format!("{path}.{key}"), what))?;
                // Bytes become numbers, in a list whose capacity doubles.
                let size = match &property.value {
                    Value::Map(name) => 2 * name.len(),
                    Value::Other(bytes) => 3 * size_of::<serde_json::Value>() * bytes.len(),
                    _ => 0,
                };
                budget.take((size + 512) as u64, "the properties of the materials")?;
                to.extras.insert(format!("m3d.{key}"), value);
            }
        }
        scene.materials.push(to);
    }
    Ok(())
}
