//! Measures of triangle meshes.

use std::collections::{HashMap, HashSet};

use geom::{Aabb, TriMesh, Vec2, Vec3};
use rezkit_core::{Budget, Result};

/// A triangle as its corners, in 64 bits.
pub(crate) type Corners = [[f64; 3]; 3];

/// Positions that differ by less are one point.
const WELD: f32 = 1e-4;

pub(crate) fn scaled(v: Vec3, by: Vec3) -> Vec3 {
    Vec3::new(v.x * by.x, v.y * by.y, v.z * by.z)
}

/// The quotient per axis; 1 where the divisor is 0.
pub(crate) fn divided(v: Vec3, by: Vec3) -> Vec3 {
    let part = |a: f32, b: f32| if b == 0.0 { 1.0 } else { a / b };
    Vec3::new(part(v.x, by.x), part(v.y, by.y), part(v.z, by.z))
}

pub(crate) fn corners(mesh: &TriMesh, scale: Vec3) -> impl Iterator<Item = Corners> + '_ {
    mesh.triangles.iter().map(move |triangle| {
        triangle.map(|index| {
            let point = mesh.positions.get(index as usize).copied().unwrap_or_default();
            scaled(point, scale).to_array().map(f64::from)
        })
    })
}

pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

pub(crate) fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn area([a, b, c]: Corners) -> f64 {
    length(cross(sub(b, a), sub(c, a))) / 2.0
}

/// The area of all triangles, and the number of those without one.
pub(crate) fn areas(mesh: &TriMesh, scale: Vec3) -> (f64, usize) {
    // Another rule finds numbers that are not finite.
    corners(mesh, scale)
        .map(area)
        .filter(|area| area.is_finite())
        .fold((0.0, 0), |(sum, zero), area| (sum + area, zero + usize::from(area <= 1e-12)))
}

/// The number of triangles that lie in the plane of another one and overlap it.
pub(crate) fn coplanar(mesh: &TriMesh, scale: Vec3, budget: &mut Budget) -> Result<usize> {
    let triangles: Vec<Corners> = corners(mesh, scale).collect();
    budget.take_values::<[f64; 12]>(triangles.len(), "the planes of the triangles")?;
    let mut planes: HashMap<[i64; 4], Vec<usize>> = HashMap::new();
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        let normal = cross(sub(b, a), sub(c, a));
        let size = length(normal);
        if size <= 1e-12 || !size.is_finite() {
            continue;
        }
        let mut normal = normal.map(|part| part / size);
        // Both sides of a plane are one.
        if normal.iter().find(|part| part.abs() > 1e-3).is_some_and(|part| *part < 0.0) {
            normal = normal.map(|part| -part);
        }
        #[allow(clippy::cast_possible_truncation, reason = "rounded; a float cast saturates")]
        let key = |number: f64| (number * 1000.0).round() as i64;
        let [x, y, z] = normal.map(key);
        planes.entry([x, y, z, key(dot(normal, a))]).or_default().push(index);
    }
    let mut overlapping = HashSet::new();
    for (plane, mut members) in planes {
        // The plane is seen along its largest axis.
        let axis = (0..3).max_by_key(|axis| plane[*axis].abs()).unwrap_or(0);
        let flat = |index: usize| triangles[index].map(|[x, y, z]| [[y, z], [x, z], [x, y]][axis]);
        let least = |index: usize| flat(index).iter().map(|point| point[0]).fold(f64::INFINITY, f64::min);
        let most = |index: usize| flat(index).iter().map(|point| point[0]).fold(f64::NEG_INFINITY, f64::max);
        geom::sort::by(&mut members, |a, b| least(*a).total_cmp(&least(*b)));
        for (at, &one) in members.iter().enumerate() {
            let end = most(one);
            for &other in members[at + 1..].iter().take_while(|other| least(**other) < end) {
                budget.work(20, "the triangles in one plane")?;
                if overlap(flat(one), flat(other)) {
                    overlapping.extend([one, other]);
                }
            }
        }
    }
    Ok(overlapping.len())
}

