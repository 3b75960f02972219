//! A level of an asset as a node of a scene.

use rezkit_core::Loss;
use slmesh::{Level, Skin, Submesh};

use crate::model::{Mesh, Node, Primitive, Scene, Transform};

/// Adds a level, with the name of its node and its path in the asset.
pub(super) fn add_level(
    level: &Level,
    (name, path): (String, &str),
    skin: Option<&Skin>,
    turned: Transform,
    scene: &mut Scene,
    losses: &mut Vec<Loss>,
) {
    let mut primitives = Vec::new();
    let has_weights = |face: &Submesh| !face.weights.is_empty() && face.weights.len() == face.positions.len();
    let skin = skin.filter(|_| level.submeshes.iter().any(has_weights));
    for (face, submesh) in level.submeshes.iter().enumerate() {
        let mut mesh = submesh.to_tri_mesh();
        let mut lose = |id, column, count: usize, loss: fn(String, &'static str) -> Loss, what| {
            if count > 0 {
                losses.push(loss(format!("{path}[{face}].{column}"), what).id(id).times(count));
            }
        };
        let outside = submesh.triangles.len() - mesh.triangles.len();
        lose(
            "mesh.index-range",
            "triangles",
            outside,
            Loss::new,
            "a triangle with a vertex index that is out of range",
        );
        if mesh.triangles.is_empty() {
            continue;
        }
        for (column, count) in [
            ("normals", submesh.normals.len()),
            ("tex_coords0", submesh.tex_coords0.len()),
            ("tangents", submesh.tangents.len()),
        ] {
            if count != submesh.positions.len() {
                let what = "all values, because there is not one for each vertex";
                lose("sl.malformed", column, usize::from(count > 0), Loss::new, what);
            }
        }
        let missing = usize::from(submesh.position_domain.is_none());
        lose(
            "sl.filled",
            "position_domain",
            missing,
            Loss::filled_in,
            "-0.5 to 0.5, because the range of positions is missing",
        );
        let missing = usize::from(submesh.tex_coord0_domain.is_none() && !mesh.uvs.is_empty());
        let what = "0 to 1, because the range of texture coordinates is missing";
        lose("sl.filled", "tex_coord0_domain", missing, Loss::filled_in, what);
        let mut lose = |id, count, loss, what| lose(id, "weights", count, loss, what);
        let count = mesh.positions.len();
        let weights = &submesh.weights;
        match skin {
            Some(skin) => {
                let mut without =
                    weights.iter().filter(|of| of.influences().all(|(_, weight)| weight == 0)).count();
                if mesh.joints.is_empty() {
                    let what = "all weights, because there is not one for each vertex";
                    lose("sl.malformed", usize::from(!weights.is_empty()), Loss::new, what);
                    mesh.joints = vec![[0; 4]; count];
                    mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; count];
                    without = count;
                }
                lose(
                    "mesh.unbound-vertex",
                    without,
                    Loss::filled_in,
                    "a vertex without weights follows the first joint",
                );
                // The viewer treats an index after the last joint as the last joint.
                let last = u16::try_from(skin.joint_names.len() - 1).unwrap_or(u16::MAX);
                let outside =
                    mesh.joints.iter().filter(|joints| joints.iter().any(|&joint| joint > last)).count();
                let what = "a joint index is out of range: the last joint is used instead";
                lose("mesh.unknown-bone", outside, Loss::approximated, what);
                mesh.joints.iter_mut().flatten().for_each(|joint| *joint = (*joint).min(last));
            }
            None => {
                let what = match has_weights(submesh) {
                    true => "all weights, because the mesh has no skin",
                    false => "all weights, because there is not one for each vertex",
                };
                lose("sl.malformed", usize::from(!weights.is_empty()), Loss::new, what);
                (mesh.joints, mesh.weights) = (Vec::new(), Vec::new());
            }
        }
        // The faces of a mesh for physics do not correspond to others.
        let material = (!name.ends_with("_PHYS")).then_some(face);
        primitives.push(Primitive { mesh: mesh.into(), material, ..Primitive::default() });
    }
    if primitives.is_empty() {
        return;
    }
    let mesh = scene.add_mesh(Mesh { name: name.clone(), primitives, ..Mesh::default() });
    let transform = if skin.is_some() { Transform::default() } else { turned };
    let node = Node { name, transform, mesh: Some(mesh), skin: skin.map(|_| 0), ..Node::default() };
    scene.add_node(None, node);
}
