//! PLY (Polygon File Format), text and binary of both byte orders.
//!
//! PLY specifies neither axes nor units: coordinates are taken unchanged. In texture coordinates (`s` and
//! `t`, `u` and `v`, or `texture_u` and `texture_v`), v grows upwards, so reading and writing flip it.

use crate::features::Feature;
use crate::forms::{CLAMPED, SceneReader, SceneWriter, unmarked};
use rezkit_core::{Counted, Error, Result};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use geom::TriMesh;

use crate::grow;
use crate::model::{Mesh, Node, Primitive, Scene};
use crate::polygon::Cutter;
use rezkit_core::Budget;
use rezkit_core::Loss;

/// The features of a scene that the format keeps.
const KEEPS: &[Feature] =
    &[Feature::Size, Feature::Normals, Feature::Uvs, Feature::Colors, Feature::ColorAlpha];

/// Writes binary PLY.
pub static WRITER: SceneWriter = SceneWriter {
    has_levels: false,
    ..SceneWriter::of_meshes(KEEPS, |scene, writing| {
        let (bytes, losses) = to_vec(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(bytes)
    })
};

/// Reads PLY, text or binary.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = from_slice(reading.bytes, reading.budget)?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// The number that represents 1 in colours of this type. Integers are mostly bytes in a larger type.
    fn full(self) -> f64 {
        match self {
            Self::F32 | Self::F64 => 1.0,
            Self::U16 => 65535.0,
            _ => 255.0,
        }
    }
}

#[derive(Debug)]
struct Property {
    name: String,
    kind: Kind,
    /// For a list, the type of its count.
    count: Option<Kind>,
}

impl Property {
    /// Whether this is the list of the corners of a face.
    fn is_corners(&self) -> bool {
        self.count.is_some() && matches!(self.name.as_str(), "vertex_indices" | "vertex_index")
    }
}

#[derive(Debug)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Text,
    Little,
    Big,
}

/// Whether the bytes begin like a PLY file.
pub fn detect(bytes: &[u8]) -> bool {
    [b"ply\n", b"ply\r"].iter().any(|start| unmarked(bytes).starts_with(*start))
}

/// Reads a scene with one mesh: positions, normals, texture coordinates, colours and faces; larger faces
/// become triangles. Other elements and properties are listed as losses.
///
/// # Errors
/// If the header or a number cannot be read, the file ends too early, or the budget does not
/// suffice.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    let mut losses = Vec::new();
    let (encoding, elements, body) = header(bytes, &mut losses, budget)?;
    let (mut mesh, mut polygons) = (TriMesh::default(), Vec::new());
    let mut input = Input { bytes: body, encoding, budget };
    for element in &elements {
        // A number takes at least a byte. Elements without properties take none, but are limited in the same way.
        let numbers = element.count.saturating_mul(element.properties.len().max(1));
        if numbers > input.bytes.len() {
            let (name, count) = (&element.name, element.count);
            return Err(Error::unreadable(format!(
                "the header declares more {name:?} elements ({count}) than the remaining {} can contain",
                Counted::new(input.bytes.len(), "bytes")
            )));
        }
        match element.name.as_str() {
            "vertex" => vertices(&mut input, element, &mut mesh, &mut losses)?,
            "face" => polygons = faces(&mut input, element, &mut mesh, &mut losses)?,
            _ if element.count == 0 => {}
            other => {
                let what = format!("an unsupported element (count: {})", element.count);
                input.budget.lose(&mut losses, Loss::new(other, what).id("ply.other-data"))?;
                for index in 0..element.count {
                    for property in &element.properties {
                        input.property(element, index, property, |_| ())?;
                    }
                }
            }
        }
    }
    if !input.bytes.trim_ascii().is_empty() {
        let what = Counted::new(input.bytes.len(), "bytes after the last element").to_string();
        losses.push(
            Loss::new(format!("offset {}", bytes.len() - input.bytes.len()), what).id("file.extra-bytes"),
        );
    }
    if let Some(index) =
        mesh.triangles.iter().flatten().find(|&&index| index as usize >= mesh.positions.len())
    {
        // The largest number replaces every number that is not an index.
        let found = match *index {
            u32::MAX => "a vertex index that is negative, not an integer, or too large".to_owned(),
            index => format!("the vertex index {index}, which is out of range"),
        };
        let count = mesh.positions.len();
        return Err(Error::unreadable(format!("a face has {found} (number of vertices: {count})")));
    }
    let mut cutter = Cutter::default();
    for polygon in polygons {
        cutter.cut(&mut mesh.triangles[polygon], &mesh.positions, budget)?;
    }
    let mut scene = Scene::default();
    let mesh = scene.add_mesh(Mesh {
        primitives: vec![Primitive { mesh: mesh.into(), ..Primitive::default() }],
        ..Mesh::default()
    });
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    Ok((scene, losses))
}

