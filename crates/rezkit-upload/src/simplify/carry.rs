//! Attributes that a simplified surface takes from the original, by the nearest point of each vertex.

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::collapse::Engine;
use super::weld::Surface;
use crate::bvh::{Bvh, closest};
use crate::connected::root;
use crate::samples::on;

/// A point of the original: a triangle of its mesh, and the weights of its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Source {
    /// The index of the triangle.
    pub triangle: u32,
    /// The weights of the corners; they sum to 1.
    pub shares: [f32; 3],
}

/// Points that are spread over a surface, and some of its corners.
fn spread(corners: &[[DVec3; 3]]) -> Vec<DVec3> {
    let mut points = on(corners, COMPARED);
    points.extend(corners.iter().flatten().step_by((corners.len() * 3).div_ceil(COMPARED).max(1)));
    points
}

/// The cosine of the angle above which two normals belong to different surfaces.
const CREASE: f64 = 0.5;
/// The cosine of the angle up to which two normals count as equal.
const SAME: f64 = 0.999;

/// The original surface, prepared to be compared with the simplified one.
pub(super) struct Original<'s> {
    surface: &'s Surface<'s>,
    pub(super) bvh: Bvh,
    /// For each triangle, the branch of the tree with its connected piece of the texture.
    charts: Vec<u32>,
    /// For each triangle, the branch with its connected piece of the surface; empty if nothing is skinned.
    pieces: Vec<u32>,
    /// For each wedge, one of its original corners.
    homes: Vec<u32>,
    /// For each triangle, whether its normals are its own direction.
    is_flat: Vec<bool>,
    /// Points that are spread over the surface.
    points: Vec<DVec3>,
}

/// The number of points of a surface that are compared with another one.
const COMPARED: usize = 2000;

impl<'s> Original<'s> {
    pub(super) fn new(surface: &'s Surface<'s>) -> Self {
        let count = surface.triangles.len();
        let mut above: Vec<u32> = (0..surface.wedges as u32).collect();
        let mut homes = vec![0; surface.wedges];
        for (triangle, corner) in surface.triangles.iter().zip((0..).step_by(3)) {
            let [a, b, c] = triangle.wedges.map(|wedge| root(&mut above, wedge));
            above[a as usize] = b;
            let b = root(&mut above, b);
            let c = root(&mut above, c);
            above[b as usize] = c;
            for (&wedge, at) in triangle.wedges.iter().zip(corner..) {
                homes[wedge as usize] = at;
            }
        }
        let charts: Vec<u32> =
            surface.triangles.iter().map(|triangle| root(&mut above, triangle.wedges[0])).collect();
        let is_flat = (0..count).map(|at| is_flat(surface, at)).collect();
        let corners: Vec<[DVec3; 3]> = (0..count).map(|at| surface.corners(at)).collect();
        let points = spread(&corners);
        let is_skinned = surface.parts.iter().any(|part| !part.joints.is_empty());
        let pieces = if is_skinned { pieces(surface) } else { Vec::new() };
        let levels = [&*pieces, &charts];
        let (bvh, mut branches) = Bvh::grouped(corners, &levels[usize::from(!is_skinned)..]);
        let (charts, pieces) = (branches.pop().unwrap_or_default(), branches.pop().unwrap_or_default());
        Self { surface, bvh, charts, pieces, homes, is_flat, points }
    }

    /// How far a surface and the original are from each other: the greatest distance, and ten times the mean one.
    pub(super) fn error(&self, engine: &Engine<'_>, budget: &mut Budget) -> Result<f64> {
        let live = (0..engine.alive.len()).filter(|&at| engine.alive[at]);
        let corners: Vec<[DVec3; 3]> =
            live.map(|at| engine.points[at].map(|point| engine.positions[point as usize])).collect();
        budget.work((corners.len() as u64).saturating_mul(64) + 1_000_000, "the comparison of the levels")?;
        let points = spread(&corners);
        let other = Bvh::new(corners);
        let mut error = 0.0;
        for (points, surface) in [(&points, &self.bvh), (&self.points, &other)] {
            // Points beyond the limit count as near.
            surface.allow(1_000_000);
            let far = points.iter().map(|point| surface.farther(*point, 0.0).map_or(0.0, f64::sqrt));
            let (sum, most) = far.fold((0.0, 0.0_f64), |(sum, most), far| (sum + far, most.max(far)));
            error = f64::max(error, most + 10.0 * sum / points.len().max(1) as f64);
        }
        Ok(error)
    }

