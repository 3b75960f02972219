//! Materials as Second Life stores them: an asset of LLSD with a glTF document of one material.

use rezkit_scene::{Alpha, Error, Loss, Material, Result, Texture, UvTransform};
use serde_json::{Map, Value, json};
use slmesh::llsd;

/// The version of the asset that is written; 1.0 is read, too.
const VERSION: &str = "1.1";
/// The kind of its content.
const TYPE: &str = "GLTF 2.0";
const TRANSFORM: &str = "KHR_texture_transform";
/// Of a texture whose image has no id.
pub(super) const NOT_UPLOADED: &str = "its image has an id when it is uploaded: left out";
/// The most bytes of an asset: far more than the viewer writes.
const MOST_BYTES: u64 = 1 << 24;

/// A material as an asset. `id` gives the UUID of an uploaded texture by the index of the image; a texture without one
/// is left out, and listed, as is what the platform does not have.
///
/// # Errors
/// Where numbers of the material are not finite.
pub fn material_to_asset(
    material: &Material,
    id: &dyn Fn(usize) -> Option<String>,
) -> Result<(Vec<u8>, Vec<Loss>)> {
    let mut losses = Vec::new();
    let mut document = Document { id, textures: Vec::new(), images: Vec::new(), losses: &mut losses };
    let mut pbr = Map::new();
    let mut fields = Map::new();
    let numbers =
        material.base_color.iter().chain(&material.emissive).chain([&material.metallic, &material.roughness]);
    if numbers.into_iter().any(|number| !number.is_finite()) {
        return Err(Error::unwritable("a number that is not finite").at(material.name.clone()));
    }
    pbr.insert("baseColorFactor".into(), json!(material.base_color));
    pbr.insert("metallicFactor".into(), json!(material.metallic));
    pbr.insert("roughnessFactor".into(), json!(material.roughness));
    for (name, texture, to) in [
        ("baseColorTexture", &material.base_texture, true),
        ("metallicRoughnessTexture", &material.metallic_roughness_texture, true),
        ("normalTexture", &material.normal_texture, false),
        ("occlusionTexture", &material.occlusion_texture, false),
        ("emissiveTexture", &material.emissive_texture, false),
    ] {
        if let Some(made) = texture.as_ref().and_then(|texture| document.texture(name, texture)) {
            if to { &mut pbr } else { &mut fields }.insert(name.into(), made);
        }
    }
    fields.insert("emissiveFactor".into(), json!(material.emissive));
    if let Some(mode) = match material.alpha {
        Alpha::Opaque => None,
        Alpha::Mask(cutoff) => {
            fields.insert("alphaCutoff".into(), json!(cutoff));
            Some("MASK")
        }
        Alpha::Blend => Some("BLEND"),
    } {
        fields.insert("alphaMode".into(), json!(mode));
    }
    if material.double_sided {
        fields.insert("doubleSided".into(), json!(true));
    }
    fields.insert("pbrMetallicRoughness".into(), Value::Object(pbr));
    let (textures, images) = (document.textures, document.images);
    let mut left_out = |is: bool, what: &str| {
        if is {
            losses.push(Loss::new(what, "no counterpart in the platform's materials: left out"));
        }
    };
    left_out(material.unlit, "unlit");
    left_out(material.ior.is_some(), "index of refraction");
    left_out(material.transmission.is_some(), "transmission");
    left_out(material.specular.is_some(), "specular");
    left_out(material.clearcoat.is_some(), "clearcoat");
    left_out(material.emissive_strength != 1.0, "emissive strength");
    left_out(material.normal_texture.is_some() && material.normal_scale != 1.0, "strength of the normal map");
    left_out(
        material.occlusion_texture.is_some() && material.occlusion_strength != 1.0,
        "strength of the occlusion",
    );
    let mut gltf = json!({ "asset": { "version": "2.0" }, "materials": [Value::Object(fields)] });
    if !textures.is_empty() {
        (gltf["textures"], gltf["images"]) = (Value::Array(textures), Value::Array(images));
        gltf["extensionsUsed"] = json!([TRANSFORM]);
    }
    let value = llsd::llsd!({ "data": (gltf.to_string()), "type": (TYPE), "version": (VERSION) });
    let write = llsd::WriteOptions::new().encoding(llsd::Encoding::Binary).header(llsd::Header::Python);
    let bytes = write.write(&value).map_err(Error::unwritable)?;
    Ok((bytes, losses))
}

struct Document<'a> {
    id: &'a dyn Fn(usize) -> Option<String>,
    textures: Vec<Value>,
    images: Vec<Value>,
    losses: &'a mut Vec<Loss>,
}

impl Document<'_> {
    fn texture(&mut self, name: &str, texture: &Texture) -> Option<Value> {
        let Some(id) = (self.id)(texture.image) else {
            self.losses.push(Loss::new(name, NOT_UPLOADED));
            return None;
        };
        if texture.set != 0 {
            self.losses.push(Loss::new(name, "other texture coordinates than the first: those are used"));
        }
        let index = self.textures.len();
        self.images.push(json!({ "uri": id }));
        self.textures.push(json!({ "source": index }));
        let UvTransform { offset, rotation, scale } = texture.transform;
        let mut made = json!({ "index": index });
        if texture.transform != UvTransform::default() {
            made["extensions"] =
                json!({ TRANSFORM: { "offset": offset, "rotation": rotation, "scale": scale } });
        }
        Some(made)
    }
}

