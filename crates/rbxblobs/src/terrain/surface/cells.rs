//! The surface through a cell of eight samples.
//!
//! Corner i of a cell is at (i & 1, i >> 1 & 1, i >> 2 & 1). Its edges are those along x, y and z, four each: edge
//! 4 a + k along axis a begins at bit 0 of k along the next axis, and at bit 1 of k along the axis after that. If a
//! face has two inside corners at opposite ends, four of its edges are crossed: the surface then goes around each
//! inside corner or, if four triangles would otherwise share an edge, around each outside corner. This links the
//! crossed edges of a cell to rings, each of which gets a vertex.

use std::sync::LazyLock;

/// The rings of a cell: the number of the ring of each edge, in two bits each, and the number of rings.
#[derive(Clone, Copy, Default)]
pub(super) struct Rings {
    pub(super) of_edge: u32,
    pub(super) count: u8,
    /// A bit for each face with four crossed edges that are all in one ring. Face 2 a + s is at s (0 or 1) along axis
    /// a.
    twice: u8,
}

impl Rings {
    pub(super) fn of(self, edge: usize) -> u32 {
        self.of_edge >> (2 * edge) & 3
    }
}

/// The rings for every combination of inside corners, if the surface goes around inside corners.
static RINGS: LazyLock<[Rings; 256]> = LazyLock::new(|| std::array::from_fn(|inside| link(inside, 0)));

/// The corners at the ends of an edge.
pub(super) const fn ends(edge: usize) -> [usize; 2] {
    let (axis, k) = (edge / 4, edge % 4);
    let start = (k & 1) << ((axis + 1) % 3) | (k >> 1) << ((axis + 2) % 3);
    [start, start | 1 << axis]
}

/// The corners around a face, each with the edge from it to the next.
fn face(face: usize) -> [(usize, usize); 4] {
    let (axis, side) = (face / 2, face % 2);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let corner = |bu: usize, bv: usize| bu << u | bv << v | side << axis;
    // For an edge along u, the next axes are v and that of the face; for an edge along v, that of the face and u.
    let along_u = |bv: usize| 4 * u + (bv | side << 1);
    let along_v = |bu: usize| 4 * v + (side | bu << 1);
    [
        (corner(0, 0), along_u(0)),
        (corner(1, 0), along_v(1)),
        (corner(1, 1), along_u(1)),
        (corner(0, 1), along_v(0)),
    ]
}

/// Links the crossed edges to rings: around outside corners on the faces in `outside`, and inside corners on the
/// others.
fn link(inside: usize, outside: u8) -> Rings {
    let is_inside = |corner: usize| inside >> corner & 1 == 1;
    let mut ring: [usize; 12] = std::array::from_fn(|edge| edge);
    let mut join = |a: usize, b: usize| {
        let (a, b) = (ring[a], ring[b]);
        ring.iter_mut().filter(|ring| **ring == a).for_each(|ring| *ring = b);
    };
    let crossed = |edge: usize| {
        let [a, b] = ends(edge);
        is_inside(a) != is_inside(b)
    };
    let mut pairs = Vec::new();
    for number in 0..6 {
        let face = face(number);
        let edges: Vec<usize> = face.iter().map(|&(_, edge)| edge).filter(|&edge| crossed(edge)).collect();
        match *edges {
            [a, b] => join(a, b),
            [a, b, c, d] => {
                // The corner between the first edge and the next.
                let around = is_inside(face[1].0) != (outside >> number & 1 == 1);
                let [one, other] = if around { [[a, b], [c, d]] } else { [[d, a], [b, c]] };
                join(one[0], one[1]);
                join(other[0], other[1]);
                pairs.push((number, one[0], other[0]));
            }
            _ => {}
        }
    }
    let mut rings = Rings::default();
    let mut numbers: Vec<usize> = Vec::new();
    for edge in (0..12).filter(|&edge| crossed(edge)) {
        let number = numbers.iter().position(|&known| known == ring[edge]).unwrap_or_else(|| {
            numbers.push(ring[edge]);
            numbers.len() - 1
        });
        rings.of_edge |= u32::try_from(number).unwrap_or(0) << (2 * edge);
    }
    rings.count = u8::try_from(numbers.len()).unwrap_or(0);
    for (number, a, b) in pairs {
        rings.twice |= u8::from(ring[a] == ring[b]) << number;
    }
    rings
}

/// The rings of a cell. `beside` returns the inside corners of the neighbouring cell at a face.
pub(super) fn rings(inside: u8, beside: impl Fn(usize) -> u8) -> Rings {
    let rings = RINGS[usize::from(inside)];
    if rings.twice == 0 {
        return rings;
    }
    let outside = (0..6).filter(|&face| rings.twice >> face & 1 == 1).filter(|&face| {
        // For the neighbouring cell, the same face is on the opposite side.
        RINGS[usize::from(beside(face))].twice >> (face ^ 1) & 1 == 1
    });
    match outside.fold(0, |faces, face| faces | 1 << face) {
        0 => rings,
        outside => link(inside.into(), outside),
    }
}

#[cfg(test)]
#[path = "../../../tests/inside/cells.rs"]
mod tests;
