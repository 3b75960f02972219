//! Polygons of OBJ, PLY and Model 3D become triangles with the polygon's area.

use std::fmt::Write as _;

use rezkit_scene::{Budget, ErrorKind, Scene, obj, ply};

/// An OBJ file with one face that has these corners in order.
fn obj_of(corners: &[[f64; 3]]) -> String {
    let mut text = String::new();
    for [x, y, z] in corners {
        writeln!(text, "v {x} {y} {z}").expect("text");
    }
    (1..=corners.len()).fold(text + "f", |text, index| format!("{text} {index}"))
}

fn ply_of(corners: &[[f64; 3]]) -> String {
    let count = corners.len();
    let mut text = "ply\nformat ascii 1.0\nelement face 1\nproperty list int int vertex_indices\n".to_owned();
    write!(text, "element vertex {count}\nproperty float x\nproperty float y\nproperty float z\n")
        .expect("text");
    text = (0..count).fold(format!("{text}end_header\n{count}"), |text, index| format!("{text} {index}"));
    corners.iter().fold(text + "\n", |text, [x, y, z]| format!("{text}{x} {y} {z}\n"))
}

fn read_obj(text: &str) -> Scene {
    obj::from_slice(text.as_bytes(), &mut crate::budget(), &mut |_, _| Ok(None)).expect("a scene").0
}

fn triangles(scene: &Scene) -> &[[u32; 3]] {
    &scene.meshes[0].primitives[0].mesh.triangles
}

/// The sum of the triangles' areas.
fn area(scene: &Scene) -> f64 {
    let mesh = &scene.meshes[0].primitives[0].mesh;
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
        f64::from((b - a).cross(c - a).length()) / 2.0
    };
    mesh.triangles.iter().map(area).sum()
}

#[track_caller]
fn assert_area(corners: &[[f64; 3]], wanted: f64) {
    let ply = ply::from_slice(ply_of(corners).as_bytes(), &mut crate::budget()).expect("a scene").0;
    for scene in [read_obj(&obj_of(corners)), ply] {
        assert_eq!(triangles(&scene).len(), corners.len() - 2);
        let found = area(&scene);
        assert!((found - wanted).abs() < 1e-5 * wanted, "{found} instead of {wanted}");
    }
}

fn flat<const N: usize>(corners: [[i32; 2]; N]) -> Vec<[f64; 3]> {
    corners.map(|[x, y]| [x.into(), y.into(), 0.0]).to_vec()
}

/// The corners of a star, or of a wheel if both radii are equal.
fn star(points: u32, radii: [f64; 2]) -> Vec<[f64; 3]> {
    let corner = |at: u32| {
        let angle = std::f64::consts::PI * f64::from(at) / f64::from(points);
        let radius = radii[at as usize % 2];
        [radius * angle.cos(), radius * angle.sin(), 0.0]
    };
    (0..2 * points).map(corner).collect()
}

#[test]
fn concave_polygons_keep_their_area() {
    assert_area(&flat([[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]]), 7.0);
    // A square with a square hole, in both directions; the cut is between corners that the face names twice.
    let mut hole = flat([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [1, 1], [1, 3], [3, 3], [3, 1], [1, 1]]);
    assert_area(&hole, 12.0);
    hole.reverse();
    assert_area(&hole, 12.0);
    // Twice a corner on a straight line, and a corner twice.
    assert_area(&flat([[0, 0], [1, 0], [2, 0], [2, 2], [1, 1], [1, 1], [0, 2], [0, 1]]), 3.0);
    for points in [5, 100, 700] {
        // Each of the triangles around the centre has two sides of these lengths.
        let wanted = f64::from(points) * 2.0 * 0.7 * (std::f64::consts::PI / f64::from(points)).sin();
        assert_area(&star(points, [2.0, 0.7]), wanted);
        let far = star(points, [2.0, 0.7]).into_iter().map(|[x, y, _]| [5.0, x + 20.0, y - 3.0]);
        assert_area(&far.collect::<Vec<_>>(), wanted);
    }
    // A crescent: each corner of the inner arc is only slightly concave.
    let arc = |radius: f64, at: u32| {
        let angle = std::f64::consts::PI * f64::from(at) / 1000.0;
        [radius * angle.cos(), angle.sin(), 0.0]
    };
    let outer = (0..=1000).map(|at| arc(1.0, at));
    let crescent: Vec<_> =
        outer.chain((1..1000).rev().map(|at| arc(1.0, at)).map(|[x, y, z]| [x, y / 2.0, z])).collect();
    assert_area(&crescent, std::f64::consts::PI / 4.0);
    // With rounded numbers, its ends have no width.
    let rounded = |corner: &[f64; 3]| corner.map(|axis| (axis * 1e5).round() / 1e5);
    let crescent: Vec<_> = crescent.iter().map(rounded).collect();
    let next = crescent.iter().cycle().skip(1);
    let doubled = crescent.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>();
    assert_area(&crescent, doubled / 2.0);
}

/// A quadrilateral is cut along the diagonal that is inside it, whichever corner comes first.
#[test]
fn concave_quadrilaterals_are_cut_inside() {
    let mut arrow = flat([[0, 0], [4, 2], [0, 4], [1, 2]]);
    for _ in 0..4 {
        assert_area(&arrow, 6.0);
        arrow.rotate_left(1);
    }
}

/// The fan of a convex polygon remains, as does that of one that is bent slightly, has no area, or crosses itself.
#[test]
fn other_polygons_are_fans() {
    let line = flat([[0, 0], [1, 0], [2, 0], [3, 0], [2, 0]]);
    let bent = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [1.0, 1.0, 0.0], [0.0, 1.0, 0.1]];
    let pentagram = star(5, [1.0, 1.0]);
    let pentagram = (0..5).map(|at| pentagram[at * 4 % 10]).collect();
    let on_sides = flat([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]]);
    for corners in [flat([[0, 0], [1, 0], [1, 1]]), line, bent, pentagram, on_sides, star(50, [1.0, 1.0])] {
        let scene = read_obj(&obj_of(&corners));
        let count = u32::try_from(corners.len()).expect("few");
        assert!(triangles(&scene).iter().copied().eq((2..count).map(|at| [0, at - 1, at])), "{corners:?}");
    }
    let text = obj_of(&[[0.0, 0.0, 0.0], [f64::NAN, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(triangles(&read_obj(&text)), [[0, 1, 2], [0, 2, 3]]);
}

/// The effort grows with the square of the number of corners.
#[test]
fn effort_is_limited() {
    let mut budget = Budget::new(1 << 30);
    budget.work(Budget::STEPS - 1_000_000, "something else").expect("work");
    let text = obj_of(&star(5000, [2.0, 0.7]));
    let error = obj::from_slice(text.as_bytes(), &mut budget, &mut |_, _| Ok(None)).expect_err("too long");
    assert_eq!(error.kind(), ErrorKind::Effort);
}

#[test]
fn polygons_of_models_keep_their_area() {
    let text = "3dmodel 1\nn\nMIT\nme\n\n\nVertex\n0 0 0 1\n3 0 0 1\n3 3 0 1\n2 3 0 1\n2 1 0 1\n1 1 0 1\n\
                1 3 0 1\n0 3 0 1\n\nMesh\n0 1 2\n0 1 2 3 4 5 6 7\n\nEnd\n";
    let scene = crate::of_model(text).0;
    assert!((area(&scene) - 11.5).abs() < 1e-5, "{}", area(&scene));
}
