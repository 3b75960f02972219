//! Convex decomposition of closed shapes: cuts leave the least volume between the hulls and the surface.
//!
//! The concavity, the measure of how far a shape is from its hull, is that of X. Wei and others, *Approximate convex
//! decomposition for 3D meshes with collision-aware concavity and tree search* (2022): the greater of the distance
//! between hull and surface and the radius of a ball with the volume between them.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::boxes::boxes;
use super::piece::{Piece, Plane};
use crate::bvh::Bvh;
use rezkit_scene::hull::{Hull, Sides};

/// The weight of the ball's radius relative to a distance.
const BALL: f64 = 0.3;
/// The number of planes tried along an axis.
const PLANES: usize = 14;
/// The number of points of a hull compared with the surface.
const SAMPLES: usize = 160;
/// The factor of a point's distance at openings of the solid: hulls of walls would close doors and windows by that
/// much.
const OPENING: f64 = 20.0;
/// The fraction of the surface along the axes above which a shape has walls.
const ALONG: f64 = 0.6;
/// The minimum distance of planes from each other and from the ends of a piece, except planes of long edges, relative
/// to the concavity.
const LEAST: f64 = 0.5;
/// The number of steps of a cut per triangle.
const CUT: u64 = 10;
/// The number of comparisons of a point with a side of a hull that count as one step.
const COMPARISONS: u64 = 8;
/// A hull is a wall if the ratio of its shortest side to the next one is below this.
const WALL: f64 = 0.6;

/// Settings of a decomposition, in the units of the shape.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Maximum distance of a hull from its part of the surface.
    pub(super) concavity: f64,
    /// Maximum number of pieces.
    pub(super) most: usize,
}

/// The hulls of a shape.
#[derive(Default)]
pub(super) struct Decomposed {
    pub(super) hulls: Vec<Hull>,
    /// Whether each hull is as near to the surface as wanted.
    pub(super) is_near: bool,
    /// Whether all hulls that could be joined are joined.
    pub(super) is_joined: bool,
}

/// A solid, the settings, and the remaining work.
struct Search<'a> {
    solid: Bvh,
    concavity: f64,
    /// Whether openings are searched for.
    has_walls: bool,
    /// Steps besides those in the tree.
    steps: Cell<u64>,
    left: &'a mut u64,
}

/// A hull of a part of a solid.
struct Part {
    hull: Hull,
    /// The volume of the part of the solid.
    volume: f64,
    /// The distance of the hull from the part.
    far: f64,
}

/// The hulls of a shape, whose holes `closing` closes, with a limited number of steps of work, from which the used
/// steps are taken.
pub(super) fn decompose(
    corners: &[[DVec3; 3]],
    closing: &[[DVec3; 3]],
    effort: Effort,
    left: &mut u64,
    budget: &mut Budget,
) -> Result<Decomposed> {
    let solid = Bvh::new([corners, closing].concat());
    budget.work_or(corners.len() as u64 * 16, || super::TOO_LONG.to_owned())?;
    let boxes = boxes(corners, &solid).filter(|boxes| boxes.len() <= effort.most);
    let has_walls = boxes.is_some() || has_walls(corners);
    let search = Search { solid, concavity: effort.concavity, has_walls, steps: Cell::new(0), left };
    let mut done: Vec<Part> = Vec::new();
    let mut is_near = true;
    match boxes {
        Some(boxes) => done.extend(boxes.into_iter().filter_map(|[low, high]| {
            let corner = |number: usize| {
                let axis = |axis: usize| if number >> axis & 1 == 0 { low[axis] } else { high[axis] };
                DVec3::new(axis(0), axis(1), axis(2))
            };
            let hull = Hull::around(&std::array::from_fn::<_, 8, _>(corner), 8, 0.0)?;
            Some(Part { volume: hull.volume(), hull, far: 0.0 })
        })),
        None => {
            // The worst piece is cut first, so that the available work is used for it.
            let mut open: BinaryHeap<Open> =
                search.opened(Piece::new(corners, closing)).into_iter().collect();
            while let Some(Open { piece, hull, far }) = open.pop() {
                let is_full = done.len() + open.len() + 2 > effort.most;
                let is_cut =
                    far > effort.concavity && !is_full && search.has(cost(&piece) * 3 * PLANES as u64);
                match is_cut.then(|| search.best_cut(&piece, &hull)).flatten() {
                    Some(halves) => open.extend(halves.into_iter().filter_map(|half| search.opened(half))),
                    None => {
                        is_near &= far <= effort.concavity;
                        done.push(Part { hull, volume: piece.volume, far });
                    }
                }
            }
        }
    }
    let is_joined = search.merge(&mut done);
    let steps = search.used();
    *left = left.saturating_sub(steps);
    budget.work_or(steps, || super::TOO_LONG.to_owned())?;
    Ok(Decomposed { hulls: done.into_iter().map(|part| part.hull).collect(), is_near, is_joined })
}

