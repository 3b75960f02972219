//! The triangle mesh through which the mesh formats meet.

use alloc::vec::Vec;

use crate::{Aabb, Rgba8, Vec2, Vec3};

/// An indexed triangle mesh, one column per attribute.
///
/// A column other than `positions` is empty where the mesh has no such attribute, and as long as
/// `positions` where it has; [`TriMesh::is_consistent`] says whether that holds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriMesh {
    /// One point per vertex.
    pub positions: Vec<Vec3>,
    /// One normal per vertex, or none.
    pub normals: Vec<Vec3>,
    /// One texture coordinate per vertex, or none; v grows downwards, as images are stored.
    pub uvs: Vec<Vec2>,
    /// One colour per vertex, or none.
    pub colors: Vec<Rgba8>,
    /// Three vertex indices per triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// The box around all positions, `None` without any.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.positions.iter().copied())
    }

    /// Whether each column is empty or complete and each index names a vertex.
    pub fn is_consistent(&self) -> bool {
        let n = self.positions.len();
        let fits = |len: usize| len == 0 || len == n;
        fits(self.normals.len())
            && fits(self.uvs.len())
            && fits(self.colors.len())
            && self.triangles.iter().flatten().all(|&i| (i as usize) < n)
    }
}
