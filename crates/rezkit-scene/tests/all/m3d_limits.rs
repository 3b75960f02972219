//! Shapes of a few bytes that ask for much work stay within the limits of steps and bytes, which do not depend on the
//! speed.
#![allow(clippy::unwrap_used, reason = "small models made by hand")]

use std::fmt::Write as _;

use m3d::{ErrorKind, Model, ShapeId, ViewOptions};
use rezkit_scene::m3d::shapes::{DIVISIONS, Evaluated, evaluate};
use testkit::measure;

fn limit<T>(result: m3d::Result<T>) -> &'static str {
    let Err(error) = result else { panic!("within the limits") };
    match error.kind() {
        ErrorKind::Limit(limit) => limit.name,
        _ => panic!("{error}"),
    }
}

/// Evaluates the first shape with the default limits.
fn first(model: &Model) -> m3d::Result<Evaluated<'_>> {
    evaluate(model, ShapeId(0), DIVISIONS, &ViewOptions::new())
}

/// A model with these vertices and commands.
fn shape(vertices: &str, commands: &str) -> Model {
    m3d::from_str(&format!("3dmodel 1\nn\nl\na\n\nVertex\n{vertices}\nShape s\n{commands}\nEnd\n")).unwrap()
}

/// A star {n/k} whose last corner is its centre: cutting one triangle does not make the next cut easier.
fn star(corners: usize) -> Model {
    let mut vertices = String::new();
    for corner in 0..corners {
        let angle = std::f64::consts::TAU * (corner * (corners / 2 - 1)) as f64 / corners as f64;
        writeln!(vertices, "{} {} 0 1", angle.cos(), angle.sin()).unwrap();
    }
    vertices += "0 0 0 1\n";
    let ids: String = (0..=corners).map(|id| format!(" {id}")).collect();
    shape(&vertices, &format!("polygon {}[{ids} ]\n", corners + 1))
}

/// A gear, in which every second corner can be inside of the ears of others.
fn gear(corners: usize) -> Model {
    let mut vertices = String::new();
    for corner in 0..corners {
        let angle = std::f64::consts::TAU * corner as f64 / corners as f64;
        let radius = if corner % 2 == 0 { 1.0 } else { 0.5 };
        writeln!(vertices, "{} {} 0 1", radius * angle.cos(), radius * angle.sin()).unwrap();
    }
    let ids: String = (0..corners).map(|id| format!(" {id}")).collect();
    shape(&vertices, &format!("polygon {corners}[{ids} ]\n"))
}

/// The least sufficient limit of steps, to a factor of two.
fn steps(model: &Model) -> u64 {
    let enough =
        |&steps: &u64| evaluate(model, ShapeId(0), DIVISIONS, &ViewOptions::new().max_steps(steps)).is_ok();
    (4..40).map(|bits| 1 << bits).find(enough).expect("it ends")
}

#[test]
fn polygons_take_little_more_steps_for_each_corner_the_more_they_have() {
    for polygon in [star, gear] {
        let [small, large] = [1024, 16_384].map(|corners| steps(&polygon(corners)));
        assert!(large <= small * 32, "{small} steps for 1,024 corners, {large} for 16,384");
    }
    let whole = gear(64);
    let mesh = &first(&whole).unwrap().surfaces[0].mesh;
    let area = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
        (b - a).cross(c - a).z / 2.0
    };
    // The triangles fill the polygon: 64 triangles with the sides 1 and 0.5 and the angle between them.
    assert!(mesh.triangles.iter().all(|triangle| area(triangle) > 0.0) && mesh.triangles.len() == 62);
    let sum: f32 = mesh.triangles.iter().map(area).sum();
    assert!((sum - 64.0 * 0.25 * (std::f32::consts::TAU / 64.0).sin()).abs() < 1e-5, "{sum}");
    // Evaluation stops as soon as the limit is exceeded.
    let few = ViewOptions::new().max_steps(100_000);
    assert_eq!(limit(evaluate(&gear(32_768), ShapeId(0), DIVISIONS, &few)), "ViewOptions::max_steps");
}

#[test]
fn work_that_fails_is_charged_too() {
    // The control point with weight 0 only affects the last point of the grid, so all others are computed in vain.
    let vertices = "0 0 0 1\n1 0 0 1\n0 1 0 1\n1 1 0 0\n";
    let command = "sub 1000 1000\nbez 4[ 0 1 2 3 ]\n";
    let once = shape(vertices, command);
    assert_eq!(first(&once).unwrap().left_out.len(), 1);
    assert_eq!(limit(first(&shape(vertices, &command.repeat(40)))), "ViewOptions::max_steps");
}

#[test]
fn every_kind_of_shape_is_bounded() {
    let vertices = "0 0 0 1\n1 0 0 1\n0 1 0 1\n1 1 0.5 1\n";
    let many: String = (0..2_000).map(|_| " 0 1 2 3").collect();
    for commands in [
        "sub 10000 10000\nshpere 0 1\n".repeat(2),
        "div 10000\ntorus 0 -1 1 0.5\n".repeat(2),
        "div 10000\nbez 4[ 0 1 2 3 ]\n".to_owned(),
        "dist 1e-30 1e-30\nbez 4[ 0 1 2 3 ]\n".repeat(40),
        format!(
            "degu 31\n{}",
            "dist 1e-30 0\nbez1 32[ 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 ]\n"
                .repeat(4_000)
        ),
        format!("len 1e-9\nbez1 8000[{many} ]\n"),
    ] {
        let model = shape(vertices, &commands);
        let taken = measure(|| {
            let name = limit(first(&model));
            assert!(name.starts_with("ViewOptions::max_"), "{name}");
        });
        assert!(taken.bytes_max <= 1 << 30, "{}: {taken:?}", &commands[..20]);
    }
}

#[test]
fn shapes_that_include_each_other_end() {
    let mut text = "3dmodel 1\n\n\n\n\nVertex\n0 0 0 1\n\n".to_owned();
    for next in 0..16 {
        write!(text, "Shape s{next}\n{}\n", format!("inc {} 0 -1\n", next + 1).repeat(8)).unwrap();
    }
    let model = m3d::from_str(&format!("{text}Shape end\nshpere 0 1\n\nEnd\n")).unwrap();
    assert!(limit(first(&model)).starts_with("ViewOptions::max_"));
}

#[test]
fn names_of_materials_are_not_copied_for_each_curve() {
    // A name of 30 kB, and many curves that have it.
    let name = "m".repeat(30_000);
    let model = shape("0 0 0 1\n1 0 0 1\n", &format!("use {name}\n{}", "line 2[ 0 1 ]\n".repeat(5_000)));
    let taken = measure(|| {
        let found = first(&model).unwrap();
        assert_eq!((found.curves.len(), found.curves[4_999].material.len()), (5_000, 30_000));
    });
    assert!(taken.bytes_max < 4 << 20, "{taken:?}");
}
