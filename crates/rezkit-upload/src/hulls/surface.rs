//! The surfaces of a mesh: welded, divided into closed ones and sheets, and sheets made as thick as the platform needs.

use std::collections::HashMap;

use glam::{DMat3, DVec3};

use crate::connected::root;
use rezkit_scene::hull::tetrahedron;

/// The width of a hole that nobody passes, in thicknesses of the thinnest object (half a metre).
const NARROW: f64 = 50.0;
/// The size of the inside of a closed surface that is seen from within, in these thicknesses (two metres).
const ROOM: f64 = 200.0;
/// The part of the length of a hole's border beside which the surface continues in the plane of the hole, above which
/// the hole is a doorway and not a missing side.
const FLAT: f64 = 0.5;
/// A missing side that faces down this much is one that the object stands on.
const DOWN: f64 = 0.3;

/// Points and triangles; points that are near each other are one.
pub(super) struct Welded {
    pub(super) points: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Welded {
    pub(super) fn new(corners: &[[DVec3; 3]], near: f64) -> Self {
        let mut points: Vec<DVec3> = Vec::new();
        let mut exact: HashMap<[u64; 3], u32> = HashMap::new();
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        let size = if near > 0.0 { near * 2.0 } else { 1.0 };
        let cell = |point: DVec3| point.to_array().map(|axis| (axis / size).floor() as i64);
        let mut number = |point: DVec3| {
            *exact.entry(point.to_array().map(f64::to_bits)).or_insert_with(|| {
                let [x, y, z] = cell(point - DVec3::splat(near));
                let next = |axis: i64, at: i64| axis.saturating_add(at & 1);
                let around = (0..8).map(|at| [next(x, at), next(y, at >> 1), next(z, at >> 2)]);
                let found = around.filter_map(|cell| cells.get(&cell)).flatten();
                let is_near = |at: &&u32| points[**at as usize].distance_squared(point) <= near * near;
                if let Some(&at) = { found }.find(is_near).filter(|_| near > 0.0) {
                    return at;
                }
                points.push(point);
                let at = points.len() as u32 - 1;
                if near > 0.0 {
                    cells.entry(cell(point)).or_default().push(at);
                }
                at
            })
        };
        let mut triangles: Vec<[u32; 3]> = corners.iter().map(|corners| corners.map(&mut number)).collect();
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        // A surface with two sides is one sheet.
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let key = |at: u32| {
            let mut key = triangles[at as usize];
            key.sort_unstable();
            key
        };
        geom::sort::by_key(&mut order, |&at| (key(at), at));
        let mut kept: Vec<u32> = order.chunk_by(|&a, &b| key(a) == key(b)).map(|same| same[0]).collect();
        kept.sort_unstable();
        let triangles = kept.into_iter().map(|at| triangles[at as usize]).collect();
        Self { points, triangles }
    }

    fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|point| self.points[point as usize])
    }
}

/// A part of a surface: its triangles are connected by edges of two triangles, and turned alike.
pub(super) struct Patch {
    pub(super) corners: Vec<[DVec3; 3]>,
    /// Triangles that close the holes: from each edge of a hole to one point of the hole.
    pub(super) closing: Vec<[DVec3; 3]>,
    /// Whether the surface with these triangles encloses a volume.
    pub(super) is_closed: bool,
    /// The volume that a closed surface encloses, negative if the surface faces inwards.
    pub(super) volume: f64,
    /// A point of the surface.
    pub(super) point: u32,
}

/// Directed edges of a surface, each as often as it is passed more often in this direction than in the other, with the
/// triangle beside it.
type Border = Vec<([u32; 2], usize)>;

/// The edges at which a surface ends.
fn border(triangles: &[[u32; 3]]) -> Border {
    let mut edges: Vec<([u32; 2], bool, usize)> = Vec::with_capacity(triangles.len() * 3);
    for (at, &[a, b, c]) in triangles.iter().enumerate() {
        let ends = [[a, b], [b, c], [c, a]];
        edges.extend(ends.map(|[from, to]| ([from.min(to), from.max(to)], from < to, at)));
    }
    edges.sort_unstable();
    let mut border = Vec::new();
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        let forwards = same.iter().filter(|edge| edge.1).count();
        let more = forwards * 2 > same.len();
        let count = forwards.abs_diff(same.len() - forwards);
        let [low, high] = same[0].0;
        let ends = if more { [low, high] } else { [high, low] };
        border.extend(same.iter().filter(|edge| edge.1 == more).take(count).map(|edge| (ends, edge.2)));
    }
    border
}

