//! MagicaVoxel (`.vox`): read as a scene, and to and from the voxels of Model 3D. In a scene, each model becomes a mesh of its
//! visible faces, of which neighbours of one colour are joined.
//!
//! In these files, z is up; a voxel has the length 1. The source is the format's own description
//! (`ephtracy/voxel-model`).

mod blocks;

use std::collections::{BTreeMap, HashMap};

use geom::{LinearRgba, Rgba8, TriMesh};
use glam::{Mat3, Mat4, Quat, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};

use crate::forms::SceneReader;
use crate::model::{Material, Mesh, Node, Primitive, Scene, Transform};

pub use blocks::{from_m3d, to_m3d};

/// Reads MagicaVoxel files.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = from_slice(reading.bytes, reading.budget)?;
    reading.losses.extend(losses);
    Ok(scene)
});

const WHAT: &str = "the voxels";
/// The deepest nesting of nodes.
const DEPTH: usize = 128;

/// Whether bytes begin like a MagicaVoxel file.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"VOX ")
}

/// Voxels by x, y, z: the number of the colour, or 0.
struct Model {
    size: [usize; 3],
    cells: Vec<u8>,
}

/// A node of the scene of a file.
enum Placed {
    /// A name, whether it is hidden, the layer, the transform, and the node below.
    Transform(Named, Mat4, u32),
    Group(Vec<u32>),
    Shape(Vec<u32>),
}

/// What a node says about itself.
#[derive(Clone, Default)]
struct Named {
    name: String,
    is_hidden: bool,
    layer: u32,
}

/// A layer.
#[derive(Default)]
struct Layer {
    name: String,
    is_hidden: bool,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let found = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let at = self.at;
        let found =
            found.ok_or_else(|| Error::unreadable(format!("unexpected end of input at offset {at:#x}")))?;
        self.at += count;
        Ok(found)
    }

    fn number(&mut self) -> Result<u32> {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(bytes))
    }

    fn text(&mut self) -> Result<String> {
        let length = self.number()? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// Pairs of texts.
    fn pairs(&mut self) -> Result<HashMap<String, String>> {
        let count = self.number()?;
        (0..count).map(|_| Ok((self.text()?, self.text()?))).collect()
    }
}

/// Reads a scene.
///
/// # Errors
/// If the file is damaged, with the chunk and the offset, or needs more memory than the budget allows.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    read(bytes, budget)?.scene(budget)
}

fn read(bytes: &[u8], budget: &mut Budget) -> Result<File> {
    let mut reader = Reader { bytes, at: 8 };
    let mut file = File { palette: palette(), ..File::default() };
    while reader.at < bytes.len() {
        let start = reader.at;
        let id = reader.take(4)?;
        let (length, _) = (reader.number()? as usize, reader.number()?);
        let at = reader.at;
        let name = String::from_utf8_lossy(id).into_owned();
        let content = reader.take(length).map_err(|_| {
            Error::unreadable(format!("unexpected end of input at offset {start:#x}")).at(&*name)
        })?;
        let mut inner = Reader { bytes: &bytes[..at + content.len()], at };
        file.chunk(id, &mut inner, budget).map_err(|error| error.at(&*name))?;
    }
    Ok(file)
}

#[derive(Default)]
struct File {
    size: Option<[usize; 3]>,
    models: Vec<Model>,
    palette: Vec<Rgba8>,
    nodes: HashMap<u32, Placed>,
    /// Layers by their numbers.
    layers: HashMap<u32, Layer>,
    /// What is not read: how often, by the chunk.
    materials: usize,
    frames: usize,
    others: BTreeMap<&'static str, (&'static str, usize)>,
}

