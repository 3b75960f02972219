//! Evaluated shapes, compared with formulas that are not those of the crate.

use m3d::geom::{TriMesh, Vec2, Vec3};
use m3d::{Arg, Builder, Command, CommandId, Model, Shape, ShapeId, ViewOptions};
use rezkit_scene::m3d::shapes::{Curve, DIVISIONS, Evaluated, Surface, evaluate, evaluate_all};
use testkit::{corpus, fixture};

const POINTS: &str = "0 0 0 1\n0 1 0 1\n1 0 0 1\n1 0 -1 1\n0 0 1 1\n-0.70710677 0 0 0.70710677\n3 4 0 1\n";

/// A model that is never freed, so that evaluated shapes can refer to it.
fn read(text: &str) -> &'static Model {
    Box::leak(Box::new(m3d::from_str(text).expect("a text")))
}

/// Evaluates a shape of a model with the default limits.
fn evaluated(model: &Model, shape: u32) -> Evaluated<'_> {
    evaluate(model, ShapeId(shape), DIVISIONS, &ViewOptions::new()).expect("within the limits")
}

/// Evaluates commands. Vertex 0 is the origin, 1 is on y, 2 on x, 3 at x and -z, 4 on z, 5 is a rotation of z to y, 6
/// is far away.
fn shape(commands: &str) -> Evaluated<'static> {
    let text = format!(
        "3dmodel 1\nn\nl\na\n\n\nTextmap\n0 1\n0 0.5\n1 0\n0 3\n\nVertex\n{POINTS}\nShape\n{commands}\nShape\n{commands}\n"
    );
    evaluated(read(&text), 0)
}

fn mesh(commands: &str) -> TriMesh {
    let Evaluated { mut surfaces, left_out, .. } = shape(commands);
    assert!(left_out.is_empty(), "{commands}: {left_out:?}");
    assert_eq!(surfaces.len(), 1);
    let mesh = surfaces.remove(0).mesh;
    assert!(mesh.is_consistent());
    mesh
}

fn why(commands: &str) -> Vec<String> {
    shape(commands).left_out.iter().map(ToString::to_string).collect()
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x - b.x, a.y - b.y, a.z - b.z)
}

/// The enclosed volume, which is only positive if triangles are counter-clockwise from outside.
fn volume(mesh: &TriMesh) -> f32 {
    mesh.triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

fn area(mesh: &TriMesh) -> f32 {
    mesh.triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
            sub(b, a).cross(sub(c, a)).length() / 2.0
        })
        .sum()
}

/// Checks that normals have length 1, and are on the side from which triangles are counter-clockwise.
fn normals_agree(mesh: &TriMesh) {
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
        let across = sub(b, a).cross(sub(c, a));
        for &index in triangle {
            let normal = mesh.normals[index as usize];
            assert!((normal.length() - 1.0).abs() < 1e-5);
            assert!(normal.dot(across) > -1e-6 * across.length());
        }
    }
}

const PI: f32 = std::f32::consts::PI;

#[test]
fn a_circle() {
    let circle = mesh("div 24\ncircle 6 -1 2\n");
    assert_eq!((circle.positions.len(), circle.triangles.len()), (25, 24));
    assert!(
        circle.positions[1..].iter().all(|&p| (sub(p, Vec3::new(3.0, 4.0, 0.0)).length() - 2.0).abs() < 1e-6)
    );
    // The area of a regular polygon with 24 corners.
    assert!((area(&circle) - 24.0 / 2.0 * 4.0 * (2.0 * PI / 24.0).sin()).abs() < 1e-4);
    assert!(circle.normals.iter().all(|normal| *normal == Vec3::new(0.0, 0.0, 1.0)));
    normals_agree(&circle);
    // Vertex 5 rotates by -90 degrees about x: z becomes y.
    let turned = mesh("circle 0 5 1\n");
    assert!(turned.positions.iter().all(|p| p.y.abs() < 1e-6));
    assert!(turned.normals.iter().all(|normal| (normal.y - 1.0).abs() < 1e-6));
}

