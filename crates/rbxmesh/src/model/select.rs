//! Selects and reorders vertices and faces by their old index, together with all columns that belong to them.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::Mesh;
use crate::model::mesh::Per;

/// Vertex k becomes the old vertex `from[k]`. The faces do not change.
pub(crate) fn vertices(mesh: &mut Mesh, from: &[u32]) {
    let old = mesh.vertices.len();
    mesh.select(Per::Vertex, old, from);
    records(&mut mesh.layout.vertex_extra, old, from);
}

/// Face k becomes the old face `from[k]`.
pub(crate) fn faces(mesh: &mut Mesh, from: &[u32]) {
    let old = mesh.faces.len();
    mesh.select(Per::Face, old, from);
    records(&mut mesh.layout.face_extra, old, from);
}

fn records(bytes: &mut Vec<u8>, old: usize, from: &[u32]) {
    let size = bytes.len().checked_div(old).filter(|size| size * old == bytes.len());
    if let Some(size) = size.filter(|&size| size > 0) {
        let record = |&index: &u32| bytes.get(index as usize * size..)?.get(..size);
        *bytes = from.iter().filter_map(record).flatten().copied().collect();
    }
}

/// The vertices used by faces, in order of first use.
pub(crate) struct Used {
    /// The new index of each used vertex, if there are few faces; otherwise `new` has them.
    few: HashMap<u32, u32>,
    new: Vec<Option<u32>>,
    vertices: usize,
    /// The old index of each used vertex.
    pub(crate) from: Vec<u32>,
}

impl Used {
    /// No vertex so far, of a mesh of `vertices` vertices, for about `faces` faces.
    pub(crate) fn new(vertices: usize, faces: usize) -> Self {
        let new = if faces < vertices / 64 { Vec::new() } else { vec![None; vertices] };
        Self { few: HashMap::new(), new, vertices, from: Vec::new() }
    }

    /// The new index of a vertex. An index out of range becomes `u32::MAX`.
    pub(crate) fn index(&mut self, old: u32) -> u32 {
        if old as usize >= self.vertices {
            return u32::MAX;
        }
        let from = &mut self.from;
        let next = || {
            from.push(old);
            index(from.len() - 1)
        };
        match self.new.get_mut(old as usize) {
            Some(new) => *new.get_or_insert_with(next),
            None => *self.few.entry(old).or_insert_with(next),
        }
    }
}

fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Keeps only these faces and the vertices that they use, in order of first use. A vertex index out of range stays out
/// of range.
pub(crate) fn keep(mesh: &mut Mesh, range: Range<usize>) {
    faces(mesh, &(index(range.start)..index(range.end)).collect::<Vec<_>>());
    let mut used = Used::new(mesh.vertices.len(), mesh.faces.len());
    for corner in mesh.faces.iter_mut().flatten() {
        *corner = used.index(*corner);
    }
    vertices(mesh, &used.from);
}

pub(crate) fn is_sound(mesh: &Mesh, face: &[u32; 3]) -> bool {
    face.iter().all(|&index| (index as usize) < mesh.vertices.len())
}

/// The number of faces with a vertex index out of range, and the index of the first; `None` if all are in range.
pub(crate) fn out_of_range(mesh: &Mesh) -> Option<(usize, usize)> {
    let mut out = mesh.faces.iter().enumerate().filter(|(_, face)| !is_sound(mesh, face));
    let (first, _) = out.next()?;
    Some((1 + out.count(), first))
}

/// Drops the faces with a vertex index out of range.
pub(crate) fn sound_faces(mesh: &mut Mesh) {
    let kept: Vec<u32> =
        (0..).zip(&mesh.faces).filter(|(_, face)| is_sound(mesh, face)).map(|(index, _)| index).collect();
    faces(mesh, &kept);
}

/// Gives every corner of a face its own vertex, in the order of the faces. No index may be out of range.
pub(crate) fn soup(mesh: &mut Mesh) {
    let corners: Vec<u32> = mesh.faces.iter().flatten().copied().collect();
    vertices(mesh, &corners);
    for (corner, index) in mesh.faces.iter_mut().flatten().zip(0..) {
        *corner = index;
    }
}
