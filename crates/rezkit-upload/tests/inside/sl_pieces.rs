//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

#[test]
fn faces_of_too_many_vertices_are_cut() {
    let count = 3 * 30_000;
    let mesh = TriMesh {
        positions: (0..count).map(|n| [n as f32, 0.0, 0.0].into()).collect(),
        uvs: (0..count).map(|n| [0.0, n as f32].into()).collect(),
        triangles: (0..count / 3).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
        ..TriMesh::default()
    };
    let pieces = pieces(&Primitive::new(mesh, Some(7)));
    let counts: Vec<usize> = pieces.iter().map(|piece| piece.mesh.positions.len()).collect();
    assert_eq!(counts, [65_523, 24_477]);
    let corners = pieces.iter().flat_map(|piece| {
        piece.mesh.triangles.iter().flatten().map(|&index| {
            let (place, uv) = (piece.mesh.positions[index as usize], piece.mesh.uvs[index as usize]);
            assert_eq!(place.x, uv.y);
            place.x as u32
        })
    });
    assert!(corners.eq(0..count) && pieces.iter().all(|piece| piece.material == Some(7)));
}