#[test]
fn a_sphere() {
    let sphere = mesh("sub 48 24\nshpere 6 0.5\n");
    assert_eq!(sphere.positions.len(), 49 * 25);
    assert_eq!(sphere.triangles.len(), 48 * 2 * 23);
    for (&position, &normal) in sphere.positions.iter().zip(&sphere.normals) {
        let out = sub(position, Vec3::new(3.0, 4.0, 0.0));
        assert!((out.length() - 0.5).abs() < 1e-6 && (out.dot(normal) - 0.5).abs() < 1e-6);
    }
    normals_agree(&sphere);
    let ball = mesh("div 64\nshpere 0 1\n");
    assert!((volume(&ball) - 4.0 / 3.0 * PI).abs() < 0.02);
    assert!(ball.positions.iter().any(|&p| p == Vec3::new(0.0, 1.0, 0.0)));
}

#[test]
fn a_torus() {
    let torus = mesh("sub 64 32\ntorus 0 -1 1 0.25\n");
    assert_eq!((torus.positions.len(), torus.triangles.len()), (65 * 33, 64 * 32 * 2));
    for p in &torus.positions {
        let ring = (p.x * p.x + p.y * p.y).sqrt() - 1.0;
        assert!((ring * ring + p.z * p.z - 0.0625).abs() < 1e-5);
    }
    normals_agree(&torus);
    assert!((volume(&torus) - 2.0 * PI * PI * 0.0625).abs() < 0.03);
}

#[test]
fn cylinders() {
    for commands in [
        "div 64\ncylinder 0 5 0.5 1 5 0.5\n",
        "div 64\ncylinder 1 5 0.5 0 5 0.5\n",
        "div 64\ncylinder 0 -1 0.5 1 -1 0.5\n",
    ] {
        let mesh = mesh(commands);
        normals_agree(&mesh);
        assert!((volume(&mesh) - PI * 0.25).abs() < 0.01, "{commands}");
        for p in &mesh.positions {
            let out = (p.x * p.x + p.z * p.z).sqrt();
            assert!(out < 1e-6 || (out - 0.5).abs() < 1e-6);
            assert!((-1e-6..=1.0 + 1e-6).contains(&p.y));
        }
    }
    // A frustum.
    let frustum = mesh("div 128\ncylinder 0 5 1 1 5 0.5\n");
    normals_agree(&frustum);
    assert!((volume(&frustum) - PI / 3.0 * (1.0 + 0.5 + 0.25)).abs() < 0.01);
    // A cylinder along y whose ends face x cannot be made.
    let found = shape("cylinder 0 0 0.5 1 0 0.5\n");
    assert_eq!(found.left_out.len(), 1);
    let text = "3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0 1\n0 1 0 1\n0 0.70710677 0 0.70710677\n\nShape\ncylinder 0 2 0.5 1 2 0.5\n\n";
    let odd = evaluated(read(text), 0);
    assert!(odd.left_out[0].to_string().contains("do not face along the axis"), "{odd:?}");
    assert!((volume(&odd.surfaces[0].mesh) - PI * 0.25).abs() < 0.02);
}

#[test]
fn a_cone() {
    // Given by the middle of its base, its tip and its rim; and with the first two swapped.
    for commands in ["div 96\ncone 0 1 2\n", "div 96\ncone 1 0 2\n"] {
        let cone = mesh(commands);
        normals_agree(&cone);
        assert!((volume(&cone) - PI / 3.0).abs() < 0.01, "{commands}");
        let bounds = cone.bounds().expect("points");
        assert!((bounds.max.y - 1.0).abs() < 1e-6 && bounds.min.y.abs() < 1e-6);
    }
    assert_eq!(
        why("cone 0 0 2\n"),
        ["cone in shapes[0].commands[0]: the base and the tip are at the same point"]
    );
    assert_eq!(shape("cone 0 1 6\n").left_out.len(), 1);
}

#[test]
fn a_cube() {
    let cube = mesh("cube 0 2 3\n");
    assert_eq!((cube.positions.len(), cube.triangles.len()), (24, 12));
    assert!((volume(&cube) - 1.0).abs() < 1e-6 && (area(&cube) - 6.0).abs() < 1e-5);
    normals_agree(&cube);
    let bounds = cube.bounds().expect("points");
    assert_eq!((bounds.min, bounds.max), (Vec3::new(0.0, 0.0, -1.0), Vec3::new(1.0, 1.0, 0.0)));
    // With the corners in another order, its bottom is still below.
    let other = mesh("cube 3 2 0\n");
    assert!((volume(&other) - 1.0).abs() < 1e-6);
    normals_agree(&other);
    assert_eq!(other.bounds(), cube.bounds());
    assert_eq!(shape("cube 0 2 6\n").left_out.len(), 1);
    assert_eq!(why("cube 0 2 2\n"), ["cube in shapes[0].commands[0]: the three corners are on one line"]);
}

