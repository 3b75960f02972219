//! Materials, their effects, and images.

use std::collections::HashMap;

use rezkit_core::{Loss, Result};
use roxmltree::NodeId;

use super::document::{Element, File, all, at, child, few, name, number, path, trimmed};
use crate::forms::Beside;
use crate::model::{Alpha, Filter, Image, ImageData, Material, Sampler, Scene, Texture, UvTransform, Wrap};

/// Which set of texture coordinates each name of an effect means.
pub(super) type Bindings = Vec<(String, usize)>;

/// Reads materials and images, each once.
#[derive(Default)]
pub(super) struct Materials {
    known: HashMap<(NodeId, Bindings), usize>,
    images: HashMap<NodeId, usize>,
    files: HashMap<String, usize>,
}

/// What a material is read from and into.
pub(super) struct Reading<'a, 'b, 'c> {
    pub(super) file: &'b mut File<'a, 'c>,
    pub(super) scene: &'b mut Scene,
    pub(super) beside: &'b mut Beside<'c>,
}

/// A color, or a texture, of a parameter.
enum Parameter {
    Color([f32; 4]),
    Texture(Texture),
}

/// An effect: its profile, its technique, and the parameters of its shading.
#[derive(Clone, Copy)]
struct Effect<'a> {
    effect: Element<'a>,
    profile: Element<'a>,
    shading: Element<'a>,
}

impl<'a> Effect<'a> {
    fn of(effect: Element<'a>) -> Option<Self> {
        let profile = child(effect, "profile_COMMON")?;
        let technique = child(profile, "technique")?;
        let is_shading =
            |of: &Element<'a>| ["phong", "blinn", "lambert", "constant"].contains(&of.tag_name().name());
        Some(Self { effect, profile, shading: technique.children().find(is_shading)? })
    }

    /// The element that defines a parameter.
    fn parameter(&self, sid: &str) -> Option<Element<'a>> {
        let places = [self.shading.parent_element(), Some(self.profile), Some(self.effect)];
        let mut found = places.into_iter().flatten().flat_map(|place| all(place, "newparam"));
        found.find(|parameter| parameter.attribute("sid") == Some(sid))
    }
}

