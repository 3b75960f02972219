//! Separate pieces that lie on others, such as clothes of boxes on a body of boxes: leaving one out costs less than
//! deforming all of them.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::collapse::Engine;
use super::weld::Surface;
use crate::bvh::Bvh;
use crate::connected::root;

/// The number of points of a piece that are examined.
const POINTS: usize = 48;
/// The minimum distance that a piece counts for, as a fraction of the longest side: a piece on a surface is visible,
/// too.
const LEAST: f64 = 0.01;
/// Surfaces of more pieces have grass or leaves rather than layers.
const MOST: usize = 4096;

/// The pieces of a surface, the one nearest to the rest first.
pub(super) struct Layers<'s> {
    bvh: &'s Bvh,
    pieces: Vec<Piece>,
    piece_of: Vec<u32>,
    /// The pieces by cost; costs are bits of floats that are not negative.
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// The number of boxes that may still be examined. Real models need up to 600 for each triangle; if more are
    /// needed, the pieces stay.
    left: Cell<u64>,
}

struct Piece {
    triangles: Vec<u32>,
    area: f64,
    points: Vec<DVec3>,
    is_there: bool,
}

impl<'s> Layers<'s> {
    pub(super) fn new(surface: &Surface<'_>, bvh: &'s Bvh, budget: &mut Budget) -> Result<Self> {
        budget.take(surface.triangles.len() as u64 * 100, "the simplification of a mesh")?;
        // Two triangles are connected if they pass an edge in opposite directions; boxes that share an edge stay
        // separate.
        let mut edges: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(surface.triangles.len() * 3);
        for (at, triangle) in (0..).zip(&surface.triangles) {
            let [a, b, c] = triangle.points;
            let ends = [[a, b], [b, c], [c, a]].into_iter();
            edges.extend(ends.map(|[from, to]| ([from.min(to), from.max(to)], at, from < to)));
        }
        edges.sort_unstable();
        let mut above: Vec<u32> = (0..surface.triangles.len() as u32).collect();
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, one, forwards), (_, two, backwards)] = same
                && forwards != backwards
            {
                let [one, two] = [*one, *two].map(|triangle| root(&mut above, triangle));
                above[one as usize] = two;
            }
        }
        let mut number = vec![u32::MAX; surface.triangles.len()];
        let mut pieces: Vec<Piece> = Vec::new();
        let mut piece_of = Vec::with_capacity(surface.triangles.len());
        for at in 0..surface.triangles.len() as u32 {
            let number = &mut number[root(&mut above, at) as usize];
            if *number == u32::MAX {
                *number = pieces.len() as u32;
                pieces.push(Piece { triangles: Vec::new(), area: 0.0, points: Vec::new(), is_there: true });
            }
            piece_of.push(*number);
            let [a, b, c] = surface.corners(at as usize);
            let piece = &mut pieces[*number as usize];
            piece.triangles.push(at);
            piece.area += (b - a).cross(c - a).length() * 0.5;
        }
        let left = Cell::new(1_000_000 + 1000 * surface.triangles.len() as u64);
        let mut layers = Self { bvh, pieces, piece_of, queue: BinaryHeap::new(), left };
        if (2..=MOST).contains(&layers.pieces.len()) {
            for piece in &mut layers.pieces {
                let step = (piece.triangles.len() * 4).div_ceil(POINTS);
                let corners = piece.triangles.iter().flat_map(|&at| {
                    let [a, b, c] = surface.corners(at as usize);
                    [(a + b + c) / 3.0, a, b, c]
                });
                piece.points = corners.step_by(step).collect();
            }
            budget.work_or((layers.pieces.len() * POINTS * 64) as u64, || super::TOO_LONG.to_owned())?;
            for number in 0..layers.pieces.len() as u32 {
                let cost = layers.cost(number);
                layers.queue.push(Reverse((cost, number)));
            }
        }
        Ok(layers)
    }

    /// The cost of dropping a piece: its distance from the rest, squared and weighted by area, at each corner.
    fn cost(&self, number: u32) -> u32 {
        let (piece, before) = (&self.pieces[number as usize], self.bvh.steps());
        self.bvh.allow(self.left.get());
        let other = |triangle: usize| {
            let of = self.piece_of[triangle];
            of != number && self.pieces[of as usize].is_there
        };
        let squared = |point: &DVec3| {
            self.bvh.nearest(0, *point, f64::INFINITY, other).map_or(f64::INFINITY, |found| found.squared)
        };
        let sum = piece.points.iter().map(squared).sum::<f64>();
        self.left.set(self.left.get().saturating_sub(self.bvh.steps() - before));
        let mean = if self.bvh.is_spent() { f64::INFINITY } else { sum / piece.points.len().max(1) as f64 };
        ((3.0 * piece.area * (mean + LEAST * LEAST)) as f32).to_bits()
    }

    /// The cheapest piece, if leaving it out costs at most `cost`.
    pub(super) fn next(&mut self, cost: u32) -> Option<u32> {
        while let Some(&Reverse((least, number))) =
            self.queue.peek().filter(|Reverse((least, _))| *least <= cost)
        {
            self.queue.pop();
            // The piece below it may have been left out, which changes the cost.
            let now = self.cost(number);
            if now <= least {
                return Some(number);
            }
            self.queue.push(Reverse((now, number)));
        }
        None
    }
}

impl Engine<'_> {
    /// Leaves out pieces while that costs at most `cost` and each part keeps a triangle.
    pub(super) fn leave_out(&mut self, layers: &mut Layers<'_>, cost: u32, target: usize) {
        while self.live > target
            && let Some(number) = layers.next(cost)
        {
            let piece = &mut layers.pieces[number as usize];
            let live = piece.triangles.iter().map(|at| *at as usize).filter(|&at| self.alive[at]);
            let gone: Vec<usize> = live.collect();
            let mut of_part: HashMap<usize, usize> = HashMap::new();
            for &at in &gone {
                *of_part.entry(self.surface.triangles[at].part as usize).or_default() += 1;
            }
            if of_part.iter().all(|(&part, &count)| self.live_of_part[part] > count) {
                gone.into_iter().for_each(|at| self.remove(at));
                piece.is_there = false;
            }
        }
    }
}
