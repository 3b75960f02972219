//! What users ask of a mesh and would otherwise work out themselves.

use bstr::BStr;
use geom::{Aabb, Rgba8, TriMesh, Vec2, Vec3};

use crate::consts::{NO_BONE, Version};
use crate::model::{Bone, Facs, Mesh, Vertex};

/// A bone with its name and its parent resolved.
#[derive(Clone, Copy, Debug)]
pub struct BoneRef<'a> {
    /// Its place in [`Mesh::bones`].
    pub index: usize,
    /// The bone.
    pub bone: &'a Bone,
    /// The parent's place in [`Mesh::bones`]; `None` for a root, and where there is no such bone.
    pub parent: Option<usize>,
}

impl<'a> BoneRef<'a> {
    /// The name; bytes that are usually text.
    pub fn name(&self) -> &'a BStr {
        self.bone.name.as_ref()
    }
}

/// How far a vertex follows a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The bone's place in [`Mesh::bones`].
    pub bone: u16,
    /// The share, 0 to 1: the file's byte divided by 255.
    pub weight: f32,
}

impl Mesh {
    /// The faces of each level of detail, finest first.
    ///
    /// Level k is the faces from one offset to the next. With fewer than three offsets there is one
    /// level, of all faces: `(0, 0)` and `(0, n)` both occur and mean the same. Offsets beyond the
    /// faces end there, and a level that would end before it begins is empty.
    pub fn lods(&self) -> impl ExactSizeIterator<Item = &[[u32; 3]]> + DoubleEndedIterator {
        let all = [0, u32::try_from(self.faces.len()).unwrap_or(u32::MAX)];
        let several = self.lods.offsets.len() > 2;
        let levels = if several { self.lods.offsets.len() - 1 } else { 1 };
        (0..levels).map(move |level| {
            let pair = if several { [self.lods.offsets[level], self.lods.offsets[level + 1]] } else { all };
            let [begin, end] = pair.map(|offset| (offset as usize).min(self.faces.len()));
            &self.faces[begin..end.max(begin)]
        })
    }

    /// The bones with their parents.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = BoneRef<'_>> + DoubleEndedIterator {
        self.bones.iter().enumerate().map(|(index, bone)| {
            let parent = usize::from(bone.parent);
            let parent = (bone.parent != NO_BONE && parent < self.bones.len()).then_some(parent);
            BoneRef { index, bone, parent }
        })
    }

    /// The bones that a vertex follows, and how far.
    ///
    /// The places in a vertex's envelope count within the subset that holds the vertex; this resolves
    /// them. In a mesh without subsets they are taken for bones. Places of no weight, and those that
    /// lead to no bone, are left out.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = Influence> {
        let subset = u32::try_from(vertex)
            .ok()
            .and_then(|vertex| self.subsets.iter().find(|subset| subset.contains(vertex)));
        let envelope = self.envelopes.get(vertex).copied().unwrap_or_default();
        std::iter::zip(envelope.indices, envelope.weights).filter_map(move |(index, weight)| {
            let bone = match subset {
                Some(subset) => *subset.bones().get(usize::from(index))?,
                None if self.subsets.is_empty() => u16::from(index),
                None => return None,
            };
            let known = weight > 0 && usize::from(bone) < self.bones.len();
            known.then(|| Influence { bone, weight: f32::from(weight) / 255.0 })
        })
    }

    /// The facial animation.
    pub fn facs(&self) -> Option<&Facs> {
        self.facs.as_ref()
    }

    /// The box around all vertices, `None` without any.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.vertices.iter().map(|vertex| vertex.position))
    }

    /// A level of detail as a triangle mesh, with the vertices that it uses in the order in which it
    /// uses them; `None` where there is no such level. Faces with an index that names no vertex are
    /// left out.
    pub fn to_tri_mesh(&self, level: usize) -> Option<TriMesh> {
        let faces = self.lods().nth(level)?;
        let mut mesh = TriMesh::default();
        let colored = self.vertices.iter().any(|vertex| vertex.color != Rgba8::WHITE);
        let mut places: Vec<Option<u32>> = vec![None; self.vertices.len()];
        for face in faces {
            if face.iter().any(|&index| index as usize >= self.vertices.len()) {
                continue;
            }
            mesh.triangles.push(face.map(|index| {
                *places[index as usize].get_or_insert_with(|| {
                    let vertex = &self.vertices[index as usize];
                    #[allow(clippy::cast_possible_truncation, reason = "no more than the u32 that led here")]
                    let place = mesh.positions.len() as u32;
                    mesh.positions.push(vertex.position);
                    mesh.normals.push(vertex.normal);
                    mesh.uvs.push(vertex.uv);
                    if colored {
                        mesh.colors.push(vertex.color);
                    }
                    place
                })
            }));
        }
        Some(mesh)
    }

    /// A mesh of version 2.00 from a triangle mesh; columns that are missing are zero, colours white.
    pub fn from_tri_mesh(mesh: &TriMesh) -> Self {
        let vertex = |(index, &position): (usize, &Vec3)| Vertex {
            position,
            normal: mesh.normals.get(index).copied().unwrap_or_default(),
            uv: mesh.uvs.get(index).copied().unwrap_or(Vec2::new(0.0, 0.0)),
            color: mesh.colors.get(index).copied().unwrap_or(Rgba8::WHITE),
            ..Vertex::default()
        };
        Self {
            version: Version::V2_00,
            vertices: mesh.positions.iter().enumerate().map(vertex).collect(),
            faces: mesh.triangles.clone(),
            ..Self::default()
        }
    }
}
