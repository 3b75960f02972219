//! Quadrics: the squared distance of a point and its attributes from the original triangles, weighted by area.
//!
//! M. Garland, P. Heckbert, *Simplifying surfaces with color and texture using quadric error metrics* (1998), in the
//! form of H. Hoppe, *New quadric metric for simplifying meshes with appearance attributes* (1999): a triangle defines
//! each attribute as the function `s = g · p + d` of its points; a vertex takes the attribute that is best for its
//! point.

use glam::{DMat3, DVec3};

/// `p · A p + 2 b · p + c`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadric {
    /// xx, yy, zz, xy, xz, yz.
    a: [f64; 6],
    b: DVec3,
    c: f64,
}

impl Quadric {
    pub(super) const ZERO: Self = Self { a: [0.0; 6], b: DVec3::ZERO, c: 0.0 };

    /// The square of `n · p + d`, weighted.
    pub(super) fn plane(n: DVec3, d: f64, weight: f64) -> Self {
        let a = [n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z];
        Self { a: a.map(|number| number * weight), b: n * (d * weight), c: d * d * weight }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.a.iter_mut().zip(other.a).for_each(|(mine, other)| *mine += other);
        self.b += other.b;
        self.c += other.c;
    }

    /// Subtracts the square of `g · p + d`, weighted.
    pub(super) fn subtract_plane(&mut self, g: DVec3, d: f64, weight: f64) {
        self.add(&Self::plane(g, d, -weight));
    }

    pub(super) fn at(&self, p: DVec3) -> f64 {
        let [xx, yy, zz, xy, xz, yz] = self.a;
        let square = xx * p.x * p.x + yy * p.y * p.y + zz * p.z * p.z;
        let mixed = xy * p.x * p.y + xz * p.x * p.z + yz * p.y * p.z;
        (square + 2.0 * (mixed + self.b.dot(p)) + self.c).max(0.0)
    }

    /// The point with the least value. It is drawn slightly towards `near`, which decides if the minimum is not a
    /// single point.
    pub(super) fn least(&self, near: DVec3) -> Option<DVec3> {
        let [xx, yy, zz, xy, xz, yz] = self.a;
        let pull = (xx + yy + zz) * 1e-4;
        let matrix = DMat3::from_cols(
            DVec3::new(xx + pull, xy, xz),
            DVec3::new(xy, yy + pull, yz),
            DVec3::new(xz, yz, zz + pull),
        );
        let point = matrix.inverse() * (near * pull - self.b);
        point.is_finite().then_some(point)
    }
}

/// The gradient `g` of an attribute over a triangle, and the offset `d`, its value at the origin. `None` if the
/// triangle is too thin.
pub(super) fn gradient(corners: [DVec3; 3], values: [f64; 3]) -> Option<(DVec3, f64)> {
    let [a, b, c] = corners;
    let (e1, e2) = (b - a, c - a);
    let normal = e1.cross(e2);
    let squared = normal.length_squared();
    let longest = e1.length_squared().max(e2.length_squared()).max((c - b).length_squared());
    // The height is less than about a thousandth of the longest side.
    if squared <= 1e-6 * longest * longest {
        return None;
    }
    let g =
        (e2.cross(normal) * (values[1] - values[0]) + normal.cross(e1) * (values[2] - values[0])) / squared;
    Some((g, values[0] - g.dot(a)))
}
