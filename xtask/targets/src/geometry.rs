//! Geometry of any numbers.

use geom::{Aabb, CFrame, Mat3, Mat4, TriMesh, Vec3};

/// Vectors, matrices and meshes of any numbers.
pub(super) fn geom(data: &[u8]) {
    let mut numbers =
        data.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let flat: [f32; 16] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
    let matrix = Mat4::from_columns(flat);
    assert!(matrix.transpose().transpose().to_columns().map(f32::to_bits) == flat.map(f32::to_bits));
    let small = Mat3::from_columns(std::array::from_fn(|at| flat[at]));
    let _inverses = (matrix.inverse(), small.inverse());
    let frame = CFrame { position: Vec3::new(flat[9], flat[10], flat[11]), rotation: small };
    let _frames = (frame.inverse(), CFrame::from_axis_angle(frame.position, flat[12]));
    let positions: Vec<Vec3> = numbers
        .by_ref()
        .take(300)
        .map(|number| matrix.transform_point(Vec3::new(number, flat[13], flat[14])))
        .collect();
    let bounds = Aabb::from_points(positions.iter().copied());
    assert!(bounds.is_some() || positions.iter().all(|point| !point.is_finite()));
    // Indices, some of which lead nowhere.
    let index = |byte: u8| if byte == 255 { u32::MAX } else { u32::from(byte) };
    let mut mesh = TriMesh { positions, ..TriMesh::default() };
    mesh.triangles = data.chunks_exact(3).map(|three| [three[0], three[1], three[2]].map(index)).collect();
    mesh.uvs = vec![Default::default(); flat[15].to_bits() as usize % 3 * mesh.positions.len() / 2];
    let inside = mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.positions.len());
    assert!(inside || !mesh.is_consistent());
    let normals = (mesh.area_weighted_normals(), mesh.angle_weighted_normals());
    assert_eq!((normals.0.len(), normals.1.len()), (mesh.positions.len(), mesh.positions.len()));
}
