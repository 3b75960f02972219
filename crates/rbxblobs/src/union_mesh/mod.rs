//! The visible meshes of unions. They can only be read, not written.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing))]

mod csgmdl;
mod deltas;
mod solid_mesh;

use std::ops::Range;

use geom::{TriMesh, Vec3};

use crate::bytes::{Bytes, Layout};
use geom::wire::Result;

/// The visible geometry of a union: the bytes of the properties `MeshData` and `MeshData2`, and those in a
/// `SolidMeshHolder`.
///
/// Positions are in studs, in the space of the part at its `InitialSize`: multiply each axis by size / `InitialSize`.
/// Triangles are counter-clockwise seen from outside. Normals of surfaces that were subtracted can point inwards.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct UnionMesh {
    /// The layout of the file.
    pub layout: UnionLayout,
    /// The triangles of all levels of detail one after the other, with normals, colours and, in `Csgmdl`, texture
    /// coordinates.
    pub mesh: TriMesh,
    /// The triangles of each level of detail, the finest first. Triangles of `mesh` in no level are not drawn.
    pub levels: Vec<Range<usize>>,
    /// In `Csgmdl`, for each vertex, the side of the part whose texture it has: 1 to 6 for right, top, back, left,
    /// bottom, front.
    pub sides: Vec<u8>,
    /// In `Csgmdl`, the tangent of each vertex.
    pub tangents: Vec<Vec3>,
}

/// The layout of a union's mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum UnionLayout {
    /// `CSGMDL` and its version: 2, 4 or 5.
    Csgmdl(u32),
    /// `SolidMesh`, since 2025.
    SolidMesh,
}

impl UnionMesh {
    /// The triangles of a level of detail, of which 0 is the finest; empty if there is no such level.
    pub fn triangles(&self, level: usize) -> &[[u32; 3]] {
        let range = self.levels.get(level).cloned().unwrap_or_default();
        self.mesh.triangles.get(range).unwrap_or_default()
    }

    /// The number of triangles that belong to no level of detail.
    pub fn unused_triangles(&self) -> usize {
        let used: usize = self.levels.iter().map(ExactSizeIterator::len).sum();
        self.mesh.triangles.len().saturating_sub(used)
    }

    /// The mesh of one level of detail, of which 0 is the finest, without the vertices that only other levels use.
    ///
    /// Needs no more memory than the dropped part, and four bytes per vertex.
    #[must_use]
    pub fn into_level(mut self, level: usize) -> TriMesh {
        let triangles = self.triangles(level).to_vec();
        let mut used = vec![false; self.mesh.positions.len()];
        for &corner in triangles.as_flattened() {
            if let Some(used) = used.get_mut(corner as usize) {
                *used = true;
            }
        }
        self.mesh.triangles = triangles;
        if used.iter().all(|&used| used) {
            return self.mesh;
        }
        let mut next = 0_u32;
        let index = |used: &bool| {
            let index = next;
            next = next.saturating_add(u32::from(*used));
            index
        };
        let indices: Vec<u32> = used.iter().map(index).collect();
        for corner in self.mesh.triangles.as_flattened_mut() {
            *corner = indices.get(*corner as usize).copied().unwrap_or_default();
        }
        fn keep<T>(values: &mut Vec<T>, used: &[bool]) {
            let mut used = used.iter();
            values.retain(|_| used.next().is_none_or(|&used| used));
        }
        keep(&mut self.mesh.positions, &used);
        keep(&mut self.mesh.normals, &used);
        keep(&mut self.mesh.uvs, &used);
        keep(&mut self.mesh.colors, &used);
        self.mesh
    }
}

impl Layout for UnionMesh {
    const NAME: &'static str = "union mesh";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        match bytes.peek() {
            [3, 1, ..] => solid_mesh::read(bytes),
            [b'C', b'S', b'G', b'K', ..] => {
                Err(bytes.unsupported("CSGK data (it contains only a key, and no geometry)"))
            }
            _ => csgmdl::read(bytes),
        }
    }
}
