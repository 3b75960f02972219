//! Reads OBJ: each line is a statement, and indices count the elements from the beginning of the file.

use std::collections::HashMap;
use std::str;

use geom::{LinearRgba, Rgba8, TriMesh, Vec2, Vec3};
use rezkit_core::{Budget, Error, Loss, Result};

use super::library::Library;
use super::statements::{LeftOut, decoded, expected, numbers, statements, words};
use crate::forms::{Beside, CLAMPED};
use crate::grow::{self, push};
use crate::model::{Mesh, Node, Primitive, Scene};
use crate::polygon::Cutter;

/// A vertex of a face: the indices of its position, texture coordinates and normal, or [`MISSING`].
type Corner = [u32; 3];
const MISSING: u32 = u32::MAX;

/// The material name that is written for faces without a material if they follow faces with one.
pub(super) const NO_MATERIAL: &str = "(null)";

/// Reads a scene with a node for each object and group that has faces, and a primitive for each of its materials.
/// `resolve` returns the content of a material library or an image by its name relative to the file. Points, lines,
/// curves and surfaces are listed as losses.
///
/// # Errors
/// If a line cannot be read (the error has its number), or the scene needs more memory than the budget allows.
pub fn from_slice(bytes: &[u8], budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    let joined;
    let bytes = match memchr::memmem::find(bytes, b"\\\n").or_else(|| memchr::memmem::find(bytes, b"\\\r\n"))
    {
        Some(_) => {
            budget.take(bytes.len() as u64, "the lines of the OBJ file")?;
            joined = continued(bytes);
            &joined[..]
        }
        None => bytes,
    };
    let mut losses = Vec::new();
    let text = decoded(bytes, "", budget, &mut losses)?;
    let mut reader = Reader {
        library: Library::default(),
        budget,
        scene: Scene::default(),
        positions: Vec::new(),
        colors: Vec::new(),
        uvs: Vec::new(),
        normals: Vec::new(),
        corners: Vec::new(),
        cutter: Cutter::default(),
        object: Object::default(),
        material: None,
        is_smooth: false,
        left_out: LeftOut::default(),
        white: 0,
        clamped: 0,
    };
    let (mut known, mut other) = (0_usize, None);
    for (line, key, rest) in statements(&text) {
        let at_line = |error: Error| match error.kind() {
            rezkit_core::ErrorKind::Unreadable => Error::unreadable(format!("line {line}: {error}")),
            _ => error,
        };
        let is_known = match key {
            b"mtllib" => {
                reader.libraries(rest, resolve, &mut losses)?;
                true
            }
            _ => reader.statement(line, key, rest).map_err(at_line)?,
        };
        known += usize::from(is_known);
        if !is_known {
            other.get_or_insert((line, key));
            reader.left_out.statement(key, false, line);
        }
    }
    if let (0, Some((line, key))) = (known, other) {
        let error = expected("an OBJ statement such as \"v\" or \"f\"", key);
        return Err(Error::unreadable(format!("line {line}: {error}")));
    }
    reader.end_object(b"")?;
    let Reader { mut scene, library, left_out, white, clamped, .. } = reader;
    if white > 0 {
        let what = format!(
            "white for vertices without a colour, in meshes with vertex colours (number of vertices: {white})"
        );
        losses.push(Loss::filled_in("meshes", what).id("mesh.white-vertices"));
    }
    Loss::approximated("meshes", CLAMPED).id("mesh.clamped-colors").times(clamped).count_in(&mut losses);
    library.finish(&mut scene, &mut losses);
    losses.extend(left_out.losses(""));
    Ok((scene, losses))
}

/// The text with continued lines joined: a backslash at the end of a line becomes a space. The line ends follow the
/// joined line, so that the numbers of the lines after it do not change.
fn continued(bytes: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(bytes.len());
    let mut ends = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.trim_ascii_end().strip_suffix(b"\\") {
            Some(text) if line.ends_with(b"\n") => {
                joined.extend(text);
                joined.push(b' ');
                ends += 1;
            }
            _ => {
                joined.extend(line);
                joined.resize(joined.len() + std::mem::take(&mut ends), b'\n');
            }
        }
    }
    joined
}

struct Reader<'a> {
    budget: &'a mut Budget,
    scene: Scene,
    library: Library,
    positions: Vec<Vec3>,
    /// The colour of each position; empty until one has a colour.
    colors: Vec<Option<LinearRgba>>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    /// The vertices of the current face.
    corners: Vec<Corner>,
    cutter: Cutter,
    object: Object,
    material: Option<usize>,
    /// Whether the current faces are in a smoothing group.
    is_smooth: bool,
    left_out: LeftOut,
    /// The number of vertices without a colour in meshes with colours.
    white: usize,
    clamped: usize,
}

