//! Material libraries (MTL).

use std::collections::{HashMap, HashSet};

use rezkit_core::{Budget, Loss, Result};

use super::statements::{LeftOut, decoded, numbers, statements};
use crate::forms::Beside;
use crate::model::{Alpha, Image, ImageData, Material, Sampler, Scene, Texture, UvTransform, Wrap};

/// The materials by their names, and the images of all libraries.
#[derive(Default)]
pub(super) struct Library {
    /// For each name, the index of the material, and whether a library defines it.
    materials: HashMap<Vec<u8>, (usize, bool)>,
    images: HashMap<String, usize>,
    /// The materials whose opacity is the alpha of their colour map.
    blended: HashSet<usize>,
    /// The normalized names of the libraries that were read or are missing.
    known: HashSet<String>,
    is_missing: bool,
    /// The loss of libraries with long names.
    too_long: Option<Loss>,
    /// The number of options of map statements that have no counterpart.
    options: usize,
}

/// The maximum length of the name of a library, in bytes.
const MOST_NAME: usize = 4096;

/// A material, and which of its statements were read.
#[derive(Default)]
struct Stated {
    /// Its index in the scene.
    index: usize,
    has_roughness: bool,
    has_emissive: bool,
    has_alpha: bool,
    /// Whether the last statement named a second bump or normal map.
    is_second_bump: bool,
}

const SECOND_BUMP: &str =
    "a second bump or normal map of a material: that of a `norm` statement is used, otherwise the first";

impl Library {
    /// The index of a material that faces use; it is created if no library has defined it so far.
    pub(super) fn used(&mut self, name: &[u8], scene: &mut Scene, budget: &mut Budget) -> Result<usize> {
        match self.materials.get(name) {
            Some(&(index, _)) => Ok(index),
            None => self.add(name, false, scene, budget),
        }
    }

    fn add(&mut self, name: &[u8], is_told: bool, scene: &mut Scene, budget: &mut Budget) -> Result<usize> {
        // The entry is in lists and tables whose capacity doubles.
        let entry = size_of::<(Material, Vec<u8>, usize, bool)>() + 2 * name.len() + 64;
        budget.take(entry as u64 * 3, "the materials")?;
        let name_of = String::from_utf8_lossy(name).into_owned();
        scene.materials.push(Material {
            name: name_of,
            metallic: 0.0,
            roughness: 1.0,
            ..Material::default()
        });
        let index = scene.materials.len() - 1;
        self.materials.insert(name.to_vec(), (index, is_told));
        Ok(index)
    }

    /// Reads a library, unless it was read before. Statements without a counterpart in a scene are listed as losses.
    pub(super) fn read(
        &mut self,
        file: &[u8],
        scene: &mut Scene,
        budget: &mut Budget,
        resolve: &mut Beside<'_>,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let start = String::from_utf8_lossy(&file[..file.len().min(MOST_NAME)]);
        if file.len() > MOST_NAME {
            self.is_missing = true;
            let what = format!("a material library whose name has more than {MOST_NAME} bytes");
            self.too_long
                .get_or_insert_with(|| Loss::missing(start, what).id("obj.no-library").times(0))
                .count += 1;
            return Ok(());
        }
        let file = &*start;
        let name = normalized(file);
        if self.known.contains(&name) {
            return Ok(());
        }
        // The entry is in a table whose capacity doubles.
        budget.take((name.len() + 3 * size_of::<String>()) as u64, "the names of the material libraries")?;
        self.known.insert(name);
        let Some(text) = resolve(file, budget.left())? else {
            self.is_missing = true;
            return budget.lose(
                losses,
                Loss::missing(file, "the material library was not found").id("obj.no-library"),
            );
        };
        budget.take(text.len() as u64, "the material library")?;
        let text = decoded(&text, &format!("{file}, "), budget, losses)?;
        let mut left_out = LeftOut::default();
        let mut current = None;
        for (line, key, rest) in statements(&text) {
            if key == b"newmtl" {
                let index = match self.materials.get_mut(rest) {
                    Some((index, is_told)) => {
                        *is_told = true;
                        *index
                    }
                    None => self.add(rest, true, scene, budget)?,
                };
                current = Some(Stated { index, ..Stated::default() });
                continue;
            }
            let is_told = match &mut current {
                Some(stated) => {
                    let is_told = self.statement(key, rest, stated, scene, budget, resolve)?;
                    if std::mem::take(&mut stated.is_second_bump) {
                        left_out.add(SECOND_BUMP, line);
                    }
                    is_told
                }
                None => false,
            };
            if !is_told {
                left_out.statement(key, current.is_some() && CONVERTED.contains(&key), line);
            }
        }
        losses.extend(left_out.losses(&format!("{file}, ")));
        Ok(())
    }

