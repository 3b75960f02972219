//! `SolidMesh`: positions, normals and colours, each with its own list of indices.

use std::collections::HashMap;

use geom::{LinearRgba, Rgba8, TriMesh, Vec3};

use super::{UnionLayout, UnionMesh, deltas};
use crate::bytes::Bytes;
use geom::wire::{Problem, Result};

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<UnionMesh> {
    if bytes.array()? != [3, 1] {
        return Err(bytes.unsupported("SolidMesh header (expected the bytes 03 01)"));
    }
    let size = bytes.u64()?;
    let same = bytes.u32()?;
    if size != same.into() || size != bytes.left() as u64 {
        let left = bytes.left();
        let what = format!(
            "expected {left} (the number of bytes after the header) as both sizes in the header, found {size} and \
             {same}"
        );
        return Err(bytes.invalid(what));
    }
    match &bytes.array()? {
        b"SolidMesh\0\0\0\0" => {}
        other => {
            let found = other.escape_ascii();
            return Err(
                bytes.invalid(format!("the header is followed by \"{found}\" (expected \"SolidMesh\")"))
            );
        }
    }
    let positions = array(bytes)?;
    let normals = array(bytes)?;
    let count = bytes.u64()?;
    let count = bytes.fits(count, 8)?;
    let mut uvs = bytes.vec(count)?;
    for _ in 0..count {
        uvs.push(bytes.floats::<2>()?.into());
    }
    let colors = array(bytes)?;
    let mut lists = [(); 4].map(|()| Vec::new());
    let kinds = ["position", "normal", "texture coordinate", "colour"];
    let lens = [positions.len(), normals.len(), uvs.len(), colors.len()];
    for ((list, kind), len) in lists.iter_mut().zip(kinds).zip(lens) {
        let count = bytes.u64()?;
        *list = deltas::read(bytes, count)?;
        if let Some(&index) = list.iter().find(|&&index| index as usize >= len) {
            return Err(bytes.invalid(Problem::reference(kind, index, len)));
        }
    }
    let [corners, ..] = lists.each_ref().map(Vec::len);
    if corners % 3 != 0 || lists.iter().any(|list| !list.is_empty() && list.len() != corners) {
        let counts = lists.each_ref().map(Vec::len);
        return Err(bytes.invalid(format!(
            "expected four index lists that are empty or have the same length (a multiple of 3), \
             found the lengths {counts:?}"
        )));
    }
    let (triangles, vertices) = join(bytes, &lists)?;
    let mut mesh = TriMesh { triangles, ..TriMesh::default() };
    mesh.positions = pick(bytes, &positions, &vertices, 0)?;
    mesh.normals = pick(bytes, &normals, &vertices, 1)?;
    mesh.uvs = pick(bytes, &uvs, &vertices, 2)?;
    let colors = pick(bytes, &colors, &vertices, 3)?;
    mesh.colors = bytes.vec(colors.len())?;
    mesh.colors.extend(colors.into_iter().map(color));
    let levels = std::iter::once(0..mesh.triangles.len()).collect();
    Ok(UnionMesh { layout: UnionLayout::SolidMesh, mesh, levels, sides: Vec::new(), tangents: Vec::new() })
}

/// Reads a count, then that number of points.
fn array(bytes: &mut Bytes<'_>) -> Result<Vec<Vec3>> {
    let count = bytes.u64()?;
    let count = bytes.fits(count, 12)?;
    bytes.points(count)
}

/// The index that a vertex has in each of the four lists of indices; 0 if the list is empty.
type Vertex = [u32; 4];

/// Makes the triangles, and a vertex for each distinct set of indices.
fn join(bytes: &mut Bytes<'_>, lists: &[Vec<u32>; 4]) -> Result<(Vec<[u32; 3]>, Vec<Vertex>)> {
    let [positions, ..] = lists;
    let mut triangles = bytes.vec(positions.len() / 3)?;
    let mut vertices = bytes.vec::<Vertex>(positions.len())?;
    // 48 bytes per entry, since a hash table keeps some space free.
    bytes.charge(positions.len().saturating_mul(48) as u64)?;
    let mut known = HashMap::with_capacity(positions.len());
    let mut corner = [0; 3];
    for index in 0..positions.len() {
        let vertex = lists.each_ref().map(|list| list.get(index).copied().unwrap_or(0));
        let next = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
        let number = *known.entry(vertex).or_insert(next);
        if number == next {
            vertices.push(vertex);
        }
        if let Some(corner) = corner.get_mut(index % 3) {
            *corner = number;
        }
        if index % 3 == 2 {
            triangles.push(corner);
        }
    }
    bytes.give_back(positions.len().saturating_mul(48) as u64);
    Ok((triangles, vertices))
}

/// The value of each vertex, from the values of an index list; empty if there are no values.
fn pick<T: Copy>(bytes: &mut Bytes<'_>, values: &[T], vertices: &[Vertex], list: usize) -> Result<Vec<T>> {
    let mut picked = bytes.vec(if values.is_empty() { 0 } else { vertices.len() })?;
    let value = |vertex: &Vertex| values.get(*vertex.get(list)? as usize).copied();
    picked.extend(vertices.iter().filter_map(value));
    Ok(picked)
}

/// The sRGB colour with these components, which are clamped to 0 to 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn color(color: Vec3) -> LinearRgba {
    let [r, g, b] = <[f32; 3]>::from(color).map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
    Rgba8 { r, g, b, a: 255 }.to_linear()
}
