//! Splits primitives that have more vertices than the platform accepts.

use std::collections::HashMap;

use crate::rules::MOST_FACE_VERTICES as FACE_VERTICES;
use geom::TriMesh;
use rezkit_scene::{MorphTarget, Primitive};

/// A primitive split into pieces, none of which has more vertices than the platform accepts.
pub(super) fn pieces(primitive: &Primitive) -> Vec<Primitive> {
    if primitive.mesh.positions.len() <= FACE_VERTICES {
        return vec![primitive.clone()];
    }
    let (mut pieces, mut triangles) = (Vec::new(), Vec::new());
    let mut index_of: HashMap<u32, u32> = HashMap::new();
    let mut order: Vec<u32> = Vec::new();
    for triangle in &primitive.mesh.triangles {
        if order.len() + 3 > FACE_VERTICES {
            pieces.push(piece(primitive, &order, std::mem::take(&mut triangles)));
            index_of.clear();
            order.clear();
        }
        triangles.push(triangle.map(|vertex| {
            *index_of.entry(vertex).or_insert_with(|| {
                order.push(vertex);
                order.len() as u32 - 1
            })
        }));
    }
    pieces.push(piece(primitive, &order, triangles));
    pieces
}

/// A primitive with some of the vertices of another one, and these triangles.
fn piece(from: &Primitive, order: &[u32], triangles: Vec<[u32; 3]>) -> Primitive {
    fn taken<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
        order.iter().filter_map(|&vertex| column.get(vertex as usize)).copied().collect()
    }
    let mesh = TriMesh {
        positions: taken(&from.mesh.positions, order),
        normals: taken(&from.mesh.normals, order),
        tangents: taken(&from.mesh.tangents, order),
        uvs: taken(&from.mesh.uvs, order),
        colors: taken(&from.mesh.colors, order),
        joints: taken(&from.mesh.joints, order),
        weights: taken(&from.mesh.weights, order),
        triangles,
    };
    let mut made = Primitive::new(mesh, from.material);
    made.more_uvs = from.more_uvs.iter().map(|set| taken(set, order)).collect();
    let target = |target: &MorphTarget| MorphTarget {
        name: target.name.clone(),
        positions: taken(&target.positions, order),
        normals: taken(&target.normals, order),
        tangents: taken(&target.tangents, order),
    };
    made.targets = from.targets.iter().map(target).collect();
    made
}

#[cfg(test)]
#[path = "../../tests/inside/sl_pieces.rs"]
mod tests;
