//! Closed shapes as convex ones: cut where that leaves the least between the hulls and the surface.
//!
//! The measure of how far a shape is from its hull is that of X. Wei and others, *Approximate convex decomposition for
//! 3D meshes with collision-aware concavity and tree search* (2022): the greater of the distance between hull and
//! surface and of the radius of the ball as large as what is between them.

use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::boxes::boxes;
use super::hull::Hull;
use super::piece::Piece;
use crate::bvh::Bvh;

/// What the radius of the ball counts beside a distance.
const BALL: f64 = 0.3;
/// How many planes along an axis are tried.
const PLANES: usize = 14;
/// How many points of a hull are compared with the surface.
const SAMPLES: usize = 160;
/// How many times its distance a point counts where one can look through the solid: hulls of walls would close doors and
/// windows by that much.
const OPENING: f64 = 20.0;
/// Walls that are not boxes have no more triangles: openings of what is finer are not looked for, since each point of a hull would take as long as
/// all else.
const PLAIN: usize = 300;
/// A hull whose shortest side is a smaller share of the next one is a wall.
const WALL: f64 = 0.6;

/// How shapes are decomposed, in the numbers of the shape.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// How far a hull may be from its part of the surface.
    pub(super) concavity: f64,
    /// How many pieces there may be.
    pub(super) most: usize,
    /// How many points are looked at before it ends.
    pub(super) points: u64,
    /// Whether openings are looked for.
    pub(super) is_plain: bool,
}

/// The hulls of a shape, which `closing` closes, and whether each of them is as near as wanted.
pub(super) fn decompose(
    corners: &[[DVec3; 3]],
    closing: &[[DVec3; 3]],
    effort: Effort,
    budget: &mut Budget,
) -> Result<(Vec<Hull>, bool)> {
    let solid = Bvh::new([corners, closing].concat());
    let mut left = effort.points;
    let mut done: Vec<(Piece, Hull)> = Vec::new();
    let mut open = vec![Piece::new(corners, closing)];
    let mut is_near = true;
    budget.work(corners.len() as u64 * 16, "the hulls")?;
    let boxes = boxes(corners, &solid).filter(|boxes| boxes.len() <= effort.most);
    let effort = Effort { is_plain: boxes.is_some() || solid.len() <= PLAIN, ..effort };
    if let Some(boxes) = boxes {
        open.clear();
        done.extend(boxes.into_iter().filter_map(|[low, high]| {
            let corner = |number: usize| {
                let axis = |axis: usize| if number >> axis & 1 == 0 { low[axis] } else { high[axis] };
                DVec3::new(axis(0), axis(1), axis(2))
            };
            let hull = Hull::around(&std::array::from_fn::<_, 8, _>(corner), 8, 0.0)?;
            let mut piece = Piece::new(&[], &[]);
            piece.volume = hull.volume();
            Some((piece, hull))
        }));
    }
    while let Some(piece) = open.pop() {
        budget.work(piece.len() as u64 * 64, "the hulls")?;
        let Some(hull) = piece.hull(effort.concavity * 0.1) else { continue };
        if concavity(&hull, piece.volume, effort, &solid) <= effort.concavity {
            done.push((piece, hull));
            continue;
        }
        let cost = piece.len() as u64 * 3 * PLANES as u64;
        let is_full = done.len() + open.len() + 2 > effort.most;
        let halves = match is_full || cost > left {
            true => None,
            false => {
                left -= cost;
                budget.work(cost * 16, "the hulls")?;
                best_cut(&piece, &hull, effort, &solid)
            }
        };
        match halves {
            Some(halves) => open.extend(halves),
            None => {
                is_near = false;
                done.push((piece, hull));
            }
        }
    }
    merge(&mut done, effort, &solid, budget)?;
    Ok((done.into_iter().map(|(_, hull)| hull).collect(), is_near))
}