    /// Reads a statement about a material; returns whether it has a counterpart in a scene.
    fn statement(
        &mut self,
        key: &[u8],
        rest: &[u8],
        stated: &mut Stated,
        scene: &mut Scene,
        budget: &mut Budget,
        resolve: &mut Beside<'_>,
    ) -> Result<bool> {
        let (index, mut unscaled) = (stated.index, 0);
        let mut texture = |scene: &mut Scene| {
            let found = self.texture(rest, scene, budget, resolve)?;
            // Only bumps have a multiplier.
            unscaled = usize::from(key.starts_with(b"map_K") && found.is_some_and(|(_, scale)| scale != 1.0));
            Ok::<_, rezkit_core::Error>(found)
        };
        let found = match key {
            b"map_Kd" => {
                texture(scene)?.map(|(texture, _)| scene.materials[index].base_texture = Some(texture))
            }
            // The same image: its alpha is the opacity.
            b"map_d" => {
                let text = String::from_utf8_lossy(rest);
                let image = map_of(&text).and_then(|map| self.images.get(map.name)).copied();
                let base = scene.materials[index].base_texture.map(|texture| texture.image);
                (image.is_some() && image == base).then(|| _ = self.blended.insert(index))
            }
            b"map_Ke" => texture(scene)?.map(|(texture, _)| {
                let material = &mut scene.materials[index];
                material.emissive_texture = Some(texture);
                // A map whose file is missing does not make the material bright.
                if !stated.has_emissive && scene.images[texture.image].bytes().is_some() {
                    material.emissive = [1.0; 3];
                }
            }),
            b"norm" | b"map_Bump" | b"map_bump" | b"bump" => {
                let found = texture(scene)?;
                let material = &mut scene.materials[index];
                // `norm` is a normal map; other statements are height maps, but are often used for normal maps.
                let is_used = key == b"norm" || material.normal_texture.is_none();
                found.map(|(texture, scale)| {
                    stated.is_second_bump = material.normal_texture.is_some_and(|other| other != texture);
                    if is_used {
                        (material.normal_texture, material.normal_scale) = (Some(texture), scale);
                    }
                })
            }
            // The terms of the lighting model, which follow from the other statements.
            b"illum" => Some(()),
            _ => value(key, rest, &mut scene.materials[index], stated),
        };
        self.options += unscaled;
        Ok(found.is_some())
    }

    /// The texture of a map statement, and the multiplier of bumps; `None` if it names no file.
    fn texture(
        &mut self,
        rest: &[u8],
        scene: &mut Scene,
        budget: &mut Budget,
        resolve: &mut Beside<'_>,
    ) -> Result<Option<(Texture, f32)>> {
        budget.take(rest.len() as u64, "the names of the images")?;
        let text = String::from_utf8_lossy(rest);
        let Some(Map { name, scale, transform, sampler, others }) = map_of(&text) else { return Ok(None) };
        self.options += others;
        let image = match self.images.get(name) {
            Some(&image) => image,
            None => {
                budget.take((size_of::<Image>() as u64 + 4 * name.len() as u64 + 64) * 3, "the images")?;
                let uri = || ImageData::Uri(name.to_owned());
                let data = resolve(name, budget.left())?.map_or_else(uri, ImageData::Bytes);
                let mut image = Image { name: name.to_owned(), data };
                if let ImageData::Bytes(bytes) = &image.data {
                    budget.take(bytes.len() as u64, "the images")?;
                    // A map may name any file, such as `.env`: the scene includes only images.
                    if image.extension().is_none() {
                        image.data = uri();
                    }
                }
                scene.images.push(image);
                self.images.insert(name.to_owned(), scene.images.len() - 1);
                scene.images.len() - 1
            }
        };
        Ok(Some((Texture { transform, sampler, ..Texture::new(image) }, scale)))
    }

    /// Lists the materials that no library defines, unless a library is missing.
    pub(super) fn finish(self, scene: &mut Scene, losses: &mut Vec<Loss>) {
        losses.extend(self.too_long);
        let mut without: Vec<usize> =
            self.materials.into_values().filter(|(_, is_told)| !is_told).map(|(index, _)| index).collect();
        without.sort_unstable();
        if let (Some(first), false) = (without.first(), self.is_missing) {
            let name = &scene.materials[*first].name;
            let what = format!("no material library defines the material {name:?}: default values are used");
            losses.push(
                Loss::filled_in(format!("materials[{first}]"), what)
                    .id("material.undefined")
                    .times(without.len()),
            );
        }
        if self.options > 0 {
            let what = "texture options other than -clamp, -o, -s and, for bump maps, -bm";
            losses.push(Loss::new("materials", what).id("obj.statement").times(self.options));
        }
        for (index, material) in scene.materials.iter_mut().enumerate() {
            let is_blended = material.base_color[3] < 1.0 || self.blended.contains(&index);
            material.alpha = if is_blended { Alpha::Blend } else { Alpha::Opaque };
        }
    }
}

