//! Materials: the colour, the surface and the textures of a part.

use rezkit_core::{Budget, Loss, Result, Sources};
use std::collections::HashMap;

use super::surfaces::surface;
use super::tree::{Inst, Property};
use crate::combined::Combined;
use crate::images::linear_from_srgb;
use crate::model::{Alpha, Image, ImageData, Material, Scene, Texture};
use rezkit_core::Reference;

/// The appearance of a part, equal for parts that look the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Look {
    /// The colour in sRGB.
    pub(super) color: [u8; 3],
    /// 255 if opaque.
    pub(super) alpha: u8,
    /// The number in `Enum.Material`.
    pub(super) material: u32,
    /// The reflectance in hundredths.
    pub(super) reflectance: u8,
    pub(super) double_sided: bool,
    pub(super) texture: Option<usize>,
    pub(super) normal: Option<usize>,
    /// The image with roughness in green and metalness in blue.
    pub(super) metallic_roughness: Option<usize>,
    /// Whether that image has metalness: if not, the surface is not a metal.
    pub(super) metalness: bool,
    /// A number in `Enum.AlphaMode`, for surfaces with their own maps.
    pub(super) alpha_mode: Option<u32>,
    /// Whether the texture has its own transparency, as decals do.
    pub(super) cut_out: bool,
    /// Where the surface emits light: the image of a mask, the colour, and the bits of the strength.
    pub(super) emissive: Option<(usize, [u8; 3], u32)>,
}

impl Look {
    /// The colour, transparency and material of a part.
    pub(super) fn of_part(part: &Inst) -> Self {
        let brick = || part.int(Property::BrickColor).map(brick_color);
        let color = part.color(&[Property::Color3uint8, Property::Color]).or_else(brick);
        Self {
            color: bytes_of(color.unwrap_or_else(|| brick_color(194))),
            alpha: alpha_of(part),
            material: part.int(Property::Material).unwrap_or(256),
            reflectance: (part.number(Property::Reflectance).unwrap_or(0.0).clamp(0.0, 1.0) * 100.0) as u8,
            ..Self::default()
        }
    }
}

/// The number of the material Neon, which shines.
const NEON: u32 = 288;

pub(super) fn alpha_of(part: &Inst) -> u8 {
    ((1.0 - part.number(Property::Transparency).unwrap_or(0.0)).clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// The sRGB colour of a number of Roblox's palette, 0 to 1. For an unknown number, medium stone grey, as in Roblox.
pub(super) fn brick_color(number: u32) -> [f32; 3] {
    let known = rbxcore::classes::brick_color(number).unwrap_or([0xa3, 0xa2, 0xa5]);
    known.map(|part| f32::from(part) / 255.0)
}

pub(super) fn bytes_of(color: [f32; 3]) -> [u8; 3] {
    color.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// The indices of the materials and images of a scene, so that each is added once.
#[derive(Debug, Default)]
pub(super) struct Looks {
    materials: HashMap<Look, usize>,
    images: HashMap<Reference, Result<usize, Box<Loss>>>,
    pub(super) combined: Combined,
    /// Whether images have transparent pixels, once it was asked.
    pub(super) transparent: HashMap<usize, bool>,
    /// Colour maps without alpha, by the map, the AlphaMode, the colour of the part and the tint.
    pub(super) mixed: HashMap<(usize, u32, [[u8; 3]; 2]), usize>,
}

impl Looks {
    pub(super) fn material(&mut self, scene: &mut Scene, look: &Look) -> usize {
        if let Some(&index) = self.materials.get(look) {
            return index;
        }
        let (name, metallic, roughness) = surface(look.material);
        let [r, g, b] = look.color;
        let glass = look.material == 1568 && look.alpha == 255;
        let alpha = if glass { 0.55 } else { f32::from(look.alpha) / 255.0 };
        let color = look.color.map(linear_from_srgb);
        let alpha_mode = match look.alpha_mode {
            _ if alpha < 1.0 => Alpha::Blend,
            Some(1) => Alpha::Blend,
            _ if look.cut_out => Alpha::Blend,
            _ => Alpha::Opaque,
        };
        let mapped = look.metallic_roughness.is_some();
        let mirror = f32::from(look.reflectance) / 100.0;
        let material = Material {
            name: format!("{name} {r:02X}{g:02X}{b:02X}"),
            base_color: [color[0], color[1], color[2], alpha],
            base_texture: look.texture.map(Texture::new),
            metallic: if mapped { f32::from(u8::from(look.metalness)) } else { metallic },
            roughness: if mapped { 1.0 } else { roughness * (1.0 - 0.8 * mirror) },
            metallic_roughness_texture: look.metallic_roughness.map(Texture::new),
            normal_texture: look.normal.map(Texture::new),
            emissive: match look.emissive {
                Some((_, tint, _)) => tint.map(linear_from_srgb),
                None if look.material == NEON => color,
                None => [0.0; 3],
            },
            emissive_strength: look.emissive.map_or(1.0, |(.., strength)| f32::from_bits(strength)),
            emissive_texture: match look.emissive {
                Some((mask, ..)) => Some(Texture::new(mask)),
                None => look.texture.filter(|_| look.material == NEON).map(Texture::new),
            },
            alpha: alpha_mode,
            double_sided: look.double_sided,
            ..Material::default()
        };
        scene.materials.push(material);
        self.materials.insert(look.clone(), scene.materials.len() - 1);
        scene.materials.len() - 1
    }

    /// The index of the image of an asset, or what is lost.
    pub(super) fn image(
        &mut self,
        scene: &mut Scene,
        asset: &Reference,
        budget: &Budget,
        sources: &mut dyn Sources,
    ) -> Result<usize, Box<Loss>> {
        if let Some(found) = self.images.get(asset) {
            return found.clone();
        }
        let image = sources
            .get(asset, budget.left())
            .map(|bytes| bytes.map(|bytes| Image { name: asset.to_string(), data: ImageData::Bytes(bytes) }));
        let found = match image {
            Err(error) => Err(Loss::new("", format!("the image {asset} cannot be read: {error}"))
                .id("image.unreadable")
                .into()),
            Ok(None) => {
                Err(Loss::missing("", format!("the image {asset} was not found")).id("image.missing").into())
            }
            Ok(Some(image)) if image.media_type().is_none() => {
                Err(Loss::new("", format!("the image {asset} is neither PNG, JPEG nor WebP"))
                    .id("image.format")
                    .into())
            }
            Ok(Some(image)) => {
                scene.images.push(image);
                Ok(scene.images.len() - 1)
            }
        };
        self.images.insert(asset.clone(), found.clone());
        found
    }
}
