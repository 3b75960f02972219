//! A part of a model.

use geom::{TriMesh, Vec2};

/// A part of a model: its triangles of one material. It becomes one face of the object, or several if it is too large.
///
/// Colours and tangents are not written: the viewer reads neither.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Positions, normals, texture coordinates (v downwards), joints and weights, and triangles.
    pub mesh: TriMesh,
    /// Second texture coordinates, v downwards: one per vertex, or empty.
    pub uvs1: Vec<Vec2>,
}

impl From<TriMesh> for Part {
    fn from(mesh: TriMesh) -> Self {
        Self { mesh, uvs1: Vec::new() }
    }
}
