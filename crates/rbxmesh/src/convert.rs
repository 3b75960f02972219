//! From one version to another, and from triangle meshes.

use std::fmt;

use geom::{Rgba8, TriMesh, Vec2, Vec3};

use crate::consts::{ChunkKind, Version};
use crate::model::parts::PARTS;
use crate::model::{Bone, Chunk, Mesh, Payload, Tangent, Vertex, select};
use crate::options::LodChoice;
use geom::wire::{Error, Result};

/// A part of a mesh that a version cannot represent, and that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The part, as `bones` or `layout.trailing`.
    pub path: &'static str,
    /// What it was.
    pub what: String,
}

/// `bones: 52 bones`.
impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

impl Mesh {
    /// The mesh as another version can represent it, and everything that was left out for it: nothing
    /// else differs. `lods` decides which faces remain where the version has no levels of detail.
    ///
    /// From 3.00 on the mesh has the offsets of its levels that Roblox needs, `(0, faces)` for one level,
    /// whatever the file had that it was read from.
    ///
    /// ```
    /// use rbxmesh::{LodChoice, Version};
    ///
    /// # fn main() -> rbxmesh::Result<()> {
    /// # let mut mesh = rbxmesh::Mesh { version: Version::V5_00, ..Default::default() };
    /// # mesh.facs = Some(Default::default());
    /// let (old, dropped) = mesh.to_version(Version::V2_00, LodChoice::First);
    /// assert_eq!(dropped[0].to_string(), "facs: facial animation of 0 poses");
    /// assert!(rbxmesh::to_vec(&old)?.starts_with(b"version 2.00\n"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "what was dropped is part of the result"]
    pub fn to_version(&self, to: Version, lods: LodChoice) -> (Self, Vec<Dropped>) {
        let mut mesh = self.clone();
        let mut dropped = Vec::new();
        if !to.has_lods() && lods == LodChoice::First && self.levels().len() > 1 {
            let first = self.lods.ranges(self.faces.len()).next().unwrap_or_default();
            mesh.lods.offsets.clear();
            select::keep(&mut mesh, first);
            let faces = self.faces.len() - mesh.faces.len();
            let vertices = self.vertices.len() - mesh.vertices.len();
            let what =
                format!("{faces} faces of lower levels, {vertices} vertices that the first does not use");
            dropped.push(Dropped { path: "lods", what });
        }
        for part in PARTS {
            if let Some(what) = (part.lost)(&mesh, to) {
                (part.drop)(&mut mesh, to);
                dropped.push(Dropped { path: part.path, what });
            }
        }
        mesh.lay_out(to);
        mesh.version = to;
        (mesh, dropped)
    }

    /// Makes the choices of the layout fit a version.
    fn lay_out(&mut self, to: Version) {
        let from = self.version;
        let layout = &mut self.layout;
        layout.crlf &= to.form() == from.form();
        layout.long_exponents &= to.is_text();
        if !to.is_text() {
            layout.texture_v.clear();
        }
        if !to.has_strides() {
            (layout.vertex_size, layout.face_size) = (None, None);
        }
        (layout.lod_size, layout.lod_offsets) = (None, None);
        if !to.has_skin() {
            layout.bone_names = None;
        }
        if to == from {
            return self.add_lods();
        }
        let core = layout.slot(ChunkKind::Core).map(|slot| &mut layout.chunks[slot]);
        // An empty one that is kept stays as it is.
        if let Some(Chunk { version, payload: Payload::Model { .. }, .. }) = core {
            *version = if to == Version::V7_00 { 2 } else { 1 };
        }
        if to != Version::V7_00 {
            (layout.draco, layout.normal_grid) = (None, None);
        }
        self.add_lods();
    }

    /// A list of chunks gets one for the levels of detail, where it has none.
    fn add_lods(&mut self) {
        let chunks = &self.layout.chunks;
        if !chunks.is_empty() && self.layout.slot(ChunkKind::Lods).is_none() {
            let payload = Payload::Model { extra: Vec::new() };
            self.layout.chunks.push(Chunk { tag: ChunkKind::Lods.tag(), version: 1, payload });
        }
    }

    /// A mesh of version 2.00 from a triangle mesh. Columns that are absent are zero, colours white.
    ///
    /// # Errors
    /// `InvalidArgument` where the columns do not fit together, or there are joints, which need bones:
    /// [`Mesh::from_skinned_tri_mesh`] takes them.
    pub fn from_tri_mesh(mesh: &TriMesh) -> Result<Self> {
        if !mesh.joints.is_empty() || !mesh.weights.is_empty() {
            let what = "joints without bones: Mesh::from_skinned_tri_mesh takes both";
            return Err(Error::invalid_argument("joints", what));
        }
        if !mesh.is_consistent() {
            let what = "columns of different lengths, or an index that is out of range";
            return Err(Error::invalid_argument("mesh", what));
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
            color: mesh.colors.get(index).copied().unwrap_or(Rgba8::WHITE),
        };
        Ok(Self {
            version: Version::V2_00,
            vertices: mesh.positions.iter().enumerate().map(vertex).collect(),
            faces: mesh.triangles.clone(),
            ..Self::default()
        })
    }

    /// A mesh of version 4.01 from a triangle mesh with joints and weights, and the bones that the joints
    /// are indices of. Vertices can come to be in another order, and more.
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