#[test]
fn polygons_and_lines() {
    let square = mesh("polygon 4[ 0 2 3 0 ]\n");
    assert!((area(&square) - 0.5).abs() < 1e-6);
    // An L with area 3 is cut into triangles inside of it.
    let text = "3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n\n\
        Shape\npolygon 6[ 0 1 2 3 4 5 ]\npolygon 6[ 5 4 3 2 1 0 ]\nline 3[ 0 1 2 ]\n\n";
    let found = evaluated(read(text), 0);
    for (Surface { mesh, .. }, up) in found.surfaces.iter().zip([1.0, -1.0]) {
        assert_eq!(mesh.triangles.len(), 4);
        assert!((area(mesh) - 3.0).abs() < 1e-6);
        assert_eq!(mesh.normals[0], Vec3::new(0.0, 0.0, up));
        normals_agree(mesh);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
            let (x, y) = ((a.x + b.x + c.x) / 3.0, (a.y + b.y + c.y) / 3.0);
            assert!(x < 1.0 || y < 1.0, "({x}, {y}) is outside");
        }
    }
    let line = &found.curves[0];
    assert_eq!((line.points.len(), line.helper, line.length()), (3, false, 3.0));
}

/// Ten times 2e38 is more than the greatest number of 32 bits, 3.4e38.
#[test]
fn positions_beyond_the_range_are_left_out() {
    let text = "3dmodel 10\nn\nl\na\n\n\nVertex\n0 0 0\n2e38 0 0\n2e38 1 0\n\n\
        Shape\nline 3[ 0 1 2 ]\npolygon 3[ 0 1 2 ]\n\n";
    let found = evaluated(read(text), 0);
    assert_eq!((found.curves.len(), found.surfaces.len()), (0, 0));
    let left_out: Vec<_> = found.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(
        left_out.iter().all(|why| why.ends_with("has a position beyond the range of 32-bit floats")),
        "{left_out:?}"
    );
}

/// A cubic curve by de Casteljau's algorithm, without weights.
fn cubic([a, b, c, d]: [[f64; 3]; 4], t: f64) -> [f64; 3] {
    let mix = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t);
    let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
    mix(mix(ab, bc), mix(bc, cd))
}

fn near(point: Vec3, wanted: [f64; 3]) -> bool {
    point.to_array().into_iter().zip(wanted).all(|(a, b)| (f64::from(a) - b).abs() < 1e-6)
}

#[test]
fn the_bezier_curve_of_the_obj_specification() {
    for sample in corpus("m3d").iter().filter(|sample| sample.name.ends_with("bezier.a3d")) {
        let model = m3d::from_slice(&sample.bytes).expect("a real file");
        let found = evaluated(&model, 0);
        assert!(found.left_out.is_empty() && found.surfaces.is_empty());
        let Curve { points, helper, .. } = &found.curves[0];
        // Four segments of degree 3, each divided 1 * 3 times.
        assert_eq!((points.len(), helper), (13, &true));
        let controls: Vec<[f64; 3]> =
            model.vertices.coords.iter().map(|c| [c.x, c.y, c.z].map(f64::from)).collect();
        for (place, &point) in points.iter().enumerate() {
            let segment = (place / 3).min(3);
            let four = [0, 1, 2, 3].map(|i| controls[3 * segment + i]);
            assert!(near(point, cubic(four, (place - 3 * segment) as f64 / 3.0)), "point {place}");
        }
        // Computed with Bernstein polynomials in another language.
        assert!(near(points[1], [-2.2359259259259265, 0.5381481481481483, 0.0]));
        assert!(near(points[7], [0.6674074074074074, -0.22259259259259256, 0.0]));
        // The curve as a tube.
        let tube = found.curves[0].tube(0.05, 8).unwrap();
        assert_eq!((tube.positions.len(), tube.triangles.len()), (13 * 9, 12 * 8 * 2));
        normals_agree(&tube);
    }
}