/// The current object or group, with its faces.
#[derive(Default)]
struct Object {
    name: String,
    /// The line of the name.
    line: usize,
    parts: Vec<Part>,
    /// The index of the part for a material, and for faces with or without texture coordinates and normals.
    index_of: HashMap<(Option<usize>, [bool; 2]), usize>,
}

#[derive(Default)]
struct Part {
    mesh: TriMesh,
    material: Option<usize>,
    index_of: HashMap<Corner, u32>,
    /// The number of vertices with a colour.
    colored: usize,
}

impl Reader<'_> {
    /// Reads a statement; returns whether its keyword is known.
    fn statement(&mut self, line: usize, key: &[u8], rest: &[u8]) -> Result<bool> {
        match key {
            b"v" => self.position(line, rest)?,
            b"vt" => {
                let ([u, v, w], _) = numbers::<3>(rest, 1)?;
                if w != 0.0 {
                    self.left_out.add("third (w) components of texture coordinates", line);
                }
                push(&mut self.uvs, [u, 1.0 - v].into(), self.budget)?;
            }
            b"vn" => push(&mut self.normals, numbers::<3>(rest, 3)?.0.into(), self.budget)?,
            b"f" | b"fo" => self.face(line, rest)?,
            b"l" => self.left_out.add("line elements", line),
            b"p" => self.left_out.add("point elements", line),
            b"o" | b"g" => {
                self.end_object(rest)?;
                self.budget.take(rest.len() as u64, "the names of the objects")?;
                self.object.name = String::from_utf8_lossy(rest).into_owned();
                self.object.line = line;
            }
            b"usemtl" => {
                self.material = match rest {
                    b"" => None,
                    rest if rest == NO_MATERIAL.as_bytes() => None,
                    name => Some(self.library.used(name, &mut self.scene, self.budget)?),
                };
            }
            b"s" => self.is_smooth = !matches!(rest, b"off" | b"0"),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn position(&mut self, line: usize, rest: &[u8]) -> Result<()> {
        let ([x, y, z, r, g, b, _], count) = numbers::<7>(rest, 3)?;
        let color = (count >= 6).then(|| Rgba8::from([r, g, b, 1.0].map(byte)).to_linear());
        let is_clamped = color.is_some() && ![r, g, b].iter().all(|part| (0.0..=1.0).contains(part));
        self.clamped += usize::from(is_clamped);
        match count {
            4 if r != 1.0 => self.left_out.add("weights (fourth numbers) in `v` statements", line),
            5 | 7 => self.left_out.add("extra numbers in `v` statements (expected 3, 4 or 6 numbers)", line),
            _ => {}
        }
        if color.is_some() || !self.colors.is_empty() {
            if self.colors.is_empty() && !self.positions.is_empty() {
                self.budget.take_values::<Option<LinearRgba>>(self.positions.len(), "the vertex colours")?;
                self.colors.resize(self.positions.len(), None);
            }
            push(&mut self.colors, color, self.budget)?;
        }
        push(&mut self.positions, [x, y, z].into(), self.budget)
    }

    fn face(&mut self, line: usize, rest: &[u8]) -> Result<()> {
        self.corners.clear();
        let counts = [("v", self.positions.len()), ("vt", self.uvs.len()), ("vn", self.normals.len())];
        for word in words(rest) {
            let mut corner = [MISSING; 3];
            for (at, text) in word.split(|&byte| byte == b'/').enumerate() {
                let (Some(index), Some(&count)) = (corner.get_mut(at), counts.get(at)) else {
                    return Err(expected("a face vertex such as 1, 1/2, 1//3 or 1/2/3", word));
                };
                if !text.is_empty() || at == 0 {
                    *index = resolved(text, count)
                        .ok_or_else(|| expected("a face vertex such as 1, 1/2, 1//3 or 1/2/3", word))??;
                }
            }
            push(&mut self.corners, corner, self.budget)?;
        }
        match self.corners.len() {
            0 => return Err(Error::unreadable("the face has no vertices")),
            1 => self.left_out.add("faces with one vertex", line),
            2 => self.left_out.add("faces with two vertices", line),
            _ => {}
        }
        if self.corners.len() < 3 {
            return Ok(());
        }
        let has = [1, 2].map(|at| self.corners.iter().all(|corner| corner[at] != MISSING));
        if self.is_smooth && !has[1] {
            self.left_out.add("smoothing groups of faces without normals", line);
        }
        for (at, what) in [(1, "texture coordinates"), (2, "normals")] {
            if !has[at - 1] && self.corners.iter().any(|corner| corner[at] != MISSING) {
                self.left_out.add(&format!("{what} of faces in which not every corner has them"), line);
            }
        }
        self.triangles(has)
    }

    /// Adds the current face as triangles: a fan, unless this is wrong for its shape.
    fn triangles(&mut self, [has_uvs, has_normals]: [bool; 2]) -> Result<()> {
        let Object { parts, index_of, .. } = &mut self.object;
        let key = (self.material, [has_uvs, has_normals]);
        let at = match index_of.get(&key) {
            Some(&at) => at,
            None => {
                self.budget.take(size_of::<(Part, Primitive, TriMesh)>() as u64 + 1200, "a mesh")?;
                index_of.insert(key, parts.len());
                parts.push(Part { material: self.material, ..Part::default() });
                parts.len() - 1
            }
        };
        let Part { mesh, index_of, colored, .. } = &mut parts[at];
        let (mut first, mut last, before) = (None, None, mesh.triangles.len());
        for &[position, uv, normal] in &self.corners {
            let key =
                [position, if has_uvs { uv } else { MISSING }, if has_normals { normal } else { MISSING }];
            let new = mesh.positions.len();
            let index = grow::index_of(index_of, key, new, self.budget)?;
            if index as usize == new {
                push(&mut mesh.positions, self.positions[position as usize], self.budget)?;
                if has_uvs {
                    push(&mut mesh.uvs, self.uvs[uv as usize], self.budget)?;
                }
                if has_normals {
                    push(&mut mesh.normals, self.normals[normal as usize], self.budget)?;
                }
                if !self.colors.is_empty() {
                    let (color, others) = (self.colors[position as usize], mesh.positions.len() - 1);
                    *colored += usize::from(color.is_some());
                    if mesh.colors.len() < others {
                        self.budget.take_values::<LinearRgba>(others, "the vertex colours")?;
                        mesh.colors.resize(others, LinearRgba::WHITE);
                    }
                    push(&mut mesh.colors, color.unwrap_or(LinearRgba::WHITE), self.budget)?;
                }
            }
            match (first, last) {
                (None, _) => first = Some(index),
                (_, None) => last = Some(index),
                (Some(first), Some(before)) => {
                    push(&mut mesh.triangles, [first, before, index], self.budget)?;
                    last = Some(index);
                }
            }
        }
        self.cutter.cut(&mut mesh.triangles[before..], &mesh.positions, self.budget)
    }

    /// Adds the faces of the current object as a node; `next` is the name of the next object.
    fn end_object(&mut self, next: &[u8]) -> Result<()> {
        let Object { name, line, parts, .. } = std::mem::take(&mut self.object);
        if parts.is_empty() {
            // The name of the default group, and a name that follows again, are no loss.
            if !matches!(&*name, "" | "default") && name.as_bytes() != next {
                self.left_out.add("names of objects and groups without faces", line);
            }
            return Ok(());
        }
        self.budget.take(size_of::<(Node, Mesh)>() as u64 * 3 + 2 * name.len() as u64, "the objects")?;
        let primitives = parts.into_iter().map(|mut part| {
            match part.colored {
                0 => part.mesh.colors = Vec::new(),
                colored => self.white += part.mesh.positions.len() - colored,
            }
            Primitive::new(part.mesh, part.material)
        });
        let mesh = Mesh { name: name.clone(), primitives: primitives.collect(), ..Mesh::default() };
        let mesh = self.scene.add_mesh(mesh);
        self.scene.add_node(None, Node { name, mesh: Some(mesh), ..Node::default() });
        Ok(())
    }

    /// Reads the libraries that a statement names: several if every word ends with `.mtl`, otherwise one.
    fn libraries(&mut self, rest: &[u8], resolve: &mut Beside<'_>, losses: &mut Vec<Loss>) -> Result<()> {
        let words = || rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let ends = |word: &[u8]| {
            word.split_last_chunk::<4>()
                .is_some_and(|(name, end)| !name.is_empty() && end.eq_ignore_ascii_case(b".mtl"))
        };
        let mut read = |name| self.library.read(name, &mut self.scene, self.budget, resolve, losses);
        match words().all(ends) {
            true => words().try_for_each(read),
            false => read(rest),
        }
    }
}

/// The index that a text states: a positive number counts from the first element, 1; a negative one from the last, -1.
/// `None` if the text is not a number.
fn resolved(text: &[u8], (key, count): (&str, usize)) -> Option<Result<u32>> {
    let number: i64 = str::from_utf8(text).ok()?.parse().ok()?;
    let index = match number {
        1.. => usize::try_from(number - 1).ok(),
        0 => None,
        ..0 => usize::try_from(number.unsigned_abs()).ok().and_then(|back| count.checked_sub(back)),
    };
    let index = index.filter(|&index| index < count).and_then(|index| u32::try_from(index).ok());
    Some(index.ok_or_else(|| {
        Error::unreadable(format!(
            "index {number} is out of range (the first is 1; number of `{key}` statements before this line: {count})"
        ))
    }))
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}
