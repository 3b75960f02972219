//! The materials of a scene as the colour, the material and the `SurfaceAppearance` of a part.

use std::collections::HashMap;

use rezkit_core::{Budget, Loss, Result};

use super::files::{Assets, FileId};
use crate::features::Feature;
use crate::forms::ModelOptions;
use crate::images::{self, Picture, srgb_from_linear};
use crate::model::{Alpha, Filter, Image, Material, Scene, Texture, UvTransform, Wrap};
use crate::roblox::{material_named, surface};

/// Numbers of `Enum.Material`.
const SMOOTH_PLASTIC: u32 = 272;
const NEON: u32 = 288;
const METAL: u32 = 1088;
const GLASS: u32 = 1568;

/// How a part looks.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The colour in sRGB.
    pub(super) color: [u8; 3],
    pub(super) transparency: f32,
    pub(super) reflectance: f32,
    /// The number in `Enum.Material`.
    pub(super) material: u32,
    pub(super) double_sided: bool,
    pub(super) maps: Option<Maps>,
    /// The set of texture coordinates of the maps, and their transform.
    pub(super) coordinates: (usize, UvTransform),
    /// Whether the maps do not repeat.
    pub(super) clamps: bool,
    /// Whether every other copy of all maps is mirrored, along u and v.
    pub(super) mirrors: [bool; 2],
}

/// The content of a `SurfaceAppearance`.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps {
    pub(super) color: Option<FileId>,
    pub(super) metalness: Option<FileId>,
    pub(super) normal: Option<FileId>,
    pub(super) roughness: Option<FileId>,
    pub(super) emissive: Option<FileId>,
    /// The factor of the colour map, in sRGB.
    pub(super) tint: [f32; 3],
    /// The number in `Enum.AlphaMode`.
    pub(super) alpha_mode: u32,
    pub(super) emissive_tint: [f32; 3],
    pub(super) emissive_strength: f32,
    /// Whether pixels are not interpolated.
    pub(super) is_pixelated: bool,
}

/// An image that was made of another one: the image, the change, and its number as bits.
type Key = (usize, Change, u32);

/// How an image of a scene becomes one of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    Same,
    /// Without alpha.
    Opaque,
    /// Pixels whose alpha is below the number are transparent, and the others are not.
    Cut,
    /// The channel of roughness, times the number.
    Roughness,
    Metalness,
    /// The slopes of normals, times the number.
    Normal,
    /// The largest channel.
    Mask,
}

/// The looks of the materials, and what they need.
pub(super) struct Looks<'a> {
    scene: &'a Scene,
    options: &'a ModelOptions,
    known: HashMap<Option<usize>, Look>,
    images: HashMap<Key, Option<FileId>>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(scene: &'a Scene, options: &'a ModelOptions) -> Self {
        Self { scene, options, known: HashMap::new(), images: HashMap::new() }
    }

    /// The look of a material, made when it is first needed.
    pub(super) fn of(
        &mut self,
        material: Option<usize>,
        assets: &mut Assets,
        losses: &mut Vec<Loss>,
        budget: &mut Budget,
    ) -> Result<Look> {
        if let Some(look) = self.known.get(&material) {
            return Ok(look.clone());
        }
        let found = material.and_then(|index| Some((index, self.scene.materials.get(index)?)));
        let look = match found {
            None => Look::of(&Material::unassigned()),
            Some((index, of)) => {
                let mut making =
                    Making { looks: self, assets, losses, budget, path: format!("materials[{index}]") };
                making.look(of)?
            }
        };
        self.known.insert(material, look.clone());
        Ok(look)
    }
}

/// The sRGB value of a linear one.
fn srgb(linear: f32) -> f32 {
    let value = linear.clamp(0.0, 1.0);
    if value == 1.0 {
        return 1.0;
    }
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::powf(value, 1.0 / 2.4) - 0.055 }
}

impl Look {
    /// A material without textures.
    fn of(material: &Material) -> Self {
        let [r, g, b, alpha] = material.base_color;
        let color = [r, g, b].map(srgb_from_linear);
        let alpha = if material.alpha == Alpha::Blend { alpha.clamp(0.0, 1.0) } else { 1.0 };
        let mut look = Self {
            color,
            transparency: 1.0 - alpha,
            reflectance: 0.0,
            material: SMOOTH_PLASTIC,
            double_sided: material.double_sided,
            maps: None,
            coordinates: Default::default(),
            clamps: false,
            mirrors: [false; 2],
        };
        if let Some((number, reflectance)) = own(material, color) {
            (look.material, look.reflectance) = (number, reflectance);
            // The glass of a scene is transparent, that of a part need not be.
            if number == GLASS && (alpha - 0.55).abs() < 0.001 {
                look.transparency = 0.0;
            }
            return look;
        }
        let glow = material.emissive.into_iter().fold(0.0, f32::max) * material.emissive_strength;
        if glow >= 0.5 {
            look.material = NEON;
            look.color = material.emissive.map(srgb_from_linear);
        } else if material.transmission.is_some_and(|part| part > 0.0) {
            look.material = GLASS;
            look.transparency = look.transparency.max(0.45);
        } else if material.metallic >= 0.5 {
            look.material = METAL;
        }
        look
    }
}