impl File {
    fn chunk(&mut self, id: &[u8], reader: &mut Reader<'_>, budget: &mut Budget) -> Result<()> {
        match id {
            b"SIZE" => {
                let size = [reader.number()?, reader.number()?, reader.number()?];
                if size.iter().any(|&length| length > 256) {
                    return Err(Error::unreadable(format!(
                        "expected a size of at most 256 voxels, found {size:?}"
                    )));
                }
                self.size = Some(size.map(|length| length as usize));
            }
            b"XYZI" => {
                let size = self.size.take().ok_or_else(|| Error::unreadable("voxels without a size"))?;
                let volume = size.iter().product();
                budget.take(volume as u64, WHAT)?;
                budget.work(volume as u64 * 16, WHAT)?;
                let mut model = Model { size, cells: vec![0; volume] };
                let count = reader.number()? as usize;
                let voxels = reader.take(count.saturating_mul(4))?;
                for &[x, y, z, color] in voxels.as_chunks::<4>().0 {
                    let at = model.index([x, y, z].map(usize::from));
                    let cell = at.and_then(|at| model.cells.get_mut(at));
                    let cell = cell.ok_or_else(|| {
                        Error::unreadable(format!("the voxel {x}, {y}, {z} is outside of the size {size:?}"))
                    })?;
                    *cell = color;
                }
                self.models.push(model);
            }
            b"RGBA" => {
                let colors = reader.take(1024)?.as_chunks::<4>().0;
                // The first colour has the number 1.
                self.palette = std::iter::once(Rgba8::new(0, 0, 0, 0))
                    .chain(colors.iter().map(|&[r, g, b, a]| Rgba8::new(r, g, b, a)))
                    .take(256)
                    .collect();
            }
            b"nTRN" | b"nGRP" | b"nSHP" => self.node(id, reader, budget)?,
            b"LAYR" => {
                budget.take(reader.bytes.len().saturating_sub(reader.at) as u64 * 8 + 100, WHAT)?;
                let (number, mut pairs) = (reader.number()?, reader.pairs()?);
                let is_hidden = is_hidden(&pairs);
                let name = pairs.remove("_name").unwrap_or_default();
                if pairs.contains_key("_color") {
                    self.other("LAYR", "the colours of layers");
                }
                self.layers.insert(number, Layer { name, is_hidden });
            }
            b"MATL" => self.materials += 1,
            b"NOTE" => self.other("NOTE", "the names of rows of colours"),
            b"rCAM" => self.other("rCAM", "cameras"),
            b"rOBJ" => self.other("rOBJ", "settings of the renderer"),
            _ => {}
        }
        Ok(())
    }

    fn other(&mut self, chunk: &'static str, what: &'static str) {
        self.others.entry(chunk).or_insert((what, 0)).1 += 1;
    }

    /// Whether a node is in a layer that is hidden.
    fn is_in_hidden_layer(&self, of: &Named) -> bool {
        self.layers.get(&of.layer).is_some_and(|layer| layer.is_hidden)
    }

    fn node(&mut self, id: &[u8], reader: &mut Reader<'_>, budget: &mut Budget) -> Result<()> {
        budget.take(reader.bytes.len().saturating_sub(reader.at) as u64 * 8 + 500, WHAT)?;
        let number = reader.number()?;
        let mut pairs = reader.pairs()?;
        let placed = match id {
            b"nTRN" => {
                let below = reader.number()?;
                let (_reserved, layer, frames) = (reader.number()?, reader.number()?, reader.number()?);
                self.frames += frames.saturating_sub(1) as usize;
                let frame = if frames > 0 { reader.pairs()? } else { HashMap::new() };
                let is_hidden = is_hidden(&pairs);
                let name = pairs.remove("_name").unwrap_or_default();
                Placed::Transform(Named { name, is_hidden, layer }, transform(&frame), below)
            }
            _ => {
                let count = reader.number()?;
                let mut list = Vec::new();
                for _ in 0..count {
                    list.push(reader.number()?);
                    if id == b"nSHP" {
                        reader.pairs()?;
                    }
                }
                if id == b"nSHP" { Placed::Shape(list) } else { Placed::Group(list) }
            }
        };
        self.nodes.insert(number, placed);
        Ok(())
    }

    /// What is not read.
    fn losses(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        Loss::new("MATL", "the materials of colours: metal, glass, emission")
            .id("vox.materials")
            .times(self.materials.min(1))
            .count_in(&mut losses);
        Loss::new("nTRN", "frames of an animation after the first one")
            .id("vox.frames")
            .times(self.frames)
            .count_in(&mut losses);
        for (chunk, (what, count)) in &self.others {
            Loss::new(*chunk, *what).id("vox.other-chunks").times(*count).count_in(&mut losses);
        }
        losses
    }

