//! Objects of OpenSim (`SceneObjectGroup`), as its archives contain them: linksets of prims and meshes.
//!
//! Basic shapes are made by the published rules of prims; meshes are the assets in `assets/` of the archive. A material
//! has the id of the texture as its name.

mod archive;
mod prim;
mod region;
mod sculpt;
mod xml;

use std::collections::{BTreeMap, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use geom::TriMesh;
use rezkit_core::{Error, Loss, Reference, Result};
use slmesh::Lod;

use crate::features::Feature;
use crate::forms::{AS_PNG, Reading, SceneReader};
use crate::images;
use crate::model::{Alpha, Image, ImageData, Material, Mesh, Node, Primitive, Scene, Texture, Transform};
use crate::slmesh::material::texture_file;
pub use archive::{Contents, contents};
use prim::Prim;
pub use region::{region, sample_ground, without_ground};
use xml::Element;

/// The UUIDs of no texture, and of the plain white one (`TEXTURE_BLANK` of the scripting language).
const PLAIN: [&str; 2] = ["00000000-0000-0000-0000-000000000000", "5748decc-f629-461c-9a36-a35a221fe21f"];

/// The memory of a sculpted prim: at most about 1,100 vertices and 2,048 triangles.
const MAP: u64 = 80_000;

/// The maximum number of parts of a file.
const PARTS: usize = 100_000;

/// Reads an object, or all objects of a region.
pub static READER: SceneReader = SceneReader(read);

/// Whether a file is an object, or a list of objects.
pub fn detect(bytes: &[u8]) -> bool {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if rest.starts_with(b"<?xml") {
        let Some(end) = memchr::memmem::find(&rest[..rest.len().min(400)], b"?>") else { return false };
        rest = rest[end + 2..].trim_ascii_start();
    }
    let is_scene = rest.starts_with(region::REGION.as_bytes())
        || rest.starts_with(b"<scene") && memchr::memmem::find(rest, b"<SceneObjectGroup").is_some();
    is_scene || rest.starts_with(b"<SceneObjectGroup") || rest.starts_with(b"<CoalescedObject")
}

/// The objects in an element. Each object of a coalesced one (several that were taken together) is in two elements of
/// the same name.
fn groups(element: &Element) -> Vec<&Element> {
    let is_object = |name: &str| ["SceneObjectGroup", "CoalescedObject"].contains(&name);
    let inner: Vec<&Element> =
        element.children.iter().filter(|child| is_object(&child.name)).flat_map(groups).collect();
    match element.name == "SceneObjectGroup" && inner.is_empty() {
        true => vec![element],
        false => inner,
    }
}

/// The parts of an object, the root first.
fn parts_of(group: &Element) -> Vec<&Element> {
    let inside = |element: &'_ Element| -> bool { element.name == "SceneObjectPart" };
    let mut parts: Vec<&Element> = Vec::new();
    for child in &group.children {
        match child.name.as_str() {
            "SceneObjectPart" => parts.push(child),
            "RootPart" => parts.extend(child.children.iter().filter(|child| inside(child))),
            "OtherParts" => {
                for part in &child.children {
                    match inside(part) {
                        true => parts.push(part),
                        false => parts.extend(part.children.iter().filter(|child| inside(child))),
                    }
                }
            }
            _ => {}
        }
    }
    parts
}

fn vector(element: Option<&Element>, fallback: f64) -> [f32; 3] {
    ["X", "Y", "Z"].map(|axis| {
        element.and_then(|element| element.number(axis)).unwrap_or(fallback).clamp(-1e6, 1e6) as f32
    })
}

fn rotation(element: Option<&Element>) -> [f32; 4] {
    let axes = ["X", "Y", "Z", "W"].map(|axis| {
        element.and_then(|element| element.number(axis)).unwrap_or(f64::from(axis == "W")) as f32
    });
    let length = axes.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
    if length > 1e-6 { axes.map(|axis| axis / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The id of an element that contains one.
fn id(element: Option<&Element>) -> String {
    let text = element.map_or("", |element| match element.children.first() {
        Some(inner) => inner.text.trim(),
        None => element.text.trim(),
    });
    text.to_ascii_lowercase()
}

/// The kind of a sculpted shape, without its flags; 5 is a mesh.
fn sculpt(shape: &Element) -> u8 {
    shape.number("SculptType").unwrap_or(0.0) as u8 & 7
}

/// The asset of a mesh.
fn mesh_of(shape: &Element) -> Option<String> {
    (sculpt(shape) == 5).then(|| id(shape.child("SculptTexture"))).filter(|id| id.len() == 36)
}

/// The textures and colours of faces.
struct Faces {
    texture: (String, HashMap<u32, String>),
    color: ([u8; 4], HashMap<u32, [u8; 4]>),
    repeats: [Values<4>; 2],
    /// 32,767 is the side of the texture.
    offsets: [Values<2>; 2],
    /// 32,768 is a full turn.
    turn: Values<2>,
    /// What a scene does not have.
    lost: Vec<&'static str>,
}

impl Faces {
    /// Reads a texture entry: for each attribute the value of all faces, then sets of faces with other values.
    fn new(text: &str) -> Self {
        let bytes = STANDARD.decode(text).unwrap_or_default();
        let mut rest = bytes.as_slice();
        let hex = |bytes: &[u8; 16]| {
            let mut id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            [20, 16, 12, 8].into_iter().for_each(|at| id.insert(at, '-'));
            id
        };
        let (texture, textures) = field::<16>(&mut rest).unwrap_or_default();
        let (color, colors) = field::<4>(&mut rest).unwrap_or_default();
        let once = || (1.0_f32.to_le_bytes(), HashMap::new());
        let repeats = [(); 2].map(|()| field::<4>(&mut rest).unwrap_or_else(once));
        let offsets = [(); 2].map(|()| field::<2>(&mut rest).unwrap_or_default());
        let turn = field::<2>(&mut rest).unwrap_or_default();
        // Bumps, brightness and shine; then flags with the mapping.
        let [surface, flags, glow] = [(); 3].map(|()| field::<1>(&mut rest).unwrap_or_default());
        let material = field::<16>(&mut rest).unwrap_or_default();
        let has = |(all, others): &Values<1>, mask: u8| {
            std::iter::once(all).chain(others.values()).any(|[bits]| bits & mask != 0)
        };
        let has_material = std::iter::once(&material.0).chain(material.1.values()).any(|id| *id != [0; 16]);
        let lost = [
            (bytes.is_empty() && !text.is_empty(), "textures and colours that cannot be read"),
            (has(&surface, 0x1f), "the bumps of faces"),
            (has(&surface, 0x20), "the full brightness of faces"),
            (has(&surface, 0xc0), "the shine of faces"),
            (has(&flags, 6), "the planar mapping of textures"),
            (has(&glow, 0xff), "the glow of faces"),
            (has_material, "materials of faces (normal and specular maps)"),
        ];
        // Colours are stored inverted, so that white is zero.
        let color_of = |bytes: [u8; 4]| bytes.map(|byte| 255 - byte);
        Self {
            texture: (hex(&texture), textures.iter().map(|(face, id)| (*face, hex(id))).collect()),
            color: (
                color_of(color),
                colors.into_iter().map(|(face, color)| (face, color_of(color))).collect(),
            ),
            repeats,
            offsets,
            turn,
            lost: lost.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect(),
        }
    }

    /// Changes the texture coordinates of a face: they are turned and repeated about the middle of the texture, and moved.
    fn place(&self, face: u32, uvs: &mut [geom::Vec2]) {
        let [across, up] = self.repeats.each_ref().map(|repeats| f32::from_le_bytes(*of_face(repeats, face)));
        let number = |values| f32::from(i16::from_le_bytes(*of_face(values, face)));
        let [right, top] = self.offsets.each_ref().map(|offset| number(offset) / 32_767.0);
        let angle = number(&self.turn) / 32_768.0 * std::f32::consts::TAU;
        if [across, up, right, top, angle] == [1.0, 1.0, 0.0, 0.0, 0.0] {
            return;
        }
        let (sine, cosine) = (libm::sinf(angle), libm::cosf(angle));
        for uv in uvs {
            let [u, v] = uv.to_array();
            // Second Life's v is up; that of a scene is down.
            let (x, y) = (u - 0.5, 0.5 - v);
            let [x, y] = [(x * cosine + y * sine) * across + right, (y * cosine - x * sine) * up + top];
            *uv = [x + 0.5, 0.5 - y].into();
        }
    }

    fn of(&self, face: u32) -> (&str, [u8; 4]) {
        let texture = self.texture.1.get(&face).unwrap_or(&self.texture.0);
        (texture, self.color.1.get(&face).copied().unwrap_or(self.color.0))
    }
}

/// What a part has besides its shape and its faces.
fn besides(part: &Element, shape: &Element) -> Vec<&'static str> {
    let is_filled = |name: &str| part.child(name).is_some_and(|child| !child.text.trim().is_empty());
    let mut all = Vec::new();
    all.extend(is_filled("Text").then_some("a text above a part"));
    all.extend(is_filled("ParticleSystem").then_some("particles"));
    all.extend(is_filled("TextureAnimation").then_some("an animated texture"));
    // A count; for each parameter its type, its length in bytes, and its value.
    let bytes = STANDARD.decode(shape.text("ExtraParams")).unwrap_or_default();
    let mut rest = bytes.get(1..).unwrap_or_default();
    while let Some(([a, b, c, d, e, f], value)) = rest.split_first_chunk() {
        rest = value.get(u32::from_le_bytes([*c, *d, *e, *f]) as usize..).unwrap_or_default();
        all.extend(match u16::from_le_bytes([*a, *b]) {
            0x10 => Some("a flexible part, which is straight"),
            0x20 => Some("a light"),
            0x40 => Some("the image of a light"),
            0x80 => Some("materials of faces (PBR)"),
            0x90 => Some("a reflection probe"),
            _ => None,
        });
    }
    all
}

/// The values of an attribute: that of all faces, and those of single faces.
type Values<const N: usize> = ([u8; N], HashMap<u32, [u8; N]>);

fn of_face<const N: usize>((all, others): &Values<N>, face: u32) -> &[u8; N] {
    others.get(&face).unwrap_or(all)
}

fn field<const N: usize>(rest: &mut &[u8]) -> Option<Values<N>> {
    let (first, mut after) = rest.split_first_chunk::<N>()?;
    let mut others = HashMap::new();
    loop {
        let mut faces = 0_u64;
        while let Some((byte, next)) = after.split_first() {
            after = next;
            faces = faces << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let Some((value, next)) = after.split_first_chunk::<N>().filter(|_| faces != 0) else { break };
        after = next;
        others.extend((0..64).filter(|face| faces >> face & 1 == 1).map(|face| (face, *value)));
    }
    *rest = after;
    Some((*first, others))
}

/// What the shape of a part is made of. The text of `Debug` tells forms apart.
#[derive(Debug)]
enum Form {
    /// The id of an asset.
    Mesh(String),
    /// The id of a map, and the type with its flags.
    Sculpt(String, u8),
    /// A tree or grass.
    Plant,
    Prim(Prim),
}

impl Form {
    fn new(shape: &Element) -> Self {
        match (mesh_of(shape), sculpt(shape)) {
            (Some(id), _) => Self::Mesh(id),
            (None, 0) if shape.number("PCode").is_some_and(|code| code != 9.0) => Self::Plant,
            (None, 0) => Self::Prim(Prim::new(shape)),
            _ => Self::Sculpt(
                id(shape.child("SculptTexture")),
                shape.number("SculptType").unwrap_or(0.0) as u8,
            ),
        }
    }
}

/// A file that is read.
struct Building<'r, 'a> {
    reading: &'r mut Reading<'a>,
    scene: Scene,
    materials: HashMap<(String, [u8; 4]), usize>,
    /// Textures that were looked for: the index of each image that was found.
    images: HashMap<String, Option<usize>>,
    /// Assets that were read.
    assets: HashMap<String, Option<Vec<TriMesh>>>,
    /// The surfaces of sculpted prims, by their map and type.
    sculpts: HashMap<(String, u8), Option<TriMesh>>,
    /// The meshes of the scene, by the form of parts, the bits of their size, and their texture entry.
    meshes: HashMap<(String, [u32; 3], String), usize>,
    /// The number of parts without a shape, by the reason.
    left_out: BTreeMap<&'static str, usize>,
    /// The number of parts.
    parts: usize,
    /// The error of the first file of the archive that cannot be read.
    unread: Option<Error>,
}

fn read(reading: &mut Reading<'_>) -> Result<Scene> {
    let root = xml::parse(reading.bytes, reading.budget)?;
    let mut building = Building {
        reading,
        scene: Scene::default(),
        materials: HashMap::new(),
        images: HashMap::new(),
        assets: HashMap::new(),
        sculpts: HashMap::new(),
        meshes: HashMap::new(),
        left_out: BTreeMap::new(),
        parts: 0,
        unread: None,
    };
    building.objects(&root, root.name == "scene")?;
    building.region(&root)?;
    let Building { scene, left_out, reading, unread, .. } = building;
    if let Some(error) = unread.filter(|_| scene.meshes.is_empty()) {
        return Err(error);
    }
    for (what, count) in left_out {
        reading.losses.push(Loss::new("SceneObjectPart", what).id("opensim.part").times(count));
    }
    Ok(scene)
}

impl Building<'_, '_> {
    /// Adds the objects in an element. They are placed in a region, or if there are several.
    fn objects(&mut self, root: &Element, is_region: bool) -> Result<()> {
        let found = groups(root);
        let is_placed = is_region || found.len() > 1;
        found.into_iter().try_for_each(|group| self.object(group, is_placed))
    }

    fn object(&mut self, group: &Element, is_placed: bool) -> Result<()> {
        let mut top = None;
        let parts = parts_of(group);
        if parts.is_empty() {
            self.leave_out("an object without parts");
        }
        self.parts += parts.len();
        if self.parts > PARTS {
            return Err(Error::unreadable(format!("expected at most {PARTS} parts")));
        }
        for part in parts {
            let Some(shape) = part.child("Shape") else { continue };
            let place = match (top, is_placed) {
                (Some(_), _) => vector(part.child("OffsetPosition"), 0.0),
                (None, true) => vector(part.child("GroupPosition"), 0.0),
                (None, false) => [0.0; 3],
            };
            let size =
                vector(part.child("Scale").or(shape.child("Scale")), 0.5).map(|side| side.abs().max(0.001));
            let [x, y, z] = place;
            let [i, j, k, w] = rotation(part.child("RotationOffset"));
            // Second Life's z is up; a scene's y is.
            let transform =
                Transform { translation: [x, z, -y], rotation: [i, k, -j, w], ..Transform::default() };
            let name = part.text("Name").to_owned();
            let mesh = self.shape(part, shape, size)?;
            self.reading.budget.take(600 + name.len() as u64, "the parts")?;
            let node = self.scene.add_node(top, Node { name, mesh, transform, ..Node::default() });
            top = top.or(Some(node));
        }
        Ok(())
    }

    /// Counts a part without a mesh.
    fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// The faces of a form in a cube of 1 m, z up.
    fn form(&mut self, form: &Form) -> Result<Option<Vec<TriMesh>>> {
        let (meshes, what) = match form {
            Form::Mesh(id) => {
                (self.asset(id)?, "a mesh whose asset is not in the archive, or cannot be read")
            }
            Form::Sculpt(id, kind) => (
                self.sculpted(id, *kind)?.map(|mesh| vec![mesh]),
                "a sculpted prim whose map is not in the archive, or cannot be read",
            ),
            Form::Plant => (None, "a tree or grass"),
            Form::Prim(prim) => {
                (prim.is_known().then(|| prim.faces()), "a prim with an unknown profile or path")
            }
        };
        if meshes.is_none() {
            self.leave_out(what);
        }
        Ok(meshes)
    }

    /// The mesh of a part, with a primitive for each face. Parts of the same form, size and faces share it.
    fn shape(&mut self, part: &Element, shape: &Element, size: [f32; 3]) -> Result<Option<usize>> {
        let (form, entry) = (Form::new(shape), shape.text("TextureEntry"));
        let key = (format!("{form:?}"), size.map(f32::to_bits), entry.to_owned());
        let known = self.meshes.get(&key).copied();
        let meshes = match known {
            Some(_) => Vec::new(),
            None => match self.form(&form)? {
                Some(meshes) => meshes,
                None => return Ok(None),
            },
        };
        let faces = Faces::new(entry);
        for what in faces.lost.iter().copied().chain(besides(part, shape)) {
            self.leave_out(what);
        }
        if known.is_some() {
            return Ok(known);
        }
        let bytes: usize =
            meshes.iter().map(|mesh| mesh.positions.len() * 48 + mesh.triangles.len() * 12).sum();
        let name = part.text("Name");
        self.reading.budget.take((bytes + key.0.len() + entry.len() + name.len()) as u64, name)?;
        let primitives = self.primitives(meshes, size, &faces)?;
        if primitives.is_empty() {
            return Ok(None);
        }
        let mesh = self.scene.add_mesh(Mesh { name: name.to_owned(), primitives, ..Mesh::default() });
        self.meshes.insert(key, mesh);
        Ok(Some(mesh))
    }

    /// The primitives of faces in a cube of 1 m, z up.
    fn primitives(&mut self, meshes: Vec<TriMesh>, size: [f32; 3], faces: &Faces) -> Result<Vec<Primitive>> {
        let mut primitives = Vec::new();
        for (mut mesh, face) in meshes.into_iter().zip(0..) {
            if mesh.triangles.is_empty() {
                continue;
            }
            let [sx, sy, sz] = size;
            for point in &mut mesh.positions {
                let [x, y, z] = point.to_array();
                *point = [x * sx, z * sz, -y * sy].into();
            }
            for normal in &mut mesh.normals {
                let [x, y, z] = normal.to_array();
                let turned = [x / sx, z / sz, -y / sy];
                let length = turned.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
                // A vertex whose triangles have no area has any normal.
                let upright = [0.0, 1.0, 0.0];
                *normal = if length > 1e-9 { turned.map(|axis| axis / length) } else { upright }.into();
            }
            faces.place(face, &mut mesh.uvs);
            let (texture, color) = faces.of(face);
            let key = (texture.to_owned(), color);
            let material = match self.materials.get(&key) {
                Some(material) => *material,
                None => self.material(key)?,
            };
            primitives.push(Primitive::new(mesh, Some(material)));
        }
        Ok(primitives)
    }

    /// A new material for a texture and a colour.
    fn material(&mut self, key: (String, [u8; 4])) -> Result<usize> {
        let (texture, [r, g, b, a]) = &key;
        let image = self.image(texture)?;
        let linear = |byte: u8| {
            let part = f32::from(byte) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        // Both blend a face with a transparent colour, and one whose texture has alpha.
        let is_blended = match image.map(|image| &self.scene.images[image].data) {
            Some(ImageData::Bytes(bytes)) if *a == 255 => images::is_transparent(bytes, self.reading.budget)?,
            _ => *a < 255,
        };
        self.scene.materials.push(Material {
            name: texture.clone(),
            base_color: [linear(*r), linear(*g), linear(*b), f32::from(*a) / 255.0],
            base_texture: image.map(Texture::new),
            alpha: if is_blended { Alpha::Blend } else { Alpha::Opaque },
            ..Material::default()
        });
        let index = self.scene.materials.len() - 1;
        self.materials.insert(key, index);
        Ok(index)
    }

    /// The image of a texture, if its file exists; otherwise, the texture is listed.
    fn image(&mut self, id: &str) -> Result<Option<usize>> {
        if PLAIN.contains(&id) {
            return Ok(None);
        }
        if let Some(known) = self.images.get(id) {
            return Ok(*known);
        }
        let found = self.texture(id)?;
        let image = found.map(|bytes| {
            self.scene.images.push(Image { name: id.to_owned(), data: ImageData::Bytes(bytes) });
            self.scene.images.len() - 1
        });
        if image.is_none() {
            let what = "a texture: it is not in the archive, and there is no file with its UUID as the name, such as \
                        UUID.png, beside the object or in a folder of `--assets`";
            self.reading.losses.push(Loss::missing(id, what).id("image.missing"));
        }
        self.images.insert(id.to_owned(), image);
        Ok(image)
    }

    /// An asset of the archive, by the name of its file.
    fn archived(&mut self, file: &str) -> Result<Option<Vec<u8>>> {
        // An object of a region is beside the folder of the assets, one of an inventory is in it.
        for folder in ["../assets/", "", "assets/"] {
            let left = self.reading.budget.left();
            // A folder refuses paths that leave it.
            let found = self.reading.sources.get(&Reference::Beside(format!("{folder}{file}")), left);
            if let Some(bytes) = found.unwrap_or_default() {
                self.reading.budget.take(bytes.len() as u64, file)?;
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The file of a texture, beside the object or in the archive.
    fn texture(&mut self, id: &str) -> Result<Option<Vec<u8>>> {
        let Reading { sources, losses, budget, .. } = &mut *self.reading;
        match texture_file(id, *sources, losses, budget)? {
            None => {
                let found = self.archived(&format!("{id}_texture.jp2"))?;
                // Whoever provides the files of the archive may have converted it.
                if found.as_deref().and_then(images::Kind::of) == Some(images::Kind::Png) {
                    let loss =
                        Loss::approximated("images", AS_PNG).id("image.as-png").about(Feature::textures());
                    loss.count_in(&mut *self.reading.losses);
                }
                Ok(found)
            }
            found => Ok(found),
        }
    }

    /// The surface of a sculpted prim; `None` if its map is missing or cannot be read.
    fn sculpted(&mut self, id: &str, kind: u8) -> Result<Option<TriMesh>> {
        let known = (id.to_owned(), kind);
        if let Some(mesh) = self.sculpts.get(&known) {
            return Ok(mesh.clone());
        }
        let mut mesh = None;
        if let Some(bytes) = self.texture(&known.0)? {
            let budget = &mut *self.reading.budget;
            images::work(&[&bytes], 0, budget)?;
            match images::decode(&bytes, budget.left()) {
                Ok(map) => mesh = Some(sculpt::mesh(&map, kind)),
                Err(error) => {
                    self.reading.losses.push(
                        Loss::new(&*known.0, error.to_string())
                            .id("image.unreadable")
                            .because(error.is_limit()),
                    );
                }
            }
            // It is kept for other prims with this map.
            self.reading.budget.take(MAP, "the sculpted prims")?;
        }
        self.sculpts.insert(known, mesh.clone());
        Ok(mesh)
    }

    /// The faces of a mesh asset; `None` if it is missing or cannot be read.
    fn asset(&mut self, id: &str) -> Result<Option<Vec<TriMesh>>> {
        if let Some(known) = self.assets.get(id) {
            return Ok(known.clone());
        }
        let file = format!("{id}_mesh.llmesh");
        let mut meshes = None;
        if let Some(bytes) = self.archived(&file)? {
            match slmesh::from_slice(&bytes) {
                Ok(asset) => {
                    let level = asset.level(Lod::High).map_or(&[][..], |level| &level.submeshes);
                    meshes = Some(level.iter().map(|submesh| submesh.to_tri_mesh()).collect());
                }
                Err(error) => self.skip(&format!("assets/{file}"), error.into())?,
            }
        }
        self.assets.insert(id.to_owned(), meshes.clone());
        Ok(meshes)
    }
}
