//! STL: triangles that do not share vertices, binary or text.
//!
//! STL specifies neither axes nor units: coordinates are taken unchanged.

use crate::features::Feature;
use crate::forms::{SceneReader, SceneWriter, unmarked};
use rezkit_core::{Counted, Error, Result};
use std::collections::HashMap;

use geom::TriMesh;

use crate::grow;
use crate::model::{Mesh, Node, Primitive, Scene};
use rezkit_core::Budget;
use rezkit_core::Loss;

/// The features of a scene that the format keeps.
const KEEPS: &[Feature] = &[Feature::Size];

/// Writes binary STL.
pub static WRITER: SceneWriter = SceneWriter {
    has_levels: false,
    ..SceneWriter::of_meshes(KEEPS, |scene, writing| {
        let (bytes, losses) = to_vec(scene, &mut writing.budget)?;
        writing.losses.extend(losses);
        Ok(bytes)
    })
};

/// Reads STL, binary or text.
pub static READER: SceneReader = SceneReader(|reading| {
    let (scene, losses) = from_slice(reading.bytes, reading.budget)?;
    reading.losses.extend(losses);
    Ok(scene)
});

/// The size of the header of binary STL: 80 bytes of any content, and the number of triangles.
const HEADER: usize = 84;
/// The size of a triangle in binary STL: its normal, its corners, and two bytes without a common meaning.
const TRIANGLE: usize = 50;

/// Reads a scene with a mesh for each solid. Equal positions become one vertex. Normals are not kept, because they
/// follow from the triangles. Other data of binary STL is listed as a loss.
///
/// # Errors
/// If this is not an STL file, it ends too early, or the budget does not suffice.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<(Scene, Vec<Loss>)> {
    let count =
        bytes.get(80..HEADER).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let size = count.map(|count| u64::from(count) * TRIANGLE as u64 + HEADER as u64);
    // Some binary files begin with this word, too: then no facet follows, or the file has the declared size.
    let begins = Words { rest: unmarked(bytes), line: 1 };
    let has_size = size.is_some_and(|size| match begins.has_facets() {
        true => size == bytes.len() as u64,
        false => size <= bytes.len() as u64,
    });
    let is_text =
        begins.rest.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
            && !has_size;
    let mut scene = Scene::default();
    let mut losses = Vec::new();
    if is_text {
        text(begins, &mut scene, budget)?;
        return Ok((scene, losses));
    }
    let Some(size) = size else {
        let what = "expected the header of binary STL (84 bytes) or the word \"solid\", found";
        return Err(Error::unreadable(format!("{what} {}", Counted::new(bytes.len(), "bytes"))));
    };
    let Some(triangles) = bytes.get(HEADER..usize::try_from(size).unwrap_or(usize::MAX)) else {
        let count = count.unwrap_or_default();
        return Err(Error::unreadable(format!(
            "the header declares {} of {TRIANGLE} bytes, but only {} it: the file is incomplete, or is not binary \
             STL (a text STL file begins with \"solid\")",
            Counted::new(count as usize, "triangles"),
            Counted::new(bytes.len() - HEADER, "bytes follow")
        )));
    };
    let mut solid = Solid::default();
    let mut numbers = 0;
    for triangle in triangles.as_chunks::<TRIANGLE>().0 {
        let float = |at: usize| {
            f32::from_le_bytes([triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]])
        };
        let corner = |at: usize| [float(at), float(at + 4), float(at + 8)];
        solid.add([corner(12), corner(24), corner(36)], budget)?;
        numbers += usize::from(triangle[48..] != [0, 0]);
    }
    if numbers > 0 {
        let what = "attribute bytes of triangles, in which some programs store colours";
        losses.push(Loss::new("triangles", what).id("stl.attributes").times(numbers));
    }
    let after = bytes.len() - HEADER - triangles.len();
    if after > 0 {
        losses.push(Loss::new("", format!("bytes after the last triangle: {after}")).id("file.extra-bytes"));
    }
    solid.place("", &mut scene);
    Ok((scene, losses))
}

/// The triangles of a mesh so far.
#[derive(Default)]
struct Solid {
    mesh: TriMesh,
    index_of: HashMap<[u32; 3], u32>,
}

impl Solid {
    fn add(&mut self, corners: [[f32; 3]; 3], budget: &mut Budget) -> Result<()> {
        let mut triangle = [0; 3];
        for (index, corner) in triangle.iter_mut().zip(corners) {
            // Adding 0 turns -0 into 0.
            let key = corner.map(|part| (part + 0.0).to_bits());
            let new = self.mesh.positions.len();
            *index = grow::index_of(&mut self.index_of, key, new, budget)?;
            if *index as usize == new {
                grow::push(&mut self.mesh.positions, corner.into(), budget)?;
            }
        }
        grow::push(&mut self.mesh.triangles, triangle, budget)
    }