/// The parts of a surface.
pub(super) fn patches(welded: &Welded, thickness: f64) -> Vec<Patch> {
    let mut found = Vec::new();
    for (point, triangles) in alike(welded) {
        let border = border(&triangles);
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|&each| welded.corners(each)).collect();
        let origin = corners.first().map_or(DVec3::ZERO, |corners| corners[0]);
        let from_origin = |list: &[[DVec3; 3]]| -> f64 {
            list.iter().map(|corners| tetrahedron(corners.map(|corner| corner - origin))).sum()
        };
        let closing = closing(welded, &corners, &border, thickness);
        let volume = from_origin(&corners) + closing.as_deref().map_or(0.0, from_origin);
        let low = corners.iter().flatten().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.iter().flatten().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let is_room = volume < 0.0
            && (high - low).min_element() > ROOM * thickness
            && closing.as_ref().is_some_and(|closing| !closing.is_empty());
        let is_closed = closing.is_some() && !is_room;
        let closing = closing.filter(|_| is_closed).unwrap_or_default();
        found.push(Patch { corners, closing, is_closed, volume, point });
    }
    found
}

/// The triangles of each part, turned alike, and a point of each.
fn alike(welded: &Welded) -> Vec<(u32, Vec<[u32; 3]>)> {
    let triangles = &welded.triangles;
    let mut edges: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(triangles.len() * 3);
    for (at, &[a, b, c]) in (0..).zip(triangles) {
        edges
            .extend([[a, b], [b, c], [c, a]].map(|[from, to]| ([from.min(to), from.max(to)], at, from < to)));
    }
    edges.sort_unstable();
    let mut beside: Vec<[(u32, bool); 3]> = vec![[(u32::MAX, false); 3]; triangles.len()];
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        if let &[(_, one, forwards), (_, two, backwards)] = same {
            for (at, other) in [(one, two), (two, one)] {
                if let Some(free) = beside[at as usize].iter_mut().find(|(at, _)| *at == u32::MAX) {
                    *free = (other, forwards == backwards);
                }
            }
        }
    }
    let mut is_done = vec![false; triangles.len()];
    let mut found = Vec::new();
    for first in 0..triangles.len() {
        if is_done[first] {
            continue;
        }
        is_done[first] = true;
        let mut list = vec![(first as u32, false)];
        let (mut next, mut areas) = (0, [0.0; 2]);
        while let Some(&(at, is_turned)) = list.get(next) {
            next += 1;
            let [a, b, c] = welded.corners(triangles[at as usize]);
            areas[usize::from(is_turned)] += (b - a).cross(c - a).length();
            for (other, turns) in beside[at as usize] {
                if other != u32::MAX && !is_done[other as usize] {
                    is_done[other as usize] = true;
                    list.push((other, is_turned != turns));
                }
            }
        }
        let most = areas[1] > areas[0];
        let turned = |(at, is_turned): (u32, bool)| {
            let [a, b, c] = triangles[at as usize];
            if is_turned == most { [a, b, c] } else { [a, c, b] }
        };
        found.push((triangles[first][0], list.into_iter().map(turned).collect()));
    }
    found
}

/// The triangles that close all holes; `None` if a hole is one that is passed, or if there is nothing but a border.
fn closing(
    welded: &Welded,
    corners: &[[DVec3; 3]],
    border: &Border,
    thickness: f64,
) -> Option<Vec<[DVec3; 3]>> {
    let mut closing = Vec::new();
    let surface = corners.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).length() * 0.5).sum::<f64>();
    for hole in holes(border) {
        let point = |at: u32| welded.points[at as usize];
        let apex = hole.iter().map(|(ends, _)| ends[0]).min().map(point)?;
        let mut area = DVec3::ZERO;
        let (mut low, mut high) = (apex, apex);
        for (ends, _) in &hole {
            let [from, to] = ends.map(point);
            // The closing triangle passes the edge in the other direction.
            area += (to - apex).cross(from - apex) * 0.5;
            (low, high) = (low.min(from), high.max(from));
        }
        let normal = area.normalize_or_zero();
        let (mut length, mut flat) = (0.0, 0.0);
        for (ends, triangle) in &hole {
            let [a, b, c] = corners[*triangle];
            let beside = (b - a).cross(c - a).normalize_or_zero();
            let edge = point(ends[0]).distance(point(ends[1]));
            length += edge;
            flat += if beside.dot(normal).abs() > 0.9 { edge } else { 0.0 };
        }
        let width = area.length() / (high - low).length().max(f64::MIN_POSITIVE);
        // The outline of a narrow sheet is no hole of it.
        let is_outline = surface < 4.0 * area.length() || hole.len() >= corners.len();
        let is_narrow = width < NARROW * thickness && !is_outline;
        let is_missing_side = flat < length * FLAT && normal.y < -DOWN;
        if !(is_narrow || is_missing_side || width < (high - low).length() * 1e-4) {
            return None;
        }
        closing.extend(cone(&hole).map(|corners| corners.map(point)));
    }
    Some(closing)
}