    /// The point of the original nearest to a corner, on a surface that faces the same side as the corner's triangles.
    fn nearest(&self, point: DVec3, towards: DVec3, facing: DVec3, wedge: u32) -> (usize, [f64; 3]) {
        let home = self.homes[wedge as usize] as usize / 3;
        let chart = self.charts[home];
        let probe = point + (towards - point) * 0.02;
        let bound = closest(self.bvh.corners(home), probe).0.distance_squared(probe) * 1.000_001 + 1e-18;
        let faces = |triangle: usize| {
            let [a, b, c] = self.bvh.corners(triangle);
            (b - a).cross(c - a).dot(facing) >= 0.0
        };
        // Both sides of thin objects are near, so triangles that face the other way are searched last.
        let found = self.bvh.nearest(chart, probe, bound * 4.0, faces);
        let found = found.or_else(|| self.bvh.nearest(chart, probe, bound, |_| true));
        let triangle = found.map_or(home, |found| found.triangle);
        (triangle, closest(self.bvh.corners(triangle), point).1)
    }

    /// The point that provides the joints of a corner: the nearest one of the corner's own piece of the original.
    /// Another piece may be nearer, as an eye is to a lid. Of equally near triangles, it prefers those that
    /// [`nearest`](Self::nearest) would take.
    fn followed(&self, point: DVec3, facing: DVec3, wedge: u32) -> (usize, [f64; 3]) {
        let home = self.homes[wedge as usize] as usize / 3;
        let is_skinned = |triangle: usize| {
            let part = self.surface.triangles[triangle].part as usize;
            !self.surface.parts[part].joints.is_empty()
        };
        let Some(found) = self.bvh.nearest(self.pieces[home], point, f64::INFINITY, is_skinned) else {
            return (home, [1.0, 0.0, 0.0]);
        };
        let faces = |triangle: usize| {
            let [a, b, c] = self.bvh.corners(triangle);
            (b - a).cross(c - a).dot(facing) >= 0.0
        };
        let bound = found.squared * 1.000_001 + 1e-18;
        let wanted = |triangle: usize| is_skinned(triangle) && faces(triangle);
        let own = self.bvh.nearest(self.charts[home], point, bound, wanted);
        let triangle = own.unwrap_or(found).triangle;
        (triangle, closest(self.bvh.corners(triangle), point).1)
    }

    fn normal(&self, triangle: usize, shares: [f64; 3]) -> DVec3 {
        let mesh = self.surface.parts[self.surface.triangles[triangle].part as usize];
        let vertices = self.surface.vertices(triangle);
        let normal = |vertex: usize| mesh.normals.get(vertex).map_or(DVec3::ZERO, |normal| wide(*normal));
        let sum: DVec3 = vertices.into_iter().zip(shares).map(|(vertex, share)| normal(vertex) * share).sum();
        sum.normalize_or_zero()
    }

