//! Wavefront OBJ with its material library (MTL).
//!
//! OBJ names neither axes nor units: coordinates are taken as they are, y up by custom. Its v grows
//! upwards, so it is turned over in both directions.

use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};
use rezkit_core::{Error, Result};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Cursor;

use geom::TriMesh;

use crate::model::{Alpha, Image, ImageData, Material, Mesh, Node, Primitive, Scene, Texture};
use rezkit_core::Budget;
use rezkit_core::Loss;

/// What it keeps of a scene.
const KEEPS: &[Feature] = &[
    Feature::Size,
    Feature::Nodes,
    Feature::Normals,
    Feature::Uvs,
    Feature::Colors,
    Feature::Materials,
    Feature::BaseColor,
    Feature::BaseTexture,
    Feature::Metallic,
    Feature::Roughness,
    Feature::NormalTexture,
    Feature::NormalScale,
    Feature::Emissive,
    Feature::EmissiveTexture,
    Feature::Ior,
];

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "obj",
    title: "OBJ",
    extensions: &["obj"],
    forms: &[SceneForm {
        name: "obj",
        title: "Wavefront OBJ with MTL",
        keeps: KEEPS,
        has_meshes: true,
        has_nodes: false,
        write: |scene, writing| {
            let obj = to_obj(scene, writing.stem);
            obj.images.into_iter().for_each(|(name, bytes)| writing.files.add(&[&name], bytes));
            if let Some(text) = obj.mtl {
                writing.files.add(&[&format!("{}.mtl", writing.stem)], text.into_bytes());
            }
            writing.losses.extend(obj.losses);
            Ok(obj.obj.into_bytes())
        },
    }],
    // Text without a mark of its own.
    detect: |_| false,
    read: |reading| {
        let (scene, losses) = reading.beside(|bytes, budget, beside| from_slice(bytes, budget, beside))?;
        reading.losses.extend(losses);
        Ok(scene)
    },
};

/// A scene with a node for each object. `resolve` gives the content of a material library or an image
/// by its name relative to the file.
///
/// # Errors
/// Where a line cannot be read, and where it needs more memory than the budget allows.
pub fn from_slice(
    bytes: &[u8],
    budget: &mut Budget,
    resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<(Scene, Vec<Loss>)> {
    budget.take(needed(bytes), "a mesh")?;
    let options = tobj::LoadOptions { triangulate: true, single_index: true, ..tobj::LoadOptions::default() };
    let mut losses = Vec::new();
    let shared = RefCell::new((&mut *resolve, &mut losses, &mut *budget));
    let loaded = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, |path| {
        let (resolve, losses, budget) = &mut *shared.borrow_mut();
        match path.to_str().and_then(&mut *resolve) {
            Some(text) => match budget.take(needed(&text), "the material library") {
                Ok(()) => tobj::load_mtl_buf(&mut Cursor::new(text)),
                Err(error) => {
                    losses.push(Loss::new(path.display().to_string(), error.to_string()));
                    Ok((Vec::new(), Default::default()))
                }
            },
            None => {
                losses.push(Loss::new(path.display().to_string(), "the material library is missing"));
                Ok((Vec::new(), Default::default()))
            }
        }
    });
    let (models, materials) = loaded.map_err(Error::unreadable)?;
    let mut scene = Scene::default();
    let mut images: HashMap<String, usize> = HashMap::new();
    for from in materials.map_err(Error::unreadable)? {
        let mut image = |map: Option<&String>, scene: &mut Scene| -> Option<(Texture, f32)> {
            let (name, scale) = map_of(map?)?;
            let mut name = name.to_owned();
            let index = *images.entry(name.clone()).or_insert_with(|| {
                let data = resolve(&name).map_or_else(|| ImageData::Uri(name.clone()), ImageData::Bytes);
                scene.images.push(Image { name: std::mem::take(&mut name), data });
                scene.images.len() - 1
            });
            Some((Texture::new(index), scale))
        };
        let [r, g, b] = from.diffuse.unwrap_or([1.0; 3]);
        let alpha = from.dissolve.unwrap_or(1.0);
        let other = |key: &str| from.unknown_param.get(key);
        let number = |key: &str| other(key)?.trim().parse::<f32>().ok().filter(|number| number.is_finite());
        let base_texture = image(from.diffuse_texture.as_ref(), &mut scene).map(|(texture, _)| texture);
        let normal = image(other("norm").or(from.normal_texture.as_ref()), &mut scene);
        let emissive_texture = image(other("map_Ke"), &mut scene).map(|(texture, _)| texture);
        // The exponent of a highlight as wide as that roughness makes it.
        let shine = from.shininess.map_or(1.0, |exponent| (2.0 / (exponent.max(0.0) + 2.0)).sqrt());
        scene.materials.push(Material {
            roughness: number("Pr").unwrap_or(shine),
            metallic: number("Pm").unwrap_or(0.0),
            base_color: [r, g, b, alpha],
            base_texture,
            normal_texture: normal.map(|(texture, _)| texture),
            normal_scale: normal.map_or(1.0, |(_, scale)| scale),
            emissive: from.emissive.unwrap_or(if emissive_texture.is_some() { [1.0; 3] } else { [0.0; 3] }),
            emissive_texture,
            alpha: if alpha < 1.0 { Alpha::Blend } else { Alpha::Opaque },
            ior: from.optical_density.filter(|&ior| ior >= 1.0),
            name: from.name,
            ..Material::default()
        });
    }
    for model in models {
        let from = model.mesh;
        let mesh = TriMesh {
            positions: from.positions.as_chunks::<3>().0.iter().map(|&point| point.into()).collect(),
            normals: from.normals.as_chunks::<3>().0.iter().map(|&normal| normal.into()).collect(),
            uvs: from.texcoords.as_chunks::<2>().0.iter().map(|&[u, v]| [u, 1.0 - v].into()).collect(),
            colors: from
                .vertex_color
                .as_chunks::<3>()
                .0
                .iter()
                .map(|&[r, g, b]| [byte(r), byte(g), byte(b), 255].into())
                .collect(),
            triangles: from.indices.as_chunks::<3>().0.to_vec(),
            ..TriMesh::default()
        };
        if !mesh.is_consistent() {
            return Err(Error::unreadable(format!(
                "{}: columns of different lengths, or an index without a vertex",
                model.name
            )));
        }
        let primitive = Primitive::new(mesh, from.material_id);
        let mesh =
            scene.add_mesh(Mesh { name: model.name.clone(), primitives: vec![primitive], ..Mesh::default() });
        scene.add_node(None, Node { name: model.name, mesh: Some(mesh), ..Node::default() });
    }
    Ok((scene, losses))
}

