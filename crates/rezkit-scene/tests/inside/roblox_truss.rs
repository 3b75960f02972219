//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

/// Every bar is closed and faces outwards, and all bars together fill the box of the part.
#[test]
fn trusses_fill_their_boxes() {
    for (size, style, bars) in [
        (Vec3::new(2.0, 2.0, 2.0), 0, 4 + 8 + 4),
        (Vec3::new(2.0, 12.0, 2.0), 1, 4 + 28 + 24),
        (Vec3::new(64.0, 2.0, 2.0), 2, 4 + 132),
        (Vec3::new(2.0, 2.0, 18.06), 0, 4 + 40 + 36),
    ] {
        let truss = Truss::new(size, style);
        let mesh = truss.mesh();
        assert_eq!((mesh.triangles.len(), mesh.positions.len()), (12 * bars, 24 * bars), "{truss:?}");
        assert!(mesh.is_consistent());
        assert!(crate::is_watertight(&mesh));
        let bounds = mesh.bounds().expect("bars");
        for axis in 0..3 {
            let (min, max) = (bounds.min.to_array()[axis], bounds.max.to_array()[axis]);
            assert!((min + 0.5).abs() < 1e-6 && (max - 0.5).abs() < 1e-6, "{truss:?}: {bounds:?}");
        }
        for bar in mesh.triangles.chunks(12) {
            let volume: f32 = bar
                .iter()
                .map(|triangle| {
                    let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
                    a.dot(b.cross(c))
                })
                .sum();
            assert!(volume > 0.0, "{truss:?}");
        }
    }
    // Sizes that a part cannot have.
    for size in [Vec3::ZERO, Vec3::splat(f32::MAX)] {
        assert!(Truss::new(size, 9).bars() <= 4 + 4 * 1025);
    }
}