impl Materials {
    /// The index of a material in the scene.
    ///
    /// # Errors
    /// If a number is wrong, or the budget does not suffice.
    pub(super) fn of<'a>(
        &mut self,
        material: Element<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<usize> {
        let key = (material.id(), bindings.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        reading.file.budget.take(2 * size_of::<Material>() as u64 + 200, "the materials")?;
        let instance = child(material, "instance_effect");
        let effect = instance.and_then(|instance| reading.file.find(instance.attribute("url")?));
        let mut made = Material { name: name(material).to_owned(), ..Material::default() };
        match effect.and_then(Effect::of) {
            Some(effect) => self.fill(&mut made, effect, bindings, reading)?,
            None => {
                let what = "a material without an effect of the common profile is white";
                reading.file.losses.push(Loss::approximated(path(material), what).id("dae.materials"));
            }
        }
        if instance.is_some_and(|instance| child(instance, "setparam").is_some()) {
            let what = "the parameters that a material changes in its effect";
            reading.file.losses.push(Loss::new(path(material), what).id("dae.materials"));
        }
        reading.scene.materials.push(made);
        self.known.insert(key, reading.scene.materials.len() - 1);
        Ok(reading.scene.materials.len() - 1)
    }

    /// A parameter of the shading, by the name of its element.
    fn shaded<'a>(
        &mut self,
        of: &'static str,
        effect: Effect<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<Option<Option<Parameter>>> {
        let element = child(effect.shading, of);
        element.map(|element| self.parameter(element, effect, bindings, reading)).transpose()
    }

    fn fill<'a>(
        &mut self,
        made: &mut Material,
        effect: Effect<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<()> {
        made.roughness = match (effect.shading.tag_name().name(), float(effect.shading, "shininess")) {
            // As for FBX: a shininess of 25 is half rough.
            ("phong" | "blinn", Some(shininess)) => (1.0 - shininess.max(0.0).sqrt() / 10.0).clamp(0.0, 1.0),
            ("phong" | "blinn", None) => 0.5,
            _ => 1.0,
        };
        made.unlit = effect.shading.tag_name().name() == "constant";
        match self.shaded("diffuse", effect, bindings, reading)?.flatten() {
            Some(Parameter::Color([r, g, b, _])) => made.base_color = [r, g, b, 1.0],
            Some(Parameter::Texture(texture)) => made.base_texture = Some(texture),
            None if made.unlit => {}
            None => made.base_color = [0.0, 0.0, 0.0, 1.0],
        }
        match self.shaded("emission", effect, bindings, reading)?.flatten() {
            Some(Parameter::Color([r, g, b, _])) if made.unlit && made.base_texture.is_none() => {
                made.base_color = [r, g, b, 1.0];
            }
            Some(Parameter::Color([r, g, b, _])) => {
                made.emissive = [r, g, b].map(|part| part.clamp(0.0, 1.0))
            }
            Some(Parameter::Texture(texture)) if made.unlit && made.base_texture.is_none() => {
                made.base_texture = Some(texture);
            }
            Some(Parameter::Texture(texture)) => {
                (made.emissive, made.emissive_texture) = ([1.0; 3], Some(texture));
            }
            None => {}
        }
        let transparent = child(effect.shading, "transparent");
        let mode = transparent.and_then(|of| of.attribute("opaque")).unwrap_or("A_ONE");
        let factor = float(effect.shading, "transparency");
        let clear = self.shaded("transparent", effect, bindings, reading)?.flatten();
        alpha(made, clear, mode, factor, (effect.effect, &mut reading.file.losses));
        let lost = ["ambient", "specular", "reflective"]
            .into_iter()
            .filter(|of| child(effect.shading, of).is_some_and(|of| child(of, "texture").is_some()));
        let (count, at) = (lost.count(), path(effect.effect));
        let what = "textures of specular, ambient and reflected light";
        Loss::new(at, what).id("dae.materials").times(count).count_in(&mut reading.file.losses);
        self.extras(made, effect, bindings, reading)
    }

    /// What programs add to the common profile: normal maps, and surfaces with two sides.
    fn extras<'a>(
        &mut self,
        made: &mut Material,
        effect: Effect<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<()> {
        let technique = effect.shading.parent_element();
        let places = [Some(effect.shading), technique, Some(effect.profile), Some(effect.effect)];
        let extras = places.into_iter().flatten().flat_map(|place| all(place, "extra"));
        for technique in extras.flat_map(|extra| all(extra, "technique")) {
            if child(technique, "double_sided").is_some_and(|of| ["1", "true"].contains(&trimmed(of))) {
                made.double_sided = true;
            }
            let Some(bump) = child(technique, "bump").filter(|_| made.normal_texture.is_none()) else {
                continue;
            };
            if bump.attribute("bumptype") == Some("HEIGHTFIELD") {
                let loss = Loss::new(path(effect.effect), "a height map").id("dae.materials");
                reading.file.losses.push(loss);
            } else if let Some(Parameter::Texture(texture)) =
                self.parameter(bump, effect, bindings, reading)?
            {
                made.normal_texture = Some(texture);
            }
        }
        Ok(())
    }

    /// A colour or a texture.
    fn parameter<'a>(
        &mut self,
        of: Element<'a>,
        effect: Effect<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<Option<Parameter>> {
        let referred = child(of, "param").and_then(|of| effect.parameter(of.attribute("ref")?));
        let of = referred.unwrap_or(of);
        if let Some(texture) = child(of, "texture") {
            return Ok(self.texture(texture, effect, bindings, reading)?.map(Parameter::Texture));
        }
        let color = ["color", "float4", "float3"].into_iter().find_map(|kind| child(of, kind));
        let Some(color) = color else { return Ok(None) };
        let numbers = match few::<4>(color, reading.file.budget)? {
            None => few::<3>(color, reading.file.budget)?.map(|[r, g, b]| [r, g, b, 1.0]),
            found => found,
        };
        Ok(numbers.map(|numbers| Parameter::Color(numbers.map(|part| part.max(0.0) as f32))))
    }

    fn texture<'a>(
        &mut self,
        texture: Element<'a>,
        effect: Effect<'a>,
        bindings: &Bindings,
        reading: &mut Reading<'a, '_, '_>,
    ) -> Result<Option<Texture>> {
        let name = texture.attribute("texture").unwrap_or_default();
        // The sampler, its surface, and the image: a parameter refers to the next one, or directly to the image.
        let sampler = effect.parameter(name).and_then(|of| child(of, "sampler2D"));
        let direct = sampler
            .and_then(|sampler| child(sampler, "instance_image"))
            .and_then(|instance| reading.file.find(instance.attribute("url")?));
        let surface = sampler.and_then(|sampler| child(sampler, "source")).map(trimmed);
        let init = surface.and_then(|surface| at(effect.parameter(surface)?, &["surface", "init_from"]));
        let named = init.map(trimmed).or(surface).unwrap_or(name);
        let is_image = |element: &Element<'a>| element.tag_name().name() == "image";
        let image = direct.or_else(|| reading.file.find(named)).filter(is_image);
        let Some(image) = image else {
            let what = format!("a texture of an image that does not exist: {named:?}");
            reading.file.losses.push(Loss::new(path(effect.effect), what).id("image.missing"));
            return Ok(None);
        };
        let image = self.image(image, reading)?;
        let wanted = texture.attribute("texcoord").unwrap_or_default();
        let set = bindings.iter().find(|(name, _)| name == wanted).map_or(0, |(_, set)| *set);
        let sampler = sampler.map(sampling).unwrap_or_default();
        let transform = placement(texture);
        Ok(Some(Texture { image, set, transform, sampler }))
    }

