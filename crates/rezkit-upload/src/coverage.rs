//! Compares two shapes: finds surfaces without hulls, openings that hulls fill, and parts that a coarser level lost.

use std::collections::HashMap;

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Result};

use crate::bvh::Bvh;
use crate::connected::root;
use crate::hulls::corners;
use crate::samples::{area, in_triangle, on, sampled};
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
    /// The area of the surface, or the volume of the hulls, for which these samples stand.
    pub(crate) size: f64,
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
    Ok(farthest(&points, from.iter().map(area).sum(), farther))
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
    let surface_area = surface.iter().map(area).sum();
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
    let (areas, volumes) = (surface_area, solid.iter().map(volume).sum());
    Ok([apart(&on_surface, areas, &hulls, near), apart(&in_hulls, volumes, &surface, beyond)])
}

/// The least upward part of the normal of what one can stand on.
const UPWARDS: f64 = 0.6;

/// The largest connected part of the surface that faces up and has no hull within a distance above or below.
pub(crate) fn bare_floor(
    surface: &[&TriMesh],
    hulls: &[&TriMesh],
    within: f64,
    least: f64,
    budget: &mut Budget,
) -> Result<Option<Apart>> {
    let upwards = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).normalize_or_zero().y;
    let mut floor = all(surface);
    floor.retain(|corners| upwards(corners) > UPWARDS);
    let total: f64 = floor.iter().map(area).sum();
    if total < least {
        return Ok(None);
    }
    let hulls = all(hulls);
    budget.take(
        (floor.len() + hulls.len()) as u64 * 400,
        "the comparison of the physics hulls with the floors",
    )?;
    // The parts that are connected by points.
    let mut number: HashMap<[u64; 3], u32> = HashMap::new();
    let mut above: Vec<u32> = Vec::new();
    for corners in &floor {
        let [a, b, c] = corners.map(|corner| {
            let next = above.len() as u32;
            let number = *number.entry(corner.to_array().map(f64::to_bits)).or_insert(next);
            above.extend((number == next).then_some(next));
            root(&mut above, number)
        });
        above[b as usize] = a;
        let c = root(&mut above, c);
        above[c as usize] = a;
    }
    // At least about a hundred points on the least area, if they suffice for all.
    let count = ((total / least * 100.0) as usize).clamp(FEWEST, SAMPLES);
    let corners: Vec<_> =
        floor.iter().map(|corners| (*corners, number[&corners[0].to_array().map(f64::to_bits)])).collect();
    let points = sampled(
        &corners,
        count,
        |(corners, _)| area(corners),
        |(corners, part), at| ((in_triangle(corners, at), upwards(&corners)), part),
    );
    let hulls = limited(hulls, points.len());
    let mut bare: HashMap<u32, Vec<DVec3>> = HashMap::new();
    for ((point, slope), part) in points {
        // Beside a slope, the hull is farther along the vertical.
        let up = DVec3::Y * (within / slope);
        if !hulls.is_between(point - up, point + up) && !hulls.is_inside(point) && !hulls.is_spent() {
            bare.entry(root(&mut above, part)).or_default().push(point);
        }
    }
    let Some(most) = bare.into_values().max_by_key(Vec::len) else { return Ok(None) };
    let found = farthest(&most, 0.0, |&point| Some((hulls.farther(point, 0.0)?, point)));
    let share = most.len() as f64 / count as f64;
    Ok(found.map(|found| Apart { share, size: share * total, ..found }).filter(|found| found.size > least))
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

/// The points that are neither near triangles nor inside of them.
fn apart(points: &[DVec3], size: f64, triangles: &Bvh, within: f64) -> Option<Apart> {
    farthest(points, size, |&point| {
        let squared = triangles.farther(point, within * within)?;
        (!triangles.is_inside(point) && !triangles.is_spent()).then_some((squared, point))
    })
}

/// The fraction of the points for which `far` returns the square of a distance, and the farthest of them.
fn farthest(points: &[DVec3], size: f64, far: impl Fn(&DVec3) -> Option<(f64, DVec3)>) -> Option<Apart> {
    let far: Vec<_> = points.iter().filter_map(far).collect();
    let (squared, at) = far.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let share = far.len() as f64 / points.len() as f64;
    Some(Apart { share, size: share * size, at, distance: squared.sqrt() })
}