/// Whether two triangles of a plane overlap in more than an edge.
fn overlap(one: [[f64; 2]; 3], other: [[f64; 2]; 3]) -> bool {
    let separates = |from: &[[f64; 2]; 3]| {
        (0..3).any(|at| {
            let ([ax, ay], [bx, by]) = (from[at], from[(at + 1) % 3]);
            let normal = [by - ay, ax - bx];
            let size = normal[0].hypot(normal[1]).max(1e-12);
            let along = |[x, y]: [f64; 2]| (x * normal[0] + y * normal[1]) / size;
            let range = |of: &[[f64; 2]; 3]| {
                let all = of.map(along);
                (
                    all.iter().copied().fold(f64::INFINITY, f64::min),
                    all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                )
            };
            let ((least, most), (its_least, its_most)) = (range(&one), range(&other));
            most <= its_least + 1e-6 || its_most <= least + 1e-6
        })
    };
    !separates(&one) && !separates(&other)
}

/// The texture coordinates, each once.
pub(crate) fn distinct_uvs(mesh: &TriMesh) -> HashSet<[i64; 2]> {
    used(mesh).filter_map(|vertex| mesh.uvs.get(vertex)).map(|uv| uv_key(*uv)).collect()
}

/// Texture coordinates that differ by less than 1/100,000 are one.
pub(crate) fn uv_key(uv: Vec2) -> [i64; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "rounded; a float cast saturates")]
    [uv.x, uv.y].map(|part| (f64::from(part) * 1e5).round() as i64)
}

fn used(mesh: &TriMesh) -> impl Iterator<Item = usize> + '_ {
    let vertices: HashSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    vertices.into_iter().map(|vertex| vertex as usize)
}

/// The number of triangles without an area in texture coordinates.
pub(crate) fn flat_uvs(mesh: &TriMesh) -> usize {
    let is_flat = |triangle: &&[u32; 3]| {
        let [a, b, c] = triangle.map(|index| mesh.uvs.get(index as usize).copied().unwrap_or_default());
        let part = |p: Vec2| [f64::from(p.x - a.x), f64::from(p.y - a.y)];
        let ([bx, by], [cx, cy]) = (part(b), part(c));
        (bx * cy - by * cx).abs() <= 1e-12
    };
    mesh.triangles.iter().filter(is_flat).count()
}

/// The number of edges that do not belong to exactly two triangles, if vertices at one point are one.
pub(crate) fn open_edges(mesh: &TriMesh) -> usize {
    let mut points: HashMap<[i64; 3], u32> = HashMap::new();
    let mut index = |vertex: u32| {
        let point = mesh.positions.get(vertex as usize).copied().unwrap_or_default();
        #[allow(clippy::cast_possible_truncation, reason = "rounded; a float cast saturates")]
        let key = point.to_array().map(|part| (part / WELD).round() as i64);
        let next = u32::try_from(points.len()).unwrap_or(u32::MAX);
        *points.entry(key).or_insert(next)
    };
    let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(&mut index);
        for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to) {
            *edges.entry((from.min(to), from.max(to))).or_default() += 1;
        }
    }
    edges.values().filter(|count| **count != 2).count()
}

/// The distance from a point to the nearest triangle.
pub(crate) fn distance(point: [f64; 3], triangles: &[(Corners, [[f64; 3]; 2])]) -> f64 {
    let mut best = f64::INFINITY;
    for (triangle, [low, high]) in triangles {
        // The box is not nearer than the triangle.
        let outside: f64 = (0..3)
            .map(|axis| (low[axis] - point[axis]).max(point[axis] - high[axis]).max(0.0))
            .map(|part| part * part)
            .sum();
        if outside < best {
            best = best.min(squared(point, *triangle));
        }
    }
    best.sqrt()
}

/// The triangles with their boxes.
pub(crate) fn boxed(triangles: impl Iterator<Item = Corners>) -> Vec<(Corners, [[f64; 3]; 2])> {
    let bounds = |triangle: Corners| {
        let side = |pick: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| pick(pick(triangle[0][axis], triangle[1][axis]), triangle[2][axis]))
        };
        (triangle, [side(f64::min), side(f64::max)])
    };
    triangles.map(bounds).collect()
}

