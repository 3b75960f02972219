//! Conversion from triangle meshes.

use geom::{Rgba8, TriMesh, Vec2, Vec3};

use crate::consts::Version;
use crate::model::{Bone, Mesh, Tangent, Vertex};
use crate::options::LodChoice;
use geom::wire::{Error, Problem, Refuse as _, Result};

impl Mesh {
    /// A mesh of version 2.00 from a triangle mesh. Absent columns become zero; absent colours become white.
    ///
    /// # Errors
    /// `InvalidArgument` if the columns do not fit together, or if there are joints, for which
    /// [`Mesh::from_skinned_tri_mesh`] takes the bones.
    pub fn from_tri_mesh(mesh: &TriMesh) -> Result<Self> {
        if !mesh.joints.is_empty() || !mesh.weights.is_empty() {
            let what = "the mesh has joints, but no bones were given (use Mesh::from_skinned_tri_mesh)";
            return Err(Error::invalid_argument("joints", what));
        }
        let count = mesh.positions.len();
        let columns = [
            ("normals", mesh.normals.len()),
            ("tangents", mesh.tangents.len()),
            ("uvs", mesh.uvs.len()),
            ("colors", mesh.colors.len()),
        ];
        for (path, len) in columns.into_iter().filter(|&(_, len)| len != 0) {
            Problem::length("entries", len, count).argument(path)?;
        }
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            if let Some(&vertex) = triangle.iter().find(|&&vertex| vertex as usize >= count) {
                return Err(Problem::reference("vertex", vertex, count))
                    .argument(format!("triangles[{index}]"));
            }
        }
        let vertex = |(index, &position): (usize, &Vec3)| Vertex {
            position,
            normal: mesh.normals.get(index).copied().unwrap_or_default(),
            uv: mesh.uvs.get(index).copied().unwrap_or(Vec2::new(0.0, 0.0)),
            tangent: mesh.tangents.get(index).map_or(Tangent::ABSENT, |tangent| {
                let direction = Vec3::new(tangent.x, tangent.y, tangent.z);
                let absent = direction.to_array() == [0.0; 3];
                if absent { Tangent::ABSENT } else { Tangent::encode(direction, tangent.w) }
            }),
            color: mesh.colors.get(index).map_or(Rgba8::WHITE, |color| color.to_srgb()),
        };
        Ok(Self {
            version: Version::V2_00,
            vertices: mesh.positions.iter().enumerate().map(vertex).collect(),
            faces: mesh.triangles.clone(),
            ..Self::default()
        })
    }

    /// A mesh of version 4.01 from a triangle mesh with joints and weights, and the bones that the joints refer to.
    /// Vertices may be reordered and duplicated.
    ///
    /// # Errors
    /// As [`Mesh::from_tri_mesh`] and [`Mesh::set_skin`].
    pub fn from_skinned_tri_mesh(mesh: &TriMesh, bones: Vec<Bone>) -> Result<Self> {
        let bare = TriMesh { joints: Vec::new(), weights: Vec::new(), ..mesh.clone() };
        let mut made = Self::from_tri_mesh(&bare)?.to_version(Version::V4_01, LodChoice::First).0;
        made.set_skin(&mesh.joints, &mesh.weights, bones)?;
        Ok(made)
    }
}