#[test]
fn the_nurbs_surface_of_the_obj_specification() {
    for sample in corpus("m3d").iter().filter(|sample| sample.name.ends_with("nurbs.a3d")) {
        let model = m3d::from_slice(&sample.bytes).expect("a real file");
        let found = evaluate(&model, ShapeId(0), 4, &ViewOptions::new()).unwrap();
        assert!(found.left_out.is_empty());
        let Surface { material, mesh, .. } = &found.surfaces[0];
        assert_eq!(*material, "SkinMaterial");
        assert_eq!((mesh.positions.len(), mesh.triangles.len(), mesh.uvs.len()), (25, 32, 25));
        normals_agree(mesh);
        // Computed with rational Bernstein polynomials in another language, at (0.5, 0.5) and (0.25, 0.75).
        assert!(near(mesh.positions[12], [0.14711316397228638, -0.01616628175519631, 0.3034642032332564]));
        assert!(near(mesh.positions[16], [-0.38230645397336444, 0.7149129225815893, 0.21609834626079322]));
        let uv = mesh.uvs[12];
        assert!((uv.x - 0.538_106_2).abs() < 1e-6 && (1.0 - uv.y - 0.491_916_86).abs() < 1e-6);
        // The corners of the surface are control points.
        assert!(near(mesh.positions[0], [-1.3, -1.0, 0.0]));
        assert!(near(mesh.positions[24], [1.1, 1.0, 0.0]));
    }
    // The SDK saved these two files without updating the references of shapes. The shapes are wrong, but what cannot be
    // made is listed.
    for sample in corpus("m3d").iter().filter(|sample| sample.name.ends_with("nurbs.m3d")) {
        let model = m3d::from_slice(&sample.bytes).expect("a real file");
        let found = evaluated(&model, 0);
        assert_eq!((found.surfaces.len(), found.left_out.len()), (1, 2));
    }
}

#[test]
fn a_quarter_of_a_circle_is_a_rational_curve() {
    let text = "3dmodel 1\nn\nl\na\n\n\nTextmap\n0 1\n\nVertex\n1 0 0 1\n1 1 0 0.70710678118\n0 1 0 1\n\nShape\n\
        degu 2\ndiv 16\nbez1 3[ 0 1 2 ]\ndegu 2\nparu 6[ 0 0 0 1 1 1 ]\nrangeu 0\nbsp1 3[ 0 1 2 ]\n\
        degu 2\nlen 0.1\nbez2 3[ 0 1 2 ]\ndegu 2\ndist 0.001 90\nbez2 3[ 0 1 2 ]\ndegu 2\ndist 0 5\nbez2 3[ 0 1 2 ]\n\n";
    let found = evaluated(read(text), 0);
    assert!(found.left_out.is_empty(), "{:?}", found.left_out);
    let counts: Vec<usize> = found.curves.iter().map(|curve| curve.points.len()).collect();
    // By parameter, 16 * 2; the default is 16; by length, 1.57 / 0.1; by an arrow of 0.001, for which pi/2 / (2
    // acos(0.999)) = 17.6 would be enough; by 5 degrees, for which 18 would be enough.
    assert_eq!(counts, [33, 17, 17, 33, 33]);
    for curve in &found.curves {
        assert!(curve.points.iter().all(|p| (p.length() - 1.0).abs() < 1e-6));
        assert!((curve.length() - PI / 2.0).abs() < 0.002);
    }
}

#[test]
fn the_weights_of_a_spline_sum_up_to_one() {
    let spline = shape("degu 2\nparu 9[0 0 0 0.3 0.7 0.7 1 1 1]\nbsp1 6[2 3 2 3 2 3]\n");
    assert!(spline.left_out.is_empty() && spline.curves[0].points.len() > 3, "{spline:?}");
    // The control points only differ in z.
    assert!(
        spline.curves[0]
            .points
            .iter()
            .all(|&Vec3 { x, y, z }| near(Vec3::new(x, y, 0.0), [1.0, 0.0, 0.0]) && z < 0.1)
    );
    for (knots, said) in [
        ("degu 2\nparu 4[0 0 1 1]", "at least 6 knots (paru) for degree 2, found 4"),
        (
            "degu 1\nparu 4[0 1 0.5 1]",
            "finite knots (paru), none less than the one before it, found 1 before 0.5",
        ),
        (
            "degu 1\nparu 4[0 1 1 2]",
            "knots (paru) that increase between number 2 and number 3, found 1 for both",
        ),
    ] {
        let said = format!("bsp1 in shapes[0].commands[2]: expected {said}");
        assert_eq!(why(&format!("{knots}\nbsp1 2[2 3]\n")), [said]);
    }
}

