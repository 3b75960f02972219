//! Meshes and the skins that deform them.

use std::collections::BTreeMap;
use std::sync::Arc;

use geom::{TriMesh, Vec2, Vec3};

/// A mesh: triangles, with one primitive per material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Mesh {
    /// The name; empty if it has no name.
    pub name: String,
    /// The primitives.
    pub primitives: Vec<Primitive>,
    /// The weights of the morph targets, for nodes that have no weights themselves; empty if all are 0.
    pub weights: Vec<f32>,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Primitive {
    /// The columns of the vertices, and the triangles. Joints are indices of [`Skin::joints`]. Primitives that differ
    /// only in their material share this mesh.
    #[serde(serialize_with = "shared")]
    pub mesh: Arc<TriMesh>,
    /// The sets of texture coordinates from set 1 on; set 0 is in `mesh`. Each has one coordinate per vertex, or is
    /// empty if it is missing.
    pub more_uvs: Vec<Vec<Vec2>>,
    /// The material; `None` for the default material.
    pub material: Option<usize>,
    /// Morph targets, which move the vertices.
    pub targets: Vec<MorphTarget>,
}

impl Primitive {
    /// Triangles with a material, without morph targets.
    pub fn new(mesh: impl Into<Arc<TriMesh>>, material: Option<usize>) -> Self {
        Self { mesh: mesh.into(), material, ..Self::default() }
    }

    /// A set of texture coordinates, one per vertex; empty if the mesh lacks it.
    pub fn uvs(&self, set: usize) -> &[Vec2] {
        match set.checked_sub(1) {
            None => &self.mesh.uvs,
            Some(more) => self.more_uvs.get(more).map_or(&[], Vec::as_slice),
        }
    }
}

fn shared<S: serde::Serializer>(mesh: &Arc<TriMesh>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&**mesh, serializer)
}

/// A morph target: the values added to the vertices at weight 1, one per vertex. A column that the target does not
/// change is empty.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct MorphTarget {
    /// The name; empty if it has no name.
    pub name: String,
    /// Added to positions.
    pub positions: Vec<Vec3>,
    /// Added to normals.
    pub normals: Vec<Vec3>,
    /// Added to x, y and z of tangents; the sign does not change.
    pub tangents: Vec<Vec3>,
}

/// The joints that deform a mesh.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Skin {
    /// The name; empty if it has no name.
    pub name: String,
    /// The nodes that are the joints; the joints of vertices are indices of this list.
    pub joints: Vec<usize>,
    /// For each joint, the matrix from the mesh to the joint when the mesh was bound, as four columns.
    pub inverse_bind: Vec<[[f32; 4]; 4]>,
}
