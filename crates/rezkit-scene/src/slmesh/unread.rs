//! Lists what a material asset contains and a scene cannot represent.

use rezkit_core::Loss;
use serde_json::Value;

use super::material::{Asset, TEXTURES, TRANSFORM};

/// The paths of values, with the number of numbers that is expected; 0 for a single one.
const NUMBERS: [(&str, usize); 5] = [
    ("/pbrMetallicRoughness/baseColorFactor", 4),
    ("/pbrMetallicRoughness/metallicFactor", 0),
    ("/pbrMetallicRoughness/roughnessFactor", 0),
    ("/emissiveFactor", 3),
    ("/alphaCutoff", 0),
];

/// The properties that are read of the material and of its part for the metallic and rough surface.
const OF_MATERIAL: &str = "name pbrMetallicRoughness normalTexture occlusionTexture emissiveTexture emissiveFactor \
                           alphaMode alphaCutoff doubleSided";
const OF_SURFACE: &str =
    "baseColorFactor metallicFactor roughnessFactor baseColorTexture metallicRoughnessTexture";

fn path(pointer: &str) -> String {
    format!("data.materials[0]{}", pointer.replace('/', "."))
}

impl Asset {
    /// The values of the first material that are dropped, or replaced by the default.
    pub(super) fn unread(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        let others = |pointer: &str, known: &str, losses: &mut Vec<Loss>| {
            let object = self.field(pointer).and_then(Value::as_object);
            let mut keys = object.into_iter().flatten().map(|(key, _)| key);
            let mut unknown = keys.by_ref().filter(|key| !known.split(' ').any(|known| known == *key));
            if let Some(first) = unknown.next() {
                let loss = Loss::new(path(&format!("{pointer}/{first}")), "a property that is not read")
                    .id("sl.material-feature");
                losses.push(loss.times(1 + unknown.count()));
            }
        };
        others("", OF_MATERIAL, &mut losses);
        others("/pbrMetallicRoughness", OF_SURFACE, &mut losses);
        for (_, texture) in TEXTURES {
            others(texture, "index texCoord extensions", &mut losses);
            others(&format!("{texture}/extensions"), TRANSFORM, &mut losses);
            let moved = format!("{texture}/extensions/{TRANSFORM}");
            others(&moved, "offset rotation scale", &mut losses);
            let Some(there) = self.field(texture) else { continue };
            match self.texture(texture) {
                None => losses.push(
                    Loss::new(path(texture), "a texture that refers to no image with a URI")
                        .id("gltf.textures"),
                ),
                Some(_) => {
                    if there.get("texCoord").is_some_and(|set| set != 0) {
                        let what = "the choice of texture coordinates: Second Life uses only the first";
                        losses.push(
                            Loss::new(path(&format!("{texture}/texCoord")), what).id("sl.material-feature"),
                        );
                    }
                    let index = there.get("index").and_then(Value::as_u64).unwrap_or_default();
                    if self.data.pointer(&format!("/textures/{index}/sampler")).is_some() {
                        let path = format!("data.textures[{index}].sampler");
                        let what =
                            "wrapping and filters of the texture, which Second Life materials do not support";
                        losses.push(Loss::new(path, what).id("sl.material-feature"));
                    }
                }
            }
        }
        let mut malformed = |pointer: &str, expected: &str, is_valid: &dyn Fn(&Value) -> bool| {
            if let Some(found) = self.field(pointer).filter(|found| !is_valid(found)) {
                let what = format!(
                    "expected {expected}, found {found}: defaults replace missing or malformed values"
                );
                losses.push(Loss::filled_in(path(pointer), what).id("sl.malformed"));
            }
        };
        for (pointer, count) in NUMBERS {
            match count {
                0 => malformed(pointer, "a number", &Value::is_number),
                count => malformed(pointer, &format!("{count} numbers"), &|found| {
                    found.as_array().is_some_and(|of| of.len() == count && of.iter().all(Value::is_number))
                }),
            }
        }
        let is_mode = |mode: &Value| matches!(mode.as_str(), Some("OPAQUE" | "MASK" | "BLEND"));
        malformed("/alphaMode", "OPAQUE, MASK or BLEND", &is_mode);
        malformed("/doubleSided", "true or false", &Value::is_boolean);
        losses
    }
}