/// Takes the memory of a declaration, in a list whose capacity doubles.
fn declare<T>(name: &str, budget: &mut Budget) -> Result<()> {
    budget.take((3 * size_of::<T>() + name.len()) as u64, "the declarations of the header")
}

fn header<'a>(
    bytes: &'a [u8],
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<(Encoding, Vec<Element>, &'a [u8])> {
    let mut unknown = 0;
    let mut rest = unmarked(bytes);
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut first = true;
    loop {
        let end = memchr::memchr(b'\n', rest)
            .ok_or_else(|| Error::unreadable("the header has no line \"end_header\""))?;
        let line = std::str::from_utf8(&rest[..end])
            .map_err(|_| Error::unreadable("the header is not UTF-8 text"))?
            .trim();
        rest = &rest[end + 1..];
        // No line except a comment has more than five words.
        let words: Vec<&str> = line.split_whitespace().take(6).collect();
        let broken = || Error::unreadable(format!("the header has a malformed or misplaced line: {line:?}"));
        match words[..] {
            ["ply"] if first => {}
            _ if first => return Err(Error::unreadable("expected \"ply\" at the beginning of the file")),
            ["format", format, _] => {
                encoding = Some(match format {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => return Err(broken()),
                });
            }
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => {
                declare::<Element>(name, budget)?;
                let count = count.parse().map_err(|_| broken())?;
                // Two elements of this name would give columns of different lengths.
                if matches!(name, "vertex" | "face") && elements.iter().any(|element| element.name == name) {
                    return Err(Error::unreadable(format!("the header declares the element {name:?} twice")));
                }
                elements.push(Element { name: name.into(), count, properties: Vec::new() });
            }
            ["property", "list", count, kind, name] => {
                let kinds = Kind::from_name(count).zip(Kind::from_name(kind));
                let (count, kind) = kinds.ok_or_else(broken)?;
                declare::<Property>(name, budget)?;
                let element = elements.last_mut().ok_or_else(broken)?;
                element.properties.push(Property { name: name.into(), kind, count: Some(count) });
            }
            ["property", kind, name] => {
                declare::<Property>(name, budget)?;
                let kind = Kind::from_name(kind).ok_or_else(broken)?;
                let element = elements.last_mut().ok_or_else(broken)?;
                element.properties.push(Property { name: name.into(), kind, count: None });
            }
            ["end_header"] => break,
            ["ply" | "format" | "element" | "property" | "end_header", ..] => return Err(broken()),
            // Blender 2.47 left out the word `comment`.
            _ => unknown += 1,
        }
        first = false;
    }
    if unknown > 0 {
        losses.push(
            Loss::new("", "lines of the header with an unknown keyword").id("ply.other-data").times(unknown),
        );
    }
    Ok((encoding.ok_or_else(|| Error::unreadable("the header has no line \"format\""))?, elements, rest))
}

struct Input<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    budget: &'a mut Budget,
}

impl Input<'_> {
    fn take(&mut self, count: usize, size: u64, what: &str) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size);
        self.budget.take(bytes, what)
    }

    fn number(&mut self, kind: Kind) -> Result<f64> {
        if self.encoding == Encoding::Text {
            self.bytes = self.bytes.trim_ascii_start();
            let end = self.bytes.iter().position(u8::is_ascii_whitespace).unwrap_or(self.bytes.len());
            let (word, rest) = self.bytes.split_at(end);
            self.bytes = rest;
            if word.is_empty() {
                return Err(Error::unreadable("expected a number, found the end of the file"));
            }
            let text = std::str::from_utf8(word)
                .map_err(|_| Error::unreadable("expected a number, found bytes that are not UTF-8"))?;
            return text.parse().map_err(|_| Error::unreadable(format!("expected a number, found {text:?}")));
        }
        let big = self.encoding == Encoding::Big;
        macro_rules! take {
            ($kind:ty) => {{
                let (first, rest) = self
                    .bytes
                    .split_first_chunk()
                    .ok_or_else(|| Error::unreadable("the file ends in the middle of its data"))?;
                self.bytes = rest;
                f64::from(if big { <$kind>::from_be_bytes(*first) } else { <$kind>::from_le_bytes(*first) })
            }};
        }
        Ok(match kind {
            Kind::I8 => take!(i8),
            Kind::U8 => take!(u8),
            Kind::I16 => take!(i16),
            Kind::U16 => take!(u16),
            Kind::I32 => take!(i32),
            Kind::U32 => take!(u32),
            Kind::F32 => take!(f32),
            Kind::F64 => take!(f64),
        })
    }

    /// Reads a property of the element with an index.
    fn property(
        &mut self,
        element: &Element,
        index: usize,
        property: &Property,
        with: impl FnMut(f64),
    ) -> Result<()> {
        let path = || format!("{}[{index}].{}", element.name, property.name);
        self.numbers(property, with).map_err(|error| error.at(path()))
    }

    fn numbers(&mut self, property: &Property, mut with: impl FnMut(f64)) -> Result<()> {
        let count = match property.count {
            Some(kind) => {
                let count = self.number(kind)?;
                if count < 0.0 || count.fract() != 0.0 {
                    return Err(Error::unreadable(format!("expected a list size (0, 1, …), found {count}")));
                }
                let count = count as usize;
                if count > self.bytes.len() {
                    return Err(Error::unreadable(format!(
                        "the list declares more numbers ({count}) than the remaining {} can contain",
                        Counted::new(self.bytes.len(), "bytes")
                    )));
                }
                if property.is_corners() {
                    // A face of n corners becomes n - 2 triangles, in a list whose capacity doubles.
                    self.take(count, 12 * 3, "the triangles of the mesh")?;
                }
                count
            }
            None => 1,
        };
        for _ in 0..count {
            with(self.number(property.kind)?);
        }
        Ok(())
    }
}

