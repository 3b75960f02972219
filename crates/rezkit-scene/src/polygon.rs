//! Polygons as triangles. A fan around the first corner is right for every convex polygon; others are cut by removing
//! one ear after another: a corner whose triangle is inside the polygon and contains no other corner.

use geom::Vec3;
use glam::{DVec2, DVec3};
use rezkit_core::{Budget, Result};

use crate::grow::push;

/// Cuts polygons; it keeps the memory that this needs for the next one.
#[derive(Default)]
pub(crate) struct Cutter {
    corners: Vec<Corner>,
    /// The corners that may be inside the triangle of another one: those that are not convex.
    hollow: Vec<usize>,
    ears: Vec<[u32; 3]>,
}

const WHAT: &str = "the polygons";

/// A corner of a polygon, in the plane of the polygon.
struct Corner {
    vertex: u32,
    place: DVec2,
    before: usize,
    after: usize,
    /// Twice the area of its triangle: positive if the corner is convex.
    turn: f64,
}

/// The vertex of a corner of a polygon whose triangles are a fan.
fn vertex(fan: &[[u32; 3]], corner: usize) -> u32 {
    match corner.checked_sub(2) {
        Some(at) => fan[at][2],
        None => fan[0][corner],
    }
}

fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

impl Cutter {
    /// Replaces the fan of a polygon by other triangles, if a triangle of the fan is outside the polygon. A polygon
    /// without an area, or that crosses itself, keeps the fan.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub(crate) fn cut(
        &mut self,
        fan: &mut [[u32; 3]],
        positions: &[Vec3],
        budget: &mut Budget,
    ) -> Result<()> {
        if fan.len() < 2 {
            return Ok(());
        }
        let place =
            |corner| -> DVec3 { positions[vertex(fan, corner) as usize].to_array().map(f64::from).into() };
        let count = fan.len() + 2;
        let Some((normal, least)) = plane(count, place) else { return Ok(()) };
        let right = normal.any_orthonormal_vector();
        let up = normal.cross(right);
        let start = place(0);
        self.corners.clear();
        for corner in 0..count {
            let from_start = place(corner) - start;
            let place = DVec2::new(from_start.dot(right), from_start.dot(up));
            let (before, after) = ((corner + count - 1) % count, (corner + 1) % count);
            let vertex = vertex(fan, corner);
            push(&mut self.corners, Corner { vertex, place, before, after, turn: 0.0 }, budget)?;
        }
        self.hollow.clear();
        for corner in 0..count {
            self.turn(corner);
            if self.corners[corner].turn <= 0.0 {
                push(&mut self.hollow, corner, budget)?;
            }
        }
        // Without a hollow corner, the polygon goes around its centre more than once.
        if !self.hollow.is_empty() && self.ears(-least, budget)? {
            fan.copy_from_slice(&self.ears);
        }
        Ok(())
    }

    fn turn(&mut self, corner: usize) {
        let Corner { place, before, after, .. } = self.corners[corner];
        self.corners[corner].turn = area(self.corners[before].place, place, self.corners[after].place);
    }

    /// Finds the ears; returns whether the polygon could be cut. If a polygon has none because of rounding, its
    /// flattest corner is removed, unless its turn is less than `least`.
    fn ears(&mut self, least: f64, budget: &mut Budget) -> Result<bool> {
        self.ears.clear();
        let (mut at, mut left, mut waited) = (0, self.corners.len(), 0);
        while left > 3 {
            if waited > left {
                budget.work(self.hollow.len() as u64, WHAT)?;
                let turn = |corner: usize| self.corners[corner].turn;
                let flattest = self.hollow.iter().copied().max_by(|&a, &b| turn(a).total_cmp(&turn(b)));
                match flattest.filter(|&corner| turn(corner) >= least) {
                    Some(corner) => at = corner,
                    None => return Ok(false),
                }
            }
            let Corner { before, after, turn, .. } = self.corners[at];
            if waited <= left {
                budget.work(if turn > 0.0 { self.hollow.len() as u64 + 1 } else { 1 }, WHAT)?;
                if turn <= 0.0 || self.has_inside([before, at, after]) {
                    (at, waited) = (after, waited + 1);
                    continue;
                }
            }
            push(&mut self.ears, [before, at, after].map(|corner| self.corners[corner].vertex), budget)?;
            (self.corners[before].after, self.corners[after].before) = (after, before);
            (left, waited) = (left - 1, 0);
            let was_hollow = [at, before, after].map(|corner| self.corners[corner].turn <= 0.0);
            self.turn(before);
            self.turn(after);
            let is_hollow = [before, after].map(|corner| self.corners[corner].turn <= 0.0);
            if was_hollow != [false, is_hollow[0], is_hollow[1]] {
                budget.work(self.hollow.len() as u64, WHAT)?;
                self.hollow.retain(|corner| ![at, before, after].contains(corner));
                for (corner, _) in [before, after].into_iter().zip(is_hollow).filter(|(_, is)| *is) {
                    push(&mut self.hollow, corner, budget)?;
                }
            }
            at = after;
        }
        let Corner { before, after, .. } = self.corners[at];
        push(&mut self.ears, [before, at, after].map(|corner| self.corners[corner].vertex), budget)?;
        Ok(true)
    }

    /// Whether another corner is inside a triangle or on its border. Corners at the same place as one of the triangle
    /// do not count: a polygon with a hole comes to the ends of its cut twice.
    fn has_inside(&self, ear: [usize; 3]) -> bool {
        let [a, b, c] = ear.map(|corner| self.corners[corner].place);
        self.hollow.iter().any(|&corner| {
            let place = self.corners[corner].place;
            let is_inside = area(a, b, place) >= 0.0 && area(b, c, place) >= 0.0 && area(c, a, place) >= 0.0;
            is_inside && ![a, b, c].contains(&place)
        })
    }
}

/// The normal of a polygon's plane, and the doubled area that rounding of the positions can cause; `None` if the
/// polygon has no area, or its fan is right.
fn plane(count: usize, place: impl Fn(usize) -> DVec3) -> Option<(DVec3, f64)> {
    let start = place(0);
    let triangles = || (2..count).map(|corner| (place(corner - 1) - start).cross(place(corner) - start));
    let reach = (1..count).map(|corner| (place(corner) - start).length()).fold(0.0, f64::max);
    let rounding = 1e-6 * reach + 2e-7 * start.length();
    let least = rounding * reach;
    let sum: DVec3 = triangles().sum();
    if !sum.is_finite() || sum.length() <= least {
        return None;
    }
    let normal = sum.normalize();
    triangles().any(|triangle| triangle.dot(normal) < -least).then_some((normal, least))
}
