//! Other vertices and faces in the order of indices of the old ones, with every column that goes with them.

use std::ops::Range;

use crate::model::Mesh;

/// Vertex k becomes the vertex that had the index `from[k]`. The faces stay as they are.
pub(crate) fn vertices(mesh: &mut Mesh, from: &[u32]) {
    // Every field is named: one that is added may be a column of the vertices.
    #[rustfmt::skip]
    let Mesh {
        vertices, envelopes, texture_w, layout,
        version: _, faces: _, lods: _, bones: _, subsets: _, facs: _, visibility: _,
    } = mesh;
    let old = vertices.len();
    column(vertices, old, from);
    column(envelopes, old, from);
    column(texture_w, old, from);
    column(&mut layout.texture_v, old, from);
    records(&mut layout.vertex_extra, old, from);
}

/// Face k becomes the face that had the index `from[k]`.
pub(crate) fn faces(mesh: &mut Mesh, from: &[u32]) {
    let old = mesh.faces.len();
    column(&mut mesh.faces, old, from);
    records(&mut mesh.layout.face_extra, old, from);
}

/// A column that does not have an entry for each record is left as it is.
fn column<T: Copy>(column: &mut Vec<T>, old: usize, from: &[u32]) {
    if column.len() == old {
        *column = from.iter().filter_map(|&index| column.get(index as usize).copied()).collect();
    }
}

fn records(bytes: &mut Vec<u8>, old: usize, from: &[u32]) {
    let size = bytes.len().checked_div(old).filter(|size| size * old == bytes.len());
    if let Some(size) = size.filter(|&size| size > 0) {
        let record = |&index: &u32| bytes.get(index as usize * size..)?.get(..size);
        *bytes = from.iter().filter_map(record).flatten().copied().collect();
    }
}

/// These faces alone, with the vertices that they use, in the order in which they use them. An index that
/// is out of range stays out of range.
pub(crate) fn keep(mesh: &mut Mesh, range: Range<usize>) {
    let index = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    faces(mesh, &(index(range.start)..index(range.end)).collect::<Vec<_>>());
    let mut new = vec![None; mesh.vertices.len()];
    let mut from = Vec::new();
    for corner in mesh.faces.iter_mut().flatten() {
        match new.get_mut(*corner as usize) {
            Some(new) => {
                *corner = *new.get_or_insert_with(|| {
                    from.push(*corner);
                    index(from.len() - 1)
                });
            }
            None => *corner = u32::MAX,
        }
    }
    vertices(mesh, &from);
}

fn is_sound(mesh: &Mesh, face: &[u32; 3]) -> bool {
    face.iter().all(|&index| (index as usize) < mesh.vertices.len())
}

/// How many faces have an index that is out of range, and the first of them.
pub(crate) fn out_of_range(mesh: &Mesh) -> Option<(usize, usize)> {
    let mut out = mesh.faces.iter().enumerate().filter(|(_, face)| !is_sound(mesh, face));
    let (first, _) = out.next()?;
    Some((1 + out.count(), first))
}

/// Leaves out the faces with an index that is out of range.
pub(crate) fn sound_faces(mesh: &mut Mesh) {
    let kept: Vec<u32> =
        (0..).zip(&mesh.faces).filter(|(_, face)| is_sound(mesh, face)).map(|(index, _)| index).collect();
    faces(mesh, &kept);
}

/// Gives every corner of a face a vertex of its own, in the order of the faces, which have no index that is
/// out of range.
pub(crate) fn soup(mesh: &mut Mesh) {
    let corners: Vec<u32> = mesh.faces.iter().flatten().copied().collect();
    vertices(mesh, &corners);
    for (corner, index) in mesh.faces.iter_mut().flatten().zip(0..) {
        *corner = index;
    }
}
