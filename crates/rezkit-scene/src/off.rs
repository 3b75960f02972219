//! OFF (Geomview's Object File Format), as text.
//!
//! OFF specifies neither axes nor units: coordinates are taken unchanged. In texture coordinates, v grows upwards, so
//! reading flips it. Sources: the page "OFF Files" of Geomview's manual, and files of the ModelNet data set, which
//! have the counts directly after `OFF`.

use std::collections::HashMap;
use std::fmt::Write as _;

use geom::{Rgba8, TriMesh};

use crate::features::Feature;
use crate::forms::{CLAMPED, SceneReader, SceneWriter, unmarked};
use crate::grow;
use crate::model::{Mesh, Node, Primitive, Scene};
use rezkit_core::{Budget, Error, Loss, Result};

/// Writes OFF, or COFF if there are vertex colours.
pub static WRITER: SceneWriter = SceneWriter {
    has_levels: false,
    ..SceneWriter::of_meshes(&[Feature::Size, Feature::Colors, Feature::ColorAlpha], |scene, writing| {
        let (text, losses) = to_string(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(text.into_bytes())
    })
};

/// Reads text OFF.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = from_slice(reading.bytes, reading.budget)?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// The data that vertices have besides positions, by the letters before `OFF`.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    uvs: bool,
    colors: bool,
    normals: bool,
}

/// The header at the beginning of a file, and the bytes after it.
fn header(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let mut header = Header::default();
    let mut rest = unmarked(bytes).trim_ascii_start();
    for (letters, has) in
        [(&b"ST"[..], &mut header.uvs), (b"C", &mut header.colors), (b"N", &mut header.normals)]
    {
        if let Some(after) = rest.strip_prefix(letters) {
            (*has, rest) = (true, after);
        }
    }
    let rest = rest.strip_prefix(b"OFF")?;
    let ends =
        rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_digit() || *byte == b'#');
    ends.then_some((header, rest))
}

/// Whether the bytes begin like an OFF file.
pub fn detect(bytes: &[u8]) -> bool {
    header(bytes).is_some()
}

/// The remaining lines, with their numbers; blank lines and comments are skipped.
struct Lines<'a> {
    rest: std::iter::Zip<std::ops::RangeFrom<usize>, std::str::Split<'a, char>>,
    /// The memory of the words of the last line.
    taken: u64,
}

impl<'a> Lines<'a> {
    /// The words of the next line; fails if there are fewer than `least`.
    fn numbers(&mut self, least: usize, what: &str, budget: &mut Budget) -> Result<Row<'a>> {
        let mut lines = self
            .rest
            .by_ref()
            .map(|(line, text)| (line, text.split('#').next().unwrap_or_default().split_ascii_whitespace()));
        let row = lines.find(|(_, words)| words.clone().next().is_some());
        let (line, words) =
            row.ok_or_else(|| Error::unreadable(format!("expected {what}, found the end of the file")))?;
        let count = words.clone().count();
        budget.give_back(std::mem::take(&mut self.taken));
        budget.take_values::<&str>(count, "the words of a line")?;
        self.taken = (count * size_of::<&str>()) as u64;
        let mut row = Row { line, words: Vec::with_capacity(count) };
        row.words.extend(words);
        match count >= least {
            true => Ok(row),
            false => {
                let found = row.words.join(" ");
                Err(row.wrong(&format!("expected at least {least} numbers for {what}, found {found:?}")))
            }
        }
    }
}

/// The words of a line.
struct Row<'a> {
    line: usize,
    words: Vec<&'a str>,
}

impl Row<'_> {
    fn wrong(&self, what: &str) -> Error {
        Error::unreadable(format!("line {}: {what}", self.line))
    }

    fn number<T: std::str::FromStr>(&self, index: usize) -> Result<T> {
        let Some(word) = self.words.get(index) else {
            return Err(self.wrong("expected a number, found the end of the line"));
        };
        word.parse().map_err(|_| {
            // A number that does not fit is one of an index or a count.
            let is_number = word.parse::<f64>().is_ok();
            let wanted = if is_number { "an integer from 0 to 4,294,967,295" } else { "a number" };
            self.wrong(&format!("expected {wanted}, found {word:?}"))
        })
    }

    fn numbers<const N: usize>(&self, first: usize) -> Result<[f32; N]> {
        let mut numbers = [0.0; N];
        for (index, number) in (first..).zip(&mut numbers) {
            *number = self.number(index)?;
        }
        Ok(numbers)
    }

    /// The colour in the three or four numbers from an index on: integers up to 255, or fractions up to 1. Counts it if a
    /// number is outside the range.
    fn color(&self, first: usize, clamped: &mut usize) -> Result<Rgba8> {
        let count = self.words.len().saturating_sub(first).clamp(3, 4);
        let full = if self.words[first..].iter().any(|word| word.contains('.')) { 1.0 } else { 255.0 };
        let mut color = [full; 4];
        for (index, part) in (first..).zip(&mut color[..count]) {
            *part = self.number::<f64>(index)?;
        }
        *clamped += usize::from(!color.iter().all(|part| (0.0..=full).contains(part)));
        Ok(color.map(|part| (part / full * 255.0).round() as u8).into())
    }
}