#[test]
fn a_bilinear_patch_and_its_divisions() {
    let text = |divide: &str| {
        format!(
            "3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0\n2 0 0\n0 1 0\n2 1 2\n\nShape\n{divide}bez 4[ 0 1 2 3 ]\n\n"
        )
    };
    for (divide, columns, rows) in [("", 17, 17), ("div 3\n", 4, 4), ("sub 2 5\n", 3, 6), ("len 0.5\n", 7, 6)]
    {
        let found = evaluated(read(&text(divide)), 0);
        let mesh = &found.surfaces[0].mesh;
        assert_eq!(mesh.positions.len(), columns * rows, "{divide}");
        for (place, p) in mesh.positions.iter().enumerate() {
            let u = (place % columns) as f32 / (columns - 1) as f32;
            let v = (place / columns) as f32 / (rows - 1) as f32;
            assert!(sub(*p, Vec3::new(2.0 * u, v, 2.0 * u * v)).length() < 1e-6);
        }
        normals_agree(mesh);
    }
}

#[test]
fn patches_of_the_fixture() {
    let model = m3d::from_slice(&fixture("m3d", "ascii-patches.a3d")).expect("a fixture");
    let curves = evaluated(&model, 0);
    assert!(curves.left_out.is_empty());
    // Two segments of 2 * 2 pieces; three spans of 16; three spans of 16.
    let counts: Vec<usize> = curves.curves.iter().map(|curve| curve.points.len()).collect();
    assert_eq!(counts, [9, 49, 49]);
    // A clamped spline begins and ends at its first and last control point.
    assert_eq!(curves.curves[1].points[0], Vec3::new(0.0, 0.0, 0.0));
    assert_eq!(curves.curves[1].points[48], Vec3::new(0.5, 1.0, 0.0));
    let surfaces = evaluated(&model, 1);
    assert_eq!(surfaces.surfaces.len(), 3);
    assert_eq!(surfaces.surfaces[0].mesh.positions.len(), 81);
    // The middle of nine points, of which the middle one has z = 1 and weight 2. The basis functions there are 1/16
    // 2/16 1/16, 2/16 4/16 2/16, ..., so that z is 1 * 2 * 4/16 / (12/16 + 2 * 4/16) = 0.4.
    assert!((surfaces.surfaces[0].mesh.positions[40].z - 0.4).abs() < 1e-6);
    let [_, bilinear, nurbs] = [0, 1, 2].map(|place| &surfaces.surfaces[place].mesh);
    assert!(!bilinear.uvs.is_empty() && nurbs.uvs.is_empty());
    assert!(nurbs.normals.iter().all(|normal| (normal.z - 1.0).abs() < 1e-6));
    let left: Vec<CommandId> = surfaces.left_out.iter().map(|left| left.id).collect();
    assert_eq!(left, [CommandId::TRIM]);
}

/// A shape that is included four times has its reasons once.
#[test]
fn a_reason_is_listed_once() {
    let model = read(
        "3dmodel 1\n\n\n\n\nVertex\n0 0 0 1\n0 0 0 1\n\nShape\ninc 7 0 -1\n\nShape\ninc 0 0 -1\ninc 0 0 -1\n\n\
         Shape\ninc 1 0 -1\ninc 1 0 -1\n\n",
    );
    let left_out = evaluated(model, 2).left_out;
    assert_eq!(left_out.len(), 1, "{left_out:?}");
}

