//! Flat polygons, concave ones too.

use geom::TriMesh;

use super::space::{Frame, Point, add, cross, dot, float, sub, unit};
use super::stop::{Stop, charge};
use crate::error::ErrorKind;
use crate::work::Work;

/// Triangles of a polygon, by cutting off ears.
pub(super) fn polygon(points: &[Point], work: &Work) -> Result<TriMesh, Stop> {
    if points.len() < 3 {
        return Err("fewer than three corners".into());
    }
    charge(work, points.len() as u64, points.len() as u64)?;
    let mut normal = [0.0; 3];
    for (place, &point) in points.iter().enumerate() {
        let first = points[0];
        normal = add(normal, cross(sub(point, first), sub(points[(place + 1) % points.len()], first)));
    }
    let Some(normal) = unit(normal) else { return Err("corners on one line".into()) };
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

/// Twice the area of a triangle, negative where it goes clockwise.
fn area([ax, ay]: [f64; 2], [bx, by]: [f64; 2], [cx, cy]: [f64; 2]) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// What is left of a polygon while its ears are cut off: a ring of corners.
struct Ears<'a> {
    points: &'a [[f64; 2]],
    work: &'a Work,
    before: Vec<u32>,
    after: Vec<u32>,
    /// The corners that may lie in an ear of others: those that are not convex, and some that were not
    /// or that are cut off.
    blocking: Vec<u32>,
    blocks: Vec<bool>,
    is_ear: Vec<bool>,
}

#[allow(clippy::cast_possible_truncation, reason = "Work counts less than 2^31 points")]
impl<'a> Ears<'a> {
    fn new(points: &'a [[f64; 2]], work: &'a Work) -> Result<Self, ErrorKind> {
        let count = points.len();
        work.bytes(count as u64 * 32)?;
        let ring = |offset: usize| (0..count).map(|corner| ((corner + offset) % count) as u32).collect();
        let (before, after) = (ring(count - 1), ring(1));
        let (blocks, is_ear) = (vec![false; count], vec![false; count]);
        Ok(Self { points, work, before, after, blocking: Vec::new(), blocks, is_ear })
    }

    fn corners(&self, corner: u32) -> [u32; 3] {
        [self.before[corner as usize], corner, self.after[corner as usize]]
    }

    fn area(&self, corner: u32) -> f64 {
        let [a, b, c] = self.corners(corner).map(|corner| self.points[corner as usize]);
        area(a, b, c)
    }

    /// Looks at all corners that are left, from one of them on.
    fn look(&mut self, start: u32, left: usize) -> Result<(), ErrorKind> {
        self.work.steps(left as u64)?;
        self.blocking.clear();
        let mut corner = start;
        for _ in 0..left {
            self.blocks[corner as usize] = self.area(corner) <= 0.0;
            if self.blocks[corner as usize] {
                self.blocking.push(corner);
            }
            corner = self.after[corner as usize];
        }
        for _ in 0..left {
            self.is_ear[corner as usize] = self.test(corner)?;
            corner = self.after[corner as usize];
        }
        Ok(())
    }

    /// Whether a corner is an ear: convex, and no other corner lies in its triangle.
    fn test(&self, corner: u32) -> Result<bool, ErrorKind> {
        let [a, b, c] = self.corners(corner);
        let [pa, pb, pc] = [a, b, c].map(|corner| self.points[corner as usize]);
        if area(pa, pb, pc) <= 0.0 {
            return Ok(false);
        }
        self.work.steps(self.blocking.len() as u64)?;
        Ok(!self.blocking.iter().any(|&other| {
            let p = self.points[other as usize];
            self.blocks[other as usize]
                && other != a
                && other != b
                && other != c
                && area(pa, pb, p) >= 0.0
                && area(pb, pc, p) >= 0.0
                && area(pc, pa, p) >= 0.0
                && p != pa
                && p != pb
                && p != pc
        }))
    }

    /// The triangles. Each cut changes only its two neighbours, so that all tests together take no more
    /// steps than the square of the corners.
    fn cut(mut self) -> Result<Vec<[u32; 3]>, ErrorKind> {
        let mut left = self.points.len();
        let mut triangles = Vec::with_capacity(left);
        self.look(0, left)?;
        // Where to look first: past the last ear, so that a round polygon is cut evenly.
        let mut start = 1;
        // A polygon that crosses itself may have no ear. Looking again each time would be cubic.
        let mut look_again = left;
        while left > 3 {
            let mut ear = start;
            let mut looked = 0;
            while looked < left && !self.is_ear[ear as usize] {
                (ear, looked) = (self.after[ear as usize], looked + 1);
            }
            self.work.steps(looked as u64 / 4 + 1)?;
            if looked == left && left <= look_again / 2 {
                look_again = left;
                self.look(start, left)?;
                continue;
            }
            let [before, _, after] = self.corners(ear);
            triangles.push([before, ear, after]);
            self.after[before as usize] = after;
            self.before[after as usize] = before;
            self.blocks[ear as usize] = false;
            left -= 1;
            for corner in [before, after] {
                self.blocks[corner as usize] &= self.area(corner) <= 0.0;
                self.is_ear[corner as usize] = self.test(corner)?;
            }
            start = self.after[after as usize];
        }
        triangles.push(self.corners(start));
        Ok(triangles)
    }
}
