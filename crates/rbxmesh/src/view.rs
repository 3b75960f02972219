//! Data derived from a mesh: the resolved skin, bounds, and triangle meshes.

use std::collections::BTreeSet;

use geom::{Aabb, Rgba8, TriMesh, Vec4};

use crate::model::select::{Used, is_sound};
use crate::model::{Mesh, Tangent, Vertex};

/// A bone that moves a vertex, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The bone's index in [`Mesh::bones`].
    pub bone: u16,
    /// The weight, 0 to 1: the byte in the file divided by 255.
    pub weight: f32,
}

/// The skin of a mesh. It resolves the indices of envelopes, which refer to the bones of subsets.
#[derive(Clone, Debug)]
pub struct Skin<'a> {
    mesh: &'a Mesh,
    /// The first vertex of each run, in order, and the subset of the run.
    runs: Vec<(u32, Option<u32>)>,
}

impl<'a> Skin<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        // The two ends of each subset. If several subsets contain a vertex, the first one counts.
        let mut ends: Vec<(u64, u32, bool)> = Vec::with_capacity(mesh.subsets.len() * 2);
        for (index, subset) in (0..).zip(&mesh.subsets).filter(|(_, subset)| subset.vertices_len > 0) {
            let begin = u64::from(subset.vertices_begin);
            ends.push((begin, index, true));
            ends.push((begin + u64::from(subset.vertices_len), index, false));
        }
        ends.sort_unstable();
        let mut runs: Vec<(u32, Option<u32>)> = Vec::new();
        let mut open = BTreeSet::new();
        for (at, index, begins) in ends {
            if begins {
                open.insert(index)
            } else {
                open.remove(&index)
            };
            let Ok(at) = u32::try_from(at) else { break };
            if runs.last().is_some_and(|&(last, _)| last == at) {
                runs.pop();
            }
            runs.push((at, open.first().copied()));
        }
        Self { mesh, runs }
    }

    /// The index of the subset that contains a vertex; `None` if no subset does.
    pub fn subset(&self, vertex: usize) -> Option<usize> {
        let vertex = u32::try_from(vertex).ok()?;
        let run = self.runs.partition_point(|&(begin, _)| begin <= vertex).checked_sub(1)?;
        Some(self.runs[run].1? as usize)
    }

    /// The bones that move a vertex, and their weights.
    ///
    /// In a mesh without subsets, the indices of an envelope refer to bones directly. Entries with a weight of 0, and
    /// entries that refer to no bone, are skipped.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = Influence> + use<'a> {
        let mesh = self.mesh;
        let subset = self.subset(vertex).map(|subset| mesh.subsets[subset].bones());
        let envelope = mesh.envelopes.get(vertex).copied().unwrap_or_default();
        std::iter::zip(envelope.indices, envelope.weights).filter_map(move |(index, weight)| {
            let bone = match subset {
                Some(bones) => *bones.get(usize::from(index))?,
                None if mesh.subsets.is_empty() => u16::from(index),
                None => return None,
            };
            let known = weight > 0 && usize::from(bone) < mesh.bones.len();
            known.then(|| Influence { bone, weight: f32::from(weight) / 255.0 })
        })
    }

    /// Like [`Skin::influences`], as four joints and weights, padded with 0.
    pub fn joints(&self, vertex: usize) -> ([u16; 4], [f32; 4]) {
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        for (influence, (joint, weight)) in self.influences(vertex).zip(joints.iter_mut().zip(&mut weights)) {
            (*joint, *weight) = (influence.bone, influence.weight);
        }
        (joints, weights)
    }
}

impl Mesh {
    /// The skin, prepared for looking up many vertices.
    pub fn skin(&self) -> Skin<'_> {
        Skin::new(self)
    }

    /// The box around all vertices; `None` without vertices.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::from_points(self.vertices.iter().map(|vertex| vertex.position))
    }

    /// A level of detail as a triangle mesh, with the vertices that it uses in order of first use; `None` if the level
    /// does not exist. Faces with a vertex index out of range are skipped.
    ///
    /// The result has tangents if a vertex of the level has a tangent; a vertex without one gets the zero vector. It
    /// has colours if a colour is not white. It has joints (indices into [`Mesh::bones`]) and weights if the mesh has
    /// bones.
    /// [`crate::Bone::inverse_bind_pose`] returns the matrices that glTF needs.
    pub fn to_tri_mesh(&self, level: usize) -> Option<TriMesh> {
        let range = self.lods.range(self.faces.len(), level)?;
        let mut mesh = TriMesh::default();
        let mut used = Used::new(self.vertices.len(), range.len());
        let faces = self.faces[range].iter().filter(|face| is_sound(self, face));
        mesh.triangles = faces.map(|face| face.map(|index| used.index(index))).collect();
        let vertices = || used.from.iter().map(|&index| &self.vertices[index as usize]);
        mesh.positions = vertices().map(|vertex| vertex.position).collect();
        mesh.normals = vertices().map(|vertex| vertex.normal).collect();
        mesh.uvs = vertices().map(|vertex| vertex.uv).collect();
        if vertices().any(|vertex| vertex.tangent != Tangent::ABSENT) {
            mesh.tangents = vertices().map(tangent).collect();
        }
        if vertices().any(|vertex| vertex.color != Rgba8::WHITE) {
            mesh.colors = vertices().map(|vertex| vertex.color.to_linear()).collect();
        }
        if !self.bones.is_empty() {
            let skin = self.skin();
            (mesh.joints, mesh.weights) =
                used.from.iter().map(|&vertex| skin.joints(vertex as usize)).unzip();
        }
        Some(mesh)
    }
}

/// The tangent of a vertex: a direction of length 1, or zero if absent, and a sign of 1 or -1.
fn tangent(vertex: &Vertex) -> Vec4 {
    let decoded = vertex.tangent.decode().and_then(|(direction, sign)| Some((direction.normalize()?, sign)));
    let (direction, sign) = decoded.unwrap_or_default();
    Vec4::new(direction.x, direction.y, direction.z, if sign < 0.0 { -1.0 } else { 1.0 })
}