/// The number and the reflectance of a material that was that of a part, by its name (`Plastic A3A2A5`); `None` if it was
/// changed since.
fn own(material: &Material, color: [u8; 3]) -> Option<(u32, f32)> {
    let (name, digits) = material.name.rsplit_once(' ')?;
    let [r, g, b] = color;
    let (number, metalness, roughness) = material_named(name)?;
    let mirror = (1.0 - material.roughness / roughness) / 0.8;
    let reflectance = (mirror * 100.0).round() / 100.0;
    let is_own = digits == format!("{r:02X}{g:02X}{b:02X}")
        && material.metallic == metalness
        && (-0.001..=1.001).contains(&mirror)
        && (number == NEON) == (material.emissive != [0.0; 3]);
    is_own.then_some((number, reflectance.clamp(0.0, 1.0)))
}

/// A look that is being made.
struct Making<'a, 'b> {
    looks: &'a mut Looks<'b>,
    assets: &'a mut Assets,
    losses: &'a mut Vec<Loss>,
    budget: &'a mut Budget,
    path: String,
}

impl Making<'_, '_> {
    fn lose(&mut self, loss: Loss) -> Result<()> {
        self.budget.lose(self.losses, loss)
    }

    fn look(&mut self, material: &Material) -> Result<Look> {
        self.unsupported(material)?;
        let own = [
            &material.base_texture,
            &material.metallic_roughness_texture,
            &material.normal_texture,
            &material.emissive_texture,
        ];
        let mut textures = own.into_iter().flatten();
        let Some(first) = textures.next() else {
            let look = Look::of(material);
            self.plain(material, &look)?;
            return Ok(look);
        };
        // The maps replace the surface of the material of a part.
        let mut look = Look::of(&Material {
            base_color: material.base_color,
            alpha: material.alpha,
            transmission: material.transmission,
            double_sided: material.double_sided,
            ..Material::default()
        });
        look.coordinates = (first.set, first.transform);
        let wraps = || own.into_iter().flatten().map(|texture| texture.sampler.wrap);
        look.clamps = wraps().any(|wrap| wrap != [Wrap::Repeat; 2]);
        look.mirrors = [0, 1].map(|axis| wraps().all(|wrap| wrap[axis] == Wrap::Mirror));
        let others =
            textures.filter(|texture| (texture.set, texture.transform) != (first.set, first.transform));
        let others = others.count();
        if others > 0 {
            let what = "texture coordinates that differ from those of the first texture of the material, which are used";
            let about = [Feature::TextureTransform.title(), Feature::TextureSet.title()];
            self.lose(
                Loss::approximated(&*self.path, what).id("roblox.material").times(others).about(about),
            )?;
        }
        let mut maps = Maps {
            emissive_tint: [1.0; 3],
            emissive_strength: 1.0,
            is_pixelated: first.sampler.mag == Some(Filter::Nearest),
            tint: [1.0; 3],
            ..Maps::default()
        };
        if let Some(texture) = &material.base_texture {
            self.color(material, texture, &mut maps)?;
        }
        if maps.color.is_some() {
            // The alpha of the material is that of the part, also if the texture has its own.
            look.color = [255; 3];
            if matches!(material.alpha, Alpha::Mask(_)) {
                look.transparency = 0.0;
            }
        }
        let texture = material.metallic_roughness_texture;
        maps.roughness = self.grey(texture.as_ref(), Change::Roughness, material.roughness)?;
        if material.metallic > 0.0 {
            maps.metalness = self.grey(texture.as_ref(), Change::Metalness, material.metallic)?;
        }
        if let Some(texture) = &material.normal_texture {
            let change = if material.normal_scale == 1.0 { Change::Same } else { Change::Normal };
            maps.normal = self.image(texture, change, material.normal_scale)?;
        }
        self.emissive(material, &mut maps)?;
        look.maps = Some(maps);
        Ok(look)
    }

