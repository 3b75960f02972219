//! Writes a scene as OBJ, and its materials as a library.

use std::fmt::{self, Write as _};

use rezkit_core::{Budget, Loss, Result};

use super::KEEPS;
use super::read::NO_MATERIAL;
use crate::features::Feature;
use crate::model::{Alpha, Image, ImageData, Material, Scene};

/// A scene as OBJ.
#[derive(Clone, Debug)]
pub struct Obj {
    /// The text of the `.obj` file.
    pub obj: String,
    /// The text of the `.mtl` file; `None` if there are no materials.
    pub mtl: Option<String>,
    /// The name under which the `.obj` file refers to the library.
    pub mtl_name: String,
    /// Images by the names under which the material library refers to them.
    pub images: Vec<(String, Vec<u8>)>,
    /// The losses of OBJ.
    pub losses: Vec<Loss>,
}

/// Converts a scene at rest to OBJ: an object for each drawn mesh, and the images of its materials as files. The names
/// of the material library and the images begin with `stem`.
///
/// # Errors
/// If the text needs more memory than the budget allows.
pub fn to_obj(scene: &Scene, stem: &str, budget: &mut Budget) -> Result<Obj> {
    let stem = &plain_stem(stem);
    let mut obj = String::new();
    let mut losses = scene.losses_but(KEEPS);
    losses.extend(scene.filled_columns(&[(Feature::Colors, "white")]));
    let mut images: Vec<(String, Vec<u8>)> = Vec::new();
    let mtl = (!scene.materials.is_empty()).then(|| {
        let _infallible = writeln!(obj, "mtllib {stem}.mtl");
        library(scene, stem, &mut images, &mut losses)
    });
    let names: Vec<String> = material_names(scene);
    let materials = names.iter().zip(&scene.materials).enumerate();
    for (index, _) in materials.filter(|(_, (name, material))| **name != material.name) {
        Loss::approximated(format!("materials[{index}]"), RENAMED).id("scene.renamed").count_in(&mut losses);
    }
    let mut used = None;
    let (mut points, mut coordinates, mut normals) = (1_usize, 1_usize, 1_usize);
    // Either all vertices of a file have colours or none, because readers assign colours by their order.
    let primitives = scene.primitives();
    let colored = primitives.into_iter().any(|primitive| !primitive.mesh.colors.is_empty());
    for (placed, primitives) in scene.placed().iter().zip(scene.posed(&scene.pose())) {
        let node = &scene.nodes[placed.node];
        let name = if node.name.is_empty() { &scene.meshes[placed.mesh].name } else { &node.name };
        let plain = plain(name, placed.node);
        let path = || format!("nodes[{}]", placed.node);
        match name.is_empty() {
            true => Loss::filled_in(path(), "the name of an object that had none")
                .id("scene.renamed")
                .count_in(&mut losses),
            false if plain != *name => {
                Loss::approximated(path(), RENAMED).id("scene.renamed").count_in(&mut losses)
            }
            false => {}
        }
        let _infallible = writeln!(obj, "o {plain}");
        for primitive in primitives {
            let (mesh, before) = (&primitive.mesh, obj.len());
            for (index, point) in mesh.positions.iter().enumerate() {
                let [x, y, z] = point.to_array().map(Number);
                let white = geom::LinearRgba::WHITE;
                let color = mesh.colors.get(index).or(colored.then_some(&white));
                let _infallible = match color
                    .map(|color| color.to_srgb().to_array().map(|part| Number(f32::from(part) / 255.0)))
                {
                    Some([r, g, b, _]) => writeln!(obj, "v {x} {y} {z} {r} {g} {b}"),
                    None => writeln!(obj, "v {x} {y} {z}"),
                };
            }
            for uv in &mesh.uvs {
                let [u, v] = uv.to_array();
                let _infallible = writeln!(obj, "vt {} {}", Number(u), Number(1.0 - v));
            }
            for normal in &mesh.normals {
                let [x, y, z] = normal.to_array().map(Number);
                let _infallible = writeln!(obj, "vn {x} {y} {z}");
            }
            let material = primitive.material.and_then(|index| names.get(index)).map(String::as_str);
            // A material applies to all faces up to the next `usemtl`.
            if material != used {
                let _infallible = writeln!(obj, "usemtl {}", material.unwrap_or(NO_MATERIAL));
                used = material;
            }
            for (number, triangle) in mesh.triangles.iter().enumerate() {
                if number % (1 << 16) == 0 {
                    budget.clone().take(2 * (obj.len() - before) as u64, "the OBJ file")?;
                }
                obj.push('f');
                for &index in triangle {
                    let index = index as usize;
                    let _infallible = match (mesh.uvs.is_empty(), mesh.normals.is_empty()) {
                        (true, true) => write!(obj, " {}", points + index),
                        (false, true) => write!(obj, " {}/{}", points + index, coordinates + index),
                        (true, false) => write!(obj, " {}//{}", points + index, normals + index),
                        (false, false) => {
                            write!(obj, " {}/{}/{}", points + index, coordinates + index, normals + index)
                        }
                    };
                }
                obj.push('\n');
            }
            // Twice its length: the capacity of the text doubles.
            budget.take(2 * (obj.len() - before) as u64, "the OBJ file")?;
            points += mesh.positions.len();
            coordinates += mesh.uvs.len();
            normals += mesh.normals.len();
        }
    }
    if obj.is_empty() {
        // No reader accepts an empty file.
        obj.push_str("# the scene has no visible meshes\n");
    }
    Ok(Obj { obj, mtl, mtl_name: format!("{stem}.mtl"), images, losses })
}