/// The file of a map statement, after its options, and the multiplier of bumps.
fn map_of(text: &str) -> Option<(&str, f32)> {
    let (mut rest, mut scale) = (text.trim(), 1.0);
    while rest.starts_with('-') {
        let (option, after) = rest.split_once(char::is_whitespace)?;
        rest = after.trim_start();
        // How many words follow: of three numbers the last two may be missing.
        let (least, most) = match option {
            "-o" | "-s" | "-t" => (1, 3),
            "-mm" => (2, 2),
            _ => (1, 1),
        };
        for word in 0..most {
            let (value, after) = rest.split_once(char::is_whitespace)?;
            let number = value.parse::<f32>();
            if word >= least && number.is_err() {
                break;
            }
            if let (Ok(number), "-bm") = (number, option) {
                scale = number;
            }
            rest = after.trim_start();
        }
    }
    (!rest.is_empty()).then_some((rest, scale))
}

/// What the library needs at most for a text: a float for a word of a vertex, for one of a face its indices and
/// its place in a table, and for a line that begins an object or a material everything that those have.
fn needed(text: &[u8]) -> u64 {
    let line = |line: &[u8]| {
        let words = || line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() as u64;
        match line.trim_ascii_start().first() {
            Some(b'v') => words() * 16,
            Some(b'f' | b'l' | b'p') => words() * 128,
            Some(b'o' | b'g' | b'u' | b'n') => 2400,
            _ => 0,
        }
    };
    text.split(|&byte| byte == b'\n').map(line).sum::<u64>() + text.len() as u64
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A scene as OBJ.
#[derive(Clone, Debug)]
pub struct Obj {
    /// The text of the `.obj` file.
    pub obj: String,
    /// The text of the `.mtl` file; `None` without materials.
    pub mtl: Option<String>,
    /// Images by the names under which the material library refers to them.
    pub images: Vec<(String, Vec<u8>)>,
    /// What OBJ cannot represent.
    pub losses: Vec<Loss>,
}

/// A scene as OBJ at rest: an object for each node with a mesh, a group for each primitive, and the
/// images of its materials as files. `stem` names the material library and the images.
pub fn to_obj(scene: &Scene, stem: &str) -> Obj {
    let mut obj = String::new();
    let losses = scene.losses_but(KEEPS);
    let mut images: Vec<(String, Vec<u8>)> = Vec::new();
    let mtl = (!scene.materials.is_empty()).then(|| {
        let _infallible = writeln!(obj, "mtllib {stem}.mtl");
        library(scene, stem, &mut images)
    });
    let names: Vec<String> = material_names(scene);
    let (mut points, mut coordinates, mut normals) = (1_usize, 1_usize, 1_usize);
    // In a file all vertices have colours, or none has: readers count them.
    let primitives = scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let colored = primitives.into_iter().any(|primitive| !primitive.mesh.colors.is_empty());
    for (placed, primitives) in scene.placed().iter().zip(scene.posed(&scene.pose())) {
        let node = &scene.nodes[placed.node];
        let name = if node.name.is_empty() { &scene.meshes[placed.mesh].name } else { &node.name };
        let _infallible = writeln!(obj, "o {}", plain(name, placed.node));
        for primitive in primitives {
            let mesh = &primitive.mesh;
            for (index, point) in mesh.positions.iter().enumerate() {
                let [x, y, z] = point.to_array();
                let white = geom::Rgba8::from([255; 4]);
                let color = mesh.colors.get(index).or(colored.then_some(&white));
                let _infallible =
                    match color.map(|color| color.to_array().map(|part| f32::from(part) / 255.0)) {
                        Some([r, g, b, _]) => writeln!(obj, "v {x} {y} {z} {r} {g} {b}"),
                        None => writeln!(obj, "v {x} {y} {z}"),
                    };
            }
            for uv in &mesh.uvs {
                let [u, v] = uv.to_array();
                let _infallible = writeln!(obj, "vt {u} {}", 1.0 - v);
            }
            for normal in &mesh.normals {
                let [x, y, z] = normal.to_array();
                let _infallible = writeln!(obj, "vn {x} {y} {z}");
            }
            if let Some(material) = primitive.material.and_then(|index| names.get(index)) {
                let _infallible = writeln!(obj, "usemtl {material}");
            }
            for triangle in &mesh.triangles {
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
            points += mesh.positions.len();
            coordinates += mesh.uvs.len();
            normals += mesh.normals.len();
        }
    }
    if obj.is_empty() {
        // No reader takes an empty file.
        obj.push_str("# nothing is drawn\n");
    }
    Obj { obj, mtl, images, losses }
}

/// A name as one word; `index` where it is empty.
fn plain(name: &str, index: usize) -> String {
    let text: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if text.is_empty() { format!("part{index}") } else { text }
}

/// The names of the materials, each one only once.
fn material_names(scene: &Scene) -> Vec<String> {
    let mut used = std::collections::HashSet::new();
    let name = |(index, material): (usize, &Material)| {
        let name = plain(&material.name, index);
        if used.insert(name.clone()) { name } else { format!("{name}.{index}") }
    };
    scene.materials.iter().enumerate().map(name).collect()
}

fn library(scene: &Scene, stem: &str, images: &mut Vec<(String, Vec<u8>)>) -> String {
    let mut text = String::new();
    let files: Vec<String> = scene
        .images
        .iter()
        .enumerate()
        .map(|(index, image)| match &image.data {
            ImageData::Uri(uri) => uri.clone(),
            ImageData::Bytes(bytes) => {
                let ending = if image.media_type() == Some("image/jpeg") { "jpg" } else { "png" };
                let name = format!("{stem}_{index}.{ending}");
                images.push((name.clone(), bytes.clone()));
                name
            }
        })
        .collect();
    for (material, name) in scene.materials.iter().zip(material_names(scene)) {
        let [r, g, b, alpha] = material.base_color;
        let exponent = (2.0 / material.roughness.max(0.01).powi(2) - 2.0).clamp(0.0, 1000.0);
        let _infallible = writeln!(text, "newmtl {name}\nKd {r} {g} {b}\nd {alpha}\nNs {exponent}\nillum 2");
        if let Some(ior) = material.ior {
            let _infallible = writeln!(text, "Ni {ior}");
        }
        // What many programs have beyond MTL's own: physically based roughness and metalness.
        let _infallible = writeln!(text, "Pr {}\nPm {}", material.roughness, material.metallic);
        let scale = material.normal_scale;
        let bump = if scale == 1.0 { String::new() } else { format!(" -bm {scale}") };
        let maps = [
            ("map_Kd", material.base_texture),
            (&*format!("norm{bump}"), material.normal_texture),
            ("map_Ke", material.emissive_texture),
        ];
        for (key, texture) in maps {
            if let Some(file) = texture.and_then(|texture| files.get(texture.image)) {
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
