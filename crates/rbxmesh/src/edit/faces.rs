//! Removes faces, with the vertices that only they use.

use crate::model::{Mesh, select};
use geom::wire::{Error, Result};

impl Mesh {
    /// Keeps the faces for which `keep` returns true, given their indices and vertices, and removes the others with the
    /// vertices that only they used. Levels of detail and subsets have the remaining faces; everything else stays.
    /// Returns the previous index of each vertex.
    ///
    /// ```
    /// # fn main() -> rbxmesh::Result<()> {
    /// use rbxmesh::Mesh;
    /// use rbxmesh::geom::{TriMesh, Vec3};
    ///
    /// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from).to_vec();
    /// let triangles = vec![[0, 1, 2], [0, 2, 3]];
    /// let mut mesh = Mesh::from_tri_mesh(&TriMesh { positions, triangles, ..Default::default() })?;
    /// let from = mesh.retain_faces(|_, face| face.contains(&3))?;
    /// assert_eq!((&*mesh.faces, &*from), (&[[0, 1, 2]][..], &[0, 2, 3][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the mesh has visibility flags, which belong to its faces in a way that is not known. The mesh
    /// is then unchanged.
    pub fn retain_faces(&mut self, mut keep: impl FnMut(usize, &[u32; 3]) -> bool) -> Result<Vec<u32>> {
        if self.visibility.is_some() {
            let what =
                "removing faces invalidates the visibility flags (set `Mesh::visibility` to `None` first)";
            return Err(Error::invalid_argument("visibility", what));
        }
        let is_kept: Vec<bool> = self.faces.iter().enumerate().map(|(at, face)| keep(at, face)).collect();
        let mut is_used = vec![false; self.vertices.len()];
        let mut is_unused = is_used.clone();
        for (face, &is_kept) in self.faces.iter().zip(&is_kept) {
            let marks = if is_kept { &mut is_used } else { &mut is_unused };
            for &corner in face {
                if let Some(mark) = marks.get_mut(corner as usize) {
                    *mark = true;
                }
            }
        }
        let stays: Vec<bool> =
            is_used.iter().zip(&is_unused).map(|(used, unused)| *used || !unused).collect();
        let (new_face, new_vertex) = (ranks(&is_kept), ranks(&stays));
        // What is beyond the list stays beyond it.
        let moved = |ranks: &[u32], index: u32| match ranks.get(index as usize) {
            Some(&rank) => rank,
            None => u32::MAX,
        };
        for offset in &mut self.lods.offsets {
            *offset = moved(&new_face, *offset);
        }
        for subset in &mut self.subsets {
            let range = |ranks: &[u32], begin: u32, len: u32| {
                let (begin, end) = (moved(ranks, begin), moved(ranks, begin.saturating_add(len)));
                (begin, end - begin)
            };
            (subset.faces_begin, subset.faces_len) = range(&new_face, subset.faces_begin, subset.faces_len);
            (subset.vertices_begin, subset.vertices_len) =
                range(&new_vertex, subset.vertices_begin, subset.vertices_len);
        }
        select::faces(self, &kept(&is_kept));
        for corner in self.faces.iter_mut().flatten() {
            *corner = moved(&new_vertex, *corner);
        }
        let from = kept(&stays);
        select::vertices(self, &from);
        Ok(from)
    }
}

/// The indices that are kept.
fn kept(is_kept: &[bool]) -> Vec<u32> {
    (0..).zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(index, _)| index).collect()
}

/// For each index, and for the end of the list, the number of kept ones before it.
fn ranks(is_kept: &[bool]) -> Vec<u32> {
    let before = is_kept.iter().scan(0, |count, &is_kept| {
        *count += u32::from(is_kept);
        Some(*count)
    });
    std::iter::once(0).chain(before).collect()
}