/// How far a hull is from the part of the solid that it is around.
fn concavity(hull: &Hull, volume: f64, effort: Effort, solid: &Bvh) -> f64 {
    let between = (hull.volume() - volume).max(0.0);
    let ball = BALL * (between * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
    if ball > effort.concavity { ball } else { ball.max(distance(hull, effort, solid)) }
}

/// The axis along which a box is a wall.
fn thin_axis([low, high]: [DVec3; 2]) -> Option<usize> {
    let size = (high - low).to_array();
    let thin = (0..3).min_by(|&a, &b| size[a].total_cmp(&size[b]))?;
    let next = (0..3).filter(|&axis| axis != thin).map(|axis| size[axis]).fold(f64::INFINITY, f64::min);
    (size[thin] < next * WALL).then_some(thin)
}

/// The greatest distance of the hull to the solid, as some of its points tell; of openings of walls it is more.
fn distance(hull: &Hull, effort: Effort, solid: &Bvh) -> f64 {
    let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
    let all: f64 = hull.corners().map(area).sum();
    let low = hull.points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = hull.points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).to_array();
    // What is above a door is no wall by itself.
    let thin =
        solid.bounds().and_then(thin_axis).or_else(|| thin_axis([low, high])).filter(|_| effort.is_plain);
    let center = (low + high) * 0.5;
    let mut farthest = 0.0_f64;
    let mut look = |point: DVec3| {
        let nearest = solid.nearest(point, f64::INFINITY, |_| true).map_or(0.0, |found| found.squared.sqrt());
        let thin = thin.filter(|_| nearest * OPENING > effort.concavity);
        let count = if thin.is_some() { OPENING } else { 1.0 };
        if nearest * count <= farthest || solid.is_inside(point) {
            return;
        }
        // A little inside of the hull, so that the surface beside an opening is not in the way.
        let within = point.lerp(center, 1e-3);
        let [mut from, mut to] = [within; 2];
        let is_open = thin.is_some_and(|thin| {
            (from[thin], to[thin]) = (low[thin] - size[thin], high[thin] + size[thin]);
            !solid.is_between(from, to)
        });
        farthest = farthest.max(if is_open { nearest * count } else { nearest });
    };
    for corners in hull.corners() {
        let count = area(corners) / all * SAMPLES as f64;
        let side = (count * 2.0).sqrt().ceil().clamp(1.0, 16.0) as u32;
        let [a, b, c] = corners;
        for i in 0..side {
            for j in 0..side - i {
                // Within the triangle, not on its edges.
                let step = f64::from(side);
                let [v, w] = [i, j].map(|i| (f64::from(i) + 1.0 / 3.0) / step);
                look(a + (b - a) * v + (c - a) * w);
            }
        }
        // What is farthest from the solid is often on an edge, where a hull passes over an opening.
        if thin.is_some() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let count = (from.distance(to) / (high - low).max_element() * 24.0).ceil().clamp(1.0, 24.0);
                (0..count as u32).for_each(|at| look(from.lerp(to, (f64::from(at) + 0.5) / count)));
            }
        }
    }
    farthest
}