/// Whether most of a surface is along the axes, so that it may have doors and windows.
fn has_walls(corners: &[[DVec3; 3]]) -> bool {
    let (mut all, mut along) = (0.0, 0.0);
    for [a, b, c] in corners {
        let normal = (*b - *a).cross(*c - *a);
        let area = normal.length();
        all += area;
        along += if normal.abs().max_element() > 0.9998 * area { area } else { 0.0 };
    }
    along > all * ALONG
}

/// The direction in which a box is thin, if it is a wall.
fn thin_axis([low, high]: [DVec3; 2]) -> Option<DVec3> {
    let size = (high - low).to_array();
    let thin = (0..3).min_by(|&a, &b| size[a].total_cmp(&size[b]))?;
    let next = (0..3).filter(|&axis| axis != thin).map(|axis| size[axis]).fold(f64::INFINITY, f64::min);
    (size[thin] < next * WALL).then(|| DVec3::AXES[thin])
}

/// The direction in which a hull is thin, if it is a wall.
fn thin_side(hull: &Hull) -> Option<DVec3> {
    let width = |normal: DVec3| {
        let [low, high] = range(hull, normal);
        high - low
    };
    let sides: Vec<(f64, DVec3)> = hull
        .corners()
        .filter_map(|[a, b, c]| (b - a).cross(c - a).try_normalize())
        .map(|normal| (width(normal), normal))
        .collect();
    let &(thin, normal) = sides.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let across = sides.iter().filter(|(_, other)| other.dot(normal).abs() < 0.5);
    let next = across.map(|(width, _)| *width).fold(f64::INFINITY, f64::min);
    (thin < next * WALL).then_some(normal)
}

/// The least and the greatest product of a hull's points with a direction.
fn range(hull: &Hull, direction: DVec3) -> [f64; 2] {
    let along = hull.points.iter().map(|point| point.dot(direction));
    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
}

/// A piece that may be cut, ordered by the distance of its hull.
struct Open {
    piece: Piece,
    hull: Hull,
    far: f64,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.far.total_cmp(&other.far)
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Open {}

/// The number of steps of a cut.
fn cost(piece: &Piece) -> u64 {
    piece.len() as u64 * CUT
}

impl Search<'_> {
    fn opened(&self, piece: Piece) -> Option<Open> {
        let hull = self.counted(piece.hull(self.concavity * 0.1))?;
        let far = self.concavity(&hull, piece.volume, &[]);
        Some(Open { piece, hull, far })
    }

    fn used(&self) -> u64 {
        self.steps.get() + self.solid.steps()
    }

