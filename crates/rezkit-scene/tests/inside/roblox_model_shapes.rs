//! Meshes made by hand that are the shapes of parts, and some that nearly are.

use geom::TriMesh;
use glam::{Mat4, Quat, Vec3};

use super::{Shape, Solid};

fn mesh(corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    TriMesh {
        positions: corners.iter().map(|at| (*at).into()).collect(),
        triangles: triangles.to_vec(),
        ..TriMesh::default()
    }
}

/// A convex solid between two polygons with the same number of corners, of which the first is at the bottom.
fn prism(bottom: &[[f32; 3]], top: &[[f32; 3]]) -> TriMesh {
    let count = bottom.len() as u32;
    let corners: Vec<[f32; 3]> = bottom.iter().chain(top).copied().collect();
    let mut triangles = Vec::new();
    for at in 0..count {
        let next = (at + 1) % count;
        triangles.extend([[at, next, count + next], [at, count + next, count + at]]);
    }
    for at in 1..count - 1 {
        triangles.extend([[0, at + 1, at], [count, count + at, count + at + 1]]);
    }
    mesh(&corners, &triangles)
}

fn cube() -> TriMesh {
    // Counter-clockwise seen from above.
    let ring = |y: f32| [[1.0, y, 1.0], [1.0, y, -1.0], [-1.0, y, -1.0], [-1.0, y, 1.0]];
    prism(&ring(-1.0), &ring(1.0))
}

fn circle(count: u32) -> TriMesh {
    let ring = |y: f32| {
        let corner = |at: u32| {
            let angle = std::f32::consts::TAU * at as f32 / count as f32;
            [angle.sin(), y, angle.cos()]
        };
        (0..count).map(corner).collect::<Vec<_>>()
    };
    prism(&ring(-2.0), &ring(2.0))
}

fn placed(mesh: &TriMesh, world: Mat4) -> Option<(Shape, Vec3, Mat4)> {
    let solid = Solid::of(mesh, None)?;
    solid.placed(world).map(|(size, frame)| (solid.shape, size, frame))
}

#[test]
fn a_turned_box_is_a_block_with_its_size() {
    let turn = Mat4::from_rotation_translation(Quat::from_rotation_y(0.7), Vec3::new(1.0, 2.0, 3.0));
    let world = turn * Mat4::from_scale(Vec3::new(2.0, 3.0, 4.0));
    let (shape, size, frame) = placed(&cube(), world).expect("a block");
    assert_eq!(shape, Shape::Block);
    assert!(size.abs_diff_eq(Vec3::new(4.0, 6.0, 8.0), 1e-5), "{size}");
    assert!(frame.abs_diff_eq(turn, 1e-5), "{frame}");
    // Turned in the mesh itself, as Blender's "apply rotation" leaves it.
    let mut applied = cube();
    for at in &mut applied.positions {
        *at = world.transform_point3(Vec3::from(at.to_array())).to_array().into();
    }
    let (shape, size, frame) = placed(&applied, Mat4::IDENTITY).expect("a block");
    assert_eq!(shape, Shape::Block);
    assert!(size.abs_diff_eq(Vec3::new(4.0, 6.0, 8.0), 1e-3), "{size}");
    assert!(frame.abs_diff_eq(turn, 1e-3), "{frame}");
}

#[test]
fn wedges_have_their_slope_at_the_front() {
    // The triangle in the plane x = -1, with the right angle at the back (+z), and the same at x = 1.
    let side = |x: f32| [[x, -1.0, 1.0], [x, -1.0, -1.0], [x, 1.0, 1.0]];
    let (shape, size, frame) = placed(&prism(&side(-1.0), &side(1.0)), Mat4::IDENTITY).expect("a wedge");
    assert_eq!((shape, size), (Shape::Wedge, Vec3::splat(2.0)));
    assert!(frame.abs_diff_eq(Mat4::IDENTITY, 1e-6), "{frame}");
    // A corner wedge has its upper corner at the right (+x) of the front (-z).
    let corners = [[1., 1., -1.], [1., -1., -1.], [1., -1., 1.], [-1., -1., 1.], [-1., -1., -1.]];
    let triangles = [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]];
    let corner = mesh(&corners, &triangles);
    let (shape, size, frame) = placed(&corner, Mat4::IDENTITY).expect("a corner wedge");
    assert_eq!((shape, size), (Shape::CornerWedge, Vec3::splat(2.0)));
    assert!(frame.abs_diff_eq(Mat4::IDENTITY, 1e-6), "{frame}");
    // A mirror image is a turned one: its upper corner is at the left of the front.
    let (_, size, frame) =
        placed(&corner, Mat4::from_scale(Vec3::new(-3.0, 1.0, 1.0))).expect("a corner wedge");
    let apex = frame.transform_point3(size * Vec3::new(0.5, 0.5, -0.5));
    assert!(apex.abs_diff_eq(Vec3::new(-3.0, 1.0, -1.0), 1e-5) && frame.determinant() > 0.0, "{apex}");
}