/// The cut after which the least is between the hulls and the solid: rather all in one half than in both.
fn best_cut(piece: &Piece, hull: &Hull, effort: Effort, solid: &Bvh) -> Option<[Piece; 2]> {
    let points = piece.points();
    let low = points.iter().copied().reduce(DVec3::min)?;
    let high = points.iter().copied().reduce(DVec3::max)?;
    // The points deepest inside are where it is concave.
    let mut deep: Vec<(f64, DVec3)> = points.iter().map(|&point| (hull.depth(point), point)).collect();
    deep.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Option<(f64, [Piece; 2])> = None;
    for axis in 0..3 {
        let least = effort.concavity * 0.25;
        let mut planes: Vec<f64> = Vec::new();
        let add = |at: f64, least: f64, planes: &mut Vec<f64>| {
            let far = |there: &f64| (there - at).abs() > least;
            if at - low[axis] > least && high[axis] - at > least && planes.iter().all(far) {
                planes.push(at);
            }
        };
        // The planes with the longest edges of the surface, as walls have them.
        let mut edges = piece.edges(axis);
        edges.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sums: Vec<(f64, f64)> = edges
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same.iter().map(|(_, length)| length).sum(), same[0].0))
            .collect();
        sums.sort_by(|a, b| b.0.total_cmp(&a.0));
        // Doors and windows end at nearly one height.
        sums.iter().take(PLANES).for_each(|(_, at)| add(*at, least / OPENING, &mut planes));
        for (depth, point) in &deep {
            if planes.len() < PLANES && *depth > effort.concavity * 0.1 {
                add(point[axis], least, &mut planes);
            }
        }
        let even = PLANES.saturating_sub(planes.len());
        for number in 1..=even {
            let part = number as f64 / (even + 1) as f64;
            add(low[axis] + (high[axis] - low[axis]) * part, least, &mut planes);
        }
        for at in planes {
            let halves = piece.cut(axis, at, solid);
            let between = |half: &Piece| {
                let hull = half.hull(effort.concavity * 0.2).map_or(0.0, |hull| hull.volume());
                (hull - half.volume).max(0.0).sqrt()
            };
            let score = between(&halves[0]) + between(&halves[1]);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, halves));
            }
        }
    }
    best.map(|(_, halves)| halves)
}

/// Makes one of two pieces while the hull around both is as near as wanted.
fn merge(pieces: &mut Vec<(Piece, Hull)>, effort: Effort, solid: &Bvh, budget: &mut Budget) -> Result<()> {
    let bounds = |hull: &Hull| {
        let low = hull.points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = hull.points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        [low - effort.concavity * 0.5, high + effort.concavity * 0.5]
    };
    struct Merged {
        hull: Hull,
        volume: f64,
        bounds: [DVec3; 2],
    }
    let mut all: Vec<Option<Merged>> = pieces
        .drain(..)
        .map(|(piece, hull)| Some(Merged { bounds: bounds(&hull), hull, volume: piece.volume }))
        .collect();
    let around = |a: &Merged, b: &Merged| {
        let touch = a.bounds[0].cmple(b.bounds[1]).all() && b.bounds[0].cmple(a.bounds[1]).all();
        if !touch {
            return None;
        }
        let points: Vec<DVec3> = a.hull.points.iter().chain(&b.hull.points).copied().collect();
        let hull = Hull::around(&points, 256, effort.concavity * 0.02)?;
        let volume = a.volume + b.volume;
        let far = concavity(&hull, volume, effort, solid);
        (far <= effort.concavity).then_some((far, hull))
    };
    let mut pairs: Vec<(f64, usize, usize, Hull)> = Vec::new();
    let mut fresh: Vec<usize> = (0..all.len()).collect();
    while !fresh.is_empty() {
        for &a in &fresh {
            for b in 0..all.len() {
                if b == a || b > a && fresh.contains(&b) {
                    continue;
                }
                let (Some(one), Some(two)) = (&all[a], &all[b]) else { continue };
                budget.work(1 << 8, "the hulls")?;
                if let Some((far, hull)) = around(one, two) {
                    pairs.push((far, a, b, hull));
                }
            }
        }
        fresh.clear();
        pairs.retain(|(_, a, b, _)| all[*a].is_some() && all[*b].is_some());
        let nearest = (0..pairs.len()).min_by(|&a, &b| pairs[a].0.total_cmp(&pairs[b].0));
        if let Some(at) = nearest {
            let (_, a, b, hull) = pairs.swap_remove(at);
            let volume = [a, b].into_iter().filter_map(|at| all[at].take()).map(|one| one.volume).sum();
            fresh.push(all.len());
            all.push(Some(Merged { bounds: bounds(&hull), hull, volume }));
        }
    }
    let piece = |merged: Merged| (Piece::new(&[], &[]), merged.hull);
    pieces.extend(all.into_iter().flatten().map(piece));
    Ok(())
}
