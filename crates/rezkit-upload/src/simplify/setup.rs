//! The quadrics of a surface before anything is changed.

use glam::DVec3;

use super::collapse::{Engine, May};
use super::quadric::{Quadric, gradient};
use super::weld::Surface;

/// The weights of a border and of a seam, relative to a surface whose area is the square of their length.
const BORDER: f64 = 4.0;
const SEAM: f64 = 1.0;
/// The weights of differences of normals, colours and texture coordinates (in lengths of the texture), relative to a
/// length.
const NORMAL: f64 = 0.01;
const COLOR: f64 = 0.02;
const TEXTURE: f64 = 0.05;

/// The engine for a surface that has not been changed yet.
pub(super) fn engine<'s>(surface: &'s Surface<'s>, may: May) -> Engine<'s> {
    let mut engine = Engine::new(surface);
    engine.may = may;
    surfaces(&mut engine, may < May::Ignore);
    borders(&mut engine, if may < May::Ignore { SEAM } else { 0.0 });
    engine
}

/// Adds the quadrics of all triangles and of their attributes.
fn surfaces(engine: &mut Engine<'_>, with_attributes: bool) {
    let surface = engine.surface;
    let has =
        |with: fn(&geom::TriMesh) -> bool| with_attributes && surface.parts.iter().any(|part| with(part));
    let (normals, uvs, colors) = (
        has(|part| !part.normals.is_empty()),
        has(|part| !part.uvs.is_empty()),
        has(|part| !part.colors.is_empty()),
    );
    engine.attributes = 3 * usize::from(normals) + 2 * usize::from(uvs) + 3 * usize::from(colors);
    let stride = 1 + 4 * engine.attributes;
    engine.sums = vec![0.0; stride * surface.wedges];
    let density = if uvs { density(surface) } else { 0.0 };
    for triangle in 0..surface.triangles.len() {
        let corners = surface.corners(triangle);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let area = normal.length() * 0.5;
        if area <= 0.0 || !area.is_finite() {
            continue;
        }
        let normal = normal / (2.0 * area);
        let mut quadric = Quadric::plane(normal, -normal.dot(a), area);
        let mesh = surface.parts[surface.triangles[triangle].part as usize];
        let vertices = surface.vertices(triangle);
        let mut values: Vec<[f64; 3]> = Vec::with_capacity(engine.attributes);
        let mut column = |value: &dyn Fn(usize) -> f64| values.push(vertices.map(value));
        if normals {
            for axis in 0..3 {
                column(&|vertex| {
                    mesh.normals.get(vertex).map_or(0.0, |normal| NORMAL * f64::from(normal.to_array()[axis]))
                });
            }
        }
        if uvs {
            for axis in 0..2 {
                column(&|vertex| {
                    mesh.uvs.get(vertex).map_or(0.0, |uv| density * f64::from(uv.to_array()[axis]))
                });
            }
        }
        if colors {
            for channel in 0..3 {
                column(&|vertex| {
                    let color =
                        mesh.colors.get(vertex).map_or(0, |color| color.to_srgb().to_array()[channel]);
                    COLOR * f64::from(color) / 255.0
                });
            }
        }
        let planes: Vec<Option<(DVec3, f64)>> = values
            .into_iter()
            .map(|values| gradient(corners, values).filter(|(g, d)| g.is_finite() && d.is_finite()))
            .collect();
        planes.iter().flatten().for_each(|(g, d)| quadric.add(&Quadric::plane(*g, *d, area)));
        for (&point, &wedge) in engine.points[triangle].iter().zip(&engine.wedges[triangle]) {
            engine.quadrics[point as usize].add(&quadric);
            let sums = &mut engine.sums[wedge as usize * stride..][..stride];
            sums[0] += area;
            for (sums, plane) in sums[1..].as_chunks_mut::<4>().0.iter_mut().zip(&planes) {
                let (g, d) = plane.unwrap_or_default();
                let add = [g.x, g.y, g.z, d].map(|number| number * area);
                sums.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
            }
        }
    }
}

/// Finds the borders, and adds planes through borders and seams, perpendicular to the surface.
fn borders(engine: &mut Engine<'_>, seam: f64) {
    // Each edge with the corner at which it begins.
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(engine.points.len() * 3);
    for ([a, b, c], corner) in engine.points.iter().copied().zip((0..).step_by(3)) {
        for ([from, to], at) in [[a, b], [b, c], [c, a]].into_iter().zip(corner..) {
            edges.push(([from.min(to), from.max(to)], at));
        }
    }
    edges.sort_unstable();
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        let wedges = |at: u32| {
            let (triangle, corner) = (at as usize / 3, at as usize % 3);
            let [from, to] = [corner, (corner + 1) % 3];
            let pair = [from, to].map(|corner| engine.wedges[triangle][corner]);
            if engine.points[triangle][from] < engine.points[triangle][to] {
                pair
            } else {
                [pair[1], pair[0]]
            }
        };
        let first = wedges(same[0].1);
        let weight = match same.len() {
            1 => BORDER,
            2 if same[1..].iter().all(|(_, at)| wedges(*at) == first) => continue,
            _ => seam,
        };
        for &([low, high], at) in same {
            let corners = engine.surface.corners(at as usize / 3);
            let [a, b, c] = corners;
            let [from, to] = [low, high].map(|point| engine.positions[point as usize]);
            let across = (to - from).cross((b - a).cross(c - a)).normalize_or_zero();
            let weight = weight * from.distance_squared(to);
            let quadric = Quadric::plane(across, -across.dot(from), weight);
            for point in [low, high].map(|point| point as usize) {
                engine.quadrics[point].add(&quadric);
                engine.is_border[point] |= same.len() == 1;
            }
        }
    }
}

/// The weight of a texture's length, by its extent on the surface.
fn density(surface: &Surface<'_>) -> f64 {
    let (mut space, mut texture) = (0.0, 0.0);
    for triangle in 0..surface.triangles.len() {
        let mesh = surface.parts[surface.triangles[triangle].part as usize];
        let [Some(a), Some(b), Some(c)] = surface.vertices(triangle).map(|vertex| mesh.uvs.get(vertex))
        else {
            continue;
        };
        let [a, b, c] = [a, b, c].map(|uv| uv.to_array().map(f64::from));
        let area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
        if area.is_finite() {
            let [a, b, c] = surface.corners(triangle);
            space += (b - a).cross(c - a).length();
            texture += area;
        }
    }
    let ratio = (space / texture).sqrt();
    if ratio.is_finite() { TEXTURE * ratio.min(10.0) } else { 0.0 }
}
