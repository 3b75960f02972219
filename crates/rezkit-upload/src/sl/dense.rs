//! Removes the triangles of physics meshes that the platform would refuse, and joins the meshes.

use geom::{Aabb, TriMesh};
use rezkit_scene::append;
use slmesh::is_degenerate;

use super::Options;
use crate::rules::{LEAST_METRES, MOST_FACE_VERTICES};

/// Drops triangles that the viewer considers degenerate; returns their number. `bounds` are those of the object.
pub(super) fn thinned(meshes: &mut [TriMesh], bounds: Aabb, options: &Options) -> usize {
    let all = meshes.iter().flat_map(|mesh| &mesh.positions).copied().chain([bounds.min, bounds.max]);
    let Some(bounds) = Aabb::from_points(all) else { return 0 };
    let least = if options.fix { LEAST_METRES as f32 / options.scale } else { 0.0 };
    let center = ((bounds.min + bounds.max) * 0.5).to_array();
    let size = bounds.size().to_array().map(|side| match side {
        0.0 => 1.0,
        side => side.max(least),
    });
    let mut left_out = 0;
    for mesh in meshes {
        let corner = |index: u32| -> [f32; 3] {
            let place = mesh.positions[index as usize].to_array();
            // Slightly less than 0.5, since an asset rounds positions.
            std::array::from_fn(|axis| (place[axis] - center[axis]) / size[axis] * 0.49)
        };
        let before = mesh.triangles.len();
        mesh.triangles.retain(|triangle| {
            let [a, b, c] = triangle.map(corner);
            !is_degenerate(a, b, c)
        });
        left_out += before - mesh.triangles.len();
    }
    left_out
}

/// The meshes as few faces: physics has no materials, and an object has at most eight faces.
pub(super) fn joined(meshes: Vec<TriMesh>) -> Vec<TriMesh> {
    let mut joined: Vec<TriMesh> = Vec::new();
    for mesh in meshes.into_iter().filter(|mesh| !mesh.triangles.is_empty()) {
        let fits = |last: &&mut TriMesh| last.positions.len() + mesh.positions.len() <= MOST_FACE_VERTICES;
        match joined.last_mut().filter(fits) {
            Some(last) => append(last, &mesh),
            None => joined.push(mesh),
        }
    }
    joined
}