    /// The current surface as meshes, with the source of each vertex. With creases, both sides of a crease have
    /// separate vertices, even if the original's normals are smooth there.
    pub(super) fn meshes(
        &self,
        engine: &Engine<'_>,
        creases: bool,
        budget: &mut Budget,
    ) -> Result<Vec<(TriMesh, Vec<Source>)>> {
        let live: Vec<usize> = (0..engine.alive.len()).filter(|&at| engine.alive[at]).collect();
        budget.take((live.len() as u64).saturating_mul(500), "a level of detail")?;
        budget.work((live.len() as u64).saturating_mul(64), "a level of detail")?;
        // Real models need up to 20 steps for each wedge.
        self.bvh.allow(100_000 + 200 * self.homes.len() as u64);
        let corners = |at: usize| engine.points[at].map(|point| engine.positions[point as usize]);
        // The corners, sorted by wedge.
        let mut fans: Vec<(u32, u32)> = live
            .iter()
            .flat_map(|&at| (0..3).map(move |corner| (engine.wedges[at][corner], (at * 3 + corner) as u32)))
            .collect();
        fans.sort_unstable();
        let mut vertex_of = vec![0_u32; engine.alive.len() * 3];
        let mut meshes: Vec<Builder> = self.surface.parts.iter().map(|_| Builder::default()).collect();
        for fan in fans.chunk_by(|a, b| a.0 == b.0) {
            let wedge = fan[0].0;
            let point = engine.points[fan[0].1 as usize / 3][fan[0].1 as usize % 3];
            let place = engine.positions[point as usize];
            let (mut towards, mut facing) = (DVec3::ZERO, DVec3::ZERO);
            for &(_, at) in fan {
                let [a, b, c] = corners(at as usize / 3);
                towards += (a + b + c) / 3.0;
                facing += (b - a).cross(c - a);
            }
            let found = self.nearest(place, towards / fan.len() as f64, facing, wedge);
            let part = self.surface.triangles[found.0].part as usize;
            let is_skinned = !self.surface.parts[part].joints.is_empty();
            let followed = is_skinned.then(|| self.followed(place, facing, wedge));
            let has_normals = !self.surface.parts[part].normals.is_empty();
            let normal = self.normal(found.0, found.1);
            let builder = &mut meshes[part];
            let first = builder.positions.len();
            for &(_, at) in fan {
                let [a, b, c] = corners(at as usize / 3);
                let own = (b - a).cross(c - a).normalize_or_zero();
                let (from, normal) = if !has_normals {
                    (found, DVec3::ZERO)
                } else if self.is_flat[found.0] {
                    (found, own)
                } else if !creases || normal.dot(own) >= CREASE || fan.len() == 1 {
                    (found, normal)
                } else {
                    // The triangle is on the other side of a crease.
                    let from = self.nearest(place, (a + b + c) / 3.0, own, wedge);
                    let there = self.normal(from.0, from.1);
                    (from, if self.is_flat[from.0] || there.dot(own) < CREASE { own } else { there })
                };
                // If a fan has many directions, only the last few are compared.
                let last = first.max(builder.positions.len().saturating_sub(8));
                let same = (last..builder.positions.len())
                    .find(|&vertex| normal == DVec3::ZERO || builder.normals[vertex].dot(normal) >= SAME);
                let vertex = same.unwrap_or_else(|| {
                    builder.positions.push(place);
                    builder.normals.push(normal);
                    builder.followed.extend(followed);
                    builder.sources.push(Source {
                        triangle: self.surface.triangles[from.0].index,
                        shares: from.1.map(|share| share as f32),
                    });
                    builder.positions.len() - 1
                });
                vertex_of[at as usize] = vertex as u32;
            }
        }
        for &at in &live {
            let part = self.surface.triangles[at].part as usize;
            meshes[part].triangles.push([0, 1, 2].map(|corner| vertex_of[at * 3 + corner]));
        }
        let finished = meshes.into_iter().zip(self.surface.parts);
        Ok(finished.map(|(builder, part)| builder.finish(self.surface, part)).collect())
    }
}

#[derive(Default)]
struct Builder {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
    sources: Vec<Source>,
    /// For each vertex, the triangle of the surface and the weights of its corners that provide the joints.
    followed: Vec<(usize, [f64; 3])>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    fn finish(self, surface: &Surface<'_>, original: &TriMesh) -> (TriMesh, Vec<Source>) {
        let mut mesh = carried(original, &self.sources);
        (mesh.joints, mesh.weights) = self
            .followed
            .iter()
            .map(|&(triangle, shares)| {
                let mesh = surface.parts[surface.triangles[triangle].part as usize];
                influences(mesh, surface.vertices(triangle), shares.map(|share| share as f32))
            })
            .unzip();
        let all = surface.bounds;
        mesh.positions = self
            .positions
            .into_iter()
            .map(|place| {
                let point = geom::Vec3::from(surface.original(place).to_array().map(|axis| axis as f32));
                // Rounding must not move points out of the box.
                point.max(all.min).min(all.max)
            })
            .collect();
        if !original.normals.is_empty() {
            let narrow = |normal: DVec3| geom::Vec3::from(normal.to_array().map(|axis| axis as f32));
            mesh.normals = self.normals.into_iter().map(narrow).collect();
        }
        mesh.triangles = self.triangles;
        // A part whose triangles all have no area keeps one of them.
        match mesh.triangles.is_empty() && !original.triangles.is_empty() {
            true => first_triangle(original),
            false => (mesh, self.sources),
        }
    }
}

fn first_triangle(original: &TriMesh) -> (TriMesh, Vec<Source>) {
    let corner = |corner: usize| {
        let mut shares = [0.0; 3];
        shares[corner] = 1.0;
        Source { triangle: 0, shares }
    };
    let sources: Vec<Source> = (0..3).map(corner).collect();
    let mut mesh = carried(original, &sources);
    let vertices = original.triangles[0].map(|vertex| vertex as usize);
    mesh.positions = vertices.map(|vertex| original.positions[vertex]).to_vec();
    if !original.normals.is_empty() {
        mesh.normals = vertices.map(|vertex| original.normals[vertex]).to_vec();
    }
    mesh.joints = vertices.iter().filter_map(|&vertex| original.joints.get(vertex)).copied().collect();
    mesh.weights = vertices.iter().filter_map(|&vertex| original.weights.get(vertex)).copied().collect();
    mesh.triangles = vec![[0, 1, 2]];
    (mesh, sources)
}