    /// The index of an image in the scene.
    fn image<'a>(&mut self, image: Element<'a>, reading: &mut Reading<'a, '_, '_>) -> Result<usize> {
        if let Some(&known) = self.images.get(&image.id()) {
            return Ok(known);
        }
        let init = child(image, "init_from");
        let file =
            init.map(|init| child(init, "ref").map_or_else(|| trimmed(init), trimmed)).unwrap_or_default();
        let inner = child(image, "data").or_else(|| init.and_then(|init| child(init, "hex")));
        let file = decoded(file);
        let known = self.files.get(&file).copied().filter(|_| inner.is_none());
        let index = match known {
            Some(known) => known,
            None => {
                let budget = &mut *reading.file.budget;
                let mut data = inner.map(hex);
                if data.is_none() && !file.is_empty() {
                    data = (reading.beside)(&file, budget.left())?;
                }
                let data = data.map_or_else(|| ImageData::Uri(file.clone()), ImageData::Bytes);
                if let ImageData::Bytes(bytes) = &data {
                    budget.take(bytes.len() as u64, "the images")?;
                }
                let last = file.rsplit('/').next().filter(|last| !last.is_empty());
                let made = Image { name: last.unwrap_or_else(|| name(image)).to_owned(), data };
                if matches!(made.data, ImageData::Bytes(_)) && made.extension().is_none() {
                    let what = "an image that is not PNG, JPEG, WebP, GIF or JPEG 2000";
                    reading.file.losses.push(Loss::warning(path(image), what).id("image.format"));
                }
                reading.scene.images.push(made);
                self.files.insert(file, reading.scene.images.len() - 1);
                reading.scene.images.len() - 1
            }
        };
        self.images.insert(image.id(), index);
        Ok(index)
    }
}

/// A number of a shading, such as its shininess.
fn float(shading: Element<'_>, of: &'static str) -> Option<f32> {
    let found = number(trimmed(at(shading, &[of, "float"])?))?;
    found.is_finite().then_some(found as f32)
}

