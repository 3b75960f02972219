//! Splits parts into submeshes.

use geom::{TriMesh, Vec2, Vec3};

use super::part::Part;
use crate::consts::{Lod, MAX_FACE_TRIANGLES, MAX_VERTICES};
use crate::model::{Domain, Submesh, VertexWeights};
use geom::wire::{Error, Problem, Refuse as _, Result};

/// A submesh before quantisation.
#[derive(Debug, Default)]
pub(super) struct Face {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    uvs1: Vec<Vec2>,
    weights: Vec<VertexWeights>,
    pub(super) triangles: Vec<[u16; 3]>,
}

/// Splits each part of a level into one or several submeshes. `joints` is the number of joints of the skin.
pub(super) fn split_all(level: &str, parts: &[Part], joints: Option<usize>) -> Result<Vec<Vec<Face>>> {
    let split = |(index, part): (usize, &Part)| {
        let weights = weights(&part.mesh, joints).and_then(|weights| {
            let made;
            let mesh = &part.mesh;
            let normals = if mesh.normals.is_empty() {
                made = mesh.angle_weighted_normals();
                &made
            } else {
                &mesh.normals
            };
            let columns = Columns { mesh, normals, uvs: &mesh.uvs, uvs1: &part.uvs1, weights: &weights };
            columns.split()
        });
        weights.map_err(|error| error.within(&format!("{level}[{index}]")))
    };
    parts.iter().enumerate().map(split).collect()
}

/// The parts of a physics mesh, which has neither normals nor texture coordinates nor weights.
pub(super) fn split_physics(parts: &[Part]) -> Result<Vec<Face>> {
    let mut faces = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let columns = Columns { mesh: &part.mesh, normals: &[], uvs: &[], uvs1: &[], weights: &[] };
        faces.extend(columns.split().map_err(|error| error.within(&format!("physics_mesh[{index}]")))?);
    }
    Ok(faces)
}

/// The weights in the asset's form.
fn weights(mesh: &TriMesh, joints: Option<usize>) -> Result<Vec<VertexWeights>> {
    let refuse = |path: String, what: String| Err(Error::invalid_argument(path, what));
    match joints {
        Some(_) if mesh.joints.is_empty() && !mesh.triangles.is_empty() => {
            return refuse(
                "mesh.joints".into(),
                "expected joints and weights for a model with a skin, found none".into(),
            );
        }
        None if !mesh.joints.is_empty() => {
            return refuse(
                "mesh.joints".into(),
                "the mesh has joints, but the model has no skin (set one with Builder::skin)".into(),
            );
        }
        _ => {}
    }
    Problem::length("entries", mesh.weights.len(), mesh.joints.len()).argument("mesh.weights")?;
    let mut all = Vec::with_capacity(mesh.joints.len());
    for (vertex, (names, weights)) in mesh.joints.iter().zip(&mesh.weights).enumerate() {
        let mut shares = [(0, 0.0); 4];
        for ((share, &joint), &weight) in shares.iter_mut().zip(names).zip(weights) {
            let known = joints.is_some_and(|joints| usize::from(joint) < joints.min(255));
            match u8::try_from(joint) {
                Ok(joint) if known => *share = (joint, weight),
                // Joints without weight have no meaning.
                _ if weight <= 0.0 => {}
                _ => {
                    let most = joints.unwrap_or(0).min(255);
                    let what = format!(
                        "expected the index of a joint of the skin (less than {most}), found {joint}"
                    );
                    return refuse(format!("mesh.joints[{vertex}]"), what);
                }
            }
        }
        all.push(VertexWeights::from_shares(&shares));
    }
    Ok(all)
}

/// The columns of a part; those that are absent are empty.
struct Columns<'a> {
    mesh: &'a TriMesh,
    normals: &'a [Vec3],
    uvs: &'a [Vec2],
    uvs1: &'a [Vec2],
    weights: &'a [VertexWeights],
}

