//! Circles, cylinders, spheres, tori, cones and cubes.
//!
//! Round shapes are around the third axis of their orientation, as in STEP, from which the format's own
//! converter creates shapes.

use std::f64::consts::{PI, TAU};

use geom::TriMesh;

use super::divide::{Division, Fineness, U, V, pieces};
use super::patch::grid;
use super::space::{Frame, Point, add, cross, dot, float, length, scale, sub, unit};
use super::{Stop, charge};
use m3d::ErrorKind;
use m3d::product;

fn on_circle(part: f64) -> [f64; 2] {
    let (sin, cos) = (TAU * part).sin_cos();
    [cos, sin]
}

/// The points and triangles of a grid whose last column repeats the first. Also charges for `more` points.
fn round(
    fineness: Fineness<'_>,
    [columns, rows, more]: [u32; 3],
    turned: bool,
    at: impl Fn(f64, f64) -> (Point, Point),
) -> Result<TriMesh, ErrorKind> {
    charge_points(fineness, (u64::from(columns) + 1) * (u64::from(rows) + 1) + u64::from(more))?;
    let mut mesh = TriMesh::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let (point, normal) =
                at(f64::from(column % columns) / f64::from(columns), f64::from(row) / f64::from(rows));
            mesh.positions.push(float(point));
            mesh.normals.push(float(normal));
        }
    }
    mesh.triangles = grid(columns as usize + 1, rows as usize + 1);
    // At a pole, a side of a triangle has no length.
    mesh.triangles.retain(|triangle| {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
        a != b && b != c && c != a
    });
    if turned {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    Ok(mesh)
}

/// Charges for points, with a sine, a cosine and two triangles each.
fn charge_points(fineness: Fineness<'_>, points: u64) -> Result<(), ErrorKind> {
    charge(fineness.work, points, product([points, 4]))
}

/// Adds a disc that faces along the third axis, or if `turned`, against it.
fn add_disc(mesh: &mut TriMesh, frame: &Frame, radius: f64, count: u32, turned: bool) {
    #[allow(clippy::cast_possible_truncation, reason = "ViewBudget counts less than 2^31 points")]
    let first = mesh.positions.len() as u32;
    let normal = if turned { scale(frame.axes[2], -1.0) } else { frame.axes[2] };
    mesh.positions.push(float(frame.origin));
    for step in 0..count {
        let [x, y] = on_circle(f64::from(step) / f64::from(count));
        mesh.positions.push(float(frame.place([x * radius, y * radius, 0.0])));
    }
    mesh.normals.resize(mesh.positions.len(), float(normal));
    for step in 0..count {
        let [a, b] = [first + 1 + step, first + 1 + (step + 1) % count];
        mesh.triangles.push(if turned { [first, b, a] } else { [first, a, b] });
    }
}

fn checked(radius: f64) -> Result<f64, String> {
    match radius > 0.0 && radius.is_finite() {
        true => Ok(radius),
        false => Err(format!("expected a finite radius above 0, found {radius} m")),
    }
}

pub(super) fn circle(frame: &Frame, radius: f64, fineness: Fineness<'_>) -> Result<TriMesh, Stop> {
    let radius = checked(radius)?;
    let count = fineness.of_turn(U, radius);
    charge_points(fineness, u64::from(count) + 1)?;
    let mut mesh = TriMesh::default();
    add_disc(&mut mesh, frame, radius, count, false);
    Ok(mesh)
}

pub(super) fn sphere(center: Point, radius: f64, fineness: Fineness<'_>) -> Result<TriMesh, Stop> {
    let radius = checked(radius)?;
    let columns = fineness.of_turn(U, radius);
    // From pole to pole.
    let rows = match fineness.division {
        Division::Parts(parts) => pieces(parts[V]),
        _ => pieces(f64::from(fineness.of_turn(V, radius)) / 2.0),
    };
    Ok(round(fineness, [columns, rows.max(2), 0], false, |u, v| {
        let [x, z] = on_circle(-u);
        let (sin, cos) = (PI * (v - 0.5)).sin_cos();
        // The poles are exactly points, although the computed cosine is not exactly 0.
        let cos = if v == 0.0 || v == 1.0 { 0.0 } else { cos };
        let normal = [x * cos, sin, z * cos];
        (add(center, scale(normal, radius)), normal)
    })?)
}

pub(super) fn torus(frame: &Frame, major: f64, minor: f64, fineness: Fineness<'_>) -> Result<TriMesh, Stop> {
    let (major, minor) = (checked(major)?, checked(minor)?);
    let columns = fineness.of_turn(U, major + minor);
    let rows = Fineness { free: fineness.free.div_ceil(2), ..fineness }.of_turn(V, minor);
    Ok(round(fineness, [columns, rows, 0], false, |u, v| {
        let ([x, y], [out, up]) = (on_circle(u), on_circle(if v == 1.0 { 0.0 } else { v }));
        let normal = [x * out, y * out, up];
        let point = add([x * major, y * major, 0.0], scale(normal, minor));
        (frame.place(point), frame.turn(normal))
    })?)
}

