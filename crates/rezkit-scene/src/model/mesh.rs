//! Meshes and the skins that deform them.

use std::collections::BTreeMap;
use std::sync::Arc;

use geom::{TriMesh, Vec2, Vec3};

/// A mesh: triangles, a primitive for each material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Mesh {
    /// The name; empty if it has no name.
    pub name: String,
    /// The primitives.
    pub primitives: Vec<Primitive>,
    /// The weights of the morph targets if the node has no weights of its own; empty for zeros.
    pub weights: Vec<f32>,
    /// Properties without a counterpart in a scene, by name.
    pub extras: BTreeMap<String, serde_json::Value>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Primitive {
    /// Positions, other columns and triangles. Joints are indices of [`Skin::joints`]. Primitives that differ only
    /// in their material share it.
    #[serde(serialize_with = "shared")]
    pub mesh: Arc<TriMesh>,
    /// The texture coordinates after the mesh's own, which are set 0: set 1 and further, one coordinate per vertex
    /// each. An empty set is missing in the mesh.
    pub more_uvs: Vec<Vec<Vec2>>,
    /// The material; the default one if it is `None`.
    pub material: Option<usize>,
    /// Targets that move the vertices.
    pub targets: Vec<Target>,
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
pub struct Target {
    /// The name; empty if it has no name.
    pub name: String,
    /// Added to positions.
    pub positions: Vec<Vec3>,
    /// Added to normals.
    pub normals: Vec<Vec3>,
    /// Added to tangents, whose sign is unchanged.
    pub tangents: Vec<Vec3>,
}

/// The joints that deform a mesh.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Skin {
    /// The name; empty if it has no name.
    pub name: String,
    /// Nodes; joint indices of vertices are indices of this list.
    pub joints: Vec<usize>,
    /// From the mesh to each joint, as posed when the mesh was bound: matrices of four columns.
    pub inverse_bind: Vec<[[f32; 4]; 4]>,
}
