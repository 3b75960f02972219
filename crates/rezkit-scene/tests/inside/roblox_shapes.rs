//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

const ALL: [Shape; 7] = [
    Shape::Block,
    Shape::Ball,
    Shape::CylinderX,
    Shape::CylinderY,
    Shape::Head,
    Shape::Wedge,
    Shape::CornerWedge,
];

/// Volumes: 1 for a block, 1/2 for a wedge, 1/3 for a pyramid over a square; those of round shapes are nearly the exact
/// ones.
#[test]
fn shapes_are_closed_and_have_the_volume_of_geometry() {
    let pi = std::f64::consts::PI;
    let volumes = [1.0, pi / 6.0, pi / 4.0, pi / 4.0, 0.70, 0.5, 1.0 / 3.0];
    for (shape, expected) in ALL.into_iter().zip(volumes) {
        let mesh = shape.mesh();
        assert!(mesh.is_consistent());
        assert!(crate::is_watertight(&mesh), "{shape:?}");
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] =
                    triangle.map(|index| Vec3::from(mesh.positions[index as usize].to_array()).as_dvec3());
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume - expected).abs() < 0.03, "{shape:?}: {volume}, expected {expected}");
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|index| Vec3::from(mesh.positions[index as usize].to_array()));
            let normal = (b - a).cross(c - a).normalize();
            let first = Vec3::from(mesh.normals[triangle[0] as usize].to_array());
            assert!(normal.dot(first) > 0.7, "{shape:?} {triangle:?}: {normal} and {first}");
        }
    }
}

/// The normals of slopes in Studio: (0, Sz, -Sy) for a wedge; (0, Sz, Sy) and (-Sy, Sx, 0) for a corner wedge.
#[test]
fn slopes_face_where_studio_has_them() {
    let has = |shape: Shape, normal: Vec3| {
        let normals = shape.mesh().normals;
        normals.iter().any(|other| Vec3::from(other.to_array()).distance(normal.normalize()) < 1e-6)
    };
    assert!(has(Shape::Wedge, Vec3::new(0.0, 1.0, -1.0)));
    assert!(has(Shape::CornerWedge, Vec3::new(0.0, 1.0, 1.0)));
    assert!(has(Shape::CornerWedge, Vec3::new(-1.0, 1.0, 0.0)));
}
