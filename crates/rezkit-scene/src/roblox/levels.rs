//! The levels of detail of a union's mesh.

use geom::TriMesh;
use rbxblobs::UnionMesh;

use super::solid::{Listed, Solid};
use super::source;
use super::tree::Property;
use crate::model::Levels;
use rezkit_core::{Budget, Error, Loss, Result};

const UNUSED: &str = "a triangle of a union's mesh that belongs to no level of detail";
const EMPTY: &str = "a level of detail of a union's mesh, since it has no triangles";

/// The properties that can have a union's mesh.
pub(super) const MESHES: &[Property] = &[Property::SolidMeshHolder, Property::MeshData2, Property::MeshData];

/// The wanted levels of a union's mesh, each with normals that point outwards: all, the finest first, or one, which is
/// the coarsest if the mesh has fewer. Empty if the blob has no mesh. Levels without triangles do not count, and are
/// listed, as are triangles in no level.
pub(super) fn meshes(
    blob: &[u8],
    own_color: bool,
    levels: Levels,
    listed: &mut Vec<Listed>,
    budget: &mut Budget,
) -> Result<Vec<Solid>> {
    if blob.starts_with(b"CSGK") {
        return Ok(Vec::new());
    }
    let mut read: UnionMesh = rbxblobs::ReadOptions::new().max_bytes(budget.left()).read(blob)?;
    let what = "the mesh of a union";
    let whole = bytes_of(read.mesh.positions.len(), read.mesh.triangles.len());
    budget.take(whole, what)?;
    let unused = read.unused_triangles();
    let stated = read.levels.len();
    read.levels.retain(|level| !level.is_empty());
    let count = read.levels.len();
    let of_all = if count == 0 { 0 } else { stated - count };
    for (what, times) in [(UNUSED, unused), (EMPTY, of_all)].into_iter().filter(|(_, times)| *times > 0) {
        listed.push(Loss::new("", what).id("rbxmesh.unused-faces").times(times));
    }
    let wanted = match levels {
        Levels::One(level) => level.min(count.saturating_sub(1)),
        Levels::Finest | Levels::All => 0,
    };
    if levels != Levels::All || count < 2 {
        return Ok(finished(read.into_level(wanted), own_color).into_iter().collect());
    }
    budget.take_values::<(Solid, TriMesh)>(count, what)?;
    let mut made = Vec::with_capacity(count);
    let mut indices = vec![0; read.mesh.positions.len()];
    for level in 0..count {
        let triangles = read.triangles(level);
        budget.take(bytes_of(indices.len().min(3 * triangles.len()), 2 * triangles.len()), what)?;
        made.extend(finished(part(&read.mesh, triangles, &mut indices), own_color));
    }
    if let Some(first) = made.first_mut() {
        first.levels = count;
    }
    // The file is no longer in memory.
    budget.give_back(whole);
    Ok(made)
}

/// The meshes in the file of a union's asset, as [`meshes`].
pub(super) fn asset_meshes(
    file: &[u8],
    own_color: bool,
    levels: Levels,
    listed: &mut Vec<Listed>,
    budget: &mut Budget,
) -> Result<Vec<Solid>> {
    let tree = source::document(file, "the asset of a union", budget)?;
    let found = tree.instances.iter().find(|instance| instance.class == "PartOperationAsset");
    let blobs = found.map_or_else(Vec::new, |asset| asset.blobs(MESHES).collect());
    for blob in blobs {
        let made = meshes(&tree.blobs[blob], own_color, levels, listed, budget)?;
        if !made.is_empty() {
            return Ok(made);
        }
    }
    Err(Error::unreadable("the file contains no PartOperationAsset with mesh data"))
}

/// The memory of a mesh with normals, texture coordinates and colours.
fn bytes_of(vertices: usize, triangles: usize) -> u64 {
    vertices as u64 * 40 + triangles as u64 * 12
}

/// Some triangles of a mesh, with only their vertices. `indices` has an element per vertex of the whole mesh, with any
/// content.
fn part(whole: &TriMesh, triangles: &[[u32; 3]], indices: &mut [u32]) -> TriMesh {
    let mut used = triangles.as_flattened().to_vec();
    used.sort_unstable();
    used.dedup();
    for (new, &old) in used.iter().enumerate() {
        indices[old as usize] = new as u32;
    }
    fn pick<T: Copy>(values: &[T], used: &[u32]) -> Vec<T> {
        used.iter().filter_map(|&at| values.get(at as usize).copied()).collect()
    }
    TriMesh {
        positions: pick(&whole.positions, &used),
        normals: pick(&whole.normals, &used),
        uvs: pick(&whole.uvs, &used),
        colors: pick(&whole.colors, &used),
        triangles: triangles.iter().map(|corners| corners.map(|corner| indices[corner as usize])).collect(),
        ..TriMesh::default()
    }
}

/// A level as a solid; `None` if it has no triangles.
fn finished(mut mesh: TriMesh, own_color: bool) -> Option<Solid> {
    turn_normals(&mut mesh);
    // A single colour becomes that of the material.
    let first = mesh.colors.first().copied();
    let one = first.filter(|first| mesh.colors.iter().all(|color| color == first));
    match one {
        None if !own_color => {}
        _ => mesh.colors = Vec::new(),
    }
    solid(mesh, one.map(|color| color.to_srgb()).map(|color| [color.r, color.g, color.b]), 0)
}

/// Flips normals that point to the back of their triangles: subtracted parts have such normals.
fn turn_normals(mesh: &mut TriMesh) {
    let mut agrees = vec![0.0_f32; mesh.normals.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        let normal = (b - a).cross(c - a);
        for &corner in triangle {
            if let Some(agrees) = agrees.get_mut(corner as usize) {
                *agrees += normal.dot(mesh.normals[corner as usize]);
            }
        }
    }
    for (normal, _) in mesh.normals.iter_mut().zip(agrees).filter(|(_, agrees)| *agrees < 0.0) {
        *normal = geom::Vec3::new(0.0, 0.0, 0.0) - *normal;
    }
}

pub(super) fn solid(mesh: TriMesh, color: Option<[u8; 3]>, hulls: usize) -> Option<Solid> {
    let size = mesh.bounds().filter(|_| !mesh.triangles.is_empty())?.size();
    Some(Solid { mesh: mesh.into(), size: glam::Vec3::from(size.to_array()), color, hulls, levels: 1 })
}