#[test]
fn shapes_in_shapes() {
    let model = m3d::from_slice(&fixture("m3d", "ascii-solids.a3d")).expect("a fixture");
    let once = evaluated(&model, 0);
    let twice = evaluated(&model, 1);
    assert_eq!((once.surfaces.len(), once.curves.len()), (7, 1));
    assert!(once.left_out.is_empty(), "{:?}", once.left_out);
    assert_eq!((twice.surfaces.len(), twice.curves.len()), (14, 2));
    // Moved along z; and rotated so that z becomes y.
    let [a, b, c] = [&once.surfaces[2], &twice.surfaces[2], &twice.surfaces[9]];
    for ((p, q), r) in a.mesh.positions.iter().zip(&b.mesh.positions).zip(&c.mesh.positions) {
        assert!(sub(*q, Vec3::new(p.x, p.y, p.z + 1.0)).length() < 1e-6);
        assert!(sub(*r, Vec3::new(p.x, p.z, -p.y)).length() < 1e-6);
    }
    assert!((a.shape, a.command) == (ShapeId(0), 4) && b.shape == ShapeId(0));
    assert!(twice.to_tri_mesh().is_consistent());

    let endless = m3d::from_str("3dmodel 1\n\n\n\n\nVertex\n0 0 0 1\n\nShape\ninc 0 0 -1\ninc 0 0 -1\n\n")
        .expect("a text");
    let found = evaluated(&endless, 0);
    assert!(found.left_out.len() > 1 && found.surfaces.is_empty());
}

#[test]
fn what_is_left_out_is_said() {
    let [trim, conn] = [why("trim 1[ 0 0 ]\n"), why("conn 0 0 0 0 0 0\n")];
    let cut = "trimming surfaces is not supported; the surface is converted without the cut";
    assert_eq!(trim, [format!("trim in shapes[0].commands[0]: {cut}")]);
    assert_eq!(conn, ["conn in shapes[0].commands[0]: connecting surfaces is not supported"]);
    for (commands, said) in [
        ("hole 1[ 0 0 ]\n", "trimming"),
        ("scrv 1[ 0 0 ]\n", "special curves and points"),
        ("sp 1[ 0 ]\n", "special curves and points"),
        ("div 3\n", "no curve or surface follows"),
        ("degu 40\nbez1 3[ 0 1 2 ]\n", "expected a degree from 1 to 32, found 40"),
        ("degu 0\nbez1 3[ 0 1 2 ]\n", "expected a degree from 1 to 32, found 0"),
        (
            "degu 2\nbez1 4[ 0 1 2 3 ]\n",
            "expected 3, 5, 7, … control points for Bézier segments of degree 2, found 4",
        ),
        (
            "degu 2\nparu 4[ 0 0 1 1 ]\nbsp1 3[ 0 1 2 ]\n",
            "expected at least 6 knots (paru) for degree 2, found 4",
        ),
        (
            "degu 2\nparu 6[ 0 0 0 1 1 1 ]\nbsp1 4[ 0 1 2 3 ]\n",
            "expected 3 control points for the given degrees and knots, found 4",
        ),
        ("paru 2[ 1 0 ]\nbez1 2[ 0 1 ]\n", "strictly increasing parameters (paru), found 1 before 0"),
        ("rangeu 9\nbez1 2[ 0 1 ]\n", "a texture coordinate that does not exist"),
        ("rangeu 3\nbez1 2[ 0 1 ]\n", "the range from 0 to 3 was cut to the range of the knots, 0 to 1"),
        ("rangeu 2\nbez1 2[ 0 1 ]\n", "is reversed"),
        ("line 2[ 0 99 ]\n", "a vertex that does not exist"),
        ("line 2[ 0 -1 ]\n", "a vertex that does not exist"),
        ("bez1 2[ 0 0 ]\n", "all control points coincide"),
        ("polygon 2[ 0 1 ]\n", "fewer than three corners"),
        ("shpere 0 0\n", "expected a finite radius above 0"),
        ("shpere 0 nan\n", "expected a finite radius above 0"),
        ("circle 0 6 1\n", "its length is ignored"),
        ("inc 7 0 -1\n", "the included shape does not exist"),
        ("mesh 0 -1 99 -1\n", "a vertex that does not exist"),
        ("mesh 7 1 0 -1\n", "expected the index of a face, found 7 (number of faces: "),
    ] {
        let said_here = why(commands);
        assert!(said_here.iter().any(|line| line.contains(said)), "{commands}: {said_here:?}");
    }
    // An unknown command, which no text can contain.
    let other = m3d::Command { id: CommandId(99), args: vec![m3d::Arg::Other(vec![0])] };
    let shape = m3d::Shape { commands: vec![other], ..m3d::Shape::default() };
    let model = Model { shapes: vec![shape], ..Model::default() };
    let found = evaluated(&model, 0);
    assert!(found.left_out[0].to_string().contains("no command has the code"), "{:?}", found.left_out);
    let error = evaluate(&Model::default(), ShapeId(3), DIVISIONS, &ViewOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "shape index 3 is out of range (the list has 0 shapes)");
}