/// The column of a vertex property, and its component in the column.
fn column(name: &str) -> Option<(usize, usize)> {
    Some(match name {
        "x" => (0, 0),
        "y" => (0, 1),
        "z" => (0, 2),
        "nx" => (1, 0),
        "ny" => (1, 1),
        "nz" => (1, 2),
        "s" | "u" | "texture_u" => (2, 0),
        "t" | "v" | "texture_v" => (2, 1),
        "red" | "r" => (3, 0),
        "green" | "g" => (3, 1),
        "blue" | "b" => (3, 2),
        "alpha" | "a" => (3, 3),
        _ => return None,
    })
}

fn vertices(
    input: &mut Input<'_>,
    element: &Element,
    mesh: &mut TriMesh,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    // Of several properties for one component, the first is used.
    let mut used = HashSet::new();
    let mut first = |property: &Property| {
        column(&property.name).filter(|column| property.count.is_none() && used.insert(*column))
    };
    let mut columns: Vec<_> = element.properties.iter().map(&mut first).collect();
    // A column needs all its components except for the transparency.
    let lacking =
        [("normals", 1, 3), ("texture coordinates", 2, 2), ("colours", 3, 3)].map(|(what, column, size)| {
            (what, column, (0..size).any(|part| !columns.contains(&Some((column, part)))))
        });
    for (property, column) in element.properties.iter().zip(&mut columns) {
        let of = column.and_then(|(of, _)| lacking.iter().find(|(_, column, lacks)| *column == of && *lacks));
        let what = match of {
            Some((what, ..)) => format!("{what} with a missing component"),
            None if column.is_none() => "an unsupported or repeated property".to_owned(),
            None => continue,
        };
        *column = None;
        input
            .budget
            .lose(losses, Loss::new(format!("vertex.{}", property.name), what).id("ply.other-data"))?;
    }
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        if !columns.contains(&Some((0, axis))) {
            return Err(Error::unreadable(format!("the element \"vertex\" has no property {name:?}")));
        }
    }
    let has = |column: usize| columns.iter().flatten().any(|&(other, _)| other == column);
    let (normals, uvs, colors) = (has(1), has(2), has(3));
    // The bytes of a position, a normal, a texture coordinate and a colour.
    input.take(element.count, 40, "the vertices of the mesh")?;
    mesh.positions.reserve_exact(element.count);
    mesh.normals.reserve_exact(if normals { element.count } else { 0 });
    mesh.uvs.reserve_exact(if uvs { element.count } else { 0 });
    mesh.colors.reserve_exact(if colors { element.count } else { 0 });
    let mut clamped = 0;
    for index in 0..element.count {
        let mut row = [[0.0; 4], [0.0; 4], [0.0; 4], [1.0; 4]];
        for (property, column) in element.properties.iter().zip(&columns) {
            let full = property.kind.full();
            input.property(element, index, property, |number| {
                if let &Some((column, component)) = column {
                    row[column][component] = if column == 3 { number / full } else { number };
                }
            })?;
        }
        let three = |row: [f64; 4]| -> geom::Vec3 { [row[0] as f32, row[1] as f32, row[2] as f32].into() };
        mesh.positions.push(three(row[0]));
        if normals {
            mesh.normals.push(three(row[1]));
        }
        if uvs {
            mesh.uvs.push([row[2][0] as f32, (1.0 - row[2][1]) as f32].into());
        }
        if colors {
            clamped += usize::from(!row[3].iter().all(|value| (0.0..=1.0).contains(value)));
            // PLY does not say it; MeshLab and Blender store sRGB.
            let srgb = geom::Rgba8::from(row[3].map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8));
            mesh.colors.push(srgb.to_linear());
        }
    }
    Loss::approximated("vertex", CLAMPED).id("mesh.clamped-colors").times(clamped).count_in(losses);
    Ok(())
}