    fn has(&self, steps: u64) -> bool {
        self.used().saturating_add(steps) <= *self.left
    }

    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get() + steps);
    }

    /// A hull; counts the steps of creating it.
    fn counted(&self, hull: Option<Hull>) -> Option<Hull> {
        self.count(hull.as_ref().map_or(1, |hull| hull.work / COMPARISONS));
        hull
    }

    /// The concavity of a hull relative to its part of the solid; only a lower bound if it is more than allowed. Points
    /// in other hulls are skipped.
    fn concavity(&self, hull: &Hull, volume: f64, others: &[&Joined]) -> f64 {
        let between = (hull.volume() - volume).max(0.0);
        let ball = BALL * (between * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
        if ball > self.concavity { ball } else { self.distance(hull, ball, others) }
    }

    /// The greatest distance of the hull from the solid, estimated from some of its points, but at least `least`. At
    /// openings of walls the distance is multiplied by [`OPENING`].
    fn distance(&self, hull: &Hull, least: f64, others: &[&Joined]) -> f64 {
        let solid = &self.solid;
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let all: f64 = hull.corners().map(area).sum();
        let [low, high] = bounds(hull);
        // The part above a door is not a wall by itself, and a house is flat, too.
        let thin = || solid.bounds().and_then(thin_axis).into_iter().chain(thin_side(hull)).collect();
        let thin: Vec<DVec3> = if self.has_walls { thin() } else { Vec::new() };
        let center = (low + high) * 0.5;
        let compared = others.iter().map(|other| other.sides.len()).sum::<usize>() as u64 / COMPARISONS;
        let mut farthest = least;
        let mut look = |point: DVec3| {
            self.count(compared);
            if others.iter().any(|other| other.sides.has(point, self.concavity * 1e-3)) {
                return farthest;
            }
            let counts = if thin.is_empty() { f64::INFINITY } else { self.concavity / OPENING };
            let Some(squared) = solid.farther(point, farthest.min(counts).powi(2)) else { return farthest };
            let nearest = squared.sqrt();
            let count = if nearest > counts { OPENING } else { 1.0 };
            if nearest * count <= farthest || solid.is_inside(point) {
                return farthest;
            }
            // The ray begins slightly inside the hull, so that it does not hit the surface beside an opening.
            let within = point.lerp(center, 1e-3);
            let is_open = nearest > counts
                && thin.iter().any(|&thin| {
                    let [low, high] = range(hull, thin).map(|end| within + thin * (end - thin.dot(within)));
                    !solid.is_between(low + (low - high), high + (high - low))
                });
            farthest = farthest.max(if is_open { nearest * count } else { nearest });
            farthest
        };
        // The middles of the sides come first, since they show most excessive distances.
        let middles = hull.corners().map(|[a, b, c]| (a + b + c) / 3.0);
        let inside = hull.corners().flat_map(|[a, b, c]| {
            let count = area([a, b, c]) / all * SAMPLES as f64;
            let side = (count * 2.0).sqrt().ceil().clamp(1.0, 16.0) as u32;
            (0..side).flat_map(move |i| (0..side - i).map(move |j| [i, j])).map(move |at| {
                // The point is within the triangle, not on its edges.
                let [v, w] = at.map(|i| (f64::from(i) + 1.0 / 3.0) / f64::from(side));
                a + (b - a) * v + (c - a) * w
            })
        });
        // The point farthest from the solid is often on an edge, where a hull spans an opening.
        let edges = hull.triangles.iter().filter(|_| !thin.is_empty()).flat_map(|&[a, b, c]| {
            let once = [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from < to);
            once.flat_map(|ends| {
                let [from, to] = ends.map(|end| hull.points[end as usize]);
                let count = (from.distance(to) / (high - low).max_element() * 24.0).ceil().clamp(1.0, 24.0);
                (0..count as u32).map(move |at| from.lerp(to, (f64::from(at) + 0.5) / count))
            })
        });
        let mut points = middles.chain(inside).chain(edges);
        points.find_map(|point| Some(look(point)).filter(|far| *far > self.concavity)).unwrap_or(farthest)
    }

    /// The cut that leaves the least volume between the hulls and the solid, where volume in one half is better than in
    /// both.
    fn best_cut(&self, piece: &Piece, hull: &Hull) -> Option<[Piece; 2]> {
        let points = piece.points();
        // The points deepest inside the hull show where the piece is concave.
        let sides = hull.sides();
        self.count((points.len() * hull.triangles.len()) as u64 / COMPARISONS);
        let mut deep: Vec<(f64, DVec3)> = points.iter().map(|&point| (sides.depth(point), point)).collect();
        geom::sort::by(&mut deep, |a, b| b.0.total_cmp(&a.0));
        let mut best: Option<(f64, [Piece; 2])> = None;
        let mut planes = self.faces(piece, &points);
        for axis in 0..3 {
            planes.extend(
                self.planes(piece, axis, &points, &deep)?.into_iter().map(|at| Plane::across(axis, at)),
            );
        }
        for plane in planes {
            // Only the cost of the cut is known in advance; that of a hull is counted afterwards.
            if !self.has(cost(piece)) {
                break;
            }
            self.count(cost(piece));
            let halves = piece.cut(plane, &self.solid);
            let between = |half: &Piece| {
                let hull = self.counted(half.hull(self.concavity * 0.2));
                let hull = hull.map_or(0.0, |hull| hull.volume());
                (hull - half.volume).max(0.0).sqrt()
            };
            let first = between(&halves[0]);
            if best.as_ref().is_some_and(|(least, _)| first >= *least) {
                continue;
            }
            let score = first + between(&halves[1]);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, halves));
            }
        }
        best.map(|(_, halves)| halves.map(Piece::closed))
    }

    /// The planes of large faces that are not across an axis, with points of the piece on both sides.
    fn faces(&self, piece: &Piece, points: &[DVec3]) -> Vec<Plane> {
        let least = self.concavity * LEAST / OPENING;
        let mut found: Vec<(f64, Plane)> = Vec::new();
        let mut triangles: Vec<(f64, Plane)> = piece
            .surface()
            .filter_map(|[a, b, c]| {
                let normal = (b - a).cross(c - a);
                let area = normal.length();
                let normal = normal.try_normalize()?;
                (normal.abs().max_element() < 0.9999).then_some((area, Plane { normal, at: normal.dot(a) }))
            })
            .collect();
        geom::sort::by(&mut triangles, |a, b| b.0.total_cmp(&a.0));
        self.count(triangles.len() as u64 * 4);
        for (area, plane) in triangles {
            let is_same = |other: &Plane| {
                let along = other.normal.dot(plane.normal);
                along.abs() > 0.9999 && (other.at - plane.at * along.signum()).abs() < least
            };
            match found.iter().position(|(_, other)| is_same(other)) {
                Some(at) => found[at].0 += area,
                None if found.len() < 4 * PLANES => found.push((area, plane)),
                None => {}
            }
        }
        geom::sort::by(&mut found, |a, b| b.0.total_cmp(&a.0));
        found.retain(|(_, plane)| {
            let side = |sign: f64| points.iter().any(|point| plane.height(*point) * sign > least);
            side(1.0) && side(-1.0)
        });
        found.into_iter().take(PLANES).map(|(_, plane)| plane).collect()
    }

    /// Where planes across an axis are tried.
    fn planes(
        &self,
        piece: &Piece,
        axis: usize,
        points: &[DVec3],
        deep: &[(f64, DVec3)],
    ) -> Option<Vec<f64>> {
        let low = points.iter().copied().reduce(DVec3::min)?;
        let high = points.iter().copied().reduce(DVec3::max)?;
        let least = self.concavity * LEAST;
        let mut planes: Vec<f64> = Vec::new();
        let add = |at: f64, least: f64, planes: &mut Vec<f64>| {
            let far = |there: &f64| (there - at).abs() > least;
            if at - low[axis] > least && high[axis] - at > least && planes.iter().all(far) {
                planes.push(at);
            }
        };
        // The planes that contain the longest edges of the surface, such as those of walls.
        let mut edges: Vec<(f64, f64)> = Vec::new();
        for [a, b, c] in piece.surface() {
            let across = [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from[axis] == to[axis]);
            edges.extend(across.map(|[from, to]| (from[axis], from.distance(to))));
        }
        geom::sort::by(&mut edges, |a, b| a.0.total_cmp(&b.0));
        let mut sums: Vec<(f64, f64)> = edges
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same.iter().map(|(_, length)| length).sum(), same[0].0))
            .collect();
        geom::sort::by(&mut sums, |a, b| b.0.total_cmp(&a.0));
        // Doors and windows end at nearly one height.
        sums.iter().take(PLANES).for_each(|(_, at)| add(*at, least / OPENING, &mut planes));
        for (depth, point) in deep {
            if planes.len() < PLANES && *depth > self.concavity * 0.1 {
                add(point[axis], least, &mut planes);
            }
        }
        let even = PLANES.saturating_sub(planes.len());
        for number in 1..=even {
            let part = number as f64 / (even + 1) as f64;
            add(low[axis] + (high[axis] - low[axis]) * part, least, &mut planes);
        }
        Some(planes)
    }

    /// Joins two parts into one while the hull around both is as near as wanted. Returns whether the work sufficed.
    fn merge(&self, parts: &mut Vec<Part>) -> bool {
        let mut all: Vec<Option<Joined>> =
            parts.drain(..).map(|part| Some(Joined::new(part, self.concavity))).collect();
        let mut pairs: Vec<(usize, usize, Part)> = Vec::new();
        let mut fresh = 0..all.len();
        let mut is_joined = true;
        while !fresh.is_empty() {
            for a in std::mem::take(&mut fresh) {
                for b in 0..a {
                    let (Some(one), Some(two)) = (&all[a], &all[b]) else { continue };
                    is_joined &= self.has(0);
                    if is_joined && let Some(part) = self.around(one, two) {
                        pairs.push((a, b, part));
                    }
                }
            }
            pairs.retain(|(a, b, _)| all[*a].is_some() && all[*b].is_some());
            let far = |at: usize| pairs[at].2.far;
            if let Some(at) = (0..pairs.len()).min_by(|&a, &b| far(a).total_cmp(&far(b))) {
                let (a, b, part) = pairs.swap_remove(at);
                (all[a], all[b]) = (None, None);
                fresh = all.len()..all.len() + 1;
                all.push(Some(Joined::new(part, self.concavity)));
            }
        }
        parts.extend(all.into_iter().flatten().map(|joined| joined.part));
        is_joined
    }

    /// Two parts as one, if the hull around both is as near as wanted.
    fn around(&self, a: &Joined, b: &Joined) -> Option<Part> {
        let far = a.part.far.max(b.part.far);
        let touch = a.bounds[0].cmple(b.bounds[1]).all() && b.bounds[0].cmple(a.bounds[1]).all();
        self.count(1);
        if !touch || far > self.concavity {
            return None;
        }
        let points: Vec<DVec3> = a.part.hull.points.iter().chain(&b.part.hull.points).copied().collect();
        let hull = self.counted(Hull::around(&points, 256, self.concavity * 0.02))?;
        let volume = a.part.volume + b.part.volume;
        let far = self.concavity(&hull, volume, &[a, b]).max(far);
        (far <= self.concavity).then_some(Part { hull, volume, far })
    }
}

/// A part that may be joined with others.
struct Joined {
    part: Part,
    /// The box around the part, slightly enlarged.
    bounds: [DVec3; 2],
    sides: Sides,
}

impl Joined {
    fn new(part: Part, concavity: f64) -> Self {
        let [low, high] = bounds(&part.hull);
        let bounds = [low - concavity * 0.5, high + concavity * 0.5];
        Self { sides: part.hull.sides(), part, bounds }
    }
}

fn bounds(hull: &Hull) -> [DVec3; 2] {
    let points = || hull.points.iter().copied();
    [points().fold(DVec3::INFINITY, DVec3::min), points().fold(DVec3::NEG_INFINITY, DVec3::max)]
}