/// The path of a file without `.`, empty parts, and folders that are left again by `..`.
fn normalized(file: &str) -> String {
    let mut parts = Vec::new();
    for part in file.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let root = if file.starts_with(['/', '\\']) { "/" } else { "" };
    root.to_owned() + &parts.join("/")
}

/// The statements about materials that are converted, if their values can be used.
const CONVERTED: [&[u8]; 14] = [
    b"Kd",
    b"Ke",
    b"Ni",
    b"Ns",
    b"Pm",
    b"Pr",
    b"Tr",
    b"bump",
    b"d",
    b"map_Bump",
    b"map_Kd",
    b"map_Ke",
    b"map_bump",
    b"norm",
];

/// Sets a value of a material; `None` if the statement has no counterpart or cannot be read.
fn value(key: &[u8], rest: &[u8], material: &mut Material, stated: &mut Stated) -> Option<()> {
    let number =
        || numbers::<1>(rest, 1).ok().map(|([number], _)| number).filter(|number| number.is_finite());
    // A single number applies to all three channels.
    let color = || {
        let (color, count) = numbers::<3>(rest, 1).ok()?;
        let color = if count == 1 { [color[0]; 3] } else { color };
        color.iter().all(|part| part.is_finite()).then_some(color)
    };
    match key {
        b"Kd" => {
            let [r, g, b] = color()?;
            material.base_color[..3].copy_from_slice(&[r, g, b]);
        }
        b"d" => {
            material.base_color[3] = number()?;
            stated.has_alpha = true;
        }
        b"Tr" if !stated.has_alpha => material.base_color[3] = 1.0 - number()?,
        b"Tr" => _ = number()?,
        b"Ke" => {
            material.emissive = color()?;
            stated.has_emissive = true;
        }
        b"Ni" => material.ior = Some(number().filter(|&ior| ior >= 1.0)?),
        b"Pm" => material.metallic = number()?,
        b"Pr" => {
            material.roughness = number()?;
            stated.has_roughness = true;
        }
        // Converts the exponent of a highlight to the roughness with a highlight of the same width.
        b"Ns" if !stated.has_roughness => material.roughness = (2.0 / (number()?.max(0.0) + 2.0)).sqrt(),
        b"Ns" => _ = number()?,
        // Colours that have no effect are not a loss.
        b"Ka" | b"Ks" | b"Tf" => {
            let [r, g, b] = color()?;
            let neutral = if key == b"Tf" { 1.0 } else { 0.0 };
            return ([r, g, b] == [neutral; 3]).then_some(());
        }
        _ => return None,
    }
    Some(())
}

/// A map statement.
struct Map<'a> {
    name: &'a str,
    /// The multiplier of bumps.
    scale: f32,
    transform: UvTransform,
    sampler: Sampler,
    /// The number of options without a counterpart.
    others: usize,
}

/// The file of a map statement, and its options; `None` if there is no file.
fn map_of(text: &str) -> Option<Map<'_>> {
    let (mut rest, mut scale, mut others) = (text.trim(), 1.0, 0);
    let (mut offset, mut size) = ([0.0_f32; 2], [1.0_f32; 2]);
    let mut sampler = Sampler::default();
    while rest.starts_with('-') {
        let (option, after) = rest.split_once(char::is_whitespace)?;
        rest = after.trim_start();
        // The number of words that follow: of three numbers the last two may be missing.
        let (least, most) = match option {
            "-o" | "-s" | "-t" => (1, 3),
            "-mm" => (2, 2),
            _ => (1, 1),
        };
        for word in 0..most {
            let (value, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let number = value.parse::<f32>();
            // The last word is the name of the file.
            if word >= least && (number.is_err() || after.is_empty()) {
                break;
            }
            match (option, number, word) {
                ("-bm", Ok(number), _) => scale = number,
                ("-o", Ok(number), 0 | 1) => offset[word] = number,
                ("-s", Ok(number), 0 | 1) => size[word] = number,
                ("-o" | "-s", ..) => {}
                ("-clamp", ..) if value == "on" => sampler.wrap = [Wrap::Clamp; 2],
                ("-clamp", ..) => {}
                _ => others += usize::from(word == 0),
            }
            rest = after.trim_start();
        }
    }
    // In MTL, v grows upwards.
    let transform = match (offset, size) {
        ([0.0, 0.0], [1.0, 1.0]) => UvTransform::default(),
        _ => UvTransform {
            offset: [offset[0], 1.0 - size[1] - offset[1]],
            scale: size,
            ..UvTransform::default()
        },
    };
    (!rest.is_empty()).then_some(Map { name: rest, scale, transform, sampler, others })
}