#[test]
fn only_round_prisms_are_cylinders() {
    let (shape, size, frame) = placed(&circle(32), Mat4::IDENTITY).expect("a cylinder");
    assert_eq!(shape, Shape::Cylinder);
    assert!(size.abs_diff_eq(Vec3::new(4.0, 2.0, 2.0), 1e-5), "{size}");
    assert!(frame.x_axis.truncate().abs_diff_eq(Vec3::Y, 1e-6), "the axis is y");
    for sides in [8, 12, 16] {
        assert!(Solid::of(&circle(sides), None).is_none(), "a prism with {sides} sides");
    }
    assert!(Solid::of(&circle(24), None).is_some(), "as this crate draws cylinders");
    assert!(placed(&circle(32), Mat4::from_scale(Vec3::new(2.0, 1.0, 1.0))).is_none(), "an ellipse");
}

/// A sphere of triangles between rings.
fn sphere(segments: u32, rings: u32) -> TriMesh {
    let at = |ring: u32, segment: u32| {
        let (down, around) = (
            std::f32::consts::PI * ring as f32 / rings as f32,
            std::f32::consts::TAU * (segment % segments) as f32 / segments as f32,
        );
        [down.sin() * around.sin(), down.cos(), down.sin() * around.cos()]
    };
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for ring in 0..rings {
        for segment in 0..segments {
            let [a, b, c, d] =
                [(ring, segment), (ring + 1, segment), (ring + 1, segment + 1), (ring, segment + 1)]
                    .map(|(ring, segment)| at(ring, segment));
            let first = corners.len() as u32;
            corners.extend([a, b, c, d]);
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh(&corners, &triangles)
}

/// A ball of few faces is meant to have them: its faces are up to 10 % of the radius inside of the ball.
#[test]
fn a_sphere_of_few_faces_is_no_ball() {
    for (segments, rings, is_ball) in [(8, 6, false), (16, 8, false), (24, 12, true), (32, 16, true)] {
        let found = Solid::of(&sphere(segments, rings), None).map(|solid| solid.shape);
        assert_eq!(found == Some(Shape::Ball), is_ball, "{segments} segments: {found:?}");
    }
}

#[test]
fn what_is_not_exact_is_no_shape() {
    let mut open = cube();
    open.triangles.pop();
    assert!(Solid::of(&open, None).is_none(), "a hole");
    let mut inside_out = cube();
    inside_out.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    assert!(Solid::of(&inside_out, None).is_none());
    let mut bent = cube();
    bent.positions[0] = [1.01, -1.0, 1.0].into();
    assert!(Solid::of(&bent, None).is_none());
    // A shear is no part.
    let shear = Mat4::from_cols_array(&[1., 0., 0., 0., 0.5, 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]);
    assert!(placed(&cube(), shear).is_none());
}

/// With a tolerance, a mesh is a part if all of its points are within so many studs of the part.
#[test]
fn a_tolerance_is_in_studs() {
    let found = |mesh: &TriMesh, size: f32, studs: f32| {
        let solid = Solid::of(mesh, Some(studs / (2.0 * size)))?;
        solid.within(mesh, Mat4::from_scale(Vec3::splat(size)), studs).map(|found| (solid.shape, found.0))
    };
    // A corner is 0.01 off, ten times of it in a scene ten times as large.
    let mut bent = cube();
    bent.positions[0] = [1.01, -1.0, 1.0].into();
    for (size, studs, is_part) in
        [(1.0, 0.02, true), (1.0, 0.005, false), (10.0, 0.05, false), (10.0, 0.2, true)]
    {
        let found = found(&bent, size, studs);
        assert_eq!(found.is_some(), is_part, "{size} {studs}: {found:?}");
        if let Some((shape, found)) = found {
            assert_eq!(shape, Shape::Block);
            assert!(found.abs_diff_eq(Vec3::splat(2.0 * size), studs), "{found}");
        }
    }
    // A cylinder of 32 sides and the radius 1 is 1 - cos(180 degrees / 32) = 0.0048 inside of its circle.
    assert_eq!(found(&circle(32), 1.0, 0.0049).map(|found| found.0), Some(Shape::Cylinder));
    assert!(found(&circle(32), 1.0, 0.0047).is_none());
    assert!(found(&circle(32), 10.0, 0.0049).is_none());
    // The middles of the faces of a ball of 32 segments are farther inside.
    assert_eq!(found(&sphere(32, 16), 1.0, 0.02).map(|found| found.0), Some(Shape::Ball));
    assert!(found(&sphere(32, 16), 1.0, 0.002).is_none());
    // Wedges, one of them bent.
    let side = |x: f32| [[x, -1.0, 1.0], [x, -1.0, -1.0], [x, 1.0, 1.0]];
    let mut wedge = prism(&side(-1.0), &side(1.0));
    assert_eq!(found(&wedge, 1.0, 0.001).map(|found| found.0), Some(Shape::Wedge));
    wedge.positions[2] = [-1.0, 1.0, 1.02].into();
    assert!(found(&wedge, 1.0, 0.001).is_none());
    assert_eq!(found(&wedge, 1.0, 0.05).map(|found| found.0), Some(Shape::Wedge));
}