/// The squared distance from a point to a triangle (Ericson, Real-Time Collision Detection, 5.1.5).
fn squared(p: [f64; 3], [a, b, c]: Corners) -> f64 {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    let to = |from: [f64; 3], along: [f64; 3], t: f64| {
        let point: [f64; 3] = std::array::from_fn(|axis| from[axis] + along[axis] * t);
        let way = sub(p, point);
        dot(way, way)
    };
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        dot(ap, ap)
    } else if d3 >= 0.0 && d4 <= d3 {
        dot(bp, bp)
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        to(a, ab, d1 / (d1 - d3))
    } else if d6 >= 0.0 && d5 <= d6 {
        dot(cp, cp)
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        to(a, ac, d2 / (d2 - d6))
    } else if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        to(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    } else {
        let sum = va + vb + vc;
        let point = std::array::from_fn(|axis| a[axis] + ab[axis] * (vb / sum) + ac[axis] * (vc / sum));
        let way = sub(p, point);
        dot(way, way)
    }
}

/// The distances from the vertices of a cage to a mesh.
pub(crate) fn distances(
    cage: &[Vec3],
    mesh: impl Iterator<Item = Corners>,
    budget: &mut Budget,
) -> Result<Vec<f64>> {
    let triangles = boxed(mesh);
    budget.work((cage.len() as u64).saturating_mul(triangles.len() as u64), "the distances of the cage")?;
    budget.take_values::<[f64; 16]>(triangles.len(), "the triangles")?;
    Ok(cage.iter().map(|point| distance(point.to_array().map(f64::from), &triangles)).collect())
}

/// How often triangles surround a point: 1 inside of a closed mesh, 0 outside, and about that if it has holes (the solid
/// angles of Van Oosterom and Strackee).
pub(crate) fn surrounds(point: [f64; 3], triangles: &[Corners]) -> f64 {
    let angle = |triangle: &Corners| {
        let [a, b, c] = triangle.map(|corner| sub(corner, point));
        let [la, lb, lc] = [a, b, c].map(length);
        let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        2.0 * dot(a, cross(b, c)).atan2(below)
    };
    let sum: f64 = triangles.iter().map(angle).filter(|angle| angle.is_finite()).sum();
    (sum / (4.0 * std::f64::consts::PI)).abs()
}

/// The sides of the grid with which silhouettes are measured.
const GRID: usize = 64;

/// The percentage of its box that triangles cover, seen along an axis (0 for x).
pub(crate) fn coverage(triangles: &[Corners], bounds: Aabb, axis: usize, budget: &mut Budget) -> Result<f64> {
    let flat = |[x, y, z]: [f64; 3]| [[z, y], [x, z], [x, y]][axis];
    let [low, high] = [bounds.min, bounds.max].map(|corner| flat(corner.to_array().map(f64::from)));
    let size = [0, 1].map(|at| (high[at] - low[at]).max(1e-9));
    let mut grid = vec![false; GRID * GRID];
    for triangle in triangles {
        let points = triangle.map(|point| {
            let point = flat(point);
            [0, 1].map(|at| (point[at] - low[at]) / size[at] * GRID as f64)
        });
        let range = |at: usize| {
            let least = points.iter().map(|point| point[at]).fold(f64::INFINITY, f64::min);
            let most = points.iter().map(|point| point[at]).fold(f64::NEG_INFINITY, f64::max);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the grid")]
            let cell = |number: f64| number.clamp(0.0, GRID as f64) as usize;
            cell((least - 0.5).ceil())..cell((most + 0.5).floor())
        };
        let (columns, rows) = (range(0), range(1));
        budget.work((columns.len() * rows.len()) as u64, "the silhouette")?;
        for row in rows {
            for column in columns.clone() {
                let inside = inside([column as f64 + 0.5, row as f64 + 0.5], points);
                grid[row * GRID + column] |= inside;
            }
        }
    }
    Ok(grid.iter().filter(|cell| **cell).count() as f64 * 100.0 / (GRID * GRID) as f64)
}

fn inside([x, y]: [f64; 2], points: [[f64; 2]; 3]) -> bool {
    let side = |at: usize| {
        let ([ax, ay], [bx, by]) = (points[at], points[(at + 1) % 3]);
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    };
    let sides = [side(0), side(1), side(2)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}