/// Formats a number, with an exponent if it is very small or large.
struct Number(f32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        match size == 0.0 || (1e-4..1e7).contains(&size) {
            true => write!(f, "{}", self.0),
            false => write!(f, "{:e}", self.0),
        }
    }
}

const RENAMED: &str =
    "a name that is empty, already used, or has spaces or control characters: another name is written";

/// The beginning of the names of other files, so that readers take `STEM.mtl` as one name and no name as an option.
fn plain_stem(stem: &str) -> String {
    let is_end = |word: &str| word.to_ascii_lowercase().ends_with(".mtl");
    let begins = stem.starts_with('-') || stem.starts_with(char::is_whitespace);
    let prefix = if begins { "_" } else { "" };
    match stem.split_whitespace().any(is_end) {
        true => prefix.to_owned() + &stem.replace(char::is_whitespace, "_"),
        false => prefix.to_owned() + stem,
    }
}

/// A name as one word; `part` and the index if it is empty.
fn plain(name: &str, index: usize) -> String {
    let text: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if text.is_empty() { format!("part{index}") } else { text }
}

/// Unique names for the materials.
fn material_names(scene: &Scene) -> Vec<String> {
    let mut used = std::collections::HashSet::from([NO_MATERIAL.to_owned()]);
    let name = |(index, material): (usize, &Material)| {
        let mut name = plain(&material.name, index);
        while !used.insert(name.clone()) {
            name += &format!(".{index}");
        }
        name
    };
    scene.materials.iter().enumerate().map(name).collect()
}

fn library(scene: &Scene, stem: &str, images: &mut Vec<(String, Vec<u8>)>, losses: &mut Vec<Loss>) -> String {
    let mut text = String::new();
    let mut file = |(index, image): (usize, &Image)| match (&image.data, image.extension()) {
        (ImageData::Uri(uri), _) if uri.contains(char::is_control) => {
            let loss =
                Loss::new(format!("images[{index}]"), "an image whose file name has a control character")
                    .id("image.format");
            losses.push(loss.about(Feature::textures()));
            None
        }
        // A name that begins with `-` would be an option.
        (ImageData::Uri(uri), _) if uri.starts_with('-') || uri.starts_with(char::is_whitespace) => {
            Some(format!("./{uri}"))
        }
        (ImageData::Uri(uri), _) => Some(uri.clone()).filter(|uri| !uri.is_empty()),
        (ImageData::Bytes(bytes), Some(extension)) => {
            let name = format!("{stem}_{index}.{extension}");
            images.push((name.clone(), bytes.clone()));
            Some(name)
        }
        (ImageData::Bytes(_), None) => {
            let loss = Loss::new(format!("images[{index}]"), "an image that is not PNG, JPEG, WebP or GIF")
                .id("image.format");
            losses.push(loss.about(Feature::textures()));
            None
        }
    };
    let files: Vec<Option<String>> = scene.images.iter().enumerate().map(&mut file).collect();
    losses.extend(scene.missing_images());
    for (material, name) in scene.materials.iter().zip(material_names(scene)) {
        let [r, g, b, alpha] = material.base_color;
        let exponent = (2.0 / material.roughness.max(0.01).powi(2) - 2.0).clamp(0.0, 1000.0);
        let _infallible = writeln!(text, "newmtl {name}\nKd {r} {g} {b}\nd {alpha}\nNs {exponent}\nillum 2");
        if let Some(ior) = material.ior {
            let _infallible = writeln!(text, "Ni {ior}");
        }
        // A common extension of MTL for physically based roughness and metalness.
        let _infallible = writeln!(text, "Pr {}\nPm {}", material.roughness, material.metallic);
        let scale = material.normal_scale;
        let bump = if scale == 1.0 { String::new() } else { format!(" -bm {scale}") };
        let maps = [
            ("map_Kd", material.base_texture),
            (&*format!("norm{bump}"), material.normal_texture),
            ("map_Ke", material.emissive_texture),
        ];
        // Programs take the opacity from the alpha of this image.
        let opacity = material.base_texture.filter(|_| material.alpha == Alpha::Blend);
        for (key, texture) in maps.into_iter().chain([("map_d", opacity)]) {
            if let Some(Some(file)) = texture.and_then(|texture| files.get(texture.image)) {
                let _infallible = writeln!(text, "{key} {file}");
            }
        }
        if material.emissive != [0.0; 3] {
            let [r, g, b] = material.emissive;
            let _infallible = writeln!(text, "Ke {r} {g} {b}");
        }
        text.push('\n');
    }
    text
}