/// Reads the faces as fans of triangles; returns the triangles of each face of more than three corners.
fn faces(
    input: &mut Input<'_>,
    element: &Element,
    mesh: &mut TriMesh,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Range<usize>>> {
    // Of several lists of corners, the first is used.
    let corners = element.properties.iter().position(Property::is_corners);
    let others = element.properties.iter().enumerate().filter(|(index, _)| Some(*index) != corners);
    for (_, property) in others {
        let loss = Loss::new(format!("face.{}", property.name), "an unsupported or repeated property")
            .id("ply.other-data");
        input.budget.lose(losses, loss)?;
    }
    let (mut small, mut polygons) = (0, Vec::new());
    for at in 0..element.count {
        for (number, property) in element.properties.iter().enumerate() {
            let wanted = Some(number) == corners;
            let (mut corners, before) = ((None, None), mesh.triangles.len());
            input.property(element, at, property, |number| {
                // Invalid vertex indices are refused at the end.
                let is_index = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
                let index = if is_index { number as u32 } else { u32::MAX };
                match corners {
                    _ if !wanted => {}
                    (None, _) => corners.0 = Some(index),
                    (_, None) => corners.1 = Some(index),
                    (Some(first), Some(last)) => {
                        mesh.triangles.push([first, last, index]);
                        corners.1 = Some(index);
                    }
                }
            })?;
            small += usize::from(wanted && mesh.triangles.len() == before);
            if mesh.triangles.len() > before + 1 {
                grow::push(&mut polygons, before..mesh.triangles.len(), input.budget)?;
            }
        }
    }
    if small > 0 {
        losses.push(
            Loss::new("face", "a face with fewer than three corners").id("mesh.small-polygons").times(small),
        );
    }
    Ok(polygons)
}

/// Writes all triangles of a scene at rest as binary PLY, with normals, texture coordinates and colours if
/// the scene has any. Materials, skins and animations have no counterpart and are listed as losses.
///
/// # Errors
/// If the budget does not suffice.
fn to_vec(scene: &Scene, budget: &mut Budget) -> Result<(Vec<u8>, Vec<Loss>)> {
    let mut losses = scene.losses_but(KEEPS);
    let filled = [(Feature::Normals, "0, 0, 0"), (Feature::Uvs, "0, 0"), (Feature::Colors, "white")];
    losses.extend(scene.filled_columns(&filled));
    let mut mesh = TriMesh::default();
    for primitive in scene.flattened(budget)? {
        super::pose::append(&mut mesh, &primitive.mesh);
    }
    let mut text = String::from("ply\nformat binary_little_endian 1.0\n");
    let _infallible = writeln!(text, "element vertex {}", mesh.positions.len());
    text.push_str("property float x\nproperty float y\nproperty float z\n");
    if !mesh.normals.is_empty() {
        text.push_str("property float nx\nproperty float ny\nproperty float nz\n");
    }
    if !mesh.uvs.is_empty() {
        text.push_str("property float s\nproperty float t\n");
    }
    if !mesh.colors.is_empty() {
        text.push_str(
            "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n",
        );
    }
    let _infallible = writeln!(text, "element face {}", mesh.triangles.len());
    text.push_str("property list uchar uint vertex_indices\nend_header\n");
    let columns = [(!mesh.normals.is_empty(), 12), (!mesh.uvs.is_empty(), 8), (!mesh.colors.is_empty(), 4)];
    let vertex: usize = 12 + columns.iter().filter(|(has, _)| *has).map(|(_, size)| size).sum::<usize>();
    budget.take((vertex * mesh.positions.len() + 13 * mesh.triangles.len()) as u64, "the PLY file")?;
    let mut bytes = text.into_bytes();
    let floats = |bytes: &mut Vec<u8>, values: &[f32]| {
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    };
    for (index, point) in mesh.positions.iter().enumerate() {
        floats(&mut bytes, &point.to_array());
        if let Some(normal) = mesh.normals.get(index) {
            floats(&mut bytes, &normal.to_array());
        }
        if let Some([u, v]) = mesh.uvs.get(index).map(|uv| uv.to_array()) {
            floats(&mut bytes, &[u, 1.0 - v]);
        }
        if let Some(color) = mesh.colors.get(index) {
            bytes.extend(color.to_srgb().to_array());
        }
    }
    for triangle in &mesh.triangles {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|index| index.to_le_bytes()));
    }
    Ok((bytes, losses))
}