    /// Lists what no part has.
    fn unsupported(&mut self, material: &Material) -> Result<()> {
        for (is_there, feature) in [
            (material.occlusion_texture.is_some(), Feature::OcclusionTexture),
            (material.unlit, Feature::Unlit),
            (material.ior.is_some(), Feature::Ior),
            (material.specular.is_some(), Feature::Specular),
            (material.clearcoat.is_some(), Feature::Clearcoat),
        ] {
            if is_there {
                self.lose(
                    Loss::new(&*self.path, feature.title()).id(feature.loss()).about([feature.title()]),
                )?;
            }
        }
        if material.transmission.is_some_and(|part| part > 0.0) {
            let what = "transmission becomes the material Glass, which is transparent";
            self.lose(
                Loss::approximated(&*self.path, what)
                    .id("scene.extended-material")
                    .about([Feature::Transmission.title()]),
            )?;
        }
        Ok(())
    }

    /// Lists the numbers of a material without textures that differ from those of the material of the part.
    fn plain(&mut self, material: &Material, look: &Look) -> Result<()> {
        let (name, metallic, roughness) = surface(look.material);
        let roughness = roughness * (1.0 - 0.8 * look.reflectance);
        if look.material == GLASS && material.transmission.is_some() {
            return Ok(());
        }
        if (material.metallic - metallic).abs() > 0.01 || (material.roughness - roughness).abs() > 0.01 {
            let what = format!("metalness and roughness become those of Roblox's material {name}");
            let about = [Feature::Metallic.title(), Feature::Roughness.title()];
            self.lose(Loss::approximated(&*self.path, what).id("roblox.material").about(about))?;
        }
        let is_own = own(material, look.color).is_some();
        let glows = material.emissive.iter().any(|part| *part > 0.0);
        if glows && !is_own {
            let what = match look.material {
                NEON => "the light that the surface emits becomes the material Neon",
                _ => "the faint light that the surface emits",
            };
            let new = if look.material == NEON { Loss::approximated } else { Loss::new };
            let about = [Feature::Emissive.title(), Feature::EmissiveStrength.title()];
            self.lose(new(self.path.clone(), what).id("roblox.material").about(about))?;
        }
        if let Alpha::Mask(cutoff) = material.alpha
            && material.base_color[3] < cutoff
        {
            let what = "a surface that is cut off as a whole is drawn";
            self.lose(
                Loss::approximated(&*self.path, what)
                    .id("scene.alpha-mode")
                    .about([Feature::AlphaMode.title()]),
            )?;
        }
        Ok(())
    }

    fn color(&mut self, material: &Material, texture: &Texture, maps: &mut Maps) -> Result<()> {
        let [r, g, b, alpha] = material.base_color;
        maps.tint = [r, g, b].map(srgb);
        let bytes = self.looks.scene.images.get(texture.image).and_then(Image::bytes);
        let has_alpha = match bytes {
            Some(bytes) => images::is_transparent(bytes, self.budget).unwrap_or(false),
            None => false,
        };
        maps.color = match material.alpha {
            _ if !has_alpha => self.image(texture, Change::Same, 0.0)?,
            Alpha::Opaque => self.image(texture, Change::Opaque, 0.0)?,
            Alpha::Mask(cutoff) => {
                maps.alpha_mode = 1;
                self.image(texture, Change::Cut, cutoff / alpha.max(1e-6))?
            }
            Alpha::Blend => {
                maps.alpha_mode = 1;
                self.image(texture, Change::Same, 0.0)?
            }
        };
        Ok(())
    }

    /// A map of roughness or metalness: a channel of a texture, or an image of one grey.
    fn grey(&mut self, texture: Option<&Texture>, change: Change, factor: f32) -> Result<Option<FileId>> {
        if let Some(texture) = texture
            && let Some(made) = self.image(texture, change, factor)?
        {
            return Ok(Some(made));
        }
        let grey = (factor.clamp(0.0, 1.0) * 255.0).round() as u8;
        let png = images::png(&Picture::new(4, 4, [grey, grey, grey, 255]))?;
        Ok(Some(self.assets.add(png, None, self.budget)?))
    }

    fn emissive(&mut self, material: &Material, maps: &mut Maps) -> Result<()> {
        let most = material.emissive.into_iter().fold(0.0, f32::max);
        if most <= 0.0 {
            return Ok(());
        }
        let what = "the light that the surface emits becomes a mask of its strength with one colour";
        let about =
            [Feature::Emissive, Feature::EmissiveTexture, Feature::EmissiveStrength].map(Feature::title);
        self.lose(Loss::approximated(&*self.path, what).id("roblox.material").about(about))?;
        maps.emissive_tint = material.emissive.map(|part| srgb(part / most));
        maps.emissive_strength = most * material.emissive_strength;
        maps.emissive = match &material.emissive_texture {
            Some(texture) => self.image(texture, Change::Mask, 0.0)?,
            None => self.grey(None, Change::Mask, 1.0)?,
        };
        Ok(())
    }