/// Triangles from each edge of a border to one point of it.
fn cone(hole: &Border) -> impl Iterator<Item = [u32; 3]> + '_ {
    let apex = hole.iter().map(|(ends, _)| ends[0]).min();
    let triangles = hole.iter().filter_map(move |([from, to], _)| Some([*to, *from, apex?]));
    triangles.filter(|[to, from, apex]| to != apex && from != apex)
}

/// The triangles that close a surface.
pub(super) fn cones(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    holes(&border(triangles)).iter().flat_map(cone).collect()
}

/// The borders that are connected.
fn holes(border: &Border) -> Vec<Border> {
    let mut ends: Vec<u32> = border.iter().flat_map(|(ends, _)| *ends).collect();
    ends.sort_unstable();
    ends.dedup();
    let number = |end: u32| ends.binary_search(&end).unwrap_or_default() as u32;
    let mut above: Vec<u32> = (0..ends.len() as u32).collect();
    for (edge, _) in border {
        let [a, b] = edge.map(|end| root(&mut above, number(end)));
        above[a.max(b) as usize] = a.min(b);
    }
    let mut holes: HashMap<u32, Border> = HashMap::new();
    for edge in border {
        holes.entry(root(&mut above, number(edge.0[0]))).or_default().push(*edge);
    }
    let mut holes: Vec<_> = holes.into_iter().collect();
    geom::sort::by_key(&mut holes, |(root, _)| *root);
    holes.into_iter().map(|(_, hole)| hole).collect()
}

/// A sheet as a closed surface: its triangles, moved apart by twice a distance, and its border.
pub(super) fn slab(corners: &[[DVec3; 3]], half: f64) -> Vec<[DVec3; 3]> {
    let welded = Welded::new(corners, 0.0);
    let mut normals: Vec<Vec<DVec3>> = vec![Vec::new(); welded.points.len()];
    for &triangle in &welded.triangles {
        let [a, b, c] = welded.corners(triangle);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        for point in triangle {
            let there = &mut normals[point as usize];
            if there.iter().all(|other| other.dot(normal) < 0.999) {
                there.push(normal);
            }
        }
    }
    // Each side of the slab is at the distance from all triangles of a point, unless these fold back.
    let offset = |normals: &Vec<DVec3>| {
        let mut matrix = DMat3::from_diagonal(DVec3::splat(1e-4));
        let mut sum = DVec3::ZERO;
        for normal in normals {
            matrix += DMat3::from_cols(*normal * normal.x, *normal * normal.y, *normal * normal.z);
            sum += *normal;
        }
        let offset = match normals.as_slice() {
            [normal] => *normal * half,
            _ => matrix.inverse() * sum * half,
        };
        offset.clamp_length_max(half * 2.0)
    };
    let offsets: Vec<DVec3> = normals.iter().map(offset).collect();
    let up = |point: u32| welded.points[point as usize] + offsets[point as usize];
    let down = |point: u32| welded.points[point as usize] - offsets[point as usize];
    let mut made = Vec::with_capacity(welded.triangles.len() * 3);
    for &[a, b, c] in &welded.triangles {
        made.push([up(a), up(b), up(c)]);
        made.push([down(a), down(c), down(b)]);
    }
    for ([from, to], _) in border(&welded.triangles) {
        made.push([up(to), up(from), down(from)]);
        made.push([up(to), down(from), down(to)]);
    }
    made
}