/// A mesh without triangles: the columns of a mesh at points of it, except positions, normals and joints.
fn carried(original: &TriMesh, sources: &[Source]) -> TriMesh {
    let blend = |from: &[geom::Vec2]| column(&original.triangles, from, sources, |uv| uv.to_array());
    let uvs = blend(&original.uvs).into_iter().map(Into::into).collect();
    let color = |color: &geom::LinearRgba| color.to_array().map(f32::from);
    let colors = column(&original.triangles, &original.colors, sources, color);
    let tangents = column(&original.triangles, &original.tangents, sources, |tangent| tangent.to_array());
    TriMesh {
        uvs,
        colors: colors.into_iter().map(|color| color.map(|channel| channel.round() as u16).into()).collect(),
        tangents: tangents
            .into_iter()
            .map(|[x, y, z, w]| {
                let along = geom::Vec3::new(x, y, z).normalize().unwrap_or(geom::Vec3::new(1.0, 0.0, 0.0));
                [along.x, along.y, along.z, if w < 0.0 { -1.0 } else { 1.0 }].into()
            })
            .collect(),
        ..TriMesh::default()
    }
}

/// A column of values at points of a mesh; empty if the mesh does not have it.
pub fn column<T, const N: usize>(
    triangles: &[[u32; 3]],
    values: &[T],
    sources: &[Source],
    numbers: impl Fn(&T) -> [f32; N],
) -> Vec<[f32; N]> {
    if values.is_empty() {
        return Vec::new();
    }
    let blended = |source: &Source| {
        let corners = triangles.get(source.triangle as usize).copied().unwrap_or_default();
        let mut sum = [0.0; N];
        for (vertex, share) in corners.into_iter().zip(source.shares) {
            let value = values.get(vertex as usize).map_or([0.0; N], &numbers);
            sum.iter_mut().zip(value).filter(|_| share > 0.0).for_each(|(sum, value)| *sum += value * share);
        }
        sum
    };
    sources.iter().map(blended).collect()
}

/// The four strongest joints at a point of a triangle, and their weights.
fn influences(mesh: &TriMesh, vertices: [usize; 3], shares: [f32; 3]) -> ([u16; 4], [f32; 4]) {
    let mut all: Vec<(u16, f32)> = Vec::with_capacity(12);
    for (vertex, share) in vertices.into_iter().zip(shares) {
        for (&joint, &weight) in mesh.joints[vertex].iter().zip(&mesh.weights[vertex]) {
            let weight = weight * share;
            if weight <= 0.0 || !weight.is_finite() {
                continue;
            }
            match all.iter_mut().find(|(there, _)| *there == joint) {
                Some((_, sum)) => *sum += weight,
                None => all.push((joint, weight)),
            }
        }
    }
    geom::sort::by(&mut all, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(4);
    let total: f32 = all.iter().map(|(_, weight)| weight).sum();
    let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
    for (at, (joint, weight)) in all.into_iter().enumerate() {
        (joints[at], weights[at]) = (joint, weight / total);
    }
    (joints, weights)
}

/// For each triangle, the connected piece of the surface that it belongs to, as the number of a point.
fn pieces(surface: &Surface<'_>) -> Vec<u32> {
    let mut above: Vec<u32> = (0..surface.points.len() as u32).collect();
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.points.map(|point| root(&mut above, point));
        above[a as usize] = b;
        let c = root(&mut above, c);
        above[c as usize] = b;
    }
    surface.triangles.iter().map(|triangle| root(&mut above, triangle.points[0])).collect()
}

fn wide(point: geom::Vec3) -> DVec3 {
    DVec3::from_array(point.to_array().map(f64::from))
}

/// Whether the normals of a triangle are its own direction.
fn is_flat(surface: &Surface<'_>, triangle: usize) -> bool {
    let mesh = surface.parts[surface.triangles[triangle].part as usize];
    if mesh.normals.is_empty() {
        return false;
    }
    let [a, b, c] = surface.corners(triangle);
    let own = (b - a).cross(c - a).normalize_or_zero();
    surface
        .vertices(triangle)
        .into_iter()
        .all(|vertex| mesh.normals.get(vertex).is_some_and(|normal| wide(*normal).dot(own) > 0.999))
}