/// Two discs and the side between them; true if the ends did not face along the axis and were turned.
pub(super) fn cylinder(ends: [(Frame, f64); 2], fineness: Fineness<'_>) -> Result<(TriMesh, bool), Stop> {
    let [(from, from_radius), (to, to_radius)] = ends;
    let pointed = |radius: f64| if radius == 0.0 { Ok(0.0) } else { checked(radius) };
    let (from_radius, to_radius) = (pointed(from_radius)?, pointed(to_radius)?);
    let radius = checked(from_radius.max(to_radius))?;
    let Some(axis) = unit(sub(to.origin, from.origin)) else {
        return Err("both ends are at the same point".into());
    };
    // Discs that are edge-on to the axis would give a solid without a volume: they are turned to face along it.
    let [facing_from, facing_to] = [dot(axis, from.axes[2]), dot(axis, to.axes[2])];
    let odd = facing_from.abs() < 1e-3 || facing_to.abs() < 1e-3 || (facing_from < 0.0) != (facing_to < 0.0);
    let (from, to) = match odd {
        true => (Frame::along(from.origin, axis), Frame::along(to.origin, axis)),
        false => (from, to),
    };
    let turned = !odd && facing_from < 0.0;

    let columns = fineness.of_turn(U, radius);
    let rows = fineness.of_side(length(sub(to.origin, from.origin)));
    let mut mesh = round(fineness, [columns, rows, 2 * (columns + 1)], turned, |u, v| {
        let [x, y] = on_circle(u);
        let [low, high] = [(&from, from_radius), (&to, to_radius)]
            .map(|(frame, radius)| frame.place([x * radius, y * radius, 0.0]));
        let along = sub(high, low);
        let around = add(
            scale(from.turn([-y, x, 0.0]), from_radius * (1.0 - v)),
            scale(to.turn([-y, x, 0.0]), to_radius * v),
        );
        let around = if length(around) > 0.0 { around } else { from.turn([-y, x, 0.0]) };
        let out = cross(around, along);
        let normal = unit(if turned { scale(out, -1.0) } else { out }).unwrap_or(axis);
        (add(low, scale(along, v)), normal)
    })?;
    if from_radius > 0.0 {
        add_disc(&mut mesh, &from, from_radius, columns, !turned);
    }
    if to_radius > 0.0 {
        add_disc(&mut mesh, &to, to_radius, columns, turned);
    }
    Ok((mesh, odd))
}

/// A cone from the centre of its base, its tip and a point on the rim of the base; the first two may be
/// swapped. True if the point is not on the rim, but beside it.
pub(super) fn cone(points: [Point; 3], fineness: Fineness<'_>) -> Result<(TriMesh, bool), Stop> {
    let [a, b, rim] = points;
    let Some(axis) = unit(sub(b, a)) else { return Err("the base and the tip are at the same point".into()) };
    // The base is the end from which the direction to the rim is at a right angle to the axis.
    let slope = |center: Point| dot(unit(sub(rim, center)).unwrap_or(axis), axis).abs();
    let (center, tip) = if slope(b) < 1e-4 && slope(a) >= 1e-4 { (b, a) } else { (a, b) };
    let odd = slope(center) > 1e-4;
    let up = unit(sub(tip, center)).unwrap_or(axis);
    let flat = sub(rim, center);
    let radius = length(sub(flat, scale(up, dot(flat, up))));
    let ends = [(Frame::along(center, up), radius), (Frame::along(tip, up), 0.0)];
    cylinder(ends, fineness).map(|(mesh, _)| (mesh, odd))
}

/// A box from three corners of its bottom. Its height is the length of its first side, and it is above its
/// bottom; if the bottom is vertical, on the side from which the corners are counter-clockwise. True if it
/// is not a cube.
pub(super) fn cube([a, b, c]: [Point; 3]) -> Result<(TriMesh, bool), Stop> {
    let (right, back) = (sub(b, a), sub(c, b));
    let Some(normal) = unit(cross(right, back)) else {
        return Err("the three corners are on one line".into());
    };
    let height = length(right);
    let below = normal[1] < -1e-6;
    let up = scale(normal, if below { -height } else { height });
    let odd =
        (length(back) - height).abs() > 1e-4 * height || dot(right, back).abs() > 1e-4 * height * height;
    let corner = |x: f64, y: f64, z: f64| add(add(a, scale(right, x)), add(scale(back, y), scale(up, z)));
    let faces: [[[f64; 3]; 4]; 6] = [
        [[0., 0., 0.], [0., 1., 0.], [1., 1., 0.], [1., 0., 0.]],
        [[0., 0., 1.], [1., 0., 1.], [1., 1., 1.], [0., 1., 1.]],
        [[0., 0., 0.], [1., 0., 0.], [1., 0., 1.], [0., 0., 1.]],
        [[1., 0., 0.], [1., 1., 0.], [1., 1., 1.], [1., 0., 1.]],
        [[1., 1., 0.], [0., 1., 0.], [0., 1., 1.], [1., 1., 1.]],
        [[0., 1., 0.], [0., 0., 0.], [0., 0., 1.], [0., 1., 1.]],
    ];
    let mut mesh = TriMesh::default();
    for (face, first) in faces.into_iter().zip((0_u32..).step_by(4)) {
        let mut corners = face.map(|[x, y, z]| corner(x, y, z));
        if below {
            corners.reverse();
        }
        let across = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        // A side without an area has no direction.
        let normal = unit(across).unwrap_or([0.0; 3]);
        mesh.positions.extend(corners.map(float));
        mesh.normals.extend([float(normal); 4]);
        mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    Ok((mesh, odd))
}