/// Sets the opacity, as the specification of Collada 1.4.1 defines it (chapter 7, "Determining Transparency").
fn alpha(
    made: &mut Material,
    clear: Option<Parameter>,
    mode: &str,
    factor: Option<f32>,
    (effect, losses): (Element<'_>, &mut Vec<Loss>),
) {
    let amount = factor.unwrap_or(1.0);
    let alpha = match &clear {
        None if factor.is_none() => return,
        None => amount,
        Some(Parameter::Texture(texture)) => {
            made.alpha = Alpha::Blend;
            if made.base_texture.is_none_or(|base| base.image != texture.image) {
                losses.push(
                    Loss::new(path(effect), "the texture of the opacity, which is not that of the colour")
                        .id("dae.materials"),
                );
            }
            return;
        }
        Some(Parameter::Color([r, g, b, a])) => match mode {
            "RGB_ZERO" => 1.0 - (r * 0.212_671 + g * 0.715_16 + b * 0.072_169) * amount,
            "RGB_ONE" => (r * 0.212_671 + g * 0.715_16 + b * 0.072_169) * amount,
            "A_ZERO" => 1.0 - a * amount,
            _ => a * amount,
        },
    };
    if alpha <= 0.0 {
        // Several programs wrote 0 for opaque surfaces.
        let what = "a material that would be invisible is opaque";
        losses.push(Loss::approximated(path(effect), what).id("dae.materials"));
    } else if alpha < 1.0 {
        made.base_color[3] = alpha;
        made.alpha = Alpha::Blend;
    }
}

fn sampling(sampler: Element<'_>) -> Sampler {
    let wrap = |of| match child(sampler, of).map(trimmed) {
        Some("MIRROR") => Wrap::Mirror,
        Some("CLAMP" | "BORDER" | "NONE") => Wrap::Clamp,
        _ => Wrap::Repeat,
    };
    let filter = |of| match child(sampler, of).map(trimmed) {
        Some(text) if text.starts_with("NEAREST") => Some(Filter::Nearest),
        Some(text) if text.starts_with("LINEAR") => Some(Filter::Linear),
        _ => None,
    };
    let [mag, min] = ["magfilter", "minfilter"].map(filter);
    let mip = child(sampler, "minfilter").map(trimmed).and_then(|text| text.split_once("_MIPMAP_"));
    let mip = mip.map(|(_, mip)| if mip == "NEAREST" { Filter::Nearest } else { Filter::Linear });
    // Without a filter between mipmaps, programs choose one.
    let min = min.filter(|_| mip.is_some());
    Sampler { wrap: [wrap("wrap_s"), wrap("wrap_t")], mag, min, mip }
}

/// The repetition and the offset that Maya and its followers write beside a texture.
fn placement(texture: Element<'_>) -> UvTransform {
    let techniques = || all(texture, "extra").flat_map(|extra| all(extra, "technique"));
    let float = |of| {
        let found = techniques().find_map(|technique| number(trimmed(child(technique, of)?)))?;
        found.is_finite().then_some(found as f32)
    };
    let scale = ["repeatU", "repeatV"].map(|of| float(of).unwrap_or(1.0));
    let [u, v] = ["offsetU", "offsetV"].map(|of| float(of).unwrap_or(0.0));
    match (scale, [u, v]) {
        ([1.0, 1.0], [0.0, 0.0]) => UvTransform::default(),
        // v grows upwards.
        _ => UvTransform { offset: [u, 1.0 - v - scale[1]], rotation: 0.0, scale },
    }
}

/// A path of a URI: without `file://`, and with the characters that `%` encodes.
fn decoded(uri: &str) -> String {
    let path = match uri.strip_prefix("file://") {
        // A letter of a drive follows a third slash.
        Some(rest) => match rest.as_bytes() {
            [b'/', _, b':', ..] => &rest[1..],
            _ => rest,
        },
        None => uri,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, more @ ..] = rest {
        let digit = |at: usize| more.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &more[2..];
            }
            (b'\\', ..) => {
                bytes.push(b'/');
                rest = more;
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
}

/// Bytes written as hexadecimal digits.
fn hex(of: Element<'_>) -> Vec<u8> {
    let digits = of.text().unwrap_or_default().chars().filter_map(|digit| digit.to_digit(16));
    let digits: Vec<u8> = digits.map(|digit| digit as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high * 16 + low).collect()
}