    fn scene(self, budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
        let (mut scene, losses) = (Scene::default(), self.losses());
        let material = Material { name: "voxels".into(), ..Material::default() };
        scene.materials.push(material);
        for (index, model) in self.models.iter().enumerate() {
            let mesh = model.mesh(&self.palette, budget)?;
            let primitives =
                if mesh.triangles.is_empty() { Vec::new() } else { vec![Primitive::new(mesh, Some(0))] };
            scene.add_mesh(Mesh { name: format!("model {index}"), primitives, ..Mesh::default() });
        }
        if self.nodes.is_empty() {
            for index in 0..self.models.len() {
                scene.add_node(
                    None,
                    Node { name: format!("model {index}"), mesh: Some(index), ..Node::default() },
                );
            }
            return Ok((scene, losses));
        }
        // From the file's axes (z up) to those of a scene, and back.
        let axes = Mat4::from_quat(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
        let mut open = vec![(0_u32, None, (String::new(), false, Mat4::IDENTITY), 0)];
        let mut left = self.nodes.len().saturating_mul(4) + 16;
        while let Some((number, parent, (name, hidden, matrix), depth)) = open.pop() {
            // A node may be used several times, but not inside of itself.
            left = left.saturating_sub(1);
            if depth > DEPTH || left == 0 {
                return Err(Error::unreadable("nodes that are nested too deeply, or in each other"));
            }
            budget.take(1000, WHAT)?;
            match self.nodes.get(&number) {
                Some(Placed::Transform(own, place, below)) => {
                    let name = if own.name.is_empty() { name } else { own.name.clone() };
                    let hidden = hidden || own.is_hidden || self.is_in_hidden_layer(own);
                    open.push((*below, parent, (name, hidden, matrix * *place), depth + 1));
                }
                Some(Placed::Group(below)) => {
                    let transform = Transform::of(axes * matrix * axes.inverse());
                    let node = scene.add_node(parent, Node { name, transform, hidden, ..Node::default() });
                    let inner =
                        |&below| (below, Some(node), (String::new(), false, Mat4::IDENTITY), depth + 1);
                    open.extend(below.iter().rev().map(inner));
                }
                Some(Placed::Shape(models)) => {
                    let transform = Transform::of(axes * matrix * axes.inverse());
                    let mesh = models
                        .first()
                        .map(|&index| index as usize)
                        .filter(|&index| index < scene.meshes.len());
                    scene.add_node(parent, Node { name, transform, hidden, mesh, ..Node::default() });
                }
                None => {}
            }
        }
        Ok((scene, losses))
    }
}

/// Whether a node or a layer is hidden.
fn is_hidden(pairs: &HashMap<String, String>) -> bool {
    pairs.get("_hidden").is_some_and(|value| value == "1")
}

/// The transform of a frame: a translation, and a rotation whose rows are axes.
fn transform(frame: &HashMap<String, String>) -> Mat4 {
    let place = frame
        .get("_t")
        .map(|text| text.split(' ').filter_map(|part| part.parse::<f32>().ok()).collect::<Vec<_>>());
    let place = place.and_then(|place| <[f32; 3]>::try_from(place).ok()).map_or(Vec3::ZERO, Vec3::from);
    let bits = frame.get("_r").and_then(|text| text.parse::<u8>().ok()).unwrap_or(0b100);
    let (first, second) = (usize::from(bits & 3).min(2), usize::from(bits >> 2 & 3).min(2));
    let third = (3_usize).saturating_sub(first + second).min(2);
    let row = |axis: usize, bit: u8| Vec3::AXES[axis] * if bits >> bit & 1 == 1 { -1.0 } else { 1.0 };
    let rotation = Mat3::from_cols(row(first, 4), row(second, 5), row(third, 6)).transpose();
    Mat4::from_translation(place) * Mat4::from_mat3(rotation)
}

/// The colours of a file without its own: steps of each component, and ramps of red, green, blue and grey.
fn palette() -> Vec<Rgba8> {
    const STEPS: [u8; 6] = [0xff, 0xcc, 0x99, 0x66, 0x33, 0];
    const RAMP: [u8; 10] = [0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11];
    let steps = STEPS.into_iter().flat_map(|r| STEPS.into_iter().flat_map(move |g| STEPS.map(|b| [r, g, b])));
    let ramps = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]];
    let ramps = ramps.into_iter().flat_map(|of| RAMP.map(|part| of.map(|is| is * part)));
    let colors = std::iter::once([0; 3]).chain(steps.take(215)).chain(ramps);
    colors.map(|[r, g, b]| Rgba8::new(r, g, b, 255)).collect()
}

