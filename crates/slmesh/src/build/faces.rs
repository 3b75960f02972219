//! Parts cut into submeshes.

use geom::{Vec2, Vec3};

use crate::build::Part;
use crate::consts::{Lod, MAX_VERTICES};
use crate::error::{Error, Result};
use crate::model::{Domain, Submesh, VertexWeights};

/// A submesh that is not quantised yet.
#[derive(Debug, Default)]
pub(super) struct Face {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    uvs1: Vec<Vec2>,
    weights: Vec<VertexWeights>,
    triangles: Vec<[u16; 3]>,
}

/// Each part of a level as one submesh, or as several.
pub(super) fn split_all(level: &str, parts: &[Part]) -> Result<Vec<Vec<Face>>> {
    let split = |(index, part)| split(part).map_err(|error| error.within(&format!("{level}[{index}]")));
    parts.iter().enumerate().map(split).collect()
}

fn split(part: &Part) -> Result<Vec<Face>> {
    let count = part.mesh.positions.len();
    let columns = [
        ("mesh.normals", part.mesh.normals.len()),
        ("mesh.uvs", part.mesh.uvs.len()),
        ("uvs1", part.uvs1.len()),
        ("weights", part.weights.len()),
    ];
    for (name, len) in columns {
        if len != 0 && len != count {
            return Err(Error::unwritable(name, format!("{len} for {count} positions")));
        }
    }
    let finite = |uv: &Vec2| uv.x.is_finite() && uv.y.is_finite();
    if let Some(vertex) = part.mesh.uvs.iter().chain(&part.uvs1).position(|uv| !finite(uv)) {
        return Err(Error::unwritable(format!("uvs[{vertex}]"), "a texture coordinate that is not finite"));
    }
    let mut faces = Vec::new();
    let mut face = Face::default();
    // Where each vertex stands in the submesh that is being filled, and in which that is.
    let mut places: Vec<(usize, u16)> = vec![(usize::MAX, 0); count];
    for (index, triangle @ &[a, b, c]) in part.mesh.triangles.iter().enumerate() {
        if let Some(vertex) = triangle.iter().find(|&&vertex| vertex as usize >= count) {
            let what = format!("vertex {vertex} of {count}");
            return Err(Error::unwritable(format!("mesh.triangles[{index}]"), what));
        }
        if a == b || b == c || c == a {
            continue;
        }
        let new = triangle.iter().filter(|&&vertex| places[vertex as usize].0 != faces.len()).count();
        if face.positions.len() + new > MAX_VERTICES {
            faces.push(std::mem::take(&mut face));
        }
        let current = faces.len();
        let corners = triangle.map(|vertex| {
            let vertex = vertex as usize;
            if places[vertex].0 != current {
                #[allow(clippy::cast_possible_truncation, reason = "fewer than 65,535")]
                let place = face.positions.len() as u16;
                places[vertex] = (current, place);
                face.add(part, vertex);
            }
            places[vertex].1
        });
        face.triangles.push(corners);
    }
    if !face.triangles.is_empty() {
        faces.push(face);
    }
    Ok(faces)
}

/// Fills up with empty faces, so that each part has as many in every level, and every level has the
/// same parts; gives how many there are in each.
pub(super) fn align(levels: &mut [(Lod, Vec<Vec<Face>>)]) -> usize {
    let parts = levels.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    let mut rows = 0;
    for part in 0..parts {
        let faces = levels.iter().map(|(_, parts)| parts.get(part).map_or(0, Vec::len)).max().unwrap_or(0);
        // A part without triangles anywhere is a face all the same: materials are counted by them.
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
    fn add(&mut self, part: &Part, vertex: usize) {
        self.positions.push(part.mesh.positions[vertex]);
        self.normals.extend(part.mesh.normals.get(vertex));
        // v stands upwards in an asset.
        let up = |uv: &Vec2| Vec2::new(uv.x, 1.0 - uv.y);
        self.uvs.extend(part.mesh.uvs.get(vertex).map(up));
        self.uvs1.extend(part.uvs1.get(vertex).map(up));
        self.weights.extend(part.weights.get(vertex));
    }

    /// In sixteen bits, over a domain that the whole level shares.
    pub(super) fn submesh(&self, domain: Option<Domain<3>>, scale: Option<[f64; 3]>) -> Submesh {
        if self.triangles.is_empty() {
            return Submesh::without_geometry();
        }
        let positions = domain.unwrap_or(Domain::HALF);
        let uvs = |uvs: &[Vec2]| {
            let domain = Domain::around(uvs.iter().map(|uv| uv.to_array()));
            let steps = |domain: Domain<2>| uvs.iter().map(|uv| domain.quantize_f32(uv.to_array())).collect();
            (domain, domain.map(steps).unwrap_or_default())
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
