//! Triangulates flat polygons, including concave ones.

use std::collections::VecDeque;

use geom::TriMesh;

use super::space::{Frame, Point, add, cross, dot, float, sub, unit};
use super::{Stop, charge};
use m3d::{ErrorKind, ViewBudget};

/// The triangles of a polygon, by ear clipping.
pub(super) fn polygon(points: &[Point], work: &ViewBudget) -> Result<TriMesh, Stop> {
    if points.len() < 3 {
        return Err("the polygon has fewer than three corners".into());
    }
    charge(work, points.len() as u64, points.len() as u64)?;
    let mut normal = [0.0; 3];
    for (place, &point) in points.iter().enumerate() {
        let first = points[0];
        normal = add(normal, cross(sub(point, first), sub(points[(place + 1) % points.len()], first)));
    }
    let Some(normal) = unit(normal) else { return Err("all corners of the polygon are on one line".into()) };
    let frame = Frame::along(points[0], normal);
    let flat: Vec<[f64; 2]> = points
        .iter()
        .map(|&point| sub(point, frame.origin))
        .map(|point| [dot(point, frame.axes[0]), dot(point, frame.axes[1])])
        .collect();
    Ok(TriMesh {
        positions: points.iter().map(|&point| float(point)).collect(),
        normals: vec![float(normal); points.len()],
        triangles: Ears::new(&flat, work)?.cut()?,
        ..TriMesh::default()
    })
}