/// The material of an asset, with the UUIDs of its images by index.
///
/// # Errors
/// Where the asset is not LLSD, has another type or version, or its document has no material.
pub fn material_from_asset(bytes: &[u8]) -> Result<(Material, Vec<String>)> {
    let value = llsd::ReadOptions::new().max_bytes(MOST_BYTES).read(bytes).map_err(Error::unreadable)?;
    let text = |key: &str| value.get(key).map(|value| value.to_text().to_string()).unwrap_or_default();
    match (text("version").as_str(), text("type").as_str()) {
        ("1.0" | "1.1", TYPE) => {}
        (version, kind) => {
            return Err(Error::unreadable(format!(
                "expected {TYPE:?} of version 1.0 or 1.1, found {kind:?} of {version:?}"
            )));
        }
    }
    let gltf: Value =
        serde_json::from_str(&text("data")).map_err(|error| Error::unreadable(error).at("data"))?;
    let fields =
        gltf.pointer("/materials/0").ok_or_else(|| Error::unreadable("no material").at("data.materials"))?;
    let number = |path: &str| fields.pointer(path).and_then(Value::as_f64).map(|number| number as f32);
    fn numbers<const N: usize>(value: Option<&Value>, or: [f32; N]) -> [f32; N] {
        let list = value.and_then(Value::as_array);
        std::array::from_fn(|at| {
            let number = list.and_then(|list| list.get(at)).and_then(Value::as_f64);
            number.map_or(or[at], |number| number as f32)
        })
    }
    let mut ids = Vec::new();
    let mut texture = |path: &str| {
        let there = fields.pointer(path)?;
        let index = there.get("index")?.as_u64()?;
        let source = gltf.pointer(&format!("/textures/{index}/source"))?.as_u64()?;
        let id = gltf.pointer(&format!("/images/{source}/uri"))?.as_str()?;
        ids.push(id.to_owned());
        let mut texture = Texture::new(ids.len() - 1);
        if let Some(moved) = there.pointer(&format!("/extensions/{TRANSFORM}")) {
            texture.transform = UvTransform {
                offset: numbers(moved.get("offset"), [0.0; 2]),
                rotation: moved.get("rotation").and_then(Value::as_f64).map_or(0.0, |number| number as f32),
                scale: numbers(moved.get("scale"), [1.0; 2]),
            };
        }
        Some(texture)
    };
    let material = Material {
        name: fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        base_texture: texture("/pbrMetallicRoughness/baseColorTexture"),
        metallic_roughness_texture: texture("/pbrMetallicRoughness/metallicRoughnessTexture"),
        normal_texture: texture("/normalTexture"),
        occlusion_texture: texture("/occlusionTexture"),
        emissive_texture: texture("/emissiveTexture"),
        base_color: numbers(fields.pointer("/pbrMetallicRoughness/baseColorFactor"), [1.0; 4]),
        metallic: number("/pbrMetallicRoughness/metallicFactor").unwrap_or(1.0),
        roughness: number("/pbrMetallicRoughness/roughnessFactor").unwrap_or(1.0),
        emissive: numbers(fields.get("emissiveFactor"), [0.0; 3]),
        alpha: match fields.get("alphaMode").and_then(Value::as_str) {
            Some("MASK") => Alpha::Mask(number("/alphaCutoff").unwrap_or(0.5)),
            Some("BLEND") => Alpha::Blend,
            _ => Alpha::Opaque,
        },
        double_sided: fields.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
        ..Material::default()
    };
    Ok((material, ids))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut texture = Texture::new(1);
        texture.transform = UvTransform { offset: [0.25, 0.5], rotation: 0.5, scale: [2.0, 3.0] };
        let material = Material {
            base_color: [0.5, 0.25, 1.0, 0.75],
            metallic: 0.5,
            roughness: 0.25,
            emissive: [0.5, 0.0, 1.0],
            alpha: Alpha::Mask(0.25),
            double_sided: true,
            base_texture: Some(texture),
            normal_texture: Some(Texture::new(0)),
            ..Material::default()
        };
        let ids = ["0a32a9bb-6ac6-2b14-8c4f-000000000001", "0a32a9bb-6ac6-2b14-8c4f-000000000002"];
        let (bytes, losses) =
            material_to_asset(&material, &|image| Some(ids[image].to_owned())).expect("finite");
        assert!(losses.is_empty() && bytes.starts_with(b"<?llsd/binary?>\n"));
        // As the viewer reads it: a map of three texts, one of them glTF.
        let value = llsd::from_slice(&bytes).expect("LLSD");
        assert_eq!(value["version"].as_str(), Some("1.1"));
        let json: Value = serde_json::from_str(&value["data"].to_text().to_string()).expect("JSON");
        let base = &json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
        assert_eq!(base["extensions"]["KHR_texture_transform"]["scale"], json!([2.0, 3.0]));
        assert_eq!(json["images"][base["index"].as_u64().expect("an index") as usize]["uri"], ids[1]);
        let (back, found) = material_from_asset(&bytes).expect("an asset");
        assert_eq!(found, [ids[1], ids[0]]);
        // Images are numbered as they come.
        texture.image = 0;
        let expected = Material {
            base_texture: Some(texture),
            normal_texture: Some(Texture::new(1)),
            ..material.clone()
        };
        assert_eq!(back, expected);
        let (_, losses) = material_to_asset(&material, &|_| None).expect("finite");
        assert_eq!(losses.len(), 2);
        assert!(material_from_asset(b"<?llsd/binary?>\n{\0\0\0\0}").is_err());
    }
}