#[test]
fn parts_of_the_mesh() {
    let text = "3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n\nMesh\n0 1 2\n0 1 2 3\n0 1\n\n\
        Shape\nmesh 0 -1 0 -1\nmesh 1 1 4 -1\n\n";
    let found = evaluated(read(text), 0);
    let [all, one] = [&found.surfaces[0].mesh, &found.surfaces[1].mesh];
    assert_eq!((all.triangles.len(), one.triangles.len()), (3, 2));
    assert_eq!(one.positions[2], Vec3::new(1.0, 1.0, 1.0));
    let [ignored] = &found.left_out[..] else { panic!("{:?}", found.left_out) };
    let what = "faces with fewer than three corners are ignored (number: 1)";
    assert!(ignored.to_string().contains(what), "{ignored}");
}

#[test]
fn v_grows_downwards() {
    // The corners of a patch with texture coordinates.
    let text = "3dmodel 2\npicture\n\n\n\nTextmap\n0 0\n1 0\n1 1\n0 1\n\nVertex\n0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 0 1\n\n\
        Shape s\ndiv 1\nbezu 4[ 0 0 1 1 3 3 2 2 ]\n\nEnd\n";
    let found = evaluated(read(text), 0);
    let patch = &found.surfaces[0].mesh;
    let at = |point: Vec3| patch.positions.iter().position(|&p| p == point).expect("a corner");
    assert_eq!(patch.uvs[at(Vec3::new(0.0, 0.0, 0.0))], Vec2::new(0.0, 1.0));
    assert_eq!(patch.uvs[at(Vec3::new(2.0, 2.0, 0.0))], Vec2::new(1.0, 0.0));
}

#[test]
fn shapes_are_in_metres() {
    // A ball and a spline in a model whose coordinate 1 is 4 metres.
    let text = "3dmodel 4\nunits\nMIT\nme\n\nVertex\n0 0 0 1\n1 0 0 1\n0 0.5 0 1\n\n\
        Shape ball\ndiv 8\nshpere 2 0.25\nlen 0.25\nbez1 2[ 0 1 ]\n\nEnd\n";
    let text = m3d::from_str(text).unwrap();
    let binary = m3d::WriteOptions::new().variant(m3d::Variant::Binary).write(&text).unwrap();
    for model in [text, m3d::from_slice(&binary).unwrap()] {
        let found = evaluated(&model, 0);
        assert!(found.left_out.is_empty());
        for &p in &found.surfaces[0].mesh.positions {
            assert!(((p - Vec3::new(0.0, 2.0, 0.0)).length() - 1.0).abs() < 1e-5, "{p:?}");
        }
        // A line of 4 metres in pieces of one metre.
        assert_eq!((found.curves[0].points.len(), found.curves[0].length()), (5, 4.0));
        assert_eq!(evaluate_all(&model, &ViewOptions::new()).unwrap(), [found]);
    }
}

#[test]
fn builders_take_metres() {
    let mut builder = Builder::new();
    let (center, _) = (builder.point(Vec3::new(0.0, 8.0, 0.0)), builder.point(Vec3::new(4.0, 0.0, 0.0)));
    let sphere = Command { id: CommandId::SPHERE, args: vec![Arg::Vertex(center), Arg::Coord(2.0)] };
    builder.model.shapes.push(Shape { commands: vec![sphere], ..Shape::default() });
    let model = builder.finish();
    let found = evaluated(&model, 0);
    let bounds = found.surfaces[0].mesh.bounds().expect("a ball");
    assert!((bounds.max.y - 10.0).abs() < 1e-5 && (bounds.min.y - 6.0).abs() < 1e-5);
}