    fn place(self, name: &str, scene: &mut Scene) {
        let primitives = vec![Primitive { mesh: self.mesh.into(), ..Primitive::default() }];
        let mesh = scene.add_mesh(Mesh { name: name.to_owned(), primitives, ..Mesh::default() });
        scene.add_node(None, Node { name: name.to_owned(), mesh: Some(mesh), ..Node::default() });
    }
}

/// The words of text STL, and the number of the current line.
#[derive(Clone, Copy)]
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> &'a [u8] {
        let blank = self.rest.len() - self.rest.trim_ascii_start().len();
        self.line += self.rest[..blank].iter().filter(|&&byte| byte == b'\n').count();
        let end =
            self.rest[blank..].iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len() - blank);
        let word = &self.rest[blank..blank + end];
        self.rest = &self.rest[blank + end..];
        word
    }

    /// The rest of the line.
    fn name(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name.trim_ascii()
    }

    /// Whether the word after the first line is one of text STL.
    fn has_facets(mut self) -> bool {
        self.next();
        self.name();
        let word = self.next();
        [&b"facet"[..], b"endsolid"].iter().any(|known| word.eq_ignore_ascii_case(known))
    }

    fn expected(&self, what: &str, found: &[u8]) -> Error {
        let shown = String::from_utf8_lossy(&found[..found.len().min(40)]).into_owned();
        let found = if found.is_empty() { "the end of the file".to_owned() } else { format!("{shown:?}") };
        Error::unreadable(format!("line {}: expected {what}, found {found}", self.line))
    }

    fn keywords(&mut self, words: &[&str]) -> Result<()> {
        words.iter().try_for_each(|word| {
            let found = self.next();
            match found.eq_ignore_ascii_case(word.as_bytes()) {
                true => Ok(()),
                false => Err(self.expected(&format!("{word:?}"), found)),
            }
        })
    }

    fn numbers(&mut self) -> Result<[f32; 3]> {
        let mut numbers = [0.0; 3];
        for number in &mut numbers {
            let word = self.next();
            let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
            *number = parsed.ok_or_else(|| self.expected("a number", word))?;
        }
        Ok(numbers)
    }
}

fn text(mut words: Words<'_>, scene: &mut Scene, budget: &mut Budget) -> Result<()> {
    loop {
        match words.next() {
            b"" => return Ok(()),
            word if word.eq_ignore_ascii_case(b"solid") => {}
            word => return Err(words.expected("\"solid\"", word)),
        }
        let name = words.name();
        // Invalid UTF-8 is replaced by three bytes.
        budget.take(size_of::<(Mesh, Node, Primitive)>() as u64 * 3 + 6 * name.len() as u64, "the solids")?;
        let name = String::from_utf8_lossy(name);
        let mut solid = Solid::default();
        loop {
            match words.next() {
                word if word.eq_ignore_ascii_case(b"facet") => {}
                word if word.eq_ignore_ascii_case(b"endsolid") => break,
                word => return Err(words.expected("\"facet\" or \"endsolid\"", word)),
            }
            words.keywords(&["normal"])?;
            words.numbers()?;
            words.keywords(&["outer", "loop"])?;
            let mut corners = [[0.0; 3]; 3];
            for corner in &mut corners {
                words.keywords(&["vertex"])?;
                *corner = words.numbers()?;
            }
            solid.add(corners, budget)?;
            words.keywords(&["endloop", "endfacet"])?;
        }
        words.name();
        solid.place(&name, scene);
    }
}

/// Writes all triangles of a scene as binary STL. Texture coordinates, colours, materials, skins and animations have no
/// counterpart and are listed as losses.
///
/// # Errors
/// If there are more triangles than 32 bits can count, or the file needs more memory than is left.
fn to_vec(scene: &Scene, budget: &mut Budget) -> Result<(Vec<u8>, Vec<Loss>)> {
    let losses = scene.losses_but(KEEPS);
    let mut bytes = vec![0; HEADER];
    let mut count = 0_u32;
    for primitive in scene.posed(&scene.pose()).flatten() {
        let mesh = &primitive.mesh;
        budget.take((mesh.triangles.len() * TRIANGLE) as u64, "the STL file")?;
        bytes.reserve(mesh.triangles.len() * TRIANGLE);
        for triangle in &mesh.triangles {
            let corners = triangle.map(|index| glam::Vec3::from(mesh.positions[index as usize].to_array()));
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            let vectors = [normal, corners[0], corners[1], corners[2]];
            bytes.extend(vectors.iter().flat_map(|vector| vector.to_array()).flat_map(f32::to_le_bytes));
            bytes.extend([0, 0]);
            count = count.checked_add(1).ok_or_else(|| {
                Error::unwritable("the scene has more than 4,294,967,295 triangles, the maximum of STL")
            })?;
        }
    }
    bytes[80..HEADER].copy_from_slice(&count.to_le_bytes());
    Ok((bytes, losses))
}
