//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

#[test]
fn volumes_that_are_known() {
    let grid: Vec<DVec3> =
        (0..64).map(|i| DVec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64)).collect();
    let hull = Hull::around(&grid, 256, 0.0).expect("a volume");
    assert!((hull.volume() - 27.0).abs() < 1e-9);
    assert_eq!(hull.points.len(), 8);
    // A sphere, of which each point is a corner of the hull. With 512 points, the hull lacks about 2 % of the volume.
    let sphere: Vec<DVec3> = (0..512)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 512.0;
            let (radius, angle) = ((1.0 - z * z).sqrt(), 2.399_963 * f64::from(i));
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
        .collect();
    let hull = Hull::around(&sphere, 1000, 0.0).expect("a volume");
    assert_eq!((hull.points.len(), hull.triangles.len()), (512, 2 * 512 - 4));
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!(hull.volume() < ball && hull.volume() > 0.97 * ball);
    assert!(
        (hull.sides().depth(DVec3::ZERO) - 1.0).abs() < 0.03 && hull.sides().depth(DVec3::X * 2.0) < -0.9
    );
    let few = Hull::around(&sphere, 32, 0.0).expect("a volume");
    assert!(few.points.len() == 32 && few.volume() > 0.75 * ball);
    assert!(Hull::around(&grid[..16], 256, 0.0).is_none());
    let not_finite = [[0.0, 0.0, f32::NAN], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(Hull::mesh_around(not_finite.map(Into::into)).is_none());
    let octahedron = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis, DVec3::ZERO]);
    let octahedron = Hull::around(&octahedron.collect::<Vec<_>>(), 256, 0.0).expect("a volume");
    assert_eq!((octahedron.points.len(), octahedron.triangles.len()), (6, 8));
    assert!((octahedron.volume() - 4.0 / 3.0).abs() < 1e-12);
    assert!(Hull::around(&grid[..1], 256, 0.0).is_none() && Hull::around(&[], 256, 0.0).is_none());
}
