//! A level of detail and its faces.

use geom::{Aabb, TriMesh, Vec2, Vec3, Vec4};
use llsd::Map;

use super::domain::Domain;
use super::weights::VertexWeights;

/// The submeshes of a level of detail, or of `physics_mesh`.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Level {
    /// One per face of the object; each face has its own texture.
    pub submeshes: Vec<Submesh>,
    /// Header entries for this block other than offset and size: `hash`, or `mesh_triangles`.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

impl Level {
    /// The number of triangles of all submeshes.
    pub fn triangle_count(&self) -> usize {
        self.submeshes.iter().map(|submesh| submesh.triangles.len()).sum()
    }

    /// The number of vertices of all submeshes.
    pub fn vertex_count(&self) -> usize {
        self.submeshes.iter().map(|submesh| submesh.positions.len()).sum()
    }

    /// The box around all vertices, `None` without any.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.submeshes.iter().flat_map(Submesh::points))
    }

    /// All submeshes as one triangle mesh.
    ///
    /// A column is present if any submesh has it, with zeros for those that do not; otherwise as
    /// [`Submesh::to_tri_mesh`].
    pub fn to_tri_mesh(&self) -> TriMesh {
        let mut all = TriMesh::default();
        for submesh in &self.submeshes {
            let mesh = submesh.to_tri_mesh();
            // A column begins with the first submesh that has it.
            let before = all.positions.len();
            let Ok(first) = u32::try_from(before) else { break };
            all.positions.extend(mesh.positions);
            let after = all.positions.len();
            column(&mut all.normals, mesh.normals, before, after);
            column(&mut all.tangents, mesh.tangents, before, after);
            column(&mut all.uvs, mesh.uvs, before, after);
            column(&mut all.joints, mesh.joints, before, after);
            column(&mut all.weights, mesh.weights, before, after);
            all.triangles.extend(mesh.triangles.into_iter().map(|t| t.map(|index| first + index)));
        }
        all
    }
}

fn column<T: Clone + Default>(all: &mut Vec<T>, more: Vec<T>, before: usize, after: usize) {
    if more.is_empty() && all.is_empty() {
        return;
    }
    all.resize(before, T::default());
    all.extend(more);
    all.resize(after, T::default());
}

/// A face: its own vertices, triangles and weights. All numbers are stored in sixteen bits, as in the file; the
/// methods return their values.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Submesh {
    /// Whether this face has no geometry at this level. The viewer checks only that the key is present; a value
    /// other than true is in `extra`.
    pub no_geometry: bool,
    /// The domain of the positions; -0.5 to 0.5 if it is missing (the viewer uses 0 to 0).
    pub position_domain: Option<Domain<3>>,
    /// One per vertex.
    pub positions: Vec<[u16; 3]>,
    /// From -1 to 1, one per vertex or empty.
    pub normals: Vec<[u16; 3]>,
    /// From -1 to 1 with the sign of the bitangent, one per vertex or empty.
    pub tangents: Vec<[u16; 4]>,
    /// The domain of the texture coordinates; required if there are any.
    pub tex_coord0_domain: Option<Domain<2>>,
    /// Texture coordinates, v upwards, one per vertex or empty.
    pub tex_coords0: Vec<[u16; 2]>,
    /// The domain of the second texture coordinates.
    pub tex_coord1_domain: Option<Domain<2>>,
    /// A second set of texture coordinates, which the viewer does not read.
    pub tex_coords1: Vec<[u16; 2]>,
    /// Three vertex indices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u16; 3]>,
    /// One per vertex if the asset has a skin.
    pub weights: Vec<VertexWeights>,
    /// The size of the mesh before it was fitted to its domain; 1 if it is missing.
    pub normalized_scale: Option<[f64; 3]>,
    /// Unknown keys, and parts of known ones with a wrong type: for arrays the bytes after the last whole element.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}

impl Submesh {
    /// A placeholder for a face that has no triangles at this level.
    pub fn without_geometry() -> Self {
        Self { no_geometry: true, ..Self::default() }
    }

    /// The positions.
    pub fn points(&self) -> impl ExactSizeIterator<Item = Vec3> {
        let domain = self.position_domain.unwrap_or(Domain::HALF);
        self.positions.iter().map(move |&steps| domain.dequantize_f32(steps).into())
    }

    /// The normals, not necessarily of length 1; empty if the file has no normals.
    pub fn normal_vectors(&self) -> impl ExactSizeIterator<Item = Vec3> {
        self.normals.iter().map(|&steps| Domain::UNIT.dequantize_f32(steps).into())
    }

    /// The tangents, with the sign of the bitangent as `w`.
    pub fn tangent_vectors(&self) -> impl ExactSizeIterator<Item = Vec4> {
        self.tangents.iter().map(|&steps| Domain::UNIT.dequantize_f32(steps).into())
    }

    /// The texture coordinates, v upwards.
    pub fn uvs(&self) -> impl ExactSizeIterator<Item = Vec2> {
        let domain = self.tex_coord0_domain.unwrap_or(Domain::ZERO_ONE);
        self.tex_coords0.iter().map(move |&steps| domain.dequantize_f32(steps).into())
    }

    /// The second texture coordinates, v upwards.
    pub fn uvs1(&self) -> impl ExactSizeIterator<Item = Vec2> {
        let domain = self.tex_coord1_domain.unwrap_or(Domain::ZERO_ONE);
        self.tex_coords1.iter().map(move |&steps| domain.dequantize_f32(steps).into())
    }

    /// Converts to a triangle mesh, with v downwards as images are stored, and weights that sum to 1
    /// ([`VertexWeights::normalized`]). Drops triangles with an index out of range, and columns whose length
    /// differs from the positions'.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let count = self.positions.len();
        let mut mesh = TriMesh { positions: self.points().collect(), ..TriMesh::default() };
        if self.normals.len() == count {
            mesh.normals = self.normal_vectors().collect();
        }
        if self.tex_coords0.len() == count {
            mesh.uvs = self.uvs().map(|uv| Vec2::new(uv.x, 1.0 - uv.y)).collect();
        }
        if self.tangents.len() == count {
            // Flipping v reverses the bitangent.
            let turned = |t: Vec4| Vec4::new(t.x, t.y, t.z, -t.w);
            mesh.tangents = self.tangent_vectors().map(turned).collect();
        }
        if self.weights.len() == count {
            (mesh.joints, mesh.weights) = self.weights.iter().map(VertexWeights::normalized).unzip();
        }
        let known = self.triangles.iter().filter(|t| t.iter().all(|&index| usize::from(index) < count));
        mesh.triangles = known.map(|triangle| triangle.map(u32::from)).collect();
        mesh
    }
}