/// Twice the area of a triangle, negative if it goes clockwise.
fn area([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [cx, cy]: [f64; 2]) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// Points by their positions, in a grid with about one square per point, so that those near a place are found quickly.
#[derive(Debug, Default)]
struct Grid {
    low: [f64; 2],
    /// The number of squares per unit, along each axis.
    scale: [f64; 2],
    side: usize,
    /// The start of the points of each square, row by row, and the end of the last.
    starts: Vec<u32>,
    points: Vec<u32>,
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to 0..side, and few points")]
impl Grid {
    fn new(points: &[[f64; 2]], which: &[u32]) -> Self {
        let at = |corner: u32| points[corner as usize];
        let end = |pick: fn(f64, f64) -> f64, first: f64| {
            which.iter().fold([first; 2], |end, &corner| [0, 1].map(|axis| pick(end[axis], at(corner)[axis])))
        };
        let (low, high) = (end(f64::min, f64::MAX), end(f64::max, f64::MIN));
        let side = (which.len() as f64).sqrt().ceil().max(1.0) as usize;
        let scale = [0, 1].map(|axis| side as f64 / (high[axis] - low[axis]));
        let mut grid = Self { low, scale, side, starts: vec![0; side * side + 1], points: which.to_vec() };
        let square = |corner: u32| grid.place(at(corner), 1) * side + grid.place(at(corner), 0);
        let squares: Vec<usize> = which.iter().map(|&corner| square(corner)).collect();
        squares.iter().for_each(|&square| grid.starts[square + 1] += 1);
        (0..side * side).for_each(|square| grid.starts[square + 1] += grid.starts[square]);
        let mut next = grid.starts.clone();
        for (&corner, square) in which.iter().zip(squares) {
            grid.points[next[square] as usize] = corner;
            next[square] += 1;
        }
        grid
    }

    fn place(&self, point: [f64; 2], axis: usize) -> usize {
        // Clamped: for the greatest coordinate, and if all points have the same one.
        (((point[axis] - self.low[axis]) * self.scale[axis]) as usize).min(self.side - 1)
    }

    /// The points of each row of squares between two corners.
    fn rows(&self, low: [f64; 2], high: [f64; 2]) -> impl Iterator<Item = &[u32]> {
        let (left, right) = (self.place(low, 0), self.place(high, 0));
        (self.place(low, 1)..=self.place(high, 1)).map(move |row| {
            let [start, end] = [left, right + 1].map(|column| self.starts[row * self.side + column] as usize);
            &self.points[start..end]
        })
    }
}

/// The remaining polygon while its ears are cut off: a ring of corners.
struct Ears<'a> {
    points: &'a [[f64; 2]],
    work: &'a ViewBudget,
    before: Vec<u32>,
    after: Vec<u32>,
    /// For each corner, whether it may lie in another ear: it is not convex.
    blocks: Vec<bool>,
    /// All corners that block, and some that no longer do.
    blocking: Grid,
    /// The ears in the order in which they are cut, each with the value of `turns` when it was found.
    ears: VecDeque<(u32, u32)>,
    /// For each corner, how often its neighbours have changed.
    turns: Vec<u32>,
}

#[allow(clippy::cast_possible_truncation, reason = "ViewBudget counts less than 2^31 points")]
impl<'a> Ears<'a> {
    fn new(points: &'a [[f64; 2]], work: &'a ViewBudget) -> Result<Self, ErrorKind> {
        let count = points.len();
        work.bytes(count as u64 * 128)?;
        let ring = |offset: usize| (0..count).map(|corner| ((corner + offset) % count) as u32).collect();
        let (before, after) = (ring(count - 1), ring(1));
        let (blocks, turns) = (vec![false; count], vec![0; count]);
        let (blocking, ears) = (Grid::default(), VecDeque::new());
        Ok(Self { points, work, before, after, blocks, blocking, ears, turns })
    }

    fn corners(&self, corner: u32) -> [u32; 3] {
        [self.before[corner as usize], corner, self.after[corner as usize]]
    }

    fn area(&self, corner: u32) -> f64 {
        let [a, b, c] = self.corners(corner).map(|corner| self.points[corner as usize]);
        area(a, b, c)
    }

    /// Examines all remaining corners, from one of them on.
    fn look(&mut self, start: u32, left: usize) -> Result<(), ErrorKind> {
        self.work.steps(left as u64 * 4)?;
        let ring: Vec<u32> = std::iter::successors(Some(start), |&corner| Some(self.after[corner as usize]))
            .take(left)
            .collect();
        ring.iter().for_each(|&corner| self.blocks[corner as usize] = self.area(corner) <= 0.0);
        let blocking: Vec<u32> =
            ring.iter().copied().filter(|&corner| self.blocks[corner as usize]).collect();
        self.blocking = Grid::new(self.points, &blocking);
        ring.into_iter().try_for_each(|corner| self.offer(corner))
    }

    /// Appends a corner to the ears if it is one.
    fn offer(&mut self, corner: u32) -> Result<(), ErrorKind> {
        let turn = &mut self.turns[corner as usize];
        *turn += 1;
        let ear = (corner, *turn);
        if self.test(corner)? {
            self.ears.push_back(ear);
        }
        Ok(())
    }

    /// Whether a corner is an ear: convex, and no other corner lies in its triangle.
    fn test(&self, corner: u32) -> Result<bool, ErrorKind> {
        let corners = self.corners(corner);
        let triangle = corners.map(|corner| self.points[corner as usize]);
        let [a, b, c] = triangle;
        if area(a, b, c) <= 0.0 {
            return Ok(false);
        }
        let within = |p: [f64; 2]| area(a, b, p) >= 0.0 && area(b, c, p) >= 0.0 && area(c, a, p) >= 0.0;
        let end = |pick: fn(f64, f64) -> f64| [0, 1].map(|axis| pick(a[axis], pick(b[axis], c[axis])));
        for row in self.blocking.rows(end(f64::min), end(f64::max)) {
            self.work.steps(row.len() as u64 + 1)?;
            let mut others =
                row.iter().filter(|&&other| self.blocks[other as usize] && !corners.contains(&other));
            if others.any(|&other| {
                let p = self.points[other as usize];
                within(p) && !triangle.contains(&p)
            }) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Cuts all ears and returns the triangles. A cut changes only two neighbours; corners far from an ear are not
    /// examined.
    fn cut(mut self) -> Result<Vec<[u32; 3]>, ErrorKind> {
        let mut left = self.points.len();
        let mut triangles = Vec::with_capacity(left);
        let mut last = 1;
        self.look(last, left)?;
        // A polygon that crosses itself may have no ear. Examining all corners each time would take quadratic time.
        let mut look_again = left;
        while left > 3 {
            let ear = match self.ears.pop_front() {
                Some((ear, turn)) if self.turns[ear as usize] == turn => ear,
                Some(_) => continue,
                None if left <= look_again / 2 => {
                    look_again = left;
                    self.look(last, left)?;
                    continue;
                }
                None => last,
            };
            let [before, _, after] = self.corners(ear);
            triangles.push([before, ear, after]);
            self.after[before as usize] = after;
            self.before[after as usize] = before;
            self.blocks[ear as usize] = false;
            self.turns[ear as usize] += 1;
            (left, last) = (left - 1, after);
            // The neighbours are appended after all other ears, so that a round polygon is cut evenly.
            for corner in [before, after] {
                self.blocks[corner as usize] &= self.area(corner) <= 0.0;
                self.offer(corner)?;
            }
        }
        triangles.push(self.corners(last));
        Ok(triangles)
    }
}