    /// The file of an image; `None` if it cannot be read, which is listed.
    fn image(&mut self, texture: &Texture, change: Change, number: f32) -> Result<Option<FileId>> {
        let key = (texture.image, change, number.to_bits());
        if let Some(&known) = self.looks.images.get(&key) {
            return Ok(known);
        }
        let bytes = self.looks.scene.images.get(texture.image).and_then(Image::bytes);
        let made = match bytes {
            Some(bytes) => changed(bytes, change, number, self.looks.options.max_texture, self.budget),
            None => Ok(None),
        };
        let is_first = self.looks.images.keys().all(|known| known.0 != texture.image);
        let size = bytes.and_then(images::size).zip(self.looks.options.max_texture);
        let size = size.filter(|of| is_first && made.is_ok() && of.0.0.max(of.0.1) > of.1.max(1));
        if let Some(((width, height), most)) = size {
            let what = format!(
                "the image of {width} by {height} pixels is reduced to {most} pixels at its longer side"
            );
            let path = format!("images[{}]", texture.image);
            self.lose(Loss::approximated(path, what).id("roblox.texture-size"))?;
        }
        let file = match made {
            Ok(Some(bytes)) => Some(self.assets.add(bytes, None, self.budget)?),
            Ok(None) => {
                let path = format!("images[{}]", texture.image);
                self.lose(
                    Loss::missing(path, "the image of a texture, whose file was not read")
                        .id("image.missing"),
                )?;
                None
            }
            Err(error) if error.kind() == rezkit_core::ErrorKind::Effort => return Err(error),
            Err(error) => {
                let path = format!("images[{}]", texture.image);
                let loss = Loss::new(path, format!("an image that cannot be read: {error}"))
                    .id("image.unreadable")
                    .because(error.is_limit());
                self.lose(loss.about(Feature::textures()))?;
                None
            }
        };
        self.looks.images.insert(key, file);
        Ok(file)
    }
}

/// An image as a PNG or JPEG file with a change; unchanged if nothing has to change.
fn changed(
    bytes: &[u8],
    change: Change,
    number: f32,
    most: Option<u32>,
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>> {
    let is_large =
        |most: u32| images::size(bytes).is_some_and(|(width, height)| width.max(height) > most.max(1));
    let most = most.filter(|&most| is_large(most));
    let is_usual = matches!(images::Kind::of(bytes), Some(images::Kind::Png | images::Kind::Jpeg));
    if change == Change::Same && most.is_none() && is_usual && images::is_whole(bytes) {
        return Ok(Some(bytes.to_vec()));
    }
    images::work(&[bytes], 0, budget)?;
    let mut picture = images::decode(bytes, budget.left())?;
    // Roughness and metalness are in these channels.
    let times = |value: u8| (f32::from(value) * number).clamp(0.0, 255.0).round() as u8;
    for pixel in picture.pixels_mut() {
        let [r, g, b, a] = *pixel;
        *pixel = match change {
            Change::Same => continue,
            Change::Opaque => [r, g, b, 255],
            Change::Cut => [r, g, b, if f32::from(a) >= number * 255.0 { 255 } else { 0 }],
            Change::Roughness => [times(g), times(g), times(g), 255],
            Change::Metalness => [times(b), times(b), times(b), 255],
            Change::Normal => sloped([r, g, b], number),
            Change::Mask => {
                let most = r.max(g).max(b);
                [most, most, most, 255]
            }
        };
    }
    if let Some(most) = most {
        let (width, height) = picture.size();
        let longest = width.max(height);
        let of = |length: u32| (u64::from(length) * u64::from(most) / u64::from(longest)).max(1) as u32;
        picture = picture.resized(of(width), of(height));
    }
    Ok(Some(images::png(&picture)?))
}

/// A normal whose slope is multiplied by a factor.
fn sloped(normal: [u8; 3], factor: f32) -> [u8; 4] {
    let [x, y, z] = normal.map(|part| f32::from(part) / 127.5 - 1.0);
    let steep = glam::Vec3::new(x * factor, y * factor, z).normalize_or(glam::Vec3::Z);
    let [x, y, z] = steep.to_array().map(|part| ((part + 1.0) * 127.5).round() as u8);
    [x, y, z, 255]
}
