//! Compares two shapes: finds surfaces without hulls, openings that hulls fill, and parts that a coarser level lost.

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Result};

use crate::bvh::Bvh;
use crate::hulls::corners;
use rezkit_scene::hull::tetrahedron;

/// The maximum number of points that are compared on the surface or the hulls of one object, and of all objects
/// together. Each object has a minimum.
const SAMPLES: usize = 4096;
const SAMPLES_OF_ALL: usize = 65_536;
const FEWEST: usize = 128;

/// The number of points to compare on each of `objects` objects.
pub(crate) fn samples(objects: usize) -> usize {
    (SAMPLES_OF_ALL / objects.max(1)).clamp(FEWEST, SAMPLES)
}

/// The samples of one shape that are too far from another.
pub(crate) struct Apart {
    /// The fraction of the samples that are too far, from 0 to 1.
    pub(crate) share: f64,
    /// The farthest sample.
    pub(crate) at: DVec3,
    /// The distance of the farthest sample.
    pub(crate) distance: f64,
}

/// The part of a surface, by area, that is farther than a distance from another one.
pub(crate) fn lost(
    from: &[&TriMesh],
    to: &[&TriMesh],
    beyond: f64,
    budget: &mut Budget,
) -> Result<Option<Apart>> {
    let [from, to] = [from, to].map(all);
    budget.take((from.len() + to.len()) as u64 * 300, "the comparison of the levels of detail")?;
    let points = on(&from, SAMPLES.min(64 * from.len()));
    let to = limited(to, points.len());
    let farther = |point: &DVec3| Some((to.farther(*point, beyond * beyond)?, *point));
    Ok(farthest(&points, farther))
}

/// The part of a surface, by area, that is farther than a distance from all hulls, and the part of the hulls, by volume, that
/// is outside of the surface and farther than another distance from it.
pub(crate) fn coverage(
    surface: &[&TriMesh],
    hulls: &[&TriMesh],
    [near, beyond]: [f64; 2],
    samples: usize,
    budget: &mut Budget,
) -> Result<[Option<Apart>; 2]> {
    let (surface, hull_corners) = (all(surface), all(hulls));
    budget.take(
        (surface.len() + hull_corners.len()) as u64 * 300,
        "the comparison of the physics hulls with the surface",
    )?;
    // A surface of few triangles needs fewer points.
    let samples = samples.min(64 * surface.len());
    let on_surface = on(&surface, samples);
    // The hulls as tetrahedra, from the middle of a hull to each of its triangles.
    let solid: Vec<([DVec3; 3], DVec3)> = hulls
        .iter()
        .flat_map(|hull| {
            let list: Vec<_> = corners(hull).collect();
            let sum: DVec3 = list.iter().flatten().sum();
            let middle = sum / (3 * list.len()).max(1) as f64;
            list.into_iter().map(move |corners| (corners, middle))
        })
        .collect();
    let volume =
        |(corners, middle): &([DVec3; 3], DVec3)| tetrahedron(corners.map(|corner| corner - *middle)).abs();
    let in_hulls = sampled(&solid, samples, volume, |([a, b, c], d), at| {
        // The gaps between three sorted numbers are the weights of the four corners.
        let mut at = at;
        at.sort_unstable_by(f64::total_cmp);
        let [x, y, z] = at;
        a * x + b * (y - x) + c * (z - y) + d * (1.0 - z)
    });
    let (surface, hulls) = (limited(surface, in_hulls.len()), limited(hull_corners, on_surface.len()));
    Ok([apart(&on_surface, &hulls, near), apart(&in_hulls, &surface, beyond)])
}

/// A tree whose work is limited by the number of points, each of which mostly needs some tens of steps. Points that
/// would need more, since all triangles overlap, are not compared and count as near.
fn limited(corners: Vec<[DVec3; 3]>, points: usize) -> Bvh {
    let bvh = Bvh::new(corners);
    bvh.allow(500 * points as u64 + 100_000);
    bvh
}

fn all(meshes: &[&TriMesh]) -> Vec<[DVec3; 3]> {
    meshes.iter().flat_map(|mesh| corners(mesh)).collect()
}

/// Points that are spread over a surface.
fn on(surface: &[[DVec3; 3]], samples: usize) -> Vec<DVec3> {
    let area = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).length() * 0.5;
    sampled(surface, samples, area, |[a, b, c], [u, v, _]| {
        // The unit square is folded to a triangle.
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        a + (b - a) * u + (c - a) * v
    })
}

/// The points that are neither near triangles nor inside of them.
fn apart(points: &[DVec3], triangles: &Bvh, within: f64) -> Option<Apart> {
    farthest(points, |&point| {
        let squared = triangles.farther(point, within * within)?;
        (!triangles.is_inside(point) && !triangles.is_spent()).then_some((squared, point))
    })
}

/// The fraction of the points for which `far` returns the square of a distance, and the farthest of them.
fn farthest(points: &[DVec3], far: impl Fn(&DVec3) -> Option<(f64, DVec3)>) -> Option<Apart> {
    let far: Vec<_> = points.iter().filter_map(far).collect();
    let (squared, at) = far.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Apart { share: far.len() as f64 / points.len() as f64, at, distance: squared.sqrt() })
}

/// Points that are spread evenly over shapes of different sizes. `at` returns the point of a shape for three numbers
/// from 0 to 1.
fn sampled<T: Copy>(
    list: &[T],
    samples: usize,
    size: impl Fn(&T) -> f64,
    at: impl Fn(T, [f64; 3]) -> DVec3,
) -> Vec<DVec3> {
    let total: f64 = list.iter().map(&size).sum();
    let mut points = Vec::new();
    if !(total.is_finite() && total > 0.0) {
        return points;
    }
    let (step, mut sum, mut number) = (total / samples as f64, 0.0, 0_u32);
    for thing in list {
        sum += size(thing);
        while (f64::from(number) + 0.5) * step < sum && points.len() < samples {
            number += 1;
            // The fractions of multiples of powers of a root of x⁴ = x + 1 fill a cube evenly.
            let numbers = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|of| (f64::from(number) * of).fract());
            points.push(at(*thing, numbers));
        }
    }
    points
}