impl Columns<'_> {
    fn split(&self) -> Result<Vec<Face>> {
        let count = self.mesh.positions.len();
        let columns = [
            ("mesh.normals", self.normals.len()),
            ("mesh.uvs", self.uvs.len()),
            ("uvs1", self.uvs1.len()),
            ("mesh.joints", self.weights.len()),
        ];
        for (name, len) in columns {
            if len != 0 {
                Problem::length("entries", len, count).argument(name)?;
            }
        }
        let mut faces = Vec::new();
        let mut face = Face::default();
        // The index of each vertex in the current submesh, and the index of that submesh.
        let mut indices: Vec<(usize, u16)> = vec![(usize::MAX, 0); count];
        for (index, triangle @ &[a, b, c]) in self.mesh.triangles.iter().enumerate() {
            if let Some(&vertex) = triangle.iter().find(|&&vertex| vertex as usize >= count) {
                let what = Problem::reference("vertex", vertex, count);
                return Err(what).argument(format!("mesh.triangles[{index}]"));
            }
            if a == b || b == c || c == a {
                continue;
            }
            // The corners of a face with the maximum number of triangles never exceed its maximum number of vertices.
            const { assert!(MAX_FACE_TRIANGLES * 3 <= MAX_VERTICES) };
            if face.triangles.len() == MAX_FACE_TRIANGLES {
                faces.push(std::mem::take(&mut face));
            }
            let current = faces.len();
            let mut corners = [0; 3];
            for (corner, &vertex) in corners.iter_mut().zip(triangle) {
                let vertex = vertex as usize;
                if indices[vertex].0 != current {
                    #[allow(clippy::cast_possible_truncation, reason = "fewer than 65,535")]
                    let index = face.positions.len() as u16;
                    indices[vertex] = (current, index);
                    self.add(vertex, &mut face)?;
                }
                *corner = indices[vertex].1;
            }
            face.triangles.push(corners);
        }
        if !face.triangles.is_empty() {
            faces.push(face);
        }
        Ok(faces)
    }

    fn add(&self, vertex: usize, face: &mut Face) -> Result<()> {
        let finite = |finite: bool, name: &str| match finite {
            true => Ok(()),
            false => Err(Error::invalid_argument(format!("{name}[{vertex}]"), "a number is infinite or NaN")),
        };
        let position = self.mesh.positions[vertex];
        finite(position.is_finite(), "mesh.positions")?;
        face.positions.push(position);
        if let Some(&normal) = self.normals.get(vertex) {
            finite(normal.is_finite(), "mesh.normals")?;
            // A zero normal becomes the one that the viewer uses for a missing normal.
            face.normals.push(if normal == Vec3::default() { Vec3::new(0.0, 0.0, 1.0) } else { normal });
        }
        for (name, uvs, to) in [("mesh.uvs", self.uvs, &mut face.uvs), ("uvs1", self.uvs1, &mut face.uvs1)] {
            if let Some(uv) = uvs.get(vertex) {
                finite(uv.x.is_finite() && uv.y.is_finite(), name)?;
                // v grows upwards in an asset.
                to.push(Vec2::new(uv.x, 1.0 - uv.y));
            }
        }
        face.weights.extend(self.weights.get(vertex));
        Ok(())
    }
}

/// Pads with empty faces, so that every level has the same parts, and a part the same number of faces in every level;
/// returns the number of faces of a level.
pub(super) fn align(levels: &mut [(Lod, Vec<Vec<Face>>)]) -> usize {
    let parts = levels.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    let mut rows = 0;
    for part in 0..parts {
        let faces = levels.iter().map(|(_, parts)| parts.get(part).map_or(0, Vec::len)).max().unwrap_or(0);
        // A part without any triangles is a face too: materials are counted by faces.
        let faces = faces.max(1);
        for (_, parts) in levels.iter_mut() {
            if parts.len() <= part {
                parts.resize_with(part + 1, Vec::new);
            }
            parts[part].resize_with(faces, Face::default);
        }
        rows += faces;
    }
    rows
}

/// The smallest domain around all positions.
pub(super) fn domain<'a>(faces: impl IntoIterator<Item = &'a Face>) -> Option<Domain<3>> {
    Domain::around(faces.into_iter().flat_map(|face| &face.positions).map(|point| point.to_array()))
}

impl Face {
    /// Keeps the triangles for which `keep` is true, and the positions that they use. For faces with positions only.
    pub(super) fn retain(&mut self, keep: impl Fn(&[u16; 3]) -> bool) {
        self.triangles.retain(keep);
        let mut new = vec![None; self.positions.len()];
        let mut positions = Vec::new();
        for vertex in self.triangles.as_flattened_mut() {
            let index = new[usize::from(*vertex)].get_or_insert_with(|| {
                positions.push(self.positions[usize::from(*vertex)]);
                #[allow(clippy::cast_possible_truncation, reason = "no more than before")]
                let index = (positions.len() - 1) as u16;
                index
            });
            *vertex = *index;
        }
        self.positions = positions;
    }

    /// The face in sixteen bits, over a domain that the whole level shares.
    pub(super) fn submesh(&self, domain: Option<Domain<3>>, scale: Option<[f64; 3]>) -> Submesh {
        if self.triangles.is_empty() {
            return Submesh::without_geometry();
        }
        let positions = domain.unwrap_or(Domain::HALF);
        let uvs = |uvs: &[Vec2]| {
            let domain = Domain::around(uvs.iter().map(|uv| uv.to_array()));
            let steps = |domain: Domain<2>| uvs.iter().map(|uv| domain.quantize_f32(uv.to_array())).collect();
            (domain, domain.map_or_else(Vec::new, steps))
        };
        let ((tex_coord0_domain, tex_coords0), (tex_coord1_domain, tex_coords1)) =
            (uvs(&self.uvs), uvs(&self.uvs1));
        Submesh {
            position_domain: Some(positions),
            positions: self.positions.iter().map(|p| positions.quantize_f32(p.to_array())).collect(),
            normals: self.normals.iter().map(|n| Domain::UNIT.quantize_f32(n.to_array())).collect(),
            tex_coord0_domain,
            tex_coords0,
            tex_coord1_domain,
            tex_coords1,
            triangles: self.triangles.clone(),
            weights: self.weights.clone(),
            normalized_scale: scale,
            ..Submesh::default()
        }
    }
}