/// Reads a scene with one mesh. Larger faces become fans of triangles; faces of one or two vertices are listed as
/// losses. Colours of faces become colours of vertices: a vertex of faces with several colours is repeated for each.
///
/// # Errors
/// If a line cannot be read, the file ends too early, it is binary or has four dimensions, or the budget does not
/// suffice.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    let (header, body) = header(bytes).unwrap_or((Header::default(), unmarked(bytes)));
    if body.trim_ascii_start().starts_with(b"BINARY") {
        return Err(Error::unreadable("binary OFF is not supported: convert the file to text OFF"));
    }
    let text = std::str::from_utf8(body).map_err(|_| Error::unreadable("the file is not UTF-8 text"))?;
    let first = 1 + bytes[..bytes.len() - body.len()].iter().filter(|byte| **byte == b'\n').count();
    let mut lines = Lines { rest: (first..).zip(text.split('\n')), taken: 0 };
    let counts = lines.numbers(2, "the vertex and face counts", budget)?;
    let [vertices, faces] = [counts.number::<usize>(0)?, counts.number::<usize>(1)?];
    // A vertex takes at least three digits with separators, a face one.
    if vertices.saturating_mul(6).max(faces.saturating_mul(2)) > bytes.len() {
        let what = format!(
            "the counts (vertices: {vertices}, faces: {faces}) exceed what the file's {} bytes can contain",
            bytes.len()
        );
        return Err(counts.wrong(&what));
    }
    let mut losses = Vec::new();
    let mut mesh = TriMesh::default();
    let (mut more, mut clamped) = (0, 0);
    for _ in 0..vertices {
        let least = 3
            + 3 * usize::from(header.normals)
            + 3 * usize::from(header.colors)
            + 2 * usize::from(header.uvs);
        let mut row = lines.numbers(least, "a vertex", budget)?;
        grow::push(&mut mesh.positions, row.numbers(0)?.into(), budget)?;
        let mut next = 3;
        if header.normals {
            grow::push(&mut mesh.normals, row.numbers(next)?.into(), budget)?;
            next += 3;
        }
        if header.uvs {
            let at = row.words.len() - 2;
            let [u, v] = row.numbers(at)?;
            grow::push(&mut mesh.uvs, [u, 1.0 - v].into(), budget)?;
            row.words.truncate(at);
        }
        if header.colors {
            grow::push(&mut mesh.colors, row.color(next, &mut clamped)?, budget)?;
            next += 4;
        }
        more += usize::from(row.words.len() > next);
    }
    let (mut small, mut indexed, mut numbers, mut surplus) = (0, 0, 0, 0);
    let mut colored = Colored::default();
    for _ in 0..faces {
        let row = lines.numbers(1, "a face", budget)?;
        let corners: usize = row.number(0)?;
        let mut face = Vec::new();
        for index in 1..=corners.min(row.words.len()) {
            let corner: u32 = row.number(index)?;
            if corner as usize >= vertices {
                return Err(row.wrong(&format!(
                    "vertex index {corner} is out of range (number of vertices: {vertices})"
                )));
            }
            grow::push(&mut face, corner, budget)?;
        }
        match row.words.len() - 1 - corners.min(row.words.len() - 1) {
            1 => indexed += 1,
            2 => numbers += 1,
            count @ 3.. => {
                surplus += usize::from(count > 4);
                colored.paint(&mut mesh, &mut face, row.color(corners + 1, &mut clamped)?, budget)?;
            }
            _ => {}
        }
        small += usize::from(corners < 3);
        for pair in face.get(1..).unwrap_or_default().windows(2) {
            grow::push(&mut mesh.triangles, [face[0], pair[0], pair[1]], budget)?;
        }
    }
    for (count, path, what) in [
        (more, "vertices", "extra numbers on vertex lines, not declared by the header (OFF, COFF, …)"),
        (small, "faces", "a face with fewer than three corners"),
        (indexed, "faces", "colours that are indices into a colour map"),
        (surplus, "faces", "words after the four numbers of a colour"),
        (numbers, "faces", "two extra numbers after the corners of a face (a colour has one, three or four)"),
    ] {
        Loss::new(path, what).times(count).count_in(&mut losses);
    }
    Loss::approximated("colours", CLAMPED).times(clamped).count_in(&mut losses);
    let mut after =
        lines.rest.filter(|(_, text)| !text.split('#').next().unwrap_or_default().trim().is_empty());
    if let Some((line, _)) = after.next() {
        let loss = Loss::new(format!("line {line}"), "lines after the last face");
        losses.push(loss.times(1 + after.count()));
    }
    let mut scene = Scene::default();
    let primitives = vec![Primitive { mesh: mesh.into(), ..Primitive::default() }];
    let mesh = scene.add_mesh(Mesh { primitives, ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    Ok((scene, losses))
}

/// The vertices that got a colour from a face.
#[derive(Default)]
struct Colored {
    /// The vertex of the mesh for each vertex of the file and each colour.
    index_of: HashMap<(u32, [u8; 4]), u32>,
    /// For each vertex, whether a face has coloured it.
    painted: Vec<bool>,
}

impl Colored {
    fn paint(
        &mut self,
        mesh: &mut TriMesh,
        face: &mut [u32],
        color: Rgba8,
        budget: &mut Budget,
    ) -> Result<()> {
        if mesh.colors.is_empty() {
            budget.take_values::<Rgba8>(mesh.positions.len(), "the vertices of the mesh")?;
            mesh.colors.resize(mesh.positions.len(), Rgba8::from([255; 4]));
        }
        budget.take_values::<bool>(
            mesh.positions.len().saturating_sub(self.painted.len()),
            "the vertices of the mesh",
        )?;
        self.painted.resize(mesh.positions.len(), false);
        for corner in face {
            let old = *corner as usize;
            // The first colour uses the vertex itself.
            let new = if self.painted[old] { mesh.positions.len() } else { old };
            *corner = grow::index_of(&mut self.index_of, (*corner, color.to_array()), new, budget)?;
            if *corner as usize == mesh.positions.len() {
                let position = mesh.positions[old];
                grow::push(&mut mesh.positions, position, budget)?;
                grow::push(&mut mesh.colors, color, budget)?;
                if let Some(&normal) = mesh.normals.get(old) {
                    grow::push(&mut mesh.normals, normal, budget)?;
                }
                if let Some(&uv) = mesh.uvs.get(old) {
                    grow::push(&mut mesh.uvs, uv, budget)?;
                }
                grow::push(&mut self.painted, true, budget)?;
            } else if !self.painted[old] {
                (self.painted[old], mesh.colors[old]) = (true, color);
            }
        }
        Ok(())
    }
}

/// Writes all triangles of a scene at rest as OFF, or as COFF if the scene has vertex colours. Everything else is
/// listed as a loss.
///
/// # Errors
/// If the budget does not suffice.
fn to_string(scene: &Scene, budget: &mut Budget) -> Result<(String, Vec<Loss>)> {
    let mut losses = scene.losses_but(WRITER.keeps);
    losses.extend(scene.filled_columns(&[(Feature::Colors, "white")]));
    let mut mesh = TriMesh::default();
    for primitive in scene.flattened(budget)? {
        crate::pose::append(&mut mesh, &primitive.mesh);
    }
    let letter = if mesh.colors.is_empty() { "" } else { "C" };
    let mut text = format!("{letter}OFF\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
    // Charged line by line: numbers have up to 48 characters, but mostly few.
    let mut take = |bytes: usize| budget.take(bytes as u64, "the OFF file");
    for (index, point) in mesh.positions.iter().enumerate() {
        let [x, y, z] = point.to_array();
        let before = text.len();
        let _infallible = write!(text, "{x} {y} {z}");
        if let Some([r, g, b, a]) = mesh.colors.get(index).map(|color| color.to_array()) {
            let _infallible = write!(text, " {r} {g} {b} {a}");
        }
        text.push('\n');
        take(text.len() - before)?;
    }
    for [a, b, c] in &mesh.triangles {
        let before = text.len();
        let _infallible = writeln!(text, "3 {a} {b} {c}");
        take(text.len() - before)?;
    }
    Ok((text, losses))
}