impl Model {
    fn index(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let [width, depth, height] = self.size;
        (x < width && y < depth && z < height).then(|| (z * depth + y) * width + x)
    }

    fn color(&self, at: [isize; 3]) -> u8 {
        let [Ok(x), Ok(y), Ok(z)] = at.map(usize::try_from) else { return 0 };
        self.index([x, y, z]).map_or(0, |at| self.cells[at])
    }

    /// The visible faces. A rectangle of one colour is two triangles. The middle of the model, rounded down, is the origin.
    fn mesh(&self, palette: &[Rgba8], budget: &mut Budget) -> Result<TriMesh> {
        let mut mesh = TriMesh::default();
        let pivot = self.size.map(|length| (length / 2) as f32);
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (wide, high) = (self.size[u], self.size[v]);
            for (side, step) in [(1.0, 1_isize), (0.0, -1)] {
                for layer in 0..self.size[axis] {
                    let mut mask = vec![0_u8; wide * high];
                    for (at, cell) in mask.iter_mut().enumerate() {
                        let mut place = [0_isize; 3];
                        place[axis] = layer.cast_signed();
                        (place[u], place[v]) = ((at % wide).cast_signed(), (at / wide).cast_signed());
                        let color = self.color(place);
                        place[axis] += step;
                        *cell = if self.color(place) == 0 { color } else { 0 };
                    }
                    for at in 0..mask.len() {
                        let color = mask[at];
                        if color == 0 {
                            continue;
                        }
                        let (left, low) = (at % wide, at / wide);
                        let right = (left..wide).take_while(|&x| mask[low * wide + x] == color).count();
                        let is_row = |y: &usize| (left..left + right).all(|x| mask[y * wide + x] == color);
                        let up = (low..high).take_while(is_row).count();
                        for y in low..low + up {
                            mask[y * wide + left..y * wide + left + right].fill(0);
                        }
                        budget.take(4 * (12 + 12 + 8) + 24, WHAT)?;
                        let corner = |x: usize, y: usize| {
                            let mut corner = [0.0; 3];
                            corner[axis] = layer as f32 + side;
                            (corner[u], corner[v]) = (x as f32, y as f32);
                            let [x, y, z] = [0, 1, 2].map(|axis| corner[axis] - pivot[axis]);
                            // y is up in a scene.
                            geom::Vec3::from([x, z, -y])
                        };
                        let corners = [(0, 0), (right, 0), (right, up), (0, up)];
                        let start = mesh.positions.len() as u32;
                        mesh.positions.extend(corners.map(|(x, y)| corner(left + x, low + y)));
                        let mut normal = [0.0; 3];
                        normal[axis] = step as f32;
                        let [x, y, z] = normal;
                        mesh.normals.extend([geom::Vec3::from([x, z, -y]); 4]);
                        let color: LinearRgba =
                            palette.get(usize::from(color)).copied().unwrap_or(Rgba8::WHITE).to_linear();
                        mesh.colors.extend([color; 4]);
                        let [a, b] = if step > 0 { [1, 2] } else { [2, 1] };
                        mesh.triangles.push([start, start + a, start + b]);
                        let [a, b] = if step > 0 { [2, 3] } else { [3, 2] };
                        mesh.triangles.push([start, start + a, start + b]);
                    }
                }
            }
        }
        Ok(mesh)
    }
}
